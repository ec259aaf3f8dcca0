#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tabular.py - a table with numbers and categories: a model, what it found, one answer explained.

Whether a loan is paid back depends on income together with the amount, and on the kind of work
together with the purpose.
"""
import numpy as np
import pandas as pd
from sklearn.model_selection import GridSearchCV

import featcross

rng = np.random.default_rng(2)
n = 4000
table = pd.DataFrame({
    "income": rng.normal(size=n), "amount": rng.normal(size=n), "age": rng.normal(size=n),
    "work": rng.choice(["employed", "own business", "retired"], n),
    "purpose": rng.choice(["car", "house", "stock"], n)})
stock = (table.work == "own business") & (table.purpose == "stock")
risk = table.income * table.amount + 2 * stock
paid = np.where(risk + 0.3 * rng.normal(size=n) < 0.5, "paid", "failed")
train, test = slice(0, 3000), slice(3000, n)

linear = featcross.LinearClassifier(loss="logistic", random_state=1).fit(table[train], paid[train])
search = GridSearchCV(
    featcross.LinearClassifier(loss="logistic", map=featcross.ExplicitCombinations(),
                               random_state=1),
    {"map__kernel": ["linear", "anova-upto:order=2"], "C": [0.1, 1.0]}, cv=3)
model = search.fit(table[train], paid[train]).best_estimator_

print(f"columns alone {linear.score(table[test], paid[test]):.2f}")
print(f"{search.best_params_['map__kernel']} {model.score(table[test], paid[test]):.2f}")
print("\nCombinations for 'paid':")
for found in model.top_combinations(2, order=2, X=table[train]):
    print(f"{found.weight:+.1f}  {' x '.join(found.features)}, in {found.support} rows")

row = table[test].head(1)
print(f"\nThe first row is {model.predict(row)[0]} with {model.predict_proba(row).max():.2f}:")
for part in model.explain(row, 3)[0].combinations:
    print(f"{part.contribution:+.1f}  {' x '.join(part.features)}")

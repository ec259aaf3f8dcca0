#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""recommend.py - who will like what, from a table of names: a factorization machine on categories.

Users like films of one genre on weekdays and of another on weekends.  This depends on three columns
together; neither the user's nor the film's name alone says anything about it.
"""
import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score

import featcross

rng = np.random.default_rng(1)
n, users, films, genres = 20000, 60, 80, 4
taste = rng.integers(genres, size=(users, 2))           # of a user on weekdays, at the weekend
genre = rng.integers(genres, size=films)
user, film = rng.integers(users, size=n), rng.integers(films, size=n)
weekend = rng.integers(2, size=n)
likes = (taste[user, weekend] == genre[film]) ^ (rng.random(n) < 0.05)
table = pd.DataFrame({"user": [f"u{u}" for u in user], "film": [f"f{f}" for f in film],
                      "when": np.where(weekend, "weekend", "weekday")})
train, valid, test = slice(0, 14000), slice(14000, 16000), slice(16000, n)


def auc(degree):
    """Of a machine of this degree that stops when other rows no longer gain."""
    machine = featcross.FactorizationMachineClassifier(
        n_components=16, degree=degree, solver="adagrad", beta=1e-5, max_iter=60, metric="auc",
        patience=5, random_state=1)
    machine.fit(table[train], likes[train], eval_set=(table[valid], likes[valid]))
    return machine, roc_auc_score(likes[test], machine.decision_function(table[test]))


for degree in (2, 3):
    machine, area = auc(degree)
    print(f"combinations of up to {degree}: AUC {area:.2f}")

offers = pd.DataFrame({"user": "u7", "film": [f"f{f}" for f in range(films)], "when": "weekend"})
best = np.argsort(-machine.decision_function(offers))[:5]
print(f"u7 likes genre {taste[7, 1]} at the weekend; recommended are films of the genres "
      f"{', '.join(str(genre[f]) for f in best)}")

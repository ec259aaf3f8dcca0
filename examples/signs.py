#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""signs.py - a label that two columns decide together, neither alone.  The example of README.md."""
import numpy as np
import featcross

X = np.random.default_rng(1).normal(size=(2000, 20))
y = np.where(X[:, 3] * X[:, 7] > 0, "yes", "no")    # do columns 3 and 7 have the same sign?
single = featcross.LinearClassifier(random_state=1).fit(X[:1500], y[:1500])
pairs = featcross.LinearClassifier(map=featcross.ExplicitCombinations(degree=2), random_state=1)
pairs.fit(X[:1500], y[:1500])
print("accuracy:", single.score(X[1500:], y[1500:]), pairs.score(X[1500:], y[1500:]))
print("strongest pair of columns:", pairs.top_combinations(1)[0].features)

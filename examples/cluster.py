#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""cluster.py - k-means on a map: groups that differ only in combinations of columns.

Two columns have the same sign in one group and different signs in the other, so that both groups
have mean 0 in every column.  In the space of the ANOVA kernel, and so among its random features,
their means differ.
"""
import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

import featcross

rng = np.random.default_rng(3)
n = 3000
group = rng.integers(2, size=n)
X = 0.3 * rng.normal(size=(n, 6))
X[:, 0] += rng.choice([-1, 1], size=n)
X[:, 1] += np.sign(X[:, 0]) * np.where(group, 1, -1)    # group 1: columns 0 and 1 agree


def agreement(Z):
    found = KMeans(2, n_init=10, random_state=0).fit_predict(Z)
    return adjusted_rand_score(group, found)


features = featcross.RandomKernelMap(512, kernel="anova", degree=2, random_state=1)
Z = features.fit_transform(X)
error = features.error(X)
print(f"k-means on columns         {agreement(X):.2f}")
print(f"k-means on the map's {Z.shape[1]}   {agreement(Z):.2f}")
print(f"error of the map: {error.rmse:.2f} measured, {error.predicted:.2f} predicted, "
      f"of kernel values of {error.scale:.1f}")

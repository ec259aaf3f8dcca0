# SPDX-License-Identifier: BSD-3-Clause
"""For tests of fits whose rows are in several processes: models, rows, and the hash of each model,
as the package fits it on all rows.  Any scheduler must give the same."""
import functools
import hashlib
import warnings

import numpy as np

import featcross
from featcross._sklearn import ConvergenceWarning

N = 13000                               # four blocks
LOGISTIC = {"loss": "logistic", "max_iter": 4}
FM = {"solver": "lbfgs", "n_components": 3, "max_iter": 3}
LOSSES = {                              # class, parameters; what comes with the rows
    "logistic": ("LinearClassifier", LOGISTIC, ""),
    "svm-l2": ("LinearClassifier", {"solver": "newton"}, ""),
    "ridge": ("LinearRegressor", {}, "targets"),
}
MAPS = {"rk": "RandomKernelMap", "ts": "TensorSketch", "rff": "RandomFourier"}
CASES = {                               # the same
    **LOSSES,
    **{f"{loss}-{map}": (kind, {**given, "map": (MAPS[map], 32)}, what)
       for loss, (kind, given, what) in LOSSES.items() for map in MAPS},
    "fixed": ("LinearClassifier", {**LOGISTIC, "fit_intercept": False, "scale": "std"}, ""),
    "classes": ("LinearClassifier", {**LOGISTIC, "class_weight": "balanced"}, "classes"),
    "weights": ("LinearClassifier", LOGISTIC, "weights"),
    "svm-l2-weights": ("LinearClassifier", {"solver": "newton"}, "classes weights"),
    "ridge-weights": ("LinearRegressor", {}, "targets weights"),
    "missing": ("LinearClassifier", {**LOGISTIC, "missing": "mean,indicator"}, "holes"),
    "fm": ("FactorizationMachineClassifier", FM, ""),
    "hofm": ("FactorizationMachineRegressor", {**FM, "degree": 3}, "targets"),
    "pca": ("PCA", {"n_components": 2}, "none"),
}


@functools.cache
def rows():
    """X, and a target or what labels are made of."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(N, 6)).round(3)
    return X, X[:, 0] * X[:, 1] + X[:, 2]


def hash_of(estimator):
    return hashlib.sha256(estimator.model_.dump()).hexdigest()


def estimator(name, of=featcross):
    """Of the package or of featcross.dask."""
    kind, given, _ = CASES[name]
    given = {"random_state": 1, **given}
    if "map" in given:
        map, n = given["map"]
        given["map"] = getattr(featcross, map)(n)
    if kind == "PCA" and of is featcross:
        kind, given = "KernelPCA", {**given, "kernel": "linear"}
    return getattr(of, kind)(**given)


def learned(name):
    """Rows and what comes with them: (X,), (X, y) or (X, y, weight)."""
    (X, score), what = rows(), CASES[name][2]
    if "holes" in what:
        X = np.where(np.random.default_rng(1).random(X.shape) < 0.1, np.nan, X)
    if "none" in what:
        return (X,)
    y = score if "targets" in what else \
        np.digitize(score, [-1, 1]) if "classes" in what else np.where(score > 0.3, "up", "down")
    return (X, y, np.random.default_rng(1).integers(0, 3, N) * 1.0) if "weights" in what else (X, y)


@functools.cache
def known(name):
    """The hash of a model."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return hash_of(estimator(name).fit(*learned(name)))

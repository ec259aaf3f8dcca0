# SPDX-License-Identifier: BSD-3-Clause
"""Every public estimator, found in featcross.__all__ so that none is forgotten: small ones, rows that
all of them can learn, and all that they say."""
import inspect

import numpy as np

import featcross
from featcross._base import Estimator
from featcross._sklearn import ClassifierMixin, RegressorMixin

CLASSES = [kind for name in featcross.__all__
           if inspect.isclass(kind := getattr(featcross, name)) and issubclass(kind, Estimator)]
CLASSIFIERS = [kind for kind in CLASSES if issubclass(kind, ClassifierMixin)]
REGRESSORS = [kind for kind in CLASSES if issubclass(kind, RegressorMixin)]
MAPS = [kind for kind in CLASSES if hasattr(kind, "transform") and not hasattr(kind, "get_support")]
SELECTORS = [kind for kind in CLASSES if hasattr(kind, "get_support")]  # they learn from y

# By the name of a parameter, of whatever has it.  One thread, since the sets are tiny; features of a
# Fourier map one by one, since scikit-learn's checks ask for one component.
SMALL = {"n_components": 8, "features": "cos", "tol": 1e-9, "random_state": 0,
         "n_jobs": 1}
# Descent takes the same steps for rows in any order, and twice the weight for a row that is there
# twice; half of the digits of what L-BFGS ends at depend on them.
MORE = {"PolynomialNetworkClassifier": {"solver": "cd"},
        "PolynomialNetworkRegressor": {"solver": "cd"}}


def small(kind, **more):
    """An instance that fits a few dozen rows in milliseconds."""
    known = inspect.signature(kind).parameters
    common = {key: value for key, value in SMALL.items() if key in known}
    return kind(**{**common, **MORE.get(kind.__name__, {}), **more})


def sample(kind, n=150, classes=2):
    """X and, for those that learn, y: labels from 0, or targets.  The column of ones makes products
    of two columns as good as one."""
    rng = np.random.default_rng(7)
    X = np.column_stack([rng.normal(size=(n, 4)), np.ones(n)])
    score = X[:, 0] - X[:, 1] + 0.1 * rng.normal(size=n)
    if kind in CLASSIFIERS:
        return X, np.searchsorted(np.quantile(score, np.arange(1, classes) / classes), score)
    return X, None if kind in MAPS else score


def answers(estimator, X):
    """All that a fitted estimator says of rows, by the method's name."""
    methods = ("transform", "predict", "decision_function", "predict_proba")
    return {name: getattr(estimator, name)(X) for name in methods if hasattr(estimator, name)}


def same(a, b):
    """The same answers, to the last bit."""
    return a.keys() == b.keys() and all(
        a[k].dtype == b[k].dtype and a[k].tobytes() == b[k].tobytes() for k in a)

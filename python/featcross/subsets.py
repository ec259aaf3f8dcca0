# SPDX-License-Identifier: BSD-3-Clause
"""Combinations of any number of features, each with a learnt weight that shares factors."""
from __future__ import annotations

from ._learners.factors import Factors
from ._learners.tasks import Classifier, Regressor


class Subsets(Factors):
    """The model of all subsets."""

    _models: dict = {"all-subsets": {}}


class AllSubsetsClassifier(Subsets, Classifier):
    """Classifier by combinations of any number of columns.

    A score is an intercept, a linear term, and the sum over components s of lambda_s times the
    product over all columns of 1 + p_js x_j.  The fit minimises the mean loss of the rows and
    penalties; three or more classes are each told from the rest.

    Parameters
    ----------
    n_components : factors of a column
    loss : "logistic", which "auto" is, "squared_hinge" or "squared"
    (common)
    class_weight : "balanced" or a dict of classes and weights, which multiply those of rows; None

    Attributes
    ----------
    classes_ : sorted labels
    (fitted)
    (several)

    Examples
    --------
    >>> import numpy as np
    >>> from featcross import AllSubsetsClassifier
    >>> X = np.random.default_rng(1).choice([-1.0, 1.0], (400, 4))
    >>> y = X.prod(axis=1)
    >>> print(AllSubsetsClassifier(8, init_std=0.5, tol=1e-2, random_state=1).fit(X, y).score(X, y))
    1.0
    """

    def __init__(self, n_components: int = 30, *, loss: str = "auto", alpha: float = 1e-4,
                 beta=3e-4, fit_linear: bool = True, fit_intercept: bool = True,
                 init_lambdas: str = "ones", beta_lambda: float = 1e-3, solver: str = "auto",
                 max_iter: int = 100, tol: float = 1e-4, learning_rate: float = 0.1,
                 batch_size: int = 64, init_std: float = 0.01, scale: str | None = "auto",
                 missing: str = "error", metric: str | None = None, patience: int = 0,
                 early_stopping: bool = False, validation_fraction: float = 0.1,
                 max_seconds: float = 0, class_weight=None, warm_start: bool = False,
                 random_state=None, n_jobs: int | None = None, verbose: int = 0):
        self._set(locals())


class AllSubsetsRegressor(Subsets, Regressor):
    """Regression by combinations of any number of columns.

    A prediction is an intercept, a linear term, and the sum over components s of lambda_s times the
    product over all columns of 1 + p_js x_j.  The fit minimises the mean of (y - f)^2 / 2 and
    penalties; targets are centred.

    Parameters
    ----------
    n_components : factors of a column
    (common)
    clip : predictions stay within the targets of the training; (low, high): within these

    Attributes
    ----------
    (fitted)

    Examples
    --------
    >>> import numpy as np
    >>> from featcross import AllSubsetsRegressor
    >>> X = np.random.default_rng(1).choice([0.0, 1.0], (300, 4))
    >>> y = (1 + X).prod(axis=1)
    >>> r = AllSubsetsRegressor(2, init_std=0.3, beta=1e-6, tol=1e-2, random_state=1).fit(X, y)
    >>> print(r.score(X, y) > 0.999)
    True
    """

    def __init__(self, n_components: int = 30, *, alpha: float = 1e-4, beta=3e-4,
                 fit_linear: bool = True, fit_intercept: bool = True, init_lambdas: str = "ones",
                 beta_lambda: float = 1e-3, solver: str = "auto", max_iter: int = 100,
                 tol: float = 1e-4, learning_rate: float = 0.1, batch_size: int = 64,
                 init_std: float = 0.01, scale: str | None = "auto", missing: str = "error",
                 metric: str | None = None, patience: int = 0, early_stopping: bool = False,
                 validation_fraction: float = 0.1, max_seconds: float = 0,
                 clip: bool | tuple[float, float] = False,
                 warm_start: bool = False, random_state=None, n_jobs: int | None = None,
                 verbose: int = 0):
        self._set(locals())

# SPDX-License-Identifier: BSD-3-Clause
"""Polynomial networks: powers, or products of two, of learnt linear functions."""
from __future__ import annotations

from ._learners.factors import Factors
from ._learners.tasks import Classifier, Regressor


class Network(Factors):
    """The models of a polynomial network."""

    _models: dict = {"poly-net": {"form": "power"}, "poly-net-uv": {"form": "product", "degree": 2}}


class PolynomialNetworkClassifier(Network, Classifier):
    """Polynomial network for classes.

    A score is an intercept, a linear term, and the sum over components s of lambda_s times
    <p_s, (1, x)>^degree, or <u_s, (1, x)> <v_s, (1, x)>.  Unlike those of a factorization machine
    its combinations hold powers of a column too.  The fit minimises the mean loss of the rows and
    penalties; three or more classes are each told from the rest.

    Parameters
    ----------
    n_components : linear functions
    degree : their power
    form : "power", or "product" of two different functions (degree 2)
    loss : "logistic", which "auto" is, "squared_hinge" or "squared"
    (common)
    class_weight : "balanced" or a dict of classes and weights, which multiply those of rows; None

    Attributes
    ----------
    classes_ : sorted labels
    (fitted)
    (several)
    Columns of P_: a constant 1, then those of X; form="product": all of these twice, u and v.

    Examples
    --------
    >>> import numpy as np
    >>> from featcross import PolynomialNetworkClassifier
    >>> X = np.random.default_rng(1).normal(size=(300, 2))
    >>> inside = (X**2).sum(axis=1) < 1
    >>> net = PolynomialNetworkClassifier(8, init_lambdas="signs", tol=1e-2, random_state=1)
    >>> print(net.fit(X, inside).score(X, inside) > 0.97)
    True
    """

    def __init__(self, n_components: int = 30, degree: int = 2, *, form: str = "power",
                 loss: str = "auto", alpha: float = 1e-4, beta=3e-4, fit_linear: bool = True,
                 fit_intercept: bool = True, init_lambdas: str = "ones", beta_lambda: float = 1e-3,
                 solver: str = "auto", max_iter: int = 100, tol: float = 1e-4,
                 learning_rate: float = 0.1, batch_size: int = 64, init_std: float = 0.01,
                 scale: str | None = "auto", missing: str = "error", metric: str | None = None,
                 patience: int = 0, early_stopping: bool = False, validation_fraction: float = 0.1,
                 max_seconds: float = 0, class_weight=None, warm_start: bool = False,
                 random_state=None, n_jobs: int | None = None, verbose: int = 0):
        self._set(locals())


class PolynomialNetworkRegressor(Network, Regressor):
    """Polynomial network for targets.

    A prediction is an intercept, a linear term, and the sum over components s of lambda_s times
    <p_s, (1, x)>^degree, or <u_s, (1, x)> <v_s, (1, x)>.  The fit minimises the mean of
    (y - f)^2 / 2 and penalties; targets are centred.

    Parameters
    ----------
    n_components : linear functions
    degree : their power
    form : "power", or "product" of two different functions (degree 2)
    (common)
    clip : predictions stay within the targets of the training; (low, high): within these

    Attributes
    ----------
    (fitted)
    Columns of P_: a constant 1, then those of X; form="product": all of these twice, u and v.

    Examples
    --------
    >>> import numpy as np
    >>> from featcross import PolynomialNetworkRegressor
    >>> X = np.random.default_rng(1).normal(size=(300, 3))
    >>> y = (X[:, 0] - X[:, 1]) ** 2
    >>> net = PolynomialNetworkRegressor(2, beta=1e-6, tol=1e-2, random_state=1).fit(X, y)
    >>> print(net.score(X, y) > 0.999)
    True
    """

    def __init__(self, n_components: int = 30, degree: int = 2, *, form: str = "power",
                 alpha: float = 1e-4, beta=3e-4, fit_linear: bool = True,
                 fit_intercept: bool = True, init_lambdas: str = "ones", beta_lambda: float = 1e-3,
                 solver: str = "auto", max_iter: int = 100, tol: float = 1e-4,
                 learning_rate: float = 0.1, batch_size: int = 64, init_std: float = 0.01,
                 scale: str | None = "auto", missing: str = "error", metric: str | None = None,
                 patience: int = 0, early_stopping: bool = False, validation_fraction: float = 0.1,
                 max_seconds: float = 0, clip: bool | tuple[float, float] = False,
                 warm_start: bool = False,
                 random_state=None, n_jobs: int | None = None, verbose: int = 0):
        self._set(locals())

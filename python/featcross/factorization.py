# SPDX-License-Identifier: BSD-3-Clause
"""Factorization machines: scores in which combinations of features have learnt weights that share
factors, so that even a combination that occurs in few rows can have a useful weight."""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ._base import all_or_nothing
from ._data import labels as _labels
from ._learners.factors import Factors
from ._learners.learner import Learner
from ._learners.tasks import Classifier, Regressor
from ._names.table import RANK
from ._passes.stream import source_of
from .kernels import kernel_handle

if TYPE_CHECKING:
    from typing_extensions import Self


class Machine(Factors):
    """The models of a factorization machine."""

    _models: dict = {
        "fm": {"fit_lower": "explicit", "degree": 2, "split": None},
        "bilinear": {"fit_lower": "explicit", "degree": 2, "groups": None},
        "hofm": {"fit_lower": "explicit", "split": None},
        "hofm-shared": {"fit_lower": "shared", "split": None},
        "hofm-simplex": {"fit_lower": "simplex", "split": None},
    }

    def _plan(self, rows, weight):
        if self.split is not None:
            if hasattr(self, "encoder_"):
                raise ValueError("split= counts columns, and categories have no order; groups= "
                                 "takes columns by name")
            if self.degree != 2 or self.fit_lower != "explicit" or self.groups is not None:
                raise ValueError("split= is for degree=2, fit_lower='explicit' and groups=None: "
                                 "all products of a column before it and one from there on")
        plan = super()._plan(rows, weight)
        if self.groups is None:
            return plan
        try:
            family = [sorted(column for which in group for column in self._columns(which, "groups"))
                      for group in self.groups]
        except TypeError:
            raise ValueError(f"groups={self.groups!r}: it is a list of lists of columns") from None
        handle = kernel_handle("cross" if self.groups_only else "groups", rows,
                               degree=self.degree, family=family)
        return {**plan, "kernel": handle.spec, "family": handle.family}


class FactorizationMachineClassifier(Machine, Classifier):
    """Factorization machine for classes.

    A score is an intercept, a linear term, and for each order t = 2..degree the sum over components
    s of lambda_s times the sum over all sets of t columns of the product of p_js x_j.  The fit
    minimises the mean loss of the rows and penalties; three or more classes are each told from the
    rest.

    Parameters
    ----------
    n_components : factors of a column, for each order
    degree : highest number of columns in a combination
    loss : "logistic", which "auto" is, "squared_hinge" or "squared"
    fit_lower : "explicit": factors for each order; "shared": the same for all; "simplex": the same
        for all, and a learnt share of each order
    (common)
    groups : lists of columns, by number from 0 or name (of categories: all of them); no combination
        has two columns of a group
    groups_only : columns of no group take part in no combination
    split : combinations are products of one of the first so many columns and one of the others
    class_weight : "balanced" or a dict of classes and weights, which multiply those of rows; None

    Attributes
    ----------
    classes_ : sorted labels
    (fitted)
    thetas_ : fit_lower="simplex": shares (degree,) of orders 1, 2, ..
    (several)

    Examples
    --------
    >>> import numpy as np
    >>> from featcross import FactorizationMachineClassifier
    >>> X = np.random.default_rng(1).choice([-1.0, 1.0], (300, 6))
    >>> y = np.where(X[:, 2] * X[:, 5] > 0, "same", "other")
    >>> fm = FactorizationMachineClassifier(4, tol=1e-2, random_state=1).fit(X, y)
    >>> print(fm.score(X, y), fm.top_combinations(1)[0].features)
    1.0 (2, 5)
    """

    def __init__(self, n_components: int = 30, degree: int = 2, *, loss: str = "auto",
                 fit_lower: str = "explicit", alpha: float = 1e-4, beta=3e-4,
                 fit_linear: bool = True, fit_intercept: bool = True, init_lambdas: str = "ones",
                 beta_lambda: float = 1e-3, solver: str = "auto", max_iter: int = 100,
                 tol: float = 1e-4, learning_rate: float = 0.1, batch_size: int = 64,
                 init_std: float = 0.01, groups=None, groups_only: bool = False,
                 split: int | None = None, scale: str | None = "auto", missing: str = "error",
                 metric: str | None = None, patience: int = 0, early_stopping: bool = False,
                 validation_fraction: float = 0.1, max_seconds: float = 0, class_weight=None,
                 warm_start: bool = False, random_state=None, n_jobs: int | None = None,
                 verbose: int = 0):
        self._set(locals())


class FactorizationMachineRegressor(Machine, Regressor):
    """Factorization machine for targets.

    A prediction is an intercept, a linear term, and for each order t = 2..degree the sum over
    components s of lambda_s times the sum over all sets of t columns of the product of p_js x_j.
    The fit minimises the mean of (y - f)^2 / 2 and penalties; targets are centred.

    Parameters
    ----------
    n_components : factors of a column, for each order
    degree : highest number of columns in a combination
    fit_lower : "explicit": factors for each order; "shared": the same for all; "simplex": the same
        for all, and a learnt share of each order
    (common)
    groups : lists of columns, by number from 0 or name (of categories: all of them); no combination
        has two columns of a group
    groups_only : columns of no group take part in no combination
    split : combinations are products of one of the first so many columns and one of the others
    clip : predictions stay within the targets of the training; (low, high): within these

    Attributes
    ----------
    (fitted)
    thetas_ : fit_lower="simplex": shares (degree,) of orders 1, 2, ..

    Examples
    --------
    >>> import numpy as np
    >>> from featcross import FactorizationMachineRegressor
    >>> X = np.random.default_rng(1).normal(size=(300, 5))
    >>> y = 3 + X[:, 0] * X[:, 1]
    >>> fm = FactorizationMachineRegressor(2, tol=1e-2, random_state=1).fit(X, y)
    >>> print(fm.top_combinations(1)[0].features, round(fm.intercept_, 1))
    (0, 1) 3.0
    """

    def __init__(self, n_components: int = 30, degree: int = 2, *, fit_lower: str = "explicit",
                 alpha: float = 1e-4, beta=3e-4, fit_linear: bool = True,
                 fit_intercept: bool = True, init_lambdas: str = "ones", beta_lambda: float = 1e-3,
                 solver: str = "auto", max_iter: int = 100, tol: float = 1e-4,
                 learning_rate: float = 0.1, batch_size: int = 64, init_std: float = 0.01,
                 groups=None, groups_only: bool = False, split: int | None = None,
                 clip: bool | tuple[float, float] = False, scale: str | None = "auto",
                 missing: str = "error",
                 metric: str | None = None, patience: int = 0, early_stopping: bool = False,
                 validation_fraction: float = 0.1, max_seconds: float = 0, warm_start: bool = False,
                 random_state=None, n_jobs: int | None = None, verbose: int = 0):
        self._set(locals())


class FactorizationMachineRanker(Machine, Learner):
    """Factorization machine that orders rows.

    Of two rows of the same query, the one with the larger label should get the larger score.

    The fit minimises the mean of log(1 + exp(f' - f)) over rows f and rows f' drawn below them, and
    penalties, by adagrad.

    Parameters
    ----------
    n_components : factors of a column, for each order
    degree : highest number of columns in a combination
    fit_lower : "explicit": factors for each order; "shared": the same for all; "simplex": the same
        for all, and a learnt share of each order
    (common)
    groups : lists of columns, by number from 0 or name (of categories: all of them); no combination
        has two columns of a group
    groups_only : columns of no group take part in no combination
    split : combinations are products of one of the first so many columns and one of the others

    Attributes
    ----------
    (fitted)
    thetas_ : fit_lower="simplex": shares (degree,) of orders 1, 2, ..

    Examples
    --------
    >>> import numpy as np
    >>> from featcross import FactorizationMachineRanker
    >>> X = np.random.default_rng(1).uniform(-1, 1, (300, 5))
    >>> y = X[:, 0] * X[:, 1]
    >>> ranker = FactorizationMachineRanker(4, tol=1e-2, random_state=1).fit(X, y)
    >>> print(ranker.top_combinations(1)[0].features, ranker.predict(X).argmax() == y.argmax())
    (0, 1) True
    """

    _task = RANK
    _MIN_ROWS = 2
    EVAL = ("X", "y", "qid", "sample_weight")

    def __init__(self, n_components: int = 30, degree: int = 2, *, fit_lower: str = "explicit",
                 alpha: float = 1e-4, beta=3e-4, fit_linear: bool = True,
                 fit_intercept: bool = True, init_lambdas: str = "ones", beta_lambda: float = 1e-3,
                 solver: str = "auto", max_iter: int = 100, tol: float = 1e-4,
                 learning_rate: float = 0.1, batch_size: int = 64, init_std: float = 0.01,
                 groups=None, groups_only: bool = False, split: int | None = None,
                 scale: str | None = "auto", missing: str = "error", metric: str | None = None,
                 patience: int = 0, early_stopping: bool = False, validation_fraction: float = 0.1,
                 max_seconds: float = 0, warm_start: bool = False, random_state=None,
                 n_jobs: int | None = None, verbose: int = 0):
        self._set(locals())

    @all_or_nothing
    def fit(self, X, y=None, qid=None, sample_weight=None, eval_set=None, *,
            max_memory=None) -> Self:
        """Fits to an order.

        y are numbers. qid gives the query of each row; None: all rows belong to one query. eval_set
        is (X, y), (X, y, qid) or (X, y, qid, sample_weight).  Files and Parts: see
        FactorizationMachineClassifier.
        """
        source = source_of(X)
        if source is not None:
            self._fit_source(source, y if qid is None else qid, sample_weight, eval_set, max_memory)
            return self
        rows = self._rows(X, reset=True)
        self._train(rows, y=_labels.targets(y, len(rows)), qid=_queries(qid, len(rows)),
                    sample_weight=sample_weight, more={"reader": self._reader(y)},
                    eval_set=eval_set, max_memory=max_memory)
        return self

    @all_or_nothing
    def partial_fit(self, X, y, qid=None, sample_weight=None) -> Self:
        """One pass over rows of a stream."""
        rows = self._rows(X, reset=not hasattr(self, "model_"))
        self._go_on(rows, y=_labels.targets(y, len(rows)), qid=_queries(qid, len(rows)),
                    reader=self._reader(y), sample_weight=sample_weight)
        return self

    def _labelled(self, rows, y, qid=None, sample_weight=None):
        return self._table(rows, y=_labels.targets(y, len(rows)), qid=_queries(qid, len(rows)),
                           weight=_labels.weights(sample_weight, len(rows)))

    def predict(self, X) -> np.ndarray:
        """Scores, to order rows by."""
        return self._scores(X)[:, 0]

    def score(self, X, y, qid=None, sample_weight=None) -> float:
        """Share of the pairs of rows of one query that are in the right order; ties count half."""
        table = self._labelled(self._rows(X, reset=False), y, qid, sample_weight)
        return self._fitted("model_").evaluate(table, ["auc"], **self._how())[0]

    def _more_tags(self):
        return {"requires_y": True}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def _queries(qid, n: int) -> np.ndarray | None:
    """Queries of any type, as numbers."""
    if qid is None:
        return None
    try:
        found, number = np.unique(_labels.column(qid, n, "qid"), return_inverse=True)
    except TypeError as error:
        raise ValueError(f"qid holds what has no order, such as None ({error})") from None
    if found.dtype.kind == "f" and np.isnan(found).any():
        raise ValueError(f"qid of row {int(np.argmax(np.isnan(found[number])))} is NaN")
    return number.astype(np.int64)

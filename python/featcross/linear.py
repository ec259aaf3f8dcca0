# SPDX-License-Identifier: BSD-3-Clause
"""Linear models, on rows as they are or on the features of a map."""
from __future__ import annotations

import numpy as np

from ._data.matrix import scaled
from ._learners.choice import is_auto
from ._learners.tasks import Classifier, Regressor
from ._library import text
from ._map import Map
from ._names.spec import by_loss
from ._names.table import CLASSIFY, REGRESS, describe


class Linear:
    """What both estimators share.  Every subclass is a Learner with parameters map, scale and
    random_state."""

    def _plan(self, rows, weight) -> dict:
        return {"model": self._model(), **self._members(rows, weight)}

    def _members(self, rows, weight) -> dict:
        """Members of fx_plan except the model.  If the learner has no random_state, that of the map
        is used."""
        chosen = is_auto(self.map) and "C" in describe("model", self._model()).key
        if self.map is not None and not isinstance(self.map, Map) and not chosen:
            raise ValueError(f"map={self.map!r}: it is one of featcross's maps, such as "
                             "RandomKernelMap(), or None, or 'auto' where there is a C to choose")
        plan = {}
        if isinstance(self.map, Map):
            gamma = getattr(self.map, "gamma", None)
            plan = self.map.plan(scaled(rows, self.scale, gamma, weight, **self._how()), weight)
        if self.random_state is not None:
            plan.pop("seed", None)
        return {"scale": self.scale, **plan}

    @property
    def map_(self) -> str | None:
        """Spec of the model's map; None: rows as they are."""
        return text(self._fitted("model_").content.map) or None

    def _weights(self) -> np.ndarray:
        """[outputs][features]; a scaling of columns is multiplied in where there is no map."""
        model = self._fitted("model_")
        c = model.content
        weights = model.array("weights", c.features, c.outputs).T
        scaled = c.column_scale and not c.map
        return weights * model.array("column_scale", c.cols) if scaled else weights


class LinearClassifier(Linear, Classifier):
    """Linear classifier: support vector machine, logistic regression or perceptron.

    With map= it works on a map's random features, and so does a kernel machine's work in linear
    time.  It minimises 0.5 |w|^2 (l1: |w|_1) + C times the sum of the rows' losses; three or more
    classes are each told from the rest.

    Parameters
    ----------
    loss : "squared_hinge", "hinge", "logistic", "perceptron", or the loss of another model of the
        library.  The perceptron learns from mistakes, row by row in the given order (shuffle sorted
        rows), and has no C, penalty, solver or tol
    penalty : "l2" or "l1", which leaves few features (squared_hinge, logistic)
    C : weight of the losses against the penalty; "auto": chosen as ``featcross train`` chooses it,
        by the score on held-out rows
    map : one of featcross's maps, not fitted; None: rows as they are; "auto": kernel, map and
        number of features (and penalty, unless it is "l1") are chosen in that way
    scale : "maxabs", "std" (columns, not centred), "unit-l1", "unit-l2" (rows), applied before the
        map; "auto": "maxabs" if a number is above 1 or below -1; None
    missing : how to handle NaN in X. "error" rejects it; "zero", "mean" or "median" fill it with 0
        or with the mean or median of the column in fit; "mean,indicator" and the like also add, for
        each column that has a NaN in fit, a column that is 1 where the number was missing; "drop"
        leaves such rows out of fit and score, and predicts NaN for them; "category": as
        "zero,indicator", and a missing category of a DataFrame is a value of its own
    fit_intercept : True: free of the penalty; "appended": a column of ones, penalised; False
    solver : "auto", "dual", "newton", "cd" or "proximal"
    tol : stop when the objective is within this share of its minimum
    max_iter : passes over the rows (dual, perceptron) or steps; None: 1000, of a perceptron 10
    averaged : perceptron: predict with the mean of the weights over all steps instead of the last
        ones
    calibrate : fit a sigmoid on the scores of five held-out folds, for predict_proba; logistic has
        probabilities without it
    class_weight : "balanced" or a dict of classes and weights, which multiply those of rows; None
    warm_start : go on from the last fit (newton, cd, perceptron)
    random_state : of the map, folds and visits; None: the map's, and without one a new one
    n_jobs : threads; None or -1: all processors
    verbose : 1: a progress bar and what was converted

    Attributes
    ----------
    classes_ : sorted labels
    coef_ : (1, features) for two classes, else (classes, features); of columns, those that missing=
        adds after the others, or of the map's features
    intercept_ : (1,) or (classes,)
    C_, kernel_, map_, scale_ : of the model, also where they were chosen
    choice_ : "auto": what the program says of its choice, with the score on held-out rows
    n_iter_, objective_, history_ : of the fit
    missing_ : dict with the number of missing values in fit, of columns that have some, and of rows
        that were left out
    model_ : the fitted model

    Examples
    --------
    >>> import numpy as np
    >>> from featcross import LinearClassifier, RandomKernelMap
    >>> X = np.random.default_rng(1).choice([-1.0, 1.0], (200, 8))
    >>> y = np.where(X[:, 2] * X[:, 5] > 0, "same", "other")
    >>> map = RandomKernelMap(256, degree=2, random_state=1)
    >>> print(LinearClassifier(map=map).fit(X, y).score(X, y))
    1.0
    """

    _models = by_loss(CLASSIFY, "linear", "perceptron")

    def __init__(self, *, loss: str = "squared_hinge", penalty: str = "l2", C: float | str = 1.0,
                 map=None, scale: str | None = None, missing: str = "error",
                 fit_intercept: bool | str = True, solver: str = "auto", tol: float = 1e-3,
                 max_iter: int | None = None, averaged: bool = True, calibrate: bool = False,
                 class_weight=None, warm_start: bool = False, random_state=None,
                 n_jobs: int | None = None, verbose: int = 0):
        self._set(locals())

    def _online(self):                  # a stream has no folds that are held out
        return super()._online() and not self.calibrate

    @property
    def coef_(self) -> np.ndarray:
        return self._weights()

    @property
    def intercept_(self) -> np.ndarray:
        model = self._fitted("model_")
        return model.array("intercepts", model.content.outputs)


class LinearRegressor(Linear, Regressor):
    """Linear regression: ridge or support vector regression.

    With map= it works on a map's random features, and so does a kernel machine's work in linear
    time.  It minimises 0.5 |w|^2 + C times the sum of the rows' losses: (y - f)^2 (that is
    scikit-learn's Ridge(alpha=1/(2 C))), or max(0, |y - f| - epsilon).

    Parameters
    ----------
    loss : of a model of the library, such as "squared" or "epsilon_insensitive"
    penalty : "l2" or "l1", which leaves few features (squared: the lasso)
    C : weight of the losses against the penalty; "auto": chosen as ``featcross train`` chooses it,
        by the score on held-out rows
    epsilon : of epsilon_insensitive: errors up to this count as none
    map : one of featcross's maps, not fitted; None: rows as they are; "auto": kernel, map and
        number of features are chosen in that way
    scale : "maxabs", "std" (columns, not centred), "unit-l1", "unit-l2" (rows), applied before the
        map; "auto": "maxabs" if a number is above 1 or below -1; None
    missing : what becomes of NaN in X, see LinearClassifier
    fit_intercept : True: free of the penalty; "appended": a column of ones, penalised; False
    solver : "auto", "dual", "newton", "cd" or "proximal"
    tol : stop when the objective is within this share of its minimum
    max_iter : passes over the rows (dual) or steps; None: 1000
    warm_start : go on from the last fit (newton, cd)
    random_state : of the map and visits; None: the map's, and without one a new one
    n_jobs : threads; None or -1: all processors
    verbose : 1: a progress bar and what was converted

    Attributes
    ----------
    coef_ : (features,), of columns or the map's features
    intercept_ : float
    C_, kernel_, map_, scale_ : of the model, also where they were chosen
    choice_ : "auto": what the program says of its choice, with the score on held-out rows
    n_iter_, objective_, history_, missing_ : of the fit
    model_ : the fitted model

    Examples
    --------
    >>> from featcross import LinearRegressor
    >>> r = LinearRegressor(C=1e6).fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> print(r.predict([[4.0]]).round(3), r.coef_.round(3), round(r.intercept_, 3))
    [9.] [2.] 1.0
    """

    _models = by_loss(REGRESS, "linear")

    def __init__(self, *, loss: str = "squared", penalty: str = "l2", C: float | str = 1.0,
                 epsilon: float = 0.1, map=None, scale: str | None = None, missing: str = "error",
                 fit_intercept: bool | str = True, solver: str = "auto", tol: float = 1e-3,
                 max_iter: int | None = None, warm_start: bool = False, random_state=None,
                 n_jobs: int | None = None, verbose: int = 0):
        self._set(locals())

    @property
    def coef_(self) -> np.ndarray:
        return self._weights()[0]

    @property
    def intercept_(self) -> float:
        return float(self._fitted("model_").content.intercepts[0])

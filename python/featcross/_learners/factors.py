# SPDX-License-Identifier: BSD-3-Clause
"""Factors: what factorization machines and their relatives share - parameters as the library's
keys, fitted numbers, and the part of their docstrings that is the same."""
from __future__ import annotations

import numpy as np

from .._fold_in import FoldsIn
from .._library import copied
from .._model import Model
from .eval_set import PATIENCE

PLAN = ("scale", "metric", "patience", "max_seconds")   # parameters that are members of fx_plan

PARAMETERS = """\
    alpha : penalty of the linear term, alpha/2 |w|^2
    beta : penalty of factors, beta/2 |P|^2; a list: of orders 2, 3, .., the last one for all above
    fit_linear, fit_intercept : whether scores have a linear term, and an intercept (no penalty)
    init_lambdas : weights of the components: "ones", "signs" (+1 and -1 at random, fixed; also
        "random_signs"), or "learned", with the penalty beta_lambda/2 |lambda|^2
    beta_lambda : see init_lambdas
    solver : "cd" (coordinate descent), "adagrad" (by batches of rows; has partial_fit), "lbfgs" or
        "auto"
    max_iter : maximum number of iterations over all rows
    tol : stop when an iteration lowers the objective by less than this share of it; if max_iter
        comes first, as is common, a ConvergenceWarning says so
    learning_rate, batch_size : of adagrad
    init_std : factors start as normal numbers of this standard deviation (orders t > 2: of
        init_std^(2/t))
    scale : "maxabs", "std" (columns, not centred), "unit-l1", "unit-l2" (rows), None, or "auto":
        "maxabs" if a number of X is above 1 or below -1, else None; scale_ says which
    missing : what becomes of NaN in X, see LinearClassifier
    metric : name of the metric on eval_set: "accuracy", "f1-macro", "ndcg@10", ..; None: accuracy
        for classes, rmse for targets, auc for rankings
    patience : stop after this many iterations without a better metric on eval_set and keep the best
        state; 0: never
    early_stopping : hold out rows to measure on, unless there is an eval_set, and stop by patience,
        which is then 5 where it is 0
    validation_fraction : share of the rows of each class (of the range of targets, of the queries)
        that early_stopping holds out, drawn by random_state
    max_seconds : stop after the first iteration that ends later than this; 0: no limit
    warm_start : continue from the last fit; X may have additional columns.  Adagrad continues as if
        it had not stopped
    random_state : seed for the initial factors and for the order in which rows are visited
    n_jobs : threads; None or -1: all processors
    verbose : 1: a progress bar and what was converted
"""
ATTRIBUTES = """\
    P_ : factors (orders, components, columns), the highest order first
    lams_ : weights of components (orders, components)
    w_, intercept_ : linear term (columns,) and a float.  In P_ and w_ a scaling of columns is
        multiplied in: they are factors and weights of the numbers in X
    n_iter_, objective_ : iterations of the fit, objective at its end
    scale_ : the scaling of rows, or None
    evals_result_, best_score_, best_iteration_ : metric on eval_set or on rows held out, after each
        iteration and at its best, as LightGBM has them
    history_ : dict of arrays with one number per iteration: output, iteration, seconds, objective,
        gap (NaN) and metric
    model_ : the fitted model
"""
SEVERAL = """\
    With three or more classes, the first axis of P_, lams_, w_ and intercept_ is the class.
"""


class Factors(FoldsIn):
    """A subclass is a Learner too."""

    def __init_subclass__(cls, **more):
        super().__init_subclass__(**more)
        for name, text in (("(common)", PARAMETERS), ("(fitted)", ATTRIBUTES),
                           ("(several)", SEVERAL)):
            cls.__doc__ = (cls.__doc__ or "").replace(f"    {name}\n", text)

    def _plan(self, rows, weight) -> dict:
        plan = {"model": self._model(), **{member: getattr(self, member) for member in PLAN}}
        if getattr(self, "early_stopping", False) and not self.patience:
            plan["patience"] = PATIENCE
        return plan

    def _blocks(self, member: str, *inner: str) -> np.ndarray:
        """[outputs][blocks][..] of an array of fx_factors, without the first axis if it is 1; the
        highest order first."""
        model: Model = self._fitted("model_")
        c = model.content
        found = [copied(getattr(block, member), np.float64, c.outputs,
                        *[getattr(block, size) for size in inner])
                 for block in c.factors[:c.orders]]
        return _one(np.stack(found[::-1], axis=1))

    def _column_scale(self) -> np.ndarray:
        """[columns] by which the model multiplies those of X."""
        model = self._fitted("model_")
        c = model.content
        return model.array("column_scale", c.cols) if c.column_scale else np.ones(c.cols)

    @property
    def P_(self) -> np.ndarray:
        P, scale = self._blocks("P", "cols", "rank"), self._column_scale()
        times = 2 if getattr(self, "form", None) == "product" else 1        # u and v
        constants = P.shape[-2] // times - len(scale)
        scale = np.tile(np.concatenate([np.ones(constants), scale]), times)
        return np.ascontiguousarray(np.swapaxes(P * scale[:, None], -1, -2))

    @property
    def lams_(self) -> np.ndarray:
        return self._blocks("lambda", "rank")

    @property
    def thetas_(self) -> np.ndarray:
        if not self._fitted("model_").content.factors[0].theta:
            raise AttributeError("only fit_lower='simplex' has thetas_")
        return self._blocks("theta", "order")[..., 0, :]

    @property
    def w_(self) -> np.ndarray:
        model = self._fitted("model_")
        weights = model.array("weights", model.content.cols, model.content.outputs)
        return _one(np.ascontiguousarray(weights.T * self._column_scale()))

    @property
    def intercept_(self):
        model = self._fitted("model_")
        b = model.array("intercepts", model.content.outputs)
        return float(b[0]) if len(b) == 1 else b


def _one(array: np.ndarray) -> np.ndarray:
    return array[0] if len(array) == 1 else array

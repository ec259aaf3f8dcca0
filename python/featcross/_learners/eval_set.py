# SPDX-License-Identifier: BSD-3-Clause
"""Rows on which the iterations of a fit are measured: given by eval_set, or held out for
early_stopping; and what was measured, in LightGBM's terms."""
from __future__ import annotations

import numbers
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from .._data.rows import Rows
from .._library import check, lib
from .._names.table import RANK, REGRESS, describe

PATIENCE = 5                            # of early_stopping, where patience is 0
NAME = "valid_0"                        # what LightGBM calls the first set


def one_set(eval_set, members: tuple[str, ...]) -> tuple | None:
    """The one set to measure on: (X, y), .. itself or in a list, as LightGBM takes them."""
    if isinstance(eval_set, list) and eval_set and all(isinstance(s, tuple) for s in eval_set):
        if len(eval_set) > 1:
            raise ValueError(f"eval_set holds {len(eval_set)} sets, and iterations are measured on "
                             "one; score() measures the fitted model on the others")
        eval_set = eval_set[0]
    if eval_set is None:
        return None
    if not isinstance(eval_set, (tuple, list)) or not 2 <= len(eval_set) <= len(members):
        forms = [f"({', '.join(members[:n])})" for n in range(2, len(members) + 1)]
        raise ValueError(f"eval_set is {' or '.join(forms)}, or a list of one such tuple")
    return tuple(eval_set)


# ---- Held out -----------------------------------------------------------------------------------
def held_out(n: int, fraction, seed: int, *, y=None, classes=None, qid=None) -> np.ndarray:
    """For each of n rows, whether it is held out: a share of each class, or of the range of
    targets, by seed.  Queries are not split."""
    if not isinstance(fraction, numbers.Real) or not 0 < float(fraction) < 1:
        raise ValueError(f"validation_fraction={fraction!r}: it is a number between 0 and 1")
    number, labels = np.arange(n), None
    if qid is not None:
        found, number = np.unique(qid, return_inverse=True)
        count = len(found)
    else:
        count = n
        labels = y if classes is None else np.searchsorted(classes, y)
        labels = np.ascontiguousarray(labels, dtype=np.float64)
    what = "rows" if qid is None else "queries"
    if count < 2:
        raise ValueError(f"early_stopping=True needs two {what}, one to hold out; there is "
                         f"{count or 'none'}")
    share = Fraction(float(fraction)).limit_denominator(min(count, 1000))
    folds = max(share.denominator, 2) if share.numerator else count
    taken = min(max(share.numerator, 1), folds - 1)
    fold = np.empty(count, dtype=np.int32)
    check(lib.fx_data_folds(fold.ctypes.data, count, folds,
                            None if labels is None else labels.ctypes.data, seed))
    held = (fold.astype(np.int64) * taken % folds < taken)[number]      # evenly spread folds
    if classes is not None:
        left = np.bincount(np.searchsorted(classes, y[~held]), minlength=len(classes))
        if not left.all():
            raise ValueError(f"early_stopping=True would hold out all rows of the class "
                             f"{classes.tolist()[int(left.argmin())]!r}; give eval_set=")
    return held


def part(mask: np.ndarray, rows: Rows, members: dict) -> tuple[Rows, dict]:
    """A subset of the rows, and the same subset of arrays with one number per row."""
    return Rows(rows.array[mask], rows.name), \
        {name: None if array is None else array[mask] for name, array in members.items()}


# ---- What was measured --------------------------------------------------------------------------
class Measured:
    """Attributes of a Learner after a fit that measured its iterations."""

    _task: int
    _fitted: Callable
    history_: dict[str, np.ndarray]

    def _metric(self) -> str:
        own = {REGRESS: "rmse", RANK: "auc"}.get(self._task, "accuracy")
        return getattr(self, "metric", None) or own

    def _courses(self) -> dict[str, np.ndarray]:
        """The metric of each score after each iteration, and the names of the metrics."""
        self._fitted("model_")
        history = self.history_
        if np.isnan(history["metric"]).all():
            raise AttributeError("no iteration of this fit was measured: that takes eval_set= or, "
                                 "of factorization machines, early_stopping=True")
        outputs = np.unique(history["output"])
        return {self._metric() if len(outputs) == 1 else f"{self._metric()}:{k}":
                history["metric"][history["output"] == k] for k in outputs}

    def _best(self) -> dict[str, int]:
        """Position of the best metric, the first of equals."""
        pick = np.nanargmin if describe("metric", self._metric()).falls else np.nanargmax
        return {name: int(pick(course)) for name, course in self._courses().items()}

    @property
    def evals_result_(self) -> dict[str, dict[str, list[float]]]:
        """Metric on eval_set, or on the rows held out, after each iteration, as LightGBM has it:
        {"valid_0": {"auc": [..]}}; of several scores "auc:0", "auc:1", .."""
        return {NAME: {name: course.tolist() for name, course in self._courses().items()}}

    @property
    def best_score_(self) -> dict[str, dict[str, float]]:
        """The best of them."""
        best = self._best()
        return {NAME: {name: float(course[best[name]]) for name, course in self._courses().items()}}

    @property
    def best_iteration_(self):
        """The iteration that had it, from 1: an int; of several scores an array."""
        found = []
        for k, at in enumerate(self._best().values()):
            output = np.unique(self.history_["output"])[k]
            found.append(int(self.history_["iteration"][self.history_["output"] == output][at]))
        return found[0] if len(found) == 1 else np.array(found)


__all__ = ["Measured", "PATIENCE", "held_out", "one_set", "part"]

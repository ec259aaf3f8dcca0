# SPDX-License-Identifier: BSD-3-Clause
"""The parameter missing=: how NaN in rows is handled.  The library learns fill values with the
model and stores them there; this file translates the parameter."""
from __future__ import annotations

import numpy as np

from .._data.labels import Table, column, is_text, plain, targets, weights
from .._data.matrix import rows_of
from .._data.rows import Rows, is_sparse
from .._library import Handle, copied, encoded, lib
from .._model import LABEL
from .._run import call

FILLS = ("zero", "mean", "median")
WORDS = ("error", "drop", *FILLS, *(f"{fill},indicator" for fill in FILLS), "category")
CATEGORY = "mean,indicator"             # what "category" does with numbers, as --nan category


def spec_of(missing) -> str | None:
    """As fx_plan has it; None: NaN is an error."""
    if not isinstance(missing, str) or missing not in WORDS:
        raise ValueError(f"missing={missing!r}: it is one of {', '.join(map(repr, WORDS))}")
    return None if missing == "error" else CATEGORY if missing == "category" else missing


def word_of(spec: str, reader: str | None) -> str:
    """The inverse, for load.  reader: nan= of the spec by which rows are read, or None."""
    return "category" if spec == CATEGORY and reader == "category" else spec or "error"


def has_missing(rows: Rows) -> bool:
    return bool(np.isnan(rows.array.data if is_sparse(rows.array) else rows.array).any())


def complete(rows: Rows) -> np.ndarray:
    """[rows] whether a row has no NaN."""
    A = rows.array
    if not is_sparse(A):
        return ~np.isnan(A).any(axis=1)
    there = np.ones(A.shape[0], dtype=bool)
    there[np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))[np.isnan(A.data)]] = False
    return there


def labels_at(classes: np.ndarray, position: np.ndarray) -> np.ndarray:
    """Labels at positions among the classes, NaN or None (texts) where the position is NaN."""
    left_out = np.isnan(position)
    labels = classes[np.where(left_out, 0, position).astype(np.intp)]
    if left_out.any():
        labels = labels.astype(object if is_text(classes) else np.float64)
        labels[left_out] = None if is_text(classes) else np.nan
    return labels


class Fills:
    """A learner's part: its parameter missing."""

    missing = "error"                   # of a class that has no such parameter

    @property
    def missing_(self) -> dict[str, int]:
        """What fit found: missing numbers ("values"), "columns" that have some, and "rows" that
        were left out."""
        c = self._fitted("model_").content
        return {"values": int(c.missing_values), "columns": int(c.missing_cols),
                "rows": int(c.missing_rows)}

    def _missing_plan(self) -> dict:
        """Members of fx_plan."""
        return {"missing": spec_of(self.missing)}

    def _filled(self, rows: Rows, weight: np.ndarray | None) -> tuple[Rows, np.ndarray | None]:
        """Rows and weights as the fit has them, for what is settled before it, such as
        gamma="scale"."""
        spec = spec_of(self.missing)
        if spec is None or not has_missing(rows):
            return rows, weight
        data = Handle(lib.fx_data_free)
        call("fx_data_fill", data.out, encoded(spec), Table(rows, weight=weight).table,
             what="fill", **self._how())
        table = lib.fx_data_table(data)
        return Rows(rows_of(table.block[0], "filled rows"), rows.name), \
            None if weight is None else copied(table.weight, np.float64, table.rows)

    def _counted(self, rows: Rows, weight: np.ndarray | None) -> np.ndarray:
        """[rows] whether a row has a weight and is not left out."""
        there = complete(rows) if self.missing == "drop" else np.ones(len(rows), dtype=bool)
        return there if weight is None else there & (weight > 0)

    def _say_missing(self) -> None:
        found = self.missing_
        what = f"{found['rows']} rows were left out" if self.missing == "drop" \
            else f"they are filled ({self.missing})"
        if found["values"]:
            self._say(f"X: {found['values']} numbers are missing in {found['columns']} columns; "
                      f"{what}")

    def _there(self, X, sample_weight) -> tuple:
        """Predictions of rows that are not left out; which these are; their weights."""
        found = self._predict(X, LABEL)[0][:, 0]
        there, weight = ~np.isnan(found), weights(sample_weight, len(found))
        return found[there], there, None if weight is None else weight[there]


class Accuracy:
    def score(self, X, y, sample_weight=None) -> float:
        """Accuracy on the rows that missing="drop" does not leave out."""
        if self.missing != "drop":
            return super().score(X, plain(y, "y"), plain(sample_weight, "sample_weight"))
        position, there, weight = self._there(X, sample_weight)
        right = self.classes_[position.astype(np.intp)] == column(y, len(there))[there]
        return float(np.average(right, weights=weight))


class Determination:
    def score(self, X, y, sample_weight=None) -> float:
        """Coefficient of determination on the rows that missing="drop" does not leave out."""
        if self.missing != "drop":
            return super().score(X, plain(y, "y"), plain(sample_weight, "sample_weight"))
        predicted, there, weight = self._there(X, sample_weight)
        y = targets(y, len(there))[there]
        rest = np.average((y - predicted) ** 2, weights=weight)
        spread = np.average((y - np.average(y, weights=weight)) ** 2, weights=weight)
        return float(1 - rest / spread)

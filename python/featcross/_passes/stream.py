# SPDX-License-Identifier: BSD-3-Clause
"""A learner's fit on rows that need not be in memory: files, or parts that an iterator gives.

The rows are packed once (spill.py); then the library asks for passes over them (answers.py).
"""
from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator

import numpy as np

from .._base import names_of
from .._data import labels as _labels
from .._data.arrow import ReadRows, is_arrow
from .._data.memory import limit_of
from .._data.rows import Rows, is_sparse
from .._frame import is_frame
from .._library import PASS_BLOCK, encoded, text
from .._map import Map
from .._model import Model
from .._names.spec import filled
from .._names.table import CLASSIFY, describe
from ..arrow import Arrow
from ..files import Files, Reader
from ..parts import Parts
from .answers import Answers, Asked
from .pack import Piece
from .spill import Spill


def source_of(X) -> Files | Arrow | Parts | None:
    """X, if it says where rows are; None: X is rows itself."""
    if isinstance(X, (Files, Arrow, Parts)):
        return X
    if isinstance(X, (str, os.PathLike)):
        return Files(X)
    if isinstance(X, (list, tuple)) and X and all(isinstance(x, (str, os.PathLike)) for x in X):
        return Files(*X)
    return None


class Elsewhere(Rows):
    """Rows of which only the shape is known."""

    def __init__(self, rows: int, cols: int):
        self.name, self._shape = "X", (rows, cols)

    @property
    def shape(self) -> tuple[int, int]:
        return self._shape

    def __len__(self) -> int:
        return self._shape[0]

    def __getattr__(self, name: str):
        raise ValueError("gamma='scale' needs all rows in memory; give a number, or 'auto', which "
                         "is 1 / columns")


class _CanBegin(Exception):
    """Raised by the first request of a fit."""


class _Check(Asked):
    """Answers nothing.  The library checks a plan before it asks."""

    def answer(self, request: bytes) -> bytes:
        raise _CanBegin


def _tail(piece: Piece) -> Piece:
    """A copy of the last rows of its owner, so that the others need not live on."""
    rows = piece.owner.tail(piece.rows)
    label, weight = (None if a is None else a.copy() for a in (piece.label, piece.weight))
    return piece._replace(matrices=[rows.matrix], owner=rows, label=label, weight=weight)


def _labels_of(piece: Piece) -> np.ndarray:
    """Labels of rows that have a weight, each class once."""
    label = np.asarray(piece.label)
    found = np.unique(label if piece.weight is None else label[piece.weight != 0])
    return found if piece.names is None else \
        np.array([text(piece.names[int(k)]) for k in found], dtype=str)


def _streams(spec: str, divisible: bool) -> bool:
    """False also if the library refuses the spec, as some tasks have one solver only.  divisible:
    in passes whose rows may be in several places; an update visits rows one after the other."""
    try:
        promise = describe("model", spec)
    except ValueError:
        return False
    return bool(promise.streamable and not (divisible and promise.updatable))


def _streaming(divisible: bool = False) -> list[str]:
    """Estimators whose models the library fits without all rows in memory."""
    package = sys.modules["featcross"]
    found: dict[str, None] = {}         # in order
    for kind in [getattr(package, name) for name in package.__all__]:
        for model, own in getattr(kind, "_models", {}).items():
            task = filled("model", model, {"task": kind._task})
            shown = {name: own[name] for name in ("loss", "kernel") if name in own}
            solver = describe("model", task).key.get("solver")
            ways = [{}] if _streams(task, divisible) else \
                [{"solver": word} for word in (solver.values if solver else ())]
            for given in ways:
                if _streams(filled("model", model, {"task": kind._task, **given}), divisible):
                    words = [f"{name}={value!r}" for name, value in {**shown, **given}.items()]
                    found[f"{kind.__name__}({', '.join(words)})"] = None
    return list(found)


class Streamed:
    """A Learner's part."""

    classes_: np.ndarray

    # ---- Rows -----------------------------------------------------------------------------------
    def _next_rows(self, X, first: bool, reader: Reader | None) -> tuple[Rows, Reader | None]:
        """Rows of the next of the Parts, like those of the first; the reader of Arrow tables."""
        if not first and is_arrow(X) != (reader is not None):
            raise ValueError(f"X is {'no' if reader else 'an'} Arrow table, unlike that of the "
                             "first part")
        if is_arrow(X):
            return self._arrow_rows(X, first, reader)
        if first:
            return self._rows(X, reset=True), None
        names = names_of(X)
        if hasattr(self, "feature_names_in_") != (names is not None):
            raise ValueError(f"X has {'no names' if names is None else 'names'} of columns, unlike "
                             "that of the first part")
        if hasattr(self, "encoder_") and is_frame(X) and not getattr(self, "warm_start", False):
            self._encoder(X, False)     # checks the columns
            self.encoder_.learn(X)
        return self._rows(X, reset=False), None

    def _rows_in_parts(self, X) -> Iterator[Rows]:
        """Also of files, as the program reads them for the model: in its columns."""
        source = source_of(X)
        if not isinstance(source, Files):
            yield from [X] if isinstance(X, Rows) else super()._rows_in_parts(X)
            return
        model, count = self._fitted("model_"), 0
        known, names = text(model.content.reader) or "", model.names()
        own = Files(*source.names, reader=source.reader or known.replace(",labels=yes", "") or None)
        reader = Reader(own.spec(False, self.missing), own.names[0])
        if names is not None:
            reader.name_columns(names)
        for end in own.fed(reader):
            data, table = reader.take(end)
            count += table.rows
            if table.rows:
                yield self._for_model(ReadRows(data, table, np.dtype(np.float64), None))
        self._check_shape((count, self.n_features_in_), False)

    def _labels_in(self, y, weight, n: int, seen: _labels.ClassesSeen) \
            -> tuple[np.ndarray | None, np.ndarray | None]:
        """Labels, as the task has them, and weights of n rows."""
        weight = _labels.weights(weight, n, part=True)
        if self._task != CLASSIFY:
            return _labels.targets(y, n) if self._task else None, weight
        y = _labels.column(y, n)
        seen.add(y if weight is None else y[weight != 0])
        return y, weight

    def _piece(self, rows: Rows, y, weight, seen: _labels.ClassesSeen) -> Piece:
        y, weight = self._labels_in(y, weight, len(rows), seen)
        if y is None or self._task != CLASSIFY:
            return Piece(rows.matrices, rows, y, weight=weight)
        if not _labels.is_text(y[:1]):
            return Piece(rows.matrices, rows, np.ascontiguousarray(y, np.float64), weight=weight)
        found, code = np.unique(y, return_inverse=True)
        names = [encoded(name) or b"" for name in _labels.class_names(found)]
        return Piece(rows.matrices, rows, code.astype(np.float64), names, weight)

    def _pack_parts(self, spill: Spill, source: Parts, seen: _labels.ClassesSeen) \
            -> tuple[list[str] | None, str | None]:
        """Names of columns, and the spec by which the program reads such rows."""
        sparse, reader, arrow = None, None, None
        for number, (X, y, weight) in enumerate(source):
            spill.starts.append(spill.rows)
            if getattr(X, "shape", (None,))[0] == 0:
                continue
            try:
                rows, arrow = self._next_rows(X, sparse is None, arrow)
                if sparse not in (None, rows.sparse):
                    raise ValueError(f"X is {'dense' if sparse else 'sparse'}, unlike that of the "
                                     "first part")
                if sparse is None:
                    sparse, reader = rows.sparse, self._reader(y)
                piece = self._piece(rows, y, weight, seen)
            except (ValueError, TypeError) as error:
                raise type(error)(f"part {number} (from 0): {error}") from None
            spill.add(piece)
            spill.own(_tail)
            del X, y, weight, rows, piece       # before the next part is made
        return self._column_names(), reader

    def _pack_files(self, spill: Spill, source: Files | Arrow, seen: _labels.ClassesSeen,
                    max_memory: int) -> tuple[list[str] | None, str | None]:
        columns, reader = None, ""
        for piece, columns, reader in source.batches(bool(self._task), self.missing,
                                                    max_memory):
            if not piece.rows:
                continue
            if not self._task:
                piece = piece._replace(label=None, names=None)
            elif piece.label is None:
                raise ValueError(f"{source.names[0]} has no labels")
            elif self._task == CLASSIFY:
                seen.add(_labels_of(piece))
            elif piece.names is not None:
                raise ValueError(f"y holds text, such as {text(piece.names[0])!r}, and a regressor "
                                 "needs numbers; for labels there are the classifiers")
            spill.add(piece)
        self._name_columns(spill.cols, columns, reader)
        return columns, reader

    # ---- The fit --------------------------------------------------------------------------------
    def _streamed_model(self) -> str:
        """Spec of the model for rows that are elsewhere."""
        return self._model()

    def _refuse(self, y, sample_weight, divisible: bool = False) -> None:
        """What cannot be done without all rows, before any is read.  divisible: nor without all of
        them in one place."""
        if y is not None or sample_weight is not None:
            raise ValueError("labels and weights come with the rows: y and sample_weight must be "
                             "None for files and Parts")
        if getattr(self, "early_stopping", False):
            raise ValueError("early_stopping=True holds out rows, and so needs all of them in "
                             "memory; give eval_set=")
        if self.missing == "drop":
            raise ValueError("missing='drop' needs all rows in memory; leave such rows out of the "
                             "parts, or fill them: 'zero', 'mean'")
        plan = {"model": self._streamed_model(), "scale": getattr(self, "scale", None),
                **self._missing_plan()}
        describe("model", plan["model"])        # refuses what no model has
        if not _streams(plan["model"], divisible):
            why = "visits rows one after the other, and so needs them in one place" \
                if _streams(plan["model"], False) else "needs all rows in memory"
            raise ValueError(f"{type(self).__name__} with these parameters {why}; these do not: "
                             f"{', '.join(_streaming(divisible))}")
        for name in sorted(self._open(plan["model"])):
            raise ValueError(f"{name}='auto' needs all rows in memory; give a value")
        if isinstance(getattr(self, "map", None), Map):
            plan["map"] = self.map._spec(1)
        with contextlib.suppress(_CanBegin):
            Model.fit_passes(plan, _Check())

    def _fit_passes(self, shape: tuple[int, int], reader: str | None, seen: _labels.ClassesSeen,
                    answers_for: Callable[[dict], Asked], eval_set) -> None:
        """The fit on rows elsewhere, of this shape.  answers_for: of a plan, what answers it."""
        if shape[0] < self._MIN_ROWS:
            raise ValueError(f"Found {shape[0]} sample(s) in all parts while a minimum of "
                             f"{self._MIN_ROWS} is required by {type(self).__name__}.")
        more = {"reader": reader}
        if self._task == CLASSIFY:
            more["class_weight"] = self._settle_classes(seen.classes())
        plan, init = self._settled(Elsewhere(*shape), None, more)
        with answers_for(plan) as answers:
            model = Model.fit_passes(plan, answers, init=init,
                                     evaluation=self._evaluation(eval_set), **self._how())
        self._say(f"fit: {answers.passes} passes over blocks of {PASS_BLOCK} rows")
        if hasattr(self, "choice_"):
            del self.choice_
        self._keep(model)
        self._say_missing()

    def _fit_source(self, source: Files | Arrow | Parts, y=None, sample_weight=None, eval_set=None,
                    max_memory=None) -> None:
        limit, seen = limit_of(max_memory), _labels.ClassesSeen()
        self._refuse(y, sample_weight)
        with Spill() as spill:
            names, reader = self._pack_files(spill, source, seen, limit) \
                if not isinstance(source, Parts) else self._pack_parts(spill, source, seen)
            spill.end()
            self._say(f"X: {spill.rows} rows, {spill.cols} columns, packed into a temporary file "
                      f"of {spill.bytes} bytes, which every pass reads")
            self._fit_passes((spill.rows, spill.cols), reader, seen, lambda plan: Answers(
                spill, names, features=plan.get("features") or spill.cols, max_memory=limit,
                **self._how()), eval_set)
        if not isinstance(source, Parts) and self._task == CLASSIFY:
            self.classes_ = np.asarray(self.model_.classes())   # whole numbers as integers

# SPDX-License-Identifier: BSD-3-Clause
"""Engine: a fit whose rows are in several processes, by whatever scheduler runs functions there.

The solver runs here, in the library; what it asks of all rows are tasks of the scheduler.  Parts
are cut where blocks of PASS_BLOCK rows end, so the model has the bytes of a fit on all rows in one
place, however they are divided.  part.py and packed.py have what tasks do.
"""
from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._base import all_or_nothing
from .._data.labels import ClassesSeen
from .._data.memory import limit_of
from .._library import PASS_BLOCK
from .._names.table import CLASSIFY
from . import packed as _packed, part as _part
from .answers import Asked
from .packed import Layout
from .part import Look, Part

if TYPE_CHECKING:
    from .._learners.learner import Learner

TASKS = 1                               # of a pass, for each thread of a worker
FEW = 8                                 # answers that one task merges, or this process


class Piece(NamedTuple):
    """Rows first..end - 1 of a part; whole: that is all of it."""

    part: int
    first: int
    end: int
    whole: bool


class Engine:
    """Parts of the rows, and a scheduler.  A subclass adapts one, by these methods."""

    def threads(self) -> int:
        """Of all workers."""
        raise NotImplementedError

    def each(self, function: Callable[[Part], Any]) -> list:
        """Its values for all parts, in their order, brought here."""
        raise NotImplementedError

    def hold(self, layout: Layout, groups: list[tuple[int, list[Piece]]]) -> None:
        """Keeps what pack(layout, first, parts) makes of each group in the memory of workers; makes
        it again if it is lost.  Parts are not needed afterwards."""
        raise NotImplementedError

    def ask(self, request: bytes) -> list[bytes]:
        """A few answers that merge into that of all rows.  In a thread of its own."""
        raise NotImplementedError

    def end(self) -> None:
        """Leaves no tasks, and nothing that is held.  Ends `ask`, from another thread."""
        raise NotImplementedError


def in_fews(items: list) -> Iterator[list]:
    for at in range(0, len(items), FEW):
        yield items[at:at + FEW]


def tree(answers: list, merged: Callable[[list], Any]) -> list:
    """Tasks that merge answers until a few are left.  merged: a task for a few."""
    while len(answers) > FEW:
        answers = [merged(few) for few in in_fews(answers)]
    return answers


class Passes(Asked):
    """A context: passes by an engine."""

    def __init__(self, engine: Engine, max_memory: int):
        super().__init__(max_memory)
        self.engine = engine

    def __enter__(self) -> Passes:
        self._thread = ThreadPoolExecutor(1)
        return self

    def __exit__(self, *_) -> None:
        self._thread.shutdown()

    def answer(self, request: bytes) -> bytes:
        self.passes += 1
        asked = self._thread.submit(self.engine.ask, request)
        while not wait([asked], timeout=0.1).done:      # signals are handled here meanwhile
            if self.errors:
                self.engine.end()
                return b""
        return _packed.merge(request, asked.result())


def groups(rows: list[int], count: int) -> list[tuple[int, list[Piece]]]:
    """About so many groups of blocks: number of the first row of each, and where its rows are.
    rows: of each part."""
    end = np.cumsum([0, *rows])
    blocks = -(-int(end[-1]) // PASS_BLOCK)
    bounds = [blocks * k // min(count, blocks) * PASS_BLOCK for k in range(min(count, blocks))]
    found = []
    for first, last in zip(bounds, [*bounds[1:], int(end[-1])]):
        pieces = []
        for part in range(int(np.searchsorted(end, first, "right")) - 1,
                          int(np.searchsorted(end, last))):
            a, b = max(first - int(end[part]), 0), min(last - int(end[part]), rows[part])
            if a < b:
                pieces.append(Piece(part, a, b, b - a == rows[part]))
        found.append((first, pieces))
    return found


# ---- What is known of all parts -----------------------------------------------------------------
def _alike(estimator: Learner, looks: list[Look]) -> ClassesSeen:
    """Sets what fit learns of columns; the labels."""
    first, seen = looks[0], ClassesSeen()
    estimator.n_features_in_ = first.cols
    for name, value in (("feature_names_in_", first.names), ("encoder_", first.encoder)):
        if value is not None:
            setattr(estimator, name, value)
        elif hasattr(estimator, name):
            delattr(estimator, name)
    for look in looks:
        with _part.located(look.number):
            _part.must_be(look.machine)
            _like(estimator, look, first)
            seen.join(look.labels)
    return seen


def _like(estimator: Learner, look: Look, first: Look) -> None:
    """Checks a part; its categories become those of the estimator."""
    if look.sparse != first.sparse:
        raise ValueError(f"rows are {'sparse' if look.sparse else 'dense'}, unlike those of the "
                         "first part")
    if look.file is not None:
        return
    estimator._check_shape((look.rows, look.cols), False)
    if (look.names is None) != (first.names is None):
        raise ValueError(f"X has {'no names' if look.names is None else 'names'} of columns, "
                         "unlike that of the first part")
    if (look.encoder is None) != (first.encoder is None):
        raise ValueError("X has no categories, unlike that of the first part")
    if look.encoder is None:
        estimator._same_names(look.names)
    elif look is not first:
        estimator.encoder_.join(look.encoder)


def _files_alike(estimator: Learner, looks: list[Look]) -> tuple[list[str] | None, int, str]:
    """The columns of all files: names, number of the first one, and spec of the reader."""
    base = min(look.file[1] for look in looks if look.file)
    files = [look.file for look in looks if look.file]
    names: dict[str, None] = {}
    for own, _, _ in files:
        names.update(dict.fromkeys(own or ()))
    reader = next(reader for _, own, reader in reversed(files) if own == base)
    cols = len(names) or max(look.cols + look.file[1] - base for look in looks if look.file)
    estimator._name_columns(cols, list(names) or None, reader)
    return list(names) or None, base, reader


# ---- The fit ------------------------------------------------------------------------------------
@all_or_nothing
def fit(estimator: Any, engine: Engine, eval_set=None, max_memory=None) -> Any:
    """Fits an estimator to the rows of an engine."""
    limit = limit_of(max_memory)
    estimator._refuse(None, None, divisible=True)
    try:
        _fit(estimator, engine, eval_set, limit)
    finally:
        engine.end()
    return estimator


def _bare(estimator: Learner) -> Learner:
    """One for workers: not fitted, but that a continued fit keeps its columns."""
    parameters = {**estimator.get_params(deep=False), "verbose": 0, "n_jobs": 1}
    bare = type(estimator)(**parameters)
    if getattr(estimator, "warm_start", False) and hasattr(estimator, "encoder_"):
        bare.encoder_ = estimator.encoder_
    return bare


def _fit(estimator: Learner, engine: Engine, eval_set, limit: int) -> None:
    bare = _bare(estimator)
    looks = engine.each(functools.partial(_part.look, bare))
    rows = [look.rows for look in looks]
    there = [look for look in looks if look.rows]
    if not there:
        raise ValueError(f"Found 0 sample(s) in all {len(looks)} parts while a minimum of "
                         f"{estimator._MIN_ROWS} is required by {type(estimator).__name__}.")
    seen, of_files = _alike(bare, there), there[0].file is not None
    names, base, reader = _files_alike(bare, there) if of_files else \
        (bare._column_names(), 0, there[0].reader)
    for name in ("n_features_in_", "feature_names_in_", "encoder_"):
        if hasattr(bare, name):
            setattr(estimator, name, getattr(bare, name))
        elif hasattr(estimator, name):
            delattr(estimator, name)
    starts = np.cumsum([0, *rows])[:-1].tolist()
    tasks = groups(rows, TASKS * max(1, engine.threads()))
    engine.hold(Layout(bare, starts, names, base, _part.machine()), tasks)
    shape = sum(rows), bare.n_features_in_ if names is None else len(names)
    estimator._say(f"X: {shape[0]} rows, {shape[1]} columns in {len(rows)} parts, packed for "
                   f"{len(tasks)} tasks a pass")
    estimator._fit_passes(shape, reader, seen, lambda plan: Passes(engine, limit), eval_set)
    if of_files and estimator._task == CLASSIFY:
        estimator.classes_ = np.asarray(estimator.model_.classes())     # as of files here

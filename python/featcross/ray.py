# SPDX-License-Identifier: BSD-3-Clause
"""Fits whose rows are in the processes of Ray.

    model = featcross.ray.fit(LinearClassifier(loss="logistic"), dataset, label="price")

The model has the same bytes as that of fit on all rows, for any workers and blocks, and if workers
are lost.  Predictions need nothing of this: dataset.map_batches, see doc/scale.md.
"""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ._passes import engine as _engine, packed as _packed, part as _part
from ._passes.engine import Engine, Piece
from ._passes.packed import Layout
from ._passes.part import Part

try:
    import ray
except ImportError as error:
    raise ImportError(f"featcross.ray needs Ray: pip install featcross[ray] ({error})") from None

__all__ = ["fit"]
RETRIES = 3                             # of a task whose worker died


@functools.cache
def _remote(function: Callable):
    return ray.remote(max_retries=RETRIES)(function)


def _task(function: Callable, *arguments):
    return _remote(function).remote(*arguments)


def _apply(function: Callable[[Part], Any], part: Part):
    return function(part)


def _of_tuple(number: int, part: tuple) -> Part:
    return Part(number, *part)


def _pack(layout: Layout, first: int, *parts: Part) -> _packed.Packed:
    return _packed.pack(layout, first, list(parts))


def _merged(request: bytes, *answers: bytes) -> bytes:
    return _packed.merge(request, list(answers))


class Ray(Engine):
    """parts: a reference to a Part each."""

    def __init__(self, parts: list):
        self.parts = parts
        self.held: list = []
        self._running: list = []

    def _values(self, tasks: list) -> list:
        self._running = tasks
        try:
            return ray.get(tasks)
        except ray.exceptions.RayTaskError as error:
            raise getattr(error, "cause", error) from None

    def threads(self) -> int:
        return int(ray.cluster_resources().get("CPU", 1))

    def each(self, function: Callable[[Part], Any]) -> list:
        return self._values([_task(_apply, function, part) for part in self.parts])

    def hold(self, layout: Layout, groups: list[tuple[int, list[Piece]]]) -> None:
        shared = ray.put(layout)
        self.held = [_task(_pack, shared, first, *[
            self.parts[p.part] if p.whole else _task(Part.cut, self.parts[p.part], p.first, p.end)
            for p in pieces]) for first, pieces in groups]
        self.parts = []

    def ask(self, request: bytes) -> list[bytes]:
        shared = ray.put(request)
        answers = [_task(_packed.answer, shared, packed) for packed in self.held]
        return self._values(_engine.tree(answers, lambda few: _task(_merged, shared, *few)))

    def end(self) -> None:
        for task in self._running:
            ray.cancel(task, force=False)
        self.parts, self.held, self._running = [], [], []


def fit(estimator, rows: Any, *, label: str | None = None, weight: str | None = None, eval_set=None,
        max_memory=None):
    """Fits an estimator of the package to rows that Ray holds.

    Parameters
    ----------
    estimator : LinearClassifier(loss="logistic"), .. : whose model needs not all rows in memory
    rows : a ray.data.Dataset, or references to parts (X, y), (X, y, weight) or, for learners
        without labels, (X,)
    label, weight : of a Dataset: the columns of labels and of weights; all others are features
    eval_set, max_memory : as in fit of the estimator

    Returns
    -------
    The estimator.
    """
    if hasattr(rows, "to_pandas_refs"):
        parts = [_task(_part.of_frame, number, frame, label, weight)
                 for number, frame in enumerate(rows.to_pandas_refs())]
    else:
        parts = [_task(_of_tuple, number, part) for number, part in enumerate(rows)]
    return _engine.fit(estimator, Ray(parts), eval_set, max_memory)

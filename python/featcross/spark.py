# SPDX-License-Identifier: BSD-3-Clause
"""Fits whose rows are in the executors of Spark.

    model = featcross.spark.fit(LinearClassifier(loss="logistic"), frame, label="price")

The model has the same bytes as that of fit on all rows, for any executors and partitions, and if
executors are lost.  Predictions need nothing of this: frame.mapInPandas, see doc/scale.md.
"""
from __future__ import annotations

import functools
import pickle
import secrets
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ._passes import engine as _engine, packed as _packed, part as _part
from ._passes.engine import FEW, Engine, Piece
from ._passes.packed import Layout
from ._passes.part import Part

try:
    import pyarrow
    from pyspark import StorageLevel, TaskContext
except ImportError as error:
    raise ImportError("featcross.spark needs PySpark and pyarrow: pip install featcross[spark] "
                      f"({error})") from None

__all__ = ["fit"]


def _tried(function: Callable, *arguments):
    """An exception is a value like others, which the driver raises; Spark would try again."""
    failed = next((one for one in arguments if isinstance(one, Exception)), None)
    try:
        return failed or function(*arguments)
    except Exception as error:
        return error


def _raised(values: list) -> list:
    for value in values:
        if isinstance(value, Exception):
            raise value
    return values


def _bytes_of(label: str | None, weight: str | None, batches: Iterator) -> Iterator:
    """A partition as one row: its number, and a Part."""
    number, rows = TaskContext.get().partitionId(), list(batches)   # type: ignore[union-attr]
    part = _tried(_part.of_frame, number, pyarrow.Table.from_batches(rows).to_pandas(), label,
                  weight) if rows else Part(number, np.empty((0, 0)))
    yield pyarrow.RecordBatch.from_pydict({"number": [number], "part": [pickle.dumps(part)]})


def _cut(pieces: dict[int, list[tuple[int, Piece]]], number: int, part) -> list:
    """What each group gets of a part."""
    return [(group, _tried(Part.cut, part, p.first, p.end)) for group, p in pieces.get(number, ())]


def _pack(layout: Layout, first: list[int], group: int, parts: list):
    failed = [part for part in parts if isinstance(part, Exception)]
    if failed:
        return failed[0]
    parts.sort(key=lambda part: (part.number, part.first))
    return _tried(_packed.pack, layout, first[group], parts)


class Spark(Engine):
    def __init__(self, frame, label: str | None, weight: str | None):
        self.context, self.group = frame.sparkSession.sparkContext, secrets.token_hex(8)
        self.parts = frame.mapInArrow(functools.partial(_bytes_of, label, weight),
                                      "number long, part binary").rdd.map(
            lambda row: (row.number, pickle.loads(row.part))).persist(StorageLevel.MEMORY_AND_DISK)
        self.held: Any = None
        self.numbers: list[int] = []

    def _collected(self, values) -> list:
        self.context.setJobGroup(self.group, "featcross", interruptOnCancel=True)
        return values.collect()

    def threads(self) -> int:
        return self.context.defaultParallelism

    def each(self, function: Callable[[Part], Any]) -> list:
        found = sorted(self._collected(self.parts.mapValues(functools.partial(_tried, function))),
                       key=lambda value: value[0])
        self.numbers = [number for number, _ in found]
        return _raised([value for _, value in found])

    def hold(self, layout: Layout, groups: list[tuple[int, list[Piece]]]) -> None:
        pieces: dict[int, list[tuple[int, Piece]]] = {}
        for group, (_, its) in enumerate(groups):
            for piece in its:
                pieces.setdefault(self.numbers[piece.part], []).append((group, piece))
        first = [row for row, _ in groups]
        cut = self.parts.flatMap(lambda part: _cut(pieces, *part))
        self.held = cut.groupByKey(len(groups), lambda group: group).map(
            lambda given: _pack(layout, first, given[0], list(given[1]))).persist(
            StorageLevel.MEMORY_AND_DISK)

    def ask(self, request: bytes) -> list[bytes]:
        answers = self.held.map(functools.partial(_tried, _packed.answer, request))
        few, count = functools.partial(_tried, _merged, request), answers.getNumPartitions()
        while count > FEW:
            count = -(-count // FEW)
            answers = answers.coalesce(count).mapPartitions(lambda some: [few(list(some))])
        return _raised(self._collected(answers))

    def end(self) -> None:
        self.context.cancelJobGroup(self.group)
        for rows in (self.parts, self.held):
            if rows is not None:
                rows.unpersist()


def _merged(request: bytes, answers: list) -> bytes:
    return _packed.merge(request, _raised(answers))


def fit(estimator, frame: Any, *, label: str | None = None, weight: str | None = None,
        eval_set=None, max_memory=None):
    """Fits an estimator of the package to a DataFrame of Spark.

    Parameters
    ----------
    estimator : LinearClassifier(loss="logistic"), .. : whose model needs not all rows in memory
    frame : of a session that has a Spark context; a partition takes less than 2 GB
    label, weight : the columns of labels and of weights; all others are features
    eval_set, max_memory : as in fit of the estimator

    Returns
    -------
    The estimator.
    """
    return _engine.fit(estimator, Spark(frame, label, weight), eval_set, max_memory)

# SPDX-License-Identifier: BSD-3-Clause
"""Packed: rows in the memory of one of several processes, and what a pass does with them.

    pack      consecutive rows of parts as blocks
    answer    to a request of the library, of packed rows
    merge     answers into one
"""
from __future__ import annotations

import ctypes
import functools
import os
import threading
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._data.labels import ClassesSeen
from .._data.rows import Rows, address, is_sparse
from .._library import PASS_BLOCK, Handle, check, fx_run, fx_table, lib, strings
from .._run import written
from .pack import Packer
from .part import Part, located, moved, must_be

if TYPE_CHECKING:
    from .._learners.learner import Learner


class Layout(NamedTuple):
    """What packing needs to know of all parts.

    Attributes
    ----------
    estimator : with its parameters, and what fit learns of columns
    starts : number of the first row of each part
    columns : names of all columns
    base : of files: number of the first column
    machine : where the fit began
    """

    estimator: Learner
    starts: list[int]
    columns: list[str] | None
    base: int
    machine: tuple[int, str]

    def rows(self, part: Part) -> Rows:
        if part.file is None:
            return self.estimator._rows(part.X, reset=False)
        X, own = moved(part.X, part.file[1] - self.base), part.file[0]
        if own is None or own == self.columns or not is_sparse(X):
            return Rows(X)
        place = {name: j for j, name in enumerate(self.columns or ())}
        at = np.array([place[name] for name in own])
        X = type(X)((X.data, at[X.indices], X.indptr), shape=(X.shape[0], len(place)))
        X.sort_indices()
        return Rows(X)


class Packed(Packer):
    """Consecutive blocks; pickled, they are their bytes.

    Attributes
    ----------
    layout : of all
    blocks : bytes of each, as arrays
    """

    def __init__(self, layout: Layout, first: int, blocks: list[np.ndarray] | None = None):
        super().__init__(first, layout.starts)
        self.base = layout.base
        self.layout, self.blocks = layout, blocks or []
        self._lock = threading.Lock()
        self._tables: list[tuple[Handle, fx_table]] = []

    def __reduce__(self):
        return Packed, (self.layout, self.first, self.blocks)

    def __sizeof__(self) -> int:        # for the memory manager of a scheduler
        return sum(data.nbytes for data in self.blocks)

    def _keep(self, data: bytes) -> None:
        self.blocks.append(np.frombuffer(data, np.uint8))

    @functools.cached_property
    def _names(self):
        columns = self.layout.columns
        return None if columns is None else strings(columns)

    def tables(self) -> list[tuple[Handle, fx_table]]:
        """Each block, unpacked once."""
        with self._lock:
            for data in self.blocks[len(self._tables):]:
                block = Handle(lib.fx_data_free)
                check(lib.fx_data_unpack(block.out, ctypes.c_char_p(address(data)), data.nbytes,
                                         None))
                table = lib.fx_data_table(block)
                if self._names is not None:
                    table.name = self._names
                self._tables.append((block, table))
        return self._tables


def pack(layout: Layout, first: int, parts: list[Part]) -> Packed:
    """Of consecutive rows, the first of which has this number."""
    must_be(layout.machine)
    packed, alive = Packed(layout, first), []
    for part in parts:
        with located(part.number, part.first):
            rows = layout.rows(part)
            piece = layout.estimator._piece(rows, part.y, part.weight, ClassesSeen())
        alive.append(rows)
        packed.add(piece._replace(base=layout.base))
    packed.end()
    return packed


# ---- Passes -------------------------------------------------------------------------------------
_idle: list[Handle] = []                # passes that serve the next request


def _pass(request: bytes) -> Handle:
    try:
        worker = _idle.pop()
    except IndexError:
        worker = Handle(lib.fx_model_pass_free)
        check(lib.fx_model_pass_new(worker.out, fx_run(threads=1)))
    check(lib.fx_model_pass_begin(worker, request, len(request)))
    return worker


def _end(worker: Handle) -> bytes:
    errors: list = []
    status, answer = written(lib.fx_model_pass_end, errors, worker)
    if errors:
        raise errors[0]
    check(status)
    _idle.append(worker)
    return answer


def answer(request: bytes, packed: Packed) -> bytes:
    """What these rows add to the answer."""
    must_be(packed.layout.machine)
    worker = _pass(request)
    if not lib.fx_model_pass_divisible(worker):
        raise ValueError("these rows are so sparse, and have so many columns, that a pass must "
                         "visit them one after the other: fit them in one process, from files or "
                         "Parts, or with fewer columns")
    for k, (_, table) in enumerate(packed.tables()):
        first = packed.first + k * PASS_BLOCK
        with packed.places(first):
            check(lib.fx_model_pass_add(worker, table, first))
    return _end(worker)


def merge(request: bytes, answers: list[bytes]) -> bytes:
    """One answer of several; in any order and grouping the same."""
    if len(answers) == 1:
        return answers[0]
    worker = _pass(request)
    for one in answers:
        check(lib.fx_model_pass_merge(worker, one, len(one)))
    return _end(worker)


os.register_at_fork(after_in_child=_idle.clear)     # a pass serves one process

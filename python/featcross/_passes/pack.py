# SPDX-License-Identifier: BSD-3-Clause
"""Packer: rows that come piece by piece become packed blocks, which every pass of a fit reads.

Blocks have PASS_BLOCK rows, counted from the first row of the source, wherever its parts end.
"""
from __future__ import annotations

import bisect
import contextlib
import ctypes
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from .._data.rows import ROW, part_of
from .._library import PASS_BLOCK, check, fx_matrix, fx_run, fx_table, lib
from .._run import DeferredErrors, written


class Piece(NamedTuple):
    """Some rows of a source, one after the other.

    Attributes
    ----------
    matrices : the rows
    label : numbers, or positions in names
    names : classes that are texts
    weight, qid : of the rows
    base : of the number of the first column in a file
    owner : keeps alive what the matrices point to
    """

    matrices: list[fx_matrix]
    owner: Any
    label: np.ndarray | None = None
    names: list[bytes] | None = None
    weight: np.ndarray | None = None
    qid: np.ndarray | None = None
    base: int = 0

    @property
    def rows(self) -> int:
        return sum(m.rows for m in self.matrices)

    def part(self, first: int, end: int) -> Piece:
        """Rows first..end - 1."""
        matrices, at = [], 0
        for m in self.matrices:
            low, high = max(first - at, 0), min(end - at, m.rows)
            if low < high:
                matrices.append(part_of(m, low, high - low))
            at += m.rows
        label, weight, qid = (None if a is None else a[first:end]
                              for a in (self.label, self.weight, self.qid))
        return self._replace(matrices=matrices, label=label, weight=weight, qid=qid)


def _of_all(pieces: list[Piece], member: str) -> np.ndarray | None:
    """An array of all rows; weights of pieces that have none are 1."""
    given = [getattr(piece, member) for piece in pieces]
    if all(array is None for array in given):
        return None
    whole = [np.ones(piece.rows) if array is None else array
             for piece, array in zip(pieces, given)]
    return np.ascontiguousarray(np.concatenate(whole))


def _classes(pieces: list[Piece]) -> tuple[list[bytes], np.ndarray]:
    """Classes that occur in these rows, sorted, and the place of each label among them."""
    label = [np.asarray(piece.label).astype(np.intp) for piece in pieces]
    found = [{(piece.names or [])[k] for k in np.unique(own)} for piece, own in zip(pieces, label)]
    names = sorted(set().union(*found))
    place = {name: float(at) for at, name in enumerate(names)}
    places = [np.array([place.get(name, 0.0) for name in piece.names or []]) for piece in pieces]
    return names, np.concatenate([at[own] for at, own in zip(places, label)])


def _numbers(at: int, kind, n: int) -> np.ndarray:
    """Those at an address, to be changed there."""
    return np.frombuffer((kind * n).from_address(at), kind)


def _ends(m: fx_matrix) -> tuple[int, int]:
    """Numbers of the first entry of sparse rows, and of that after their last."""
    ptr = _numbers(m.ptr, ctypes.c_int64, m.rows + 1)
    return int(ptr[0]), int(ptr[-1])


def _bytes(m: fx_matrix) -> int:
    start, end = _ends(m)
    return (end - start) * (12 if m.wide else 8)


def shift(m: fx_matrix) -> None:
    """Columns of a file that were taken to count from 1, when they count from 0."""
    start, end = _ends(m)
    kind = ctypes.c_int64 if m.wide else ctypes.c_int32
    if end > start:
        _numbers(m.col + start * ctypes.sizeof(kind), kind, end - start)[:] += 1
    m.cols += 1


class Packer:
    """A subclass keeps the blocks, in `_keep`.

    Attributes
    ----------
    first : number of the first row that is added
    rows, cols : of all that was added
    base : number of the first column in files
    sparse : bytes of columns and floats of the last block, if its rows are sparse
    starts : number of the first row of each of the caller's parts, if there are some
    """

    def __init__(self, first: int = 0, starts: list[int] | None = None) -> None:
        self.first, self.rows, self.cols, self.base = first, 0, 0, 0
        self.sparse = 0
        self.starts = [] if starts is None else starts
        self._waiting: list[Piece] = []
        self._count = 0                 # rows that wait

    def _keep(self, data: bytes) -> None:
        """The next block."""
        raise NotImplementedError

    def add(self, piece: Piece) -> None:
        """Packs all blocks that are complete; what is left of the piece waits for more rows."""
        if self.base > piece.base:
            for m in (m for waiting in self._waiting for m in waiting.matrices):
                shift(m)
        self.base = piece.base
        self.cols = max([self.cols, *(m.cols for m in piece.matrices)])
        first, rows = 0, piece.rows
        while rows - first:
            end = min(rows, first + PASS_BLOCK - self._count)
            self._waiting.append(piece.part(first, end))
            self._count += end - first
            self.rows += end - first
            first = end
            if self._count == PASS_BLOCK:
                self._pack()

    def own(self, copy: Callable[[Piece], Piece]) -> None:
        """Replaces the last rows that wait by a copy, so that a large part need not live on."""
        if self._waiting:
            self._waiting[-1] = copy(self._waiting[-1])

    def end(self) -> None:
        if self._waiting:
            self._pack()

    def _table(self, pieces: list[Piece]) -> tuple[fx_table, Any]:
        matrices = [m for piece in pieces for m in piece.matrices]
        for m in matrices:
            m.cols = self.cols
        texts = pieces[0].names is not None
        names, label = _classes(pieces) if texts else ([], _of_all(pieces, "label"))
        weight, qid = _of_all(pieces, "weight"), _of_all(pieces, "qid")
        blocks = (fx_matrix * len(matrices))(*matrices)
        table = fx_table(rows=self._count, cols=self.cols, blocks=len(matrices), block=blocks,
                         base=self.base)
        if texts:
            table.classes, table.class_name = len(names), (ctypes.c_char_p * len(names))(*names)
        for member, array in (("label", label), ("weight", weight), ("qid", qid)):
            if array is not None:
                setattr(table, member, array.ctypes.data)
        return table, (blocks, label, weight, qid)

    def _pack(self) -> None:
        table, alive = self._table(self._waiting)
        with DeferredErrors() as errors:
            status, data = written(lib.fx_data_pack, errors, table, fx_run(threads=1))
        del alive
        with self.places(self.first + self.rows - self._count):
            check(status)
        self.sparse = sum(_bytes(m) for piece in self._waiting for m in piece.matrices if m.ptr)
        self._keep(data)
        self._waiting.clear()
        self._count = 0

    @contextlib.contextmanager
    def places(self, first: int) -> Iterator[None]:
        """For use around a call with a block whose first row has this number: an error then tells
        the row of the source."""
        def place(found: re.Match) -> str:
            row = first + int(found[1])
            part = bisect.bisect_right(self.starts, row) - 1
            return f"row {row}" if part < 0 else f"part {part}, row {row - self.starts[part]}"

        try:
            yield
        except (ValueError, FloatingPointError) as error:
            raise type(error)(ROW.sub(place, str(error), count=1)) from None

# SPDX-License-Identifier: BSD-3-Clause
"""Spill: rows of a source, packed into a temporary file that every pass of a fit reads.

The file has no name, so nothing is left of it, however the process ends.  It holds blocks of
PASS_BLOCK rows, counted from the first row of the source, wherever its parts end.
"""
from __future__ import annotations

import bisect
import contextlib
import ctypes
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ._library import PASS_BLOCK, Handle, check, fx_matrix, fx_run, fx_table, lib
from ._rows import ROW, part_of
from ._run import DeferredErrors, written

READ = 2**30                            # bytes that the system is asked for at a time


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


class Block(Handle):
    """Rows that are unpacked where they lie."""

    def __init__(self, data: bytearray, size: int):
        super().__init__(lib.fx_data_free)
        self.data = (ctypes.c_char * size).from_buffer(data)
        check(lib.fx_data_unpack(self.out, self.data, size, None))


def _numbers(at: int, kind, n: int) -> np.ndarray:
    """Those at an address, to be changed there."""
    return np.frombuffer((kind * n).from_address(at), kind)


def _shift(m: fx_matrix) -> None:
    """Columns of a file that were taken to count from 1, when they count from 0."""
    start, *_, end = _numbers(m.ptr, ctypes.c_int64, m.rows + 1)
    kind = ctypes.c_int64 if m.wide else ctypes.c_int32
    if end > start:
        _numbers(m.col + int(start) * ctypes.sizeof(kind), kind, int(end - start))[:] += 1
    m.cols += 1


class Spill:
    """A context.

    Attributes
    ----------
    rows, cols : of all that was added
    bytes : of the file
    largest : bytes of the largest block
    blocks : first byte, and bytes, of each
    base : number of the first column in files
    starts : number of the first row of each of the caller's parts, if there are some
    """

    def __init__(self) -> None:
        self.rows = self.cols = self.bytes = self.largest = 0
        self.blocks: list[tuple[int, int]] = []
        self.starts: list[int] = []
        self.base = self._late = 0      # blocks before this one were packed with another base
        self._file = tempfile.TemporaryFile(prefix="featcross-", buffering=0)
        self._waiting: list[Piece] = []
        self._count = 0                 # rows that wait

    def __enter__(self) -> Spill:
        return self

    def __exit__(self, *_) -> None:
        self._waiting.clear()
        self._file.close()

    def add(self, piece: Piece) -> None:
        """Packs all blocks that are complete; what is left of the piece waits for more rows."""
        if self.base > piece.base:
            self._late = len(self.blocks)
            for m in (m for waiting in self._waiting for m in waiting.matrices):
                _shift(m)
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
        with self.places(self.rows - self._count):
            check(status)
        self.blocks.append((self.bytes, len(data)))
        left = memoryview(data)
        while left:
            left = left[self._file.write(left):]
        self.bytes += len(data)
        self.largest = max(self.largest, len(data))
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

    def read(self, k: int, data: bytearray | None = None) -> tuple[fx_table, Block]:
        """Block k, from any thread; the table lives as long as the other. data: memory for the
        largest block, perhaps used before; to get it anew takes longer than to read it."""
        at, size = self.blocks[k]
        data = data or bytearray(size)
        left = memoryview(data)[:size]
        while left:
            n = os.preadv(self._file.fileno(), [left[:READ]], at)
            if not n:
                raise OSError("the temporary file of rows has lost its end")
            left, at = left[n:], at + n
        block = Block(data, size)
        table = lib.fx_data_table(block)
        if k < self._late:
            _shift(table.block[0])
            table.cols, table.base = table.block[0].cols, self.base
        return table, block

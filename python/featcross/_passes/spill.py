# SPDX-License-Identifier: BSD-3-Clause
"""Spill: packed blocks of rows in a temporary file.

The file has no name, so nothing is left of it, however the process ends.
"""
from __future__ import annotations

import ctypes
import os
import tempfile

from .._library import Handle, check, fx_table, lib
from .pack import Packer, Piece, shift

READ = 2**30                            # bytes that the system is asked for at a time


class Block(Handle):
    """Rows that are unpacked where they lie."""

    def __init__(self, data: bytearray, size: int):
        super().__init__(lib.fx_data_free)
        self.data = (ctypes.c_char * size).from_buffer(data)
        check(lib.fx_data_unpack(self.out, self.data, size, None))


class Spill(Packer):
    """A context.

    Attributes
    ----------
    bytes : of the file
    largest : bytes of the largest block
    unpacked : the same in memory, where ones are numbers of 4 bytes
    blocks : first byte, and bytes, of each
    """

    def __init__(self) -> None:
        super().__init__()
        self.bytes = self.largest = self.unpacked = 0
        self.blocks: list[tuple[int, int]] = []
        self._late = 0                  # blocks before this one were packed with another base
        self._file = tempfile.TemporaryFile(prefix="featcross-", buffering=0)

    def __enter__(self) -> Spill:
        return self

    def __exit__(self, *_) -> None:
        self._waiting.clear()
        self._file.close()

    def add(self, piece: Piece) -> None:
        if self.base > piece.base:
            self._late = len(self.blocks)
        super().add(piece)

    def _keep(self, data: bytes) -> None:
        self.blocks.append((self.bytes, len(data)))
        left = memoryview(data)
        while left:
            left = left[self._file.write(left):]
        self.bytes += len(data)
        self.largest = max(self.largest, len(data))
        self.unpacked = max(self.unpacked, len(data), self.sparse)

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
            shift(table.block[0])
            table.cols, table.base = table.block[0].cols, self.base
        return table, block

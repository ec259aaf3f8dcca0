# SPDX-License-Identifier: BSD-3-Clause
"""Tables of polars, pyarrow, DuckDB and others, by Arrow's C stream interface: no package is needed
for it.  The library reads batches as the rows of a CSV file with the same columns.

DataFrames of pandas have the interface only where pyarrow is installed, so they are always read by
_frame.py, by the same rule.
"""
from __future__ import annotations

import ctypes
import functools
import os
from collections.abc import Iterator
from ctypes import POINTER, c_char_p, c_int, c_int64, c_void_p
from typing import Any

import numpy as np

from .._library import Handle, fx_matrix
from ..files import Reader
from .matrix import rows_of
from .rows import Rows, is_sparse, part_of

BATCH = 1 << 20                         # fields that are read at a time, where rows are streamed


def is_arrow(X) -> bool:
    """A table that gives Arrow's batches, except those of pandas."""
    return hasattr(X, "__arrow_c_stream__") and not hasattr(X, "iloc")


# ---- Arrow's structs ----------------------------------------------------------------------------
class ArrowSchema(ctypes.Structure):
    pass


ArrowSchema._fields_ = [("format", c_char_p), ("name", c_char_p), ("metadata", c_void_p),
                        ("flags", c_int64), ("n_children", c_int64),
                        ("children", POINTER(POINTER(ArrowSchema))),
                        ("dictionary", c_void_p), ("release", c_void_p), ("private", c_void_p)]


class ArrowArray(ctypes.Structure):
    _fields_ = [("length", c_int64), ("null_count", c_int64), ("offset", c_int64),
                ("n_buffers", c_int64), ("n_children", c_int64), ("buffers", c_void_p),
                ("children", c_void_p), ("dictionary", c_void_p), ("release", c_void_p),
                ("private", c_void_p)]


class ArrowArrayStream(ctypes.Structure):
    _fields_ = [("get_schema", c_void_p), ("get_next", c_void_p), ("get_last_error", c_void_p),
                ("release", c_void_p), ("private", c_void_p)]


GET = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p)
ERROR = ctypes.CFUNCTYPE(c_char_p, c_void_p)
RELEASE = ctypes.CFUNCTYPE(None, c_void_p)


@functools.cache
def _pointer_of():
    function = ctypes.pythonapi.PyCapsule_GetPointer
    function.restype, function.argtypes = c_void_p, [ctypes.py_object, c_char_p]
    return function


class _Owned:
    """A schema or an array, released with its last reference."""

    def __init__(self, kind):
        self.struct = kind()
        self.at = ctypes.addressof(self.struct)

    def __del__(self):
        if self.struct.release:
            RELEASE(self.struct.release)(self.at)


class Stream:
    """What X.__arrow_c_stream__ gives: a schema, then batches, once.

    Attributes
    ----------
    schema : of the table
    """

    def __init__(self, X):
        self._capsule = X.__arrow_c_stream__()      # releases the stream when it is freed
        self._at = _pointer_of()(self._capsule, b"arrow_array_stream")
        self._stream = ArrowArrayStream.from_address(self._at)
        if not (self._stream.release and self._stream.get_schema and self._stream.get_next):
            raise ValueError("X: the Arrow stream is released: it can be read only once")
        self.schema = _Owned(ArrowSchema)
        self._get("get_schema", self.schema)

    def _get(self, what: str, out: _Owned) -> None:
        status = GET(getattr(self._stream, what))(self._at, out.at)
        if status:
            last = self._stream.get_last_error
            why = ERROR(last)(self._at) if last else None
            raise ValueError("X: the Arrow stream failed: "
                             f"{why.decode(errors='replace') if why else os.strerror(status)}")

    def reader(self, spec: str, names: list[str] | None = None, more: bool = False) -> Reader:
        """That reads these rows; names: of the columns that it makes, where they are known; more:
        of the first ones, after which those of new categories come."""
        reader = Reader(spec, "X")
        if names is not None:
            reader.name_columns(names, more)
        reader.arrow(self.schema.at, None)
        return reader

    @property
    def _columns(self) -> list[ArrowSchema]:
        s = self.schema.struct
        return [s.children[j].contents for j in range(s.n_children)]

    @property
    def columns(self) -> list[str]:
        """Their names, once a reader has found the schema good."""
        return [(c.name or b"").decode("utf-8", "surrogateescape") or f"c{j + 1}"
                for j, c in enumerate(self._columns)]

    def is_text(self, j: int) -> bool:
        column = self._columns[j]
        return bool(column.dictionary) or column.format in (b"u", b"U", b"vu")

    @property
    def dtype(self) -> np.dtype:
        """float32 if all numbers are."""
        numbers = {c.format for j, c in enumerate(self._columns) if not self.is_text(j)}
        return np.dtype(np.float32 if numbers == {b"f"} else np.float64)

    def batches(self) -> Iterator[_Owned]:
        while True:
            array = _Owned(ArrowArray)
            self._get("get_next", array)
            if not array.struct.release:
                return
            yield array

    def parts(self, fields: int = BATCH) -> Iterator[ArrowArray]:
        """The batches in parts of not much more than so many fields, without copies."""
        rows = max(1, fields // max(1, self.schema.struct.n_children))
        for batch in self.batches():
            for first in range(0, max(1, batch.struct.length), rows):   # 0 or less: the reader's
                part = ArrowArray.from_buffer_copy(batch.struct)
                part.offset += first
                part.length = min(rows, batch.struct.length - first)
                part.null_count = -1
                yield part


# ---- Rows ---------------------------------------------------------------------------------------
class ReadRows(Rows):
    """Rows that a reader has read, in several matrices, which are joined where one is needed."""

    def __init__(self, data: Handle, table, dtype: np.dtype, note: str | None):
        self.name, self.dtype, self._data = "X", dtype, data
        self._shape = (table.rows, table.cols)
        self.matrices = [fx_matrix.from_buffer_copy(m)
                         for m in table.block[:table.blocks] if m.rows]
        self.notes = [note] if note else []

    @property
    def shape(self) -> tuple[int, int]:
        return self._shape

    @property
    def stored(self) -> int:            # type: ignore[override]
        return sum(ctypes.cast(m.ptr, POINTER(c_int64))[m.rows] if m.ptr else m.rows * m.cols
                   for m in self.matrices)

    def __len__(self) -> int:
        return self._shape[0]

    @functools.cached_property
    def _joined(self) -> Rows:
        return _copy(self.matrices, self.dtype, self._shape)

    @property
    def matrix(self) -> fx_matrix:
        return self._joined.matrix

    @property
    def array(self) -> Any:             # type: ignore[override]
        return self._joined.array

    def tail(self, n: int) -> Rows:
        last: list[fx_matrix] = []
        for m in reversed(self.matrices):
            last.insert(0, part_of(m, max(0, m.rows - n), min(n, m.rows)))
            n -= last[0].rows
            if not n:
                break
        return _copy(last, self.dtype, (sum(m.rows for m in last), self._shape[1]))


def _copy(matrices: list[fx_matrix], dtype: np.dtype, shape: tuple[int, int]) -> Rows:
    """One array of the rows of all."""
    arrays = [rows_of(m, "X") for m in matrices]
    if arrays and is_sparse(arrays[0]):
        from scipy.sparse import csr_array, vstack
        wide = [csr_array((A.data.astype(dtype), A.indices, A.indptr), shape=(A.shape[0], shape[1]))
                for A in arrays]
        return Rows(vstack(wide, format="csr"))
    out, at = np.empty(shape, dtype), 0
    for A in arrays:
        out[at:at + len(A)] = A
        at += len(A)
    return Rows(out)


def rows_read(reader: Reader, stream: Stream) -> ReadRows:
    """What the reader was fed since the last time."""
    data, table = reader.take(False)
    note = None
    if table.blocks and table.block[0].ptr:
        note = f"X was converted to csr {stream.dtype}: it has categories"
    return ReadRows(data, table, stream.dtype, note)


def column_of(X, name: str) -> np.ndarray:
    """The values of a table of one column, for labels: numbers, or texts and None."""
    stream = Stream(X)
    stream.reader("csv:label=none")     # checks the schema
    if len(stream.columns) != 1:
        raise ValueError(f"{name} is an Arrow table of {len(stream.columns)} columns, not of one")
    own = stream.is_text(0)
    reader = stream.reader(f"csv:label=none,nan=keep,cat={'all' if own else 'none'}")
    for batch in stream.batches():
        reader.arrow(stream.schema.at, batch.struct)
    A = rows_read(reader, stream).array
    if not own:
        whole = stream.schema.struct.children[0].contents.format in b"cCsSiIlL"
        return A[:, 0].astype(np.int64) if whole and not np.isnan(A).any() else A[:, 0]
    texts = np.array([found[len(stream.columns[0]) + 1:] for found in reader.columns], dtype=object)
    out = np.full(A.shape[0], None, dtype=object)
    out[np.diff(A.indptr) > 0] = texts[A.indices]
    return out


__all__ = ["ReadRows", "Stream", "column_of", "is_arrow", "rows_read"]

# SPDX-License-Identifier: BSD-3-Clause
"""Rows: what users hold, as the library's fx_matrix, without a copy where it can be read as it is.

    as it is:   C-ordered float32 or float64, rows perhaps apart (a slice of columns); SciPy CSR of
                those with int32 or int64 indices, matrix or array; read-only, memory-mapped
    converted:  F order, other numbers (to float64), lists; CSC, COO and the others; CSR that is not
                canonical; DataFrames of numbers.  Once, and `notes` says so.
Row offsets of CSR are widened to int64 (8 bytes a row) if SciPy has them in int32.
"""
from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from .._frame import array_of, is_frame
from .._library import F32, F64, fx_matrix
from .numbers import MISSING, converted, exact, narrowed, unmasked

TYPES = {np.dtype(np.float32): F32, np.dtype(np.float64): F64}
ROW = re.compile(r"\brow (\d+)")
INDICES = (np.dtype(np.int32), np.dtype(np.int64))


def address(A: np.ndarray) -> int:
    """Of its first number; A.ctypes.data takes twice as long."""
    return A.__array_interface__["data"][0]


def is_sparse(X) -> bool:
    """A SciPy sparse matrix or array; SciPy is not imported to find out."""
    return hasattr(X, "tocsr") and hasattr(type(X), "nnz")  # of X it may raise


def refuse(A, bad: np.ndarray, name: str = "X") -> None:
    """bad: which numbers of A are none that can be multiplied."""
    if not bad.any():
        return
    at = int(np.argmax(bad))
    if is_sparse(A):
        value, row, j = A.data[at], np.searchsorted(A.indptr, at, "right") - 1, A.indices[at]
    else:
        row, j = divmod(at, A.shape[1])
        value = A[row, j]
    what, hint = ("NaN", MISSING) if np.isnan(value) else ("infinity", "")
    raise ValueError(f"{name}, row {row}, column {j} (from 0): {what} is not a finite number{hint}")


@contextlib.contextmanager
def rows_from(first: int) -> Iterator[None]:
    """For use around a call with rows of which the first has this number: an error tells the row of
    all of them."""
    try:
        yield
    except (ValueError, FloatingPointError) as error:
        if not first:
            raise
        raise type(error)(ROW.sub(lambda found: f"row {first + int(found[1])}", str(error),
                                  count=1)) from None


def part_of(m: fx_matrix, first: int, rows: int) -> fx_matrix:
    """Some of the rows of m, without a copy."""
    part = fx_matrix(rows, m.cols, m.stride, m.type, m.wide, m.val, m.ptr, m.col)
    if m.ptr:
        part.ptr = m.ptr + 8 * first
    elif m.val:
        part.val = m.val + first * m.stride * (4 if m.type == F32 else 8)
    return part


class Rows:
    """A view of rows.  `matrix` is for the library; the arrays it points into live as long as this.

    matrices: the same rows, perhaps in several matrices.
    array: an ndarray or a SciPy CSR that holds the same.
    dtype: the precision of the caller's numbers; float32 stays float32 in what is computed.
    notes: a line if the caller's numbers had to be converted.
    missing: numbers of a DataFrame may be NaN; arrays are checked by the library.
    """

    def __init__(self, X, name: str = "X", missing: bool = False):
        self.name, self._missing = name, missing
        self._why: list[str] = []       # of the conversion
        if is_frame(X) and X.shape[1] and all(hasattr(t, "fill_value") for t in X.dtypes):
            self._why.append(f"it was a {type(X).__name__}")
            X = X.sparse.to_coo()       # pandas', all columns being sparse
        if is_sparse(X):
            self._sparse(X)
        else:
            self._dense(X)
        self.dtype, self.matrices = self.array.dtype, [self.matrix]
        to = "csr" if self.matrix.ptr else "C-ordered"
        self.notes = [f"{name} was converted to {to} {self.dtype}: {', '.join(self._why)}"] \
            if self._why else []

    @property
    def shape(self) -> tuple[int, int]:
        return self.matrix.rows, self.matrix.cols

    def __len__(self) -> int:
        return self.matrix.rows

    @property
    def sparse(self) -> bool:
        return bool(self.matrices[0].ptr)

    def tail(self, n: int) -> Rows:
        """A copy of the last rows."""
        return Rows(self.array[-n:].copy())

    def row(self, i: int) -> fx_matrix:
        """Row i alone."""
        return part_of(self.matrix, i, 1)

    def astype(self, dtype: np.dtype) -> Rows:
        """The same numbers in the type of other rows."""
        A = self.array
        if dtype == self.dtype:
            return self
        if is_sparse(A):
            data = narrowed(A.data, dtype, f"{self.name}: entry")
            return Rows(type(A)((data, A.indices, A.indptr), shape=A.shape), self.name)
        return Rows(narrowed(A, dtype, f"{self.name}: number"), self.name)

    def _check(self, A) -> None:
        """Two dimensions of real numbers."""
        if A.ndim != 2:
            hint = (f"It is a {type(A.item()).__name__}; rows are an array or a table, fit of a "
                    "learner also takes names of files and featcross.Parts(function), predict "
                    "names of files" if not A.ndim and A.dtype.kind in "OUS" else
                    "Reshape your data: X.reshape(-1, 1) is one column, X.reshape(1, -1) one row"
                    if A.ndim < 2 else "They are rows and columns")
            raise ValueError(f"{self.name} has {A.ndim} dimension(s), but 2 are needed. {hint}.")
        if A.dtype.kind == "c":
            raise ValueError(f"Complex data not supported: {self.name} has type {A.dtype}")
        if A.dtype.kind in "US":
            raise ValueError(f"{self.name} holds text, not numbers; DataFrames may hold categories")
        if A.dtype.kind not in "biufO":
            raise TypeError(f"{self.name} has type {A.dtype}, which is not one of numbers")

    def _type(self, A) -> np.dtype:
        """What A becomes: float32 stays, whatever its byte order; all else is float64."""
        if A.dtype.kind in "iu":
            exact(A, self.name)
        dtype = np.dtype(np.float32 if A.dtype.kind == "f" and A.itemsize == 4 else np.float64)
        if A.dtype != dtype:
            self._why.append(f"it was {A.dtype}" if A.dtype.isnative else "its bytes are swapped")
        return dtype

    def _dense(self, X) -> None:
        if not isinstance(X, np.ndarray):
            self._why.append(f"it was a {type(X).__name__}")
        A = array_of(X, self.name, missing=self._missing) if is_frame(X) else unmasked(X, self.name)
        self._check(A)
        dtype = self._type(A)
        if not A.flags.aligned:
            self._why.append("its numbers are off their boundaries")
        elif not _by_rows(A):
            self._why.append("its rows are not contiguous, as in F order")
        if self._why:
            A = converted(A, dtype, self.name)
            A = A if A.flags.aligned else A.copy()
        n, cols = A.shape
        self.array: Any = A
        self.stored = A.size            # numbers
        self.matrix = fx_matrix(n, cols, A.strides[0] // A.itemsize if n > 1 and cols else cols,
                                TYPES[A.dtype], 0, address(A), None, None)

    def _sparse(self, X) -> None:
        self._check(X)
        A = X
        if A.format != "csr":
            self._why.append(f"it was {A.format}")
            A = _csr(A, self.name)
        _check_compressed(A, A.shape[0], self.name)
        if not A.has_canonical_format:
            self._why.append("columns were not sorted, or stood twice and were added")
            A = A.copy() if A is X else A
            A.sum_duplicates()
        dtype = self._type(A.data)
        index = A.indices.dtype if A.indices.dtype in INDICES else np.dtype(np.int64)
        if A.indices.dtype != index:
            self._why.append(f"its indices were {A.indices.dtype}")
        col = np.require(A.indices, index, ["C", "A"])
        val = np.require(A.data if A.data.dtype == dtype else
                         converted(A.data, dtype, self.name), None, ["C", "A"])
        ptr = np.require(A.indptr, np.int64, ["C", "A"])
        if val is not A.data:
            A = type(A)((val, A.indices, A.indptr), shape=A.shape)
        self.array, self._alive = A, (ptr, col, val)
        self.stored = int(ptr[-1] - ptr[0])
        self.matrix = fx_matrix(A.shape[0], A.shape[1], 0, TYPES[val.dtype],
                                int(col.dtype == np.int64), address(val), address(ptr),
                                address(col))


def _by_rows(A: np.ndarray) -> bool:
    """True if the numbers of a row are contiguous and rows are a whole number of items apart."""
    (n, cols), (row_stride, column_stride), size = A.shape, A.strides, A.itemsize
    return A.size == 0 or (cols < 2 or column_stride == size) \
        and (n < 2 or row_stride >= cols * size and row_stride % size == 0)


def _csr(A, name: str):
    """Converts with SciPy, after checking the indices: SciPy does not, and would write beyond its
    arrays."""
    rows, cols = A.shape
    if A.format == "csc":
        _check_compressed(A, cols, name, rows)
    elif A.format == "bsr":
        high, wide = A.blocksize
        _check_compressed(A, rows // high, name, cols // wide)
    elif A.format != "lil":             # whose rows become csr as they are
        A = A.tocoo()
        for place, limit in zip((A.row, A.col), A.shape):
            _check_places(place, limit, name)
    return A.tocsr()


def _check_compressed(A, n: int, name: str, limit: int | None = None) -> None:
    """Checks the offsets, because the library takes the lengths of the arrays from them; the column
    indices are checked by the library. limit: indices must be below it."""
    ptr, place = np.asarray(A.indptr), np.asarray(A.indices)
    if ptr.dtype.kind not in "iu" or ptr.shape != (n + 1,) or ptr[0] < 0 \
            or ptr[-1] > min(len(place), len(A.data)) or (ptr[1:] < ptr[:-1]).any():
        raise ValueError(f"{name} is no {A.format}: its indptr does not rise from 0 to the number "
                         f"of its entries in {n + 1} steps")
    if place.dtype.kind not in "iu" or place.ndim != 1:
        raise ValueError(f"{name} is no {A.format}: its indices are {place.ndim}-dimensional "
                         f"{place.dtype}, not a list of whole numbers")
    if limit is not None:
        _check_places(place[ptr[0]:ptr[-1]], limit, name)


def _check_places(place: np.ndarray, limit: int, name: str) -> None:
    bad = place[(place < 0) | (place >= limit)]
    if len(bad):
        raise ValueError(f"{name} has an entry at {bad[0]}, where only 0 to {limit - 1} are")

# SPDX-License-Identifier: BSD-3-Clause
"""Part: some rows of a fit whose rows are in several processes, as their owner holds them; and
`look`, which finds what must be known of all parts before any can be packed.

What is here and in packed.py is pure and knows of no scheduler: it may run anywhere, and again.
"""
from __future__ import annotations

import contextlib
import copy
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._base import names_of
from .._data.labels import ClassesSeen
from .._data.matrix import rows_of
from .._data.rows import Rows, is_sparse
from .._frame import Encoder
from .._library import lib, text
from .._names.table import describe, meant
from ..files import Files
from .pack import ROW

if TYPE_CHECKING:
    from .._learners.learner import Learner


def _some(values, first: int, end: int):
    """Rows first..end - 1 of whatever holds one thing for each row."""
    if values is None or np.ndim(values) == 0 and not hasattr(values, "shape"):
        return values
    return (values.iloc if hasattr(values, "iloc") else values)[first:end]


class Part(NamedTuple):
    """Rows as fit takes them, and what comes with them.

    Attributes
    ----------
    number : of this part, from 0
    first : row of the part that is the first one here
    file : of rows of a file: its names of columns, number of the first column, and spec of the
        reader; None: rows of no file
    """

    number: int
    X: Any
    y: Any = None
    weight: Any = None
    first: int = 0
    file: tuple[list[str] | None, int, str] | None = None

    def cut(self, first: int, end: int) -> Part:
        """Rows first..end - 1 alone; so that the others need not be sent."""
        X, y, weight = (_some(a, first, end) for a in (self.X, self.y, self.weight))
        return self._replace(X=X, y=y, weight=weight, first=self.first + first)


def of_frame(number: int, frame, label: str | None, weight: str | None) -> Part:
    """Of a DataFrame of pandas that holds labels and weights, too."""
    for name in (label, weight):
        if name is not None and name not in frame.columns:
            raise ValueError(f"there is no column {name!r}"
                             f"{meant(name, [str(column) for column in frame.columns])}")
    others = [name for name in (label, weight) if name is not None]
    return Part(number, frame.drop(columns=others), None if label is None else frame[label],
                None if weight is None else frame[weight].to_numpy())


class Look(NamedTuple):
    """What is known of a part.

    Attributes
    ----------
    number : of the part
    sparse : whether rows are sparse
    names : of the columns of a frame
    encoder : of a frame with categories
    labels : that occur
    reader : spec by which the program reads such rows
    file : see Part
    machine : see machine()
    """

    number: int
    rows: int
    cols: int
    sparse: bool
    names: np.ndarray | None
    encoder: Encoder | None
    labels: ClassesSeen
    reader: str | None
    file: tuple[list[str] | None, int, str] | None
    machine: tuple[int, str]


def machine() -> tuple[int, str]:
    """Version of the library, and its instruction set: where they differ, so do last digits."""
    return lib.fx_version(), text(lib.fx_simd_target())


def must_be(known: tuple[int, str]) -> None:
    """Refuses a process that would compute something else than the one that fits."""
    own = machine()
    if own != known:
        raise ValueError(f"a worker has featcross {own[0]} with {own[1]}, unlike {known[0]} with "
                         f"{known[1]} where the fit began; an FX_TARGET that all of them have "
                         "(scalar is one), in the environment of all, makes instruction sets the "
                         "same")


@contextlib.contextmanager
def located(number: int, first: int = 0) -> Iterator[None]:
    """An error in it tells the number of the part, and the row there.  first: row of the part that
    is the first one here."""
    try:
        yield
    except (ValueError, TypeError) as error:
        message = ROW.sub(lambda row: f"row {int(row[1]) + first}", str(error), count=1)
        raise type(error)(f"part {number} (from 0): {message}") from None


# ---- Files --------------------------------------------------------------------------------------
def reader_of(files: Files, labels: bool, missing: str) -> str | None:
    """Spec by which each of the files is read: of tables, as the first one tells."""
    if "cat" not in describe("data_reader", files.spec(labels, missing)).key:
        return files.reader
    first = Files(files.names[0], reader=files.reader)
    return next(iter(first.batches(labels, missing, 0))).reader


def read(number: int, name: str, reader: str | None, labels: bool, missing: str) -> Part:
    """All rows of a file."""
    X: list = []
    y, weight, columns, base, spec = [], [], None, 0, ""
    for piece, columns, spec in Files(name, reader=reader).batches(labels, missing, 0):
        shift = base - piece.base if X else 0
        X = [moved(A, shift) for A in X] + [rows_of(m, name) for m in piece.matrices]
        base = piece.base
        if piece.label is not None:
            texts = None if piece.names is None else np.array([text(c) for c in piece.names])
            y.append(piece.label if texts is None else texts[piece.label.astype(np.intp)])
        if piece.weight is not None:
            weight.append(piece.weight)
    return Part(number, _stacked(X), np.concatenate(y) if y else None,
                np.concatenate(weight) if weight else None, 0, (columns, base, spec))


def predicted(estimator: Learner, method: str, name: str, reader: str | None) -> np.ndarray:
    """The method's value for the rows of a file."""
    rows = estimator._rows_in_parts(Files(name, reader=reader))
    return np.concatenate([getattr(estimator, method)(some) for some in rows])


def moved(A, by: int):
    """Columns of a file that were taken to count from 1, when they count from 0."""
    return type(A)((A.data, A.indices + by, A.indptr), shape=(A.shape[0], A.shape[1] + by)) \
        if by else A


def _stacked(arrays: list):
    if not arrays or not is_sparse(arrays[0]):
        return np.concatenate(arrays) if arrays else np.empty((0, 0))
    from scipy.sparse import vstack

    cols = max(A.shape[1] for A in arrays)
    for A in arrays:
        A.resize((A.shape[0], cols))
    return vstack(arrays, format="csr")


# ---- Before packing -----------------------------------------------------------------------------
def look(estimator: Learner, part: Part) -> Look:
    """estimator: with its parameters, not fitted."""
    X, seen, estimator = part.X, ClassesSeen(), copy.copy(estimator)    # another thread has it too
    with located(part.number):
        names = names_of(X)
        encoder = estimator._encoder(X, True)
        rows, cols = X.shape if len(getattr(X, "shape", ())) == 2 else Rows(X).shape
        if rows:
            estimator._labels_in(part.y, part.weight, rows, seen)
        if names is not None:
            estimator.feature_names_in_ = names
        if encoder is not None:
            estimator.encoder_ = encoder
        reader = estimator._reader(part.y) if part.file is None else part.file[2]
    return Look(part.number, rows, cols, encoder is not None or is_sparse(X), names, encoder, seen,
                reader, part.file, machine())

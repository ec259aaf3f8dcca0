# SPDX-License-Identifier: BSD-3-Clause
"""Files of rows, as the program reads them."""
from __future__ import annotations

import bz2
import contextlib
import ctypes
import gzip
import lzma
import os
import re
import zipfile
from collections.abc import Iterator
from typing import IO, Any, NamedTuple

import numpy as np

from ._library import Handle, check, copied, encoded, fx_matrix, lib, strings, text
from ._names.spec import spec
from ._names.table import describe, get
from ._passes.pack import Piece
from ._run import call

BATCH = 1 << 20                         # bytes of text that are parsed at a time
LEAST = 1 << 16
SHARE = 16                              # of the memory: more than parsing a batch takes
EXTENSIONS = {".svm": "svmlight", ".libsvm": "svmlight", ".svmlight": "svmlight", ".csv": "csv",
              ".tsv": "csv:separator=tab", ".npy": "npy", ".npz": "npz"}
PACKED = (".gz", ".bz2", ".xz", ".zst")
PAIR = re.compile(rb"[ \t][0-9]+:")     # of a line of svmlight
SEPARATORS = {b",": "comma", b";": "semicolon", b"\t": "tab"}


# ---- Bytes --------------------------------------------------------------------------------------
def _zstd(file: IO[bytes], name: str) -> Any:
    with contextlib.suppress(ImportError):      # of Python 3.14
        from compression import zstd            # type: ignore[import-not-found]
        return zstd.open(file)
    try:
        import zstandard                        # type: ignore[import-not-found]
    except ImportError:
        raise ImportError(f"{name} is compressed by zstd: that takes Python 3.14 or the package "
                          "zstandard") from None
    return zstandard.open(file, "rb")


@contextlib.contextmanager
def _opened(name: str) -> Iterator[Any]:
    """Its bytes, decompressed where they begin like a compressed file."""
    with open(name, "rb") as file:
        head = file.read(6)
        file.seek(0)
        if head.startswith(b"\x28\xb5\x2f\xfd"):
            inner = _zstd(file, name)
        else:
            inner = gzip.open(file) if head.startswith(b"\x1f\x8b") else \
                bz2.open(file) if head.startswith(b"BZh") else \
                lzma.open(file) if head.startswith(b"\xfd7zXZ\0") else file
        with inner:
            try:
                yield inner
            except (EOFError, lzma.LZMAError) as error:
                raise ValueError(f"{name}: {error}") from None


def _batches(file, size: int, lines: bool) -> Iterator[bytes]:
    """Pieces of a file; of text they end with a line."""
    rest = b""
    while True:
        more = file.read(size)
        if not more:
            break
        cut = more.rfind(b"\n") + 1 if lines else len(more)
        if not cut:
            rest += more
            continue
        yield rest + more[:cut]
        rest = more[cut:]
    if rest:
        yield rest + b"\n" if lines else rest


def _first_line(batch: bytes) -> bytes:
    """The first one that is neither blank nor a comment."""
    lines = batch.removeprefix(b"\xef\xbb\xbf").splitlines()
    return next((line for line in lines if line.strip() and line.lstrip()[:1] != b"#"), b"")


def _format(name: str, first: bytes) -> str:
    """By the first bytes, the name, or the first line, as the program finds it."""
    if first.startswith(b"\x93NUMPY"):
        return "npy"
    if first.startswith(b"PK\x03\x04"):
        return "npz"
    stem, extension = os.path.splitext(name)
    if extension in PACKED:
        extension = os.path.splitext(stem)[1]
    if extension in EXTENSIONS:
        return EXTENSIONS[extension]
    line = _first_line(first)
    return "csv" if not PAIR.search(line) and any(c in line for c in SEPARATORS) else "svmlight"


# ---- Rows ---------------------------------------------------------------------------------------
class Reader(Handle):
    """A reader of the library."""

    def __init__(self, whole: str, name: str):
        super().__init__(lib.fx_data_reader_free)
        self.columns: list[str] = []    # names of those so far
        check(lib.fx_data_reader_new(self.out, encoded(whole), os.fsencode(name)))

    def feed(self, data: bytes) -> None:
        call("fx_data_reader_feed", self, data, len(data), n_jobs=1, what="read")

    def arrow(self, schema: int, array, n_jobs: int | None = 1) -> None:
        """The next rows as an Arrow batch; None: there are none yet."""
        call("fx_data_reader_arrow", self, schema, None if array is None else ctypes.byref(array),
             n_jobs=n_jobs, what="read")

    def name_columns(self, names: list[str], more: bool = False) -> None:
        """Columns are these; others are left out or, of categories, come after them."""
        check(lib.fx_data_reader_names(self, strings(names), len(names)))
        if more:
            check(lib.fx_data_reader_names_more(self))

    def take(self, end: bool) -> tuple[Handle, Any]:
        out = Handle(lib.fx_data_free)
        call("fx_data_reader_take", out.out, self, int(end), n_jobs=1, what="read")
        t = lib.fx_data_table(out)
        if t.name:
            self.columns += [text(t.name[j]) for j in range(len(self.columns), t.cols)]
        return out, t

    @property
    def spec(self) -> str:
        return text(lib.fx_data_reader_spec(self))


def _members(file, reader: Reader) -> Iterator[bytes]:
    """Bytes of a zip file, whose members are named to the reader."""
    with zipfile.ZipFile(file) as members:
        for name in members.namelist():
            check(lib.fx_data_reader_member(reader, encoded(name)))
            with members.open(name) as inner:
                yield from _batches(inner, BATCH, False)


class Batch(NamedTuple):
    """Rows that were read, names of all columns so far (None: they have none), and the spec of the
    reader, complete after the last one."""

    piece: Piece
    columns: list[str] | None
    reader: str


def _array(at, kind, n: int) -> np.ndarray | None:
    return copied(at, kind, n) if at else None


def taken(reader: Reader, end: bool = False) -> Iterator[Batch]:
    """What was fed since the last time."""
    data, t = reader.take(end)
    if not t.rows and not end:
        return
    names = [t.class_name[k] for k in range(t.classes)] if t.classes else None
    label, weight = (_array(at, np.float64, t.rows) for at in (t.label, t.weight))
    piece = Piece([fx_matrix.from_buffer_copy(m) for m in t.block[:t.blocks] if m.rows], data,
                  label, names, weight, _array(t.qid, np.int64, t.rows), t.base)
    yield Batch(piece, reader.columns or None, reader.spec)


def completed(whole: str, labels: bool, missing: str, separator: str = "comma") -> str:
    """The spec of a reader with what it leaves open.  labels: every row must have one. missing: the
    parameter of learners."""
    key, more = describe("data_reader", whole).key, {}
    if "separator" in key:
        more["separator"] = separator
    if "labels" in key and not labels:
        more["labels"] = "auto"
    if "cat" in key:
        more["cat"] = "auto"
    if "nan" in key and missing != "error":
        more["nan"] = missing if missing in key["nan"].values else "keep"
    if "base" in key:
        more["base"] = "late"           # an index 0 may come late
    added = spec("", **{name: value for name, value in more.items()
                        if get(whole, name) is None}).removeprefix(":")
    return whole if not added else whole + ("," if ":" in whole else ":") + added


class Files:
    """Files of rows, for ``fit``, which packs them into a temporary file and learns from there:
    rows may exceed the memory.  A name or a list of names does as well.

    Parameters
    ----------
    names : one or more, or a list of them: one source in this order, all in the format of the
        first: svmlight, csv, tsv, npz, or text by reader=; also compressed by gzip, bzip2, xz or
        zstd.  Several files must be text, and CSV files have the same header
    reader : how they are read: "csv:label=price,cat=city/day", "svmlight:base=0", "text:ngram=2";
        None: found by the first file, as the program does

    Examples
    --------
    >>> import tempfile, featcross
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "rooms.csv")
    ...     _ = path.write_text("rent,size,city\\n900,30,Rome\\n1500,60,Oslo\\n1100,50,Rome\\n")
    ...     rows = featcross.Files(path, reader="csv:label=rent")
    ...     model = featcross.LinearRegressor(C=1e6).fit(rows)
    >>> print(model.encoder_.names)
    ['size', 'city=Rome', 'city=Oslo']
    """

    def __init__(self, *names: str | os.PathLike | list | tuple, reader: str | None = None):
        self.names = [os.fspath(name) for given in names
                      for name in (given if isinstance(given, (list, tuple)) else [given])]
        self.reader = reader
        if not self.names:
            raise ValueError("Files takes the name of a file, or several")

    def __repr__(self) -> str:
        return f"Files({', '.join(map(repr, self.names))}, reader={self.reader!r})"

    def batches(self, labels: bool, missing: str, max_memory: int) -> Iterator[Batch]:
        """labels: every row must have one. missing: the parameter of learners."""
        size = min(BATCH, max(LEAST, max_memory // SHARE)) if max_memory else BATCH
        reader = Reader(self.spec(labels, missing), self.names[0])
        for end in self.fed(reader, size):
            yield from taken(reader, end)

    def fed(self, reader: Reader, size: int = BATCH) -> Iterator[bool]:
        """After each piece that it is fed: whether that was all."""
        line = describe("data_reader", reader.spec)
        for number, name in enumerate(self.names):
            if number and line.binary:
                raise ValueError(f"{name}: several files must be text, and {self.names[0]} is "
                                 f"{line.name}")
            if number:
                check(lib.fx_data_reader_file(reader, os.fsencode(name)))
            with _opened(name) as file:
                for batch in _members(file, reader) if line.members else \
                        _batches(file, size, not line.binary):
                    reader.feed(batch)
                    if not line.binary:
                        yield False
        yield True

    def spec(self, labels: bool, missing: str) -> str:
        """Of the reader, with what the first bytes tell."""
        with _opened(self.names[0]) as file:
            first = next(_batches(file, LEAST, True), b"")
        whole = _format(self.names[0], first) if self.reader is None else self.reader
        line = _first_line(first)
        separator = next((word for sign, word in SEPARATORS.items() if sign in line), "comma")
        return completed(whole, labels, missing, separator)

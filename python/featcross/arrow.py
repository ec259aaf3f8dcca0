# SPDX-License-Identifier: BSD-3-Clause
"""Rows of an Arrow stream with their labels."""
from __future__ import annotations

from collections.abc import Iterator

from ._data.arrow import Stream
from .files import BATCH, SHARE, Batch, completed, taken


class Arrow:
    """An Arrow table or stream that has the labels too, for ``fit``, which reads it once, packs it
    into a temporary file and learns from there: rows may exceed the memory.

    Parameters
    ----------
    source : any object with ``__arrow_c_stream__``: a DuckDB relation or a RecordBatchReader, which
        can be read once, or a table of polars or pyarrow
    reader : what its columns are, in the words of the reader of CSV files:
        "csv:label=price,weight=w,drop=id"; None: "csv", so the label is the last column

    doc/python.md has an example, of a Parquet file.
    """

    def __init__(self, source, reader: str | None = None):
        self.source, self.reader = source, reader
        self.names = ["the Arrow table"]
        if not hasattr(source, "__arrow_c_stream__"):
            raise TypeError(f"Arrow takes an object with __arrow_c_stream__, not a "
                            f"{type(source).__name__}")

    def __repr__(self) -> str:
        return f"Arrow({type(self.source).__name__}, reader={self.reader!r})"

    def batches(self, labels: bool, missing: str, max_memory: int) -> Iterator[Batch]:
        """As those of Files."""
        fields = min(BATCH, max_memory // (8 * SHARE)) if max_memory else BATCH
        stream = Stream(self.source)
        reader = stream.reader(completed(self.reader or "csv", labels, missing))
        for part in stream.parts(fields):
            reader.arrow(stream.schema.at, part)
            yield from taken(reader)
        yield from taken(reader, True)


__all__ = ["Arrow"]

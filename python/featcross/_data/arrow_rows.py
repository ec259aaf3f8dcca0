# SPDX-License-Identifier: BSD-3-Clause
"""Rows of Arrow tables as an estimator needs them: with the columns of its fit."""
from __future__ import annotations

from collections.abc import Callable, Iterator

from .._frame import Encoder, csv_reader, distinct
from ..files import Reader
from .arrow import ReadRows, Stream, is_arrow, rows_read
from .rows import Rows


class Arrows:
    """An Estimator's part."""

    _MIN_ROWS: int
    n_jobs: int | None
    _check_shape: Callable
    _name_columns: Callable
    _rows: Callable
    _same_columns: Callable
    _same_names: Callable
    _say: Callable

    def _arrow_reader(self, stream: Stream, reset: bool, more: bool = False) -> Reader:
        """A reader of these rows, by what is known of their columns; more: new categories become
        columns."""
        missing = getattr(self, "missing", "error")
        encoder = getattr(self, "encoder_", None)
        if reset and not getattr(self, "warm_start", False):
            encoder = None
        reader = stream.reader(csv_reader(None, None, missing))
        names = distinct(stream.columns)
        if not reset:
            self._same_names(names)
            self._check_shape((self._MIN_ROWS, len(names)), reset)
        if encoder is not None:
            encoder = self._same_columns(encoder, stream.columns)
            cat = [encoder.columns[j] for j in encoder.categories]
            return stream.reader(csv_reader(cat, None, missing), encoder.names, more)
        if reset:
            return reader
        numbers = list(getattr(self, "feature_names_in_", names))
        return stream.reader(csv_reader([], None, missing), numbers)

    def _arrow_rows(self, X, reset: bool, reader: Reader | None = None, more: bool = False) \
            -> tuple[ReadRows, Reader]:
        """All of a stream; reader: that goes on with the columns of other streams."""
        stream = Stream(X)
        learns = reset or more or reader is not None
        reader = reader or self._arrow_reader(stream, reset, more)
        for batch in stream.batches():
            reader.arrow(stream.schema.at, batch.struct, self.n_jobs)
        rows = rows_read(reader, stream)
        self._check_shape((len(rows), len(stream.columns)), reset)
        if learns:
            self._arrow_names(stream, reader)
        self._say(*rows.notes)
        return rows, reader

    def _rows_in_parts(self, X) -> Iterator[Rows]:
        """X as rows like those of the fit; of an Arrow stream some of them at a time."""
        if not is_arrow(X):
            yield self._rows(X, reset=False)
            return
        stream, count = Stream(X), 0
        reader = self._arrow_reader(stream, False)
        for part in stream.parts():
            reader.arrow(stream.schema.at, part, self.n_jobs)
            rows = rows_read(reader, stream)
            count += len(rows)
            if len(rows):
                yield self._for_model(rows)
        self._check_shape((count, len(stream.columns)), False)

    def _for_model(self, rows: Rows) -> Rows:
        """Rows that were read, as the model takes them."""
        return rows

    def _arrow_names(self, stream: Stream, reader: Reader) -> None:
        """Sets what later rows must look like."""
        columns = stream.columns
        self._name_columns(len(columns), reader.columns, reader.spec)
        self.feature_names_in_ = distinct(columns)
        encoder: Encoder | None = getattr(self, "encoder_", None)
        if encoder is not None:
            self.encoder_ = encoder.ordered(columns)

# SPDX-License-Identifier: BSD-3-Clause
"""The parameter missing=: what becomes of NaN in rows.  The library learns it with the model and
keeps it there; here are its words in Python."""
from __future__ import annotations

import numpy as np

from ._labels import Table
from ._library import Handle, encoded, lib
from ._matrix import rows_of
from ._rows import Rows, is_sparse
from ._run import call

FILLS = ("zero", "mean", "median")
WORDS = ("error", "drop", *FILLS, *(f"{fill},indicator" for fill in FILLS), "category")
CATEGORY = "zero,indicator"             # what "category" does with numbers


def spec_of(missing) -> str | None:
    """As fx_plan has it; None: NaN is an error."""
    if not isinstance(missing, str) or missing not in WORDS:
        raise ValueError(f"missing={missing!r}: it is one of {', '.join(map(repr, WORDS))}")
    return None if missing == "error" else CATEGORY if missing == "category" else missing


def word_of(spec: str, reader: str | None) -> str:
    """The inverse, for load.  reader: nan= of the spec by which rows are read, or None."""
    return "category" if spec == CATEGORY and reader == "category" else spec or "error"


def has_missing(rows: Rows) -> bool:
    return bool(np.isnan(rows.array.data if is_sparse(rows.array) else rows.array).any())


def without(rows: Rows, missing, weight: np.ndarray | None, **how) -> Rows:
    """Rows as a fit has them, for what is settled before it, such as gamma="scale"."""
    spec = spec_of(missing)
    if spec is None or not has_missing(rows):
        return rows
    data = Handle(lib.fx_data_free)
    call("fx_data_fill", data.out, encoded(spec), Table(rows, weight=weight).table, what="fill",
         **how)
    return Rows(rows_of(lib.fx_data_table(data).block[0], "filled rows"), rows.name)


def told(model) -> dict[str, int]:
    """What the fit found: missing numbers, columns that have some, rows that were left out."""
    c = model.content
    return {"values": int(c.missing_values), "columns": int(c.missing_cols),
            "rows": int(c.missing_rows)}


def note(missing: str, found: dict[str, int]) -> str:
    what = f"{found['rows']} rows were left out" if missing == "drop" else f"filled: {missing}"
    return f"X: {found['values']} numbers are missing in {found['columns']} columns; {what}"

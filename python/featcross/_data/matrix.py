# SPDX-License-Identifier: BSD-3-Clause
"""Rows that the library made, as arrays: the inverse of Rows."""
from __future__ import annotations

import numpy as np

from .._library import F32, Handle, copied, encoded, fx_matrix, lib
from .._run import call
from .labels import Table
from .rows import Rows


def rows_of(m: fx_matrix, what: str):
    """A copy: an array, or a SciPy csr_array where the rows are sparse."""
    kind = np.float32 if m.type == F32 else np.float64
    if not m.ptr:
        return np.ascontiguousarray(copied(m.val, kind, m.rows, m.stride)[:, :m.cols])
    try:
        from scipy.sparse import csr_array
    except ImportError:
        raise ImportError(f"{what} are sparse rows, for which SciPy is needed") from None
    ptr = copied(m.ptr, np.int64, m.rows + 1)
    column = copied(m.col, np.int64 if m.wide else np.int32, ptr[-1])
    value = copied(m.val, kind, ptr[-1])
    return csr_array((value[ptr[0]:], column[ptr[0]:], ptr - ptr[0]), shape=(m.rows, m.cols))


def scaled(rows: Rows, scale: str | None, gamma, weight: np.ndarray | None = None, **how) -> Rows:
    """The rows from which gamma is computed: scaled as a learner scales them before it evaluates
    the kernel."""
    if scale is None or gamma != "scale":
        return rows
    table, how = Table(rows, weight=weight), {"what": "scale", **how}
    factors, data = Handle(lib.fx_data_scale_free), Handle(lib.fx_data_free)
    call("fx_data_scale_fit", factors.out, encoded(scale, "scale"), table.table, **how)
    call("fx_data_scale_apply", data.out, factors, table.table, **how)
    return Rows(rows_of(lib.fx_data_table(data).block[0], "scaled rows"))

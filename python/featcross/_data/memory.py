# SPDX-License-Identifier: BSD-3-Clause
"""Arrays for results, of which those that are too large are rejected before any work is done; and
limits of memory."""
from __future__ import annotations

import math
import os
import re

import numpy as np

SHARE = 0.8                             # of physical memory, as `featcross --max-memory` has it
UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


def limit_of(max_memory) -> int:
    """Bytes of a limit: a number, or a text such as "256M"; 0: there is none."""
    if max_memory is None:
        return 0
    found = re.fullmatch(r"(\d+)([KMGT]?)B?", str(max_memory).strip(), re.IGNORECASE)
    limit = int(found[1]) * UNITS[found[2].upper()] if found else 0
    if not 0 < limit < 2**63 or isinstance(max_memory, float):
        raise ValueError(f"max_memory={max_memory!r}: it is a number of bytes, or a text such as "
                         "'256M' or '2G'")
    return limit


def empty(shape: tuple[int, int], dtype, what: str, instead: str) -> np.ndarray:
    """np.empty, or MemoryError if the machine would swap: Linux grants more memory than it has."""
    need = math.prod(shape) * np.dtype(dtype).itemsize
    have = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if need > SHARE * have:
        raise MemoryError(f"{what}: {shape[0]} x {shape[1]} numbers take {need / 2**30:.1f} GiB; "
                          f"this machine has {have / 2**30:.1f} GiB. {instead}")
    return np.empty(shape, dtype)

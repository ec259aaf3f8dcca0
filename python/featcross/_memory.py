# SPDX-License-Identifier: BSD-3-Clause
"""Arrays for results.  Those that are too large are rejected before any work is done."""
from __future__ import annotations

import math
import os

import numpy as np

SHARE = 0.8                             # of physical memory, as `featcross --max-memory` has it


def empty(shape: tuple[int, int], dtype, what: str, instead: str) -> np.ndarray:
    """np.empty, or MemoryError if the machine would swap: Linux grants more memory than it has."""
    need = math.prod(shape) * np.dtype(dtype).itemsize
    have = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if need > SHARE * have:
        raise MemoryError(f"{what}: {shape[0]} x {shape[1]} numbers take {need / 2**30:.1f} GiB; "
                          f"this machine has {have / 2**30:.1f} GiB. {instead}")
    return np.empty(shape, dtype)

# SPDX-License-Identifier: BSD-3-Clause
"""Numbers that the library can take: doubles, finite, and whole ones without rounding."""
from __future__ import annotations

import operator

import numpy as np

EXACT = 2**53                           # all whole numbers below it are doubles


def exact(values: np.ndarray, name: str) -> None:
    """Refuses whole numbers that a double would round: they are identifiers, and two could become
    one."""
    if values.size and max(float(values.max()), -float(values.min())) >= EXACT:
        raise ValueError(f"{name} holds integers of 2^53 or more, which float64 would round; as "
                         "identifiers they can be text, or categories of a DataFrame")


def natural(value, name: str, least: int = 0) -> int:
    """A whole number as C has them; ctypes would cut off what does not fit."""
    try:
        number = operator.index(value)
    except TypeError:
        number = -1
    if not least <= number < 2**64:
        raise ValueError(f"{name}={value!r} is no whole number from {least} to 2^64 - 1")
    return number


def unmasked(values, name: str) -> np.ndarray:
    """An array of NumPy's, which has no mask."""
    if np.ma.is_masked(values):
        raise ValueError(f"{name} has masked entries; fill them: {name}.filled(0)")
    return np.asarray(values)


def finite(values: np.ndarray, name: str) -> np.ndarray:
    """As contiguous doubles, all finite."""
    if np.iscomplexobj(values):
        raise ValueError(f"Complex data not supported: {name} has type {values.dtype}")
    values = np.ascontiguousarray(values, dtype=np.float64)
    if not np.isfinite(values).all():
        what = "NaN" if np.isnan(values).any() else \
            "infinity or a value too large for dtype('float64')"
        raise ValueError(f"Input {name} contains {what}.")
    return values

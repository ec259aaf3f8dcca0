# SPDX-License-Identifier: BSD-3-Clause
"""Numbers that the library can take: doubles, finite, and whole ones without rounding."""
from __future__ import annotations

import operator
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

MISSING = "; a learner's missing= says what becomes of missing numbers, such as missing='mean'"
EXACT = 2**53                           # all whole numbers below it are doubles


def exact(values: np.ndarray, name: str) -> None:
    """Rejects whole numbers that a double would round: they are probably identifiers, and two of
    them could become equal."""
    if values.size and max(float(values.max()), -float(values.min())) >= EXACT:
        raise ValueError(f"{name} holds integers of 2^53 or more, which float64 would round; as "
                         "identifiers they can be text, or categories of a DataFrame")


def natural(value, name: str, minimum: int = 0) -> int:
    """A whole number as C has them; ctypes would cut off what does not fit."""
    try:
        number = operator.index(value)
    except TypeError:
        number = -1
    if not minimum <= number < 2**64:
        raise ValueError(f"{name}={value!r} is no whole number from {minimum} to 2^64 - 1")
    return number


def unmasked(values, name: str) -> np.ndarray:
    """An array of NumPy's, which has no mask."""
    if np.ma.isMaskedArray(values) and np.ma.is_masked(values):     # not pandas', with a _mask
        raise ValueError(f"{name} has masked entries; fill them: {name}.filled(0)")
    return np.asarray(values)


@contextmanager
def converting(name: str) -> Iterator[None]:
    """For use around a conversion.  A number that is too large becomes infinite, which the caller
    rejects later; something that is not a number raises an error."""
    try:
        with np.errstate(all="ignore"):
            yield
    except ValueError as error:         # objects, one of which is a text
        raise ValueError(f"{name} holds text, not numbers; DataFrames may hold categories "
                         f"({error})") from None
    except TypeError as error:          # or another thing
        raise TypeError(f"{name} holds what is no number ({error})") from None
    except OverflowError:               # or a whole number that no double comes near
        raise ValueError(f"{name} holds an integer that is too large for float64") from None


def converted(values: np.ndarray, dtype, name: str) -> np.ndarray:
    """As contiguous real numbers of another type."""
    types = set(map(type, values.flat)) if values.dtype.kind == "O" else {values.dtype.type}
    if any(issubclass(t, (complex, np.complexfloating)) for t in types):
        raise ValueError(f"Complex data not supported: {name} has type {values.dtype}")
    with converting(name):
        return np.ascontiguousarray(values, dtype=dtype)


def narrowed(values: np.ndarray, dtype, what: str, missing: bool = False) -> np.ndarray:
    """Results, [rows][..], in the type of the caller's rows.  Raises an error if float32 cannot
    hold them, as everywhere in the library. missing: NaN is a valid result."""
    with np.errstate(all="ignore"):
        out = values.astype(dtype, copy=False)
    good = True if out is values else np.isfinite(out) | (missing & np.isnan(values))
    if not np.all(good):
        at = tuple(np.argwhere(~good)[0])
        of = f" of row {at[0]}" if len(at) > 1 else ""
        if np.isnan(values[at]):
            raise FloatingPointError(f"{what} {at[-1]}{of} (from 0) is not a number")
        raise FloatingPointError(f"{what} {at[-1]}{of} (from 0) is {values[at]:g}, beyond the "
                                 "range of floats; scale the rows, or give them as float64")
    return out


def finite(values: np.ndarray, name: str) -> np.ndarray:
    """As contiguous doubles, all finite."""
    values = converted(values, np.float64, name)
    if not np.isfinite(values).all():
        what = "NaN" if np.isnan(values).any() else \
            "infinity or a value too large for dtype('float64')"
        raise ValueError(f"Input {name} contains {what}.")
    return values

# SPDX-License-Identifier: BSD-3-Clause
"""The shared library: loaded, its failures as exceptions, its objects.

_header.py mirrors its interface, and is passed on here.  Nothing else in the package touches
ctypes' types of arguments.
"""
from __future__ import annotations

import ctypes
import functools
import os
import sys
import warnings
from ctypes import c_char_p, c_void_p
from pathlib import Path

import numpy as np

from ._header import *  # noqa: F403
from ._header import ABI, FUNCTIONS
from ._sklearn import ConvergenceWarning

ERRORS = {                              # fx_status: what a failure is in Python
    -1: MemoryError,                    # FX_ENOMEM
    -2: ValueError,                     # FX_EINVAL
    -3: ValueError,                     # FX_ESHAPE
    -4: ValueError,                     # FX_EFORMAT
    -5: ValueError,                     # FX_EDOMAIN
    -6: FloatingPointError,             # FX_ENUMERIC
    -7: ValueError,                     # FX_EUNSUPPORTED
    -8: KeyboardInterrupt,              # FX_ECANCELLED
    -9: MemoryError,                    # FX_ELIMIT
    -10: OSError,                       # FX_EOUTPUT
}


def _load() -> ctypes.CDLL:
    bundled = Path(__file__).with_name("libfeatcross.so")
    path = os.environ.get("FEATCROSS_LIBRARY") or str(bundled)
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(f"featcross: {path} cannot be loaded ({error}); FEATCROSS_LIBRARY names "
                          "another libfeatcross.so") from None
    try:
        for name, (result, *arguments) in FUNCTIONS.items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
    except AttributeError as error:
        raise ImportError(f"featcross: {path} is of another version ({error})") from None
    if library.fx_abi() != ABI:
        raise ImportError(f"featcross: {path} has ABI {library.fx_abi()}, this package needs {ABI}")
    return library


lib = _load()
_HERE = os.path.dirname(__file__) + os.sep


def warn(message: str, category=UserWarning) -> None:
    """Issues a warning that points to the line outside this package that made the call."""
    level, frame = 1, sys._getframe()
    while frame.f_back and frame.f_code.co_filename.startswith(_HERE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def check(status: int) -> None:
    """Raises the Python exception for a failure; a remark becomes a ConvergenceWarning."""
    if status == 0:
        return
    from ._words import in_python       # which needs what is defined here

    detail = in_python(text(lib.fx_error_detail()))
    if status < 0:
        raise ERRORS[status](detail)
    warn(detail, ConvergenceWarning)


def text(string: bytes | None) -> str:
    return (string or b"").decode("utf-8", "surrogateescape")


def encoded(string: str | None, name: str = "spec") -> bytes | None:
    if string is None:
        return None
    if not isinstance(string, str):
        raise ValueError(f"{name}={string!r} is no text")
    if "\0" in string:
        raise ValueError(f"{string!r} holds a zero byte, where texts of the library end")
    return string.encode("utf-8", "surrogateescape")


def strings(items) -> ctypes.Array:
    """An array of C strings; it keeps their bytes alive."""
    return (c_char_p * len(items))(*[encoded(item) for item in items])


_dtype = functools.cache(np.dtype)      # of a struct it takes 0.1 ms to make


def copied(at, kind, *shape: int) -> np.ndarray:
    """A copy of the library's numbers at an address or pointer; kind: their type."""
    out = np.empty(shape, dtype=_dtype(kind))
    if out.nbytes:                      # else there may be no address
        ctypes.memmove(out.ctypes.data, at, out.nbytes)
    return out


class Handle:
    """An object of the library, freed with its last reference.  It starts empty, and the library
    stores the object in `out`, so that nothing leaks if an exception follows."""

    _free = None                        # until __init__ has run

    def __init__(self, free):
        self._as_parameter_, self._free = c_void_p(), free

    @property
    def out(self):
        return ctypes.byref(self._as_parameter_)

    def __del__(self):
        if self._free:
            self._free(self._as_parameter_)
            self._as_parameter_.value = None

    def __reduce__(self):               # a copy would be freed twice
        raise TypeError(f"{type(self).__name__} cannot be copied")

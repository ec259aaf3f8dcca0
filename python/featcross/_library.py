# SPDX-License-Identifier: BSD-3-Clause
"""The shared library as ctypes sees it: structs, functions, statuses.

featcross.h is the authority; python/tests/test_library.py compares every struct and function here
with it.  Nothing else in the package touches ctypes' types of arguments."""
from __future__ import annotations

import ctypes
import functools
import os
import sys
import warnings
from ctypes import POINTER, c_char_p, c_double, c_int, c_size_t, c_uint64, c_void_p
from pathlib import Path

import numpy as np

from ._sklearn import ConvergenceWarning
from ._structs import (ASK, MEMBER, PROGRESS, WRITE, Sized, fx_bound, fx_column_set,
                       fx_combination, fx_combos_options, fx_combos_path, fx_description,
                       fx_deviation, fx_discover_options, fx_discovered, fx_discovery,
                       fx_explain_options, fx_explanation, fx_factors, fx_key, fx_matrix,
                       fx_metrics, fx_model_info, fx_plan, fx_run, fx_sink, fx_step, fx_table)

F32, F64 = 0, 1                         # fx_type
LABEL, SCORE, PROBA = 0, 1, 2           # fx_prediction
BOUND_MAX = 4
ORDER_MAX = 16
PASS_BLOCK, PASS_END = 4096, 2**64 - 1  # FX_PASS_..

_handle, _out = c_void_p, POINTER(c_void_p)
_matrix, _table, _run, _sink = map(POINTER, (fx_matrix, fx_table, fx_run, fx_sink))
_status, _description = c_int, POINTER(fx_description)
FUNCTIONS = {                           # name: what it returns, then its arguments
    "fx_version": (c_int,),
    "fx_abi": (c_int,),
    "fx_simd_target": (c_char_p,),
    "fx_status_name": (c_char_p, _status),
    "fx_error_detail": (c_char_p,),
    "fx_spec_get": (_status, POINTER(c_char_p), POINTER(c_size_t), c_char_p, c_char_p),
    "fx_nearest": (c_char_p, c_char_p, POINTER(c_char_p), c_size_t),
    "fx_data_table": (fx_table, _handle),
    "fx_data_free": (None, _handle),
    "fx_data_make": (_status, _out, c_char_p, c_uint64, _run),
    "fx_data_planted": (c_char_p, _handle),
    "fx_data_make_name": (c_char_p, c_size_t),
    "fx_data_make_describe": (_status, _description, c_char_p),
    "fx_data_reader_format": (c_char_p, c_size_t),
    "fx_data_reader_describe": (_status, _description, c_char_p),
    "fx_data_reader_new": (_status, _out, c_char_p, c_char_p),
    "fx_data_reader_feed": (_status, _handle, c_char_p, c_size_t, _run),
    "fx_data_reader_names": (_status, _handle, POINTER(c_char_p), c_size_t),
    "fx_data_reader_names_more": (_status, _handle),
    "fx_data_reader_arrow": (_status, _handle, c_void_p, c_void_p, _run),
    "fx_data_reader_file": (_status, _handle, c_char_p),
    "fx_data_reader_member": (_status, _handle, c_char_p),
    "fx_data_reader_take": (_status, _out, _handle, c_int, _run),
    "fx_data_reader_spec": (c_char_p, _handle),
    "fx_data_reader_free": (None, _handle),
    "fx_data_write_format": (c_char_p, c_size_t),
    "fx_data_write_describe": (_status, _description, c_char_p),
    "fx_data_pack": (_status, _sink, _table, _run),
    "fx_data_unpack": (_status, _out, c_char_p, c_size_t, _run),
    "fx_data_fill": (_status, _out, c_char_p, _table, _run),
    "fx_data_folds": (_status, c_void_p, c_size_t, c_int, c_void_p, c_uint64),
    "fx_data_scale_fit": (_status, _out, c_char_p, _table, _run),
    "fx_data_scale_apply": (_status, _out, _handle, _table, _run),
    "fx_data_scale_free": (None, _handle),
    "fx_data_scale_name": (c_char_p, c_size_t),
    "fx_data_scale_describe": (_status, _description, c_char_p),
    "fx_kernel_parse": (_status, _out, c_char_p, c_char_p, c_int),
    "fx_kernel_file": (c_void_p, c_char_p, POINTER(c_size_t)),
    "fx_kernel_spec": (c_char_p, _handle),
    "fx_kernel_name": (c_char_p, c_size_t),
    "fx_kernel_describe": (_status, _description, c_char_p),
    "fx_kernel_free": (None, _handle),
    "fx_kernel_gram": (_status, c_void_p, c_size_t, _handle, _matrix, _matrix, _run),
    "fx_map_parse": (_status, _out, c_char_p, _handle, c_size_t, c_size_t, c_uint64, _matrix, _run),
    "fx_map_spec": (c_char_p, _handle),
    "fx_map_features": (c_size_t, _handle),
    "fx_map_name": (c_char_p, c_size_t),
    "fx_map_describe": (_status, _description, c_char_p),
    "fx_map_free": (None, _handle),
    "fx_map_apply": (_status, c_void_p, c_size_t, c_int, _handle, _matrix, _run),
    "fx_map_bound": (_status, POINTER(fx_bound), c_size_t, POINTER(c_size_t), _handle, c_double,
                     c_double, c_double, c_int),
    "fx_map_deviation": (_status, POINTER(fx_deviation), _handle, _matrix, c_size_t, c_uint64,
                         _run),
    "fx_model_fit": (_status, _out, POINTER(fx_plan), _table, _run),
    "fx_model_passes_fit": (_status, _out, POINTER(fx_plan), ASK, c_void_p, _run),
    "fx_model_pass_new": (_status, _out, _run),
    "fx_model_pass_begin": (_status, _handle, c_char_p, c_size_t),
    "fx_model_pass_divisible": (c_int, _handle),
    "fx_model_pass_next": (c_uint64, _handle, c_size_t),
    "fx_model_pass_add": (_status, _handle, _table, c_uint64),
    "fx_model_pass_merge": (_status, _handle, c_char_p, c_size_t),
    "fx_model_pass_end": (_status, _sink, _handle),
    "fx_model_pass_free": (None, _handle),
    "fx_model_update": (_status, _out, _handle, _table, _run),
    "fx_model_fold_in": (_status, _out, _handle, _table, _run),
    "fx_model_free": (None, _handle),
    "fx_model_name": (c_char_p, c_size_t),
    "fx_model_describe": (_status, _description, c_char_p),
    "fx_model_inspect": (POINTER(fx_model_info), _handle),
    "fx_model_dump": (_status, _sink, _handle),
    "fx_model_parse": (_status, _out, c_char_p, c_size_t, _run),
    "fx_model_width": (c_size_t, _handle, c_int),
    "fx_model_predict": (_status, c_void_p, POINTER(c_uint64), _handle, c_int, _matrix, _run),
    "fx_scorer_new": (_status, _out, _handle, _run),
    "fx_scorer_predict": (_status, c_void_p, POINTER(c_uint64), _handle, c_int, _matrix, _run),
    "fx_scorer_free": (None, _handle),
    "fx_model_evaluate_by": (_status, c_void_p, POINTER(c_char_p), c_size_t, _handle, _table, _run),
    "fx_metric_name": (c_char_p, c_size_t),
    "fx_metric_describe": (_status, _description, c_char_p),
    "fx_model_vectors_width": (_status, POINTER(c_size_t), _handle, _run),
    "fx_model_vectors": (_status, c_void_p, POINTER(c_uint64), _handle, c_int, c_size_t, _matrix,
                         _run),
    "fx_model_recommender_new": (_status, _out, _handle, c_size_t, _matrix, _run),
    "fx_model_recommender_best": (_status, c_void_p, c_void_p, POINTER(c_uint64), _handle, _matrix,
                                  c_size_t, c_void_p, c_void_p, _run),
    "fx_model_recommender_free": (None, _handle),
    "fx_model_explain": (_status, _out, _handle, POINTER(fx_explain_options), _run),
    "fx_explanation_free": (None, _handle),
    "fx_discover": (_status, _out, POINTER(fx_discover_options), _table, _run),
    "fx_discovery_free": (None, _handle),
    "fx_combos_path_new": (_status, _out, POINTER(fx_combos_options), _matrix, c_void_p, c_void_p,
                           _run),
    "fx_combos_path_free": (None, _handle),
}

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
ABI = 1                                 # FX_ABI of the header that this file mirrors


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
    from ._names.words import in_python       # which needs what is defined here
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

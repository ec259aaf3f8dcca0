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
from ctypes import POINTER, c_char_p, c_double, c_int, c_size_t, c_ubyte, c_uint64, c_void_p
from pathlib import Path

import numpy as np

from ._sklearn import ConvergenceWarning

PROGRESS = ctypes.CFUNCTYPE(c_int, c_void_p, c_double)
WRITE = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t)
MEMBER = ctypes.CFUNCTYPE(c_int, c_void_p, c_char_p, c_uint64)
ASK = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t, c_void_p)   # fx_pass_ask; an fx_sink

F32, F64 = 0, 1                         # fx_type
LABEL, SCORE, PROBA = 0, 1, 2           # fx_prediction
BOUND_MAX = 4
PASS_BLOCK, PASS_END = 4096, 2**64 - 1  # FX_PASS_..


class Sized(ctypes.Structure):
    """A struct that may grow: its first member says how large it is here."""

    def __init__(self, **members):
        super().__init__(ctypes.sizeof(self), **members)


def _struct(struct: str, /, **fields):
    base = Sized if "size" in fields else ctypes.Structure
    return type(struct, (base,), {"_fields_": list(fields.items())})


fx_step = _struct("fx_step", output=c_size_t, iteration=c_size_t, seconds=c_double,
                  objective=c_double, gap=c_double, metric=c_double)
fx_run = _struct("fx_run", size=c_size_t, threads=c_int, max_memory=c_uint64, progress=PROGRESS,
                 ctx=c_void_p, step=POINTER(fx_step))
fx_matrix = _struct("fx_matrix", rows=c_size_t, cols=c_size_t, stride=c_size_t, type=c_int,
                    wide=c_int, val=c_void_p, ptr=c_void_p, col=c_void_p)
fx_table = _struct("fx_table", rows=c_size_t, cols=c_size_t, blocks=c_size_t,
                   block=POINTER(fx_matrix), label=c_void_p, classes=c_size_t,
                   class_name=POINTER(c_char_p), qid=c_void_p, weight=c_void_p,
                   name=POINTER(c_char_p), base=c_int, id=POINTER(c_char_p), reserved=c_void_p * 3)
fx_sink = _struct("fx_sink", size=c_size_t, write=WRITE, member=MEMBER, ctx=c_void_p)
fx_bound = _struct("fx_bound", kind=c_char_p, formula=c_char_p, features=c_double)
fx_deviation = _struct("fx_deviation", size=c_size_t, pairs=c_size_t, mae=c_double, rmse=c_double,
                       max=c_double, ci95=c_double, bias=c_double, kernel_rms=c_double,
                       predicted=c_double)
fx_plan = _struct("fx_plan", size=c_size_t, model=c_char_p, scale=c_char_p, map=c_char_p,
                  kernel=c_char_p, family=c_char_p, features=c_size_t, seed=c_uint64,
                  class_weight=c_char_p, reader=c_char_p, init=c_void_p, eval=POINTER(fx_table),
                  metric=c_char_p, patience=c_size_t, max_seconds=c_double, cache=c_uint64,
                  class_value=c_void_p, classes=c_size_t, missing=c_char_p, remark=c_char_p)
fx_key = _struct("fx_key", name=c_char_p, fallback=c_char_p, values=c_char_p, type=c_int,
                 low=c_double, high=c_double, above=c_int, help=c_char_p)
fx_description = _struct("fx_description", size=c_size_t, name=c_char_p, help=c_char_p,
                         key=POINTER(fx_key), keys=c_size_t, explainable=c_int, precomputed=c_int,
                         dense=c_int, binary=c_int, members=c_int, names=c_int, weights=c_int,
                         outer=c_int, family=c_char_p, kernels=POINTER(c_char_p), composed=c_int,
                         exact=c_int, norm=c_int, independent=c_int, kind=c_char_p, loss=c_char_p,
                         task=c_int, tasks=c_int, kernel=c_int, map=c_int, labels=c_int,
                         probabilities=c_int, updatable=c_int, streamable=c_int, combines=c_int,
                         mistakes=c_int, measured=c_int, cached=c_int, pairs=c_int, on_map=c_char_p,
                         path=c_char_p, falls=c_int, two_classes=c_int, divisible=c_int)
fx_factors = _struct("fx_factors", order=c_int, cols=c_size_t, rank=c_size_t, P=POINTER(c_double),
                     **{"lambda": POINTER(c_double)}, theta=POINTER(c_double),
                     norm=POINTER(c_double))
fx_model_info = _struct("fx_model_info", spec=c_char_p, scale=c_char_p, map=c_char_p,
                        kernel=c_char_p, family=c_char_p, reader=c_char_p, seed=c_uint64,
                        cols=c_size_t, random=c_size_t, features=c_size_t, outputs=c_size_t,
                        classes=c_size_t, base=c_int, class_name=POINTER(c_char_p),
                        class_value=POINTER(c_double), name=POINTER(c_char_p),
                        weights=POINTER(c_double), intercepts=POINTER(c_double),
                        sigmoid=POINTER(c_double), seen=POINTER(c_ubyte),
                        column_scale=POINTER(c_double), vectors=fx_matrix, support_vectors=c_size_t,
                        pairs=c_int, factors=POINTER(fx_factors), orders=c_size_t, low=c_double,
                        high=c_double, variance=POINTER(c_double), total_variance=c_double,
                        rows=c_size_t, objective=c_double, gap=c_double, iterations=c_uint64,
                        converged=c_int, version=c_int, prepared=c_double, history=POINTER(fx_step),
                        steps=c_size_t, missing=c_char_p, inputs=c_size_t, fill=POINTER(c_double),
                        indicator=c_void_p, missing_values=c_uint64, missing_cols=c_size_t,
                        missing_rows=c_size_t, remark=c_char_p, weight=c_double,
                        later=POINTER(c_ubyte))
fx_metrics = _struct("fx_metrics", size=c_size_t, rows=c_size_t, accuracy=c_double, auc=c_double,
                     logloss=c_double, rmse=c_double, metric=c_double)
fx_explain_options = _struct("fx_explain_options", size=c_size_t, top=c_size_t, order=c_size_t,
                             output_from_1=c_size_t, table=POINTER(fx_table),
                             row=POINTER(fx_matrix), max_work=c_double, class_name=c_char_p,
                             min_support=c_uint64, all=c_int, importance=c_int, visit=c_void_p,
                             visit_ctx=c_void_p)
fx_combination = _struct("fx_combination", order=c_size_t, column=POINTER(c_size_t),
                         weight=c_double, contribution=c_double, support=c_uint64)
fx_explanation = _struct("fx_explanation", n=c_size_t, at=POINTER(fx_combination), exact=c_int,
                         missed=c_double, constant=c_double, score=c_double, rest=c_double,
                         unseen=c_size_t, output=c_size_t, importance=POINTER(c_double))

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
    "fx_model_explain": (_status, _out, _handle, POINTER(fx_explain_options), _run),
    "fx_explanation_free": (None, _handle),
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

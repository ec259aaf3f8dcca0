# SPDX-License-Identifier: BSD-3-Clause
"""featcross.h as ctypes sees it: structs, functions, numbers.

featcross.h is the authority; python/tests/test_library.py compares every struct and function here
with it.  _library.py passes all of it on.
"""
from __future__ import annotations

import ctypes
from ctypes import POINTER, c_char_p, c_double, c_int, c_size_t, c_uint64, c_void_p

PROGRESS = ctypes.CFUNCTYPE(c_int, c_void_p, c_double)
WRITE = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t)
MEMBER = ctypes.CFUNCTYPE(c_int, c_void_p, c_char_p, c_uint64)
ASK = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t, c_void_p)   # fx_pass_ask; an fx_sink

ABI = 1                                 # FX_ABI of the header that this file mirrors
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
                  class_value=c_void_p, classes=c_size_t, missing=c_char_p,
                  remark=c_char_p, split=c_size_t, side_reader=c_char_p * 2)
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
                        sigmoid=POINTER(c_double), seen=POINTER(ctypes.c_ubyte),
                        column_scale=POINTER(c_double), vectors=fx_matrix, support_vectors=c_size_t,
                        pairs=c_int, factors=POINTER(fx_factors), orders=c_size_t, low=c_double,
                        high=c_double, variance=POINTER(c_double), total_variance=c_double,
                        rows=c_size_t, objective=c_double, gap=c_double, iterations=c_uint64,
                        converged=c_int, version=c_int, prepared=c_double, history=POINTER(fx_step),
                        steps=c_size_t, missing=c_char_p, inputs=c_size_t, fill=POINTER(c_double),
                        indicator=c_void_p, missing_values=c_uint64,
                        missing_cols=c_size_t, missing_rows=c_size_t, remark=c_char_p,
                        split=c_size_t, side_reader=c_char_p * 2)
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
    "fx_model_vectors_width": (_status, POINTER(c_size_t), _handle, _run),
    "fx_model_recommender_new": (_status, _out, _handle, c_size_t, _matrix, _run),
    "fx_model_recommender_best": (_status, c_void_p, c_void_p, POINTER(c_uint64), _handle, _matrix,
                                  c_size_t, c_void_p, c_void_p, _run),
    "fx_model_recommender_free": (None, _handle),
    "fx_model_vectors": (_status, c_void_p, POINTER(c_uint64), _handle, c_int, c_size_t, _matrix,
                         _run),
}

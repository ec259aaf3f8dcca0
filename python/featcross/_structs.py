# SPDX-License-Identifier: BSD-3-Clause
"""The structs of featcross.h as ctypes sees them, and the functions that they point to."""
from __future__ import annotations

import ctypes
from ctypes import POINTER, c_char_p, c_double, c_int, c_size_t, c_uint64, c_void_p

PROGRESS = ctypes.CFUNCTYPE(c_int, c_void_p, c_double)
WRITE = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t)
MEMBER = ctypes.CFUNCTYPE(c_int, c_void_p, c_char_p, c_uint64)
ASK = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t, c_void_p)   # fx_pass_ask; an fx_sink


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
                   name=POINTER(c_char_p), base=c_int, id=POINTER(c_char_p), split=c_size_t,
                   reserved=c_void_p * 2)
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
                         path=c_char_p, falls=c_int, two_classes=c_int, divisible=c_int,
                         sets=c_char_p)
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
                        weight=c_double, later=POINTER(ctypes.c_ubyte), split=c_size_t,
                        side_reader=c_char_p * 2)
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
fx_combos_options = _struct("fx_combos_options", size=c_size_t, loss=c_char_p, least=c_size_t,
                            order=c_size_t, group=c_void_p, no_intercept=c_int, C=c_void_p,
                            steps=c_size_t, span=c_double, tol=c_double, max_weights=c_size_t)
fx_combos_path = _struct("fx_combos_path", steps=c_size_t, C=c_void_p, intercept=c_void_p,
                         objective=c_void_p, gap=c_void_p, n=c_size_t, at=POINTER(fx_combination),
                         first=POINTER(c_size_t), combination=POINTER(c_size_t), weight=c_void_p,
                         tie_first=POINTER(c_size_t), tie=POINTER(c_size_t), searches=c_size_t,
                         examined=c_uint64)
fx_discover_options = _struct("fx_discover_options", size=c_size_t, order=c_int, regress=c_int,
                              alpha=c_double, splits=c_size_t, select=c_size_t, scale=c_char_p,
                              missing=c_char_p, reader=c_char_p, seed=c_uint64,
                              max_seconds=c_double, permutations=c_size_t)
fx_column_set = _struct("fx_column_set", order=c_size_t, column=POINTER(c_size_t))
fx_discovered = _struct("fx_discovered", order=c_size_t, column=POINTER(c_size_t), output=c_size_t,
                        support=c_uint64, mean=c_double, binary=c_int, effect=c_double,
                        low=c_double, high=c_double, p=c_double, frequency=c_double, adds=c_double,
                        family=c_size_t, eliminated=c_int, sames=c_size_t,
                        same=POINTER(fx_column_set))
fx_discovery = _struct("fx_discovery", n=c_size_t, at=POINTER(fx_discovered),
                       info=POINTER(fx_model_info), rows=c_size_t, order=c_size_t, select=c_size_t,
                       halves=c_size_t, alpha=c_double, products=c_double, nodes=c_uint64,
                       C=c_double, gap=c_double, certified=c_int, mean=POINTER(c_double),
                       permutations=c_size_t, null_found=c_size_t, null_low=c_double,
                       null_high=c_double)

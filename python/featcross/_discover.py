# SPDX-License-Identifier: BSD-3-Clause
"""The library's search for combinations that are associated with a label, and what it found."""
from __future__ import annotations

import ctypes
import numbers
from ctypes import POINTER
from typing import Any, NamedTuple

import numpy as np

from ._data.labels import Table
from ._data.numbers import natural
from ._learners.missing import spec_of
from ._library import (ORDER_MAX, Handle, copied, encoded, fx_discover_options, fx_discovered,
                       fx_discovery, lib, text)
from ._run import call


class Discovery(NamedTuple):
    """A combination that is associated with the label.

    Attributes
    ----------
    combination : names of columns, or their numbers from 0 where rows have no names
    label : the class on whose odds the effect is: of two classes the second, of more the one that
        is told from the rest; None: y holds numbers
    pvalue : adjusted for the whole search
    effect : what a product of 1 adds to the logarithm of the odds, or to y; infinite if it
        separates the classes
    interval : (low, high) of the effect, at the level alpha; NaN if no test gave a finite one
    support : rows in which no column of it is 0
    mean : share of the class among these, or mean of their y
    frequency : share of the halves that selected it
    adds : share of the deviance (of numbers: the variance) that it explains and its parts do not
    family : number from 0; nested discoveries have the same
    same : other combinations with the same product in all rows, which the data cannot tell apart
    """

    combination: tuple
    label: Any
    pvalue: float
    effect: float
    interval: tuple[float, float]
    support: int
    mean: float
    frequency: float
    adds: float
    family: int
    same: list[tuple]


class Found(NamedTuple):
    """All of a search.

    Attributes
    ----------
    kept, eliminated : list of Discovery; those that are eliminated add nothing to the others
    columns : of the kept ones, by number
    names : of the library's columns, or None
    inputs : how many columns rows have; the others are 1 where column indicator[k] is missing
    fill : [inputs] what missing numbers were filled with
    null : of permutations, or None
    """

    kept: list[Discovery]
    eliminated: list[Discovery]
    columns: list[tuple[int, ...]]
    names: list[str] | None
    inputs: int
    indicator: np.ndarray
    fill: np.ndarray
    certified: bool
    null: dict | None


def options(given: dict, seed: int, regress: bool) -> fx_discover_options:
    """given: parameters of the estimator."""
    order = natural(given["degree"], "degree", 1)
    if order > ORDER_MAX:
        raise ValueError(f"degree={order} is above {ORDER_MAX}, the most columns of a combination")
    if not _positive(given["alpha"]) or not given["alpha"] < 1:
        raise ValueError(f"alpha={given['alpha']!r} is no number between 0 and 1")
    if given["max_seconds"] is not None and not _positive(given["max_seconds"]):
        raise ValueError(f"max_seconds={given['max_seconds']!r} is no number above 0")
    if given["scale"] not in ("auto", "maxabs", None):
        raise ValueError(f"scale={given['scale']!r}: it is 'auto', 'maxabs' or None")
    if given["missing"] == "drop":
        raise ValueError("missing='drop' is not possible: transform returns all rows")
    select = given["max_selected"]
    return fx_discover_options(
        order=order, regress=regress, alpha=given["alpha"],
        splits=natural(given["n_splits"], "n_splits", 1),
        select=0 if select is None else natural(select, "max_selected", 1),
        scale=encoded(given["scale"] or "none"), missing=encoded(spec_of(given["missing"])),
        seed=seed, max_seconds=given["max_seconds"] or 0,
        permutations=natural(given["n_permutations"], "n_permutations"))


def _positive(value) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool) \
        and 0 < float(value) < np.inf


def search(how: fx_discover_options, table: Table, classes: np.ndarray | None, **run) -> Found:
    """classes: the sorted labels; None: y holds numbers."""
    handle = Handle(lib.fx_discovery_free)
    call("fx_discover", handle.out, how, table.table, what="discover", **run)
    d = ctypes.cast(handle._as_parameter_, POINTER(fx_discovery)).contents
    info = d.info.contents
    names = [text(info.name[j]) for j in range(info.cols)] if info.name else None
    found = [(bool(one.eliminated), _discovery(one, names, classes)) for one in d.at[:d.n]]
    null = None if not d.permutations else {
        "permutations": d.permutations, "discoveries": d.null_found,
        "interval": (d.null_low, d.null_high)}
    return Found(
        [one for gone, one in found if not gone], [one for gone, one in found if gone],
        [tuple(one.column[:one.order]) for one in d.at[:d.n] if not one.eliminated], names,
        info.inputs, copied(info.indicator, np.int64, info.cols - info.inputs),
        copied(info.fill, np.float64, info.inputs) if info.fill else np.zeros(info.inputs),
        bool(d.certified), null)


def _discovery(one: fx_discovered, names: list[str] | None, classes: np.ndarray | None) \
        -> Discovery:
    def named(s) -> tuple:
        return tuple(s.column[:s.order] if names is None
                     else (names[j] for j in s.column[:s.order]))

    label = None if classes is None else classes.tolist()[1 if len(classes) == 2 else one.output]
    return Discovery(named(one), label, one.p, one.effect, (one.low, one.high), one.support,
                     one.mean, one.frequency, one.adds, one.family,
                     [named(s) for s in one.same[:one.sames]])

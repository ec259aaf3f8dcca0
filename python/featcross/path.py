# SPDX-License-Identifier: BSD-3-Clause
"""L1 fits over all combinations of columns along a path of C."""
from __future__ import annotations

import ctypes
import numbers
from ctypes import POINTER
from typing import Any, NamedTuple

import numpy as np

from ._data.labels import classes_of, column, targets, weights
from ._data.numbers import finite, natural
from ._data.rows import Rows, address
from ._frame import is_frame
from ._library import Handle, copied, encoded, fx_combos_options, fx_combos_path, lib
from ._run import call


class CombinationPath(NamedTuple):
    """What :func:`combination_path` returns.

    Attributes
    ----------
    Cs : ndarray (steps,)
    coefs : csc_array (combinations, steps), the weights; column k is those at Cs[k]
    combinations : list of tuples, the columns (or their names) of each combination that has a
        weight in some step, in the order in which the path met them
    intercepts, objectives, gaps : ndarrays (steps,); (objective - minimum) / objective is at most
        the gap, which is proven over all combinations
    support : ndarray (combinations,), how many rows hold each
    ties : list of tuples, columns that are 1 in all these rows: with any of them added it is the
        same product.  Of combinations that are equal in all rows only the smallest is listed
    """

    Cs: np.ndarray
    coefs: Any
    combinations: list[tuple]
    intercepts: np.ndarray
    objectives: np.ndarray
    gaps: np.ndarray
    support: np.ndarray
    ties: list[tuple]


def combination_path(X, y, *, degree: int = 2, min_degree: int = 1, loss: str = "squared-hinge",
                     Cs=None, n_Cs: int = 100, span: float = 100.0, groups=None,
                     sample_weight=None, fit_intercept: bool = True, tol: float = 1e-6,
                     max_weights: int | None = None, n_jobs: int | None = None,
                     verbose: int = 0) -> CombinationPath:
    """Fits with an L1 penalty on all products of columns, for many C, as lasso_path does for
    columns.

    For each C it minimises ``|w|_1 + C sum(sample_weight * loss(y, f))``, where f is an intercept
    plus a weight for every product of `min_degree` to `degree` different columns.  The products
    with weights are found by a search with bounds; the others are never written out, so there may
    be any number of them.

    Parameters
    ----------
    X : rows, dense or sparse, with numbers from -1 to 1; 0 and 1 are fastest
    y : labels of two classes (the second of the sorted ones is +1), or targets for loss="squared"
    degree, min_degree : how many columns a combination has, at most 16
    loss : "squared-hinge", "logistic" or "squared"
    Cs : ascending; None: n_Cs of them, evenly in log, from the least C with a weight to `span`
        times that
    groups : a number for each column: a combination has at most one column of each group
    sample_weight : of the rows, which multiply their losses; None: all 1
    fit_intercept : whether f has an intercept, which is not penalised
    tol : largest gap of a step
    max_weights : end after a step with so many weights
    n_jobs, verbose : as in :class:`LinearClassifier`

    Returns
    -------
    CombinationPath : Cs, coefs, combinations, intercepts, objectives, gaps, support, ties

    Examples
    --------
    >>> import featcross
    >>> X, y, planted = featcross.make("triples:n=4000,d=60,nz=10,k=5", seed=1)
    >>> path = featcross.combination_path(X, y, degree=3, max_weights=5)
    >>> set(path.combinations) == set(planted)
    True
    >>> path.coefs.shape == (5, len(path.Cs)) and bool((path.gaps <= 1e-6).all())
    True
    """
    rows = Rows(X)
    labels = _labels(y, len(rows), loss)
    weight = weights(sample_weight, len(rows))
    options, _alive = _options(rows, locals())
    handle = Handle(lib.fx_combos_path_free)
    call("fx_combos_path_new", handle.out, options, rows.matrix, address(labels),
         None if weight is None else address(weight), n_jobs=n_jobs, verbose=verbose,
         what="combination_path")
    names = list(X.columns) if is_frame(X) else None
    return _result(ctypes.cast(handle._as_parameter_, POINTER(fx_combos_path)).contents, names)


def _labels(y, n: int, loss: str) -> np.ndarray:
    """+1 and -1, or targets."""
    if loss == "squared":
        return targets(y, n)
    y = column(y, n)
    if y.dtype.kind == "f" and (y[np.isfinite(y)] % 1).any():
        raise ValueError("y holds fractions; for targets there is loss='squared'")
    classes = classes_of(y)
    if len(classes) != 2:
        raise ValueError(f"y has {len(classes)} classes; a path is of two: y == one of them")
    return np.where(y == classes[1], 1.0, -1.0)


def _options(rows: Rows, given: dict) -> tuple[fx_combos_options, list]:
    """And the arrays that it points into."""
    alive = []
    options = fx_combos_options(
        loss=encoded(given["loss"], "loss"), least=natural(given["min_degree"], "min_degree", 1),
        order=natural(given["degree"], "degree", 1), no_intercept=not given["fit_intercept"],
        steps=natural(given["n_Cs"], "n_Cs", 1), span=_number(given["span"], "span"),
        tol=_number(given["tol"], "tol"))
    if options.least > options.order:
        raise ValueError(f"min_degree={options.least} is above degree={options.order}")
    if given["max_weights"] is not None:
        options.max_weights = natural(given["max_weights"], "max_weights", 1)
    if given["Cs"] is not None:
        Cs = finite(np.atleast_1d(np.asarray(given["Cs"])).ravel(), "Cs")
        if not len(Cs):
            raise ValueError("Cs is empty")
        alive.append(Cs)
        options.C, options.steps = address(Cs), len(Cs)
    if given["groups"] is not None:
        groups = np.asarray(given["groups"])
        if groups.shape != (rows.shape[1],):
            raise ValueError(f"groups has shape {groups.shape}; it is a number for each of "
                             f"{rows.shape[1]} columns")
        number = np.unique(groups, return_inverse=True)[1].astype(np.int32)
        alive.append(number)
        options.group = address(number)
    return options, alive


def _number(value, name: str) -> float:
    if not isinstance(value, numbers.Real) or not float(value) > 0:
        raise ValueError(f"{name}={value!r} is no number above 0")
    return float(value)


def _result(p: fx_combos_path, names: list | None) -> CombinationPath:
    try:
        from scipy.sparse import csc_array
    except ImportError:
        raise ImportError("the weights of a path are sparse, for which SciPy is needed") from None
    first = copied(p.first, np.uint64, p.steps + 1).astype(np.int64)
    number = copied(p.combination, np.uint64, first[-1]).astype(np.int64)
    coefs = csc_array((copied(p.weight, np.float64, first[-1]), number, first),
                      shape=(p.n, p.steps))
    cut = p.tie_first[:p.n + 1]
    ties = [p.tie[a:b] for a, b in zip(cut, cut[1:])]
    sets = [p.at[i].column[:p.at[i].order] for i in range(p.n)]

    def named(columns):
        return tuple(columns if names is None else (names[j] for j in columns))

    C, intercept, objective, gap = (copied(at, np.float64, p.steps)
                                    for at in (p.C, p.intercept, p.objective, p.gap))
    support = np.array([p.at[i].support for i in range(p.n)], dtype=np.int64)
    return CombinationPath(C, coefs, list(map(named, sets)), intercept, objective, gap, support,
                           list(map(named, ties)))

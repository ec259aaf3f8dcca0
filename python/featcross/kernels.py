# SPDX-License-Identifier: BSD-3-Clause
"""Exact kernels: values for all pairs of rows, and functions for whatever takes a kernel."""
from __future__ import annotations

import ctypes
import operator
import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ._data.memory import empty
from ._data.numbers import narrowed
from ._data.rows import Rows, is_sparse
from ._library import Handle, check, encoded, lib, text
from ._names.spec import filled
from ._names.table import describe, names
from ._run import call, say


# ---- Families: lists of columns as the text of the file that a kernel has -----------------------
def _line(columns) -> str:
    try:
        return " ".join(str(operator.index(j)) for j in columns)
    except TypeError:
        raise ValueError(f"family: {columns!r} is no list of columns, counted from 0") from None


def _itemsets(sets) -> str:
    return "".join(f"{_line(columns) or '{}'}\n" for columns in sets)


def _groups(groups) -> str:
    return "".join(f"g{i}: {_line(columns)}\n" for i, columns in enumerate(groups))


def _cross(groups) -> str:
    return " ".join(f"g{i}" for i in range(len(groups))) + "\n" + _groups(groups)


FAMILIES = {"sets": _itemsets, "groups": _groups, "named groups": _cross}


def family_text(spec: str, family) -> str | None:
    """Text of the family of a kernel; None: it has none.  Columns count from 0."""
    size, source = ctypes.c_size_t(), encoded(spec)
    at = lib.fx_kernel_file(source, ctypes.byref(size))
    if not at:
        if family is not None:
            do = [name for name in names("kernel") if describe("kernel", name).family]
            raise ValueError(f"the kernel {spec} takes no family; {', '.join(do)} do")
        return None
    if family is None:
        family = Path(os.fsdecode(ctypes.string_at(at, size.value)))
    if isinstance(family, str):
        return family
    if isinstance(family, os.PathLike):
        return Path(family).read_text(encoding="utf-8")
    kind = describe("kernel", spec).family
    return FAMILIES[kind](list(family.values() if isinstance(family, Mapping) else family))


# ---- Kernels of the library ---------------------------------------------------------------------
class KernelHandle(Handle):
    """A kernel of the library: a complete spec and the text of its family."""

    def __init__(self, spec: str, family: str | None = None):
        super().__init__(lib.fx_kernel_free)
        self.family = family
        check(lib.fx_kernel_parse(self.out, encoded(spec), encoded(family), 0))
        self.spec = text(lib.fx_kernel_spec(self))

    def __reduce__(self):
        return KernelHandle, (self.spec, self.family)


def _variance(rows: Rows, weight: np.ndarray | None) -> float:
    """Of all numbers.  A row counts by its weight: 0 is as good as absent, 3 as three of them."""
    n, cols = rows.shape
    A, sparse = rows.array, is_sparse(rows.array)
    if weight is None and not sparse:
        return A.var(dtype=np.float64)
    total = (n if weight is None else weight.sum()) * cols
    if not sparse:
        mean = (weight @ A).sum() / total
        return weight @ (np.subtract(A, mean, dtype=np.float64)**2).sum(axis=1) / total
    value = A.data.astype(np.float64, copy=False)
    weighed = value if weight is None else value * np.repeat(weight, np.diff(A.indptr))
    return weighed @ value / total - (weighed.sum() / total)**2


def gamma_of(gamma, rows: Rows, weight: np.ndarray | None = None) -> float | None:
    """scikit-learn's "scale", 1 / (columns * variance of all numbers), and "auto", 1 / columns;
    anything else is passed on.  weight: of the rows."""
    cols = rows.shape[1]
    if gamma == "auto":
        return 1 / max(cols, 1)
    if isinstance(gamma, str) and gamma != "scale":
        raise ValueError(f"gamma={gamma!r}: it is a number, 'scale' or 'auto'")
    if gamma != "scale":
        return gamma
    values = rows.array.data if is_sparse(rows.array) else rows.array
    if values.size == 0:
        return 1.0
    with np.errstate(all="ignore"):
        variance = _variance(rows, weight)
        scale = 1 / (cols * variance)
    if 0 < scale < np.inf:
        return float(scale)
    if not variance <= 0 and np.isfinite(values).all():
        raise FloatingPointError(f"gamma='scale': the variance of {rows.name} is {variance:g}, and "
                                 "1 / (columns * variance) no number; scale the rows, or give one")
    return 1.0                          # constant rows; the library refuses what is not finite


def kernel_handle(kernel, rows: Rows, *, degree=None, gamma=None, coef0=None,
                  family=None, weight: np.ndarray | None = None) -> KernelHandle:
    """kernel: a name, to which the parameters that it has are added (None: the library's default),
    or a whole spec string.  weight: of the rows, for gamma="scale"."""
    if not isinstance(kernel, str):
        raise ValueError(f"kernel={kernel!r}: it is a name or a spec string")
    name = kernel.replace("_", "-")     # all_subsets
    if name not in names("kernel"):
        return KernelHandle(kernel, family_text(kernel, family))
    key = describe("kernel", name).key
    if "gamma" in key:
        gamma = gamma_of(gamma, rows, weight)
    if "file" in key and family is None:
        raise ValueError(f"kernel={kernel!r} needs family=: lists of columns, a text or a Path")
    whole = filled("kernel", name, {"degree": degree, "gamma": gamma, "coef0": coef0,
                                    "file": "family"})
    return KernelHandle(whole, family_text(whole, family))


# ---- Functions of rows --------------------------------------------------------------------------
def gram(X, Y=None, kernel: str = "anova", *, degree: int | None = 2,
         gamma: float | str | None = 1.0, coef0: float | None = 1.0, family=None,
         n_jobs: int | None = None, verbose: int = 0) -> np.ndarray:
    """Exact kernel values of all pairs of rows.

    Parameters
    ----------
    X, Y : array, sparse matrix or DataFrame
        Rows; Y None: Y is X, and each pair is evaluated once.
    kernel : str
        A name, such as linear, poly, exp, vovk, anova, anova-upto, all-subsets, itemset, groups,
        cross, rbf, laplacian or cauchy.  An unknown name raises an error that lists all names.
        Or a whole spec string, which needs none of the parameters that follow:
        ``"anova-upto:order=3,theta=1/0.5/0.25"``, ``"poly:degree=2(rbf:gamma=0.5)"``.
    degree, gamma, coef0 : numbers
        Parameters of the named kernel, if it has them: anova's order is `degree`. gamma may be
        "scale" or "auto" as in scikit-learn's SVC. Both are computed from the rows of Y (of X if
        there is no Y), because an SVC passes the rows that it was fitted on as Y.  None: the
        library's default.
    family : lists of columns from 0, dict, str or Path
        itemset: the sets.  groups, cross: the groups, ``[[0, 1], [2, 3]]``, perhaps with names,
        ``{"user": [0, 1], "item": [2, 3]}``.  Or the text of a file of these, or its Path.
    n_jobs : int
        Threads; None or -1: one per processor.  The values do not depend on it.
    verbose : int
        1 tells what was converted and shows a progress bar.

    Returns
    -------
    array of shape (rows of X, rows of Y)
        float32 if all rows are, else float64; computed in float64.

    Notes
    -----
    ``functools.partial(gram, kernel="anova", degree=3)`` can be pickled and used as
    ``SVC(kernel=...)``; the same works for SVR, NuSVC and OneClassSVM.  Estimators of scikit-learn
    that call a kernel with two single rows (KernelPCA, KernelRidge, Nystroem, SpectralClustering)
    take ``kernel="precomputed"`` and ``gram(X)``.

    Examples
    --------
    >>> import featcross
    >>> X = [[1., 2., 3.], [1., 0., 1.]]
    >>> print(featcross.gram(X, kernel="anova", degree=2))
    [[49.  3.]
     [ 3.  1.]]
    >>> print(featcross.gram(X, kernel="itemset", family=[[0], [1, 2]]))
    [[37.  1.]
     [ 1.  1.]]
    """
    x = Rows(X)
    y = x if Y is None or Y is X else Rows(Y, "Y")
    if verbose:
        say(*x.notes, *([] if y is x else y.notes))
    handle = kernel_handle(kernel, y, degree=degree, gamma=gamma, coef0=coef0, family=family)
    K = empty((len(x), len(y)), np.float64, "gram", "Ask for some rows of X at a time")
    call("fx_kernel_gram", K.ctypes.data, max(len(y), 1), handle, x.matrix,
         None if y is x else y.matrix, n_jobs=n_jobs, verbose=verbose, what="gram")
    return narrowed(K, np.result_type(x.dtype, y.dtype), "gram: value")


def anova_kernel(X, Y=None, degree: int = 2) -> np.ndarray:
    """Sum over all sets of `degree` columns of the product of x_j y_j; SVC(kernel=anova_kernel).

    Examples
    --------
    >>> import featcross
    >>> print(featcross.anova_kernel([[1., 2., 3.]], [[1., 1., 1.]]))
    [[11.]]
    """
    return gram(X, Y, "anova", degree=degree)


def all_subsets_kernel(X, Y=None) -> np.ndarray:
    """Product of all 1 + x_j y_j: every combination of columns; SVC(kernel=all_subsets_kernel).

    Examples
    --------
    >>> import featcross
    >>> print(featcross.all_subsets_kernel([[1., 2.]], [[1., 1.]]))
    [[6.]]
    """
    return gram(X, Y, "all-subsets")

# SPDX-License-Identifier: BSD-3-Clause
"""Estimators for dask: ``fit`` on arrays, dataframes and files whose parts are in many processes.

    model = LinearClassifier(loss="logistic").fit(X, y)     # X, y: of dask
    model.predict(X)                                        # an array of dask, not yet computed
    model.save("model.fx")                                  # as everywhere in featcross

A model has the same bytes as that of the package's estimator of this name on all rows, for any
workers and parts, and if workers are lost.  Rows of NumPy, SciPy and pandas are taken as there.
"""
from __future__ import annotations

import copy
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from . import components, factorization, linear, maps
from ._base import all_or_nothing
from ._data.rows import Rows
from ._frame import categories
from ._learners.tasks import _has_probabilities
from ._passes import engine as _engine, packed as _packed, part as _part
from ._passes.stream import Elsewhere, source_of
from ._run import processors
from ._sklearn import available_if
from .files import Files

try:
    import dask
    import dask.array as da
    from dask import delayed
except ImportError as error:
    raise ImportError(f"featcross.dask needs dask: pip install featcross[dask] ({error})") from None

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["FactorizationMachineClassifier", "FactorizationMachineRegressor", "LinearClassifier",
           "LinearRegressor", "PCA", "RandomFourier", "RandomKernelMap", "RandomMaclaurin",
           "RandomProjection", "TensorSketch"]
LARGE = 2**18                           # bytes of a request that is sent once, not in every task


def _client():
    """The client of distributed that is in use; None: dask runs in this process."""
    try:
        from distributed import default_client
        return default_client()
    except (ImportError, ValueError):
        return None


class Dask(_engine.Engine):
    """parts: a Delayed for each.  With a client all else are futures: less to do in each pass."""

    def __init__(self, parts: list):
        self.client = _client()
        self.held: list = []
        self._running: list = []
        self.parts = self._kept(parts)

    def _kept(self, tasks: list) -> list:
        if self.client is None:
            return list(dask.persist(*tasks))
        from distributed import futures_of
        return [futures_of(task)[0] for task in self.client.persist(tasks)]

    def _tasks(self, function: Callable, *arguments: list) -> list:
        """One for the first of each argument, one for the second, .."""
        if self.client is None:
            return [delayed(function, pure=False)(*given) for given in zip(*arguments)]
        return self.client.map(function, *arguments, pure=False)

    def _values(self, tasks: list) -> list:
        if self.client is None:
            return list(dask.compute(*tasks))
        self._running = tasks
        return self.client.gather(tasks)

    def threads(self) -> int:
        if self.client is None:
            return dask.config.get("num_workers", None) or processors()
        return sum(self.client.nthreads().values())

    def each(self, function: Callable[[_part.Part], Any]) -> list:
        return self._values(self._tasks(function, self.parts))

    def hold(self, layout: _packed.Layout, groups: list[tuple[int, list[_engine.Piece]]]) -> None:
        shared, pack, cut = delayed(layout), delayed(_packed.pack), delayed(_part.Part.cut)
        self.held = self._kept([pack(shared, first, [
            self.parts[p.part] if p.whole else cut(self.parts[p.part], p.first, p.end)
            for p in pieces]) for first, pieces in groups])
        self.parts = []

    def ask(self, request: bytes) -> list[bytes]:
        shared = request if self.client is None or len(request) < LARGE else \
            self.client.scatter(request, hash=False)
        answers = self._tasks(_packed.answer, [shared] * len(self.held), self.held)
        return self._values(_engine.tree(
            answers, lambda few: self._tasks(_packed.merge, [shared], [few])[0]))

    def end(self) -> None:
        if self.client is not None:     # an exception may keep references to them
            self.client.cancel([*self._running, *self.parts, *self.held])
        self.parts, self.held, self._running = [], [], []


# ---- What dask holds ----------------------------------------------------------------------------
def _is_dask(X) -> bool:
    return dask.is_dask_collection(X) and hasattr(X, "to_delayed")


def _divided(X) -> bool:
    return _is_dask(X) or isinstance(source_of(X), Files)


def _blocks(X) -> list:
    """A Delayed for each part; of an array, with all columns."""
    if isinstance(X, da.Array) and X.ndim == 2 and X.numblocks[1] > 1:
        X = X.rechunk({1: -1})
    return np.ravel(X.to_delayed()).tolist()


def _beside(values, X, name: str) -> list:
    """What comes with the parts of X: labels or weights."""
    n = X.numblocks[0] if isinstance(X, da.Array) else X.npartitions
    if values is None or np.ndim(values) == 0 and not hasattr(values, "shape"):
        return [values] * n
    known = isinstance(X, da.Array) and not np.isnan(X.shape[0])
    if not _is_dask(values):
        if not known:
            raise TypeError(f"{name} is a {type(values).__name__}, and the lengths of the parts of "
                            "X are unknown; give it as parts of dask, too")
        values = da.from_array(np.asarray(values), chunks=-1)
    if known and isinstance(values, da.Array) and not np.isnan(values.shape[0]):
        if values.shape[0] != X.shape[0]:
            raise ValueError(f"X has {X.shape[0]} rows, but {name} has {values.shape[0]}: "
                             "inconsistent numbers of samples")
        values = values.rechunk({0: X.chunks[0]})
    found = _blocks(values)
    if len(found) != n:
        raise ValueError(f"X has {n} parts, but {name} has {len(found)}, whose lengths are unknown")
    return found


def _parts(estimator, X, y, weight) -> list | None:
    """A Delayed Part for each; None: X is not in parts."""
    if _is_dask(X):
        rows = zip(_blocks(X), _beside(y, X, "y"), _beside(weight, X, "sample_weight"))
        return [delayed(_part.Part)(number, *part) for number, part in enumerate(rows)]
    source = source_of(X)
    if not isinstance(source, Files):   # they are in this process
        return None
    if y is not None or weight is not None:
        estimator._refuse(y, weight)
    labels, missing = bool(estimator._task), estimator.missing
    reader = _part.reader_of(source, labels, missing)
    return [delayed(_part.read)(number, name, reader, labels, missing)
            for number, name in enumerate(source.names)]


# ---- What is computed for each part -------------------------------------------------------------
def _sample(X):
    """A few rows like those of X."""
    if isinstance(X, da.Array):
        return np.zeros((1, *X.shape[1:]), X.dtype)
    return X._meta_nonempty


def _each(estimator, method: str, X):
    """An array of dask: the method's value for each part."""
    one, source = copy.copy(estimator), source_of(X)
    one.n_jobs = 1
    if not isinstance(source, Files):
        like, value = getattr(one, method)(_sample(X)), getattr(delayed(one), method)
        values = [value(part) for part in _blocks(X)]
    else:
        like = getattr(one, method)(Rows(np.zeros((1, one._fitted("model_").content.inputs))))
        values = [delayed(_part.predicted)(one, method, name, source.reader)
                  for name in source.names]
    rows = X.chunks[0] if isinstance(X, da.Array) else [np.nan] * len(values)
    return da.concatenate([da.from_delayed(value, (n, *like.shape[1:]), like.dtype)
                           for value, n in zip(values, rows)], allow_unknown_chunksizes=True)


class _Learner:
    """Comes before a class of the package."""

    @all_or_nothing
    def fit(self, X, y=None, sample_weight=None, eval_set=None, *, max_memory=None) -> Self:
        """Fits to rows in parts.

        X is an array or a DataFrame of dask, the name of a file or a list of names, each of which
        is a part; y and sample_weight are of dask, with the same parts, or arrays if the lengths
        of the parts are known.  Other rows are taken as in the package.
        """
        parts = _parts(self, X, y, sample_weight)
        if parts is None:
            return super().fit(X, y, sample_weight, eval_set, max_memory=max_memory)
        return _engine.fit(self, Dask(parts), eval_set, max_memory)

    def predict(self, X):
        """Labels or targets; of dask, if X is, or names files."""
        return _each(self, "predict", X) if _divided(X) else super().predict(X)


class _Classifier(_Learner):
    def decision_function(self, X):
        """Scores; of dask, if X is."""
        return _each(self, "decision_function", X) if _divided(X) else super().decision_function(X)

    @available_if(_has_probabilities)
    def predict_proba(self, X):
        """Probabilities; of dask, if X is."""
        return _each(self, "predict_proba", X) if _divided(X) else super().predict_proba(X)


class _Map:
    @all_or_nothing
    def fit(self, X, y=None) -> Self:
        """Draws the map for rows as wide as X, none of which is computed."""
        if not _is_dask(X):
            return super().fit(X, y)
        if "allocated" in self.get_params(deep=False).values():
            raise ValueError("orders='allocated' depends on rows: fit the map on some in memory")
        some = _sample(X)
        if hasattr(some, "columns") and categories(some):
            raise ValueError("X holds categories, and a map needs to know all of them: fit it on a "
                             "DataFrame of pandas that has them")
        rows = self._rows(some, reset=True)
        return self._draw(Elsewhere(*rows.shape), None)

    def transform(self, X):
        """Features; of dask, if X is."""
        return _each(self, "transform", X) if _is_dask(X) else super().transform(X)


class LinearClassifier(_Classifier, linear.LinearClassifier):
    pass


class LinearRegressor(_Learner, linear.LinearRegressor):
    pass


class FactorizationMachineClassifier(_Classifier, factorization.FactorizationMachineClassifier):
    pass


class FactorizationMachineRegressor(_Learner, factorization.FactorizationMachineRegressor):
    pass


class RandomKernelMap(_Map, maps.RandomKernelMap):
    pass


class RandomMaclaurin(_Map, maps.RandomMaclaurin):
    pass


class TensorSketch(_Map, maps.TensorSketch):
    pass


class RandomFourier(_Map, maps.RandomFourier):
    pass


class RandomProjection(_Map, maps.RandomProjection):
    pass


class PCA(components.KernelPCA):
    """Principal components of the rows, or of the features of a map.

    map is one of the package's; None: rows as they are.  Other parameters, and attributes, are
    those of KernelPCA.
    """

    kernel, degree, gamma, coef0, family = "linear", 2, 1.0, 1.0, None

    def __init__(self, n_components: int = 2, *, map=None, scale: str | None = None,
                 missing: str = "error", random_state=None, n_jobs: int | None = None,
                 verbose: int = 0):
        self._set(locals())

    @all_or_nothing
    def fit(self, X, y=None, *, max_memory=None) -> Self:
        """Finds the directions; y is ignored.  X: see LinearClassifier."""
        parts = _parts(self, X, None, None)
        if parts is None:
            return super().fit(X, max_memory=max_memory)
        return _engine.fit(self, Dask(parts), max_memory=max_memory)

    def transform(self, X):
        """Components; of dask, if X is, or names files."""
        return _each(self, "transform", X) if _divided(X) else super().transform(X)

# SPDX-License-Identifier: BSD-3-Clause
"""Map: what all feature maps share."""
from __future__ import annotations

import ctypes
import operator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ._base import Estimator, all_or_nothing, seed_of
from ._data.memory import empty
from ._data.numbers import natural
from ._data.rows import TYPES, Rows, rows_from
from ._library import BOUND_MAX, Handle, check, encoded, fx_bound, fx_deviation, lib, text
from ._names.spec import chosen, filled
from ._run import call
from ._sklearn import TransformerMixin
from .kernels import KernelHandle, kernel_handle

if TYPE_CHECKING:
    from typing_extensions import Self


class MapError(NamedTuple):
    """Error of <Z(x), Z(y)> against K(x, y) over pairs of rows.

    Attributes
    ----------
    predicted : root mean square over draws of the map, by exact variances; NaN: not known
    rmse, mae, max, mean : measured, by this map: root mean square, mean of |error|, largest
        |error|, mean error
    ci95 : rmse +- this is a 95 % interval for all pairs
    scale : root mean square of K, to compare with
    pairs : number of pairs
    """

    predicted: float
    rmse: float
    mae: float
    max: float
    ci95: float
    mean: float
    scale: float
    pairs: int


class Bound(NamedTuple):
    """How many features a theorem asks for.

    Attributes
    ----------
    kind : of theorem: "itemset", "anova-factorial", ..
    formula : bound on the probability, for D features
    n_components : number of features, to be rounded up; may be infinite
    """

    kind: str
    formula: str
    n_components: float


class MapHandle(Handle):
    """A map of the library; drawn again, bit for bit, from what pickle keeps."""

    def __init__(self, spec: str, kernel: KernelHandle, cols: int, random: int, seed: int,
                 sample: Rows | None = None, **how):
        super().__init__(lib.fx_map_free)
        self.kernel, self.cols, self.random, self.seed = kernel, cols, random, seed
        call("fx_map_parse", self.out, encoded(spec), kernel, cols, random, seed,
             sample.matrix if sample else None, what="map", **how)
        self.spec = text(lib.fx_map_spec(self))
        self.features = lib.fx_map_features(self)

    def __reduce__(self):               # its spec holds what was chosen by the sample
        return MapHandle, (self.spec, self.kernel, self.cols, self.random, self.seed)


class Map(TransformerMixin, Estimator):
    """A subclass has parameters.  Those that are called kernel, degree, gamma, coef0 and family are
    of the kernel."""

    _maps: dict[str, dict] = {}         # of the library: name, and parameters that ask for it

    def _keys(self, random: int) -> dict:
        """Values from which the keys of the map's spec are filled, for this many random
        features."""
        return self.get_params(deep=False)

    def _spec(self, random: int) -> str:
        """Spec of the map for this many random features."""
        keys = self._keys(random)
        return filled("map", chosen(self._maps, keys), keys)

    def _kernel(self, rows: Rows, weight: np.ndarray | None = None) -> KernelHandle:
        given = {name: getattr(self, name) for name in ("degree", "gamma", "coef0", "family")
                 if hasattr(self, name)}
        return kernel_handle(self.kernel, rows, weight=weight, **given)

    def _random(self, cols: int) -> int:
        """n_components: a number, or in multiples of columns."""
        n = self.n_components
        try:
            times = isinstance(n, str) and n.endswith("x")
            count = int(n[:-1]) * cols if times else operator.index(n)
        except (TypeError, ValueError):
            count = 0
        if not 0 < count < 2**31:
            raise ValueError(f"n_components={n!r} is neither a number from 1 to 2^31 - 1 nor a "
                             "multiple of the columns such as '16x'")
        return count

    def _seed(self) -> int:
        return seed_of(self.random_state)

    def plan(self, rows: Rows, weight: np.ndarray | None = None) -> dict:
        """Members of fx_plan for a learner on this map; a seed if the map has a random_state, so
        that the features are those of transform.  weight: of the rows, for gamma="scale"."""
        kernel, random = self._kernel(rows, weight), self._random(rows.shape[1])
        plan = {"map": self._spec(random), "kernel": kernel.spec, "family": kernel.family,
                "features": random}
        if self.random_state is not None:
            plan["seed"] = self._seed()
        return plan

    @all_or_nothing
    def fit(self, X, y=None) -> Self:
        """Draws the map for rows as wide as X.

        Only the width of X matters, except for gamma="scale" and parameters set to "auto" or
        "allocated"; y is ignored.
        """
        rows = self._rows(X, reset=True)
        return self._draw(rows, rows)

    def _draw(self, rows: Rows, sample: Rows | None) -> Self:
        """sample: rows by which it chooses what is left to it; None: it must not."""
        cols = rows.shape[1]
        random = self._random(cols)
        self.map_ = m = MapHandle(self._spec(random), self._kernel(rows), cols, random,
                                  self._seed(), sample, **self._how())
        self._say(f"map: {m.spec} of {m.kernel.spec}, {m.features} features")
        self._n_features_out = m.features
        return self

    def transform(self, X) -> np.ndarray:
        """Features of X.

        Returns
        -------
        array of shape (rows, features)
            float32 if X is, else float64; dense, also of sparse rows.  MemoryError if it would take
            more than four fifths of this machine's memory; a learner with map= makes no such array.
        """
        m = self._fitted("map_")
        rows = self._rows(X, reset=False)
        Z = empty((len(rows), m.features), rows.dtype, "transform",
                  "A learner with map= makes no such array")
        at = 0
        for part in rows.matrices:
            with rows_from(at):
                call("fx_map_apply", Z[at:].ctypes.data, m.features, TYPES[rows.dtype], m, part,
                     what="transform", **self._how())
            at += part.rows
        return Z

    def error(self, X, n_pairs: int = 10000, random_state=1) -> MapError:
        """How far <Z(x), Z(y)> is from K(x, y), as predicted and as measured.

        Parameters
        ----------
        X : rows, two at least
        n_pairs : int
            Pairs of two different rows of X, drawn by random_state.
        """
        m = self._fitted("map_")
        rows, out = self._rows(X, reset=False), fx_deviation()
        call("fx_map_deviation", out, m, rows.matrix, natural(n_pairs, "n_pairs", 1),
             seed_of(random_state), what="error", **self._how())
        return MapError(out.predicted, out.rmse, out.mae, out.max, out.ci95, out.bias,
                        out.kernel_rms, out.pairs)

    def bound(self, eps: float, delta: float = 0.05, radius: float = 1.0,
              uniform: bool = False) -> list[Bound]:
        """The n_components for which an error of eps or more has a probability of at most delta.

        Lists every theorem that applies, the most general first and the sharpest last; if none
        does, ValueError gives the reason.  Rows have an L1 norm of at most radius (TensorSketch and
        RandomProjection: L2). uniform: the bound is for the largest error over all pairs of rows.
        """
        m = self._fitted("map_")
        found, n = (fx_bound * BOUND_MAX)(), ctypes.c_size_t()
        check(lib.fx_map_bound(found, BOUND_MAX, n, m, radius, eps, delta, int(uniform)))
        return [Bound(text(b.kind), text(b.formula), b.features) for b in found[:n.value]]

    def get_feature_names_out(self, input_features=None) -> np.ndarray:
        """Names of random features: the name of the class and a number.  input_features is
        ignored."""
        n, name = self._fitted("map_").features, type(self).__name__.lower()
        return np.array([f"{name}{i}" for i in range(n)], dtype=object)

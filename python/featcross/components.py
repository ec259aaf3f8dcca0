# SPDX-License-Identifier: BSD-3-Clause
"""Principal components in the space of a kernel."""
from __future__ import annotations

import numbers
from typing import TYPE_CHECKING

import numpy as np

from ._base import all_or_nothing
from ._learners.learner import Learner
from ._learners.machine import PRECOMPUTED, KernelMachine
from ._passes.stream import source_of
from ._sklearn import TransformerMixin
from .linear import Linear

if TYPE_CHECKING:
    from typing_extensions import Self


class KernelPCA(TransformerMixin, KernelMachine, Linear, Learner):
    """Directions of largest variance in the space of a kernel.

    Either exact, from all kernel values (memory: 8 bytes times the square of the number of rows),
    or on the features of a map, which allows any number of rows. kernel="linear" uses the rows as
    they are.

    Parameters
    ----------
    n_components : number of components
    kernel, degree, gamma, coef0, family, scale, missing, n_jobs, verbose : see KernelSVC
    map : one of the package's maps; the components are then those of its features, and the kernel
        is that of the map
    random_state : seed for the start of the search for directions and for the map

    Attributes
    ----------
    explained_variance_ : of each component: the mean of its square over the rows
    explained_variance_ratio_ : the same as a share of the variance in all directions
    support_vectors_, dual_coef_, intercept_, model_ : see KernelSVC; on a map, and with
        kernel="linear", no rows are kept

    Examples
    --------
    >>> import numpy as np
    >>> from featcross import KernelPCA
    >>> X = np.array([[1., 0.], [-1., 0.], [0., 3.], [0., -3.]])
    >>> pca = KernelPCA(2, kernel="linear").fit(X)
    >>> print(np.round(pca.explained_variance_ratio_, 6))
    [0.9 0.1]
    >>> print(np.round(abs(pca.transform(X)), 6).tolist())
    [[0.0, 1.0], [0.0, 1.0], [3.0, 0.0], [3.0, 0.0]]
    """

    _models: dict = {"pca": {"kernel": "linear"}, "kernel-pca": {}}

    def __init__(self, n_components: int = 2, *, kernel="rbf", degree: int = 2, gamma="scale",
                 coef0: float = 1.0, family=None, map=None, scale: str | None = None,
                 missing: str = "error", random_state=None, n_jobs: int | None = None,
                 verbose: int = 0):
        self._set(locals())

    def _plan(self, rows, weight):
        k = self.n_components
        if not (isinstance(k, numbers.Integral) and 0 < k <= len(rows)):
            raise ValueError(f"n_components={k!r}: it is a whole number from 1 to "
                             f"n_samples={len(rows)}")
        if self.map is not None and (callable(self.kernel) or self.kernel == PRECOMPUTED):
            raise ValueError("map= takes rows, not kernel values; its kernel is a parameter of it")
        of_rows, of_kernel = self._models
        if self._of_features() and (self.map is not None or k <= rows.shape[1]):
            return {"model": self._model(of_rows), **self._members(rows, weight)}
        return {"model": self._model(of_kernel), **self._members(rows, weight),
                **self._kernel(rows, weight)}

    def _of_features(self) -> bool:
        """Of rows or a map's features, not of kernel values."""
        return self.map is not None or isinstance(self.kernel, str) and self.kernel == "linear"

    def _streamed_model(self):
        return self._model(list(self._models)[0 if self._of_features() else 1])

    @all_or_nothing
    def fit(self, X, y=None, *, max_memory=None) -> Self:
        """Finds the directions; y is ignored.

        Rows that exceed the memory: X is the name of a file, a list of names, Files or Parts.
        max_memory: bytes that the fit may use beside X, a number or a text such as "256M".
        """
        source = source_of(X)
        if source is not None:
            self._fit_source(source, max_memory=max_memory)
        else:
            rows = self._rows(X, reset=True)
            self._train(rows, more={"reader": self._reader(None)}, max_memory=max_memory)
        return self

    def _keep(self, model):
        super()._keep(model)
        c = model.content
        self.explained_variance_ = model.array("variance", c.outputs)
        self.explained_variance_ratio_ = self.explained_variance_ / (c.total_variance or 1)
        self._n_features_out = c.outputs

    def transform(self, X) -> np.ndarray:
        """Components of X: (rows, n_components), of mean 0 over the rows of the training."""
        return self._scores(X)

    def get_feature_names_out(self, input_features=None) -> np.ndarray:
        """kernelpca0, kernelpca1, ..."""
        n = self._fitted("_n_features_out")
        return np.array([f"kernelpca{i}" for i in range(n)], dtype=object)

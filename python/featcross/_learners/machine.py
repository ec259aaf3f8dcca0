# SPDX-License-Identifier: BSD-3-Clause
"""KernelMachine: what learners over an exact kernel share - the kernel by name, by its values or by
a function, and the rows that the fitted model keeps."""
from __future__ import annotations

import numpy as np

from .._data.matrix import rows_of, scaled
from .._data.rows import Rows
from .._library import text
from .._names.table import describe
from ..kernels import kernel_handle
from .choice import is_auto

PRECOMPUTED = "precomputed"


class KernelMachine:
    """Parameters kernel, degree, gamma, coef0, family and scale are in every subclass, which is a
    Learner too."""

    random_state = 0                    # a fit that draws nothing has no such parameter

    def _plan(self, rows: Rows, weight: np.ndarray | None) -> dict:
        return {"model": self._model(), "scale": self.scale, **self._kernel(rows, weight)}

    def _kernel(self, rows: Rows, weight: np.ndarray | None) -> dict:
        """Members of fx_plan.  Values of a function are a precomputed kernel to the library."""
        if is_auto(self.kernel):
            return {}
        if callable(self.kernel) or self.kernel == PRECOMPUTED:
            return {"kernel": "precomputed:serial=no"}
        rows = scaled(rows, self.scale, self.gamma, weight, **self._how())
        handle = kernel_handle(self.kernel, rows, degree=self.degree, gamma=self.gamma,
                               coef0=self.coef0, family=self.family, weight=weight)
        return {"kernel": handle.spec, "family": handle.family}

    def _rows(self, X, *, reset: bool) -> Rows:
        rows = super()._rows(X, reset=reset)
        if reset and callable(self.kernel):
            self.X_fit_ = rows.array
        return self._for_model(rows)

    def _for_model(self, rows: Rows) -> Rows:
        if not callable(self.kernel):
            return rows
        K = Rows(self.kernel(rows.array, self._fitted("X_fit_")), "the kernel's values")
        if K.shape != (len(rows), self.X_fit_.shape[0]):
            raise ValueError(f"kernel={self.kernel!r} gave an array of shape {K.shape} for "
                             f"{len(rows)} and {self.X_fit_.shape[0]} rows")
        return K.astype(rows.dtype)

    def _table(self, rows: Rows, **members):
        table = super()._table(rows, **members)
        if callable(self.kernel):       # names of X's columns are none of the kernel's values
            table.table.name = None
        return table

    def _kernel_content(self):
        """fx_model_info of a model that has weights of rows."""
        c = self._fitted("model_").content
        if c.map or not c.kernel:
            raise AttributeError(f"this model keeps weights of features, not of rows: "
                                 f"{text(c.spec)}, map {text(c.map) or 'none'}; collapse=False, "
                                 "where there is such a parameter, keeps rows")
        return c

    @property
    def support_vectors_(self):
        """Rows that the model keeps, after scaling; sparse if those of the training were."""
        c = self._kernel_content()
        if describe("kernel", text(c.kernel)).precomputed:
            raise AttributeError("kernel values stand for no rows; dual_coef_ has a weight for "
                                 "each row of the training")
        return rows_of(c.vectors, "support vectors")

    @property
    def dual_coef_(self) -> np.ndarray:
        """(scores, rows kept); of a precomputed kernel (scores, rows of the training)."""
        c = self._kernel_content()
        return c.owner.array("weights", c.features, c.outputs).T

    @property
    def intercept_(self) -> np.ndarray:
        """Of each score."""
        c = self._fitted("model_").content
        return c.owner.array("intercepts", c.outputs)

    def _more_tags(self):
        return {"pairwise": self.kernel == PRECOMPUTED}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == PRECOMPUTED
        return tags

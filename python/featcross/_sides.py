# SPDX-License-Identifier: BSD-3-Clause
"""Users and items: rows of one side, whose vectors' inner products are scores."""
from __future__ import annotations

import numpy as np

SIDES = ("first", "second")


class Sided:
    """Methods of learners; model_ is the fitted model."""

    def vectors(self, X, side: str = "second", *, label=None) -> np.ndarray:
        """Rows of one side as vectors: those of a user and of an item have the score of the row that
        joins both as their inner product.

        Parameters
        ----------
        X : rows with all columns of fit, of which those of the other side are 0 or absent
        side : "first" or "second".  The constant of the model is in the vectors of the first side
        label : with three or more classes, the class whose score is meant, as in top_combinations

        Returns
        -------
        array (rows, numbers), float64 : what decision_function (of a target: predict) gives for a
            joined row is vectors(user, "first") @ vectors(item, "second"), up to rounding.  Models
            that have no such vectors raise a ValueError that says why
        """
        if side not in SIDES:
            raise ValueError(f"side={side!r}: it is 'first' or 'second'")
        model, output = self._fitted("model_"), self._output(label)
        return model.vectors(self._rows(X, reset=False), SIDES.index(side), output, **self._how())

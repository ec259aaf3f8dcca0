# SPDX-License-Identifier: BSD-3-Clause
"""Users and items: rows of one side, whose vectors' inner products are scores."""
from __future__ import annotations

import numpy as np

from ._data.numbers import natural

SIDES = ("first", "second")


class Sided:
    """Methods of learners; model_ is the fitted model."""

    def vectors(self, X, side: str = "second", *, label=None) -> np.ndarray:
        """Rows of one side as vectors: those of a user and of an item have the score of the row
        that joins both as their inner product.

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

    def recommend(self, users, items, k: int = 10, exclude=None, *, label=None) \
            -> tuple[np.ndarray, np.ndarray]:
        """The k items with the highest scores for each user, by all pairs of a row of users and a
        row of items.

        Parameters
        ----------
        users, items : rows of the first and of the second side, as in vectors
        k : number of items for each user
        exclude : items that a user does not get, such as those already seen: a sparse matrix
            (users, items) whose entries other than 0 are left out, or for each user a sequence of
            numbers of items; None: all items are offered
        label : with three or more classes, the class whose score decides

        Returns
        -------
        items : array (users, k), rows of items from 0, the best first; of equal ones, the one
            that comes first in items.  -1: there are no more
        scores : array (users, k), float64; NaN: there are no more
        """
        model, output = self._fitted("model_"), self._output(label)
        users, items = self._rows(users, reset=False), self._rows(items, reset=False)
        seen = None if exclude is None else _seen(exclude, len(users), len(items))
        return model.recommend(users, items, natural(k, "k", 1), output, seen, **self._how())


def _seen(exclude, users: int, items: int) -> tuple[np.ndarray, np.ndarray]:
    """Offsets for each user, and numbers of items, ascending."""
    from scipy import sparse

    if not sparse.issparse(exclude):
        each = [np.unique(np.asarray(one, dtype=np.intp)) for one in exclude]
        column = np.concatenate(each) if each else np.empty(0, np.intp)
        if column.size and (column.min() < 0 or column.max() >= items):
            wrong = column.min() if column.min() < 0 else column.max()
            raise ValueError(f"exclude holds item {wrong}; there are {items}, from 0")
        counts = [len(one) for one in each]
        exclude = sparse.csr_matrix((np.ones(len(column)), column, np.cumsum([0, *counts])),
                                    shape=(len(each), items))
    if exclude.shape != (users, items):
        raise ValueError(f"exclude has shape {exclude.shape}; there are {users} users and {items} "
                         "items")
    seen = sparse.csr_matrix(exclude, copy=True)
    seen.sum_duplicates()
    seen.eliminate_zeros()
    return seen.indptr.astype(np.uintp), seen.indices.astype(np.uintp)

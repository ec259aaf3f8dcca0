# SPDX-License-Identifier: BSD-3-Clause
"""fold_in: columns that the fit of a factorization machine did not know, everything else fixed."""
from __future__ import annotations

import copy
from typing import TYPE_CHECKING

from ._base import _difference, all_or_nothing, names_of
from ._data.arrow import is_arrow
from ._data.rows import Rows
from ._frame import Encoder, distinct
from ._passes.stream import source_of

if TYPE_CHECKING:
    from typing_extensions import Self


class FoldsIn:
    """An estimator's part."""

    n_features_in_: int
    encoder_: Encoder

    @all_or_nothing
    def fold_in(self, X, y, sample_weight=None) -> Self:
        """Learns columns that the fit did not know, and leaves everything else as it is.

        In a table of categories these are new values, such as a new user's; X may also have columns
        after those of the fit, and columns that were 0 in all of its rows.  Their weights and
        factors minimise the objective of the fit, of which they and the rows of X are then a part,
        exactly where no row has two of them.  Not for rankings and powers (PolynomialNetwork).

        sample_weight multiplies the loss of each row; class_weight does not.
        """
        model = self._fitted("model_")
        if source_of(X) is not None:
            raise ValueError("fold_in takes rows in memory, not files and Parts")
        rows = self._wider_rows(X)
        self._keep(model.fold_in(self._labelled(rows, y, sample_weight=sample_weight),
                                 **self._how()))
        return self

    def _wider_rows(self, X) -> Rows:
        """X as rows, with columns for what is new in it."""
        if is_arrow(X):
            return self._arrow_rows(X, False, more=True)[0]
        if hasattr(self, "encoder_"):
            self.encoder_ = copy.deepcopy(self._encoder(X, False))
            self.encoder_.learn(X)
            return self._rows(X, reset=False)
        names, known = names_of(X), getattr(self, "feature_names_in_", None)
        rows = Rows(X, missing=getattr(self, "missing", "error") != "error")
        width = rows.shape[1]
        if width <= self.n_features_in_:
            return self._rows(X, reset=False)
        if known is not None:
            if names is None:
                raise ValueError("the columns of X must be those of the fit, and new ones after "
                                 "them: X needs their names")
            if list(names[:len(known)]) != list(known):
                raise ValueError(_difference(list(known), list(names[:len(known)])))
            self.feature_names_in_ = distinct(list(names))
        self.n_features_in_ = width
        return rows

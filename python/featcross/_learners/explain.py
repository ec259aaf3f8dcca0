# SPDX-License-Identifier: BSD-3-Clause
"""Which combinations of features a fitted model weighs most, and which decide a row's score."""
from __future__ import annotations

import itertools

from .._data.numbers import natural
from .._library import warn
from .._model import Combination, Explanation


SHOWN = 20                              # labels that a message lists


class Explained:
    """Methods of learners; model_ is the fitted model."""

    def top_combinations(self, k: int = 20, *, order: int | None = None, label=None, X=None,
                         unsupported: bool = False, by: str = "weight") -> list[Combination]:
        """The combinations of features with the largest |weights| or importance, the largest first.

        A score is a constant plus the sum, over all combinations, of the weight times the product
        of the (scaled) features.

        Parameters
        ----------
        k : maximum number of combinations in the list
        order : list only combinations of this many features
        label : with three or more classes, the class whose score is explained; for KernelSVC a pair
            of classes (first, second).  With two classes there is only one score, that of the
            second
        X : rows.  The support of a combination is the number of rows that have all its features;
            its importance is the mean over the rows of |weight times product|. Combinations that
            occur in no row, such as two values of one category, are left out
        unsupported : with X: also list combinations that occur in no row
        by : "weight", or with X "importance".  A weight is large if the values of its features are
            small; importance does not depend on scaling

        Returns
        -------
        list of Combination : features are names if the rows of fit had names, else columns from 0.
            If the search stopped before it could prove that no larger one is missing, there is a
            warning
        """
        model, output = self._fitted("model_"), self._output(label)
        if unsupported and X is None:
            raise ValueError("unsupported=True needs X, the rows to look at")
        if by not in ("weight", "importance"):
            raise ValueError(f"by={by!r}: it is 'weight' or 'importance'")
        if by == "importance" and X is None:
            raise ValueError("by='importance' needs X, the rows to measure it on")
        support = None if X is None else self._table(self._rows(X, reset=False))
        found = model.explain(top=natural(k, "k", 1), output=output, support=support,
                              unsupported=bool(unsupported), by_importance=by == "importance",
                              order=0 if order is None else natural(order, "order", 1),
                              names=model.names(), **self._how())
        _warn_unless_exact([found], "have an importance of" if by == "importance" else "weigh")
        return found.combinations

    def explain(self, X, k: int = 20, *, label=None) -> list[Explanation]:
        """For each row of X, the k combinations that contribute most to its score.

        label: as in top_combinations.  If it is None and there are three or more classes, the score
        of the predicted class of each row is explained.  KernelSVC has one score per pair of
        classes: it explains the predicted class (or the class in label) against the next best class
        of the row.  The label of each Explanation names the class or the pair.
        """
        model, rows = self._fitted("model_"), self._rows(X, reset=False)
        options = {"top": natural(k, "k", 1), "names": model.names(), "label_of": self._label,
                   **self._how()}
        if model.content.pairs and label in self.classes_.tolist():
            at = self.classes_.tolist().index(label)
            options["name"] = model.content.class_name[at]
        elif label is not None:
            options["output"] = self._output(label)
        found = [model.explain(row=rows.row(i), **options) for i in range(len(rows))]
        _warn_unless_exact(found)
        return found

    def _label(self, output: int):
        """The class that a positive score of this output means; for KernelSVC (first, second)."""
        c = self._fitted("model_").content
        if not hasattr(self, "classes_"):
            return None
        classes = self.classes_.tolist()
        if not c.pairs:
            return classes[1 if c.outputs == 1 else output]
        first = 0
        while output >= len(classes) - 1 - first:
            output -= len(classes) - 1 - first
            first += 1
        return classes[first], classes[first + 1 + output]

    def _output(self, label) -> int:
        """Number of the score whose positive values mean a class (for KernelSVC: the second of
        two)."""
        c = self._fitted("model_").content
        classes = self.classes_.tolist() if hasattr(self, "classes_") else []
        if c.pairs:
            if isinstance(label, tuple) and len(label) == 2 and set(label) <= set(classes):
                a, b = map(classes.index, label)
                if a < b:
                    return a * (2 * len(classes) - a - 1) // 2 + b - a - 1
            offered = list(itertools.islice(itertools.combinations(classes, 2), SHOWN + 1))
        else:
            offered = classes[1:] if c.outputs == 1 else classes
            if label in offered:
                return offered.index(label)
            if label is None and c.outputs == 1:
                return 0
        names = [repr(name) for name in offered[:SHOWN]] + [".."] * (len(offered) > SHOWN)
        raise ValueError(f"label={label!r}: there are scores of "
                         f"{', '.join(names) or 'one target'}"
                         + ("; label= selects one" if label is None else ""))


def _warn_unless_exact(found: list[Explanation], what: str = "weigh") -> None:
    if not all(one.exact for one in found):
        bound = max(one.missed for one in found)
        warn(f"the search ended at its limit: a combination that is not listed may {what} up to "
             f"{bound:.3g}", RuntimeWarning)

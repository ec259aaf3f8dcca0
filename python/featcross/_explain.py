# SPDX-License-Identifier: BSD-3-Clause
"""Which combinations of features a fitted model weighs most, and which decide a row's score."""
from __future__ import annotations

from ._library import warn
from ._model import LABEL, Combination, Explanation
from ._numbers import natural


class Explained:
    """Methods of learners; model_ is the fitted model."""

    def top_combinations(self, k: int = 20, *, order: int | None = None, label=None,
                         X=None) -> list[Combination]:
        """The combinations of features with the largest |weights|, the largest first.

        A score is a constant and the sum of weight times product of the features, over all
        combinations; features as they are after scaling.

        Parameters
        ----------
        k : how many; fewer come back if there are no more
        order : only combinations of so many features
        label : of three or more classes, whose score; of KernelSVC, two classes (first, second).
            Two classes have one score, for the second
        X : rows, to count those that hold all features of a combination (support)

        Returns
        -------
        list of Combination : features are names if the rows of fit had names, else columns from 0.
            A warning says so if there was no time to make sure that no other weight is larger
        """
        model, output = self._fitted("model_"), self._output(label)
        support = None if X is None else self._table(self._rows(X, reset=False))
        found = model.explain(top=natural(k, "k", 1), output=output, support=support,
                              order=0 if order is None else natural(order, "order", 1),
                              names=model.names(), **self._how())
        _warn_unless_exact([found])
        return found.combinations

    def explain(self, X, k: int = 20, *, label=None) -> list[Explanation]:
        """For each row of X the k combinations that contribute most to its score.

        label: as in top_combinations; None: of three or more classes the score of the row's own
        predicted class.
        """
        model, rows = self._fitted("model_"), self._rows(X, reset=False)
        one = label is not None or model.content.outputs == 1 or model.content.pairs
        outputs = [self._output(label)] * len(rows) if one else \
            model.predict(rows, LABEL, **self._how())[:, 0].astype(int).tolist()
        asked = {"top": natural(k, "k", 1), "names": model.names(), **self._how()}
        found = [model.explain(output=output, row=rows.row(i), **asked)
                 for i, output in enumerate(outputs)]
        _warn_unless_exact(found)
        return found

    def _output(self, label) -> int:
        """Number of the score that speaks for a class (of KernelSVC: for the second of two)."""
        c = self._fitted("model_").content
        classes = self.classes_.tolist() if hasattr(self, "classes_") else []
        if c.outputs == 1:
            offered = {label: 0 for label in classes[1:]}
            if label is None:
                return 0
        elif c.pairs:
            pairs = [(a, b) for i, a in enumerate(classes) for b in classes[i + 1:]]
            offered = {pair: number for number, pair in enumerate(pairs)}
        else:
            offered = {name: number for number, name in enumerate(classes)}
        if label not in offered:
            raise ValueError(f"label={label!r}: there are scores of "
                             f"{', '.join(map(repr, offered)) or 'one target'}")
        return offered[label]


def _warn_unless_exact(found: list[Explanation]) -> None:
    if not all(one.exact for one in found):
        missed = max(one.missed for one in found)
        warn(f"the search ended at its limit: a combination that is not listed may weigh up to "
             f"{missed:.3g}", RuntimeWarning)

# SPDX-License-Identifier: BSD-3-Clause
"""Metrics of a fitted estimator on labelled rows, by name."""
from __future__ import annotations

from collections.abc import Callable

from .._sklearn import available_if


def _has_labels(self) -> bool:
    if not self._task:
        raise AttributeError(f"{type(self).__name__} predicts no labels that could be compared")
    return True


class Evaluated:
    """A subclass is a Learner too."""

    _fitted: Callable
    _labelled: Callable
    _rows: Callable
    _how: Callable

    @available_if(_has_labels)
    def evaluate(self, X, y, *more, metrics, **named) -> dict[str, float]:
        """Metrics of the model on labelled rows, by name; NaN: not defined for these rows.

        metrics is a name or a list of names, such as "f1-macro", "average-precision" or, of a
        ranker, "ndcg@10".  After y, or by name: sample_weight, of a ranker qid and sample_weight.
        """
        names = [metrics] if isinstance(metrics, str) else list(metrics)
        model = self._fitted("model_")
        table = self._labelled(self._rows(X, reset=False), y, *more, **named)
        return dict(zip(names, model.evaluate(table, names, **self._how())))

# SPDX-License-Identifier: BSD-3-Clause
"""Learners by their task: Classifier for labels of any kind, Regressor for targets."""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._base import all_or_nothing
from .._data import labels as _labels
from .._model import LABEL, PROBA
from .._names.table import CLASSIFY, REGRESS
from .._passes.stream import source_of
from .._sklearn import ClassifierMixin, RegressorMixin, available_if
from .learner import Learner, online
from .missing import Accuracy, Determination, labels_at

if TYPE_CHECKING:
    from typing_extensions import Self


def _has_probabilities(self) -> bool:
    if not self._promises("probabilities"):
        raise AttributeError("probabilities need loss='logistic' or, of LinearClassifier and "
                             "KernelSVC, calibrate=True")
    return True


class Classifier(Accuracy, ClassifierMixin, Learner):
    _task = CLASSIFY

    @all_or_nothing
    def fit(self, X, y=None, sample_weight=None, eval_set=None, *, max_memory=None) -> Self:
        """Fits to labels y of any kind.

        sample_weight multiplies the loss of each row, and 0 is as good as no row; each iteration is
        measured on eval_set=(X, y) or (X, y, sample_weight), perhaps in a list: evals_result_.

        Rows that exceed the memory: X is the name of a file, a list of names, Files or Parts, which
        have labels and weights themselves.  max_memory: bytes that the fit may use beside X, a
        number or a text such as "256M"; the model does not depend on it.
        """
        source = source_of(X)
        if source is not None:
            self._fit_source(source, y, sample_weight, eval_set, max_memory)
            return self
        rows = self._rows(X, reset=True)
        more = {"reader": self._reader(y)}
        y, weight = _labels.column(y, len(rows)), _labels.weights(sample_weight, len(rows))
        classes = _labels.classes_of(y if weight is None else y[weight != 0])
        more["class_weight"] = self._settle_classes(classes)
        self._train(rows, y=self._among(y, weight), classes=classes, sample_weight=weight,
                    more=more, eval_set=eval_set, max_memory=max_memory)
        return self

    def _settle_classes(self, classes: np.ndarray) -> str | None:
        """Sets classes_; what class_weight is in the plan."""
        if getattr(self, "warm_start", False) and hasattr(self, "model_"):
            self._same_classes(classes, "warm_start=True goes on with")
        self.classes_ = classes
        return _labels.class_weight_text(self.class_weight, classes)

    @available_if(online)
    @all_or_nothing
    def partial_fit(self, X, y, classes=None, sample_weight=None) -> Self:
        """One pass over the next rows of a stream.  The first call needs classes: all labels that
        will occur."""
        first = not hasattr(self, "model_")
        rows, reader = self._rows(X, reset=first), self._reader(y)
        y, weight = _labels.column(y, len(rows)), _labels.weights(sample_weight, len(rows))
        if first and classes is None:
            raise ValueError("classes must be passed on the first call to partial_fit: all labels "
                             "that will come")
        if first:
            self.classes_ = _labels.classes_of(np.asarray(classes))
        elif classes is not None:
            self._same_classes(_labels.classes_of(np.asarray(classes)), "partial_fit goes on with")
        y = self._among(y, weight)
        self._go_on(rows, y=y, reader=reader, classes=self.classes_,
                    sample_weight=self._weighed(y, weight))
        return self

    def _weighed(self, y, weight):
        """Weights of rows times those of their classes."""
        if self.class_weight is None:
            return weight
        if not hasattr(self.class_weight, "items"):
            raise ValueError(f"class_weight={self.class_weight!r} is not for partial_fit, which "
                             "does not know all rows; give a dict")
        _labels.class_weight_text(self.class_weight, self.classes_)     # are they classes?
        of = np.array([self.class_weight.get(c, 1.0) for c in self.classes_.tolist()], dtype=float)
        return of[np.searchsorted(self.classes_, y)] * (1.0 if weight is None else weight)

    def _among(self, y: np.ndarray, weight=None) -> np.ndarray:
        """Labels that are all classes.  Rows of weight 0 may have other labels and get an arbitrary
        class."""
        known = np.isin(y, self.classes_)
        if weight is not None:
            y = np.where((weight == 0) & ~known, self.classes_[0], y)
            known |= weight == 0
        if not known.all():
            raise ValueError(f"y holds {y[~known].tolist()[0]!r}, which is none of the classes "
                             f"{self.classes_.tolist()}")
        return y

    def _same_classes(self, classes: np.ndarray, who: str) -> None:
        if not np.array_equal(classes, self.classes_):
            raise ValueError(f"{who} the classes {self.classes_.tolist()}; now they are "
                             f"{classes.tolist()}")

    def _labelled(self, rows, y, sample_weight=None):
        y, weight = _labels.column(y, len(rows)), _labels.weights(sample_weight, len(rows))
        return self._table(rows, y=self._among(y, weight), classes=self.classes_, weight=weight)

    def decision_function(self, X) -> np.ndarray:
        """Scores: (rows,) for two classes, positive for the second; else (rows, classes)."""
        scores = self._scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X) -> np.ndarray:
        """Labels; with missing="drop" NaN, or None of text labels, for rows with a NaN."""
        positions = self._predict(X, LABEL)[0][:, 0]
        return labels_at(self.classes_, positions)

    @available_if(_has_probabilities)
    def predict_proba(self, X) -> np.ndarray:
        """Probabilities (rows, classes), in the order of classes_; rows sum to 1."""
        return self._scores(X, PROBA)

    @available_if(_has_probabilities)
    def predict_log_proba(self, X) -> np.ndarray:
        """Logarithms of predict_proba."""
        with np.errstate(divide="ignore"):      # log 0 is -inf
            return np.log(self.predict_proba(X))


class Regressor(Determination, RegressorMixin, Learner):
    _task = REGRESS

    @all_or_nothing
    def fit(self, X, y=None, sample_weight=None, eval_set=None, *, max_memory=None) -> Self:
        """Fits to targets y.

        sample_weight multiplies the loss of each row, and 0 is as good as no row; each iteration is
        measured on eval_set=(X, y) or (X, y, sample_weight), perhaps in a list: evals_result_.

        Rows that exceed the memory: X is the name of a file, a list of names, Files or Parts, which
        have targets and weights themselves.  max_memory: bytes that the fit may use beside X, a
        number or a text such as "256M"; the model does not depend on it.
        """
        source = source_of(X)
        if source is not None:
            self._fit_source(source, y, sample_weight, eval_set, max_memory)
            return self
        rows = self._rows(X, reset=True)
        self._train(rows, y=_labels.targets(y, len(rows)), sample_weight=sample_weight,
                    more={"reader": self._reader(y)}, eval_set=eval_set, max_memory=max_memory)
        return self

    @available_if(online)
    @all_or_nothing
    def partial_fit(self, X, y, sample_weight=None) -> Self:
        """One pass over rows of a stream."""
        rows = self._rows(X, reset=not hasattr(self, "model_"))
        self._go_on(rows, y=_labels.targets(y, len(rows)), reader=self._reader(y),
                    sample_weight=sample_weight)
        return self

    def _labelled(self, rows, y, sample_weight=None):
        return self._table(rows, y=_labels.targets(y, len(rows)),
                           weight=_labels.weights(sample_weight, len(rows)))

    def predict(self, X) -> np.ndarray:
        """Targets; with missing="drop" NaN for rows with a NaN."""
        return self._scores(X, LABEL)[:, 0]

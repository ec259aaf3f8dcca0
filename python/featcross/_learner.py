# SPDX-License-Identifier: BSD-3-Clause
"""Learners: estimators over a fitted model of the library.  A subclass has parameters and says by
_plan what they are to the library; the rest is here."""
from __future__ import annotations

import copy
import secrets
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from . import _labels
from ._base import Estimator, all_or_nothing, seed_of
from ._evaluate import Evaluated
from ._explain import Explained
from ._labels import Table
from ._missing import Accuracy, Determination, Fills, labels_at
from ._model import LABEL, PROBA, SCORE, Model
from ._numbers import narrowed
from ._rows import Rows
from ._sklearn import ClassifierMixin, ConvergenceWarning, RegressorMixin, available_if
from ._spec import chosen, filled
from ._table import CLASSIFY, REGRESS, describe

if TYPE_CHECKING:
    from typing_extensions import Self


def online(self) -> bool:
    """Whether partial_fit is there."""
    if not self._online():
        raise AttributeError("partial_fit is a method of LinearClassifier(loss='perceptron'), "
                             "KernelPerceptron, and factorization machines and their relatives "
                             "with solver='adagrad'")
    return True


class Learner(Fills, Explained, Evaluated, Estimator):
    """model_ is the fitted model."""

    _models: dict[str, dict] = {}       # of the library: name, and parameters that ask for it
    _task = 0                           # FX_TASK_..; 0: rows need no labels
    EVAL: tuple[str, ...] = ("X", "y", "sample_weight")     # what eval_set holds

    def _plan(self, rows: Rows) -> dict:
        """Members of fx_plan: model, and perhaps scale, map, kernel, family, features, .."""
        raise NotImplementedError

    def _keys(self) -> dict:
        """Parameters, and what else keys of the model's spec are taken from."""
        return {**self.get_params(deep=False), "task": self._task}

    @classmethod
    def _parameters(cls, keys: dict) -> dict:
        """The inverse, for load."""
        return keys

    def _model(self, name: str | None = None) -> str:
        """Spec of the model of this name; None: of the one that the parameters ask for."""
        keys = self._keys()
        return filled("model", name or chosen(self._models, keys), keys)

    def _online(self) -> bool:
        """Whether the model can go on with other rows, by the parameters."""
        return self._promises("updatable")

    def _promises(self, what: str) -> bool:
        """A member of the description of the model; False if no fit would accept the
        parameters."""
        try:
            return bool(getattr(describe("model", self._model()), what))
        except ValueError:
            return False

    def _labelled(self, rows: Rows, y, sample_weight=None) -> Table:
        """Rows with labels or targets in the terms of the fit."""
        raise NotImplementedError

    def _table(self, rows: Rows, **members) -> Table:
        return Table(rows, names=self._column_names(), **members)

    def _train(self, rows: Rows, *, y=None, classes=None, sample_weight=None, qid=None, more=None,
               eval_set=None) -> None:
        """Fits on prepared labels."""
        weight = _labels.weights(sample_weight, len(rows))
        table = self._table(rows, y=y, classes=classes, qid=qid, weight=weight)
        init = getattr(self, "model_", None) if getattr(self, "warm_start", False) else None
        plan = {**self._plan(self._filled(rows, weight)), **(more or {}), **self._missing_plan()}
        if init is not None:            # what was drawn stays
            plan["seed"] = init.content.seed
        elif "seed" not in plan:
            plan["seed"] = seed_of(self.random_state)
        self._keep(Model.fit(plan, table, init=init, evaluation=self._evaluation(eval_set),
                             **self._how()))
        self._say_missing()

    def _go_on(self, rows: Rows, *, y, reader, classes=None, sample_weight=None, qid=None) -> None:
        """One pass over these rows, with all classes known from the first one on."""
        weight = _labels.weights(sample_weight, len(rows))
        if hasattr(self, "model_"):
            table = self._table(rows, y=y, classes=classes, weight=weight, qid=qid)
            self._keep(self.model_.update(table, **self._how()))
            return
        one = copy.copy(self)
        one.max_iter, one.warm_start, one.patience = 1, False, 0
        more = {"reader": reader}
        if classes is not None:
            value = np.arange(len(classes)) if _labels.is_text(classes) else classes
            value = np.ascontiguousarray(value, dtype=np.float64)
            more.update(class_value=value.ctypes.data, classes=len(value))  # while value lives
        with warnings.catch_warnings():     # one pass is what was asked for
            warnings.filterwarnings("ignore", "after 1 iterations? ", ConvergenceWarning)
            one._train(rows, y=y, classes=classes, sample_weight=weight, qid=qid, more=more)
        self._keep(one.model_)

    def _keep(self, model: Model) -> None:
        self.model_, self.history_ = model, model.history()

    def _evaluation(self, eval_set) -> Table | None:
        """Rows to measure on."""
        if eval_set is None:
            return None
        if not isinstance(eval_set, (tuple, list)) or not 2 <= len(eval_set) <= len(self.EVAL):
            raise ValueError("eval_set is " + " or ".join(
                f"({', '.join(self.EVAL[:n])})" for n in range(2, len(self.EVAL) + 1)))
        X, *labels = eval_set
        return self._labelled(self._rows(X, reset=False), *labels)

    @property
    def n_iter_(self) -> int:
        """Iterations of the fit, most of any score's."""
        return int(self._fitted("model_").content.iterations)

    @property
    def objective_(self) -> float:
        """What the fit minimised, at its end: the sum over the scores."""
        return self._fitted("model_").content.objective

    def _predict(self, X, what: int) -> tuple[np.ndarray, np.dtype]:
        """Doubles, and what a float is in the caller's rows."""
        model = self._fitted("model_")
        rows = self._rows(X, reset=False)
        return model.predict(rows, what, **self._how()), rows.dtype

    def _scores(self, X, what: int = SCORE) -> np.ndarray:
        """The same in that type."""
        return narrowed(*self._predict(X, what), "score" if what == SCORE else "prediction",
                        self.missing == "drop")

    def save(self, path) -> None:
        """Writes the model as one file, which `featcross predict` and featcross.load() read.

        A file of that name is replaced when the new one is complete, and else stays."""
        path = Path(path)
        part = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")
        try:
            part.write_bytes(self._fitted("model_").dump())
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)


def _has_probabilities(self) -> bool:
    if not self._promises("probabilities"):
        raise AttributeError("probabilities need loss='logistic' or, of LinearClassifier and "
                             "KernelSVC, calibrate=True")
    return True


class Classifier(Accuracy, ClassifierMixin, Learner):
    _task = CLASSIFY

    @all_or_nothing
    def fit(self, X, y, sample_weight=None, eval_set=None) -> Self:
        """Fits to labels y of any kind.

        sample_weight multiplies the loss of each row, and 0 is as good as no row; each iteration is
        measured on eval_set=(X, y) or (X, y, sample_weight), see history_["metric"].
        """
        rows = self._rows(X, reset=True)
        more = {"reader": self._reader(y)}
        y, weight = _labels.column(y, len(rows)), _labels.weights(sample_weight, len(rows))
        classes = _labels.classes_of(y if weight is None else y[weight != 0])
        if getattr(self, "warm_start", False) and hasattr(self, "model_"):
            self._same_classes(classes, "warm_start=True goes on with")
        self.classes_ = classes
        more["class_weight"] = _labels.class_weight_text(self.class_weight, classes)
        self._train(rows, y=self._among(y, weight), classes=classes, sample_weight=weight,
                    more=more, eval_set=eval_set)
        return self

    @available_if(online)
    @all_or_nothing
    def partial_fit(self, X, y, classes=None, sample_weight=None) -> Self:
        """One pass over rows of a stream; classes: all labels that will come, in the first call."""
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
        """Labels that are all classes, but for rows of weight 0, which get any."""
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
    def fit(self, X, y, sample_weight=None, eval_set=None) -> Self:
        """Fits to targets y.

        sample_weight multiplies the loss of each row, and 0 is as good as no row; each iteration is
        measured on eval_set=(X, y) or (X, y, sample_weight), see history_["metric"].
        """
        rows = self._rows(X, reset=True)
        self._train(rows, y=_labels.targets(y, len(rows)), sample_weight=sample_weight,
                    more={"reader": self._reader(y)}, eval_set=eval_set)
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

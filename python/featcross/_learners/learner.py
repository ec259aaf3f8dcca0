# SPDX-License-Identifier: BSD-3-Clause
"""Learners: estimators over a fitted model of the library.  A subclass has parameters, and its
_plan translates them for the library; the rest is here."""
from __future__ import annotations

import copy
import secrets
import warnings
from pathlib import Path

import numpy as np

from .._base import Estimator, seed_of
from .._data import labels as _labels
from .._data.labels import Table
from .._data.memory import limit_of
from .._data.numbers import narrowed
from .._data.rows import Rows
from .._library import text
from .._model import SCORE, Model
from .._names.spec import chosen, filled
from .._names.table import describe, get
from .._passes.stream import Streamed
from .._sides import Sided
from .._sklearn import ConvergenceWarning
from .choice import as_before, choose, is_auto
from .eval_set import Measured, held_out, one_set, part
from .evaluate import Evaluated
from .explain import Explained
from .missing import Fills


def online(self) -> bool:
    """Whether partial_fit is there."""
    if not self._online():
        raise AttributeError("partial_fit is a method of LinearClassifier(loss='perceptron'), "
                             "KernelPerceptron, and factorization machines and their relatives "
                             "with solver='adagrad'")
    return True


class Learner(Streamed, Fills, Measured, Explained, Sided, Evaluated, Estimator):
    """model_ is the fitted model."""

    _models: dict[str, dict] = {}       # of the library: name, and parameters that ask for it
    _task = 0                           # FX_TASK_..; 0: rows need no labels
    EVAL: tuple[str, ...] = ("X", "y", "sample_weight")     # what eval_set holds

    def _plan(self, rows: Rows, weight: np.ndarray | None) -> dict:
        """Members of fx_plan: model, and perhaps scale, map, kernel, family, features, ..
        weight: of the rows, for gamma="scale"."""
        raise NotImplementedError

    def _keys(self) -> dict:
        """Parameters and other values from which the keys of the model's spec are filled."""
        given = {**self.get_params(deep=False), "task": self._task}
        if is_auto(given.get("C")):
            del given["C"]              # the library's, until it is chosen
        return given

    def _open(self, model: str) -> set[str]:
        """What the parameters leave open for this model: "C", "map", "kernel"."""
        found = {name for name in ("C", "map", "kernel") if is_auto(getattr(self, name, None))}
        return found if "C" in describe("model", model).key else found - {"C"}

    @classmethod
    def _parameters(cls, keys: dict) -> dict:
        """The inverse, for load."""
        return keys

    def _model(self, name: str | None = None) -> str:
        """Spec of the model of this name; None: of the one that the parameters ask for."""
        keys = self._keys()
        return filled("model", name or chosen(self._models, keys), keys)

    def _online(self) -> bool:
        """True if a model with these parameters can be updated with other rows."""
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

    def _settled(self, rows: Rows, weight: np.ndarray | None, more: dict | None) \
            -> tuple[dict, Model | None]:
        """The whole plan, and the model that the fit continues."""
        init = getattr(self, "model_", None) if getattr(self, "warm_start", False) else None
        plan = {**self._plan(rows, weight), **(more or {}), **self._missing_plan()}
        if init is not None:            # what was drawn and chosen stays
            plan["seed"] = init.content.seed
            if plan.get("scale") == "auto":
                plan["scale"] = text(init.content.scale) or None
        elif "seed" not in plan:
            plan["seed"] = seed_of(self.random_state)
        return plan, init

    def _train(self, rows: Rows, *, y=None, classes=None, sample_weight=None, qid=None, more=None,
               eval_set=None, max_memory=None) -> None:
        """Fits on prepared labels."""
        weight = _labels.weights(sample_weight, len(rows))
        plan, init = self._settled(*self._filled(rows, weight), more)
        open = self._open(plan["model"])
        if open and init is not None:
            plan = as_before(plan, open, init)
        elif open:
            plan, self.choice_ = choose(plan, open, rows, y, classes, weight, **self._how())
        elif hasattr(self, "choice_"):
            del self.choice_
        evaluation = self._evaluation(eval_set)
        members = {"y": y, "weight": weight, "qid": qid}
        if evaluation is None and getattr(self, "early_stopping", False):
            counted, held = self._counted(rows, weight), np.zeros(len(rows), dtype=bool)
            held[counted] = held_out(int(counted.sum()), self.validation_fraction, plan["seed"],
                                     y=y[counted], classes=classes,
                                     qid=None if qid is None else qid[counted])
            others, measured = part(held, rows, members)
            evaluation = self._table(others, classes=classes, **measured)
            rows, members = part(~held, rows, members)
        table = self._table(rows, classes=classes, **members)
        self._keep(Model.fit(plan, table, init=init, evaluation=evaluation,
                             max_memory=limit_of(max_memory), **self._how()))
        self._say_missing()

    def _go_on(self, rows: Rows, *, y, reader, classes=None, sample_weight=None, qid=None) -> None:
        """One pass over these rows, with all classes known from the first one on."""
        weight = _labels.weights(sample_weight, len(rows))
        if hasattr(self, "model_"):
            table = self._table(rows, y=y, classes=classes, weight=weight, qid=qid)
            self._keep(self.model_.update(table, **self._how()))
            return
        one = copy.copy(self)
        one.max_iter, one.warm_start, one.patience, one.early_stopping = 1, False, 0, False
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
        given = one_set(eval_set, self.EVAL)
        if given is None:
            return None
        X, *labels = given
        return self._labelled(self._rows(X, reset=False), *labels)

    @property
    def n_iter_(self) -> int:
        """Iterations of the fit, most of any score's."""
        return int(self._fitted("model_").content.iterations)

    @property
    def objective_(self) -> float:
        """What the fit minimised, at its end: the sum over the scores."""
        return self._fitted("model_").content.objective

    @property
    def C_(self) -> float:
        """C of the model, also where it was chosen."""
        value = get(self._fitted("model_").spec(), "C")
        if value is None:
            raise AttributeError(f"{type(self).__name__} has no C here")
        return float(value)

    @property
    def kernel_(self) -> str | None:
        """Spec of the model's kernel, also where it was chosen; None: there is none."""
        return text(self._fitted("model_").content.kernel) or None

    @property
    def scale_(self) -> str | None:
        """The scaling of rows; None: they are taken as they are."""
        return text(self._fitted("model_").content.scale) or None

    def _predict(self, X, what: int) -> tuple[np.ndarray, np.dtype]:
        """Scores as doubles, and the float type of the caller's rows."""
        model = self._fitted("model_")
        found = [(model.predict(rows, what, **self._how()), rows.dtype)
                 for rows in self._rows_in_parts(X)]
        return found[0] if len(found) == 1 else \
            (np.concatenate([part for part, _ in found]), found[0][1])

    def _scores(self, X, what: int = SCORE) -> np.ndarray:
        """The same in that type."""
        return narrowed(*self._predict(X, what), "score" if what == SCORE else "prediction",
                        self.missing == "drop")

    def save(self, path) -> None:
        """Writes the model as one file, which `featcross predict` and featcross.load() read.

        An existing file of that name is replaced only when the new one is complete."""
        path = Path(path)
        part = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")
        try:
            part.write_bytes(self._fitted("model_").dump())
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)

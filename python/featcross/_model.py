# SPDX-License-Identifier: BSD-3-Clause
"""Model: a fitted model of the library; its methods take and return NumPy arrays."""
from __future__ import annotations

import ctypes
import numbers
from ctypes import POINTER, byref
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ._data.labels import Table
from ._data.numbers import natural
from ._data.rows import Rows, address, rows_from
from ._library import (LABEL, PROBA, SCORE, Handle, check, copied, encoded, fx_explain_options,
                       fx_explanation, fx_plan, fx_step, lib, strings, text)
from ._run import DeferredErrors, call, written

if TYPE_CHECKING:
    from ._passes.answers import Asked

BRIEF = 10**8                           # multiply-adds: well below 100 ms


class Combination(NamedTuple):
    """A product of features, and its weight in a score.

    Attributes
    ----------
    features : names, or columns from 0
    weight : factor of the product
    contribution : explain: to the score of the row
    support : top_combinations with X: rows that hold all of its features
    importance : top_combinations with X: mean over its rows of |weight times product|, which does
        not depend on how features are scaled
    order : number of features
    """

    features: tuple
    weight: float
    contribution: float | None = None
    support: int | None = None
    importance: float | None = None

    @property
    def order(self) -> int:
        return len(self.features)


class Explanation(NamedTuple):
    """One row's score in parts: constant + contributions of combinations + rest.

    Attributes
    ----------
    combinations : list of Combination, the largest contribution first
    exact : whether it is sure that no other combination contributes more
    constant : part of the score that is the same for every row
    score : of the row
    rest : sum of the contributions of all other combinations
    missed : if not exact: upper bound on the contributions that are not listed
    label : the class whose score it is; for KernelSVC with three or more classes, the pair (first,
        second) that it compares; None for a target.  A positive score means the class, or the
        second of the pair
    """

    combinations: list[Combination]
    exact: bool
    constant: float
    score: float | None = None
    rest: float | None = None
    missed: float = 0.0
    label: object = None


def _member(name: str, value):
    """Of fx_plan.  ctypes would take a number for the address of a text."""
    kind = dict(fx_plan._fields_)[name]
    if kind is ctypes.c_char_p:
        return encoded(value, name)
    if kind is ctypes.c_double and not isinstance(value, numbers.Real):
        raise ValueError(f"{name}={value!r} is no number")
    return natural(value, name) if kind in (ctypes.c_size_t, ctypes.c_uint64) else value


def _plan(members: dict, init: Model | None, evaluation: Table | None) -> fx_plan:
    plan = fx_plan(**{name: _member(name, value) for name, value in members.items()
                      if value is not None})
    if init is not None:
        plan.init = init._as_parameter_
    if evaluation is not None:
        plan.eval = ctypes.pointer(evaluation.table)
    return plan


class Model(Handle):
    _scorer: Handle | None = None       # made by the first prediction

    def __init__(self):
        super().__init__(lib.fx_model_free)

    @classmethod
    def fit(cls, plan: dict, table: Table, *, init: Model | None = None,
            evaluation: Table | None = None, max_memory: int = 0, n_jobs=None, verbose=0) -> Model:
        """plan: members of fx_plan, texts as str, None: default."""
        model = cls()
        call("fx_model_fit", model.out, _plan(plan, init, evaluation), table.table, n_jobs=n_jobs,
             verbose=verbose, what="fit", max_memory=max_memory)
        return model

    @classmethod
    def fit_passes(cls, plan: dict, answers: Asked, *, init: Model | None = None,
                   evaluation: Table | None = None, n_jobs=None, verbose=0) -> Model:
        """The same of rows that are elsewhere."""
        model = cls()
        call("fx_model_passes_fit", model.out, _plan(plan, init, evaluation), answers.ask, None,
             n_jobs=n_jobs, what="fit", max_memory=answers.max_memory, errors=answers.errors)
        return model

    def update(self, table: Table, *, n_jobs=None, verbose=0) -> Model:
        """A model that has made one more training pass, over these rows."""
        model = Model()
        call("fx_model_update", model.out, self, table.table, n_jobs=n_jobs, verbose=verbose,
             what="partial_fit")
        return model

    def fold_in(self, table: Table, *, n_jobs=None, verbose=0) -> Model:
        """A model that has learnt the columns of these rows which this one does not know."""
        model = Model()
        call("fx_model_fold_in", model.out, self, table.table, n_jobs=n_jobs, verbose=verbose,
             what="fold_in")
        return model

    @classmethod
    def parse(cls, data: bytes) -> Model:
        model = cls()
        call("fx_model_parse", model.out, data, len(data), what="load")
        return model

    def dump(self) -> bytes:
        """The bytes of its file."""
        with DeferredErrors() as errors:
            status, data = written(lib.fx_model_dump, errors, self)
        check(status)
        return data

    def __reduce__(self):               # pickle, copy: by the bytes of its file
        return Model.parse, (self.dump(),)

    @property
    def content(self):
        """The fx_model_info itself.  It keeps the model alive, because it points into memory of the
        model."""
        content = lib.fx_model_inspect(self).contents
        content.owner = self
        return content

    def spec(self, member: str = "spec") -> str:
        return text(getattr(self.content, member))

    def names(self) -> list[str] | None:
        c = self.content
        return [text(c.name[j]) for j in range(c.cols)] if c.name else None

    def classes(self) -> np.ndarray | None:
        """Labels as the file has them; whole numbers as integers."""
        c = self.content
        if not c.classes:
            return None
        if not c.class_value:
            return np.array([text(c.class_name[k]) for k in range(c.classes)])
        value = np.array(c.class_value[:c.classes])
        whole = (value == np.floor(value)).all() and (abs(value) < 2**53).all()
        return value.astype(np.int64) if whole else value

    def array(self, member: str, *shape) -> np.ndarray | None:
        """A copy of the library's array; None if there is none."""
        pointer = getattr(self.content, member)
        return copied(pointer, pointer._type_, *shape) if pointer else None

    def history(self) -> dict[str, np.ndarray]:
        """The history of the fit, one array per quantity.  Files do not store it."""
        c = self.content
        steps = copied(c.history, fx_step, c.steps)
        return {key: steps[key].astype(np.int64 if steps[key].dtype.kind == "u" else np.float64)
                for key, _ in fx_step._fields_}

    def width(self, what: int) -> int:
        return lib.fx_model_width(self, what)

    def predict(self, rows: Rows, what: int, *, n_jobs=None, verbose=0) -> np.ndarray:
        """[rows][width]: LABEL, SCORE or PROBA."""
        scorer = self._scorer or self._prepare(n_jobs=n_jobs, verbose=verbose)
        out, at = np.empty((len(rows), self._width[what])), 0
        for m in rows.matrices:
            with rows_from(at):
                call("fx_scorer_predict", address(out[at:]), None, scorer, what, m, n_jobs=n_jobs,
                     verbose=verbose, what="predict", brief=rows.stored * self._work <= BRIEF)
            at += m.rows
        return out

    def _prepare(self, **how) -> Handle:
        """The scorer, and what is asked of the model for every prediction."""
        scorer, c = Handle(lib.fx_scorer_free), self.content
        call("fx_scorer_new", scorer.out, self, what="predict", **how)
        self._width = [self.width(what) for what in (LABEL, SCORE, PROBA)]
        self._work = max(1, c.features) * c.outputs     # multiply-adds of a number, at most
        self._scorer = scorer
        return scorer

    def evaluate(self, table: Table, names: list[str], *, n_jobs=None, verbose=0) -> list[float]:
        """Metrics by name, on labelled rows; NaN: not defined for them."""
        out = np.empty(len(names))
        call("fx_model_evaluate_by", address(out), strings(names), len(names), self, table.table,
             n_jobs=n_jobs, verbose=verbose, what="evaluate")
        return out.tolist()

    def explain(self, *, top: int, order: int = 0, output: int | None = None,
                name: bytes | None = None, support: Table | None = None, unsupported: bool = False,
                by_importance: bool = False, row=None, names=None, label_of=None, n_jobs=None,
                verbose=0) -> Explanation:
        """The largest weights, or contributions to the score of one row (an fx_matrix).

        output, or the name of a class, selects the score.  Without either it is the score of the
        class predicted for row or, without a row, the first score. label_of: turns an output's
        number into the caller's name for it.
        """
        options = fx_explain_options(top=top, order=order, class_name=name,
                                     output_from_1=0 if output is None else output + 1)
        if support is not None:
            options.table = ctypes.pointer(support.table)
            options.all = unsupported
            options.importance = 2 if by_importance else 1
        if row is not None:
            options.row = ctypes.pointer(row)
        found = Handle(lib.fx_explanation_free)
        call("fx_model_explain", found.out, self, byref(options), n_jobs=n_jobs, verbose=verbose,
             what="explain")
        a = ctypes.cast(found._as_parameter_, POINTER(fx_explanation)).contents
        combinations = []
        importance = a.importance[:a.n] if a.importance else [None] * a.n
        for c, mean in zip(a.at[:a.n], importance):
            columns = c.column[:c.order]
            combinations.append(Combination(
                tuple(names[j] if names is not None else j for j in columns), c.weight,
                None if row is None else c.contribution, None if support is None else c.support,
                mean))
        return Explanation(combinations, bool(a.exact), a.constant,
                           None if row is None else a.score, None if row is None else a.rest,
                           a.missed, label_of(a.output) if label_of else None)

    def vectors(self, rows: Rows, side: int, output: int, *, n_jobs=None, verbose=0) -> np.ndarray:
        """[rows][numbers] of rows of one side."""
        width, at = ctypes.c_size_t(), 0
        call("fx_model_vectors_width", byref(width), self, n_jobs=n_jobs, what="vectors")
        out = np.empty((len(rows), width.value))
        for m in rows.matrices:
            with rows_from(at):
                call("fx_model_vectors", address(out[at:]), None, self, side, output, m,
                     n_jobs=n_jobs, verbose=verbose, what="vectors")
            at += m.rows
        return out

    def recommend(self, users: Rows, items: Rows, k: int, output: int,
                  seen: tuple[np.ndarray, np.ndarray] | None, *, n_jobs=None, verbose=0) \
            -> tuple[np.ndarray, np.ndarray]:
        """[users][k] numbers of items, the best first, -1: none, and their scores.  seen: user i
        has seen items seen[1][seen[0][i]:seen[0][i + 1]], ascending, uintp."""
        known, how = Handle(lib.fx_model_recommender_free), {"n_jobs": n_jobs, "verbose": verbose}
        call("fx_model_recommender_new", known.out, self, output, items.matrix, what="items", **how)
        item, score = np.empty((len(users), k), np.uintp), np.empty((len(users), k))
        call("fx_model_recommender_best", address(item), address(score), None, known, users.matrix,
             k, *(map(address, seen) if seen else (None, None)), what="recommend", **how)
        return item.astype(np.int64), score


__all__ = ["Combination", "Explanation", "LABEL", "Model", "PROBA", "SCORE"]

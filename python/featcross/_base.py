# SPDX-License-Identifier: BSD-3-Clause
"""Estimator: what maps and learners share - checking of input rows, names, seeds, tags."""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np

from ._data.arrow import is_arrow
from ._data.arrow_rows import Arrows
from ._data.numbers import natural
from ._data.rows import Rows
from ._frame import Encoder, categories, csv_reader, distinct, is_csv, is_frame
from ._library import warn
from ._names.table import meant
from ._run import say
from ._sklearn import BaseEstimator, NotFittedError
from .files import Reader


def seed_of(random_state) -> int:
    """A seed for the library: an int is one; None draws from NumPy's global generator, and a
    RandomState or Generator draws from itself, as everywhere in scikit-learn."""
    if random_state is None:
        random_state = np.random.mtrand._rand
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    return natural(random_state, "random_state")


def names_of(X) -> np.ndarray | None:
    """Column names of a table; None where they are not all texts."""
    if not is_frame(X):
        return None
    kinds = {isinstance(name, str) for name in X.columns}
    if kinds == {True, False}:
        raise TypeError("Feature names are only supported if all input features have string names; "
                        "here some are not: X.columns = X.columns.astype(str) makes them so")
    names = distinct(list(X.columns))
    return names if kinds == {True} else None


Fit = TypeVar("Fit", bound=Callable[..., Any])


def all_or_nothing(fit: Fit) -> Fit:
    """A fit that fails or is interrupted leaves the estimator as it was."""

    @functools.wraps(fit)
    def whole(self, *arguments, **keywords):
        before = dict(vars(self))
        try:
            return fit(self, *arguments, **keywords)
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    return cast(Fit, whole)


class Estimator(Arrows, BaseEstimator):
    """Parameters n_jobs and verbose are in every subclass."""

    _MIN_ROWS = 1                       # rows that fit needs

    def _set(self, parameters: dict) -> None:
        """What __init__ was given: its locals()."""
        for name, value in parameters.items():
            if name not in ("self", "__class__"):
                setattr(self, name, value)

    def _rows(self, X, *, reset: bool) -> Rows:
        """X as rows; reset: it sets n_features_in_, feature_names_in_ and (categories) encoder_,
        else it must match them."""
        if is_arrow(X):
            return self._arrow_rows(X, reset)[0]
        names = names_of(X)
        if not reset:
            self._same_names(names)
        missing = getattr(self, "missing", "error") != "error"
        encoder = self._encoder(X, reset)
        rows = None if is_frame(X) else Rows(X)
        shape = X.shape if rows is None else rows.shape
        self._check_shape(shape, reset)
        if encoder is not None:
            encoded, unknown = encoder.encode(X, missing=missing)
            rows = Rows(encoded)
            rows.notes.append(f"X was converted to csr {rows.dtype}: {len(encoder.numbers)} "
                              f"columns of numbers, {len(encoder.categories)} of categories")
            if unknown:
                rows.notes.append(f"X: {unknown} categories that fit did not meet were left out")
        elif rows is None:
            rows = Rows(X, missing=missing)
        if reset:
            self.n_features_in_ = shape[1]
            for attribute, value in (("feature_names_in_", names), ("encoder_", encoder)):
                if value is not None:
                    setattr(self, attribute, value)
                elif hasattr(self, attribute):
                    delattr(self, attribute)
        self._say(*rows.notes)
        return rows

    def _check_shape(self, shape: tuple[int, int], reset: bool) -> None:
        who = type(self).__name__
        needed = (self._MIN_ROWS if reset else 1, 1)
        for count, minimum, what in zip(shape, needed, ("sample", "feature")):
            if count < minimum:
                raise ValueError(f"Found array with {count} {what}(s) (shape={tuple(shape)}) while "
                                 f"a minimum of {minimum} is required by {who}.")
        if not reset and shape[1] != self._fitted("n_features_in_"):
            raise ValueError(f"X has {shape[1]} features, but {who} is expecting "
                             f"{self.n_features_in_} features as input")

    def _encoder(self, X, reset: bool) -> Encoder | None:
        """The encoder that turns X into sparse rows; None if X holds only numbers."""
        known = getattr(self, "encoder_", None)
        if known is None or reset and not getattr(self, "warm_start", False):
            own = getattr(self, "missing", None) == "category"
            return Encoder(X, own) if reset and is_frame(X) and categories(X) else None
        if not is_frame(X):
            raise ValueError(f"{type(self).__name__} was fitted on a DataFrame with categories and "
                             "needs one")
        return self._same_columns(known, [str(name) for name in X.columns])

    @staticmethod
    def _same_columns(known: Encoder, columns: list[str]) -> Encoder:
        """For a table with the columns in this order; a continued fit keeps its first columns."""
        if set(columns) != set(known.columns):
            raise ValueError(_difference(known.columns, columns))
        return known.ordered(columns)

    def _column_names(self) -> list[str] | None:
        """Names of the library's columns."""
        if hasattr(self, "encoder_"):
            return self.encoder_.names
        names = getattr(self, "feature_names_in_", None)
        return None if names is None else list(names)

    def _names_in(self, given, cols: int) -> list[str]:
        """Names of the library's columns, `cols` of them if they have no own: there are more than
        in X if X has categories.  given: names for columns of X, or None."""
        if given is not None:
            known = getattr(self, "feature_names_in_", None)
            if known is not None and list(given) != list(known):
                raise ValueError("input_features is not equal to feature_names_in_")
            if len(given) != self.n_features_in_:
                raise ValueError("input_features should have length equal to number of features "
                                 f"({self.n_features_in_}), got {len(given)}")
        own = self._column_names()
        if own is not None:
            return own
        return [f"x{j}" for j in range(cols)] if given is None else list(given)

    def _columns(self, which: int | str, parameter: str) -> list[int]:
        """The library's columns that a column of X became, given by position or name; that of one
        category by its own name, city=Paris."""
        names = list(getattr(self, "feature_names_in_", ()))
        encoder = getattr(self, "encoder_", None)
        if which in names:
            which = names.index(which)
        elif encoder is not None and which in encoder.names:
            return [encoder.names.index(which)]
        elif isinstance(which, str) or not 0 <= which < self.n_features_in_:
            known = names if encoder is None else [*names, *encoder.names]
            raise ValueError(f"{parameter} names {which!r}, which is no column of X"
                             f"{meant(which, known)}")
        return [int(which)] if encoder is None else encoder.columns_of(which)

    def _name_columns(self, cols: int, names: list[str] | None, reader: str) -> None:
        """Sets what rows must look like after a fit on files: as wide as they and, if they are a
        table, with the columns of that table.  reader: spec by which they are read."""
        for attribute in ("feature_names_in_", "encoder_"):
            if hasattr(self, attribute):
                delattr(self, attribute)
        self.n_features_in_ = cols
        if names is None or not is_csv(reader):
            return
        encoder = Encoder.of_file(names, reader)
        if encoder is not None:
            self.encoder_, self.n_features_in_ = encoder, len(encoder.columns)
        else:
            self.feature_names_in_ = np.array(names, dtype=object)

    def _reader(self, y) -> str | None:
        """The spec by which the program reads a CSV file of the fitted DataFrame with labels y."""
        columns = list(getattr(self, "feature_names_in_", ()))
        if not columns:
            return None
        text = self.encoder_.categories if hasattr(self, "encoder_") else ()
        own = list(getattr(y, "columns", ()))       # of a table of one column
        label = own[0] if len(own) == 1 else getattr(y, "name", None)
        return Reader(csv_reader([columns[j] for j in text],
                                 label if isinstance(label, str) and label not in columns else None,
                                 getattr(self, "missing", "error")), "").spec

    def _same_names(self, names) -> None:
        known, who = getattr(self, "feature_names_in_", None), type(self).__name__
        if names is None and known is not None:
            warn(f"X does not have valid feature names, but {who} was fitted with feature names")
        elif names is not None and known is None and hasattr(self, "encoder_"):
            if set(names) != set(self.encoder_.columns):    # of a file, which knows no order
                raise ValueError(_difference(self.encoder_.columns, list(names)))
        elif names is not None and known is None:
            warn(f"X has feature names, but {who} was fitted without feature names")
        elif names is not None and known is not None and list(names) != list(known):
            raise ValueError(_difference(list(known), list(names)))

    def _say(self, *lines: str) -> None:
        if self.verbose:
            say(*lines)

    def _fitted(self, attribute: str):
        """The attribute that fit leaves."""
        if not hasattr(self, attribute):
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet; call fit "
                                 "first")
        return getattr(self, attribute)

    def _how(self) -> dict:
        return {"n_jobs": self.n_jobs, "verbose": self.verbose}

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "n_features_in_")

    # What scikit-learn asks an estimator about itself: up to 1.5 by a dict, then by an object.
    def _more_tags(self):
        return {"preserves_dtype": [np.float64, np.float32],
                "allow_nan": getattr(self, "missing", "error") != "error"}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = getattr(self, "missing", "error") != "error"
        if tags.transformer_tags is not None:
            tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _difference(known: list, names: list) -> str:
    """The message has scikit-learn's wording, because users search for it."""
    text = "The feature names should match those that were passed during fit.\n"
    unexpected, missing = sorted(set(names) - set(known)), sorted(set(known) - set(names))
    for title, group in (("Feature names unseen at fit time", unexpected),
                         ("Feature names seen at fit time, yet now missing", missing)):
        if group:
            text += f"{title}:\n" + "".join(f"- {name}\n" for name in group[:5])
            text += "- ...\n" if len(group) > 5 else ""
    if not unexpected and not missing:
        text += "Feature names must be in the same order as they were in fit.\n"
    return text

# SPDX-License-Identifier: BSD-3-Clause
"""Labels, targets, weights and the fx_table that carries them to the library.

Classes are the sorted distinct labels.  Numbers stay numbers and texts become texts in the model
file, so that the program predicts the same labels from it.
"""
from __future__ import annotations

import ctypes
import numbers

import numpy as np

from .._library import encoded, fx_matrix, fx_table, strings, text, warn
from .._sklearn import DataConversionWarning
from .numbers import exact, finite, unmasked
from .rows import Rows

FEW = 20                                # values that numbers may have to be taken as classes


def plain(values, name: str):
    """The same or, of an Arrow table that NumPy does not take, its column."""
    if hasattr(values, "__arrow_c_stream__") and not hasattr(values, "__array__"):
        from .arrow import column_of   # which needs what is defined here

        return column_of(values, name)
    return values


def array(values, name: str) -> np.ndarray:
    """One value for each row, of whatever holds them."""
    return unmasked(plain(values, name), name)


def column(y, n: int, name: str = "y") -> np.ndarray:
    """y as one array of n."""
    if y is None:
        raise ValueError(f"requires y to be passed, but the target {name} is None")
    if isinstance(y, (list, tuple)) and set(map(type, y)) > {str}:
        y = np.array(y, dtype=object)   # NumPy would make texts of all, "nan" of a missing label
    y = array(y, name)
    if y.ndim == 2 and y.shape[1] == 1:
        warn(f"A column-vector {name} was passed when a 1d array was expected: it is taken as "
             f"{name}.ravel()", DataConversionWarning)
        y = y.ravel()
    if y.ndim != 1:
        raise ValueError(f"{name} should be a 1d array, got an array of shape {y.shape} instead.")
    if len(y) != n:
        raise ValueError(f"X has {n} rows, but {name} has {len(y)}: inconsistent numbers of "
                         "samples")
    return y


def _holds(y: np.ndarray) -> str:
    """What y holds: text, numbers, or the name of another type."""
    if y.dtype.kind != "O":
        return "text" if y.dtype.kind in "US" else "numbers" if y.dtype.kind in "biuf" else \
            "complex" if y.dtype.kind == "c" else str(y.dtype)
    types = set(map(type, y))
    for what, base in (("text", str), ("text", bytes), ("numbers", (numbers.Real, np.bool_))):
        if all(issubclass(t, base) for t in types):
            return what
    for i, value in enumerate(y):
        if value is None or type(value).__name__ == "NAType" \
                or isinstance(value, float) and value != value:
            raise ValueError(f"Input y contains NaN: row {i} has no label.")
    return "a mixture of " + ", ".join(sorted(t.__name__ for t in types))


def targets(y, n: int) -> np.ndarray:
    """y as finite doubles."""
    y = column(y, n)
    what = _holds(y)
    if what not in ("numbers", "complex"):
        raise ValueError(f"y holds {what}, and a regressor needs numbers; for labels there are the "
                         "classifiers")
    return finite(y, "y")


def _labels_held(y: np.ndarray) -> str:
    """What labels are, text or numbers; others are rejected."""
    what = _holds(y)
    if what == "numbers":
        value = finite(y, "y")
        if y.dtype.kind in "iuO":
            exact(value, "y")
        if (value != np.floor(value)).any():
            raise ValueError("Unknown label type: continuous. y holds fractions; for targets there "
                             "are the regressors")
    elif what != "text":
        raise ValueError(f"Unknown label type: y holds {what}; labels are all text or all whole "
                         "numbers")
    return what


def _two(classes: np.ndarray, rows: int) -> np.ndarray:
    if len(classes) == 1:
        raise ValueError(f"y has one class only, {classes.tolist()[0]!r} in all {rows} rows; a "
                         "classifier needs two")
    return classes


def classes_of(y: np.ndarray) -> np.ndarray:
    """The sorted distinct labels, of y's type."""
    _labels_held(y)
    return _two(np.unique(y), len(y))


def are_classes(y: np.ndarray) -> bool:
    """Whether labels are classes where nobody says it, as ``--task auto`` of the program decides:
    text, or whole numbers of few values that occur twice on average."""
    if _holds(y) != "numbers":
        return True                     # what is neither is rejected as labels
    value = finite(y, "y")
    values = len(np.unique(value))
    return bool((value == np.floor(value)).all()) and values <= FEW \
        and (values <= 2 or 2 * values <= len(value))


class ClassesSeen:
    """Distinct labels of rows that come in parts."""

    def __init__(self):
        self.found, self.what, self.rows = np.empty(0), None, 0

    def add(self, y: np.ndarray) -> None:
        """Labels of the next rows, without those of weight 0."""
        if not len(y):
            return
        self._join(_labels_held(y), np.unique(y), len(y))

    def join(self, other: ClassesSeen) -> None:
        """Those of other rows."""
        if other.what is not None:
            self._join(other.what, other.found, other.rows)

    def _join(self, what: str, new: np.ndarray, rows: int) -> None:
        if self.what not in (None, what):
            raise ValueError(f"y holds {what}; labels are all text or all whole numbers, and those "
                             f"before are {self.what}")
        self.found = new if self.what is None else np.unique(np.concatenate([self.found, new]))
        self.what, self.rows = what, self.rows + rows

    def classes(self) -> np.ndarray:
        """As classes_of gives them for all rows."""
        return _two(self.found, self.rows)


def weights(sample_weight, n: int, part: bool = False) -> np.ndarray | None:
    """One weight for each row; a single number is the weight of all rows.  part: other rows follow,
    so all weights may be 0."""
    if sample_weight is None:
        return None
    w = array(sample_weight, "sample_weight")
    if w.ndim == 0:
        w = np.full(n, w)
    if w.ndim != 1:
        raise ValueError(f"Sample weights must be 1D array or scalar, got shape {w.shape}")
    if len(w) != n:
        raise ValueError(f"sample_weight.shape == ({len(w)},), expected ({n},)")
    w = finite(w, "sample_weight")
    if (w < 0).any():
        raise ValueError(f"Negative values in sample_weight: row {int(np.argmax(w < 0))} has "
                         f"{w[w < 0][0]}")
    if not part and not w.any():
        raise ValueError("sample_weight is zero in all rows")
    return w


def class_weight_text(class_weight, classes: np.ndarray) -> str | None:
    """As fx_plan has it: "balanced", or lines of class=weight."""
    if class_weight is None or isinstance(class_weight, str) and class_weight == "balanced":
        return class_weight
    if not hasattr(class_weight, "items"):
        raise ValueError(f"class_weight={class_weight!r}: it is 'balanced', None or a dict")
    names = dict(zip(classes.tolist(), class_names(classes)))
    lines = []
    for label, weight in class_weight.items():
        if label not in names:
            raise ValueError(f"class_weight names the class {label!r}; there are "
                             f"{', '.join(map(repr, names))}")
        if "\n" in names[label]:
            raise ValueError(f"class_weight: the class {label!r} holds a line end")
        if not isinstance(weight, numbers.Real) or not 0 < float(weight) < np.inf:
            raise ValueError(f"class_weight of {label!r} is {weight!r}, not a positive number")
        lines.append(f"{names[label]}={float(weight)!r}")
    return "\n".join(lines)


def is_text(classes: np.ndarray) -> bool:
    return isinstance(classes.tolist()[0], (str, bytes))


def class_names(classes: np.ndarray) -> list[str]:
    """Classes as the library has them."""
    if not is_text(classes):
        return [repr(float(c)) for c in classes.tolist()]
    labels = classes.tolist()
    names = [text(c) if isinstance(c, bytes) else c for c in labels]
    if labels != sorted(labels) or names != sorted(names, key=lambda name: encoded(name) or b""):
        raise ValueError(f"the order of the labels {labels} is another one in UTF-8, which they "
                         "are not; give them as bytes")
    return names


class Table:
    """An fx_table over rows; it keeps alive what it points to."""

    def __init__(self, rows: Rows, *, y: np.ndarray | None = None,
                 classes: np.ndarray | None = None, weight: np.ndarray | None = None,
                 qid: np.ndarray | None = None, names=None):
        """y: targets, or labels that are all among classes."""
        self.keep = [rows, weight, qid]
        blocks = rows.matrices
        self.table = t = fx_table(rows=rows.shape[0], cols=rows.shape[1], blocks=len(blocks),
                                  block=(fx_matrix * len(blocks))(*blocks))
        if y is not None and classes is not None:
            if is_text(classes):
                y = np.searchsorted(classes, y)
                t.classes, t.class_name = len(classes), strings(class_names(classes))
            y = np.ascontiguousarray(y, dtype=np.float64)
        for member, array in (("label", y), ("weight", weight), ("qid", qid)):
            if array is not None:
                self.keep.append(array)
                setattr(t, member, array.ctypes.data)
        if names is not None:
            t.name = strings(names)


__all__ = ["ClassesSeen", "Table", "are_classes", "class_names", "class_weight_text", "classes_of",
           "column", "finite", "is_text", "targets", "weights"]

# SPDX-License-Identifier: BSD-3-Clause
"""DataFrames: numbers as an array, and categories as sparse rows by the rule of the CSV reader.

A column holds numbers (integers, floats, booleans, objects that are all numbers) or categories
(categorical, text, other objects).  Rows with categories are sparse: numbers first, in the order of
the columns, then one column `city=Paris` for each category, as they first appear in the rows.  A
missing category gives no feature or, with missing="category", the value NA. A missing number is an
error unless missing= says how to handle it.  As in files, spaces around a category are removed and
an empty category is missing.

Neither pandas nor polars is imported: the code only uses methods that the frame has itself.
"""
from __future__ import annotations

import copy
import numbers
from typing import Any
from urllib.parse import unquote

import numpy as np

from ._data.numbers import MISSING, converting, exact
from ._names.table import get, name_of


NA = "NA"


def is_frame(X) -> bool:
    """A DataFrame of pandas, polars or the like, whose rows are there: a LazyFrame has no shape."""
    return hasattr(X, "shape") and hasattr(X, "columns") and hasattr(X, "dtypes") \
        and not isinstance(X, np.ndarray)


def _part(X, columns):
    """Columns by position: one number gives a series, a list a frame."""
    return (X.iloc if hasattr(X, "iloc") else X)[:, columns]


def _kind(dtype) -> str:
    """b, i, u, f: numbers; O: text, categories, objects; others: neither.  pandas' types have
    NumPy's letters, polars' have names."""
    if hasattr(dtype, "kind"):
        return "O" if dtype.kind in "US" else dtype.kind
    if str(dtype).startswith(("String", "Categorical", "Enum")):
        return "O"
    return {"Boolean": "b", "Int": "i", "UInt": "u", "Float": "f"}.get(
        str(dtype).rstrip("0123456789"), "?")


def _all_numbers(column) -> bool:
    """True if a column of objects is not empty and holds only numbers."""
    types = set(map(type, column.dropna()))
    return bool(types) and all(issubclass(t, (numbers.Number, np.bool_)) for t in types)


def categories(X) -> list[int]:
    """Positions of the columns of categories."""
    return [j for j, dtype in enumerate(X.dtypes) if _kind(dtype) == "O"
            and not (dtype == object and _all_numbers(_part(X, j)))]


def array_of(X, name: str, columns: list[int] | None = None, missing: bool = False) -> np.ndarray:
    """Numbers of these columns, or of all: as they are where they have one type, else float64.
    missing: NaN may be among them."""
    text, types, names = set(categories(X)), list(X.dtypes), list(X.columns)
    columns = list(range(len(names))) if columns is None else columns
    types, title = [types[j] for j in columns], [f"{name}, column {names[j]!r}," for j in columns]
    for j, dtype, who in zip(columns, types, title):
        if j in text:
            raise ValueError(f"{who} holds text or categories, not numbers")
        if _kind(dtype) not in "biufO":
            raise TypeError(f"{who} has type {dtype}: neither a number nor a category")
    if not columns:
        return np.empty((X.shape[0], 0))
    part = X if len(columns) == len(names) else _part(X, columns)
    if hasattr(X, "iloc") and (len(set(types)) > 1 or types[0] == object
                               or not isinstance(types[0], np.dtype)):
        if object in types:             # pandas leaves its NA there
            part = part.mask(part.isna(), np.nan)
        with converting(name):
            A = part.to_numpy(dtype=np.float64, na_value=np.nan)
    else:
        A = np.asarray(part)
    if A.dtype.kind == "f":
        _check(A, title, [_kind(dtype) in "iu" for dtype in types], missing)
    return A


def _check(A: np.ndarray, title: list[str], whole: list[bool], missing: bool) -> None:
    """Names the column of a number that is missing, infinite or rounded."""
    with np.errstate(all="ignore"):
        if not np.isfinite(A.sum()):
            for i, j in np.argwhere(np.isinf(A) if missing else ~np.isfinite(A))[:1]:
                what, hint = ("NaN", MISSING) if np.isnan(A[i, j]) else ("inf", "")
                raise ValueError(f"{title[j]} row {i}: {what} is not a finite number{hint}")
    for j in np.flatnonzero(whole):
        exact(A[~np.isnan(A[:, j]), j], title[j])


def _coded(column, own: bool) -> tuple[np.ndarray, list[str]]:
    """For each row the position in a list of values (-1: missing), and the texts of these values.
    own: missing or empty fields have the value NA, as in CSV files with nan=category."""
    if hasattr(column, "factorize"):
        try:
            code, values = column.factorize()
        except TypeError:
            raise TypeError(f"column {column.name!r} holds lists or other objects that are no "
                            "categories") from None
    else:
        objects = np.asarray(column, dtype=object)
        code = np.full(len(objects), -1)
        there = np.array(objects != None, dtype=bool)   # noqa: E711, for each of them
        values, code[there] = np.unique(objects[there].astype(str), return_inverse=True)
    texts = [str(value).strip(" \t") for value in values]
    if any("\0" in text for text in texts):
        raise ValueError(f"a category of {column.name!r} holds a zero byte")
    code = np.asarray(code)
    if own:
        code, texts = np.where(code < 0, len(texts), code), [text or NA for text in [*texts, ""]]
    return code, texts


def _escaped(name: str, keywords: tuple[str, ...]) -> str:
    """A column's name as a reader's spec has it."""
    text = "".join(f"%{ord(c):02X}" if c in ",()/%" else c for c in name)
    return f"%{ord(name[0]):02X}{name[1:]}" if name in keywords else text


def csv_reader(cat: list[str] | None, label: str | None, missing: str = "error") -> str:
    """Spec by which the program reads a CSV file of a table. cat: its columns of categories, None:
    those of texts; label: its column of labels, which may be missing."""
    nan = {"error": "", "category": ",nan=category"}.get(missing, ",nan=keep")
    texts = "auto" if cat is None or not all(cat) else \
        "/".join(_escaped(name, ("none", "auto", "all")) for name in cat) or "none"
    label = _escaped(label, ("first", "last", "none")) if label else "none"
    return f"csv:header=yes,label={label},cat={texts}{nan}"


def is_csv(reader: str) -> bool:
    """Whether columns of a model file have the names of a table's."""
    return reader != "" and name_of(reader) == "csv" and get(reader, "hash-bits") in ("0", None)


def distinct(names: list) -> np.ndarray:
    """The names as an array, if no two are equal."""
    if len(set(names)) < len(names):    # neither predictions nor explanations could tell them apart
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise ValueError(f"two columns are named {twice!r}")
    return np.array(names, dtype=object)


class Encoder:
    """What the columns of a DataFrame with categories became when it was fitted.

    Attributes
    ----------
    columns : names of the DataFrame's columns
    numbers : positions of the columns of numbers
    categories : for the position of each column of categories, the sparse column of each category
    names : of the sparse columns
    own : whether a missing category is a value of its own
    """

    own = False

    def __init__(self, X, missing: bool = False):
        self.own = missing
        self.columns = [str(name) for name in X.columns]
        text = categories(X)
        self.numbers = [j for j in range(len(self.columns)) if j not in set(text)]
        self.categories: dict[int, dict[str, int]] = {j: {} for j in text}
        self.names = [self.columns[j] for j in self.numbers]
        own = {self.columns[j] for j in text}
        for name in self.columns:       # the reader of CSV files refuses it, too
            parts = name.split("=")
            for category in {"=".join(parts[:n]) for n in range(1, len(parts))} & own:
                raise ValueError(f"the column {name!r} is named like a value of the category "
                                 f"{category!r}; rename one of them")
        self.learn(X)

    def learn(self, X) -> None:
        """Adds columns for the categories that are met for the first time in these rows."""
        found: dict[tuple[int, str], int] = {}  # (column, text): row in which it is met first
        for j, known in self.categories.items():
            code, texts = _coded(_part(X, j), self.own)
            first = np.full(len(texts) + 1, len(code))
            first[code[::-1]] = np.arange(len(code))[::-1]  # the first occurrence is written last
            for value, row in zip(texts, first):
                if value and row < len(code) and value not in known:
                    found[j, value] = min(row, found.get((j, value), row))
        for j, value in sorted(found, key=lambda key: (found[key], key[0])):
            self.categories[j][value] = len(self.names)
            self.names.append(f"{self.columns[j]}={value}")
        self._unique()

    def _unique(self) -> None:
        for names in (self.columns, self.names):
            if len(set(names)) < len(names):
                twice = next(name for name in names if names.count(name) > 1)
                raise ValueError(f"two columns are named {twice!r}")

    def join(self, other: Encoder) -> None:
        """Adds columns for the categories that other rows have, which come after these."""
        if (other.columns, other.numbers) != (self.columns, self.numbers):
            name = next((mine for mine, theirs, j in zip(self.columns, other.columns, range(2**31))
                         if mine != theirs or (j in self.categories) != (j in other.categories)),
                        self.columns[-1])
            raise ValueError(f"column {name!r} is not there, or not of categories, in both of two "
                             "parts; give it one type in all: X.astype({..})")
        found = sorted((at, j, value) for j, known in other.categories.items()
                       for value, at in known.items())
        for _, j, value in found:
            if value not in self.categories[j]:
                self.categories[j][value] = len(self.names)
                self.names.append(f"{self.columns[j]}={value}")
        self._unique()

    @classmethod
    def of_file(cls, names: list[str], reader: str) -> Encoder | None:
        """From a model file: names of its columns, and the spec by which its rows are read.  None:
        it has no categories, or none by name.  columns are then numbers first."""
        cat = get(reader, "cat") if is_csv(reader) else None
        if cat in ("auto", "none", None):
            return None
        texts = [unquote(name, errors="surrogateescape") for name in cat.split("/")]
        texts.sort(key=len, reverse=True)
        owner = [next((text for text in texts if name.startswith(f"{text}=")), None)
                 for name in names]
        count = len(names)              # of numbers, one of which may look like a category
        while count and owner[count - 1] is not None:
            count -= 1
        self = cls.__new__(cls)
        self.own = get(reader, "nan") == "category"
        self.names, self.numbers = list(names), list(range(count))
        self.columns = self.names[:count] + texts
        self.categories = {count + i: {name[len(text) + 1:]: at for at, name in enumerate(names)
                                       if at >= count and owner[at] == text}
                           for i, text in enumerate(texts)}
        return self

    def columns_of(self, j: int) -> list[int]:
        """Sparse columns of column j."""
        return list(self.categories[j].values()) if j in self.categories else \
            [self.numbers.index(j)]

    def names_of(self, sparse: list[int]) -> list[str]:
        """Names of sparse columns, where a DataFrame column that is present with all its sparse
        columns is given by its own name."""
        rest, whole = set(sparse), []
        for j, name in enumerate(self.columns):
            its = self.columns_of(j)
            if its and rest.issuperset(its):
                rest.difference_update(its)
                whole.append(name)
        return whole + [self.names[at] for at in sorted(rest)]

    def ordered(self, columns: list[str]) -> Encoder:
        """The same for DataFrames whose columns are in this order."""
        place = {name: j for j, name in enumerate(columns)}
        at = [place[name] for name in self.columns]
        other = copy.copy(self)
        other.columns, other.numbers = columns, [at[j] for j in self.numbers]
        other.categories = {at[j]: known for j, known in self.categories.items()}
        return other

    def encode(self, X, name: str = "X", missing: bool = False) -> tuple[Any, int]:
        """Sparse rows (a SciPy csr_array), and how many categories were left out as unknown.
        missing: numbers may be NaN."""
        try:
            from scipy.sparse import csr_array
        except ImportError:
            raise ImportError(f"{name} holds categories: SciPy is needed for its sparse rows") \
                from None
        nothing, unknown = np.int32(len(self.names)), np.int32(len(self.names) + 1)
        A = array_of(X, name, self.numbers, missing)
        A = A if A.dtype == np.float32 else A.astype(np.float64, copy=False)
        B = np.empty((len(A), len(self.categories)), dtype=np.int32)
        for b, (j, known) in enumerate(self.categories.items()):
            code, texts = _coded(_part(X, j), self.own)
            B[:, b] = np.array([known.get(text, unknown if text else nothing) for text in texts]
                               + [nothing], dtype=np.int32)[code]       # -1: the last
        B.sort(axis=1)
        stored = np.hstack([A != 0, B < nothing])
        column = np.hstack([np.broadcast_to(np.arange(A.shape[1], dtype=np.int32), A.shape), B])
        value = np.hstack([A, np.ones(B.shape, dtype=A.dtype)])
        start = np.concatenate([[0], stored.sum(axis=1).cumsum()])
        rows = csr_array((value[stored], column[stored], start), shape=(len(A), len(self.names)))
        return rows, int((B == unknown).sum())

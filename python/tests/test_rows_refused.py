# SPDX-License-Identifier: BSD-3-Clause
"""Rows that are refused, and what is said of them."""
from types import SimpleNamespace

import numpy as np
import pytest

import featcross
from featcross._data.rows import Rows

sp = pytest.importorskip("scipy.sparse", reason="sparse rows are SciPy's")
pd = pytest.importorskip("pandas", reason="DataFrames are pandas'")


@pytest.fixture
def A(rng):
    return rng.integers(-3, 4, (30, 6)) * 1.0


REFUSED = {
    "scalar": (3.0, ValueError, "0 dimension.*Reshape your data"),
    "function": (iter, ValueError, r"It is a .*featcross\.Parts\(function\)"),
    "iterator": (iter([(np.ones((3, 2)), [0, 1, 0])]), ValueError, r"It is a list_iterator"),
    "parts": (featcross.Parts(list), ValueError, "It is a Parts; .*predict names of files"),
    "a frame without rows, as polars' LazyFrame": (
        SimpleNamespace(columns=["a"], dtypes=[float]), ValueError, "It is a SimpleNamespace"),
    "a file": ("rows.csv", ValueError, "It is a str; .*fit of a learner also takes names of files"),
    "1-d": (np.ones(3), ValueError, "1 dimension.*Reshape your data"),
    "3-d": (np.ones((2, 2, 2)), ValueError, "3 dimension"),
    "complex": (np.ones((2, 2)) * 1j, ValueError, "Complex data not supported"),
    "complex csr": (sp.csr_matrix(np.ones((2, 2)) * 1j), ValueError, "Complex data not supported"),
    "text": (np.array([["1", "2"]]), ValueError, "holds text"),
    "dates": (np.array([["2024-01-01"]], dtype="M8[D]"), TypeError, "not one of numbers"),
    "junk": (np.array([[{"a": 1}, 2]], dtype=object), TypeError,
             "argument must be a string.*number"),
    "objects, one text": (np.array([["x", 2]], dtype=object), ValueError, "could not convert"),
    "int64": (np.array([[2**53 + 1, 2]]), ValueError, "beyond|2\\^53"),
    "uint64": (np.array([[2**64 - 1, 2]], dtype=np.uint64), ValueError, "2\\^53"),
    "masked": (np.ma.masked_equal([[1.0, 2.0]], 2.0), ValueError, "masked"),
    "a column of text": (pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}), ValueError,
                         "column 'b', holds text"),
    "a column of dates": (pd.DataFrame({"t": pd.to_datetime(["2024-01-01"])}), TypeError,
                          "column 't', has type datetime64"),
    "a missing number": (pd.DataFrame({"a": [1.0, 2.0], "b": [1.0, np.nan]}), ValueError,
                         "column 'b', row 1: NaN"),
    "pandas' NA": (pd.DataFrame({"a": pd.array([1, None], dtype="Int64")}), ValueError,
                   "column 'a', row 1: NaN"),
    "identifiers": (pd.DataFrame({"a": [0.5], "b": [2**60]}), ValueError, "column 'b', .*2\\^53"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refused(what):
    X, error, message = REFUSED[what]
    with pytest.raises(error, match=message):
        Rows(X)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("convert", [np.array, np.asfortranarray, sp.csr_matrix, pd.DataFrame])
def test_not_finite(A, convert, value):
    y = A[:, 0] > 0
    model = featcross.LinearClassifier(random_state=0).fit(convert(A), y)
    A[4, 2] = value
    for call in (lambda: model.fit(convert(A), y), lambda: model.predict(convert(A))):
        with pytest.raises(ValueError, match="NaN" if np.isnan(value) else "inf") as caught:
            call()
        assert "row 4" in str(caught.value) and "column 2" in str(caught.value)


@pytest.mark.parametrize("X", [np.ones((0, 3)), np.ones((3, 0)), sp.csr_array((0, 3)),
                               sp.csr_array((3, 0)), pd.DataFrame({"a": []})])
def test_empty(X):
    what = "feature" if X.shape[0] else "sample"
    with pytest.raises(ValueError, match=rf"0 {what}\(s\) \(shape=\({X.shape[0]}, "):
        featcross.RandomKernelMap(4).fit(X)


def broken(A, member, at, value):
    X = sp.csr_matrix(A)
    getattr(X, member)[at] = value
    return X


@pytest.mark.parametrize("member, at, value, message", [
    ("indices", -1, 77, "column 77, but there are 6 columns"),
    ("indices", 0, -1, "column -1"),
    ("indptr", -1, 10**6, "indptr does not rise"),
    ("indptr", 3, 10**6, "indptr does not rise"),
    ("indptr", 0, -1, "indptr does not rise")])
def test_csr_that_is_none(A, member, at, value, message):
    A[-1, 2] = 1                        # there is a last entry,
    A[0, 3] = 1                         # and a first
    with pytest.raises(ValueError, match=message):
        featcross.gram(broken(A, member, at, value))

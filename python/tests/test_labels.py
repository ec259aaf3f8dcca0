# SPDX-License-Identifier: BSD-3-Clause
"""Labels, targets and weights: what is taken, as what it comes back, and what is refused."""
import subprocess

import numpy as np
import pytest

import featcross
from featcross._data import labels as _labels

pd = pytest.importorskip("pandas", reason="Series are pandas'")


@pytest.fixture
def X(rng):
    return rng.normal(size=(40, 3))


def fitted(X, y, **how):
    return featcross.LinearClassifier(random_state=0, tol=1e-8).fit(X, y, **how)


TWO = {                                 # first class, second class
    "0, 1": np.array([0, 1]), "-1, 1": np.array([-1, 1]), "1, 2": np.array([1, 2]),
    "int8": np.array([-7, 120], dtype=np.int8), "bool": np.array([False, True]),
    "float": np.array([-1.0, 3.0]), "float32": np.array([0, 1], dtype=np.float32),
    "text": np.array(["no", "yes"]), "objects": np.array(["no", "yes"], dtype=object),
    "bytes": np.array([b"no", b"yes"]), "byte objects": np.array([b"no", b"yes"], dtype=object),
    "number objects": np.array([1, 2], dtype=object), "like numbers": np.array(["10", "9"]),
    "not ASCII": np.array(["z", "é"]), "one empty": np.array(["", "x"]),
    "blanks": np.array([" a b", "a\tb"]), "large": np.array([0, 2**53 - 1]),
}


@pytest.mark.parametrize("kind", TWO)
def test_two_classes(X, kind):
    """Equal decision values, and the labels come back as they were."""
    positive = X[:, 0] + X[:, 1] > 0
    want = fitted(X, positive).decision_function(X)
    y = TWO[kind][positive.astype(int)]
    model = fitted(X, y)
    np.testing.assert_array_equal(model.decision_function(X), want)
    np.testing.assert_array_equal(model.classes_, TWO[kind])
    predicted = model.predict(X)
    assert model.classes_.dtype == predicted.dtype == y.dtype
    np.testing.assert_array_equal(predicted, TWO[kind][(want > 0).astype(int)])


@pytest.mark.parametrize("series", [
    lambda y: pd.Series(y), lambda y: pd.Series(y, dtype="string"),
    lambda y: pd.Series(y, dtype="category"), lambda y: list(y),
    lambda y: pd.Series(y == "yes", dtype="boolean"),
    lambda y: pd.Series((y == "yes") * 1, dtype="Int64")])
def test_series(X, series):
    y = np.where(X[:, 0] > 0, "yes", "no")
    want = fitted(X, y)
    model = fitted(X, series(y))
    np.testing.assert_array_equal(model.decision_function(X), want.decision_function(X))
    np.testing.assert_array_equal(model.predict(X) == model.classes_[1], want.predict(X) == "yes")


def test_three_classes(X):
    k = np.digitize(X[:, 0], [-0.5, 0.5])
    want = fitted(X, k).decision_function(X)
    for classes in (["a", "b", "c"], [-2, 5, 10], ["10", "8", "9"]):
        model = fitted(X, np.array(classes)[k])
        np.testing.assert_array_equal(model.decision_function(X), want)
        assert model.classes_.tolist() == classes


@pytest.mark.parametrize("kind", ["-1, 1", "bool", "float", "text", "bytes", "like numbers"])
def test_program_predicts_these_labels(X, kind, program, tmp_path):
    y = TWO[kind][(X[:, 0] > 0).astype(int)]
    model = fitted(X, y)
    model.save(tmp_path / "m.fx")
    np.save(tmp_path / "x.npy", X)
    lines = subprocess.run([program, "predict", str(tmp_path / "m.fx"), str(tmp_path / "x.npy")],
                           capture_output=True, text=True, check=True).stdout.split("\n")[:-1]
    mine = model.predict(X)
    if mine.dtype.kind in "US":
        assert lines == [v.decode() if isinstance(v, bytes) else v for v in mine.tolist()]
    else:
        assert [float(line) for line in lines] == mine.astype(float).tolist()


# ---- Refused -----------------------------------------------------------------------------------
FOUR = np.arange(8.0).reshape(4, 2)
REFUSED = {
    "None": (None, "requires y to be passed, but the target y is None"),
    "too short": ([0, 1, 0], "X has 4 rows, but y has 3"),
    "2-d": ([[0, 1]] * 4, r"should be a 1d array, got an array of shape \(4, 2\)"),
    "scalar": (1, r"shape \(\)"),
    "continuous": ([0.5, 1, 2, 3], "Unknown label type: continuous"),
    "complex": ([1j, 2, 3, 4], "Unknown label type"),
    "dates": (np.array(["2024-01-01"] * 4, dtype="M8[D]"), "Unknown label type"),
    "one class": (["a"] * 4, "one class only, 'a' in all 4 rows"),
    "NaN": ([0, 1, np.nan, 1], "Input y contains NaN"),
    "inf": ([0, 1, np.inf, 1], "Input y contains infinity"),
    "no label": (np.array(["a", "b", None, "a"], dtype=object), "Input y contains NaN: row 2"),
    "pandas' NA": (pd.Series(["a", "b", None, "a"], dtype="string"), "Input y contains NaN: row 2"),
    "pandas' mask": (pd.array([1, None, 0, 1], dtype="Int64"), "Input y contains NaN"),
    "pandas' missing": (pd.Series(["a", "b", "a", None], dtype="category"), "contains NaN: row 3"),
    "mixed": (np.array(["a", 1, "b", 2], dtype=object), "Unknown label type.*mixture of int, str"),
    "mixed list": (["a", 1, "b", 2], "Unknown label type.*mixture of int, str"),
    "missing in a list": (["a", "b", np.nan, "b"], "Input y contains NaN: row 2"),
    "large int64": ([2**53 + 1, 0, 1, 2], r"2\^53"),
    "large uint64": (np.array([2**64 - 1, 0, 1, 2], dtype=np.uint64), r"2\^53"),
    "large objects": (np.array([2**70, 0, 1, 2], dtype=object), r"2\^53"),
    "zero byte": (np.array(["a\0b", "c", "c", "c"], dtype=object), "zero byte"),
    "masked": (np.ma.masked_equal([0, 1, 2, 1], 2), "y has masked entries"),
    "not UTF-8": (["\xe9", "\udc80", "\xe9", "\xe9"], "give them as bytes"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refused_labels(what):
    y, message = REFUSED[what]
    with pytest.raises(ValueError, match=message):
        fitted(FOUR, y)


@pytest.mark.parametrize("y, message", [
    (None, "the target y is None"), (["a", "b", "c", "d"], "y holds text, and a regressor"),
    (np.array(["1", "2", "3", "4"], dtype=object), "y holds text, and a regressor"),
    (np.array([1, None, 2, 3], dtype=object), "contains NaN: row 1"),
    ([1, 2, np.nan, 3], "Input y contains NaN"), ([1, -np.inf, 2, 3], "Input y contains infinity"),
    ([1j] * 4, "Complex data"), ([[1, 2]] * 4, "1d array"), ([1, 2], "y has 2"),
    (np.array([1, {}, 2, 3], dtype=object), "y holds a mixture of dict, int")])
def test_refused_targets(y, message):
    with pytest.raises(ValueError, match=message):
        featcross.LinearRegressor().fit(FOUR, y)


def test_column_vector(X):
    y = X[:, 0] > 0
    with pytest.warns(UserWarning, match="column-vector y was passed"):
        model = fitted(X, y[:, None])
    np.testing.assert_array_equal(model.decision_function(X), fitted(X, y).decision_function(X))


# ---- Weights -----------------------------------------------------------------------------------
def test_weights_repeat_rows(X):
    y = np.digitize(X[:, 0], [0])
    w = np.arange(len(X)) % 3
    for weight in (w, w.astype(np.float32), w.tolist()):
        got = fitted(X, y, sample_weight=weight).decision_function(X)
        want = fitted(np.repeat(X, w, axis=0), np.repeat(y, w)).decision_function(X)
        np.testing.assert_allclose(got, want, rtol=1e-3, atol=1e-3)     # tol=1e-8 of an optimum
    np.testing.assert_array_equal(fitted(X, y, sample_weight=1).decision_function(X),
                                  fitted(X, y).decision_function(X))


@pytest.mark.parametrize("weight, message", [
    (np.ones(3), r"sample_weight.shape == \(3,\), expected \(4,\)"),
    (np.ones((4, 1)), "must be 1D"), ([1, -1, 1, 1], "Negative values in sample_weight: row 1"),
    ([1, 1, 1, np.nan], "sample_weight contains NaN"), ([1, 1, 1, np.inf], "contains infinity"),
    (np.zeros(4), "zero in all rows"), (["a"] * 4, "could not convert")])
def test_refused_weights(weight, message):
    with pytest.raises(ValueError, match=message):
        fitted(FOUR, [0, 1, 0, 1], sample_weight=weight)


def test_class_weight(X):
    """A dict is the weights of rows; balanced is n / (classes n_k)."""
    for classes in (np.array([1, 2]), np.array(["a=b", "c"]), np.array([b"x", b"y"]),
                    np.array([False, True])):
        k = (X[:, 0] > 0.3).astype(int)
        y = classes[k]
        first, second = classes.tolist()

        def learner(weight):
            return featcross.LinearClassifier(random_state=0, tol=1e-8, class_weight=weight)

        for weight, of in (({first: 2.5, second: 0.5}, [2.5, 0.5]), ({second: 3}, [1, 3]),
                           ("balanced", len(k) / (2 * np.bincount(k)))):
            got = learner(weight).fit(X, y).decision_function(X)
            want = fitted(X, y, sample_weight=np.array(of)[k]).decision_function(X)
            np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12)
        for weight, message in (({"other": 1}, "names the class 'other'; there are"),
                                ("equal", "'balanced', None or a dict"), ([1, 2], "or a dict"),
                                ({first: -1}, "positive number"),
                                ({first: np.nan}, "positive number")):
            with pytest.raises(ValueError, match=message):
                learner(weight).fit(X, y)


def test_classes_are_as_the_library_has_them():
    classes = np.array([-1.5e300, 0, 3])
    assert [float(name) for name in _labels.class_names(classes)] == classes.tolist()

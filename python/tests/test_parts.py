# SPDX-License-Identifier: BSD-3-Clause
"""Parts: what an iterator may give, and what its errors say."""
import numpy as np
import pytest

from featcross import LinearClassifier, LinearRegressor, Parts

X = np.random.default_rng(2).normal(size=(5000, 4))
Y = (X[:, 0] > 0).astype(int)


def fit(*parts, **more):
    return LinearClassifier(loss="logistic", random_state=0, **more).fit(Parts(lambda: iter(parts)))


def test_each_fit_asks_for_a_new_iterator():
    asked = []

    def make():
        asked.append(1)
        yield X, Y

    parts, model = Parts(make), LinearClassifier(loss="logistic", random_state=0)
    first = model.fit(parts).model_.dump()
    assert model.fit(parts).model_.dump() == first and len(asked) == 2
    assert "make" in repr(parts)


def test_no_function():
    with pytest.raises(TypeError, match="takes a function that makes iterators, not a list"):
        Parts([(X, Y)])
    with pytest.raises(TypeError, match="gave a NoneType, not an iterator of"):
        LinearClassifier(loss="logistic").fit(Parts(lambda: None))  # it forgets to return


def test_empty_parts():
    known = LinearClassifier(loss="logistic", random_state=0).fit(X, Y).model_.dump()
    assert fit((X[:0], Y[:0]), (X, Y), (X[:0], Y[:0])).model_.dump() == known
    for parts in ((), ((X[:0], Y[:0]),)):
        with pytest.raises(ValueError, match=r"Found 0 sample\(s\) in all parts"):
            fit(*parts)


def test_lists():
    assert fit((X[:10].tolist(), Y[:10].tolist())).n_features_in_ == 4


SPARSE = "sparse"


@pytest.mark.parametrize("part, reason", [
    ((X[:, :3], Y), "part 1 .*: X has 3 features, but LinearClassifier is expecting 4"),
    ((X, Y[:-1]), "part 1 .*: X has 5000 rows, but y has 4999"),
    ((X,), "part 1 .*: requires y to be passed"),
    ((X, Y + 0.5), "part 1 .*: Unknown label type: continuous"),
    ((X, Y.astype(str)), "part 1 .*: y holds text; .* those before are numbers"),
    ((X, Y, -np.ones(5000)), "part 1 .*: Negative values in sample_weight"),
    ((X, Y, Y, Y), "part 1 .* is a tuple of 4"),
    ((np.where(X == X[7, 2], np.nan, X), Y), "part 1, row 7, column 2 .*: NaN .* missing="),
    ((np.where(X == X[4998, 1], np.inf, X), Y), "part 1, row 4998, column 1 .*: inf"),
    (SPARSE, "part 1 .*: X is sparse, unlike that of the first part")], ids=lambda v: v if
    isinstance(v, str) else "")
def test_errors_name_the_part_and_the_row(part, reason):
    if part is SPARSE:
        part = pytest.importorskip("scipy.sparse").csr_array(X), Y
    model = LinearClassifier(loss="logistic", random_state=0, n_jobs=2)
    with pytest.raises(ValueError, match=reason):
        model.fit(Parts(lambda: iter([(X[:3], Y[:3]), part, (X, Y)])))
    assert not hasattr(model, "classes_") and not hasattr(model, "n_features_in_")


def test_one_class():
    with pytest.raises(ValueError, match="one class only, 0 in all 10000 rows"):
        fit((X, Y * 0), (X, Y * 0))


def test_targets():
    with pytest.raises(ValueError, match="part 0 .*: y holds text, and a regressor needs numbers"):
        LinearRegressor().fit(Parts(lambda: iter([(X, Y.astype(str))])))


@pytest.mark.parametrize("error", [ValueError("mine"), KeyboardInterrupt("mine"), OSError])
def test_exceptions_of_the_iterator(error):
    def broken():
        yield X, Y
        raise error

    before = LinearClassifier(loss="logistic", random_state=0).fit(X, Y)
    state = dict(vars(before))
    with pytest.raises(BaseException) as caught:
        before.fit(Parts(broken))
    assert caught.value is error or isinstance(caught.value, error)
    assert vars(before) == state


def test_frames():
    pandas = pytest.importorskip("pandas")
    A = pandas.DataFrame({"size": X[:, 0], "city": np.where(Y, "Rome", "Oslo")})
    for other, reason in ((A.rename(columns={"size": "width"}), "part 1 .*: The feature names"),
                          (A[["size"]].assign(city=1.0).to_numpy(), "part 1 .*no names of columns"),
                          (A[["size"]], "part 1 .*: The feature names should match")):
        with pytest.raises(ValueError, match=reason):
            fit((A, Y), (other, Y))
    with pytest.raises(ValueError, match="part 1 .*column 'size'.* holds text"):
        fit((A[["size"]], Y), (A[["size"]].astype(str) + "cm", Y))


def test_rows_without_labels_need_no_tuple():
    (found, y, weight), = Parts(lambda: iter([X]))
    assert found is X and y is None and weight is None

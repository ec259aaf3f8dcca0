# SPDX-License-Identifier: BSD-3-Clause
"""CombinationSelector: by what was planted, by the program on the same rows, among scikit-learn's.

Covers: _discover.py, python/featcross/_structs.py
"""
import inspect
import json
import pickle
import subprocess

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csc_matrix, csr_array, csr_matrix, issparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

import featcross as fx
from featcross import CombinationSelector
from featcross._discover import Found
from featcross._sklearn import ConvergenceWarning

TRIPLE, PAIR = (1, 3, 6), (0, 4)


def selector(**more):
    return CombinationSelector(**{"random_state": 3, "n_jobs": 1, "n_splits": 8, **more})


@pytest.fixture(scope="module")
def planted():
    """A triple and a pair decide the labels."""
    rng = np.random.default_rng(5)
    X = (rng.random((600, 9)) < 0.5).astype(float)
    score = 4 * X[:, TRIPLE].prod(axis=1) + 4 * X[:, PAIR].prod(axis=1) - 2
    return X, np.where(score + rng.logistic(size=len(X)) > 0, "yes", "no")


@pytest.fixture(scope="module")
def fitted(planted):
    return selector().fit(*planted)


@pytest.fixture(scope="module")
def table():
    """Days and cities that decide together; a number that decides by itself."""
    rng = np.random.default_rng(6)
    frame = pd.DataFrame({"age": rng.random(800).round(3),
                          "city": rng.choice(["Paris", "Rome", "Oslo"], 800),
                          "day": pd.Categorical(rng.choice(["Mon", "Tue"], 800)),
                          "other": rng.choice(["a", "b"], 800)})
    both = (frame["city"] == "Paris") & (frame["day"] == "Mon")
    y = np.where(6 * both + 4 * frame["age"] - 4 + rng.logistic(size=800) > 0, 1, 0)
    return frame, y


# ---- What it finds ------------------------------------------------------------------------------
def test_planted(planted, fitted):
    X, y = planted
    assert set(fitted.combinations_) == {TRIPLE, PAIR}
    assert (fitted.pvalues_ < 0.05).all() and (fitted.frequency_ > 0.5).all()
    assert fitted.certified_ and fitted.null_ is None and list(fitted.classes_) == ["no", "yes"]
    for one, p, share in zip(fitted.discoveries_, fitted.pvalues_, fitted.frequency_):
        holds = X[:, one.combination].all(axis=1)
        assert one.label == "yes" and one.interval[0] < 4 < one.interval[1]
        assert one.support == holds.sum() and one.mean == pytest.approx((y[holds] == "yes").mean())
        assert (one.pvalue, one.frequency) == (p, share) and one.adds > 0 and one.same == []
    assert [one.combination for one in fitted.discoveries_] == fitted.combinations_
    assert len({one.family for one in fitted.discoveries_}) == 2


def test_transform(planted, fitted):
    X, _ = planted
    Z = fitted.transform(X)
    assert np.array_equal(Z, np.stack([X[:, s].prod(axis=1) for s in fitted.combinations_], axis=1))
    names = [" x ".join(f"x{j}" for j in s) for s in fitted.combinations_]
    assert fitted.get_feature_names_out().tolist() == names
    given = fitted.get_feature_names_out(list("abcdefghi"))
    assert set(given) == {"b x d x g", "a x e"}
    assert fitted.get_support(indices=True).tolist() == sorted(TRIPLE + PAIR)
    assert np.flatnonzero(fitted.get_support()).tolist() == sorted(TRIPLE + PAIR)
    with pytest.raises(ValueError, match="should have length"):
        fitted.get_feature_names_out(["a"])


def test_numbers_as_they_are():
    """Columns are scaled for the search; effects and products are of what was given."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 5)) * 10
    y = 0.5 * X[:, 1] * X[:, 2] + rng.normal(size=400)
    found = selector(degree=2).fit(X, y)
    assert found.combinations_ == [(1, 2)] and not hasattr(found, "classes_")
    assert np.allclose(found.transform(X)[:, 0], X[:, 1] * X[:, 2], rtol=1e-15)
    one = found.discoveries_[0]
    assert one.label is None and one.effect == pytest.approx(0.5, abs=0.01)
    single = X.astype(np.float32)
    product = single[:, 1].astype(float) * single[:, 2]
    assert np.array_equal(found.transform(single)[:, 0], product.astype(np.float32))
    again = selector(degree=2, scale="maxabs", task="regress").fit(X, y)
    assert again.discoveries_ == found.discoveries_
    with pytest.raises(ValueError, match="row"):
        selector(scale=None).fit(X, y)


def test_tasks(planted):
    X, _ = planted
    number = X[:, 1] * X[:, 3] + X[:, 0]    # 0, 1, 2
    assert hasattr(selector().fit(X, number), "classes_")
    assert not hasattr(selector(task="regress").fit(X, number), "classes_")
    assert not hasattr(selector().fit(X, number + 0.5), "classes_")
    one = selector().fit(X, number)
    assert not hasattr(one.fit(X, number + 0.5), "classes_")
    with pytest.warns(UserWarning, match="no combination"):     # of 20 values in 30 rows
        assert not hasattr(selector().fit(X[:30], np.arange(30) % 20), "classes_")
    many = number * 100 + np.arange(len(X)) % 100
    assert not hasattr(selector().fit(X, many), "classes_")
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        selector(task="classify").fit(X, number + 0.5)
    with pytest.raises(ValueError, match="a regressor needs numbers"):
        selector(task="regress").fit(X, number.astype(str))


def test_three_classes():
    """A product that two classes have is one column, and two discoveries."""
    rng = np.random.default_rng(2)
    X = (rng.random((900, 6)) < 0.5).astype(float)
    y = np.where(X[:, 0] * X[:, 1] > 0, rng.choice([7, 8], 900, p=[0.9, 0.1]),
                 rng.choice([7, 8, 9], 900, p=[0.1, 0.5, 0.4]))
    found = selector().fit(X, y)
    of = [one for one in found.discoveries_ if one.combination == (0, 1)]
    assert {one.label for one in of} >= {7, 8} and found.classes_.tolist() == [7, 8, 9]
    assert found.combinations_.count((0, 1)) == 1
    at = found.combinations_.index((0, 1))
    assert found.pvalues_[at] == min(one.pvalue for one in of)
    assert all(one.effect > 0 if one.label == 7 else one.effect < 0 for one in of)
    assert found.transform(X).shape == (900, len(found.combinations_))


def test_one_column_of_two_discoveries(fitted):
    """The least p-value counts, whatever the order."""
    first, second = (fitted.discoveries_[0]._replace(label=k, pvalue=p, frequency=p)
                     for k, p in (("a", 0.04), ("b", 0.01)))
    one = selector()
    one._keep(Found([first, second], [], [TRIPLE, TRIPLE], None, 9, np.array([]), np.zeros(9), True,
                    None), np.array(["a", "b", "c"]))
    assert one.combinations_ == [first.combination] and one._sets == [TRIPLE]
    assert (one.pvalues_.tolist(), one.frequency_.tolist()) == ([0.01], [0.01])


def nested():
    """A weak triple, whose parts are significant, too, and add nothing to it."""
    rng = np.random.default_rng(2)
    X = (rng.random((500, 6)) < 0.6).astype(float)
    score = 2 * X[:, :3].prod(axis=1) - 1
    return pd.DataFrame(X, columns=list("abcdef")), \
        np.where(score + rng.logistic(size=500) > 0, 1, 0)


@pytest.mark.parametrize("what", ["categories", "nested"])
def test_as_the_program(table, program, tmp_path, what):
    frame, y = table if what == "categories" else nested()
    frame.assign(y=y).to_csv(tmp_path / "d.csv", index=False)
    done = subprocess.run([program, "discover", tmp_path / "d.csv", "--label", "y", "--order", "3",
                           "--splits", "8", "--permute", "3", "--seed", "3", "--json"],
                          capture_output=True, text=True, check=True)
    said = json.loads(done.stdout)
    mine = selector(n_permutations=3, n_jobs=2).fit(frame, y)
    lines = mine.discoveries_ + mine.eliminated_
    assert len(said["combinations"]) == len(lines) >= 2
    assert bool(mine.eliminated_) == (what == "nested")
    assert mine.combinations_ == [one.combination for one in mine.discoveries_]
    assert [one["eliminated"] for one in said["combinations"]] == \
        [False] * len(mine.discoveries_) + [True] * len(mine.eliminated_)
    for its, one in zip(said["combinations"], lines):
        assert tuple(its["features"]) == one.combination and its["class"] == str(one.label)
        assert (its["p"], its["effect"], its["interval"]) == (one.pvalue, one.effect,
                                                              list(one.interval))
        assert (its["support"], its["frequency"], its["adds"]) == (one.support, one.frequency,
                                                                   one.adds)
        assert its["family"] == one.family + 1
        assert [tuple(other) for other in its["same"]] == one.same
    assert said["certified"] == mine.certified_
    null = {**said["null"], "interval": tuple(said["null"]["interval"])}
    assert mine.null_ == null and null["permutations"] == 3


def test_same(planted):
    """Of two equal columns the data cannot tell which it is."""
    X, y = planted
    found = selector().fit(np.column_stack([X, X[:, 4]]), y)
    (pair,) = (one for one in found.discoveries_ if one.combination == PAIR)
    assert pair.same == [(0, 9), (0, 4, 9)]


# ---- Rows of any kind ---------------------------------------------------------------------------
def test_categories(table):
    frame, y = table
    found = selector(degree=2).fit(frame, y)
    assert ("city=Paris", "day=Mon") in found.combinations_ and ("age",) in found.combinations_
    names = found.get_feature_names_out().tolist()
    assert "city=Paris x day=Mon" in names and "age" in names
    assert found.get_support().tolist() == [True, True, True, False]
    Z = found.transform(frame)
    assert isinstance(Z, np.ndarray)
    both = (frame["city"] == "Paris") & (frame["day"] == "Mon")
    assert np.array_equal(Z[:, names.index("city=Paris x day=Mon")], both)
    assert np.array_equal(Z[:, names.index("age")], frame["age"])
    out = found.set_output(transform="pandas").transform(frame)
    assert list(out.columns) == names and list(out.index) == list(frame.index)
    whole = selector(degree=2, include_input=True).fit(frame, y)
    assert whole.transform(frame).shape[1] == len(whole.get_feature_names_out())
    assert list(whole.get_feature_names_out())[:1] == ["age"]
    assert list(whole.get_feature_names_out())[-len(names):] == names
    assert np.array_equal(whole.transform(frame)[:, -len(names):], Z)


@pytest.mark.parametrize("kind", [csr_array, csr_matrix, csc_matrix])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse(planted, fitted, kind, dtype):
    X, y = planted
    rows = kind(X.astype(dtype))
    found = selector(include_input=True).fit(rows, y)
    assert found.discoveries_ == fitted.discoveries_
    Z = found.transform(rows)
    assert issparse(Z) and Z.format == "csr" and Z.dtype == dtype
    assert isinstance(Z, csr_array if kind is csr_array else csr_matrix)
    assert np.array_equal(Z.toarray(), np.hstack([X, fitted.transform(X)]))
    found.set_params(include_input=False)
    assert np.array_equal(found.transform(rows).toarray(), fitted.transform(X))


@pytest.mark.parametrize("sparse", [False, True])
def test_missing(planted, sparse):
    X, y = planted
    rng = np.random.default_rng(4)
    X = X.copy()
    gone = (rng.random(len(X)) < 0.3) & (X[:, 2] == 0)      # column 2 decides nothing
    X[gone, 2] = np.nan
    y = np.where(gone, "yes", y)        # but that it is missing does
    rows = csr_array(X) if sparse else X
    found = selector(missing="mean,indicator", include_input=True, degree=2).fit(rows, y)
    assert (9,) in found.combinations_ and found.get_support()[2]
    names = list(found.get_feature_names_out())
    assert names[:10] == [*(f"x{j}" for j in range(9)), "x2=missing"]
    Z = found.transform(rows)
    Z = Z.toarray() if sparse else Z
    assert np.array_equal(Z[:, 9], gone)
    assert np.array_equal(Z[:, names.index("x2=missing", 10)], gone)
    assert np.allclose(Z[gone, 2], np.nanmean(X[:, 2]), rtol=1e-12)
    named = selector(missing="mean,indicator", degree=2).fit(
        pd.DataFrame(X, columns=list("abcdefghi")), y)
    assert ("c=missing",) in named.combinations_ and named.get_support()[2]


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_numbers_that_are_none(planted, fitted, bad):
    X, y = planted
    worse = X.copy()
    worse[3, 4] = bad
    for rows in (worse, csr_array(worse)):
        for call in (lambda: selector().fit(rows, y), lambda: fitted.transform(rows)):
            with pytest.raises(ValueError, match="row 3, column 4 .*(NaN|inf)"):
                call()
    with pytest.raises(ValueError, match="9 features"):
        fitted.transform(X[:, :5])


def test_weights(planted):
    """Rows of weight 0 are not there, whatever their label; a weight is a number of rows."""
    X, y = planted
    w = np.arange(len(X)) % 3 + 0.0
    labels = np.where(w == 0, "zero", y)    # behind the others
    some = selector().fit(X, labels, sample_weight=w)
    there = selector().fit(X[w > 0], y[w > 0], sample_weight=w[w > 0])
    assert some.discoveries_ == there.discoveries_ != [] and list(some.classes_) == ["no", "yes"]
    same = selector().fit(X, y, sample_weight=pd.Series(np.ones(len(X))))
    assert same.discoveries_ == selector().fit(X, y).discoveries_
    for bad, message in ((w / 2, "whole number"), (w[:-1], "expected"), (-w, "Negative")):
        with pytest.raises(ValueError, match=message):
            selector().fit(X, y, sample_weight=bad)


# ---- Among scikit-learn's -----------------------------------------------------------------------
def test_pipeline():
    """The label is a product of two signs, of which a linear model knows nothing."""
    rng = np.random.default_rng(3)
    X = rng.choice([-1.0, 1.0], size=(300, 6))
    y = np.where(X[:, 0] * X[:, 1] > 0, "yes", "no")
    model = make_pipeline(selector(degree=2), LogisticRegression())
    assert cross_val_score(model, X, y, cv=3).min() == 1
    assert model.fit(X, y)[:-1].get_feature_names_out().tolist() == ["x0 x x1"]
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
    assert not hasattr(clone(model)[0], "combinations_")


def test_nothing():
    rng = np.random.default_rng(3)
    X, y = rng.random((100, 4)), np.arange(100) % 2
    with pytest.warns(UserWarning, match="no combination .* alpha=0.01; transform .* no columns"):
        found = selector(alpha=0.01).fit(X, y)
    assert found.combinations_ == found.discoveries_ == [] and len(found.pvalues_) == 0
    assert found.transform(X).shape == found.transform(csr_array(X)).shape == (100, 0)
    assert not found.get_support().any() and len(found.get_feature_names_out()) == 0
    with pytest.warns(UserWarning, match="the columns of X alone"):
        model = make_pipeline(selector(alpha=0.01, include_input=True), LogisticRegression())
        model.fit(X, y)
    assert np.array_equal(model[0].transform(X), X)


def test_seeds_and_threads(planted, fitted):
    X, y = planted
    assert selector(n_jobs=2).fit(X, y).discoveries_ == fitted.discoveries_
    other = selector(random_state=4).fit(X, y)
    assert other.combinations_ and other.discoveries_ != fitted.discoveries_


def test_limits(planted, fitted):
    X, y = planted
    wide = (np.random.default_rng(1).random((200, 60)) < 0.5).astype(float)
    with pytest.warns(UserWarning) as said:
        brief = selector(degree=6, max_seconds=1e-6).fit(wide, np.arange(200) % 2)
    assert not brief.certified_ and "max_seconds" in str(said[0].message)
    assert said[0].category is ConvergenceWarning
    assert all(len(s) <= 2 for s in selector(degree=2).fit(X, y).combinations_)
    few = selector(max_selected=1).fit(X, y)
    assert sum(few.frequency_) <= 1 < sum(fitted.frequency_)


@pytest.mark.parametrize("options, message", [
    ({"degree": 0}, "degree=0"), ({"degree": 17}, "degree=17 is above 16"),
    ({"alpha": 0}, "alpha=0"), ({"alpha": 1.0}, "alpha=1.0"), ({"alpha": "x"}, "alpha='x'"),
    ({"task": "rank"}, "task='rank'"), ({"n_splits": 0}, "n_splits=0"),
    ({"max_selected": 0}, "max_selected=0"), ({"scale": "std"}, "scale='std'"),
    ({"missing": "drop"}, "missing='drop'"), ({"missing": "x"}, "missing='x'"),
    ({"max_seconds": 0}, "max_seconds=0"), ({"n_permutations": -1}, "n_permutations=-1"),
    ({"random_state": -1}, "random_state=-1")])
def test_refused(planted, options, message):
    one = selector(**options)
    with pytest.raises(ValueError, match=message):
        one.fit(*planted)
    assert not hasattr(one, "n_features_in_")


def test_refused_rows(planted):
    X, y = planted
    with pytest.raises(ValueError, match="19 rows; at least 20"):
        selector().fit(X[:19], y[:19])
    with pytest.raises(ValueError, match="requires y"):
        selector().fit(X)
    with pytest.raises(ValueError, match="one class"):
        selector().fit(X, ["a"] * len(X))


def test_products_beyond_floats(planted, fitted):
    X, _ = planted
    for dtype, value in ((np.float32, 1e30), (np.float64, 1e200)):
        with pytest.raises(FloatingPointError, match=r"product of \(.*\) in row 0"):
            fitted.transform(np.full((2, 9), value, dtype=dtype))
    row = np.zeros((1, 9), dtype=np.float32)
    row[0, list(TRIPLE)] = 1e30, 1e30, 1e-30  # the product of two is no float, that of three is
    at = fitted.combinations_.index(TRIPLE)
    assert fitted.transform(row)[0, at] == pytest.approx(1e30)


def test_parameters_are_documented():
    text = inspect.getdoc(fx.CombinationSelector).partition("Attributes")[0]
    assert all(f"\n{name} :" in text or f", {name} :" in text
               for name in inspect.signature(fx.CombinationSelector).parameters)

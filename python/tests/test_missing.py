# SPDX-License-Identifier: BSD-3-Clause
"""missing=: rows with NaN against rows that were filled by hand, in arrays, sparse rows and
DataFrames; saved models keep it.

Covers: _learners/missing.py"""
import pickle
import subprocess

import numpy as np
import pytest

import featcross as fx
from estimators import CLASSES, small

WORDS = ("zero", "mean", "median", "zero,indicator", "mean,indicator", "median,indicator")


@pytest.fixture
def data():
    rng = np.random.default_rng(1)
    X = rng.integers(-2, 3, (120, 5)).astype(float)
    y = X[:, 0] + X[:, 1] * X[:, 2] > 0
    X[rng.random(120) < 0.2, 1] = np.nan
    X[rng.random(120) < 0.1, 3] = np.nan
    return X, y


def by_hand(X, fitted, word):
    """Filled by the definition; fitted: the rows of fit."""
    what, _, indicator = word.partition(",")
    fill = {"zero": np.zeros(5), "mean": np.nanmean(fitted, axis=0),
            "median": np.nanmedian(fitted, axis=0)}[what]
    lost = np.isnan(X)
    return np.hstack([np.where(lost, fill, X), lost[:, np.isnan(fitted).any(axis=0)].astype(float)]
                     if indicator else [np.where(lost, fill, X)])


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("estimator", [
    fx.LinearClassifier(loss="logistic", scale="std"),
    fx.LinearRegressor(map=fx.RandomKernelMap(64, random_state=1), scale="maxabs"),
    fx.KernelSVC(), fx.KernelSVC(scale="std", calibrate=True, random_state=1), fx.KernelRidge(),
    fx.KernelPerceptron(), fx.KernelPCA(random_state=1),
    fx.FactorizationMachineClassifier(4, random_state=1, max_iter=20)], ids=repr)
def test_fills(estimator, word, data):
    X, y = data
    clone = type(estimator)(**{**estimator.get_params(deep=False), "missing": word})
    other = type(estimator)(**estimator.get_params(deep=False))
    F = by_hand(X, X, word)
    clone.fit(X, y), other.fit(F, y)
    assert clone.n_features_in_ == 5
    assert clone.missing_ == {"values": np.isnan(X).sum(), "columns": 2, "rows": 0}
    for method in ("predict", "decision_function", "predict_proba", "transform"):
        if hasattr(clone, method):
            # the library's mean and NumPy's differ in the last bits
            np.testing.assert_allclose(getattr(clone, method)(X).astype(float),
                                       getattr(other, method)(F).astype(float), rtol=1e-7,
                                       atol=1e-7)
            one = getattr(clone, method)(X[:1])
            np.testing.assert_array_equal(one, getattr(clone, method)(X)[:1])


def test_every_learner(data, tmp_path):
    """Each fits rows with NaN, says so to scikit-learn, and comes back from files and pickles."""
    X, y = data
    learners = [kind for kind in CLASSES if hasattr(kind, "save")]
    assert len(learners) > 10
    for kind in learners:
        estimator = small(kind, missing="mean,indicator", **{
            "n_components": 2} if "PCA" in kind.__name__ else {})
        extra = {"qid": np.repeat(np.arange(12), 10)} if "Ranker" in kind.__name__ else {}
        estimator.fit(X, y.astype(int), **extra)
        predict = getattr(estimator, "predict", None) or estimator.transform
        estimator.save(tmp_path / "m.fx")
        for again in (fx.load(tmp_path / "m.fx"), pickle.loads(pickle.dumps(estimator))):
            assert again.missing == "mean,indicator" and again.n_features_in_ == 5
            assert again.missing_ == estimator.missing_
            np.testing.assert_array_equal(getattr(again, predict.__name__)(X), predict(X))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse(data, dtype):
    scipy = pytest.importorskip("scipy.sparse")
    X, y = data
    X = X.astype(dtype)
    for word in WORDS:
        dense = fx.LinearClassifier(missing=word, loss="logistic", tol=1e-8).fit(X, y)
        sparse = fx.LinearClassifier(missing=word, loss="logistic", tol=1e-8)
        sparse.fit(scipy.csr_array(X), y)
        np.testing.assert_allclose(sparse.decision_function(scipy.csr_array(X)),
                                   dense.decision_function(X), rtol=1e-2, atol=1e-3)
        assert sparse.decision_function(X).dtype == dtype


def test_drop(data):
    X, y = data
    there = ~np.isnan(X).any(axis=1)
    for labels in (y, np.where(y, "yes", "no")):
        model = fx.LinearClassifier(missing="drop", loss="logistic").fit(X, labels)
        other = fx.LinearClassifier(loss="logistic").fit(X[there], labels[there])
        np.testing.assert_array_equal(model.coef_, other.coef_)
        assert model.missing_ == {"values": np.isnan(X).sum(), "columns": 2,
                                  "rows": (~there).sum()}
        P = model.predict_proba(X)
        assert np.isnan(P[~there]).all()
        np.testing.assert_array_equal(P[there], other.predict_proba(X[there]))
        np.testing.assert_array_equal(model.predict(X)[there], other.predict(X[there]))
        assert model.score(X, labels) == other.score(X[there], labels[there])
        w = np.arange(len(y)) % 3
        assert model.score(X, labels, w) == pytest.approx(
            other.score(X[there], labels[there], w[there]))
    assert all(label is None for label in model.predict(X)[~there])
    numbers = fx.LinearClassifier(missing="drop").fit(X, y.astype(int)).predict(X)
    assert numbers.dtype == np.float64 and np.isnan(numbers[~there]).all()
    r = fx.LinearRegressor(missing="drop").fit(X.astype(np.float32), y)
    assert r.predict(X.astype(np.float32)).dtype == np.float32
    assert np.isnan(r.predict(X)[~there]).all()
    assert r.score(X, y) == pytest.approx(
        fx.LinearRegressor().fit(X[there].astype(np.float32), y[there]).score(X[there], y[there]))
    with pytest.raises(ValueError, match="leaves such rows out"):
        model.explain(X[~there][:1])


def test_refused(data):
    X, y = data
    for rows in (X, X.tolist()):
        with pytest.raises(ValueError, match="NaN.*missing="):
            fx.LinearClassifier().fit(rows, y)
    with pytest.raises(ValueError, match="missing='men'.*'median,indicator', 'category'"):
        fx.LinearClassifier(missing="men").fit(X, y)
    with pytest.raises(ValueError, match="missing=None"):
        fx.LinearClassifier(missing=None).fit(X, y)
    with pytest.raises(ValueError, match="inf"):
        fx.LinearClassifier(missing="mean").fit(np.where(np.isnan(X), np.inf, X), y)
    with pytest.raises((ValueError, NotImplementedError), match="Gram matrix"):
        fx.KernelRidge(kernel="precomputed", missing="mean").fit(np.eye(5), np.arange(5))
    model = fx.LinearClassifier().fit(np.nan_to_num(X), y)
    with pytest.raises(ValueError, match="NaN.*missing="):
        model.predict(X)


def test_weights_of_0_are_absence(data):
    X, y = data
    w = (np.arange(len(y)) % 3).astype(float)
    for word in ("mean,indicator", "median,indicator"):
        A = np.where(w[:, None] == 0, np.nan, X)    # column 0 is missing where nobody looks
        a = fx.LinearClassifier(missing=word, loss="logistic").fit(A, y, sample_weight=w)
        b = fx.LinearClassifier(missing=word, loss="logistic").fit(X[w > 0], y[w > 0],
                                                                   sample_weight=w[w > 0])
        assert a.coef_.shape == b.coef_.shape == (1, 7)
        assert a.missing_ == b.missing_
        np.testing.assert_allclose(a.predict_proba(X), b.predict_proba(X), rtol=0.02)


def test_frame(data, tmp_path):
    pandas = pytest.importorskip("pandas")
    X, y = data
    rng = np.random.default_rng(2)
    frame = pandas.DataFrame({"a": X[:, 0], "b": X[:, 1],
                              "n": pandas.array(np.nan_to_num(X[:, 3]).astype(int), dtype="Int64"),
                              "city": rng.choice(["Rome", "Oslo", None], 120)})
    frame.loc[5, "n"] = pandas.NA
    with pytest.raises(ValueError, match="column '[bn]', row .*NaN.*missing="):
        fx.LinearClassifier().fit(frame, y)
    names = {"mean,indicator": ["a", "b", "n", "b=missing", "n=missing", "city=Rome", "city=Oslo"],
             "category": ["a", "b", "n", "b=missing", "n=missing", "city=Rome", "city=Oslo",
                          "city=NA"]}
    for word, expected in names.items():
        model = fx.LinearClassifier(missing=word, loss="logistic").fit(frame, y)
        assert list(model.feature_names_in_) == ["a", "b", "n", "city"]
        assert model.n_features_in_ == 4
        assert sorted(model.model_.names()) == sorted(expected)
        found = {name for c in model.top_combinations(20, X=frame) for name in c.features}
        assert found == set(expected)
        model.save(tmp_path / "m.fx")
        again = fx.load(tmp_path / "m.fx")
        assert again.missing == word and again.model_.content.missing == b"mean,indicator"
        np.testing.assert_array_equal(again.predict_proba(frame), model.predict_proba(frame))
        explained = model.explain(frame.iloc[[5]])[0]
        assert "n=missing" in {name for c in explained.combinations for name in c.features}
    missing = model.decision_function(frame.assign(city=None))
    oslo = model.decision_function(frame.assign(city="Oslo"))
    assert (missing != oslo).all()
    plain = pandas.DataFrame(X)
    plain.columns = [f"x{j}" for j in range(5)]
    a = fx.LinearClassifier(missing="median").fit(plain, y)
    b = fx.LinearClassifier(missing="median").fit(X, y)
    np.testing.assert_array_equal(a.predict(plain), b.predict(X))
    with pytest.raises(ValueError, match="column 'a', row 3: inf"):
        frame.loc[3, "a"] = np.inf
        model.predict(frame)


@pytest.mark.parametrize("word", ["category", "mean,indicator", "drop", "median", "zero"])
def test_as_the_program(data, tmp_path, program, word):
    """missing= means what --nan does, and load finds it again."""
    pandas = pytest.importorskip("pandas")
    X, y = data
    rng = np.random.default_rng(3)
    frame = pandas.DataFrame({"a": X[:, 0] + 50, "b": X[:, 1],
                              "city": rng.choice(["Rome", "Oslo", None], 120)})
    frame.assign(y=np.where(y, "yes", "no")).to_csv(tmp_path / "x.csv", index=False)
    subprocess.run([program, "train", "x.csv", "-o", "m.fx", "--model", "logistic", "--tol", "1e-9",
                    "--nan", word, "-q"], cwd=tmp_path, check=True, capture_output=True)
    theirs = fx.load(tmp_path / "m.fx")
    ours = fx.LinearClassifier(missing=word, loss="logistic", tol=1e-9).fit(frame, y)
    assert theirs.missing == word
    assert sorted(theirs.model_.names()) == sorted(ours.model_.names())
    np.testing.assert_allclose(theirs.predict_proba(frame), ours.predict_proba(frame), rtol=1e-3)


def test_partial_fit_and_eval_set(data):
    X, y = data
    model = fx.LinearClassifier(loss="perceptron", missing="mean,indicator")
    model.partial_fit(X[:60], y[:60], classes=[False, True]).partial_fit(X[60:], y[60:])
    assert model.model_.content.rows == 120 and model.coef_.shape == (1, 7)
    machine = fx.FactorizationMachineClassifier(2, missing="drop", random_state=1, max_iter=3)
    machine.fit(X, y, eval_set=(X, y))
    assert np.isfinite(machine.history_["metric"]).all()


def test_says_counts(data, capsys):
    X, y = data
    fx.LinearClassifier(missing="drop", verbose=1).fit(X, y)
    lost = np.isnan(X).any(axis=1).sum()
    assert f"X: {np.isnan(X).sum()} numbers are missing in 2 columns; {lost} rows were left out" \
        in capsys.readouterr().err


def test_tags():
    utils = pytest.importorskip("sklearn.utils")
    if not hasattr(utils, "get_tags"):
        pytest.skip("tags are a dict here")
    assert not utils.get_tags(fx.LinearClassifier()).input_tags.allow_nan
    assert utils.get_tags(fx.KernelSVC(missing="median")).input_tags.allow_nan

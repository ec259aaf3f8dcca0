# SPDX-License-Identifier: BSD-3-Clause
"""Fits that are measured on other rows, go on, fail or are saved: shown on factorization
machines, which can do all of it.

Covers: _model.py, _learners/tasks.py
"""
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import featcross as fx
from featcross._data.rows import Rows
from featcross._model import LABEL, PROBA, SCORE, Model


@pytest.fixture
def rows(rng):
    X = rng.normal(size=(60, 4))
    return X, X[:, 0] * X[:, 2] - 0.5 * X[:, 1] + 2


# ---- Other rows, and more of them ----------------------------------------------------------------
def test_patience_keeps_the_best(rng):
    X = rng.normal(size=(80, 30))
    y = np.sign(X[:, 0] * X[:, 1] + rng.normal(size=80))
    Z = rng.normal(size=(60, 30))
    z, weight = np.sign(Z[:, 0] * Z[:, 1]), rng.uniform(1, 2, 60)
    m = fx.FactorizationMachineClassifier(8, solver="adagrad", metric="logloss", patience=3, tol=0,
                                          scale=None, random_state=1)
    m.fit(X, y, eval_set=(Z, z, weight))
    best = int(np.argmin(m.history_["metric"])) + 1
    assert best + 3 == len(m.history_["metric"]) < 100
    p = m.predict_proba(Z)[np.arange(60), (z > 0).astype(int)]
    assert m.history_["metric"].min() == pytest.approx(np.average(-np.log(p), weights=weight))
    assert {key: len(column) for key, column in m.history_.items()} == dict.fromkeys(
        ("output", "iteration", "seconds", "objective", "gap", "metric"), best + 3)
    assert (np.diff(m.history_["seconds"], prepend=0) > 0).all()
    assert (np.diff(m.history_["objective"]) < 0).all()
    again = fx.FactorizationMachineClassifier(8, solver="adagrad", tol=0, max_iter=best,
                                              scale=None, random_state=1)
    with pytest.warns(UserWarning, match="iterations"):
        again.fit(X, y)
    assert (again.P_ == m.P_).all() and (again.w_ == m.w_).all()
    with pytest.raises(ValueError, match="a metric needs rows"):
        m.fit(X, y)
    with pytest.raises(ValueError, match=r"eval_set is \(X, y\) or \(X, y, sample_weight\)"):
        m.fit(X, y, eval_set=[Z])
    with pytest.raises(ValueError, match="y holds 7"):
        m.fit(X, y, eval_set=(Z, np.full(60, 7.0)))


def test_members_of_the_plan_have_their_types(rows):
    """ctypes would read a text at the address 3, and take -1 for 2^64 - 1."""
    X, y = rows
    for wrong in ({"metric": 3}, {"scale": 3}, {"patience": -1}, {"patience": 1.5}):
        with pytest.raises(ValueError, match=" is no (text|whole)"):
            fx.FactorizationMachineRegressor(2, **wrong).fit(X, y, eval_set=(X, y))
    with pytest.raises(ValueError, match="scale=3 is no text"):
        fx.KernelRidge(scale=3).fit(X, y)


def test_a_limit_of_time(rows):
    X, y = rows
    m = fx.FactorizationMachineRegressor(2, solver="adagrad", tol=0, max_iter=10**6,
                                         max_seconds=0.05)
    with pytest.warns(UserWarning, match="limit of 0.05 seconds came after"):
        m.fit(X, y)
    assert m.history_["seconds"][-1] >= 0.05 and m.n_iter_ < 10**6


@pytest.mark.filterwarnings("ignore:after .* iterations")
@pytest.mark.parametrize("make", [
    lambda **how: fx.FactorizationMachineRegressor(3, 3, **how),
    lambda **how: fx.PolynomialNetworkRegressor(3, **how),
    lambda **how: fx.AllSubsetsRegressor(3, **how)], ids=["fm", "network", "subsets"])
def test_five_and_five_epochs_are_ten(make, rows):
    X, y = rows
    how = {"solver": "adagrad", "tol": 0}
    m = make(max_iter=5, warm_start=True, **how).fit(X, y)
    m = pickle.loads(pickle.dumps(m)).fit(X, y)         # random_state None: what was drawn stays
    seed = int(m.model_.content.seed)
    whole = make(max_iter=10, random_state=seed, **how).fit(X, y)
    assert m.n_iter_ == 10 and (m.predict(X) == whole.predict(X)).all()
    assert (m.P_ == whole.P_).all()


@pytest.mark.parametrize("solver", ["cd", "lbfgs"])
def test_warm_start_at_the_optimum_stops(solver, rows):
    X, y = rows
    m = fx.FactorizationMachineRegressor(2, solver=solver, beta=1e-2, init_std=0.3, warm_start=True,
                                         max_iter=5000, random_state=1, tol=1e-10).fit(X, y)
    first, there = m.n_iter_, m.objective_
    m.set_params(tol=1e-6).fit(X, y)
    few = {"cd": 2, "lbfgs": 11}[solver]        # lbfgs looks at ten iterations together
    assert m.n_iter_ <= few < first and m.objective_ == pytest.approx(there, rel=1e-8)
    wider = np.hstack([X, X[:, :1] ** 2])
    assert m.fit(wider, y).n_features_in_ == 5 and m.objective_ <= there * (1 + 1e-9)


def test_warm_start_keeps_its_classes(rows):
    X, y = rows
    m = fx.FactorizationMachineClassifier(2, tol=1e-2, warm_start=True).fit(X, y > 2)
    with pytest.raises(ValueError, match=r"classes \[False, True\]; now they are \[0, 1, 2\]"):
        m.fit(X, np.arange(60) % 3)
    assert list(m.classes_) == [False, True]


@pytest.mark.filterwarnings("error")
def test_ten_chunks_are_nearly_a_whole_fit(rng):
    X = rng.normal(size=(20000, 6))
    scores = np.stack([X[:, 0] * X[:, 1], X[:, 2], -X[:, 3]], axis=1) + rng.gumbel(size=(20000, 3))
    y = np.array(["a", "b", "c"])[scores.argmax(axis=1)]        # with noise: nothing fits exactly
    m = fx.FactorizationMachineClassifier(4, solver="adagrad", scale=None, random_state=1)
    for chunk in np.split(np.arange(20000), 10):
        m.partial_fit(X[chunk], y[chunk], classes=["c", "a", "b"])
    whole = fx.FactorizationMachineClassifier(4, solver="adagrad", tol=1e-3, scale=None,
                                              random_state=1)
    once, often = (-np.log(model.predict_proba(X)[np.arange(20000), np.searchsorted(m.classes_, y)])
                   .mean() for model in (m, whole.fit(X, y)))
    assert list(m.classes_) == ["a", "b", "c"] and once < 1.01 * often, (once, often)


def test_partial_fit_knows_its_classes(rows):
    X, y = rows
    y = np.where(y > 2, 5, 3)
    m = fx.FactorizationMachineClassifier(2, solver="adagrad", random_state=1)
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        m.partial_fit(X, y)
    assert not vars(m).keys() & {"classes_", "n_features_in_"}
    m.partial_fit(X[y == 5], y[y == 5], classes=[3, 5, 9]).partial_fit(X, y)
    assert m.predict_proba(X).shape == (60, 3)
    for wrong, message in (({"y": y + 1}, "y holds 4"),
                           ({"y": y, "classes": [3, 5]}, "goes on with"),
                           ({"y": y, "X": X[:, :3]}, "3 features")):
        before = m.predict(X)
        with pytest.raises(ValueError, match=message):
            m.partial_fit(**{"X": X, **wrong})
        assert (m.predict(X) == before).all()
    with pytest.raises(ValueError, match="'balanced' is not for partial_fit"):
        m.set_params(class_weight="balanced").partial_fit(X, y)
    twice = fx.FactorizationMachineClassifier(2, solver="adagrad", random_state=1,
                                              class_weight={5: 2.0})
    weight = 1.0 + np.arange(60) % 3
    twice.partial_fit(X, y, [3, 5], sample_weight=weight)
    once = fx.FactorizationMachineClassifier(2, solver="adagrad", random_state=1)
    once.partial_fit(X, y, [3, 5], sample_weight=np.where(y == 5, 2.0, 1.0) * weight)
    assert (twice.decision_function(X) == once.decision_function(X)).all()
    assert not hasattr(fx.FactorizationMachineClassifier(), "partial_fit")


# ---- Files, failures -----------------------------------------------------------------------------
def test_saved_bytes_predict_the_same(tmp_path, rows):
    X, y = rows
    m = fx.FactorizationMachineClassifier(2, tol=1e-2, scale="maxabs", random_state=1)
    m.fit(X, np.where(y > 2, "yes", "no")).save(tmp_path / "m.fx")
    again = Model.parse((tmp_path / "m.fx").read_bytes())
    assert list(again.classes()) == ["no", "yes"]
    for what, ours in ((SCORE, m.decision_function(X)[:, None]), (PROBA, m.predict_proba(X)),
                       (LABEL, (m.predict(X) == "yes")[:, None])):
        assert (again.predict(Rows(X), what) == ours).all()
    copy = pickle.loads(pickle.dumps(m))
    assert (copy.predict(X) == m.predict(X)).all() and copy.history_.keys() == m.history_.keys()
    before = (tmp_path / "m.fx").read_bytes()
    with pytest.raises(OSError):
        m.save(tmp_path / "none" / "m.fx")
    (tmp_path / "m.fx").write_bytes(b"old")
    m.save(str(tmp_path / "m.fx"))
    assert (tmp_path / "m.fx").read_bytes() == before


def test_a_failed_save_loses_nothing(tmp_path, rows, monkeypatch):
    X, y = rows
    m = fx.FactorizationMachineRegressor(2, tol=1e-2).fit(X, y)
    m.save(tmp_path / "m.fx")
    before = (tmp_path / "m.fx").read_bytes()

    def full(path, data):
        with open(path, "wb") as file:
            file.write(data[:100])
        raise OSError("No space left on device")

    monkeypatch.setattr("pathlib.Path.write_bytes", full)
    with pytest.raises(OSError, match="No space"):
        m.fit(X, -y).save(tmp_path / "m.fx")
    assert [p.read_bytes() for p in tmp_path.iterdir()] == [before]


def test_a_list_that_may_lack_something_says_so(rows, monkeypatch):
    X, y = rows
    m = fx.FactorizationMachineRegressor(2, tol=1e-2).fit(X, y)
    found = m.model_.explain
    monkeypatch.setattr(m.model_, "explain",
                        lambda **how: found(**how)._replace(exact=False, missed=0.25), raising=False)
    with pytest.warns(RuntimeWarning, match="may weigh up to 0.25"):
        assert m.top_combinations(2)
    with pytest.warns(RuntimeWarning, match="may weigh up to 0.25"):
        assert not m.explain(X[:2])[1].exact


def test_a_failed_fit_changes_nothing(rows):
    X, y = rows
    m = fx.FactorizationMachineRegressor(2, tol=1e-2, random_state=1)
    with pytest.raises(ValueError, match="solver"):
        m.set_params(solver="none").fit(X, y)
    assert not hasattr(m, "n_features_in_")
    m.set_params(solver="cd").fit(X, y)
    before = m.predict(X)
    with pytest.raises(ValueError):
        m.fit(X[:, :2], np.full(60, np.nan))
    assert m.n_features_in_ == 4 and (m.predict(X) == before).all()


# ---- One row at a time ----

@pytest.mark.parametrize("model", [
    fx.LinearClassifier(loss="logistic", random_state=1),
    fx.LinearClassifier(map=fx.RandomKernelMap(64, random_state=1), random_state=1),
    fx.KernelSVC(kernel="rbf", gamma=0.1),
    fx.FactorizationMachineClassifier(4, random_state=1, max_iter=3)])
@pytest.mark.filterwarnings("ignore:after")
def test_rows_alone_from_several_threads(model):
    rng = np.random.default_rng(1)
    X = rng.random((200, 9))
    model.fit(X, (X[:, 0] * X[:, 1] > 0.2).astype(int))
    expected = model.decision_function(X)
    scorer = model.model_._scorer

    def alone(start):
        return [(i, model.decision_function(X[i:i + 1])[0]) for i in range(start, 200, 4)]

    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(alone, range(4)):
            assert all(score == expected[i] for i, score in found)
    assert scorer is not None and model.model_._scorer is scorer


def test_a_row_alone_refuses_what_all_do():
    model = fx.LinearClassifier().fit(np.eye(4), [0, 1, 0, 1])
    for n_jobs in (0, 1.5):
        with pytest.raises(ValueError, match="n_jobs="):
            model.set_params(n_jobs=n_jobs).predict(np.eye(4)[:1])
    with pytest.raises(ValueError, match="NaN|nan"):
        model.set_params(n_jobs=None).predict(np.full((1, 4), np.nan))

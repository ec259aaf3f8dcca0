# SPDX-License-Identifier: BSD-3-Clause
"""Factorization machines against their definitions: scores and objectives from the fitted numbers,
planted combinations, groups, weights of rows and classes, rankings.

Covers: _learners/factors.py, polynomial.py, subsets.py
"""
import itertools

import numpy as np
import pytest
from sklearn.base import clone

import featcross as fx


@pytest.fixture
def rows(rng):
    X = rng.normal(size=(60, 4))
    return X, X[:, 0] * X[:, 2] - 0.5 * X[:, 1] + 2


# ---- Definitions ---------------------------------------------------------------------------------
def elementary(z, t):
    """Sum over all sets of t columns of their product."""
    return sum(np.prod(z[:, list(c)], axis=1) for c in itertools.combinations(range(z.shape[1]), t))


def explicit(m, X):
    return sum(lam * elementary(p * X, t) for t, P, lams in
               zip(range(m.degree, 1, -1), m.P_, m.lams_) for p, lam in zip(P, lams))


def shared(m, X):
    X = np.hstack([np.ones((len(X), m.degree - 1)), X])
    return sum(lam * elementary(p * X, m.degree) for p, lam in zip(m.P_[0], m.lams_[0]))


def simplex(m, X):
    return sum(lam * theta * elementary(p * X, t + 1) for p, lam in zip(m.P_[0], m.lams_[0])
               for t, theta in enumerate(m.thetas_))


def bilinear(m, X):
    c = m.split
    return sum(lam * (X[:, :c] @ p[:c]) * (X[:, c:] @ p[c:]) for p, lam in zip(m.P_[0], m.lams_[0]))


def power(m, X):
    X = np.hstack([np.ones((len(X), 1)), X])
    return sum(lam * (X @ p) ** m.degree for p, lam in zip(m.P_[0], m.lams_[0]))


def product(m, X):
    X = np.hstack([np.ones((len(X), 1)), X])
    return sum(lam * (X @ p[:5]) * (X @ p[5:]) for p, lam in zip(m.P_[0], m.lams_[0]))


def subsets(m, X):
    return sum(lam * np.prod(1 + p * X, axis=1) for p, lam in zip(m.P_[0], m.lams_[0]))


COMMON = {"beta": 1e-3, "init_std": 0.3, "max_iter": 30, "random_state": 3, "scale": None}
MODELS = {
    "pairs": (fx.FactorizationMachineRegressor(3, **COMMON), explicit),
    "triples": (fx.FactorizationMachineRegressor(3, 3, **{**COMMON, "beta": [1e-3, 1e-2]}),
                explicit),
    "shared": (fx.FactorizationMachineRegressor(3, 3, fit_lower="shared", **COMMON), shared),
    "simplex": (fx.FactorizationMachineRegressor(3, 3, fit_lower="simplex", **COMMON), simplex),
    "split": (fx.FactorizationMachineRegressor(3, split=1, **COMMON), bilinear),
    "signs": (fx.FactorizationMachineRegressor(5, init_lambdas="signs", **COMMON), explicit),
    "learned": (fx.FactorizationMachineRegressor(5, init_lambdas="learned", **COMMON), explicit),
    "adagrad": (fx.FactorizationMachineRegressor(3, solver="adagrad", **COMMON), explicit),
    "power": (fx.PolynomialNetworkRegressor(3, 3, init_lambdas="random_signs", **COMMON), power),
    "product": (fx.PolynomialNetworkRegressor(3, form="product", **COMMON), product),
    "subsets": (fx.AllSubsetsRegressor(3, **COMMON), subsets),
    "bare": (fx.FactorizationMachineRegressor(3, fit_linear=False, fit_intercept=False, **COMMON),
             explicit),
}


@pytest.mark.filterwarnings("ignore:after 30 iterations")
@pytest.mark.parametrize("name", MODELS)
def test_scores_and_objective_are_the_definition(name, rows):
    X, y = rows
    m, kernel = MODELS[name]
    m.fit(X, y)
    f = m.intercept_ + X @ m.w_ + kernel(m, X)
    np.testing.assert_allclose(m.predict(X), f, rtol=1e-9, atol=1e-9)
    beta = np.resize([1e-3], len(m.P_)) if name != "triples" else [1e-2, 1e-3]    # highest first
    penalty = m.alpha / 2 * (m.w_**2).sum() + sum(b / 2 * (P**2).sum() for b, P in zip(beta, m.P_))
    if m.init_lambdas == "learned":
        penalty += m.beta_lambda / 2 * (m.lams_**2).sum()
        assert not np.allclose(m.lams_, 1)
    elif "signs" in m.init_lambdas:
        assert set(m.lams_.ravel()) == {-1.0, 1.0}
    else:
        assert (m.lams_ == 1).all()
    assert m.objective_ == pytest.approx(((y - f) ** 2).mean() / 2 + penalty, rel=1e-9)
    assert m.history_["objective"][-1] == pytest.approx(m.objective_, rel=1e-9)
    assert list(m.history_["iteration"]) == list(range(1, m.n_iter_ + 1))
    if name == "bare":
        assert m.intercept_ == 0 and not m.w_.any()


@pytest.mark.filterwarnings("ignore:after 30 iterations")
@pytest.mark.parametrize("scale", ["auto", "std"])
@pytest.mark.parametrize("name", MODELS)
def test_factors_are_of_the_numbers_in_X(name, scale, rows):
    X, y = rows[0] * [1, 10, 100, 1000], rows[1]
    m, kernel = clone(MODELS[name][0]).set_params(scale=scale), MODELS[name][1]
    f = m.fit(X, y).intercept_ + X @ m.w_ + kernel(m, X)
    assert m.scale_ == {"auto": "maxabs"}.get(scale, scale)
    np.testing.assert_allclose(m.predict(X), f, rtol=1e-9, atol=1e-9)


@pytest.mark.filterwarnings("ignore:after 40 iterations")
@pytest.mark.parametrize("loss", ["logistic", "squared_hinge", "squared"])
def test_losses_of_three_classes(loss, rng):
    X = rng.normal(size=(80, 4))
    y = np.array(["low", "mid", "top"])[np.digitize(X[:, 0] * X[:, 1], [-0.5, 0.5])]
    m = fx.FactorizationMachineClassifier(2, loss=loss, init_std=0.3, max_iter=40, scale=None,
                                          random_state=1)
    m.fit(X, y)
    assert m.P_.shape == (3, 1, 2, 4) and m.lams_.shape == (3, 1, 2) and m.w_.shape == (3, 4)
    assert list(m.classes_) == ["low", "mid", "top"] and m.intercept_.shape == (3,)
    total = 0
    for k, label in enumerate(m.classes_):
        f = m.intercept_[k] + X @ m.w_[k] + sum(elementary(p * X, 2) for p in m.P_[k, 0])
        np.testing.assert_allclose(m.decision_function(X)[:, k], f, rtol=1e-9, atol=1e-9)
        sign = np.where(y == label, 1, -1)
        losses = {"logistic": np.log1p(np.exp(-sign * f)), "squared": (sign - f) ** 2 / 2,
                  "squared_hinge": np.maximum(0, 1 - sign * f) ** 2}[loss]
        total += losses.mean() + m.alpha / 2 * (m.w_[k]**2).sum() + m.beta / 2 * (m.P_[k]**2).sum()
    assert m.objective_ == pytest.approx(total, rel=1e-9)
    scores = m.decision_function(X)
    if loss == "logistic":
        p = 1 / (1 + np.exp(-scores))
        np.testing.assert_allclose(m.predict_proba(X), p / p.sum(axis=1, keepdims=True), rtol=1e-9)
    else:
        assert not hasattr(m, "predict_proba")
    assert (m.predict(X) == m.classes_[scores.argmax(axis=1)]).all() and m.score(X, y) > 0.8


@pytest.mark.parametrize("labels", [[0, 1], [-1, 1], [1, 2], ["no", "yes"], [False, True]])
def test_two_labels_of_any_kind(labels, rows):
    X, y = rows
    m = fx.FactorizationMachineClassifier(2, tol=1e-2, random_state=0)
    ours = m.fit(X, np.array(labels)[(y > 2).astype(int)]).decision_function(X)
    assert (ours == fx.FactorizationMachineClassifier(2, tol=1e-2, random_state=0)
            .fit(X, y > 2).decision_function(X)).all()
    assert list(m.predict(X)) == [labels[int(s > 0)] for s in ours]


@pytest.mark.parametrize("spec, degree", [("pairs:n=3000,d=24,nz=8,k=4,noise=0.02", 2),
                                          ("parity:n=3000,d=24,k=3,noise=0.02", 3)])
def test_planted_combinations_are_found(spec, degree):
    X, y, planted = fx.make(spec)
    X = X if isinstance(X, np.ndarray) else X.toarray()
    m = fx.FactorizationMachineClassifier(12, degree, solver="adagrad", tol=1e-3, random_state=1)
    m.fit(X, y)
    found = m.top_combinations(len(planted), order=degree, X=X)
    assert {c.features for c in found} == set(planted) and planted
    assert all(c.support == X[:, list(c.features)].all(axis=1).sum() for c in found)
    everything = m.top_combinations(10**6, order=1)
    assert sorted(c.features[0] for c in everything) == list(range(24))
    one, = m.explain(X[:1], k=10**6)
    assert one.exact and one.score == pytest.approx(m.decision_function(X[:1])[0])
    assert one.constant + sum(c.contribution for c in one.combinations) + one.rest \
        == pytest.approx(one.score)


def test_groups_forbid_combinations(rows):
    pandas = pytest.importorskip("pandas")
    X, y = rows
    y = y + X[:, 0] * X[:, 1]
    how = {"degree": 3, "tol": 1e-2, "random_state": 1}
    free = fx.FactorizationMachineRegressor(4, groups=[[0, 1], [2]], **how).fit(X, y)
    pairs = {c.features for c in free.top_combinations(100, order=2)}
    assert pairs == set(itertools.combinations(range(4), 2)) - {(0, 1)}
    frame = pandas.DataFrame(X, columns=list("abcd"))
    only = fx.FactorizationMachineRegressor(4, groups=[["a", "b"], ["c"]], groups_only=True, **how)
    pairs = {c.features for c in only.fit(frame, y).top_combinations(100, order=2)}
    assert pairs == {("a", "c"), ("b", "c")}
    frame["city"] = np.array(["Paris", "Rome", "Oslo"])[np.arange(60) % 3]
    field = fx.FactorizationMachineRegressor(4, groups=[["city", "a"]], **how).fit(frame, y)
    assert field.top_combinations(100, order=2)
    for c in field.top_combinations(100, order=2):
        assert sum(name.startswith(("city=", "a")) for name in c.features) < 2
    with pytest.raises(ValueError, match="'e', which is no column"):
        only.set_params(groups=[["e"]]).fit(frame, y)


def test_float32_stays(rows):
    X, y = rows
    m = fx.FactorizationMachineRegressor(2, tol=1e-2, random_state=1).fit(X.astype(np.float32), y)
    assert m.predict(X.astype(np.float32)).dtype == np.float32
    np.testing.assert_allclose(m.predict(X.astype(np.float32)), m.predict(X), rtol=1e-4, atol=1e-4)


def test_clip_to_a_range(rows, tmp_path):
    X, y = rows[0], np.arange(len(rows[0])) / 7
    m = fx.FactorizationMachineRegressor(2, max_iter=20, clip=(1, 2.5), random_state=1).fit(X, y)
    far = m.predict(100 * X)
    assert far.min() == 1 and far.max() == 2.5
    m.save(tmp_path / "m.fx")
    loaded = fx.load(tmp_path / "m.fx")
    assert loaded.clip == (1, 2.5)
    np.testing.assert_array_equal(loaded.predict(X), m.predict(X))
    with pytest.raises(ValueError, match="clip"):
        fx.FactorizationMachineRegressor(2, clip=(3, 1)).fit(X, y)


def test_clip(rows):
    X, y = rows
    m = fx.FactorizationMachineRegressor(2, tol=1e-2, clip=True, random_state=1).fit(X, y)
    assert m.predict(100 * X).max() == y.max() and m.predict(100 * X).min() == y.min()


# ---- Weights -------------------------------------------------------------------------------------
def test_class_weight_is_weight_of_rows(rows):
    X, y = rows
    y = np.where(y > 2.5, "yes", "no")
    n = {label: (y == label).sum() for label in ("yes", "no")}
    for class_weight, of in (({"yes": 3.0}, {"yes": 3.0, "no": 1.0}),
                             ("balanced", {k: 60 / (2 * v) for k, v in n.items()})):
        m = fx.FactorizationMachineClassifier(2, class_weight=class_weight, tol=1e-2,
                                              random_state=1)
        a = m.fit(X, y).decision_function(X)
        m.set_params(class_weight=None).fit(X, y, sample_weight=[of[label] for label in y])
        np.testing.assert_allclose(a, m.decision_function(X), rtol=1e-8)
    with pytest.raises(ValueError, match="class_weight names the class 'maybe'"):
        m.set_params(class_weight={"maybe": 1}).fit(X, y)


def test_subsets_by_adagrad_start_at_scores_near_0(rng):
    """The empty product of each of the 30 components is 1."""
    X = rng.choice([-1.0, 1.0], (1000, 5))
    y = X[:, 0] * X[:, 1]
    model = fx.AllSubsetsRegressor(solver="adagrad", random_state=1)
    assert model.fit(X, y + 7).score(X, y + 7) > 0.9
    for _ in range(5):
        model.partial_fit(X, y + 7)
    assert model.score(X, y + 7) > 0.9


# ---- Rankings ------------------------------------------------------------------------------------
def test_ranker_orders_within_queries(rng):
    X = rng.normal(size=(400, 5))
    qid = rng.choice(["a", "b", "c"], 400)
    y = X[:, 0] * X[:, 1] + 100 * (qid == "b")          # queries are apart, and that says nothing
    m = fx.FactorizationMachineRanker(4, tol=1e-2, scale=None, random_state=1)
    m.fit(X, y, qid, eval_set=(X, y, qid))
    f = m.predict(X)
    i, j = np.nonzero((y[:, None] > y) & (qid[:, None] == qid))
    auc = (f[i] > f[j]).mean()
    assert m.score(X, y, qid) == pytest.approx(auc, abs=1e-9)
    assert auc > 0.95 and m.history_["metric"][-1] == pytest.approx(auc, abs=1e-9)
    assert fx.FactorizationMachineRanker(2, tol=1e-2).fit(X, y).predict(X).shape == (400,)
    chunks = fx.FactorizationMachineRanker(4, scale=None, random_state=1)
    for part in np.array_split(np.arange(400), 4) * 5:
        chunks.partial_fit(X[part], y[part], qid[part])
    g = chunks.predict(X)
    assert (g[i] > g[j]).mean() > 0.9
    with pytest.raises(ValueError, match="qid holds what has no order, such as None"):
        m.fit(X, y, [None, *qid[1:]])


# ---- Parameters ----------------------------------------------------------------------------------
@pytest.mark.parametrize("parameters, message", [
    ({"loss": "hinge"}, "'auto', 'squared', 'logistic', 'squared_hinge'"),
    ({"fit_lower": "none"}, "'explicit', 'shared', 'simplex'"),
    ({"init_lambdas": "zeros"}, "'ones', 'signs', 'random_signs', 'learned'"),
    ({"split": 1, "degree": 3}, "split= is for degree=2"),
    ({"degree": 1}, "degree=1"), ({"beta": -1.0}, "beta"),
    ({"learning_rate": 0}, "learning_rate=0"), ({"metric": "foo"}, "accuracy, auc, logloss, rmse"),
    ({"metric": "acuracy"}, "did you mean 'accuracy'"), ({"n_components": 0}, "n_components=0"),
    ({"metric": "rmse"}, "task='classify', whose metrics are accuracy, auc, logloss"),
    ({"groups": [0]}, "lists of columns"), ({"metric": 7}, "metric=7"),
    ({"patience": -1}, "patience=-1"), ({"max_seconds": "x"}, "'x'")])
def test_wrong_parameters_say_what_is_possible(parameters, message, rows):
    X, y = rows
    with pytest.raises(ValueError, match=message):
        fx.FactorizationMachineClassifier(**parameters).fit(X, y > 2, eval_set=(X, y > 2))


def test_combinations_that_no_row_holds():
    """Two values of one category have a weight and no row: left out, unless asked for."""
    rows = [(i, 3 + k) for i in range(3) for k in range(3)] * 5
    X = np.zeros((45, 6))
    for n, pair in enumerate(rows):
        X[n, list(pair)] = 1
    m = fx.FactorizationMachineRegressor(3, fit_linear=False, tol=1e-2, random_state=1)
    m.fit(X, X @ np.arange(6) ** 2.0 % 7)
    every = m.top_combinations(15, X=X, unsupported=True)
    assert {c.support for c in every} == {0, 5} and any(c.support == 0 for c in every[:9])
    assert m.top_combinations(4, X=X) == [c for c in every if c.support][:4]
    assert len(m.top_combinations(15, X=X)) == 9
    with pytest.raises(ValueError, match="needs X"):
        m.top_combinations(unsupported=True)


def test_importance(rng):
    """The mean |contribution| over rows ranks what weights of small features would hide."""
    X = rng.normal(size=(300, 4)) * [1e-3, 1, 1, 1]
    y = 20 * X[:, 0] + X[:, 1] + X[:, 2] * X[:, 3]
    m = fx.FactorizationMachineRegressor(4, max_iter=50, scale=None, random_state=0).fit(X, y)
    found = m.top_combinations(10, X=X, by="importance")
    assert [c.importance for c in found] == sorted((c.importance for c in found), reverse=True)
    for c in found:
        product = np.abs(c.weight * np.prod(X[:, list(c.features)], axis=1))
        assert np.isclose(c.importance, product.mean(), rtol=1e-5)
    assert {found[0].features, found[1].features} == {(1,), (2, 3)}
    listed = {c.features: c.importance for c in m.top_combinations(10, X=X)}
    assert all(np.isclose(listed[c.features], c.importance) for c in found)
    assert m.top_combinations(1)[0].importance is None
    with pytest.raises(ValueError, match="needs X"):
        m.top_combinations(by="importance")
    with pytest.raises(ValueError, match="by='size'"):
        m.top_combinations(X=X, by="size")

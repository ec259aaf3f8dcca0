# SPDX-License-Identifier: BSD-3-Clause
"""Linear models against their objectives' definitions and scikit-learn's optima; on maps; weights,
warm starts, perceptrons in chunks."""
import pickle

import numpy as np
import pytest

import featcross as fx

TIGHT = {"tol": 1e-10, "max_iter": 100000}


@pytest.fixture
def rows(rng):
    X = rng.normal(size=(150, 6)) + 0.3
    return X, X @ [1, -2, 0.5, 0, 0, 1] + X[:, 0] * X[:, 1] + rng.normal(size=150)


def losses(name, sign, f, epsilon=0.1):
    return {"hinge": lambda: np.maximum(0, 1 - sign * f),
            "squared_hinge": lambda: np.maximum(0, 1 - sign * f) ** 2,
            "logistic": lambda: np.log1p(np.exp(-sign * f)),
            "squared": lambda: (sign - f) ** 2,
            "epsilon_insensitive": lambda: np.maximum(0, abs(sign - f) - epsilon)}[name]()


# ---- Objectives ----------------------------------------------------------------------------------
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "logistic"])
@pytest.mark.parametrize("intercept", [True, "appended", False])
def test_objective_of_classes(loss, intercept, rows):
    X, y = rows
    y = np.where(y > 0, "yes", "no")
    m = fx.LinearClassifier(loss=loss, C=0.3, fit_intercept=intercept, **TIGHT).fit(X, y)
    assert m.coef_.shape == (1, 6) and m.intercept_.shape == (1,)
    f = X @ m.coef_[0] + m.intercept_[0]
    np.testing.assert_allclose(m.decision_function(X), f, rtol=1e-9, atol=1e-9)
    assert (m.predict(X) == np.where(f > 0, "yes", "no")).all()
    penalty = (m.coef_**2).sum() / 2 + (intercept == "appended") * m.intercept_[0]**2 / 2
    sign = np.where(y == "yes", 1, -1)
    assert m.objective_ == pytest.approx(penalty + 0.3 * losses(loss, sign, f).sum(), rel=1e-8)
    assert intercept is not False or m.intercept_[0] == 0


@pytest.mark.parametrize("loss", ["squared", "epsilon_insensitive"])
@pytest.mark.parametrize("intercept", [True, "appended", False])
def test_objective_of_targets(loss, intercept, rows):
    X, y = rows
    m = fx.LinearRegressor(loss=loss, C=0.3, fit_intercept=intercept, **TIGHT).fit(X, y + 5)
    assert m.coef_.shape == (6,) and isinstance(m.intercept_, float)
    f = X @ m.coef_ + m.intercept_
    np.testing.assert_allclose(m.predict(X), f, rtol=1e-9, atol=1e-9)
    penalty = (m.coef_**2).sum() / 2 + (intercept == "appended") * m.intercept_**2 / 2
    assert m.objective_ == pytest.approx(penalty + 0.3 * losses(loss, y + 5, f).sum(), rel=1e-8)


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
def test_l1_is_at_its_minimum(loss, rows):
    X, y = rows
    sign = np.where(y > 0, 1, -1)
    m = fx.LinearClassifier(loss=loss, penalty="l1", C=0.05, **TIGHT).fit(X, sign)
    w, f = m.coef_[0], m.decision_function(X)
    slope = -sign * (2 * np.maximum(0, 1 - sign * f) if loss == "squared_hinge"
                     else 1 / (1 + np.exp(sign * f)))
    gradient = 0.05 * X.T @ slope
    assert 0 < (w == 0).sum() < 6 and abs(0.05 * slope.sum()) < 1e-3
    np.testing.assert_allclose(gradient[w != 0], -np.sign(w[w != 0]), atol=1e-3)
    assert (abs(gradient[w == 0]) <= 1 + 1e-3).all()
    assert m.objective_ == pytest.approx(abs(w).sum() + 0.05 * losses(loss, sign, f).sum())


def test_optima_are_scikit_learns(rows):
    linear_model = pytest.importorskip("sklearn.linear_model")
    from sklearn.svm import LinearSVC, LinearSVR

    X, y = rows
    three = np.digitize(y, [-1, 1])
    for C in (0.1, 3.0):
        ours = fx.LinearClassifier(C=C, fit_intercept="appended", **TIGHT).fit(X, three)
        theirs = LinearSVC(C=C, dual=False, tol=1e-10, max_iter=10**6).fit(X, three)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
        np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-4)
        assert ours.coef_.shape == (3, 6) and (ours.predict(X) == theirs.predict(X)).all()
        ours = fx.LinearClassifier(loss="logistic", C=C, **TIGHT).fit(X, y > 0)
        theirs = linear_model.LogisticRegression(C=C, tol=1e-10, max_iter=10**5).fit(X, y > 0)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-4)
        ours = fx.LinearRegressor(C=C, **TIGHT).fit(X, y)
        theirs = linear_model.Ridge(alpha=1 / (2 * C)).fit(X, y)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
        assert ours.intercept_ == pytest.approx(theirs.intercept_, abs=1e-5)
        ours = fx.LinearRegressor(loss="epsilon_insensitive", C=C, epsilon=0.2,
                                  fit_intercept="appended", **TIGHT).fit(X, y)
        theirs = LinearSVR(C=C, epsilon=0.2, tol=1e-8, max_iter=10**6).fit(X, y)
        f, b = theirs.predict(X), theirs.intercept_[0]
        assert ours.objective_ == pytest.approx(
            ((theirs.coef_**2).sum() + b * b) / 2
            + C * losses("epsilon_insensitive", y, f, 0.2).sum(), rel=1e-4)


def test_a_scaling_of_columns_is_in_coef(rows):
    X, y = rows
    m = fx.LinearRegressor(scale="maxabs").fit(100 * X, y)
    np.testing.assert_allclose(m.predict(100 * X), 100 * X @ m.coef_ + m.intercept_, rtol=1e-9)


def test_weights_of_combinations_are_of_scaled_columns(rows):
    X, y = rows
    m = fx.LinearRegressor(scale="maxabs", map=fx.ExplicitCombinations()).fit(100 * X, y)
    Z = fx.ExplicitCombinations().fit_transform(X / abs(X).max(axis=0))
    np.testing.assert_allclose(m.predict(100 * X), Z @ m.coef_ + m.intercept_, atol=1e-5)


# ---- Maps ----------------------------------------------------------------------------------------
def test_on_a_map_it_is_linear_in_the_features(rows):
    X, y = rows
    map = fx.RandomKernelMap(64, degree=2, random_state=5)
    m = fx.LinearClassifier(map=map).fit(X, y > 0)      # random_state None: that of the map
    Z = map.fit(X).transform(X)
    assert m.coef_.shape == (1, 64)
    np.testing.assert_allclose(m.decision_function(X), Z @ m.coef_[0] + m.intercept_[0], atol=1e-4)
    other = fx.LinearClassifier(map=map, random_state=6).fit(X, y > 0)
    assert not np.allclose(other.coef_, m.coef_)
    assert (fx.LinearClassifier(map=map).fit(X, y > 0).coef_ == m.coef_).all()
    scaled = fx.LinearRegressor(map=fx.RandomFourier(64, gamma="scale", random_state=1)).fit(X, y)
    number = fx.RandomFourier(64, gamma=1 / (6 * X.var()), random_state=1)
    np.testing.assert_allclose(fx.LinearRegressor(map=number).fit(X, y).predict(X),
                               scaled.predict(X), rtol=1e-5)


def test_top_combinations_of_a_map(rng):
    X = rng.choice([-1.0, 1.0], (500, 8))
    y = np.array(["x", "y", "z"])[(X[:, 1] * X[:, 4] > 0) + (X[:, 2] * X[:, 7] > 0).astype(int)]
    m = fx.LinearClassifier(map=fx.ExplicitCombinations(degree=2)).fit(X, y)
    for label in ("x", "z"):
        assert {c.features for c in m.top_combinations(2, label=label)} == {(1, 4), (2, 7)}
    with pytest.raises(ValueError, match="label=None: there are scores of 'x', 'y', 'z'; label= selects one"):
        m.top_combinations(2)
    for row, one in zip(X, m.explain(X[:3], 2)):        # of the class that is predicted
        assert one.score == pytest.approx(m.decision_function(row[None])[0].max(), rel=1e-5)
        assert one.exact and len(one.combinations) == 2
        assert one.label == m.predict(row[None])[0]
    assert {one.label for one in m.explain(X[:5], label="y")} == {"y"}
    two = fx.LinearClassifier().fit(X, y == "x")
    assert two.top_combinations(3) == two.top_combinations(3, label=True)
    assert len(two.top_combinations(100)) == 8
    for bad in ({"k": 0}, {"order": -1}, {"label": False}, {"label": "x"}):
        with pytest.raises(ValueError):
            two.top_combinations(**bad)


def test_names_of_columns(rows):
    pandas = pytest.importorskip("pandas")
    X, y = rows
    m = fx.LinearRegressor().fit(pandas.DataFrame(X, columns=list("abcdef")), y)
    assert m.top_combinations(1)[0].features == ("b",)


# ---- Weights, going on ---------------------------------------------------------------------------
def test_balanced_classes(rows):
    X, y = rows
    y = (y > 2).astype(int)
    of = 150 / (2 * np.bincount(y))
    a = fx.LinearClassifier(class_weight="balanced", **TIGHT).fit(X, y)
    b = fx.LinearClassifier(**TIGHT).fit(X, y, sample_weight=of[y])
    np.testing.assert_allclose(a.coef_, b.coef_, rtol=1e-6)


def test_warm_start(rows):
    X, y = rows
    m = fx.LinearClassifier(loss="logistic", warm_start=True).fit(X, y > 0)
    first = m.n_iter_
    assert m.fit(X, y > 0).n_iter_ <= 1 < first
    with pytest.raises(ValueError, match=r"now they are \[0, 1, 2\]"):
        m.fit(X, np.arange(150) % 3)
    five = fx.LinearClassifier(loss="perceptron", max_iter=5, warm_start=True)
    five = pickle.loads(pickle.dumps(five.fit(X, y > 0))).fit(X, y > 0)
    ten = fx.LinearClassifier(loss="perceptron").fit(X, y > 0)
    assert five.n_iter_ == ten.n_iter_ == 10 and (five.coef_ == ten.coef_).all()
    map = fx.RandomKernelMap(32)                        # a map that is drawn stays drawn
    on_map = fx.LinearRegressor(map=map, warm_start=True).fit(X, y)
    assert on_map.fit(X, y).n_iter_ <= 1
    with pytest.raises(ValueError, match="dual solver cannot start"):
        fx.LinearClassifier(loss="hinge", warm_start=True).fit(X, y > 0).fit(X, y > 0)


@pytest.mark.filterwarnings("error")
def test_chunks_of_a_perceptron_are_one_pass(rows):
    X, y = rows
    y = np.array(["a", "b", "c"])[np.digitize(y, [-1, 1])]
    m = fx.LinearClassifier(loss="perceptron")
    for chunk in np.array_split(np.arange(150), 7):
        m.partial_fit(X[chunk], y[chunk], classes=["a", "b", "c"])
    whole = fx.LinearClassifier(loss="perceptron", max_iter=1).fit(X, y)
    assert (m.coef_ == whole.coef_).all() and (m.intercept_ == whole.intercept_).all()
    with pytest.raises(AttributeError) as error:
        fx.LinearClassifier().partial_fit           # noqa: B018
    assert "loss='perceptron'" in str(error.value.__cause__ or error.value)
    assert not hasattr(fx.LinearClassifier(loss="perceptron", calibrate=True), "partial_fit")


def test_probabilities(rows):
    X, y = rows
    with pytest.raises(AttributeError) as error:
        fx.LinearClassifier().predict_proba         # noqa: B018
    assert "calibrate=True" in str(error.value.__cause__ or error.value)
    m = fx.LinearClassifier(calibrate=True, random_state=1).fit(X, y > 0)
    p = m.predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert (np.diff(p[np.argsort(m.decision_function(X)), 1]) >= 0).all()
    assert ((p[:, 1] > 0.5) == m.predict(X)).all()


def test_iterations_are_measured(rows):
    X, y = rows
    m = fx.LinearClassifier().fit(X[:100], y[:100] > 0, eval_set=(X[100:], y[100:] > 0))
    assert m.history_["metric"][-1] == m.score(X[100:], y[100:] > 0)
    weight = np.arange(50)
    r = fx.LinearRegressor().fit(X[:100], y[:100], eval_set=(X[100:], y[100:], weight))
    assert r.history_["metric"][-1] == pytest.approx(
        np.sqrt(np.average((r.predict(X[100:]) - y[100:]) ** 2, weights=weight)))


@pytest.mark.parametrize("parameters, message", [
    ({"loss": "nonsense"}, "it is one of 'hinge', 'squared_hinge', 'logistic', "),
    ({"map": "rk"}, "map='rk': it is one of featcross's maps"),
    ({"fit_intercept": "free"}, "True, 'appended', False"),
    ({"loss": "hinge", "penalty": "l1"}, "penalty=.l1.: it is one of .l2."),
    ({"C": 0.0}, "C"), ({"scale": "minmax"}, "minmax"), ({"scale": True}, "scale=True is no text"),
    ({"map": fx.RandomKernelMap}, "such as RandomKernelMap()"), ({"penalty": None}, "'l2', 'l1'"),
    ({"max_iter": 0}, "max_iter=0"), ({"class_weight": {True: -1}}, "not a positive number"),
    ({"random_state": "x"}, "random_state='x' is no whole number")])
def test_wrong_parameters_say_what_is_possible(parameters, message, rows):
    X, y = rows
    m = fx.LinearClassifier(**parameters)
    with pytest.raises(ValueError, match=message):
        m.fit(X, y > 0)
    assert not hasattr(m, "n_features_in_")

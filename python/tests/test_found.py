# SPDX-License-Identifier: BSD-3-Clause
"""Products of many columns that an L1 penalty finds, in more products than can be written out."""
import numpy as np
import pytest

import featcross as fc


def planted():
    rng = np.random.default_rng(1)
    X = (rng.random((2000, 30)) < 0.4).astype(float)
    y = 2 * X[:, 0] - 3 * X[:, 1] * X[:, 2] + 3 * X[:, 3] * X[:, 4] * X[:, 5]
    return X, y + 0.1 * rng.normal(size=len(y))


def test_regressor(tmp_path):
    X, y = planted()
    map = fc.ExplicitCombinations(kernel="anova-upto", degree=7)
    model = fc.LinearRegressor(penalty="l1", C=0.05, map=map).fit(X, y)
    found = {c.features: c.weight for c in model.top_combinations(3)}
    assert set(found) == {(0,), (1, 2), (3, 4, 5)}
    np.testing.assert_allclose([found[0,], found[1, 2], found[3, 4, 5]], [2, -3, 3], atol=0.2)
    assert len(model.coef_) < 100       # of 2.8 million
    model.save(tmp_path / "m.fx")
    np.testing.assert_array_equal(fc.load(tmp_path / "m.fx").predict(X), model.predict(X))


def test_classifier():
    X, y = planted()
    map = fc.ExplicitCombinations(kernel="anova-upto", degree=7)
    model = fc.LinearClassifier(penalty="l1", C=0.1, map=map).fit(X, y > 0.5)
    assert model.score(X, y > 0.5) > 0.97
    assert {c.features for c in model.top_combinations(3)} == {(0,), (1, 2), (3, 4, 5)}


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
def test_wide(loss):
    """There are 4 million products of up to 4 of 100 columns."""
    rng = np.random.default_rng(1)
    X = (rng.random((1000, 100)) < 0.4).astype(float)
    score = 3 * X[:, 3] * X[:, 14] * X[:, 26] * X[:, 59] + 2 * X[:, 0] * X[:, 1]
    y = score + 0.3 * rng.normal(size=len(X)) > 1
    map = fc.ExplicitCombinations(kernel="anova-upto", degree=4)
    model = fc.LinearClassifier(loss=loss, penalty="l1", C=0.1, map=map).fit(X, y)
    assert {c.features for c in model.top_combinations(2)} == {(0, 1), (3, 14, 26, 59)}
    assert model.score(X, y) > 0.97 and len(model.coef_[0]) < 100


def test_sets_by_name(tmp_path):
    rng = np.random.default_rng(2)
    X = rng.random((50, 4))
    map = fc.ExplicitCombinations(kernel="itemset", family=[[2, 0], [], [3], [0]]).fit(X)
    names = map.get_feature_names_out(["a", "b", "c", "d"]).tolist()
    assert names == ["1", "a", "a c", "d"]
    expected = np.column_stack([np.ones(50), X[:, 0], X[:, 0] * X[:, 2], X[:, 3]])
    np.testing.assert_allclose(map.transform(X), expected, rtol=1e-6)


def test_found_model_can_be_fitted_again(tmp_path):
    """What load gives has the sets that were found as a map."""
    X, y = planted()
    map = fc.ExplicitCombinations(kernel="anova-upto", degree=7)
    fc.LinearRegressor(penalty="l1", C=0.05, map=map).fit(X, y).save(tmp_path / "m.fx")
    again = fc.load(tmp_path / "m.fx")
    assert len(again.map.family) == len(again.coef_)
    before = again.predict(X)
    np.testing.assert_allclose(again.fit(X, y).predict(X), before, atol=0.02)

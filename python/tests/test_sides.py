# SPDX-License-Identifier: BSD-3-Clause
"""Vectors of users and items."""
import numpy as np
import pytest
from scipy import sparse

import featcross as fc

D, SPLIT = 9, 4


def rows(n, seed, columns):
    X = np.zeros((n, D))
    X[:, columns] = np.random.default_rng(seed).normal(size=(n, D))[:, columns]
    return X


BOTH = rows(60, 1, slice(0, D))
USERS, ITEMS = rows(7, 2, slice(0, SPLIT)), rows(6, 3, slice(SPLIT, D))
TARGET = BOTH[:, 0] * BOTH[:, 5] + BOTH[:, 1]
MODELS = [
    fc.FactorizationMachineRegressor(degree=3, n_components=4, random_state=1, max_iter=20),
    fc.FactorizationMachineRegressor(n_components=4, random_state=1, scale="maxabs", max_iter=20),
    fc.FactorizationMachineClassifier(n_components=4, random_state=1, max_iter=20),
    fc.AllSubsetsRegressor(n_components=4, random_state=1, max_iter=20),
    fc.PolynomialNetworkRegressor(n_components=4, random_state=1, max_iter=20),
    fc.LinearRegressor(),
    fc.LinearRegressor(map=fc.RandomKernelMap(64, degree=3, random_state=1)),
    fc.KernelSVC(kernel="poly", degree=2),
]


def fitted(model, y=None):
    y = TARGET if y is None else y
    classes = hasattr(model, "predict_proba") or hasattr(model, "decision_function")
    return model.fit(BOTH, (y > 0).astype(int) if classes else y)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_inner_products_are_scores(model):
    """Sums of fewer than 10^4 terms of size below 10^4; maps predict in float32."""
    fitted(model)
    U, V = model.vectors(USERS, "first"), model.vectors(sparse.csr_matrix(ITEMS))
    assert U.shape[1] == V.shape[1] and (U[:, 1] == 1).all() and (V[:, 0] == 1).all()
    joined = (USERS[:, None] + ITEMS[None]).reshape(-1, D)
    score = getattr(model, "decision_function", model.predict)(joined).reshape(len(USERS), -1)
    mapped = model.get_params().get("map") is not None
    np.testing.assert_allclose(U @ V.T, score, rtol=0, atol=1e4 * 2**-24 if mapped else 1e8 * 2**-53)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_several_classes():
    model = fc.FactorizationMachineClassifier(n_components=3, random_state=1, max_iter=5)
    model.fit(BOTH, np.digitize(TARGET, [-1, 1]))
    joined = (USERS[:, None] + ITEMS[None]).reshape(-1, D)
    scores = model.decision_function(joined)
    for k in model.classes_:
        got = model.vectors(USERS, "first", label=k) @ model.vectors(ITEMS, "second", label=k).T
        np.testing.assert_allclose(got.ravel(), scores[:, k], rtol=0, atol=1e8 * 2**-53)
    with pytest.raises(ValueError, match="label="):
        model.vectors(USERS, "first")


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("model, says", [
    (fc.FactorizationMachineRegressor(n_components=2, scale="unit-l2"), "scaling unit-l2"),
    (fc.LinearRegressor(map=fc.RandomFourier(16)), "rff"),
])
def test_refused(model, says):
    with pytest.raises(ValueError, match=says):
        fitted(model).vectors(USERS, "first")


def test_arguments():
    model = fitted(fc.LinearRegressor())
    with pytest.raises(ValueError, match="side='left'"):
        model.vectors(USERS, "left")
    with pytest.raises(ValueError, match="features"):
        model.vectors(USERS[:, :3])
    with pytest.raises(Exception, match="not fitted|fit"):
        fc.LinearRegressor().vectors(USERS)


def best(scores, k, excluded):
    """By sorting: of equal scores the first."""
    scores = np.where(excluded, -np.inf, scores)
    order = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    values = np.take_along_axis(scores, order, axis=1)
    return np.where(np.isinf(values), -1, order), np.where(np.isinf(values), np.nan, values)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("seen", ["none", "sparse", "lists"])
def test_recommend(seen):
    model = fitted(fc.FactorizationMachineRegressor(n_components=3, random_state=1, max_iter=5))
    users, items = rows(50, 4, slice(0, SPLIT)), rows(40, 5, slice(SPLIT, D)).round(1)
    items[7] = items[3]                 # a tie
    excluded = np.random.default_rng(6).random((50, 40)) < (0.9 if seen != "none" else -1)
    exclude = {"none": None, "sparse": sparse.coo_matrix(excluded),
               "lists": [list(np.flatnonzero(row))[::-1] for row in excluded]}[seen]
    scores = model.vectors(users, "first") @ model.vectors(items, "second").T
    want, values = best(scores.round(12), 6, excluded)
    got, score = model.recommend(users, sparse.csr_matrix(items), 6, exclude)
    np.testing.assert_array_equal(got, want)
    np.testing.assert_allclose(score, values, rtol=0, atol=1e-11)
    assert (got == -1).any() == (seen != "none")


def test_recommend_refuses():
    model = fitted(fc.LinearRegressor())
    for exclude, says in (([[0]], "shape"), ([[6]] * 7, "item 6"), ([[-1]] * 7, "item -1"),
                          (sparse.eye(3), "shape")):
        with pytest.raises(ValueError, match=says):
            model.recommend(USERS, ITEMS, 2, exclude)
    with pytest.raises(ValueError, match="k="):
        model.recommend(USERS, ITEMS, 0)
    item, score = model.recommend(USERS, ITEMS, 9)
    assert (item[:, 6:] == -1).all() and np.isnan(score[:, 6:]).all()

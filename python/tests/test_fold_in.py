# SPDX-License-Identifier: BSD-3-Clause
"""fold_in: beside ridge regression written out; frames and Arrow tables with new categories; arrays
that are wider; the same model as the program's; what is refused."""

import pickle
import subprocess

import numpy as np
import pytest

import featcross
from featcross import (AllSubsetsRegressor, FactorizationMachineClassifier,
                       FactorizationMachineRanker, FactorizationMachineRegressor,
                       PolynomialNetworkRegressor)

pd = pytest.importorskip("pandas")
USERS, ITEMS = 30, 20
R = np.random.default_rng(3)
TASTE = {name: R.normal(size=2) for name in
         [f"u{k}" for k in range(USERS)] + [f"i{k}" for k in range(ITEMS)] + ["new", "later"]}


def ratings(users, each, seed=0, first=0):
    r = np.random.default_rng(seed)
    pairs = [(u, f"i{k}") for u in users for k in first + r.permutation(ITEMS - first)[:each]]
    X = pd.DataFrame(pairs, columns=["user", "item"])
    return X, np.array([3 + TASTE[u] @ TASTE[i] for u, i in pairs]).round(2)


@pytest.fixture(scope="module")
def known():
    return ratings([f"u{k}" for k in range(USERS)], 14)


def machine(**more):
    return FactorizationMachineRegressor(4, random_state=1, tol=1e-3, **more)


def test_by_hand(known):
    fm, (X, y) = machine(beta=2e-3, alpha=1e-3).fit(*known), ratings(["new"], 9, 5)
    before = fm.predict(X)
    item = [fm.encoder_.names.index(f"item={i}") for i in X["item"]]
    G = np.column_stack([np.ones(9), fm.P_[0].T[item]])
    W = fm.model_.content.weight
    A = G.T @ G / W + np.diag([1e-3] + 4 * [2e-3])
    u = np.linalg.solve(A, G.T @ (y - before) / W)
    P, w, rows = fm.P_, fm.w_, fm.model_.content.rows
    assert fm.fold_in(X, y) is fm and W == rows == len(known[1])
    assert fm.encoder_.names[-1] == "user=new" and fm.model_.content.rows == rows + 9
    np.testing.assert_allclose(np.append(fm.w_[-1], fm.P_[0][:, -1]), u, atol=1e-10)
    assert (fm.P_[..., :-1] == P).all() and (fm.w_[:-1] == w).all()
    np.testing.assert_allclose(fm.predict(X), before + G @ u, atol=1e-12)


def test_files(known, tmp_path):
    fm, (X, y) = machine().fit(known[0], pd.Series(known[1], name="rating")), ratings(["new"], 9, 5)
    fm.save(tmp_path / "m.fx")
    again = featcross.load(tmp_path / "m.fx")
    assert again.fold_in(X, y).predict(X).tolist() == fm.fold_in(X, y).predict(X).tolist()
    fm.save(tmp_path / "n.fx")
    third = featcross.load(tmp_path / "n.fx")
    assert third.predict(X).tolist() == fm.predict(X).tolist()
    other, labels = ratings(["later"], 9, 6)
    third.fold_in(other, labels)
    assert third.encoder_.names[-2:] == ["user=new", "user=later"]
    assert pickle.loads(pickle.dumps(third)).predict(other).tolist() == third.predict(other).tolist()


def test_same_as_the_program(known, tmp_path, program):
    X, y = known
    new, labels = ratings(["new", "later"], 9, 5)
    X.assign(rating=y).to_csv(tmp_path / "all.csv", index=False)
    new.assign(rating=labels).to_csv(tmp_path / "new.csv", index=False)
    fm = machine().fit(X, pd.Series(y, name="rating"))
    fm.save(tmp_path / "m.fx")
    subprocess.run([program, "train", tmp_path / "new.csv", "--init", tmp_path / "m.fx", "--freeze",
                    "-o", tmp_path / "n.fx", "-q"], check=True)
    fm.fold_in(new, labels)
    assert (tmp_path / "n.fx").read_bytes() == fm.model_.dump()


def test_arrow(known):
    pa = pytest.importorskip("pyarrow")
    new, y = ratings(["new"], 9, 5)
    one, two = machine().fit(*known), machine().fit(*known)
    table = pa.Table.from_pandas(new)
    two.fold_in(table, y)
    assert two.encoder_.names == one.fold_in(new, y).encoder_.names
    assert two.predict(table).tolist() == one.predict(new).tolist()
    assert two.feature_names_in_.tolist() == ["user", "item"] and two.n_features_in_ == 2


def test_arrays():
    r = np.random.default_rng(1)
    X = r.normal(size=(80, 6))
    X[:, 4] = 0
    y = X[:, 0] * X[:, 1]
    wide = r.normal(size=(12, 8)).astype(np.float32)
    fm = AllSubsetsRegressor(3, random_state=1, scale=None, tol=1e-2).fit(X, y)
    w = fm.w_
    fm.fold_in(wide, r.normal(size=12))
    assert fm.n_features_in_ == 8 and fm.w_[[4, 6, 7]].all()
    assert (fm.w_[[0, 1, 2, 3, 5]] == w[[0, 1, 2, 3, 5]]).all()
    with pytest.raises(ValueError, match="nothing to fold in"):
        fm.fold_in(wide, r.normal(size=12))
    with pytest.raises(ValueError, match="X has 3 features"):
        fm.fold_in(wide[:, :3], r.normal(size=12))
    frame = pd.DataFrame(X, columns=list("abcdef"))
    fm = machine().fit(frame, y)
    fm.fold_in(frame.assign(g=1.0), y, sample_weight=np.ones(80))
    assert fm.feature_names_in_.tolist() == list("abcdefg")
    with pytest.raises(ValueError, match="new ones after them"):
        fm.fold_in(np.ones((3, 9)), [1, 2, 3])
    with pytest.raises(ValueError, match="The feature names should match"):
        fm.fold_in(frame.assign(h=1.0)[list("habcdef")].assign(x=1), y)


@pytest.mark.parametrize("classes", [["no", "yes"], [1, 2, 5]])
def test_classes(known, classes):
    X, y = known
    label = np.array(classes)[np.digitize(y, [3] if len(classes) == 2 else [2, 4])]
    new, more = ratings(["new"], 12, 5)
    to = np.array(classes)[np.digitize(more, [3] if len(classes) == 2 else [2, 4])]
    fm = FactorizationMachineClassifier(4, random_state=1, beta=1e-4, tol=1e-2).fit(X, label)
    before = fm.score(new, to)
    assert fm.fold_in(new, to).score(new, to) > before
    assert fm.predict_proba(new).shape == (12, len(classes))
    with pytest.raises(ValueError, match="none of the classes"):
        fm.fold_in(new.assign(user="x"), np.full(12, "maybe" if len(classes) == 2 else 7))
    assert "user=x" not in fm.encoder_.names        # all or nothing


def test_refused(known):
    X, y = known
    new, labels = ratings(["new"], 9, 5)
    with pytest.raises(ValueError, match="no columns can be folded into poly-net"):
        PolynomialNetworkRegressor(2, random_state=1, tol=1).fit(X, y).fold_in(new, labels)
    ranker = FactorizationMachineRanker(2, random_state=1, tol=1).fit(X, y)
    with pytest.raises(ValueError, match="no columns can be folded into fm"):
        ranker.fold_in(new, labels)
    fm = machine()
    with pytest.raises(featcross._sklearn.NotFittedError):
        fm.fold_in(new, labels)
    fm.fit(X, y)
    with pytest.raises(ValueError, match="rows in memory"):
        fm.fold_in("new.csv", None)
    with pytest.raises(ValueError, match="nothing to fold in"):
        fm.fold_in(X, y)
    with pytest.raises(ValueError, match="needs one"):
        fm.fold_in(np.ones((2, 2)), [1, 2])

# SPDX-License-Identifier: BSD-3-Clause
"""Maps: the program's features, the kernels that they stand for, names, pickles.

Covers: _map.py
"""
import copy
import json
import math
import pickle
import subprocess

import numpy as np
import pytest
import scipy.sparse as sp

from featcross import (ExplicitCombinations, LinearClassifier, RandomFourier, RandomKernelMap,
                       RandomMaclaurin, RandomProjection, TensorSketch)
from featcross._data.rows import Rows

D, COLS, SEED = 32, 7, 5
FAMILY = [[0], [1, 2], [3, 4, 6]]
GROUPS = [[0, 1, 2], [3, 4], [5, 6]]

MAPS = {                                # spec of the map, of the kernel: the same in Python
    ("rk", "anova:order=2"): RandomKernelMap(D),
    ("rk:projection=packed", "anova:order=3"): RandomKernelMap(D, degree=3, projection="packed"),
    ("rk:complex=yes", "all-subsets"): RandomKernelMap(D, kernel="all-subsets", complex=True),
    ("rk:complex=auto", "anova-upto:order=3"): RandomKernelMap(D, kernel="anova-upto", degree=3,
                                                               complex="auto"),
    ("scrk", "anova:order=2"): RandomKernelMap(D, projection="circulant", signs="row"),
    ("rk:dist=gaussian", "linear"): RandomKernelMap(D, kernel="linear", distribution="gaussian"),
    ("rk", "itemset:file=sets"): RandomKernelMap(D, kernel="itemset", family=FAMILY),
    ("rk", "groups:file=groups,order=2"): RandomKernelMap(D, kernel="groups", family=GROUPS),
    ("rk", "cross:file=cross"): RandomKernelMap(D, kernel="cross", family=GROUPS),
    ("rm", "poly:degree=2"): RandomMaclaurin(D),
    ("rm:p=3,max-order=4", "poly:degree=4,gamma=0.5,coef0=2"): RandomMaclaurin(
        D, degree=4, gamma=0.5, coef0=2, p=3, max_order=4),
    ("rm:h01=yes", "exp:gamma=0.5"): RandomMaclaurin(D, kernel="exp", gamma=0.5, h01=True),
    ("rm:orders=allocated", "vovk:degree=3"): RandomMaclaurin(D, kernel="vovk", degree=3,
                                                              orders="allocated"),
    ("rm", "exp:gamma=0.1(anova:order=2)"): RandomMaclaurin(
        D, kernel="exp:gamma=0.1(anova:order=2)"),
    ("ts", "poly:degree=3,coef0=0.5"): TensorSketch(D, degree=3, coef0=0.5),
    ("rff", "rbf:gamma=0.5"): RandomFourier(D, gamma=0.5),
    ("rff:features=cos-sin,projection=circulant", "rbf:gamma=0.5"): RandomFourier(
        D, gamma=0.5, features="cos-sin", projection="circulant"),
    ("rff:features=cos,projection=dense", "laplacian"): RandomFourier(
        D, kernel="laplacian", features="cos", projection="dense"),
    ("rff", "cauchy:gamma=2"): RandomFourier(D, kernel="cauchy", gamma=2),
    ("jl", "linear"): RandomProjection(D),
    ("jl:dist=rademacher", "linear"): RandomProjection(D, distribution="rademacher"),
    ("sparse-jl:s=1,signed=no", "linear"): RandomProjection(D, sparse=True, s=1, signed=False),
    ("sparse-jl", "anova:order=3"): RandomProjection(D, kernel="anova", degree=3, sparse=True),
    ("sparse-jl:s=theory", "poly:degree=2,gamma=2"): RandomProjection(
        D, kernel="poly", gamma=2, sparse=True, s="theory"),
    ("explicit", "poly:degree=2,coef0=2"): ExplicitCombinations(kernel="poly", coef0=2),
}
every_map = pytest.mark.parametrize("specs, m", MAPS.items(), ids=lambda v: " of ".join(v)
                                    if isinstance(v, tuple) else "")


def drawn(m, X):
    m = copy.deepcopy(m)
    if "random_state" in m.get_params():
        m.set_params(random_state=SEED)
    return m.fit(X)


@pytest.fixture
def X(rng):
    X = rng.normal(size=(50, COLS)) * (rng.random((50, COLS)) < 0.7)
    X[3] = 0
    return X


# ---- Features -----------------------------------------------------------------------------------
@every_map
def test_the_features_of_the_program(program, tmp_path, X, specs, m):
    """Bit for bit, floats and doubles, and so is the error."""
    (tmp_path / "sets").write_text("0\n1 2\n3 4 6\n")
    (tmp_path / "groups").write_text("a: 0 1 2\nb: 3 4\nc: 5 6\n")
    (tmp_path / "cross").write_text("a b c\na: 0 1 2\nb: 3 4\nc: 5 6\n")

    def run(*args):
        return subprocess.run([program, "map", "x.npy", "-m", specs[0], "-k", specs[1], f"-D{D}",
                               f"--seed={SEED}", "-q", *args], cwd=tmp_path, check=True,
                              stdout=subprocess.PIPE).stdout

    for dtype, word in ((np.float32, "float"), (np.float64, "double")):
        rows = X.astype(dtype)
        np.save(tmp_path / "x.npy", rows)
        run("-o", "z.npy", "--type", word)
        fitted = drawn(m, rows)
        want, got = np.load(tmp_path / "z.npy"), fitted.transform(rows)
        assert got.dtype == want.dtype == dtype and got.shape == want.shape
        assert got.tobytes() == want.tobytes()
    want = json.loads(run("--error", "--pairs=500", "--json"))["error"]
    assert {k: None if math.isnan(v) else v
            for k, v in fitted.error(X, 500, random_state=SEED)._asdict().items()} == want


@every_map
def test_rows_of_every_form(X, specs, m):
    """The same bits for any threads, for a row alone, for sparse rows."""
    m = drawn(m, X)
    Z = m.transform(X)
    for n_jobs in (1, 3):
        assert (m.set_params(n_jobs=n_jobs).transform(X) == Z).all()
    assert (m.transform(X[7:8]) == Z[7:8]).all()
    for S in (sp.csr_matrix(X), sp.csc_matrix(X)):
        assert (m.transform(S) == Z).all()
    with pytest.raises(ValueError, match="0 sample"):
        m.transform(X[:0])


@every_map
def test_pickle_draws_the_same_map(X, specs, m):
    m = drawn(m, X)
    for other in (pickle.loads(pickle.dumps(m)), copy.deepcopy(m)):
        assert (other.transform(X) == m.transform(X)).all()
        assert other.map_.spec == m.map_.spec


def test_random_state(X):
    def Z(state):
        return RandomKernelMap(D, random_state=state).fit_transform(X)

    assert (Z(3) == Z(np.int64(3))).all() and (Z(3) != Z(4)).any()
    assert (Z(np.random.RandomState(1)) == Z(np.random.RandomState(1))).all()
    assert (Z(None) != Z(None)).any()


def test_fourier_features_of_any_number(X):
    """Pairs where they can be had; an odd number is refused only to who asks for pairs."""
    assert RandomFourier(8).fit(X).map_.spec.startswith("rff:features=cos-sin")
    assert RandomFourier(7).fit_transform(X).shape == (50, 7)
    with pytest.raises(ValueError, match="pairs of features; 7 features cannot be had"):
        RandomFourier(7, features="cos-sin").fit(X)


def test_verbose_says_what_was_chosen(X, capfd):
    RandomKernelMap(8, verbose=1).fit(X)
    assert "projection=hadamard,signs=column of anova:order=2, 8 features" in capfd.readouterr().err
    RandomKernelMap(8).fit(X)
    assert capfd.readouterr() == ("", "")


def test_the_values_of_a_fit_do_not_count(X):
    m = RandomFourier(D, random_state=1)
    assert (m.fit(X).transform(X) == m.fit(2 * X + 1).transform(X)).all()
    by_variance = m.set_params(gamma="scale").fit_transform(X)
    assert (by_variance == m.set_params(gamma=1 / (COLS * X.var())).fit_transform(X)).all()


# ---- Errors -------------------------------------------------------------------------------------
@pytest.mark.parametrize("m", [
    RandomKernelMap(16), RandomKernelMap(16, degree=3, complex=True),
    RandomKernelMap(16, kernel="itemset", family=FAMILY), TensorSketch(16),
    RandomFourier(16, projection="dense"), RandomProjection(16),
    RandomProjection(16, kernel="anova", sparse=True), RandomMaclaurin(16, projection="packed")],
    ids=lambda m: repr(m).replace("\n", ""))
def test_predicted_error(X, m):
    """predicted^2 is the mean over seeds of rmse^2 on the same pairs.  The mean of 300 of them is
    about normal, with sd/sqrt(300), and off by five of these with probability 6e-7."""
    X = X[4:12] / 2
    squares, predicted = [], set()
    for seed in range(300):
        e = m.set_params(random_state=seed).fit(X).error(X, n_pairs=30)
        squares.append(e.rmse**2)
        predicted.add(e.predicted)
        assert e.pairs == 30 and abs(e.mean) <= e.mae <= e.rmse <= e.max
    assert len(predicted) == 1
    off = np.mean(squares) - predicted.pop()**2
    assert abs(off) < 5 * np.std(squares) / math.sqrt(len(squares))


def test_error_falls_with_n_components(X):
    """Exactly as the root: independent rows."""
    one, two = (RandomProjection(n, random_state=0).fit(X).error(X).predicted for n in (64, 1024))
    assert math.isclose(one, 4 * two, rel_tol=1e-12)


def test_bound(X):
    """anova of order 2, rows of L1 norm 1: P <= 2 exp(-D eps^2/2)."""
    m = RandomKernelMap(D, projection="packed").fit(X)
    bounds = m.bound(0.1, delta=0.05)
    assert [b.kind for b in bounds[:2]] == ["itemset", "anova"]
    assert math.isclose(bounds[1].n_components, 2 * math.log(2 / 0.05) / 0.1**2, rel_tol=1e-12)
    assert bounds[-1].n_components <= bounds[0].n_components and "eps" in bounds[0].formula
    assert m.bound(0.1, uniform=True)[0].n_components > bounds[0].n_components
    with pytest.raises(ValueError, match="hadamard"):
        RandomKernelMap(D, projection="hadamard").fit(X).bound(0.1)


# ---- Names, frames, learners --------------------------------------------------------------------
def test_names_and_set_output(X):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X[:, :3], columns=["age", "height", "city=Paris"], index=range(10, 60))
    m = RandomKernelMap(4, random_state=0).fit(frame)
    assert m.get_feature_names_out().tolist() == [f"randomkernelmap{i}" for i in range(4)]
    assert m.feature_names_in_.tolist() == list(frame.columns) and m.n_features_in_ == 3
    Z = m.set_output(transform="pandas").transform(frame)
    assert list(Z.columns) == m.get_feature_names_out().tolist()
    assert (Z.index == frame.index).all()


@pytest.mark.parametrize("m", [RandomKernelMap(12, random_state=3), ExplicitCombinations()])
def test_a_learner_with_a_map_has_the_features_of_transform(X, m):
    """An objective 0.5 |w|^2 + .. within tol of its optimum F has w within sqrt(2 tol F) of the
    best."""
    y = X[:, 0] * X[:, 1] > 0
    with_map, alone = LinearClassifier(tol=1e-9, map=m), LinearClassifier(tol=1e-9)
    Z = m.fit_transform(X)
    got, want = with_map.fit(X, y).coef_, alone.fit(Z, y).coef_
    assert np.linalg.norm(got - want) <= 2 * math.sqrt(2e-9 * alone.objective_)


def test_plan_has_the_seed_of_the_map(X):
    assert RandomKernelMap(8, random_state=3).plan(Rows(X))["seed"] == 3
    assert "seed" not in RandomKernelMap(8).plan(Rows(X))
    assert "seed" not in ExplicitCombinations().plan(Rows(X))


# ---- Parameters ---------------------------------------------------------------------------------
@pytest.mark.parametrize("n, features", [(5, 5), (np.int64(5), 5), ("3x", 3 * COLS), ("1x", COLS)])
def test_n_components(X, n, features):
    assert RandomKernelMap(n).fit(X).map_.features == features


@pytest.mark.parametrize("n", [0, -1, 2**31, 2.5, "x", "2.5x", "-1x", "many", None])
def test_n_components_refused(X, n):
    with pytest.raises(ValueError, match="n_components=.*'16x'"):
        RandomKernelMap(n).fit(X)


@pytest.mark.parametrize("m, words", [
    (RandomKernelMap(kernel="rbf"), "rk serves linear, .*that: rff"),
    (RandomKernelMap(kernel="anvoa"), "anvoa.*there are linear"),
    (RandomKernelMap(projection="slow"), "projection='slow'"),
    (RandomKernelMap(projection="hadamard", signs="row"), "signs='row' is a way of"),
    (RandomKernelMap(7, complex=True), "must be even"),
    (RandomKernelMap(degree=17), "degree=17"),
    (RandomKernelMap(degree=2.5), "degree=2.5"),
    (RandomMaclaurin(kernel="anova"), "maps for that: rk"),
    (RandomMaclaurin(p=0.5), "p="),
    (RandomMaclaurin(kernel="maclaurin"), "coef"),
    (RandomFourier(kernel="poly"), "maps for that: rm"),
    (RandomFourier(gamma="wide"), "'scale' or 'auto'"),
    (RandomFourier(gamma=-1), "gamma"),
    (RandomProjection(kernel="anova"), "jl serves linear"),
    (TensorSketch(degree=0), "degree"),
    (ExplicitCombinations(kernel="poly", degree=3), "degree 2 is offered"),
], ids=lambda v: "" if isinstance(v, str) else repr(v).replace("\n", ""))
def test_refused_in_fit_with_the_words_of_the_library(X, m, words):
    with pytest.raises(ValueError, match=words):
        m.fit(X)

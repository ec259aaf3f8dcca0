# SPDX-License-Identifier: BSD-3-Clause
"""gram and the named kernels, against sums written out and recorded values.

Covers: _data/memory.py
"""
import functools
import itertools
import json
import math
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import ROOT

import featcross
from featcross._data.rows import Rows
from featcross._names.table import describe, names
from featcross.kernels import gamma_of, gram

GROUPS = {"a": [0, 1, 2], "b": [3, 4], "c": [5, 6, 7, 8]}
SETS = [[], [0], [1, 2], [0, 3, 8]]


@pytest.fixture
def X(rng):
    return rng.normal(size=(6, 9))


def products(z, sets):
    return sum(math.prod(z[j] for j in columns) for columns in sets)


def subsets(d, orders):
    return itertools.chain.from_iterable(itertools.combinations(range(d), t) for t in orders)


def one_of_each(groups):
    return [columns for pair in itertools.combinations(groups, 2)
            for columns in itertools.product(*pair)]


# ---- Values -------------------------------------------------------------------------------------
@pytest.mark.parametrize("kernel, more, sets", [
    ("anova", {}, list(subsets(9, [2]))),
    ("anova", {"degree": 4}, list(subsets(9, [4]))),
    ("anova-upto", {"degree": 3}, list(subsets(9, [1, 2, 3]))),
    ("anova-upto:order=3,theta=0/1/0", {}, list(subsets(9, [2]))),
    ("all-subsets", {}, list(subsets(9, range(10)))),
    ("all_subsets", {}, list(subsets(9, range(10)))),
    ("itemset", {"family": SETS}, SETS),
    ("groups", {"family": list(GROUPS.values())}, one_of_each(GROUPS.values())),
    ("cross", {"family": GROUPS}, list(itertools.product(*GROUPS.values()))),
])
def test_sums_over_sets_of_columns(X, kernel, more, sets):
    """Within (sets + 4 columns + 4) roundings of the sum of absolute values, which holds for the
    recursions of the library and for the sum here."""
    Y = X[:4] + 0.25
    z = X[:, None, :] * Y[None, :, :]
    want = np.array([[products(v, sets) for v in row] for row in z])
    size = np.array([[products(v, sets) for v in row] for row in abs(z)])
    got = gram(X, Y, kernel, **more)
    assert (abs(got - want) <= (len(sets) + 40) * 2.0**-53 * size).all()


def golden():
    cases = json.loads((ROOT / "tests" / "golden" / "kernels.json").read_text())["cases"]
    return [pytest.param(c, id=c["id"]) for c in cases]


def dense(vector):
    x = np.zeros((1, vector["dim"]))
    x[0, vector.get("idx", slice(None))] = vector.get("dense", vector.get("val"))
    return x


@pytest.mark.parametrize("case", golden())
def test_recorded(case):
    """The bound is above each of those that src/kernel/test/t_gram.c has."""
    x, y, family = dense(case["x"]), dense(case["y"]), case.get("family")
    if "error" in case:
        with pytest.raises(ValueError):
            gram(x, y, case["kernel"], family=family)
        return
    roundings = 30 * x.shape[1] + 64 + sum(map(len, family or []))
    bound = roundings * 2.0**-53 * float(case["scale"]) + np.finfo(float).tiny
    for a in (x, sp.csr_matrix(x)):
        got = gram(a, y, case["kernel"], family=family)
        assert abs(got[0, 0] - float(case["value"])) <= bound


def needs_nothing(line):
    return not line.precomputed and all(key.fallback for key in line.key.values())


@pytest.mark.parametrize("name", [name for name in names("kernel")
                                  if needs_nothing(describe("kernel", name))])
def test_every_kernel(rng, name):
    """By name alone: symmetric, and the same for sparse rows."""
    X = rng.uniform(0, 0.3, (7, 5)) * (rng.random((7, 5)) < 0.7)
    K = gram(X, kernel=name)
    assert (K == K.T).all() and np.linalg.eigvalsh(K).min() > -1e-12 * abs(K).max()
    assert abs(gram(sp.csr_matrix(X), X, kernel=name) - K).max() <= 1e-12 * abs(K).max()


@pytest.mark.parametrize("whole", ["linear", "poly:degree=3,gamma=0.3,coef0=0.7", "exp:gamma=0.3",
                                   "vovk:degree=3", "anova:order=3", "anova-upto:order=3",
                                   "rbf:gamma=0.3", "laplacian:gamma=0.3", "cauchy:gamma=0.3"])
def test_parameters_reach_the_kernel_that_has_them(X, whole):
    named = gram(X, kernel=whole.split(":")[0], degree=3, gamma=0.3, coef0=0.7)
    assert (named == gram(X, kernel=whole)).all()


def test_none_is_the_default_of_the_library(X):
    assert (gram(X, kernel="vovk", degree=None) == gram(X, kernel="vovk:degree=3")).all()
    assert (gram(X, kernel="poly", degree=None, gamma=None, coef0=None)
            == gram(X, kernel="poly:degree=2,gamma=1,coef0=1")).all()


def test_named_functions(X):
    Y = X[:2]
    assert (featcross.anova_kernel(X, Y, degree=3) == gram(X, Y, "anova:order=3")).all()
    assert (featcross.all_subsets_kernel(X) == gram(X, kernel="all-subsets")).all()


# ---- Families -----------------------------------------------------------------------------------
@pytest.mark.parametrize("kernel, lists, text", [
    ("itemset", SETS, "{}\n0\n1 2\n0 3 8 # from 0\n"),
    ("groups", GROUPS, "u: 0 1 2\nv: 3 4\nw: 5 6 7 8\n"),
    ("cross", GROUPS, "u v w\nu: 0 1 2\nv: 3 4\nw: 5 6 7 8\n"),
])
def test_family_in_all_its_forms(X, tmp_path, kernel, lists, text):
    want = gram(X, kernel=kernel, family=lists)
    path = tmp_path / "with_underscores.txt"
    path.write_text(text)
    for given in (text, path):
        assert (gram(X, kernel=kernel, family=given) == want).all()
    assert (gram(X, kernel=f"{kernel}:file={path}") == want).all()
    composed = gram(X, kernel=f"poly:degree=2({kernel}:file=F)", family=lists)
    assert np.allclose(composed, (1 + want)**2, rtol=1e-14)


def test_family_refused(X, tmp_path):
    with pytest.raises(ValueError, match="needs family="):
        gram(X, kernel="itemset")
    with pytest.raises(ValueError, match="takes no family"):
        gram(X, kernel="anova", family=SETS)
    with pytest.raises(ValueError, match="family:2: a feature stands twice"):
        gram(X, kernel="itemset", family=[[0], [1, 1]])
    for family in ([["age", "city"]], [0, 1], [[0.5]]):
        with pytest.raises(ValueError, match="is no list of columns"):
            gram(X, kernel="itemset", family=family)
    with pytest.raises(ValueError, match="family:1:1: expected a feature index, found '-1'"):
        gram(X, kernel="itemset", family=[[-1]])
    with pytest.raises(FileNotFoundError):
        gram(X, kernel=f"itemset:file={tmp_path / 'nowhere'}")


# ---- gamma --------------------------------------------------------------------------------------
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("gamma", ["scale", "auto", 0.25])
def test_gamma_as_in_scikit_learn(rng, dtype, gamma):
    """SVC has doubles of the same numbers: sums of a few hundred of them differ by less than 1e-12
    of the variance."""
    svm = pytest.importorskip("sklearn.svm")
    X = rng.normal(1, 2, size=(40, 5)).astype(dtype) * (rng.random((40, 5)) < 0.5)
    y = np.arange(40) % 2
    for rows in (X, sp.csr_matrix(X)):
        want = svm.SVC(gamma=gamma).fit(rows, y)._gamma
        assert math.isclose(gamma_of(gamma, Rows(rows)), want, rel_tol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_gamma_counts_weights(rng, dtype):
    """Weight 0 is absence, and weight 3 three rows."""
    X = rng.normal(1, 2, size=(40, 5)).astype(dtype) * (rng.random((40, 5)) < 0.5)
    X[::4] *= 100
    weight = rng.integers(1, 4, 40).astype(float)
    weight[::4] = 0
    want = gamma_of("scale", Rows(np.repeat(X, weight.astype(int), axis=0)))
    for rows in (X, sp.csr_matrix(X)):
        assert math.isclose(gamma_of("scale", Rows(rows), weight), want, rel_tol=1e-12)
        assert not math.isclose(gamma_of("scale", Rows(rows)), want, rel_tol=0.5)


def test_gamma_of_rows_without_spread():
    assert gamma_of("scale", Rows(np.ones((3, 2)))) == 1.0      # SVC's rule


def test_gamma_goes_by_the_fitted_rows(X):
    train, test = X[:4], 3 * X[4:]
    number = gamma_of("scale", Rows(train))
    assert (gram(test, train, "rbf", gamma="scale") == gram(test, train, "rbf", gamma=number)).all()
    with pytest.raises(ValueError, match="gamma"):
        gram(X, kernel="rbf", gamma="scaled")


# ---- Rows of every form -------------------------------------------------------------------------
def test_sparse_beside_dense(X):
    S, Y = sp.random(5, 9, 0.4, format="csr", random_state=0), X[:4]
    want = gram(S.toarray(), Y, "anova", degree=3)
    for a, b in ((S, Y), (S, sp.csr_matrix(Y)), (S.toarray(), sp.csc_matrix(Y))):
        assert np.allclose(gram(a, b, "anova", degree=3), want, rtol=1e-13, atol=1e-15)
    assert np.allclose(gram(S, kernel="rbf"), gram(S.toarray(), kernel="rbf"), rtol=1e-13)


def test_precision_of_the_result(X):
    x = X.astype(np.float32)
    got = gram(x, kernel="anova")
    assert got.dtype == np.float32
    assert (got == gram(x.astype(float), kernel="anova").astype(np.float32)).all()
    assert gram(x, X, "anova").dtype == np.float64


def test_threads_do_not_matter(rng):
    X = rng.normal(size=(150, 7))
    assert (gram(X, n_jobs=1) == gram(X, n_jobs=3)).all()


def test_no_rows(X):
    assert gram(X[:0], X).shape == (0, 6) and gram(X, X[:0]).shape == (6, 0)


# ---- Refused ------------------------------------------------------------------------------------
def test_refused(X):
    with pytest.raises(ValueError, match="anvoa.*there are linear, "):
        gram(X, kernel="anvoa")
    with pytest.raises(ValueError, match="a name or a spec string"):
        gram(X, kernel=np.dot)
    with pytest.raises(ValueError, match="X has 9 columns, Z has 8"):
        gram(X, X[:, :8])
    with pytest.raises(ValueError, match="anova: degree=0"):
        gram(X, degree=0)
    with pytest.raises(ValueError, match="2 are needed"):
        gram(X[0])
    X[1, 2] = np.nan
    with pytest.raises(ValueError, match="row 1, column 2"):
        gram(X)
    with pytest.raises(MemoryError, match="GiB"):
        gram(np.zeros((1 << 20, 1), np.float32))


# ---- In scikit-learn ----------------------------------------------------------------------------
@pytest.mark.parametrize("kernel", [
    featcross.anova_kernel, featcross.all_subsets_kernel, functools.partial(gram, kernel="poly"),
    functools.partial(gram, kernel="itemset", family=SETS),
    functools.partial(gram, kernel="rbf", gamma="scale")])
def test_svc(rng, kernel):
    """A kernel that is called, one that is computed before, and one that went through pickle."""
    svm = pytest.importorskip("sklearn.svm")
    X = rng.normal(size=(80, 9))
    y = X[:, 0] * X[:, 1] + X[:, 2] > 0
    train, test = X[:60], X[60:]
    called = svm.SVC(kernel=kernel).fit(train, y[:60])
    computed = svm.SVC(kernel="precomputed").fit(kernel(train), y[:60])
    got = called.decision_function(test)
    assert (got == computed.decision_function(kernel(test, train))).all()
    assert (pickle.loads(pickle.dumps(called)).decision_function(test) == got).all()


def test_precomputed_for_estimators_of_single_rows(X):
    """The way that gram's notes show; a callable there would be called with two single rows."""
    decomposition = pytest.importorskip("sklearn.decomposition")
    want = decomposition.KernelPCA(2, kernel="rbf", gamma=0.1).fit_transform(X)
    got = decomposition.KernelPCA(2, kernel="precomputed").fit_transform(
        gram(X, kernel="rbf", gamma=0.1))
    assert np.allclose(abs(got), abs(want))

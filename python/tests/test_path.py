# SPDX-License-Identifier: BSD-3-Clause
"""combination_path against its definition, and on a9a against the products written out.

Covers: python/featcross/_structs.py
"""
import inspect
import itertools
import lzma
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT
from scipy.sparse import csr_array

import featcross as fx

A9A = Path(os.environ.get("FX_SHARED", ROOT / ".." / "shared")) / "data" / "adult" / "a9a.xz"
LOSSES = {"squared-hinge": lambda y, f: np.maximum(0, 1 - y * f)**2,
          "logistic": lambda y, f: np.logaddexp(0, -y * f),
          "squared": lambda y, f: (y - f)**2}


def rows(rng, n=200, d=8, binary=True):
    X = (rng.random((n, d)) < 0.4) * (1.0 if binary else 2 * rng.random((n, d)) - 1)
    f = 3 * X[:, 0] * X[:, 1] - 2 * X[:, 2] * X[:, 3] * X[:, 4] + 0.5 * rng.normal(size=n)
    return X, f


def products(X, sets):
    return np.stack([X[:, list(s)].prod(axis=1) for s in sets], axis=1)


@pytest.mark.parametrize("binary", [True, False])
@pytest.mark.parametrize("loss", LOSSES)
def test_definition(rng, loss, binary):
    X, f = rows(rng, binary=binary)
    y = f if loss == "squared" else np.where(f > 0.3, 1, -1)
    weight = rng.integers(0, 3, size=len(y)).astype(float)
    path = fx.combination_path(X, y, degree=3, loss=loss, n_Cs=20, sample_weight=weight, tol=1e-9)
    assert path.Cs[-1] / path.Cs[0] == pytest.approx(100) and (path.gaps <= 1e-9).all()
    assert path.coefs.shape == (len(path.combinations), 20) and path.coefs[:, [0]].nnz == 0
    scores = products(X, path.combinations) @ path.coefs.toarray() + path.intercepts
    for k, C in enumerate(path.Cs):
        found = abs(path.coefs[:, [k]]).sum() + C * (weight * LOSSES[loss](y, scores[:, k])).sum()
        assert found == pytest.approx(path.objectives[k], rel=1e-12)
    one = fx.combination_path(X, y, degree=3, loss=loss, Cs=path.Cs[7:8], sample_weight=weight,
                              tol=1e-9)
    assert one.objectives[0] == pytest.approx(path.objectives[7], rel=2e-9)
    assert list(path.support) == [(products(X, [s]) != 0).sum() for s in path.combinations]


def test_order_16_and_all_its_subsets(rng):
    """One product of 16 columns decides; it is among the 65,535 of these columns."""
    X = (rng.random((400, 16)) < 0.97).astype(float)
    y = np.where(X.all(axis=1), 1, -1)
    path = fx.combination_path(X, y, degree=16, max_weights=1)
    assert path.combinations == [tuple(range(16))]


def test_degrees_and_groups(rng):
    X, f = rows(rng)
    y = f > 0.3
    path = fx.combination_path(X, y, degree=3, min_degree=2, groups=[0, 0, 1, 1, 2, 2, 3, 3])
    assert {len(s) for s in path.combinations} == {2, 3}
    assert not any({a, a + 1} <= set(s) for a in range(0, 8, 2) for s in path.combinations)
    names = fx.combination_path(X, y, degree=3, min_degree=2, groups=list("aabbccdd"))
    assert names.combinations == path.combinations


def test_ties(rng):
    X, f = rows(rng)
    X = np.column_stack([X, X[:, 0], np.ones(len(X))])
    path = fx.combination_path(X, f > 0.3, degree=3)
    for columns, ties in zip(path.combinations, path.ties):
        assert 9 in ties and (0 in columns + ties) == (8 in columns + ties)
        own = products(X, [columns])
        assert all((products(X, [(*columns, j)]) == own).all() for j in ties)
    supports = products(X, path.combinations)
    assert len(np.unique(supports, axis=1).T) == len(path.combinations)


def test_rows_of_any_kind(rng):
    X, f = rows(rng)
    y = np.where(f > 0.3, "yes", "no")
    dense = fx.combination_path(X, y, n_jobs=1)
    names = [f"c{j}" for j in range(X.shape[1])]
    frame = fx.combination_path(pd.DataFrame(X, columns=names), y, n_jobs=2)
    assert frame.combinations == [tuple(names[j] for j in s) for s in dense.combinations]
    for other in (fx.combination_path(csr_array(X), y == "yes"), frame,
                  fx.combination_path(X.astype("f4"), y)):
        assert (other.coefs != dense.coefs).nnz == 0 and (other.Cs == dense.Cs).all()
        assert (other.intercepts == dense.intercepts).all()


@pytest.mark.parametrize("options, message", [
    ({"loss": "hinge"}, "'hinge' is not one of"), ({"degree": 17}, "at most 16"),
    ({"min_degree": 3}, "min_degree=3 is above degree=2"), ({"degree": 0}, "degree=0"),
    ({"Cs": [1, 0.5]}, "ascending"), ({"Cs": []}, "empty"), ({"Cs": [np.nan]}, "NaN"),
    ({"groups": [1, 2]}, "groups has shape"), ({"span": 0}, "span=0"), ({"span": 1}, "span 1"),
    ({"tol": "x"}, "tol='x'"), ({"max_weights": 0}, "max_weights=0"),
    ({"sample_weight": [-1] * 200}, "weight")])
def test_refused(rng, options, message):
    X, f = rows(rng)
    with pytest.raises(ValueError, match=message):
        fx.combination_path(X, f > 0.3, **options)


def test_refused_rows(rng):
    X, f = rows(rng)
    with pytest.raises(ValueError, match="3 classes"):
        fx.combination_path(X, np.arange(len(X)) % 3)
    with pytest.raises(ValueError, match="fractions; for targets there is loss='squared'"):
        fx.combination_path(X, f + 0.25)
    with pytest.raises(ValueError, match="Input y contains NaN"):
        fx.combination_path(X, np.full(len(X), np.nan))
    with pytest.raises(ValueError, match="0 classes"):
        fx.combination_path(X[:0], [])
    with pytest.raises(ValueError, match="one class"):
        fx.combination_path(X, np.ones(len(X)))
    with pytest.raises(ValueError, match="scale=maxabs|from -1 to 1"):
        fx.combination_path(2 * X, f > 0.3)
    with pytest.raises(ValueError, match="no combination has a weight"):
        fx.combination_path(0 * X, f > 0.3)
    assert fx.combination_path(0 * X, f > 0.3, Cs=[1.0]).coefs.shape == (0, 1)


def test_parameters_are_documented():
    text = fx.combination_path.__doc__
    assert all(name in text for name in inspect.signature(fx.combination_path).parameters)


# ---- a9a: order 3 by the search, and written out ------------------------------------------------
def read_a9a():
    if not A9A.exists():
        pytest.skip(f"there is no {A9A}; FX_SHARED names the folder of real data")
    labels, columns, ends = [], [], [0]
    with lzma.open(A9A, "rt", encoding="ascii") as file:
        for line in file:
            label, *entries = line.split()
            labels.append(int(label))
            columns += [int(entry.partition(":")[0]) - 1 for entry in entries]
            ends.append(len(columns))
    X = csr_array((np.ones(len(columns)), np.array(columns), np.array(ends)))
    return X, np.array(labels)


def test_a9a_is_what_it_is_written_out():
    """There are fewer products than the limit of writing out, so the model of a map explicit solves
    the same problem by another solver, on products of which nothing was left out."""
    X, y = read_a9a()
    map = fx.ExplicitCombinations(kernel="anova-upto", degree=3)
    C = 0.002
    model = fx.LinearClassifier(penalty="l1", C=C, tol=1e-8, map=map, loss="squared_hinge")
    model.fit(X, y)
    info = model.model_.content
    path = fx.combination_path(X, y, degree=3, Cs=[C], tol=1e-9)
    assert info.features == sum(1 for t in (1, 2, 3)
                                for _ in itertools.combinations(range(X.shape[1]), t))
    assert 20 < path.coefs.nnz
    assert path.objectives[0] == pytest.approx(info.objective, rel=info.gap + 1e-9)

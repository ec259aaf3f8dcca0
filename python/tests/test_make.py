# SPDX-License-Identifier: BSD-3-Clause
"""Synthetic sets are the program's, with the combinations that decide their labels.

Covers: _data/matrix.py
"""
import subprocess
import sys

import numpy as np
import pytest

import featcross

sp = pytest.importorskip("scipy.sparse", reason="sparse sets are SciPy's")


def dense(X):
    return X.toarray() if sp.issparse(X) else X


@pytest.mark.parametrize("spec", ["pairs", "triples", "parity", "fields", "dense-positive"])
def test_same_as_the_program(spec, program, tmp_path):
    X, y, planted = featcross.make(f"{spec}:n=50", seed=3)
    sparse = spec not in ("parity", "dense-positive")
    assert sp.issparse(X) == sparse and X.shape[0] == 50 and y.dtype == np.int64
    out = tmp_path / ("x.npz" if sparse else "x.csv")
    subprocess.run([program, "make", spec, "-n", "50", "--seed", "3", "-q", "-o", str(out)],
                   check=True)
    if sparse:
        np.testing.assert_array_equal(dense(X), sp.load_npz(out).toarray())
    else:
        table = np.genfromtxt(out, delimiter=",", skip_header=1)
        np.testing.assert_array_equal(np.column_stack([X, y]), table)
    assert (featcross.make(f"{spec}:n=20", seed=4)[0] != X[:20]).sum() > 0
    assert len(planted) == {"pairs": 10, "triples": 10}.get(spec, 1)


def test_planted_decide():
    X, y, [columns] = featcross.make("parity:n=200,d=9,k=3")
    np.testing.assert_array_equal(X[:, columns].prod(axis=1), y)
    for spec, order in (("pairs", 2), ("triples", 3)):
        X, y, planted = featcross.make(f"{spec}:n=400,noise=0")
        met = np.array([[X.toarray()[i, list(p)].all() for p in planted] for i in range(100)])
        assert all(len(set(p)) == order for p in planted)
        assert abs(np.corrcoef(met.sum(axis=1), y[:100])[0, 1]) > 0.5
    assert featcross.make("fields:n=5")[2] == [("field1", "field2")]


def test_refused(monkeypatch):
    with pytest.raises(ValueError, match="circles"):
        featcross.make("circles")
    for wrong in (-1, 1.5, 2**64):
        with pytest.raises(ValueError, match=f"seed={wrong} is no whole number"):
            featcross.make("parity", seed=wrong)
    monkeypatch.setitem(sys.modules, "scipy.sparse", None)
    with pytest.raises(ImportError, match="pairs are sparse rows, for which SciPy is needed"):
        featcross.make("pairs")
    assert featcross.make("parity:n=5")[0].shape == (5, 20)

# SPDX-License-Identifier: BSD-3-Clause
"""compare: the program's table and advice, for rows in memory."""
import json
import subprocess
import sys

import numpy as np
import pytest
from scipy.sparse import csr_array

import featcross
from featcross import compare
from featcross._ask import ROWS, save_rows
from featcross._data.rows import Rows


@pytest.fixture(autouse=True)
def here(program, monkeypatch):
    monkeypatch.setenv("FEATCROSS_PROGRAM", program)


@pytest.fixture
def X(rng):
    return rng.choice([-1.0, 1.0], (400, 6))


@pytest.fixture
def y(X):
    return np.where(X[:, 1] * X[:, 4] > 0, "same", "other")


FEW = {"seeds": 2, "methods": ["linear", "fm"]}


def test_numbers_are_those_of_the_program(program, tmp_path, X, y):
    table, advice, *_ = compare(X, y, **FEW)
    save_rows(tmp_path / ROWS, Rows(X), (y == "same") * 1.0)
    done = subprocess.run([program, "compare", tmp_path / ROWS, "--seeds", "2", "--methods",
                           "linear,fm", "--json", "-q"], check=True, capture_output=True)
    results = json.loads(done.stdout)["results"]
    assert table["name"].tolist() == [line["name"] for line in results] == ["fm", "linear"]
    for key in ("accuracy", "auc", "bytes"):
        assert table[key].tolist() == [line[key] for line in results]
    assert table["accuracy_sd"].tolist() == [line["sd"]["accuracy"] for line in results]
    assert "rmse" not in table
    assert advice.startswith("Use fm: accuracy 1.0000")


@pytest.mark.parametrize("methods, kind", [
    ("fm", featcross.FactorizationMachineClassifier), ("rk", featcross.LinearClassifier),
    ("rm", featcross.LinearClassifier), ("rff", featcross.LinearClassifier),
    ("ts", featcross.LinearClassifier), ("explicit", featcross.LinearClassifier),
    ("exact", featcross.KernelSVC)])
def test_advice_is_an_estimator(X, y, methods, kind):
    found = compare(X, y, seeds=1, methods=methods)
    assert type(found.estimator) is kind
    assert repr(found.estimator).split("(")[0] + "(" in found.advice
    assert not [word for word in ("featcross", "rows.npz", "model.fx", "--") if word in found.advice]
    assert found.estimator.fit(X, y).score(X, y) > 0.95


def test_rows_of_any_kind(X, y, rng):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": np.where(X[:, 1] > 0, "x", "y"),
                              "b": np.where(X[:, 4] > 0, "x", "y"), "c": rng.random(400)})
    want = compare(X, y, **FEW)
    assert (compare(csr_array(X), y, **FEW).table["accuracy"] == want.table["accuracy"]).all()
    assert (compare(X, (y == "same"), **FEW).table["accuracy"] == want.table["accuracy"]).all()
    assert compare(frame, y, **FEW).table["accuracy"][0] == 1
    target = compare(X, X[:, 1] * X[:, 4] + 0.01 * rng.normal(size=400), **FEW)
    assert target.metric == "rmse" and target.table["rmse"][0] < 0.1
    assert isinstance(target.estimator, featcross.FactorizationMachineRegressor)


def test_missing_numbers(X, y, rng):
    A = np.where(rng.random(X.shape) < 0.02, np.nan, X)
    with pytest.raises(ValueError, match="missing="):
        compare(A, y, **FEW)
    found = compare(A, y, missing="mean", **FEW)
    assert found.table["accuracy"][0] > 0.9 and found.estimator.missing == "mean"
    assert found.estimator.fit(A, y).score(A, y) > 0.9


def test_rows_to_test_on(X, y):
    found = compare(X[:300], y[:300], test=(X[300:], y[300:]), **FEW)
    assert found.table["accuracy"][0] == 1


def test_what_was_left_out_is_told(X, y):
    found = compare(X, y, methods=["linear", "exact"], exact=False, seeds=1)
    assert found.left_out and all("exact" in name for name in found.left_out)
    assert found.failed == {}


@pytest.mark.parametrize("bad, message", [
    ({"methods": ["nope"]}, "nope"), ({"seeds": 0}, "^seeds=0"), ({"task": "x"}, "task='x'"),
    ({"exact": "maybe"}, "exact='maybe'"), ({"n_components": "0x"}, "n_components"),
    ({"test": (np.ones((2, 6)), ["q", "q"])}, "'q', which y does not have")])
def test_what_is_refused(X, y, bad, message):
    with pytest.raises(ValueError, match=message):
        compare(X, y, **bad)


WITHOUT = """
import sys
sys.modules["pandas"] = None
import numpy as np
from featcross import compare
X = np.random.default_rng(1).choice([-1.0, 1.0], (200, 4))
table = compare(X, X[:, 0] * X[:, 1] > 0, seeds=1, methods=["linear", "fm"]).table
print([line["name"] for line in table])
"""


def test_without_pandas():
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True)
    assert done.stdout == "['fm', 'linear']\n", done.stderr

# SPDX-License-Identifier: BSD-3-Clause
"""The program behind the package: asked, ended; and C="auto", map="auto" by it.

Covers: _learners/choice.py
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone

import featcross
from featcross import (ExplicitCombinations, KernelRidge, KernelSVC, KernelSVR, LinearClassifier,
                       LinearRegressor, RandomKernelMap)
from featcross._ask import ROWS, run_program, save_rows
from featcross._data.rows import Rows


@pytest.fixture(autouse=True)
def here(program, monkeypatch):
    monkeypatch.setenv("FEATCROSS_PROGRAM", program)


@pytest.fixture
def X(rng):
    return rng.choice([-1.0, 1.0], (300, 6))


@pytest.fixture
def y(X):
    return np.where(X[:, 1] * X[:, 4] > 0, "same", "other")


# ---- Rows on their way ----

@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("sparse", [False, True])
def test_numbers_arrive_as_they_are(program, tmp_path, rng, dtype, sparse):
    A = rng.normal(size=(20, 5)).astype(dtype) * rng.integers(0, 2, (20, 5)).astype(dtype)
    y = rng.normal(size=20)
    save_rows(tmp_path / ROWS, Rows(csr_array(A) if sparse else A), y)
    back = tmp_path / "back.npz"
    subprocess.run([program, "convert", tmp_path / ROWS, "-o", back, "-q"], check=True)
    with np.load(back) as got:
        B = csr_array((got["data"], got["indices"], got["indptr"]), shape=got["shape"])
        assert (B.toarray() == A).all() and (got["labels"] == y).all() and B.dtype == dtype


# ---- Choosing ----

def test_choice_is_that_of_the_program(program, tmp_path, X, y):
    """With everything open the same model as `featcross train`, to the last bit."""
    model = LinearClassifier(C="auto", map="auto", scale="auto", random_state=1).fit(X, y)
    save_rows(tmp_path / ROWS, Rows(X), (y == "same").astype(float))
    subprocess.run([program, "train", tmp_path / ROWS, "-o", tmp_path / "m.fx", "-q"], check=True,
                   stdout=subprocess.DEVNULL)
    other = featcross.load(tmp_path / "m.fx")
    assert (model.decision_function(X) == other.decision_function(X)).all()
    assert model.C_ == other.C and model.map_ == "explicit"
    assert model.kernel_.startswith("anova-upto")
    assert model.choice_["held_out"]["score"] > 0.95 and model.score(X, y) > 0.95
    assert model.C == model.map == "auto" and clone(model).C == "auto"
    assert model.predict(X[:1])[0] in ("same", "other")


def test_what_is_chosen_is_saved(tmp_path, X, y):
    model = LinearClassifier(C="auto", map="auto", random_state=1).fit(X, y)
    model.save(tmp_path / "m.fx")
    again = featcross.load(tmp_path / "m.fx")
    assert again.C == model.C_ and isinstance(again.map, ExplicitCombinations)
    assert again.classes_.tolist() == ["other", "same"]
    assert (again.decision_function(X) == model.decision_function(X)).all()


@pytest.mark.parametrize("learner", [
    LinearClassifier(C="auto", random_state=1),
    LinearClassifier(C="auto", map=RandomKernelMap(64), class_weight={"same": 2.0}, random_state=1),
    LinearClassifier(C="auto", loss="logistic", class_weight="balanced", random_state=1),
    KernelSVC(C="auto"), KernelSVC(C="auto", kernel="anova", degree=2, scale="unit-l2"),
    KernelSVC(C="auto", kernel="itemset", family=[[0], [1, 4]]),
    LinearRegressor(C="auto", map="auto", random_state=1), KernelSVR(C="auto", epsilon=0.01),
    KernelRidge(alpha="auto")])
@pytest.mark.parametrize("sparse", [False, True])
def test_a_fit_is_that_with_what_was_chosen(X, y, learner, sparse):
    y = X[:, 1] * X[:, 4] if learner._task == 2 else y
    A = csr_array(X) if sparse else X
    weight = np.where(np.arange(300) % 7 == 0, 2.0, 1.0)
    model = clone(learner).fit(A, y, weight)
    given = {"alpha": model.alpha_} if isinstance(learner, KernelRidge) else {"C": model.C_}
    if model.get_params().get("map") == "auto":
        assert model.map_ == "explicit"
        given["map"] = ExplicitCombinations(kernel=model.kernel_)
        given["penalty"] = "l1" if "penalty=l1" in model.choice_["model"] else "l2"
    same = clone(learner).set_params(**given).fit(A, y, weight)
    assert (model.predict(A) == same.predict(A)).all() and not hasattr(same, "choice_")
    alone = getattr(learner, "map", "exact") is None    # no column decides by itself
    assert model.score(A, y, weight) > (0.45 if alone else 0.9)


def test_weights_decide_with_the_rest(X, rng):
    """Rows of weight 0 hold noise: the choice is that without them."""
    y = np.where(X[:, 0] > 0, 1, 0)
    A, z = np.vstack([X, rng.normal(size=(300, 6))]), np.r_[y, rng.integers(0, 2, 300)]
    weight = np.r_[np.ones(300), np.zeros(300)]
    model = LinearClassifier(C="auto", random_state=1).fit(A, z, weight)
    assert model.choice_["held_out"]["score"] == 1


@pytest.mark.parametrize("missing", ["mean", "drop", "zero,indicator"])
def test_missing_numbers(X, y, rng, missing):
    A = np.where(rng.random(X.shape) < 0.02, np.nan, X)
    weight = rng.integers(1, 3, 300).astype(float)
    model = KernelSVC(C="auto", missing=missing).fit(A, y, weight)
    same = KernelSVC(C=model.C_, missing=missing).fit(A, y, weight)
    assert (model.predict(X) == same.predict(X)).all() and model.choice_["held_out"]["score"] > 0.8


@pytest.mark.parametrize("kind", [np.asarray, csr_array])
@pytest.mark.parametrize("bad, what", [(np.nan, "NaN .* missing="), (np.inf, "infinity .*r$")])
def test_a_number_that_is_none_is_named_as_in_other_fits(X, y, kind, bad, what):
    A = X.copy()
    A[7, 1] = bad
    for rows, ask in (("X", lambda: LinearClassifier(C="auto").fit(kind(A), y)),
                      ("X", lambda: featcross.compare(kind(A), y)),
                      ("test", lambda: featcross.compare(kind(X), y, test=(kind(A), y)))):
        with pytest.raises(ValueError, match=rf"^{rows}, row 7, column 1 \(from 0\): {what}"):
            ask()


def test_a_precomputed_kernel(X, y):
    model = KernelSVC(C="auto", kernel="precomputed").fit((X @ X.T)**2, y)
    assert model.C_ > 0 and model.score((X @ X.T)**2, y) == 1


def test_a_warm_start_keeps_the_choice(X, y):
    model = LinearClassifier(C="auto", solver="newton", warm_start=True, random_state=1).fit(X, y)
    C = model.C_
    model.fit(X[:50], y[:50])
    assert model.C_ == C


@pytest.mark.parametrize("learner, message", [
    (KernelSVC(kernel="auto"), "kernel='auto'"),
    (LinearClassifier(C="auto", tol=-1), "^tol=-1 must be positive"),
    (LinearClassifier(loss="perceptron", map="auto"), "map='auto'"),
    (LinearClassifier(C="Auto"), "C='Auto'"),
])
def test_what_cannot_be_chosen(X, y, learner, message):
    with pytest.raises(ValueError, match=message):
        learner.fit(X, y)


# ---- Failing ----

def fake(tmp_path, monkeypatch, script):
    path = tmp_path / "fake"
    path.write_text("#!/bin/sh\n" + script)
    path.chmod(0o755)
    monkeypatch.setenv("FEATCROSS_PROGRAM", str(path))


@pytest.mark.parametrize("status, kind", [(2, ValueError), (3, FloatingPointError),
                                          (4, MemoryError), (1, RuntimeError)])
def test_failures(tmp_path, monkeypatch, X, y, status, kind):
    fake(tmp_path, monkeypatch, "echo 'a note' >&2\necho 'featcross: train: raise max-iter' >&2\n"
         f"exit {status}\n")
    with pytest.raises(kind, match="^raise max_iter$"):
        LinearClassifier(C="auto").fit(X, y)


def test_a_program_that_is_killed(tmp_path, monkeypatch, X, y):
    fake(tmp_path, monkeypatch, "kill -9 $$\n")
    with pytest.raises(RuntimeError, match="ended by signal 9"):
        LinearClassifier(C="auto").fit(X, y)


INTERRUPTED = """
import sys, os, numpy as np, featcross
X = np.random.default_rng(1).normal(size=(50, 3))
try:
    featcross.LinearClassifier(C="auto").fit(X, X[:, 0] > 0)
except KeyboardInterrupt:
    print("interrupted")
"""


def test_ctrl_c_ends_the_program_and_removes_its_files(tmp_path):
    where = tmp_path / "files"
    where.mkdir()
    script = tmp_path / "fake"
    script.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pid\nexec sleep 60\n")
    script.chmod(0o755)
    child = subprocess.Popen([sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, text=True,
                             env={**os.environ, "FEATCROSS_PROGRAM": str(script),
                                  "TMPDIR": str(where)})
    end = time.monotonic() + 30
    while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text().strip():
        assert time.monotonic() < end
        time.sleep(0.05)
    assert list(where.iterdir())
    child.send_signal(signal.SIGINT)
    assert child.communicate(timeout=30)[0] == "interrupted\n"
    assert list(where.iterdir()) == []
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_nothing_is_left_behind(X, y, monkeypatch, tmp_path, capfd):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    LinearClassifier(C="auto").fit(X, y)
    assert list(Path(tmp_path).iterdir()) == [] and capfd.readouterr() == ("", "")
    LinearClassifier(C="auto", verbose=1).fit(X, y)
    assert "candidates, from simple to complex" in capfd.readouterr().err


def test_answers_are_json(program, X, y):
    rows = {ROWS: (Rows(X), (y == "same") * 1.0)}
    answer = run_program("train", [ROWS, "--dry-run"], rows, seed=1)
    assert json.dumps(answer) and answer["kernel"] == "anova-upto:order=2"

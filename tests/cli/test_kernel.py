# SPDX-License-Identifier: BSD-3-Clause
"""Kernel machines and PCA: exact against explicit, precomputed kernels, odd data, limits.

Covers: cli/models/exact.c,  cli/models/model_info.c, cli/kernels/spec_keys.c"""

import csv
import json
import re
import shlex

import numpy as np
import pytest

from conftest import SLOW, svmlight
from test_output import files, train_interrupted

ANOVA = ["--kernel", "anova:order=2"]


def train(fx, data, *args, **more):
    return fx("train", data, "-o", "m.fx", "--json", *args, **more).json


def numbers(fx, data, *args, model="m.fx"):
    lines = fx("predict", model, data, "-q", *args).text.splitlines()
    return np.array([line.split() for line in lines], float)


def scores(fx, data, model="m.fx"):
    return numbers(fx, data, "--output", "score", model=model)


@pytest.fixture
def targets(put):
    """80 rows with targets that are products of two columns, and rounding."""
    r = np.random.default_rng(5)
    X = r.uniform(-1, 1, size=(80, 6))
    put("y.svm", svmlight(X, [float(v) for v in X[:, 0] * X[:, 1] + 0.3 * X[:, 2]]))
    return "y.svm"


@pytest.fixture
def three(put):
    """150 rows of three classes a, b, c."""
    r = np.random.default_rng(3)
    X = r.normal(size=(150, 4))
    y = X[:, :3].argmax(1)
    text = svmlight(X).splitlines()
    put("3.svm", "\n".join("abc"[c] + line[1:] for c, line in zip(y, text)) + "\n")
    return "3.svm", y


# ---- Exact is the map `explicit` ------------------------------------------------------------------
@pytest.mark.parametrize("name, C", [("svm", 0.1), ("svm", 10), ("svr", 1), ("ridge", 1)])
def test_exact_is_the_explicit_map(fx, pairs, targets, name, C):
    data = pairs[0] if name == "svm" else targets
    tol = [] if name == "ridge" else ["--tol", "1e-6"]
    exact = train(fx, data, "--model", f"kernel-{name}", *ANOVA, "-C", C, *tol)
    a = scores(fx, data)
    mapped = train(fx, data, "--model", name, *ANOVA, "--map", "explicit", "-C", C, "--tol", "1e-10",
                   "--max-iter", "100000")
    b = scores(fx, data)
    assert exact["kernel"] == "anova:order=2" and exact["model"].startswith(f"kernel-{name}:")
    # Features of the map are floats: 1e-6 of the objective.
    assert 0 <= exact["gap"] < 1e-4
    assert exact["objective"] == pytest.approx(mapped["objective"], rel=exact["gap"] + 1e-6)
    # |w - w*|^2 <= 2 gap P, |score|^2 <= |w|^2 K(x, x), K(x, x) <= 28; twice, for the intercept.
    bound = 2 * np.sqrt(2 * (exact["gap"] + 1e-6) * mapped["objective"] * 28)
    assert np.abs(a - b).max() < bound
    assert 0 < exact["support"] <= exact["rows"] and exact["converged"] is True


def test_perceptron_is_the_explicit_one(fx, pairs):
    exact = train(fx, pairs[0], "--model", "kernel-perceptron", *ANOVA)
    a = numbers(fx, pairs[1])
    train(fx, pairs[0], "--model", "perceptron", *ANOVA, "--map", "explicit")
    assert (a == numbers(fx, pairs[1])).all()
    assert 0 < exact["support"] < 600


def test_budget(fx, pairs):
    full = train(fx, pairs[0], "--model", "kernel-perceptron", *ANOVA)["support"]
    for budget in (20, 1):
        j = train(fx, pairs[0], "--model", f"kernel-perceptron:budget={budget},averaged=no", *ANOVA)
        assert 0 < j["support"] <= budget < full
    assert f"budget={budget}" in fx("info", "m.fx").text


@pytest.mark.parametrize("k", [1, 3])
def test_pca(fx, pairs, k):
    """Of rows, by its definition; of a kernel, as that of the explicit features but for signs."""
    X = np.zeros((600, 30))
    for i, line in enumerate((fx.directory / pairs[0]).read_text().splitlines()):
        for pair in line.split()[1:]:
            X[i, int(pair.split(":")[0]) - 1] = float(pair.split(":")[1])
    j = train(fx, pairs[0], "--model", f"pca:k={k}")
    Z = X - X.mean(0)
    values, vectors = np.linalg.eigh(Z.T @ Z / 600)
    assert np.allclose(j["variance"], values[::-1][:k], rtol=1e-5)
    assert j["total_variance"] == pytest.approx(values.sum(), rel=1e-5)
    S = numbers(fx, pairs[0])
    assert S.shape == (600, k) and np.allclose(S.mean(0), 0, atol=1e-5)
    assert np.allclose(np.abs(S), np.abs(Z @ vectors[:, ::-1][:, :k]), atol=1e-3)
    train(fx, pairs[0], "--model", f"pca:k={k}", *ANOVA, "--map", "explicit")
    a = numbers(fx, pairs[1])
    j = train(fx, pairs[0], "--model", f"kernel-pca:k={k}", *ANOVA)
    b = numbers(fx, pairs[1])
    assert np.allclose(np.abs(a), np.abs(b), atol=1e-3 * np.abs(a).max())
    assert len(j["variance"]) == k


@pytest.mark.large
def test_pca_of_a_map_nears_the_exact_one(fx, pairs):
    j = train(fx, pairs[0], "--model", "kernel-pca:k=2", *ANOVA)
    exact = np.array(j["variance"])
    errors = []
    for D in (64, 4096):
        mapped = [train(fx, pairs[0], "--model", "pca:k=2", *ANOVA, "--map", "rk", "-D", D, "--seed",
                        seed)["variance"] for seed in range(1, 6)]
        errors.append(np.sqrt(np.mean((np.array(mapped) - exact) ** 2)) / exact[0])
    assert errors[1] < errors[0] / 4, errors             # 8 times less by theory


def test_pca_output(fx, pairs, put):
    train(fx, pairs[0], "--model", "pca:k=2", "--scale", "std")
    S = numbers(fx, pairs[1])
    fx("predict", "m.fx", pairs[1], "--format", "npy", "-o", "s.npy")
    assert (np.load(fx.directory / "s.npy") == S).all()
    lines = fx("predict", "m.fx", pairs[1], "--format", "jsonl").text.splitlines()
    assert (np.array([json.loads(line)["score"] for line in lines]) == S).all()
    for what in ("label", "proba"):
        assert "components" in fx("predict", "m.fx", pairs[1], "--output", what, status=2).talk
    assert "components" in fx("evaluate", "m.fx", pairs[1], status=2).talk
    text = fx("info", "m.fx").text
    assert "pca:k=2" in text and "components   2" in text and "a model of components" in text
    assert text.endswith(" rows\n")
    j = fx("info", "m.fx", "--json").json
    assert len(j["variance"]) == 2
    share = 100 * sum(j["variance"]) / j["total_variance"]
    assert 0 < share < 100 and f"({share:.1f} %):" in text


def test_pca_needs_no_labels(fx, pairs, put):
    lines = (fx.directory / pairs[0]).read_text().splitlines()
    put("bare.svm", "".join(line.split(" ", 1)[1] + "\n" for line in lines))
    for model in ("pca:k=2", "kernel-pca:k=2"):
        train(fx, "bare.svm", "--model", model)
        a = numbers(fx, pairs[1])
        train(fx, pairs[0], "--model", model)
        assert (a == numbers(fx, pairs[1])).all()
    put("bare.csv", "a,b,c\n1,2,3\n4,5,7\n1,1,2\n2,0,1\n")
    assert train(fx, "bare.csv", "--label", "none", "--model", "pca:k=1")["features"] == 3
    np.save(fx.directory / "bare.npy", np.eye(5))
    assert train(fx, "bare.npy", "--model", "pca:k=2")["features"] == 5


# ---- Options and what is said ----------------------------------------------------------------------
def test_report(fx, pairs):
    r = fx("train", pairs[0], "--model", "kernel-svm", "-C", "1", "-o", "m.fx")
    assert "kernel: anova:order=2, since none is given" in r.talk
    assert "anova:order=2, exact" in r.text or "collapsed" in r.text
    assert "vectors      " in r.text and "converged" in r.text
    text, j = fx("info", "m.fx").text, fx("info", "m.fx", "--json").json
    assert f"vectors      {j['support']} of 600 rows" in text and j["kernel"] == "anova:order=2"
    assert fx("evaluate", "m.fx", pairs[1], "--json").json["accuracy"] > 0.8
    j = train(fx, pairs[0], "--model", "svm")
    assert j["support"] is None and j["collapsed"] is False and j["pairs"] is False


def test_collapse(fx, pairs):
    for way in ("no", "yes"):
        j = train(fx, pairs[0], "--model", f"kernel-svm:collapse={way}", *ANOVA)
        assert j["collapsed"] is (way == "yes")
        assert ("collapsed" in fx("info", "m.fx").text) is (way == "yes")
        (fx.directory / "m.fx").rename(fx.directory / f"{way}.fx")
    a, b = scores(fx, pairs[1], "no.fx"), scores(fx, pairs[1], "yes.fx")
    assert np.abs(a - b).max() < 1e-5 * max(1, np.abs(a).max())


@pytest.mark.parametrize("args, word", [
    (["--map", "rk", *ANOVA], "--model svm --map rk --kernel anova:order=2"),
    (["-D", "16x"], "--model svm --map auto --kernel anova:order=2"),
    (["--kernel", "auto"], "kernel-svm uses none; name a kernel"),
    (["--kernel", "anowa"], "anowa"),
    (["--penalty", "l1"], "penalty"),
    (["--solver", "dual"], "solver"),
    (["--kernel", "precomputed", "--scale", "std"], "--scale std"),
    (["-C", "0"], "-C 0"),
    (["--cache", "much"], "--cache"),
    (["--max-iter", "0"], "max-iter"),
])
def test_bad_options(fx, put, args, word):
    put("x.svm", "1 1:1\n-1 2:1\n" * 10)
    assert word in fx("train", "x.svm", "--model", "kernel-svm", *args, status=2).talk
    assert files(fx.directory) == ["x.svm"]


@pytest.mark.parametrize("args, word", [
    (["--model", "svm", "--cache", "1M"], "--cache is for kernel-svm"),
    (["--model", "kernel-ridge", "--cache", "1M"], "--cache is for kernel-svm"),
    (["--cache", "1M"], "--cache is for kernel-svm"),
    (["--model", "pca"], "k="),
    (["--model", "pca:k=0"], "k=0"),
    (["--model", "kernel-pca:k=1000"], "1000"),
    (["--model", "pca:k=2", "-C", "1"], "C"),
    (["--model", "pca:k=2", "--folds", "3"], "labels"),
    (["--model", "pca:k=2", "--eval-set", "x.svm"], "--eval-set"),
    (["--model", "pca:k=2", "--class-weight", "balanced"], "--class-weight"),
    (["--model", "kernel-pca:k=2", "--map", "rk"], "--model pca:k=2 --map rk"),
    (["--model", "kernel-perceptron", "--folds", "3"], "no C"),
    (["--model", "kernel-perceptron:budget=-1"], "budget"),
    (["--model", "kernel-ridge", "--calibrate"], "calibrate"),
    (["--model", "kernel-swm"], "kernel-svm"),
    (["--model", "svm", "--kernel", "precomputed"], "--model kernel-svm"),
])
def test_bad_options_of_models(fx, put, args, word):
    put("x.svm", "1 1:1\n-1 2:1\n" * 10)
    assert word in fx("train", "x.svm", *args, status=2).talk
    assert files(fx.directory) == ["x.svm"]


def test_targets(fx, put, targets):
    assert "kernel-ridge" in fx("train", targets, "--model", "kernel-svm", status=2).talk
    put("x.svm", "1 1:1\n-1 2:1\n" * 10)
    assert "numbers" in fx("train", "x.svm", "--model", "kernel-svr", "--task", "classify",
                           status=2).talk


def test_long_fits_are_announced(fx):
    fx("make", "pairs", "-n", "10000", "-d", "20", "--nz", "4", "-k", "3", "-o", "x.svm", "-q")
    quick = ["--model", "kernel-svm:max-iter=5", *ANOVA, "-o", "m.fx"]
    r = fx("train", "x.svm", *quick)
    assert "kernel-svm on 10000 rows: " in r.talk and " MiB\n" in r.talk
    assert "--model svm --map rk --kernel anova:order=2 -D 16x" in r.talk
    assert "raise --max-iter" in r.talk              # it did not converge, and is saved
    assert "WARNING" in r.talk and (fx.directory / "m.fx").exists()
    quiet = fx("train", "x.svm", *quick, "-q")      # but for the warning
    assert quiet.text == "" and quiet.talk.count("\n") == 1 and "WARNING" in quiet.talk


@pytest.mark.parametrize("kernel, map", [
    ("laplacian:gamma=1", "rff"), ("vovk:degree=3", "rm"), ("exp(anova:order=2)", "rm"),
    ("itemset:file=sets.txt", "rk"), ("precomputed", None)])
@pytest.mark.large
def test_the_other_way_works(fx, put, kernel, map):
    """A refusal names a command that can be pasted, with the keys that mean the same."""
    put("sets.txt", "1 2\n3 4\n")
    fx("make", "pairs", "-n", "600", "-d", "20", "--nz", "4", "-k", "3", "-o", "x.svm", "-q")
    fx("gram", "x.svm", "--kernel", "linear", "-o", "K.txt", "-q")
    data = "x.svm" if map else "K.txt"
    talk = fx("train", data, "--model", "kernel-svm:C=2,tol=1e-4,calibrate=yes,collapse=no", "--kernel",
              kernel, "--max-memory", "120K" if map else "3M", status=4).talk
    if not map:
        assert "--map" not in talk
        return
    other = talk.split("HINT: ")[-1].split(" takes less")[0]
    assert other.startswith(f"--model svm:C=2,calibrate=yes --map {map} --kernel ")
    fx("train", data, "-o", "m.fx", *shlex.split(other))


@pytest.mark.parametrize("model", ["kernel-ridge", "kernel-pca:k=2"])
def test_memory_is_refused_with_its_bytes(fx, targets, put, model):
    r = np.random.default_rng(6)
    X = r.normal(size=(3000, 3)).round(2)
    put("x.svm", svmlight(X, [float(v) for v in X[:, 0]]))
    talk = fx("train", "x.svm", "--model", model, *ANOVA, "--max-memory", "30M", status=4).talk
    need = int(talk.split(" bytes")[0].split()[-1])
    assert need >= 4 * 3000 * 3000 // 2 and "--max-memory" in talk
    assert "--map rk" in talk
    assert files(fx.directory) == ["x.svm", "y.svm"]


def test_verbose(fx, pairs):
    args = ["train", pairs[0], "--model", "kernel-svm", *ANOVA, "-o", "m.fx"]
    assert "support vectors, after" in fx(*args, "-v2").talk
    assert "settings:" in fx(*args, "-v", "3").talk
    assert "settings:" not in fx(*args, "-v2").talk and "support vectors" not in fx(*args, "-v").talk


def test_history(fx, pairs):
    j = train(fx, pairs[0], "--model", "kernel-svm", *ANOVA, "--eval-set", pairs[1], "--history", "h.csv")
    rows = list(csv.DictReader((fx.directory / "h.csv").open()))
    assert float(rows[-1]["objective"]) == pytest.approx(j["objective"], rel=1e-9)
    assert float(rows[-1]["gap"]) == pytest.approx(j["gap"], abs=1e-9)
    assert [int(row["iteration"]) for row in rows] == sorted(int(row["iteration"]) for row in rows)
    assert float(rows[-1]["metric"]) == pytest.approx(j["eval"]["score"], abs=0.01)


def test_tune_and_folds(fx, pairs, targets):
    j = fx("tune", pairs[0], "--model", "kernel-svm", "--kernel", "linear anova:order=2", "-C", "0.1,1",
           "--folds", "3", "-o", "m.fx", "--json").json
    assert [(t["kernel"], t["C"]) for t in j["trials"]] == [
        ("linear", 0.1), ("linear", 1), ("anova:order=2", 0.1), ("anova:order=2", 1)]
    assert j["best"]["kernel"] == j["kernel"] == "anova:order=2"
    t = fx("train", pairs[0], "--model", "kernel-svm", *ANOVA, "-C", j["best"]["C"], "--folds", "3", "-o",
           "n.fx", "--json").json
    assert t["folds"]["mean"] == pytest.approx(j["best"]["mean"], abs=0.01)
    assert (fx.directory / "m.fx").read_bytes() == (fx.directory / "n.fx").read_bytes()
    for model in ("kernel-svr", "kernel-ridge"):
        text = fx("tune", targets, "--model", model, "--order", "1,2", "-C", "1,100", "--folds", "3").text
        assert re.search(r"^\* +2 ", text, re.M) and "rmse" in text
    assert "-D 16x" in fx("tune", pairs[0], "--model", "kernel-svm", "-D", "16x", status=2).talk
    j = train(fx, pairs[0], "--model", "kernel-svm", *ANOVA, "-C", "auto")
    assert j["held_out"]["score"] > 0.8


# ---- Precomputed kernels ---------------------------------------------------------------------------
@pytest.mark.parametrize("model", ["kernel-svm", "kernel-perceptron"])
def test_precomputed_text(fx, pairs, model):
    fx("gram", pairs[0], *ANOVA, "-o", "K.txt", "-q")
    fx("gram", pairs[1], pairs[0], *ANOVA, "-o", "T.txt", "-q")
    train(fx, pairs[0], "--model", model, *ANOVA)
    want = scores(fx, pairs[1])
    j = train(fx, "K.txt", "--model", model, "--kernel", "precomputed")
    assert j["kernel"].startswith("precomputed") and j["rows"] == 600
    got = scores(fx, "T.txt")
    assert np.abs(got - want).max() < 1e-3 * max(1, np.abs(want).max())
    assert fx("evaluate", "m.fx", "T.txt", "--json").json["accuracy"] > 0.8
    assert "precomputed" in fx("info", "m.fx").text
    for command in ("predict", "evaluate"):         # rows of features are no rows of kernel values
        assert "all 600 rows" in fx(command, "m.fx", pairs[1], status=2).talk


def test_precomputed_arrays(fx, targets):
    fx("gram", targets, *ANOVA, "-o", "K.npy", "-q")
    K = np.load(fx.directory / "K.npy").astype(float)
    y = [float(line.split()[0]) for line in (fx.directory / targets).read_text().splitlines()]
    np.savez(fx.directory / "K.npz", x=K, y=np.array(y))
    for model in ("kernel-ridge", "kernel-svr"):
        train(fx, targets, "--model", model, *ANOVA, "-C", "10")
        want = scores(fx, targets)
        train(fx, "K.npz", "--model", model, "--kernel", "precomputed", "-C", "10")
        assert np.abs(scores(fx, "K.npy") - want).max() < 2e-3
    train(fx, "K.npy", "--model", "kernel-pca:k=2", "--kernel", "precomputed")
    a = numbers(fx, "K.npy")
    train(fx, targets, "--model", "kernel-pca:k=2", *ANOVA)
    assert np.allclose(a, numbers(fx, targets), atol=1e-4 * np.abs(a).max())


def test_precomputed_must_be_square(fx, put):
    put("x.svm", "1 1:1 2:0 3:1\n-1 1:0 2:1 3:1\n")
    talk = fx("train", "x.svm", "--model", "kernel-svm", "--kernel", "precomputed", status=2).talk
    assert "2" in talk and "3" in talk


def test_precomputed_not_definite(fx, put):
    """A symmetric matrix with negative eigenvalues: the fit ends, is finite, and says so."""
    r = np.random.default_rng(11)
    A = r.normal(size=(40, 40))
    K = A + A.T
    put("K.svm", svmlight(np.column_stack([np.arange(1, 41), K]), [1, -1] * 20, base=0))
    r = fx("train", "K.svm", "--model", "kernel-svm", "--kernel", "precomputed", "-o", "m.fx", "--json")
    assert "positive semidefinite" in r.talk
    assert np.isfinite(scores(fx, "K.svm")).all()
    assert fx("info", "m.fx", "--json").json["training"]["gap"] is None
    assert "gap not known" in fx("info", "m.fx").text


# ---- Odd data and settings -------------------------------------------------------------------------
@pytest.mark.large
def test_same_bytes_for_any_cache_and_threads(fx, pairs):
    made = set()
    for args in (["--cache", "1K"], ["--cache", "1M"], ["--cache", "10M"], ["--cache", "1G"],
                 ["--threads", "1"], ["--threads", "2"]):
        fx("train", pairs[0], "--model", "kernel-svm", *ANOVA, *args, "-o", "m.fx", "-q")
        made.add((fx.directory / "m.fx").read_bytes())
    assert len(made) == 1
    r = fx("train", pairs[0], "--model", "kernel-svm", *ANOVA, "--cache", "1K", "-o", "m.fx")
    assert "--cache 1.0 KiB: a fit of 600 rows takes " in r.talk
    r = fx("train", pairs[0], "--model", "kernel-svm", *ANOVA, "--cache", "100M", "-o", "m.fx")
    assert "at least" not in r.talk


@pytest.mark.large
def test_same_bytes_where_the_cache_is_short(fx):
    """Rows are dropped and computed again, in other blocks; above 4,096 rows steps go by working sets."""
    rows, caches = ("5000", ["4M", "12M", "1G"]) if SLOW == 1 else ("300", ["100K", "200K", "1G"])
    fx("make", "pairs", "-n", rows, "-d", "60", "--nz", "10", "-k", "5", "-o", "x.svm", "-q")
    made = set()
    for args in [["--cache", c] for c in caches] + [["--cache", caches[1], "--threads", "1"]]:
        fx("train", "x.svm", "--model", "kernel-svm:collapse=no", *ANOVA, "-C", "0.1", *args, "-o", "m.fx", "-q")
        made.add((fx.directory / "m.fx").read_bytes())
    assert len(made) == 1


def test_duplicates_with_other_labels(fx, put):
    put("x.svm", "1 1:1 2:1\n-1 1:1 2:1\n" * 20 + "1 2:1 3:2\n-1 1:1 3:-1\n")
    for C in ("1", "1e6"):
        j = train(fx, "x.svm", "--model", "kernel-svm", *ANOVA, "-C", C)
        assert np.isfinite(j["objective"]) and np.isfinite(scores(fx, "x.svm")).all()


@pytest.mark.parametrize("model", ["kernel-svm", "kernel-perceptron"])
def test_one_class(fx, put, model):
    put("x.svm", "3 1:1 2:1\n3 2:1 3:1\n")
    assert "class" in fx("train", "x.svm", "--model", model, status=2).talk
    assert files(fx.directory) == ["x.svm"]


@pytest.mark.parametrize("model", ["kernel-svm", "kernel-svr", "kernel-ridge"])
@pytest.mark.parametrize("C", ["1e-6", "1e6"])
@pytest.mark.large
def test_extreme_costs(fx, pairs, targets, model, C):
    data = pairs[0] if model == "kernel-svm" else targets
    r = fx("train", data, "--model", model, *ANOVA, "-C", C, "-o", "m.fx", "--json")
    assert np.isfinite(r.json["objective"]) and np.isfinite(scores(fx, data)).all()
    assert r.json["converged"] or "WARNING" in r.talk


def test_zero_rows_and_constant_columns(fx, put):
    put("x.svm", "1\n-1\n1 1:1 2:1\n-1 1:1 3:1\n" * 5)
    for model in ("kernel-svm", "kernel-perceptron"):
        train(fx, "x.svm", "--model", model, "--kernel", "rbf:gamma=1")
        assert np.isfinite(scores(fx, "x.svm")).all()


@pytest.mark.timed
@pytest.mark.parametrize("model, rows", [
    ("kernel-svm:C=1000,tol=1e-9", 30000), ("kernel-perceptron:max-iter=10000", 30000),
    ("kernel-ridge", 12000), ("kernel-pca:k=100", 12000)])
def test_interrupt(program, tmp_path, model, rows):
    train_interrupted(program, tmp_path, rows, ["--model", model, *ANOVA], 1.5)


# ---- Several classes, probabilities ----------------------------------------------------------------
def test_pairs_of_classes(fx, three):
    data, y = three
    j = train(fx, data, "--model", "kernel-svm", "--kernel", "rbf:gamma=0.3", "-C", "10")
    assert j["pairs"] is True and j["class_names"] == ["a", "b", "c"]
    S = scores(fx, data)
    assert S.shape == (150, 3)                       # a/b, a/c, b/c; positive: the second
    votes = np.zeros((150, 3))
    for column, (a, b) in enumerate([(0, 1), (0, 2), (1, 2)]):
        votes[np.arange(150), np.where(S[:, column] > 0, b, a)] += 1
    labels = fx("predict", "m.fx", data).text.split()
    clear = (votes == votes.max(1, keepdims=True)).sum(1) == 1
    assert clear.mean() > 0.9
    assert all(labels[i] == "abc"[votes[i].argmax()] for i in np.flatnonzero(clear))
    assert np.mean([label == "abc"[c] for label, c in zip(labels, y)]) > 0.9
    line = json.loads(fx("predict", "m.fx", data, "--output", "score", "--format", "jsonl").text
                      .splitlines()[0])["score"]
    assert list(line) == ["a/b", "a/c", "b/c"] and list(line.values()) == S[0].tolist()
    assert "column 2: a/c" in fx("predict", "m.fx", data, "--output", "score", "-v").talk
    assert "one a pair of classes" in fx("info", "m.fx").text
    train(fx, data, "--model", "kernel-perceptron", "--kernel", "rbf:gamma=0.3")
    assert scores(fx, data).shape == (150, 3)        # each class against the rest
    labels = fx("predict", "m.fx", data).text.split()
    assert labels == ["abc"[c] for c in scores(fx, data).argmax(1)]
    assert np.mean([label == "abc"[c] for label, c in zip(labels, y)]) > 0.8


@pytest.mark.parametrize("classes", [2, 3])
def test_probabilities(fx, pairs, three, classes):
    data = pairs[0] if classes == 2 else three[0]
    train(fx, data, "--model", "kernel-svm", "--kernel", "rbf:gamma=0.3", "--calibrate")
    P = numbers(fx, data, "--output", "proba")
    names = fx("info", "m.fx", "--json").json["classes"]
    assert P.shape[1] == classes and np.allclose(P.sum(1), 1) and (P >= 0).all()
    assert fx("predict", "m.fx", data).text.split() == [names[c] for c in P.argmax(1)]
    j = fx("evaluate", "m.fx", data, "--json").json
    assert 0 < j["logloss"] < np.log(classes) and j["accuracy"] > 0.7
    train(fx, data, "--model", "kernel-svm", "--kernel", "rbf:gamma=0.3")
    assert "--calibrate" in fx("predict", "m.fx", data, "--output", "proba", status=2).talk


# ---- Files ------------------------------------------------------------------------------------------
@pytest.mark.parametrize("args", [
    ["--model", "kernel-svm:collapse=no", *ANOVA, "--scale", "maxabs"],
    ["--model", "kernel-svm", "--kernel", "itemset:file=sets.txt"],
    ["--model", "kernel-svm", "--kernel", "exp:gamma=0.1(rbf:gamma=0.5)"],
    ["--model", "kernel-perceptron:budget=50", *ANOVA], ["--model", "kernel-pca:k=2", *ANOVA]])
def test_model_carries_everything(fx, put, pairs, args):
    put("sets.txt", "1 2\n3 4 5\n{}\n6\n")
    model = fx("train", pairs[0], *args, "-o", "-", "-q").out
    put("m.fx", model)
    (fx.directory / "sets.txt").unlink()
    want = fx("predict", "m.fx", pairs[1], "--threads", "1").out
    assert fx("predict", "m.fx", pairs[1], "--threads", "2").out == want
    put("half.fx", model[:len(model) // 2])
    fx("predict", "half.fx", pairs[1], status=2)
    fx("convert", pairs[1], "test.npz", "-q")        # rows as they come make no difference
    assert fx("predict", "m.fx", "test.npz").out == want


def test_weights(fx, put, pairs):
    lines = (fx.directory / pairs[0]).read_text().splitlines(keepends=True)
    w = [i % 3 for i in range(len(lines))]
    put("w.txt", "".join(f"{v}\n" for v in w))
    put("many.svm", "".join(line * n for line, n in zip(lines, w)))
    a = train(fx, pairs[0], "--model", "kernel-svm:tol=1e-6", *ANOVA, "-C", "0.1", "--weights", "w.txt")
    s = scores(fx, pairs[1])
    b = train(fx, "many.svm", "--model", "kernel-svm:tol=1e-6", *ANOVA, "-C", "0.1")
    assert a["objective"] == pytest.approx(b["objective"], rel=1e-5)
    assert np.abs(s - scores(fx, pairs[1])).max() < 1e-3


def test_more_pairs_than_memory(fx, put):
    """Known from the number of classes: no pair is visited."""
    put("x.svm", "".join(f"{i} 1:{i % 97} 2:{i % 89}\n" for i in range(20000)))
    talk = fx("train", "x.svm", "--model", "kernel-svm", "--task", "classify", "--max-memory", "1G", status=4).talk
    assert "20000 rows of 20000 classes (199990000 pairs) needs" in talk and "the limit is 1.0 GiB" in talk

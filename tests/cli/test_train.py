# SPDX-License-Identifier: BSD-3-Clause
"""featcross train: options, labels, weights, what is saved, what is chosen.

Covers: cli/commands/cmd_train.c, cli/commands/train_report.c, cli/models/fitting.c,
cli/models/training.c, cli/models/selection.c, cli/models/candidates.c, cli/models/chance.c,
cli/models/task.c, cli/models/metric_names.c"""

import csv
import re
import resource
import subprocess

import numpy as np
import pytest

from conftest import svmlight
from test_output import files, train_interrupted

MODELS = ["svm", "svm-l2", "logistic", "perceptron", "svm-l2:penalty=l1", "logistic:penalty=l1"]


def train(fx, data, *args, **more):
    return fx("train", data, "-o", "m.fx", "--json", *args, **more).json


def predict(fx, data, *args):
    return fx("predict", "m.fx", data, "-q", *args).text.split()


def scores(fx, data):
    return np.array(predict(fx, data, "--output", "score"), float)


# ---- What comes out -----------------------------------------------------------------------------
def test_json(fx, pairs):
    j = train(fx, pairs[0], "--kernel", "anova:order=2", "--map", "rk", "-D", "16x", "--model", "svm",
              "-C", "0.1", "--seed", "7")
    assert {"model", "rows", "features", "classes", "map", "kernel", "D", "objective", "gap",
            "converged", "iterations", "seconds", "peak_bytes", "seed"} <= set(j)
    assert {"read", "map", "fit"} <= set(j["seconds"])
    assert (j["rows"], j["features"], j["classes"], j["D"], j["seed"]) == (600, 30, 2, 480, 7)
    assert j["model"].startswith("svm:C=0.1") and j["kernel"] == "anova:order=2"
    assert j["map"].startswith("rk") and j["converged"] is True
    assert j["bytes"] == (fx.directory / "m.fx").stat().st_size
    assert j["class_names"] == ["-1", "1"]


def test_report_and_default_path(fx, pairs):
    text = fx("train", pairs[0], "--model", "svm").text
    for word in ["model", "rows", "objective", "converged", "seconds", "train.svm.fx"]:
        assert word in text
    assert (fx.directory / "train.svm.fx").exists()
    assert "need -o" in fx("train", "-", "--model", "svm", status=2).talk


def test_model_on_stdout(fx, pairs):
    r = fx("train", pairs[0], "--model", "svm", "-o", "-")
    fx("train", pairs[0], "--model", "svm", "-o", "m.fx")
    assert r.out == (fx.directory / "m.fx").read_bytes()
    assert "objective" in r.talk
    assert "standard output" in fx("train", pairs[0], "--model", "svm", "-o", "-", "--json",
                                   status=2).talk


@pytest.mark.parametrize("model", MODELS)
def test_score_is_that_of_evaluate(fx, pairs, model):
    train(fx, pairs[0], "--model", model, "--kernel", "anova-upto:order=2", "-D", "512", "-C",
          "0.1") if "perceptron" not in model else train(
              fx, pairs[0], "--model", model, "--kernel", "anova-upto:order=2", "-D", "512")
    got = predict(fx, pairs[1])
    want = [line.split()[0] for line in (fx.directory / pairs[1]).read_text().splitlines()]
    accuracy = np.mean([float(a) == float(b) for a, b in zip(got, want)])
    assert fx("evaluate", "m.fx", pairs[1], "--json").json["accuracy"] == pytest.approx(accuracy)
    assert accuracy > 0.6


@pytest.mark.parametrize("model", ["ridge", "svr"])
def test_regression(fx, put, model):
    r = np.random.default_rng(2)
    X = r.normal(size=(200, 5))
    y = X @ [1, -2, 0.5, 0, 3] + 10
    put("x.svm", svmlight(X, [float(v) for v in y]))
    j = train(fx, "x.svm", "--model", model, "-C", "100")
    assert j["classes"] == 0
    got = np.array(predict(fx, "x.svm"), float)
    rmse = np.sqrt(np.mean((got - y) ** 2))
    assert rmse < 0.2
    assert fx("evaluate", "m.fx", "x.svm", "--json").json["rmse"] == pytest.approx(rmse, rel=1e-9)


# ---- 19: labels ---------------------------------------------------------------------------------
def test_19_labels_any_two(fx, put, rows):
    X, y = rows
    names = {"zero": ("0", "1"), "sign": ("-1", "1"), "two": ("1", "2"), "text": ("no", "yes")}
    found = {}
    for name, (low, high) in names.items():
        text = svmlight(X, y).splitlines()
        put("x.svm", "\n".join((high if v > 0 else low) + line[line.index(" "):]
                               for v, line in zip(y, text)) + "\n")
        assert train(fx, "x.svm", "--model", "svm")["class_names"] == [low, high]
        found[name] = scores(fx, "x.svm")
        assert set(predict(fx, "x.svm")) <= {low, high}
    for name in names:
        assert (found[name] == found["sign"]).all()


def test_19_one_class_is_refused_with_counts(fx, put):
    put("x.svm", "3 1:1\n3 2:1\n")
    talk = fx("train", "x.svm", "--model", "svm", status=2).talk
    assert "3" in talk and "2" in talk and "class" in talk
    assert not (fx.directory / "x.svm.fx").exists()
    fx("train", "x.svm", status=2)                  # and so when everything is chosen


def test_19_three_classes(fx, put):
    r = np.random.default_rng(3)
    X = r.normal(size=(150, 4))
    y = X[:, :3].argmax(1)
    text = svmlight(X).splitlines()
    put("x.svm", "\n".join("abc"[c] + line[1:] for c, line in zip(y, text)) + "\n")
    for model in MODELS[:4]:
        assert train(fx, "x.svm", "--model", model)["class_names"] == ["a", "b", "c"]
        S = scores(fx, "x.svm").reshape(-1, 3)
        got = predict(fx, "x.svm")
        assert got == ["abc"[c] for c in S.argmax(1)]
        assert np.mean([g == "abc"[c] for g, c in zip(got, y)]) > 0.8


def test_row_order_changes_no_sign(fx, put, rows):
    X, y = rows
    lines = svmlight(X, y).splitlines()
    put("x.svm", "\n".join(lines) + "\n")
    put("y.svm", "\n".join(lines[::-1]) + "\n")
    train(fx, "x.svm", "--model", "svm", "--tol", "1e-9")
    a = scores(fx, "x.svm")
    train(fx, "y.svm", "--model", "svm", "--tol", "1e-9")
    assert np.allclose(a, scores(fx, "x.svm"), atol=1e-3)


def test_task(fx, put):
    put("real.svm", "0.5 1:1\n1.5 2:1\n2.5 1:1 2:1\n")
    put("text.svm", "a 1:1\nb 2:1\na 1:1 2:1\n")
    put("whole.svm", "1 1:1\n2 2:1\n1 1:1 2:1\n")
    assert train(fx, "real.svm", "-C", "1")["model"].startswith("ridge")
    assert train(fx, "whole.svm", "-C", "1")["model"].startswith("svm-l2")
    assert train(fx, "whole.svm", "-C", "1", "--task", "regress")["model"].startswith("ridge")
    assert train(fx, "whole.svm", "--task", "regress", "--epsilon", "0.2", "-C", "1")[
        "model"].startswith("svr")
    assert "not whole" in fx("train", "real.svm", "-C", "1").talk
    assert "whole numbers of 2 values" in fx("train", "whole.svm", "-C", "1").talk
    assert "0.5" in fx("train", "real.svm", "--model", "svm", status=2).talk
    assert train(fx, "real.svm", "--model", "svm", "--task", "classify")["classes"] == 3
    fx("train", "text.svm", "--model", "ridge", status=2)
    assert "--task regress" in fx("train", "whole.svm", "--model", "svm", "--task", "regress",
                                  status=2).talk


def test_many_whole_labels_may_be_classes(fx, put):
    """25 values of 5 rows each: numbers, unless the user says classes; one row less, no word of it."""
    lines = [f"{i % 25} 1:{i}" for i in range(125)]
    put("x.svm", "\n".join(lines) + "\n")
    put("y.svm", "\n".join(lines[:-1]) + "\n")
    r = fx("train", "x.svm", "-C", "1", "-o", "m.fx", "--json")
    assert r.json["model"].startswith("ridge") and "25 whole numbers of 5 rows" in r.talk
    assert "--task classify" in r.talk and "--task regress" in r.talk
    for task, model in ("classify", "svm-l2"), ("regress", "ridge"):
        r = fx("train", "x.svm", "-C", "1", "--task", task, "-o", "m.fx", "--json")
        assert r.json["model"].startswith(model) and "WARNING" not in r.talk
    assert "WARNING" not in fx("train", "y.svm", "-C", "1", "-o", "m.fx").talk


# ---- Options ------------------------------------------------------------------------------------
@pytest.mark.parametrize("args, word", [
    (["--model", "svm:C=2", "-C", "3"], "both set C"),
    (["--model", "svm:tol=0.1", "--tol", "3"], "both set tol"),
    (["--model", "svm", "--loss", "hinge"], "--loss"),
    (["--model", "swm"], "svm"),
    (["--model", "svm:D=3"], "D"),
    (["-C", "0"], "-C 0"),
    (["-C", "-1"], "-1"),
    (["-C", "much"], "much"),
    (["-C", "1", "-c", "2"], "-c"),
    (["-D", "0", "--kernel", "linear"], "-D 0"),
    (["-D", "10"], "--kernel"),
    (["--kernel", "anowa"], "anowa"),
    (["--kernel", "anova:order=2", "--map", "rff"], "rff"),
    (["--max-iter", "0", "--model", "svm"], "max-iter"),
    (["--folds", "1"], "--folds"),
    (["--model", "svr", "--penalty", "l1"], "svr"),
    (["--class-weight", "maybe", "--model", "svm"], "maybe"),
    (["--class-weight", "9=2", "--model", "svm"], "9"),
    (["--threads", "-1"], "--threads"),
    (["--model", "perceptron", "--kernel", "auto"], "no C"),
    (["--model", "perceptron", "--folds", "3"], "no C"),
    (["--weights", "no.txt", "--model", "svm"], "no.txt"),
])
def test_23_bad_options(fx, put, args, word):
    put("x.svm", "1 1:1\n-1 2:1\n" * 10)
    assert word in fx("train", "x.svm", *args, status=2).talk
    assert files(fx.directory) == ["x.svm"]


def test_bad_model_is_found_before_the_data(fx):
    assert "swm" in fx("train", "nowhere.svm", "--model", "swm", status=2).talk


def test_keys_and_options_are_the_same(fx, pairs):
    fx("train", pairs[0], "--model", "svm-l2:C=0.5,penalty=l1,tol=1e-4", "-o", "a.fx")
    fx("train", pairs[0], "--loss", "squared-hinge", "-c", "0.5", "--penalty", "l1", "--tol", "1e-4",
       "-o", "b.fx")
    assert (fx.directory / "a.fx").read_bytes() == (fx.directory / "b.fx").read_bytes()


def test_kernel_alone_means_a_map_and_16x(fx, pairs):
    j = train(fx, pairs[0], "--kernel", "anova:order=2")
    assert j["map"].startswith("rk") and j["D"] == 16 * 30 and "C=1," in j["model"]
    assert train(fx, pairs[0], "--kernel", "rbf:gamma=0.1", "-D", "64")["map"].startswith("rff")


def test_family_file(fx, pairs):
    fx("make", "pairs", "-n", "1000", "-d", "30", "--nz", "8", "-k", "3", "-o", "again.svm",
       "--planted", "sets.txt", "-q")
    train(fx, pairs[0], "--kernel", "itemset:file=sets.txt", "-D", "256")
    (fx.directory / "sets.txt").unlink()            # the model has them
    assert fx("evaluate", "m.fx", pairs[1], "--json").json["accuracy"] > 0.85


# ---- Weights ------------------------------------------------------------------------------------
def test_weights(fx, put, rows):
    X, y = rows
    lines = svmlight(X, y).splitlines(keepends=True)
    w = [i % 3 for i in range(len(lines))]
    put("x.svm", "".join(lines))
    put("w.txt", "".join(f"{v}\n" for v in w))
    put("many.svm", "".join(line * n for line, n in zip(lines, w)))
    for model in ["svm", "logistic"]:
        fx("train", "x.svm", "--model", model, "--tol", "1e-10", "--weights", "w.txt", "-o", "m.fx")
        a = scores(fx, "x.svm")
        fx("train", "many.svm", "--model", model, "--tol", "1e-10", "-o", "m.fx")
        assert np.allclose(a, scores(fx, "x.svm"), atol=1e-3)
    put("w.txt", "1\n2\n")
    assert "2 weights" in fx("train", "x.svm", "--model", "svm", "--weights", "w.txt", status=2).talk
    put("w.txt", "1\n" * 29 + "-1\n")
    assert "weight 30" in fx("train", "x.svm", "--model", "svm", "--weights", "w.txt", status=2).talk


def test_class_weight(fx, put):
    r = np.random.default_rng(5)
    X = np.vstack([r.normal(size=(90, 3)), r.normal(size=(10, 3)) + 1])
    put("x.svm", svmlight(X, [-1] * 90 + [1] * 10))

    def positives(*args):
        train(fx, "x.svm", "--model", "logistic", *args)
        return predict(fx, "x.svm").count("1")

    assert positives() < positives("--class-weight", "balanced")
    assert positives("--class-weight", "1=9,-1=1") > positives("--class-weight", "1=0.1,-1=1")


# ---- Measuring ----------------------------------------------------------------------------------
def test_eval_set_and_history(fx, pairs):
    j = train(fx, pairs[0], "--model", "logistic", "--kernel", "anova:order=2", "-C", "0.1",
              "--eval-set", pairs[1], "--history", "h.csv")
    assert j["eval"]["rows"] == 400
    assert j["eval"]["score"] == fx("evaluate", "m.fx", pairs[1], "--json").json["accuracy"]
    with open(fx.directory / "h.csv") as f:
        steps = list(csv.DictReader(f))
    assert list(steps[0]) == ["iteration", "output", "seconds", "objective", "gap", "metric"]
    assert int(steps[-1]["iteration"]) == j["iterations"] > 1
    assert 0 <= float(steps[-1]["metric"]) <= 1
    assert float(steps[-1]["objective"]) == pytest.approx(j["objective"], rel=1e-2)


def test_2_empty_validation_file(fx, put, pairs):
    put("none.svm", "")
    assert "none.svm: no rows" in fx("train", pairs[0], "--model", "svm", "--eval-set", "none.svm",
                                     status=2).talk
    assert "no rows" in fx("train", "none.svm", status=2).talk
    assert not list(fx.directory.glob("*.fx"))


def test_folds(fx, pairs):
    j = train(fx, pairs[0], "--model", "svm", "--kernel", "anova:order=2", "-C", "0.1", "--folds", "4")
    assert j["folds"]["count"] == 4 and 0.5 < j["folds"]["mean"] < 1 and j["folds"]["sd"] > 0
    held = fx("evaluate", "m.fx", pairs[1], "--json").json["accuracy"]
    assert abs(held - j["folds"]["mean"]) < 0.1


def test_init(fx, pairs):
    first = train(fx, pairs[0], "--model", "logistic", "--tol", "1e-6")
    (fx.directory / "m.fx").rename(fx.directory / "first.fx")
    again = train(fx, pairs[0], "--model", "logistic", "--tol", "1e-6", "--init", "first.fx")
    assert again["iterations"] <= 1 < first["iterations"]


def test_not_converged_is_a_warning(fx, pairs):
    r = fx("train", pairs[0], "--model", "svm", "--tol", "1e-14", "--max-iter", "2", "-o", "m.fx",
           "--json")
    assert r.json["converged"] is False and "max-iter" in r.talk and "WARNING" in r.talk
    fx("predict", "m.fx", pairs[1])


def test_21_odd_columns(fx, put):
    r = np.random.default_rng(6)
    X = r.normal(size=(100, 4))
    X[:, 1] = 7
    X[:, 2] = 0
    X[:, 3] = 1e9 + 1e5 * X[:, 3]
    put("x.svm", svmlight(X, [1 if v > 0 else -1 for v in X[:, 0]]))
    for args in (["--model", "svm"], ["--model", "logistic", "--scale", "maxabs"], []):
        j = train(fx, "x.svm", *args)
        assert np.isfinite(j["objective"])
        assert np.isfinite(scores(fx, "x.svm")).all()
    assert fx("evaluate", "m.fx", "x.svm", "--json").json["accuracy"] > 0.9


def test_scale_is_in_the_model(fx, put, rows):
    X, y = rows
    put("x.svm", svmlight(1000 * X, y))
    fx("convert", "x.svm", "scaled.svm", "--scale", "maxabs", "-q")
    train(fx, "scaled.svm", "--model", "logistic", "--tol", "1e-8")
    want = scores(fx, "scaled.svm")
    train(fx, "x.svm", "--model", "logistic", "--tol", "1e-8", "--scale", "maxabs")
    assert np.allclose(scores(fx, "x.svm"), want, rtol=1e-6)


# ---- 25, 26, 27 ---------------------------------------------------------------------------------
def test_25_unwritable_output_comes_first(fx):
    assert "empty" in fx("train", "nowhere.svm", "-o", "", status=2).talk
    for args in (["-o", "no/such/m.fx"], ["-o", "m.fx", "--history", "no/such/h.csv"]):
        talk = fx("train", "nowhere.svm", *args, status=2).talk
        assert "no/such" in talk and "nowhere" not in talk
    assert files(fx.directory) == []


def test_25_disk_full(program, fx, pairs):
    (fx.directory / "m.fx").write_text("old")
    done = subprocess.run(
        [program, "train", pairs[0], "--kernel", "anova:order=2", "-D", "4096", "-o", "m.fx"],
        cwd=fx.directory, stderr=subprocess.PIPE, stdout=subprocess.PIPE,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 12, 1 << 12)))
    assert done.returncode == 2 and b"m.fx: File too large" in done.stderr
    assert (fx.directory / "m.fx").read_text() == "old"
    assert not list(fx.directory.glob(".feat*"))


@pytest.mark.parametrize("args", [
    ["--model", "svm", "--kernel", "anova:order=2", "-D", "300"],
    ["--model", "logistic:penalty=l1"], ["--model", "svm-l2:calibrate=yes"], []])
def test_26_same_bytes_for_any_threads(fx, pairs, args):
    bytes_of = []
    if not args:                                     # everything is chosen, from few rows
        lines = (fx.directory / pairs[0]).read_text().splitlines(keepends=True)
        (fx.directory / pairs[0]).write_text("".join(lines[:120]))
    for threads in [1, 2, 8, 1]:
        fx("train", pairs[0], *args, "--threads", threads, "-o", "m.fx", "-q")
        bytes_of.append((fx.directory / "m.fx").read_bytes())
    assert len(set(bytes_of)) == 1
    if "--kernel" in args:
        fx("train", pairs[0], *args, "--seed", 2, "-o", "m.fx", "-q")
        assert (fx.directory / "m.fx").read_bytes() != bytes_of[0]


@pytest.mark.timed
@pytest.mark.parametrize("args", [
    ["--model", "svm:tol=1e-15,max-iter=1000000", "--kernel", "anova:order=3", "-D", "1024"],
    ["--model", "logistic:penalty=l1,tol=1e-15,max-iter=1000000", "--kernel", "anova:order=3", "-D",
     "1024"],
    []])
def test_27_interrupt(program, tmp_path, args):
    train_interrupted(program, tmp_path, 20000, args, 1)


# ---- Everything chosen --------------------------------------------------------------------------
def accuracy(fx, test):
    return fx("evaluate", "m.fx", test, "--json").json["accuracy"]


@pytest.mark.large
@pytest.mark.parametrize("kind", ["pairs", "triples"])
def test_chosen_finds_the_combinations(fx, kind):
    """5 % of the labels are flipped: 0.95 is the best that there is."""
    fx("make", kind, "-n", "4000", "-d", "40", "--nz", "10", "-k", "5", "-o", "all.svm", "-q")
    lines = (fx.directory / "all.svm").read_text().splitlines(keepends=True)
    (fx.directory / "train.svm").write_text("".join(lines[:2000]))
    (fx.directory / "test.svm").write_text("".join(lines[2000:]))
    r = fx("train", "train.svm", "-o", "m.fx", "--json", limit=300)
    assert "candidates" in r.talk and "scaling: none" in r.talk
    assert r.json["held_out"]["rows"] == 400 and r.json["seconds"]["choose"] > 0
    assert accuracy(fx, "test.svm") > 0.93


def test_chosen_is_linear_where_that_is_enough(fx, put):
    r = np.random.default_rng(8)
    X = r.normal(size=(600, 6)) * 50
    put("x.svm", svmlight(X, [1 if v > 0 else -1 for v in X[:, 0] - X[:, 1]]))
    r = fx("train", "x.svm", "-o", "m.fx", "--json")
    assert r.json["kernel"] is None and r.json["scale"] == "maxabs"
    assert "maxabs" in r.talk
    assert accuracy(fx, "x.svm") > 0.97


def test_chosen_regression(fx, put):
    r = np.random.default_rng(9)
    X = r.uniform(-1, 1, size=(500, 6))
    put("x.svm", svmlight(X, [float(v) for v in X[:, 0] * X[:, 1] + 0.01 * r.normal(size=500)]))
    j = train(fx, "x.svm")
    assert j["model"].startswith("ridge") and j["held_out"]["metric"] == "rmse"
    assert j["held_out"]["score"] < 0.1


def test_l1_on_the_columns_as_they_are(fx, put):
    """One of 300 columns decides: one weight says more than many, and no combination can do better."""
    r = np.random.default_rng(5)
    X = r.choice([-1, 1], size=(1000, 300))
    put("x.svm", svmlight(X[:200], X[:200, 0].tolist()))
    put("y.svm", svmlight(X[200:], X[200:, 0].tolist()))
    j = train(fx, "x.svm")
    assert j["kernel"] is None and "penalty=l1" in j["model"] and accuracy(fx, "y.svm") == 1
    train(fx, "x.svm", "--model", "svm-l2", "-C", "auto")
    assert accuracy(fx, "y.svm") < 0.98


def test_work_of_choosing_is_bounded(fx, put):
    """All products of three of 60 columns would be fitted 100 times for each C: they are left out, by
    counting and not by the clock.  Rows as they are suffice here, so that the test is quick."""
    r = np.random.default_rng(6)
    y = np.arange(1000) % 100
    put("x.svm", svmlight(r.normal(size=(100, 60))[y] + r.normal(size=(1000, 60)), y.tolist()))
    r = fx("train", "x.svm", "--task", "classify", "-o", "m.fx", "--json")
    left_out = [line for line in r.talk.splitlines() if "to bound the work of choosing" in line]
    assert [line.split(": ")[1] for line in left_out if ": " in line] == [
        "kernel anova-upto:order=3, map explicit, penalty l1",
        "kernel anova-upto:order=3, map explicit"]
    assert "C in steps of 10" in r.talk and r.json["held_out"]["score"] > 0.9 and r.json["learned"]


# ---- Noise --------------------------------------------------------------------------------------
NOISE = {"classes": lambda r, n: r.integers(0, 2, n).tolist(),
         "rare": lambda r, n: [int(v < 0.1) for v in r.random(n)],
         "numbers": lambda r, n: r.normal(size=n).tolist()}


@pytest.mark.large
@pytest.mark.parametrize("kind", NOISE)
def test_noise_teaches_nothing(fx, put, kind):
    """Something is learned from noise with probability 0.05 at most: from 4 or more of 20 with 0.016
    at most, from 2 or more with 0.27; in fact it is far less (doc/math.md)."""
    learned = 0
    for seed in range(20):
        r = np.random.default_rng(seed)
        put("x.svm", svmlight(r.normal(size=(200, 6)), NOISE[kind](r, 200)))
        learned += train(fx, "x.svm")["learned"]
    assert learned <= 1


def test_nothing_was_learned_is_kept(fx, put):
    r = np.random.default_rng(1)
    y = [int(v < 0.3) for v in r.random(200)]
    put("x.svm", svmlight(r.normal(size=(200, 4)), y))
    r = fx("train", "x.svm", "-o", "m.fx")
    share = 1 - np.mean(y)
    assert "nothing was learned" in r.talk and f"always the most common class {share:.4f}" in r.text
    j = train(fx, "x.svm")
    assert j["learned"] is False and j["held_out"]["baseline"] == pytest.approx(share)
    assert j["seconds"]["choose"] > 0
    for args in ["info", "m.fx"], ["explain", "m.fx"]:
        r = fx(*args)
        assert "nothing was learned: the best accuracy on 200" in r.text + r.talk
        assert fx(*args, "--json").json["remark"].startswith("nothing was learned")
    j = train(fx, "x.svm", "--model", "svm")            # nothing was held out: nothing is known
    assert "learned" not in j and fx("info", "m.fx", "--json").json["remark"] is None


@pytest.mark.parametrize("kind", ["line", "weak", "rare", "balanced", "weights"])
def test_signal_is_no_noise(fx, put, kind):
    """Even where no model is right more often than the most common class, or the error falls by a
    few percent: the order of scores, and the size of what was explained, tell."""
    r = np.random.default_rng(2)
    X = r.normal(size=(900, 4))
    score = 0.5 * X[:, 0] + r.normal(size=900)
    y = {"weak": score.tolist(),
         "line": [int(v > 0) for v in score]}.get(kind, [int(v > 2) for v in score])
    put("x.svm", svmlight(X, y))
    put("w.txt", "".join(f"{w}\n" for w in r.integers(1, 4, 900)))
    more = {"balanced": ["--class-weight", "balanced"], "weights": ["--weights", "w.txt"]}
    run = fx("train", "x.svm", "-o", "m.fx", "--json", *more.get(kind, []))
    assert run.json["learned"] and "nothing was learned" not in run.talk
    assert ("--class-weight balanced" in run.talk) == (kind in ("rare", "weights"))
    base = {"weak": np.std(y), "balanced": 0.5}.get(kind)
    if base:
        assert run.json["held_out"]["baseline"] == pytest.approx(base, rel=0.01)
    assert "remark" not in fx("info", "m.fx").text


def test_dry_run_says_what_train_chooses(fx, put):
    r = np.random.default_rng(9)
    X = r.choice([-3.0, 3.0], size=(500, 6))
    put("x.svm", svmlight(X, [1 if v > 0 else -1 for v in X[:, 0] * X[:, 1]]))
    before = sorted(p.name for p in fx.directory.iterdir())
    dry = fx("train", "x.svm", "--dry-run", "--json")
    assert sorted(p.name for p in fx.directory.iterdir()) == before
    j = train(fx, "x.svm")
    assert dry.json["held_out"] == j["held_out"] and "candidates" in dry.talk
    assert dry.json["scale"] == j["scale"] == "maxabs" and dry.json["D"] == j["D"]
    assert j["kernel"].startswith(dry.json["kernel"]) and j["map"] == dry.json["map"]
    assert dry.json["model"].split(":")[1] + "," in j["model"]
    lines = fx("train", "x.svm", "--dry-run").text.splitlines()
    assert [line.split()[0] for line in lines] == ["model", "scaling", "kernel", "map", "held"]
    given = fx("train", "x.svm", "--dry-run", "--model", "ridge:C=3", "--json").json
    assert given["model"] == "ridge:C=3" and given["kernel"] is None and "held_out" not in given


@pytest.mark.parametrize("more", [["-o", "m.fx"], ["--history", "h.csv"], ["--eval-set", "x.svm"],
                                  ["--folds", "3"]])
def test_dry_run_fits_nothing(fx, pairs, more):
    r = fx("train", pairs[0], "--dry-run", *more, status=2)
    assert f"--dry-run fits no model; leave out {more[0]}" in r.talk
    assert not (fx.directory / more[1]).exists() or more[1] == "x.svm"


def test_only_what_says_auto_is_chosen(fx, pairs):
    j = train(fx, pairs[0], "--model", "svm", "--kernel", "anova:order=2", "-C", "auto")
    assert j["kernel"] == "anova:order=2" and j["D"] == 480 and "held_out" in j
    j = train(fx, pairs[0], "--kernel", "anova:order=2", "-D", "auto")
    assert "C=1," in j["model"] and j["D"] in (120, 480)
    j = train(fx, pairs[0], "--model", "svm")
    assert "held_out" not in j and j["kernel"] is None
    j = train(fx, pairs[0], "--model", "svm", "--scale", "auto")
    assert j["scale"] in (None, "none")


# ---- What a hostile or a new user does ----------------------------------------------------------
@pytest.mark.parametrize("rows, model", [
    ("1 1:1\n-1 2:1\n", "svm-l2"), ("1\n-1\n1\n-1\n", "svm-l2"), ("1.5 1:1\n2.5 2:1\n", "ridge"),
    ("5 1:1\n7 2:1\n9 1:3\n", "ridge"),              # three numbers in three rows are no classes
    ("a 1:1\nb 2:1\nc 1:3\n", "svm-l2")])
def test_few_rows(fx, put, rows, model):
    put("x.svm", rows)
    r = fx("train", "x.svm", "-o", "m.fx", "--json")
    assert "too few rows" in r.talk
    assert r.json["model"].startswith(model) and r.json["kernel"] is None and "held_out" not in r.json
    assert len(predict(fx, "x.svm")) == rows.count("\n")


def test_a_class_of_one_row_is_trained_on(fx, put, pairs):
    lines = (fx.directory / pairs[0]).read_text().splitlines(keepends=True)[:60]
    put("x.svm", "7 1:1\n" + "".join(lines))
    r = fx("train", "x.svm", "-o", "m.fx", "--json")
    assert "1 class of one row" in r.talk and r.json["class_names"] == ["-1", "1", "7"]
    assert r.json["held_out"]["rows"] == 60
    fx("train", "x.svm", "--model", "svm", "--folds", "3", "-o", "m.fx")
    fx("tune", "x.svm", "--order", "1", "-C", "1", "-o", "m.fx")


def test_no_output_over_an_input(fx, put, pairs):
    (fx.directory / "link.svm").symlink_to(pairs[0])
    put("w.txt", "1\n" * 600)
    before = (fx.directory / pairs[0]).read_bytes()
    for args in (["-o", pairs[0]], ["-o", "link.svm"], ["-o", "m.fx", "--history", pairs[0]],
                 ["-o", "w.txt", "--weights", "w.txt"], ["-o", pairs[1], "--eval-set", pairs[1]]):
        assert "would overwrite the input" in fx("train", pairs[0], "--model", "svm", *args,
                                                 status=2).talk
    assert "would overwrite" in fx("tune", pairs[0], "-o", pairs[0], status=2).talk
    train(fx, pairs[0], "--model", "logistic")
    model = (fx.directory / "m.fx").read_bytes()
    for path in ("m.fx", pairs[1]):
        assert "would overwrite" in fx("predict", "m.fx", pairs[1], "-o", path, status=2).talk
    assert (fx.directory / "m.fx").read_bytes() == model
    assert (fx.directory / pairs[0]).read_bytes() == before
    train(fx, pairs[0], "--model", "logistic", "--init", "m.fx")     # over itself: going on


def test_metric(fx, put, pairs):
    args = [pairs[0], "--model", "logistic", "--eval-set", pairs[1]]
    want = None
    for name in ("auc", "logloss"):
        j = train(fx, *args, "--metric", name, "--folds", "3")
        assert j["eval"]["metric"] == j["folds"]["metric"] == name
        want = want or fx("evaluate", "m.fx", pairs[1], "--json").json
        assert j["eval"]["score"] == want[name]
    assert "no rmse for classes" in fx("train", *args, "--metric", "rmse", status=2).talk
    assert "--calibrate" in fx("train", pairs[0], "--model", "svm", "--folds", "3", "--metric",
                               "logloss", status=2).talk
    assert "needs rows to measure on" in fx("train", pairs[0], "--metric", "auc", status=2).talk
    lines = (fx.directory / pairs[1]).read_text().splitlines(keepends=True)
    put("same.svm", "".join(line for line in lines if line.startswith("1")))
    r = fx("train", pairs[0], "--model", "svm", "--eval-set", "same.svm", "--metric", "auc", "-o",
           "m.fx", "--json")                        # no auc of one class, and the model is there
    assert r.json["eval"]["score"] is None and "no auc" in r.talk


def test_choosing_is_timed_only_where_it_was_done(fx, pairs):
    assert "choose" not in fx("train", pairs[0], "--model", "svm", "-o", "m.fx").text
    assert "choose" in fx("train", pairs[0], "--model", "svm", "-C", "auto", "-o", "m.fx").text


def test_memory_does_not_choose(fx):
    """Nothing is chosen instead of what would need more."""
    fx("make", "pairs", "-n", "2000", "-o", "x.svm", "-q")
    talk = fx("train", "x.svm", "-o", "m.fx", "--max-memory", "10M", status=4).talk
    assert "the limit is 10485760" in talk and "--max-memory SIZE raises the limit" in talk
    assert files(fx.directory) == ["x.svm"]


def test_directory_names_the_model(fx):
    (fx.directory / "empty").mkdir()
    fx("train", "empty/", status=2)
    assert files(fx.directory) == ["empty"] and files(fx.directory / "empty") == []


def test_metric_by_name(fx, put, pairs):
    """Of the eval set and its history, of folds, for every kind of model."""
    for model in ("svm", "fm"):
        j = train(fx, pairs[0], "--model", model, "--eval-set", pairs[1], "--metric", "f1-macro", "--history",
                  "h.csv", "--folds", "3", "-o", "m.fx")
        assert j["eval"]["metric"] == j["folds"]["metric"] == "f1-macro" and 0 < j["folds"]["mean"] <= 1
        got = fx("evaluate", "m.fx", pairs[1], "--metric", "f1-macro", "--json").json["f1-macro"]
        assert j["eval"]["score"] == pytest.approx(got)
        last = list(csv.DictReader(open(fx.directory / "h.csv")))[-1]
        assert float(last["metric"]) == pytest.approx(got, abs=1e-9)
    assert "did you mean 'f1-macro'?" in fx("train", pairs[0], "--metric", "f1-marco", status=2).talk


def wide(put, name, value=1):
    """80 columns, so that there are 1,666,980 products of up to four."""
    r = np.random.default_rng(5)
    X = (r.random((1000, 80)) < 0.15) * value
    y = np.where((X[:, :4].sum(axis=1) > 0.5) ^ (r.random(1000) < 0.2), 1, -1)
    put(name, "".join(f"{label} " + " ".join(f"{j + 1}:{x:g}" for j, x in enumerate(row) if x)
                      + "\n" for label, row in zip(y, X)))


def test_products_of_four_columns_are_found(fx, put):
    """Where there are too many to be written out, within -1 and 1."""
    wide(put, "ones.svm")
    wide(put, "threes.svm", 3)
    found = r"anova-upto:order=4 +explicit +1666980 +l1 "
    assert re.search(found, fx("train", "ones.svm").talk)
    assert re.search(found, fx("train", "threes.svm").talk)      # by maxabs
    assert not re.search(found, fx("train", "threes.svm", "--scale", "none", "--kernel", "auto",
                                   "-C", "0.001", "-D", "auto").talk)
    table = fx("compare", "ones.svm", "--methods", "explicit", "--seeds", "1").text
    assert "quadruples found, L1" in table and "triples found" not in table


def test_history_on_standard_output(fx, pairs):
    """Nothing else goes there: the report goes to stderr."""
    done = fx("train", pairs[0], "-o", "m.fx", "--model", "logistic", "--history", "-")
    lines = done.text.splitlines()
    assert lines[0].startswith("iteration,") and len({line.count(",") for line in lines}) == 1 < len(lines)
    assert "objective  " in done.talk
    assert "both want standard output" in fx("train", pairs[0], "--history", "-", "--json", status=2).talk


def test_more_products_than_a_model_may_have(fx, put):
    """Their number is printed, not the largest width."""
    put("x.svm", "".join(f"{i * i % 11 % 2} {1 + i % 7}:1 {8 + i % 2}:1 {10 + i}:1 {3000 + i % 9}:1\n" for i in range(60)))
    assert re.search(r"anova-upto:order=3 +explicit +4536098592 +l1 ", fx("train", "x.svm", "--dry-run").talk)


def test_lasso(fx, tmp_path):
    """Another name, not another model."""
    fx("make", "pairs", "-n", "200", "-d", "8", "-o", "x.svm")
    train = ["train", "x.svm", "--task", "regress", "-C", "1", "-q", "-o"]
    fx(*train, "lasso.fx", "--model", "lasso:tol=1e-4")
    fx(*train, "ridge.fx", "--model", "ridge:tol=1e-4", "--penalty", "l1")
    fx("tune", "x.svm", "--task", "regress", "-C", "1", "--order", "1", "-q", "--model", "lasso", "-o", "tuned.fx")
    assert fx("info", "tuned.fx", "--json").json["model"].startswith("ridge:C=1,penalty=l1")
    assert (tmp_path / "lasso.fx").read_bytes() == (tmp_path / "ridge.fx").read_bytes()
    assert "--model ridge:penalty=l1 both set penalty" in fx(*train, "m.fx", "--model", "lasso", "--penalty", "l2",
                                                             status=2).talk

# SPDX-License-Identifier: BSD-3-Clause
"""featcross compare: the leaderboard, its files, and advice that chance does not decide.

Covers: cli/commands/cmd_compare.c, cli/compare/advice.c, cli/compare/advice_command.c,
cli/compare/advice_rule.c, cli/compare/compare_figure.c,
cli/compare/compare_files.c, cli/compare/compare_rows.c, cli/compare/compare_table.c,
cli/compare/kernel_setup.c, cli/compare/methods.c, cli/models/trial.c, cli/tables/parts.c,
cli/tables/label_classes.c"""

import csv
import itertools
import json
import shlex
import shutil
import subprocess
import time

import numpy as np
import pytest

from conftest import SLOW, svmlight
from test_output import files, interrupt, spawn

FIELDS = ["name", "accuracy", "auc", "rmse", "train_seconds", "test_seconds", "bytes", "memory"]
FEW = ["--methods", "linear,explicit,rk", "-D", "2x,4x", "--seeds", "2"]


def board(fx, *args):
    return fx("compare", *args, "--json").json


def lasting(x):
    """All but what a clock or the system's memory says."""
    if isinstance(x, dict):
        return {k: lasting(v) for k, v in x.items() if "seconds" not in k and k != "memory"}
    return [lasting(v) for v in x] if isinstance(x, list) else x


def advised(text):
    """The method's name, and the command that trains it as a list of words."""
    assert text.startswith("Use "), text
    command, = (l for l in text.splitlines() if l.startswith("    featcross train "))
    return text[4:].split(": accuracy")[0].split(": RMSE")[0], shlex.split(command)[1:]


def normal(n, d, seed):
    return np.random.default_rng(seed).normal(size=(n, d))


def labels(x):
    return np.where(x > 0, 1, -1).tolist()


# ---- The leaderboard ----------------------------------------------------------------------------
def test_board(fx, pairs, put):
    j = board(fx, "all.svm", *FEW, "--csv", "b.csv")
    assert (j["rows"], j["columns"], j["metric"], j["seeds"]) == (1000, 30, "accuracy", 2)
    assert (j["train"], j["valid"], j["test"]) == (600, 200, 200) and not j["interrupted"]
    for r in j["results"]:
        assert set(FIELDS) <= set(r) and r["rmse"] is None and r["seeds"] == 2 and len(r["C"]) == 2
        assert 0 <= r["accuracy"] <= 1 and 0 <= r["auc"] <= 1 and r["bytes"] > 0
    scores = [r["accuracy"] for r in j["results"]]
    assert scores == sorted(scores, reverse=True) and len(scores) == 1 + 4 + 2 * 4

    lines = list(csv.DictReader((fx.directory / "b.csv").open()))       # a line a method and seed
    for r in j["results"]:
        mine = [l for l in lines if l["method"] == r["name"]]
        assert [l["seed"] for l in mine] == ["1", "2"] and all(l["status"] == "done" for l in mine)
        assert np.isclose(np.mean([float(l["accuracy"]) for l in mine]), r["accuracy"])
        assert [float(l["C"]) for l in mine] == r["C"]

    table = fx("compare", "all.svm", *FEW).text
    assert all(sum(l.startswith(r["name"] + " ") for l in table.splitlines()) == 1 for r in j["results"])
    assert " ".join(table.split()).endswith(" ".join(j["advice"].split()))


@pytest.mark.large
def test_same_for_a_repeated_seed_and_any_threads(fx, pairs):
    args = ["all.svm", "--methods", "linear,rk,fm,exact", "-D", "2x", "--seeds", "2", "--rows", "200"]
    first, again, alone = (board(fx, *args, "--threads", t) for t in (2, 2, 1))
    assert lasting(first) == lasting(again) == lasting(alone)
    assert lasting(board(fx, *args, "--seed", "7")) != lasting(first)


def test_rows_to_test_on(fx, pairs):
    j = board(fx, pairs[0], "--test", pairs[1], *FEW)
    assert (j["train"], j["valid"], j["test"]) == (480, 120, 400)
    assert advised(j["advice"])[0] == "explicit pairs"


def test_names_of_a_table(fx, put):
    r = np.random.default_rng(1)
    X = [[r.choice(["red", "blue", "green"]), r.choice(["S", "M"]), r.normal()] for _ in range(300)]
    lines = [f"{a},{'yes' if (a == 'red') == (b == 'S') else 'no'},{b},{c:.3f}" for a, b, c in X]
    put("it's.csv", "\n".join(["colour,bought,size,weight", *lines]) + "\n")
    j = board(fx, "it's.csv", "--label", "bought", "--cat", "colour,size", *FEW)
    name, command = advised(j["advice"])
    assert name == "explicit pairs" and j["results"][0]["accuracy"] > 0.95
    assert command[1] == "it's.csv" and command[-4:] == ["--label", "bought", "--cat", "colour,size"]
    fx(*command)
    top = fx("explain", "model.fx", "--top", "3", "--json").json["combinations"]
    assert any(sorted(f.split("=")[0] for f in c["features"]) == ["colour", "size"] for c in top)


def test_one_column(fx, put):
    """It has no combinations, so none is tried or spoken of."""
    x = normal(300, 1, 1)
    put("x.svm", svmlight(x, labels(x[:, 0] - 0.3)))
    put("v.svm", svmlight(x, labels(np.abs(x[:, 0]) - 0.7)))
    j = board(fx, "x.svm", "-D", "16x")
    assert {r["family"].split()[0] for r in j["results"]} == {"linear", "ts", "rm", "rff", "exact"}
    assert advised(j["advice"])[0] == "linear" and "ombinations" not in j["advice"]
    advice = board(fx, "v.svm", "-D", "16x")["advice"]
    assert "more than a straight line matters" in advice
    assert "one column" in fx("compare", "x.svm", "--methods", "fm", status=2).talk


def test_end_of_the_range(fx, put):
    """Labels without noise ask for no penalty: what was chosen is the least there is, and that is said."""
    X = normal(200, 3, 1)
    put("x.svm", svmlight(X, (X[:, 0] - X[:, 1]).tolist()))
    done = fx("compare", "x.svm", "--methods", "linear,exact", "--json")
    r, = (r for r in done.json["results"] if r["name"] == "linear")
    assert r["C"] == [r["tried"][-1]] * 3 and {len(r["tried"]) for r in done.json["results"]} == {5}
    assert "largest C that was tried" in done.json["advice"]
    assert done.talk.count("by estimate") == 3 and "18 fits of 120 rows" in done.talk
    assert "largest C (3 of 3)" in fx("compare", "x.svm", "--methods", "linear").text
    many = fx("compare", "x.svm", "--methods", "linear", "--csv", "-")
    assert many.text.startswith("method,seed,") and "Use linear" in many.talk


def test_several_classes(fx, put):
    X = normal(300, 4, 1)
    put("x.svm", svmlight(X, np.argmax(X[:, :3], axis=1).tolist()))
    j = board(fx, "x.svm", *FEW)
    assert advised(j["advice"])[0] == "linear" and j["results"][0]["accuracy"] > 0.9


def test_numbers(fx, put):
    X = normal(400, 5, 1)
    noise = normal(400, 1, 2)[:, 0]
    put("line.svm", svmlight(X, (X @ [1, 2, 0, -1, 3] + noise).tolist()))
    put("pair.svm", svmlight(X, (5 * X[:, 0] * X[:, 1] + 0.3 * noise).tolist()))
    put("noise.svm", svmlight(X, noise.tolist()))
    args = ["--methods", "linear,explicit,rk,exact", "-D", "4x"]
    j = board(fx, "line.svm", *args)
    assert j["metric"] == "rmse" and "accuracy" not in j["advice"]
    assert all(r["accuracy"] is None and r["rmse"] > 0 for r in j["results"])
    assert advised(j["advice"])[0] == "linear" and "nothing measurable" in j["advice"]
    name, command = advised(board(fx, "pair.svm", *args)["advice"])
    assert name == "explicit pairs" and "ridge" in command
    assert board(fx, "noise.svm", *args)["advice"].startswith("Nothing was learned")


# ---- The advice ---------------------------------------------------------------------------------
def test_the_command_trains_what_was_measured(fx, pairs):
    """On rows of the same kind that compare has not seen."""
    for method, model in ("rk", "svm-l2"), ("fm", "fm:"), ("exact", "kernel-svm"):
        j = board(fx, pairs[0], "--methods", method, "-D", "16x", "--seeds", "1")
        name, command = advised(j["advice"])
        assert command[:5] == ["train", pairs[0], "-o", "model.fx", "--model"]
        assert command[5].startswith(model)
        fx(*command)
        score = fx("evaluate", "model.fx", pairs[1], "--json").json["accuracy"]
        told, = (r["accuracy"] for r in j["results"] if r["name"] == name)
        assert score > told - 0.08 and "One seed" in j["advice"]
        assert "featcross explain model.fx" in j["advice"] or "rbf" in name
        fx("explain", "model.fx", "--json", status=2 if "rbf" in name else 0)


@pytest.mark.large
def test_advice_does_not_hang_on_chance(fx, put):
    """Whatever the seed: what holds for the rows is what is said."""
    X = normal(500, 6, 3)
    put("noise.svm", svmlight(X, labels(normal(500, 1, 4)[:, 0])))
    put("line.svm", svmlight(X, labels(X @ [2, -1, 1, 0, 0, 1] + normal(500, 1, 5)[:, 0])))
    put("pair.svm", svmlight(X, labels(X[:, 0] * X[:, 1] + 0.2 * normal(500, 1, 6)[:, 0])))
    for seed in "123":
        args = [*FEW, "--seeds", "3", "--seed", seed]
        assert board(fx, "noise.svm", *args)["advice"].startswith("Nothing was learned")
        line = board(fx, "line.svm", *args)["advice"]
        assert advised(line)[0] == "linear" and "bring nothing measurable" in line
        pair = board(fx, "pair.svm", *args)["advice"]
        assert advised(pair)[0] == "explicit pairs" and "combinations of columns matter" in pair


@pytest.mark.large
def test_sizes_of_a_map(fx, pairs):
    """Of one family's sizes the smallest that is as good; more features than needed are not advised."""
    j = board(fx, "all.svm", "--methods", "linear,rk", "-D", "1x,16x,32x,64x", "--seeds", "3")
    name = advised(j["advice"])[0]
    score = {r["name"]: r["accuracy"] for r in j["results"]}
    assert name.startswith("rk anova") and not name.endswith((" 1x", " 64x"))
    assert score[name] > max(score.values()) - 0.04


def test_rare_class(fx, put):
    """Nobody beats the common class, yet scores put the rows in order: that is said."""
    X = normal(600, 3, 1)
    put("x.svm", svmlight(X, [1 if v > 2.3 else 0 for v in 0.8 * X[:, 0] + normal(600, 1, 2)[:, 0]]))
    advice = board(fx, "x.svm", "--methods", "linear")["advice"]
    assert advice.startswith("No method beats the most common class") and "AUC" in advice
    assert "balanced" in advice


def lone(n, rare, seed):
    """n rows of classes 0 and 1, then one row each of the rare classes."""
    X = normal(n + len(rare), 3, seed)
    return svmlight(X, [*(int(v > 0) for v in X[:n, 0]), *rare])


def test_class_of_one_row(fx, put):
    """Every class is among the rows that are drawn, whatever the seed, in about its share."""
    put("x.svm", lone(200, [2], 1))
    put("t.svm", lone(200, [2], 2))
    for seed in range(1, 6):
        j = board(fx, "x.svm", "--test", "t.svm", "--rows", "60", "--methods", "linear", "--seeds", "1",
                  "--seed", str(seed))
        r, = j["results"]
        assert j["rows"] == 60 and r["accuracy"] > 0.6 and not j["failed"] and not j["left_out"]


def test_draw_has_shares(fx, put):
    """Of 100 rows drawn 89 to 91 are of the class of 9 in 10, so that of 20 rows to test on 17 to 19
    are; by chance it would be fewer or more with some of these seeds."""
    put("x.svm", svmlight(normal(1000, 2, 1), [0] * 900 + [1] * 100))
    for seed in range(8):
        advice = board(fx, "x.svm", "--rows", "100", "--methods", "linear", "--seeds", "1", "--seed",
                       seed)["advice"]
        share = float(advice.split("most common class has ")[1].split(". ")[0])
        assert 0.85 <= share <= 0.95


def test_test_rows_of_an_unknown_class(fx, put):
    """Known before the first fit, and what to do."""
    put("x.svm", lone(100, [2, 3, 4, 5, 6, 7, 8, 9, 10, 11], 1))
    put("t.svm", lone(100, [12], 2))
    put("u.svm", lone(100, [11], 2))
    talk = fx("compare", "x.svm", "--test", "t.svm", "--csv", "b.csv", status=2).talk
    assert "t.svm:101: row 101 is of class 12" in talk and "leave such rows out" in talk
    talk = fx("compare", "x.svm", "--test", "u.svm", "--rows", "10", "--seed", "2", status=2).talk
    assert "--rows" in talk and files(fx.directory) == ["t.svm", "u.svm", "x.svm"]
    talk = fx("train", "x.svm", "--eval-set", "t.svm", status=2).talk
    assert "t.svm:101: row 101 is of class 12" in talk and "candidates" not in talk


def outlier(put):
    """Products of the last row overflow unless it is in the part by which columns are scaled."""
    X = normal(61, 3, 3)
    X[60] = [1e30, 1e30, 0]
    put("x.svm", svmlight(X, [*(int(v > 0) for v in X[:60, 0]), 1]))


def test_failed_on_one_split(fx, put):
    """A method that fails with one seed keeps the seeds before; the others have all of them."""
    outlier(put)
    args = ["x.svm", "--methods", "linear,explicit", "--seeds", "6"]
    j = board(fx, *args, "--csv", "b.csv")
    linear = j["results"][0]
    assert linear["name"] == "linear" and linear["seeds"] == 6 and len(j["failed"]) == 4
    assert "4 methods failed" in j["advice"]
    seeds = {r["name"]: r["seeds"] for r in j["results"]}
    lines = list(csv.DictReader((fx.directory / "b.csv").open()))
    table = fx("compare", *args).text
    for f in j["failed"]:
        assert "beyond the range of floats" in f["reason"]
        assert 1 <= seeds[f["name"]] == f["seed"] - 1 < 6
        mine = [l for l in lines if l["method"] == f["name"]]
        assert [l["status"] for l in mine] == ["done"] * seeds[f["name"]] + ["failed"]
        assert mine[-1]["reason"] == f["reason"] and mine[-1]["seed"] == str(f["seed"])
        assert mine[-1]["accuracy"] == "" and float(mine[-1]["C"]) > 0
        assert f"  {f['name']}, seed {f['seed']}: {f['reason']}" in table
    assert "failed:" in table and f"{seeds['explicit pairs']} seed" in table


@pytest.mark.large
def test_parity_of_three(fx, put):
    """Triples, which no pair helps with: hofm or a map of triples, and never fewer columns."""
    signs = np.array(list(itertools.product([-1, 1], repeat=6)) * 12)
    put("x.svm", svmlight(signs, labels(signs[:, 0] * signs[:, 2] * signs[:, 3])))
    name = advised(board(fx, "x.svm", "--seeds", "2")["advice"])[0]
    assert "order=3" in name or "all-subsets" in name


# ---- What goes wrong ----------------------------------------------------------------------------
@pytest.mark.parametrize("text, said", [
    ("1 1:1\n" * 30, "class"), ("1 1:1\n-1 2:1\n1 1:1\n", "3 rows are too few"), ("1:1\n" * 9, "no label")])
def test_rows_that_will_not_do(fx, put, text, said):
    put("x.svm", text)
    talk = fx("compare", "x.svm", "--csv", "b.csv", status=2).talk
    assert said in talk and files(fx.directory) == ["x.svm"]


def test_options_come_before_work(fx, program):
    for args, said in (["--csv", "no/such/b.csv"], "no/such/b.csv: No such"), \
            (["--csv", "/proc/b.csv"], "/proc/b.csv: "), (["--methods", "lineal"], "linear"), \
            (["-D", "x"], "-D"), (["--plot", "p.gif"], ".svg"), (["--csv", "-", "--json"], "standard output"):
        talk = fx("compare", "nowhere.svm", *args, status=2).talk
        assert said in talk and "nowhere" not in talk
    talk = fx("compare", "nowhere.svm", "--plot", "p.svg", status=2, env={"PATH": "/nowhere"}).talk
    assert "gnuplot: No such file" in talk and "HINT: --plot needs gnuplot" in talk
    assert files(fx.directory) == []


def test_full_disk(fx, program, pairs):
    args = ["all.svm", "--methods", "linear", "--seeds", "1"]
    assert "/dev/full: No space left" in fx("compare", *args, "--csv", "/dev/full", status=2).talk
    with open("/dev/full", "wb") as full:
        done = subprocess.run([program, "compare", *args], stdout=full, stderr=subprocess.PIPE, cwd=fx.directory)
    assert done.returncode == 2 and b"No space left" in done.stderr


@pytest.mark.timed
def test_interrupted(program, fx, pairs):
    """What was measured is shown and written, whole, with advice that says how far it goes."""
    p = spawn(program, fx.directory, "compare", "all.svm", "--methods", "linear,hofm", "--seeds", "32",
              "--csv", "b.csv", "--json")
    time.sleep(1.5)
    assert p.poll() is None
    seconds, out, err = interrupt(p)
    assert p.returncode == 130 and seconds < 1 * SLOW and b"interrupted" in err
    lines = list(csv.DictReader((fx.directory / "b.csv").open()))
    assert lines[-1]["status"] == "interrupted" and {l["method"] for l in lines} >= {"linear"}
    assert all(None not in l.values() and None not in l for l in lines)
    j = json.loads(out)
    assert j["interrupted"] and len(lines) - 1 == sum(r["seeds"] for r in j["results"])
    assert "interrupted" in j["advice"]
    assert not [f for f in files(fx.directory) if f.startswith(".")]


@pytest.mark.timed
def test_interrupted_before_anything(program, fx):
    fx("make", "triples", "-n", "8000", "-d", "100", "-o", "t.svm", "-q")
    p = spawn(program, fx.directory, "compare", "t.svm", "--methods", "exact", "--exact", "yes", "--csv", "b.csv")
    time.sleep(0.7)
    seconds, out, _ = interrupt(p)
    assert p.returncode == 130 and seconds < 1 * SLOW and out == b"" and files(fx.directory) == ["t.svm"]


# ---- The picture --------------------------------------------------------------------------------
@pytest.mark.skipif(not shutil.which("gnuplot"), reason="gnuplot is not installed")
def test_picture(fx, pairs):
    shutil.copy(fx.directory / "all.svm", fx.directory / "it's\nall.svm")       # no gnuplot command
    fx("compare", "it's\nall.svm", *FEW, "--plot", "b.svg")
    svg = (fx.directory / "b.svg").read_text()
    for text in ("rk anova-upto:order=2", "linear", "seconds of one fit", "accuracy", "\\x0aall.svm: 1000 rows"):
        assert text in svg


def test_metric(fx, pairs):
    """It chooses C, orders the lines and has columns of its own."""
    args = ["compare", pairs[0], "--methods", "linear,explicit", "--rows", "600", "--seeds", "2", "--metric", "f1"]
    j = fx(*args, "--json", "--csv", "c.csv").json
    scores = [m["f1"] for m in j["results"]]
    assert j["metric"] == "f1" and scores == sorted(scores, reverse=True) and "f1" in j["advice"]
    lines = (fx.directory / "c.csv").read_text().splitlines()
    assert lines[0].endswith(",reason,f1") and all(line.count(",") >= lines[0].count(",") for line in lines)
    assert "rmse" in fx("compare", pairs[0], "--metric", "rmse", status=2).talk
    assert "probabilities" in fx("compare", pairs[0], "--metric", "logloss", status=2).talk
    assert "did you mean 'recall'" in fx("compare", pairs[0], "--metric", "reacll", status=2).talk

# SPDX-License-Identifier: BSD-3-Clause
"""Factorization machines: trained, saved, used, tuned, carried to libFM and back.

Covers: cli/models/factor.c, cli/models/factor_tune.c, cli/models/convert_model.c,
cli/models/model_info.c, cli/kernels/family_names.c"""

import csv

import numpy as np
import pytest

from conftest import svmlight
from test_output import train_interrupted
from test_train import predict, scores, train

KINDS = ["fm", "hofm:order=3", "hofm-shared:order=3", "hofm-simplex:order=3", "all-subsets",
         "poly-net:degree=2", "poly-net-uv", "bilinear:split=15"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind(fx, pairs, kind):
    j = train(fx, pairs[0], "--model", kind, "--rank", "4", "--max-iter", "30")
    assert j["model"].startswith(kind.split(":")[0] + ":") and j["gap"] is None
    assert [b["order"] for b in j["norms"]] == {"hofm:order=3": [2, 3], "all-subsets": [0],
                                                "hofm-shared:order=3": [3],
                                                "hofm-simplex:order=3": [3]}.get(kind, [2])
    assert all(b["norm"] > 0 for b in j["norms"])
    e = fx("evaluate", "m.fx", pairs[1], "--json").json
    assert e["rows"] == 400 and e["auc"] > (0.5 if "split" in kind else 0.8) and e["logloss"] > 0
    s = scores(fx, pairs[1])
    assert [v > 0 for v in s] == [v == "1" for v in predict(fx, pairs[1])]
    i = fx("info", "m.fx", "--json").json
    assert i["norms"] == j["norms"] and i["training"]["gap"] is None
    assert "factors " in fx("info", "m.fx").text


@pytest.mark.parametrize("solver", ["cd", "adagrad", "lbfgs"])
def test_solvers(fx, pairs, solver):
    j = train(fx, pairs[0], "--model", "fm", "--rank", "5", "--solver", solver, "--max-iter", "60",
              "--history", "h.csv")
    assert f"solver={solver}" in j["model"]
    assert fx("evaluate", "m.fx", pairs[1], "--json").json["auc"] > 0.85
    steps = list(csv.DictReader(open(fx.directory / "h.csv")))
    assert len(steps) == j["iterations"] and all(s["gap"] == s["metric"] == "" for s in steps)
    objective = [float(s["objective"]) for s in steps]
    assert objective[-1] < objective[0]
    assert solver == "adagrad" or all(a >= b for a, b in zip(objective, objective[1:]))


def test_options_become_keys(fx, pairs):
    j = train(fx, pairs[0], "--model", "hofm", "--order", "4", "--rank", "3", "--alpha", "0.01", "--beta",
              "0.1/0.01/0.001", "--lambda", "learned", "--linear", "no", "--intercept", "none", "--solver",
              "adagrad", "--lr", "0.05", "--batch", "16", "--loss", "squared-hinge", "--tol", "0.01",
              "--max-iter", "2")
    for key in ["order=4", "rank=3", "alpha=0.01", "beta=0.1/0.01/0.001", "lambda=learned", "linear=no",
                "intercept=none", "solver=adagrad", "lr=0.05", "batch=16", "loss=squared-hinge",
                "task=classify", "tol=0.01", "max-iter=2"]:
        assert key in j["model"]


@pytest.mark.parametrize("args, said", [
    (["--model", "fm", "-C", "1"], "has no C; --beta"),
    (["--model", "fm", "-C", "auto"], "has no C; --beta"),
    (["--model", "svm", "--beta", "1"], "--beta is for fm, hofm, "),
    (["--task", "rank", "--model", "svm"], "--task rank is for fm, hofm, "),
    (["--model", "logistic", "--max-seconds", "1"], "--max-seconds is for fm, hofm, "),
    (["--model", "fm", "--map", "rk"], "--map is not for"),
    (["--model", "fm", "--penalty", "l1"], "--penalty is for svm, svm-l2, svr, logistic and ridge; fm does not"),
    (["--model", "fm", "--calibrate"], "--calibrate is for svm, svm-l2, perceptron and kernel-svm; fm does not"),
    (["--model", "fm", "--kernel", "rbf"], "groups:file=FILE"),
    (["--model", "fm", "--groups", "g", "--cross", "g"], "exclude one another"),
    (["--model", "fm:rank=3", "--rank", "4"], "both set rank"),
    (["--model", "fm:task=rank", "--task", "regress"], "both set task"),
    (["--model", "fm", "--patience", "3"], "needs --eval-set"),
    (["--model", "fm", "--rank", "0"], "rank"),
    (["--model", "fm", "--rank", "-1"], "rank"),
    (["--model", "fm", "--order", "3"], "--order is for hofm, hofm-shared and hofm-simplex; fm does not"),
    (["--model", "hofm", "--order", "1"], "order"),
    (["--model", "hofm", "--order", "99"], "order"),
    (["--model", "fm", "--beta", "x"], "beta"),
    (["--model", "fm", "--lr", "0"], "lr"),
    (["--model", "fm", "--lr", "1", "--solver", "cd"], "--lr 1 is for --solver adagrad"),
    (["--model", "fm:solver=lbfgs", "--batch", "8"], "--batch 8 is for --solver adagrad"),
    (["--model", "hofm", "--beta", "1e-3,1e-4"], "divided by /"),
    (["--model", "fm", "--rank", "2,lr=3"], "is not one value"),
    (["--model", "fm", "--loss", "hinge"], "loss"),
    (["--model", "fm", "--solver", "newton"], "solver"),
    (["--model", "bilinear"], "split"),
    (["--model", "bilinear:split=30"], "split"),
    (["--model", "fm", "--task", "classify", "--folds", "2", "--metric", "rmse"], "no rmse for classes"),
])
def test_bad_options(fx, pairs, args, said):
    assert said in fx("train", pairs[0], "-o", "m.fx", *args, status=2).talk
    assert not (fx.directory / "m.fx").exists()


def test_huge_rank_is_refused(fx, pairs):
    fx("train", pairs[0], "-o", "m.fx", "--model", "fm", "--rank", "100000000", "--max-memory", "1G", status=4)


# ---- Numbers that leave their range ---------------------------------------------------------
def test_huge_rate_ends_in_a_finite_model(fx, pairs):
    r = fx("train", pairs[0], "-o", "m.fx", "--model", "fm", "--lr", "1e6", status=3)
    assert "solver=adagrad" in r.text               # nothing else has a rate
    assert "diverged after epoch 0" in r.talk and "lr=1e+06" in r.talk and "in column " in r.talk
    assert np.isfinite(scores(fx, pairs[1])).all()


def test_rare_columns_do_not_diverge(fx):
    """Two or three rows a column: a first epoch at the usual rate would end far above the start."""
    fx("make", "pairs", "-n", "300", "-d", "8000", "--nz", "60", "-o", "p.svm", "-q")
    assert train(fx, "p.svm", "--model", "fm", "--solver", "adagrad", "--max-iter", "4")["objective"] < 0.3


@pytest.mark.parametrize("solver", ["cd", "adagrad", "lbfgs"])
def test_unix_time(fx, put, rows, solver):
    X = np.array(rows[0])
    X[:, 3] = 1.6e9 + 1e5 * np.arange(30)
    put("t.svm", svmlight(X, rows[1]))
    r = fx("train", "t.svm", "-o", "m.fx", "--model", "hofm", "--solver", solver, "--max-iter", "5")
    assert "1.6029e+09 in column 4" in r.talk and "maxabs" in r.text
    assert np.isfinite(scores(fx, "t.svm")).all()
    r = fx("train", "t.svm", "-o", "m.fx", "--model", "hofm", "--solver", solver, "--scale", "none", "--max-iter", "5")
    assert ("column 4 is 1.6e+09: --scale maxabs" in r.talk) == ("not converged" in r.text)
    assert np.isfinite(scores(fx, "t.svm")).all()


def test_collapsed_order_is_said(fx, pairs):
    r = fx("train", pairs[0], "-o", "m.fx", "--model", "hofm", "--order", "3", "--rank", "2", "--beta", "1e-3/10")
    assert r.talk.count("WARNING: order 3 has collapsed to zero: lower its --beta") == 1 and "order 2 has" not in r.talk


# ---- Tasks ----------------------------------------------------------------------------------
def test_numbers_and_clipping(fx, put, rows):
    X = rows[0]
    y = [float(v) for v in 1e6 + X[:, 0] * X[:, 1] + 0.1 * X[:, 2]]
    put("r.svm", svmlight(X, y))
    put("far.svm", svmlight(100 * X, y))
    j = train(fx, "r.svm", "--model", "fm", "--rank", "2", "--beta", "1e-5", "--clip", "train")
    assert "task=regress" in j["model"]
    assert fx("evaluate", "m.fx", "r.svm", "--json").json["rmse"] < 0.5 * np.std(y)
    far = np.array(predict(fx, "far.svm"), float)
    assert min(y) == far.min() and max(y) == far.max()
    assert "clipped" in fx("info", "m.fx").text
    train(fx, "r.svm", "--model", "fm", "--rank", "2", "--clip", "999999,1000000.5")
    far = np.array(predict(fx, "far.svm"), float)
    assert far.min() == 999999 and far.max() == 1000000.5
    assert "ridge stores no range of predictions: use one of these models, or limit the numbers " \
        "that featcross predict prints" in \
        fx("train", "r.svm", "--model", "ridge", "--clip", "train", status=2).talk
    for wrong in "5,1", "5", "a,b", "1,2,3", "train,5":
        assert f"--clip {wrong}: use no, train, or two numbers LO,HI with LO <= HI" in \
            fx("train", "r.svm", "--model", "fm", "--clip", wrong, status=2).talk


def test_several_classes(fx, put, rows):
    X = rows[0]
    put("c.svm", svmlight(X, [i % 3 for i in range(30)]))
    j = train(fx, "c.svm", "--model", "fm", "--rank", "3", "--beta", "1e-6", "--alpha", "1e-6")
    assert j["classes"] == 3
    p = np.array([r.split() for r in fx("predict", "m.fx", "c.svm", "--output", "proba").text.splitlines()], float)
    assert p.shape == (30, 3) and np.allclose(p.sum(1), 1)
    assert set(predict(fx, "c.svm")) <= {"0", "1", "2"}


QUERIES = "2 qid:1 1:1 3:1\n1 qid:1 2:1 3:1\n5 qid:2 1:1 4:1\n3 qid:2 2:1 4:1\n"


def test_rank(fx, put):
    put("q.svm", QUERIES)
    j = train(fx, "q.svm", "--model", "fm", "--task", "rank", "--rank", "2")
    assert "task=rank" in j["model"]
    s = [float(v) for v in predict(fx, "q.svm")]            # scores: there is nothing else
    assert s[0] > s[1] and s[2] > s[3]
    e = fx("evaluate", "m.fx", "q.svm", "--json").json
    assert e["auc"] == 1 and "accuracy" not in e and "rmse" not in e
    assert "metric rmse does not go with task=rank, whose metrics are auc, ndcg" in \
        fx("evaluate", "m.fx", "q.svm", "--metric", "rmse", status=2).talk
    assert "rankings" in fx("info", "m.fx").text
    assert "a model of rankings" in fx("predict", "m.fx", "q.svm", "--output", "proba", status=2).talk
    assert "--task rank" in fx("train", "q.svm", "-o", "n.fx", "--model", "fm").talk
    r = fx("train", "q.svm", "-o", "n.fx", "--task", "rank", "--rank", "2", "--json")
    assert r.json["model"] == j["model"] and "model: fm, since the task is to rank" in r.talk
    assert "rank=1" in fx("tune", "q.svm", "-o", "n.fx", "--task", "rank", "--rank", "1", "--beta", "1x",
                          "--folds", "2", "--json").json["model"]
    assert "no rmse for rankings" in fx("train", "q.svm", "-o", "n.fx", "--model", "fm", "--task", "rank",
                                        "--metric", "rmse", "--eval-set", "q.svm", status=2).talk


# ---- Stopping -------------------------------------------------------------------------------
def test_patience_keeps_the_best(fx, pairs):
    j = train(fx, pairs[0], "--model", "fm", "--beta", "1e-7", "--alpha", "1e-7", "--solver", "adagrad", "--tol",
              "1e-9", "--max-iter", "200", "--eval-set", pairs[1], "--metric", "auc", "--patience", "3",
              "--history", "h.csv")
    got = [float(s["metric"]) for s in csv.DictReader(open(fx.directory / "h.csv"))]
    best = max(range(len(got)), key=lambda i: (got[i], -i))
    assert len(got) == best + 4 < 200
    assert j["eval"]["score"] == pytest.approx(got[best], abs=1e-12)


@pytest.mark.timed
def test_max_seconds(fx, pairs):
    r = fx("train", pairs[0], "-o", "m.fx", "--json", "--model", "hofm", "--order", "5", "--max-iter", "1000000",
           "--tol", "1e-15", "--max-seconds", "0.3", limit=10)
    assert r.json["converged"] is False and "WARNING" in r.talk


@pytest.mark.timed
def test_interrupted(program, tmp_path):
    train_interrupted(program, tmp_path, 100000, ["--model", "hofm", "--max-iter", "1000", "--tol", "1e-12"], 2)


def test_init_goes_on(fx, pairs):
    first = train(fx, pairs[0], "--model", "fm", "--rank", "3", "--max-iter", "3")
    (fx.directory / "m.fx").rename(fx.directory / "first.fx")
    then = train(fx, pairs[0], "--model", "fm", "--rank", "3", "--max-iter", "1", "--init", "first.fx")
    assert then["objective"] < first["objective"]
    assert "init is fm of rank 3, now it is fm of rank 4" in fx(
        "train", pairs[0], "-o", "m.fx", "--model", "fm", "--rank", "4", "--init", "first.fx", status=2).talk


# ---- Combinations that are forbidden, and columns that nobody saw -----------------------------
def test_groups(fx, put, pairs):
    put("g.txt", "low: " + " ".join(map(str, range(1, 16))) + "\nhigh: " + " ".join(map(str, range(16, 31))) + "\n")
    train(fx, pairs[0], "--model", "fm", "--rank", "4", "--groups", "g.txt", "--linear", "no")
    pair = {}
    for a, b in [(2, 7), (3, 20)]:      # planted: in one group, across groups
        put("x.svm", f"0 {a}:1\n0 {b}:1\n0 {a}:1 {b}:1\n0\n")
        s = scores(fx, "x.svm")
        pair[a, b] = s[2] - s[0] - s[1] + s[3]
    assert pair[2, 7] == 0 and pair[3, 20] != 0
    assert "groups" in fx("info", "m.fx").text
    put("c.txt", "low high\n" + (fx.directory / "g.txt").read_text())
    assert "cross" in train(fx, pairs[0], "--model", "fm", "--rank", "2", "--cross", "c.txt")["kernel"]


def test_groups_by_name(fx, put):
    lines = [f"{c},{d},{i},{(i * 7 + len(c)) % 5}" for i, (c, d) in enumerate(
        [(c, d) for c in ("Paris", "Rome", "Oslo") for d in ("sat", "mon")] * 4)]
    put("x.csv", "\n".join(["city,the day,price,y", *lines]) + "\n")

    def pairs_of(option, text):
        put("g.txt", text)
        train(fx, "x.csv", "--model", "fm", "--rank", "2", "--task", "regress", option, "g.txt")
        found = fx("explain", "m.fx", "--order", "2", "--top", "100", "--json").json["combinations"]
        return {tuple(c["features"]) for c in found}

    got = pairs_of("--groups", "# names\nplace: city=Rome city=Paris\ntime: the%20day, price\n")
    assert ("city=Paris", "city=Oslo") in got and ("city=Paris", "the day=sat") in got
    assert not {("city=Paris", "city=Rome"), ("the day=sat", "the day=mon"), ("price", "the day=sat")} & got
    got = pairs_of("--cross", "a b\na: city\nb: price 2\n")          # from 0 and as they appear: the day=sat
    assert {frozenset(p) for p in got} == {frozenset((a, b)) for a in ("city=Paris", "city=Rome", "city=Oslo")
                                           for b in ("price", "the day=sat")}
    put("g.txt", "a: city\nb: nowhere\n")
    assert "g.txt:2: there is no column 'nowhere'" in fx("train", "x.csv", "-o", "n.fx", "--model", "fm", "--groups",
                                                         "g.txt", status=2).talk


@pytest.mark.parametrize("kind", ["hofm:order=3", "hofm-shared:order=3", "all-subsets", "poly-net"])
def test_unseen_columns_change_nothing(fx, put, pairs, kind):
    train(fx, pairs[0], "--model", kind, "--rank", "3", "--max-iter", "5")
    put("seen.svm", "1 2:1 7:1\n")
    put("more.svm", "1 2:1 7:1 31:5 1000:1e9\n")
    assert scores(fx, "seen.svm") == scores(fx, "more.svm")


# ---- tune, libFM ----------------------------------------------------------------------------
def test_tune(fx, pairs):
    j = fx("tune", pairs[0], "-o", "m.fx", "--model", "hofm", "--order", "2,3", "--rank", "2,4", "--beta",
           "0.1x,1e-2/1e-3", "--folds", "2", "--max-iter", "20", "--json").json
    assert [(t["order"], t["rank"], t["beta"]) for t in j["trials"]] == [
        (o, r, b) for o in (2, 3) for r in (2, 4) for b in ("3e-05", "1e-2/1e-3")]
    assert j["best"]["mean"] == max(t["mean"] for t in j["trials"])
    for key in ("order", "rank", "beta"):
        assert f"{key}={j['best'][key]}" in j["model"]
    assert "has no C" in fx("tune", pairs[0], "-o", "m.fx", "--model", "fm", "-C", "1", status=2).talk
    assert "--rank is for" in fx("tune", pairs[0], "-o", "m.fx", "--rank", "3", status=2).talk
    text = fx("tune", pairs[0], "-o", "m.fx", "--model", "fm:beta=0.01,rank=2", "--beta", "1x,2x", "--folds", "2",
              "--max-iter", "5").text
    assert "beta=0.01" in text or "beta=0.02" in text


@pytest.mark.parametrize("task", ["classify", "regress"])
def test_libfm_and_back(fx, put, pairs, task):
    train(fx, pairs[0], "--model", "fm", "--rank", "3", "--task", task)
    first = scores(fx, pairs[1])
    j = fx("convert", "m.fx", "-o", "m.libfm", "--to", "libfm", "--json").json
    assert j["format"] == "libfm" and j["bytes"] == (fx.directory / "m.libfm").stat().st_size
    assert "No space left" in fx("convert", "m.fx", "/dev/full", "--to", "libfm", status=2).talk
    assert (fx.directory / "m.libfm").read_text().startswith("#global bias W0\n")
    fx("convert", "m.libfm", "m.fx", *(["--task", "classify"] if task == "classify" else []))
    assert np.allclose(scores(fx, pairs[1]), first, rtol=0, atol=1e-12)
    assert "already" in fx("convert", "m.libfm", "x", "--to", "libfm", status=2).talk
    assert "is a model" in fx("convert", "m.fx", "x", status=2).talk
    assert "is for models" in fx("convert", pairs[0], "x", "--to", "libfm", status=2).talk
    put("bad.libfm", "#global bias W0\n0.5\n#unary interactions Wj\n1\n#pairwise interactions Vj,f\n1 2\n3\n")
    assert "bad.libfm:7: " in fx("convert", "bad.libfm", "x", status=2).talk
    train(fx, pairs[0], "--model", "hofm", "--rank", "3", "--max-iter", "2")
    fx("convert", "m.fx", "x", "--to", "libfm", status=2)


def test_map_as_fm(fx, pairs):
    train(fx, pairs[0], "--model", "svm", "--map", "rk", "--kernel", "anova:order=2", "-D", "8x")
    first = scores(fx, pairs[1])
    fx("convert", "m.fx", "f.fx", "--to", "fm")
    again = np.array(fx("predict", "f.fx", pairs[1], "--output", "score", "-q").text.split(), float)
    assert np.abs(again - first).max() < 1e-6 * np.abs(first).max()     # features were floats

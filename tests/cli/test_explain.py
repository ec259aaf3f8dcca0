# SPDX-License-Identifier: BSD-3-Clause
"""featcross explain: planted combinations come first, contributions add up, names are kept.

Covers: cli/commands/cmd_explain.c, cli/commands/explanation_print.c, cli/figures/plot_bars.c"""

import csv
import gzip
import io
import os
import random
import shutil

import numpy as np
import pytest

from conftest import svmlight
from test_spill import bytes_of, svm
from test_train import scores, train


def top(fx, *args, n=20, data=()):
    return fx("explain", "m.fx", *data, "--json", "--top", n, *args).json


def sets(j):
    return [tuple(c["features"]) for c in j["combinations"]]


MODELS = {
    "fm": ["--model", "fm", "--rank", "6"],
    "hofm-shared": ["--model", "hofm-shared:order=2", "--rank", "6", "--solver", "adagrad"],
    "kernel": ["--model", "kernel-svm", "--kernel", "anova:order=2", "-C", "0.1"],
    "explicit": ["--model", "svm-l2", "--kernel", "anova-upto:order=2", "--map", "explicit", "-C", "0.1"],
    "rk": ["--model", "svm-l2", "--kernel", "anova:order=2", "--map", "rk", "-D", "64x", "-C", "0.1"],
}


@pytest.mark.parametrize("model", MODELS)
def test_planted_pairs_are_on_top(fx, model):
    fx("make", "pairs", "-n", "2000", "-d", "30", "--nz", "8", "-k", "3", "-o", "p.svm", "--planted", "p.txt", "-q")
    planted = {tuple(map(int, s.split())) for s in (fx.directory / "p.txt").read_text().splitlines()}
    train(fx, "p.svm", *MODELS[model])
    j = top(fx, "--order", "2", data=["p.svm"])
    assert set(sets(j)[:3]) == planted and j["exact"] is True
    weights = [abs(c["weight"]) for c in j["combinations"]]
    assert weights == sorted(weights, reverse=True) and all(c["order"] == 2 for c in j["combinations"])
    lines = [set(f.split(":")[0] for f in s.split()[1:]) for s in (fx.directory / "p.svm").read_text().splitlines()]
    for c in j["combinations"][:3]:
        assert c["support"] == sum(set(map(str, c["features"])) <= s for s in lines)


def test_planted_triples_are_on_top(fx):
    fx("make", "triples", "-n", "6000", "-d", "100", "--nz", "10", "-k", "8", "-o", "t.svm", "--planted", "t.txt", "-q", "--seed", "2")
    planted = {tuple(map(int, s.split())) for s in (fx.directory / "t.txt").read_text().splitlines()}
    train(fx, "t.svm", "--model", "hofm", "--order", "3", "--solver", "adagrad")
    assert set(sets(top(fx))[:8]) == planted


def test_parity_triple(fx):
    fx("make", "parity", "-n", "1500", "-d", "8", "-k", "3", "-o", "t.svm", "--planted", "t.txt", "-q")
    planted = tuple(map(int, (fx.directory / "t.txt").read_text().split()))
    train(fx, "t.svm", "--model", "hofm:order=3", "--rank", "6")
    first, second = top(fx, n=2)["combinations"]
    assert tuple(first["features"]) == planted and abs(first["weight"]) > 5 * abs(second["weight"])


@pytest.mark.parametrize("kind", ["hofm:order=3", "hofm-shared:order=3", "hofm-simplex:order=3", "all-subsets",
                                  "poly-net", "poly-net-uv", "bilinear:split=15"])
def test_contributions_add_up(fx, pairs, kind):
    train(fx, pairs[0], "--model", kind, "--rank", "3", "--max-iter", "5")
    j = top(fx, "--row", "7", n=5, data=[pairs[1]])
    parts = sum(c["contribution"] for c in j["combinations"])
    assert j["score"] == pytest.approx(scores(fx, pairs[1])[6], abs=1e-9)
    assert parts + j["constant"] + j["rest"] == pytest.approx(j["score"], abs=1e-9)
    assert j["prediction"] in ("-1", "1") and j["label"] in ("-1", "1") and j["row"] == 7
    text = fx("explain", "m.fx", pairs[1], "--row", "7").text
    assert "contribution" in text and "constant" in text and "labelled" in text


def test_names(fx, put):
    r = np.random.default_rng(3)
    lines = ["city,day,price,buy"]
    for _ in range(400):
        c, d = r.choice(["Paris", "Rome", "Oslo"]), r.choice(["sat", "mon"])
        lines.append(f"{c},{d},{r.random():.3f},{'yes' if (c == 'Paris') == (d == 'sat') else 'no'}")
    put("x.csv", "\n".join(lines) + "\n")
    train(fx, "x.csv", "--model", "fm", "--rank", "4", "--linear", "no")
    j = top(fx, data=["x.csv"])
    together = [c["features"] for c in j["combinations"] if c["support"] and c["order"] == 2]
    assert set(together[0]) in ({"city=Paris", "day=sat"}, {"city=Paris", "day=mon"})
    assert " x day=sat" in fx("explain", "m.fx").text and "towards yes" in fx("explain", "m.fx").talk


def test_support(fx, put):
    """Two values of one category never meet: such pairs are left out, however large, unless asked for."""
    put("x.svm", "".join(f"{(i + k) % 3} {1 + i}:1 {4 + k}:1\n" for i in range(3) for k in range(3)) * 5)
    train(fx, "x.svm", "--model", "fm", "--rank", "3", "--linear", "no", "--task", "regress")
    every = top(fx, "--unsupported", data=["x.svm"], n=15)["combinations"]
    assert len(every) == 15 and {c["support"] for c in every} == {0, 5}
    j = top(fx, "--support", "5", data=["x.svm"], n=4)
    assert j["combinations"] == [c for c in every if c["support"]][:4] and j["exact"] is True
    assert any(c["support"] == 0 for c in every[:4])
    for args in [], ["--support", "1"]:
        j = top(fx, *args, data=["x.svm"])
        assert len(j["combinations"]) == 9 and j["exact"] is True
        assert all(c["support"] for c in j["combinations"])
    assert top(fx, "--support", "6", data=["x.svm"])["combinations"] == []
    assert "explain MODEL DATA" in fx("explain", "m.fx", "--unsupported", status=2).talk
    assert "exclude" in fx("explain", "m.fx", "x.svm", "--unsupported", "--row", "1", status=2).talk
    assert "explain MODEL DATA" in fx("explain", "m.fx", "--support", "1", status=2).talk
    assert "exclude" in fx("explain", "m.fx", "x.svm", "--support", "1", "--row", "1", status=2).talk


def test_classes(fx, put, rows):
    put("c.svm", svmlight(rows[0], ["abc"[i % 3] for i in range(30)]).replace("'", ""))
    train(fx, "c.svm", "--model", "fm", "--rank", "2", "--max-iter", "3")
    assert fx("explain", "m.fx", "--output", "b", "--json").json["output"] == "b"
    assert fx("explain", "m.fx", "--json").json["output"] == "a"
    assert "score of b, predicted " in fx("explain", "m.fx", "c.svm", "--row", "1", "--output", "b").text
    assert "no class z" in fx("explain", "m.fx", "--output", "z", status=2).talk


@pytest.mark.parametrize("model", [["svm"], ["fm", "--rank", "2"], ["kernel-svm", "--kernel", "anova:order=2"]])
def test_predicted_class_of_a_row(fx, put, model):
    """A row is explained by the score of the class that is predicted for it, and that is said."""
    X = np.eye(3)[np.arange(30) % 3] + 0.01
    put("c.svm", svmlight(X, ["abc"[i % 3] for i in range(30)]).replace("'", ""))
    train(fx, "c.svm", "--model", *model)
    for row, name in (1, "a"), (2, "b"), (3, "c"):
        r = fx("explain", "m.fx", "c.svm", "--row", str(row), "--json")
        assert r.json["prediction"] == r.json["label"] == name and name in r.json["output"].split("/")
        assert f"of the score of {r.json['output']}, the class predicted" in r.talk
        if "/" not in r.json["output"]:
            assert r.json["output"] == name and r.json["score"] > 0
        else:
            assert (r.json["score"] > 0) == (r.json["output"].split("/")[1] == name)
    other = "a/c" if model[0] == "kernel-svm" else "a"
    assert fx("explain", "m.fx", "c.svm", "--row", "2", "--output", other, "--json").json["output"] == other


def test_little_effort_is_said(fx):
    fx("make", "pairs", "-n", "500", "-d", "3000", "--nz", "30", "-o", "p.svm", "-q")
    train(fx, "p.svm", "--model", "hofm", "--order", "3", "--rank", "10", "--max-iter", "3")
    j = top(fx, "--effort", "1e4", "--order", "3")
    assert j["exact"] is False and j["missed"] > 0
    assert "not exact: the search has a limit (--effort 1e+04); one that is missing may have a |weight| of up to" in \
        fx("explain", "m.fx", "--effort", "1e4", "--order", "3").text


@pytest.mark.timed
def test_default_effort_is_seconds(fx):
    """Factors near 1 in 100 columns: too many combinations of 20 columns to visit them all."""
    fx("make", "pairs", "-n", "500", "-d", "100", "--nz", "30", "-o", "p.svm", "-q")
    train(fx, "p.svm", "--model", "all-subsets:sd=0.5", "--solver", "adagrad", "--lr", "1e-9", "--max-iter", "1")
    assert "not exact: the search has a limit (--effort 5e+10)" in fx("explain", "m.fx", limit=20).text


def test_bad_questions(fx, put, pairs):
    train(fx, pairs[0], "--model", "fm", "--rank", "2", "--max-iter", "2")
    assert "explain MODEL DATA" in fx("explain", "m.fx", "--row", "1", status=2).talk
    assert "400 rows" in fx("explain", "m.fx", pairs[1], "--row", "401", status=2).talk
    assert "the model comes first" in fx("explain", pairs[1], "m.fx", status=2).talk
    assert "all signs change" in fx("explain", "m.fx", "--output", "-1", status=2).talk
    fx("train", pairs[0], "-o", "m.fx", "--model", "svm", "--kernel", "rbf", "-q")
    assert "has no weights of combinations" in fx("explain", "m.fx", status=2).talk


# ---- Importance ---------------------------------------------------------------------------------
@pytest.fixture
def scaled(fx, put):
    """Column a is tiny and column b large: weights say the opposite of what matters."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 3)) * [1e-3, 1, 1]
    y = 50 * X[:, 0] + X[:, 1] + 0.5 * X[:, 1] * X[:, 2]
    put("x.csv", "a,b,c,y\n" + "".join(",".join(map(repr, map(float, (*x, t)))) + "\n"
                                       for x, t in zip(X, y)))
    fx("train", "x.csv", "-o", "m.fx", "--model", "ridge", "--kernel", "anova-upto:order=2", "--map",
       "explicit", "-C", "1e4", "--scale", "none", "-q")
    return X


def test_importance_is_the_mean_contribution(fx, scaled):
    by_weight = fx("explain", "m.fx", "x.csv", "--json", "-q").json
    by = fx("explain", "m.fx", "x.csv", "--by", "importance", "--json", "-q").json
    assert by_weight["by"] == "weight" and by["by"] == "importance" and by["exact"]
    for c in by["combinations"]:
        product = np.prod([scaled[:, "abc".index(name)] for name in c["features"]], axis=0)
        assert np.isclose(c["importance"], np.abs(c["weight"] * product).mean(), rtol=1e-6)
    values = [c["importance"] for c in by["combinations"]]
    assert values == sorted(values, reverse=True)
    assert by["combinations"][0]["features"] == ["b"]
    assert "a" in by_weight["combinations"][0]["features"]
    text = fx("explain", "m.fx", "x.csv", "--by", "importance", "-q").text
    assert "importance" in text.splitlines()[0] and "has a larger importance" in text
    assert "importance" not in fx("explain", "m.fx", "-q").text.splitlines()[0]


def test_importance_needs_rows(fx, scaled):
    assert "explain MODEL DATA" in fx("explain", "m.fx", "--by", "importance", status=2).talk
    assert "mean over all rows" in fx("explain", "m.fx", "x.csv", "--by", "importance", "--row", "1",
                                      status=2).talk


# ---- Forms --------------------------------------------------------------------------------------
def test_csv(fx, scaled):
    j = fx("explain", "m.fx", "x.csv", "--json", "-q").json["combinations"]
    head, *rows = csv.reader(io.StringIO(fx("explain", "m.fx", "x.csv", "--csv", "-q").text))
    assert head == ["features", "order", "weight", "importance", "rows"]
    assert [(r[0], float(r[2]), float(r[3]), int(r[4])) for r in rows] == [
        (" x ".join(c["features"]), c["weight"], c["importance"], c["support"]) for c in j]
    head = fx("explain", "m.fx", "x.csv", "--csv", "--row", "1", "-q").text.splitlines()[0]
    assert head == "features,order,weight,contribution,rows"
    assert "exclude" in fx("explain", "m.fx", "--csv", "--json", status=2).talk


def test_all_classes(fx, put, rows):
    put("c.svm", svmlight(rows[0], ["abc"[i % 3] for i in range(30)]).replace("'", ""))
    train(fx, "c.svm", "--model", "fm", "--rank", "2", "--max-iter", "3")
    every = fx("explain", "m.fx", "--output", "all", "--json").json["outputs"]
    assert every == [fx("explain", "m.fx", "--output", c, "--json").json for c in "abc"]
    text = fx("explain", "m.fx", "--output", "all").text
    assert [f"of the score of {c}" in text for c in "abc"] == [True] * 3
    lines = fx("explain", "m.fx", "--output", "all", "--csv", "--top", "2").text.splitlines()
    assert lines[0] == "output,features,order,weight"
    assert [line[0] for line in lines[1:]] == list("aabbcc")
    assert "--output" in fx("explain", "m.fx", "--output", "all", "--plot", "p.svg", status=2).talk
    assert len(fx("explain", "m.fx", "c.svm", "--output", "all", "--row", "1", "--json")
               .json["outputs"]) == 3


@pytest.mark.skipif(not shutil.which("gnuplot"), reason="gnuplot is not installed")
@pytest.mark.parametrize("args", [["--by", "importance"], ["--row", "2"], []])
def test_plot(fx, scaled, args):
    j = fx("explain", "m.fx", "x.csv", *args, "--plot", "p.svg", "--json", "-q").json
    lines = (fx.directory / "p.svg.data").read_text().splitlines()[1:]
    key = "contribution" if "--row" in args else "importance" if args else "weight"
    drawn = [float(line.split("\t")[1]) for line in lines]
    assert np.allclose(drawn, [c[key] for c in j["combinations"]], rtol=1e-8)
    assert (fx.directory / "p.svg").read_text().rstrip().endswith("</svg>")


# ---- Rows that exceed the memory ------------------------------------------------------------------

QUESTIONS = ([], ["--by", "importance"], ["--support", "900", "--top", "50"], ["--unsupported", "--json"], ["--order", "1", "--csv"],
             ["--row", "29999"], ["--row", "12345", "--json"], ["--top", "400"])


@pytest.mark.parametrize("model", [["--model", "fm", "--solver", "lbfgs", "--task", "classify", "--rank", "3", "--max-iter", "9"],
                                   ["--model", "logistic", "--kernel", "anova:order=2", "-D", "64", "--scale", "std"]],
                         ids=["fm", "logistic"])
def test_little_memory(fx, tmp_path, model):
    """The same answers as in memory, whatever the source; nothing is left on the disk."""
    svm(tmp_path / "x.svm")
    (tmp_path / "x.svm.gz").write_bytes(gzip.compress(bytes_of(tmp_path / "x.svm")))
    fx("train", "x.svm", "-o", "m.fx", *model)
    for k, question in enumerate(QUESTIONS):
        memory = fx("explain", "m.fx", "x.svm", *question)
        source, stdin = (("x.svm", None), ("x.svm.gz", None), ("-", bytes_of(tmp_path / "x.svm")))[k % 3]
        done = fx("explain", "m.fx", source, *question, "--max-memory", "4M", "--threads", 1 + k % 2, stdin=stdin,
                  env={"TMPDIR": ""})
        assert "too large for --max-memory 4.0 MiB; the rows were packed into a file in /tmp, " in done.talk
        assert done.text == memory.text, question
    little = ["explain", "m.fx", "x.svm", "--max-memory", "4M"]
    assert f"packed into a file in {tmp_path}, " in fx(*little, env={"TMPDIR": str(tmp_path)}).talk
    talk = fx(*little, env={"TMPDIR": "no/folder"}, status=2).talk
    assert "storing rows in no/folder: " in talk and "TMPDIR=FOLDER" in talk and "--spill" not in talk
    assert sorted(os.listdir(tmp_path)) == ["m.fx", "x.svm", "x.svm.gz"]


@pytest.mark.parametrize("nan", ["mean,indicator", "drop"])
def test_little_memory_with_gaps(fx, tmp_path, nan):
    rng = random.Random(4)
    with open(tmp_path / "t.csv", "w") as f:
        f.write("age,city,size,label\n")
        for i in range(20000):
            city = rng.choice(["paris", "rome", "oslo"])
            age = rng.randint(18, 90)
            size = "NA" if rng.random() < 0.1 else f"{rng.random():.3f}"
            f.write(f"{age},{city},{size},{'yes' if (age > 50) != (city == 'rome') else 'no'}\n")
    fx("train", "t.csv", "--label", "label", "--model", "logistic", "--kernel", "anova:order=2", "-D", "50", "--nan", nan,
       "-o", "m.fx")
    for question in ([], ["--by", "importance", "--csv"], ["--row", "19999"]):
        memory = fx("explain", "m.fx", "t.csv", *question)
        done = fx("explain", "m.fx", "t.csv", *question, "--max-memory", "2M")
        assert "were packed" in done.talk and done.text == memory.text and "city" in done.text


def test_little_memory_refused(fx, tmp_path):
    """What only rows in memory can answer is refused, with what to do; the search would list others."""
    svm(tmp_path / "x.svm")
    fx("train", "x.svm", "-o", "m.fx", "--model", "hofm:order=3,solver=lbfgs,task=classify,rank=3,max-iter=3")
    done = fx("explain", "m.fx", "x.svm", "--max-memory", "4M", "--effort", "1000", status=4)
    assert "this list needs all rows in memory" in done.talk and "HINT: --unsupported lists" in done.talk
    done = fx("explain", "m.fx", "x.svm", "--max-memory", "4M", "--effort", "1000", "--unsupported")
    assert done.text == fx("explain", "m.fx", "x.svm", "--effort", "1000", "--unsupported").text
    with open(tmp_path / "x.svm", "a") as f:
        f.write("1 3:x\n")
    assert "x.svm:30001:" in fx("explain", "m.fx", "x.svm", "--max-memory", "4M", status=2).talk
    assert "has 30000 rows" in fx("explain", "m.fx", "-", "--max-memory", "4M", "--row", "30001", status=2,
                                  stdin=bytes_of(tmp_path / "x.svm").replace(b"1 3:x\n", b"")).talk

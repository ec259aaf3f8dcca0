# SPDX-License-Identifier: BSD-3-Clause
"""train --init MODEL --freeze: new users of a table, new columns of svmlight, new words; what the
model says of them; options that a frozen fit would ignore, and files that it cannot take.

Covers: cli/models/freeze.c"""

import json

import numpy as np
import pytest

R = np.random.default_rng(5)
TASTE = {name: R.normal(size=2) for name in [*(f"u{k}" for k in range(30)),
                                             *(f"i{k}" for k in range(20)), "new", "later"]}


def ratings(users, items):
    lines = [f"{u},{i},{3 + TASTE[u] @ TASTE[i]:.2f}" for u in users for i in items]
    return "user,item,rating\n" + "\n".join(lines) + "\n"


@pytest.fixture
def machine(fx, put):
    """A model of ratings, and ratings of new users."""
    put("all.csv", ratings([f"u{k}" for k in range(30)], [f"i{k}" for k in range(20)]))
    put("new.csv", ratings(["new", "later"], [f"i{k}" for k in range(0, 20, 2)]))
    put("test.csv", ratings(["new", "later"], [f"i{k}" for k in range(1, 20, 2)]))
    fx("train", "all.csv", "--model", "fm", "--task", "regress", "--rank", "3", "--beta", "1e-4", "-o", "m.fx",
       "-q")
    return fx


def test_new_users(machine):
    fx = machine
    before = fx("predict", "m.fx", "all.csv").text
    known = fx("evaluate", "m.fx", "test.csv", "--json").json["rmse"]
    j = fx("train", "new.csv", "--init", "m.fx", "--freeze", "-o", "n.fx", "--eval-set", "test.csv",
           "--json").json
    assert j["later_columns"] == 2 and j["rows"] == 620 and j["features"] == 52
    assert j["eval"]["score"] < known / 4
    assert fx("evaluate", "n.fx", "test.csv", "--json").json["rmse"] == j["eval"]["score"]
    assert fx("predict", "n.fx", "all.csv").text == before
    i = fx("info", "n.fx", "--json").json
    assert i["later_columns"] == 2 and i["seen_columns"] == 50 and i["columns"] == 52
    assert "2 columns learnt after the training: user=new user=later\n" in fx("info", "n.fx").text
    assert "later" not in fx("info", "m.fx").text and not fx("info", "m.fx", "--json").json["later_columns"]
    said = fx("train", "new.csv", "--init", "n.fx", "--freeze", "-o", "x.fx", status=2).talk
    assert "the model knows all columns of these rows" in said and not (fx.directory / "x.fx").exists()


def test_in_turn_and_over_itself(machine, put):
    fx = machine
    new = (fx.directory / "new.csv").read_text().splitlines(keepends=True)
    put("a.csv", "".join(new[:11]))
    put("b.csv", "".join(new[:1] + new[11:]))
    fx("train", "new.csv", "--init", "m.fx", "--freeze", "-o", "both.fx", "-q")
    fx("train", "a.csv", "b.csv", "--init", "m.fx", "--freeze", "-o", "files.fx", "-q")
    assert (fx.directory / "files.fx").read_bytes() == (fx.directory / "both.fx").read_bytes()
    for part in "a.csv", "b.csv":
        fx("train", part, "--init", "m.fx", "--freeze", "-o", "m.fx", "-q")
    one, other = (np.array(fx("predict", model, "test.csv").text.split(), dtype=float)
                  for model in ("m.fx", "both.fx"))
    assert np.abs(one - other).max() < 1e-8
    out = fx("train", "-", "--init", "both.fx", "--freeze", "-o", "-", "-q",
             stdin=b"user,item,rating\nthird,i1,4\n").out
    (fx.directory / "third.fx").write_bytes(out)
    assert "user=third" in fx("info", "third.fx").text


def test_weights(machine, put):
    """A weight of 2 is a row twice."""
    fx = machine
    new = (fx.directory / "new.csv").read_text().splitlines(keepends=True)
    put("twice.csv", "".join(new + new[1:6]))
    put("w", "".join("2\n" if k < 5 else "1\n" for k in range(len(new) - 1)))
    fx("train", "twice.csv", "--init", "m.fx", "--freeze", "-o", "a.fx", "-q")
    fx("train", "new.csv", "--init", "m.fx", "--freeze", "-o", "b.fx", "-q", "--weights", "w")
    one, other = (np.array(fx("predict", model, "test.csv").text.split(), dtype=float)
                  for model in ("a.fx", "b.fx"))
    assert np.abs(one - other).max() < 1e-8


def test_svmlight_and_words(fx, put):
    """Columns by number, after the model's; words, which become columns in their order."""
    put("a.svm", "".join(f"{1 if k % 3 else -1} {1 + k % 4}:1 {5 + k % 5}:0.5\n" for k in range(60)))
    put("b.svm", "1 1:1 12:1\n-1 2:1 12:1\n1 5:1 10:2\n")
    fx("train", "a.svm", "--model", "all-subsets", "--rank", "2", "-o", "m.fx", "-q")
    fx("train", "b.svm", "--init", "m.fx", "--freeze", "-o", "n.fx", "-q")
    assert "learnt after the training: 10 12\n" in fx("info", "n.fx").text
    put("a.txt", "".join(f"{'good' if k % 3 else 'bad'} w{k % 4} v{k % 5}\n" for k in range(60)))
    put("b.txt", "good w1 fresh\nbad odd v1\n")
    fx("train", "a.txt", "--format", "text", "--model", "fm", "--rank", "2", "-o", "t.fx", "-q")
    fx("train", "b.txt", "--init", "t.fx", "--freeze", "-o", "u.fx", "-q")
    assert "learnt after the training: fresh odd\n" in fx("info", "u.fx").text


@pytest.mark.parametrize("args, option", [
    (["--rank", "3"], "rank"), (["--model", "fm"], "model"), (["--folds", "3"], "folds"),
    (["--history", "h.csv"], "history"), (["-C", "2"], "cost"), (["-c", "2"], "c"),
    (["--checkpoint", "c"], "checkpoint"),
    (["--dry-run"], "dry-run"), (["--scale", "maxabs"], "scale"), (["--task", "regress"], "task"),
    (["--task", "classify"], "task"), (["--kernel", "linear"], "kernel"), (["--spill", "s"], "spill"),
    (["--max-seconds", "3"], "max-seconds"), (["--calibrate"], "calibrate"), (["--tol", "1"], "tol"),
    (["--patience", "3"], "patience"), (["--cache", "1M"], "cache"), (["--groups", "g"], "groups")])
def test_options(machine, args, option):
    said = machine("train", "new.csv", "--init", "m.fx", "--freeze", "-o", "x.fx", *args, status=2).talk
    assert f"--freeze leaves all but new columns as it is in the model; remove --{option}\n" in said
    assert not (machine.directory / "x.fx").exists()


def test_refused(machine, put):
    fx = machine

    def refused(*args, status=2):
        return fx("train", *args, "-o", "x.fx", status=status).talk

    assert "--freeze needs --init MODEL" in refused("new.csv", "--freeze")
    assert "--nan mean is for training" in refused("new.csv", "--init", "m.fx", "--freeze", "--nan", "mean")
    fx("train", "all.csv", "--model", "ridge", "-o", "r.fx", "-q")
    assert "no columns can be folded into ridge; into factorization machines they can" in refused(
        "new.csv", "--init", "r.fx", "--freeze")
    fx("train", "all.csv", "--model", "poly-net", "--rank", "2", "--tol", "1", "-o", "p.fx", "-q")
    assert "into poly-net, whose scores are powers" in refused("new.csv", "--init", "p.fx", "--freeze")
    fx("train", "all.csv", "--task", "rank", "--rank", "2", "--tol", "1", "-o", "k.fx", "-q")
    assert "with task=rank" in refused("new.csv", "--init", "k.fx", "--freeze")
    put("wrong.csv", "user,item,rating\nnew,i1,good\n")
    assert "the labels are text (good" in refused("wrong.csv", "--init", "m.fx", "--freeze")
    put("classes.csv", "user,item,liked\n" + "".join(f"u{k % 9},i{k % 7},{'yes' if k % 2 else 'no'}\n"
                                                     for k in range(63)))
    fx("train", "classes.csv", "--model", "fm", "--rank", "2", "-o", "c.fx", "-q")
    put("maybe.csv", "user,item,liked\nnew,i1,maybe\n")
    assert "maybe" in refused("maybe.csv", "--init", "c.fx", "--freeze")
    put("unlabelled.csv", "user,item\nnew,i1\n")
    assert "no labels" in refused("unlabelled.csv", "--init", "m.fx", "--freeze")


def test_model_of_another_program(fx, put):
    put("m.libfm", "#global bias W0\n0.5\n#unary interactions Wj\n1\n2\n")
    fx("convert", "m.libfm", "m.fx")
    put("b.svm", "1 0:1 3:1\n0 3:1\n")
    said = fx("train", "b.svm", "--init", "m.fx", "--freeze", "-o", "x.fx", status=2).talk
    assert "does not say by which weight of rows its training divided losses" in said


def test_steps_are_listed(machine, put):
    """A row with two new columns: the objective falls from visit to visit."""
    put("pair.csv", "user,item,rating\nnew,other,4\nnew,i1,3\nu1,other,2\nu2,other,5\n")
    talk = machine("train", "pair.csv", "--init", "m.fx", "--freeze", "-o", "n.fx").text
    assert "2 columns learnt after the training: user=new item=other\n" in talk
    header = (machine.directory / "n.fx").read_bytes()
    meta = json.loads(header[8:8 + int.from_bytes(header[:8], "little")])["__metadata__"]
    assert meta["later"] == "50-51" and meta["weight"] == "600" and meta["rows"] == "604"


def test_weights_of_classes(fx, put):
    """As if each row had the weight of its class."""
    lines = [f"{'no' if (k * k) % 5 < 2 else 'yes'} {1 + k % 4}:1 {5 + k % 3}:1\n" for k in range(60)]
    put("x.svm", "".join(lines))
    put("new.svm", "".join(line[:-1] + " 8:1\n" for line in lines[:9]))
    put("w", "".join("3\n" if line[0] == "y" else "0.5\n" for line in lines[:9]))
    fx("train", "x.svm", "--model", "fm", "--rank", "2", "--class-weight", "no=0.5,yes=3", "-o", "m.fx", "-q")
    frozen = ["train", "new.svm", "--init", "m.fx", "--freeze", "-q", "-o"]
    fx(*frozen, "a.fx", "--class-weight", "yes=3,no=0.5")
    fx(*frozen, "b.fx", "--weights", "w")
    assert (fx.directory / "a.fx").read_bytes() == (fx.directory / "b.fx").read_bytes()
    fx(*frozen, "c.fx")
    assert (fx.directory / "a.fx").read_bytes() != (fx.directory / "c.fx").read_bytes()
    for option in "balanced", "maybe=1", "yes", "yes=x", "yes=-1", "yes=3,no=", "yes=inf":
        assert "--class-weight" in fx(*frozen, "c.fx", "--class-weight", option, status=2).talk


@pytest.mark.parametrize("model", [["fm"], ["bilinear:split=10"]])
def test_nodes_of_links(fx, put, model):
    """New people and films of a model of links: a column of their own on each side.  The pairs of the
    others score as before, and a new person likes what those of the same kind like."""
    r = np.random.default_rng(1)
    put("people.svm", "".join(f"p{i} {1 + i % 3}:1 {4 + i % 7}:1\n" for i in range(40)))
    put("films.svm", "".join(f"f{i} {1 + i % 3}:1 {4 + i % 5}:1\n" for i in range(30)))
    put("links.txt", "".join(f"p{i} f{k}\n" for i in range(40) for k in range(30)
                             if i % 3 == k % 3 and r.random() < 0.6))
    nodes = ["--nodes", "people.svm", "--nodes-b", "films.svm"]
    fx("train", "--links", "links.txt", *nodes, "--model", *model, "--rank", "3", "--beta", "1e-5", "-o", "m.fx")
    scores = ["--links", "links.txt", *nodes, "--output", "score"]
    before = fx("predict", "m.fx", *scores).text
    put("new.svm", "new 11:1\n")
    put("liked.txt", "".join(f"new f{k}\n" for k in range(0, 15, 3)))
    j = fx("train", "--links", "liked.txt", "--nodes", "new.svm", "--nodes-b", "films.svm", "--negatives", "2",
           "--init", "m.fx", "--freeze", "-o", "n.fx", "--json").json
    assert j["later_columns"] == 1 and j["features"] == 19
    assert fx("predict", "n.fx", *scores).text == before
    best = fx("recommend", "n.fx", "--for", "new.svm", "--among", "films.svm", "--without", "liked.txt", "-k",
              "5").text.splitlines()[1:]
    assert sum(int(line.split(",")[2][1:]) % 3 == 0 for line in best) >= 4
    put("other.svm", "g 9:1\n")        # a film
    put("liked.txt", "".join(f"p{i} g\n" for i in range(1, 30, 3)))
    fx("train", "--links", "liked.txt", "--nodes", "people.svm", "--nodes-b", "other.svm", "--negatives", "2",
       "--init", "n.fx", "--freeze", "-o", "n.fx")
    assert fx("predict", "n.fx", *scores).text == before
    best = fx("recommend", "n.fx", "--for", "people.svm", "--among", "other.svm").text.splitlines()[1:]
    by = sorted(best, key=lambda line: -float(line.split(",")[3]))
    assert sum(int(line.split(",")[0][1:]) % 3 == 1 for line in by[:13]) >= 11
    assert fx("info", "n.fx", "--json").json["later_columns"] == 2

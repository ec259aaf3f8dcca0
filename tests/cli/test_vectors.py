# SPDX-License-Identifier: BSD-3-Clause
"""Vectors of users and items, whose inner products are scores.

Covers: cli/commands/cmd_vectors.c, cli/models/side_rows.c"""

import random

import numpy as np
import pytest

PEOPLE, FILMS = 40, 30


@pytest.fixture
def graph(put):
    """40 people and 30 films of three kinds each; a person likes films of their own kind."""
    r = random.Random(1)
    put("people.svm", "".join(f"p{i} {1 + i % 3}:1 {4 + i % 7}:1\n" for i in range(PEOPLE)))
    put("films.svm", "".join(f"f{i} {1 + i % 3}:1 {4 + i % 5}:0.5\n" for i in range(FILMS)))
    put("links.txt", "".join(f"p{i} f{k}\n" for i in range(PEOPLE) for k in range(FILMS)
                             if i % 3 == k % 3 and r.random() < 0.6))
    return ["--links", "links.txt", "--nodes", "people.svm", "--nodes-b", "films.svm"]


def joined(put, directory):
    """Every pair as a row: the columns of the film come after those of the person."""
    people, films = ([line.split()[1:] for line in (directory / name).read_text().splitlines()]
                     for name in ("people.svm", "films.svm"))
    width = max(int(e.split(":")[0]) for line in people for e in line)
    rows = [a + [f"{int(j) + width}:{x}" for j, x in (e.split(":") for e in b)]
            for a in people for b in films]
    put("pairs.svm", "".join("0 " + " ".join(row) + "\n" for row in rows))


def scores(fx, model):
    return np.array([[float(x) for x in line.split()] for line in
                     fx("predict", model, "pairs.svm", "--output", "score").out.splitlines()])


def read(fx, name):
    v = np.load(fx.directory / name)
    return v, (fx.directory / f"{name}.names").read_text().splitlines()


@pytest.mark.parametrize("model", [
    ["fm", "--rank", "3"], ["hofm:order=3", "--rank", "3"], ["bilinear:split=10", "--rank", "3"],
    ["all-subsets", "--rank", "3"], ["poly-net", "--rank", "3"], ["poly-net-uv", "--rank", "3"],
    ["hofm-shared:order=3", "--rank", "2"], ["hofm-simplex:order=3", "--rank", "2"], ["logistic"]])
def test_inner_products_are_scores(fx, put, graph, model):
    """To rounding: the numbers of a score are below 100, there are fewer than 100 of them, and
    predictions are printed to the last digit."""
    fx("train", *graph, "--model", *model, "-o", "m.fx")
    fx("vectors", "m.fx", "--nodes", "people.svm", "--side", "first", "-o", "u.npy")
    fx("vectors", "m.fx", "--nodes", "films.svm", "--side", "second", "-o", "v.npy")
    u, people = read(fx, "u.npy")
    v, films = read(fx, "v.npy")
    assert people == [f"p{i}" for i in range(PEOPLE)] and films == [f"f{i}" for i in range(FILMS)]
    joined(put, fx.directory)
    want = scores(fx, "m.fx").reshape(PEOPLE, FILMS)
    assert np.abs(u @ v.T - want).max() <= 100 * 100 * 100 * 2**-53
    assert (v[:, 0] == 1).all() and (u[:, 1] == 1).all() and want.std() > 0


def test_columns_by_name(fx, put):
    """Tables of nodes whose columns have the same names on both sides, read as in training."""
    r = random.Random(2)
    put("people.csv", "who,kind,age\n" + "".join(f"p{i},{'abc'[i % 3]},{i % 5}\n" for i in range(30)))
    put("films.csv", "who,kind,length\n" + "".join(f"f{i},{'abc'[i % 3]},{i % 4}\n" for i in range(20)))
    put("links.txt", "".join(f"p{i} f{k}\n" for i in range(30) for k in range(20)
                             if i % 3 == k % 3 and r.random() < 0.7))
    fx("train", "--links", "links.txt", "--nodes", "people.csv", "--nodes-b", "films.csv", "--label", "who",
       "--model", "fm", "--rank", "2", "-o", "m.fx")
    put("few.csv", "length,kind,who\n2,b,new\n1,zebra,newer\n")        # other order, an unknown kind
    r = fx("vectors", "m.fx", "--nodes", "few.csv", "--side", "second", "-o", "few.npy", "--json")
    assert r.json["rows"] == 2 and r.json["numbers"] == 4 and r.json["unseen"] == 1
    assert "never saw" in r.talk
    fx("vectors", "m.fx", "--nodes", "films.csv", "--side", "second", "-o", "v.npy")
    few, names = read(fx, "few.npy")
    v, films = read(fx, "v.npy")
    assert names == ["new", "newer"]
    assert (few[0] == v[films.index("f10")]).all()      # kind b, length 2


def test_rows_of_the_model(fx, put):
    """Without sides, rows have the columns of the model; names are numbers where there are no labels."""
    r = random.Random(3)
    put("x.svm", "".join(f"{i % 2} {1 + r.randrange(5)}:1 {6 + r.randrange(4)}:{r.random():.2f}\n"
                         for i in range(60)))
    fx("train", "x.svm", "--model", "fm", "--rank", "2", "-o", "m.fx")
    put("items.svm", "6:1\n7:1\n99:1\n")
    out = fx("vectors", "m.fx", "--nodes", "items.svm", "--side", "second")
    lines = out.out.decode().splitlines()
    assert lines[0] == "name,v1,v2,v3,v4" and [s.split(",")[0] for s in lines[1:]] == ["1", "2", "3"]
    assert lines[3] == "3,1,0,0,0" and "1 entry of columns that training never saw" in out.talk


@pytest.mark.parametrize("train, said", [
    (["--scale", "unit-l2"], "scaling unit-l2"), (["--scale", "unit-l1"], "scaling unit-l1"),
    (["--task", "regress", "--clip", "train"], "clipped")])
def test_refused_models(fx, graph, train, said):
    fx("train", *graph, "--model", "fm", "--rank", "2", *train, "-o", "m.fx")
    talk = fx("vectors", "m.fx", "--nodes", "films.svm", "--side", "second", status=2).talk
    assert said in talk


@pytest.mark.parametrize("args, said", [
    (["--side", "first"], "--nodes FILE is needed"), (["--nodes", "films.svm"], "--side"),
    (["--nodes", "films.svm", "--side", "third"], "third"),
    (["--nodes", "films.svm", "--side", "second", "--json"], "both want standard output"),
    (["--nodes", "films.svm", "--side", "second", "--output", "x"], "no score"),
    (["--nodes", "none.svm", "--side", "second"], "none.svm")])
def test_bad_options(fx, graph, args, said):
    fx("train", *graph, "--model", "fm", "--rank", "2", "-o", "m.fx")
    assert said in fx("vectors", "m.fx", *args, status=2).talk


def test_several_classes(fx, put):
    r = random.Random(4)
    put("x.svm", "".join(f"{'abc'[i % 3]} {1 + i % 3}:1 {4 + r.randrange(4)}:1\n" for i in range(60)))
    fx("train", "x.svm", "--model", "fm", "--rank", "2", "-o", "m.fx")
    put("items.svm", "x 4:1\ny 5:1\n")
    args = ["vectors", "m.fx", "--nodes", "items.svm", "--side", "second"]
    assert "3 scores" in fx(*args, status=2).talk
    one, two = (fx(*args, "--output", c).out.decode().splitlines() for c in "ab")
    assert one[1].startswith("x,1,") and one != two

# SPDX-License-Identifier: BSD-3-Clause
"""Pairs of nodes as rows: converted, trained on in memory, evaluated.

Covers: cli/tables/link_rows.c"""

import random
import re

import pytest


@pytest.fixture
def graph(put):
    """40 people and 30 films of three kinds each; a person likes films of their own kind."""
    r = random.Random(1)
    put("people.svm", "".join(f"p{i} {1 + i % 3}:1 {4 + i % 7}:1\n" for i in range(40)))
    put("films.svm", "".join(f"f{i} {1 + i % 3}:1 {4 + i % 5}:1\n" for i in range(30)))
    links = [(i, k) for i in range(40) for k in range(30) if i % 3 == k % 3 and r.random() < 0.6]
    put("links.txt", "# who likes what\n" + "".join(f"p{i} f{k}\n" for i, k in links))
    return ["--links", "links.txt", "--nodes", "people.svm", "--nodes-b", "films.svm"], len(links)


def test_convert_and_train_agree(fx, graph):
    args, links = graph
    for n in (1, 3):
        fx("convert", *args, "rows.svm", "--part", "train", "--negatives", n, "--seed", "5")
        lines = (fx.directory / "rows.svm").read_text().splitlines()
        assert sum(s.startswith("1 ") for s in lines) == links // 2
        assert len(lines) == (1 + n) * (links // 2) and all("qid:" in s for s in lines)
    model = ["--model", "bilinear:split=10", "--rank", "3", "--seed", "5"]
    args += ["--negatives", "3"]
    fx("train", *args, *model, "-o", "a.fx")
    fx("train", "rows.svm", *model, "-o", "b.fx")
    fx("convert", *args, "test.svm", "--part", "test", "--seed", "5")
    assert fx("predict", "a.fx", "test.svm", "--output", "score").out == fx(
        "predict", "b.fx", "test.svm", "--output", "score").out
    whole = fx("evaluate", "a.fx", *args, "--seed", "5", "--json").json
    assert whole["rows"] == 40 * 30 - 4 * (links // 2)
    assert whole == {**fx("evaluate", "a.fx", "test.svm", "--json").json, "seconds": whole["seconds"]}
    assert whole["auc"] > 0.8
    sample = fx("evaluate", "a.fx", *args, "--part", "sample", "--seed", "5", "--json").json
    assert sample["rows"] == 2 * (links - links // 2)


def test_rank_and_default_path(fx, graph):
    fx("train", *graph[0], "--model", "fm", "--task", "rank", "--rank", "4", "--max-iter", "20")
    assert (fx.directory / "links.txt.fx").exists()
    assert fx("evaluate", "links.txt.fx", *graph[0], "--json").json["auc"] > 0.75


def test_within_one_set_of_nodes(fx, put):
    put("n.svm", "".join(f"{i + 1} {1 + i % 4}:1\n" for i in range(12)))
    put("l.txt", "1 5\n2 6\n3 7\n4 8\n9 1\n10 2\n")
    talk = fx("convert", "--links", "l.txt", "--nodes", "n.svm", "r.svm", "--part", "test").talk
    assert "identifiers" not in talk    # which the labels of nodes are
    assert len((fx.directory / "r.svm").read_text().splitlines()) == 12 * 11 // 2 - 6


@pytest.mark.parametrize("args, said", [
    (["--links", "links.txt"], "needs --nodes"),
    (["--nodes", "people.svm"], "is for --links"),
    (["people.svm", "--negatives", "3"], "--negatives is for --links"),
    ([], "no rows"),
    (["people.svm", "--links", "links.txt", "--nodes", "people.svm"], "not from both"),
    (["--links", "links.txt", "--nodes", "people.svm"], "links.txt:2: "),       # films are no nodes of people
    (["--links", "links.txt", "--nodes", "people.svm", "--nodes-b", "films.svm", "--part", "valid"], "valid"),
])
def test_bad_links(fx, graph, args, said):
    assert said in fx("train", *args, "-o", "m.fx", "--model", "fm", status=2).talk


def test_missing_numbers_of_nodes(fx, put, graph):
    """They are missing in every pair of the node, and --nan says what becomes of the pairs."""
    args, links = graph
    put("people.svm", "".join(f"p{i} {1 + i % 3}:1 {4 + i % 7}:{'nan' if i % 9 == 0 else 1}\n"
                              for i in range(40)))
    model = ["--model", "fm", "--rank", "2", "--max-iter", "20", "-o", "m.fx"]
    assert "people.svm:1:10: nan is not a finite number in range (use --nan" in \
        fx("train", *args, *model, status=2).talk
    rows = 2 * (links // 2)
    for nan in "mean", "median", "zero", "mean,indicator", "drop":
        r = fx("train", *args, *model, "--nan", nan, "--json")
        left_out = int(re.search(r"links.txt: (\d+) missing numbers", r.talk)[1])
        assert 0 < left_out < rows / 2 and r.json["rows"] == rows - (left_out if nan == "drop" else 0)
        j = fx("evaluate", "m.fx", *args, "--json").json
        assert j["auc"] > 0.8 and (j["rows"] < 40 * 30 - rows) == (nan == "drop")
    assert "--nan mean is for training" in fx("evaluate", "m.fx", *args, "--nan", "mean", status=2).talk
    assert "with --links; use --nan mean,indicator" in \
        fx("train", *args, *model, "--nan", "category", status=2).talk
    fx("convert", *args, "rows.svm", "--nan", "drop")
    assert "nan" not in (fx.directory / "rows.svm").read_text()


def test_inputs_are_not_overwritten(fx, graph):
    before = (fx.directory / "films.svm").read_bytes()
    for args in (["train", *graph[0], "--model", "fm", "-o", "films.svm"],
                 ["train", *graph[0], "--model", "fm", "-o", "m.fx", "--history", "films.svm"],
                 ["convert", *graph[0], "films.svm"]):
        assert "would overwrite the input films.svm" in fx(*args, status=2).talk
    assert (fx.directory / "films.svm").read_bytes() == before

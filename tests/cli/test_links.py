# SPDX-License-Identifier: BSD-3-Clause
"""Pairs of nodes as rows: converted, trained on in memory, evaluated.

Covers: cli/tables/link_rows.c"""

import random

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
    fx("convert", "--links", "l.txt", "--nodes", "n.svm", "r.svm", "--part", "test")
    assert len((fx.directory / "r.svm").read_text().splitlines()) == 12 * 11 // 2 - 6


@pytest.mark.parametrize("args, said", [
    (["--links", "links.txt"], "needs --nodes"),
    (["--nodes", "people.svm"], "is for --links"),
    ([], "no rows"),
    (["people.svm", "--links", "links.txt", "--nodes", "people.svm"], "not from both"),
    (["--links", "links.txt", "--nodes", "people.svm"], "links.txt:2: "),       # films are no nodes of people
    (["--links", "links.txt", "--nodes", "people.svm", "--nodes-b", "films.svm", "--part", "valid"], "valid"),
])
def test_bad_links(fx, graph, args, said):
    assert said in fx("train", *args, "-o", "m.fx", "--model", "fm", status=2).talk


def test_inputs_are_not_overwritten(fx, graph):
    before = (fx.directory / "films.svm").read_bytes()
    for args in (["train", *graph[0], "--model", "fm", "-o", "films.svm"],
                 ["train", *graph[0], "--model", "fm", "-o", "m.fx", "--history", "films.svm"],
                 ["convert", *graph[0], "films.svm"]):
        assert "would overwrite the input films.svm" in fx(*args, status=2).talk
    assert (fx.directory / "films.svm").read_bytes() == before

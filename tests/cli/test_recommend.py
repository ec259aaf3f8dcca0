# SPDX-License-Identifier: BSD-3-Clause
"""The best items for each user, against scores of all pairs.

Covers: cli/commands/cmd_recommend.c, cli/commands/recommend_lines.c, cli/commands/recommend_reasons.c,
cli/models/seen_items.c"""

import csv
import io
import json
import os
import random
import select
import subprocess

import pytest

PEOPLE, FILMS = 40, 30


@pytest.fixture
def graph(fx, put):
    """40 people and 30 films of three kinds each; a person likes films of their own kind."""
    r = random.Random(1)
    put("people.svm", "".join(f"p{i} {1 + i % 3}:1 {4 + i % 7}:1\n" for i in range(PEOPLE)))
    put("films.svm", "".join(f"f{i} {1 + i % 3}:1 {4 + i % 5}:1\n" for i in range(FILMS)))
    put("links.txt", "".join(f"p{i} f{k}\n" for i in range(PEOPLE) for k in range(FILMS)
                             if i % 3 == k % 3 and r.random() < 0.6))
    put("pairs.txt", "".join(f"p{i} f{k}\n" for i in range(PEOPLE) for k in range(FILMS)))
    fx("train", "--links", "links.txt", "--nodes", "people.svm", "--nodes-b", "films.svm",
       "--model", "fm", "--rank", "3", "--seed", "3", "-o", "m.fx")
    return ["recommend", "m.fx", "--for", "people.svm", "--among", "films.svm"]


def table(done):
    return list(csv.DictReader(io.StringIO(done.out.decode())))


def scores(fx):
    """Of all pairs, by predict: its lines are those of pairs.txt."""
    out = fx("predict", "m.fx", "--links", "pairs.txt", "--nodes", "people.svm", "--nodes-b", "films.svm",
             "--output", "score").out.split()
    return [[float(x) for x in out[i * FILMS:(i + 1) * FILMS]] for i in range(PEOPLE)]


@pytest.mark.parametrize("k", [1, 5, 50, 10**9])
def test_best_of_all_pairs(fx, graph, k):
    """Films of one kind are equal rows, so there are ties: the film that comes first wins.  Scores are
    those of predict to rounding."""
    all_scores, got = scores(fx), table(fx(*graph, "-k", k))
    assert len(got) == PEOPLE * min(k, FILMS)
    for i in range(PEOPLE):
        mine = got[i * min(k, FILMS):(i + 1) * min(k, FILMS)]
        best = sorted(range(FILMS), key=lambda f: (-round(all_scores[i][f], 9), f))[:k]
        assert [(r["user"], r["rank"], r["item"]) for r in mine] == [
            (f"p{i}", str(n + 1), f"f{f}") for n, f in enumerate(best)]
        for r, f in zip(mine, best):
            assert abs(float(r["score"]) - all_scores[i][f]) <= 1e-12
            assert r["label"] == ("1" if all_scores[i][f] > 0 else "-1")


def test_without_what_was_seen(fx, put, graph):
    put("seen.txt", "# seen\n" + "".join(f"p{i} f{k}\n" for i in range(0, PEOPLE, 2) for k in range(28))
        + "p0 f28 # once more\np0 f28\nnobody f1\np1 elsewhere\n\n")
    got = table(fx(*graph, "--without", "seen.txt", "-k", "5"))
    assert [r["item"] for r in got if r["user"] == "p0"] == ["f29"]
    assert {r["item"] for r in got if r["user"] == "p2"} == {"f28", "f29"}
    assert sum(r["user"] == "p1" for r in got) == 5
    put("bad.txt", "p0 f1\np0\n")
    assert "bad.txt:2: one word" in fx(*graph, "--without", "bad.txt", status=2).talk
    put("bad.txt", "p0 f1 f2\n")
    assert "bad.txt:1: more than two" in fx(*graph, "--without", "bad.txt", status=2).talk
    put("other.txt", "p0 x\n")
    assert "not in films.svm" in fx(*graph, "--without", "other.txt").talk


def test_numbers_as_names(fx, put, graph):
    """Nodes without labels, or with numbers: a name is found by its value."""
    put("some.svm", "".join(f"{i + 10} {1 + i % 3}:1\n" for i in range(4)))
    put("seen.txt", "11.0 1e1\n11 11\n")
    args = ["recommend", "m.fx", "--for", "some.svm", "--among", "some.svm", "-k", "9"]
    got = table(fx(*args, "--without", "seen.txt"))
    assert {r["item"] for r in got if r["user"] == "11"} == {"12", "13"}
    assert sum(r["user"] == "10" for r in got) == 4
    put("bare.svm", "1:1\n2:1\n")
    got = table(fx("recommend", "m.fx", "--for", "bare.svm", "--among", "some.svm", "-k", "1"))
    assert [r["user"] for r in got] == ["1", "2"]


def test_json_lines_and_reasons(fx, graph):
    text = fx(*graph, "-k", "2", "--explain", "3", "--json").out.decode()
    rows = [json.loads(line) for line in text.splitlines()]
    assert len(rows) == 2 * PEOPLE and list(rows[0]) == ["user", "rank", "item", "score", "label", "because"]
    assert text == fx(*graph, "-k", "2", "--explain", "3", "--format", "jsonl").out.decode()
    fx(*graph, "-k", "2", "--explain", "3", "-o", "best.jsonl")
    assert (fx.directory / "best.jsonl").read_text() == text
    for r in rows:
        i, f = int(r["user"][1:]), int(r["item"][1:])
        mine = {str(1 + i % 3), str(4 + i % 7), str(11 + f % 3), str(14 + f % 5)}
        size = [why["contribution"] for why in r["because"]]
        assert size == sorted(size, reverse=True) and all(x > 0 for x in size) and len(size) <= 3
        for why in r["because"]:
            assert set(why["features"]) <= mine and any(int(j) > 10 for j in why["features"])
        if i % 3 == f % 3:              # their kinds go together
            assert r["because"][0]["features"] == [str(1 + i % 3), str(11 + f % 3)]
    got = table(fx(*graph, "-k", "1", "--explain", "1"))
    assert got[0]["because"].startswith(f"{rows[0]['because'][0]['features'][0]} & ")


def test_a_line_in_its_lines_out(fx, graph):
    """A coprocess: each user is answered before the next one is asked for."""
    want = table(fx(*graph, "-k", "3"))
    program = subprocess.Popen([os.environ["FEATCROSS"], "recommend", "m.fx", "--among", "films.svm", "-k", "3"],
                               cwd=fx.directory, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        for i, line in enumerate((fx.directory / "people.svm").read_bytes().splitlines(True)[:5]):
            program.stdin.write(line)
            program.stdin.flush()
            got = b""
            while got.count(b"\n") < 3 + (i == 0):
                assert select.select([program.stdout], [], [], 60)[0], "no answer"
                got += os.read(program.stdout.fileno(), 1 << 16)
            lines = got.decode().splitlines()[i == 0:]
            assert [s.split(",")[:3] for s in lines] == [
                [r["user"], r["rank"], r["item"]] for r in want[3 * i:3 * i + 3]]
        program.stdin.close()
        assert program.wait(60) == 0
    finally:
        program.kill()


def test_threads_and_instruction_sets(fx, graph):
    one = fx(*graph, "--threads", "1").out
    assert one == fx(*graph, "--threads", "3").out
    assert one == fx(*graph, env={"FX_TARGET": "scalar"}).out


def test_rankings_and_models_without_sides(fx, put, graph):
    fx("train", "--links", "links.txt", "--nodes", "people.svm", "--nodes-b", "films.svm", "--model", "fm",
       "--task", "rank", "--rank", "4", "--max-iter", "30", "-o", "m.fx")
    got = table(fx(*graph, "-k", "3"))
    assert list(got[0]) == ["user", "rank", "item", "score"]
    good = sum(int(r["user"][1:]) % 3 == int(r["item"][1:]) % 3 for r in got)
    assert good > 0.8 * len(got)
    r = random.Random(5)
    put("x.csv", "user,film,stars\n" + "".join(
        f"u{a},f{b},{5 if a % 2 == b % 2 else 1}\n" for a, b in
        ((r.randrange(12), r.randrange(9)) for _ in range(150))))
    fx("train", "x.csv", "--label", "stars", "--task", "regress", "--model", "fm", "--rank", "3", "-o", "m.fx")
    put("users.csv", "user\n" + "".join(f"u{a}\n" for a in range(12)))
    put("films.csv", "film\n" + "".join(f"f{b}\n" for b in range(9)))
    got = table(fx("recommend", "m.fx", "--for", "users.csv", "--among", "films.csv", "-k", "3", "--explain", "1"))
    assert [r["user"] for r in got[::3]] == [str(a + 1) for a in range(12)]     # no labels: numbers
    assert sum((int(r["user"]) - int(r["item"])) % 2 == 0 for r in got) > 0.8 * len(got)
    assert any("film=f" in r["because"] for r in got)


def test_pairs_in_their_order(fx, put, graph):
    """predict --links: the pairs of the file, each once."""
    put("few.txt", "p3 f2\np0 f0\np39 f29\n")
    nodes = ["--nodes", "people.svm", "--nodes-b", "films.svm"]
    all_scores = scores(fx)
    got = fx("predict", "m.fx", "--links", "few.txt", *nodes, "--output", "score").out.split()
    assert [float(x) for x in got] == [all_scores[3][2], all_scores[0][0], all_scores[39][29]]
    assert "not from both" in fx("predict", "m.fx", "x.svm", "--links", "few.txt", *nodes, status=2).talk
    assert "needs --nodes" in fx("predict", "m.fx", "--links", "few.txt", status=2).talk
    fx("convert", "--links", "few.txt", *nodes, "few.svm", "--part", "given")
    assert len((fx.directory / "few.svm").read_text().splitlines()) == 3


def test_pairs_of_some_nodes(fx, put, graph):
    """Files with some of the nodes, or with columns that the model lacks: pairs have the columns of the
    model all the same."""
    put("one.svm", "p3 1:1 7:1\n")             # of ten columns
    put("two.svm", "f29 3:1 8:1 11:2\nf2 3:1 6:1\n")
    put("few.txt", "p3 f2\np3 f29\n")
    r = fx("predict", "m.fx", "--links", "few.txt", "--nodes", "one.svm", "--nodes-b", "two.svm",
           "--output", "score")
    assert [float(x) for x in r.out.split()] == [scores(fx)[3][k] for k in (2, 29)]
    assert "1 entry of columns that training never saw was left out" in r.talk
    nodes = ["--nodes", "people.svm", "--nodes-b", "films.svm"]
    whole = fx("evaluate", "m.fx", "--links", "links.txt", *nodes, "--json").json
    put("films.svm", (fx.directory / "films.svm").read_text().replace("\n", " 12:1\n", 1))
    assert fx("evaluate", "m.fx", "--links", "links.txt", *nodes, "--json").json["auc"] == whole["auc"]


@pytest.mark.parametrize("args, said", [
    (["--for", "people.svm"], "--among FILE is needed"),
    (["--among", "-"], "standard input"),
    (["--for", "people.svm", "--among", "films.svm", "--json", "--format", "csv"], "leave out"),
    (["--for", "people.svm", "--among", "films.svm", "-k", "0"], "--top 0"),
    (["--for", "films.svm", "--among", "none.svm"], "none.svm")])
def test_bad_options(fx, graph, args, said):
    assert said in fx("recommend", "m.fx", *args, status=2).talk

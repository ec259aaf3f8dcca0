# SPDX-License-Identifier: BSD-3-Clause
"""featcross discover: planted combinations are found and named, noise is not, in every form of output.

Covers: cli/commands/cmd_discover.c, cli/commands/discovery_print.c, cli/commands/discovery_words.c,
cli/figures/plot_intervals.c"""
import csv
import io
import math
import shutil

import numpy as np
import pytest

from conftest import svmlight


def cafe(rows=600, noise=0.1):
    """The drink that suits the weather is sold."""
    r = np.random.default_rng(5)
    lines = ["weather,drink,day,sold"]
    for _ in range(rows):
        w, d = r.integers(2), r.integers(2)
        sold = (w == d) != (r.random() < noise)
        lines.append(f"{['hot', 'cold'][w]},{['tea', 'cocoa'][d]},{r.choice(['Mo', 'Tu', 'We'])},"
                     f"{'yes' if sold else 'no'}")
    return "\n".join(lines) + "\n"


@pytest.fixture
def found(fx, put):
    put("cafe.csv", cafe())
    return fx("discover", "cafe.csv", "--order", "2", "--json").json


def kept(j):
    return [c for c in j["combinations"] if not c["eliminated"]]


def test_planted(found):
    """Two of the four pairs of weather and drink say what the other two say."""
    assert found["order"] == 2 and found["alpha"] == 0.05 and found["certified"] and found["null"] is None
    assert found["rows"] == 600 and found["columns"] == 7 and found["products"] == 7 + 21 and found["halves"] == 50
    assert 0 <= found["gap"] <= 1e-4 and found["C"] > 0 and found["task"] == "classify" and found["seed"] == 1
    first, second = kept(found)
    for c in first, second:
        weather, drink = sorted(c["features"], reverse=True)
        suits = (weather, drink) in {("weather=hot", "drink=tea"), ("weather=cold", "drink=cocoa")}
        assert c["order"] == 2 and c["class"] == "yes" and c["p"] < 1e-6 and c["frequency"] > 0.5
        low, high = c["interval"]
        assert low < c["effect"] < high and (low > 0 if suits else high < 0)
        assert 100 < c["support"] < 200 and not c["separates"] and c["adds"] > 0.1
    assert {c["family"] for c in kept(found)} == {1, 2}
    for words in ("28 products of 1 to 2 of 7 columns", "2 are associated", "600 rows", "0.05", "50 halves"):
        assert words in found["sentence"]
    assert "that was missed" in found["caution"]


def test_forms(fx, found):
    """Table, CSV and JSON hold the same numbers."""
    text = fx("discover", "cafe.csv", "--order", "2", "--all").text
    rows = list(csv.DictReader(io.StringIO(fx("discover", "cafe.csv", "--order", "2", "--csv").text)))
    assert len(rows) == len(found["combinations"])
    for row, c in zip(rows, found["combinations"]):
        assert row["combination"] == " x ".join(c["features"]) and int(row["rows"]) == c["support"]
        for key in "effect", "p", "frequency", "adds":
            assert float(row[key]) == c[key]
        assert [float(row["low"]), float(row["high"])] == c["interval"]
        assert row["eliminated"] == ("yes" if c["eliminated"] else "no") and int(row["family"]) == c["family"]
        assert any(line.endswith(" x ".join(c["features"]) + " (adds nothing)" * c["eliminated"])
                   and f"{c['effect']:.4g}" in line for line in text.splitlines())
    assert found["sentence"] in text and found["caution"] in text
    short = fx("discover", "cafe.csv", "--order", "2")
    assert "(adds nothing)" not in short.text and "more are significant and add nothing" in short.text
    assert "log" in short.talk and "class yes" in short.talk


def test_rules(fx, found):
    rows = [line.split(",") for line in cafe().split()[1:]]
    j = fx("discover", "cafe.csv", "--order", "2", "--rules", "--json").json
    base = {name: sum(r[3] == name for r in rows) / len(rows) for name in ("yes", "no")}
    for c in kept(j):
        values = {f.split("=")[1] for f in c["features"]}
        held = [r for r in rows if values <= set(r)]
        then = c["rule"]["then"]
        share = sum(r[3] == then for r in held) / len(held)
        assert len(held) == c["support"] and then == ("yes" if c["effect"] > 0 else "no")
        assert c["rule"]["confidence"] == pytest.approx(share, abs=1e-12)
        assert c["rule"]["lift"] == pytest.approx(share / base[then], abs=1e-12)
    text = fx("discover", "cafe.csv", "--order", "2", "--rules").text
    assert " and " in text and "confidence" in text and "lift" in text
    assert "then,confidence,lift" in fx("discover", "cafe.csv", "--order", "2", "--rules", "--csv").text


def test_the_same(fx, found):
    """Threads, and svmlight of the same rows."""
    for threads in "1", "3":
        j = fx("discover", "cafe.csv", "--order", "2", "--json", "--threads", threads).json
        assert {**j, "seconds": 0} == {**found, "seconds": 0}
    other = fx("discover", "cafe.csv", "--order", "2", "--json", "--seed", "2").json
    assert other["combinations"][0]["p"] != found["combinations"][0]["p"]
    assert [c["features"] for c in kept(other)][:1]


def test_numbers(fx, put):
    r = np.random.default_rng(2)
    X = (r.random((500, 6)) < 0.4) * 3.0
    y = 20 + X[:, 1] * X[:, 4] + r.normal(size=500)
    put("n.svm", svmlight(X, y.tolist()))
    j = fx("discover", "n.svm", "--order", "2", "--json", "--rules").json
    best = j["combinations"][0]
    assert j["task"] == "regress" and j["scale"] == "maxabs" and "class" not in best
    assert best["features"] == [2, 5] and best["interval"][0] < 1 < best["interval"][1]
    assert best["rule"]["then"] == "larger" and best["rule"]["difference"] > 0
    talk = fx("discover", "n.svm", "--order", "2").talk
    assert "scaled (maxabs)" in talk and "regress" in talk


def test_classes(fx, put):
    r = np.random.default_rng(3)
    y = r.integers(3, size=400)
    X = (r.random((400, 5)) < 0.4).astype(float)
    X[np.arange(400), y] = r.random(400) < 0.9
    put("c.svm", svmlight(X, [f"class{k}" for k in y]).replace("'", ""))
    j = fx("discover", "c.svm", "--order", "1", "--json").json
    for k in range(3):
        assert any(c["class"] == f"class{k}" and c["features"] == [k + 1] and c["effect"] > 0
                   for c in j["combinations"])
    assert "class" in fx("discover", "c.svm", "--order", "1").text.splitlines()[0]


def test_nothing(fx, put):
    """A result, with exit status 0.  That the six shuffles of noise find something has a probability of 0.27 at
    most; that three or more do, 0.0022."""
    r = np.random.default_rng(1)
    put("x.svm", svmlight((r.random((300, 6)) < 0.5).astype(float), np.where(r.random(300) < 0.5, 1, -1)))
    j = fx("discover", "x.svm", "--order", "2", "--json", "--permute", "6").json
    assert j["combinations"] == [] and j["sentence"].startswith("Nothing was found at this level")
    assert j["null"]["permutations"] == 6 and j["null"]["discoveries"] < 3
    low, high = j["null"]["interval"]
    assert low <= j["null"]["discoveries"] / 6 <= high < 1
    text = fx("discover", "x.svm", "--order", "2", "--permute", "2").text
    assert "Nothing was found" in text and "shuffled labels" in text


def test_separates(fx, put):
    """An interaction without main effects and without noise: JSON has no infinity."""
    fx("make", "parity", "-n", "400", "-d", "6", "-k", "2", "-o", "p.svm", "--planted", "p.txt", "-q")
    planted = [int(x) for x in (fx.directory / "p.txt").read_text().split()]
    best, = fx("discover", "p.svm", "--json").json["combinations"]
    assert best["features"] == planted and best["separates"] and best["effect"] is None
    assert "inf" in fx("discover", "p.svm").text
    row, = csv.DictReader(io.StringIO(fx("discover", "p.svm", "--csv").text))
    assert math.isinf(float(row["effect"]))


def test_time(fx, put):
    put("cafe.csv", cafe())
    r = fx("discover", "cafe.csv", "--max-seconds", "1e-9", "--json")
    assert r.json["certified"] is False and r.json["combinations"] == [] and "--max-seconds" in r.talk
    assert "not complete" in r.json["caution"]


@pytest.mark.skipif(not shutil.which("gnuplot"), reason="gnuplot is not installed")
def test_plot(fx, found, put):
    fx("discover", "cafe.csv", "--order", "2", "--plot", "e.svg")
    drawn = (fx.directory / "e.svg").read_text()
    assert "weather=" in drawn and "log-odds of class yes" in drawn
    lines = [line.split() for line in (fx.directory / "e.svg.data").read_text().splitlines()[1:]]
    assert [float(x) for x in lines[0][1:]] == pytest.approx(
        [kept(found)[0]["effect"], *kept(found)[0]["interval"]], rel=1e-8)
    fx("make", "parity", "-n", "400", "-d", "6", "-k", "2", "-o", "p.svm", "-q")
    fx("discover", "p.svm", "--plot", "p.svg")          # nothing finite to draw
    assert "(infinite)" in (fx.directory / "p.svg").read_text()


def test_refused(fx, put):
    put("cafe.csv", cafe(60))
    put("few.csv", cafe(12))
    put("w.svm", "".join(f"{i % 2} {1 + i % 3}:1\n" for i in range(40)))
    for args, words in [(["cafe.csv", "--alpha", "2"], "--alpha"), (["cafe.csv", "--order", "17"], "--order"),
                        (["cafe.csv", "--csv", "--json"], "exclude"), (["few.csv"], "12 rows"),
                        (["cafe.csv", "--scale", "std"], "--scale"), (["none.csv"], "none.csv"),
                        (["cafe.csv", "--label", "nope"], "nope"), (["cafe.csv", "--plot", "e.pdf"], "e.pdf")]:
        assert words in fx("discover", *args, status=2).talk
    put("weights.csv", "a,b,w,y\n" + "".join(f"{i % 2},{i % 3},0.5,{i % 2}\n" for i in range(40)))
    assert "whole number" in fx("discover", "weights.csv", "--label", "y", "--weight-column", "w", status=2).talk

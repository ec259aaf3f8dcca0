# SPDX-License-Identifier: BSD-3-Clause
"""featcross bound: theorems, predictions and measurements, and the curves of errors.

Covers: cli/commands/cmd_bound.c, cli/kernels/map_error.c, cli/kernels/map_curve.c"""

import math
import shutil
import subprocess
import time

import numpy as np
import pytest

from conftest import SLOW

FIELDS = {"kernel", "map", "eps", "delta", "radius", "uniform", "theorem", "sharper", "reason",
          "predicted", "measured"}


@pytest.fixture
def data(fx):
    fx("make", "dense-positive", "-n", "400", "-d", "20", "-o", "x.svm", "-q")
    return "x.svm"


def bound(fx, *args, eps="0.1", **more):
    return fx("bound", *args, "--eps", eps, "--json", "-q", **more).json


# ---- Without data -----------------------------------------------------------------------------
def test_theorems(fx):
    j = bound(fx, "-k", "anova:order=2", "--delta", "0.01")
    assert set(j) == FIELDS and j["radius"] == 1 and (j["eps"], j["delta"]) == (0.1, 0.01)
    # 2 exp(-D eps^2/(2 C^2)) = delta
    D = lambda C: math.ceil(2 * C ** 2 / 0.1 ** 2 * math.log(2 / 0.01))
    assert j["theorem"]["kind"] == "itemset" and j["theorem"]["D"] == D(math.e ** 2)
    assert j["sharper"]["kind"] == "anova-factorial" and j["sharper"]["D"] == D(1 / 4)
    assert j["predicted"] is None and j["measured"] is None and j["reason"] is None
    k = bound(fx, "-k", "anova:order=2", "--delta", "0.01", "--columns", "10")
    assert k["sharper"]["kind"] == "anova-maclaurin" and k["sharper"]["D"] == D(0.45 ** 2)
    assert bound(fx, "--radius", "2")["theorem"]["D"] > 50 * bound(fx)["theorem"]["D"]


def test_one_theorem(fx):
    j = bound(fx, "-k", "rbf")
    assert j["theorem"]["kind"] == "fourier" and j["sharper"] is None
    assert j["map"].startswith("rff:") and "projection=dense" in j["map"]
    assert bound(fx, "-k", "poly:degree=2")["map"].startswith("rm:")


@pytest.mark.large
@pytest.mark.parametrize("map", ["rk", "rk:projection=hadamard", "rk:projection=circulant", "scrk",
                                 "rk:dist=gaussian", "rk:dist=laplace"])
def test_no_theorem(fx, data, map):
    for args in ([], [data]):
        j = bound(fx, *args, "--map", map)
        assert j["theorem"] is None and j["sharper"] is None and "no theorem holds" in j["reason"]
    r = fx("bound", "--eps", "0.1", "--map", map)
    assert "\ntheorem    none\n" in r.text and r.talk.startswith("no theorem holds for ")
    assert ("HINT: projection=packed" in r.talk) == ("dist" not in map)


def test_uniform(fx, data):
    j = bound(fx, "--uniform")
    assert j["theorem"] is None and "--columns" in j["reason"]
    few, many = (bound(fx, "--uniform", "--columns", n)["theorem"] for n in (10, 100))
    assert few["kind"] == "uniform" and few["D"] < many["D"]
    j = bound(fx, data, "--uniform")
    assert j["theorem"]["kind"] == "uniform" and j["predicted"] is None
    assert j["measured"]["max"] <= 0.1 and j["measured"]["within_eps"] == 1


def test_beyond_all_numbers(fx):
    j = bound(fx, "--radius", "400", "-k", "all-subsets")
    assert j["theorem"] == {"kind": "itemset", "D": None, "formula": j["theorem"]["formula"]}
    assert "inf" in fx("bound", "--eps", "0.1", "--radius", "400", "-k", "all-subsets").text


# ---- With data --------------------------------------------------------------------------------
@pytest.mark.parametrize("args", [
    ["-k", "anova:order=2"], ["-k", "anova:order=2", "--map", "rk"], ["-k", "all-subsets"],
    ["-k", "poly:degree=2"], ["-k", "poly:degree=2", "--map", "ts"], ["-k", "rbf"],
    ["-k", "linear", "--map", "sparse-jl"], ["-k", "linear", "--map", "jl"]])
@pytest.mark.large
def test_measured(fx, data, args):
    j = bound(fx, data, *args, "--delta", "0.1")
    m = j["measured"]
    assert m["verified"] is True and m["measured_at"] == m["D"] and m["within_eps"] >= 0.9
    assert m["pairs"] == 34 * 16 * 15 // 2 or m["pairs"] == 25 * 120       # 400 rows: 25 groups
    assert 0 < m["mae"] <= m["rmse"] <= m["max"] and 0 < m["ci95"] < m["rmse"]
    assert j["predicted"]["every"] >= j["predicted"]["D"] >= m["D"]       # Chebyshev is not tight
    for t in (j["theorem"], j["sharper"]):      # and theorems hold for more than these rows
        assert t is None or t["D"] >= m["D"]


@pytest.mark.large
def test_prediction(fx, data, tmp_path):
    """Chebyshev with V = predicted mean square at D: D' = V D/(eps^2 delta)."""
    j = bound(fx, data, "--delta", "0.2", "--pairs", "100000")
    e = fx("map", data, "--map", "rk:projection=packed", "-D", "500", "--error", "--pairs", "100000",
           "--json").json["error"]
    D = e["predicted"] ** 2 * 500 / (0.01 * 0.2)
    assert abs(j["predicted"]["D"] / D - 1) < 0.1       # on other pairs


def test_radius_is_the_largest_norm(fx, put):
    put("x.svm", "1 1:3 2:-4\n-1 1:1\n")
    assert bound(fx, "x.svm")["radius"] == 7
    assert bound(fx, "x.svm", "-k", "linear", "--map", "jl")["radius"] == 5
    assert bound(fx, "x.svm", "--scale", "unit-l1")["radius"] == 1
    assert bound(fx, "x.svm", "--radius", "2.5")["radius"] == 2.5


def test_given_features(fx, data):
    j = bound(fx, data, "-D", "3x")["measured"]
    assert j["D"] == j["measured_at"] == 60
    assert bound(fx, data, "-D", "600")["measured"]["rmse"] < j["rmse"]
    assert "-D 0 is neither" in fx("bound", "nowhere.svm", "--eps", "1", "-D", "0", status=2).talk


def test_more_than_is_tried(fx, data):
    m = bound(fx, data, eps="1e-5")["measured"]
    assert m["verified"] is False and m["D"] > 1 << 18 and m["measured_at"] == 320
    assert "not tried, scaled from 320 features" in fx("bound", data, "--eps", "1e-5").text


@pytest.mark.large
def test_more_tries_than_allowed(fx, data):
    """A D that was tried and missed is not an answer."""
    for seed in range(8):
        m = bound(fx, data, "--uniform", "--seeds", "1", "--seed", seed, "-k", "poly:degree=2",
                  "--map", "ts", "--pairs", "120")["measured"]
        assert m["within_eps"] == 1 if m["verified"] else m["D"] > m["measured_at"]


def test_exact_columns_are_not_counted(fx, data, tmp_path):
    """D is what -D takes: the same maps are made."""
    args = ["-k", "poly:degree=2", "--map", "rm:h01=yes,projection=packed"]
    j = bound(fx, data, *args)
    again = bound(fx, data, *args, "-D", j["measured"]["D"])
    assert again["measured"] == j["measured"]
    assert abs(again["predicted"]["D"] - j["predicted"]["D"]) <= 1
    assert bound(fx, data, "--map", "explicit")["measured"]["D"] == 190


def test_at_least_one_feature(fx, data):
    j = bound(fx, data, eps="1e300")
    assert j["theorem"]["D"] == j["sharper"]["D"] == j["predicted"]["D"] == 1


def test_counts(fx, put, data):
    put("wide.svm", "1 1:1 2:1\n1 2:1 900:1\n")
    for name in (data, "wide.svm"):
        for projection in ("packed", "hadamard"):
            args = [name, "-k", "poly", "--map",
                    f"rm:orders=allocated,counts=1/2/3,projection={projection}"]
            assert bound(fx, *args, "-D", "6")["measured"]["D"] == 6
            for more in ([], ["--curve"], ["--curve", "-D", "6"]):
                assert "counts=" in fx("bound", *args, "--eps", "1", *more, status=2).talk


def test_memory_limit(fx, data):
    talk = fx("bound", data, "--eps", "1", "--seeds", "1000", "--max-memory", "20M", status=4).talk
    assert "3120 pairs and 1000 seeds need" in talk


def test_text(fx, data):
    text = fx("bound", data, "--eps", "0.1").text
    assert [l.split()[0] for l in text.splitlines() if l] == [
        "kernel", "map", "wanted", "by", "theorem", "sharper", "predicted", "measured"]


@pytest.mark.parametrize("rows", ["1 1:1\n", "1 1:0\n1 1:0\n", "1 1:1\n1 1:2\n", "1 1:1 2:1\n" * 17])
def test_little_data(fx, put, rows):
    put("x.svm", rows)
    for kernel in ("anova:order=2", "linear", "all-subsets"):
        j = bound(fx, "x.svm", "-k", kernel)
        assert set(j) == FIELDS
        assert (j["measured"] is None) == (rows.count("\n") == 1)
        fx("bound", "x.svm", "--eps", "0.1", "-k", kernel)


@pytest.mark.timed
@pytest.mark.large
def test_a_million_columns(fx, put):
    """Columns that no row has cost nothing, and change nothing but the theorems that see them."""
    r = np.random.default_rng(3)
    sets = [sorted(r.choice(50, 8, False) + 1) for _ in range(64)]
    put("near.svm", "".join("1 " + " ".join(f"{j}:1" for j in S) + "\n" for S in sets))
    put("far.svm", "".join("1 " + " ".join(f"{20000 * j}:1" for j in S) + "\n" for S in sets))
    start = time.monotonic()
    far = bound(fx, "far.svm", eps="5")
    near = bound(fx, "near.svm", eps="5")
    fx("bound", "far.svm", "--curve", "--seeds", "1")
    assert time.monotonic() - start < 20 * SLOW
    for j in (near, far):               # the first D depends on the width
        assert j["measured"]["verified"] and j["measured"]["within_eps"] >= 0.95
    assert near["predicted"] == far["predicted"] and near["theorem"] == far["theorem"]
    assert 0.7 < near["measured"]["D"] / far["measured"]["D"] < 1.4


def test_families(fx, put, data):
    put("sets.txt", "1 2\n2 3 5\n")
    j = bound(fx, data, "-k", "itemset:file=sets.txt")
    assert j["theorem"]["kind"] == "itemset" and j["measured"]["verified"]
    assert bound(fx, "-k", "itemset:file=sets.txt")["theorem"]["kind"] == "itemset"


@pytest.mark.large
def test_same_for_any_threads(fx, data):
    assert bound(fx, data, "--threads", "1") == bound(fx, data, "--threads", "8")
    assert bound(fx, data, "--seed", "2")["measured"] != bound(fx, data)["measured"]


def test_faults_come_first(fx):
    for args in (["-k", "anvoa"], ["--map", "rkk"], ["-k", "rbf", "--map", "rk"]):
        assert "nowhere" not in fx("bound", "nowhere.svm", "--eps", "1", *args, status=2).talk


# ---- Curves -----------------------------------------------------------------------------------
@pytest.mark.parametrize("kernel, maps", [
    ("anova:order=2", {"rk", "scrk", "sparse-jl"}), ("poly:degree=3", {"rm", "ts"}),
    ("rbf", {"rff"}), ("linear", {"rk", "scrk", "jl", "sparse-jl"})])
def test_curve(fx, data, kernel, maps):
    j = fx("bound", data, "-k", kernel, "--curve", "--seeds", "2", "--pairs", "500", "--json").json
    assert {p["map"].split(":")[0] for p in j["curve"]} >= maps
    for m in {p["map"] for p in j["curve"]}:
        points = [p for p in j["curve"] if p["map"] == m]
        exact = 21 if "h01" in m else 0         # columns beside the random ones
        assert [p["D"] for p in points] == [exact + (20 << i) for i in range(7)]
        assert all(0 <= p["low"] <= p["relative_rmse"] <= p["high"] for p in points)
        if m != "scrk":                 # as 1/sqrt(D), 8 times from 1x to 64x, or faster
            assert points[-1]["relative_rmse"] < points[0]["relative_rmse"] / 3
    lines = fx("bound", data, "-k", kernel, "--curve", "--seeds", "1", "--pairs", "200").text
    assert "1 seed\n" in lines and lines.count("+-") == len({p["map"] for p in j["curve"]})


def test_curve_of_given_maps(fx, data):
    j = fx("bound", data, "--curve", "--map", "rk explicit", "--seeds", "1", "--json").json
    assert [p["map"] for p in j["curve"]] == ["rk"] * 7 + ["explicit"] * 7
    for maps, said in (("rk rff", "maps for that: "), ("rk rkk", "no map 'rkk'"),
                       ("", "a name must come first"), ("rk " * 9, "at most 8 maps")):
        talk = fx("bound", "nowhere.svm", "--curve", "--map", maps, status=2).talk
        assert said in talk and "nowhere" not in talk
    j = fx("bound", data, "--curve", "--map", " rk  scrk ", "--seeds", "1", "--json").json
    assert [p["map"] for p in j["curve"]] == ["rk"] * 7 + ["scrk"] * 7


def test_curve_of_few_columns(fx, put):
    put("x.svm", "1 1:1 2:1\n1 1:2\n")
    j = fx("bound", "x.svm", "--curve", "--json").json
    assert {p["D"] for p in j["curve"]} == {4 << i for i in range(7)}
    put("none.svm", "1\n1\n")
    assert "0 columns" in fx("bound", "none.svm", "--curve", status=2).talk


@pytest.mark.skipif(not shutil.which("gnuplot"), reason="gnuplot is not installed")
@pytest.mark.parametrize("name, magic", [("it's.png", b"\x89PNG"), ("c.svg", b"<?xml")])
def test_curve_plot(fx, data, tmp_path, name, magic):
    args = ["bound", data, "--curve", "--seeds", "2", "--pairs", "500"]
    j = fx(*args, "--json", "--plot", name).json
    picture = (tmp_path / name).read_bytes()
    assert picture.startswith(magic)
    shown = np.loadtxt(tmp_path / f"{name}.data")
    measured = shown[:len(j["curve"]), 1]       # then the line for the eye
    np.testing.assert_allclose(measured, [p["relative_rmse"] for p in j["curve"]], rtol=1e-5)
    (tmp_path / name).unlink()
    subprocess.run(["gnuplot", f"{name}.gnuplot"], cwd=tmp_path, check=True)
    assert (tmp_path / name).read_bytes() == picture
    assert "would overwrite" in fx("bound", f"{name}.data", "--format", "tsv", "--curve", "--plot",
                                   name, status=2).talk

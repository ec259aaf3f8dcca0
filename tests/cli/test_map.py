# SPDX-License-Identifier: BSD-3-Clause
"""featcross map: features against the kernel that they stand for.

Covers: cli/commands/cmd_map.c, cli/kernels/kernel_choice.c"""

import io
import subprocess
import time

import numpy as np
import pytest

from conftest import SLOW, svmlight
from test_output import files, interrupt, spawn, wait_for

MAPS = {  # a kernel for each map
    "rk": "anova:order=2", "rk:projection=packed": "anova:order=3", "scrk": "anova:order=2",
    "rk:projection=hadamard,complex=yes": "all-subsets", "rk:dist=gaussian": "linear",
    "rm": "poly:degree=2", "rm:h01=yes": "exp:gamma=0.5", "ts": "poly:degree=3",
    "rff": "rbf:gamma=0.5", "jl": "linear", "sparse-jl": "anova:order=2",
    "explicit": "poly:degree=2",
}


def gram(fx, tmp_path, name, kernel, *args):
    fx("gram", name, "-k", kernel, "-o", "k.npy", "-q", *args)
    return np.load(tmp_path / "k.npy")


def features(fx, tmp_path, *args):
    fx("map", *args, "-o", "z.npy", "-q")
    return np.load(tmp_path / "z.npy")


# ---- What is computed -------------------------------------------------------------------------
@pytest.mark.parametrize("map, kernel", MAPS.items())
@pytest.mark.large
def test_unbiased(fx, put, tmp_path, rows, map, kernel):
    """The mean over 40 maps is within 5 standard errors of the kernel, for all pairs but a few; a
    float's rounding where there is no error."""
    X, y = rows
    X = X / np.linalg.norm(X, axis=1, keepdims=True)
    put("x.svm", svmlight(X, y))
    K = gram(fx, tmp_path, "x.svm", kernel)
    outs = []
    for seed in range(40):
        Z = features(fx, tmp_path, "x.svm", "-k", kernel, "--map", map, "-D", "64", "--seed", seed)
        assert Z.dtype == np.float32 and len(Z) == len(X)
        outs.append(Z.astype(float) @ Z.T.astype(float))
    mean, error = np.mean(outs, 0), np.std(outs, 0, ddof=1) / np.sqrt(len(outs))
    rounding = 1e-5 * np.sqrt(np.outer(np.diag(K), np.diag(K)))
    assert (np.abs(mean - K) > 5 * error + rounding).mean() < 0.02


@pytest.mark.large
@pytest.mark.parametrize("map, kernel", MAPS.items())
def test_error(fx, put, tmp_path, map, kernel):
    fx("make", "dense-positive", "-n", "200", "-d", "20", "-o", "x.svm", "-q")
    j = fx("map", "x.svm", "-k", kernel, "--map", map, "-D", "16x", "--error", "--json").json
    e = j["error"]
    assert e["pairs"] == 10000 and 0 <= e["mae"] <= e["rmse"] <= e["max"] and e["scale"] > 0
    assert j["output"] is None and j["kernel"].startswith(kernel.split(":")[0])
    assert j["map"].split(":")[0] == {"scrk": "rk"}.get(map, map.split(":")[0])
    if e["predicted"] is not None and map != "explicit":    # one map errs as maps do
        assert e["predicted"] / 2 < e["rmse"] < 2 * e["predicted"]
    Z = features(fx, tmp_path, "x.svm", "-k", kernel, "--map", map, "-D", "16x").astype(float)
    R = (Z @ Z.T - gram(fx, tmp_path, "x.svm", kernel))[~np.eye(200, dtype=bool)]
    # Drawn pairs against all pairs: two intervals, since 10000 of 19900 are drawn with replacement.
    assert abs(np.sqrt((R ** 2).mean()) - e["rmse"]) <= 2 * e["ci95"] + 1e-6 * e["scale"]
    assert e["max"] <= np.abs(R).max() + 1e-6 * e["scale"]


@pytest.mark.large
def test_error_as_text(fx, put, tmp_path):
    fx("make", "pairs", "-n", "50", "-o", "x.svm", "-q")
    text = fx("map", "x.svm", "--error", "--pairs", "100").text
    assert "\npairs      100\n" in text and "\npredicted  rmse " in text
    assert "not known" in fx("map", "x.svm", "--error", "--map", "scrk").text
    fx("map", "x.svm", "--error", "-o", "z.npy")
    assert np.load(tmp_path / "z.npy").shape == (50, 1600)
    assert "both want standard output" in fx("map", "x.svm", "--error", "-o", "-", status=2).talk
    put("one.svm", "1 1:1\n")
    assert "a pair needs two" in fx("map", "one.svm", "--error", status=2).talk


# ---- Sizes ------------------------------------------------------------------------------------
@pytest.mark.parametrize("D", [1, 2, 3, 15, 17, 100, 1001])
@pytest.mark.parametrize("d", [1, 2, 7])
def test_odd_sizes(fx, tmp_path, d, D):
    r = np.random.default_rng(D)
    np.save(tmp_path / "x.npy", r.normal(size=(5, d)))
    np.save(tmp_path / "row.npy", np.load(tmp_path / "x.npy")[3:4])
    for kernel in ("linear", "anova:order=2", "all-subsets"):
        Z = features(fx, tmp_path, "x.npy", "-k", kernel, "-D", D)
        assert Z.shape == (5, D) and np.isfinite(Z).all()
        one = features(fx, tmp_path, "row.npy", "-k", kernel, "-D", D)
        assert (one == Z[3:4]).all()    # a row's features do not depend on its neighbours


def test_multiples(fx, put, tmp_path):
    put("x.svm", "1 1:1 5:2\n")
    assert features(fx, tmp_path, "x.svm").shape == (1, 80)
    assert features(fx, tmp_path, "x.svm", "-D", "3x").shape == (1, 15)
    assert features(fx, tmp_path, "x.svm", "--features", "3").shape == (1, 3)
    assert features(fx, tmp_path, "x.svm", "--map", "explicit").shape == (1, 10)


@pytest.mark.parametrize("D", ["0", "", "x", "-1", "1.5", "1e3", "16X", "16xx", " 4", "0x", "x16"])
def test_bad_counts(fx, D):
    assert f"-D {D} is neither" in fx("map", "nowhere.svm", "-D", D, status=2).talk


@pytest.mark.parametrize("D", ["99999999999999999999", "4000000000", "4000000000x"])
def test_too_many_features(fx, D):
    assert f"-D {D}: at most 2147483647" in fx("map", "nowhere.svm", "-D", D, status=2).talk


def test_too_many_columns(fx, put):
    put("x.svm", "1 2000000000:1\n")
    assert "more than 2147483647 features" in fx("map", "x.svm", "-qD16x", "--max-memory", "100G",
                                                 status=2).talk


def test_empty_rows(fx, put, tmp_path):
    put("x.svm", "1\n-1 2:1\n1\n")
    assert (features(fx, tmp_path, "x.svm", "-D", "8")[[0, 2]] == 0).all()
    Z = features(fx, tmp_path, "x.svm", "-D", "8", "-k", "all-subsets")
    assert np.allclose((Z[[0, 2]] ** 2).sum(1), 1)      # the empty set


@pytest.mark.timed
def test_a_million_columns(fx, put, tmp_path):
    r = np.random.default_rng(5)
    put("x.svm", "".join("1 " + " ".join(f"{j}:1" for j in sorted(r.choice(10**6, 20, False) + 1))
                         + "\n" for _ in range(200)) + "1 1000000:1\n")
    start = time.monotonic()
    for map in ("rk", "sparse-jl"):
        assert features(fx, tmp_path, "x.svm", "--map", map, "-D", "1024").shape == (201, 1024)
    assert time.monotonic() - start < 20 * SLOW


@pytest.mark.large
def test_portions(fx, tmp_path):
    """More than one portion: 5000 x 2048 floats are 40 MiB."""
    fx("make", "pairs", "-n", "5000", "-d", "64", "-o", "x.svm", "-q")
    Z = features(fx, tmp_path, "x.svm", "-D", "2048")
    fx("convert", "x.svm", "end.svm", "-q", "--shuffle")
    fx("convert", "x.svm", "head.svm", "-q", "--head", "10")
    assert Z.shape == (5000, 2048)
    assert (features(fx, tmp_path, "head.svm", "-D", "2048") == Z[:10]).all()
    fx("map", "x.svm", "-D", "2048", "-o", "z.csv", "-q")
    with open(tmp_path / "z.csv") as f:
        lines = f.read().splitlines()
    assert len(lines) == 5001 and lines[0].startswith("x1,x2,") and lines[0].endswith(",label")
    y = [int(l.split()[0]) for l in (tmp_path / "x.svm").read_text().splitlines()]
    assert [int(l.rsplit(",", 1)[1]) for l in lines[1:]] == y
    last = np.array(lines[5000].split(",")[:-1], dtype=np.float32)
    assert (last == Z[-1]).all()


# ---- The same bytes ---------------------------------------------------------------------------
@pytest.mark.parametrize("map, kernel", MAPS.items())
def test_same_for_any_threads(fx, tmp_path, map, kernel):
    fx("make", "dense-positive", "-n", "300", "-d", "30", "-o", "x.npy", "-q")
    outs = []
    for threads, seed in ((1, 1), (2, 1), (8, 1), (8, 2)):
        features(fx, tmp_path, "x.npy", "-k", kernel, "--map", map, "-D", "500", "--threads",
                 threads, "--seed", seed)
        outs.append((tmp_path / "z.npy").read_bytes())
    assert outs[0] == outs[1] == outs[2] and (outs[3] != outs[0] or map == "explicit")


def test_complete_spec_makes_the_same_map(fx, put, tmp_path):
    fx("make", "dense-positive", "-n", "100", "-d", "20", "-o", "x.npy", "-q")
    for map, kernel in (("rk:complex=auto", "anova:order=2"), ("rm:orders=allocated", "exp")):
        args = ["x.npy", "-k", kernel, "-D", "64", "-o", "z.npy", "--json", "--map"]
        spec = fx("map", *args, map).json["map"]
        assert "auto" not in spec
        first = (tmp_path / "z.npy").read_bytes()
        fx("map", *args, spec)
        assert (tmp_path / "z.npy").read_bytes() == first


# ---- Formats ----------------------------------------------------------------------------------
def test_formats(fx, put, tmp_path, rows):
    X, y = rows
    put("x.svm", svmlight(X, y))
    Z = features(fx, tmp_path, "x.svm", "-D", "9")
    args = ["x.svm", "-D", "9", "-q"]
    fx("map", *args, "--type", "double", "-o", "d.npy")
    D = np.load(tmp_path / "d.npy")
    assert D.dtype == np.float64 and (D == Z).all()
    fx("map", *args, "-o", "z.csv"), fx("map", *args, "-o", "z.tsv"), fx("map", *args, "-o", "z.svm")
    assert fx("map", *args).out == (tmp_path / "z.csv").read_bytes()
    assert fx("map", *args, "-o", "-", "--to", "svmlight").out == (tmp_path / "z.svm").read_bytes()
    assert (np.load(io.BytesIO(fx("map", *args, "--to", "npy").out)) == Z).all()
    assert (np.load(io.BytesIO(fx("map", "-", "-D9", "--to", "npy",
                                  stdin=(tmp_path / "x.svm").read_bytes()).out)) == Z).all()
    table = np.loadtxt(tmp_path / "z.csv", delimiter=",", skiprows=1)
    assert (table[:, :-1].astype(np.float32) == Z).all() and table[:, -1].tolist() == y
    assert (np.loadtxt(tmp_path / "z.tsv", skiprows=1) == table).all()
    fx("convert", "z.svm", "back.csv", "-q")
    assert (tmp_path / "back.csv").read_bytes() == (tmp_path / "z.csv").read_bytes()
    for name in ("z.npz", "z.npy.gz"):
        fx("map", *args, "-o", name, status=2)


def test_text_labels_and_queries(fx, put):
    put("x.svm", "ham qid:3 1:1 2:1\nspam qid:4 2:1\n")
    lines = fx("map", "x.svm", "-k", "linear", "-D1", "--to", "svmlight").text.splitlines()
    assert [l.split()[:2] for l in lines] == [["ham", "qid:3"], ["spam", "qid:4"]] or \
        lines[0].startswith("ham qid:3")    # a feature that is 0 is left out


def test_without_labels(fx, tmp_path):
    np.save(tmp_path / "x.npy", np.ones((2, 3)))
    assert fx("map", "x.npy", "-D2", "-q").text.splitlines()[0] == "x1,x2"


def test_scale(fx, put, tmp_path, rows):
    X, y = rows
    put("x.svm", svmlight(X, y))
    put("u.svm", svmlight(X / np.linalg.norm(X, axis=1, keepdims=True), y))
    a = features(fx, tmp_path, "x.svm", "-D", "32", "--scale", "unit-l2")
    np.testing.assert_allclose(a, features(fx, tmp_path, "u.svm", "-D", "32"), atol=1e-5)


def test_families(fx, put, tmp_path):
    put("x.svm", "1 1:1 2:2 3:3\n1 2:1 3:1\n")
    put("sets.txt", "1 2\n2 3\n")
    put("fields.txt", "a: 1 2\nb: 3\n")
    for kernel in ("itemset:file=sets.txt", "groups:file=fields.txt,order=2"):
        K = gram(fx, tmp_path, "x.svm", kernel)
        Z = features(fx, tmp_path, "x.svm", "-k", kernel, "-D", "20000").astype(float)
        np.testing.assert_allclose(Z @ Z.T, K, rtol=0.1)
    put("x0.svm", "1 0:1 1:2 2:3\n1 1:1 2:1\n")         # the family is in the data's base
    put("sets0.txt", "0 1\n1 2\n")
    a = features(fx, tmp_path, "x.svm", "-k", "itemset:file=sets.txt", "-D", "64")
    assert (features(fx, tmp_path, "x0.svm", "-k", "itemset:file=sets0.txt", "-D", "64") == a).all()
    put("bad.txt", "1 2\n1 x\n")
    assert "bad.txt:2:3: " in fx("map", "x.svm", "-k", "itemset:file=bad.txt", status=2).talk


def test_default_map_serves_the_kernel(fx, put):
    put("x.svm", "1 1:1 2:1\n-1 1:2\n")
    for kernel, map in (("anova", "rk:"), ("poly:degree=3", "rm:"), ("rbf", "rff:")):
        assert fx("map", "x.svm", "-k", kernel, "--json").json["map"].startswith(map)


def test_json(fx, put):
    put("x.svm", "1 1:1\n-1 2:1\n")
    j = fx("map", "x.svm", "-D", "4", "-o", "z.npy", "--json").json
    assert set(j) == {"rows", "columns", "map", "kernel", "seconds", "seed", "output"}
    assert (j["rows"], j["columns"], j["output"], j["seed"]) == (2, 4, "z.npy", 1)
    assert set(j["seconds"]) == {"read", "map", "write", "error"}
    assert "both want standard output" in fx("map", "x.svm", "--json", "-o", "-", status=2).talk


# ---- What is refused --------------------------------------------------------------------------
def test_not_served(fx):
    """Before anything is read."""
    talk = fx("map", "nowhere.svm", "-k", "rbf", "--map", "rk", status=2).talk
    assert "rk serves linear, anova" in talk and "maps for that: rff" in talk
    assert "there are rk, " in fx("map", "nowhere.svm", "--map", "rkk", status=2).talk
    assert "projection=slow" in fx("map", "nowhere.svm", "--map", "rk:projection=slow",
                                   status=2).talk
    assert "anvoa" in fx("map", "nowhere.svm", "-k", "anvoa", status=2).talk


def test_nan(fx, put, tmp_path):
    put("x.svm", "1 1:1\n1 1:1 2:nan\n")
    assert "x.svm:2:9" in fx("map", "x.svm", "-o", "z.npy", status=2).talk
    np.save(tmp_path / "x.npy", [[1.0, 2.0], [3.0, np.inf]])
    fx("map", "x.npy", "-o", "z.npy", status=2)
    assert not (tmp_path / "z.npy").exists()


def test_beyond_floats(fx, tmp_path):
    X = np.ones((20000, 4), np.float32)
    X[17003] = 1e30                     # in the second portion
    np.save(tmp_path / "x.npy", X)
    talk = fx("map", "x.npy", "-D", "512", "-o", "z.npy", status=3).talk
    assert "of row 17004 is beyond" in talk and not (tmp_path / "z.npy").exists()


@pytest.mark.timed
def test_memory_limit(fx, put, tmp_path):
    put("x.svm", "".join(f"1 {i % 9 + 1}:1\n" for i in range(100)))
    talk = fx("map", "x.svm", "-D", "1000000", "-o", "z.npy", "--max-memory", "30M", status=4).talk
    assert "the limit is 30.0 MiB" in talk and files(tmp_path) == ["x.svm"]
    start = time.monotonic()            # the map is not drawn in vain
    fx("map", "x.svm", "-D", "2000000000", "-o", "z.npy", "--max-memory", "100G", status=4)
    assert time.monotonic() - start < 2 * SLOW


@pytest.mark.large
def test_memory_does_not_grow_with_rows(program, tmp_path):
    """80000 x 2048 floats are 625 MiB; the limit on the address space leaves no room for them."""
    import resource
    np.save(tmp_path / "x.npy", np.ones((80000, 8), np.float32))
    limit = 600 << 20
    if SLOW > 1:
        pytest.skip("sanitizers reserve more than that")
    subprocess.run([program, "map", "x.npy", "-D", "2048", "-o", "z.npy", "-q"], cwd=tmp_path,
                   check=True, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS,
                                                                     (limit, limit)))
    assert (tmp_path / "z.npy").stat().st_size == 128 + 80000 * 2048 * 4


@pytest.mark.timed
@pytest.mark.parametrize("name", ["z.npy", "z.csv"])
def test_interrupted(program, tmp_path, name):
    r = np.random.default_rng(0)
    np.save(tmp_path / "x.npy", r.normal(size=(100000, 32)).astype(np.float32))
    p = spawn(program, tmp_path, "map", "x.npy", "-D", "8192", "-o", name)
    wait_for(lambda: any(f.name.startswith(".") and f.stat().st_size > 0
                         for f in tmp_path.iterdir()), p, 30)
    seconds, _, _ = interrupt(p)
    assert p.returncode == 130 and seconds < 0.5 * SLOW and files(tmp_path) == ["x.npy"]


@pytest.mark.timed
def test_interrupted_while_drawing(program, tmp_path):
    np.save(tmp_path / "x.npy", np.ones((2, 10)))
    p = spawn(program, tmp_path, "map", "x.npy", "-D", "500000000", "--error", "--pairs", "1")
    time.sleep(0.5 * SLOW)
    seconds, _, _ = interrupt(p)
    assert p.returncode == 130 and seconds < 0.5 * SLOW


def test_disk_full(fx, put):
    put("x.svm", "1 1:1 2:3\n" * 100)
    for to in ("npy", "csv"):
        assert "/dev/full: No space left" in fx("map", "x.svm", "-D", "4096", "--to", to, "-o",
                                                "/dev/full", status=2).talk

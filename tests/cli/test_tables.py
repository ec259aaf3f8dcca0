# SPDX-License-Identifier: BSD-3-Clause
"""featcross info, convert, make and bench.

Covers: cli/commands/cmd_info.c, cli/commands/cmd_convert.c, cli/commands/cmd_make.c,
cli/commands/cmd_bench.c, cli/tables/rows_prepare.c"""

import re

import numpy as np
import pytest
import scipy.sparse

from conftest import svmlight


# ---- info -------------------------------------------------------------------------------------
def test_info(fx, put):
    put("x.svm", "1 1:1 3:-2.5\n\n-1 3:0.1\n")
    j = fx("info", "x.svm", "--json").json
    assert (j["file"], j["format"], j["compression"]) == ("x.svm", "svmlight", None)
    assert (j["rows"], j["columns"], j["nonzeros"], j["density"]) == (2, 3, 3, 0.5)
    assert (j["base"], j["base_given"], j["blank_lines"]) == (1, False, 1)
    assert j["values"] == {"min": -2.5, "max": 1}
    assert j["column_magnitudes"] == {"min": 1, "min_column": "1", "max": 2.5, "max_column": "3"}
    assert j["empty_columns"] == 1 and j["widest_row"] == {"nonzeros": 2, "row": 1}
    assert j["labels"] == {"kind": "classes", "count": 2, "classes": [
        {"label": "-1", "rows": 1}, {"label": "1", "rows": 1}]}
    assert j["memory"]["double_blocks"] == 1            # 0.1 is not a float
    text = fx("info", "x.svm").text
    assert re.search(r"^rows +2$", text, re.M) and "numbered from 1 (found)" in text
    assert fx("info", "x.svm", "--index-base", "0", "--json").json["base_given"] is True


def test_info_labels(fx, put):
    put("r.svm", "".join(f"{i / 4} 1:1\n" for i in range(100)))
    assert fx("info", "r.svm", "--json").json["labels"] == {
        "kind": "numbers", "min": 0, "mean": 24.75 / 2, "max": 24.75}
    put("many.svm", "".join(f"class{i:03} 1:1\n" for i in range(50)))
    j = fx("info", "many.svm", "--json").json["labels"]
    assert j["count"] == 50 and len(j["classes"]) == 20 and j["classes"][0]["label"] == "class000"
    assert "and 30 more" in fx("info", "many.svm").text
    put("n.csv", "1,2\n3,4\n")
    assert fx("info", "n.csv", "--label", "none", "--json").json["labels"] is None


def test_info_warns_of_magnitudes(fx, put):
    put("x.svm", "1 1:1 2:5000\n1 1:-2\n")
    assert re.search(r"WARNING: .*2.5e\+03 to 1; --scale", fx("info", "x.svm").talk)
    put("y.svm", "1 1:1 2:900\n")
    assert "WARNING" not in fx("info", "y.svm").talk


def test_info_of_odd_bytes(fx, put):
    put("x.svm", b"caf\xe9 1:1\nth\xe9 1:1\n")
    assert [c["label"] for c in fx("info", "x.svm", "--json").json["labels"]["classes"]] == [
        "caf?", "th?"]


# ---- convert ----------------------------------------------------------------------------------
def test_round_trips(fx, put, tmp_path, rows):
    X, y = rows
    put("x.svm", svmlight(X, y))
    fx("convert", "x.svm", "a.svm")
    first = (tmp_path / "a.svm").read_bytes()
    for way in (["b.csv"], ["b.tsv"], ["b.npz"], ["b.csv", "b.npz"]):
        source = "a.svm"
        for name in way:
            fx("convert", source, name)
            source = name
        fx("convert", source, "back.svm")
        assert (tmp_path / "back.svm").read_bytes() == first
    fx("convert", "x.svm", "x.npy")
    assert (np.load(tmp_path / "x.npy") == X).all()
    S = scipy.sparse.load_npz(tmp_path / "b.npz")
    assert (S.toarray() == X).all()
    assert np.load(tmp_path / "b.npz")["labels"].tolist() == y
    assert "left out" in fx("convert", "x.svm", "x.npy").talk


def test_convert_keeps_the_base(fx, put, tmp_path):
    put("x.svm", "1 0:1 2:3\n")
    fx("convert", "x.svm", "y.svm")
    assert (tmp_path / "y.svm").read_text() == "1 0:1 2:3\n"
    fx("convert", "x.svm", "y.svm", "--output-base", "1")
    assert (tmp_path / "y.svm").read_text() == "1 1:1 3:3\n"
    put("x.csv", "5,0,7,1\n")
    fx("convert", "x.csv", "y.svm")
    assert (tmp_path / "y.svm").read_text() == "1 1:5 3:7\n"
    fx("convert", "x.svm", "y.csv", "--output-base", "1", status=2)


def test_convert_to_stdout(fx, put, tmp_path):
    put("x.svm", "1  1:1.50\n")
    assert fx("convert", "x.svm", "-").text == "1 1:1.5\n"
    assert fx("convert", "x.svm", "-", "--to", "csv").text == "x1,label\n1.5,1\n"
    assert fx("convert", "x.svm", "-o", "-").text == "1 1:1.5\n"
    fx("convert", "x.svm", status=2)
    fx("convert", "x.svm", "x.svm", status=2)
    assert (tmp_path / "x.svm").read_text() == "1  1:1.50\n"
    assert fx("convert", "x.svm", "-", "--to", "npy").out.startswith(b"\x93NUMPY")
    fx("convert", "x.svm", "-", "--json", status=2)


def test_choice_of_rows(fx, put, tmp_path):
    put("x.svm", "".join(f"{i} 1:{i}\n" for i in range(1, 101)))
    labels = lambda name: [int(l.split()[0]) for l in (tmp_path / name).read_text().splitlines()]
    fx("convert", "x.svm", "h.svm", "--head", "7")
    assert labels("h.svm") == list(range(1, 8))
    fx("convert", "x.svm", "s.svm", "--shuffle")
    assert labels("s.svm") != list(range(1, 101)) and sorted(labels("s.svm")) == list(range(1, 101))
    fx("convert", "x.svm", "s2.svm", "--shuffle", "--seed", "2")
    assert labels("s2.svm") != labels("s.svm")
    j = fx("convert", "x.svm", "a.svm", "b.svm", "--shuffle", "--split", "0.3", "--json").json
    assert j["rows"] == 30 and j["second"] == {"output": "b.svm", "rows": 70}
    assert labels("a.svm") + labels("b.svm") == labels("s.svm")
    fx("convert", "x.svm", "h.svm", "h.csv", "--head", "2", "--split", "0.5")     # each by its name
    assert (tmp_path / "h.svm").read_text() == "1 1:1\n"
    assert (tmp_path / "h.csv").read_text() == "x1,label\n2,2\n"
    fx("convert", "x.svm", "a.svm", "--split", "0.3", status=2)
    fx("convert", "x.svm", "a.svm", "b.svm", status=2)
    fx("convert", "x.svm", "a.svm", "b.svm", "--split", "1.5", status=2)


def test_convert_scales(fx, put, tmp_path):
    put("x.svm", "1 1:3 2:4\n1 1:6\n")
    fx("convert", "x.svm", "y.npy", "--scale", "unit-l2")
    # The norm is exact here; its inverse and the product are rounded, and so are 0.6 and 0.8.
    np.testing.assert_allclose(np.load(tmp_path / "y.npy"), [[0.6, 0.8], [1, 0]],
                               rtol=2 * np.finfo(float).eps, atol=0)


# ---- make -------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", ["pairs", "triples", "parity", "fields", "dense-positive"])
def test_make(fx, tmp_path, kind):
    j = fx("make", kind, "-n", "300", "-o", "a.svm", "--json", "--planted", "p.txt").json
    assert j["rows"] == 300 and j["output"] == "a.svm" and j["set"].startswith(kind)
    assert (tmp_path / "p.txt").read_text().splitlines() == j["planted"]
    fx("make", kind, "-n", "300", "-o", "b.svm", "--threads", "8")
    assert (tmp_path / "a.svm").read_bytes() == (tmp_path / "b.svm").read_bytes()
    fx("make", kind, "-n", "300", "-o", "c.svm", "--seed", "2")
    assert (tmp_path / "a.svm").read_bytes() != (tmp_path / "c.svm").read_bytes()
    assert fx("make", f"{kind}:n=300").out == (tmp_path / "a.svm").read_bytes()
    assert fx("info", "a.svm", "--json").json["rows"] == 300


def test_make_options(fx, tmp_path):
    fx("make", "triples", "-n", "200", "-d", "50", "--nz", "12", "-k", "4", "-o", "t.npz")
    S = scipy.sparse.load_npz(tmp_path / "t.npz")
    assert S.shape == (200, 50) and (np.diff(S.indptr) == 12).all()
    assert fx("make", "triples", "-n", "9", "-k4", "-v").talk.count("\n") == 5  # title, four sets
    fx("make", "fields", "--fields", "3", "--levels", "7", "-n", "50", "-o", "f.csv")
    head = (tmp_path / "f.csv").read_text().splitlines()[0]
    assert head.startswith("field1=") and head.endswith(",label") and head.count(",") == 21
    fx("make", "triples", "-n", "300", "-d", "30", "-k", "4", "--effect", "2", "-o", "e.npz", "--planted", "e.txt")
    assert len((fx.directory / "e.txt").read_text().splitlines()) == 4
    assert "effect=-1" in fx("make", "pairs", "--effect", "-1", status=2).talk
    assert "squares" in fx("make", "squares", status=2).talk
    fx("make", "parity", "--nz", "3", status=2)
    fx("make", "pairs", "--json", status=2)


# ---- bench ------------------------------------------------------------------------------------
def test_bench(fx):
    j = fx("bench", "--repeats", "1", "--json").json
    assert j["bandwidth"] > 0 and {r["group"] for r in j["results"]} == {"combos", "fm",
                                                                     "gram", "map", "read"}
    for r in j["results"]:
        assert r["seconds"] > 0 and r["rate"] > 0
    maps = [r for r in j["results"] if r["group"] == "map"]
    assert {(r["columns"], r["D"]) for r in maps} == {(80, 1280), (1024, 8192)}
    assert {r["map"].split(":")[0] for r in maps} == {"rk", "ts", "rff"}
    lines = fx("bench", "read", "-r1", "--threads", "1").text.splitlines()
    assert "1 thread," in lines[0]
    assert all(l.startswith("read") for l in lines[3:]) and len({len(l) for l in lines[3:]}) == 1


def test_bench_of_a_file(fx, put):
    put("x.svm", "1 1:1 2:1\n-1 2:1\n1 1:1\n-1 3:1\n-1 2:1 3:1\n")
    j = fx("bench", "combos", "x.svm", "-r1", "--json").json
    assert [(r["group"], r["rows"], r["columns"]) for r in j["results"]] == [("combos", 5, 3)] * 3
    assert "for combos" in fx("bench", "gram", "x.svm", status=2).talk
    assert "No such file" in fx("bench", "combos", "nothing.svm", status=2).talk

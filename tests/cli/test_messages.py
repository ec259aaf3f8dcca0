# SPDX-License-Identifier: BSD-3-Clause
"""Messages say what is wrong in terms of what was typed: options, lines of files, rows from 1.

Covers: cli/tables/row_place.c"""

import gzip

import numpy as np
import pytest


def test_too_many_features(fx, put):
    put("x.svm", "1 1:1\n-1 2:1\n")
    for command, output in ("train", "m.fx"), ("map", "z.npy"):
        talk = fx(command, "x.svm", "--map", "rk", "--kernel", "anova:order=2", "-D",
                  "99999999999999", "-o", output, status=2).talk
        assert "-D 99999999999999: at most 2147483647 features" in talk


@pytest.mark.parametrize("text, row, line", [
    ("1 1:1\n7 1:1\n", 2, 2), ("# a\n7 1:1\n1 1:1\n", 1, 2), ("\n7 1:1", 1, 2),
    ("# a\n\n1 1:1\n\n# b\n\n7 1:1\n", 2, 7)])
def test_line_of_an_unknown_label(fx, put, text, row, line):
    """Also with blank lines and comments, and in a compressed file."""
    put("t.svm", "1 1:1\n-1 2:1\n" * 5)
    fx("train", "t.svm", "--model", "svm", "-o", "m.fx", "-q")
    put("x.svm", text)
    assert f"x.svm:{line}: the label of row {row} is 7" in \
        fx("evaluate", "m.fx", "x.svm", status=2).talk
    put("x.svm.gz", gzip.compress(text.encode()))
    assert f"x.svm.gz:{line}: the label" in fx("evaluate", "m.fx", "x.svm.gz", status=2).talk
    assert f"stdin: the label of row {row} is 7" in \
        fx("evaluate", "m.fx", "-", status=2, stdin=b"# a\n" + text.encode()).talk       # cannot be read again


def test_line_of_an_unknown_label_behind_a_header(fx, put):
    put("t.csv", "a,y\n" + "1,u\n2,v\n" * 5)
    fx("train", "t.csv", "--model", "svm", "-o", "m.fx", "-q")
    for text, line in ("a,y\n1,u\n2,w\n", 3), ("a,y\n\n1,u\n\n2,w\n", 5):
        put("x.csv", text)
        assert f"x.csv:{line}: the label of row 2 is w" in \
            fx("evaluate", "m.fx", "x.csv", status=2).talk
        assert f"x.csv:{line}: row 2 is of class w" in \
            fx("train", "t.csv", "--model", "svm", "--eval-set", "x.csv", "-o", "n.fx", status=2).talk


def test_rows_of_arrays_count_from_1(fx, tmp_path):
    np.save(tmp_path / "x.npy", np.array([[1, 2, 3], [4, 5, np.inf]]))
    assert "row 2, column 2 (columns from 0): inf is not a finite number" in \
        fx("info", "x.npy", status=2).talk
    np.savez(tmp_path / "x.npz", data=[1.0, 1, 1, 1], indices=[0, 1, 1, 1], indptr=[0, 2, 4],
             shape=[2, 3], format=b"csr")
    assert "row 2 has column 1 (columns from 0) twice" in fx("info", "x.npz", status=2).talk


@pytest.mark.parametrize("kernel", ["anova:order=2", "poly:degree=2"])
def test_row_beyond_floats_is_the_file_s(fx, put, kernel):
    """Not that of the piece of rows that a thread had."""
    put("t.svm", "1 1:1 2:1\n-1 2:1 3:1\n" * 5)
    fx("train", "t.svm", "--model", "svm", "--kernel", kernel, "-D", "16", "-o", "m.fx", "-q")
    put("x.svm", "1 1:1\n" * 299_999 + "1 1:3e38 2:3e38 3:3e38\n")        # two batches of text
    assert "row 300000 " in fx("predict", "m.fx", "x.svm", "--output", "score", status=3).talk


@pytest.mark.parametrize("kind", ["pairs", "triples"])
@pytest.mark.parametrize("d", [12, 20, 40, 100])
def test_few_columns_of_planted_sets(fx, kind, d):
    fx("make", kind, "-n", "10", "-d", d, "-o", "x.svm", "-q")
    assert fx("info", "x.svm", "--json").json["rows"] == 10


@pytest.mark.parametrize("args, said", [
    (["--model", "svm", "-C", "-1"], "featcross: svm: -C -1 must be positive"),
    (["--model", "svm", "--max-iter", "0"], "featcross: svm: --max-iter 0 is not a whole number from 1"),
    (["--model", "fm", "--rank", "x"], "featcross: fm: --rank x is not a whole number"),
    (["--model", "svm:C=-1"], "featcross: svm: C=-1 must be positive")])
def test_values_as_they_were_typed(fx, put, args, said):
    put("x.svm", "1 1:1\n-1 2:1\n")
    assert fx("train", "x.svm", *args, status=2).talk.startswith(said)


def test_penalties_are_those_that_a_model_has(fx, put):
    put("x.svm", "1 1:1\n-1 2:1\n")
    assert "use one of l2" in fx("train", "x.svm", "--model", "svm", "--penalty", "l1", "-o", "m.fx",
                                 status=2).talk
    fx("train", "x.svm", "--model", "svm-l2", "--penalty", "l1", "-o", "m.fx", "-q")

# SPDX-License-Identifier: BSD-3-Clause
"""Several files are one source of rows: the model of the joined file, in memory and streamed; errors name the file
and the line in it.

Covers: cli/tables/load_files.c"""

import bz2
import gzip
import os
import random

import numpy as np
import pytest

from test_spill import bytes_of, svm, table


def divide(tmp_path, name, header=False, cuts=(0.1, 0.5)):
    """Three files of the lines of one, the second compressed, the last line of the first without its end."""
    lines = bytes_of(tmp_path / name).splitlines(keepends=True)
    head = lines[:1] if header else []
    lines = lines[len(head):]
    at = [0, *(int(c * len(lines)) for c in cuts), len(lines)]
    parts = [b"".join(head + lines[a:b]) for a, b in zip(at, at[1:])]
    stem, end = name.split(".")
    names = [f"{stem}1.{end}", f"{stem}2.{end}.gz", f"{stem}3.{end}"]
    (tmp_path / names[0]).write_bytes(parts[0].rstrip(b"\n"))
    (tmp_path / names[1]).write_bytes(gzip.compress(parts[1]))
    (tmp_path / names[2]).write_bytes(parts[2])
    return names


MEMORY = [[], ["--max-memory", "3M"], ["--max-memory", "3M", "--threads", "1"], ["--spill", "rows"]]


@pytest.mark.parametrize("memory", MEMORY, ids=lambda m: "-".join(m).strip("-") or "all")
def test_same_bytes(fx, tmp_path, memory):
    svm(tmp_path / "x.svm")
    names = divide(tmp_path, "x.svm")
    fx("train", "x.svm", "-o", "one.fx", "--model", "logistic")
    done = fx("train", *names, "-o", "several.fx", "--model", "logistic", *memory)
    assert "x1.svm and 2 more files: svmlight, 30000 rows x 59 columns" in done.talk
    assert ("passes   " in done.text) == bool(memory)
    assert bytes_of(tmp_path / "one.fx") == bytes_of(tmp_path / "several.fx")


@pytest.mark.parametrize("memory", MEMORY[:2], ids=lambda m: "-".join(m).strip("-") or "all")
def test_tables(fx, tmp_path, memory):
    """Each file has the header; categories and classes of later files, and the first file is too short to see what
    the columns are."""
    table(tmp_path / "t.csv")
    common = ["--label", "label", "--model", "logistic", "--scale", "maxabs"]
    fx("train", "t.csv", *common, "-o", "one.fx")
    for cuts in ((0.1, 0.5), (0, 0.0001), (0.9, 1)):
        names = divide(tmp_path, "t.csv", header=True, cuts=cuts)
        done = fx("train", *names, *common, *memory, "-o", "several.fx")
        assert "1 categorical column: city (4)" in done.talk and "3 classes: maybe no yes" in done.text
        assert bytes_of(tmp_path / "one.fx") == bytes_of(tmp_path / "several.fx")


def test_standard_input(fx, tmp_path):
    svm(tmp_path / "x.svm")
    names = divide(tmp_path, "x.svm")
    fx("train", "x.svm", "-o", "one.fx", "--model", "logistic")
    middle = gzip.decompress(bytes_of(tmp_path / names[1]))
    fx("train", names[0], "-", names[2], "-o", "several.fx", "--model", "logistic", stdin=bz2.compress(middle))
    assert bytes_of(tmp_path / "one.fx") == bytes_of(tmp_path / "several.fx")
    assert "standard input (-) can be one of the files only" in fx("train", "-", "-", "-o", "m.fx", status=2).talk


@pytest.mark.parametrize("memory", [[], ["--max-memory", "1M"], ["--spill", "rows"]],
                         ids=lambda m: "-".join(m).strip("-") or "all")
def test_index_base(fx, tmp_path, put, memory):
    """Indices count from 0 if a 0 is anywhere, also after a million others."""
    rng = random.Random(1)
    lines = [f"{rng.choice([-1, 1])} {rng.randint(1, 9)}:1 {rng.randint(10, 20)}:{rng.random()}\n"
             for i in range(30000)]
    put("a.svm", "".join(lines[:20000]))
    put("b.svm", "".join(lines[20000:]) + "1 0:1 5:2\n" + "-1 21:1\n" * 5000)
    put("all.svm", bytes_of(tmp_path / "a.svm") + bytes_of(tmp_path / "b.svm"))
    fx("train", "all.svm", "-o", "one.fx", "--model", "logistic")
    for source in (["a.svm", "b.svm"], ["all.svm"]):
        done = fx("train", *source, "-o", "several.fx", "--model", "logistic", *memory)
        assert "35001 rows x 22 columns, indices from 0 (found)" in done.talk
        assert bytes_of(tmp_path / "one.fx") == bytes_of(tmp_path / "several.fx")
        if "--spill" in memory:
            fx("train", *source, "-o", "again.fx", "--model", "logistic", *memory)
            assert bytes_of(tmp_path / "one.fx") == bytes_of(tmp_path / "again.fx")
            os.remove(tmp_path / "rows")


def test_places(fx, put):
    """The file and the line in it."""
    put("a.svm", "1 1:1\n-1 2:1\n")
    put("b.svm", "1 1:1\n\n-1 2:x\n")
    put("c.svm", "yes 1:1\n")
    assert "b.svm:3:" in fx("train", "a.svm", "b.svm", "-o", "m.fx", status=2).talk
    said = fx("train", "a.svm", "c.svm", "-o", "m.fx", status=2).talk
    assert "c.svm:1:1: the label yes is text, but line 1 of a.svm has the number '1'" in said
    put("a.csv", "x,z,y\n1,2,no\n3,4,yes\n")
    put("b.csv", "x,w,y\n1,2,no\n")
    put("c.csv", "x,z,y\n\n1,no\n")
    put("d.csv", "1,2,no\n")
    said = fx("train", "a.csv", "b.csv", "-o", "m.fx", status=2).talk
    assert "b.csv:1:3: column 2 is 'w' here, but 'z' in a.csv: all files need the same header" in said
    assert "c.csv:3:" in fx("train", "a.csv", "c.csv", "-o", "m.fx", status=2).talk
    assert "d.csv:1:1: column 1 is '1' here" in fx("train", "a.csv", "d.csv", "-o", "m.fx", status=2).talk


def test_refused(fx, tmp_path, put):
    """What is not there or is no text; before anything is read."""
    put("a.svm", "1 1:1\n-1 2:1\n")
    put("bad.svm", "1 x\n")
    np.save(tmp_path / "x.npy", np.ones((3, 2)))
    np.savez(tmp_path / "x.npz", data=np.ones(2))
    (tmp_path / "folder").mkdir()
    fx("train", "a.svm", "--model", "logistic", "-o", "m.fx")
    for source, said in ((["bad.svm", "none.svm"], "none.svm: No such file"),
                         (["bad.svm", "folder"], "folder is a directory"),
                         (["x.npy", "a.svm"], "x.npy is an array; several files must be text"),
                         (["a.svm", "x.npy"], "x.npy is an array; several files must be text"),
                         (["x.npz", "a.svm"], "x.npz is a zip file"), (["a.svm", "x.npz"], "x.npz is a zip file"),
                         (["a.svm", "m.fx"], "m.fx is a model"), (["a.svm", "-o", "a.svm"], "overwrite the input")):
        out = [] if "-o" in source else ["-o", "n.fx"]
        assert said in fx("train", *source, *out, "--model", "logistic", status=2).talk
    assert "too many operands" in fx("tune", "a.svm", "a.svm", status=2).talk
    assert not (tmp_path / "n.fx").exists()


def test_default_output(fx, tmp_path, put):
    put("a.svm", "1 1:1\n-1 2:1\n")
    fx("train", "a.svm", "a.svm", "--model", "logistic")
    assert (tmp_path / "a.svm.fx").exists()

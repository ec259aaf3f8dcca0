# SPDX-License-Identifier: BSD-3-Clause
"""No output takes the place of an input: every command, every kind of file, by links too.

Covers: cli/files/same_file.c"""

import os
import shutil
import subprocess

import pytest

from test_output import files

ROWS = "1 1:1 2:2\n-1 1:2 3:1\n" * 20
COMMANDS = [                            # what is read and written is always `f`
    (ROWS, ["convert", "f", "f", "y.svm", "--split", "0.5"]),
    (ROWS, ["convert", "f", "y.svm", "f", "--split", "0.5"]),
    (ROWS, ["convert", "f", "-o", "f"]),
    (ROWS, ["map", "f", "-o", "f", "--to", "svmlight"]),
    (ROWS, ["gram", "f", "-k", "linear", "-o", "f"]),
    (ROWS, ["gram", "x.svm", "f", "-k", "linear", "-o", "f"]),
    ("1 2\n", ["gram", "x.svm", "-k", "itemset:file=f", "-o", "f"]),
    ("1 2\n", ["map", "x.svm", "-k", "itemset:file=f", "-o", "f"]),
    ("1 2\n", ["train", "x.svm", "--model", "svm", "-k", "itemset:file=f", "-o", "f"]),
    ("1 2\n", ["train", "x.svm", "--model", "kernel-svm", "-k", "itemset:file=f", "-o", "m.fx", "--history", "f"]),
    (ROWS, ["train", "f", "--model", "svm", "-o", "f"]),
    (ROWS, ["train", "x.svm", "--model", "fm", "--eval-set", "f", "-o", "m.fx", "--history", "f"]),
    (ROWS, ["tune", "f", "-o", "f"]),
    (ROWS, ["tune", "f", "--model", "fm", "-o", "f"]),
    (ROWS, ["predict", "m0.fx", "f", "-o", "f"]),
    (ROWS, ["compare", "f", "--csv", "f"]),
    (ROWS, ["compare", "x.svm", "--test", "f", "--csv", "f"]),
]


@pytest.fixture
def model(fx, put):
    put("x.svm", ROWS)
    fx("train", "x.svm", "--model", "logistic", "-o", "m0.fx", "-q")
    return "m0.fx"


@pytest.mark.parametrize("content, args", COMMANDS, ids=lambda a: "_".join(a) if isinstance(a, list) else "")
@pytest.mark.parametrize("how", ["same", "./", "symlink", "hard link"])
def test_refused(fx, put, model, content, args, how):
    put("f", content)
    before = (fx.directory / "f").stat()
    name = {"same": "f", "./": "./f"}.get(how, "link")
    if how == "symlink":
        (fx.directory / "link").symlink_to("f")
    elif how == "hard link":
        os.link(fx.directory / "f", fx.directory / "link")
    at = max(i for i, a in enumerate(args) if a == "f") if args[2] != "f" or args[-1] == "f" else 2
    r = fx(*args[:at], name, *args[at + 1:], status=2)
    assert f"{name} would overwrite the input f" in r.talk
    after = (fx.directory / "f").stat()
    assert (fx.directory / "f").read_text() == content and after.st_ino == before.st_ino


def test_models(fx, model):
    bytes_ = (fx.directory / model).read_bytes()
    for args in (["predict", model, "x.svm", "-o", model], ["convert", model, model, "--to", "fm"],
                 ["train", "x.svm", "--model", "logistic", "--init", model, "-o", "m.fx", "--history", model]):
        assert "would overwrite the input m0.fx" in fx(*args, status=2).talk
    assert (fx.directory / model).read_bytes() == bytes_
    fx("train", "x.svm", "--model", "logistic", "--init", model, "-o", model)      # a model that goes on


@pytest.mark.skipif(not shutil.which("gnuplot"), reason="gnuplot is not installed")
@pytest.mark.parametrize("end", ["", ".data", ".gnuplot"])
def test_pictures(fx, put, model, end):
    name = f"p.svg{end}"
    put(name, "1 2\n")
    for args in (["gram", "x.svm", "-k", f"itemset:file={name}"],
                 ["bound", "x.svm", "--curve", "-k", f"itemset:file={name}"],
                 ["compare", "x.svm", "--test", name, "--format", "svmlight"]):
        assert f"would overwrite the input {name}" in fx(*args, "--plot", "p.svg", status=2).talk
    assert (fx.directory / name).read_text() == "1 2\n"


def test_streams(program, put, tmp_path):
    """Of a redirected stdin, and of a stdout that grows at the end of what is read."""
    put("f", ROWS)
    run = lambda *args, **k: subprocess.run([program, *args], cwd=tmp_path, stderr=subprocess.PIPE, **k)
    with open(tmp_path / "f", "rb") as f:
        done = run("convert", "-", "f", stdin=f)
    assert done.returncode == 2 and b"f would overwrite the input stdin" in done.stderr
    with open(tmp_path / "f", "ab") as f:
        done = run("convert", "f", "-", stdout=f)
    assert done.returncode == 2 and b"stdout would overwrite the input f" in done.stderr
    assert (tmp_path / "f").read_text() == ROWS and files(tmp_path) == ["f"]


def test_allowed(fx, put):
    put("x.svm", ROWS)
    put("y.svm", "old\n")
    fx("convert", "x.svm", "y.svm")     # an old file that was not read
    fx("convert", "x.svm", "y.svm")
    assert fx("convert", "/dev/null", "/dev/null", status=2).talk.find("overwrite") < 0

# SPDX-License-Identifier: BSD-3-Clause
"""featcross predict: forms of output, widths and bases, broken models, memory.

Covers: cli/commands/cmd_predict.c, cli/commands/prediction_lines.c, cli/models/model_file.c"""

import csv
import io
import json
import os
import resource
import select
import subprocess
import sys
import zlib

import numpy as np
import pytest

from conftest import SLOW, svmlight


@pytest.fixture
def model(fx, pairs):
    fx("train", pairs[0], "--model", "logistic", "--kernel", "anova-upto:order=2", "-D", "256", "-C",
       "0.1", "-o", "m.fx", "-q")
    return "m.fx"


def scores(fx, data, *args, **more):
    return np.array(fx("predict", "m.fx", data, "--output", "score", "-q", *args, **more).text.split(),
                    float)


# ---- Forms --------------------------------------------------------------------------------------
@pytest.mark.parametrize("what", ["label", "score", "proba"])
def test_forms_agree(fx, pairs, model, what):
    args = ["predict", model, pairs[1], "--output", what, "-q"]
    text = np.array([line.split() for line in fx(*args).text.splitlines()], float)
    npy = np.load(io.BytesIO(fx(*args, "--format", "npy").out))
    objects = [json.loads(line) for line in fx(*args, "--format", "jsonl").text.splitlines()]
    if what == "proba":
        from_json = np.array([[o["proba"]["-1"], o["proba"]["1"]] for o in objects])
        assert np.allclose(text.sum(1), 1) and npy.shape == (400, 2)
    else:
        from_json = np.array([[o[what]] for o in objects], float)
        assert npy.shape == (400,)
    assert text.shape[0] == 400
    assert (text.ravel() == npy.ravel()).all() and (text == from_json).all()
    fx(*args, "-o", "out.txt")
    assert (fx.directory / "out.txt").read_bytes() == fx(*args).out
    fx(*args, "-o", "out.npy", "--format", "npy")
    assert (np.load(fx.directory / "out.npy") == npy).all()


def test_label_is_the_likeliest(fx, pairs, model):
    P = np.array([line.split() for line in
                  fx("predict", model, pairs[1], "--output", "proba").text.splitlines()], float)
    labels = fx("predict", model, pairs[1]).text.split()
    assert labels == [["-1", "1"][k] for k in P.argmax(1)]


@pytest.mark.parametrize("header", ["y=lag,b,y", "b,y,y", ",b,y"])
@pytest.mark.parametrize("options", [[], ["--label", "last"], ["--label", "last", "--cat", "auto"]])
def test_odd_names_of_columns(fx, put, header, options):
    """A number whose name looks like a value of a category, a feature named like the label."""
    put("x.csv", header + "\n0.5,1,no\n1.5,2,yes\n0.1,3,no\n2,1,yes\n")
    fx("train", "x.csv", "--model", "svm", "-o", "m.fx", "-q")
    assert fx("predict", "m.fx", "x.csv", *options).text.split() == ["no", "yes"] * 2


def test_names_that_cannot_be_told_apart(fx, put):
    put("x.csv", "b,b,y\n0.5,1,no\n1.5,2,yes\n")
    assert "two columns are named 'b'" in fx("train", "x.csv", "--model", "svm", "-o", "m.fx",
                                             status=2).talk
    put("z.csv", "b=1,b,y\n0.5,u,no\n1.5,v,yes\n")
    assert "'b=1' is named like a value" in fx("train", "z.csv", "--model", "svm", "-o", "m.fx",
                                               status=2).talk
    assert not (fx.directory / "m.fx").exists()


def test_rows_without_labels_and_without_names(fx, put):
    """Their first column would be taken for the label."""
    put("x.csv", "1,3,5\n0,2,2\n1,4,5\n0,1,1\n")
    put("y.csv", "3,5\n1,1\n")
    fx("train", "x.csv", "--label", "first", "--model", "logistic", "-o", "m.fx")
    hint = "--label none reads rows without labels"
    assert hint in fx("predict", "m.fx", "y.csv", status=2).talk
    assert fx("predict", "m.fx", "y.csv", "--label", "none").text.split() == ["1", "0"]
    put("z.csv", "3\n1\n")
    assert hint not in fx("predict", "m.fx", "z.csv", "--label", "none", status=2).talk


def test_text_labels(fx, put):
    put("x.svm", 'n"o 1:1\nyes 2:1\n' * 10)
    fx("train", "x.svm", "--model", "svm", "-o", "m.fx", "-q")
    assert fx("predict", "m.fx", "x.svm").text.split() == ['n"o', "yes"] * 10
    lines = fx("predict", "m.fx", "x.svm", "--format", "jsonl").text.splitlines()
    assert json.loads(lines[0]) == {"label": 'n"o'}
    assert "npy holds numbers" in fx("predict", "m.fx", "x.svm", "--format", "npy", status=2).talk
    assert "no probabilities" in fx("predict", "m.fx", "x.svm", "--output", "proba", status=2).talk
    assert "--calibrate" in fx("predict", "m.fx", "x.svm", "--output", "proba", status=2).talk


def test_json_summary(fx, pairs, model):
    j = fx("predict", model, pairs[1], "-o", "p.txt", "--json").json
    assert j["rows"] == 400 and j["unseen"] == 0 and "predictions" not in j


def test_json_holds_the_predictions(fx, pairs, model):
    args = ["predict", model, pairs[1], "--output", "proba"]
    j = fx(*args, "--json").json
    assert j["rows"] == 400 and j["output"] == "proba"
    assert j["predictions"] == [json.loads(line) for line in
                                fx(*args, "--format", "jsonl").text.splitlines()]
    assert not fx("predict", model, "--json", stdin=b"", status=2).out
    assert "-o" in fx(*args, "--json", "--format", "csv", status=2).talk


# ---- CSV ----------------------------------------------------------------------------------------
def table(fx, *args):
    return list(csv.reader(io.StringIO(fx(*args, "--format", "csv", "-q").text)))


def test_csv_label_and_probabilities(fx, pairs, model):
    head, *rows = table(fx, "predict", model, pairs[1])
    assert head == ["id", "label", "proba:-1", "proba:1"] and len(rows) == 400
    assert [r[0] for r in rows] == [str(i + 1) for i in range(400)]
    assert [r[1] for r in rows] == fx("predict", model, pairs[1]).text.split()
    text = fx("predict", model, pairs[1], "--output", "proba").text.splitlines()
    assert [" ".join(r[2:]) for r in rows] == text


def test_csv_other_columns(fx, put, pairs, model):
    head, first = table(fx, "predict", model, pairs[1], "--output", "score")[:2]
    assert head == ["id", "label", "score"] and len(first) == 3
    assert table(fx, "predict", model, pairs[1], "--output", "label")[0] == ["id", "label"]
    put("x.csv", "a,y\n" + '1,"n, ""o"\n2,yes\n3,maybe\n' * 5)
    fx("train", "x.csv", "--model", "svm", "-o", "three.fx", "-q")
    head, *rows = table(fx, "predict", "three.fx", "x.csv")
    assert head == ["id", "label", "score:maybe", 'score:n, "o', "score:yes"]
    assert {len(r) for r in rows} == {5} and {r[1] for r in rows} <= {'n, "o', "yes", "maybe"}
    put("n.csv", "a,y\n1,1.5\n2,2.5\n3,3.5\n4,4.25\n")
    fx("train", "n.csv", "--task", "regress", "-o", "n.fx", "-q")
    assert table(fx, "predict", "n.fx", "n.csv")[0] == ["id", "label"]
    fx("train", "n.csv", "--model", "pca:k=1", "-o", "p.fx", "-q")
    assert table(fx, "predict", "p.fx", "n.csv")[0] == ["id", "score"]


# ---- Input --------------------------------------------------------------------------------------
def test_stdin_packed_and_without_labels(fx, pairs, model):
    want = scores(fx, pairs[1])
    text = (fx.directory / pairs[1]).read_bytes()
    bare = b"\n".join(line.split(b" ", 1)[1] for line in text.splitlines()) + b"\n"
    assert (scores(fx, "-", stdin=text) == want).all()
    assert (np.array(fx("predict", model, "--output", "score", "-q", stdin=text).text.split(), float)
            == want).all()
    assert (scores(fx, "-", stdin=bare) == want).all()
    subprocess.run(["gzip", "-k", pairs[1]], cwd=fx.directory, check=True)
    assert (scores(fx, pairs[1] + ".gz") == want).all()


@pytest.mark.parametrize("before", [b"", b"# a comment\n", b"\n"])
def test_rows_are_answered_as_they_come(program, fx, model, before, tmp_path):
    """A row, its answer, another row: the first is not held back until the pipe is closed."""
    p = subprocess.Popen([program, "predict", model, "-"], cwd=tmp_path, stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE, bufsize=0)
    try:
        for rows, count in [(before + b"1 3:1\n", 1), (b"1\n", 1), (b"-1 1:1 2:1", 0),
                            (b" 5:1\n1 1:1\n", 2)]:
            os.write(p.stdin.fileno(), rows)
            for _ in range(count):
                assert select.select([p.stdout], [], [], 20 * SLOW)[0], "no answer"
                assert p.stdout.read(3) == b"-1\n"
        p.stdin.close()
        assert p.stdout.read() == b"" and p.wait() == 0
    finally:
        p.kill()


def test_csv_rows_are_answered_as_they_come(program, fx, put, tmp_path):
    put("x.csv", "a,y\n" + "1,no\n2,yes\n" * 5)
    fx("train", "x.csv", "--model", "svm", "-o", "m.fx", "-q")
    p = subprocess.Popen([program, "predict", "m.fx", "-"], cwd=tmp_path, stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE)
    try:
        os.write(p.stdin.fileno(), b"a,y\n")
        os.write(p.stdin.fileno(), b"2,no\n")
        assert select.select([p.stdout], [], [], 20 * SLOW)[0], "no answer"
        assert os.read(p.stdout.fileno(), 9) == b"yes\n"
    finally:
        p.kill()


@pytest.mark.parametrize("name", ["x.npz", "x.npy"])
def test_binary_input(fx, pairs, model, name):
    fx("convert", pairs[1], name, "-q")
    assert np.allclose(scores(fx, name), scores(fx, pairs[1]), rtol=1e-5, atol=1e-6)


def test_order_of_many_portions(fx, model, pairs):
    """More text than one portion: the rows come in their order."""
    text = (fx.directory / pairs[1]).read_bytes()
    want = fx("predict", model, pairs[1], "-q").out
    assert fx("predict", model, "-", "-q", stdin=text * 100).out == want * 100


def test_empty_and_broken_input(fx, put, model):
    put("none.svm", "")
    assert "none.svm: no rows" in fx("predict", model, "none.svm", status=2).talk
    put("bad.svm", "1 1:1\n1 2:x\n")
    assert "bad.svm:2:" in fx("predict", model, "bad.svm", "-o", "out.txt", status=2).talk
    assert not (fx.directory / "out.txt").exists()
    fx("predict", model, "nowhere.svm", status=2)
    assert "no/such" in fx("predict", model, "bad.svm", "-o", "no/such/x", status=2).talk


# ---- 20: widths, bases, unseen ------------------------------------------------------------------
def test_20_widths(fx, put, model):
    put("narrow.svm", "1 2:1 3:1\n")
    put("wide.svm", "1 2:1 3:1 1000:5 2000000000:7\n")
    put("odd.svm", "1 2:1 3:1 31:4\n")
    want = scores(fx, "narrow.svm")
    assert (scores(fx, "wide.svm") == want).all() and (scores(fx, "odd.svm") == want).all()
    assert "2 entries" in fx("predict", model, "wide.svm").talk
    assert "1 entry" in fx("predict", model, "odd.svm").talk
    assert "never saw" in fx("predict", model, "odd.svm", "--unseen", "error", status=2).talk
    fx("predict", model, "narrow.svm", "--unseen", "error")


@pytest.mark.parametrize("kernel", [None, "anova-upto:order=2", "all-subsets"])
def test_20_never_trained_column(fx, put, kernel):
    put("x.svm", "1 1:1 4:1\n-1 2:1\n1 1:1 2:1 4:1\n" * 5)       # column 3 is always 0
    args = ["--kernel", kernel, "-D", "64"] if kernel else []
    fx("train", "x.svm", "--model", "logistic", "-o", "m.fx", "-q", *args)
    put("a.svm", "1 1:1 2:0.5\n")
    put("b.svm", "1 1:1 2:0.5 3:100\n")
    assert (scores(fx, "a.svm") == scores(fx, "b.svm")).all()
    assert "1 entry" in fx("predict", "m.fx", "b.svm").talk


def test_20_base_is_the_model_s(fx, put, rows):
    X, y = rows
    put("one.svm", svmlight(X, y, base=1))
    put("zero.svm", svmlight(X, y, base=0))
    fx("train", "one.svm", "--model", "logistic", "-o", "m.fx", "-q")
    want = scores(fx, "one.svm")
    X5 = X.copy()
    X5[:, :4] = 0
    put("late.svm", svmlight(X5, y, base=1))         # the smallest index is 5
    assert scores(fx, "late.svm").shape == want.shape
    assert "0" in fx("predict", "m.fx", "zero.svm", status=2).talk
    fx("train", "zero.svm", "--model", "logistic", "-o", "m.fx", "-q")
    assert (scores(fx, "zero.svm") == want).all()
    put("some.svm", "1 " + " ".join(f"{j}:{float(v)!r}" for j, v in enumerate(X[0]) if v and j) + "\n")
    assert scores(fx, "some.svm").shape == (1,)      # no index 0 here, and still from 0
    X0 = X[:1].copy()
    X0[0, 0] = 0
    put("same.svm", svmlight(X0, y[:1], base=0))
    assert (scores(fx, "some.svm") == scores(fx, "same.svm")).all()


# ---- 24: models ---------------------------------------------------------------------------------
def test_24_truncated_and_flipped(fx, put, model):
    whole = (fx.directory / model).read_bytes()
    put("x.svm", "1 1:1\n")
    r = np.random.default_rng(1)
    for cut in [0, 1, 7, 8, 9, 20, len(whole) // 2, *r.integers(0, len(whole), 10), len(whole) - 1]:
        put("bad.fx", whole[:cut])
        talk = fx("predict", "bad.fx", "x.svm", status=2).talk
        assert "bad.fx: " in talk
    for at in [0, 3, 7, 8, 9, 30, *r.integers(0, len(whole), 20), len(whole) - 1]:
        b = bytearray(whole)
        b[at] ^= 1 << int(r.integers(0, 8))
        put("bad.fx", bytes(b))
        assert "bad.fx: " in fx("predict", "bad.fx", "x.svm", status=2).talk
    put("bad.fx", whole + b"\0")
    fx("evaluate", "bad.fx", "x.svm", status=2)
    fx("train", "x.svm", "--init", "bad.fx", "--model", "logistic", status=2)


def test_24_other_kinds(fx, put, model, pairs):
    put("x.svm", "1 1:1\n")
    assert "x.svm: " in fx("predict", "x.svm", "x.svm", status=2).talk
    fx("predict", "nowhere.fx", "x.svm", status=2)
    fx("predict", ".", "x.svm", status=2)
    fx("info", model)
    fx("evaluate", model, model, status=2)


# ---- Memory -------------------------------------------------------------------------------------
def peak(program, cwd, model, data):
    """Bytes of the largest resident set, of a process of its own."""
    code = ("import resource, subprocess, sys\n"
            "subprocess.run(sys.argv[1:], stdin=open(0), stdout=subprocess.DEVNULL, check=True)\n"
            "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)")
    options = os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=1"  # what is freed counts not
    with open(data) as f:
        return int(subprocess.run([sys.executable, "-c", code, program, "predict", model, "-", "-q"],
                                  stdin=f, cwd=cwd, check=True, capture_output=True,
                                  env={**os.environ, "ASAN_OPTIONS": options}).stdout)


def test_memory_is_flat(program, fx, model, pairs, tmp_path):
    text = (tmp_path / "all.svm").read_text()
    (tmp_path / "some.svm").write_text(text * 60)           # 60,000 rows
    (tmp_path / "many.svm").write_text(text * 300)          # 300,000
    few, many = (peak(program, tmp_path, model, tmp_path / name) for name in ("some.svm", "many.svm"))
    assert many - few < 6 << 20


def test_20_base_can_be_given(fx, put, rows):
    X, y = rows
    put("one.svm", svmlight(X, y, base=1))
    put("zero.svm", svmlight(X, y, base=0))
    fx("train", "one.svm", "--model", "logistic", "-o", "m.fx", "-q")
    assert (scores(fx, "zero.svm", "--index-base", "0") == scores(fx, "one.svm")).all()
    assert (scores(fx, "one.svm", "--index-base", "auto") == scores(fx, "one.svm")).all()


def test_24_newer_version(fx, put, model):
    whole = bytearray((fx.directory / model).read_bytes())
    at = whole.index(b'"format_version":"') + len(b'"format_version":"')
    whole[at:at + 1] = b"9"
    at = len(whole) - 4
    whole[at:] = zlib.crc32(whole[:at]).to_bytes(4, "little")
    put("new.fx", bytes(whole))
    for command in (["predict", "new.fx", "x.svm"], ["info", "new.fx"]):
        assert "version" in fx(*command, status=2).talk


@pytest.mark.large
def test_24_no_memory_for_the_header(program, fx, put, model):
    """A header string of 100 MB, where there is memory for the file alone."""
    whole = (fx.directory / model).read_bytes()
    length = int.from_bytes(whole[:8], "little")
    more = b'"more":"' + b"a" * 10**8 + b'","seed":'
    head = whole[8:8 + length].rstrip().replace(b'"seed":', more, 1)
    head += b" " * (-len(head) % 8)
    body = len(head).to_bytes(8, "little") + head + whole[8 + length:-4]
    put("large.fx", body + zlib.crc32(body).to_bytes(4, "little"))
    limit = 200_000 << 10               # sanitizers reserve more
    done = subprocess.run([program, "info", "large.fx"], cwd=fx.directory, capture_output=True,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
    assert done.returncode == 4 and b"out of memory" in done.stderr


def test_two_thousand_categories(fx, put):
    """The reader's spec names them all, in training and in prediction."""
    head = ",".join(f"column{j}" for j in range(2000)) + ",y\n"
    rows = [",".join("ab"[(i * j) % 7 % 2] for j in range(2000)) + f",{i % 2}\n" for i in range(6)]
    put("wide.csv", head + "".join(rows))
    fx("train", "wide.csv", "-o", "wide.fx", "--model", "svm", "--label", "y")
    assert fx("predict", "wide.fx", "wide.csv").text.split() == [str(i % 2) for i in range(6)]


def test_model_and_data_swapped(fx, pairs, model):
    assert "both" in fx("predict", "-", status=2).talk
    for command in ("predict", "evaluate"):
        assert "the model comes first" in fx(command, pairs[1], model, status=2).talk
    for command in (["predict", model, model], ["train", model, "-o", "n.fx"],
                    ["convert", model, "x.svm"]):
        assert "is a model; rows of data are wanted" in fx(*command, status=2).talk
    talk = fx("info", "-", stdin=(fx.directory / model).read_bytes(), status=2).talk
    assert "stdin is a model" in talk


def test_format_by_extension(fx, put):
    """-o p.csv is a table, as a reader of the name expects; --format says otherwise."""
    put("t.csv", "a,y\n" + "1,u\n2,v\n" * 5)
    fx("train", "t.csv", "--model", "logistic", "-o", "m.fx", "-q")
    for name, form in ("p.csv", "csv"), ("p.jsonl", "jsonl"), ("p.txt", "text"), ("p", "text"):
        fx("predict", "m.fx", "t.csv", "-o", name)
        assert (fx.directory / name).read_bytes() == fx("predict", "m.fx", "t.csv", "--format", form).out
    fx("predict", "m.fx", "t.csv", "--output", "proba", "-o", "p.npy")
    assert np.load(fx.directory / "p.npy").shape == (10, 2)
    fx("predict", "m.fx", "t.csv", "--format", "text", "-o", "p.csv")
    assert (fx.directory / "p.csv").read_text().split() == ["u", "v"] * 5

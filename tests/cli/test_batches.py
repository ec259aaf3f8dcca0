# SPDX-License-Identifier: BSD-3-Clause
"""Commands that read rows in batches: evaluate, info, convert, compare.  Tiny batches (a small --max-memory), pipes
and packed files make no difference, and memory does not grow with the rows.

Covers: cli/tables/batches.c, cli/tables/class_list.c, cli/commands/convert_batches.c,
cli/compare/compare_sample.c, cli/files/input_again.c"""

import gzip
import json
import os
import random
import subprocess
import sys

import pytest

ROWS, LINES = 8000, 50000               # of svmlight, of csv
SMALL = ["--max-memory", "1500K"]       # batches of 64 KiB
TABLE = ["--max-memory", "6M"]          # csv looks at 1 MiB before it gives rows


def svm(path, rows=ROWS, zero=None, text=False, labels=(-1, 1)):
    """Columns above 40 come late; zero: index 0 occurs from this row on; text: some classes are early or late."""
    rng = random.Random(3)
    with open(path, "w") as f:
        for i in range(rows):
            columns = sorted(rng.sample(range(1, 40 if i < rows // 2 else 60), 8))
            label = labels[(3 in columns) != (7 in columns)]
            if text:
                label = "early" if i < 50 else "a-late" if i > rows - 50 else f"class{label}"
            zeros = [0] if zero is not None and i >= zero and i % 3 == 0 else []
            f.write(f"{label} " + " ".join(f"{j}:{rng.choice([1, 0.5, 2])}" for j in zeros + columns) + "\n")


def table(path, rows=LINES, missing=0.0):
    rng = random.Random(4)
    with open(path, "w") as f:
        f.write("age,city,score,label\n")
        for i in range(rows):
            city = rng.choice(["paris", "rome", "oslo"] + (["late"] if i > rows // 2 else []))
            age = rng.randint(18, 90)
            label = "yes" if (age > 50) != (city == "rome") else "no" if i < rows - 90 else "maybe"
            f.write(f"{'' if rng.random() < missing else age},{city},{rng.random():.12f},{label}\n")


@pytest.fixture
def files(tmp_path):
    svm(tmp_path / "x.svm")
    svm(tmp_path / "zero.svm", zero=ROWS * 3 // 4)
    svm(tmp_path / "text.svm", text=True)
    table(tmp_path / "x.csv")
    table(tmp_path / "gaps.csv", missing=0.01)
    (tmp_path / "x.svm.gz").write_bytes(gzip.compress((tmp_path / "x.svm").read_bytes()))
    return tmp_path


def limit(name):
    return TABLE if name.endswith("csv") else SMALL


def found(fx, *args, **how):
    """The JSON of a command, without what depends on the size of batches."""
    j = json.loads(fx(*args, "--json", **how).out)
    for key in ("seconds", "memory", "file", "input", "compression"):
        j.pop(key, None)
    return j


# ---- info ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["x.svm", "zero.svm", "text.svm", "x.csv", "gaps.csv"])
def test_info(fx, files, name):
    whole = found(fx, "info", name)
    assert found(fx, "info", name, *limit(name)) == whole
    with open(files / name) as f:
        text = f.read()
    assert found(fx, "info", "-", *limit(name), stdin=text.encode()) == whole
    assert whole["rows"] == (LINES if name.endswith("csv") else ROWS)
    if name.endswith(".svm"):           # by hand
        index = [int(e.split(":")[0]) for line in text.splitlines() for e in line.split()[1:]]
        base = 0 if name == "zero.svm" else 1
        assert whole["base"] == base and whole["columns"] == max(index) + 1 - base
        assert whole["nonzeros"] == len(index) and whole["empty_columns"] == 0
    if name == "text.svm":
        rows = {}
        for line in text.splitlines():
            rows[line.split()[0]] = rows.get(line.split()[0], 0) + 1
        assert [(c["label"], c["rows"]) for c in whole["labels"]["classes"]] == sorted(rows.items())
    if name == "gaps.csv":
        assert whole["missing"] == sum(line.startswith(",") for line in text.splitlines())


def test_info_of_identifiers(fx, tmp_path):
    (tmp_path / "x.csv").write_text("a,id\n" + "".join(f"{i % 7}.25,{i}\n" for i in range(500, 200500)))
    assert "as identifiers and time stamps are" in fx("info", "x.csv", "--max-memory", "20M").talk
    (tmp_path / "y.csv").write_text("a,id\n" + "".join(f"{i % 7}.25,{max(i, 501)}\n" for i in range(500, 200500)))
    assert "identifiers" not in fx("info", "y.csv", "--max-memory", "20M").talk


# ---- evaluate -----------------------------------------------------------------------------------
MODELS = [("x.svm", ["--model", "logistic"]), ("text.svm", ["--model", "svm"]), ("x.csv", ["--model", "logistic"]),
          ("zero.svm", ["--model", "ridge", "--task", "regress"]), ("gaps.csv", ["--model", "logistic", "--nan", "drop"])]


@pytest.mark.parametrize("name, model", MODELS, ids=lambda x: x if isinstance(x, str) else x[1])
def test_evaluate(fx, files, name, model):
    fx("train", name, "-o", "m.fx", *model)
    whole = fx("evaluate", "m.fx", name)
    small = fx("evaluate", "m.fx", name, "--max-memory", "6M")
    assert small.out == whole.out and small.talk == whole.talk
    exact = found(fx, "evaluate", "m.fx", name)
    assert found(fx, "evaluate", "m.fx", name, "--max-memory", "6M") == exact
    assert found(fx, "evaluate", "m.fx", "-", "--max-memory", "6M", stdin=(files / name).read_bytes()) == exact
    rows = len((files / name).read_text().splitlines()) - name.endswith("csv")
    assert exact["rows"] == rows if name != "gaps.csv" else exact["rows"] < rows


def test_evaluate_needs_memory_for_scores(fx, files):
    fx("train", "x.svm", "-o", "m.fx", "--model", "logistic")
    talk = fx("evaluate", "m.fx", "x.svm", "--max-memory", "300K", status=4).talk
    assert f"{ROWS} rows needs {48 * ROWS} bytes" in talk
    fx("evaluate", "m.fx", "x.svm", "--max-memory", str(48 * ROWS))
    fx("train", "x.svm", "-o", "r.fx", "--model", "ridge", "--task", "regress")
    fx("evaluate", "r.fx", "x.svm", "--max-memory", "300K")      # of numbers, sums are enough
    assert "HINT: --metric accuracy" in talk                    # so they are for these of classes
    named = ["evaluate", "m.fx", "x.svm", "--metric", "accuracy,logloss,f1,precision-micro"]
    assert found(fx, *named, "--max-memory", "300K") == found(fx, *named)
    assert found(fx, *named)["confusion"] == found(fx, *named[:3])["confusion"]
    for more in ("auc", "average-precision"):
        fx(*named[:3], "--metric", f"accuracy,{more}", "--max-memory", "300K", status=4)


def test_evaluate_names_the_line(fx, files):
    fx("train", "x.svm", "-o", "m.fx", "--model", "logistic")
    lines = (files / "x.svm").read_text().splitlines(keepends=True)
    lines[6000] = "7 1:1\n"
    (files / "bad.svm").write_text("".join(lines))
    for extra in ([], ["--max-memory", "3M"]):
        assert "bad.svm:6001: the label of row 6001 is 7" in fx("evaluate", "m.fx", "bad.svm", *extra, status=2).talk


# ---- convert ------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["x.svm", "zero.svm", "text.svm", "x.csv"])
@pytest.mark.parametrize("to", ["svm", "csv"])
def test_convert(fx, files, name, to):
    big = ["--max-memory", "16M"]       # what a dense text may take at least
    fx("convert", name, f"whole.{to}", "--shuffle", "--seed", "1", "--head", str(2 * LINES))    # in memory
    fx("convert", name, f"one.{to}")
    whole = (files / f"one.{to}").read_bytes()
    assert sorted((files / f"whole.{to}").read_bytes().splitlines()) == sorted(whole.splitlines())
    fx("convert", name, f"small.{to}", *big)
    assert (files / f"small.{to}").read_bytes() == whole
    fx("convert", "-", f"piped.{to}", *big, stdin=(files / name).read_bytes())
    assert (files / f"piped.{to}").read_bytes() == whole
    fx("convert", name, f"a.{to}", f"b.{to}", "--split", "0.7", *big)
    head, rows = 1 if to == "csv" else 0, LINES if name.endswith("csv") else ROWS
    first, second = ((files / f"{k}.{to}").read_bytes().splitlines() for k in "ab")
    assert len(first) - head == rows * 7 // 10 and first + second[head:] == whole.splitlines()
    fx("convert", name, f"h.{to}", "--head", "9", *big)
    assert (files / f"h.{to}").read_bytes().splitlines() == whole.splitlines()[:9 + head]


def test_outputs_larger_than_the_limit(fx, files):
    """The limit is of memory; sparse rows as an array may be a mistake, so for them it is of the file, too."""
    fx("train", "x.csv", "-o", "m.fx", "--model", "logistic", "--max-iter", "2")
    for task in (["predict", "m.fx", "x.csv", "--output", "proba"], ["map", "x.svm", "-D", "1536"]):
        fx(*task, "-o", "whole.npy")
        fx(*task, "-o", "z.npy", "--max-memory", "40M" if task[0] == "map" else "600K")
        assert (files / "z.npy").read_bytes() == (files / "whole.npy").read_bytes()
    fx("convert", "x.csv", "z.csv", *TABLE)
    assert "the limit is 600.0 KiB" in fx("convert", "x.svm", "z.csv", "--max-memory", "600K", status=4).talk


@pytest.mark.parametrize("base", [0, 1])
def test_convert_to_another_base(fx, files, base):
    for name, old in (("x.svm", 1), ("zero.svm", 0)):
        fx("convert", name, "y.svm", "--output-base", str(base), *SMALL)
        expected = [[int(e.split(":")[0]) + base - old for e in line.split()[1:]]
                    for line in (files / name).read_text().splitlines()]
        assert expected == [[int(e.split(":")[0]) for e in line.split()[1:]]
                            for line in (files / "y.svm").read_text().splitlines()]


def test_convert_missing(fx, files):
    lines = (files / "gaps.csv").read_text().splitlines()[1:]
    fx("convert", "gaps.csv", "y.svm", "--nan", "drop", *TABLE)
    assert len((files / "y.svm").read_text().splitlines()) == sum(not line.startswith(",") for line in lines)
    gaps = sum(line.startswith(",") for line in lines)
    assert f"gaps.csv has {gaps} missing numbers" in fx("convert", "gaps.csv", "z.svm", "--nan", "mean", *TABLE, status=2).talk
    assert not (files / "z.svm").exists()


# ---- compare ------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["x.svm", "zero.svm", "text.svm", "x.csv"])
def test_compare(fx, files, name):
    """The same rows are drawn however they come."""
    def scores(path, *more, **how):
        rows = fx("compare", path, "--rows", "400", "--seeds", "1", "--methods", "linear", "--csv", "-", *more,
                  **how).text.splitlines()
        return [[x for k, x in enumerate(row.split(",")) if k < 8] for row in rows]

    whole = scores(name)
    assert scores(name, "--max-memory", "16M") == whole
    assert scores("-", "--max-memory", "16M", stdin=(files / name).read_bytes()) == whole
    regress = ["--task", "regress", "--seed", "5"]
    if name == "zero.svm":
        assert scores(name, "--max-memory", "16M", *regress) == scores(name, *regress)


@pytest.mark.large
def test_compare_holds_only_what_it_draws(fx, files):
    for name in ("x.svm", "text.svm"):
        (files / "many.svm").write_bytes((files / name).read_bytes() * 30)      # 240,000 rows
        done = fx("compare", "many.svm", "--rows", "400", "--seeds", "1", "--methods", "linear", "--max-memory", "10M")
        assert f"400 of {30 * ROWS} rows are used" in done.talk


# ---- Memory -------------------------------------------------------------------------------------
def peak(program, cwd, *args):
    """Bytes of the largest resident set, of a process of its own."""
    code = ("import resource, subprocess, sys\n"
            "subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)\n"
            "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)")
    options = os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=1"  # what is freed counts not
    return int(subprocess.run([sys.executable, "-c", code, program, *args, "-q"], cwd=cwd, check=True,
                              capture_output=True, env={**os.environ, "ASAN_OPTIONS": options}).stdout)


@pytest.mark.large
@pytest.mark.parametrize("args, row", [(["info"], 0), (["evaluate", "m.fx"], 48), (["evaluate", "r.fx"], 0),
                                       (["evaluate", "m.fx", "--metric", "accuracy,f1"], 0),
                                       (["convert", "-o", "y.svm"], 0), (["convert", "-o", "y.csv"], 0),
                                       (["compare", "--rows", "100", "--metric", "logloss"], 0)],      # ends after reading
                         ids=lambda x: "-".join(x[:2]) if isinstance(x, list) else str(x))
def test_memory_is_flat(program, fx, tmp_path, args, row):
    svm(tmp_path / "x.svm", rows=3000)
    fx("train", "x.svm", "-o", "m.fx", "--model", "logistic")
    fx("train", "x.svm", "-o", "r.fx", "--model", "ridge", "--task", "regress")
    text = (tmp_path / "x.svm").read_text()
    (tmp_path / "some.svm").write_text(text * 50)           # 150,000 rows
    (tmp_path / "many.svm").write_text(text * 150)          # 450,000
    few, many = (peak(program, tmp_path, *args, name, "--max-memory", "60M") for name in ("some.svm", "many.svm"))
    assert many - few < (6 << 20) + row * 3000 * 100

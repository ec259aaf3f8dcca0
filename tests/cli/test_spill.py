# SPDX-License-Identifier: BSD-3-Clause
"""Rows that exceed the memory: the same model as in memory, whatever the source and the number of threads;
what cannot be fitted so; nothing is left on the disk.

Covers: cli/tables/spill.c"""

import gzip
import os
import random
import re
import resource
import signal
import subprocess

import pytest

from conftest import PROGRAM


def svm(path, rows=30000, seed=1):
    rng = random.Random(seed)
    with open(path, "w") as f:
        for i in range(rows):
            columns = sorted(rng.sample(range(1, 40 if i < rows // 2 else 60), 8))
            label = 1 if (3 in columns) != (7 in columns) or rng.random() < 0.2 else -1
            f.write(f"{label} " + " ".join(f"{j}:{rng.choice([1, 1, 0.5, 2])}" for j in columns) + "\n")


def table(path, rows=30000):
    rng = random.Random(2)
    with open(path, "w") as f:
        f.write("age,city,score,label\n")
        for i in range(rows):
            city = rng.choice(["paris", "rome", "oslo"] + (["late"] if i > rows // 2 else []))
            age = rng.randint(18, 90)
            label = "yes" if (age > 50) != (city == "rome") else "no" if i < 20000 or rng.random() < 0.9 else "maybe"
            f.write(f"{age},{city},{rng.random():.4f},{label}\n")


def bytes_of(path):
    with open(path, "rb") as f:
        return f.read()


MODELS = [
    ["--model", "logistic"],
    ["--model", "logistic", "--scale", "maxabs", "--class-weight", "balanced"],
    ["--model", "svm-l2", "--solver", "newton", "--kernel", "anova:order=2", "-D", "100"],
    ["--model", "ridge", "--map", "rff", "--kernel", "rbf:gamma=0.01", "-D", "64"],
]


@pytest.mark.parametrize("model", MODELS, ids=lambda m: m[1] + str(len(m)))
def test_same_bytes(fx, tmp_path, model):
    svm(tmp_path / "x.svm")
    with gzip.open(tmp_path / "x.svm.gz", "wb") as f:
        f.write(bytes_of(tmp_path / "x.svm"))
    fx("train", "x.svm", "-o", "memory.fx", *model)
    for source, threads in (("x.svm", 1), ("x.svm", 2), ("x.svm.gz", 2)):
        done = fx("train", source, "-o", "streamed.fx", "--max-memory", "3M", "--threads", threads, "--json", *model)
        report = done.json
        assert report["engine"]["name"] == "stream" and report["engine"]["parts"] > 2
        assert report["engine"]["passes"] > 3 and report["rows"] == 30000
        assert "too large for --max-memory 3.0 MiB" in done.talk
        assert bytes_of(tmp_path / "streamed.fx") == bytes_of(tmp_path / "memory.fx")
    assert sorted(os.listdir(tmp_path)) == ["memory.fx", "streamed.fx", "x.svm", "x.svm.gz"]


def test_tables(fx, tmp_path):
    """Categories and classes that appear late."""
    table(tmp_path / "t.csv")
    common = ["t.csv", "--label", "label", "--model", "logistic", "--scale", "maxabs"]
    fx("train", *common, "-o", "memory.fx")
    done = fx("train", *common, "-o", "streamed.fx", "--max-memory", "3M")
    assert "1 categorical column: city (4)" in done.talk and "3 classes: maybe no yes" in done.text
    assert "passes       " in done.text
    assert bytes_of(tmp_path / "streamed.fx") == bytes_of(tmp_path / "memory.fx")


def test_refused(fx, tmp_path):
    svm(tmp_path / "x.svm")
    for model in (["--model", "svm"], ["--model", "logistic", "--folds", "3"], [],
                  ["--model", "logistic", "--scale", "std"]):
        done = fx("train", "x.svm", "-o", "m.fx", "--max-memory", "1500K", *model, status=4)
        assert "the limit is" in done.talk
        assert "need not be in memory for --model logistic, ridge and, with --solver newton, svm-l2" in done.talk
    assert sorted(os.listdir(tmp_path)) == ["x.svm"]


def test_least_memory(fx, tmp_path):
    """What a fit needs in spite of streaming is named."""
    svm(tmp_path / "x.svm")
    done = fx("train", "x.svm", "-o", "m.fx", "--max-memory", "3M", "--model", "ridge", "--kernel", "anova:order=2",
              "-D", "1000", status=4)
    assert re.search(r"weights and their fit needs \d+ bytes, the limit is 3145728", done.talk)


def test_interrupted(tmp_path):
    svm(tmp_path / "x.svm")
    (tmp_path / "m.fx").write_bytes(b"old")
    run = subprocess.Popen([PROGRAM, "train", "x.svm", "-o", "m.fx", "--max-memory", "3M", "--model", "logistic",
                            "--tol", "1e-15", "--kernel", "anova:order=3", "-D", "300", "-v"],
                           cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    while "were packed" not in run.stderr.readline():
        pass
    run.send_signal(signal.SIGINT)
    assert run.wait(60) == 130
    assert bytes_of(tmp_path / "m.fx") == b"old" and sorted(os.listdir(tmp_path)) == ["m.fx", "x.svm"]


def test_bad_line(fx, tmp_path):
    """An error late in the file: its line is named, and the old model stays."""
    svm(tmp_path / "x.svm")
    with open(tmp_path / "x.svm", "a") as f:
        f.write("1 3:x\n")
    (tmp_path / "m.fx").write_bytes(b"old")
    done = fx("train", "x.svm", "-o", "m.fx", "--max-memory", "3M", "--model", "logistic", status=2)
    assert "x.svm:30001:" in done.talk
    assert bytes_of(tmp_path / "m.fx") == b"old" and sorted(os.listdir(tmp_path)) == ["m.fx", "x.svm"]


def test_disk_full(tmp_path):
    svm(tmp_path / "x.svm")
    (tmp_path / "m.fx").write_bytes(b"old")

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (200000, 200000))

    done = subprocess.run([PROGRAM, "train", "x.svm", "-o", "m.fx", "--max-memory", "3M", "--model", "logistic"],
                          cwd=tmp_path, capture_output=True, text=True, preexec_fn=limit)
    assert done.returncode == 2 and "storing rows beside m.fx: File too large" in done.stderr
    assert bytes_of(tmp_path / "m.fx") == b"old" and sorted(os.listdir(tmp_path)) == ["m.fx", "x.svm"]

# SPDX-License-Identifier: BSD-3-Clause
"""Rows that exceed the memory: the same model as in memory, whatever the source and the number of threads;
what cannot be fitted so; nothing is left on the disk.

Covers: cli/tables/spill.c, cli/tables/spill_answer.c, cli/tables/spill_write.c, cli/tables/spill_file.c,
cli/tables/spill_rows.c, cli/tables/row_sample.c, cli/tables/label_counts.c, cli/models/selection_rows.c,
cli/files/file_hash.c"""

import gzip
import lzma
import math
import os
import random
import re
import resource
import signal
import struct
import subprocess

import pytest

from conftest import PROGRAM
from test_batches import peak


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
    ["--model", "svm-l2"],
    ["--model", "svm-l2", "--kernel", "anova:order=2", "-D", "100"],
    ["--model", "svm-l2", "--solver", "newton", "--kernel", "anova:order=2", "-D", "100"],
    ["--model", "logistic", "--penalty", "l1", "--solver", "proximal"],
    ["--model", "pca:k=3"],
    ["--model", "ridge", "--map", "rff", "--kernel", "rbf:gamma=0.01", "-D", "64"],
    ["--model", "fm", "--solver", "lbfgs", "--task", "classify", "--rank", "4", "--max-iter", "5"],
    ["--model", "hofm:max-iter=3", "--solver", "lbfgs", "--task", "regress", "--rank", "4", "--clip", "train"],
    ["--model", "perceptron", "--max-iter", "3"],
    ["--model", "hofm:order=3,solver=adagrad,rank=4,max-iter=3,task=classify,tol=1", "--scale", "maxabs"],
    ["--model", "logistic", "--scale", "std", "--class-weight", "balanced"],
]


@pytest.mark.parametrize("model", MODELS, ids=lambda m: m[1] + str(len(m)))
def test_same_bytes(fx, tmp_path, model):
    svm(tmp_path / "x.svm")
    with gzip.open(tmp_path / "x.svm.gz", "wb") as f:
        f.write(bytes_of(tmp_path / "x.svm"))
    fx("train", "x.svm", "-o", "memory.fx", *model)
    limit = "9M" if "adagrad" in model[1] else "4M"
    for source, threads in (("x.svm", 1), ("x.svm", 2), ("x.svm.gz", 2)):
        done = fx("train", source, "-o", "streamed.fx", "--max-memory", limit, "--threads", threads, "--json", *model)
        report = done.json
        assert report["engine"]["name"] == "stream" and report["engine"]["parts"] > 2
        assert report["engine"]["passes"] > 2 and report["rows"] == 30000
        assert f"too large for --max-memory {limit[0]}.0 MiB" in done.talk
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


def test_csv_and_svmlight(fx, tmp_path):
    """The same rows with and without their zeros: the same features, factors and scores; weights of columns are summed
    in another order.  Each is the same streamed as in memory."""
    rng = random.Random(6)
    with open(tmp_path / "x.svm", "w") as s, open(tmp_path / "x.csv", "w") as c:
        c.write("y," + ",".join(f"c{j}" for j in range(12)) + "\n")
        for i in range(20000):
            x = [rng.choice([0, 0, 1, 0.5, 2.25]) for _ in range(11)] + [1 + i % 2]
            y = 1 if x[0] + x[3] * x[5] - x[7] + rng.random() > 1 else -1
            s.write(f"{y} " + " ".join(f"{j + 1}:{v}" for j, v in enumerate(x) if v) + "\n")
            c.write(f"{y}," + ",".join(map(str, x)) + "\n")
    (tmp_path / "x.csv.gz").write_bytes(gzip.compress(bytes_of(tmp_path / "x.csv")))
    for model in MODELS[0], MODELS[4], MODELS[8]:
        scores = {}
        for source, more in (("x.svm", []), ("x.csv", ["--label", "y"]), ("x.csv.gz", ["--label", "y"])):
            fx("train", source, *more, "-o", "memory.fx", *model)
            done = fx("train", source, *more, "-o", "m.fx", *model, "--max-memory", "6M", "--threads", 1 + len(scores) % 2)
            assert "were packed" in done.talk
            assert bytes_of(tmp_path / "m.fx") == bytes_of(tmp_path / "memory.fx")
            scores[source] = fx("predict", "m.fx", source, "--output", "score").text.split()
        assert scores["x.csv"] == scores["x.csv.gz"]
        if model != MODELS[0]:
            assert scores["x.svm"] == scores["x.csv"]
        assert all(abs(float(a) - float(b)) < 1e-9 for a, b in zip(scores["x.svm"], scores["x.csv"], strict=True))


@pytest.mark.parametrize("nan", ["zero", "mean", "drop", "mean,indicator"])
def test_missing(fx, tmp_path, nan):
    rng = random.Random(3)
    with open(tmp_path / "t.csv", "w") as f:
        f.write("a,b,c,label\n")
        for i in range(30000):
            x = [rng.random() * 3, rng.random() - 0.5, rng.randint(0, 9)]
            label = "yes" if x[0] + x[1] * 4 + rng.random() > 2 else "no"
            x = ["NA" if rng.random() < 0.1 and (j < 2 or i > 20000) else f"{v:.5g}" for j, v in enumerate(x)]
            f.write(",".join(x) + f",{label}\n")
    common = ["t.csv", "--label", "label", "--model", "logistic", "--scale", "std", "--nan", nan]
    memory = fx("train", *common, "-o", "memory.fx")
    streamed = fx("train", *common, "-o", "streamed.fx", "--max-memory", "2M")
    assert "passes       " in streamed.text
    assert bytes_of(tmp_path / "streamed.fx") == bytes_of(tmp_path / "memory.fx")
    said = [line for line in memory.talk.splitlines() if "missing number" in line]
    assert said and all(line in streamed.talk for line in said)


def test_eval_set(fx, tmp_path):
    svm(tmp_path / "x.svm")
    svm(tmp_path / "v.svm", rows=500, seed=2)
    common = ["x.svm", "--model", "logistic", "--eval-set", "v.svm", "--metric", "logloss", "--json"]
    memory = fx("train", *common, "-o", "memory.fx", "--history", "memory.csv").json
    streamed = fx("train", *common, "-o", "streamed.fx", "--history", "streamed.csv", "--max-memory", "3M").json
    assert streamed["engine"]["name"] == "stream" and streamed["eval"] == memory["eval"]
    assert bytes_of(tmp_path / "streamed.fx") == bytes_of(tmp_path / "memory.fx")
    history = [[[line.split(",")[k] for k in (0, 3, 5)] for line in open(tmp_path / f"{name}.csv")]
               for name in ("memory", "streamed")]
    assert history[0] == history[1]


def test_dry_run(fx, tmp_path):
    """Says what the first pass of a fit would find."""
    svm(tmp_path / "x.svm")
    for model in ["--model", "logistic", "--scale", "auto"], ["--model", "fm:solver=lbfgs", "--task", "classify"]:
        memory = fx("train", "x.svm", "--dry-run", "--json", *model)
        done = fx("train", "x.svm", "--dry-run", "--json", *model, "--max-memory", "3M")
        assert "too large for --max-memory" in done.talk and done.json == memory.json
        assert done.json["scale"] == "maxabs" and "values reach 2 in column 1" in done.talk


def test_refused(fx, tmp_path):
    svm(tmp_path / "x.svm")
    for model in (["--model", "svm"], ["--model", "logistic", "--penalty", "l1"],
                  ["--model", "logistic", "--nan", "median"], ["--penalty", "l1"]):
        done = fx("train", "x.svm", "-o", "m.fx", "--max-memory", "1500K", *model, status=4)
        assert "the limit is" in done.talk
        assert "need not be in memory for --model logistic, ridge, svm-l2, pca, perceptron" in done.talk
        assert "with --penalty l1, for --solver proximal" in done.talk
    done = fx("train", "x.svm", "-o", "m.fx", "--max-memory", "8M", "--model", "fm", status=4)  # the rows fit, the fit does not
    assert "weights and their fit needs" in done.talk and "factorization machines with --solver lbfgs" in done.talk
    assert sorted(os.listdir(tmp_path)) == ["x.svm"]


def numbers(path, rows=30000):
    """Sums of columns; half of the numbers are no floats, but not those of the first rows."""
    rng = random.Random(5)
    with open(path, "w") as f:
        for i in range(rows):
            x = {j: rng.randint(-9, 9) + (0.1 if i > rows // 2 else 0) for j in sorted(rng.sample(range(1, 30), 6))}
            f.write(f"{sum(v * (j % 3 - 1) for j, v in x.items()) + rng.random():.3f} "
                    + " ".join(f"{j}:{v:g}" for j, v in x.items()) + "\n")


CHOSEN = [                              # data, options, limit, what is said of the task
    ("t.csv", ["--penalty", "l2", "--max-iter", "5"], "16M", "classify, since labels are text"),
    ("n.svm", ["--kernel", "anova:order=2", "-D", "64", "-C", "auto"], "16M", "regress, since labels such as"),
    ("x.svm", ["--penalty", "l2", "--model", "logistic", "-C", "auto", "--scale", "auto"], "16M", ""),
    ("x.svm", ["--model", "svm-l2", "-C", "auto", "--class-weight", "balanced"], "16M", ""),
    ("x.svm", ["--kernel", "anova:order=2", "--map", "rk", "-D", "auto", "-C", "auto", "--solver", "newton"], "36M",
     "2 values"),
    ("x.svm", ["-C", "0.1"], "6M", "classify, since labels are whole numbers of 2 values"),
    ("x.svm", ["--model", "fm:rank=3,solver=lbfgs,max-iter=3"], "6M", "of 2 values"),
    ("n.svm", ["--model", "hofm:rank=3,solver=lbfgs,max-iter=3"], "6M", "regress, since"),
]


@pytest.mark.large
@pytest.mark.parametrize("data, options, limit, task", CHOSEN, ids=lambda x: " ".join(x) if isinstance(x, list) else x)
def test_chosen(fx, tmp_path, data, options, limit, task):
    """What is chosen by rows is the same, whatever the memory."""
    make = {"t.csv": table, "x.svm": svm, "n.svm": numbers}[data]
    make(tmp_path / data, rows=150000 if data == "t.csv" else 110000)
    common = [data, *(["--label", "label"] if data == "t.csv" else []), *options]
    memory = fx("train", *common, "-o", "memory.fx")
    for threads in (1, 2):
        done = fx("train", *common, "-o", "streamed.fx", "--max-memory", limit, "--threads", threads, "--json")
        assert done.json["engine"]["name"] == "stream"
        assert limit != "16M" or done.json["peak_bytes"] < 16 << 20
        assert not task or (task in done.talk and task in memory.talk)
        assert bytes_of(tmp_path / "streamed.fx") == bytes_of(tmp_path / "memory.fx")
        said = [line for line in memory.talk.splitlines() if line.startswith("candidates")]
        assert all(line in done.talk for line in said)
    dry = fx("train", *common, "--dry-run", "--max-memory", limit, "--json").json
    assert "fm:" in dry["model"] or "hofm" in dry["model"] or all(key in done.json["model"] for key in dry["model"].split(","))
    assert bool(dry["map"]) == bool(done.json["map"])
    assert sorted(os.listdir(tmp_path)) == sorted(["memory.fx", "streamed.fx", data])


@pytest.mark.large
def test_chosen_but_refused(fx, tmp_path):
    """A choice is the same for any memory; if it needs the rows there, the way out is named and works."""
    svm(tmp_path / "x.svm", rows=110000)
    assert "penalty=l1" in fx("train", "x.svm", "-o", "memory.fx", "--json").json["model"]
    done = fx("train", "x.svm", "-o", "m.fx", "--max-memory", "32M", status=4)
    assert "x.svm exceeds --max-memory, and penalty l1, which was chosen, needs all rows in memory" in done.talk
    assert "HINT: --penalty l1 --solver proximal does not, --penalty l2 leaves it out; or raise --max-memory" in done.talk
    done = fx("train", "x.svm", "-o", "m.fx", "--max-memory", "32M", "--penalty", "l2", "--json")
    assert done.json["engine"]["name"] == "stream"
    way = ["train", "x.svm", "--penalty", "l1", "--solver", "proximal", "--max-iter", "10", "--json"]
    fx(*way, "-o", "memory.fx")
    done = fx(*way, "-o", "m.fx", "--max-memory", "32M")
    assert done.json["engine"]["name"] == "stream" and done.json["map"].startswith("explicit")
    assert bytes_of(tmp_path / "m.fx") == bytes_of(tmp_path / "memory.fx")
    done = fx("train", "x.svm", "-o", "m.fx", "--max-memory", "8M", status=4)   # no smaller choice instead
    assert "the limit is" in done.talk and "--max-memory SIZE raises the limit" in done.talk


def test_refused_by_the_data(fx, tmp_path):
    """Where auto begins with the dual solver, whatever the memory."""
    svm(tmp_path / "x.svm")
    wide = ["train", "x.svm", "-o", "m.fx", "--max-memory", "4M", "--model", "svm-l2", "--kernel", "anova:order=2",
            "-D", "300"]
    done = fx(*wide, status=4)
    assert "dense (300 here)" in done.talk and "needs all rows in memory; use --solver newton" in done.talk
    assert fx(*wide, "--solver", "newton", "--max-iter", "2", "--json").json["engine"]["name"] == "stream"


def test_least_memory(fx, tmp_path):
    """What a fit needs in spite of streaming is named."""
    svm(tmp_path / "x.svm")
    done = fx("train", "x.svm", "-o", "m.fx", "--max-memory", "3M", "--model", "ridge", "--kernel", "anova:order=2",
              "-D", "1000", status=4)
    assert re.search(r"weights and their fit needs \d+ bytes, the limit is 1572864", done.talk)
    assert "the program and the rows that are read take 1.5 MiB besides" in done.talk      # at most half


@pytest.mark.large
def test_limit_is_kept(fx, tmp_path):
    """From 16 MiB on, which the program needs with its rows: refused with what would do, or below the limit."""
    svm(tmp_path / "x.svm", rows=60000)
    model = ["--model", "logistic", "--kernel", "anova:order=2", "-D", "1000", "--spill", "rows",
             "--threads", "2", "--json"]
    done = fx("train", "x.svm", "-o", "m.fx", *model, "--max-memory", "16M", status=4)
    need, limit = map(int, re.search(r"a pass over the rows needs (\d+) bytes, the limit is (\d+)", done.talk).groups())
    enough = (16 << 20) - limit + need + (1 << 20)      # what the program holds differs a little
    done = fx("train", "x.svm", "-o", "m.fx", *model, "--max-memory", enough)
    assert done.json["engine"]["name"] == "stream" and 0.5 * enough < done.json["peak_bytes"] <= enough


@pytest.mark.large
def test_long_rows(fx, program, tmp_path):
    """A block of 4,096 rows, or all rows, that is too large is refused while it is read, below the limit."""
    entries = " ".join(f"{j}:1" for j in range(1, 40000))
    with open(tmp_path / "x.svm", "w") as f:
        for i in range(150):                            # 48 MB
            f.write(f"{i % 2} {entries}\n")
    for limit, what in ((16, "rows are packed 4096 at a time; the program and the rows that wait take "), (64, "the rows that are read take ")):
        done = fx("train", "x.svm", "-o", "m.fx", "--model", "logistic", "--max-memory", f"{limit}M", status=4)
        assert what in done.talk and "HINT: --max-memory SIZE" in done.talk
    (tmp_path / "x.svm.xz").write_bytes(lzma.compress(bytes_of(tmp_path / "x.svm")))
    for source, limit in (("x.svm", 32), ("x.svm", 48), ("x.svm.xz", 48)):  # a decoder has memory, too
        assert peak(program, tmp_path, "train", source, "-o", "m.fx", "--model", "logistic",
                    "--max-memory", f"{limit}M") <= limit << 20
    done = fx("train", "x.svm", "-o", "m.fx", "--model", "logistic", "--max-memory", "140M", "--max-iter", "5", "--json")
    assert done.json["engine"]["name"] == "stream" and done.json["peak_bytes"] <= 140 << 20


@pytest.mark.large
def test_tables_with_many_categories(fx, program, tmp_path):
    """Such tables are sparse, so an entry takes 12 bytes, not 8; they are packed in a small limit, too."""
    rng = random.Random(5)
    with open(tmp_path / "t.csv", "w") as f:
        f.write("city,day,age,income,user,x,y,z,clicked\n")
        for i in range(250000):
            f.write(f"c{i % 10},d{i % 7},{i % 70},{i % 9999}.5,u{rng.randrange(5000)},{rng.random():.4f},0.5,2,"
                    f"{'yes' if rng.random() < 0.5 else 'no'}\n")
    for limit in (16, 24):
        train = ["train", "t.csv", "-o", "m.fx", "--model", "perceptron", "--max-memory", f"{limit}M"]
        assert fx(*train, "--json").json["engine"]["name"] == "stream"
    assert peak(program, tmp_path, *train) <= limit << 20


@pytest.mark.large
def test_rows_in_memory_count(fx, program, tmp_path):
    """A fit gets what the rows and the program leave."""
    svm(tmp_path / "x.svm", rows=100000)
    fm = ["train", "x.svm", "-o", "m.fx", "--model", "fm", "--rank", "4", "--max-iter", "1"]
    done = fx(*fm, "--max-memory", "40M", status=4)
    need, limit = map(int, re.search(r"their fit needs (\d+) bytes, the limit is (\d+)", done.talk).groups())
    assert limit < 32 << 20 < need + (40 << 20) - limit and "that are in memory take " in done.talk
    enough = need + (40 << 20) - limit + (2 << 20)      # what the program holds differs a little
    assert peak(program, tmp_path, *fm, "--max-memory", str(enough)) <= enough


@pytest.mark.large
def test_choosing_keeps_the_limit(program, fx, tmp_path):
    """What the fit of one candidate has freed is not held during that of the next."""
    fx("make", "pairs:n=1000000,d=200,nz=15", "-o", "x.svm")     # too many for products of three columns
    train = ["train", "x.svm", "--penalty", "l1", "--solver", "proximal", "--dry-run", "--max-memory", "32M"]
    assert peak(program, tmp_path, *train) <= 32 << 20


@pytest.mark.large
def test_rows_of_ones(fx, tmp_path):
    """Ones are not in the file: rows take more in memory than there."""
    rng = random.Random(6)
    lines = [f"{i % 2} " + " ".join(f"{j}:1" for j in sorted(rng.sample(range(1, 2000), 300))) + "\n" for i in range(400)]
    (tmp_path / "x.svm").write_text("".join(lines) * 60)
    train = ["train", "x.svm", "-o", "m.fx", "--model", "perceptron:max-iter=2", "--spill", "rows", "--threads", "2", "--json",
             "--max-memory"]
    done = fx(*train, "26M", status=4)
    limit = math.ceil(float(re.search(r"columns take ([\d.]+) MiB", done.talk)[1]) + 5) << 20   # and the fit
    done = fx(*train, limit)
    assert done.json["engine"]["name"] == "stream" and done.json["peak_bytes"] <= limit


@pytest.mark.large
def test_many_columns(fx, program, tmp_path):
    """What is known of columns counts before the first pass."""
    with open(tmp_path / "x.svm", "w") as f:
        for i in range(40000):
            f.write(f"{i % 2} " + " ".join(f"{1 + i * 7919 % 9973 + 10000 * k}:1" for k in range(30)) + "\n")
    for limit, what in ((16, "is known of 299973 columns take"), (32, "the limit is"), (56, "the limit is")):
        train = ["train", "x.svm", "-o", "m.fx", "--model", "logistic", "--spill", "rows", "--max-memory", f"{limit}M"]
        assert what in fx(*train, status=4).talk
        assert peak(program, tmp_path, *train) <= limit << 20


def test_least_memory_to_read(fx, tmp_path):
    """A fit that can be streamed gets no advice to use one."""
    with open(tmp_path / "t.csv", "w") as f:
        f.write("a,b,c,d,e,f,g,h,y\n" + "1,2,3,4,5,6,7,8,0\n8,7,6,5,4,3,2,1,1\n" * 20000)
    done = fx("train", "t.csv", "-o", "m.fx", "--max-memory", "1500K", "--model", "logistic", status=4)
    assert "HINT: --max-memory SIZE raises the limit" in done.talk and "need not be in memory" not in done.talk


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
    assert "HINT: -o MODEL or --spill FILE on another disk" in done.stderr
    assert bytes_of(tmp_path / "m.fx") == b"old" and sorted(os.listdir(tmp_path)) == ["m.fx", "x.svm"]


def test_standard_input(fx, tmp_path):
    """Its size is not known: the rows that were read decide."""
    svm(tmp_path / "x.svm")
    fx("train", "x.svm", "-o", "memory.fx", "--model", "logistic")
    text = bytes_of(tmp_path / "x.svm")
    for source in (text, gzip.compress(text)):
        done = fx("train", "-", "-o", "m.fx", "--model", "logistic", "--max-memory", "3M", stdin=source)
        assert "stdin: too large for --max-memory 3.0 MiB" in done.talk
        assert bytes_of(tmp_path / "m.fx") == bytes_of(tmp_path / "memory.fx")
    done = fx("train", "-", "-o", "m.fx", "--model", "logistic", "--max-memory", "30M", stdin=text)
    assert "too large" not in done.talk and "passes  " not in done.text


KEPT = ["train", "x.svm", "-o", "m.fx", "--model", "logistic", "--spill", "rows"]


def test_kept(fx, tmp_path):
    """Rows that are kept serve other fits, of the same sources only."""
    svm(tmp_path / "x.svm")
    fx("train", "x.svm", "-o", "memory.fx", "--model", "logistic")
    done = fx(*KEPT)
    assert "x.svm: the rows were packed into rows, " in done.talk
    packed = bytes_of(tmp_path / "rows")
    for stamp in (None, 1, None):       # of another time, but the same: its bytes decide
        if stamp:
            os.utime(tmp_path / "x.svm", (stamp, stamp))
        done = fx(*KEPT, "--json")
        assert "the rows are taken from rows" in done.talk and "30000 rows x 59 columns" in done.talk
        assert done.json["engine"]["name"] == "stream" and done.json["engine"]["parts"] == 8
        assert bytes_of(tmp_path / "m.fx") == bytes_of(tmp_path / "memory.fx")
    (tmp_path / "y.svm").write_bytes(bytes_of(tmp_path / "x.svm"))      # the same under another name
    fx("train", "y.svm", *KEPT[2:])
    fx(*KEPT, "-C", "2")
    assert bytes_of(tmp_path / "rows") == packed


def test_kept_and_chosen(fx, tmp_path):
    """Classes and columns that appear late; rows that are packed now, were packed, or go with a checkpoint."""
    svm(tmp_path / "x.svm", rows=24000)
    lines = (tmp_path / "x.svm").read_text().splitlines(keepends=True)
    for k in range(3):                  # a batch each
        names = {"1": "yes", "-1": "maybe" if k == 2 else "no"}
        (tmp_path / f"{k}.svm").write_text("".join(
            names[line.split()[0]] + line[line.index(" "):] for line in lines[8000 * k:8000 * (k + 1)]))
    common = ["0.svm", "1.svm", "2.svm", "-C", "auto", "--max-iter", "5"]
    memory = fx("train", *common, "--scale", "auto", "-o", "memory.fx", "--json")
    for more in (["--spill", "rows"], ["--spill", "rows"], ["--checkpoint", "fit"]):
        done = fx("train", *common, "--scale", "auto", "-o", "m.fx", "--json", *more)
        assert done.json["class_names"] == ["maybe", "no", "yes"] and done.json["engine"]["name"] == "stream"
        assert done.json["held_out"] == memory.json["held_out"]
        for line in ("classify, since labels are text", "values reach 2 in column 1"):
            assert line in done.talk and line in memory.talk
        assert bytes_of(tmp_path / "m.fx") == bytes_of(tmp_path / "memory.fx")


def test_kept_for_others(fx, tmp_path):
    svm(tmp_path / "x.svm")
    text = bytes_of(tmp_path / "x.svm")
    fx(*KEPT)
    kept = bytes_of(tmp_path / "rows")
    (tmp_path / "m.fx").write_bytes(b"old")
    hint = "HINT: delete it, or give --spill another name"
    said = fx(*KEPT, "--index-base", "1", status=2).talk
    assert "rows: its rows were read by other options: base=late, not base=1" in said and hint in said
    said = fx(*KEPT, "--sort", status=2).talk
    assert "sort=no, not sort=yes" in said
    assert "rows of 1 file, not of 2" in fx("train", "x.svm", *KEPT[1:], status=2).talk
    assert "rows of a pipe cannot be compared" in fx("train", "-", *KEPT[2:], status=2, stdin=text).talk
    piped = fx("train", "-", "-o", "n.fx", *KEPT[4:-1], "piped", stdin=text)
    assert "WARNING: piped cannot be used again: rows of a pipe" in piped.talk
    (tmp_path / "piped").unlink()
    (tmp_path / "x.svm").write_bytes(text[:-2] + b"9\n")
    said = fx(*KEPT, status=2).talk
    assert "rows holds the rows of x.svm, which has changed" in said and hint in said
    (tmp_path / "x.svm").write_bytes(text + text[:100].split(b"\n")[0])
    assert "rows holds the rows of x.svm, whose size has changed" in fx(*KEPT, status=2).talk
    (tmp_path / "y.svm").write_bytes(text[:5000].rsplit(b"\n", 1)[0])
    assert "rows of x.svm, not of y.svm" in fx("train", "y.svm", *KEPT[2:], status=2).talk
    os.mkfifo(tmp_path / "pipe")
    for other in ("x.svm", "m.fx", "pipe", "."):        # never replaced, nor waited for
        said = fx("train", "x.svm", "-o", "n.fx", "--model", "logistic", "--spill", other, status=2).talk
        assert f"{other} is not a file of rows that train --spill has written" in said and "delete" not in said
    said = fx("train", "x.svm", "--model", "svm", "--spill", "rows", status=4).talk
    assert "but this one needs them in memory" in said and "need not be in memory for --model logistic" in said
    assert "two outputs" in fx("train", "x.svm", "--model", "logistic", "-o", "n", "--spill", "n", status=2).talk
    assert "standard output cannot be read again" in fx("train", "x.svm", "--model", "logistic", "-o", "n", "--spill", "-",
                                                        status=2).talk
    assert bytes_of(tmp_path / "rows") == kept and bytes_of(tmp_path / "m.fx") == b"old"


def test_kept_and_damaged(fx, tmp_path):
    """A flipped bit or a missing end: refused wherever it is, and the old model stays."""
    svm(tmp_path / "x.svm", rows=9000)
    fx(*KEPT)
    kept = bytes_of(tmp_path / "rows")
    (tmp_path / "m.fx").write_bytes(b"old")
    rng = random.Random(3)
    places = [0, 31, 32, 40, len(kept) - 1, len(kept) - 20, len(kept) - 33, len(kept) - 40, len(kept) - 200]
    for at in places + [rng.randrange(len(kept)) for _ in range(30)]:
        broken = bytearray(kept)
        broken[at] ^= 1 << rng.randrange(8)
        (tmp_path / "rows").write_bytes(broken)
        done = fx(*KEPT, status=2)
        assert re.search(r"damaged|incomplete|checksum|not a file of rows", done.talk), (at, done.talk)
    for length in [0, 10, 40, len(kept) - 1, len(kept) - 32] + [rng.randrange(len(kept)) for _ in range(10)]:
        (tmp_path / "rows").write_bytes(kept[:length])
        assert re.search(r"damaged|incomplete|not a file of rows", fx(*KEPT, status=2).talk)
    assert bytes_of(tmp_path / "m.fx") == b"old"


def crc64(data):
    """Of xz files."""
    crc = 2**64 - 1
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0xC96C5795D7870F42 if crc & 1 else 0)
    return crc ^ (2**64 - 1)


@pytest.mark.parametrize("old, new", [(30000, 30000 + 40 * 4096), (30000, 30000 - 4096), (30000, 29999), (59, 40), (8, 2**61),
                                      (8, 7)])
def test_kept_to_deceive(fx, tmp_path, old, new):
    """The description of the rows says something else, and its checksum is right."""
    svm(tmp_path / "x.svm")
    fx(*KEPT)
    kept = bytes_of(tmp_path / "rows")
    begin, size, check = struct.unpack("<3Q", kept[-32:-8])
    assert check == crc64(kept[begin:begin + size])
    told = kept[begin:begin + size]
    at = told.index(b"base=late")       # numbers after the options of reading
    changed = told[:at] + told[at:].replace(struct.pack("<Q", old), struct.pack("<Q", new))
    assert changed != told
    (tmp_path / "rows").write_bytes(kept[:begin] + changed + struct.pack("<3Q", begin, size, crc64(changed)) + kept[-8:])
    (tmp_path / "m.fx").write_bytes(b"old")
    done = fx(*KEPT, status=2)
    assert re.search("damaged|other options|other rows or columns", done.talk), done.talk
    assert bytes_of(tmp_path / "m.fx") == b"old"


def pack_checksum(data):
    """Of packed rows: src/base/checksum.c."""
    def mix(h, x):
        h = (h ^ x) * 0x9E3779B97F4A7C15 % 2**64
        return (h << 31 | h >> 33) % 2**64

    lane, h = [0] * 8, 1
    data = data.ljust((len(data) + 63) // 64 * 64, b"\0")
    for k, x in enumerate(struct.unpack(f"<{len(data) // 8}Q", data)):
        lane[k % 8] = mix(lane[k % 8], x)
    for x in lane:
        h = mix(h, x)
    return h


@pytest.mark.parametrize("label", [1e18, -1.0, float("nan")])
def test_kept_classes_to_deceive(fx, tmp_path, label):
    """A label of the first part is no class, and the checksum of the part is right."""
    table(tmp_path / "t.csv", rows=5000)
    how = ["train", "t.csv", "--label", "label", "--spill", "rows", "-C", "auto", "-o", "m.fx"]
    fx(*how)
    kept = bytearray(bytes_of(tmp_path / "rows"))
    size, = struct.unpack("<Q", kept[40:48])
    part = kept[32:32 + size]
    sum_at, labels = slice(64, 72), slice(72, 80)
    check, = struct.unpack("<Q", part[sum_at])
    part[sum_at] = bytes(8)
    assert check == pack_checksum(bytes(part))
    part[labels] = struct.pack("<d", label)
    part[sum_at] = struct.pack("<Q", pack_checksum(bytes(part)))
    kept[32:32 + size] = part
    (tmp_path / "rows").write_bytes(kept)
    assert "a part has other rows or columns" in fx(*how, status=2).talk


def test_kept_names(fx, tmp_path):
    """Names of columns, categories, classes and weights come back."""
    table(tmp_path / "t.csv")
    common = ["--label", "label", "--weight-column", "score", "--model", "logistic", "--scale", "maxabs"]
    fx("train", "t.csv", *common, "-o", "memory.fx")
    first = fx("train", "t.csv", *common, "-o", "m.fx", "--spill", "rows")
    again = fx("train", "t.csv", *common, "-o", "n.fx", "--spill", "rows")
    assert first.talk.splitlines()[:2] == again.talk.splitlines()[:2]
    assert "1 categorical column: city (4)" in again.talk
    assert bytes_of(tmp_path / "memory.fx") == bytes_of(tmp_path / "m.fx") == bytes_of(tmp_path / "n.fx")


def test_kept_only_if_complete(fx, tmp_path):
    """A bad line, a full disk or a signal while the rows are packed: no file, and no part of one."""
    svm(tmp_path / "x.svm")
    with open(tmp_path / "x.svm", "a") as f:
        f.write("1 3:x\n")
    assert "x.svm:30001:" in fx(*KEPT, status=2).talk
    svm(tmp_path / "x.svm")

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (200000, 200000))

    done = subprocess.run([PROGRAM, *KEPT], cwd=tmp_path, capture_output=True, text=True, preexec_fn=limit)
    assert done.returncode == 2 and done.stderr.strip() == "featcross: rows: File too large"
    with subprocess.Popen([PROGRAM, "train", "-", *KEPT[2:]], cwd=tmp_path, stdin=subprocess.PIPE,
                          stderr=subprocess.PIPE) as run:
        run.stdin.write(bytes_of(tmp_path / "x.svm")[:2000000].rsplit(b"\n", 1)[0])
        run.stdin.flush()
        while not any(name.startswith(".featcross") for name in os.listdir(tmp_path)):
            pass
        run.send_signal(signal.SIGINT)
        assert run.wait(60) == 130
    assert sorted(os.listdir(tmp_path)) == ["x.svm"]


@pytest.mark.large
def test_peak(fx, tmp_path):
    """Reading, packing and fitting stay below --max-memory, whatever the source."""
    svm(tmp_path / "part.svm", rows=50000)
    text = bytes_of(tmp_path / "part.svm")
    (tmp_path / "x.svm").write_bytes(6 * text)
    (tmp_path / "x.svm.gz").write_bytes(gzip.compress(6 * text, 1))
    for source in (["x.svm"], ["x.svm.gz"], ["part.svm"] * 6, ["x.svm", "--spill", "rows"],
                   ["x.svm", "--spill", "rows"]):
        done = fx("train", *source, "-o", "m.fx", "--model", "logistic", "--max-memory", "24M", "--max-iter", "3", "--json")
        assert done.json["rows"] == 300000 and done.json["peak_bytes"] < 24 << 20


@pytest.mark.large
def test_peak_while_unpacking(fx, tmp_path):
    """A window of 16 MiB and the rows that come from it."""
    svm(tmp_path / "part.svm", rows=50000)
    way = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 16 << 20}]
    (tmp_path / "x.svm.xz").write_bytes(lzma.compress(9 * bytes_of(tmp_path / "part.svm"), filters=way))
    train = ["train", "x.svm.xz", "-o", "m.fx", "--model", "logistic", "--max-iter", "3", "--json", "--max-memory"]
    done = fx(*train, "24M", status=4)
    limit = math.ceil(float(re.search(r"and as much for what is in it, takes ([\d.]+) MiB", done.talk)[1])) << 20
    done = fx(*train, limit)
    assert done.json["engine"]["name"] == "stream" and 16 << 20 < done.json["peak_bytes"] < limit

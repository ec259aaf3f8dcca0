# SPDX-License-Identifier: BSD-3-Clause
"""Checkpoints: a fit that is killed at any moment and resumed ends with the same bytes; files that are damaged or
belong to another fit are refused; nothing is left behind.

Covers: cli/models/checkpoint.c"""

import os
import random
import resource
import signal
import subprocess
import time

import pytest

from conftest import PROGRAM
from test_spill import bytes_of, svm

MODEL = ["--model", "logistic", "--kernel", "anova:order=2", "-D", "200", "--tol", "1e-9"]
KEEP = ["--checkpoint", "c.fxc"]


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    path = tmp_path_factory.mktemp("rows") / "x.svm"
    svm(path, rows=20000)
    return path


def clean(tmp_path):
    """The model under its temporary name, which SIGKILL leaves."""
    for path in tmp_path.glob(".featcross.tmp*"):
        path.unlink()


def stop(tmp_path, command, size):
    """Kills a fit when its checkpoint has so many bytes."""
    run = subprocess.Popen([PROGRAM, *command], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while run.poll() is None and not (os.path.exists(tmp_path / "c.fxc")
                                      and os.path.getsize(tmp_path / "c.fxc") > size):
        time.sleep(0.001)
    run.send_signal(signal.SIGKILL)
    assert run.wait() == -signal.SIGKILL
    clean(tmp_path)


def interrupted(fx, rows, tmp_path, passes=6):
    """A checkpoint of a fit that was killed after some passes."""
    fx("train", rows, "-o", "whole.fx", *MODEL)
    stop(tmp_path, ["train", rows, "-o", "m.fx", *MODEL, *KEEP], 7000 * passes)
    assert sorted(os.listdir(tmp_path)) == ["c.fxc", "whole.fx"]
    return bytes_of(tmp_path / "c.fxc")


def test_finished(fx, rows, tmp_path):
    """Without an interruption: the same model, the file is gone."""
    fx("train", rows, "-o", "whole.fx", *MODEL)
    done = fx("train", rows, "-o", "m.fx", *MODEL, *KEEP, "--resume")
    assert "checkpoint c.fxc is new" in done.talk
    assert bytes_of(tmp_path / "m.fx") == bytes_of(tmp_path / "whole.fx")
    assert sorted(os.listdir(tmp_path)) == ["m.fx", "whole.fx"]


def test_killed(fx, rows, tmp_path):
    """Ten kills at random moments, each resumed by the next run; the last one ends."""
    rng = random.Random(time.time_ns())
    fx("train", rows, "-o", "whole.fx", *MODEL)
    start = time.monotonic()
    fx("train", rows, "-o", "whole.fx", *MODEL)
    whole = time.monotonic() - start
    killed = 0
    for _ in range(10):
        run = subprocess.Popen([PROGRAM, "train", rows, "-o", "m.fx", *MODEL, *KEEP, "--resume"], cwd=tmp_path,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        try:
            run.wait(rng.uniform(0, whole))
        except subprocess.TimeoutExpired:
            run.send_signal(rng.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT]))
        run.communicate()
        killed += run.returncode != 0
        clean(tmp_path)
        assert run.returncode in (0, 130, 143, -signal.SIGKILL, -signal.SIGTERM, -signal.SIGINT)  # - : before all began
        assert not os.path.exists(tmp_path / "m.fx") or bytes_of(tmp_path / "m.fx") == bytes_of(tmp_path / "whole.fx")
    assert killed
    fx("train", rows, "-o", "m.fx", *MODEL, *KEEP, "--resume")
    assert bytes_of(tmp_path / "m.fx") == bytes_of(tmp_path / "whole.fx")
    assert not os.path.exists(tmp_path / "c.fxc")


def test_resumed(fx, rows, tmp_path):
    """Passes are not made twice, for any number of threads."""
    interrupted(fx, rows, tmp_path)
    done = fx("train", rows, "-o", "m.fx", *MODEL, *KEEP, "--resume", "--threads", 1, "--json")
    assert "passes were done before" in done.talk
    again = fx("train", rows, "-o", "n.fx", *MODEL, *KEEP, "--json")
    assert 0 < done.json["engine"]["passes"] <= again.json["engine"]["passes"] - 3
    assert bytes_of(tmp_path / "m.fx") == bytes_of(tmp_path / "n.fx") == bytes_of(tmp_path / "whole.fx")


def test_other_memory(fx, tmp_path):
    """Parts of the rows know as many columns and classes as were read before, which depends on the memory."""
    svm(tmp_path / "x.svm", rows=40000)
    model = ["--model", "logistic", "--scale", "std", "--tol", "1e-9"]
    fx("train", "x.svm", "-o", "whole.fx", *model)
    for first, second in (("4M", "1G"), ("1G", "4M")):
        stop(tmp_path, ["train", "x.svm", "-o", "m.fx", *model, *KEEP, "--max-memory", first], 10000)
        done = fx("train", "x.svm", "-o", "m.fx", *model, *KEEP, "--max-memory", second, "--resume")
        assert "passes were done before" in done.talk
        assert bytes_of(tmp_path / "m.fx") == bytes_of(tmp_path / "whole.fx")


def test_kept_rows(fx, rows, tmp_path):
    """Rows of a --spill are those of its text."""
    whole = interrupted(fx, rows, tmp_path)
    fx("train", rows, "-o", "n.fx", "--model", "logistic", "--spill", "rows")
    done = fx("train", rows, "-o", "m.fx", *MODEL, *KEEP, "--resume", "--spill", "rows")
    assert whole and "passes were done before" in done.talk
    assert bytes_of(tmp_path / "m.fx") == bytes_of(tmp_path / "whole.fx")


def test_names(fx, tmp_path, put):
    """The model is not removed with the checkpoint; what cannot be used is found before rows are read."""
    svm(tmp_path / "x.svm", rows=5000)
    put("bad.svm", "1 x\n")
    (tmp_path / "link").symlink_to("m.fx")
    for name in ("m.fx", "./m.fx", "link", "h.csv"):
        done = fx("train", "bad.svm", "-o", "m.fx", "--history", "h.csv", "--model", "logistic", "--checkpoint", name,
                  "--resume", status=2)
        assert f"checkpoint {name}: two outputs cannot have one name" in done.talk
    done = fx("train", "x.svm", "-o", "m.fx", "--model", "logistic", "--checkpoint", "x.svm", "--resume", status=2)
    assert "x.svm would overwrite the input x.svm" in done.talk
    put("old", "old")
    assert "checkpoint old exists" in fx("train", "bad.svm", "-o", "m.fx", "--model", "logistic", "--checkpoint", "old",
                                         status=2).talk
    assert "No such file" in fx("train", "bad.svm", "-o", "m.fx", "--model", "logistic", "--checkpoint", "no/c",
                                status=2).talk
    assert "bad.svm:1:" in fx("train", "bad.svm", "-o", "m.fx", "--model", "logistic", *KEEP, status=2).talk
    os.mkfifo(tmp_path / "pipe")
    for name, why in (("-", "standard output"), ("pipe", "no file"), ("/dev/null", "no file"), (".", "Is a directory")):
        assert why in fx("train", "bad.svm", "-o", "m.fx", "--model", "logistic", "--checkpoint", name, "--resume",
                         status=2).talk
    assert sorted(os.listdir(tmp_path)) == ["bad.svm", "link", "old", "pipe", "x.svm"]


def test_disk_full(fx, rows, tmp_path):
    """A clear end: the old model stays, and what was stored before is of use."""
    (tmp_path / "m.fx").write_bytes(b"old")

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (30000, 30000))

    fx("train", rows, "-o", "whole.fx", *MODEL)
    fx("train", rows, "-o", "n.fx", *MODEL, "--spill", "rows")
    done = subprocess.run([PROGRAM, "train", rows, "-o", "m.fx", *MODEL, *KEEP, "--spill", "rows"], cwd=tmp_path,
                          capture_output=True, text=True, preexec_fn=limit)
    assert done.returncode == 2 and "writing checkpoint c.fxc: File too large" in done.stderr
    assert bytes_of(tmp_path / "m.fx") == b"old"
    assert sorted(os.listdir(tmp_path)) == ["c.fxc", "m.fx", "n.fx", "rows", "whole.fx"]
    done = fx("train", rows, "-o", "m.fx", *MODEL, *KEEP, "--spill", "rows", "--resume")
    assert "passes were done before" in done.talk
    assert bytes_of(tmp_path / "m.fx") == bytes_of(tmp_path / "whole.fx")


def test_damaged(fx, rows, tmp_path):
    """A bit that is flipped is found, or changes nothing; what is cut off is done again."""
    good = interrupted(fx, rows, tmp_path)
    rng = random.Random(1)
    refused = 0
    for k in range(40):
        bad = bytearray(good)
        if k % 4:
            bit = rng.randrange(8 * len(bad)) if k % 4 > 1 else rng.randrange(8 * 200)
            bad[bit // 8] ^= 1 << bit % 8
        else:
            del bad[rng.randrange(len(bad)):]
        (tmp_path / "c.fxc").write_bytes(bad)
        done = subprocess.run([PROGRAM, "train", rows, "-o", "m.fx", *MODEL, *KEEP, "--resume"], cwd=tmp_path,
                              capture_output=True, text=True)
        if done.returncode == 0:
            assert bytes_of(tmp_path / "m.fx") == bytes_of(tmp_path / "whole.fx")
            os.unlink(tmp_path / "m.fx")
        else:
            refused += 1
            assert done.returncode == 2 and "checkpoint c.fxc" in done.stderr
            assert not os.path.exists(tmp_path / "m.fx")
            assert bytes_of(tmp_path / "c.fxc") == bytes(bad)
    assert refused >= 20


def test_refused(fx, rows, tmp_path):
    interrupted(fx, rows, tmp_path)
    common = ["train", rows, "-o", "m.fx"]
    done = fx(*common, *MODEL, *KEEP, status=2)
    assert "exists; continue it with --resume, or delete it" in done.talk
    done = fx(*common, *MODEL, "-C", "2", *KEEP, "--resume", status=2)
    assert "belongs to a fit with other options" in done.talk
    other = tmp_path / "y.svm"
    label, rest = bytes_of(rows).split(b" ", 1)
    other.write_bytes((b"1 " if label == b"-1" else b"-1 ") + rest)
    done = fx("train", other, "-o", "m.fx", *MODEL, *KEEP, "--resume", status=2)
    assert "belongs to other rows" in done.talk
    done = fx(*common, *MODEL, *KEEP, "--resume", status=2, env={"FX_TARGET": "scalar"})
    assert "instruction set" in done.talk
    done = fx(*common, *MODEL, "--resume", status=2)
    assert "--resume needs --checkpoint FILE" in done.talk
    done = fx(*common, "--model", "svm", *KEEP, "--resume", status=4)
    assert "needs them in memory" in done.talk
    (tmp_path / "c.fxc").write_bytes(b"my thesis")
    done = fx(*common, *MODEL, *KEEP, "--resume", status=2)
    assert "is damaged, or something else" in done.talk and bytes_of(tmp_path / "c.fxc") == b"my thesis"
    assert not os.path.exists(tmp_path / "m.fx")

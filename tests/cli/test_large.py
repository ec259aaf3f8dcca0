# SPDX-License-Identifier: BSD-3-Clause
"""bench/large, on few rows: made rows are what it says, the page has every model or why not, and streamed models have
the bytes of those in memory."""

import json
import os
import subprocess
import sys

import pytest

from conftest import PROGRAM, ROOT

BENCH = ROOT / "bench"


def made(folder, part, rows, *files, truth="factors"):
    done = subprocess.run([sys.executable, str(BENCH / "large_rows"), truth, part, str(rows), *files], cwd=folder,
                          capture_output=True, check=True)
    return json.loads(done.stdout), [(folder / f).read_text() for f in files]


def test_rows(tmp_path):
    report, (svm, vw, xl) = made(tmp_path, "train", 2000, "a.svm", "a.vw", "a.xl")
    assert report["bytes"] == [len(svm), len(vw), len(xl)]
    assert 0.2 < report["best"] < report["constant"] < 0.7
    rows = [line.split() for line in svm.splitlines()]
    assert len(rows) == 2000
    for label, *words in rows:
        columns = [int(w[:-2]) for w in words if w.endswith(":1")]
        assert label in ("-1", "1") and [(c - 1) // 50 for c in columns] == list(range(20))     # one in each field
    assert [line.split()[1:] for line in xl.splitlines()] == [r[1:] for r in rows]
    assert [line.split()[0] == "1" for line in xl.splitlines()] == [r[0] == "1" for r in rows]
    assert [line.split()[2:] for line in vw.splitlines()] == [[w[:-2] for w in r[1:]] for r in rows]

    _, (longer,) = made(tmp_path, "train", 70000, "b.svm")
    _, (other,) = made(tmp_path, "test", 2000, "c.svm")
    assert longer.startswith(svm) and longer.count("\n") == 70000 and other != svm


@pytest.mark.large
def test_page(tmp_path):
    options = ["--rows", "3000", "--turns", "1", "--size", "4M", "--beside", "4M", "--large-memory", "16M",
               "--only", "logistic,Vowpal,svm-l2",
               "--page", "page.md", "--work", str(tmp_path)]
    env = {**os.environ, "FEATCROSS": PROGRAM, "FX_PEERS": str(tmp_path / "nothing")}
    done = subprocess.run([sys.executable, str(BENCH / "large"), *options], cwd=tmp_path, env=env, capture_output=True,
                          text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "page.md").read_text()
    assert page == done.stdout and os.listdir(tmp_path) == ["page.md"]
    assert page.count("Left out: Vowpal Wabbit: ") == 2       # both truths
    assert "**different**" not in page
    streamed = [line for line in page.splitlines() if line.endswith("| the same |")]
    assert len(streamed) >= 3 and not any("not streamed" in line for line in streamed[:3])
    for line in page.splitlines():
        if line.startswith("| ours, in memory: logistic |"):
            assert float(line.split("|")[5]) < 0.75     # log-loss

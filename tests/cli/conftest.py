# SPDX-License-Identifier: BSD-3-Clause
"""The program as its users see it.  FEATCROSS names it, build/featcross if unset."""

import json
import os
import pathlib
import subprocess

import numpy as np
import pytest

SLOW = float(os.environ.get("FX_TEST_SLOW", 1))     # limits on time are multiplied by this

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = str(pathlib.Path(os.environ.get("FEATCROSS", ROOT / "build" / "featcross")).resolve())


def pytest_configure(config):
    config.addinivalue_line("markers", "large: much arithmetic, or a limit that a sanitizer's memory exceeds; not under sanitizers")
    config.addinivalue_line("markers", "timed: fails on a busy machine; runs alone as cli.timed")


def pytest_collection_modifyitems(config, items):
    if SLOW > 1:
        large = [i for i in items if i.get_closest_marker("large")]
        config.hook.pytest_deselected(items=large)
        items[:] = [i for i in items if i not in large]


class Result:
    def __init__(self, done):
        self.status, self.out, self.err = done.returncode, done.stdout, done.stderr

    @property
    def text(self):
        return self.out.decode()

    @property
    def talk(self):
        return self.err.decode(errors="replace")

    @property
    def json(self):
        return json.loads(self.out)     # exactly one object, or this fails


@pytest.fixture
def fx(tmp_path):
    """Runs the program in tmp_path; by default it must succeed."""

    def run(*args, status=0, stdin=None, env=None, limit=60):
        done = subprocess.run(
            [PROGRAM, *map(str, args)], input=stdin if stdin is not None else b"",
            capture_output=True, cwd=tmp_path, timeout=limit * SLOW, env={**os.environ, **(env or {})})
        r = Result(done)
        assert r.status == status, f"status {r.status}, wanted {status}: {r.talk}{r.out[:2000]}"
        assert not list(tmp_path.rglob(".*.tmp*")), "a temporary file was left behind"
        return r

    run.directory = tmp_path
    return run


@pytest.fixture
def put(tmp_path):
    """Writes a file in tmp_path and returns its name."""

    def write(name, content):
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return name

    return write


@pytest.fixture
def german():
    """An environment whose decimal point is a comma."""
    env = {"LC_ALL": "de_DE.UTF-8"}
    said = subprocess.run(["locale", "decimal_point"], capture_output=True, text=True,
                          env={**os.environ, **env}).stdout
    if said.strip() != ",":
        pytest.skip("no locale de_DE.UTF-8 (Debian's package locales)")
    return env


@pytest.fixture
def program():
    return PROGRAM


def svmlight(X, y=None, base=1):
    """Text of the non-zeros of a dense array; repr gives the digits that read back."""
    lines = []
    for i, row in enumerate(np.asarray(X)):
        pairs = [f"{j + base}:{float(v)!r}" for j, v in enumerate(row) if v]
        lines.append(" ".join([repr(y[i]) if y is not None else "0", *pairs]))
    return "\n".join(lines) + "\n"


@pytest.fixture
def rows():
    """30 x 8 numbers, about half of them zero, with labels."""
    r = np.random.default_rng(1)
    X = r.normal(size=(30, 8)) * (r.random((30, 8)) < 0.5)
    X[:, -1] = 1.0
    return X, [1 if v > 0 else -1 for v in r.normal(size=30)]


@pytest.fixture
def pairs(fx):
    """Two files of one set with planted pairs: 600 rows to train, 400 others to test."""
    fx("make", "pairs", "-n", "1000", "-d", "30", "--nz", "8", "-k", "3", "-o", "all.svm", "-q")
    lines = (fx.directory / "all.svm").read_text().splitlines(keepends=True)
    (fx.directory / "train.svm").write_text("".join(lines[:600]))
    (fx.directory / "test.svm").write_text("".join(lines[600:]))
    return "train.svm", "test.svm"

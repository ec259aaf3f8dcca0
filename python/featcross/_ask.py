# SPDX-License-Identifier: BSD-3-Clause
"""Runs the featcross program on rows in memory.

The program implements how `train` chooses and what `compare` measures.  The package runs it, so
that both give the same answers.  Rows are passed in files in a separate directory, without any
change: sparse rows stay sparse, float32 stays float32.
"""
from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from ._data.rows import Rows, is_sparse, refuse
from ._names.words import in_python
from ._program import program_path
from ._run import say, threads

ROWS, TEST, WEIGHTS = "rows.npz", "test.npz", "weights.txt"
ERRORS = {2: ValueError, 3: FloatingPointError, 4: MemoryError}     # by the exit status


def save_rows(path: Path, rows: Rows, y: np.ndarray) -> None:
    """As the program reads them."""
    A = rows.array
    arrays = {"x": A} if not is_sparse(A) else \
        {"data": A.data, "indices": A.indices, "indptr": A.indptr, "shape": np.array(A.shape),
         "format": np.array(b"csr")}
    np.savez(path, y=y, **arrays)


def _check(rows: Rows, missing: bool) -> None:
    """The program would name its file, and numbers of sparse rows by their place in it."""
    A = rows.array
    given = A.data if is_sparse(A) else A
    refuse(A, np.isinf(given) if missing else ~np.isfinite(given), rows.name)


def run_program(command: str, arguments: list[str], files: dict, *, seed: int, n_jobs=None,
                verbose: int = 0) -> dict:
    """The object that a command prints with --json. files: for each name the content, a text or
    (rows, y).  An exception, including Ctrl-C, ends the program and removes the files."""
    path = os.path.abspath(program_path())
    for content in files.values():
        if not isinstance(content, str):
            _check(content[0], "--nan" in arguments)
    with tempfile.TemporaryDirectory(prefix="featcross-") as folder:
        for name, content in files.items():
            if isinstance(content, str):
                Path(folder, name).write_text(content, encoding="utf-8")
            else:
                save_rows(Path(folder, name), *content)
        child = subprocess.Popen(
            [path, command, *arguments, "--json", "--seed", str(seed), "--threads",
             str(threads(n_jobs))], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, encoding="utf-8", errors="surrogateescape",
            start_new_session=True)     # a Ctrl-C comes here alone, and ends both
        try:
            out, talk = child.communicate()
        finally:
            if child.poll() is None:
                child.kill()
                child.wait()
    if child.returncode:
        raise _error(command, child.returncode, talk)
    if verbose:
        say(*talk.splitlines())
    return json.loads(out)


def _error(command: str, status: int, talk: str) -> Exception:
    """Of the last line of what it said."""
    if status < 0:
        return RuntimeError(f"featcross {command} was ended by signal {-status}")
    lines = [line for line in talk.splitlines() if line.startswith("featcross: ")]
    message = lines[-1].removeprefix("featcross: ") if lines else talk.strip()
    for prefix in (f"{command}: ", f"{ROWS}: "):
        message = message.removeprefix(prefix)
    return ERRORS.get(status, RuntimeError)(in_python(message) or f"featcross {command} failed")

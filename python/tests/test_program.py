# SPDX-License-Identifier: BSD-3-Clause
"""The program is found where it should be, and python -m featcross becomes it.

Covers: _program.py
"""
import os
import subprocess
import sys
from pathlib import Path

import pytest

from featcross._program import program_path


@pytest.fixture
def places(tmp_path, monkeypatch):
    """A package and a library of its own, neither with a program yet."""
    for name in ("package", "build"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr("featcross._program.__file__", str(tmp_path / "package" / "_program.py"))
    monkeypatch.delenv("FEATCROSS_PROGRAM", raising=False)
    monkeypatch.setenv("FEATCROSS_LIBRARY", str(tmp_path / "build" / "libfeatcross.so"))
    return tmp_path


def make(path: Path) -> str:
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return str(path)


def test_order(places, monkeypatch):
    beside_library = make(places / "build" / "featcross")
    assert program_path() == beside_library
    in_package = make(places / "package" / "featcross")
    assert program_path() == in_package
    named = make(places / "other")
    monkeypatch.setenv("FEATCROSS_PROGRAM", named)
    assert program_path() == named


def test_relative_library(places, monkeypatch):
    beside_library = make(places / "build" / "featcross")
    monkeypatch.chdir(places / "build")
    monkeypatch.setenv("FEATCROSS_LIBRARY", "libfeatcross.so")
    assert program_path() == beside_library     # a path, not a name to be looked up in PATH


def test_none(places, monkeypatch):
    with pytest.raises(FileNotFoundError, match="package/featcross or .*build/featcross; install"):
        program_path()
    (places / "package" / "featcross").write_text("not executable")
    with pytest.raises(FileNotFoundError, match="FEATCROSS_PROGRAM"):
        program_path()
    make(places / "build" / "featcross")
    monkeypatch.setenv("FEATCROSS_PROGRAM", str(places / "missing"))
    with pytest.raises(FileNotFoundError, match="no program at .*/missing;"):
        program_path()                  # what was asked for, or nothing


def module(*arguments, **environment):
    return subprocess.run([sys.executable, "-m", "featcross", *arguments], text=True, timeout=300,
                          capture_output=True, env={**os.environ, **environment})


def test_module_is_the_program():
    program = os.environ["FEATCROSS"]   # this build's
    done = module("make", "parity", "-n", "3", FEATCROSS_PROGRAM=program)
    assert done.stdout == subprocess.run([program, "make", "parity", "-n", "3"], text=True,
                                         stdout=subprocess.PIPE).stdout != ""
    assert module("no-such-command", FEATCROSS_PROGRAM=program).returncode == 2
    done = module("train", FEATCROSS_PROGRAM="/nowhere/featcross")
    assert done.returncode == 1 and "no program at /nowhere/featcross" in done.stderr
    assert module("--help").returncode == 0 and module().returncode == 2

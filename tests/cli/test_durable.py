# SPDX-License-Identifier: BSD-3-Clause
"""Outputs are on disk when success is reported, links stay links, no end leaves a temporary file, and an
array that does not fit is refused before it is written.

Covers: cli/files/output_file.c, cli/files/output_size.c, cli/files/output_target.c,
cli/terminal/progress.c"""

import os
import shutil
import signal
import subprocess
import time

import pytest

from conftest import SLOW
from test_output import files, spawn, wait_for

# Notes calls of fsync and rename; FX_SHIM says what fsync does.
SHIM = r"""
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
static void note(const char *what)
{
    FILE *f = fopen("calls", "a");
    fprintf(f, "%s\n", what);
    fclose(f);
}
int fsync(int fd)
{
    const char *how = getenv("FX_SHIM");
    struct stat st;
    note(fstat(fd, &st) == 0 && S_ISDIR(st.st_mode) ? "directory" : "file");
    if (!strcmp(how, "exit"))
        exit(7);
    if (!strcmp(how, "abort"))
        abort();
    errno = EIO;
    return strcmp(how, "fail") ? 0 : -1;
}
int rename(const char *from, const char *to)
{
    note("rename");
    if (link(from, to) < 0 && (unlink(to) < 0 || link(from, to) < 0))
        return -1;
    return unlink(from);
}
"""


@pytest.fixture(scope="session")
def shim(tmp_path_factory):
    if not shutil.which("cc"):
        pytest.skip("no C compiler")
    d = tmp_path_factory.mktemp("shim")
    (d / "shim.c").write_text(SHIM)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", "shim.so", "shim.c"], cwd=d, check=True)
    return lambda how: {"LD_PRELOAD": str(d / "shim.so"), "FX_SHIM": how,
                        "ASAN_OPTIONS": "verify_asan_link_order=0"}


def test_synced_before_success(fx, put, shim, tmp_path):
    put("x.svm", "1 1:1\n")
    for name in ("y.csv", "y.npz"):
        fx("convert", "x.svm", name, env=shim("work"))
        assert (tmp_path / "calls").read_text().split() == ["file", "rename", "directory"]
        (tmp_path / "calls").unlink()
    put("y.csv", "old")
    assert "y.csv: Input/output error" in fx("convert", "x.svm", "y.csv", env=shim("fail"), status=2).talk
    assert (tmp_path / "y.csv").read_text() == "old"


@pytest.mark.parametrize("how, status", [("exit", 7), ("abort", -signal.SIGABRT)])
def test_no_temporary_file_however_it_ends(fx, put, shim, tmp_path, how, status):
    put("x.svm", "1 1:1\n")
    fx("convert", "x.svm", "y.csv", env=shim(how), status=status)
    assert files(tmp_path) == ["calls", "x.svm"]


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGUSR1])
def test_status_of_signals(program, tmp_path, number):
    p = spawn(program, tmp_path, "convert", "-", "x.csv")
    wait_for(lambda: files(tmp_path), p)
    p.send_signal(number)
    ends = number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)
    assert p.wait(timeout=10 * SLOW) == (128 + number if ends else -number)
    assert files(tmp_path) == []


def fake_gnuplot(tmp_path, body):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "gnuplot").write_text(f"#!/bin/sh\n[ \"$1\" = --version ] && exit 0\n{body}\n")
    (tmp_path / "bin" / "gnuplot").chmod(0o755)
    return {**os.environ, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}


@pytest.mark.parametrize("deaf", [False, True])
@pytest.mark.parametrize("twice", [False, True])
def test_signal_while_gnuplot_runs(program, put, tmp_path, deaf, twice):
    put("x.svm", "1 1:1\n2 2:1\n")
    env = fake_gnuplot(tmp_path, ("trap '' TERM; " if deaf else "") + "echo $$ > started; exec sleep 100")
    p = subprocess.Popen([program, "gram", "x.svm", "-k", "linear", "--plot", "p.svg", "-q"], cwd=tmp_path,
                         env=env, stderr=subprocess.PIPE)
    wait_for(lambda: (tmp_path / "started").exists() and (tmp_path / "started").read_text(), p)
    child = int((tmp_path / "started").read_text())
    p.send_signal(signal.SIGTERM)
    if twice:
        time.sleep(0.05)
        p.send_signal(signal.SIGTERM)
    assert p.wait(timeout=10 * SLOW) == 143
    assert not [f for f in files(tmp_path) if f.startswith(".featcross") or f == "p.svg"]
    for _ in range(100):                # it ends with us
        if not os.path.exists(f"/proc/{child}"):
            break
        time.sleep(0.05)
    assert not os.path.exists(f"/proc/{child}") or "Z" in open(f"/proc/{child}/stat").read().split()[2]


def test_what_gnuplot_says_is_shown(program, put, tmp_path):
    put("x.svm", "1 1:1\n2 2:1\n")
    env = fake_gnuplot(tmp_path, r"printf 'no \033[31m font\n' >&2; exit 1")
    done = subprocess.run([program, "gram", "x.svm", "-k", "linear", "--plot", "p.svg", "-q"], cwd=tmp_path,
                          env=env, stderr=subprocess.PIPE)
    assert done.returncode == 2 and b"gnuplot: no \\x1b[31m font\n" in done.stderr


# ---- Links --------------------------------------------------------------------------------------
@pytest.mark.parametrize("to", ["new.csv", "./d/new.csv", "second"])
def test_a_dangling_link_stays_a_link(fx, put, tmp_path, to):
    put("x.svm", "1 1:1\n")
    (tmp_path / "d").mkdir()
    (tmp_path / "second").symlink_to("d/third")
    (tmp_path / "d" / "third").symlink_to(tmp_path / "last.csv")
    (tmp_path / "link.csv").symlink_to(to)
    fx("convert", "x.svm", "link.csv")
    assert (tmp_path / "link.csv").is_symlink() and (tmp_path / "link.csv").read_text()
    made = tmp_path / {"second": "last.csv"}.get(to, to)
    assert made.is_file() and not made.is_symlink()


def test_links_to_nowhere(fx, put, tmp_path):
    put("x.svm", "1 1:1\n")
    (tmp_path / "link.csv").symlink_to("missing/new.csv")
    (tmp_path / "loop.csv").symlink_to("loop.csv")
    assert "link into a directory that does not exist" in fx("convert", "x.svm", "link.csv", status=2).talk
    assert "symbolic links" in fx("convert", "x.svm", "loop.csv", status=2).talk
    assert (tmp_path / "link.csv").is_symlink() and (tmp_path / "loop.csv").is_symlink()


# ---- Room ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("to, limit, size", [("npy", "12M", "28.0 MiB (29360100 bytes)"),
                                             ("csv", "9M", "at least 21.9 MiB (23006121 bytes)"),
                                             ("tsv", "9M", "at least 21.9 MiB (23006121 bytes)")])
def test_an_array_over_the_limit_is_refused(fx, put, tmp_path, to, limit, size):
    """Seven rows of a few bytes, and a million columns; one dense row would fit."""
    put("x.svm", "1 1:1 1048575:1\n" + "1 2:1\n" * 6)
    for args in (["convert", "x.svm", f"y.{to}"], ["convert", "x.svm", "-", "--to", to]):
        r = fx(*args, "--max-memory", limit, status=4)
        assert size in r.talk and "--max-memory" in r.talk and r.out == b""
    fx("convert", "x.svm", "a.svm", f"y.{to}", "--split", "0.1", "--max-memory", limit, status=4)
    assert files(tmp_path) == ["x.svm"]
    fx("convert", "x.svm", "y.svm", "--max-memory", limit)       # zeros are left out
    fx("convert", "x.svm", "y.npz", "--max-memory", limit)


def test_a_few_bytes_do_not_fill_the_disk(fx, put, tmp_path):
    """Two billion columns, two of them used; --max-memory says that it is meant, as far as it goes."""
    put("wide.svm", "1 1:1 2147483647:1\n")
    for to in ("npy", "csv"):
        talk = fx("convert", "wide.svm", f"wide.{to}", status=4).talk
        assert "all but 2 of them are 0" in talk and "GiB" in talk and "npz" in talk
        assert "the limit is" in fx("convert", "wide.svm", f"wide.{to}", "--max-memory", "3G",
                                    status=4).talk
    assert files(tmp_path) == ["wide.svm"]
    fx("convert", "wide.svm", "wide.npz")


def test_an_array_that_the_disk_cannot_hold(fx, put, tmp_path):
    """A petabyte: no disk has it, and no byte is written."""
    put("x.svm", "1 1:1 2147483646:1\n" + "1 2:1\n" * 60000)
    for name in ("y.npy", "y.csv"):
        talk = fx("convert", "x.svm", name, "--max-memory", "100000000G", status=2).talk
        assert "the file system has" in talk and "free" in talk and "TiB (" in talk
    assert files(tmp_path) == ["x.svm"]


def test_rows_within_the_limit_are_read(fx, put):
    """A limit refuses what takes more, not what might have."""
    line = ",".join(str(i % 7) for i in range(100))
    put("x.csv", f"{line}\n" * 15000)   # 5.7 MiB of floats
    assert "memory       5.7 MiB" in fx("info", "x.csv", "--no-header", "--max-memory", "10M").text
    fx("info", "x.csv", "--no-header", "--max-memory", "5M", status=4)

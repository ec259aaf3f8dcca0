# SPDX-License-Identifier: BSD-3-Clause
"""Output appears whole or not at all; interruption; the progress bar."""

import os
import pty
import resource
import select
import signal
import stat
import subprocess
import time

import pytest

from conftest import PROGRAM


def spawn(program, cwd, *args, **more):
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([program, *map(str, args)], cwd=cwd, **{**pipes, **more})


def files(path):
    return sorted(p.name for p in path.iterdir())


# ---- Files ------------------------------------------------------------------------------------
@pytest.mark.parametrize("command", [
    ["gram", "nowhere.svm", "-k", "linear", "-o"], ["convert", "nowhere.svm"],
    ["make", "pairs", "-o"]])
def test_25_missing_directory_comes_first(fx, command):
    talk = fx(*command, "no/such/dir/out.npy", status=2).talk
    assert "no/such/dir/out.npy: No such file or directory" in talk     # and not the missing input


def test_25_output_is_a_directory(fx, put, tmp_path):
    put("x.svm", "1 1:1\n")
    (tmp_path / "d").mkdir()
    assert "d: Is a directory" in fx("convert", "x.svm", "d", status=2).talk


@pytest.mark.parametrize("name", ["t.npy", "t.svm", "t.npz"])
def test_25_disk_full(program, tmp_path, name):
    (tmp_path / name).write_text("old")
    done = subprocess.run(
        [program, "make", "dense-positive", "-n", "20000", "-o", name], cwd=tmp_path,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20)))
    assert done.returncode == 2 and f"{name}: File too large".encode() in done.stderr
    assert files(tmp_path) == [name] and (tmp_path / name).read_text() == "old"


def test_25_full_device(fx, put):
    put("x.svm", "1 1:1\n")
    assert "/dev/full: No space left" in fx("convert", "x.svm", "/dev/full", status=2).talk


def test_failure_keeps_the_old_file(fx, put, tmp_path):
    put("k.npy", "old")
    put("bad.svm", "1 1:1\n1 2:x\n")
    fx("gram", "bad.svm", "-k", "linear", "-o", "k.npy", status=2)
    assert (tmp_path / "k.npy").read_text() == "old"


def test_modes_and_links(fx, put, tmp_path):
    put("x.svm", "1 1:1\n")
    old = os.umask(0o027)
    try:
        fx("convert", "x.svm", "new.csv")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "new.csv").stat().st_mode) == 0o640
    (tmp_path / "new.csv").chmod(0o604)
    fx("convert", "x.svm", "new.csv")
    assert stat.S_IMODE((tmp_path / "new.csv").stat().st_mode) == 0o604
    (tmp_path / "link.csv").symlink_to("new.csv")
    fx("convert", "x.svm", "link.csv", "--scale", "unit-l2")
    assert (tmp_path / "link.csv").is_symlink() and (tmp_path / "new.csv").stat().st_size > 0


def test_no_binary_on_a_terminal(program, put, tmp_path):
    put("x.svm", "1 1:1\n")
    ours, theirs = pty.openpty()
    done = subprocess.run([program, "convert", "x.svm", "-", "--to", "npy"], cwd=tmp_path,
                          stdout=theirs, stderr=subprocess.PIPE)
    os.close(theirs)
    os.close(ours)
    assert done.returncode == 2 and b"terminal" in done.stderr


# ---- Interruption -----------------------------------------------------------------------------
def interrupt(p, number=signal.SIGINT):
    start = time.monotonic()
    p.send_signal(number)
    out, err = p.communicate(timeout=20)
    return time.monotonic() - start, out, err


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Rows whose Gram matrix takes many seconds, by any program."""
    d = tmp_path_factory.mktemp("large")
    subprocess.run([PROGRAM, "make", "dense-positive", "-n", "12000", "-d", "500", "-o", "x.npy",
                    "-q"], cwd=d, check=True)
    return d / "x.npy"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_27_signal_while_computing(program, tmp_path, large, number):
    p = spawn(program, tmp_path, "gram", large, "-k", "anova:order=8", "-o", "k.npy")
    deadline = time.monotonic() + 20
    while b"gram:" not in p.stderr.readline():  # reading is over, the matrix has begun
        assert time.monotonic() < deadline
    time.sleep(0.3)
    assert p.poll() is None
    seconds, out, err = interrupt(p, number)
    assert p.returncode == 130 and seconds < 0.5
    assert b"interrupted" in err and files(tmp_path) == []


def test_27_signal_while_writing(program, tmp_path):
    p = spawn(program, tmp_path, "make", "dense-positive", "-n", "400000", "-d", "64", "-o",
              "x.csv")
    deadline = time.monotonic() + 30
    while not any(f.stat().st_size > 0 for f in tmp_path.iterdir()):
        assert p.poll() is None and time.monotonic() < deadline
        time.sleep(0.02)
    seconds, _, _ = interrupt(p)
    assert p.returncode == 130 and seconds < 0.5 and files(tmp_path) == []


def test_27_signal_while_waiting_for_a_pipe(program, tmp_path):
    p = spawn(program, tmp_path, "convert", "-", "x.csv")
    p.stdin.write(b"1 1:1\n1 1:")
    p.stdin.flush()
    time.sleep(0.3)
    p.send_signal(signal.SIGINT)
    start = time.monotonic()
    assert p.wait(timeout=5) == 130 and time.monotonic() - start < 0.5
    assert files(tmp_path) == []


def test_27_signal_while_nobody_reads(program, tmp_path):
    p = spawn(program, tmp_path, "make", "dense-positive", "-n", "20000")
    time.sleep(0.7)                     # the pipe is full
    p.send_signal(signal.SIGINT)
    start = time.monotonic()
    assert p.wait(timeout=5) == 130 and time.monotonic() - start < 0.5


# ---- The bar ----------------------------------------------------------------------------------
def on_terminal(program, cwd, *args, feed=(), until=None):
    """What a command shows on a terminal as stderr.  feed: bytes for stdin, half a second apart;
    until: interrupt it when this is seen."""
    ours, theirs = pty.openpty()
    p = spawn(program, cwd, *args, stderr=theirs)
    os.close(theirs)
    seen, next_feed, feed, interrupted = b"", time.monotonic(), list(feed), False
    while True:
        if select.select([ours], [], [], 0.05)[0]:
            try:
                chunk = os.read(ours, 65536)
            except OSError:
                break
            if not chunk:
                break
            seen += chunk
            if until and until in seen:
                p.send_signal(signal.SIGINT)
                until, interrupted = None, True
        if feed and time.monotonic() > next_feed:
            p.stdin.write(feed.pop(0))
            p.stdin.flush()
            next_feed += 0.5
        elif not feed and not p.stdin.closed:
            p.stdin.close()
    p.stdout.read()
    assert p.wait() == (130 if interrupted else 0)
    os.close(ours)
    return seen.decode()


def test_bar_on_slow_work(program, tmp_path):
    slow = [b"1 1:1\n"] * 5
    seen = on_terminal(program, tmp_path, "info", "-", feed=slow)
    assert "\r" in seen and "B/s" in seen and "\x1b[K" in seen
    assert seen.rstrip().endswith("\x1b[K")     # wiped at the end
    assert "\r\x1b[K" not in on_terminal(program, tmp_path, "info", "-", "-q", feed=slow)


def test_no_bar_on_quick_work_nor_in_a_pipe(program, tmp_path):
    assert "\x1b" not in on_terminal(program, tmp_path, "info", "-", feed=[b"1 1:1\n"])
    p = spawn(program, tmp_path, "info", "-")
    for _ in range(4):
        p.stdin.write(b"1 1:1\n")
        p.stdin.flush()
        time.sleep(0.5)
    _, err = p.communicate()
    assert err == b""


def test_bar_shows_share_and_time_left(program, tmp_path, large):
    seen = on_terminal(program, tmp_path, "gram", large, "-k", "anova:order=8", "-o", "k.npy",
                       "--threads", "1", until=b" left")
    assert "% [" in seen and "pairs/s" in seen
    assert "\r\x1b[Kfeatcross: interrupted" in seen   # the bar makes room for the message

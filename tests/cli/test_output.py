# SPDX-License-Identifier: BSD-3-Clause
"""Output appears whole or not at all; interruption; the progress bar.

Covers: cli/files/output_file.c, cli/terminal/progress.c, cli/terminal/say.c"""

import fcntl
import os
import pty
import re
import resource
import select
import signal
import stat
import struct
import subprocess
import termios
import time

import pytest

from conftest import PROGRAM, SLOW


def spawn(program, cwd, *args, **more):
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([program, *map(str, args)], cwd=cwd, **{**pipes, **more})


def wait_for(what, p=None, seconds=20):
    """Until what() is true; p must be running all the while."""
    deadline = time.monotonic() + seconds * SLOW
    while not what():
        assert time.monotonic() < deadline and (p is None or p.poll() is None)
        time.sleep(0.01)


def files(path):
    return sorted(p.name for p in path.iterdir())


# ---- Files ------------------------------------------------------------------------------------
@pytest.mark.parametrize("command", [
    ["gram", "nowhere.svm", "-k", "linear", "-o"], ["convert", "nowhere.svm"],
    ["map", "nowhere.svm", "-o"],
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


def test_long_names(fx, put, tmp_path):
    put("x.svm", "1 1:1\n")
    name = "x" * 251 + ".csv"           # 255: as long as a name can be
    fx("convert", "x.svm", name)
    assert name in files(tmp_path)
    assert "File name too long" in fx("convert", "x.svm", "x" + name, status=2).talk


@pytest.mark.parametrize("second", ["a.svm", "./a.svm", "d/../a.svm", "link.svm", "here/a.svm"])
def test_two_outputs_of_one_name(fx, put, tmp_path, second):
    put("x.svm", "1 1:1\n2 1:1\n")
    put("a.svm", "old")
    (tmp_path / "d").mkdir()
    (tmp_path / "link.svm").symlink_to("a.svm")
    (tmp_path / "here").symlink_to(".")
    for args in (["convert", "x.svm", "a.svm", second, "--split", "0.5"],
                 ["make", "pairs", "-o", "a.svm", "--planted", second]):
        assert "two outputs cannot have one name" in fx(*args, status=2).talk
        assert (tmp_path / "a.svm").read_text() == "old"
    (tmp_path / "a.svm").unlink()
    (tmp_path / "link.svm").unlink()
    if second != "link.svm":            # neither exists yet
        fx("convert", "x.svm", "a.svm", second, "--split", "0.5", status=2)
    fx("convert", "x.svm", "/dev/null", "/dev/null", "--split", "0.5")
    fx("convert", "x.svm", "-", "/dev/stdout", "--split", "0.5", status=2)


@pytest.mark.parametrize("name", ["y.csv.gz", "y.xz", "y.tsv.zst", "y.npy.bz2"])
def test_output_is_not_packed(fx, put, tmp_path, name):
    put("x.svm", "1 1:1\n")
    for args in (["convert", "x.svm", name], ["convert", "x.svm", name, "--to", "csv"],
                 ["gram", "x.svm", "-k", "linear", "-o", name], ["make", "pairs", "-o", name]):
        assert f"{name}: output is not packed" in fx(*args, status=2).talk
    assert files(tmp_path) == ["x.svm"]


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
@pytest.mark.parametrize("mode", ["wb", "ab"])
def test_names_of_stdout(program, put, tmp_path, name, mode):
    put("x.svm", "1 1:1\n")
    put("all", "before\n")
    with open(tmp_path / "all", mode) as f:
        subprocess.run([program, "convert", "-q", "x.svm", name], cwd=tmp_path, stdout=f, check=True)
        subprocess.run([program, "convert", "-q", "x.svm", name], cwd=tmp_path, stdout=f, check=True)
    assert (tmp_path / "all").read_text() == ("before\n" if mode == "ab" else "") + 2 * "1 1:1\n"


def test_other_open_files(program, put, tmp_path):
    put("x.svm", "1 1:1\n")
    put("all", "before\n")
    with open(tmp_path / "all", "ab") as f:
        subprocess.run([program, "convert", "-q", "x.svm", f"/dev/fd/{f.fileno()}"], cwd=tmp_path,
                       pass_fds=[f.fileno()], check=True)
    assert (tmp_path / "all").read_text() == "before\n1 1:1\n"


@pytest.mark.parametrize("closed", [0, 1, 2])
def test_closed_streams(program, put, tmp_path, closed):
    put("x.svm", "1 1:1\n")
    run = lambda *args: subprocess.run([program, *args], cwd=tmp_path, capture_output=True,
                                       preexec_fn=lambda: os.close(closed)).returncode
    assert run("gram", "x.svm", "-k", "linear", "-o", "k.csv", "-v") == 0
    assert (tmp_path / "k.csv").read_text() == "1\n"     # and no message
    assert run("info", "-") == 2
    assert run("info", "x.svm") == (2 if closed == 1 else 0)
    assert run("convert", "x.svm", "-") == (2 if closed == 1 else 0)


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
    out, err = p.communicate(timeout=20 * SLOW)
    return time.monotonic() - start, out, err


def train_interrupted(program, tmp_path, rows, args, after):
    """A fit that lasts is interrupted after so many seconds: it ends soon and leaves no file."""
    subprocess.run([program, "make", "triples", "-n", str(rows), "-o", "t.svm", "-q"], cwd=tmp_path, check=True)
    p = spawn(program, tmp_path, "train", "t.svm", "-o", "m.fx", *args)
    time.sleep(after)
    assert p.poll() is None
    seconds, _, _ = interrupt(p)
    assert p.returncode == 130 and seconds < 0.5 * SLOW and files(tmp_path) == ["t.svm"]


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Rows whose Gram matrix, 128 MB, takes many seconds: wide, for a kernel of high order."""
    d = tmp_path_factory.mktemp("large")
    subprocess.run([PROGRAM, "make", "dense-positive", "-n", "4000", "-d", "2000", "-o", "x.npy",
                    "-q"], cwd=d, check=True)
    return d / "x.npy"


@pytest.mark.timed
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_27_signal_while_computing(program, tmp_path, large, number):
    p = spawn(program, tmp_path, "gram", large, "-k", "anova:order=16", "-o", "k.npy")
    for line in p.stderr:
        if b"gram:" in line:            # reading is over, the matrix has begun
            break
    time.sleep(0.3)
    assert p.poll() is None
    seconds, out, err = interrupt(p, number)
    assert p.returncode == 128 + number and seconds < 0.5 * SLOW
    assert b"interrupted" in err and files(tmp_path) == []


@pytest.mark.timed
def test_27_signal_while_writing(program, tmp_path):
    p = spawn(program, tmp_path, "make", "dense-positive", "-n", "400000", "-d", "64", "-o",
              "x.csv")
    wait_for(lambda: any(f.stat().st_size > 0 for f in tmp_path.iterdir()), p, 30)
    seconds, _, _ = interrupt(p)
    assert p.returncode == 130 and seconds < 0.5 * SLOW and files(tmp_path) == []


@pytest.mark.timed
def test_27_signal_while_waiting_for_a_pipe(program, tmp_path):
    p = spawn(program, tmp_path, "convert", "-", "x.csv")
    p.stdin.write(b"1 1:1\n1 1:")
    p.stdin.flush()
    wait_for(lambda: files(tmp_path), p)        # the temporary file is made before reading
    p.send_signal(signal.SIGINT)
    start = time.monotonic()
    assert p.wait(timeout=5 * SLOW) == 130 and time.monotonic() - start < 0.5 * SLOW
    assert files(tmp_path) == []


@pytest.mark.timed
def test_27_signal_while_nobody_reads(program, tmp_path):
    p = spawn(program, tmp_path, "make", "dense-positive", "-n", "20000")
    size = fcntl.fcntl(p.stdout, 1032)  # F_GETPIPE_SZ
    waiting = lambda: struct.unpack("i", fcntl.ioctl(p.stdout, termios.FIONREAD, bytes(4)))[0]
    wait_for(lambda: waiting() > size - 4096, p)        # full but for less than a page
    p.send_signal(signal.SIGINT)
    start = time.monotonic()
    assert p.wait(timeout=5 * SLOW) == 130 and time.monotonic() - start < 0.5 * SLOW


@pytest.mark.timed
def test_27_signal_while_opening_a_pipe(program, put, tmp_path):
    put("x.svm", "1 1:1\n")
    os.mkfifo(tmp_path / "pipe")        # nobody reads it: open waits
    p = spawn(program, tmp_path, "make", "pairs", "-o", "a.svm", "--planted", "pipe")
    wait_for(lambda: ".featcross.tmp" in str(files(tmp_path)), p)
    time.sleep(0.2)
    seconds, _, err = interrupt(p)
    assert p.returncode == 130 and seconds < 0.5 * SLOW and err == b"featcross: interrupted\n"
    assert files(tmp_path) == ["pipe", "x.svm"]


def test_broken_pipe_leaves_no_file(program, tmp_path):
    p = spawn(program, tmp_path, "make", "dense-positive", "-n", "20000", "--planted", "p.txt")
    p.stdout.read(1)
    p.stdout.close()
    assert p.wait(timeout=20 * SLOW) == -signal.SIGPIPE and files(tmp_path) == []


@pytest.mark.parametrize("nohup", [False, True])
def test_hangup(program, tmp_path, nohup):
    ignore = lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)
    p = spawn(program, tmp_path, "convert", "-", "x.csv", preexec_fn=ignore if nohup else None)
    wait_for(lambda: files(tmp_path), p)
    p.send_signal(signal.SIGHUP)
    p.communicate(b"1 1:1\n") if nohup else p.wait(timeout=5 * SLOW)
    assert (p.returncode, files(tmp_path)) == ((0, ["x.csv"]) if nohup else (129, []))


# ---- The bar ----------------------------------------------------------------------------------
def on_terminal(program, cwd, *args, feed=(), until=None, columns=80):
    """What a command shows on a terminal as stderr.  feed: bytes for stdin, half a second apart;
    until: interrupt it when this is seen."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 24, columns, 0, 0))
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


@pytest.mark.large
def test_bar_on_slow_work(program, tmp_path):
    slow = [b"1 1:1\n"] * 5
    seen = on_terminal(program, tmp_path, "info", "-", feed=slow)
    assert "\r" in seen and "B/s" in seen and "\x1b[K" in seen
    assert seen.rstrip().endswith("\x1b[K")     # wiped at the end
    assert "\r\x1b[K" not in on_terminal(program, tmp_path, "info", "-", "-q", feed=slow)


@pytest.mark.timed
def test_no_bar_on_quick_work_nor_in_a_pipe(program, tmp_path):
    start = time.monotonic()
    seen = on_terminal(program, tmp_path, "info", "-", feed=[b"1 1:1\n"])
    assert "\x1b" not in seen or time.monotonic() - start > 1   # quick only on an idle machine
    p = spawn(program, tmp_path, "info", "-")
    for _ in range(4):
        p.stdin.write(b"1 1:1\n")
        p.stdin.flush()
        time.sleep(0.5)
    _, err = p.communicate()
    assert err == b""


@pytest.mark.large
def test_bar_shows_share_and_time_left(program, tmp_path, large):
    seen = on_terminal(program, tmp_path, "gram", large, "-k", "anova:order=16", "-o", "k.npy",
                       "--threads", "1", until=b"pairs/s")
    assert "% [" in seen and "pairs/s" in seen
    assert "\r\x1b[Kfeatcross: interrupted" in seen   # the bar makes room for the message


@pytest.mark.large
def test_bar_of_passes(program, tmp_path):
    """Passes that are short each are shown, too: their number, the rows, bytes a second, time left."""
    with open(tmp_path / "x.svm", "w") as f:
        f.write("".join(f"{(-1) ** i} 1:{i % 7} 2:{i % 11} {3 + i % 40}:1\n" for i in range(20000)))
    seen = on_terminal(program, tmp_path, "train", "x.svm", "-o", "m.fx", "--model", "perceptron:max-iter=3000",
                       "--max-memory", "2M", until=b"left")
    assert re.search(r"pass \d+, 20000 rows +\d+ % \[[#.]+\] [\d.]+ [kMG]?B/s, 0:\d\d left", seen)
    assert files(tmp_path) == ["x.svm"]


@pytest.mark.parametrize("columns", [80, 45, 20])
def test_bar_of_make(program, tmp_path, columns):
    """Its share is known although the rows are made in one call; it fits in one line."""
    seen = on_terminal(program, tmp_path, "make", "dense-positive", "-n", "3000000", "-d", "64", "-o",
                       "x.npy", columns=columns, until=b"rows/s, 0" if columns > 20 else b"%")
    lines = re.findall(r"\r\x1b\[K(make [^\r]*)", seen)
    assert re.match(r"make +\d+ % \[", lines[0]) and max(map(len, lines)) < columns
    assert files(tmp_path) == []


@pytest.mark.large
def test_bar_of_the_eigenvalue(program, tmp_path, large):
    """A stretch of its own: the bar of the matrix would have stood at its end."""
    seen = on_terminal(program, tmp_path, "gram", large, "-k", "linear", "--check", "--check-rows",
                       "4000", "--threads", "1", until=b"eigen ")
    assert "eigen " in seen

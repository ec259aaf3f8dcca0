# SPDX-License-Identifier: BSD-3-Clause
"""Tables fit the terminal: columns are left out, names are cut, remarks have a line of their own.

Covers: cli/terminal/text_table.c, cli/models/tuning.c, cli/compare/compare_table.c"""

import fcntl
import os
import pty
import struct
import subprocess
import termios

import pytest

from conftest import PROGRAM


def on_terminal(directory, columns, *args, env=None):
    """What the program prints on a terminal of so many columns; 0: the terminal does not say."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    clean = {k: v for k, v in os.environ.items() if k != "COLUMNS"}
    p = subprocess.Popen([PROGRAM, *args], cwd=directory, stdin=subprocess.DEVNULL, stdout=theirs,
                         stderr=subprocess.DEVNULL, env={**clean, **(env or {})})
    os.close(theirs)
    seen = b""
    while True:
        try:
            chunk = os.read(ours, 65536)
        except OSError:                 # Linux says so at the end
            break
        seen += chunk
    os.close(ours)
    assert p.wait() == 0
    return seen.decode().replace("\r\n", "\n").splitlines()


@pytest.fixture
def model(fx, put):
    """Three columns with long names."""
    names = [f"a-rather-long-name-of-column-{i}" for i in range(3)]
    put("x.csv", ",".join(names) + ",y\n" + "".join(
        f"{i % 2},{i % 3},{i % 5},{'no' if i % 2 else 'yes'}\n" for i in range(60)))
    fx("train", "x.csv", "-o", "m.fx", "--model", "fm", "--rank", "2", "-q")
    return names


def test_columns_are_left_out_and_names_cut(fx, model):
    args = ["explain", "m.fx", "x.csv", "-q"]
    plain = fx(*args).text.splitlines()
    assert plain[0].split() == ["weight", "importance", "order", "rows", "features"]
    assert any(" x ".join(model[:2]) in line for line in plain)
    assert on_terminal(fx.directory, 200, *args) == plain
    narrow = on_terminal(fx.directory, 60, *args)
    table = narrow[:narrow.index("")]
    assert max(map(len, table)) <= 60 and len(table) == len(plain[:plain.index("")])
    assert table[0].split() == ["importance", "features"] and any(t.endswith("..") for t in table)
    assert max(map(len, on_terminal(fx.directory, 0, *args)[:3])) <= 80


def test_columns_of_the_environment(fx, model):
    table = on_terminal(fx.directory, 200, "explain", "m.fx", "x.csv", "-q", env={"COLUMNS": "40"})
    assert max(map(len, table[:3])) <= 40
    assert fx("explain", "m.fx", "x.csv", "-q", env={"COLUMNS": "40"}).text == fx(
        "explain", "m.fx", "x.csv", "-q").text          # a pipe has no width


def test_remarks_of_compare_are_not_lost(fx):
    fx("make", "pairs", "-n", "300", "-d", "100", "-o", "x.svm", "-q")
    args = ["compare", "x.svm", "--methods", "fm,linear", "--seeds", "1", "-q"]
    wide = [line for line in fx(*args).text.splitlines() if line.startswith("fm")]
    assert "not converged (1 of 1)" in wide[0]
    narrow = on_terminal(fx.directory, 50, *args)
    rows = narrow[narrow.index("") + 1:]
    rows = rows[:rows.index("")]
    assert max(map(len, rows)) <= 50 and "memory" not in rows[0] and "train s" in rows[0]
    assert any(r.startswith("    not converged (1 of 1)") for r in rows)

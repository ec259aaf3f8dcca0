# SPDX-License-Identifier: BSD-3-Clause
"""Measures `error` and `time` of reproduce, on rows that are made up.

Covers: cli/reproduce/measure_error.c, cli/reproduce/measure_time.c, cli/reproduce/measure_rows.c"""

import csv

import numpy as np
import pytest

HEAD = """title t
paper p
measure {measure}
seeds 2
table series D
{more}
cases
series data scale kernel map D
"""
MADE = "make:kind=ball,n=12,d=6,valid=0,test=0"


def measured(fx, cases, *options, measure="error", more="", **keys):
    path = fx.directory / "x.recipe"
    path.write_text(HEAD.format(measure=measure, more=more) + cases + "\n", encoding="ascii")
    r = fx("reproduce", path, "-o", "out", "--no-plot", "--restart", *options, **keys)
    if r.status == 0:
        with open(fx.directory / "out" / "x.csv", encoding="ascii") as f:
            return [row for row in csv.DictReader(line for line in f if line[0] != "#")]
    return r


def test_error_of_a_map_that_is_exact(fx):
    rows = measured(fx, f"a {MADE} - anova:order=2 explicit 1\nb {MADE} unit-l1 anova:order=2 rk 4x")
    assert [r["features"] for r in rows] == ["15", "15", "24", "24"]
    assert all(float(r["max"]) < 1e-7 for r in rows[:2])
    for r in rows[2:]:
        assert 0 < float(r["mae"]) < float(r["rmse"]) < float(r["max"])
    assert rows[2]["mae"] != rows[3]["mae"]      # another map, another order of rows


def test_error_is_that_of_gram_and_map(fx):
    """All rows, so that it is the same whatever their order: Z Z' against K, by NumPy."""
    fx("make", "dense-positive", "-n", 9, "-d", 4, "--seed", 1, "-o", "x.npy")
    fx("gram", "x.npy", "--kernel", "exp", "-o", "k.npy")
    fx("map", "x.npy", "--kernel", "exp", "--map", "rm:h01=yes", "-D", 7, "--seed", 2, "-o", "z.npy")
    K, Z = (np.load(fx.directory / name).astype(float) for name in ("k.npy", "z.npy"))
    error = np.abs(Z @ Z.T - K)[np.tril_indices(9, -1)]
    data = "make:kind=dense-positive,n=9,d=4,valid=0,test=0"
    r = measured(fx, f"a {data} - exp rm:h01=yes 7")[1]
    got = [float(r[c]) for c in ("mae", "rmse", "max", "relative")]
    size = np.abs(K)[np.tril_indices(9, -1)].sum()
    assert got == pytest.approx([error.mean(), np.sqrt((error**2).mean()), error.max(),
                                 error.sum() / size], rel=1e-5)


def test_rows_and_threads(fx):
    more, case = "set rows=5", f"a {MADE} - anova:order=2 rk 8"
    one = measured(fx, case, "--threads", 1, more=more)
    assert one == measured(fx, case, "--threads", 3, more=more)
    assert one != measured(fx, case)            # all rows
    r = measured(fx, case, more="set rows=x", status=2)
    assert "rows=x is not a count" in r.talk


def test_time(fx):
    rows = measured(fx, f"a {MADE} - anova:order=2 rk 4x", measure="time", more="set repeats=2")
    assert all(0 < float(r["us_per_row"]) < 1e6 and r["features"] == "24" for r in rows)


@pytest.mark.parametrize("check, reason", [
    ("mae ratio 0.5 a of", "expected X ratio"),
    ("mae ratio 0.5 a of c", "there is no series 'c'"),
    ("mae ratio 0.5 a of b in q", "there is no panel 'q'"),
])
def test_ratio_refused(fx, check, reason):
    cases = f"a {MADE} - anova:order=2 explicit 1\nb {MADE} - anova:order=2 rk 1"
    assert reason in measured(fx, cases, more="check " + check, status=2).talk


def test_maps_are_checked_early(fx):
    r = measured(fx, f"a {MADE} - anova:order=2 rk 4\nb {MADE} - anova:order=2 ts 4", status=2)
    assert "ts" in r.talk and not (fx.directory / "out" / "x.csv").exists()
    r = measured(fx, f"a {MADE} - - rk 4", status=2)
    assert "needs a kernel and D" in r.talk

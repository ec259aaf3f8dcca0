# SPDX-License-Identifier: BSD-3-Clause
"""Measures `path` and `discover`: L1 paths over all products, and what discover finds.

Covers: cli/reproduce/measure_path.c, cli/reproduce/measure_discover.c"""

import csv
import math

import pytest

PLANTED = "make:kind=pairs,n=2000,d=20,nz=8,k=3,effect=3,valid=0,test=0"
PATH = f"""\
title    Paths
paper    Nobody, nowhere.
measure  path
set      steps=20
set      tol=1e-7
table    series order products steps weights searches examined gap seconds memory
check    gap bound 1e-7 planted
cases
series   data        order  C_span
planted  {PLANTED}   1|3    10|30
"""
# 40 shuffles: the probability that more than 8 find something is below 1e-4 if each does with 0.05 (binomial).
DISCOVER = f"""\
title    Discoveries
paper    Nobody, nowhere.
measure  discover
seeds    40
table    series order any found power first nested others certified seconds
check    power bound least 1 planted
check    first bound least 1 planted
check    any share 0.2 null
cases
series      data                                                                        labels    order  seeds
planted     {PLANTED},seed=each                                                         -         2      2
null        make:kind=pairs,n=300,d=12,nz=4,k=2,noise=0,valid=0,test=0                  shuffled  2      40
"""


@pytest.fixture
def measured(fx, put):
    def run(text, **how):
        said = fx("reproduce", put("t.recipe", text), "--data", ".", "--no-plot", "-q", "--restart", **how)
        if how:
            return said
        lines = (fx.directory / "results" / "t.csv").read_text().splitlines()
        return list(csv.DictReader(lines[1:]))
    return run


def test_path(measured):
    first, second = measured(PATH)
    assert int(first["products"]) == 20 and int(second["products"]) == 20 + math.comb(20, 2) + math.comb(20, 3)
    for row in first, second:
        assert int(row["steps"]) == 21 and int(row["searches"]) >= 20 and 0 <= float(row["gap"]) <= 1e-7
        assert int(row["weights"]) >= 3 and float(row["seconds"]) > 0 and int(row["examined"]) > 0
        assert row["memory"] == "" or 0 < float(row["memory"]) < 64
    assert int(second["examined"]) > int(first["examined"])


def test_discover(measured):
    """What `featcross reproduce discover-planted` and `discover-null` do, on small sets."""
    rows = measured(DISCOVER)
    planted, null = rows[:2], rows[2:]
    assert [r["seed"] for r in planted] == ["1", "2"] and len(null) == 40
    for row in planted:
        assert float(row["power"]) == 1 and float(row["first"]) == 1 and row["any"] == "1" and row["certified"] == "1"
        assert int(row["found"]) == 3 + int(row["nested"]) + int(row["others"])
    assert planted[0]["seconds"] != planted[1]["seconds"]
    assert sum(int(row["any"]) for row in null) <= 8
    for row in null:                            # nothing is planted in shuffled labels
        assert row["power"] == "" and (row["any"] == "1") == (int(row["found"]) > 0)


@pytest.mark.parametrize("text, old, new, said", [
    (PATH, "1|3 ", "1|17", "order: 1 to 16"), (PATH, "tol=1e-7", "tol=x", "tol=x is not a number above 0"),
    (DISCOVER, "shuffled", "turned", "labels turned: it may be shuffled"),
    (DISCOVER, "2      2\n", "2.5    2\n", "order: 1 to 16")])
def test_refused(measured, text, old, new, said):
    assert said in measured(text.replace(old, new), status=2).talk

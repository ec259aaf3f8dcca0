# SPDX-License-Identifier: BSD-3-Clause
"""reproduce: measure `fit`, whose cases borrow C and time from one another.

Covers: cli/reproduce/measure_fit.c"""

import csv

import pytest

HEAD = """title t
paper p
measure fit
seeds 2
cases
series data model kernel map D choose seconds seeds
"""
DATA = "make:kind=pairs,n=300,d=20,nz=6,k=4"
EXACT = f"exact {DATA} kernel-svm anova:order=2 - - 0.1/1/10 - 1\n"


def measure(fx, text, head=HEAD, **how):
    (fx.directory / "r.recipe").write_text(head + text)
    done = fx("reproduce", "r.recipe", "--data", ".", "-o", "out", "--no-plot",
              "--restart", **how)
    if done.status:
        return done
    lines = (fx.directory / "out" / "r.csv").read_text().splitlines()
    return list(csv.DictReader(x for x in lines if x and x[0] != "#"))


def test_borrows(fx):
    exact, *others = measure(fx, EXACT + f"map {DATA} svm anova:order=2 rk 4x|8x @exact - -\n"
                             f"fm {DATA} fm:rank=2 - - - 0.5 @exact 1\n")
    assert exact["C"] in ("0.1", "1", "10") and 0.5 < float(exact["valid"]) <= 1
    assert exact["features"] == exact["train_speedup"] == ""
    maps, fm = others[:4], others[4]
    assert [m["C"] for m in maps] == 4 * [exact["C"]] and fm["C"] == "0.5"
    assert [m["features"] for m in maps] == ["80", "80", "160", "160"]
    for m in maps:
        took = float(exact["train_seconds"]) / float(m["train_seconds"])
        assert float(m["train_speedup"]) == pytest.approx(took, rel=1e-4)
    assert maps[0]["accuracy"] != maps[1]["accuracy"] or maps[0]["auc"] != maps[1]["auc"]


def test_seeds_of_data(fx):
    fixed, turn, later = measure(fx, f"a {DATA},seed=2|{DATA},seed=each|{DATA},seed=each+1 "
                                     "svm - - - - - 1\n")
    assert fixed["accuracy"] == later["accuracy"] and fixed["auc"] == later["auc"] != turn["auc"]


def test_folds(fx):
    """The mean over folds of all rows but those of the test, each measured once."""
    case = f"a {DATA},valid=0.2,test=0.2 svm - - - 0.01/1 - 1\n"
    one, = measure(fx, case)
    several, = measure(fx, case, HEAD.replace("seeds 2", "set folds=4\nset refit=yes"))
    assert several["C"] in ("0.01", "1")
    assert 60 * float(one["valid"]) == pytest.approx(round(60 * float(one["valid"])))
    right = 240 * float(several["valid"])
    assert right == pytest.approx(round(right)) and several["valid"] != one["valid"]
    wrong = measure(fx, case, HEAD.replace("seeds 2", "set folds=0"), status=2)
    assert "r.recipe:4: folds=0" in wrong.talk


@pytest.mark.parametrize("case, says", [
    (f"a {DATA} svm - - - 1/0.1 - -", "ascending"),
    (f"a {DATA} svm - - - @b - -", "no case of this panel before"),
    (f"a {DATA} svm - - - 1 @a -", "no case of this panel before"),
    (f"a {DATA} svm anova:order=2 rk - 1 - -", "needs a kernel and D"),
    (f"a {DATA} svm poly:degree=2 rk 2x 1 - -", "rk"),
    (f"a {DATA} - - - - 1 - -", "without a model"),
    ("a - svm - - - 1 - -", "r.recipe:7: a case without data"),
])
def test_faults(fx, case, says):
    assert says in measure(fx, case + "\n", status=2).talk

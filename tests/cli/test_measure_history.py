# SPDX-License-Identifier: BSD-3-Clause
"""Measure `history`: paths of fits, in true objectives.

Covers: cli/reproduce/measure_history.c"""

import collections
import csv

import pytest

DATA = "make:kind=pairs,n=120,d=12,nz=4,k=3,valid=0,test=0.1"
MODEL = "hofm-shared:order=2,linear=no,loss=squared,beta=1e-3,tol=0,rank=4,solver="
RECIPE = f"""\
title    Paths
paper    Nobody, nowhere.
measure  history
set      iterations=5
set      rows=90
table    series iteration objective epoch_seconds diverged
cases
series  data    model                             only
cd      {DATA}  {MODEL}cd                         -
quasi   {DATA}  {MODEL}lbfgs                      -
slow    {DATA}  {MODEL}adagrad,lr=0.01            -
kept    {DATA}  {MODEL}adagrad,lr=10              -
wild    {DATA}  {MODEL}adagrad,lr=10,guard=no     -
timed   {DATA}  {MODEL}cd,max-iter=300            time
"""


@pytest.fixture
def paths(fx, put):
    def run(text=RECIPE):
        fx("reproduce", put("paths.recipe", text), "--data", ".", "--no-plot", "-q", "--restart")
        lines = (fx.directory / "results" / "paths.csv").read_text().splitlines()
        of = collections.defaultdict(list)
        for r in csv.DictReader(lines[1:]):
            of[r["series"]].append(r)
        return of
    return run


def numbers(path, column):
    return [float(r[column]) for r in path]


def test_paths(paths):
    of = paths()
    falls = numbers(of["cd"], "objective")
    assert len({p[0]["objective"] for s, p in of.items() if s != "timed"}) == 1, "one start for all"
    assert falls == sorted(falls, reverse=True) and falls[-1] < falls[0]
    for solver in ("cd", "quasi", "slow"):
        assert numbers(of[solver], "iteration") == list(range(6))
    assert all(r["diverged"] == "0" for s in ("cd", "slow", "kept") for r in of[s])
    assert of["wild"][1]["diverged"] == "1" and numbers(of["wild"], "objective")[1] > 2 * falls[0]
    timed = of["timed"]
    assert len(timed) == 1 and timed[0]["objective"] == "" and timed[0]["iteration"] == "300"
    assert 0 < float(timed[0]["epoch_seconds"]) <= float(timed[0]["seconds"])
    short = paths(RECIPE.replace("iterations=5", "iterations=2"))
    assert short["slow"][-1]["objective"] == of["slow"][2]["objective"], "the objective is a true one"


@pytest.mark.parametrize("old, new, said", [
    ("lr=0.01            -", "lr=0.01            all", "only all"),
    (f"{MODEL}cd ", "svm ", "a factorization machine"),
])
def test_faults(fx, put, old, new, said):
    assert old in RECIPE
    r = fx("reproduce", put("paths.recipe", RECIPE.replace(old, new)), "--data", ".", status=2)
    assert said in r.talk

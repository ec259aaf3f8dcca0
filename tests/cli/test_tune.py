# SPDX-License-Identifier: BSD-3-Clause
"""featcross tune: the table, the choice, the model.

Covers: cli/commands/cmd_tune.c, cli/models/tuning.c, cli/models/metric_names.c, cli/tables/ascending.c"""

import numpy as np
import pytest

from conftest import svmlight
from test_output import files


def test_table_and_choice(fx, pairs):
    r = fx("tune", pairs[0], "--order", "1,2", "-D", "4x,16x", "-C", "10,0.1,1", "--folds", "3", "--model",
           "svm", "-o", "m.fx", "--json")
    j = r.json
    assert len(j["trials"]) == 3 + 2 * 3        # rows as they are have no D
    assert [t["C"] for t in j["trials"][:3]] == [0.1, 1, 10]
    assert j["best"] in j["trials"]
    assert j["best"]["mean"] == max(t["mean"] for t in j["trials"])
    assert j["best"]["order"] == 2 and j["kernel"].startswith("anova-upto:order=2")
    held = fx("evaluate", "m.fx", pairs[1], "--json").json["accuracy"]
    assert abs(held - j["best"]["mean"]) < 0.1


def test_agrees_with_folds_of_train(fx, pairs):
    j = fx("tune", pairs[0], "--order", "2", "-D", "8x", "-C", "0.1", "--folds", "4", "--model", "svm",
           "-o", "m.fx", "--json").json
    t = fx("train", pairs[0], "--kernel", "anova-upto:order=2", "-D", "8x", "-C", "0.1", "--folds", "4",
           "--model", "svm", "-o", "n.fx", "--json").json
    assert j["best"]["mean"] == pytest.approx(t["folds"]["mean"])
    assert j["best"]["sd"] == pytest.approx(t["folds"]["sd"])
    assert (fx.directory / "m.fx").read_bytes() == (fx.directory / "n.fx").read_bytes()


def test_text_and_kernel(fx, pairs):
    r = fx("tune", pairs[0], "--kernel", "all-subsets", "-D", "128", "-C", "0.01,0.1", "--metric", "auc",
           "--scale", "unit-l2")
    assert "auc" in r.text and "*" in r.text and "train.svm.fx" in r.text
    assert "all-subsets" in fx("info", "train.svm.fx").text


def test_regression(fx, put):
    put("x.svm", "".join(f"{i * 0.1:.1f} 1:{i} 2:{i % 3}\n" for i in range(60)))
    j = fx("tune", "x.svm", "--order", "1", "-C", "0.01,1", "-o", "m.fx", "--json").json
    assert j["metric"] == "rmse" and j["model"].startswith("ridge")
    assert j["best"]["mean"] == min(t["mean"] for t in j["trials"])


@pytest.mark.parametrize("args, word", [
    (["-C", "1,,2"], "-C"), (["-C", "0"], "-C"), (["-C", ""], "-C"), (["--order", "1.5"], "--order"),
    (["--order", "17"], "--order"), (["-D", "4x,"], "-D"), (["--order", "2", "--kernel", "linear"], "exclude"),
    (["--model", "svm:C=3"], "C"), (["--folds", "1"], "--folds"), (["--metric", "rmse"], "rmse"),
    (["--metric", "logloss", "--model", "svm"], "logloss"), (["-C", "1,2", "-c", "3"], "-c"),
])
def test_bad_options(fx, put, args, word):
    put("x.svm", "1 1:1\n-1 2:1\n" * 10)
    assert word in fx("tune", "x.svm", *args, status=2).talk
    assert files(fx.directory) == ["x.svm"]


def test_25_unwritable_output_comes_first(fx):
    talk = fx("tune", "nowhere.svm", "-o", "no/such/m.fx", status=2).talk
    assert "no/such/m.fx" in talk and "nowhere" not in talk


def test_scale_auto(fx, put):
    put("x.svm", "".join(f"{(-1) ** i} 1:{i % 2 * 90 + 9} 2:{i}\n" for i in range(40)))
    r = fx("tune", "x.svm", "--order", "1", "-C", "1", "--scale", "auto", "-o", "m.fx")
    assert "scaling: maxabs" in r.talk


def test_a_path_that_fails(fx, put):
    """It is listed with its reason; the others decide.  If all fail, so does the search."""
    X = np.random.default_rng(3).normal(size=(60, 3))
    X[59] = 1e30                        # products are beyond floats
    put("x.svm", svmlight(X, [i % 2 for i in range(60)]))
    args = ["x.svm", "--map", "explicit", "-D", "6", "-C", "1,10", "--json"]
    trials = fx("tune", *args, "--order", "1,2").json["trials"]
    assert [t["order"] for t in trials] == [1, 1, 2] and trials[2]["mean"] is None
    assert "range of floats" in trials[2]["failed"] and trials[0]["failed"] is None
    assert "range of floats" in fx("tune", *args, "--order", "2", status=3).talk


def test_more_rows_than_memory(fx, put):
    """They are not streamed; the message says what does it."""
    put("x.svm", "".join(f"{(-1) ** i} 1:{i % 7} 2:{i % 5}\n" for i in range(60000)))
    done = fx("tune", "x.svm", "--model", "logistic", "--max-memory", "1500K", status=4)
    assert "tune needs all rows in memory; train -C auto does not" in done.talk and files(fx.directory) == ["x.svm"]

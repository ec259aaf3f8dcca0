# SPDX-License-Identifier: BSD-3-Clause
"""featcross tune: the table, the choice, the model.

Covers: cli/commands/cmd_tune.c, cli/models/tuning.c, cli/models/held_out.c, cli/models/metric_names.c, cli/tables/ascending.c"""

import numpy as np
import pytest

from conftest import svmlight
from test_batches import peak
from test_output import files
from test_spill import bytes_of, svm, table


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


def test_one_kernel_is_named(fx, pairs):
    r = fx("tune", pairs[0], "--kernel", "all-subsets", "--scale", "unit-l2", "-D", "4x", "-C", "1")
    row = next(line.split() for line in r.text.splitlines() if line.startswith("*"))
    assert row[1:4] == ["all-subsets", "120", "1"]


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


STREAMED = [                            # data, options, limit
    ("x.svm", ["--model", "logistic", "--order", "1,2", "-D", "2x", "-C", "0.1,1", "--metric", "logloss"], "9M"),
    ("t.csv", ["--label", "label", "--model", "svm-l2", "--order", "1", "-C", "0.01,1", "--scale", "std"], "17M"),
    ("x.svm", ["--model", "fm:solver=lbfgs,max-iter=3", "--rank", "2,3", "--beta", "1x", "--task", "regress"], "9M"),
    ("x.svm", ["--model", "hofm:solver=adagrad,max-iter=2", "--order", "2", "--rank", "2", "--beta", "1x,9x"], "10M"),
]


@pytest.mark.large
@pytest.mark.parametrize("data, options, limit", STREAMED, ids=lambda x: x[1][:8] if isinstance(x, list) else x)
def test_more_rows_than_memory(fx, tmp_path, data, options, limit):
    """The same trials, the same choice, the same model."""
    table(tmp_path / data, rows=150000) if data == "t.csv" else svm(tmp_path / data)
    common = ["tune", data, *options, "--folds", "3", "--json"]
    memory = fx(*common, "-o", "memory.fx").json
    for threads in (1, 2):
        done = fx(*common, "-o", "streamed.fx", "--max-memory", limit, "--threads", threads)
        assert done.json["engine"]["name"] == "stream" and "were packed" in done.talk
        without = [[{k: v for k, v in t.items() if k != "seconds"} for t in j["trials"] + [j["best"]]]
                   for j in (memory, done.json)]
        assert without[0] == without[1]
        assert bytes_of(tmp_path / "streamed.fx") == bytes_of(tmp_path / "memory.fx")
    assert files(tmp_path) == ["memory.fx", "streamed.fx", data]


@pytest.mark.large
def test_folds_of_train_on_more_rows_than_memory(fx, tmp_path):
    svm(tmp_path / "x.svm")
    common = ["train", "x.svm", "--model", "logistic", "--folds", "4", "--json"]
    memory = fx(*common, "-o", "memory.fx").json
    done = fx(*common, "-o", "streamed.fx", "--max-memory", "9M").json
    assert done["engine"]["name"] == "stream" and done["folds"] == memory["folds"]
    assert bytes_of(tmp_path / "streamed.fx") == bytes_of(tmp_path / "memory.fx")


@pytest.mark.large
def test_scores_of_rows_held_out_count(fx, program, tmp_path):
    """They grow with the rows, so the limit must hold for them, too."""
    table(tmp_path / "t.csv", rows=300000)
    tune = ["tune", "t.csv", "-o", "m.fx", "--label", "label", "--model", "svm-l2", "--order", "1", "-C", "1",
            "--folds", "2", "--max-memory"]
    done = fx(*tune, "26M", status=4)
    assert "folds of 300000 rows and scores of those held out take" in done.talk
    assert peak(program, tmp_path, *tune, "36M") <= 36 << 20


@pytest.mark.large
def test_limits_that_leave_nothing_for_a_fit(fx):
    """They are refused before the first, with what takes them."""
    fx("make", "pairs:n=300000,d=200,nz=20", "-o", "x.svm")
    tune = ["tune", "x.svm", "-o", "m.fx", "--model", "logistic", "--order", "1", "-C", "1", "--folds", "2", "--threads", "2"]
    for limit in range(29000, 32001, 500):
        assert "the limit is 1\n" not in fx(*tune, "--max-memory", f"{limit}K", status=4).talk, limit


@pytest.mark.large
def test_what_needs_the_rows_in_memory(fx, tmp_path):
    svm(tmp_path / "x.svm")
    small = ["x.svm", "-o", "m.fx", "--max-memory", "1500K"]
    for options in (["--model", "svm"], ["--model", "logistic", "--nan", "drop"]):
        done = fx("tune", *small, *options, status=4)
        assert "rows need not be in memory for --model logistic, ridge" in done.talk
    done = fx("tune", *small, "--model", "logistic", status=4)
    assert "labels and folds of 30000 rows take" in done.talk and "raises the limit" in done.talk
    wide = ["x.svm", "-o", "m.fx", "--max-memory", "9M", "--model", "svm-l2", "--order", "1,2", "-D", "300"]
    done = fx("tune", *wide, "-C", "1", "--folds", "2", status=4)       # and not order 1 alone
    assert "needs all rows in memory; use --solver newton" in done.talk
    assert files(tmp_path) == ["x.svm"]

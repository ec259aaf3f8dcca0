# SPDX-License-Identifier: BSD-3-Clause
"""featcross evaluate, and featcross info on models.

Covers: cli/commands/cmd_evaluate.c, cli/models/model_file.c, cli/models/model_info.c"""

import re

import numpy as np
import pytest



def train(fx, data, *args):
    fx("train", data, "-o", "m.fx", "-q", *args)


def test_metrics_by_hand(fx, pairs):
    train(fx, pairs[0], "--model", "logistic", "--kernel", "anova-upto:order=2", "-C", "0.1")
    y = np.array([float(line.split()[0]) for line in (fx.directory / pairs[1]).read_text().splitlines()])
    s = np.array(fx("predict", "m.fx", pairs[1], "--output", "score").text.split(), float)
    j = fx("evaluate", "m.fx", pairs[1], "--json").json
    up, down = s[y > 0], s[y < 0]
    auc = np.mean((up[:, None] > down) + 0.5 * (up[:, None] == down))
    assert j["rows"] == 400 and {"read", "evaluate"} <= set(j["seconds"])
    assert j["accuracy"] == pytest.approx(np.mean(np.sign(s) == y))
    assert j["auc"] == pytest.approx(auc)
    assert j["logloss"] == pytest.approx(np.mean(np.log1p(np.exp(-y * s))))
    assert "rmse" not in j
    confusion = np.array(j["confusion"])
    assert confusion.sum() == 400 and np.trace(confusion) / 400 == pytest.approx(j["accuracy"])
    assert confusion[0, 1] == np.sum((y < 0) & (s > 0)) and j["classes"] == ["-1", "1"]


def test_text(fx, pairs):
    train(fx, pairs[0], "--model", "svm")
    text = fx("evaluate", "m.fx", pairs[1]).text
    assert re.search(r"^accuracy +0\.\d+$", text, re.M) and "predicted" in text
    text = fx("evaluate", "m.fx", pairs[1], "--metric", "auc").text
    assert "auc" in text and "accuracy" not in text
    assert "--calibrate" in fx("evaluate", "m.fx", pairs[1], "--metric", "logloss", status=2).talk
    assert "mse" in fx("evaluate", "m.fx", pairs[1], "--metric", "auc,mse", status=2).talk
    for bad in ("rmse", "", "auc,"):
        fx("evaluate", "m.fx", pairs[1], "--metric", bad, status=2)


def test_calibrated(fx, pairs):
    train(fx, pairs[0], "--model", "svm", "--calibrate", "--kernel", "anova-upto:order=2", "-C", "0.1")
    j = fx("evaluate", "m.fx", pairs[1], "--json").json
    assert j["logloss"] < 0.7


def test_labels_missing_or_new(fx, put, pairs):
    train(fx, pairs[0], "--model", "svm")
    put("new.svm", "5 1:1\n1 2:1\n")
    r = fx("evaluate", "m.fx", "new.svm", "--json", status=2)
    assert "5" in r.talk


# ---- info ---------------------------------------------------------------------------------------
def test_info(fx, pairs):
    fx("train", pairs[0], "--model", "svm", "--kernel", "anova:order=2", "-D", "64", "--scale", "maxabs",
       "-o", "m.fx", "-q", "--seed", "3")
    text = fx("info", "m.fx").text
    for word in ["svm:C=1", "anova:order=2", "rk", "maxabs", "-1 1", "600 rows", "featcross 0."]:
        assert word in text
    j = fx("info", "m.fx", "--json").json
    assert j["format"] == "model" and j["seed"] == 3 and j["D"] == 64 and j["columns"] == 30
    assert j["bytes"] == (fx.directory / "m.fx").stat().st_size and j["classes"] == ["-1", "1"]
    assert j["training"]["rows"] == 600 and j["base"] == 1


def test_info_of_broken_models(fx, put, pairs):
    train(fx, pairs[0], "--model", "svm")
    whole = (fx.directory / "m.fx").read_bytes()
    put("bad.fx", whole[:-1])
    assert "bad.fx: " in fx("info", "bad.fx", status=2).talk


def test_info_of_named_columns(fx, put):
    put("x.csv", "age,city,label\n1,Paris,a\n2,Rome,b\n3,Paris,a\n4,Rome,b\n")
    train(fx, "x.csv", "--model", "svm", "--cat", "auto")
    j = fx("info", "m.fx", "--json").json
    assert j["names"] is True and j["columns"] == 3
    put("y.csv", "city,age\nRome,4\nParis,1\nOslo,2\n")
    r = fx("predict", "m.fx", "y.csv")
    assert r.text.split()[:2] == ["b", "a"] and "1 entry" in r.talk

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
    assert j["rows"] == 400 and min(j["seconds"]["read"], j["seconds"]["evaluate"]) > 0
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


def test_metrics_by_name(fx, put, pairs):
    """In the order given, against scikit-learn's definitions."""
    fx("train", pairs[0], "-o", "m.fx", "--model", "svm")
    names = ["recall", "precision", "f1", "f1-macro", "average-precision", "accuracy"]
    r = fx("evaluate", "m.fx", pairs[1], "--metric", ",".join(names), "--json").json
    (hits0, missed1), (missed0, hits1) = r["confusion"]
    assert r["precision"] == pytest.approx(hits1 / (hits1 + missed1))
    assert r["recall"] == pytest.approx(hits1 / (hits1 + missed0))
    assert r["f1"] == pytest.approx(2 * hits1 / (2 * hits1 + missed0 + missed1))
    other = 2 * hits0 / (2 * hits0 + missed0 + missed1)
    assert r["f1-macro"] == pytest.approx((r["f1"] + other) / 2)
    text = fx("evaluate", "m.fx", pairs[1], "--metric", ",".join(names)).text
    assert [line.split()[0] for line in text.splitlines()] == ["rows", *names]
    assert "did you mean 'recall'?" in fx("evaluate", "m.fx", pairs[1], "--metric", "recal",
                                          status=2).talk
    for other in "ndcg@5", "rmse":
        assert f"metric {other} does not go with task=classify, whose metrics are accuracy, auc" in \
            fx("evaluate", "m.fx", pairs[1], "--metric", other, status=2).talk
    put("three.svm", "".join(f"{i % 3} {i % 3 + 1}:1\n" for i in range(30)))
    fx("train", "three.svm", "-o", "three.fx", "--model", "svm")
    assert "f1-macro" in fx("evaluate", "three.fx", "three.svm", "--metric", "f1", status=2).talk
    assert fx("evaluate", "three.fx", "three.svm", "--metric", "f1-macro", "--json").json["f1-macro"] == 1


def test_metrics_of_rankings(fx, put):
    """Two queries; the scores put one of them in order and the other one upside down."""
    put("q.svm", "".join(f"{y} qid:{q} {y + 1}:1\n" for q in (1, 2) for y in (0, 1, 2)))
    fx("train", "q.svm", "-o", "r.fx", "--model", "fm", "--task", "rank", "--rank", "1")
    put("t.svm", "2 qid:1 3:1\n1 qid:1 2:1\n0 qid:1 1:1\n2 qid:2 1:1\n1 qid:2 2:1\n0 qid:2 3:1\n")
    r = fx("evaluate", "r.fx", "t.svm", "--metric", "ndcg,ndcg@1,precision@2,recall@1,auc", "--json").json
    log3 = 1.584962500721156
    wrong = (1 / log3 + 2 / 2) / (2 + 1 / log3)
    assert r["auc"] == 0.5 and r["ndcg"] == pytest.approx((1 + wrong) / 2)
    assert (r["ndcg@1"], r["precision@2"], r["recall@1"]) == (0.5, 0.75, 0.25)
    j = fx("tune", "q.svm", "--model", "fm", "--task", "rank", "--rank", "1", "--beta", "1x", "--metric",
           "ndcg@2", "--folds", "2", "-o", "x.fx", "--json").json
    assert j["metric"] == "ndcg@2" and 0 <= j["best"]["mean"] <= 1

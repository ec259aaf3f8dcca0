# SPDX-License-Identifier: BSD-3-Clause
"""Metrics by name against scikit-learn's.  Covers: _learners/evaluate.py"""
import featcross as fx
import numpy as np
import pytest
from sklearn import metrics as theirs

SUMS = 1e-12                            # sums of hundreds of numbers up to 10, in another order


@pytest.fixture(scope="module", params=[2, 3, 4])
def labelled(request):
    """A fitted classifier, rows, labels and weights; few rows, so that predictions are wrong."""
    rng = np.random.default_rng(request.param)
    X = rng.integers(-1, 2, (240, 4)).astype(float)     # scores have ties
    y = (X @ rng.normal(size=(4, request.param)) + rng.normal(size=(240, request.param))).argmax(1)
    model = fx.LinearClassifier(loss="logistic", random_state=1).fit(X[:80], y[:80])
    return model, X[80:], y[80:], rng.integers(0, 4, 160).astype(float)


@pytest.mark.parametrize("weighted", [False, True])
def test_classes(labelled, weighted):
    model, X, y, w = labelled
    w = w if weighted else np.ones(len(y))
    label, p = model.predict(X), model.predict_proba(X)
    expected = {"accuracy": theirs.accuracy_score(y, label, sample_weight=w),
                "logloss": theirs.log_loss(y, p, sample_weight=w)}
    for how in ["macro", "micro"] + ["binary"] * (p.shape[1] == 2):
        for name, of in [("precision", theirs.precision_score), ("recall", theirs.recall_score),
                         ("f1", theirs.f1_score)]:
            expected[name if how == "binary" else f"{name}-{how}"] = of(
                y, label, average=how, sample_weight=w, zero_division=0)
    score = model.decision_function(X)
    area = [theirs.average_precision_score, theirs.roc_auc_score]
    for name, of in zip(["average-precision", "auc"], area):
        expected[name] = of(y, score, sample_weight=w) if p.shape[1] == 2 else np.mean(
            [of(y == k, score[:, k], sample_weight=w) for k in range(p.shape[1])])
    got = model.evaluate(X, y, w, metrics=list(expected))
    assert got == pytest.approx(expected, abs=SUMS)
    assert list(got) == list(expected)
    assert model.evaluate(X, y, w, metrics="accuracy") == {"accuracy": got["accuracy"]}


def test_a_class_that_is_never_predicted():
    X = np.array([[1.0], [1], [1], [1], [1], [-1]])
    y = np.array([0, 0, 0, 0, 1, 0])
    model = fx.LinearClassifier(random_state=1).fit(X, y)
    assert set(model.predict(X)) == {0}
    assert model.evaluate(X, y, metrics=["precision", "recall", "f1", "precision-macro"]) == {
        "precision": 0, "recall": 0, "f1": 0, "precision-macro": pytest.approx(5 / 12)}


@pytest.fixture(scope="module")
def ranked():
    rng = np.random.default_rng(5)
    X = rng.integers(0, 2, (300, 3)).astype(float)      # at most 8 different scores: many ties
    y = rng.integers(0, 4, 300).astype(float) * (X.sum(1) > 0)
    qid = rng.integers(0, 20, 300)
    with np.errstate(all="ignore"):
        model = fx.FactorizationMachineRanker(2, max_iter=3, tol=1, random_state=1).fit(X, y, qid)
    return model, X, y, qid


def test_rankings(ranked):
    model, X, y, qid = ranked
    score, queries = model.predict(X), np.unique(qid)
    weight = np.random.default_rng(1).integers(1, 4, 20).astype(float)
    for k in (1, 3, 10, 1000):
        each = [theirs.ndcg_score([y[qid == q]], [score[qid == q]], k=k) for q in queries]
        got = model.evaluate(X, y, qid, weight[qid], metrics=[f"ndcg@{k}"])[f"ndcg@{k}"]
        assert got == pytest.approx(np.average(each, weights=weight[queries]), abs=SUMS)
    order = np.random.default_rng(2).permutation(300)
    names = ["ndcg", "ndcg@5", "precision@5", "recall@5", "auc"]
    assert model.evaluate(X, y, qid, metrics=names) == model.evaluate(
        X[order], y[order], qid[order], metrics=names)
    assert model.evaluate(X, y, qid, metrics="auc")["auc"] == model.score(X, y, qid)
    assert model.evaluate(X, y, qid=qid, sample_weight=weight[qid], metrics=names) == \
        model.evaluate(X, y, qid, weight[qid], metrics=names)


def test_training_is_measured_by_name(labelled):
    model, X, y, w = labelled
    fm = fx.FactorizationMachineClassifier(2, metric="f1-macro", patience=2, max_iter=20, tol=1e-2,
                                           random_state=1)
    fm.fit(X[:80], y[:80] > 0, eval_set=(X[80:], y[80:] > 0))
    best = fm.history_["metric"].max()
    got = fm.evaluate(X[80:], y[80:] > 0, metrics="f1-macro")["f1-macro"]
    assert got == pytest.approx(best, abs=SUMS)


@pytest.mark.parametrize("name, said", [
    ("acuracy", "did you mean 'accuracy'"), ("rmse", "task=.classify."), ("ndcg@0", "whole number"),
    (7, "no text")])
def test_refused(labelled, name, said):
    model, X, y, _ = labelled
    with pytest.raises(ValueError, match=said):
        model.evaluate(X, y, metrics=[name])


def test_models_without_labels():
    assert not hasattr(fx.KernelPCA(2), "evaluate")
    assert fx.LinearRegressor().fit([[0.0], [1], [2]], [1.0, 2, 3]).evaluate(
        [[0.0], [4]], [1.0, 2], metrics="rmse")["rmse"] > 0

# SPDX-License-Identifier: BSD-3-Clause
"""Rows to measure on: eval_set in the forms of LightGBM, early_stopping, and what was measured."""
import numpy as np
import pytest
from scipy.sparse import csr_array

from featcross import (AllSubsetsRegressor, FactorizationMachineClassifier,
                       FactorizationMachineRanker, FactorizationMachineRegressor, KernelRidge,
                       KernelSVC, LinearClassifier, PolynomialNetworkClassifier)
from featcross._learners.eval_set import PATIENCE, held_out

pytestmark = pytest.mark.filterwarnings("ignore::featcross._sklearn.ConvergenceWarning")


@pytest.fixture
def X(rng):
    return rng.choice([-1.0, 1.0], (400, 8))


@pytest.fixture
def y(X, rng):
    """A pair decides, but for a fifth of the rows."""
    flip = np.where(rng.random(len(X)) < 0.2, -1, 1)
    return np.where(X[:, 1] * X[:, 6] * flip > 0, "same", "other")


# ---- Which rows ----

@pytest.mark.parametrize("fraction", [0.1, 0.3, 0.37, 0.5, 0.75, 0.9, 0.001])
def test_a_share_of_each_class_is_held_out(fraction, rng):
    y = np.repeat([0, 1, 2], [500, 300, 200])
    rng.shuffle(y)
    held = held_out(1000, fraction, 7, y=y, classes=np.array([0, 1, 2]))
    share = max(fraction, 1 / 1000)
    assert abs(held.sum() - 1000 * share) <= 1
    for k, n in enumerate((500, 300, 200)):
        assert abs(held[y == k].sum() - n * share) <= 1
    assert (held == held_out(1000, fraction, 7, y=y, classes=np.array([0, 1, 2]))).all()
    assert fraction < 0.01 or \
        (held != held_out(1000, fraction, 8, y=y, classes=np.array([0, 1, 2]))).any()


def test_targets_of_the_whole_range_are_held_out():
    y = np.arange(1000.0)
    held = held_out(1000, 0.1, 3, y=y)
    assert held.sum() == 100
    assert all(held[i:i + 100].sum() == 10 for i in range(0, 1000, 100))


def test_queries_stay_whole():
    qid = np.repeat(np.arange(40), 5)
    held = held_out(200, 0.25, 3, y=np.zeros(200), qid=qid)
    assert held.sum() == 50 and all(len(set(held[qid == q])) == 1 for q in range(40))


@pytest.mark.parametrize("n, fraction", [(2, 0.1), (2, 0.9), (3, 0.999), (5, 1e-9)])
def test_few_rows(n, fraction):
    held = held_out(n, fraction, 1, y=np.arange(float(n)))
    assert 0 < held.sum() < n


@pytest.mark.parametrize("fraction", [0, 1, -0.1, 1.5, "a", None, float("nan")])
def test_fractions_that_are_none(X, y, fraction):
    fm = FactorizationMachineClassifier(2, early_stopping=True, validation_fraction=fraction)
    with pytest.raises(ValueError, match="validation_fraction="):
        fm.fit(X, y)


def test_a_class_of_one_row_cannot_be_held_out(X):
    y = np.ones(400)
    y[7] = 0                            # the first card that is dealt
    with pytest.raises(ValueError, match="would hold out all rows of the class 0.0; give eval_set"):
        FactorizationMachineClassifier(2, early_stopping=True).fit(X, y)


# ---- Stopping ----


def test_rows_that_do_not_count_are_not_held_out():
    """Rows of weight 0, and those that missing="drop" leaves out, are as good as none."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(200, 4))
    y, weight, there = X[:, 0] * X[:, 1] > 0, np.zeros(200), np.arange(200) % 10 == 3
    weight[there] = 1
    common = {"early_stopping": True, "random_state": 1, "max_iter": 5}
    plain = FactorizationMachineClassifier(2, **common).fit(X[there], y[there])
    weighted = FactorizationMachineClassifier(2, **common).fit(X, y, weight)
    assert plain.evals_result_ == weighted.evals_result_
    X[~there, 2] = np.nan
    dropped = FactorizationMachineClassifier(2, missing="drop", **common).fit(X, y)
    assert plain.evals_result_ == dropped.evals_result_
    query = np.repeat(np.arange(20), 10)
    ranker = FactorizationMachineRanker(2, **common)
    a = ranker.fit(X[:, :2], y.astype(float), query, query % 2).evals_result_
    odd = query % 2 == 1
    assert a == ranker.fit(X[odd, :2], y[odd].astype(float), query[odd]).evals_result_
    with pytest.raises(ValueError, match="qid of row 1 is NaN"):
        ranker.fit(X[:3, :2], [0., 1, 2], [1, np.nan, 1])
    with pytest.raises(ValueError, match="needs two rows, one to hold out; there is none"):
        FactorizationMachineClassifier(2, missing="drop", **common).fit(X[:3], [0, 1, 1])


@pytest.mark.parametrize("sparse", [False, True])
def test_early_stopping_is_eval_set_and_patience(X, y, sparse):
    """The same model, to the last bit, as one that is given both."""
    kind, common = FactorizationMachineClassifier, {"n_components": 8, "random_state": 5,
                                                    "metric": "logloss", "beta": 1e-5}
    held = held_out(400, 0.1, 5, y=y, classes=np.unique(y))
    A = csr_array(X) if sparse else X
    a = kind(early_stopping=True, **common).fit(A, y)
    b = kind(patience=PATIENCE, **common).fit(A[~held], y[~held], eval_set=[(A[held], y[held])])
    assert (a.decision_function(A) == b.decision_function(A)).all()
    assert a.evals_result_ == b.evals_result_
    scores = a.evals_result_["valid_0"]["logloss"]
    assert 5 < len(scores) < 100        # it stopped
    assert a.best_iteration_ == 1 + int(np.argmin(scores)) == len(scores) - PATIENCE
    assert a.best_score_ == {"valid_0": {"logloss": min(scores)}}
    p = a.predict_proba(A[held])        # the best state was kept
    right = p[np.arange(held.sum()), (y[held] == "same").astype(int)]
    assert np.isclose(-np.log(right).mean(), min(scores), rtol=1e-9)


def test_an_eval_set_takes_the_place_of_rows_held_out(X, y):
    fm = FactorizationMachineClassifier(4, early_stopping=True, patience=2, random_state=1)
    fm.fit(X[:300], y[:300], eval_set=(X[300:], y[300:]))
    assert fm.model_.content.rows == 300
    assert len(fm.evals_result_["valid_0"]["accuracy"]) == fm.best_iteration_ + 2


def test_weights_go_with_their_rows(X, y, rng):
    weight = rng.integers(1, 4, 400).astype(float)
    held = held_out(400, 0.1, 5, y=y, classes=np.unique(y))
    common = {"n_components": 4, "random_state": 5}
    a = FactorizationMachineClassifier(early_stopping=True, **common).fit(X, y, weight)
    b = FactorizationMachineClassifier(patience=PATIENCE, **common).fit(
        X[~held], y[~held], weight[~held], eval_set=(X[held], y[held], weight[held]))
    assert (a.decision_function(X) == b.decision_function(X)).all()


@pytest.mark.parametrize("kind, target", [
    (FactorizationMachineRegressor, True), (AllSubsetsRegressor, True),
    (FactorizationMachineRanker, True), (PolynomialNetworkClassifier, False)])
def test_relatives_stop_early(X, y, kind, target):
    y = X[:, 1] * X[:, 6] + 0.0 if target else y
    model = kind(4, early_stopping=True, validation_fraction=0.25, random_state=1).fit(X, y)
    assert model.model_.content.rows == 300 and model.best_iteration_ >= 1


def test_three_classes_have_three_courses(X, rng):
    fm = FactorizationMachineClassifier(2, early_stopping=True, random_state=1)
    fm.fit(X, rng.integers(0, 3, 400))
    assert list(fm.evals_result_["valid_0"]) == ["accuracy:0", "accuracy:1", "accuracy:2"]
    assert fm.best_iteration_.shape == (3,)


def test_partial_fit_holds_nothing_out(X, y):
    fm = FactorizationMachineClassifier(2, solver="adagrad", early_stopping=True, random_state=1)
    assert fm.partial_fit(X, y, classes=["other", "same"]).model_.content.rows == 400


# ---- eval_set ----

@pytest.mark.parametrize("learner", [LinearClassifier(), KernelSVC(),
                                     FactorizationMachineClassifier(2, random_state=1)])
def test_forms_of_eval_set(X, y, learner):
    forms = [(X, y), [(X, y)], [X, y], (X, y, np.ones(400)), [(X, y, np.ones(400))]]
    found = [learner.fit(X, y, eval_set=form).evals_result_ for form in forms]
    assert all(one == found[0] for one in found)
    assert found[0]["valid_0"]["accuracy"][-1] == pytest.approx(learner.score(X, y))


@pytest.mark.parametrize("form", [(), (1,), "ab", [(1, 2), (3, 4)], [()], 5, (1, 2, 3, 4)])
def test_eval_sets_that_are_none(X, y, form):
    with pytest.raises(ValueError, match="eval_set"):
        LinearClassifier().fit(X, y, eval_set=form)


def test_every_learner_is_measured_by_what_it_predicts(X):
    """Of kernel ridge regression, too, which has one step."""
    y = X[:, 1] * X[:, 6]
    ridge = KernelRidge().fit(X, y, eval_set=[(X, y)])
    error = np.sqrt(np.mean((ridge.predict(X) - y)**2))
    assert ridge.evals_result_["valid_0"]["rmse"][-1] == pytest.approx(error, rel=1e-6)


def test_nothing_was_measured(X, y):
    fm = FactorizationMachineClassifier(2, max_iter=2).fit(X, y)
    for name in ("evals_result_", "best_score_", "best_iteration_"):
        assert not hasattr(fm, name)


# ---- Scaling ----

def test_factorization_machines_scale_by_the_range(X, y):
    fm = FactorizationMachineClassifier(2, max_iter=3, random_state=1)
    assert fm.fit(X, y).scale_ is None
    assert fm.fit(100 * X, y).scale_ == "maxabs"
    maxabs = FactorizationMachineClassifier(2, max_iter=3, random_state=1, scale="maxabs")
    maxabs.fit(100 * X, y)
    assert (fm.decision_function(100 * X) == maxabs.decision_function(100 * X)).all()


def test_a_warm_start_keeps_the_scaling(X, y):
    fm = FactorizationMachineClassifier(2, max_iter=2, warm_start=True, random_state=1)
    assert fm.fit(X, y).scale_ is None
    assert fm.fit(3 * X, y).scale_ is None

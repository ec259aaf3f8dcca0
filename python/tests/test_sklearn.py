# SPDX-License-Identifier: BSD-3-Clause
"""Estimators among scikit-learn's: pipelines, searches, clones, data frames, other processes."""
import multiprocessing
import os

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from estimators import CLASSES, CLASSIFIERS, MAPS, REGRESSORS, answers, same, sample, small
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC
from sklearn.utils.validation import check_is_fitted

import featcross
from featcross import KernelSVC, LinearClassifier, RandomKernelMap
from featcross._run import processors, threads

pytestmark = pytest.mark.filterwarnings("ignore::featcross._sklearn.ConvergenceWarning")
every = pytest.mark.parametrize("kind", CLASSES)


@pytest.fixture
def pairs():
    """Labels by a product of two columns: no linear model of the columns learns them."""
    rng = np.random.default_rng(3)
    X = rng.choice([-1.0, 1.0], size=(300, 6))
    return X, np.where(X[:, 0] * X[:, 1] > 0, "yes", "no")


def kernel_map(**more):
    return RandomKernelMap(256, degree=2, random_state=1, n_jobs=1, **more)


@every
def test_clone(kind):
    X, y = sample(kind)
    estimator = small(kind)
    copy = clone(estimator)
    assert copy is not estimator and copy.get_params() == estimator.get_params()
    estimator.fit(X, y)
    assert not hasattr(clone(estimator), "n_features_in_")
    assert same(answers(clone(estimator).fit(X, y), X), answers(estimator, X))


@every
def test_joblib(kind, tmp_path):
    X, y = sample(kind)
    estimator = small(kind).fit(X, y)
    joblib.dump(estimator, tmp_path / "estimator", compress=1)
    assert same(answers(joblib.load(tmp_path / "estimator"), X), answers(estimator, X))


@every
def test_what_it_is(kind):
    assert (is_classifier(small(kind)), is_regressor(small(kind))) == (
        kind in CLASSIFIERS, kind in REGRESSORS)
    with pytest.raises(sklearn.exceptions.NotFittedError):
        check_is_fitted(small(kind))
    check_is_fitted(small(kind).fit(*sample(kind)))


@pytest.mark.parametrize("last", [LinearSVC(dual=False), LinearClassifier(n_jobs=1)])
def test_pipeline(pairs, last):
    X, y = pairs
    model = make_pipeline(kernel_map(), last)
    assert model.fit(X, y).score(X, y) > 0.95 > 0.8 > clone(last).fit(X, y).score(X, y)
    assert cross_val_score(model, X, y, cv=3).min() > 0.9


def test_map_inside_is_map_before(pairs):
    """The same seed draws the same map; inside, its features are floats."""
    X, y = pairs
    inside = LinearClassifier(map=kernel_map(), tol=1e-9, n_jobs=1).fit(X, y)
    before = make_pipeline(kernel_map(), LinearClassifier(tol=1e-9, n_jobs=1)).fit(X, y)
    assert abs(inside.decision_function(X) - before.decision_function(X)).max() < 1e-5


def test_kernel_of_svc(pairs):
    X, y = pairs
    assert SVC(kernel=featcross.anova_kernel).fit(X, y).score(X, y) == 1


def test_precomputed_kernel(pairs):
    """Folds take rows and columns of it."""
    X, y = pairs
    K = featcross.gram(X, kernel="anova")
    assert np.array_equal(cross_val_score(KernelSVC(kernel="precomputed", n_jobs=1), K, y, cv=3),
                          cross_val_score(KernelSVC(kernel="anova", n_jobs=1), X, y, cv=3))


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_search(pairs, n_jobs):
    """Parameters of the map, in a pipeline's step and in a learner, by their nested names."""
    X, y = pairs
    grid = {"randomkernelmap__n_components": [1, 256]}
    search = GridSearchCV(make_pipeline(kernel_map(), LinearClassifier(n_jobs=1)), grid, cv=2,
                          n_jobs=n_jobs, error_score="raise").fit(X, y)
    assert search.best_params_ == {"randomkernelmap__n_components": 256}
    assert search.best_score_ > 0.9
    if n_jobs == 1:
        search = GridSearchCV(LinearClassifier(map=kernel_map(), n_jobs=1),
                              {"map__n_components": [1, 256], "C": [1.0]}, cv=2,
                              error_score="raise").fit(X, y)
        assert search.best_params_ == {"map__n_components": 256, "C": 1.0}
        assert search.best_estimator_.map.n_components == 256


@pytest.mark.parametrize("kind", MAPS)
def test_frames_out(kind):
    X, _ = sample(kind)
    frame = pd.DataFrame(X, columns=list("abcde"), index=np.arange(len(X)) + 100)
    estimator = small(kind)
    Z = estimator.set_output(transform="pandas").fit_transform(frame)
    names = [f"{kind.__name__.lower()}{i}" for i in range(Z.shape[1])]
    if kind.__name__ != "ExplicitCombinations":         # says which columns it multiplied
        assert list(estimator.get_feature_names_out()) == names
    assert list(Z.columns) == list(estimator.get_feature_names_out())
    assert list(Z.index) == list(frame.index)
    assert np.array_equal(Z.to_numpy(), small(kind).fit(X).transform(X))


def test_columns(pairs):
    X, y = pairs
    frame = pd.DataFrame(X, columns=list("abcdef")).assign(other="text")
    model = make_pipeline(ColumnTransformer([("crossed", kernel_map(), ["a", "b", "c"]),
                                             ("as_is", "passthrough", ["d"])]),
                          LinearClassifier(n_jobs=1))
    assert model.fit(frame, y).score(frame, y) > 0.95
    names = list(model[0].get_feature_names_out())
    assert names[0] == "crossed__randomkernelmap0" and names[-1] == "as_is__d"


def test_calibration(pairs):
    X, y = pairs
    model = CalibratedClassifierCV(LinearClassifier(map=kernel_map(), n_jobs=1), cv=2).fit(X, y)
    P = model.predict_proba(X)
    assert abs(P.sum(axis=1) - 1).max() < 1e-12
    assert np.mean(model.classes_[P.argmax(axis=1)] == y) > 0.95


def test_weights_through_a_pipeline(pairs):
    """By the step's name; and by routing where scikit-learn has it."""
    X, y = pairs
    w = np.arange(len(y)) % 4.0
    last = LinearClassifier(n_jobs=1, random_state=1)
    expected = clone(last).fit(kernel_map().fit_transform(X), y, w).decision_function(
        kernel_map().fit_transform(X))
    model = make_pipeline(kernel_map(), clone(last)).fit(X, y, linearclassifier__sample_weight=w)
    assert np.array_equal(model.decision_function(X), expected)
    if hasattr(last, "set_fit_request"):
        with sklearn.config_context(enable_metadata_routing=True):
            model = make_pipeline(kernel_map(), clone(last).set_fit_request(sample_weight=True))
            assert np.array_equal(model.fit(X, y, sample_weight=w).decision_function(X), expected)


def _fit_again(kind, expected):
    X, y = sample(kind)
    found = answers(small(kind, n_jobs=2).fit(X, y), X)
    os._exit(0 if same(found, expected) else 1)


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
@every
def test_fork(kind):
    """Threads of a call end with it, so a child has all it needs."""
    X, y = sample(kind)
    expected = answers(small(kind, n_jobs=2).fit(X, y), X)
    child = multiprocessing.get_context("fork").Process(target=_fit_again, args=(kind, expected))
    child.start()
    child.join(timeout=20)
    assert child.exitcode == 0


def test_workers_share_the_processors():
    """joblib tells its workers by OMP_NUM_THREADS how many threads each may have."""
    with joblib.parallel_backend("loky", n_jobs=2):
        found = joblib.Parallel()(joblib.delayed(threads)(None) for _ in range(2))
    assert found == [max(1, processors() // 2)] * 2


@every
def test_shown_in_a_notebook(kind):
    """scikit-learn's HTML asks for every attribute of a fitted estimator."""
    X, y = sample(kind)
    estimator = small(kind)
    assert kind.__name__ in estimator._repr_html_()
    assert kind.__name__ in estimator.fit(X, y)._repr_html_()

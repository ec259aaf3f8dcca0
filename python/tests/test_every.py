# SPDX-License-Identifier: BSD-3-Clause
"""What every estimator promises, whether scikit-learn is installed or not.

Covers: __init__.py, _data/__init__.py, _learners/__init__.py, _names/__init__.py, _passes/__init__.py
"""
import copy
import inspect
import pickle
import pickletools
import resource
import tempfile

import numpy as np
import pytest
from estimators import CLASSES, CLASSIFIERS, MAPS, REGRESSORS, SELECTORS, answers, same, sample, small

import featcross
from featcross import _run
from featcross._frame import Encoder
from featcross._names.table import RANK

# Tolerances are so small that some fits do not end.
pytestmark = pytest.mark.filterwarnings("ignore::featcross._sklearn.ConvergenceWarning")
every = pytest.mark.parametrize("kind", CLASSES)
classifiers = pytest.mark.parametrize("kind", CLASSIFIERS)


def with_probabilities(kind):
    """An instance that has predict_proba; None if the class has none."""
    for more in ({}, {"calibrate": True}):
        try:
            estimator = small(kind, **more)
        except TypeError:               # no such parameter
            continue
        if hasattr(estimator, "predict_proba"):
            return estimator
    return None


def test_nobody_is_missing():
    rest = set(CLASSES) - set(CLASSIFIERS + REGRESSORS + MAPS + SELECTORS)
    assert min(len(CLASSIFIERS), len(REGRESSORS), len(MAPS)) >= 6
    assert all(kind._task == RANK for kind in rest) and len(rest) >= 1


@every
def test_parameters(kind):
    estimator = small(kind)
    params = estimator.get_params()
    assert params["n_jobs"] == 1 and params["verbose"] == 0 and list(params) == sorted(params)
    assert estimator.set_params(verbose=5) is estimator and estimator.verbose == 5
    assert "verbose=5" in repr(estimator) and repr(estimator).startswith(kind.__name__ + "(")
    assert repr(kind()) == kind.__name__ + "()"
    with pytest.raises(ValueError, match="colour"):
        estimator.set_params(colour=1)
    again = kind(**params)
    assert again.get_params() == params


@pytest.mark.parametrize("name", featcross.__all__)
def test_documented(name):
    """What is public says what it does and what it returns."""
    found = getattr(featcross, name)
    functions = [found] if inspect.isfunction(found) else [
        f for name, f in inspect.getmembers(found, inspect.isfunction)
        if f.__module__.startswith("featcross.") and f.__module__ != "featcross._sklearn"
        and not name.startswith("_")]
    for item in [found, *functions]:
        assert item.__doc__, item
    for f in functions:
        assert inspect.signature(f).return_annotation is not inspect.Signature.empty, f


@every
def test_bytes_do_not_depend_on_threads(kind):
    X, y = sample(kind)
    one, two = (small(kind, n_jobs=n).fit(X, y) for n in (1, 2))
    assert same(answers(one, X), answers(two, X))


@every
def test_n_jobs_reaches_every_call(kind, monkeypatch):
    X, y = sample(kind)
    seen, run = set(), _run.fx_run
    monkeypatch.setattr(_run, "fx_run", lambda threads: seen.add(threads) or run(threads=threads))
    answers(small(kind, n_jobs=3).fit(X, y), X)
    assert seen == {3}


@pytest.mark.parametrize("kind", [k for k in CLASSES if "random_state" in k().get_params()])
def test_seeds(kind):
    """None draws from NumPy's generator; the same numbers draw the same model."""
    X, y = sample(kind)
    found = []
    for seed in (3, 3, 4):
        np.random.seed(seed)
        found.append(answers(small(kind, random_state=None).fit(X, y), X))
    assert same(found[0], found[1])
    if kind in MAPS and kind.__name__.startswith(("Random", "TensorSketch")):
        assert not same(found[0], found[2])


@every
@pytest.mark.parametrize("copied", [lambda e: pickle.loads(pickle.dumps(e)), copy.deepcopy])
def test_copies(kind, copied):
    X, y = sample(kind)
    estimator = small(kind).fit(X, y)
    assert same(answers(copied(estimator), X), answers(estimator, X))
    assert not hasattr(copied(small(kind)), "n_features_in_")


@every
def test_pickles(kind):
    """They name no module of a folder: those that they name stay where they are."""
    X, y = sample(kind)
    names = [text for op, text, _ in pickletools.genops(pickle.dumps(small(kind).fit(X, y), 0))
             if op.name == "GLOBAL" and text.startswith("featcross.")]
    assert names and not [name for name in names if name.split()[0].count(".") > 1]
    assert Encoder.__module__ == "featcross._frame"


@every
def test_quiet(kind, capfd):
    X, y = sample(kind)
    answers(small(kind).fit(X, y), X)
    assert capfd.readouterr() == ("", "")


@every
def test_no_files(kind, tmp_path, monkeypatch):
    """Files may not grow while it works, and none is left."""
    X, y = sample(kind)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        answers(small(kind).fit(X, y), X)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert not list(tmp_path.iterdir())


@every
def test_precision(kind):
    """float32 stays float32, and says the same."""
    X, y = sample(kind)
    X = X.astype(np.float32)
    estimator = small(kind).fit(X, y)
    double, single = (answers(estimator, X.astype(dtype)) for dtype in (np.float64, np.float32))
    for name in double:
        if name == "predict" and kind in CLASSIFIERS:
            assert double[name].dtype == single[name].dtype == y.dtype
            continue
        assert double[name].dtype == np.float64 and single[name].dtype == np.float32
        assert abs(single[name] - double[name]).max() <= 1e-5 * abs(double[name]).max()


@pytest.mark.parametrize("kind", [kind for kind in CLASSES if hasattr(kind, "save")])
def test_files(kind, tmp_path):
    X, y = sample(kind, classes=3)
    estimator = small(kind).fit(X, y)
    estimator.save(tmp_path / "model.fx")
    assert same(answers(featcross.load(tmp_path / "model.fx"), X), answers(estimator, X))


@pytest.mark.parametrize("kind", CLASSIFIERS + REGRESSORS)
def test_score(kind):
    X, y = sample(kind)
    estimator = small(kind).fit(X, y)
    predicted, w = estimator.predict(X), np.arange(len(y)) % 3
    if kind in CLASSIFIERS:
        expected = np.average(predicted == y, weights=w)
    else:
        centre = np.average(y, weights=w)
        expected = 1 - (w * (y - predicted)**2).sum() / (w * (y - centre)**2).sum()
    assert estimator.score(X, y, w) == pytest.approx(expected, rel=1e-12)
    assert estimator.score(X, y) > 0.85


@pytest.mark.parametrize("kind", MAPS)
def test_fit_transform(kind):
    X, y = sample(kind)
    Z = small(kind).fit_transform(X)
    assert Z.tobytes() == small(kind).fit(X).transform(X).tobytes()
    assert Z.shape == (len(X), len(small(kind).fit(X).get_feature_names_out()))


@classifiers
def test_labels_alike(kind):
    X, y = sample(kind)
    expected = small(kind).fit(X, y).decision_function(X)
    for labels in ([-1, 1], [1, 2], [0.0, 1.0], [False, True], ["no", "yes"], [b"no", b"yes"]):
        labels = np.array(labels)
        estimator = small(kind).fit(X, labels[y])
        assert estimator.classes_.tolist() == labels.tolist()
        assert estimator.classes_.dtype == labels.dtype == estimator.predict(X).dtype
        assert estimator.decision_function(X).tobytes() == expected.tobytes()
        assert (estimator.predict(X) == labels[(expected > 0).astype(int)]).all()


@classifiers
def test_three_classes(kind):
    X, y = sample(kind, classes=3)
    estimator = small(kind).fit(X, np.array(["b", "c", "a"])[y])
    assert estimator.classes_.tolist() == ["a", "b", "c"]
    assert estimator.decision_function(X).shape == (len(X), 3)
    assert np.mean(estimator.predict(X) == np.array(["b", "c", "a"])[y]) > 0.6


@classifiers
def test_order_of_rows(kind):
    """It changes neither signs nor the order of classes."""
    X, y = sample(kind)
    order = np.random.default_rng(1).permutation(len(y))
    order = np.concatenate([order[y[order] == 1], order[y[order] == 0]])    # the second class first
    a, b = small(kind).fit(X, y), small(kind).fit(X[order], y[order])
    assert a.classes_.tolist() == b.classes_.tolist() == [0, 1]
    assert np.mean(a.predict(X) == b.predict(X)) > 0.9
    for e in (a, b):
        assert np.corrcoef(e.decision_function(X), y)[0, 1] > 0.5


@classifiers
@pytest.mark.parametrize("classes", [2, 3])
def test_probabilities(kind, classes):
    X, y = sample(kind, classes=classes)
    estimator = with_probabilities(kind)
    if estimator is None:               # none, whatever its parameters
        assert not hasattr(small(kind).fit(X, y), "predict_proba")
        return
    P = estimator.fit(X, y).predict_proba(X)
    assert P.shape == (len(X), classes) and (P >= 0).all()
    assert abs(P.sum(axis=1) - 1).max() <= 4 * np.finfo(float).eps
    assert (estimator.classes_[P.argmax(axis=1)] == estimator.predict(X)).all()
    with np.errstate(divide="ignore"):
        assert np.array_equal(estimator.predict_log_proba(X), np.log(P))


@classifiers
def test_class_without_weight(kind):
    """Rows of weight 0 are absent, and so is a class that has no others."""
    X, y = sample(kind, classes=3)
    for labels in (y, np.array(["b", "c", "a"])[y]):
        present = y != 0
        estimator = small(kind).fit(X, labels, sample_weight=present)
        assert estimator.classes_.tolist() == np.unique(labels[present]).tolist()
        assert np.mean(estimator.predict(X[present]) == labels[present]) > 0.8

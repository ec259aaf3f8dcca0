# SPDX-License-Identifier: BSD-3-Clause
"""Kernel machines, components and the kernel perceptron: against scikit-learn, against definitions,
and the ways in which a kernel can be given.

Covers: _learners/explain.py, _learners/machine.py, components.py, perceptron.py
"""
import json
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import ROOT
from sklearn import decomposition, kernel_ridge, svm
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, normalize

import featcross
from featcross import (KernelPCA, KernelPerceptron, KernelRidge, KernelSVC, KernelSVR,
                       LinearRegressor, RandomFourier, RandomKernelMap, gram)

TIGHT = {"tol": 1e-9}
CLOSE = {"atol": 1e-4}                  # LIBSVM, in scikit-learn, keeps kernel values in floats
KERNELS = [{"kernel": "rbf"}, {"kernel": "rbf", "gamma": "auto"},
           {"kernel": "poly", "degree": 3, "gamma": 0.1, "coef0": 2.0}, {"kernel": "linear"}]


@pytest.fixture
def X(rng):
    return rng.standard_normal((60, 4))


@pytest.fixture
def two(X, rng):
    """Labels of two classes that overlap."""
    return np.where(X[:, 0] * X[:, 1] + 0.3 * rng.standard_normal(len(X)) > 0, "yes", "no")


@pytest.fixture
def three(X, rng):
    return np.array(["a", "b", "c"])[np.digitize(X[:, 0] + 0.4 * rng.standard_normal(len(X)),
                                                 [-0.5, 0.5])]


@pytest.fixture
def target(X, rng):
    return X[:, 0] * X[:, 1] + 0.1 * rng.standard_normal(len(X))


# ---- Against scikit-learn ------------------------------------------------------------------------
@pytest.mark.parametrize("kernel", KERNELS)
def test_svc_two_classes(X, two, kernel):
    ours = KernelSVC(C=2, **kernel, **TIGHT).fit(X, two)
    theirs = svm.SVC(C=2, **kernel, **TIGHT).fit(X, two)
    assert (ours.predict(X) == theirs.predict(X)).all()
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), **CLOSE)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, **CLOSE)


@pytest.mark.parametrize("kernel", KERNELS)
def test_svr(X, target, kernel):
    ours = KernelSVR(C=2, epsilon=0.05, **kernel, **TIGHT).fit(X, target)
    theirs = svm.SVR(C=2, epsilon=0.05, **kernel, **TIGHT).fit(X, target)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), **CLOSE)


def test_default_tolerance_is_scikit_learns(X, two):
    ours, theirs = KernelSVC().fit(X, two), svm.SVC().fit(X, two)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=5e-3)


def test_svc_three_classes(X, three):
    ours = KernelSVC(decision_function_shape="ovo", **TIGHT).fit(X, three)
    theirs = svm.SVC(decision_function_shape="ovo", **TIGHT).fit(X, three)
    assert ours.classes_.tolist() == ["a", "b", "c"]
    assert (ours.predict(X) == theirs.predict(X)).all()
    np.testing.assert_allclose(ours.decision_function(X), -theirs.decision_function(X), **CLOSE)
    assert (ours.n_support_ == theirs.n_support_).all()
    ours.set_params(decision_function_shape="ovr")
    theirs.set_params(decision_function_shape="ovr")
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), **CLOSE)


def test_ridge_is_its_definition(X, target, rng):
    """scikit-learn has no intercept; with one that is not penalised, in augmented equations."""
    weight, alpha = rng.uniform(0.5, 2, len(X)), 0.3
    K = rbf_kernel(X, gamma=0.2)
    A = np.block([[K + alpha * np.diag(1 / weight), np.ones((len(X), 1))],
                  [np.ones((1, len(X))), np.zeros((1, 1))]])
    *beta, b = np.linalg.solve(A, np.append(target, 0))
    ours = KernelRidge(alpha, gamma=0.2).fit(X, target, sample_weight=weight)
    np.testing.assert_allclose(ours.predict(X), K @ beta + b, rtol=1e-9)
    np.testing.assert_allclose(ours.intercept_, [b], rtol=1e-9)
    np.testing.assert_allclose(ours.dual_coef_, [beta], rtol=1e-7, atol=1e-9)


def test_ridge_without_mean_is_scikit_learns(X):
    """Rows and targets that are odd about 0 need no intercept."""
    both, y = np.vstack([X, -X]), np.append(X[:, 0], -X[:, 0])**3
    ours = KernelRidge(0.5, kernel="poly", degree=3, gamma=1, coef0=1).fit(both, y)
    theirs = kernel_ridge.KernelRidge(alpha=0.5, kernel="poly", degree=3, gamma=1, coef0=1)
    theirs.fit(both, y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("kernel", [{"kernel": "rbf", "gamma": 0.3}, {"kernel": "linear"},
                                    {"kernel": "poly", "degree": 2, "gamma": 1, "coef0": 1}])
def test_pca(X, kernel):
    ours = KernelPCA(3, **kernel).fit(X)
    theirs = decomposition.KernelPCA(3, **kernel).fit(X)
    new = X[:10] + 0.1
    for mine, other in ((ours.transform(X), theirs.transform(X)),
                        (ours.transform(new), theirs.transform(new))):
        signs = np.sign((ours.transform(X) * theirs.transform(X)).sum(axis=0))
        np.testing.assert_allclose(mine * signs, other, atol=1e-7)
    np.testing.assert_allclose(ours.explained_variance_, theirs.eigenvalues_ / len(X), rtol=1e-8)
    K = gram(X, **kernel)
    total = np.trace(K - K.mean(0) - K.mean(1)[:, None] + K.mean()) / len(X)
    np.testing.assert_allclose(ours.explained_variance_ratio_, ours.explained_variance_ / total,
                               rtol=1e-8)


def test_pca_on_a_map(X):
    plain = RandomKernelMap(40, random_state=3).fit_transform(X)
    ours = KernelPCA(2, map=RandomKernelMap(40, random_state=3), random_state=3).fit(X)
    theirs = decomposition.PCA(2).fit(plain)
    np.testing.assert_allclose(abs(ours.transform(X)), abs(theirs.transform(plain)), atol=1e-4)
    np.testing.assert_allclose(ours.explained_variance_ratio_, theirs.explained_variance_ratio_,
                               rtol=1e-5)
    with pytest.raises(AttributeError, match="weights of features"):
        ours.support_vectors_


def test_pca_names_and_frames(X):
    pandas = pytest.importorskip("pandas", reason="the test is about DataFrames")
    frame = pandas.DataFrame(X, columns=list("abcd"))
    out = KernelPCA(3).set_output(transform="pandas").fit_transform(frame)
    assert list(out.columns) == ["kernelpca0", "kernelpca1", "kernelpca2"]


# ---- Kernels of combinations ---------------------------------------------------------------------
def _golden():
    cases = json.loads((ROOT / "tests/golden/kernel_svm.json").read_text())["cases"]
    return [pytest.param(case, id=case["id"]) for case in cases if "b_interval" not in case]


@pytest.mark.parametrize("case", _golden())
def test_svc_golden(case):
    """Cases whose intercept is unique."""
    svc = KernelSVC(C=case["C"], kernel=case["kernel"], collapse=False, **TIGHT)
    svc.fit(case["X"], case["y"])
    for rows, decision in (("X", "decision_train"), ("X_test", "decision_test")):
        want = np.array(case[decision], dtype=float)
        np.testing.assert_allclose(svc.decision_function(case[rows]), want, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("kernel", [{"kernel": "anova", "degree": 2}, {"kernel": "all-subsets"},
                                    {"kernel": "itemset", "family": [[0], [0, 1], [1, 2, 3]]}])
@pytest.mark.parametrize("kind", [KernelSVC, KernelSVR, KernelRidge, KernelPerceptron])
def test_precomputed_and_functions_equal_the_named_kernel(X, target, kind, kernel):
    y = target > 0 if issubclass(kind, featcross._learners.tasks.Classifier) else target
    parameters = TIGHT if kind in (KernelSVC, KernelSVR) else {}
    K = gram(X, **kernel)
    named = kind(**kernel, **parameters).fit(X[:40], y[:40])
    given = kind(kernel="precomputed", **parameters).fit(K[:40, :40], y[:40])
    called = kind(kernel=lambda A, B: gram(A, B, **kernel), **parameters).fit(X[:40], y[:40])
    scores = [getattr(e, "decision_function", e.predict)(rows[40:])
              for e, rows in ((named, X), (given, K[:, :40]), (called, X))]
    np.testing.assert_allclose(scores[1], scores[0], atol=1e-4)
    np.testing.assert_array_equal(scores[2], scores[1])
    assert given.n_features_in_ == 40 and called.n_features_in_ == 4


@pytest.mark.parametrize("labels", ["two", "three"])
@pytest.mark.parametrize("kernel", ["anova", "all-subsets"])
def test_support_vectors_are_scikit_learns(request, X, labels, kernel):
    """The rows that have a weight, and of two classes the weights."""
    y, K = request.getfixturevalue(labels), gram(X, kernel=kernel)
    ours = KernelSVC(kernel="precomputed", **TIGHT).fit(K, y)
    theirs = svm.SVC(kernel="precomputed", **TIGHT).fit(K, y)
    assert np.flatnonzero(ours.dual_coef_.any(axis=0)).tolist() == sorted(theirs.support_)
    if labels == "two":
        np.testing.assert_allclose(ours.dual_coef_[0, theirs.support_], theirs.dual_coef_[0],
                                   rtol=1e-4, atol=1e-4)


def test_pca_of_given_values(X):
    K = rbf_kernel(X, gamma=0.3)
    named = KernelPCA(gamma=0.3).fit(X[:40])
    given = KernelPCA(kernel="precomputed").fit(K[:40, :40])
    np.testing.assert_allclose(given.transform(K[:, :40]), named.transform(X), atol=1e-9)


def test_cross_validation_cuts_a_precomputed_kernel_both_ways(X, two):
    """By the tag `pairwise`."""
    K = rbf_kernel(X, gamma=0.2)
    given = cross_val_predict(KernelSVC(kernel="precomputed", **TIGHT), K, two)
    named = cross_val_predict(KernelSVC(gamma=0.2, **TIGHT), X, two)
    assert (given == named).all()


def test_scale_comes_before_gamma(X, two):
    X = X * [1, 10, 100, 1000]
    ours = KernelSVC(scale="maxabs", **TIGHT).fit(X, two)
    theirs = make_pipeline(MaxAbsScaler(), svm.SVC(**TIGHT)).fit(X, two)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), **CLOSE)
    sparse = KernelSVR(scale="unit-l2", **TIGHT).fit(sp.csr_matrix(X), X[:, 0])
    dense = svm.SVR(**TIGHT).fit(normalize(X), X[:, 0])
    np.testing.assert_allclose(sparse.predict(X), dense.predict(normalize(X)), **CLOSE)


def test_scale_comes_before_the_gamma_of_a_map(X, two):
    X = X * [1, 10, 100, 1000]
    scaler = MaxAbsScaler().fit(X)
    gamma = 1 / (4 * scaler.transform(X).var())
    one, other = (KernelPCA(scale="maxabs", map=RandomFourier(32, gamma=g, random_state=1)).fit(X)
                  for g in ("scale", gamma))
    np.testing.assert_allclose(one.transform(X), other.transform(X), atol=1e-6)


# ---- Weights -------------------------------------------------------------------------------------
@pytest.mark.parametrize("learner", [
    KernelSVC(**TIGHT), KernelSVC(scale="maxabs", **TIGHT), KernelSVC(scale="std", **TIGHT),
    KernelSVR(**TIGHT), KernelSVR(scale="auto", **TIGHT), KernelRidge(), KernelRidge(scale="auto"),
    LinearRegressor(map=RandomFourier(64, gamma="scale", random_state=1), tol=1e-9, scale="std")])
@pytest.mark.parametrize("sparse", [False, True])
def test_weight_zero_is_absence(X, two, target, learner, sparse):
    """For gamma="scale" and for scalings, too: the rows left out are a hundred times as large."""
    y = two if isinstance(learner, KernelSVC) else target
    weight = np.where(np.arange(len(X)) % 3 == 0, 0.0, 2.0)
    A = X * np.where(weight == 0, 100, 1)[:, None]
    A = sp.csr_matrix(A) if sparse else A
    scores = []
    for rows, labels, w in ((A, y, weight), (A[weight > 0], y[weight > 0], weight[weight > 0])):
        model = learner.fit(rows, labels, w)
        scores.append(getattr(model, "decision_function", model.predict)(X))
    np.testing.assert_allclose(*scores, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("class_weight", ["balanced", {"no": 5.0}])
def test_class_weight(X, two, class_weight):
    ours = KernelSVC(class_weight=class_weight, **TIGHT).fit(X, two)
    theirs = svm.SVC(class_weight=class_weight, **TIGHT).fit(X, two)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), **CLOSE)


# ---- Several classes -----------------------------------------------------------------------------
@pytest.mark.parametrize("classes", [3, 5])
def test_largest_score_is_the_prediction_also_of_equal_votes(rng, classes):
    """Labels by chance: three pairs often go round in a circle."""
    X, y = rng.standard_normal((300, 3)), rng.integers(0, classes, 300)
    svc = KernelSVC(C=10, gamma=2).fit(X[:150], y[:150])
    svc.set_params(decision_function_shape="ovo")
    pairs = svc.decision_function(X)
    first, second = np.triu_indices(classes, 1)
    votes = np.array([np.bincount(np.where(row > 0, second, first), minlength=classes)
                      for row in pairs])
    assert (np.sort(votes, axis=1)[:, -1] == np.sort(votes, axis=1)[:, -2]).sum() > 5
    assert (svc.predict(X) == votes.argmax(axis=1)).all()
    svc.set_params(decision_function_shape="ovr")
    for rows in (X, X.astype(np.float32)):
        scores = svc.decision_function(rows)
        assert scores.shape == (300, classes) and scores.dtype == rows.dtype
        assert (svc.predict(rows) == scores.argmax(axis=1)).all()
        assert (abs(scores - votes) < 1 / 3 + 1e-6).all()


@pytest.mark.parametrize("labels", ["two", "three"])
def test_probabilities(request, X, labels):
    y = request.getfixturevalue(labels)
    svc = KernelSVC(calibrate=True, random_state=0).fit(X, y)
    p = svc.predict_proba(X)
    assert p.shape == (len(X), len(svc.classes_)) and ((p >= 0) & (p <= 1)).all()
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert (svc.classes_[p.argmax(axis=1)] == svc.predict(X)).all()
    np.testing.assert_allclose(svc.predict_log_proba(X), np.log(p))
    again = KernelSVC(calibrate=True, random_state=0, n_jobs=1).fit(X, y)
    assert (again.predict_proba(X) == p).all()


def test_probabilities_only_if_calibrated(X, two):
    assert not hasattr(KernelSVC().fit(X, two), "predict_proba")


# ---- What is left of a fit -----------------------------------------------------------------------
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_support_vectors_make_the_scores(X, three, form, dtype):
    rows = form(X.astype(dtype))
    svc = KernelSVC(gamma=0.5, decision_function_shape="ovo").fit(rows, three)
    vectors = svc.support_vectors_
    assert sp.issparse(vectors) == sp.issparse(rows) and vectors.dtype == dtype
    assert vectors.shape[0] == svc.n_support_.sum() == svc.dual_coef_.shape[1]
    scores = rbf_kernel(rows, vectors, gamma=0.5) @ svc.dual_coef_.T + svc.intercept_
    found = svc.decision_function(rows)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, scores, atol=1e-4 if dtype == np.float32 else 1e-9)


def test_collapsed_models_keep_no_rows(X, two):
    svc = KernelSVC(kernel="anova", collapse=True).fit(X, two)
    for attribute in ("support_vectors_", "dual_coef_", "n_support_"):
        with pytest.raises(AttributeError, match="weights of features.*collapse=False"):
            getattr(svc, attribute)
    kernel_svc = KernelSVC(kernel="anova", collapse=False).fit(X, two)
    np.testing.assert_allclose(svc.decision_function(X), kernel_svc.decision_function(X), atol=1e-4)
    assert svc.intercept_ == pytest.approx(kernel_svc.intercept_)
    with pytest.raises(AttributeError, match="each row of the training"):
        KernelSVC(kernel="precomputed").fit(gram(X), two).support_vectors_
    with pytest.raises(NotFittedError):
        KernelSVC().support_vectors_


@pytest.mark.parametrize("kind", [KernelSVC, KernelSVR, KernelRidge, KernelPCA, KernelPerceptron])
def test_float32_and_bytes(tmp_path, X, target, kind):
    rows = X.astype(np.float32)
    y = target > 0 if issubclass(kind, featcross._learners.tasks.Classifier) else target
    fitted = kind().fit(rows, y)
    method = next(m for m in ("decision_function", "transform", "predict") if hasattr(fitted, m))
    out = getattr(fitted, method)(rows)
    assert out.dtype == np.float32
    assert (getattr(pickle.loads(pickle.dumps(fitted)), method)(rows) == out).all()
    fitted.save(tmp_path / "model.fx")
    model = featcross._model.Model.parse((tmp_path / "model.fx").read_bytes())
    scores = model.predict(featcross._data.rows.Rows(rows), featcross._model.SCORE)
    assert (scores.astype(np.float32).reshape(out.shape) == out).all()
    np.testing.assert_allclose(abs(getattr(kind().fit(X, y), method)(X)), abs(out), atol=1e-3)


# ---- Perceptron ----------------------------------------------------------------------------------
def _perceptron(K, y, passes):
    """The mean of all states, from the definition; y is +1 or -1."""
    w, b, sum_w, sum_b = np.zeros(len(y)), 0.0, np.zeros(len(y)), 0.0
    for i in list(range(len(y))) * passes:
        if y[i] * (K[i] @ w + b) <= 0:
            w[i] += y[i]
            b += y[i]
        sum_w += w
        sum_b += b
    return (K @ sum_w + sum_b) / (passes * len(y))


def test_perceptron_is_its_definition(X, two):
    ours = KernelPerceptron(gamma=0.5, max_iter=3).fit(X, two)
    want = _perceptron(rbf_kernel(X, gamma=0.5), np.where(two == "yes", 1, -1), 3)
    np.testing.assert_allclose(ours.decision_function(X), want, atol=1e-6)


def test_perceptron_goes_on(X, three):
    whole = KernelPerceptron(gamma=0.5, max_iter=6).fit(X, three)
    halves = KernelPerceptron(gamma=0.5, max_iter=3, warm_start=True).fit(X, three).fit(X, three)
    assert (halves.decision_function(X) == whole.decision_function(X)).all()
    assert whole.decision_function(X).shape == (len(X), 3)


def test_perceptron_takes_rows_as_they_come(X, three):
    """Chunk after chunk is one pass over all, classes being known from the first one on."""
    order = np.argsort(three, kind="stable")
    stream = KernelPerceptron(gamma=0.5, scale="unit-l2", class_weight={"c": 2.0})
    for chunk in np.array_split(order, 7):      # the first has one class alone
        stream.partial_fit(X[chunk], three[chunk], classes=["c", "b", "a"])
    whole = KernelPerceptron(gamma=0.5, scale="unit-l2", class_weight={"c": 2.0}, max_iter=1)
    whole.fit(X[order], three[order])
    assert (stream.decision_function(X) == whole.decision_function(X)).all()
    assert not hasattr(KernelPerceptron(kernel="precomputed"), "partial_fit")
    assert not hasattr(KernelPerceptron(kernel=gram), "partial_fit")


def test_perceptron_budget(X, two):
    assert len(KernelPerceptron(budget=5, averaged=False).fit(X, two).support_vectors_) <= 5


# ---- What cannot be ------------------------------------------------------------------------------
@pytest.mark.parametrize("parameters, words", [
    ({"C": -1}, "C=-1"), ({"C": 0}, "positive"), ({"tol": 0}, "tol"),
    ({"max_iter": 0}, "max_iter=0"), ({"scale": True}, "scale=True is no text"),
    ({"kernel": "no"}, "no"), ({"kernel": 3}, "kernel=3"), ({"gamma": "x"}, "'scale' or 'auto'"),
    ({"gamma": -1.0}, "gamma"), ({"degree": 0, "kernel": "anova"}, "degree=0"),
    ({"kernel": "itemset"}, "family"), ({"scale": "no"}, "no"), ({"collapse": "maybe"}, "collapse"),
    ({"collapse": True}, "explicit"), ({"cache_size": 0}, "cache_size=0"),
    ({"decision_function_shape": "one"}, "'ovr' or 'ovo'"), ({"class_weight": {"x": 1}}, "'x'"),
    ({"kernel": "precomputed"}, "60 rows have 4 columns"),
    ({"kernel": "precomputed", "scale": "std"}, "not scaled"),
    ({"kernel": lambda A, B: A}, r"shape \(60, 4\) for 60 and 60 rows"),
])
def test_bad_parameters(X, two, parameters, words):
    with pytest.raises(ValueError, match=words):
        KernelSVC(**parameters).fit(X, two)


@pytest.mark.parametrize("estimator, words", [
    (KernelSVR(epsilon=-1), "epsilon=-1"), (KernelRidge(0), "alpha=0"), (KernelRidge("x"), "alpha"),
    (KernelPCA(0), "n_components=0"), (KernelPCA(61), "1 to n_samples=60"),
    (KernelPCA(2.5), "n_components=2.5"), (KernelPCA(map=3), "map=3"),
    (KernelPCA(map=RandomKernelMap(), kernel=gram), "takes rows"),
])
def test_bad_parameters_of_others(X, target, estimator, words):
    with pytest.raises(ValueError, match=words):
        estimator.fit(X, target)


def test_not_symmetric(X, two):
    K = gram(X)
    K[3, 5] += 1
    with pytest.raises(ValueError, match="not symmetric"):
        KernelSVC(kernel="precomputed").fit(K, two)


def test_too_few_steps_are_told(X, two):
    with pytest.warns(ConvergenceWarning, match="raise max_iter"):
        KernelSVC(max_iter=2).fit(X, two)


def test_ridge_advises_alpha(X):
    y = X[:, 0] * X[:, 1]
    with pytest.raises(FloatingPointError, match=r"K \+ alpha is not.*, raise alpha"):
        KernelRidge(kernel="precomputed").fit(-5 * np.eye(len(X)), y)
    with pytest.warns(ConvergenceWarning, match="raise alpha"):
        KernelRidge(alpha=1e-300).fit(X, y)


@pytest.mark.parametrize("convert", ["csr_matrix", "csc_array", "coo_matrix", "lil_matrix"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", ["KernelSVC", "KernelRidge", "KernelPCA", "KernelPerceptron"])
def test_a_function_may_give_sparse_values(rng, kind, dtype, convert):
    """As A @ B.T of sparse rows does."""
    X = sp.random(40, 9, 0.3, "csr", dtype, random_state=1)
    y = np.arange(40) % 2
    class_ = getattr(featcross, kind)

    def values(A, B):
        return getattr(sp, convert)(A @ B.T)

    found = class_(kernel=values).fit(X, y)
    expected = class_(kernel=lambda A, B: values(A, B).toarray()).fit(X, y)
    for method in ("transform", "decision_function", "predict"):
        if hasattr(found, method):
            a, b = (getattr(model, method)(X[:7]) for model in (found, expected))
            assert a.dtype == b.dtype and np.allclose(a, b, rtol=1e-5, atol=1e-6)
    with pytest.raises(ValueError, match=r"gave an array of shape \(3, 3\)"):
        class_(kernel=lambda A, B: sp.eye(3, format="csr")).fit(X, y)


def test_a_row_is_explained_by_its_predicted_class(rng):
    """Scores are of two classes each: the predicted one against the next best, or as asked for."""
    y = np.array(["x", "y", "z"])[np.arange(60) % 3]
    X = np.eye(3)[np.arange(60) % 3] + 0.1 * rng.random((60, 3))
    m = KernelSVC(kernel="anova:order=2").fit(X, y)
    for one, predicted in zip(m.explain(X[:6], 2), m.predict(X[:6])):
        assert predicted in one.label and (one.score > 0) == (one.label[1] == predicted)
    assert m.explain(X[:1], label=("y", "z"))[0].label == ("y", "z")
    assert "z" in m.explain(X[:1], label="z")[0].label
    for label in (None, "x", ("z", "y"), ("x", "w")):
        with pytest.raises(ValueError, match="there are scores of"):
            m.top_combinations(label=label)


def test_messages_of_many_classes_are_short(rng):
    y = np.repeat(np.arange(40), 2)
    m = KernelSVC(kernel="anova:order=1").fit(rng.random((80, 3)), y)
    with pytest.raises(ValueError) as e:
        m.top_combinations()
    assert len(str(e.value)) < 400

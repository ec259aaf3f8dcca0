# SPDX-License-Identifier: BSD-3-Clause
"""float32 rows have float32 results.  One that a float cannot hold is an error, as in the library,
neither infinity nor a warning of NumPy.

Covers: _data/numbers.py
"""
import numpy as np
import pytest
from estimators import CLASSES, sample, small

import featcross

pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")
LARGE = np.full((3, 4), 1e10, np.float32)


def test_gram():
    message = r"gram: value 0 of row 0 \(from 0\) is 6e\+40, beyond the range of floats"
    with pytest.raises(FloatingPointError, match=message):
        featcross.gram(LARGE, kernel="anova", degree=2)
    assert featcross.gram(LARGE.astype(float), kernel="anova", degree=2).max() == 6e40
    assert featcross.gram(LARGE, LARGE.astype(float)).dtype == np.float64
    small = np.full((1, 2), 1e-15, np.float32)      # what is too small is 0
    assert featcross.gram(small, kernel="anova", degree=2).tolist() == [[0]]


def scores(kind, X, y):
    model = small(kind).fit(X, y)
    for name in ("decision_function", "transform", "predict"):
        if hasattr(model, name):
            return model, getattr(model, name)
    raise AssertionError(kind)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("kind", CLASSES)
def test_every_estimator(kind):
    X, y = sample(kind, n=40)
    model, method = scores(kind, X, y)
    few = X[:2].astype(np.float32)
    assert method(few).dtype == np.float32 and np.isfinite(method(few)).all()
    for factor in (1e15, 1e30, 1e38):
        try:
            assert np.isfinite(method(few / abs(few).max() * np.float32(factor))).all()
        except FloatingPointError as error:
            assert "range of floats" in str(error) or "overflows" in str(error)


def test_labels_need_no_floats():
    """Scores that are too large for float32 have a class all the same."""
    X = np.array([[1.0], [-1.0]] * 5)
    model = featcross.LinearClassifier(C=1e25, fit_intercept=False).fit(X * 1e-10, [1, 0] * 5)
    far = np.array([[1e30], [-1e30]], dtype=np.float32)
    assert model.coef_[0, 0] > 1e9
    assert model.predict(far).tolist() == [1, 0]
    with pytest.raises(FloatingPointError, match=r"score 0 of row 0 .*give them as float64"):
        model.decision_function(far)


def test_ranks_of_classes_need_no_floats():
    X = np.eye(3, dtype=np.float32)[[0, 1, 2] * 5]
    model = featcross.KernelSVC(kernel="poly", degree=20, collapse=False).fit(X, [0, 1, 2] * 5)
    far = 1000 * X[:3]
    with pytest.raises(FloatingPointError, match="beyond the range of floats"):
        model.set_params(decision_function_shape="ovo").decision_function(far)
    ranks = model.set_params(decision_function_shape="ovr").decision_function(far)
    assert ranks.dtype == np.float32 and ranks.argmax(axis=1).tolist() == [0, 1, 2]


def test_values_of_a_function():
    X = np.eye(3, dtype=np.float32)[[0, 1, 2] * 5]
    model = featcross.KernelRidge(kernel=lambda A, B: 1e40 * (A.astype(float) @ B.T))
    with pytest.raises(FloatingPointError, match="the kernel's values: number 0 of row 0"):
        model.fit(X, X[:, 0])

# SPDX-License-Identifier: BSD-3-Clause
"""What maps and learners share: widths, names of columns, seeds."""
import warnings

import numpy as np
import pytest

import featcross
from featcross._base import seed_of

sp = pytest.importorskip("scipy.sparse", reason="sparse rows are SciPy's")
pd = pytest.importorskip("pandas", reason="DataFrames are pandas'")


@pytest.fixture
def X(rng):
    return pd.DataFrame(rng.random((12, 3)), columns=["a", "b", "c"])


def fitted(X):
    return featcross.RandomKernelMap(4, random_state=0).fit(X)


def test_width(X):
    model = fitted(X.to_numpy())
    assert model.n_features_in_ == 3 and not hasattr(model, "feature_names_in_")
    for other in (np.ones((2, 4)), sp.csr_array(np.ones((2, 4)))):
        with pytest.raises(ValueError, match="X has 4 features, but Random.* is expecting 3"):
            model.transform(other)


def test_names_are_kept_until_the_next_fit(X):
    model = fitted(X)
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    assert model.feature_names_in_.dtype == object and model.n_features_in_ == 3
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.transform(X)
        assert not hasattr(model.fit(X.to_numpy()), "feature_names_in_")
        assert not hasattr(model.fit(X.set_axis([0, 1, 2], axis=1)), "feature_names_in_")


def test_names_that_do_not_match(X):
    model = fitted(X)
    with pytest.warns(UserWarning, match="X does not have valid feature names, but Random"):
        model.transform(X.to_numpy())
    with pytest.raises(ValueError, match="Feature names must be in the same order as they were in"):
        model.transform(X[["b", "a", "c"]])
    with pytest.raises(ValueError) as caught:
        model.transform(X.rename(columns={"a": "new"}))
    assert str(caught.value) == (
        "The feature names should match those that were passed during fit.\n"
        "Feature names unseen at fit time:\n- new\n"
        "Feature names seen at fit time, yet now missing:\n- a\n")
    with pytest.raises(ValueError, match="yet now missing:\n- c\n$"):
        model.transform(X[["a", "b"]])
    with pytest.raises(TypeError, match="only supported if all input features have string names"):
        fitted(X.rename(columns={"a": 0}))
    with pytest.warns(UserWarning, match="X has feature names, but Random.* was fitted without"):
        fitted(X.to_numpy()).transform(X)


def test_seeds():
    assert seed_of(7) == seed_of(np.int32(7)) == 7 and seed_of(2**64 - 1) == 2**64 - 1
    for draw in (np.random.RandomState, np.random.default_rng):
        assert seed_of(draw(3)) == seed_of(draw(3)) != seed_of(draw(4))
    np.random.seed(5)
    first = seed_of(None)
    assert first != seed_of(None)       # by chance: one in 2^31
    np.random.seed(5)
    assert first == seed_of(None)
    for wrong in (-1, 2**64, 1.5, "1"):
        with pytest.raises(ValueError, match="random_state=.* is no whole number from 0 to"):
            seed_of(wrong)

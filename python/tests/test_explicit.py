# SPDX-License-Identifier: BSD-3-Clause
"""ExplicitCombinations: each column is the product that its name says."""
import itertools
import math

import numpy as np
import pytest
import scipy.sparse as sp

from featcross import ExplicitCombinations, gram


@pytest.mark.parametrize("kernel", ["linear", "poly", "anova", "anova-upto", "all-subsets"])
def test_explicit_has_no_error(rng, kernel):
    """But rounding: of (2t + 1) 2^-24 in each of two columns of t factors, t at most 7 here."""
    X = rng.random((20, 7))
    e = ExplicitCombinations(kernel=kernel).fit(X).error(X)
    assert e.predicted == 0 and e.max <= 2.01 * 15 * 2.0**-24 * gram(X, kernel=kernel).max()


@pytest.mark.parametrize("kernel", [
    "linear", "poly:degree=2", "poly:degree=2,coef0=0", "poly:degree=2,gamma=3,coef0=2",
    "anova:order=1", "anova:order=3", "anova-upto:order=3", "anova-upto:order=3,theta=1/0/2",
    "anova-upto:order=2,theta=0", "all-subsets"])
def test_names_are_those_of_the_products(rng, kernel):
    """Each column is a constant times that product, within (2t + 1) 2^-24, t at most 5."""
    X = rng.random((6, 5)) + 0.5
    m = ExplicitCombinations(kernel=kernel)
    Z, names = m.fit_transform(X), m.get_feature_names_out()
    assert Z.shape == (6, len(names)) and len(set(names)) == len(names)
    for z, name in zip(Z.T, names):
        product = np.ones(6)
        for factor in [] if name == "1" else name.split(" "):
            column, _, power = factor.partition("^")
            product *= X[:, int(column[1:])]**int(power or 1)
        assert np.ptp(z / product) < 2 * 11 * 2.0**-24 * abs(z / product).max()


def test_order_of_names():
    m = ExplicitCombinations(kernel="poly").fit(np.ones((1, 3)))
    assert m.get_feature_names_out().tolist() == [
        "1", "x0", "x1", "x2", "x0^2", "x1^2", "x2^2", "x0 x1", "x0 x2", "x1 x2"]
    assert m.get_feature_names_out(["age", "b", "city=Paris"])[-2] == "age city=Paris"
    with pytest.raises(ValueError, match="length equal to number of features"):
        m.get_feature_names_out(["a", "b"])
    m.set_params(kernel="all-subsets").fit(np.ones((1, 3)))
    assert m.get_feature_names_out().tolist() == [
        "1", "x0", "x1", "x2", "x0 x1", "x0 x2", "x1 x2", "x0 x1 x2"]


def test_columns_are_lexicographic():
    X = np.array([[2.0, 3, 5, 7, 11]])
    for order in range(1, 7):           # there is no product of six
        Z = ExplicitCombinations(degree=order).fit_transform(X)
        assert Z[0].tolist() == [math.prod(c) for c in itertools.combinations(X[0], order)]


def test_wide_rows_are_refused_not_swapped():
    wide = sp.identity(20000, format="csr")
    m = ExplicitCombinations().fit(wide)
    with pytest.raises(MemoryError, match="20000 x 199990000 numbers take 29800"):
        m.transform(wide)
    with pytest.raises(ValueError, match="at most 2147483647 columns are offered"):
        m.fit(sp.identity(200000, format="csr"))


def test_names_of_a_frame(rng):
    pd = pytest.importorskip("pandas")
    x = rng.random((5, 3)).astype(np.float32)
    frame = pd.DataFrame(x, columns=["age", "height", "city=Paris"], index=range(10, 15))
    pairs = ExplicitCombinations().set_output(transform="pandas").fit_transform(frame)
    assert list(pairs.columns) == ["age height", "age city=Paris", "height city=Paris"]
    assert (pairs.index == frame.index).all()
    assert (pairs["age height"].to_numpy() == x[:, 0] * x[:, 1]).all()
    with pytest.raises(ValueError, match="not equal to feature_names_in_"):
        ExplicitCombinations().fit(frame).get_feature_names_out(["a", "b", "c"])


def test_names_of_categories():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"city": ["Paris", "Rome", "Paris"], "age": [30.0, 40, 50]})
    m = ExplicitCombinations().fit(frame)
    names = m.get_feature_names_out()
    assert names.tolist() == ["age city=Paris", "age city=Rome", "city=Paris city=Rome"]
    assert m.transform(frame).tolist() == [[30, 0, 0], [0, 40, 0], [50, 0, 0]]
    assert (m.get_feature_names_out(["city", "age"]) == names).all()
    with pytest.raises(ValueError, match="not equal to feature_names_in_"):
        m.get_feature_names_out(["age", "city"])

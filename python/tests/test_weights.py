# SPDX-License-Identifier: BSD-3-Clause
"""A weight of 3 is the row written three times, one of 0 is no row: for every loss and solver."""
import numpy as np
import pytest
from sklearn.base import clone

from featcross import (AllSubsetsRegressor, FactorizationMachineClassifier,
                       FactorizationMachineRegressor, KernelPerceptron, KernelRidge, KernelSVC,
                       KernelSVR, LinearClassifier, LinearRegressor, PolynomialNetworkRegressor,
                       RandomKernelMap)

pytestmark = pytest.mark.filterwarnings("ignore:after .* iterations")
TIGHT = {"tol": 1e-10, "max_iter": 100000}
FACTORS = {"n_components": 2, "beta": 1e-2, "init_std": 0.3, "tol": 1e-12, "max_iter": 5000,
           "random_state": 1}


def machines(solver, **more):
    """Every model of factors, and every loss of one of them, by a solver."""
    how = {**FACTORS, "solver": solver, **more}
    return [*[FactorizationMachineClassifier(loss=loss, **how)
              for loss in ("logistic", "squared_hinge", "squared")],
            *[FactorizationMachineRegressor(degree=3, fit_lower=lower, **how)
              for lower in ("explicit", "shared", "simplex")],
            *[PolynomialNetworkRegressor(form=form, **how) for form in ("power", "product")],
            FactorizationMachineRegressor(split=2, **how), AllSubsetsRegressor(**how)]


OPTIMA = [                              # fits that end at a minimum
    *[kind(loss=loss, solver=solver, **TIGHT) for solver in ("dual", "newton") for kind, loss in (
        (LinearClassifier, "hinge"), (LinearClassifier, "squared_hinge"),
        (LinearRegressor, "squared"), (LinearRegressor, "epsilon_insensitive"))],
    LinearClassifier(loss="logistic", solver="newton", **TIGHT),
    *[LinearClassifier(loss=loss, penalty="l1", **TIGHT) for loss in ("squared_hinge", "logistic")],
    LinearClassifier(map=RandomKernelMap(32, random_state=1), **TIGHT),
    KernelSVC(gamma=0.2, tol=1e-11), KernelSVR(gamma=0.2, tol=1e-11), KernelRidge(gamma=0.2),
    *machines("cd"), *machines("lbfgs")]
STEPS = [                               # fits that are where their steps led
    LinearClassifier(loss="perceptron"), KernelPerceptron(gamma=0.2),
    *machines("adagrad", max_iter=5)]


@pytest.fixture
def rows(rng):
    X = rng.normal(size=(60, 4))
    return X, X[:, 0] * X[:, 2] - 0.5 * X[:, 1] + rng.normal(size=60)


def title(estimator):
    which = (getattr(estimator, name, None)
             for name in ("loss", "penalty", "solver", "fit_lower", "form", "split"))
    return " ".join([type(estimator).__name__, *map(str, filter(None, which))])


def labels(estimator, y):
    return np.where(y > 0, "yes", "no") if hasattr(estimator, "class_weight") else y


def scores(estimator, X):
    return getattr(estimator, "decision_function", estimator.predict)(X)


def fitted(estimator, X, y, weight=None):
    """Scores and objective."""
    estimator.fit(X, labels(estimator, y), sample_weight=weight)
    return scores(estimator, X), estimator.objective_


@pytest.mark.parametrize("estimator", OPTIMA, ids=title)
def test_three_is_three_rows(estimator, rows):
    X, y = rows
    weight = np.arange(60) % 4
    weighed = fitted(estimator, X, y, weight)[1]
    repeated = fitted(estimator, np.repeat(X, weight, axis=0), np.repeat(y, weight))[1]
    assert weighed == pytest.approx(repeated, rel=1e-8)
    assert abs(weighed / fitted(estimator, X, y)[1] - 1) > 1e-3     # weights do count


@pytest.mark.parametrize("estimator", OPTIMA + STEPS, ids=title)
def test_zero_is_no_row(estimator, rows):
    X, y = rows
    there = np.arange(60) % 3 > 0
    found, objective = fitted(estimator, X, y, there)
    left, same = fitted(estimator, X[there], y[there])
    np.testing.assert_allclose(found[there], left, atol=1e-4)   # as near as 1e-8 of a sum is
    assert objective == pytest.approx(same, rel=1e-8)


@pytest.mark.parametrize("estimator", STEPS, ids=title)
def test_zero_is_no_row_of_a_stream(estimator, rows):
    X, y = rows
    there = np.arange(60) % 3 > 0
    one, other, all_rows = clone(estimator), clone(estimator), clone(estimator)
    y = labels(estimator, y)
    more = {"classes": ["no", "yes"]} if hasattr(estimator, "class_weight") else {}
    one.partial_fit(X, y, sample_weight=there, **more)
    other.partial_fit(X[there], y[there], **more)
    all_rows.partial_fit(X, y, **more)
    np.testing.assert_array_equal(scores(one, X), scores(other, X))
    assert (scores(one, X) != scores(all_rows, X)).any()

# SPDX-License-Identifier: BSD-3-Clause
"""python -m featcross selftest | version | COMMAND ...

selftest: does this installation compute what it should?  One line for each check; status 1 if one
fails.  Needs NumPy alone, and about a second.
version: of the package, the instruction set and threads that it uses, NumPy's version.
COMMAND ...: the featcross program with these arguments; `help` lists its commands.
"""
from __future__ import annotations

import importlib.metadata
import itertools
import os
import sys
import tempfile
import time
from typing import Any

import numpy as np

import featcross
from featcross import (AllSubsetsClassifier, AllSubsetsRegressor, FactorizationMachineClassifier,
                       FactorizationMachineRegressor, KernelPCA, KernelPerceptron, KernelRidge,
                       KernelSVC, KernelSVR, LinearClassifier, LinearRegressor,
                       PolynomialNetworkClassifier, PolynomialNetworkRegressor, RandomKernelMap)
from featcross._library import lib
from featcross._program import run as run_program
from featcross._run import threads

# Signs with planted pairs: no single column says anything about y, so a model can only learn from
# combinations.
X = np.where(np.random.default_rng(1).random((600, 8)) < 0.5, -1.0, 1.0)
TARGET = 2 * X[:, 1] * X[:, 4] + X[:, 2] * X[:, 7]
LABEL = np.where(TARGET > 0, "yes", "no")
TRAIN, TEST = slice(0, 400), slice(400, 600)

# Every family of models, with parameters that suit these rows.
_map = RandomKernelMap(256, random_state=1)
_factors: dict[str, Any] = {"n_components": 8, "tol": 0.01, "random_state": 1}
CLASSIFIERS = [LinearClassifier(map=_map), KernelSVC(kernel="anova"),
               KernelPerceptron(kernel="anova"), FactorizationMachineClassifier(**_factors),
               PolynomialNetworkClassifier(**_factors), AllSubsetsClassifier(**_factors)]
REGRESSORS = [LinearRegressor(C=100, map=_map), KernelSVR(C=100, kernel="anova"),
              KernelRidge(kernel="anova"), FactorizationMachineRegressor(**_factors),
              PolynomialNetworkRegressor(**_factors), AllSubsetsRegressor(**_factors)]


def version() -> str:
    """The package and its library have the same version."""
    try:
        installed = importlib.metadata.version("featcross")
    except importlib.metadata.PackageNotFoundError:
        installed = featcross.__version__           # run from its sources
    assert installed == featcross.__version__, \
        f"package {installed}, library {featcross.__version__}"
    return (f"featcross {featcross.__version__}, instruction set {lib.fx_simd_target().decode()}, "
            f"{threads(None)} threads, NumPy {np.__version__}")


def kernels() -> str:
    """Kernels are sums over subsets of columns."""
    rng = np.random.default_rng(2)
    A, B = rng.standard_normal((5, 7)), rng.standard_normal((4, 7))
    products = A[:, None, :] * B[None, :, :]

    def by_definition(orders) -> np.ndarray:
        return sum(products[:, :, list(columns)].prod(axis=2)
                   for order in orders for columns in itertools.combinations(range(7), order))

    for K, expected in ((featcross.gram(A, B, "anova", degree=3), by_definition([3])),
                        (featcross.all_subsets_kernel(A, B), by_definition(range(8)))):
        np.testing.assert_allclose(K, expected, rtol=1e-12, atol=1e-12)
    return "kernels anova and all-subsets equal sums over subsets"


def maps() -> str:
    """A map's error is as predicted; over seeds it averages out."""
    rows, seeds = X[:40], 64
    K = featcross.gram(rows, kernel="anova", degree=2)
    pairs = np.triu_indices(len(K), 1)
    total = np.zeros_like(K)
    for seed in range(seeds):
        m = RandomKernelMap(128, kernel="anova", degree=2, random_state=seed).fit(rows)
        Z = m.transform(rows)
        total += Z @ Z.T
    predicted = m.error(rows).predicted
    single = np.sqrt(np.mean((Z @ Z.T - K)[pairs] ** 2)) / predicted
    mean = np.sqrt(np.mean((total / seeds - K)[pairs] ** 2)) / predicted
    assert 0.7 < single < 1.4, f"error is {single:.2f} of what is predicted"
    assert mean < 1.4 / np.sqrt(seeds), f"mean over {seeds} seeds is off by {mean:.3f} of an error"
    return f"random map: error is {single:.2f} of the predicted one, {mean:.2f} after {seeds} seeds"


def components() -> str:
    """The squares of components add up to the largest eigenvalues of the centred kernel."""
    rows = X[:60] * np.arange(1, 9)
    centre = np.eye(len(rows)) - 1 / len(rows)
    largest = np.linalg.eigvalsh(centre @ featcross.gram(rows, kernel="anova", degree=2) @ centre)
    found = KernelPCA(3, kernel="anova", degree=2).fit(rows).transform(rows)
    np.testing.assert_allclose((found**2).sum(axis=0), largest[:-4:-1], rtol=1e-6)
    return "KernelPCA: components have the largest eigenvalues"


def single_columns() -> str:
    """The other checks would prove nothing if single columns determined the label."""
    accuracy = LinearClassifier().fit(X[TRAIN], LABEL[TRAIN]).score(X[TEST], LABEL[TEST])
    assert accuracy < 0.7, f"a linear model has accuracy {accuracy:.2f}"
    return f"without combinations: accuracy {accuracy:.2f}, as it should be"


def fits(model, y: np.ndarray) -> str:
    """The model learns the planted pairs, names the stronger one, and is the same after save and
    load."""
    score = model.fit(X[TRAIN], y[TRAIN]).score(X[TEST], y[TEST])
    assert score > 0.95, f"score {score:.3f}"
    first = model.top_combinations(1, order=2)[0].features
    assert first == (1, 4), f"the largest weight is that of {first}"
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "model.fx")
        model.save(path)
        again = featcross.load(path)
    assert np.array_equal(again.predict(X), model.predict(X)), "predicts otherwise after load"
    return (f"{type(model).__name__}: score {score:.3f}, names the pair, is the same after save "
            "and load")


def checks():
    """(name, function) of each."""
    for check in (version, kernels, maps, components, single_columns):
        yield check.__name__, check
    for models, y in ((CLASSIFIERS, LABEL), (REGRESSORS, TARGET)):
        for model in models:
            yield type(model).__name__, lambda model=model, y=y: fits(model, y)


def selftest() -> int:
    start, failed = time.monotonic(), 0
    for name, check in checks():
        try:
            print(f"ok    {check()}")
        except Exception as error:      # whatever it is, the other checks are of use
            failed += 1
            print(f"FAIL  {name}: {type(error).__name__}: {error}")
    print(f"{failed} failed" if failed else f"all passed in {time.monotonic() - start:.1f} s")
    return 1 if failed else 0


def main(arguments: list[str]) -> int:
    if arguments == ["version"]:
        print(version())
        return 0
    if arguments == ["selftest"]:
        return selftest()
    if arguments and arguments not in (["-h"], ["--help"]):
        try:
            run_program(arguments)
        except OSError as error:
            print(error, file=sys.stderr)
            return 1
    print(__doc__, end="", file=sys.stdout if arguments else sys.stderr)
    return 0 if arguments else 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

# SPDX-License-Identifier: BSD-3-Clause
"""load: a model file, written here or by the program, as the fitted estimator that it is."""
from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import numpy as np

from ._factors import KEYS
from ._frame import Encoder
from ._learner import Learner
from ._library import text
from ._model import Model
from ._spec import keys, number, spec
from .components import KernelPCA
from .explicit import ExplicitCombinations
from .factorization import (FactorizationMachineClassifier, FactorizationMachineRanker,
                            FactorizationMachineRegressor)
from .kernels import FAMILIES, PARAMETERS, KernelHandle
from .linear import LinearClassifier, LinearRegressor
from .machines import KernelRidge, KernelSVC, KernelSVR
from .maps import RandomFourier, RandomKernelMap, RandomMaclaurin, RandomProjection, TensorSketch
from .perceptron import KernelPerceptron
from .polynomial import PolynomialNetworkClassifier, PolynomialNetworkRegressor
from .subsets import AllSubsetsClassifier, AllSubsetsRegressor

MACHINES = {"classify": FactorizationMachineClassifier, "regress": FactorizationMachineRegressor,
            "rank": FactorizationMachineRanker}
NETWORKS = {"classify": PolynomialNetworkClassifier, "regress": PolynomialNetworkRegressor}
SUBSETS = {"classify": AllSubsetsClassifier, "regress": AllSubsetsRegressor}
MODELS: dict[str, tuple[Any, dict]] = {     # name: class, or that of each task; what makes it so
    "svm": (LinearClassifier, {"loss": "hinge"}),
    "svm-l2": (LinearClassifier, {"loss": "squared_hinge"}),
    "svr": (LinearRegressor, {"loss": "epsilon_insensitive"}),
    "logistic": (LinearClassifier, {"loss": "logistic"}),
    "ridge": (LinearRegressor, {"loss": "squared"}),
    "perceptron": (LinearClassifier, {"loss": "perceptron"}),
    "pca": (KernelPCA, {"kernel": "linear"}),
    "kernel-svm": (KernelSVC, {}),
    "kernel-svr": (KernelSVR, {}),
    "kernel-ridge": (KernelRidge, {}),
    "kernel-perceptron": (KernelPerceptron, {}),
    "kernel-pca": (KernelPCA, {}),
    "fm": (MACHINES, {"degree": 2}),
    "hofm": (MACHINES, {"fit_lower": "explicit"}),
    "hofm-shared": (MACHINES, {"fit_lower": "shared"}),
    "hofm-simplex": (MACHINES, {"fit_lower": "simplex"}),
    "all-subsets": (SUBSETS, {}),
    "poly-net": (NETWORKS, {"form": "power"}),
    "poly-net-uv": (NETWORKS, {"form": "product"}),
    "bilinear": (MACHINES, {}),
}
MAPS = {
    "rk": (RandomKernelMap, {}),
    "rm": (RandomMaclaurin, {}),
    "ts": (TensorSketch, {}),
    "rff": (RandomFourier, {}),
    "jl": (RandomProjection, {"sparse": False}),
    "sparse-jl": (RandomProjection, {"sparse": True}),
    "explicit": (ExplicitCombinations, {}),
}
NAMES = {**{key: name for name, key in KEYS.items()}, "k": "n_components", "order": "degree",
         "dist": "distribution", "intercept": "fit_intercept", "lambda": "init_lambdas"}
VALUES: dict[str, dict] = {             # those that are called otherwise here
    "intercept": {"free": True, "appended": "appended", "none": False},
    "clip": {"train": True, "no": False},
    "loss": {"squared-hinge": "squared_hinge"},
}


def load(path) -> Learner:
    """Reads a model file.

    Parameters
    ----------
    path : written by the save method of an estimator, or by ``featcross train``

    Returns
    -------
    The fitted estimator.  Its parameters are those of the model, so that a clone of it learns as it
    did; random_state is the seed.  Files do not keep history_, nor the order of the columns of a
    DataFrame with categories: they are found by name.

    Examples
    --------
    >>> import tempfile, featcross
    >>> model = featcross.LinearRegressor(C=1e6).fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(folder + "/line.fx")
    ...     again = featcross.load(folder + "/line.fx")
    >>> print(again.C, again.predict([[4.0]]).round(3))
    1000000.0 [9.]
    """
    data = Path(path).read_bytes()
    try:
        return estimator_of(Model.parse(data))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def estimator_of(model: Model) -> Learner:
    c = model.content
    name, values = keys(text(c.spec))
    kind, fixed = MODELS[name]
    if isinstance(kind, dict):
        task = values.get("task", "classify")
        if task not in kind:
            raise ValueError(f"{name} with task={task} has no estimator; `featcross predict` reads "
                             "it")
        kind = kind[task]
    given = {**_parameters(values), **fixed, "scale": text(c.scale) or None,
             "random_state": int(c.seed)}
    if kind is KernelRidge and "C" in given:
        given["alpha"] = 0.5 / given["C"]
    if kind in MACHINES.values():
        given.update(_groups(c))
    elif "map" in inspect.signature(kind).parameters:
        given["map"] = _map(c)
    if name.startswith("kernel-"):      # map: it has collapsed
        given.update({"map": None}, **_kernel(c))
    estimator = _made(kind, given)
    estimator._keep(model)
    if c.classes:
        estimator.classes_ = model.classes()
    _name_columns(estimator, model)
    return estimator


def _made(kind: type, given: dict):
    """An estimator with those of the parameters that it has; whole numbers are floats where its
    defaults are."""
    known = inspect.signature(kind).parameters
    return kind(**{name: float(value) if type(value) is int and type(known[name].default) is float
                   else value for name, value in given.items() if name in known})


def _parameters(values: dict[str, str]) -> dict:
    """Keys of a spec as parameters."""
    return {NAMES.get(key, key.replace("-", "_")): VALUES.get(key, {}).get(value, _value(value))
            for key, value in values.items()}


def _value(value: str):
    if value in ("yes", "no", "none"):
        return {"yes": True, "no": False, "none": None}[value]
    try:
        items = [number(item) for item in value.split("/")]
    except ValueError:
        return value
    return items[0] if len(items) == 1 else items


def _map(c):
    if not c.map:
        return None
    name, values = keys(text(c.map))
    kind, fixed = MAPS[name]
    return _made(kind, {**_parameters(values), **fixed, **_kernel(c), "n_components": int(c.random),
                        "random_state": int(c.seed)})


def _kernel(c) -> dict:
    """The kernel as a name and parameters where these say it all, else as a whole spec."""
    whole, family = text(c.kernel), _family(c)
    name, _, rest = whole.partition(":")
    if whole == "precomputed:serial=no":
        return {"kernel": name}
    if name in FAMILIES:
        values = keys(whole)[1]
        return {"kernel": name, "degree": int(values.get("order", 2)), "family": family}
    if name in PARAMETERS and "(" not in rest:
        whole = KernelHandle(whole).spec        # with the keys that a file may leave out
        values = keys(whole)[1]
        given = {mine: values[key] for mine, key in PARAMETERS[name].items()}
        short = spec(name, **{key: values[key] for key in PARAMETERS[name].values()})
        if KernelHandle(short).spec == whole:
            return {"kernel": name, **{mine: int(value) if mine == "degree" else float(value)
                                       for mine, value in given.items()}}
    return {"kernel": whole, "family": family}


def _family(c) -> list[list[int]] | None:
    """Itemsets or groups of a kernel as lists of columns from 0.  Lines, words and comments are
    those of the library, which has read the text, not Python's: a name may hold any other blank."""
    if not c.family:
        return None
    lines = [re.findall(r"[^ \t\r,:]+|:", line.partition("#")[0])
             for line in text(c.family).split("\n")]
    lines = [words for words in lines if words]
    innermost = text(c.kernel).rpartition("(")[2]
    if not innermost.startswith("itemset"):
        first = lines.pop(0) if innermost.startswith("cross") else None
        groups = {name: columns for name, _, *columns in lines}
        lines = [groups[name] for name in first or groups]
    return [[int(column) - c.base for column in words if column != "{}"] for words in lines]


def _groups(c) -> dict:
    """Of a factorization machine."""
    return {"groups": _family(c), "groups_only": text(c.kernel).startswith("cross")}


def _name_columns(estimator: Learner, model: Model) -> None:
    """What rows have to be: as wide as the model's; of a file of a table, with its columns."""
    c = model.content
    estimator.n_features_in_ = int(c.cols)
    reader, values = keys(text(c.reader))
    names = model.names()
    if names is None or reader != "csv" or values.get("hash-bits", "0") != "0":
        return
    encoder = Encoder.of_file(names, text(c.reader))
    if encoder is not None:
        estimator.encoder_, estimator.n_features_in_ = encoder, len(encoder.columns)
        if getattr(estimator, "groups", None) is not None:
            estimator.groups = [encoder.names_of(group) for group in estimator.groups]
    else:
        estimator.feature_names_in_ = np.array(names, dtype=object)

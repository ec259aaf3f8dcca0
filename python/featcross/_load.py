# SPDX-License-Identifier: BSD-3-Clause
"""load: a model file, written here or by the program, as the fitted estimator that it is."""
from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from ._learners.choice import with_key
from ._learners.learner import Learner
from ._learners.missing import word_of
from ._library import encoded, text
from ._map import Map
from ._model import Model
from ._names import spec as _spec
from ._names.spec import filled
from ._names.table import MUST, describe, get, name_of
from .kernels import KernelHandle


def load(path) -> Learner:
    """Reads a model file.

    Parameters
    ----------
    path : written by the save method of an estimator, or by ``featcross train``

    Returns
    -------
    The fitted estimator.  Its parameters are those of the model, so a clone learns in the same way;
    random_state is the seed.  Files do not store history_. They do not store the order of the
    columns of a DataFrame with categories either: columns are found by name.

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
    estimator = _described(model.spec(), c)
    estimator._keep(model)
    if c.classes:
        estimator.classes_ = np.asarray(model.classes())
    _name_columns(estimator, model)
    return estimator


def unfitted(whole: str, *, C: str | None = None, kernel: str | None = None,
             map: str | None = None, features: int = 1, scale: str | None = None,
             seed: int = 1) -> Learner:
    """The estimator of options of ``featcross train``."""
    plain = SimpleNamespace(kernel=encoded(kernel or ""), map=encoded(map or ""), family=b"",
                            scale=encoded("" if scale in ("none", None) else scale), base=0,
                            seed=seed, random=features, missing=b"", reader=b"")
    return _described(whole if C is None else with_key(whole, "C", C), plain)


def _described(whole: str, c) -> Learner:
    """Not fitted: by the model's spec, and by kernel, map, .. of an fx_model_info."""
    line = describe("model", whole)
    for kind in _exported(Learner):
        if line.name in kind._models and line.task == kind._task:
            break
    else:
        task = get(whole, "task")
        raise ValueError(f"{line.name}{f' with task={task}' if task else ''} has no estimator; "
                         "`featcross predict` reads it")
    given = {**kind._parameters(_spec.parameters("model", whole)), **kind._models[line.name],
             "scale": text(c.scale) or None, "random_state": int(c.seed),
             "missing": word_of(text(c.missing), get(text(c.reader), "nan") if c.reader else None)}
    if line.kernel == MUST:             # map: it has collapsed
        given.update(map=None, **_kernel(c))
    else:
        family = describe("kernel", text(c.kernel)).family if c.kernel else None
        given.update(map=_map(c), groups=_family(c), groups_only=family == "named groups")
    return _made(kind, given)


def _exported(base: type) -> list:
    """Estimators of the package that are of this base class."""
    package = sys.modules[__package__]
    found = [getattr(package, name) for name in package.__all__]
    return [kind for kind in found if isinstance(kind, type) and issubclass(kind, base)]


def _made(kind: type, given: dict):
    """An estimator with those of the given parameters that it has.  Whole numbers become floats if
    the default is a float."""
    known = inspect.signature(kind).parameters
    return kind(**{name: float(value) if type(value) is int and type(known[name].default) is float
                   else value for name, value in given.items() if name in known})


def _map(c):
    if not c.map:
        return None
    whole, name = text(c.map), name_of(text(c.map))
    kind = next((kind for kind in _exported(Map) if name in kind._maps), None)
    if kind is None:
        raise ValueError(f"map {name} has no estimator; `featcross predict` reads it")
    return _made(kind, {**_spec.parameters("map", whole), **kind._maps[name], **_kernel(c),
                        "n_components": int(c.random), "random_state": int(c.seed)})


def _kernel(c) -> dict:
    """The kernel as a name and parameters if these describe it completely, else as a whole spec."""
    whole, family = text(c.kernel), _family(c)
    name = name_of(whole)
    if whole == "precomputed:serial=no":
        return {"kernel": name}
    if "file" in describe("kernel", name).key:
        return {"kernel": name, "degree": 2, "family": family, **_spec.parameters("kernel", whole)}
    if get(whole, "()") is None:
        whole = KernelHandle(whole).spec        # with the keys that a file may leave out
        given = {key: value if key == "degree" else float(value)
                 for key, value in _spec.parameters("kernel", whole).items()
                 if key in ("degree", "gamma", "coef0")}
        if KernelHandle(filled("kernel", name, given)).spec == whole:
            return {"kernel": name, **given}
    return {"kernel": whole, "family": family}


def _family(c) -> list[list[int]] | None:
    """Itemsets or groups of a kernel as lists of columns from 0.  Lines, words and comments are
    split as the library does it, not by Python's rules: a name may contain other white space."""
    if not c.family:
        return None
    lines = [re.findall(r"[^ \t\r,:]+|:", line.partition("#")[0])
             for line in text(c.family).split("\n")]
    lines = [words for words in lines if words]
    kind = describe("kernel", text(c.kernel)).family
    if kind != "sets":
        first = lines.pop(0) if kind == "named groups" else None
        groups = {name: columns for name, _, *columns in lines}
        lines = [groups[name] for name in first or groups]
    return [[int(column) - c.base for column in words if column != "{}"] for words in lines]


def _name_columns(estimator: Learner, model: Model) -> None:
    """As the fit of the model had them."""
    c, names = model.content, model.names()
    estimator._name_columns(int(c.inputs), None if names is None else names[:c.inputs],
                            text(c.reader))     # those of indicators come after
    if hasattr(estimator, "encoder_") and getattr(estimator, "groups", None) is not None:
        estimator.groups = [estimator.encoder_.names_of(group) for group in estimator.groups]

# SPDX-License-Identifier: BSD-3-Clause
"""Spec strings, `name:key=value,key=value`: the one grammar in which kernels, maps and models are
named from C, the shell and files.  Here parameters of estimators become specs, and specs become
parameters."""
from __future__ import annotations

import numbers

import numpy as np

from .table import CHOICE, CLASSIFY, RANK, REGRESS, TEXT, Key, describe, get, meant, names

NAMES = {                               # key: parameter, where it is called otherwise
    "batch": "batch_size", "dist": "distribution", "intercept": "fit_intercept",
    "k": "n_components", "lambda": "init_lambdas", "linear": "fit_linear", "lr": "learning_rate",
    "order": "degree", "rank": "n_components", "sd": "init_std",
}
OPTIONS = {                             # of the program: parameter, where it is called otherwise
    "cost": "C", "eval-set": "eval_set", "features": "n_components", "D": "n_components",
    "seed": "random_state", "threads": "n_jobs", "weights": "sample_weight",
}
VALUES: dict[str, dict] = {             # key: what its values are called as a parameter's
    "clip": {True: "train", False: "no"},
    "intercept": {True: "free", "appended": "appended", False: "none"},
    "lambda": {"ones": "ones", "signs": "signs", "random_signs": "signs", "learned": "learned"},
    "task": {CLASSIFY: "classify", REGRESS: "regress", RANK: "rank"},
}


def parameter(key: str) -> str:
    """What a key is called as a parameter."""
    return NAMES.get(key, key.replace("-", "_"))


def spec(name: str, **keys) -> str:
    """spec("x", C=1.0, max_iter=10) is "x:C=1,max-iter=10"; None: the library's default."""
    items = [f"{key.replace('_', '-')}={_text(key, value)}"
             for key, value in keys.items() if value is not None]
    return f"{name}:{','.join(items)}" if items else name


def _text(key: str, value) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value)).removesuffix(".0")
    if isinstance(value, (list, tuple)):
        return "/".join(_text(key, item) for item in value)
    if not isinstance(value, str):
        raise ValueError(f"{key}={value!r} is neither a number nor a text")
    if not value or set(value) & set(",()="):
        raise ValueError(f"{key}={value!r} cannot stand in a spec string")
    return value


def choice(name: str, value, offered: dict):
    """What a parameter's value is called in specs."""
    try:
        return offered[value]
    except (KeyError, TypeError):       # TypeError: not even hashable
        raise ValueError(f"{name}={value!r}: it is one of {', '.join(map(repr, offered))}"
                         f"{meant(value, offered)}") from None


# ---- Estimators ---------------------------------------------------------------------------------
def by_loss(task: int, *kinds: str) -> dict[str, dict]:
    """Models of these kinds for a task, each with the parameter loss; a kind that has no losses
    uses its own name."""
    lines = [describe("model", name) for name in names("model")]
    return {line.name: {"loss": (line.loss or line.kind).replace("-", "_")}
            for line in lines if line.kind in kinds and line.task == task}


def chosen(offered: dict[str, dict], given: dict) -> str:
    """The first name whose parameters have the given values.  Every name has the first
    parameter."""
    for name, own in offered.items():
        if all(given[key] == value for key, value in own.items()):
            return name
    first = next(iter(own))
    name = choice(first, given[first], {own[first]: name for name, own in offered.items()})
    other, value = next((k, v) for k, v in offered[name].items() if given[k] != v)
    raise ValueError(f"{first}={given[first]!r} is of {other} {value!r}, not {given[other]!r}")


def _offered(key: Key) -> dict:
    """What values of a key are called as a parameter's; empty: as they are in a spec."""
    if key.name in ("loss", "penalty"):
        return {word.replace("-", "_"): word for word in key.values}
    return {value: word for value, word in VALUES.get(key.name, {}).items() if word in key.values}


def filled(table: str, name: str, given: dict) -> str:
    """A spec of this name: its keys that are among the parameters given."""
    keys = {}
    for key in describe(table, name).key.values():
        mine = parameter(key.name)
        if mine in given:
            offered = _offered(key)
            free = not offered or (key.type == TEXT and isinstance(given[mine], (list, tuple)))
            keys[key.name] = given[mine] if free else choice(mine, given[mine], offered)
    return spec(name, **keys)


def parameters(table: str, spec: str) -> dict:
    """The inverse: keys that stand in a spec, as parameters."""
    found = {key: get(spec, key.name) for key in describe(table, spec).key.values()}
    return {parameter(key.name): _value(key, text) for key, text in found.items()
            if text is not None}


def _value(key: Key, text: str):
    if key.name == "clip" and "/" in text:
        return tuple(map(float, text.split("/")))
    own = {word: value for value, word in reversed(_offered(key).items())}  # the first of two
    words = {"yes": True, "no": False, "none": None, **own}
    if key.type in (TEXT, CHOICE) or text in key.values:
        return words.get(text, text)
    items = [int(item) if item.lstrip("-").isdigit() else float(item) for item in text.split("/")]
    return items[0] if len(items) == 1 else items

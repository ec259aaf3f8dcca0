# SPDX-License-Identifier: BSD-3-Clause
"""Chooses parameters that are "auto" (C, map, kernel) as `featcross train` does: by the score on
held-out rows, the simplest candidate within a standard error of the best."""
from __future__ import annotations

import re

import numpy as np

from .._ask import ROWS, WEIGHTS, run_program
from .._data.labels import class_names
from .._data.rows import Rows
from .._library import text
from .._model import Model
from .._names.table import Key, describe, get, name_of
from .eval_set import part
from .missing import complete

AUTO = "auto"
FAMILY = "family.txt"


def is_auto(value) -> bool:
    return isinstance(value, str) and value == AUTO


def _is_default(key: Key, value: str) -> bool:
    try:
        return float(value) == float(key.fallback or "")
    except ValueError:
        return value == key.fallback


def _short(spec: str, but: set[str]) -> str:
    """A model's spec as a user of the program writes it: without keys that have their defaults, so
    that the program may choose by its own, looser ones, and without those keys."""
    found = {key: get(spec, key) for key in describe("model", spec).key}
    keys = [f"{name}={value}" for name, value in found.items() if value is not None
            and name not in but and not _is_default(describe("model", spec).key[name], value)]
    return f"{name_of(spec)}:{','.join(keys)}" if keys else name_of(spec)


def with_key(spec: str, key: str, value: str) -> str:
    """The spec with a key changed or added."""
    keys = {name: get(spec, name) for name in describe("model", spec).key}
    keys[key] = value
    return f"{name_of(spec)}:" + ",".join(f"{name}={value}" for name, value in keys.items()
                                          if value is not None)


def _files(plan: dict, rows: Rows, y, classes, weight) -> dict:
    labels = y if classes is None else np.searchsorted(classes, y).astype(np.float64)
    files: dict = {ROWS: (rows, labels)}
    if weight is not None:
        files[WEIGHTS] = "".join(f"{w!r}\n" for w in weight.tolist())
    if plan.get("family"):
        files[FAMILY] = plan["family"]
    return files


def _arguments(plan: dict, open: set[str], classes, weight) -> list[str]:
    """Of `featcross train`."""
    C = get(plan["model"], "C")
    but = {"C", "penalty"} if "map" in open and get(plan["model"], "penalty") == "l2" else {"C"}
    out = [ROWS, "--dry-run", "--model", _short(plan["model"], but), "--scale",
           plan.get("scale") or "none"]
    if "C" in open:
        out += ["-C", AUTO]
    elif C is not None:
        out += ["-C", C]
    kernel = AUTO if open & {"map", "kernel"} else plan.get("kernel")
    if kernel:                          # a family is a file to the program
        out += ["--kernel", re.sub(r"\bfile=[^,()]*", f"file={FAMILY}", kernel)]
    if "map" in open:
        out += ["-D", AUTO]
    elif plan.get("map"):
        out += ["--map", plan["map"], "-D", str(plan["features"])]
    if plan.get("class_weight") == "balanced":
        out += ["--class-weight", "balanced"]
    elif plan.get("class_weight"):
        of = dict(line.rsplit("=", 1) for line in plan["class_weight"].split("\n"))
        out += ["--class-weight", ",".join(f"{k}={of[name]}" for k, name in
                                           enumerate(class_names(classes)) if name in of)]
    if plan.get("missing"):
        out += ["--nan", plan["missing"]]
    return out + (["--weights", WEIGHTS] if weight is not None else [])


def _answered(plan: dict, open: set[str], spec: str, kernel, map, features: int) -> dict:
    """The plan with what was chosen: by the model's spec, and by a kernel and a map if they were
    open."""
    chosen = dict(plan)
    for key in ("C", "penalty"):
        value = get(spec, key)
        if value is not None:
            chosen["model"] = with_key(chosen["model"], key, value)
    if open & {"map", "kernel"}:
        chosen.update(kernel=kernel or None, map=map or None, features=features if map else None)
    return chosen


def choose(plan: dict, open: set[str], rows: Rows, y, classes, weight, **how) -> tuple[dict, dict]:
    """The plan with what is open answered, and all that the program says.  open: "C", "map",
    "kernel"."""
    if plan.get("missing") == "drop":   # with their weights, which the program would count
        rows, kept = part(complete(rows), rows, {"y": y, "weight": weight})
        y, weight = kept["y"], kept["weight"]
    answer = run_program("train", _arguments(plan, open, classes, weight),
                         _files(plan, rows, y, classes, weight), seed=plan["seed"], **how)
    return _answered(plan, open, answer["model"], answer["kernel"], answer["map"],
                     answer["D"]), answer


def as_before(plan: dict, open: set[str], model: Model) -> dict:
    """The choice of an earlier fit, to continue with it."""
    c = model.content
    return _answered(plan, open, text(c.spec), text(c.kernel), text(c.map), int(c.random))

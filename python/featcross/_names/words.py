# SPDX-License-Identifier: BSD-3-Clause
"""Translates messages of the library and of the program into the terms of the Python package.

Both use the names of spec keys and options: `fm: rank=0 is not a whole number ..`, `raise
max-iter`, `--kernel auto`.  A user of the package knows parameters: n_components=0, max_iter,
kernel='auto'.  Text inside a spec string (anova:order=2) stays: kernel= takes such strings.
"""
from __future__ import annotations

import functools
import re
import sys

from .._data.numbers import MISSING
from .spec import OPTIONS, parameter
from .table import MUST, describe, names

START = r"(?<![\w:,'\"=-])"              # not behind the colon or comma of a spec, nor in quotes
OPTION = re.compile(r"(?<!\S)--([a-z][a-z-]*)(?: ([^\s,;:()-][^\s,;:()]*))?|(?<!\S)-([DC])\b")
CHOICES = re.compile(r"use one of ([^\s;]+\|[^\s;]+)")
RIDGE = {                               # of kernel-ridge, whose C is 1/(2 alpha) here
    "K + 1/(2C) is": "K + alpha is",
    "positive semidefinite, lower C": "positive semidefinite, raise alpha",
    "too near a singular one; lower C": "too near a singular one; raise alpha",
}
NAN = re.compile(r"(?<!=)\bnan is not a finite number", re.IGNORECASE)


@functools.cache
def _patterns() -> tuple[re.Pattern, re.Pattern]:
    """key=value, and keys that are no words of English by themselves."""
    keys = {key for table in ("model", "map", "kernel") for name in names(table)
            for key in describe(table, name).key}
    hyphens = [key for key in keys if "-" in key] + ["lr"]
    longest = [sorted(some, key=len, reverse=True) for some in (keys, hyphens)]
    return (re.compile(START + rf"({'|'.join(longest[0])})=([^\s,;:()]+)"),
            re.compile(START + rf"({'|'.join(longest[1])})\b(?!=)"))


@functools.cache
def _classes() -> tuple[dict[str, str], dict[str, str]]:
    """What the library's maps and kernel machines are called here."""
    package = sys.modules["featcross"]
    kinds = [getattr(package, name) for name in package.__all__]
    return ({name: kind.__name__ for kind in kinds for name in getattr(kind, "_maps", ())},
            {name: kind.__name__ for kind in kinds for name in getattr(kind, "_models", ())
             if describe("model", name).kernel == MUST})


def _value(word: str) -> str:
    """As Python writes it."""
    if "|" in word:
        return " or ".join(map(_value, word.split("|")))
    if word in ("yes", "no"):
        return str(word == "yes")
    try:
        float(word)
    except ValueError:
        items = word.split("/")
        return f"[{', '.join(map(_value, items))}]" if len(items) > 1 else repr(word)
    return word


def _option(match: re.Match) -> str:
    name = OPTIONS.get(match[1] or match[3], parameter(match[1] or match[3]))
    return name if match[2] is None else f"{name}={_value(match[2])}"


def in_python(message: str) -> str:
    """The message with names and values as the package has them."""
    pair, key = _patterns()
    maps, machines = _classes()
    name, colon, rest = message.partition(": ")
    if colon and name in names("data_make"):
        return message                  # of a spec of make, whose keys are no parameters
    if colon and name in maps:
        message = f"{maps[name]}: {rest}"
    elif colon and pair.match(rest) and name in names("model"):
        message = rest                  # the estimator is known, and a model's name is not
    message = CHOICES.sub(lambda found: "use one of " + ", ".join(map(_value, found[1].split("|"))),
                          message)
    message = pair.sub(lambda found: f"{parameter(found[1])}={_value(found[2])}", message)
    message = key.sub(lambda found: parameter(found[1]), message)
    message = OPTION.sub(_option, message)
    message = re.sub(rf"{START}({'|'.join(machines)})\b", lambda found: machines[found[1]], message)
    for there, here in RIDGE.items():
        message = message.replace(there, here)
    message = message.replace(" a list of numbers a/b/c", " a list of numbers")
    message = message.replace("neither no, train nor a range LO/HI",
                              "neither False, True nor (low, high)")
    message = message.replace("to measure on (eval)", "to measure on: eval_set=, or "
                              "early_stopping=True")
    message = message.replace(" (use nan=zero, or nan=keep and plan.missing)", MISSING)
    return message + MISSING if NAN.search(message) else message

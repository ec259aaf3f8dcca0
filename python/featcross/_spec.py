# SPDX-License-Identifier: BSD-3-Clause
"""Spec strings: `name:key=value,key=value`, the one grammar in which kernels, maps and models are
named from C, the shell, files, and here."""
from __future__ import annotations

import numbers

import numpy as np


def spec(name: str, **keys) -> str:
    """spec("svm", C=1.0, max_iter=10) is "svm:C=1,max-iter=10"; None: the library's default."""
    items = [f"{key.replace('_', '-')}={_value(key, value)}"
             for key, value in keys.items() if value is not None]
    return f"{name}:{','.join(items)}" if items else name


def _value(key: str, value) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value)).removesuffix(".0")
    if isinstance(value, (list, tuple)):
        return "/".join(_value(key, item) for item in value)
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
        raise ValueError(f"{name}={value!r}: it is one of "
                         f"{', '.join(map(repr, offered))}") from None


def keys(text: str) -> tuple[str, dict[str, str]]:
    """Name and keys of a spec without an inner one: the inverse of spec()."""
    name, _, rest = text.partition(":")
    return name, dict(item.split("=", 1) for item in rest.split(",") if item)


def number(text: str) -> int | float:
    return int(text) if text.lstrip("-").isdigit() else float(text)

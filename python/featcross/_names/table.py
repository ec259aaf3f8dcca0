# SPDX-License-Identifier: BSD-3-Clause
"""The library's tables: what kernels, maps, models, .. it has, what each promises, which keys it
knows; and the parts of a spec string, as the library reads them."""
from __future__ import annotations

import ctypes
import itertools
from types import SimpleNamespace
from typing import NamedTuple

from .._library import check, encoded, fx_description, lib, strings, text

TEXT, NUMBER, COUNT, CHOICE, LIST = range(5)    # fx_key_type
CLASSIFY, REGRESS, RANK = 1, 2, 4       # FX_TASK_..
MUST = 2                                # fx_need


class Key(NamedTuple):
    """fx_key: a key of a spec.

    Attributes
    ----------
    fallback : the default; "": nothing; None: it must be given
    values : of a choice; of other types, words that are possible, too
    low, high, above : the range of numbers; above: low itself is not possible
    """

    name: str
    fallback: str | None
    values: tuple[str, ...]
    type: int
    low: float
    high: float
    above: bool
    help: str


class Description(SimpleNamespace):
    """fx_description: a line of a table, or what a whole spec promises; texts are str, key is a
    dict of Key."""


def _key(k) -> Key:
    values = text(k.values).split("|") if k.values else []
    return Key(text(k.name), None if k.fallback is None else text(k.fallback), tuple(values),
               k.type, k.low, k.high, bool(k.above), text(k.help))


def describe(table: str, spec: str) -> Description:
    """table: "kernel", "map", "model", "data_scale", "data_reader", ..; spec: a name will do."""
    d = fx_description()
    check(getattr(lib, f"fx_{table}_describe")(d, encoded(spec)))
    line = {member: getattr(d, member) for member, _ in fx_description._fields_}
    line = {member: text(value) if isinstance(value, bytes) else value
            for member, value in line.items()}
    line["key"] = {key.name: key for key in map(_key, d.key[:d.keys])}
    line["kernels"] = [text(name) for name in itertools.takewhile(bool, d.kernels or ())]
    return Description(**line)


def names(table: str) -> list[str]:
    """All lines of a table."""
    name = getattr(lib, f"fx_{table}_name")
    return [text(one) for one in itertools.takewhile(bool, map(name, itertools.count()))]


def get(spec: str, key: str) -> str | None:
    """The value of a key, or of "()" the inner spec; None: it is not there."""
    whole, at, size = encoded(spec), ctypes.c_char_p(), ctypes.c_size_t()
    check(lib.fx_spec_get(at, size, whole, encoded(key)))
    return None if at.value is None else text(at.value[:size.value])


def name_of(spec: str) -> str:
    return get(spec, "") or ""


def meant(word, names) -> str:
    """For the end of a message: which of the names a misspelt word was likely meant to be."""
    names = [name for name in names if isinstance(name, str)]
    near = isinstance(word, str) and lib.fx_nearest(encoded(word), strings(names), len(names))
    return f"; did you mean {text(near)!r}?" if near else ""

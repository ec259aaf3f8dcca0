# SPDX-License-Identifier: BSD-3-Clause
"""The library's tables, and what the package repeats of them: defaults of parameters, and choices
and kernels that docstrings list.

Covers: _names/spec.py
"""
import inspect
import itertools
import math
import re
import subprocess

import pytest
from estimators import CLASSES

import featcross
from featcross._library import lib, text
from featcross._names.spec import _offered, _value, by_loss, chosen, filled, parameter, parameters, spec
from featcross._names.table import CHOICE, CLASSIFY, REGRESS, describe, get, name_of, names

# What is not the library's default, or is no value of the key, and on purpose.
DIFFERENT = {"degree",                  # 2, so that the highest order is asked for
             "features"}                # "auto": pairs, where their number is even
MISSING = {("LinearRegressor", "cd")}   # a solver of the penalty l1, which it does not have
BY_NAME = set(names("kernel")) - {"maclaurin", "precomputed"}   # without keys, of rows


# Estimators whose parameters become keys of models or maps.
TRANSLATED = [kind for kind in CLASSES if hasattr(kind, "_maps") or hasattr(kind, "_models")]


def lines(kind):
    """Names of models or maps that an estimator is, and their descriptions."""
    table = "map" if hasattr(kind, "_maps") else "model"
    return [describe(table, name) for name in getattr(kind, f"_{table}s")]


def keys(kind):
    """(parameter, key) of all of these."""
    known = inspect.signature(kind).parameters
    return [(parameter(key.name), key) for line in lines(kind) for key in line.key.values()
            if parameter(key.name) in known]


def entries(thing):
    """What the docstring says of each parameter."""
    section = inspect.getdoc(thing).partition("Parameters\n----------\n")[2].partition("\n\n")[0]
    found = re.findall(r"^(\w[\w,\s]*?) :(.*(?:\n +.*)*)", section, re.M)
    return {name: text for names, text in found for name in re.split(r",\s+", names)}


def words(text):
    return set(re.findall(r'"([^" ]+)"', text))


# ---- Tables -------------------------------------------------------------------------------------
def test_a_line():
    line = describe("model", "svm:calibrate=yes")
    assert (line.name, line.kind, line.loss, line.task) == ("svm", "linear", "hinge", CLASSIFY)
    assert line.probabilities and not line.updatable and line.kernels == []
    C, penalty = line.key["C"], line.key["penalty"]
    assert (C.fallback, C.low, C.above, C.high, C.values) == ("1", 0, True, math.inf, ())
    assert (penalty.type, penalty.values, penalty.fallback) == (CHOICE, ("l2",), "l2")
    assert describe("model", "pca").key["k"].fallback is None   # it must be given
    assert describe("map", "ts").kernels == ["poly"] and describe("kernel", "poly").outer
    with pytest.raises(ValueError, match="no-such"):
        describe("model", "no-such")


def test_the_program_offers_what_the_tables_have(program):
    def offered(command, option):
        shown = subprocess.run([program, command, "--help"], check=True, capture_output=True,
                               text=True).stdout
        return set(re.search(rf"--{option} (\S+\|\S+)", shown)[1].split("|"))

    def formats(function):
        return {text(one) for one in itertools.takewhile(bool, map(function, itertools.count()))}

    models = [describe("model", name) for name in names("model")]
    assert offered("train", "loss") <= {line.loss for line in models if line.map and line.loss}
    assert offered("convert", "scale") == set(names("data_scale"))
    assert offered("convert", "format") == formats(lib.fx_data_reader_format) | {"auto", "tsv"}
    assert offered("convert", "to") == formats(lib.fx_data_write_format) | {"libfm", "fm"}


def test_parts_of_a_spec():
    whole = "exp:gamma=2(poly:degree=3(rbf))"
    assert name_of(whole) == "exp" and get(whole, "gamma") == "2" and get(whole, "coef0") is None
    assert get(whole, "()") == "poly:degree=3(rbf)"
    with pytest.raises(ValueError):
        get("exp:gamma", "gamma")


def test_parameters_become_a_spec_and_come_back():
    given = {"n_components": 3, "fit_intercept": False, "loss": "squared_hinge", "task": CLASSIFY,
             "beta": [1e-3, 2], "init_lambdas": "signs", "clip": False, "degree": 4, "kernel": "x"}
    whole = filled("model", "hofm", given)
    assert get(whole, "rank") == "3" and get(whole, "intercept") == "none"
    assert parameters("model", whole) == {k: v for k, v in given.items() if k != "kernel"}
    assert parameters("map", "rm:max-order=none,h01=yes") == {"max_order": None, "h01": True}
    assert spec("x", a=None, b_c=2.0, d=True) == "x:b-c=2,d=yes"


def test_choices():
    offered = {"a": {"form": 1}, "b": {"form": 2, "degree": 3}}
    assert [chosen(offered, {"form": f, "degree": 3}) for f in (1, 2)] == ["a", "b"]
    with pytest.raises(ValueError, match="form=3: it is one of 1, 2"):
        chosen(offered, {"form": 3, "degree": 3})
    with pytest.raises(ValueError, match="form=2 is of degree 3, not 4"):
        chosen(offered, {"form": 2, "degree": 4})
    found = by_loss(REGRESS, "linear")
    assert found["svr"] == {"loss": "epsilon_insensitive"} and found["ridge"] == {"loss": "squared"}
    assert not {"svm", "kernel-svr", "pca"} & set(found)


# ---- What the package repeats -------------------------------------------------------------------
@pytest.mark.parametrize("kind", TRANSLATED)
def test_defaults_are_the_librarys(kind):
    said, signature = entries(kind), inspect.signature(kind).parameters
    for mine, key in keys(kind):
        default = signature[mine].default
        if key.fallback is None or mine in DIFFERENT:
            continue
        if default is not None:
            assert default == _value(key, key.fallback), mine
        elif key.fallback.isdigit():    # None: the library's default, which the text tells
            assert key.fallback in re.findall(r"\d+", said[mine]), mine


@pytest.mark.parametrize("kind", TRANSLATED)
def test_docstrings_list_the_choices(kind):
    said, offered = entries(kind), {}
    for mine, key in keys(kind):
        values = _offered(key) or [_value(key, word) for word in key.values]
        offered.setdefault(mine, set()).update(v for v in values if isinstance(v, str))
    for own in (getattr(kind, "_models", None) or kind._maps).values():
        for mine, value in own.items():
            if isinstance(value, str) and mine != "kernel":
                offered.setdefault(mine, set()).add(value)
    if "scale" in said and "see KernelSVC" not in said["scale"]:
        offered["scale"] = set(names("data_scale")) - {"none"}
    for mine, values in offered.items():
        if values and "see KernelSVC" not in said[mine]:
            listed = words(said[mine])
            assert listed - values <= ({"auto"} if mine in DIFFERENT else set()), mine
            missing = {(kind.__name__, value) for value in values - listed}
            assert missing <= MISSING or "such as" in said[mine], mine


@pytest.mark.parametrize("thing", [featcross.gram, featcross.KernelSVC])
def test_docstrings_name_kernels(thing):
    listed = re.search(r"such as ([a-z0-9,\s-]+)[.)]", entries(thing)["kernel"])[1]
    named = set(re.split(r",\s+(?:or\s+)?|\s+or\s+", listed))
    assert named <= BY_NAME and len(named) > 3


@pytest.mark.parametrize("kind", [kind for kind in CLASSES if hasattr(kind, "_maps")])
def test_docstrings_list_the_kernels_of_a_map(kind):
    served = {kernel for line in lines(kind) for kernel in line.kernels}
    if "kernel" not in inspect.signature(kind).parameters:
        assert served == {kind.kernel}
        return
    text = entries(kind)["kernel"]
    named = set(re.findall(r"[a-z-]+", re.sub(r'"\w+:[^"]*"', "", text))) & set(names("kernel"))
    assert named <= served <= set(re.findall(r"[a-z-]+", text))


def test_docstrings_list_the_synthetic_sets():
    text = entries(featcross.make)["spec"]
    assert {word for word in words(text) if ":" not in word} == set(names("data_make"))

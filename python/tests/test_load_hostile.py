# SPDX-License-Identifier: BSD-3-Clause
"""Model files that no program of ours wrote, with a good checksum: they are loaded, or refused with
ValueError, and what is loaded answers or says why not."""
import json
import random
import warnings
import zlib

import numpy as np
import pytest
from conftest import ROOT

import featcross

MODELS = {path.stem: path.read_bytes()
          for path in sorted((ROOT / "tests" / "golden" / "models").glob("*.fx"))}
REFUSALS = (ValueError, OSError, MemoryError)
CHARACTERS = ",:=()/-+0159 \t\r\n#{}eE.%_\x0b\x1c\x85\u2028\u0663\udce4äabfino"


def parts(data):
    """Header and arrays."""
    end = 8 + int.from_bytes(data[:8], "little")
    return json.loads(data[8:end]), data[end:-4]


def file_of(header, arrays):
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=True).encode()
    text += b" " * (-len(text) % 8)
    data = len(text).to_bytes(8, "little") + text + arrays
    return data + zlib.crc32(data).to_bytes(4, "little")


def loaded(path, data):
    """The estimator; None: refused."""
    path.write_bytes(data)
    try:
        return featcross.load(path)
    except REFUSALS as error:
        assert str(error).startswith(str(path)) and len(str(error)) > len(str(path)) + 10
        return None


def use(model, path):
    """Whatever can be asked of it."""
    X = np.ones((2, model.n_features_in_))
    model.get_params()
    model.save(path)
    for name in ("predict", "decision_function", "predict_proba", "transform", "explain"):
        if hasattr(model, name):
            try:
                getattr(model, name)(X)
            except (*REFUSALS, FloatingPointError) as error:
                assert len(str(error)) > 10
    for name in dir(type(model)):       # properties of what was fitted
        if name.endswith("_") and not name.startswith("_"):
            getattr(model, name, None)


def changed(text, rng):
    """A spec or a family that is slightly wrong, or right in another way."""
    items = text.split(rng.choice([",", "\n", " "]))
    kind, i = rng.randrange(5), rng.randrange(len(text) + 1)
    if kind == 0:
        return text[:i] + rng.choice(CHARACTERS) + text[i:]
    if kind == 1:
        return text[:i] + text[i + rng.randint(1, 5):]
    if kind == 2 and len(items) > 1:
        items.pop(rng.randrange(len(items)))
    elif kind == 3:
        rng.shuffle(items)
    else:
        return text[:i] + text[rng.randrange(len(text) + 1):]
    return ("\n" if "\n" in text else ",").join(items)


@pytest.mark.filterwarnings("error", "ignore::UserWarning")
@pytest.mark.parametrize("name", MODELS)
def test_changed(tmp_path, name):
    others = [parts(data)[0]["__metadata__"] for data in MODELS.values()]
    rng = random.Random(name)
    for _ in range(25):
        header, arrays = parts(MODELS[name])
        about = header["__metadata__"]
        keys = [key for key in ("model", "kernel", "map", "family", "reader", "scale", "names",
                                "classes", "base") if about.get(key)]
        for _ in range(rng.choice([1, 1, 2])):
            key, other = rng.choice(keys), rng.choice(others)
            about[key] = changed(about[key], rng) if rng.random() < 0.8 else \
                other.get(key, about[key])
        model = loaded(tmp_path / "m.fx", file_of(header, arrays))
        if model is not None:
            use(model, tmp_path / "again.fx")


KEYS = [(name, key, item) for name, data in MODELS.items() for key in ("model", "kernel", "map")
        for item in parts(data)[0]["__metadata__"][key].partition(":")[2].split(",")
        if "=" in item and "file=" not in item]


@pytest.mark.parametrize("name, key, item", KEYS)
def test_a_key_is_left_out(tmp_path, name, key, item):
    """The library takes its default then, and so does the estimator."""
    header, arrays = parts(MODELS[name])
    spec, _, items = header["__metadata__"][key].partition(":")
    rest = ",".join(other for other in items.split(",") if other != item)
    header["__metadata__"][key] = f"{spec}:{rest}" if rest else spec
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = loaded(tmp_path / "m.fx", file_of(header, arrays))
        if model is not None:
            use(model, tmp_path / "again.fx")


@pytest.mark.parametrize("family", ["0 1\n{} # a comment\n2,3", "0\t1\r\n{}\r\n2 3\n\n"])
def test_itemsets_are_read_as_the_library_reads_them(tmp_path, family):
    header, arrays = parts(MODELS["kernel-svm-itemset"])
    header["__metadata__"].update(family=family, base="0")
    assert loaded(tmp_path / "m.fx", file_of(header, arrays)).family == [[0, 1], [], [2, 3]]


@pytest.mark.parametrize("blank", ["\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u3000"])
def test_names_of_groups_may_hold_other_blanks(tmp_path, blank):
    header, arrays = parts(MODELS["fm-cross"])
    header["__metadata__"].update(
        family=f"b{blank}c a\na : 0 1\nb{blank}c: 2,3\nd:4 # no : more\n", base="0")
    model = loaded(tmp_path / "m.fx", file_of(header, arrays))
    assert model.groups == [[2, 3], [0, 1]]

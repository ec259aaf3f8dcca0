# SPDX-License-Identifier: BSD-3-Clause
"""The mirror of featcross.h in _library.py, member by member and function by function."""
import copy
import ctypes
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from ctypes import POINTER, c_char_p, c_double, c_int, c_size_t, c_ubyte, c_uint64, c_void_p

import pytest
from conftest import ROOT

import featcross as fx
from featcross import _library
from featcross._library import Handle, encoded, lib, strings
from featcross._names import table as _table

_spec = importlib.util.spec_from_file_location("description",
                                               ROOT / "tests" / "abi" / "description.py")
description = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(description)

STRUCTS = {name: kind for name, kind in vars(_library).items()
           if isinstance(kind, type) and issubclass(kind, ctypes.Structure)
           and kind not in (ctypes.Structure, _library.Sized)}
POINTERS = {                            # as which ctypes' types a pointer may stand in the mirror
    "char*": (c_char_p, c_void_p), "void*": (c_void_p, c_char_p), "char**": (POINTER(c_char_p),),
    "double*": (POINTER(c_double), c_void_p), "size_t*": (POINTER(c_size_t), c_void_p),
    "ArrowSchema*": (c_void_p,), "ArrowArray*": (c_void_p,), "int64_t*": (c_void_p,), "int32_t*": (c_void_p,), "uint64_t*": (POINTER(c_uint64),),
    "unsigned char*": (POINTER(c_ubyte),), "void*[2]": (c_void_p * 2,), "char*[2]": (c_char_p * 2,),
    "int (*)(void*, double)": (_library.PROGRESS,),
    "int (*)(void*, void*, size_t)": (_library.WRITE,),
    "int (*)(void*, char*, uint64_t)": (_library.MEMBER,),
}
HELD = ("fx_explanation*", "fx_combos_path*", "fx_discovery*")     # by a Handle
VALUES = {"int": c_int, "size_t": c_size_t, "uint64_t": c_uint64, "double": c_double, "void": None}


def described():
    """featcross.h, as abidw sees it."""
    return description.Description(description.COMMITTED)


def kinds(c: str, header) -> tuple:
    """ctypes' types that may stand for a type of C."""
    if c in header.enums:
        return (c_int,)
    if c == "fx_pass_ask*":             # a function
        return (_library.ASK,)
    if c in VALUES or c in STRUCTS:
        return (STRUCTS.get(c, VALUES.get(c)),)
    if c[:-1] in STRUCTS and c not in HELD:
        return (POINTER(STRUCTS[c[:-1]]),)
    if c.startswith("fx_"):             # an object of the library, or where one is put
        return (c_void_p,) if c.count("*") == 1 else (POINTER(c_void_p),)
    return POINTERS.get(c, ("unknown",))


def differences(header) -> list:
    """What in the mirror is not as the header has it."""
    wrong = []
    for name, mirror in STRUCTS.items():
        members = header.structs.get(name, [])
        mine = [(member, getattr(mirror, member).offset) for member, _ in mirror._fields_]
        if mine != [(member, offset) for member, _, offset in members] \
                or ctypes.sizeof(mirror) != header.sizes[name]:
            wrong.append(f"{name}: members")
            continue
        wrong += [f"{name}.{member}: {kind} for {c}" for (member, kind), (_, c, _)
                  in zip(mirror._fields_, members) if kind not in kinds(c, header)]
    for name, mine in _library.FUNCTIONS.items():
        c = header.functions.get(name, [])
        if len(c) != len(mine):
            wrong.append(f"{name}: number of arguments")
        wrong += [f"{name}, {i}: {m} for {k}" for i, (m, k) in enumerate(zip(mine, c))
                  if m not in kinds(k, header)]
    values = {key: value for enum in header.enums.values() for key, value in enum.items()}
    wrong += [mine for mine in ("F32", "F64", "LABEL", "SCORE", "PROBA")
              if getattr(_library, mine) != values["FX_" + mine]]
    if header.soname != f"libfeatcross.so.{_library.ABI}":
        wrong.append("ABI")
    if set(_library.ERRORS) != {value for value in header.enums["fx_status"].values() if value < 0}:
        wrong.append("ERRORS")
    return wrong


def test_the_mirror_is_the_header():
    assert len(STRUCTS) >= 13 and len(_library.FUNCTIONS) >= 30
    assert differences(described()) == []


@pytest.mark.parametrize("name", ["BOUND_MAX", "ORDER_MAX", "PASS_BLOCK"])
def test_numbers_of_the_header(name):
    text = (ROOT / "include" / "featcross.h").read_text()
    assert int(re.search(rf"#define FX_{name} +(\d+)", text)[1]) == getattr(_library, name)


def member(struct, name, /, **new):
    """A change of a member: its name, its type, or where it stands."""
    def change(header):
        members = header.structs[struct]
        i = [m[0] for m in members].index(name)
        old = dict(zip(("name", "type", "offset"), members[i]))
        members[i] = tuple({**old, **new}.values())
    return change


def signature(name, *c):
    def change(header):
        assert header.functions[name] != list(c)
        header.functions[name] = list(c)
    return change


def enumerator(enum, name, value):
    def change(header):
        header.enums[enum][name] = value
    return change


def soname(header):
    header.soname = "libfeatcross.so.999"


def longer(header):
    header.sizes["fx_plan"] += 8


@pytest.mark.parametrize("change", [
    member("fx_run", "threads", type="size_t"),
    member("fx_run", "threads", name="cores"),
    member("fx_run", "progress", type="int (*)(void*, int)"),
    member("fx_deviation", "rmse", offset=0),
    member("fx_deviation", "rmse", type="double*"),
    member("fx_table", "class_name", type="char*"),
    member("fx_model_info", "vectors", type="fx_matrix*"),
    member("fx_description", "kernel", type="double"),
    signature("fx_map_features", "size_t", "fx_map*", "int"),
    signature("fx_map_features", "int", "fx_map*"),
    signature("fx_model_parse", "fx_status", "fx_model*", "void*", "size_t", "fx_run*"),
    signature("fx_model_inspect", "fx_model_info", "fx_model*"),
    enumerator("fx_type", "FX_F64", 2),
    enumerator("fx_prediction", "FX_SCORE", 2),
    enumerator("fx_status", "FX_EOUTPUT", -11),
    soname, longer,
])
def test_another_header_is_noticed(change):
    header = described()
    change(header)
    assert differences(header) != []


def test_statuses_have_their_names():
    named = dict(re.findall(r"(-\d+): \w+, +# (FX_\w+)",
                            (ROOT / "python" / "featcross" / "_library.py").read_text()))
    assert {int(k): v for k, v in named.items()} == \
        {status: lib.fx_status_name(status).decode() for status in _library.ERRORS}


def test_a_missing_library_is_an_import_error(tmp_path):
    path = tmp_path / "none.so"
    run = subprocess.run([sys.executable, "-c", "import featcross"], text=True,
                         stderr=subprocess.PIPE, env={**os.environ, "FEATCROSS_LIBRARY": str(path)})
    last = run.stderr.splitlines()[-1]
    assert last.startswith("ImportError: featcross: ") and str(path) in last
    assert "FEATCROSS_LIBRARY" in last


@pytest.mark.parametrize("function, body, says", [
    ("fx_abi", "return 12345;", f"has ABI 12345, this package needs {_library.ABI}"),
    ("fx_abi", None, "is of another version"),
    ("fx_model_fit", None, "is of another version"),
])
def test_another_library_is_an_import_error(tmp_path, monkeypatch, function, body, says):
    cc = shutil.which("cc")
    if cc is None:
        pytest.skip("no C compiler: no other library can be made")
    bodies = {**dict.fromkeys(_library.FUNCTIONS, "return 0;"), function: body}
    source, other = tmp_path / "other.c", tmp_path / "other.so"
    source.write_text("".join(f"int {name}(void) {{ {body} }}\n"
                              for name, body in bodies.items() if body))
    subprocess.run([cc, "-shared", "-fPIC", "-o", other, source], check=True)
    monkeypatch.setenv("FEATCROSS_LIBRARY", str(other))
    with pytest.raises(ImportError, match=says) as error:
        _library._load()
    assert str(other) in str(error.value)


def test_a_handle_whose_making_failed_goes_quietly(capsys):
    class Failed(Handle):
        def __init__(self):
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        Failed()
    assert capsys.readouterr() == ("", "")


def test_handles_are_freed_once():
    freed = []
    handle = Handle(lambda at: freed.append(at.value))
    handle._as_parameter_.value = 7
    handle.__del__()
    del handle
    assert freed == [7, None]


def test_handles_without_a_pickle_are_not_copied():
    with pytest.raises(TypeError, match="cannot be copied"):
        copy.copy(Handle(lambda at: None))


def test_texts():
    with pytest.raises(ValueError, match="zero byte"):
        encoded("a\0b")
    array = strings(["a", "ü", "\udcff"])
    assert list(array) == [b"a", b"\xc3\xbc", b"\xff"]
    assert [_library.text(b) for b in array] == ["a", "ü", "\udcff"]
    assert encoded(None) is None and _library.text(None) == ""


def test_parts_of_a_spec():
    value, n = c_char_p(), c_size_t()
    for key, part in ((b"gamma", b"2"), (b"", b"exp"), (b"()", b"rbf:gamma=3"), (b"degree", None)):
        assert lib.fx_spec_get(value, n, b"exp:gamma=2(rbf:gamma=3)", key) == 0
        assert value.value is None if part is None else value.value[:n.value] == part
    assert lib.fx_spec_get(value, n, b"exp:gamma", b"gamma") == -2


def test_names_that_were_meant():
    fit = ([[0.0, 1.0], [1.0, 0.0], [2.0, 3.0]], [0, 1, 1])
    for estimator, near in [
            (fx.LinearClassifier(loss="logistc"), "logistic"),
            (fx.LinearClassifier(solver="newtno"), "newton"),
            (fx.KernelSVC(kernel="anvoa"), "anova"),
            (fx.FactorizationMachineClassifier(fit_lower="explict"), "explicit"),
            (fx.LinearClassifier(scale="max-abs"), "maxabs")]:
        with pytest.raises(ValueError, match=f"; did you mean '{near}'\\?$"):
            estimator.fit(*fit)
    frame = pytest.importorskip("pandas").DataFrame(fit[0], columns=["price", "city"])
    with pytest.raises(ValueError, match="; did you mean 'price'\\?$"):
        fx.FactorizationMachineClassifier(groups=[["pirce"], ["city"]]).fit(frame, fit[1])
    assert _table.meant(3, ["3"]) == "" and _table.meant("x", [1, None]) == ""

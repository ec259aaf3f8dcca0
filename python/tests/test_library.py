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

from featcross import _library
from featcross._library import Handle, encoded, lib, strings

HEADER = ROOT / "include" / "featcross.h"
_spec = importlib.util.spec_from_file_location("header", ROOT / "tests" / "header.py")
header = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(header)
TEXT = header.text(HEADER)

STRUCTS = {name: kind for name, kind in vars(_library).items()
           if isinstance(kind, type) and issubclass(kind, ctypes.Structure)}
POINTERS = {                            # as which ctypes' types a pointer may stand in the mirror
    "char": (c_char_p, c_void_p), "void": (c_void_p, c_char_p), "char*": (POINTER(c_char_p),),
    "double": (POINTER(c_double), c_void_p), "size_t": (POINTER(c_size_t),), "int64_t": (c_void_p,),
    "uint64_t": (POINTER(c_uint64),), "unsigned char": (POINTER(c_ubyte),),
}
VALUES = {"int": c_int, "size_t": c_size_t, "uint64_t": c_uint64, "double": c_double, "void": None,
          "fx_status": c_int, "fx_type": c_int, "fx_output": c_int,
          "fx_key_type": c_int, "fx_need": c_int}
CALLBACKS = {"progress": _library.PROGRESS, "write": _library.WRITE, "member": _library.MEMBER}


def kinds(c: str, opaque: set) -> tuple:
    """ctypes' types that may stand for a type of C."""
    c = " ".join(c.replace("const", " ").replace("*", " * ").split()).replace(" *", "*")
    if not c.endswith("*"):
        return (STRUCTS.get(c, VALUES.get(c, "unknown")),)
    to = c[:-1]
    if to in STRUCTS:
        return (POINTER(STRUCTS[to]),)
    if to in opaque:
        return (c_void_p,)
    if to.endswith("*") and to[:-1] in opaque:
        return (POINTER(c_void_p),)
    return POINTERS.get(to, ("unknown",))


def arguments(text: str) -> list:
    """Types of a list of parameters; an array is a pointer."""
    if text.strip() == "void":
        return []
    return [re.sub(r"\w+\s*$", "", re.sub(r"(\w+)\s*\[[^]]*\]$", r"*\1", parameter.strip()))
            for parameter in text.split(",")]


def differences(text: str) -> list:
    """What in the mirror is not as the header has it."""
    wrong = []
    structs = header.structs(text)
    opaque = set(re.findall(r"typedef struct (\w+) \1;", text))
    for name, mirror in STRUCTS.items():
        members = structs.get(name, [])
        if [member for member, _ in mirror._fields_] != [member for member, _ in members]:
            wrong.append(f"{name}: members")
            continue
        for (member, mine), (_, c) in zip(mirror._fields_, members):
            if isinstance(c, tuple):
                want = ctypes.CFUNCTYPE(kinds(c[0], opaque)[0],
                                        *[kinds(a, opaque)[0] for a in arguments(c[1])])
                if mine is not CALLBACKS[member] or mine is not want:
                    wrong.append(f"{name}.{member}: callback")
            elif mine not in kinds(c, opaque):
                wrong.append(f"{name}.{member}: {mine} for {c}")
    prototypes = {name: (kind, parameters) for kind, name, parameters in
                  re.findall(r"\bFX_API\s+([\w\s*]+?)(\bfx_\w+)\s*\(([^)]*)\)", text)}
    for name, (result, *mine) in _library.FUNCTIONS.items():
        if name not in prototypes:
            wrong.append(f"{name} is not in the header")
            continue
        kind, parameters = prototypes[name]
        c = arguments(parameters)
        if result not in kinds(kind, opaque) or len(c) != len(mine):
            wrong.append(f"{name}: result, or number of arguments")
        wrong += [f"{name}, argument {i + 1}: {m} for {k}" for i, (m, k) in enumerate(zip(mine, c))
                  if m not in kinds(k, opaque)]
    enums = {key: int(value) for body in re.findall(r"typedef enum \w+ \{(.*?)\}", text, flags=re.S)
             for key, value in re.findall(r"(FX_\w+) = (-?\d+)", body)}
    defines = {key: int(value) for key, value in re.findall(r"#define (FX_\w+)\s+(\d+)\b", text)}
    for mine, want in (("F32", enums), ("F64", enums), ("LABEL", enums), ("SCORE", enums),
                       ("PROBA", enums), ("ABI", defines), ("BOUND_MAX", defines)):
        if getattr(_library, mine) != want.get("FX_" + mine):
            wrong.append(mine)
    if set(_library.ERRORS) != {value for value in enums.values() if value < 0}:
        wrong.append("ERRORS")
    return wrong


def test_the_mirror_is_the_header():
    assert len(STRUCTS) >= 13 and len(_library.FUNCTIONS) >= 30
    assert differences(TEXT) == []


@pytest.mark.parametrize("old, new", [
    ("int threads;", "size_t threads;"),
    ("int threads;", "int cores;"),
    ("double mae, rmse, max;", "double rmse, mae, max;"),
    ("double mae, rmse, max;", "double mae, *rmse, max;"),
    ("uint64_t cache;", "uint64_t cache; int more;"),
    ("const char *const *class_name;", "const char *class_name;"),
    ("int (*progress)(void *ctx, double done);", "int (*progress)(void *ctx, int done);"),
    ("const char *map, *kernel, *family;", "const char *map, *family, *kernel;"),
    ("fx_matrix vectors;", "const fx_matrix *vectors;"),
    ("fx_map_features(const fx_map *m)", "fx_map_features(const fx_map *m, int n)"),
    ("FX_API size_t fx_map_features", "FX_API int fx_map_features"),
    ("double radius, double eps", "int radius, double eps"),
    ("fx_model_parse(fx_model **out", "fx_model_parse(fx_model *out"),
    ("FX_API fx_content fx_model_content", "FX_API const fx_content *fx_model_content"),
    ("FX_ABI        0", "FX_ABI        1"),
    ("FX_BOUND_MAX  4", "FX_BOUND_MAX  5"),
    ("FX_F64 = 1", "FX_F64 = 2"),
    ("FX_SCORE = 1, FX_PROBA = 2", "FX_SCORE = 2, FX_PROBA = 1"),
    ("FX_EOUTPUT = -10", "FX_EOUTPUT = -11"),
    ("double low, high;", "double high, low;"),
    ("fx_need kernel, map;", "double kernel, map;"),
])
def test_another_header_is_noticed(old, new):
    assert old in TEXT
    assert differences(TEXT.replace(old, new)) != []


def test_sizes_and_offsets(tmp_path):
    cc = shutil.which("cc")
    if cc is None:
        pytest.skip("no C compiler: sizes of structs cannot be asked for")
    lines = []
    for name, mirror in STRUCTS.items():
        lines.append(f'printf("%zu\\n", sizeof({name}));')
        lines += [f'printf("%zu\\n", offsetof({name}, {member}));' for member, _ in mirror._fields_]
    source = tmp_path / "sizes.c"
    source.write_text('#include <stdio.h>\n#include "featcross.h"\nint main(void) {\n'
                      + "\n".join(lines) + "\n}\n")
    subprocess.run([cc, f"-I{HEADER.parent}", "-o", tmp_path / "sizes", source], check=True)
    printed = subprocess.run([tmp_path / "sizes"], check=True, stdout=subprocess.PIPE, text=True)
    mine = []
    for mirror in STRUCTS.values():
        mine.append(ctypes.sizeof(mirror))
        mine += [getattr(mirror, member).offset for member, _ in mirror._fields_]
    assert list(map(int, printed.stdout.split())) == mine


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

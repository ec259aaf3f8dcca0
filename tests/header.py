# SPDX-License-Identifier: BSD-3-Clause
"""header.py - the public functions, read from featcross.h; used by the checks beside it."""
import re


def text(path):
    """The file without comments."""
    with open(path, encoding="utf-8") as f:
        return re.sub(r"/\*.*?\*/", " ", f.read(), flags=re.S)


def functions(path="include/featcross.h"):
    """{name: return type} of every FX_API function."""
    found = re.findall(r"\bFX_API\s+([\w\s*]+?)(\bfx_\w+)\s*\(", text(path))
    return {name: " ".join(kind.split()) for kind, name in found}

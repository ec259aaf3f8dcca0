# SPDX-License-Identifier: BSD-3-Clause
"""header.py - the public functions and structs, read from the headers; used by checks."""
import re


def text(path):
    """The file without comments; the member that says a struct's size is spelt out."""
    with open(path, encoding="utf-8") as f:
        found = re.sub(r"/\*.*?\*/", " ", f.read(), flags=re.S)
    return re.sub(r"FX_SIZE\(fx_\w+\);", "size_t size;", found)


def functions(*paths):
    """{name: return type} of every FX_API function of these headers; of none: of all."""
    found = {}
    for path in paths or ("include/featcross.h", "include/featcross_extra.h"):
        for kind, name in re.findall(r"\bFX_API\s+([\w\s*]+?)(\bfx_\w+)\s*\(", text(path)):
            found[name] = " ".join(kind.split())
    return found


def structs(text):
    """{struct: [(member, type)]} of a header without comments; a callback's type is a pair: what it
    returns, its parameters."""
    found = {}
    for body, struct in re.findall(r"typedef struct \w+ \{(.*?)\} (\w+);", text, flags=re.S):
        members = found[struct] = []
        for line in filter(None, map(str.strip, body.split(";"))):
            callback = re.match(r"(\w+) \(\*(\w+)\)\((.*)\)$", " ".join(line.split()))
            if callback:
                members.append((callback[2], (callback[1], callback[3])))
                continue
            base, declarators = re.match(r"(?:const )?(unsigned \w+|\w+)(.*)", line,
                                         flags=re.S).groups()
            for declarator in declarators.split(","):
                name = declarator.split()[-1].lstrip("*")
                members.append((name, base + "*" * declarator.count("*")))
    return found

# SPDX-License-Identifier: BSD-3-Clause
"""description.py - featcross.h as abidw describes it: structs, functions, enums, and which changes
break a program that was compiled with another version."""
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
import header  # noqa: E402

ROOT = Path(__file__).parents[2]
COMMITTED = Path(__file__).with_name("featcross.abi")
VIEWS = {"fx_model_info", "fx_explanation"}     # given out by pointer: they may grow, too
QUIET = ["--no-show-locs", "--no-corpus-path", "--no-comp-dir-path", "--no-elf-needed",
         "--no-parameter-names", "--type-id-style", "hash"]


def write(path, folder=ROOT / "include"):
    """Describes the header of a folder.  A library with empty functions stands for ours: that ours
    has the same prototypes is checked by the compiler, that it has the same symbols by check.py."""
    if not shutil.which("abidw"):
        sys.exit("abidw is not installed: scripts/install-deps test")
    text = header.text(Path(folder) / "featcross.h")
    abi = re.search(r"#define FX_ABI\s+(\d+)", text)[1]
    bodies = [prototype + " { __builtin_trap(); }"
              for prototype in re.findall(r"^FX_API\s+([^;]+);", text, re.M)]
    assert len(bodies) > 50, "featcross.h was not understood"
    with tempfile.TemporaryDirectory() as scratch:
        source, library = Path(scratch) / "empty.c", Path(scratch) / "empty.so"
        source.write_text("\n".join(['#include "featcross.h"', *bodies, ""]))
        subprocess.run(["cc", "-g", "-shared", "-fPIC", f"-I{folder}", "-o", library, "empty.c",
                        f"-Wl,-soname,libfeatcross.so.{abi}"], check=True, cwd=scratch)
        subprocess.run(["abidw", *QUIET, "--out-file", path, library], check=True)


class Description:
    """structs: {name: [(member, type, offset in bytes)]} and `sizes` in bytes; functions: {name:
    [returned type, types of arguments]}; enums: {name: {enumerator: value}}; types as in C, without
    const."""

    def __init__(self, path):
        root = ElementTree.parse(path).getroot()
        self.soname = root.get("soname")
        self._types = {item.get("id"): item for item in root.iter() if item.get("id")}
        self.structs, self.sizes, self.functions, self.enums = {}, {}, {}, {}
        for item in root.iter("class-decl"):
            if item.get("name").startswith("fx_") and item.get("is-declaration-only") != "yes":
                self.sizes[item.get("name")] = int(item.get("size-in-bits")) // 8
                self.structs[item.get("name")] = [
                    (member[0].get("name"), self._type(member[0].get("type-id")),
                     int(member.get("layout-offset-in-bits")) // 8)
                    for member in item.iter("data-member")]
        for item in root.iter("enum-decl"):
            self.enums[item.get("name")] = {value.get("name"): int(value.get("value"))
                                            for value in item.iter("enumerator")}
        for item in root.iter("function-decl"):
            self.functions[item.get("name")] = [self._type(item.find("return").get("type-id")), *(
                self._type(argument.get("type-id")) for argument in item.iter("parameter"))]

    def _type(self, number):
        item = self._types[number]
        if item.tag == "pointer-type-def":
            to = self._types[item.get("type-id")]
            return self._type(item.get("type-id")) + ("" if to.tag == "function-type" else "*")
        if item.tag == "qualified-type-def":
            return self._type(item.get("type-id"))
        if item.tag == "function-type":
            kinds = [self._type(child.get("type-id")) for child in item.iter("parameter")]
            return f"{self._type(item.find('return').get('type-id'))} (*)({', '.join(kinds)})"
        if item.tag == "array-type-def":
            return f"{self._type(item.get('type-id'))}[{item.find('subrange').get('length')}]"
        return item.get("name")

    def grows(self, struct):
        return struct in VIEWS or self.structs[struct][0][0] == "size"


def breaks(old, new):
    """Changes after which a program that was compiled with the old header goes wrong."""
    found = []
    for name, kinds in old.functions.items():
        if new.functions.get(name) != kinds:
            found.append(f"{name}: {kinds} is now {new.functions.get(name, 'gone')}")
    for name, members in old.structs.items():
        now = new.structs.get(name, [])
        if members[-1][0] == "reserved" and new.sizes.get(name) == old.sizes[name]:
            members = members[:-1]      # its place may be taken: it was NULL
            now = now[:len(members)]
        if now[:len(members)] != members:
            found.append(f"{name}: members were changed, moved or removed")
        elif now != members and not old.grows(name):
            found.append(f"{name}: has members more, but neither a size nor is it in VIEWS")
        elif new.sizes[name] != old.sizes[name] and now == members:
            found.append(f"{name}: has another size")
    for name, values in old.enums.items():
        now = new.enums.get(name, {})
        found += [f"{name}: {key} was {value}, is {now.get(key, 'gone')}"
                  for key, value in values.items() if now.get(key) != value]
    return found

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check.py LIBRARY - the shared library exports the functions of the headers and nothing else, version
and ABI are the same everywhere."""
import re
import subprocess
import sys

sys.path.insert(0, "tests")
import header  # noqa: E402


def main():
    library = sys.argv[1]
    nm = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True,
                        text=True).stdout
    exported = {line.split()[-1] for line in nm.splitlines()}
    public = set(header.functions())
    bad = 0
    for name in sorted(public - exported):
        bad += 1
        print(f"{library} lacks {name}")
    for name in sorted(exported - public):
        bad += 1
        print(f"{library} exports {name}, which no header has")

    number = int(re.search(r"#define FX_VERSION\s+(\d+)", header.text("include/featcross.h"))[1])
    version = f"{number // 10000}.{number // 100 % 100}.{number % 100}"
    for path, pattern in [("CMakeLists.txt", r"project\(featcross VERSION ([\d.]+)"),
                          ("CHANGELOG.md", r"^## ([\d.]+)")]:
        with open(path, encoding="utf-8") as f:
            found = re.search(pattern, f.read(), re.M)[1]
        if found != version:
            bad += 1
            print(f"{path} says {found}, featcross.h {version}")
    abi = re.search(r"#define FX_ABI\s+(\d+)", header.text("include/featcross.h"))[1]
    dynamic = subprocess.run(["readelf", "-d", library], check=True, capture_output=True,
                             text=True).stdout
    soname = re.search(r"SONAME.*\[(.+)\]", dynamic)[1]
    if soname != f"libfeatcross.so.{abi}":
        bad += 1
        print(f"{library} calls itself {soname}, but FX_ABI is {abi}")
    print(f"{len(exported)} exported functions, {bad} problems")
    sys.exit(1 if bad else 0)


main()

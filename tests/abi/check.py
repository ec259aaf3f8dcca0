#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check.py LIBRARY - the shared library exports the functions of featcross.h and nothing else, the
header compiles alone as C11 and C++17 without a warning, version and ABI are the same everywhere."""
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, "tests")
import header  # noqa: E402

COMPILERS = [("gcc", "c", "c11"), ("clang", "c", "c11"), ("g++", "c++", "c++17"),
             ("clang++", "c++", "c++17")]


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
        print(f"{library} exports {name}, which featcross.h does not have")

    for compiler, language, standard in COMPILERS:
        if not shutil.which(compiler):
            print(f"{compiler} is not installed: header not compiled with it")
            bad += "CI" in os.environ
            continue
        for source in ['#include "featcross.h"\n', '#include "featcross.h"\n#include "featcross.h"\n']:
            done = subprocess.run([compiler, "-x", language, f"-std={standard}", "-Wall", "-Wextra",
                                   "-pedantic", "-Werror", "-Iinclude", "-fsyntax-only", "-"],
                                  input=source, capture_output=True, text=True)
            if done.returncode:
                bad += 1
                print(f"{compiler} -std={standard}:\n{done.stderr}")

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

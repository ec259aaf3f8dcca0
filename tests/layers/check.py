#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check.py - the layout rules of ARCHITECTURE.md, on every source file.  Run at the root.

  - a file includes only lower layers and its own module; siblings never include each other
  - cli, examples and fuzz see featcross.h alone
  - fx_A_B is defined in src/A/B.c, else src/A/A.c, else src/base/A.c
  - every public function is named by a test
  - the library never prints, exits, aborts, asserts, opens files or calls malloc past base/memory.c
  - every source file begins with its licence
"""
import glob
import os
import re
import sys

sys.path.insert(0, "tests")
import header  # noqa: E402

# Modules of one line are siblings.  One line a layer, lowest first.
LAYERS = [["base"], ["simd"], ["linalg", "data"], ["kernel"]]
RANK = {module: i for i, layer in enumerate(LAYERS) for module in layer}
OUTSIDE = ["cli", "examples", "fuzz"]
FORBIDDEN = {  # in src/, tests and benchmarks aside
    "prints": r"(?<![\w.>])(?:printf|fprintf|puts|putchar|fputs|perror|fwrite)\s*\(",
    "ends the process": r"(?<![\w.>])(?:exit|_exit|abort|assert|raise|kill)\s*\(",
    "opens a file": r"(?<![\w.>])(?:fopen|open|openat|creat|freopen|popen|system)\s*\(",
    "allocates past base/memory.c": r"(?<![\w.>])(?:malloc|calloc|realloc|aligned_alloc|strdup|strndup)\s*\(",
}
problems = []


def complain(path, what):
    problems.append(f"{path}: {what}")


def includes(path):
    return re.findall(r'^\s*#\s*include\s+"([^"]+)"', header.text(path), re.M)


def check_layers():
    for path in glob.glob("src/**/*.[ch]", recursive=True):
        module = path.split("/")[1]
        if module not in RANK:
            complain(path, f"module '{module}' has no layer; see tests/layers/check.py")
            continue
        tested = "/test/" in path or "/bench/" in path
        for name in includes(path):
            if name == "featcross.h" or "/" not in name:
                continue
            other = name.split("/")[0]
            if other == module or other not in RANK:
                continue
            if RANK[other] >= RANK[module] and not (tested and name == "base/test.h"):
                complain(path, f"includes {name}, which is not a lower layer")
    for directory in OUTSIDE:
        for path in glob.glob(f"{directory}/**/*.[ch]", recursive=True):
            for name in includes(path):
                if name != "featcross.h" and not glob.glob(f"{directory}/**/{name}", recursive=True):
                    complain(path, f"includes {name}; {directory} sees featcross.h only")


def homes(name):
    """Files that may define fx_A_B_C, by the naming rule."""
    parts = name.split("_")[1:]
    module = parts[0]
    yield f"src/{module}/{parts[1]}.c" if len(parts) > 1 else f"src/base/{module}.c"
    yield f"src/{module}/{module}.c"
    yield f"src/base/{module}.c"


def check_names(public):
    sources = {p: header.text(p) for p in glob.glob("src/*/*.c")}
    for name in public:
        defined = [p for p, text in sources.items()
                   if re.search(rf"^[\w\s*]*\b{name}\s*\([^;{{]*\)\s*\{{", text, re.M)]
        if len(defined) != 1:
            complain("include/featcross.h", f"{name} is defined {len(defined)} times {defined}")
            continue
        expected = [p for p in homes(name) if os.path.exists(p)]
        if not expected or defined[0] != expected[0]:
            complain(defined[0], f"defines {name}; expected in {' or '.join(dict.fromkeys(homes(name)))}")


def check_tested(public):
    tests = glob.glob("src/*/test/*.c") + glob.glob("tests/**/*.c", recursive=True)
    text = " ".join(header.text(p) for p in tests)
    for name in public:
        if not re.search(rf"\b{name}\b", text):
            complain("include/featcross.h", f"no test names {name}")


def check_library():
    for path in glob.glob("src/**/*.[ch]", recursive=True):
        if "/test/" in path or "/bench/" in path or path == "src/base/test.h":
            continue
        text = re.sub(r'"(?:\\.|[^"\\])*"', '""', header.text(path))
        for what, pattern in FORBIDDEN.items():
            if what.startswith("allocates") and path == "src/base/memory.c":
                continue
            for found in re.findall(pattern, text):
                complain(path, f"{what}: {found}")


def check_licence():
    patterns = ["src", "include", "cli", "tests", "fuzz", "examples", "bench"]
    for path in (p for d in patterns for p in glob.glob(f"{d}/**/*.[ch]", recursive=True)):
        with open(path, encoding="utf-8") as f:
            if "SPDX-License-Identifier: BSD-3-Clause" not in f.readline():
                complain(path, "does not begin with its SPDX line")


def main():
    public = header.functions()
    assert len(public) > 20, "featcross.h was not understood"
    check_layers()
    check_names(public)
    check_tested(public)
    check_library()
    check_licence()
    print("\n".join(sorted(problems)))
    print(f"{len(public)} public functions, {len(problems)} problems")
    sys.exit(1 if problems else 0)


main()

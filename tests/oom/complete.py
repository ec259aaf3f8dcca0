#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""complete.py - every public function that can fail has a scenario in tests/oom, and oom.c knows which
of them take an fx_run."""
import glob
import re
import sys

sys.path.insert(0, "tests")
import header  # noqa: E402

can_fail = {name for name, kind in header.functions().items() if kind == "fx_status"}
tried = set()
for path in glob.glob("tests/oom/*.c"):
    with open(path, encoding="utf-8") as f:
        tried |= set(re.findall(r'^\s*\{"(fx_\w+)"', f.read(), re.M))
with open("tests/oom/oom.c", encoding="utf-8") as f:
    listed = set(re.findall(r'"(fx_\w+)"', re.search(r"without_run\[\] = \{(.*?)\}", f.read(), re.S)[1]))
prototypes = " ".join(header.text(f"include/{path}.h") for path in ("featcross", "featcross_extra"))
without = {name for name in can_fail
           if "fx_run" not in re.search(rf"\b{name}\s*\(([^;]*)\)", prototypes)[1]}
wrong = sorted(listed ^ without)
for name in wrong:
    print(f"tests/oom/oom.c: {name} {'takes' if name in listed else 'does not take'} an fx_run")
for name in sorted(can_fail ^ tried):
    print(f"{name}: {'no scenario in tests/oom' if name in can_fail else 'no such function'}")
sys.exit(1 if wrong or can_fail ^ tried else 0)

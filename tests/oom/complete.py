#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""complete.py - every public function that can fail has a scenario in tests/oom."""
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
for name in sorted(can_fail ^ tried):
    print(f"{name}: {'no scenario in tests/oom' if name in can_fail else 'no such function'}")
sys.exit(1 if can_fail ^ tried else 0)

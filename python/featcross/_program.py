# SPDX-License-Identifier: BSD-3-Clause
"""The featcross program: where it is, and how to become it.

The command `featcross` of an installed wheel (python/command) runs this file by its path, so it
imports nothing of the package: importing NumPy would take longer than many commands.
"""
from __future__ import annotations

import os
import sys
from pathlib import Path


def program_path() -> str:
    """FEATCROSS_PROGRAM, else the one in the package, else the one next to FEATCROSS_LIBRARY."""
    named = os.environ.get("FEATCROSS_PROGRAM")
    if named:
        candidates = [Path(named)]
    else:
        candidates = [Path(__file__).with_name("featcross")]
        library = os.environ.get("FEATCROSS_LIBRARY")
        if library:
            candidates.append(Path(library).absolute().with_name("featcross"))
    for path in candidates:
        if path.is_file() and os.access(path, os.X_OK):
            return str(path)
    tried = " or ".join(map(str, candidates))
    raise FileNotFoundError(f"featcross: there is no program at {tried}; install a wheel, which "
                            "brings it, or build it (`make`) and set FEATCROSS_PROGRAM to its path")


def run(arguments: list[str]) -> None:
    """Replaces this process by the program."""
    path = program_path()
    os.execv(path, [path, *arguments])


if __name__ == "__main__":
    try:
        run(sys.argv[1:])
    except OSError as error:
        sys.exit(str(error))

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check.py FILE ... - programs, shared libraries and archives were made with the options of
cmake/hardening.cmake; read off by readelf."""
import platform
import re
import subprocess
import sys

# What each object file says of itself.  The linker keeps it only if the C library's own files say
# it too, so it is looked for in archives.
NOTE = {"x86_64": "IBT, SHSTK", "aarch64": "BTI, PAC"}.get(platform.machine())


def readelf(path, *options):
    return subprocess.run(["readelf", "--wide", *options, path], check=True, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout


def missing_of_archive(path):
    members = re.split(r"^File: ", readelf(path, "--notes"), flags=re.M)[1:]
    return [f"{member.splitlines()[0]} without '{NOTE}'" for member in members
            if NOTE and NOTE not in member] + ([] if members else ["no members"])


def missing_of_binary(path):
    segments, dynamic = readelf(path, "--program-headers"), readelf(path, "--dynamic")
    symbols = readelf(path, "--dyn-syms")
    stack = re.search(r"GNU_STACK +(?:0x\w+ +){5}([RWE ]+?) +\w+\n", segments)
    program = "INTERP" in segments
    found = {
        "a stack without code": stack and "E" not in stack[1],
        "GNU_RELRO": "GNU_RELRO" in segments,
        "NOW": re.search(r"\(FLAGS_1\).*\bNOW\b", dynamic),
        "PIE": not program or re.search(r"\(FLAGS_1\).*\bPIE\b", dynamic),
        "__stack_chk_fail": re.search(r"\bUND +__stack_chk_(fail|guard)\b", symbols),
        "a function __.._chk": re.search(r"\bUND +__\w+_chk\b", symbols),
    }
    return [what for what, there in found.items() if not there]


def main():
    faults = 0
    for path in sys.argv[1:]:
        missing = (missing_of_archive if path.endswith(".a") else missing_of_binary)(path)
        faults += len(missing)
        print(f"{path}: {'lacks ' + '; '.join(missing[:5]) if missing else 'hardened'}")
    return 1 if faults or not sys.argv[1:] else 0


sys.exit(main())

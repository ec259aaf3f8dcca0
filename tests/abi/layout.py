#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""layout.py [--update] - a struct, an enum or a function of featcross.h that changes so that compiled
programs break needs another FX_ABI.

featcross.abi describes the header as it was last described; the Python package's mirror is compared
with it.  The test fails if the header has come to differ from it.  --update describes it anew, but
not where programs would break under the same FX_ABI: change that first."""
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from description import COMMITTED, ROOT, Description, breaks, write

HARMLESS = [                            # what may come with any version
    ("\n} fx_run;", "\n    int since;\n} fx_run;"),
    ("\n} fx_model_info;", "\n    int since;\n} fx_model_info;"),
    ("FX_EOUTPUT = -10 ", "FX_EOUTPUT = -10, FX_ELATER = -11 "),
    ("FX_API int fx_abi(void);", "FX_API int fx_abi(void);\nFX_API int fx_later(void);"),
    ("    const void *reserved[2];", "    const void *since, *reserved[1];"),
]
HARMFUL = [                             # what may not
    ("    int threads;", "    int first;\n    int threads;"),
    ("    int threads;", "    long threads;"),
    ("    void *ctx;\n    struct fx_step", "    struct fx_step"),
    ("double mae, rmse, max;", "double rmse, mae, max;"),
    ("    int wide; ", "    int since;\n    int wide; "),
    ("    int base;                           /* 0 or 1:", "    int base, since; /* 0 or 1:"),
    ("FX_EOUTPUT = -10 ", "FX_EOUTPUT = -12 "),
    ("FX_SCORE = 1, FX_PROBA = 2", "FX_SCORE = 2, FX_PROBA = 1"),
    ("FX_API int fx_abi(void);", "FX_API double fx_abi(void);"),
    ("FX_API int fx_version(void);", ""),
    ("double radius,", "int radius,"),
    ("int (*progress)(void *ctx, double done);", "int (*progress)(void *ctx, float done);"),
]


def changed(scratch, old, new):
    """The description of the header with one change."""
    text = (ROOT / "include/featcross.h").read_text()
    assert old in text, f"featcross.h has no {old!r}: change the case"
    folder = Path(scratch) / "include"
    folder.mkdir(exist_ok=True)
    (folder / "featcross.h").write_text(text.replace(old, new, 1))
    write(Path(scratch) / "changed.abi", folder)
    return Description(Path(scratch) / "changed.abi")


def main():
    update = sys.argv[1:] == ["--update"]
    with tempfile.TemporaryDirectory() as scratch:
        now = Path(scratch) / "now.abi"
        write(now)
        old, new = Description(COMMITTED) if COMMITTED.exists() else None, Description(now)
        problems = breaks(old, new) if old and old.soname == new.soname else []
        if problems:
            problems.append(f"compiled programs break: FX_ABI must not stay {new.soname[-1]}")
        elif update:
            shutil.copy(now, COMMITTED)
        elif subprocess.run(["abidiff", COMMITTED, now], check=False).returncode:
            problems.append("featcross.h is not what featcross.abi says: layout.py --update")
        if not update:
            for case in HARMLESS:
                problems += [f"{case}: {said}" for said in breaks(new, changed(scratch, *case))]
            problems += [f"nothing is said against {case}" for case in HARMFUL
                         if not breaks(new, changed(scratch, *case))]
    print("\n".join(problems))
    print(f"{len(new.structs)} structs, {len(new.functions)} functions, {len(problems)} problems")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()

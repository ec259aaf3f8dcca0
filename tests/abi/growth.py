#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""growth.py LIBRARY - programs that were compiled before or after a struct grew run with this library.

growth.c is compiled with the header as it is, with one in which every struct that has a size lacks its
last member (the header before it grew), and with one in which each has a member more (a header of the
future).  All give the same output; a program that sets what the library does not know is refused."""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

GROWING = re.compile(r"(    FX_SIZE\((fx_\w+)\);.*?)(\n\} \2;)", re.S)


def without_last(match):
    """The struct without its last member; comments are gone."""
    head, last = match[1].rstrip().rstrip(";").rsplit(";", 1)
    return head + ";" + (last.rsplit(",", 1)[0] + ";" if "," in last and "(" not in last else "") + match[3]


def with_more(match):
    return match[1] + "\n    double since;" + match[3]


def run(library, scratch, name, text, *flags):
    folder = Path(scratch) / name
    folder.mkdir()
    (folder / "featcross.h").write_text(text)
    program = folder / "growth"
    subprocess.run(["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", *flags, f"-I{folder}", "-o",
                    program, "tests/abi/growth.c", library, f"-Wl,-rpath,{Path(library).parent}"],
                   check=True)
    return subprocess.run([program], stdout=subprocess.PIPE, text=True, check=False)


def main():
    library = str(Path(sys.argv[1]).resolve())
    text = re.sub(r"/\*.*?\*/", "", Path("include/featcross.h").read_text(), flags=re.S)
    grown, (before, cut), (after, more) = len(GROWING.findall(text)), GROWING.subn(
        without_last, text), GROWING.subn(with_more, text)
    assert grown == cut == more >= 9, "featcross.h was not understood"
    bad = 0
    with tempfile.TemporaryDirectory() as scratch:
        now = run(library, scratch, "now", text)
        if now.returncode or now.stdout.count("\n") < 7:
            bad += 1
            print(f"growth.c does not run: {now.returncode}\n{now.stdout}")
        for name, other in (("before", before), ("after", after)):
            got = run(library, scratch, name, other)
            if (got.returncode, got.stdout) != (0, now.stdout):
                bad += 1
                print(f"compiled with the header {name}: {got.returncode}\n{got.stdout}")
        for set_in, said in (("run", "make: FX_EINVAL: fx_run: a member is set"),
                             ("plan", "fit: FX_EINVAL: fx_plan: a member is set")):
            define = f"-DSINCE(s)=((s)->since=!strcmp(#s,\"{set_in}\"))"
            got = run(library, scratch, f"set_{set_in}", after, define)
            if got.returncode != 2 or not got.stdout.splitlines()[-1].startswith(said):
                bad += 1
                print(f"a member that is not known, of {set_in}: {got.returncode}\n{got.stdout}")
    print(f"{grown} structs that may grow, {bad} problems")
    sys.exit(1 if bad else 0)


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check.py - what the documents say holds: README.md is one page; its C and Python blocks are in
examples/, which are built and run (`commands` runs the sh blocks); links lead somewhere, formulas
have a section, references exist.  Run at the root."""
import glob
import os
import re
import sys

problems = []


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def anchors(text):
    return {re.sub(r"[^\w\- ]", "", h).strip().lower().replace(" ", "-")
            for h in re.findall(r"^#+ (.+)$", text, re.M)}


def check_page():
    lines = read("README.md").splitlines()
    if len(lines) > 120:
        problems.append(f"README.md: {len(lines)} lines; one page has at most 120")
    for i, line in enumerate(lines, 1):
        if len(line) > 100:
            problems.append(f"README.md:{i}: {len(line)} characters; a line has at most 100")


def check_examples():
    for language, pattern in [("c", "examples/*.c"), ("python", "examples/*.py")]:
        sources = [read(p) for p in glob.glob(pattern)]
        blocks = re.findall(rf"^```{language}\n(.*?)^```", read("README.md"), re.M | re.S)
        if not blocks:
            problems.append(f"README.md: no block of {language} was found")
        for block in blocks:
            if not any(block in s for s in sources):
                problems.append(f"README.md: this block is in none of {pattern}:\n{block}")


def check_links():
    for path in glob.glob("*.md") + glob.glob("doc/*.md") + ["doc/results/README.md"]:
        text = read(path)
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            file, _, anchor = target.partition("#")
            if "://" in target:
                continue
            other = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
            if not os.path.exists(other):
                problems.append(f"{path}: no file {target}")
            elif anchor and anchor not in anchors(read(other)):
                problems.append(f"{path}: no section {target}")


def check_math():
    math, bib = read("doc/math.md"), read("doc/refs.bib")
    sections = anchors(math)
    for path in (p for m in ["kernel", "project", "map"] for p in glob.glob(f"src/{m}/*.c")):
        words = os.path.basename(path)[:-2].split("_")  # a_b may stand under a
        names = {"_".join(words[:n]) for n in range(1, len(words) + 1)}
        if words[-1] != "hot" and not names & sections:
            problems.append(f"doc/math.md: no section '## {'_'.join(words)}' for {path}")
    for key in set(re.findall(r"@(\w+\d{4})", math)):
        if f"{{{key}," not in bib:
            problems.append(f"doc/math.md: {key} is not in doc/refs.bib")


def check_commands():
    guide = read("doc/guide.md")
    commands = re.findall(r"^COMMAND\((\w+)\)", read("cli/commands/commands.def"), re.M)
    assert "train" in commands
    for name in commands:
        if f"featcross {name}" not in guide:
            problems.append(f"doc/guide.md: no `featcross {name}`")


check_page()
check_examples()
check_links()
check_commands()
check_math()
print("\n".join(problems) or "documents: no problems")
sys.exit(1 if problems else 0)

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check.py DIRECTORY - examples/read_model.py gives the answers that stand beside the models of
the directory: on raw rows to 1e-12 of the size of the sum, through a map to float accuracy; also as
a program."""
import glob
import json
import math
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, "examples")
import read_model  # noqa: E402



def printed(path, model, rows):         # what the program prints for these rows
    with tempfile.NamedTemporaryFile("w", suffix=".svm") as f:
        for row in rows:
            print(0, *(f"{j + int(model['base'])}:{x!r}" for j, x in row), file=f)
        f.flush()
        return subprocess.run([sys.executable, "examples/read_model.py", path, f.name], check=True,
                              stdout=subprocess.PIPE, text=True).stdout.splitlines()


done, left = 0, []
for path in sorted(glob.glob(os.path.join(sys.argv[1], "*.fx"))):
    with open(path[:-3] + ".json", encoding="utf-8") as f:
        want = json.load(f)
    m = read_model.load(path)
    want["rows"] = [[(j, math.nan if x is None else x) for j, x in row] for row in want["rows"]]
    try:
        scores = [read_model.scores(m, dict(map(tuple, row))) for row in want["rows"]]
        lines = [f"{read_model.label(m, f)} {' '.join(map(str, f))}" for f in scores]
    except ValueError as e:             # a map or kernel that the example does not do
        left.append(f"{path}: {e}")
        continue
    exact = "vectors" in m or "vector_ptr" in m
    tolerance = (1e-5 if m["map"] else 1e-10 if exact else 1e-12) * (1 + sum(map(abs, m["weights"])))
    for i, f in enumerate(scores):
        for got, expected in zip(f, want["scores"][i], strict=True):
            assert abs(got - expected) <= tolerance, (path, i, got, expected)
        if "sigmoid" in m:
            for got, expected in zip(read_model.proba(m, f), want["probabilities"][i], strict=True):
                assert abs(got - expected) <= tolerance, (path, i, got, expected)
        if "variance" in m:             # components have no labels
            continue
        expected, got = want["labels"][i][0], read_model.label(m, f)
        assert abs(got - expected) <= tolerance if not m["classes"] else \
            got == m["classes"][int(expected)], (path, i, got, expected)
    assert done or printed(path, m, want["rows"]) == lines, path
    done += 1
print(f"{done} models agree; left out:", *left, sep="\n  ")
assert done >= 40

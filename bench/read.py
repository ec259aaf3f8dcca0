#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Reading svmlight text: this reader against scikit-learn's load_svmlight_file, side by side.

usage: read.py BUILD_DIR [RESULTS.tsv]

There are three generated files.  On each the two readers alternate, on one thread, and the minimum
of their times counts.  Ours is timed inside bench.read.svmlight, which reads the file in batches of
8 MiB; its peak memory is that of the process minus that of a process that reads a file of one row,
including the batch, divided by the size of the CSR matrix with its labels.  Fails if a target is
missed: 250 MB/s, 8 times, 1.3 times."""

import os
import subprocess
import sys
import tempfile
import time

import numpy as np
from sklearn.datasets import load_svmlight_file

from machine import append_row

ROWS, PAIRS, REPEATS = 100_000, 60, 3
KINDS = {"binary": "1", "4 digits": "%.4f", "17 digits": "%.17g"}
SPEED, RATIO, MEMORY = 250, 8, 1.3


def generate(path, value):
    rng = np.random.default_rng(1)
    with open(path, "w") as f:
        for _ in range(ROWS):
            index = np.cumsum(rng.integers(1, 500, PAIRS)).tolist()
            if "%" in value:
                pairs = [f"{j}:{value % x}" for j, x in zip(index, rng.random(PAIRS).tolist())]
            else:
                pairs = [f"{j}:{value}" for j in index]
            f.write(f"{2 * int(rng.integers(2)) - 1} {' '.join(pairs)}\n")


def ours(program, path):
    """Seconds in the reader, bytes of text, bytes of CSR, peak resident bytes."""
    out = subprocess.run([program, path], check=True, capture_output=True, text=True).stdout.split()
    return float(out[0]), int(out[1]), int(out[2]), int(out[3])


def main():
    program = os.path.join(sys.argv[1], "bench.read.svmlight")
    missed = []
    print("svmlight text, one thread\n  kind        MB   MB/s   scikit-learn   times   peak memory / CSR")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.svm")
        with open(path, "w") as f:
            f.write("1 1:1\n")
        idle = ours(program, path)[3]
        for kind, value in KINDS.items():
            generate(path, value)
            mine, theirs = [], []
            for _ in range(REPEATS):
                mine.append(ours(program, path))
                start = time.perf_counter()
                load_svmlight_file(path)
                theirs.append(time.perf_counter() - start)
            seconds, size, csr, peak = min(mine)
            speed, other = 1e-6 * size / seconds, 1e-6 * size / min(theirs)
            ratio, memory = speed / other, (peak - idle) / csr
            print(f"  {kind:9} {1e-6 * size:4.0f} {speed:6.0f} {other:14.1f} {ratio:7.1f} {memory:12.2f}")
            if len(sys.argv) > 2:
                append_row(sys.argv[2], f"read svmlight, {kind}, {1e-6 * size:.0f} MB, peak {memory:.2f} CSR",
                           "scikit-learn", min(theirs), seconds)
            if speed < SPEED or ratio < RATIO or memory > MEMORY:
                missed.append(kind)
    if missed:
        sys.exit(f"target missed: {', '.join(missed)}")


if __name__ == "__main__":
    main()

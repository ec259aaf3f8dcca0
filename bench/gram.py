#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""ANOVA Gram matrix of order 3, 2000 x 2000 rows, d = 100: ours, a plain C loop, NumPy's power sums.

usage: gram.py BUILD_DIR [RESULTS.tsv]

All on one thread, in one run, alternating, minima of repeats.  NumPy computes the same matrix from
three products and Newton's identity, (p1^3 - 3 p1 p2 + 2 p3) / 6.  Fails if a target is missed: 20 times
the plain loop, and 3 times NumPy for X with itself.  With another Z both do three multiplications
per feature and pair, and the remaining difference is NumPy's memory traffic for temporaries.
"""
import os
os.environ["OPENBLAS_NUM_THREADS"] = "1"        # before NumPy is loaded
import subprocess
import sys
import tempfile
import time

import numpy as np

from machine import append_row

TARGETS = {("X with Z", "plain C loop"): 20, ("X with itself", "NumPy"): 3}


def power_sums(x, z):
    """As it is usually written."""
    p1, p2, p3 = x @ z.T, (x ** 2) @ (z ** 2).T, (x ** 3) @ (z ** 3).T
    return (p1 ** 3 - 3 * p1 * p2 + 2 * p3) / 6


def power_sums_once(x, z):
    """For z is x: written so that NumPy sees it and multiplies each pair once, as we do."""
    x2 = x * x
    x3 = x2 * x
    p1, p2, p3 = x @ x.T, x2 @ x2.T, x3 @ x3.T
    return (p1 ** 3 - 3 * p1 * p2 + 2 * p3) / 6


def best_of(f, x, z, repeats=3):
    best = 1e9
    for _ in range(repeats):
        t = time.perf_counter()
        f(x, z)
        best = min(best, time.perf_counter() - t)
    return best


def main():
    build = sys.argv[1]
    ours, peers = {}, {}

    def keep(table, key, t):
        table[key] = min(t, table.get(key, t))

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.npy")
        for _ in range(3):
            text = subprocess.run([os.path.join(build, "bench.kernel.gram"), path], check=True,
                                  capture_output=True, text=True).stdout
            row = next(line.split("\t") for line in text.splitlines() if line.startswith("3\t"))
            plain, two, one = float(row[1]), float(row[2]), float(row[4])
            x = np.load(path)
            z = x[::-1].copy()
            keep(ours, "X with itself", one)
            keep(ours, "X with Z", two)
            for work in ours:
                keep(peers, (work, "plain C loop"), plain)
            keep(peers, ("X with itself", "NumPy"), best_of(power_sums, x, x))
            keep(peers, ("X with itself", "NumPy, pairs once"), best_of(power_sums_once, x, x))
            keep(peers, ("X with Z", "NumPy"), best_of(power_sums, x, z))
    print("ANOVA order 3, 2000 x 2000, d = 100, one thread, seconds")
    for (work, peer), t in sorted(peers.items()):
        print(f"  {work:14} {peer:17} {t:.4f}   ours {ours[work]:.4f}   {t / ours[work]:.1f} times")
        if len(sys.argv) > 2:
            append_row(sys.argv[2], f"gram anova 3, 2000 x 2000 x 100, {work}", peer, t, ours[work])
    missed = [key for key, target in TARGETS.items() if peers[key] < target * ours[key[0]]]
    if missed:
        sys.exit(f"target missed: {missed}")


if __name__ == "__main__":
    main()

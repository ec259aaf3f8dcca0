#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""ANOVA Gram matrix of order 3, 2000 x 2000 rows, d = 100: ours, a plain C loop, NumPy's power sums.

usage: gram.py BUILD_DIR [RESULTS.tsv]

All on one thread, in one run, alternating, minima of repeats.  NumPy computes the same matrix from
three products and Newton's identity, (p1^3 - 3 p1 p2 + 2 p3) / 6.
"""
import os
os.environ["OPENBLAS_NUM_THREADS"] = "1"        # before NumPy is loaded
import subprocess
import sys
import tempfile
import time

import numpy as np

from machine import append_row

def power_sums(x, z):
    """For z is x, NumPy evaluates each product once per pair, as we do."""
    x2, z2 = x * x, z * z if z is not x else None
    x3, z3 = x2 * x, z2 * z if z is not x else None
    p1, p2, p3 = x @ z.T, x2 @ (x2 if z is x else z2).T, x3 @ (x3 if z is x else z3).T
    return (p1 ** 3 - 3 * p1 * p2 + 2 * p3) / 6


def seconds(x, z):
    t = time.perf_counter()
    power_sums(x, z)
    return time.perf_counter() - t


def main():
    build = sys.argv[1]
    ours = {"one": 1e9, "two": 1e9}             # X with itself, X with another Z
    peers = {("plain C loop", "one"): 1e9, ("NumPy power sums", "one"): 1e9,
             ("plain C loop", "two"): 1e9, ("NumPy power sums", "two"): 1e9}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.npy")
        for _ in range(3):
            text = subprocess.run([os.path.join(build, "bench.kernel.gram"), path], check=True,
                                  capture_output=True, text=True).stdout
            row = next(line.split("\t") for line in text.splitlines() if line.startswith("3\t"))
            plain, two, one = float(row[1]), float(row[2]), float(row[4])
            ours = {"one": min(ours["one"], one), "two": min(ours["two"], two)}
            x = np.load(path)
            z = x[::-1].copy()
            for case, other in (("one", x), ("two", z)):
                peers["plain C loop", case] = min(peers["plain C loop", case], plain)
                best = min(seconds(x, other) for _ in range(3))
                peers["NumPy power sums", case] = min(peers["NumPy power sums", case], best)
    print("ANOVA order 3, 2000 x 2000, d = 100, one thread, seconds")
    for (peer, case), t in peers.items():
        work = "X with itself" if case == "one" else "X with Z"
        print(f"  {work:14} {peer:17} {t:.4f}   ours {ours[case]:.4f}   {t / ours[case]:.1f} times")
        if len(sys.argv) > 2:
            append_row(sys.argv[2], f"gram anova 3, 2000 x 2000 x 100, {work}", peer, t, ours[case])


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: BSD-3-Clause
"""Fourier transforms compared with FFTW, forward and backward, one thread, microseconds per row.

    python bench/fft.py BUILD [RESULTS.tsv]

BUILD/bench.linalg.fft times both in turns: ours on all rows of a tile at once and on single rows,
FFTW's (if it is installed) on one row after another.
"""
import os
import subprocess
import sys

from machine import append_row

LEAST = 1 / 1.2                         # of FFTW's speed, for these lengths and those between
WANTED = range(1024, 65537)


def main():
    build, results = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
    missed = []
    lines = subprocess.run([os.path.join(build, "bench.linalg.fft")], check=True, text=True,
                           capture_output=True).stdout.splitlines()
    print(f"{'length':>8} {'tile':>8} {'alone':>8}   FFTW, ratio")
    for length, tile, alone, peer in (line.split() for line in lines):
        ratio = float(peer) / min(float(tile), float(alone))
        print(f"{length:>8} {tile:>8} {alone:>8}   {peer}: {ratio:.1f} times")
        for how, ours in ("a row of 16", tile), ("a row alone", alone):
            if results and peer != "nan":
                append_row(results, f"fft {length}, there and back, {how}", "FFTW, estimated plans",
                           float(peer) / 1e6, float(ours) / 1e6)
        if int(length) in WANTED and ratio < LEAST:
            missed.append((length, round(ratio, 2)))
    if missed:
        sys.exit(f"missed: {missed}")


if __name__ == "__main__":
    main()

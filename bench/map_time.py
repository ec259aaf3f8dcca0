# SPDX-License-Identifier: BSD-3-Clause
"""Mapping time against the number of columns, one thread: RK of anova:order=2, D = 8192.

    python bench/map_time.py BUILD [RESULTS.tsv]

Figure 1 of the itemset kernel paper, with our projections: packed is linear in d; circulant (the
paper's SCRK) and hadamard are logarithmic but for the row itself, which is read and laid out.
With RESULTS, also writes map_time.tsv and map_time.svg beside it. Each figure is the best of
several turns; turns go round all projections.
"""
import math
import os
import subprocess
import sys

from map import ours, sgemm
from machine import machine

COLUMNS = (512, 1024, 2048, 4096)
ROWS, FEATURES, TURNS = 512, 8192, 4
FORMS = {"packed": "rk:projection=packed", "circulant (SCRK)": "scrk",
         "circulant, column signs": "rk:projection=circulant", "hadamard": "rk:projection=hadamard"}
PLOT = """set terminal svg size 720,560 dynamic font 'sans,13'
set output '{svg}'
set datafile separator '\t'
set logscale xy
set xlabel 'columns d'
set ylabel 'microseconds a row (one thread)'
set title 'RK features of order 2, D = 8192'
set xtics (512, 1024, 2048, 4096)
set xrange [450:4700]
set yrange [0.5:1000]
set grid lc '#dddddd'
set key bottom right Left reverse samplen 2
set border 3
set tics nomirror
plot for [i=2:6] '{tsv}' using 1:i with linespoints lw 2 pt i ps 1 lc rgb word("#000000 #0072b2 #cc79a7 #009e73 #d55e00", i-1) title columnheader(i)
"""


def exponent(times):
    """Of time as a power of d, by the first and the last."""
    return math.log(times[-1] / times[0]) / math.log(COLUMNS[-1] / COLUMNS[0])


def main():
    build, results = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
    best = {}
    for _ in range(TURNS):
        for d in COLUMNS:
            shape = (ROWS, d, FEATURES)
            turn = {"sgemm": sgemm(shape)}
            turn.update({name: ours(build, shape, "anova:order=2", spec)[0]
                         for name, spec in FORMS.items()})
            for name, t in turn.items():
                best[name, d] = min(t, best.get((name, d), t))
    names = ["sgemm", *FORMS]
    lines = ["d\t" + "\t".join(names)]
    lines += [f"{d}\t" + "\t".join(f"{best[n, d]:.2f}" for n in names) for d in COLUMNS]
    print("\n".join(lines))
    power = {n: exponent([best[n, d] for d in COLUMNS]) for n in names}
    print("grows as d to the power " + ", ".join(f"{n} {power[n]:.2f}" for n in names))
    if results:
        folder = os.path.dirname(os.path.abspath(results))
        tsv, svg = os.path.join(folder, "map_time.tsv"), os.path.join(folder, "map_time.svg")
        with open(tsv, "w", encoding="ascii") as f:
            f.write("\n".join(lines) + f"\n# {machine()}, microseconds a row, {ROWS} rows\n")
        subprocess.run(["gnuplot"], input=PLOT.format(tsv=tsv, svg=svg), text=True, check=True)
    wrong = [n for n in names if power[n] > 0.6 and n not in ("sgemm", "packed")]
    if wrong or not 0.8 < power["packed"] < 1.3:
        sys.exit(f"does not grow as it should: {wrong or 'packed'}")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: BSD-3-Clause
"""Linear support vector machines compared with LIBLINEAR (through scikit-learn), one thread.

    python bench/linear.py BUILD [RESULTS.tsv] [FEATURES.npy LABELS.npy]

Dense features, 21,200 x 1,248 floats unless given: rows of categories through a random map of anova
order 2, as `featcross map` makes them (of norm 3.9), and the same rows divided by their norms.  Both stop at objectives at most 1e-3 above the optimum, relatively: ours by
its proven gap (`featcross train`, which picks the solver), LIBLINEAR's dual solver by the largest tolerance
that gets there within 1000 passes, else the smallest ("gave up": its time is then a lower bound; the optimum
is ours at a gap of 1e-5).  Each side runs in a separate process, in turns.  Times are of the fit
alone, and the best of all turns counts.  Our memory is the peak of the process including the
features; LIBLINEAR's is only what the fit adds, its own copy of the features.
"""
import json
import os
os.environ["OPENBLAS_NUM_THREADS"] = "1"        # before NumPy is loaded
os.environ["OMP_NUM_THREADS"] = "1"
import subprocess
import sys
import tempfile

import numpy as np

from machine import append_row

ROWS, GAP = 21200, 1e-3
WORK = [("mapped", "hinge", 1), ("mapped", "hinge", 10), ("mapped", "squared_hinge", 1), ("mapped", "squared_hinge", 10),
        ("unit", "hinge", 1), ("unit", "squared_hinge", 1)]
LEAST = 5                               # times faster
TOLERANCES = (2, 0.7, 0.3, 0.1)

PEER = """
import sys, time, warnings
import numpy as np
from sklearn.svm import LinearSVC
warnings.simplefilter("ignore")
def memory(what):
    return next(int(v.split()[1]) for v in open("/proc/self/status") if v.startswith(what))
loss, C, tol = sys.argv[3], float(sys.argv[4]), float(sys.argv[5])
Z, y = np.load(sys.argv[1]).astype("f8"), np.load(sys.argv[2])
before = memory("VmRSS")
m = LinearSVC(C=C, loss=loss, dual=True, tol=tol, fit_intercept=False, max_iter=1000, random_state=0)
t = time.perf_counter()
m.fit(Z, y)
t = time.perf_counter() - t
after = memory("VmHWM")
w = m.coef_.ravel()
lost = np.maximum(0, 1 - y * (Z @ w))
print(t, int(np.max(m.n_iter_)), 0.5 * w @ w + C * (lost if loss == "hinge" else lost ** 2).sum(), 0,
      (after - before) / 1024)
"""


def peer(files, loss, C, tol):
    return run([sys.executable, "-c", PEER, *files, loss, str(C), str(tol)])


def ours(build, files, loss, C, gap):
    """Seconds, iterations, objective, gap, MiB, as peer."""
    model = {"hinge": "svm", "squared_hinge": "svm-l2"}[loss]
    text = subprocess.run([os.path.join(build, "featcross"), "train", files[0] + ".npz", "-o", files[0] + ".fx",
                           "--model", model, "-C", str(C), "--tol", str(gap), "--intercept", "none",
                           "--max-iter", "100000", "--threads", "1", "--json", "-q"], check=True,
                          capture_output=True, text=True).stdout
    o = json.loads(text)
    return o["seconds"]["fit"], o["iterations"], o["objective"], o["gap"], o["peak_bytes"] / 2 ** 20


def run(command):
    """Seconds, iterations, objective, gap, MiB."""
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return tuple(float(v) for v in text.split())


def make(build, folder):
    """Rows of categories, mapped."""
    tool, x, z = os.path.join(build, "featcross"), os.path.join(folder, "x.svm"), os.path.join(folder, "z.npy")
    rng = np.random.default_rng(1)
    sizes = (7, 2, 21, 19, 10, 19)      # of the fields: 78 columns
    start = np.cumsum((0,) + sizes)
    picks = np.stack([rng.zipf(1.5, ROWS) % n for n in sizes], 1)
    pair = rng.normal(size=(start[-1], start[-1])) / 2
    score = sum(pair[start[a] + picks[:, a], start[b] + picks[:, b]]
                for a in range(len(sizes)) for b in range(a))
    y = np.where(score + 2 * rng.normal(size=ROWS) > np.median(score), 1.0, -1.0)
    with open(x, "w", encoding="ascii") as f:
        for row, label in zip(picks, y):
            f.write(f"{label:.0f} " + " ".join(f"{start[k] + c + 1}:1" for k, c in enumerate(row)) + "\n")
    subprocess.run([tool, "map", x, "--kernel", "anova:order=2", "-D", "1248", "-o", z], check=True,
                   capture_output=True)
    np.save(z, np.load(z).astype("f4"))
    np.save(os.path.join(folder, "y.npy"), y)
    return z, os.path.join(folder, "y.npy")


def unit(files, folder):
    """The same rows with norm 1."""
    z, path = np.load(files[0]), os.path.join(folder, "unit.npy")
    np.save(path, (z / np.linalg.norm(z, axis=1, keepdims=True)).astype("f4"))
    return [path, os.path.abspath(files[1])]


def main():
    build, results = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
    missed = []
    with tempfile.TemporaryDirectory() as folder:
        files = sys.argv[3:5] if len(sys.argv) > 4 else make(build, folder)
        forms = {"mapped": [os.path.abspath(f) for f in files], "unit": unit(files, folder)}
        shape = np.load(files[0], mmap_mode="r").shape
        for z, y in forms.values():
            np.savez(z, x=np.load(z), y=np.load(y))     # .npy.npz
        print(f"{shape[0]} x {shape[1]} floats, no intercept, relative gap {GAP:g}")
        print(f"{'rows':6} {'loss':14} {'C':>3} {'LIBLINEAR':>10} {'passes':>7} {'off':>8} {'MiB':>5}   {'ours':>7} {'passes':>7} "
              f"{'off':>8} {'MiB':>5}   {'ratio':>6}")
        for form, loss, C in WORK:
            files = forms[form]
            best = ours(build, files, loss, C, 1e-5)[2]
            for tol in TOLERANCES:
                theirs, own = peer(files, loss, C, tol), ours(build, files, loss, C, GAP)
                if theirs[2] <= best / (1 - GAP):
                    break
            theirs, own = min(theirs, peer(files, loss, C, tol)), min(own, ours(build, files, loss, C, GAP))
            ratio = theirs[0] / own[0]
            off = [(v[2] - best) / v[2] for v in (theirs, own)]
            print(f"{form:6} {loss:14} {C:3} {theirs[0]:10.3f} {theirs[1]:7.0f} {off[0]:8.1e} {theirs[4]:5.0f}   "
                  f"{own[0]:7.3f} {own[1]:7.0f} {off[1]:8.1e} {own[4]:5.0f}   {ratio:6.1f} "
                  f"(wanted {LEAST}){' LIBLINEAR gave up' if off[0] > GAP else ''}", flush=True)
            if results:
                append_row(results, f"linear {loss} C={C}, {shape[0]} x {shape[1]}"
                           f"{', unit rows' if form == 'unit' else ''}, gap {GAP:g}",
                           "LIBLINEAR (scikit-learn)", theirs[0], own[0])
            if ratio < LEAST:
                missed.append((form, loss, C, round(ratio, 2)))
            if own[4] > theirs[4] / 2:
                missed.append((form, loss, C, "memory", own[4], theirs[4]))
    if missed:
        sys.exit(f"target missed: {missed}")


if __name__ == "__main__":
    main()

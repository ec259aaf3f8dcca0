# SPDX-License-Identifier: BSD-3-Clause
"""Maps compared with scikit-learn, OpenBLAS and pyrfm, one thread, microseconds per row.

    python bench/map.py BUILD [RESULTS.tsv]

Ours is timed by BUILD/bench.map.apply (a fresh process, best of three calls), peers here; both take
turns and the best of all turns counts.  `sgemm` is NumPy's float32 product of the rows with a matrix
of the shape of the map's: the cost of the projection alone if it were a matrix product.  Ours are
whole maps: reading the rows, projection, recursion, storing.  pyrfm (github.com/neonnnnn/pyrfm,
built and on PYTHONPATH) is left out if it is not installed.
"""
import os
os.environ["OPENBLAS_NUM_THREADS"] = "1"        # before NumPy is loaded
os.environ["OMP_NUM_THREADS"] = "1"
import importlib.util
import subprocess
import sys
import time

import numpy as np

from machine import append_row

SMALL, LARGE = (2048, 80, 1280), (1024, 1024, 8192)
TURNS = 5
# work: shape, kernel, map, target ISA or None; peer: name, least ratio (None: printed only)
WORK = [
    (SMALL, "anova:order=2", "rk:projection=packed", None, "sgemm", 1.4),
    (SMALL, "anova:order=2", "rk:projection=packed", "avx2", "sgemm (AVX2)", 1.1),
    (SMALL, "anova:order=2", "rk:projection=hadamard", None, "sgemm", None),
    (SMALL, "anova:order=3", "rk", None, "sgemm", None),
    (SMALL, "all-subsets", "rk", None, "sgemm", None),
    (SMALL, "all-subsets", "rk:projection=packed", None, "sgemm", None),
    (SMALL, "all-subsets", "rk", None, "pyrfm", 50),
    (SMALL, "all-subsets", "rk:projection=packed", None, "pyrfm", 50),
    (SMALL, "anova:order=2", "rk:complex=yes", None, "sgemm", None),
    (SMALL, "poly:degree=2", "ts", None, "scikit-learn", 5),
    (SMALL, "rbf", "rff:projection=dense", None, "scikit-learn", None),
    (SMALL, "rbf", "rff", None, "scikit-learn", 2),
    (LARGE, "anova:order=2", "rk:projection=packed", None, "sgemm", 1.4),
    (LARGE, "anova:order=2", "rk:projection=packed", "avx2", "sgemm (AVX2)", 1.1),
    (LARGE, "anova:order=2", "rk:projection=hadamard", None, "sgemm", 25),
    (LARGE, "anova:order=2", "rk:projection=hadamard", None, "our circulant", 2.5),
    (LARGE, "anova:order=3", "rk", None, "sgemm", None),
    (LARGE, "all-subsets", "rk", None, "sgemm", None),
    (LARGE, "all-subsets", "rk:projection=packed", None, "sgemm", None),
    (LARGE, "poly:degree=2", "ts", None, "scikit-learn", 4),
    (LARGE, "rbf", "rff:projection=dense", None, "scikit-learn", 1),
    (LARGE, "rbf", "rff:projection=hadamard", None, "scikit-learn", 10),
]
SPARSE = [("anova:order=2", "rk:projection=packed"), ("anova:order=2", "rk"),
          ("all-subsets", "rk:projection=packed"), ("poly:degree=2", "ts"), ("rbf", "rff")]


def ours(build, shape, kernel, spec, target=None, density=1.0):
    n, d, features = shape
    env = dict(os.environ, **({"FX_TARGET": target} if target else {}))
    text = subprocess.run([os.path.join(build, "bench.map.apply"), str(n), str(d), kernel, spec,
                           str(features), str(density)], check=True, capture_output=True, text=True,
                          env=env).stdout
    return tuple(float(v) for v in text.split())        # stored, scored


SGEMM = """
import sys, time, numpy as np
n, d, D = map(int, sys.argv[1:])
x, w = np.random.rand(n, d).astype("f4"), np.random.rand(d, D).astype("f4")
out, best = np.empty((n, D), "f4"), 1e9
for _ in range(4):
    t = time.perf_counter()
    np.dot(x, w, out=out)
    best = min(best, time.perf_counter() - t)
print(best / n * 1e6)
"""


def sgemm(shape, core=None):
    env = dict(os.environ, **({"OPENBLAS_CORETYPE": core} if core else {}))
    return float(subprocess.run([sys.executable, "-c", SGEMM, *map(str, shape)], check=True,
                                capture_output=True, text=True, env=env).stdout)


def scikit(shape, kernel):
    from sklearn.kernel_approximation import PolynomialCountSketch, RBFSampler
    n, d, features = shape
    x = (np.random.default_rng(1).random((n, d)) / d ** 0.5).astype("f4")
    peer = (PolynomialCountSketch(degree=2, coef0=1, gamma=1, n_components=features, random_state=1)
            if kernel.startswith("poly") else
            RBFSampler(gamma=1, n_components=features, random_state=1)).fit(x)
    best = 1e9
    for _ in range(2):
        t = time.perf_counter()
        peer.transform(x)
        best = min(best, time.perf_counter() - t)
    return best / n * 1e6


def pyrfm(shape):
    """Its random kernel map of all-subsets: the kernel of rows and random signs."""
    from pyrfm.kernels import all_subsets
    n, d, features = shape
    rng = np.random.default_rng(1)
    x, w = rng.random((n, d)) / d ** 0.5, rng.choice([-1.0, 1.0], size=(features, d))
    best = 1e9
    for _ in range(2):
        t = time.perf_counter()
        all_subsets(x, w) / features ** 0.5
        best = min(best, time.perf_counter() - t)
    return best / n * 1e6


def peer_time(build, peer, shape, kernel):
    if peer == "scikit-learn":
        return scikit(shape, kernel)
    if peer == "pyrfm":
        return pyrfm(shape)
    if peer == "our circulant":
        return ours(build, shape, kernel, "rk:projection=circulant")[0]
    return sgemm(shape, "Haswell" if "AVX2" in peer else None)


def main():
    build, results = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
    missed = []
    print(f"{'n, d, D':>18}  {'kernel':14} {'map':26} {'stored':>8} {'scored':>8}   peer, ratio")
    for shape, kernel, spec, target, peer, least in WORK:
        if peer == "pyrfm" and not importlib.util.find_spec("pyrfm"):
            print(f"{str(shape):>18}  {kernel:14} {spec:26} no pyrfm: left out")
            continue
        pairs = [(ours(build, shape, kernel, spec, target), peer_time(build, peer, shape, kernel))
                 for _ in range(TURNS)]
        stored, scored = (min(p[0][i] for p in pairs) for i in (0, 1))
        other = min(p[1] for p in pairs)
        name = f"{spec} {target}" if target else spec
        print(f"{str(shape):>18}  {kernel:14} {name:26} {stored:8.2f} {scored:8.2f}   "
              f"{peer} {other:.2f}: {other / stored:.1f} times"
              + (f" (wanted {least})" if least else ""), flush=True)
        if results:
            append_row(results, f"map {kernel} {name} {shape}, a row", peer, other / 1e6, stored / 1e6)
        if least and other < least * stored:
            missed.append((shape, name, peer, round(other / stored, 2), least))
    for kernel, spec in SPARSE:         # 10 % of the numbers: never slower than all of them
        pairs = [(ours(build, LARGE, kernel, spec)[0], ours(build, LARGE, kernel, spec, None, 0.1)[0])
                 for _ in range(TURNS)]
        dense, sparse = (min(p[i] for p in pairs) for i in (0, 1))
        print(f"{str(LARGE):>18}  {kernel:14} {spec:26} dense {dense:.2f}, one in ten {sparse:.2f}",
              flush=True)
        if results:
            append_row(results, f"map {kernel} {spec} {LARGE}, density 0.1, a row", "the same, dense",
                       dense / 1e6, sparse / 1e6)
        if sparse > 1.05 * dense:       # the noise of this machine
            missed.append((spec, "sparse", round(sparse / dense, 2)))
    if missed:
        sys.exit(f"target missed: {missed}")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: BSD-3-Clause
"""featcross gram against the definitions, summed over all sets of features.

Covers: cli/commands/cmd_gram.c, cli/kernels/kernel_choice.c, cli/figures/plot.c,
cli/figures/plot_gram.c"""

import gzip
import itertools
import math
import re
import shutil
import subprocess

import numpy as np
import pytest

from conftest import svmlight


def over_sets(X, Y, sizes):
    """sum over sets S with |S| in sizes of prod over S of x_j y_j; the definition."""
    K = np.zeros((len(X), len(Y)))
    for m in sizes:
        for S in map(list, itertools.combinations(range(X.shape[1]), m)):
            K += np.prod(X[:, None, S] * Y[None, :, S], axis=2)
    return K


KERNELS = {
    "linear": lambda X, Y: X @ Y.T,
    "anova:order=2": lambda X, Y: over_sets(X, Y, [2]),
    "anova:order=3": lambda X, Y: over_sets(X, Y, [3]),
    "anova-upto:order=3": lambda X, Y: over_sets(X, Y, [1, 2, 3]),
    "all-subsets": lambda X, Y: over_sets(X, Y, range(X.shape[1] + 1)),
    "poly:degree=3,coef0=0.5,gamma=2": lambda X, Y: (0.5 + 2 * X @ Y.T) ** 3,
    "rbf:gamma=0.25": lambda X, Y: np.exp(-0.25 * ((X[:, None] - Y[None]) ** 2).sum(2)),
}


def tolerance(kernel, X, Y):
    """Both sides add at most 2^d products of at most 2d factors: (2^d + 2d) roundings of the sum of
    magnitudes; rbf's exponent is rounded d + 2 times and exp has condition |exponent|."""
    d, u = X.shape[1], np.finfo(float).eps / 2
    if kernel.startswith("rbf"):
        worst = 0.25 * ((np.abs(X[:, None]) + np.abs(Y[None])) ** 2).sum(2)
        return 4 * (d + 2) * u * (1 + worst)
    return 2 * (2 ** d + 2 * d) * u * KERNELS[kernel](np.abs(X), np.abs(Y))


def check(K, kernel, X, Y):
    assert K.shape == (len(X), len(Y))
    assert (np.abs(K - KERNELS[kernel](X, Y)) <= tolerance(kernel, X, Y)).all()


@pytest.mark.parametrize("kernel", KERNELS)
def test_definition(fx, put, tmp_path, rows, kernel):
    X, y = rows
    put("x.svm", svmlight(X, y))
    np.save(tmp_path / "x.npy", X)
    for name in ("x.svm", "x.npy"):
        fx("gram", name, "-k", kernel, "-o", "k.npy")
        check(np.load(tmp_path / "k.npy"), kernel, X, X)
        fx("gram", name, name, "-k", kernel, "-o", "k2.npy")
        check(np.load(tmp_path / "k2.npy"), kernel, X, X)


def test_two_files_share_base_and_width(fx, put, tmp_path):
    put("x.svm", "1 0:1 2:2\n1 1:1\n")
    put("y.svm", "1 2:3 5:1\n1 1:4\n1 2:1\n")   # alone, this would be taken as 1-based
    fx("gram", "x.svm", "y.svm", "-k", "linear", "-o", "k.npy")
    assert np.load(tmp_path / "k.npy").tolist() == [[6, 0, 2], [0, 4, 0]]
    fx("gram", "y.svm", "x.svm", "-k", "linear", "-o", "k.npy", status=2)   # index 0, base 1
    fx("gram", "y.svm", "x.svm", "-k", "linear", "-o", "k.npy", "--index-base", "0")
    assert np.load(tmp_path / "k.npy").tolist() == [[6, 0], [0, 4], [2, 0]]
    assert "indices from 0 (found)" in fx("gram", "x.svm", "-k", "linear").talk


def test_dense_widths_must_agree(fx, tmp_path, put):
    np.save(tmp_path / "a.npy", np.ones((2, 3)))
    np.save(tmp_path / "b.npy", np.ones((2, 4)))
    talk = fx("gram", "a.npy", "b.npy", "-k", "linear", status=2).talk
    assert "a.npy has 3 columns, b.npy has 4" in talk
    put("s.svm", "1 1:1\n")             # sparse rows widen by themselves
    assert fx("gram", "s.svm", "b.npy", "-qk", "linear").text == "1,1\n"


@pytest.mark.parametrize("args", [["--output-format", "csv"], ["-o", "-"], []])
def test_text_on_stdout(fx, put, args):
    put("x.svm", "1 1:1\n-1 1:0.5 2:3\n")
    assert fx("gram", "x.svm", "-k", "linear", *args).text == "1,0.5\n0.5,9.25\n"


def test_formats(fx, put, tmp_path, rows):
    X, y = rows
    put("x.svm", svmlight(X, y))
    gram = lambda name, *args: fx("gram", "x.svm", "-k", "anova:order=2", "-o", name, *args)
    gram("k.npy")
    K = np.load(tmp_path / "k.npy")
    gram("k.csv"), gram("k.tsv"), gram("k.txt"), gram("odd", "--to", "precomputed")
    gram("odd2", "--output-format", "precomputed")
    assert (tmp_path / "odd2").read_bytes() == (tmp_path / "odd").read_bytes()
    assert (np.loadtxt(tmp_path / "k.csv", delimiter=",") == K).all()   # digits read back exactly
    assert (np.loadtxt(tmp_path / "k.tsv") == K).all()
    assert (tmp_path / "odd").read_bytes() == (tmp_path / "k.txt").read_bytes()
    for i, line in enumerate((tmp_path / "k.txt").read_text().splitlines()):
        label, number, *pairs = line.split(" ")
        assert (label, number) == (str(y[i]), f"0:{i + 1}")
        assert [p.split(":")[0] for p in pairs] == [str(j + 1) for j in range(len(K))]
        assert [float(p.split(":")[1]) for p in pairs] == K[i].tolist()
    fx("gram", "x.svm", "-k", "linear", "-o", "k.svm", status=2)
    fx("gram", "x.svm", "-k", "linear", "-o", "k.npz", status=2)


def test_symmetric_and_same_for_any_threads(fx, put, tmp_path):
    fx("make", "triples", "-n", "700", "-d", "60", "-o", "x.svm", "-q")
    for kernel in ("anova:order=3", "all-subsets", "rbf:gamma=0.1"):
        outs = []
        for threads in (1, 2, 8):
            fx("gram", "x.svm", "-k", kernel, "-o", "k.npy", "--threads", threads)
            outs.append((tmp_path / "k.npy").read_bytes())
        assert outs[0] == outs[1] == outs[2]
        K = np.load(tmp_path / "k.npy")
        assert (K == K.T).all()


@pytest.mark.parametrize("target", ["scalar", "avx2", "avx512"])
def test_every_target(fx, put, tmp_path, rows, target):
    X, y = rows
    put("x.svm", svmlight(X, y))
    fx("gram", "x.svm", "-k", "anova:order=3", "-o", "k.npy", env={"FX_TARGET": target})
    check(np.load(tmp_path / "k.npy"), "anova:order=3", X, X)


@pytest.mark.parametrize("scale", ["none", "maxabs", "unit-l1", "unit-l2", "std", "auto"])
def test_scale(fx, put, tmp_path, rows, scale):
    X, y = rows
    put("x.svm", svmlight(X, y))
    put("z.svm", svmlight(X[:5] * 3, y))
    fx("gram", "x.svm", "z.svm", "-k", "linear", "--scale", scale, "-o", "k.npy")
    rescale = {
        "none": lambda A: A,
        "maxabs": lambda A: A / np.abs(X).max(0),
        "std": lambda A: A / np.where(X.std(0) > 0, X.std(0), 1),
        "unit-l1": lambda A: A / np.abs(A).sum(1, keepdims=True),
        "unit-l2": lambda A: A / np.linalg.norm(A, axis=1, keepdims=True),
        "auto": lambda A: A / np.abs(X).max(0) if np.abs(X).max() > 1 else A,
    }[scale]
    S, T = rescale(X), rescale(X[:5] * 3)
    # std: n + d roundings in the factor, all else: d; each product has two factors.
    bound = 4 * (len(X) + X.shape[1]) * np.finfo(float).eps * (np.abs(S) @ np.abs(T).T)
    assert (np.abs(np.load(tmp_path / "k.npy") - S @ T.T) <= bound).all()


@pytest.mark.parametrize("scale", ["maxabs", "std", "unit-l2"])
def test_scale_of_a_narrow_file(fx, put, tmp_path, scale):
    """Columns that X lacks are zeros of X: left alone by a scaling that was fitted on X."""
    put("x.svm", "1 1:1 2:4\n1 1:3\n")
    put("xw.svm", "1 1:1 2:4 5:0\n1 1:3\n")     # as wide as y.svm from the start
    put("y.svm", "1 1:1 5:7\n")
    outs = []
    for first in ("x.svm", "xw.svm"):
        fx("gram", first, "y.svm", "-k", "linear", "--scale", scale, "-o", "k.npy")
        outs.append(np.load(tmp_path / "k.npy").tolist())
        fx("gram", "y.svm", first, "-k", "linear", "--scale", scale, "-o", "k.npy")
    assert outs[0] == outs[1]


def test_precomputed_has_numbers_as_labels(fx, put, tmp_path):
    put("x.svm", "spam 1:1\nham 1:2\nspam 2:1\n")
    r = fx("gram", "x.svm", "-k", "linear", "-o", "k.txt")
    assert [line.split()[0] for line in (tmp_path / "k.txt").read_text().splitlines()] == list("101")
    assert "k.txt: label 0 is 'ham'\nk.txt: label 1 is 'spam'\n" in r.talk


def test_families(fx, put, tmp_path):
    put("x.svm", "1 1:1 2:2 3:3\n1 2:1 3:1\n")
    put("sets.txt", "1 2\n# a comment\n2 3\n")
    fx("gram", "x.svm", "-k", "itemset:file=sets.txt", "-o", "k.npy")
    assert np.load(tmp_path / "k.npy").tolist() == [[4 + 36, 6], [6, 1]]
    put("x0.svm", "1 0:1 1:2 2:3\n1 1:1 2:1\n")         # the same rows, the family in its base
    put("sets0.txt", "0 1\n1 2\n")
    fx("gram", "x0.svm", "-k", "itemset:file=sets0.txt", "-o", "k0.npy")
    assert (np.load(tmp_path / "k0.npy") == np.load(tmp_path / "k.npy")).all()
    assert "missing.txt: No such file" in fx("gram", "x.svm", "-k", "itemset:file=missing.txt",
                                             status=2).talk


def test_sets_of_an_inner_kernel_by_name(fx, put):
    put("x.csv", "a,b,y\n1,2,0\n3,1,1\n")
    put("sets.txt", "a b\n")
    assert fx("gram", "x.csv", "-k", "poly:degree=2,coef0=0(itemset:file=sets.txt)").out \
        == b"16,36\n36,81\n"


def test_family_faults_name_the_file(fx, put):
    put("x.svm", "1 1:1 2:2 3:3\n")
    gram = lambda name, **more: fx("gram", "x.svm", "-k", f"itemset:file={name}", "-q", **more)
    put("sets.txt", "1 2\n1 x\n")
    assert "featcross: sets.txt:2:3: " in gram("sets.txt", status=2).talk
    put("twice.txt", "1 2\n2 1\n")
    assert "featcross: twice.txt:2: " in gram("twice.txt", status=2).talk
    put("nul.txt", b"1 2\n\0\n2 3\n")
    assert "nul.txt: not text: a NUL byte" in gram("nul.txt", status=2).talk
    put("bom.txt", b"\xef\xbb\xbf1 2\n")
    assert gram("bom.txt").text == "4\n"
    put("packed.txt.gz", gzip.compress(b"1 2\n"))
    assert gram("packed.txt.gz").text == "4\n"
    fx("convert", "x.svm", "z.npz", "-q")
    assert gram("z.npz", status=2).talk == "featcross: z.npz: a zip file, not text\n"


def test_kernel_is_checked_before_reading(fx):
    assert "anvoa" in fx("gram", "nowhere.svm", "-k", "anvoa", status=2).talk


def test_domain(fx, put):
    put("x.svm", "1 1:2\n")
    assert "featcross: " in fx("gram", "x.svm", "-k", "vovk-inf", "-o", "k.npy", status=2).talk


def test_check(fx, put, tmp_path):
    fx("make", "triples", "-n", "300", "-d", "60", "-o", "x.svm", "-q")
    r = fx("gram", "x.svm", "-k", "anova:order=2", "--check")
    assert re.search(r"^answer +positive semidefinite$", r.text, re.M)
    fx("gram", "x.svm", "-k", "anova:order=2", "-o", "k.npy", "-q")
    j = fx("gram", "x.svm", "-k", "anova:order=2", "--check", "--json").json
    K = np.load(tmp_path / "k.npy")
    # Either side is exact for some K + E, |E| <= n^2 u |K|_F (eigmin.c), and moves by at most |E|.
    tol = len(K) ** 2 * np.finfo(float).eps * np.linalg.norm(K)
    assert abs(j["check"]["smallest"] - np.linalg.eigvalsh(K)[0]) <= tol
    assert j["check"]["rows"] == 300 and j["check"]["psd"] is True and j["output"] is None
    assert math.isclose(j["check"]["mean_diagonal"], np.trace(K) / 300)
    j = fx("gram", "x.svm", "-k", "linear", "--check", "--check-rows", "50", "--json").json
    assert j["check"]["rows"] == 50


def test_check_of_singular_gram(fx, put):
    """More rows than features: the smallest eigenvalue is 0 up to rounding, of either sign."""
    fx("make", "dense-positive", "-n", "200", "-d", "10", "-o", "x.npy", "-q")
    for kernel in ("linear", "poly:degree=2", "anova:order=2"):
        j = fx("gram", "x.npy", "-k", kernel, "--check", "--json").json["check"]
        assert j["psd"] is True and abs(j["smallest"]) < j["tolerance"] < 1e-8 * j["mean_diagonal"]


def test_check_of_huge_values(fx, put):
    """The sum of the diagonal overflows, its mean does not."""
    put("x.svm", "1 1:1e154\n1 1:1e154\n")
    j = fx("gram", "x.svm", "-k", "linear", "--check", "--json").json
    assert j["check"]["psd"] is True and math.isclose(j["check"]["mean_diagonal"], 1e308)


def test_check_and_matrix_both_want_stdout(fx, put):
    put("x.svm", "1 1:1\n")
    for name in ("-", "/dev/stdout"):
        talk = fx("gram", "x.svm", "-k", "linear", "--check", "-o", name, status=2).talk
        assert "--check and -o - both want standard output" in talk


@pytest.mark.parametrize("kernel", ["poly:degree=3,coef0=-5", "exp:gamma=-1",
                                    "maclaurin:coef=1/-1"])
def test_indefinite_kernels_are_refused(fx, put, kernel):
    put("x.svm", "1 1:1\n1 2:1\n1 1:1 2:1\n")
    fx("gram", "x.svm", "-k", kernel, "--check", status=2)


def test_json(fx, put):
    put("x.svm", "1 1:1\n-1 2:1\n")
    j = fx("gram", "x.svm", "-k", "anova", "-o", "k.npy", "--json").json
    assert j["kernel"] == "anova:order=2" and (j["rows"], j["columns"]) == (2, 2)
    assert set(j) == {"rows", "columns", "kernel", "seconds", "output"} and j["output"] == "k.npy"
    assert set(j["seconds"]) == {"read", "gram", "write"}
    fx("gram", "x.svm", "-k", "anova", "-o", "-", "--json", status=2)


needs_gnuplot = pytest.mark.skipif(not shutil.which("gnuplot"), reason="gnuplot is not installed")


@needs_gnuplot
@pytest.mark.parametrize("extension, magic", [("png", b"\x89PNG"), ("svg", b"<?xml")])
def test_plot(fx, put, tmp_path, rows, extension, magic):
    X, y = rows
    put("x.svm", svmlight(X, y))
    fx("gram", "x.svm", "-k", "all-subsets", "-o", "k.npy", "--plot", f"it's.{extension}")
    assert (tmp_path / f"it's.{extension}").read_bytes().startswith(magic)
    shown = np.loadtxt(tmp_path / f"it's.{extension}.data")
    order = np.argsort(y, kind="stable")
    K = np.load(tmp_path / "k.npy")[np.ix_(order, order)]
    root = np.sqrt(np.diag(K))          # all positive: products of 1 + x_j^2
    # Two square roots, a product, a quotient: four roundings on each side.
    rounding = 4 * np.finfo(float).eps
    np.testing.assert_allclose(shown, K / np.outer(root, root), rtol=rounding, atol=0)
    picture = (tmp_path / f"it's.{extension}").read_bytes()
    (tmp_path / f"it's.{extension}").unlink()
    subprocess.run(["gnuplot", f"it's.{extension}.gnuplot"], cwd=tmp_path, check=True)  # by hand
    assert (tmp_path / f"it's.{extension}").read_bytes() == picture


@needs_gnuplot
def test_plot_shows_names_as_they_are(fx, put, tmp_path):
    put("x.svm", "a_b 1:1\nc^d 2:1\n")
    fx("gram", "x.svm", "-k", "linear", "--plot", "p.svg")
    assert "a_b" in (tmp_path / "p.svg").read_text() and "c^d" in (tmp_path / "p.svg").read_text()


@needs_gnuplot
def test_plot_overwrites_nothing(fx, put, tmp_path):
    put("x.tsv", "1\t2\n3\t4\n")
    fx("gram", "x.tsv", "-k", "linear", "--plot", "x.png", "-o", "x.csv")
    assert (tmp_path / "x.tsv").read_text() == "1\t2\n3\t4\n"
    for name in ("y.png", "y.png.data", "y.png.gnuplot"):
        put(name, "1\t2\n3\t4\n")
        talk = fx("gram", name, "--format", "tsv", "-k", "linear", "--plot", "y.png", status=2).talk
        assert f"would overwrite the input {name}" in talk
        talk = fx("gram", "x.tsv", "-k", "linear", "--plot", "y.png", "-o", f"./{name}", "--to",
                  "csv", status=2).talk
        assert "two outputs cannot have one name" in talk
        assert (tmp_path / name).read_text() == "1\t2\n3\t4\n"
        (tmp_path / name).unlink()


@needs_gnuplot
def test_plot_is_checked_before_work(fx):
    talk = fx("gram", "nowhere.svm", "-k", "linear", "--plot", "no/such/p.png", status=2).talk
    assert "no/such/p.png: No such file" in talk


def test_plot_failure_keeps_the_picture(fx, put, tmp_path):
    put("x.svm", "1 1:1\n-1 2:1\n")
    put("p.png", "old")
    put("gnuplot", '#!/bin/sh\ncase $1 in --version) exit 0;; esac\nexit 1\n')
    (tmp_path / "gnuplot").chmod(0o755)
    r = fx("gram", "x.svm", "-k", "linear", "--plot", "p.png", status=2,
           env={"PATH": f"{tmp_path}:/bin:/usr/bin"})
    assert "gnuplot could not draw p.png from p.png.gnuplot" in r.talk
    assert (tmp_path / "p.png").read_text() == "old"


def test_plot_without_gnuplot(fx, put, tmp_path):
    r = fx("gram", "nowhere.svm", "-k", "linear", "--plot", "p.png", status=2,
           env={"PATH": "/nowhere"})
    assert "gnuplot: No such file" in r.talk and "HINT: --plot needs gnuplot" in r.talk
    assert list(tmp_path.iterdir()) == []
    fx("gram", "nowhere.svm", "-k", "linear", "--plot", "p.gif", status=2)

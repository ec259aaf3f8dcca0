# SPDX-License-Identifier: BSD-3-Clause
"""Reading: odd and broken files, pipes, archives, formats.

Covers: cli/files/input_file.c, cli/files/extension.c, cli/tables/load.c,
cli/tables/format_detect.c, cli/tables/format_foreign.c, cli/tables/reading.c,
cli/tables/rows_prepare.c"""

import bz2
import gzip
import io
import json
import lzma
import os
import re
import shutil
import subprocess
import threading

import numpy as np
import pytest
import scipy.sparse

from conftest import svmlight

GRAM = ["gram", "-q", "-k", "linear"]


def refused(fx, name, *args, where=None, word=None):
    """Status 2, no output, a message that names the place and the reason."""
    r = fx("gram", name, "-k", "linear", "-o", "out.npy", *args, status=2)
    assert r.out == b""
    assert not (fx.directory / "out.npy").exists()
    if where:
        assert f"{name}:{where}: " in r.talk
    if word:
        assert re.search(word, r.talk), r.talk
    return r.talk


def info(fx, name, *args):
    return fx("info", name, "--json", *args).json


# The numbers are those of the table of common failures.
def test_01_paths(fx, tmp_path, put):
    assert "nowhere.svm: No such file or directory" in refused(fx, "nowhere.svm")
    (tmp_path / "dir").mkdir()
    assert "dir: Is a directory" in refused(fx, "dir")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_01_not_readable(fx, tmp_path, put):
    put("secret.svm", "1 1:1\n")
    (tmp_path / "secret.svm").chmod(0)
    assert "secret.svm: Permission denied" in refused(fx, "secret.svm")


@pytest.mark.parametrize("content", ["", "\n\n", "# nothing\n"])
def test_02_no_rows(fx, put, content):
    refused(fx, put("x.svm", content), word="no rows")


def test_03_blank_lines(fx, put):
    put("x.svm", "1 1:1\n\n-1 2:1\n\n\n")
    assert info(fx, "x.svm")["blank_lines"] == 3
    assert "blank lines  3" in fx("info", "x.svm").text
    assert "3 blank lines skipped" in fx("gram", "x.svm", "-k", "linear").talk


def test_04_label_only(fx, put):
    put("y.svm", "1\n1   \n-1 2:1\n")
    j = info(fx, "y.svm")
    assert (j["rows"], j["nonzeros"]) == (3, 1)
    put("z.svm", "-1 qid:43\n1 qid:43 1:1\n1 qid:44 1:2\n")
    assert (info(fx, "z.svm")["rows"], info(fx, "z.svm")["queries"]) == (3, 2)


@pytest.mark.parametrize("content", [
    b"1 1:1 2:2\r\n-1 2:1\r\n", b"1\t1:1\t2:2\n-1\t2:1\n", b"1  1:1   2:2  \n-1 2:1",
    b"\xef\xbb\xbf1 1:1 2:2\n-1 2:1\n", b"1 1:1 2:2 # six\n-1 2:1 #\n"])
def test_05_06_accepted(fx, put, content):
    put("plain.svm", "1 1:1 2:2\n-1 2:1\n")
    put("x.svm", content)
    assert fx(*GRAM, "x.svm").out == fx(*GRAM, "plain.svm").out


def test_07_order(fx, put):
    talk = refused(fx, put("x.svm", "1 1:1\n1 15:1 12:2\n"), where="2:8", word="12 after 15")
    assert "--sort" in talk
    put("y.svm", "1 1:1\n1 12:2 15:1\n")
    assert fx(*GRAM, "x.svm", "--sort").out == fx(*GRAM, "y.svm").out


def test_08_duplicates(fx, put):
    talk = refused(fx, put("x.svm", "1 3:1 3:2\n"), where="1:7")
    assert "--sum-duplicates" in talk
    assert fx(*GRAM, "x.svm", "--sum-duplicates").text == "9\n"


def test_09_base(fx, put):
    put("x.svm", "1 0:1 3:1\n")
    refused(fx, "x.svm", "--index-base", "1", where="1:3")
    assert info(fx, "x.svm")["base"] == 0
    refused(fx, put("y.svm", "1 -4:1\n"), where="1:3")


@pytest.mark.parametrize("index", ["2147483648", "4294967296", "100000000000000000000"])
def test_10_huge_index(fx, put, index):
    refused(fx, put("x.svm", f"1 {index}:1\n"), where="1:3", word="exceeds")


def test_11_absurd_width(fx, put):
    put("y.svm", "1 1:1\n1 100000000:1\n")
    r = fx("info", "y.svm", "--max-memory", "1G")
    assert re.search(r"WARNING: y.svm: 100000000 columns .*line 2.*762\.9 MiB", r.talk)
    put("x.svm", "1 1:1\n1 2000000000:1\n")
    r = fx(*GRAM, "x.svm", "--max-memory", "1G", status=4)
    assert "14.9 GiB" in r.talk and "the limit is 1.0 GiB" in r.talk


def test_11_info_costs_what_the_entries_cost(fx, put):
    put("x.svm", "1 1:1 3:-8\n1 3:4 2147483647:2\n")
    r = fx("info", "x.svm", "--max-memory", "10M", "--json")
    assert "one dense row needs 16.0 GiB" in r.talk
    j = json.loads(r.out)
    assert j["columns"] == 2147483647 and j["empty_columns"] == 2147483644
    assert j["column_magnitudes"] == {"min": 1, "min_column": "1", "max": 8, "max_column": "3"}
    put("many.svm", "".join(f"1 {7919 * i % 3000 * 700000 + 1}:{i % 3000 + 1}\n"
                            for i in range(6000)))
    j = json.loads(fx("info", "many.svm", "--max-memory", "10M", "--json").out)
    assert j["empty_columns"] == j["columns"] - 3000 and j["column_magnitudes"]["max"] == 3000
    fx("info", "many.svm", "--max-memory", "80K", status=4)


@pytest.mark.parametrize("token", ["3:", "3", ":5", "4:.", "8.-0.02", "5:1.2abc", "1:1:1"])
def test_12_malformed(fx, put, token):
    refused(fx, put("x.svm", f"1 1:1\n1 2:1 {token}\n"), word=r"x\.svm:2:\d+: ")


@pytest.mark.parametrize("v", ["nan", "inf", "-inf", "1e999"])
def test_13_not_finite(fx, put, v):
    put("x.svm", f"1 1:1\n1 1:{v} 2:3\n")
    refused(fx, "x.svm", word=r"x\.svm:2:\d+: .*--nan zero or drop")
    assert fx(*GRAM, "x.svm", "--nan", "zero").text == "1,0\n0,9\n"
    put("y.svm", f"{v} 1:1\n")
    refused(fx, "y.svm", "--nan", "zero", word=r"y\.svm:1:1: ")


def test_14_formats_mixed_up(fx, put):
    refused(fx, put("x.svm", "1,2,3\n4,5,6\n"), word="(?i)csv")
    refused(fx, put("y.csv", "1 1:2 2:3\n1 1:4 2:5\n"), word="(?i)svmlight")


def test_15_fields(fx, put):
    put("x.svm", "1 1:2:0.5 2:7:1\n")
    assert "--ignore-fields" in refused(fx, "x.svm", word="field-aware")
    put("y.svm", "1 2:0.5 7:1\n")
    assert fx(*GRAM, "x.svm", "--ignore-fields").out == fx(*GRAM, "y.svm").out


def test_16_text_labels(fx, put):
    refused(fx, put("x.svm", "rating 1:1\n5 1:1\n3 2:1\n"), word=r"x\.svm:\d+:\d+: ")
    put("y.svm", "spam 1:1\nham 1:1\nspam 2:1\n")
    assert info(fx, "y.svm")["labels"]["classes"] == [
        {"label": "ham", "rows": 1}, {"label": "spam", "rows": 2}]


def test_17_long_lines(fx, put):
    n = 1000000
    put("x.svm", "1 " + " ".join(f"{j}:1" for j in range(1, n + 1)) + "\n1 1000000:2\n")
    j = info(fx, "x.svm")
    assert (j["rows"], j["columns"], j["nonzeros"]) == (2, n, n + 1)
    put("y.svm", "1 1:1 # " + "x" * 50000000 + "\n1 1:2\n")     # longer than a batch
    assert info(fx, "y.svm")["rows"] == 2


def test_18_locale(fx, put, german):
    put("x.svm", "1 1:0.5 2:1.25\n")
    for env in ({}, german):
        assert fx(*GRAM, "x.svm", env=env).text == "1.8125\n"


def test_23_arguments(fx, put):
    put("x.svm", "1 1:1\n")
    for spec in ("anova:order=0", "anova:order=-1", "anova:order=17", "anova:order=1e9",
                 "poly:degree=-1", "nothing", "anova:rank=3", "maclaurin:coef=1/-1",
                 "anova-upto:order=2,theta=1/-1"):
        assert spec.split(":")[0] in fx("gram", "x.svm", "-k", spec, status=2).talk
    for args in (["-n", "0"], ["-n", "-1"], ["-d", "0"], ["-n", "99999999999999999999"],
                 ["--noise", "2"], ["--nz", "1000000"]):
        fx("make", "triples", *args, "-o", "t.svm", status=2)


# ---- The same rows by every way in ------------------------------------------------------------
def through_zstd(data):
    return subprocess.run(["zstd", "-qc"], input=data, capture_output=True, check=True).stdout


PACKED = {"gz": gzip.compress, "xz": lzma.compress, "bz2": bz2.compress, "zst": through_zstd}
needs_zstd = pytest.mark.skipif(not shutil.which("zstd"), reason="zstd is not installed")


@pytest.fixture
def text(rows):
    return svmlight(*rows).encode()


@pytest.mark.parametrize("extension", ["gz", "xz", "bz2", pytest.param("zst", marks=needs_zstd)])
def test_packed(fx, put, text, extension):
    put("x.svm", text)
    put(f"x.svm.{extension}", PACKED[extension](text))
    want = fx(*GRAM, "x.svm").out
    assert fx(*GRAM, f"x.svm.{extension}").out == want
    assert fx(*GRAM, "-", stdin=PACKED[extension](text)).out == want
    put("noname", PACKED[extension](text))
    assert fx(*GRAM, "noname").out == want


def test_gzip_members_and_truncation(fx, put, text):
    half = text.index(b"\n", len(text) // 2) + 1
    put("x.svm", text)
    put("two.svm.gz", gzip.compress(text[:half]) + gzip.compress(text[half:]))
    assert fx(*GRAM, "two.svm.gz").out == fx(*GRAM, "x.svm").out
    put("cut.svm.gz", gzip.compress(text)[:-20])
    refused(fx, "cut.svm.gz", word="cut.svm.gz: ")
    refused(fx, put("empty.svm.gz", gzip.compress(b"")), word="no rows")


def test_stdin_and_pipes(fx, put, text, tmp_path, program):
    put("x.svm", text)
    want = fx(*GRAM, "x.svm").out
    assert fx(*GRAM, "-", stdin=text).out == want
    os.mkfifo(tmp_path / "pipe")

    def dribble():                      # cuts in the middle of lines and numbers
        with open(tmp_path / "pipe", "wb", buffering=0) as f:
            for i in range(0, len(text), 7):
                f.write(text[i:i + 7])

    t = threading.Thread(target=dribble)
    t.start()
    assert fx(*GRAM, "pipe").out == want
    t.join()
    fx(*GRAM, "-", "-", status=2, stdin=text)


def test_batches_do_not_show(fx, put, tmp_path):
    """More than one batch of 8 MiB, by file and by pipe, by 1 and 2 threads: the same facts."""
    line = b"1 1:0.5 7:2 900:1\n"
    many = b"".join([line] * 700000) + b"-1 1:1\n"
    put("x.svm", many)
    facts = info(fx, "x.svm", "--threads", "1")
    assert (facts["rows"], facts["nonzeros"]) == (700001, 2100001)
    for other in (info(fx, "x.svm", "--threads", "2"), fx("info", "-", "--json", stdin=many).json):
        for key in facts:
            if key not in ("file", "seconds"):
                assert other[key] == facts[key]
    put("y.svm", many + b"1 2:1 1:1\n")
    for args in (["y.svm"], ["y.svm", "--threads", "1"]):
        assert "y.svm:700002:7: " in fx("info", *args, status=2).talk


@pytest.mark.parametrize("name, content, want", [
    ("a", "1 1:1\n", "svmlight"), ("a", "1,2\n3,4\n", "csv"), ("a", "1\t2\n3\t4\n", "tsv"),
    ("a", "1;2\n3;4\n", "csv"), ("a", "# c\n\nx 3:1\n", "svmlight"), ("a.txt", "a,b\n1,2\n", "csv"),
    ("a.txt", "1 1:1\n", "svmlight"), ("a.tsv", "1\t2\n", "tsv"), ("a.csv", "1,2\n", "csv"),
    ("a.libsvm", "1 1:1\n", "svmlight"), ("a.csv", "1\t2\n", "csv")])
def test_formats_found(fx, put, name, content, want):
    put(name, content)
    assert info(fx, name)["format"] == want
    found = fx("info", "-", "--json", "--format", want, stdin=content.encode()).json
    assert found["format"] == want


def test_csv_options(fx, put):
    put("x.csv", "a,y,b\n1,5,2\n3,7,4\n")
    dot = lambda *args: np.loadtxt(io.BytesIO(fx(*GRAM, "x.csv", *args).out), delimiter=",")
    assert dot()[0, 0] == 1 + 25        # the last column is the label
    assert dot("--label", "y")[0, 0] == 1 + 4
    assert dot("--label", "first")[0, 0] == 25 + 4
    assert dot("--label", "none", "--header")[1, 1] == 9 + 49 + 16
    put("n.csv", "1,2\n3,4\n")
    assert info(fx, "n.csv", "--header")["rows"] == 1
    assert info(fx, "n.csv", "--no-header")["rows"] == 2
    fx("info", "x.csv", "--label", "nothing", status=2)
    assert "--no-header" in fx("info", "n.csv", "--header", "--no-header", status=2).talk


def test_misplaced_options(fx, put):
    put("x.svm", "1 1:1\n")
    put("x.csv", "1,2\n")
    for args in (["x.svm", "--label", "y"], ["x.csv", "--sort"], ["x.csv", "--index-base", "1"],
                 ["x.svm", "--header"]):
        assert args[1] in fx("info", *args, status=2).talk


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4"])
def test_npy(fx, tmp_path, dtype):
    X = np.arange(12).reshape(4, 3).astype(dtype)
    np.save(tmp_path / "x.npy", X)
    K = np.loadtxt(io.BytesIO(fx(*GRAM, "x.npy").out), delimiter=",")
    assert (K == X.astype(float) @ X.T.astype(float)).all()
    data = (tmp_path / "x.npy").read_bytes()
    assert (np.loadtxt(io.BytesIO(fx(*GRAM, "-", stdin=data).out), delimiter=",") == K).all()
    (tmp_path / "cut.npy").write_bytes(data[:-3])
    refused(fx, "cut.npy")


@pytest.mark.parametrize("compressed", [False, True])
def test_npz(fx, tmp_path, rows, compressed):
    X, _ = rows
    scipy.sparse.save_npz(tmp_path / "x.npz", scipy.sparse.csr_matrix(X), compressed=compressed)
    fx("gram", "x.npz", "-k", "linear", "-o", "k.npy")
    # Sums of d products, rounded d times on each side.
    bound = 2 * X.shape[1] * np.finfo(float).eps * (np.abs(X) @ np.abs(X).T)
    assert (np.abs(np.load(tmp_path / "k.npy") - X @ X.T) <= bound).all()
    packed = (tmp_path / "x.npz").read_bytes()
    fx("gram", "-", "-k", "linear", "-o", "k2.npy", stdin=packed)
    assert (np.load(tmp_path / "k2.npy") == np.load(tmp_path / "k.npy")).all()
    (tmp_path / "cut.npz").write_bytes(packed[:len(packed) // 2])
    fx("info", "cut.npz", status=2)
    fx("info", "x.npz", "--format", "csv", status=2)


def test_memory_limit(fx, put):
    put("x.svm", "1 1:1 2:1\n" * 100000)
    r = fx(*GRAM, "x.svm", "--max-memory", "100M", status=4)
    assert "74.5 GiB" in r.talk and "the limit is 100.0 MiB" in r.talk
    fx("info", "x.svm", "--max-memory", "100K", status=4)


@pytest.mark.parametrize("name, begin, said", [
    ("a.parquet", b"PAR1\x15\x04", "a Parquet file, which is not read; write the table as CSV"),
    ("a.feather", b"ARROW1\0\0", "an Arrow or Feather file"),
    ("a.h5", b"\x89HDF\r\n\x1a\n", "an HDF5 file"),
    ("a.rows", b"featcross rows, format 1\n\n", "a file of packed rows (--spill), which is not read; name the files"),
    ("a.ckpt", b"fxckpt1\n\0\0", "a file of --checkpoint, which is not read; name the files"),
    ("a.db", b"SQLite format 3\0", "an SQLite database"),
    ("a.pkl", b"\x80\x04\x95", "a Python pickle"),
    ("a.xlsx", b"PK\x03\x04\x14", "a spreadsheet"),
    ("a.zip", b"PK\x03\x04\x14", "a zip archive, which is not read; unpack it first"),
    ("a.csv.lz4", b"\x04\x22\x4d\x18\x64", "compressed by lz4"),
    ("a.csv", "a,b\n1,2\n".encode("utf-16"), "text in UTF-16, which is not read; convert it with iconv"),
    ("a.json", b'[{"a":1}]', "JSON"),
])
def test_formats_of_others(fx, put, name, begin, said):
    (fx.directory / name).write_bytes(begin + b" " * 20)
    r = fx("train", name, "-o", "m.fx", status=2)
    assert f"{name} is {said}" in r.talk and not (fx.directory / "m.fx").exists()

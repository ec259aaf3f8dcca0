# SPDX-License-Identifier: BSD-3-Clause
"""Compressed files and npz: whole ones are read, damaged ones refused.  FEATCROSS_PACKED names the
program of tests/packed, which tries every bit.

Covers: cli/files/decode.c, cli/files/decode_bzip2.c, cli/files/decode_gzip.c,
cli/files/decode_xz.c, cli/files/decode_zstd.c, cli/files/zip_list.c, cli/files/zip_read.c,
cli/files/zip_write.c, cli/files/input_file.c, cli/files/input_packed.c"""

import bz2
import gzip
import io
import lzma
import os
import pathlib
import shutil
import struct
import subprocess
import zipfile
import zlib

import numpy as np
import pytest
import scipy.sparse

from conftest import PROGRAM, SLOW, svmlight

DAMAGE = os.environ.get("FEATCROSS_PACKED",
                        str(pathlib.Path(PROGRAM).parent / "tests/packed/packed"))
GRAM = ["gram", "-q", "-k", "linear"]
needs_zstd = pytest.mark.skipif(not shutil.which("zstd"), reason="zstd is not installed")


def zstd(data, *args):
    done = subprocess.run(["zstd", "-qc", *args], input=data, capture_output=True, check=True)
    return done.stdout


def xz(data, **options):
    return lzma.compress(data, format=lzma.FORMAT_XZ, **options)


PACK = {"gz": gzip.compress, "xz": xz, "bz2": bz2.compress, "zst": zstd}
FAST = {"gz": gzip.compress, "xz": lambda data: xz(data, preset=0),   # little memory to clear
        "bz2": lambda data: bz2.compress(data, 1), "zst": zstd}
each = pytest.mark.parametrize("kind", ["gz", "xz", "bz2", pytest.param("zst", marks=needs_zstd)])


@pytest.fixture
def text(rows):
    return svmlight(*rows).encode()


@pytest.fixture
def halves(text):
    half = text.index(b"\n", len(text) // 2) + 1
    return text[:half], text[half:]


@pytest.fixture
def damage(tmp_path):
    def run(*args):
        done = subprocess.run([DAMAGE, *args], cwd=tmp_path, capture_output=True, text=True,
                              timeout=60 * SLOW)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


def npz(compressed):
    buf = io.BytesIO()
    (np.savez_compressed if compressed else np.savez)(buf, x=np.arange(6.0).reshape(2, 3),
                                                      y=np.ones(2))
    return buf.getvalue()


# ---- Damage -----------------------------------------------------------------------------------
@each
def test_each_bit_and_cut(put, damage, text, kind):
    said = damage("damage", put(f"x.svm.{kind}", FAST[kind](text[:400])))
    if kind == "xz":                    # everything in it is checked
        assert said.endswith(" 0 bits without meaning\n")


@pytest.mark.parametrize("compressed", [False, True])
def test_each_bit_and_cut_of_npz(fx, put, damage, text, compressed):
    put("x.svm", text[:text.index(b"\n", 300) + 1])
    fx("convert", "x.svm", "ours.npz", "-q")
    damage("damage", put("x.npz", npz(compressed)), "ours.npz")


@each
def test_first_bytes(fx, put, text, kind):
    """A damaged beginning does not make text of a packed file."""
    for bit in range(16):
        data = bytearray(PACK[kind](text))
        data[bit // 8] ^= 1 << bit % 8
        fx("info", put(f"x.svm.{kind}", bytes(data)), status=2)
    assert "needs a name without" in fx("info", put(f"y.svm.{kind}", text), status=2).talk
    assert "no rows" in fx("info", put(f"z.svm.{kind}", b""), status=2).talk


@each
def test_damage_in_the_program(fx, put, text, kind):
    data = bytearray(PACK[kind](text))
    data[len(data) // 2] ^= 4
    put("x.svm", text)
    fx("convert", "x.svm", "out.npy", "-q")
    before = (fx.directory / "out.npy").read_bytes()
    r = fx("convert", put(f"bad.svm.{kind}", bytes(data)), "out.npy", status=2)
    assert f"bad.svm.{kind}: byte " in r.talk and "damaged" in r.talk
    assert (fx.directory / "out.npy").read_bytes() == before
    fx("info", "-", stdin=bytes(data), status=2)
    whole = PACK[kind](text)
    r = fx("info", put(f"more.svm.{kind}", whole + b"more"), status=2)
    assert f"byte {len(whole)}: " in r.talk and "other bytes follow" in r.talk
    r = fx("info", put(f"cut.svm.{kind}", whole[:-3]), status=2)
    assert f"byte {len(whole) - 3}: " in r.talk and "ends too early" in r.talk


# ---- Several members, empty ones --------------------------------------------------------------
@each
def test_members(fx, put, text, halves, kind):
    put("x.svm", text)
    want = fx(*GRAM, "x.svm").out
    pack, (a, b) = PACK[kind], halves
    cut = pack(a) + pack(b"") + pack(b)
    assert fx(*GRAM, put(f"two.svm.{kind}", cut)).out == want
    assert fx(*GRAM, "-", stdin=cut).out == want
    fx("info", put(f"cut.svm.{kind}", cut[:-1]), status=2)
    assert "no rows" in fx("info", put(f"empty.svm.{kind}", pack(b"")), status=2).talk


def test_xz_padding(fx, put, text, halves):
    put("x.svm", text)
    want = fx(*GRAM, "x.svm").out
    a, b = map(xz, halves)
    assert fx(*GRAM, put("pad.svm.xz", a + bytes(8) + b + bytes(4))).out == want
    for bad in (a + bytes(3) + b, a + b + bytes(2), bytes(4) + a):
        fx("info", put("bad.svm.xz", bad), status=2)


@needs_zstd
def test_zstd_skippable_frames(fx, put, text, halves):
    put("x.svm", text)
    want = fx(*GRAM, "x.svm").out
    skip = struct.pack("<II", 0x184D2A53, 7) + b"comment"
    a, b = map(zstd, halves)
    for data in (skip + a + b, a + skip + b, a + b + skip + skip):
        assert fx(*GRAM, put("skip.svm.zst", data)).out == want
    fx("info", put("skip.svm.zst", a + b + skip[:-1]), status=2)


# ---- What cannot be checked, what is too large ------------------------------------------------
def test_no_checksum(fx, put, text):
    packed = {"xz": xz(text, check=lzma.CHECK_NONE)}
    if shutil.which("zstd"):
        packed["zst"] = zstd(text, "--no-check")
    for kind, data in packed.items():
        r = fx("info", put(f"x.svm.{kind}", data))
        assert r.talk.count("without a checksum") == 1
        assert fx("info", put(f"y.svm.{kind}", PACK[kind](text))).talk.count("checksum") == 0


def test_window_limit(fx, put, text):
    put("x.svm.xz", xz(text, preset=9))
    r = fx("info", "x.svm.xz", "--max-memory", "8M", status=4)
    assert "x.svm.xz: unpacking" in r.talk and " MiB, the limit is 8.0 MiB" in r.talk
    if shutil.which("zstd"):
        big = zstd(text * 2000, "--long=27")
        r = fx("info", put("x.svm.zst", big), "--max-memory", "8M", status=4)
        assert "x.svm.zst: unpacking" in r.talk and "256.0 MiB, the limit is 8.0 MiB" in r.talk


# ---- zip ----------------------------------------------------------------------------------------
def test_npz_that_we_write(fx, put, rows, tmp_path):
    X, y = rows
    put("x.svm", svmlight(X, y))
    fx("convert", "x.svm", "x.npz", "-q")
    data = (tmp_path / "x.npz").read_bytes()
    with zipfile.ZipFile(tmp_path / "x.npz") as z:
        assert z.testzip() is None
        assert {i.date_time for i in z.infolist()} == {(1980, 1, 2, 0, 0, 0)}
        assert {i.compress_type for i in z.infolist()} == {zipfile.ZIP_STORED}
    assert np.load(tmp_path / "x.npz")["labels"].tolist() == y
    assert (scipy.sparse.load_npz(tmp_path / "x.npz") != scipy.sparse.csr_matrix(X)).nnz == 0
    with open(tmp_path / "pipe.npz", "wb") as f:        # the same bytes to a pipe, in any place
        f.write(subprocess.run([PROGRAM, "convert", "x.svm", "-", "--to", "npz", "-q"],
                               env={**os.environ, "TZ": "Asia/Tokyo"}, check=True, cwd=tmp_path,
                               stdout=subprocess.PIPE).stdout)
    assert (tmp_path / "pipe.npz").read_bytes() == data
    if shutil.which("unzip"):
        subprocess.run(["unzip", "-tq", "x.npz"], cwd=tmp_path, check=True, capture_output=True)


def test_zip64(damage, tmp_path):
    """All sizes and offsets but 0 as 64 bits; Python's reader agrees with ours."""
    damage("wide", "wide.zip")
    with zipfile.ZipFile(tmp_path / "wide.zip") as z:
        assert z.testzip() is None
        assert {n: z.read(n) for n in z.namelist()} == {"a.npy": b"one", "empty": b"",
                                                        "b.npy": b"four56"}


def test_npz_by_pipe_and_from_the_middle(fx, put, tmp_path):
    data = npz(True)
    want = fx(*GRAM, put("x.npz", data)).out
    assert fx(*GRAM, "-", stdin=data).out == want
    r = fx("info", "-", "--max-memory", "200", stdin=data, status=4)
    assert "memory" in r.talk
    with open(tmp_path / put("later.npz", b"12345" + data), "rb") as f:
        os.lseek(f.fileno(), 5, os.SEEK_SET)
        done = subprocess.run([PROGRAM, *GRAM, "-"], stdin=f, capture_output=True, check=True)
    assert done.stdout == want


def entry(name=b"x.npy", data=b"12345678", method=0, flags=0, offset=0, size=None, packed=None,
          crc=None, local=None):
    """A member and its entry of the directory; local: what its header says instead."""
    raw = data
    if method == 8:
        z = zlib.compressobj(wbits=-15)
        raw = z.compress(data) + z.flush()
    facts = dict(name=name, method=method, flags=flags,
                 crc=zlib.crc32(data) if crc is None else crc,
                 packed=len(raw) if packed is None else packed,
                 size=len(data) if size is None else size)
    head = {**facts, **(local or {})}
    first = struct.pack("<IHHHHHIIIHH", 0x04034B50, 20, head["flags"], head["method"], 0, 34,
                        head["crc"], head["packed"], head["size"], len(head["name"]), 0)
    second = struct.pack("<IHHHHHHIIIHHHHHII", 0x02014B50, 20, 20, facts["flags"], facts["method"],
                         0, 34, facts["crc"], facts["packed"], facts["size"], len(name), 0, 0, 0, 0,
                         0, offset)
    return first + head["name"] + raw, second + name


def zipped(*entries, count=None, at=None, comment=b"", behind=b""):
    body = b"".join(e[0] for e in entries)
    directory = b"".join(e[1] for e in entries)
    n = len(entries) if count is None else count
    return body + directory + struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, n, n, len(directory),
                                          len(body) if at is None else at, len(comment)
                                          ) + comment + behind


def array():
    buf = io.BytesIO()
    np.save(buf, np.arange(6.0).reshape(2, 3))
    return buf.getvalue()


def test_hostile_zip(fx, put):
    x = array()
    good = entry(data=x)
    assert fx("info", put("x.npz", zipped(good)), "--json").json["rows"] == 2
    assert fx("info", put("x.npz", zipped(good, comment=b"hello")), "--json").json["rows"] == 2
    assert fx("info", put("x.npz", zipped(entry(data=x, method=8))), "--json").json["rows"] == 2
    n = len(x)
    bad = {
        "checksum": zipped(entry(data=x, crc=1)),
        "encrypted": zipped(entry(data=x, flags=1)),
        r"method 12 (bzip2)": zipped(entry(data=x, method=12)),
        r"method 14 (lzma)": zipped(entry(data=x, method=14)),
        r"method 9 (deflate64)": zipped(entry(data=x, method=9)),
        "flags 0x0020": zipped(entry(data=x, flags=32)),
        "two sizes differ": zipped(entry(data=x, size=n + 1)),
        "overlaps": zipped(entry(data=x, size=n + 100, packed=n + 100)),
        "overlaps ": zipped(entry(name=b"y.npy", data=x), entry(name=b"x.npy", data=x, local={
            "name": b"y.npy"})[:1] + (entry(name=b"y.npy", data=x)[1],)),
        "contradicts": zipped(entry(data=x, local={"name": b"y.npy"})),
        "contradicts ": zipped(entry(data=x, local={"size": 1})),
        "contradicts  ": zipped(entry(data=x, local={"method": 8})),
        "incomplete": zipped(entry(data=x, offset=2**31)),
        "holds less": zipped(entry(data=x, method=8, size=n + 1)),
        "holds more": zipped(entry(data=x, method=8, size=n - 1)),
        "too short for": zipped(good, count=3),
        "after its last": zipped(good, (b"", good[1]), count=1),
        "where it should be": zipped(good, at=1),
        "other bytes follow": zipped(good, behind=b"x"),
        "not text": zipped(entry(name=b"x\n.npy", data=x)),
        "is empty, ": zipped(entry(name=b"", data=x)),
        "too long or": zipped(entry(name=b"x" * 300, data=x)),
    }
    for word, data in bad.items():
        r = fx("info", put("bad.npz", data), status=2)
        assert "bad.npz: byte " in r.talk and word.strip() in r.talk, (word, r.talk)
        assert fx("info", "-", stdin=data, status=2).talk == r.talk.replace("bad.npz", "stdin")


def test_other_members(fx, put):
    """Names are the library's to judge."""
    r = fx("info", put("x.npz", zipped(entry(name=b"../../etc/passwd", data=array()))), status=2)
    assert "member '../../etc/passwd' is not read" in r.talk


@pytest.mark.parametrize("magic", [b"\x1f\x8b", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd"])
def test_a_magic_number_cut_short_is_no_text(fx, magic):
    """From a pipe, where no name tells."""
    for n in range(2 if magic[:1] == b"(" else 1, len(magic)):
        assert f"byte {n}: compressed data ends" in fx("info", "-", stdin=magic[:n], status=2).talk
    fx("info", "-", stdin=b"\xc2\xb5 1:1\n")           # a label

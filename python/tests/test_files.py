# SPDX-License-Identifier: BSD-3-Clause
"""Files as sources of a fit: formats, compression, several files as one, errors that name the line;
the same model as that of the program."""
import bz2
import gzip
import lzma
import subprocess
from pathlib import Path

import numpy as np
import pytest

from featcross import Files, KernelPCA, LinearClassifier, LinearRegressor, load
from featcross._passes.stream import source_of

N = 9000


def logistic(**more):
    return LinearClassifier(loss="logistic", random_state=1, **more)


def fitted(*names, **more):
    return logistic().fit(Files(*names, **more)).model_.dump()


@pytest.fixture(scope="module")
def lines():
    """svmlight, with columns from 1 that come late."""
    rng = np.random.default_rng(1)
    C = np.sort(rng.integers(0, 10, (N, 5)) + 10 * np.arange(5), axis=1) + 1
    V = rng.normal(size=(N, 5)).round(3)
    y = np.where(V.sum(axis=1) > 0, 1, -1)
    C[:5000, 4] = 45
    return [f"{a} " + " ".join(f"{c}:{v}" for c, v in zip(*row)) + "\n"
            for a, row in zip(y.tolist(), zip(C.tolist(), V.tolist()))]


@pytest.fixture(scope="module")
def table():
    """A header and lines of CSV; the last categories come late."""
    rng = np.random.default_rng(2)
    size, city = rng.normal(size=N).round(3), rng.choice(["Rome", "Oslo", "Bern"], N)
    city[8000:8010] = "Ulm"
    label = np.where((city == "Rome") ^ (size > 0), "yes", "no")
    rows = [f"{s},{c},{a}\n" for s, c, a in zip(size.tolist(), city, label)]
    return "size,city,label\n", rows


@pytest.fixture
def svm(lines, tmp_path):
    path = tmp_path / "all.svm"
    path.write_text("".join(lines))
    return path


@pytest.fixture
def csv(table, tmp_path):
    path = tmp_path / "all.csv"
    path.write_text(table[0] + "".join(table[1]))
    return path


# ---- The same model -----------------------------------------------------------------------------
def test_names_that_are_sources(svm):
    known = fitted(svm)
    for source in (str(svm), svm, [svm], [str(svm)], (str(svm),)):
        assert logistic().fit(source).model_.dump() == known
    for rows in ([[1.0]], [], np.eye(2), ["a", 1.0], None, [["a"]]):
        assert source_of(rows) is None
    assert repr(Files("a.svm")) == "Files('a.svm', reader=None)"
    assert repr(Files(["a.svm", Path("b.svm")], reader="svmlight")) == \
        "Files('a.svm', 'b.svm', reader='svmlight')"
    with pytest.raises(ValueError, match="takes the name of a file"):
        Files()


def test_advice_for_missing_numbers(tmp_path):
    """What the message says can be done with a file."""
    path = tmp_path / "ages.csv"
    path.write_text("age,y\n1,0\n,1\n3,0\n4,1\n")
    with pytest.raises(ValueError, match="such as missing='mean'"):
        logistic().fit(path)
    assert logistic(missing="mean").fit(path).missing_["values"] == 1


def test_rows_are_those_of_arrays(svm):
    svmlight = pytest.importorskip("sklearn.datasets").load_svmlight_file
    X, y = svmlight(str(svm))
    model, known = logistic().fit(svm), logistic().fit(X, y)
    assert (model.coef_ == known.coef_).all() and (model.intercept_ == known.intercept_).all()
    assert model.n_features_in_ == X.shape[1] and model.n_iter_ == known.n_iter_
    assert model.classes_.tolist() == [-1, 1] and model.classes_.dtype == np.int64
    assert (model.predict(X) == known.predict(X)).all()


@pytest.mark.parametrize("more", [[], ["--max-memory", "2M"]], ids=["memory", "stream"])
def test_program_fits_the_same(more, svm, csv, tmp_path, program):
    for path, reader in ((svm, None), (csv, "csv:label=label")):
        out = tmp_path / "program.fx"
        label = ["--label", "label"] if reader else []
        subprocess.run([program, "train", path, "--model", "logistic:tol=0.001", "-C", "1", "-q",
                        "--seed", "1", "--scale", "none", "-o", out, *label, *more], check=True)
        assert out.read_bytes() == fitted(path, reader=reader)


@pytest.mark.parametrize("missing", ["mean", "mean,indicator", "category"])
def test_missing_numbers(missing, table, tmp_path, program):
    path, out = tmp_path / "holes.csv", tmp_path / "program.fx"
    path.write_text(table[0] + "".join(line if i % 9 else "," + line.split(",", 1)[1]
                                       for i, line in enumerate(table[1])))
    model = logistic(missing=missing).fit(path)
    subprocess.run([program, "train", path, "--model", "logistic:tol=0.001", "-C", "1", "-q",
                    "--seed", "1", "--scale", "none", "--nan", missing, "-o", out], check=True)
    assert out.read_bytes() == model.model_.dump()
    assert model.missing_["values"] == N // 9
    with pytest.raises(ValueError, match=r"holes\.csv:2:1:"):
        logistic().fit(path)


PACK = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress, "": bytes}


def test_several_files_and_compression(lines, svm, tmp_path):
    known, ends = fitted(svm), [0, 1, 100, 5000, N]
    names = []
    for (extension, pack), a, b in zip(PACK.items(), ends, ends[1:]):
        names.append(tmp_path / f"part{a}.svm{extension}")
        text = "".join(lines[a:b])      # the last line need not end
        names[-1].write_bytes(pack(text[:-1].encode()))
    assert fitted(*names) == known
    assert logistic(n_jobs=2).fit(names, max_memory="4M").model_.dump() == known


def test_zstd(svm, tmp_path):
    try:
        from compression.zstd import compress
    except ImportError:
        compress = getattr(pytest.importorskip("zstandard"), "compress")
    path = tmp_path / "rows.svm.zst"
    path.write_bytes(compress(svm.read_bytes()))
    assert fitted(path) == fitted(svm)


def test_several_tables(table, csv, tmp_path):
    head, rows = table
    known, ends, names = fitted(csv), [0, 3000, 3001, N], []
    for a, b in zip(ends, ends[1:]):
        names.append(tmp_path / f"part{a}.csv")
        names[-1].write_text(head + "".join(rows[a:b]))
    assert fitted(*names) == known


def test_an_index_0_that_comes_late(lines, tmp_path):
    """Columns count from 0, as is seen after some blocks."""
    one, two = tmp_path / "one.svm", tmp_path / "two.svm"
    one.write_text("".join(lines))
    two.write_text("1 0:1 3:2.5\n-1 3:1\n")
    both = tmp_path / "both.svm"
    both.write_text("".join(lines) + two.read_text())
    model = logistic().fit([one, two], max_memory="4M")
    assert model.model_.dump() == fitted(both, reader="svmlight:base=0")
    assert model.n_features_in_ == logistic().fit(one).n_features_in_ + 1


def test_a_first_row_is_no_header(tmp_path):
    for name, rows in (("a", "1,2,0\n3,1,1\n"), ("b", "1,2,0\n4,1,1\n"), ("ab", None)):
        text = rows or "1,2,0\n3,1,1\n1,2,0\n4,1,1\n"
        (tmp_path / f"{name}.csv").write_text(text)
    assert fitted(tmp_path / "a.csv", tmp_path / "b.csv") == fitted(tmp_path / "ab.csv")


def test_a_table_is_predicted_by_name(csv, tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv(csv)
    model = logistic().fit(csv)
    known = logistic().fit(frame[["size", "city"]], frame["label"])
    assert model.encoder_.names == known.encoder_.names and not hasattr(model, "feature_names_in_")
    assert model.classes_.tolist() == ["no", "yes"]
    assert (model.predict(frame[["city", "size"]]) == known.predict(frame[["size", "city"]])).all()
    model.save(tmp_path / "m.fx")
    assert load(tmp_path / "m.fx").encoder_.names == model.encoder_.names


def test_columns_of_numbers(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text("u\tv\tw\n" + "".join(f"{i}\t{i * i % 7}\t{3 * i}\n" for i in range(50)))
    model = LinearRegressor(random_state=1, C=1e6).fit(path)
    assert model.feature_names_in_.tolist() == ["u", "v"]
    assert np.allclose(model.coef_, [3, 0], atol=1e-3)


def test_arrays(tmp_path):
    X = np.random.default_rng(1).normal(size=(5000, 3))
    y = (X[:, 0] > 0).astype(float)
    np.savez(tmp_path / "a.npz", x=X, y=y)
    np.savez_compressed(tmp_path / "b.npz", x=X[:100], y=y[:100])
    assert (logistic().fit(tmp_path / "a.npz").coef_ == logistic().fit(X, y).coef_).all()
    small = logistic().fit(tmp_path / "b.npz")
    assert (small.coef_ == logistic().fit(X[:100], y[:100]).coef_).all()
    with pytest.raises(ValueError, match="b.npz: several files must be text, and .*a.npz is npz"):
        logistic().fit([tmp_path / "a.npz", tmp_path / "b.npz"])
    np.save(tmp_path / "c.npy", X)
    with pytest.raises(ValueError, match=r"c\.npy has no labels"):
        logistic().fit(tmp_path / "c.npy")


def test_words(tmp_path):
    path = tmp_path / "mail"
    path.write_text("spam buy now\nham see you now\n" * 30)
    model = logistic().fit(Files(path, reader="text"))
    assert model.classes_.tolist() == ["ham", "spam"]
    assert model.model_.names() == ["buy", "now", "see", "you"]


def test_weights_of_a_column(tmp_path):
    path = tmp_path / "a.csv"
    rows = [(i % 5, i % 3, i % 2, 1 + i % 4) for i in range(200)]
    path.write_text("u,v,label,w\n" + "".join(f"{a},{b},{c},{d}\n" for a, b, c, d in rows))
    A = np.array(rows, dtype=np.float32)
    model = logistic().fit(Files(path, reader="csv:label=label,weight=w"))
    assert (model.coef_ == logistic().fit(A[:, :2], A[:, 2], A[:, 3]).coef_).all()


# ---- Errors -------------------------------------------------------------------------------------
def test_errors_name_the_file_and_the_line(svm, table, tmp_path):
    bad = tmp_path / "bad.svm"
    bad.write_text("1 1:1\n-1 1:x\n")
    with pytest.raises(ValueError, match=r"bad\.svm:2:6: "):
        logistic().fit([svm, bad])
    head, rows = table
    one, two = tmp_path / "one.csv", tmp_path / "two.csv"
    one.write_text(head + "".join(rows[:50]))
    two.write_text(head + "".join(rows[50:60]) + "x,Rome,yes\n")
    with pytest.raises(ValueError, match=r"two\.csv:12:1: 'x' is not"):
        logistic().fit([one, two])
    two.write_text("".join(rows[50:60]))
    with pytest.raises(ValueError, match=r"two\.csv:1:"):
        logistic().fit([one, two])


def test_files_that_are_none(svm, csv, tmp_path):
    with pytest.raises(FileNotFoundError):
        logistic().fit("nowhere.svm")
    with pytest.raises(ValueError, match=r"all\.csv:1:"):
        logistic().fit([svm, csv])
    cut = tmp_path / "cut.svm.gz"
    cut.write_bytes(gzip.compress(svm.read_bytes())[:-100])
    with pytest.raises(ValueError, match=r"cut\.svm\.gz: "):
        logistic().fit(cut)
    empty = tmp_path / "empty.svm"
    empty.touch()
    with pytest.raises(ValueError, match="empty.svm"):
        logistic().fit(empty)
    with pytest.raises(ValueError, match="y holds text, such as 'no', and a regressor"):
        LinearRegressor().fit(csv)
    with pytest.raises(ValueError, match="one class only"):
        one = tmp_path / "one.svm"
        one.write_text("1 1:2\n1 1:3\n")
        logistic().fit(one)
    with pytest.raises(ValueError, match="continuous"):
        fraction = tmp_path / "fraction.svm"
        fraction.write_text("1.5 1:2\n1 1:3\n")
        logistic().fit(fraction)
    with pytest.raises(ValueError, match="KernelPCA with these parameters"):
        KernelPCA(kernel="rbf").fit(Path(svm))


# ---- Predictions --------------------------------------------------------------------------------
def test_predictions(tmp_path, monkeypatch):
    """Of files as the program reads them for the model, a piece at a time; labels need not be."""
    rng = np.random.default_rng(4)
    lines = [f"{y} 1:{a:.2f} {j}:1\n" for y, a, j in
             zip(rng.integers(0, 2, 4000), rng.normal(size=4000), rng.integers(2, 9, 4000))]
    whole, bare, wide = (tmp_path / name for name in ("a.svm", "b.svm", "c.svm"))
    whole.write_text("".join(lines))
    bare.write_text("".join(line[2:] for line in lines))
    wide.write_text("".join(line[:-1] + " 99:5\n" for line in lines))     # a column that is new
    model = logistic().fit(whole)
    X = np.zeros((4000, model.n_features_in_))
    for i, line in enumerate(lines):
        for entry in line.split()[1:]:
            X[i, int(entry.split(":")[0]) - 1] = float(entry.split(":")[1])
    known = model.predict_proba(X)
    monkeypatch.setattr(Files.fed, "__defaults__", (1 << 14,))
    for source in (whole, str(bare), wide, Files(whole)):
        assert np.array_equal(model.predict_proba(source), known)
    assert np.array_equal(model.predict([whole, bare]), np.tile(model.predict(X), 2))
    (tmp_path / "none.svm").write_text("")
    with pytest.raises(ValueError, match="none.svm: no rows|0 sample"):
        model.predict(tmp_path / "none.svm")
    with pytest.raises(FileNotFoundError, match="gone.svm"):
        model.predict(tmp_path / "gone.svm")

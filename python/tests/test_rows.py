# SPDX-License-Identifier: BSD-3-Clause
"""Rows: what passes as it is, what is converted, what is refused, and that all of it is the same
data to the library."""
import ctypes
import tracemalloc

import numpy as np
import pytest

import featcross
from featcross._data.rows import Rows
from featcross._library import fx_matrix

sp = pytest.importorskip("scipy.sparse", reason="sparse rows are SciPy's")
pd = pytest.importorskip("pandas", reason="DataFrames are pandas'")


def address(array):
    return array.__array_interface__["data"][0]


@pytest.fixture
def A(rng):
    """Small whole numbers, exact in every type, a third of them 0."""
    return rng.integers(-3, 4, (30, 6)) * (rng.random((30, 6)) < 2 / 3) * 1.0


def values(rows: Rows) -> np.ndarray:
    """Dense, read back through the pointers of the fx_matrix alone."""
    m: fx_matrix = rows.matrix
    number = (ctypes.c_float, ctypes.c_double)[m.type]

    def at(pointer, kind, n):
        return np.ctypeslib.as_array((kind * n).from_address(pointer)) if n else np.empty(0)

    out = np.zeros((m.rows, m.cols))
    if not m.ptr:
        for i in range(m.rows):
            size = ctypes.sizeof(number)
            out[i] = at(m.val + i * m.stride * size, number, m.cols)
        return out
    ptr = at(m.ptr, ctypes.c_int64, m.rows + 1)
    col = at(m.col, ctypes.c_int64 if m.wide else ctypes.c_int32, ptr[-1])
    val = at(m.val, number, ptr[-1])
    for i in range(m.rows):
        here = slice(ptr[i], ptr[i + 1])
        assert (np.diff(col[here]) > 0).all()
        out[i, col[here].astype(int)] = val[here]
    return out


# ---- As it is ----------------------------------------------------------------------------------
def read_only(A):
    A = A.copy()
    A.flags.writeable = False
    return A


DENSE = {
    "C order": lambda A: A.copy(),
    "read-only": read_only,
    "columns of a wider array": lambda A: np.hstack([A, A])[:, 2:5],
    "every second row": lambda A: np.repeat(A, 2, axis=0)[::2],
    "every second row of some columns": lambda A: np.repeat(A, 2, axis=0)[::2, 1:3],
    "one row in F order": lambda A: np.asfortranarray(A[:1]),
    "one row read backwards": lambda A: A[::-1][:1],
    "one column": lambda A: A[:, 3:4],
    "one column in F order": lambda A: np.asfortranarray(A[:, 3:4]),
}


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("form", DENSE)
def test_dense_without_a_copy(A, form, kind):
    X = DENSE[form](A.astype(kind))
    rows = Rows(X)
    assert rows.matrix.val == address(X) and np.shares_memory(rows.array, X)
    assert rows.notes == [] and rows.dtype == kind
    np.testing.assert_array_equal(values(rows), np.asarray(X))


def test_memory_mapped_without_a_copy(A, tmp_path):
    np.save(tmp_path / "a.npy", A)
    X = np.load(tmp_path / "a.npy", mmap_mode="r")
    rows = Rows(X)
    assert rows.matrix.val == address(X) and rows.notes == []
    np.testing.assert_array_equal(values(rows), A)


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("make", [sp.csr_matrix, sp.csr_array])
def test_csr_without_a_copy(A, make, kind, index, tmp_path):
    X = make(A.astype(kind))
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    X.data[0] = 0                       # an entry that is 0 is one
    np.save(tmp_path / "data.npy", X.data)
    X.data = np.load(tmp_path / "data.npy", mmap_mode="r")
    X.indices.flags.writeable = False
    rows = Rows(X)
    m = rows.matrix
    assert (m.val, m.col) == (address(X.data), address(X.indices)) and rows.notes == []
    assert m.wide == (index == np.int64) and rows.dtype == kind and rows.array is X
    assert (m.ptr == address(X.indptr)) == (index == np.int64)
    np.testing.assert_array_equal(values(rows), X.toarray())


@pytest.mark.parametrize("sparse", [False, True])
def test_memory_of_rows(sparse):
    """Not even on the way is anything copied but offsets of rows, 8 bytes each."""
    n = 20000
    X = sp.random(n, 100, 0.5, format="csr", random_state=1) if sparse else np.ones((n, 100))
    Rows(X)                             # SciPy notes in X that its indices are sorted
    tracemalloc.start()
    rows = Rows(X)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(rows) == n and peak < (8 * n + n + 20000 if sparse else 20000)


# ---- Converted ---------------------------------------------------------------------------------
def misaligned(A):
    B = np.zeros(A.nbytes + 1, dtype=np.uint8)[1:].view(np.float64).reshape(A.shape)
    B[:] = A
    return B


def shuffled(A, make=sp.csr_matrix):
    """CSR with the entries of each row turned round, and the first of all in two parts."""
    X = make(A)
    for i in range(len(A)):
        here = slice(X.indptr[i], X.indptr[i + 1])
        X.indices[here], X.data[here] = X.indices[here][::-1].copy(), X.data[here][::-1].copy()
    data = np.concatenate([[X.data[0] - 1, 1], X.data[1:]])
    indices = np.concatenate([X.indices[:1], X.indices])
    return make((data, indices, np.concatenate([[0], X.indptr[1:] + 1])), shape=A.shape)


def narrow_indices(A):
    X = sp.csr_matrix(A)
    X.indices = X.indices.astype(np.uint16)
    return X


CONVERTED = {
    "F order": np.asfortranarray,
    "F order, float32": lambda A: np.asfortranarray(A.astype(np.float32)),
    "int8": lambda A: A.astype(np.int8), "int64": lambda A: A.astype(np.int64),
    "uint64": lambda A: abs(A).astype(np.uint64),
    "bool": lambda A: A > 0,
    "float16": lambda A: A.astype(np.float16), "longdouble": lambda A: A.astype(np.longdouble),
    "swapped": lambda A: A.astype(A.dtype.newbyteorder()),
    "swapped float32": lambda A: A.astype(">f4" if np.little_endian else "<f4"),
    "misaligned": misaligned,
    "columns backwards": lambda A: A[:, ::-1], "rows backwards": lambda A: A[::-1],
    "every second column": lambda A: np.repeat(A, 2, axis=1)[:, ::2],
    "one row, repeated": lambda A: np.broadcast_to(A[0], A.shape),
    "objects": lambda A: A.astype(object),
    "list": lambda A: A.tolist(), "list of arrays": list,
    "csr, not canonical": shuffled, "csr_array, not canonical": lambda A: shuffled(A, sp.csr_array),
    "csr of int8": lambda A: sp.csr_matrix(A.astype(np.int8)),
    "csr of bool": lambda A: sp.csr_array(A > 0),
    "csr with uint16": narrow_indices,
    "DataFrame": pd.DataFrame, "DataFrame of ints": lambda A: pd.DataFrame(A.astype(int)),
    "DataFrame, mixed": lambda A: pd.DataFrame(A).astype({0: int, 1: np.float32, 2: "Int64"}),
    "DataFrame, odd names": lambda A: pd.DataFrame(A).set_axis(list("aTxyz") + ["sparse"],
                                                               axis=1),
    "DataFrame of objects": lambda A: pd.DataFrame(A).astype({0: object, 3: object}),
    "sparse DataFrame": lambda A: pd.DataFrame.sparse.from_spmatrix(sp.csr_matrix(A)),
}
for name in ("csc", "coo", "lil", "dok", "bsr", "dia"):
    for kind in ("matrix", "array"):
        CONVERTED[f"{name}_{kind}"] = getattr(sp, f"{name}_{kind}")


def dense(X) -> np.ndarray:
    return X.toarray() if sp.issparse(X) else np.asarray(X, dtype=np.float64)


@pytest.mark.parametrize("form", CONVERTED)
def test_converted_once(A, form):
    X = CONVERTED[form](A)
    before = dense(X)
    entries = [X.data.copy(), X.indices.copy()] if hasattr(X, "indptr") else []
    rows = Rows(X)
    assert len(rows.notes) == 1 and rows.notes[0].startswith("X was converted to ")
    assert rows.dtype == (np.float32 if "float32" in form else np.float64)
    np.testing.assert_array_equal(values(rows), before)
    for was, now in zip(entries, [X.data, X.indices] if entries else []):
        np.testing.assert_array_equal(was, now)         # the user's object is as it was


def test_polars(A):
    pl = pytest.importorskip("polars", reason="polars is not needed, but served")
    X = pl.DataFrame({f"c{j}": A[:, j] for j in range(6)})
    X = X.with_columns(pl.col("c1").cast(pl.Int32), (pl.col("c2") > 0))
    rows = Rows(X)
    np.testing.assert_array_equal(values(rows), X.to_numpy())
    model = featcross.LinearClassifier(random_state=0).fit(X, A[:, 0] > 0)
    assert list(model.feature_names_in_) == X.columns


@pytest.mark.filterwarnings("ignore:X has feature names")
def test_all_forms_predict_the_same(A, capfd):
    """Dense and sparse, of any type and order."""
    y = A[:, 0] * A[:, 1] + A[:, 2]
    model = featcross.LinearRegressor(map=featcross.RandomKernelMap(64, random_state=1),
                                      random_state=0).fit(A, y)
    forms = {"csr": sp.csr_matrix, "C order": np.array, "float32": lambda A: A.astype(np.float32)}
    for form, convert in {**forms, **CONVERTED}.items():
        X = convert(A)
        want = model.predict(np.ascontiguousarray(dense(X), dtype=np.float64))
        got = model.predict(X)
        np.testing.assert_array_equal(got, want.astype(got.dtype), err_msg=form)
        assert got.dtype == (np.float32 if "float32" in form else np.float64)
    assert capfd.readouterr() == ("", "")       # verbose=0 writes nothing


def test_verbose_says_what_was_converted(A, capfd):
    y = A[:, 0] > 0
    model = featcross.LinearClassifier(random_state=0, verbose=1).fit(A, y)
    model.predict(sp.csr_array(A))
    assert capfd.readouterr() == ("", "")
    model.predict(np.asfortranarray(A))
    out, err = capfd.readouterr()
    assert out == "" and err == ("featcross: X was converted to C-ordered float64: its rows are "
                                 "not contiguous, as in F order\n")


def test_one_row_of_many(A):
    for X in (A, np.hstack([A, A])[:, 1:4], sp.csr_array(A)):
        rows = Rows(X)
        one = object.__new__(Rows)
        one.matrix = rows.row(7)
        np.testing.assert_array_equal(values(one), dense(X)[7:8])

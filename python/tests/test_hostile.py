# SPDX-License-Identifier: BSD-3-Clause
"""Rows as nobody should pass them: every estimator takes them or says why not, in one line.  No
other exception, no warning of NumPy, no crash."""
import warnings

import numpy as np
import pytest
from estimators import CLASSES, sample, small

import featcross

sp = pytest.importorskip("scipy.sparse", reason="sparse rows are SciPy's")
pd = pytest.importorskip("pandas", reason="DataFrames are pandas'")

ALLOWED = (ValueError, TypeError, FloatingPointError, MemoryError)
N, D = 12, 5


def broken(form, member, change):
    """A sparse matrix one of whose arrays was changed behind SciPy's back."""
    X = getattr(sp, form)(np.arange(1.0, N * D + 1).reshape(N, D) % 7)
    array = getattr(X, member).copy()
    setattr(X, member, change(array))
    return X


def put(at, value):
    def change(array):
        array[at] = value
        return array
    return change


CHANGES = {"empty": lambda a: a[:0], "short": lambda a: a[:-1], "early": put(2, 10**6),
           "long": lambda a: np.append(a, a[-1:]), "huge": put(-1, 10**6), "negative": put(1, -7),
           "first": put(0, -1), "unsorted": lambda a: a[::-1].copy(), "twice": put(1, 0),
           "floats": lambda a: a.astype(float), "objects": lambda a: a.astype(object),
           "swapped": lambda a: a.astype(a.dtype.newbyteorder()),
           "2-d": lambda a: a.reshape(1, -1)}
PLACES = ("early", "huge", "negative", "first", "unsorted", "twice", "floats", "swapped")
BROKEN = {f"{form} {member} {change}": (form, member, CHANGES[change])
          for form, members, changes in (("csr_matrix", ("indptr", "indices"), CHANGES),
                                         ("csr_array", ("data",), ("empty", "short", "2-d")),
                                         ("csc_matrix", ("indptr", "indices"), CHANGES),
                                         ("bsr_matrix", ("indptr", "indices"), CHANGES),
                                         ("coo_matrix", ("row", "col"), PLACES))
          for member in members for change in changes}


def good():
    return np.arange(1.0, N * D + 1).reshape(N, D) % 7


def masked(mask):
    return np.ma.array(good(), mask=mask)


def frozen():
    X = good()
    X.flags.writeable = False
    return X


def objects(value):
    X = good().astype(object)
    X[3, 2] = value
    return X


def frame(**columns):
    return pd.DataFrame(good(), columns=list("abcde")).assign(**columns)


def dictionary():
    X = sp.dok_matrix(good())
    getattr(X, "_dict", X)[(N + 50, 3)] = 1.0
    return X


def wide(X):
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


def of_objects():
    X = sp.csr_matrix(good())
    X.data = X.data.astype(object)
    return X


ROWS = {
    "0 rows": lambda: np.ones((0, D)), "0 columns": lambda: np.ones((N, 0)),
    "0 x 0": lambda: np.ones((0, 0)), "scalar": lambda: 3.0, "None": lambda: None,
    "1-d": lambda: np.ones(N), "3-d": lambda: np.ones((N, D, 2)), "text": lambda: "rows",
    "ragged": lambda: [[1.0], [1.0, 2.0]], "dict": lambda: {"a": 1}, "set": lambda: {1.0, 2.0},
    "strings": lambda: good().astype(str), "bytes": lambda: good().astype(bytes),
    "complex": lambda: good() * 1j, "bool": lambda: good() > 3,
    "float16": lambda: good().astype(np.float16), "longdouble": lambda: good().astype("g"),
    "huge longdouble": lambda: good().astype("g") * np.longdouble("1e4000"),
    "int8": lambda: good().astype(np.int8), "uint64": lambda: np.full((N, D), 2**64 - 1, "u8"),
    "1e308": lambda: good() * 1e307, "1e200": lambda: good() * 1e200,
    "signs of 1e308": lambda: np.where(good() > 3, 1e308, -1e308),
    "1e-320": lambda: good() * 1e-320, "float32 3e38": lambda: (good() * 4e37).astype("f4"),
    "float32 1e20": lambda: (good() * 1e20).astype("f4"),
    "NaN": lambda: good() * np.nan, "inf": lambda: np.full((N, D), np.inf),
    "float32 inf": lambda: np.full((N, D), np.inf, "f4"),
    "objects": lambda: good().astype(object), "None inside": lambda: objects(None),
    "text inside": lambda: objects("x"), "list inside": lambda: objects([1, 2]),
    "dict inside": lambda: objects({}), "complex inside": lambda: objects(1j),
    "NumPy's complex inside": lambda: objects(np.complex128(1j)),
    "large integer inside": lambda: objects(10**400), "NaN inside": lambda: objects(np.nan),
    "dates": lambda: good().astype("M8[D]"), "times": lambda: good().astype("m8[s]"),
    "record": lambda: np.zeros((N, D), [("a", "f8")]), "void": lambda: np.zeros((N, D), "V8"),
    "backwards": lambda: good()[::-1, ::-1],
    "every second": lambda: np.ones((2 * N, 2 * D))[::2, ::2],
    "one row": lambda: np.broadcast_to(good()[0], (N, D)), "read-only": frozen,
    "Fortran": lambda: np.asfortranarray(good()), "swapped": lambda: good().astype(">f8"),
    "swapped float32": lambda: good().astype(">f4"),
    "unaligned": lambda: np.frombuffer(b"x" + good().tobytes(), "f8", offset=1).reshape(N, D),
    "matrix": lambda: np.asmatrix(good()), "no mask": lambda: masked(False),
    "mask": lambda: masked(good() > 5), "all masked": lambda: masked(True),
    "frame": lambda: frame(), "no columns": lambda: pd.DataFrame(index=range(N)),
    "frame of text": lambda: frame(a=["x", "y"] * (N // 2)),
    "frame of lists": lambda: frame(a=[[1]] * N), "frame of dates": lambda: frame(
        a=pd.to_datetime(["2024-01-01"] * N)), "frame of complex": lambda: frame(a=1j),
    "frame of NA": lambda: frame(a=pd.array([None] * N, dtype="Int64")),
    "frame of large integers": lambda: frame(a=[10**400] * N),
    "frame of longdouble": lambda: frame(a=np.full(N, np.longdouble("1e4000"))),
    "frame of intervals": lambda: frame(a=pd.interval_range(0, N)),
    "frame, a name twice": lambda: pd.DataFrame(good(), columns=list("aabcd")),
    "text, a name twice": lambda: pd.DataFrame(good().astype(str), columns=list("aabcd")),
    "frame, numbers as names": lambda: pd.DataFrame(good(), columns=range(D)),
    "frame, mixed names": lambda: pd.DataFrame(good(), columns=["a", 1, None, (1, 2), 2.5]),
    "frame, two levels": lambda: pd.DataFrame(good(), columns=pd.MultiIndex.from_product(
        [["a"], range(D)])),
    "sparse frame": lambda: frame().astype(pd.SparseDtype("float", 0)),
    "sparse frame, fill 1": lambda: frame().astype(pd.SparseDtype("float", 1)),
    "series": lambda: pd.Series(good()[:, 0]),
    "csr of objects": of_objects, "csr of complex": lambda: sp.csr_matrix(good() * 1j),
    "csr of bool": lambda: sp.csr_matrix(good() > 3),
    "csr of longdouble": lambda: sp.csr_matrix(good().astype("g") * np.longdouble("1e4000")),
    "csr of 1e200": lambda: sp.csr_matrix(good() * 1e200),
    "csr of int64 indices": lambda: wide(sp.csr_array(good())),
    "csr, no rows": lambda: sp.csr_matrix((0, D)), "csr, no columns": lambda: sp.csr_matrix((N, 0)),
    "csr, no entries": lambda: sp.csr_matrix((N, D)), "dok, beyond": dictionary,
    **{form: (lambda form=form: getattr(sp, form)(good()))
       for form in dir(sp) if form.endswith(("_matrix", "_array")) and form[:3] in
       ("bsr", "coo", "csc", "csr", "dia", "dok", "lil")},
    **{name: (lambda what=what: broken(*what)) for name, what in BROKEN.items()},
}


def tried(call):
    """Whether it answers; what it raises else has something to say."""
    try:
        call()
        return True
    except ALLOWED as error:
        assert len(str(error)) > 10 and error.__class__ in ALLOWED, repr(error)
        return False


def made(what):
    """The rows; None where SciPy or NumPy do not even make them."""
    try:
        return ROWS[what]()
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


def quick(kind):
    known = small(kind).get_params()
    return small(kind, **{"max_iter": 5} if "max_iter" in known else {},
                 **{"gamma": "scale"} if "gamma" in known else {})


@pytest.fixture(scope="module")
def fitted():
    """Every estimator, by its name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {kind.__name__: quick(kind).fit(*sample(kind, n=40)) for kind in CLASSES}


def ask(model, X):
    for method in ("predict", "transform", "decision_function", "predict_proba", "explain",
                   "error"):
        if hasattr(model, method):
            tried(lambda: getattr(model, method)(X))
    if hasattr(model, "top_combinations"):
        tried(lambda: model.top_combinations(X=X))
    tried(lambda: type(model)(**model.get_params(deep=False)).fit(X, np.arange(N) % 2))


quiet = pytest.mark.filterwarnings("error", "ignore::UserWarning", "ignore:.*matrix subclass")


@quiet
@pytest.mark.parametrize("what", ROWS)
def test_rows(fitted, what):
    X = made(what)
    tried(lambda: featcross.gram(X))
    tried(lambda: featcross.gram(good(), X, kernel="rbf", gamma="scale"))
    tried(lambda: featcross.gram(X, kernel="rbf", gamma="auto"))
    ask(fitted["RandomKernelMap"], X)
    if what == "text":                  # the name of a file
        with pytest.raises(FileNotFoundError, match="'rows'"):
            fitted["LinearClassifier"].predict(X)
    else:
        ask(fitted["LinearClassifier"], X)


@quiet
@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize("what", [
    "0 rows", "0 columns", "1e308", "1e200", "signs of 1e308", "1e-320", "float32 3e38",
    "float32 1e20", "inf", "one row", "frame of text", "csr of 1e200", "csr, no entries",
    "csr_matrix indptr empty"])
def test_every_estimator(fitted, kind, what):
    ask(fitted[kind.__name__], made(what))

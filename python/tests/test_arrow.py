# SPDX-License-Identifier: BSD-3-Clause
"""Arrow tables of other packages: the same model as from their CSV file, to the byte, in memory and
streamed; what is refused; memory.  Covers: _data/arrow_rows.py, arrow.py"""
import csv
import ctypes
import gc
import os
import subprocess
import sys

import numpy as np
import pytest

import featcross
from featcross._data.arrow import ArrowArray, ArrowSchema, Stream, is_arrow

PACKAGES = ["polars", "pandas", "pyarrow", "duckdb"]
CITIES = ["Paris", "Rome", "Oslo", None]


def columns(n=300, missing=False):
    """Of a table, as lists; without missing numbers, but with missing categories."""
    rng = np.random.default_rng(3)
    age = rng.integers(20, 60, n).tolist()
    return {"age": [None if missing and a > 55 else a for a in age],
            "city": [CITIES[k] for k in rng.integers(0, 4, n)],
            "height": (rng.integers(0, 4096, n) / 8).tolist(),
            "rate": rng.normal(size=n).tolist(),
            "job": [f"job {k}" for k in rng.integers(0, 30, n)],
            "y": [("yes", "no")[k] for k in rng.integers(0, 2, n)]}


def made(package, data):
    """The data as that package has it."""
    module = pytest.importorskip(package, reason=f"{package} is not needed, but served")
    if package == "polars":
        whole = module.DataFrame(data)
        return whole.with_columns(module.col("job").cast(module.Categorical)) \
            if "job" in data else whole
    if package == "pandas":
        return module.DataFrame(data).astype({"job": "category"})
    if package == "pyarrow":
        whole = module.table(data)
        at = whole.schema.get_field_index("job")
        if at >= 0:
            whole = whole.set_column(at, "job", whole["job"].dictionary_encode())
        batches = whole.to_batches(max_chunksize=77)    # chunks, and slices with offsets
        return module.Table.from_batches(batches).slice(0)
    con = module.connect()
    con.execute("create table t (" + ", ".join(
        f"{name} {'varchar' if any(isinstance(x, str) for x in column) else 'double'}"
        for name, column in data.items()) + ")")
    con.executemany(f"insert into t values ({','.join('?' * len(data))})",
                    list(zip(*data.values())))
    return con.sql("select * from t")


def split(package, whole):
    """X and y."""
    if package == "duckdb":
        names = [name for name in whole.columns if name != "y"]
        return whole.project(", ".join(names)), whole.project("y")
    if package == "pyarrow":
        return whole.drop_columns(["y"]), whole["y"]
    return (whole.drop("y") if package == "polars" else whole.drop(columns="y")), whole["y"]


def written(path, data):
    with path.open("w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(data)
        out.writerows(["" if x is None else x for x in row] for row in zip(*data.values()))
    return path


def learner(missing="error"):
    return featcross.LinearClassifier(loss="logistic", random_state=1, missing=missing)


def bytes_of(model):
    return model.model_.dump()


# ---- The same model as from a CSV file ----------------------------------------------------------
@pytest.mark.parametrize("missing", ["error", "mean,indicator", "category"])
@pytest.mark.parametrize("package", PACKAGES)
def test_same_model_as_csv(package, missing, tmp_path):
    data = columns(missing=missing != "error")
    X, y = split(package, made(package, data))
    file = learner(missing).fit(written(tmp_path / "t.csv", data))
    table = learner(missing).fit(X, y)
    if package == "pyarrow":            # a column of theirs has no name
        assert b"label=none" in bytes_of(table) and np.array_equal(file.coef_, table.coef_)
    else:
        assert bytes_of(table) == bytes_of(file)
    assert table.n_features_in_ == 5 and table.encoder_.columns == list(data)[:5]
    assert table.feature_names_in_.tolist() == list(data)[:5]
    assert np.array_equal(table.predict(X), file.predict(X))
    assert table.score(X, y) == file.score(X, data["y"])


@pytest.mark.parametrize("package", ["polars", "pyarrow", "duckdb"])
def test_labels_in_the_table(package, tmp_path):
    data = columns()
    path = written(tmp_path / "t.csv", data)
    for reader in ("csv:label=y", "csv:label=y,weight=height,drop=rate", None):
        streamed = learner().fit(featcross.Arrow(made(package, data), reader=reader),
                                 max_memory="16M")
        assert bytes_of(streamed) == bytes_of(learner().fit(featcross.Files(path, reader=reader)))


@pytest.mark.parametrize("estimator", [
    featcross.LinearRegressor(random_state=1),
    featcross.FactorizationMachineRegressor(random_state=1, max_iter=3, solver="adagrad"),
    featcross.FactorizationMachineRanker(random_state=1, max_iter=3, solver="adagrad"),
    featcross.LinearRegressor(map=featcross.RandomKernelMap(32, random_state=1)),
    featcross.KernelRidge(kernel=np.inner),
    featcross.KernelRidge(kernel="rbf", gamma=0.01)], ids=lambda e: type(e).__name__)
def test_numbers_are_those_of_numpy(estimator):
    """Dense rows: the model of the array, but for the names of its columns."""
    pl = pytest.importorskip("polars", reason="polars is not needed, but served")
    A = np.random.default_rng(1).normal(size=(200, 4))
    y = A[:, 0] + A[:, 1] * A[:, 2]
    X = pl.DataFrame({f"c{j}": A[:, j] for j in range(4)})
    own = type(estimator)(**estimator.get_params(deep=False)).fit(A, y)
    table = estimator.fit(X, pl.Series("y", y))
    assert np.array_equal(table.predict(X), own.predict(A))
    assert table.n_features_in_ == 4 and table.feature_names_in_.tolist() == X.columns


def test_transform_and_float32():
    pl = pytest.importorskip("polars", reason="polars is not needed, but served")
    A = np.random.default_rng(1).integers(0, 9, size=(50, 3)).astype(np.float64)
    for dtype, kind in ((np.float64, pl.Float64), (np.float32, pl.Float32)):
        X = pl.DataFrame({f"c{j}": A[:, j] for j in range(3)}, schema_overrides={
            f"c{j}": kind for j in range(3)})
        features = featcross.RandomKernelMap(16, random_state=1).fit(X)
        Z = features.transform(X)
        assert Z.dtype == dtype
        assert np.array_equal(Z, features.transform(A.astype(dtype)))
        model = featcross.LinearRegressor(random_state=1).fit(X, A[:, 0])
        assert model.predict(X).dtype == dtype


def test_partial_fit_goes_on():
    pytest.importorskip("polars", reason="polars is not needed, but served")
    data = columns()
    del data["rate"]
    X, y = split("polars", made("polars", data))
    frame, _ = split("pandas", made("pandas", data))
    ours, theirs = (featcross.LinearClassifier(loss="perceptron", random_state=1) for _ in "ab")
    for part in (slice(0, 200), slice(200, 300)):
        ours.partial_fit(X[part], y[part], classes=["no", "yes"])
        theirs.partial_fit(frame[part], np.array(data["y"])[part], classes=["no", "yes"])
    assert np.array_equal(ours.coef_, theirs.coef_)
    with pytest.raises(ValueError, match="in the same order"):
        ours.partial_fit(X[["job", "age", "height", "city"]], y)


@pytest.mark.parametrize("cuts", [[0, 300], [0, 10, 11, 250, 300]])
def test_parts(cuts):
    """Categories that come late, in parts of any length."""
    pytest.importorskip("polars", reason="polars is not needed, but served")
    X, y = split("polars", made("polars", columns()))
    parts = featcross.Parts(lambda: ((X[a:b], y[a:b]) for a, b in zip(cuts, cuts[1:])))
    assert bytes_of(learner().fit(parts)) == bytes_of(learner().fit(X, y))
    with pytest.raises(ValueError, match="part 1 .* X is no Arrow table, unlike"):
        learner().fit(featcross.Parts(lambda: iter([(X, y), (np.ones((2, 5)), ["yes", "no"])])))


def test_prediction_in_parts(monkeypatch):
    pytest.importorskip("polars", reason="polars is not needed, but served")
    X, y = split("polars", made("polars", columns()))
    model = learner().fit(X, y)
    whole, sizes = model.predict_proba(X), []
    parts = Stream.parts
    monkeypatch.setattr(Stream, "parts", lambda self: (
        sizes.append(part.length) or part for part in parts(self, 35)))
    assert np.array_equal(model.predict_proba(X), whole)
    assert max(sizes) == 7 and sum(sizes) == 300


# ---- Labels and weights -------------------------------------------------------------------------
@pytest.mark.parametrize("package", ["polars", "pyarrow", "duckdb"])
def test_labels_of_any_package(package):
    data = columns()
    X, y = split(package, made(package, data))
    A = np.c_[data["age"], data["rate"]]
    want = learner().fit(A, data["y"])
    got = learner().fit(A, y)
    assert np.array_equal(got.coef_, want.coef_) and got.classes_.tolist() == ["no", "yes"]
    weight = made(package, {"w": data["height"], "v": data["age"]})
    weight = weight.project("w") if package == "duckdb" else weight["w"]
    weighted = learner().fit(A, data["y"], sample_weight=data["height"])
    assert np.array_equal(learner().fit(A, y, sample_weight=weight).coef_, weighted.coef_)
    target = made(package, {"t": data["age"], "v": data["rate"]})
    target = target.project("t") if package == "duckdb" else target["t"]
    assert np.array_equal(featcross.LinearRegressor().fit(A, target).coef_,
                          featcross.LinearRegressor().fit(A, data["age"]).coef_)


# ---- Refused ------------------------------------------------------------------------------------
def test_other_tables():
    pl = pytest.importorskip("polars", reason="polars is not needed, but served")
    X, y = split("polars", made("polars", columns()))
    model = learner().fit(X, y)
    for other, message in ((X.drop("age"), "missing:\n- age"),
                           (X.rename({"age": "years"}), "years"),
                           (X.head(0), "0 sample"), (X.select("age"), "yet now missing")):
        with pytest.raises(ValueError, match=message):
            model.predict(other)
    with pytest.raises(ValueError, match="0 sample"):
        learner().fit(X.head(0), [])
    strange = X.with_columns(pl.lit(None, pl.Float64).alias("rate"))
    with pytest.raises(ValueError, match="row 0 .* 'rate' is a missing number; a learner's missing= says"):
        model.predict(strange)
    with pytest.raises(ValueError, match="row 0 .*'Rome' is not a number"):
        model.predict(X.with_columns(pl.lit("Rome").alias("age")))
    assert len(model.predict(X.with_columns(pl.lit("Mars").alias("city")))) == 300
    day = X.with_columns(pl.date(2026, 1, 1).alias("day"))
    with pytest.raises(ValueError, match=r"'day' has the Arrow type tdD \(a date\).*drop=day"):
        learner().fit(day, y)
    with pytest.raises(ValueError, match="'age' is a whole number of 2\\^53"):
        learner().fit(X.with_columns(pl.lit(2**60).alias("age")), y)
    with pytest.raises(ValueError, match="X has 300 rows, but y has 3"):
        learner().fit(X, y[:3])
    with pytest.raises(TypeError, match="__arrow_c_stream__"):
        featcross.Arrow([1, 2])
    with pytest.raises(ValueError, match="come with the rows"):
        learner().fit(featcross.Arrow(X), y)


class Made:
    """A stream made by hand, of batches of the same numbers in all columns; it may go wrong."""

    GET = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
    LAST = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
    RELEASE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
    WHY = ctypes.create_string_buffer(b"no luck")

    def __init__(self, numbers, columns, batches, format=b"+s", fails=None):
        self.format, self.fails, self.open, self.left = format, fails, 0, batches
        self.keep = [self.GET(self._schema), self.GET(self._next),
                     self.LAST(lambda _: ctypes.addressof(self.WHY)),
                     self.RELEASE(lambda _: None), self.RELEASE(self._release)]
        self.numbers = np.ascontiguousarray(numbers, dtype=np.float64)
        self.buffers = (ctypes.c_void_p * 2)(None, self.numbers.ctypes.data)
        self.none = (ctypes.c_void_p * 1)(None)
        self.schemas = [ArrowSchema(format=b"g", name=f"c{j}".encode(), release=self._at(4))
                        for j in range(columns)]
        self.children = (ctypes.POINTER(ArrowSchema) * columns)(*map(ctypes.pointer, self.schemas))
        self.array = ArrowArray(length=len(numbers), n_buffers=2, release=self._at(4),
                                buffers=ctypes.addressof(self.buffers))
        self.arrays = (ctypes.c_void_p * columns)(*[ctypes.addressof(self.array)] * columns)

    def _at(self, k):
        return ctypes.cast(self.keep[k], ctypes.c_void_p).value

    def _schema(self, _, out):
        if self.fails == "schema":
            return 5
        ArrowSchema.from_address(out).__init__(format=self.format, n_children=len(self.schemas),
                                               children=self.children, release=self._at(4))
        self.open += 1
        return 0

    def _next(self, _, out):
        self.left -= 1
        if self.fails == "next" and self.left == 0:
            return 5
        if self.left < 0:
            return 0
        ArrowArray.from_address(out).__init__(
            length=len(self.numbers) + (self.fails == "length"), n_buffers=1,
            n_children=len(self.schemas), buffers=ctypes.addressof(self.none),
            children=ctypes.addressof(self.arrays), release=self._at(4))
        self.open += 1
        return 0

    def _release(self, at):
        self.open -= 1
        for kind in (ArrowSchema, ArrowArray):
            release = ctypes.c_void_p.from_address(at + kind.release.offset)
            if release.value == self._at(4):
                release.value = None

    def __arrow_c_stream__(self, requested_schema=None):
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p,
                                                       ctypes.c_void_p]
        self.stream = (ctypes.c_void_p * 5)(*map(self._at, range(4)), None)
        return new(ctypes.addressof(self.stream), b"arrow_array_stream", None)


@pytest.mark.parametrize("format, fails, message", [
    (b"+s", None, None), (b"g", None, "has the format 'g'; a table has"),
    (b"+s", "schema", "stream failed: no luck"), (b"+s", "next", "stream failed: no luck"),
    (b"+s", "length", "'c0' has only 3 values")])
def test_a_stream_that_fails(format, fails, message):
    X = Made([1, 2, 3], 1, 3, format, fails)
    assert is_arrow(X)
    if message is None:
        model = featcross.LinearRegressor().fit(X, np.arange(9.0))
        assert model.n_features_in_ == 1
    else:
        with pytest.raises(ValueError, match=message):
            featcross.LinearRegressor().fit(X, np.arange(9.0))
    gc.collect()
    assert X.open == 0                  # all that was given out is released, once


class Lies(Made):
    """A stream that is released already, one without messages, and a batch of less than no rows."""

    def __arrow_c_stream__(self, requested_schema=None):
        capsule = super().__arrow_c_stream__()
        for k in {"released": range(5), "schema": [2]}.get(self.fails, ()):
            self.stream[k] = None
        return capsule

    def _next(self, at, out):
        status, array = super()._next(at, out), ArrowArray.from_address(out)
        if self.fails == "rows" and self.left == 1:
            array.length = -3
        return status


@pytest.mark.parametrize("fails, message", [
    ("released", "the Arrow stream is released"), ("schema", "stream failed: "),
    ("rows", "the Arrow batch has -3 rows")])
def test_a_stream_that_lies(fails, message):
    model = featcross.LinearRegressor().fit(Made([1, 2, 3], 2, 3), np.arange(9.0))
    for use in (lambda X: model.fit(X, np.arange(9.0)), model.predict,
                lambda X: model.fit(featcross.Arrow(X, "csv:label=c0"))):
        with pytest.raises(ValueError, match=message):
            use(Lies([1, 2, 3], 2, 3, fails=fails))


# ---- Memory -------------------------------------------------------------------------------------
STREAM = """
import resource
import featcross, numpy
from test_arrow import Made
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
def stream(batches, columns=21):
    return Made(numpy.random.default_rng(1).normal(size=2000), columns, batches)
model = featcross.LinearRegressor(random_state=1, n_jobs=1, max_iter=1)
model.fit(featcross.Arrow(stream(5), "csv:label=c20"), max_memory="16M").predict(stream(5, 20))
before, most = peak(), 200 * 2000 * 20 * 8 / 4
model.fit(featcross.Arrow(stream(200), "csv:label=c20"), max_memory="16M")
print(peak() - before < most, peak() - before)
found = model.predict(stream(200, 20))
print(peak() - before < most, peak() - before, len(found))
"""


def test_memory():
    """A stream of 67 MB takes less than a quarter of that; neither do predictions hold its rows."""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", STREAM], capture_output=True,
                          text=True, env=os.environ, cwd=os.path.dirname(__file__))
    lines = [line.split() for line in done.stdout.splitlines()]
    assert [line[0] for line in lines] == ["True", "True"], done.stdout + done.stderr
    assert lines[1][2] == "400000"


# ---- Without pyarrow ----------------------------------------------------------------------------
WITHOUT = """
import sys
class Nothing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "pyarrow":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Nothing())
import pytest
code = pytest.main(["-q", "-p", "no:cacheprovider", "-rs", sys.argv[1], "-k", sys.argv[2]])
sys.exit(code or "pyarrow" in sys.modules)
"""


def test_without_it():
    """The same in a process that cannot import pyarrow."""
    tests = "not without and not memory and (same_model or labels or partial or transform)"
    done = subprocess.run([sys.executable, "-c", WITHOUT, __file__, tests], capture_output=True,
                          text=True, env=os.environ, cwd=os.path.dirname(__file__))
    assert done.returncode == 0, done.stdout + done.stderr

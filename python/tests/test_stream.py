# SPDX-License-Identifier: BSD-3-Clause
"""Fits on rows that need not be in memory: the same model, to the byte, as of all rows at once, for
every estimator whose model streams, which the library tells.

Covers: _passes/answers.py, _passes/pack.py, _passes/spill.py
"""
import os
import subprocess
import sys
import warnings

import numpy as np
import pytest

import featcross
from featcross import (FactorizationMachineClassifier, KernelPCA, KernelSVC, LinearClassifier,
                       LinearRegressor, Parts, RandomFourier, RandomKernelMap, TensorSketch)
from featcross._data.memory import limit_of
from featcross._data.rows import Rows
from featcross._passes.answers import Answers
from featcross._passes.pack import Piece
from featcross._passes.spill import Spill
from featcross._passes.stream import _streaming

pytestmark = pytest.mark.usefixtures("calm")
N = 9000                                # three blocks
CUTS = [(), (1,), (4096, 8192), (10, 5000, 5000, 8999)]


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(N, 6)).round(3)
    return X, (X[:, 0] * X[:, 1] + X[:, 2] > 0.3).astype(int)


def divided(cuts, X, *more):
    """Parts that end at these rows."""
    ends = [*cuts, X.shape[0]]
    return Parts(lambda: (tuple(None if A is None else A[a:b] for A in (X, *more))
                          for a, b in zip([0, *ends], ends)))


def logistic(**more):
    return LinearClassifier(loss="logistic", random_state=1, **more)


def content(estimator):
    """The model's bytes and what fit sets."""
    return estimator.model_.dump(), estimator.n_features_in_, estimator.n_iter_, \
        getattr(estimator, "classes_", np.array(0)).tolist()


# ---- The same model -----------------------------------------------------------------------------
def small(call):
    """An estimator of a call such as those in the message of one that does not stream."""
    estimator = eval(f"featcross.{call}")
    some = {"n_components": 3, "max_iter": 3, "random_state": 1}
    known = estimator.get_params()
    return estimator.set_params(**{key: value for key, value in some.items() if key in known})


@pytest.mark.parametrize("call", _streaming())
def test_every_model_that_streams(call, rows):
    X, y = rows
    known = small(call).fit(X, y)
    for cuts in CUTS:
        for n_jobs in (1, 2):
            found = small(call).set_params(n_jobs=n_jobs).fit(divided(cuts, X, y))
            assert content(found) == content(known), (cuts, n_jobs)


def test_several_stream():
    assert {"LinearClassifier(loss='logistic')", "LinearRegressor(loss='squared')",
            "LinearClassifier(loss='squared_hinge')"} <= set(_streaming())


@pytest.mark.parametrize("more", [
    {"map": RandomKernelMap(64, degree=2, random_state=1)}, {"map": TensorSketch("16x")},
    {"map": RandomFourier(32, gamma="auto")}, {"map": featcross.ExplicitCombinations(degree=2)}, {"class_weight": "balanced"},
    {"class_weight": {1: 3.0}}, {"scale": "maxabs"}, {"scale": "auto"}, {"scale": "std"},
    {"fit_intercept": False}],
    ids=str)
def test_parameters(more, rows):
    X, y = rows
    assert content(logistic(**more).fit(divided((1000,), X, y))) == \
        content(logistic(**more).fit(X, y))


def test_components_of_a_map(rows):
    known, found = (KernelPCA(2, map=RandomKernelMap(32), random_state=1) for _ in range(2))
    assert content(found.fit(divided((1000,), rows[0]))) == content(known.fit(rows[0]))
    assert (found.explained_variance_ratio_ == known.explained_variance_ratio_).all()


def test_components_of_frames(rows):
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame(rows[0], columns=list("abcdef"))
    known, found = (KernelPCA(2, kernel="linear", random_state=1) for _ in range(2))
    assert content(found.fit(divided((1000,), X))) == content(known.fit(X))


def test_text_labels_and_classes_that_come_late(rows):
    X, _ = rows
    y = np.array(["b", "a", "c"])[(np.arange(N) > 6000) + (np.arange(N) > 8000).astype(int)]
    for labels in (y, y.astype(object), y.astype("S1")):
        known = logistic().fit(X, labels)
        found = logistic().fit(divided((6001, 8001), X, labels))
        assert content(found) == content(known)
        assert found.classes_.dtype == known.classes_.dtype


def test_labels_of_several_lengths_and_types(rows):
    X, _ = rows
    parts = [(X[:5000], np.where(X[:5000, 0] > 0, "yes", "no")),
             (X[5000:], np.where(X[5000:, 0] > 0, "perhaps", "no"))]
    found = logistic().fit(Parts(lambda: iter(parts)))
    assert content(found) == content(logistic().fit(X, np.concatenate([y for _, y in parts])))
    bools = logistic().fit(divided((10,), X, X[:, 0] > 0))
    assert bools.classes_.dtype == bool and bools.predict(X[:3]).dtype == bool


def test_weights(rows):
    X, y = rows
    weight = np.random.default_rng(1).integers(0, 3, N).astype(float)
    weight[:5000] = 0                   # a whole part, and a block, of it
    odd = np.where(weight == 0, 7, y)   # of no class
    assert content(logistic().fit(divided((4500,), X, odd, weight))) == \
        content(logistic().fit(X, odd, weight))
    some = [(X[:100], y[:100]), (X[100:], y[100:], 2.0)]
    assert content(logistic().fit(Parts(lambda: iter(some)))) == \
        content(logistic().fit(X, y, np.where(np.arange(N) < 100, 1.0, 2.0)))


@pytest.mark.parametrize("form", ["csr_array", "csc_matrix"])
def test_sparse_rows(form, rows):
    sparse = pytest.importorskip("scipy.sparse")
    X = sparse.random_array((N, 300), density=0.02, rng=np.random.default_rng(1)) \
        if hasattr(sparse, "random_array") else sparse.random(N, 300, 0.02, random_state=1)
    X, y = sparse.csr_array(X), rows[1]
    known = logistic().fit(X, y)
    found = logistic().fit(Parts(lambda: ((getattr(sparse, form)(X[a:a + 2500]), y[a:a + 2500])
                                          for a in range(0, N, 2500))))
    assert content(found) == content(known)


def test_rows_in_an_order_of_the_pass(rows, monkeypatch):
    """Where columns far outnumber entries, one pass must get all blocks, one after the other."""
    sparse, seen = pytest.importorskip("scipy.sparse"), []
    rng = np.random.default_rng(1)
    X = sparse.csr_array((np.ones(3 * N), rng.integers(0, 10**5, 3 * N), np.arange(N + 1) * 3),
                         shape=(N, 10**5))
    ordered = Answers._ordered
    monkeypatch.setattr(Answers, "_ordered", lambda self, *a: seen.append(1) or ordered(self, *a))
    known = content(logistic(max_iter=3).fit(X, rows[1]))
    for n_jobs in (1, 2):
        found = logistic(max_iter=3, n_jobs=n_jobs).fit(divided((2500,), X, rows[1]))
        assert content(found) == known
    assert seen


def test_float32_stays(rows):
    X, y = rows[0].astype(np.float32), rows[1]
    assert content(logistic().fit(divided((100,), X, y))) == content(logistic().fit(X, y))
    mixed = [(X[:5000], y[:5000]), (rows[0][5000:], y[5000:])]
    both = np.concatenate([X[:5000].astype(float), rows[0][5000:]])
    assert content(logistic().fit(Parts(lambda: iter(mixed)))) == content(logistic().fit(both, y))


def test_frames_with_categories(rows):
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(5)
    X = pandas.DataFrame({"size": rng.normal(size=N), "city": rng.choice(["Rome", "Oslo"], N),
                          "day": rng.choice(["Mo", "Tu", "We"], N)})
    X.loc[7000:, "city"] = "Bern"       # met late
    y = pandas.Series(np.where(X["city"] == "Rome", "up", "down"), name="trend")
    known = logistic().fit(X, y)
    found = logistic().fit(Parts(lambda: ((X.iloc[a:a + 1234], y.iloc[a:a + 1234])
                                          for a in range(0, N, 1234))))
    assert content(found) == content(known)
    assert found.encoder_.names == known.encoder_.names
    assert (found.predict(X) == known.predict(X)).all()
    names = logistic().fit(Parts(lambda: iter([(X[["size"]], y)])))
    assert names.feature_names_in_.tolist() == ["size"] and not hasattr(names, "encoder_")


@pytest.mark.parametrize("missing", ["zero", "mean", "zero,indicator", "mean,indicator"])
def test_missing_numbers(missing, rows):
    X, y = rows
    holed = np.where(np.random.default_rng(1).random(X.shape) < [0, 0.1, 0, 0.5, 0, 0], np.nan, X)
    known = logistic(missing=missing).fit(holed, y)
    found = logistic(missing=missing).fit(divided((100, 5000), holed, y))
    assert content(found) == content(known) and found.missing_ == known.missing_
    assert (found.decision_function(holed) == known.decision_function(holed)).all()


def test_eval_set_and_warm_start(rows):
    X, y = rows
    known = logistic().fit(X, y, eval_set=(X[:50], y[:50]))
    found = logistic().fit(divided((100,), X, y), eval_set=[(X[:50], y[:50])])
    assert found.evals_result_ == known.evals_result_
    pair = [logistic(warm_start=True, max_iter=2).fit(X, y) for _ in range(2)]
    for estimator in pair:
        estimator.set_params(max_iter=100)
    assert content(pair[0].fit(divided((100,), X, y))) == content(pair[1].fit(X, y))
    with pytest.raises(ValueError, match="goes on with the classes"):
        pair[0].fit(divided((), X, y + 1))


def test_a_seed_is_drawn_once(rows):
    X, y = rows
    pair = [LinearClassifier(loss="logistic", map=RandomKernelMap(16),
                             random_state=np.random.RandomState(4)) for _ in range(2)]
    assert content(pair[0].fit(divided((), X, y))) == content(pair[1].fit(X, y))


# ---- What is refused ----------------------------------------------------------------------------
def never():
    """Parts that nobody may ask for."""
    raise AssertionError("rows were read")


@pytest.mark.parametrize("estimator, reason", [
    (LinearClassifier(loss="hinge"), r"LinearClassifier with .* memory; .*\(loss='logistic'\)"),
    (KernelSVC(), "KernelSVC with these parameters needs all rows"),
    (KernelPCA(), "KernelPCA with these parameters needs all rows"),
    (logistic(C="auto"), "C='auto' needs all rows"),
    (logistic(missing="median"), "missing values: median needs all rows"),
    (logistic(missing="drop"), "missing='drop' needs all rows"),
    (logistic(penalty="l9"), "penalty='l9'")], ids=lambda value: str(value)[:40])
def test_refused_before_any_row(estimator, reason):
    with pytest.raises(ValueError, match=reason):
        estimator.fit(Parts(never))
    assert not hasattr(estimator, "n_features_in_")


def test_labels_beside_the_source(rows):
    for labels in ((rows[1],), (None, rows[1])):
        with pytest.raises(ValueError, match="come with the rows"):
            logistic().fit(Parts(never), *labels)


def test_early_stopping():
    with pytest.raises(ValueError, match="early_stopping=True holds out rows"):
        FactorizationMachineClassifier(early_stopping=True).fit(Parts(never))


def test_gamma_by_all_rows(rows):
    with pytest.raises(ValueError, match="gamma='scale' needs all rows"):
        logistic(map=RandomFourier(8, gamma="scale")).fit(divided((), *rows))


# ---- Memory -------------------------------------------------------------------------------------
@pytest.mark.parametrize("given, limit", [(None, 0), (1000, 1000), ("64K", 2**16), ("256M", 2**28),
                                          ("2g", 2**31), (" 1GB ", 2**30), (np.int64(5), 5)])
def test_limit(given, limit):
    assert limit_of(given) == limit


@pytest.mark.parametrize("given", ["", "x", -1, 0, 1.5, "1.5M", "M", 2**70, [1]])
def test_no_limit(given):
    with pytest.raises(ValueError, match="max_memory="):
        limit_of(given)


def test_too_little_memory(rows):
    with pytest.raises(MemoryError, match="max_memory=1024 is too little"):
        logistic().fit(divided((), *rows), max_memory="1K")


def test_the_model_does_not_depend_on_memory(rows):
    X, y = rows
    known = content(logistic(map=RandomKernelMap(512, random_state=1)).fit(X, y))
    for X_or_parts, labels in ((X, y), (divided((), X, y), None)):
        one = logistic(map=RandomKernelMap(512, random_state=1), n_jobs=2)
        assert content(one.fit(X_or_parts, labels, max_memory="8M")) == known


PEAK = """
import sys, warnings
import numpy as np, featcross
def peak():
    text = open("/proc/self/status").read()
    return int(text.split("VmHWM:")[1].split()[0]) * 1024
warnings.simplefilter("ignore")
model = featcross.LinearClassifier(loss="logistic", max_iter=2, n_jobs=2)
model.fit(np.eye(4), [0, 1, 0, 1])
before = peak()
model.fit(sys.argv[1], max_memory=sys.argv[2])
print(peak() - before)
"""


def test_peak(tmp_path):
    """Of a file of 100 MB, whose rows take three times the limit even when they are packed."""
    rng, path = np.random.default_rng(1), tmp_path / "rows.svm"
    some = "".join(f"{label} " + " ".join(f"{j + 1}:{x}" for j, x in enumerate(row)) + "\n"
                   for label, row in zip(rng.integers(0, 2, 10**4).tolist(),
                                         rng.integers(1, 10**6, (10**4, 20)).tolist()))
    with open(path, "w") as file:
        for _ in range(55):
            file.write(some)
    assert path.stat().st_size > 10**8
    limit = 32 * 2**20
    run = subprocess.run([sys.executable, "-c", PEAK, path, str(limit)], stdout=subprocess.PIPE,
                         text=True, check=True, env={**os.environ, "TMPDIR": str(tmp_path)})
    assert 0 < int(run.stdout) < limit


# ---- The temporary file -------------------------------------------------------------------------
def test_blocks_are_counted_from_the_first_row(rows):
    X, y = rows
    for step in (1000, 4096, 9000):
        with Spill() as spill:
            for a in range(0, N, step):
                part = Rows(X[a:a + step])
                spill.add(Piece([part.matrix], part, y[a:a + step].astype(float)))
            spill.end()
            assert len(spill.blocks) == 3 and spill.rows == N
            assert spill.bytes == sum(size for _, size in spill.blocks)
            known = [size for _, size in spill.blocks]
    assert known[0] == known[1] == spill.largest > known[2]


def test_workers_fit_into_the_memory(rows):
    X, y = rows
    with Spill() as spill:
        part = Rows(X)
        spill.add(Piece([part.matrix], part, y.astype(float)))
        spill.end()
        for limit, workers in ((0, 3), (6 * spill.largest, 1), (11 * spill.largest, 2)):
            assert len(Answers(spill, max_memory=limit, n_jobs=3)._workers) == workers


def test_ones_take_more_memory_than_in_the_file(rows):
    sparse = pytest.importorskip("scipy.sparse")
    columns = np.tile(np.arange(100, dtype=np.int32), N)
    X = sparse.csr_array((np.ones(100 * N), columns, np.arange(N + 1, dtype=np.int32) * 100),
                         shape=(N, 100))
    with Spill() as spill:
        part = Rows(X)
        spill.add(Piece([part.matrix], part, rows[1].astype(float)))
        spill.end()
        assert 1.8 * spill.largest < spill.unpacked < 2 * spill.largest
        for limit, workers in ((6, 1), (11, 2)):
            answers = Answers(spill, max_memory=limit * spill.unpacked, n_jobs=3)
            assert len(answers._workers) == workers


def test_a_damaged_file_is_an_error(rows, monkeypatch):
    pack = Spill.end

    def damage(self):
        pack(self)
        at = self.blocks[1][0] + 500
        byte = os.pread(self._file.fileno(), 1, at)
        os.pwrite(self._file.fileno(), bytes([byte[0] ^ 1]), at)

    monkeypatch.setattr(Spill, "end", damage)
    with pytest.raises(ValueError, match="checksum|damaged|packed"):
        logistic(n_jobs=2).fit(divided((), *rows))


def test_a_full_disk_is_an_error(rows, monkeypatch):
    class Full:
        def write(self, data):
            raise OSError(28, "No space left on device")

        def close(self):
            pass

    monkeypatch.setattr("tempfile.TemporaryFile", lambda **_: Full())
    with pytest.raises(OSError, match="No space"):
        logistic().fit(divided((), *rows))


def test_nothing_is_left(rows, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    files = len(os.listdir("/proc/self/fd"))
    logistic().fit(divided((), *rows))

    def broken():
        yield rows[0], rows[1]
        raise LookupError("of the iterator")

    with pytest.raises(LookupError, match="^'of the iterator'$|^of the iterator$"):
        logistic().fit(Parts(broken))
    assert os.listdir(tmp_path) == [] and len(os.listdir("/proc/self/fd")) == files

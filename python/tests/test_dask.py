# SPDX-License-Identifier: BSD-3-Clause
"""featcross.dask: one model for any workers and parts, and if workers are killed.

Covers: _passes/engine.py, _passes/part.py, _passes/packed.py, dask.py
"""
import logging
import os
import pickle
import random
import signal
import threading
import time

import engines
import numpy as np
import pytest
from engines import CASES, LOGISTIC, N, hash_of, known, learned

import featcross
from featcross._passes import engine as _engine, packed as _packed, part as _part

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
da = pytest.importorskip("dask.array")
import featcross.dask as fd  # noqa: E402

pytestmark = pytest.mark.usefixtures("calm")
CHUNKS = ((3000, 1, 0, 5000, 4999), (4, 2))


def cluster(workers):
    """Its processes fork from one that has imported everything."""
    dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"})
    distributed.utils.get_mp_context().set_forkserver_preload(["distributed", "featcross.dask"])
    return distributed.LocalCluster(n_workers=workers, threads_per_worker=1, host="127.0.0.1",
                                    dashboard_address=":0", silence_logs=logging.CRITICAL)


@pytest.fixture(scope="module")
def two():
    """A client of two workers."""
    with cluster(2) as workers, distributed.Client(workers) as client:
        yield client


@pytest.fixture(scope="module")
def rows():
    return engines.rows()


def pair(name):
    """The package's estimator, and that for dask."""
    return engines.estimator(name), engines.estimator(name, fd)


# ---- One hash -----------------------------------------------------------------------------------
def divided(arrays, chunks=CHUNKS):
    X, *more = arrays
    return [da.from_array(X, chunks=chunks), *(da.from_array(a, chunks=(chunks[0],)) for a in more)]


@pytest.mark.parametrize("name", CASES)
def test_two_workers(name, two):
    arrays = learned(name)
    estimator = pair(name)[1].fit(*divided(arrays))
    assert hash_of(estimator) == known(name)
    method = "transform" if name == "pca" else "predict"
    found = getattr(estimator, method)(divided(arrays)[0])
    assert isinstance(found, da.Array) and found.shape[0] == N
    expected = getattr(estimator, method)(arrays[0])
    assert isinstance(expected, np.ndarray) and expected.dtype == found.dtype
    assert (found.compute() == expected).all()


@pytest.mark.parametrize("workers", [1, 4])
def test_other_workers(workers):
    with cluster(workers) as some, distributed.Client(some) as client:
        client.wait_for_workers(workers)
        for name in CASES:
            estimator = pair(name)[1].fit(*divided(learned(name)))
            assert hash_of(estimator) == known(name), name


@pytest.mark.parametrize("chunks", [(N,), (4096,) * 3 + (712,), (1000,) * 13, (1, N - 1)],
                         ids=len)
def test_parts_of_any_length(chunks):
    """Without a cluster: dask computes in threads of this process."""
    arrays = divided(learned("weights"), (chunks, (6,)))
    assert hash_of(pair("weights")[1].fit(*arrays)) == known("weights")


def test_groups_hold_all_rows_in_blocks():
    rng = random.Random(5)
    for _ in range(500):
        rows = [rng.choice([0, 0, 1, 100, 4096, 5000, 9000]) for _ in range(rng.randint(1, 6))]
        rows[rng.randrange(len(rows))] += 1
        count, starts = rng.randint(1, 7), np.cumsum([0, *rows])
        groups = _engine.groups(rows, count)
        ranges = [(starts[p.part] + p.first, starts[p.part] + p.end) for _, g in groups for p in g]
        assert ranges[0][0] == 0 and ranges[-1][1] == sum(rows) and len(groups) <= count
        assert all(a[1] == b[0] for a, b in zip(ranges, ranges[1:]))
        assert all(first % 4096 == 0 and starts[g[0].part] + g[0].first == first
                   for first, g in groups)
        assert all(p.whole == (p.end - p.first == rows[p.part]) for _, g in groups for p in g)


def test_answers_merge_in_a_tree(two, monkeypatch):
    """With more parts than one task merges."""
    monkeypatch.setattr(_engine, "FEW", 2)
    monkeypatch.setattr(_engine, "TASKS", 4)
    monkeypatch.setattr(fd, "LARGE", 1)         # requests are sent apart from tasks
    assert hash_of(pair("logistic")[1].fit(*divided(learned("logistic")))) == known("logistic")


def test_sparse_rows(two, rows):
    sparse = pytest.importorskip("scipy.sparse")
    X = sparse.random(N, 300, 0.05, format="csr", random_state=1)
    y = rows[1] > 0
    parts = [da.from_delayed(dask.delayed(X[a:a + 5000]), X[a:a + 5000].shape, dtype=float,
                             meta=X[:0]) for a in range(0, N, 5000)]
    estimator = fd.LinearClassifier(loss="logistic", max_iter=4, random_state=1)
    estimator.fit(da.concatenate(parts), da.from_array(y, chunks=5000))
    one = featcross.LinearClassifier(loss="logistic", max_iter=4, random_state=1).fit(X, y)
    assert hash_of(estimator) == hash_of(one)
    assert (estimator.predict(da.concatenate(parts)).compute() == one.predict(X)).all()


# ---- DataFrames, files --------------------------------------------------------------------------
@pytest.fixture(scope="module")
def table():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(5)
    X = pandas.DataFrame({"size": rng.normal(size=N).round(4), "age": rng.integers(0, 9, N),
                          "city": rng.choice(["Rome", "Oslo"], N),
                          "day": rng.choice(["Mo", "Tu", "We"], N)})
    X.loc[7000:, "city"] = "Bern"       # met late, the next two in one part
    X.loc[9000:, "day"] = "Su"
    X.loc[9001:, "city"] = "Kyiv"
    return X, pandas.Series(np.where(X["city"] == "Rome", "up", "down"), name="trend")


@pytest.mark.parametrize("columns", [["size", "age"], ["size", "age", "city", "day"]], ids=len)
def test_dataframes(columns, two, table):
    dd = pytest.importorskip("dask.dataframe")
    X, y = table[0][columns], table[1]
    parts = [dd.from_pandas(a, npartitions=5, sort=False) for a in (X, y)]
    one = featcross.LinearClassifier(**LOGISTIC, random_state=1).fit(X, y)
    found = fd.LinearClassifier(**LOGISTIC, random_state=1).fit(*parts)
    assert hash_of(found) == hash_of(one) and found.classes_.tolist() == one.classes_.tolist()
    for name in ("feature_names_in_", "n_features_in_"):
        assert np.array_equal(getattr(found, name), getattr(one, name))
    lazy = found.predict_proba(parts[0])
    assert isinstance(lazy, da.Array) and (lazy.compute() == one.predict_proba(X)).all()
    assert (found.predict(X) == one.predict(X)).all()


def test_chunks_of_unknown_length(table, rows):
    """An array that a DataFrame became, and labels that do or do not have the same parts."""
    dd = pytest.importorskip("dask.dataframe")
    X, y = table[0][["size", "age"]], table[1]
    parts = [dd.from_pandas(a, npartitions=5, sort=False).to_dask_array() for a in (X, y)]
    one = featcross.LinearClassifier(**LOGISTIC, random_state=1).fit(X.to_numpy(), y)
    found = fd.LinearClassifier(**LOGISTIC, random_state=1).fit(*parts)
    assert found.coef_.tobytes() == one.coef_.tobytes()
    estimator = fd.LinearClassifier(**LOGISTIC)
    with pytest.raises(ValueError, match="X has 5 parts, but y has 3, whose lengths are unknown"):
        estimator.fit(parts[0], dd.from_pandas(y, npartitions=3, sort=False))
    with pytest.raises(TypeError, match="lengths of the parts of X are unknown"):
        estimator.fit(parts[0], y.to_numpy())
    with pytest.raises(ValueError, match=r"part . .*: X has 2600 rows, but y has 1000"):
        estimator.fit(parts[0], da.from_array(y.to_numpy()[:5000], chunks=1000))


def test_tables_in_files(two, table, tmp_path):
    """Each file numbers its categories by itself; the model has them as one reader does."""
    X, y = table
    names = [tmp_path / f"{i}.csv" for i in range(3)]
    for name, a in zip(names, (8000, 0, 4000)):
        X.assign(trend=y)[a:a + 4000].to_csv(name, index=False)
    source = featcross.Files(*names, reader="csv:label=trend")
    one = featcross.LinearClassifier(**LOGISTIC, random_state=1).fit(source)
    found = fd.LinearClassifier(**LOGISTIC, random_state=1).fit(source)
    assert hash_of(found) == hash_of(one)
    assert found.encoder_.names == one.encoder_.names and found.encoder_.names[2] == "city=Bern"
    assert (found.predict(X) == one.predict(X)).all()
    bare = tmp_path / "bare.csv"        # columns in another order, a category that is new, no label
    other = X.assign(city=X.city.replace("Oslo", "Lima"))
    other[["city", "day", "size", "age"]].to_csv(bare, index=False)
    rows = [X[8000:12000], X[:4000], X[4000:8000], other]
    for method in ("predict", "predict_proba", "decision_function"):
        parts = getattr(found, method)([*names, bare])
        assert isinstance(parts, da.Array) and len(parts.chunks[0]) == 4
        known = np.concatenate([getattr(one, method)(part) for part in rows])
        assert np.array_equal(parts.compute(), known)
        assert np.array_equal(getattr(one, method)([*names]), known[:12000])


def test_components_of_files(two, tmp_path):
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(2)
    rows = pandas.DataFrame(rng.normal(size=(5000, 4)).round(3), columns=list("abcd"))
    rows.to_csv(tmp_path / "a.csv", index=False)
    source = featcross.Files(tmp_path / "a.csv", reader="csv:label=none")
    pca = fd.PCA(2, random_state=1).fit(source)
    found = pca.transform(source)
    assert isinstance(found, da.Array) and np.array_equal(found.compute(), pca.transform(rows))


def test_files_of_other_widths(two, tmp_path):
    """One of which counts columns from 0, and so all do."""
    rng = np.random.default_rng(1)
    names = [tmp_path / f"{i}.svm" for i in range(3)]
    for k, name in enumerate(names):
        lines = [f"{rng.integers(0, 2)} " + " ".join(
            f"{j}:{rng.normal():.3f}" for j in sorted(rng.choice(range(k < 2, 9 + k), 4, False)))
            for _ in range(3000)]
        name.write_text("\n".join(lines) + "\n")
    for kind in ("LinearClassifier", "LinearRegressor"):
        one, found = (getattr(where, kind)(max_iter=4, random_state=1, solver="newton").fit(names)
                      for where in (featcross, fd))
        assert hash_of(found) == hash_of(one) and found.n_features_in_ == 11
        assert not hasattr(one, "classes_") or found.classes_.dtype == one.classes_.dtype
    with pytest.raises(ValueError, match="y and sample_weight must be None"):
        found.fit(names, [1, 2])


# ---- Maps ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", ["RandomKernelMap", "TensorSketch", "RandomFourier",
                                  "RandomMaclaurin", "RandomProjection"])
def test_maps(kind, rows):
    X = divided(rows[:1])[0]
    map = getattr(fd, kind)(16, random_state=1).fit(X)
    Z = map.transform(X)
    expected = getattr(featcross, kind)(16, random_state=1).fit_transform(rows[0])
    chunks = tuple(n for n in CHUNKS[0] if n), expected.shape[1:]
    assert isinstance(Z, da.Array) and Z.chunks == chunks
    assert (Z.compute() == expected).all() and (map.transform(rows[0]) == expected).all()


def test_recipe_of_a_map(rows):
    """doc/scale.md: the package's own map in map_blocks."""
    map = featcross.RandomKernelMap(16, random_state=1).fit(rows[0][:10])
    X = da.from_array(rows[0], chunks=(3000, -1))
    Z = X.map_blocks(map.transform, dtype=X.dtype, chunks=(X.chunks[0], (16,)))
    assert (Z.compute() == map.transform(rows[0])).all()


@pytest.mark.parametrize("map, reason", [
    (fd.RandomFourier(8, gamma="scale"), "gamma='scale' needs all rows"),
    (fd.RandomKernelMap(8, complex="auto"), "complex='auto' must see"),
    (fd.RandomMaclaurin(8, orders="allocated"), "orders='allocated' depends on rows")], ids=str)
def test_maps_that_depend_on_rows(map, reason, rows):
    with pytest.raises(ValueError, match=reason):
        map.fit(divided(rows[:1])[0])
    assert not hasattr(map, "map_")


# ---- What happens to workers --------------------------------------------------------------------
@pytest.mark.parametrize("at", [2, 3, 5])
def test_a_killed_worker(at, two, monkeypatch):
    """Its packed rows are made again elsewhere."""
    answer, before = _engine.Passes.answer, two.run(os.getpid)
    assert len(before) == 2

    def kill(self, request):
        if self.passes + 1 == at:
            victim = min(before.values())
            threading.Timer(0.01, os.kill, (victim, signal.SIGKILL)).start()
        return answer(self, request)

    monkeypatch.setattr(_engine.Passes, "answer", kill)
    assert hash_of(pair("logistic")[1].fit(*divided(learned("logistic")))) == known("logistic")
    two.wait_for_workers(2)
    deadline = time.monotonic() + 30
    while set(two.run(os.getpid).values()) == set(before.values()):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    two.wait_for_workers(2)


def tasks_of(client):
    return client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks))


def forgotten(client):
    deadline = time.monotonic() + 30
    while tasks_of(client):
        assert time.monotonic() < deadline, tasks_of(client)
        time.sleep(0.05)


@pytest.mark.parametrize("at", [1, 4])
def test_an_interrupt_leaves_no_tasks(at, two, rows, monkeypatch):
    ask, asked = fd.Dask.ask, []

    def interrupted(self, request):
        asked.append(1)
        if len(asked) == at:
            signal.raise_signal(signal.SIGINT) if threading.current_thread() is \
                threading.main_thread() else os.kill(os.getpid(), signal.SIGINT)
        return ask(self, request)

    monkeypatch.setattr(fd.Dask, "ask", interrupted)
    estimator = pair("logistic")[1]
    with pytest.raises(KeyboardInterrupt):
        estimator.fit(*divided(learned("logistic")))
    assert len(asked) <= at + 1 and not hasattr(estimator, "model_")
    forgotten(two)


def test_a_fit_leaves_no_tasks(two, rows):
    pair("logistic")[1].fit(*divided(learned("logistic")))
    forgotten(two)


@pytest.mark.parametrize("where", ["two", None])
def test_an_exception_of_a_task(where, rows, request):
    if where:
        client = request.getfixturevalue(where)
    X, y = divided(learned("logistic"))
    broken = X.map_blocks(lambda block, block_info=None: 1 / 0 if block_info[0]["chunk-location"]
                          == (3, 0) else block, dtype=X.dtype, meta=np.empty((0, 0)))
    with pytest.raises(ZeroDivisionError, match="division by zero"):
        pair("logistic")[1].fit(broken, y)
    holed = rows[0].copy()
    holed[8500, 2] = np.nan
    with pytest.raises(ValueError, match=r"part 4, row 499, column 2 .*: NaN .* missing="):
        pair("logistic")[1].fit(divided([holed])[0], y)
    if where:
        forgotten(client)


def test_workers_that_compute_something_else(rows, monkeypatch):
    own = _part.machine()
    assert own[1]
    monkeypatch.setattr(_part, "machine", lambda: (own[0], "another set"))
    packed = _packed.pack(_packed.Layout(featcross.LinearRegressor(), [0], None, 0,
                                     (own[0], "another set")), 0, [])
    monkeypatch.setattr(_part, "machine", lambda: own)
    with pytest.raises(ValueError, match="a worker has featcross .* an FX_TARGET that"):
        _packed.answer(b"", packed)


def test_packed_rows_are_pickled_as_bytes(rows):
    estimator = featcross.LinearRegressor()
    estimator.n_features_in_ = 6
    layout = _packed.Layout(estimator, [0], None, 0, _part.machine())
    packed = _packed.pack(layout, 4096, [_part.Part(0, rows[0][:5000], rows[1][:5000])])
    again = pickle.loads(pickle.dumps(packed))
    assert again.first == 4096 and [len(a) for a in again.blocks] == [len(a) for a in packed.blocks]
    assert [t.rows for _, t in again.tables()] == [4096, 904]
    assert 0.9 < again.__sizeof__() / rows[0][:5000].nbytes < 1.5


# ---- What is refused ----------------------------------------------------------------------------
def never(block):
    raise AssertionError("rows were read")


@pytest.mark.parametrize("estimator, reason", [
    (fd.LinearClassifier(loss="hinge"), r"needs all rows in memory; .*\(loss='logistic'\)"),
    (fd.LinearClassifier(loss="perceptron"), r"visits rows one after the other.*loss='logistic'"),
    (fd.FactorizationMachineClassifier(solver="adagrad"), r"visits rows one .*solver='lbfgs'"),
    (fd.LinearClassifier(loss="logistic", C="auto"), "C='auto' needs all rows"),
    (fd.LinearClassifier(loss="logistic", missing="median"), "median needs all rows")], ids=str)
def test_refused_before_any_row(estimator, reason, rows, two):
    X, y = divided(rows)
    with pytest.raises(ValueError, match=reason) as refused:
        estimator.fit(X.map_blocks(never, dtype=float, meta=np.empty((0, 0))), y)
    assert "perceptron" not in str(refused.value).partition("these do not")[2]


@pytest.mark.parametrize("arrays, reason", [
    ([np.ones((0, 3)), np.ones(0)], "Found 0 sample"),
    ([np.ones((9, 0)), np.ones(9)], "0 feature"),
    ([np.ones(9), np.ones(9)], "X has 1 dimension"),
    ([np.ones((9, 2)), np.ones(8)], "X has 9 rows, but y has 8"),
    ([np.ones((9, 2)), np.ones(9)], "one class only"),
    ([np.ones((9, 2)), np.arange(9) / 2], "part . .*: Unknown label type: continuous"),
    ([np.ones((9, 2)), np.arange(9) % 2, -np.ones(9)], "Negative values in sample_weight")])
def test_rows_that_no_fit_takes(arrays, reason):
    with pytest.raises(ValueError, match=reason):
        fd.LinearClassifier(**LOGISTIC).fit(*[da.from_array(a, chunks=5) for a in arrays])


def test_parts_of_other_widths_and_kinds(rows):
    X, y = rows[0][:100], rows[1][:100] > 0
    labels = da.from_array(y, chunks=50)

    def both(other):
        return da.concatenate([da.from_delayed(dask.delayed(part), (50, 6), dtype=float)
                               for part in (X[:50], other)])

    with pytest.raises(ValueError, match=r"part 1 .*: X has 5 features, but .* expecting 6"):
        fd.LinearClassifier(**LOGISTIC).fit(both(X[50:, :5]), labels)
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(ValueError, match="part 1 .*: rows are sparse, unlike those of the first"):
        fd.LinearClassifier(**LOGISTIC).fit(both(sparse.csr_matrix(X[50:])), labels)


def test_one_column_and_parts_without_rows(rows):
    X, y = rows[0][:, :1], rows[1] > 0
    one = featcross.LinearClassifier(**LOGISTIC, random_state=1).fit(X, y)
    parts = divided([X, y], ((0, 10, 0, N - 10, 0), (1,)))
    assert hash_of(fd.LinearClassifier(**LOGISTIC, random_state=1).fit(*parts)) == hash_of(one)


def test_columns_far_beyond_entries(rows):
    sparse = pytest.importorskip("scipy.sparse")
    X = sparse.csr_matrix((np.ones(N), np.arange(N), np.arange(N + 1)), shape=(N, 10**5))
    parts = da.from_delayed(dask.delayed(X), X.shape, dtype=float, meta=X[:0])
    with pytest.raises(ValueError, match="so sparse.* one after the other"):
        fd.LinearClassifier(**LOGISTIC).fit(parts, rows[1] > 0)


# ---- Manners ------------------------------------------------------------------------------------
def test_rows_in_memory_and_files_of_models(tmp_path):
    arrays = learned("logistic")
    estimator = pair("logistic")[1].fit(*arrays)
    assert hash_of(estimator) == known("logistic")
    estimator.save(tmp_path / "m.fx")
    assert (tmp_path / "m.fx").read_bytes() == estimator.model_.dump()
    again = featcross.load(tmp_path / "m.fx")
    assert (again.predict(arrays[0]) == estimator.predict(divided(arrays)[0]).compute()).all()
    assert hash_of(pickle.loads(pickle.dumps(estimator))) == known("logistic")


def test_methods_of_classifiers(rows):
    arrays = learned("logistic")
    X, y = divided(arrays)
    estimator = pair("logistic")[1].fit(X, y)
    for name in ("decision_function", "predict_proba"):
        assert (getattr(estimator, name)(X).compute() == getattr(estimator, name)(arrays[0])).all()
    assert not hasattr(fd.LinearClassifier(), "predict_proba")
    with pytest.raises(ValueError, match="not fitted"):
        fd.LinearClassifier().predict(X)


def test_eval_set_and_warm_start(rows):
    arrays = learned("logistic")
    eval_set = tuple(a[:50] for a in arrays)
    one, found = pair("logistic")
    for estimator, given in ((one, arrays), (found, divided(arrays))):
        estimator.set_params(warm_start=True, max_iter=2).fit(*given, eval_set=eval_set)
        estimator.set_params(max_iter=9).fit(*given, eval_set=[eval_set])
    assert hash_of(found) == hash_of(one) and found.evals_result_ == one.evals_result_


def test_weights_of_all_rows(rows):
    X, y = rows
    one = featcross.LinearRegressor(random_state=1).fit(X, y, 2.0)
    assert hash_of(fd.LinearRegressor(random_state=1).fit(*divided([X, y]), 2.0)) == hash_of(one)

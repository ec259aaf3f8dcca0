# SPDX-License-Identifier: BSD-3-Clause
"""featcross.ray on two workers; `make test-engines` runs it.

Covers: ray.py
"""
import os
import signal
import threading

import engines
import pytest
from engines import CASES, N, hash_of, known, learned

from featcross._passes import engine as _engine

if not os.environ.get("FX_TEST_ENGINES"):
    pytest.skip("make test-engines runs it", allow_module_level=True)
ray = pytest.importorskip("ray")
import featcross.ray  # noqa: E402

pytestmark = pytest.mark.usefixtures("calm")


@pytest.fixture(scope="module")
def two():
    os.environ.setdefault("RAY_AUTH_MODE", "disabled")      # else it writes a token
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False,
             object_store_memory=2 * 10**8, _node_ip_address="127.0.0.1")
    yield
    ray.shutdown()


def parts(name, step=3000):
    return [ray.put(tuple(a[k:k + step] for a in learned(name))) for k in range(0, N, step)]


@pytest.mark.parametrize("name", CASES)
def test_one_hash(name, two):
    found = featcross.ray.fit(engines.estimator(name), parts(name))
    assert hash_of(found) == known(name)


def test_answers_merge_in_a_tree(two, monkeypatch):
    monkeypatch.setattr(_engine, "FEW", 2)
    assert hash_of(featcross.ray.fit(engines.estimator("logistic"), parts("logistic"))) == \
        known("logistic")


def test_datasets(two):
    pandas = pytest.importorskip("pandas")
    X, y, weight = learned("weights")
    table = pandas.DataFrame(X, columns=list("abcdef"))
    one = engines.estimator("weights").fit(table, pandas.Series(y, name="trend"), weight)
    table = table.assign(trend=y, often=weight)
    data = ray.data.from_pandas([table[:5000], table[5000:]])
    found = featcross.ray.fit(engines.estimator("weights"), data, label="trend", weight="often")
    assert hash_of(found) == hash_of(one)
    predicted = data.map_batches(lambda rows: rows.assign(found=one.predict(rows[list("abcdef")])),
                                 batch_format="pandas").to_pandas()
    assert (predicted.found == one.predict(table[list("abcdef")])).all()


def test_a_killed_worker(two, monkeypatch):
    """While it answers."""
    answer, pid = _engine.Passes.answer, ray.remote(lambda: os.getpid())
    killed = []

    def kill(self, request):
        if self.passes == 2:
            killed.append(ray.get(pid.remote()))
            threading.Timer(0.001, os.kill, (killed[0], signal.SIGKILL)).start()
        return answer(self, request)

    monkeypatch.setattr(_engine.Passes, "answer", kill)
    assert hash_of(featcross.ray.fit(engines.estimator("logistic"), parts("logistic"))) == \
        known("logistic")
    assert killed and killed[0] not in ray.get([pid.remote() for _ in range(8)])


def test_errors(two):
    X, y = learned("logistic")
    with pytest.raises(ValueError, match="part 1 .*: X has 5 rows, but y has 4"):
        featcross.ray.fit(engines.estimator("logistic"),
                          [ray.put((X, y)), ray.put((X[:5], y[:4]))])

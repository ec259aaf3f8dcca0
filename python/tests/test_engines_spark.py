# SPDX-License-Identifier: BSD-3-Clause
"""featcross.spark on two threads of executors; `make test-engines` runs it.

Covers: spark.py
"""
import os
import sys

import engines
import numpy as np
import pytest
from engines import CASES, hash_of, learned

from featcross._passes import engine as _engine

if not os.environ.get("FX_TEST_ENGINES"):
    pytest.skip("make test-engines runs it", allow_module_level=True)
pytest.importorskip("pyspark")
pandas = pytest.importorskip("pandas")
import featcross.spark  # noqa: E402

pytestmark = pytest.mark.usefixtures("calm")
COLUMNS = list("abcdef")


@pytest.fixture(scope="module")
def two():
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false") \
        .config("spark.ui.showConsoleProgress", "false").config("spark.log.level", "ERROR") \
        .config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1") \
        .getOrCreate()
    yield session
    session.stop()


def table_of(name):
    """One DataFrame; the names of its columns of labels and of weights."""
    X, *more = learned(name)
    table = pandas.DataFrame(X, columns=COLUMNS)
    names = ["trend", "often"][:len(more)]
    return table.assign(**dict(zip(names, more))), [*names, None, None][:2]


@pytest.mark.parametrize("name", [name for name in CASES if name != "missing"])
def test_one_hash(name, two):
    table, (label, weight) = table_of(name)
    one = engines.estimator(name).fit(
        table[COLUMNS], *([] if label is None else [table[label]]),
        **({} if weight is None else {"sample_weight": table[weight]}))
    frame = two.createDataFrame(table)
    assert frame.rdd.getNumPartitions() == 2
    found = featcross.spark.fit(engines.estimator(name), frame, label=label, weight=weight)
    assert hash_of(found) == hash_of(one)


def test_parts_and_a_tree(two, monkeypatch):
    """Parts some of which have no rows, and more answers than one task merges."""
    monkeypatch.setattr(featcross.spark, "FEW", 2)
    monkeypatch.setattr(_engine, "TASKS", 4)
    table, _ = table_of("logistic")
    one = engines.estimator("logistic").fit(table[COLUMNS], table["trend"])
    frame = two.createDataFrame(table)
    found = featcross.spark.fit(engines.estimator("logistic"),
                                frame.union(frame.filter("a > 1000")), label="trend")
    assert hash_of(found) == hash_of(one)


def test_predictions(two):
    """doc/scale.md"""
    table, _ = table_of("logistic")
    model = engines.estimator("logistic").fit(table[COLUMNS], table["trend"])

    def predicted(batches):
        for rows in batches:
            yield rows.assign(found=model.predict(rows[COLUMNS]))

    frame = two.createDataFrame(table)
    schema = ", ".join(f"{name} {kind}" for name, kind in [*frame.dtypes, ("found", "string")])
    found = frame.mapInPandas(predicted, schema).toPandas()
    assert (found.found == model.predict(table[COLUMNS])).all()


def test_maps(two):
    """doc/scale.md: the package's own map, by DataFrames of pandas and by batches of Arrow."""
    import pyarrow
    from pyspark.sql.functions import pandas_udf, struct

    table = table_of("logistic")[0][COLUMNS]
    map = featcross.RandomKernelMap(16, random_state=1).fit(table[:10])

    @pandas_udf("array<double>")
    def features(rows: pandas.DataFrame) -> pandas.Series:
        return pandas.Series(list(map.transform(rows)))

    def mapped(batches):
        for rows in batches:
            Z = map.transform(rows.select(COLUMNS))
            yield pyarrow.record_batch({"features": pyarrow.array(list(Z))})

    frame = two.createDataFrame(table)
    for found in (frame.withColumn("features", features(struct(*COLUMNS))),
                  frame.mapInArrow(mapped, "features array<double>")):
        Z = np.array(found.select("features").toPandas()["features"].tolist())
        assert np.array_equal(Z, map.transform(table))


def test_errors(two):
    frame = two.createDataFrame(table_of("logistic")[0])
    with pytest.raises(ValueError, match="no column 'trent'; did you mean 'trend'"):
        featcross.spark.fit(engines.estimator("logistic"), frame, label="trent")
    with pytest.raises(ValueError, match="part . .*: y holds text, and a regressor needs numbers"):
        featcross.spark.fit(engines.estimator("ridge"), frame, label="trend")
    holed = frame.replace(float(table_of("logistic")[0]["b"][5]), None, subset=["b"])
    with pytest.raises(ValueError, match="column 'b'.*row .*NaN"):
        featcross.spark.fit(engines.estimator("logistic"), holed, label="trend")

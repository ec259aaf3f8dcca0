# SPDX-License-Identifier: BSD-3-Clause
"""DataFrames with categories: the rule of the CSV reader, and the program on the same table."""
import json
import pickle
import subprocess
import sys

import numpy as np
import pytest

import featcross
from featcross._frame import Encoder
from featcross._model import Model

pytest.importorskip("scipy", reason="rows with categories are sparse")
pd = pytest.importorskip("pandas", reason="DataFrames are pandas'")


def table(rng, n=60):
    """Numbers and categories of every type, some of the latter missing."""
    city = rng.choice(["Paris", "Rome", "Oslo", "São Paulo", ""], n)
    return pd.DataFrame({
        "city": city, "age": rng.integers(0, 90, n),
        "os": pd.Categorical(rng.choice(["b", "a", "c"], n), categories=["a", "b", "c", "never"]),
        "height": rng.normal(size=n).round(3), "member": rng.random(n) < 0.5,
        "level": pd.Series(rng.choice([3, 1, 2], n)).astype("category"),
        "note": pd.Series(rng.choice(["x y", " z\t", None], n), dtype=object),
        "word": pd.Series(rng.choice(["u", "v", None], n), dtype="string"),
        "count": pd.array(rng.integers(0, 3, n), dtype="Int64"),
    })


def by_definition(X):
    """Row by row: names as they are met, and a dict for each row."""
    number = ["age", "height", "member", "count"]
    names, rows = list(number), []
    for _, record in X.iterrows():
        row = {name: float(record[name]) for name in number if record[name] != 0}
        for name in X.columns:
            value = record[name]
            if name not in number and not pd.isna(value) and str(value).strip():
                feature = f"{name}={str(value).strip()}"
                if feature not in names:
                    names.append(feature)
                row[feature] = 1.0
        rows.append(row)
    return names, rows


def as_dicts(names, A):
    return [{names[j]: A[i, j] for j in np.flatnonzero(A[i])} for i in range(len(A))]


def labels(X):
    y = (X["city"] == "Paris") & (X["os"] == "a") | (X["age"] > 60)
    return pd.Series(np.where(y, "yes", "no"), name="answer")


def test_rule(rng):
    X = table(rng)
    encoder = Encoder(X)
    rows, unknown = encoder.encode(X)
    names, dicts = by_definition(X)
    assert encoder.names == names and unknown == 0 and "os=never" not in names
    assert as_dicts(names, rows.toarray()) == dicts
    rows.sum_duplicates()
    assert rows.has_canonical_format and rows.nnz == sum(map(len, dicts))


def test_unknown_and_missing(rng, capfd):
    X = table(rng)
    model = featcross.LinearClassifier(random_state=0).fit(X, labels(X))
    Y = X.head(4).copy()
    Y["city"] = ["Paris", "Bergen", None, "Bergen"]
    Y["os"] = ["a", None, "a", "new"]
    rows, unknown = model.encoder_.encode(Y)
    A = pd.DataFrame(rows.toarray(), columns=model.encoder_.names)
    assert unknown == 3                 # Bergen, Bergen, new
    assert A["city=Paris"].tolist() == [1, 0, 0, 0] and A["os=a"].tolist() == [1, 0, 1, 0]
    assert A.filter(like="city=").sum().sum() == 1
    capfd.readouterr()
    model.predict(Y)
    assert capfd.readouterr() == ("", "")
    model.set_params(verbose=1).predict(Y)
    assert "featcross: X: 3 categories that fit did not meet were left out\n" \
        in capfd.readouterr().err


def test_names(rng):
    X = table(rng)
    pairs = featcross.RandomKernelMap(256, random_state=0)
    model = featcross.LinearClassifier(scale="maxabs", random_state=0, map=pairs).fit(X, labels(X))
    assert model.n_features_in_ == 9 and list(model.feature_names_in_) == list(X.columns)
    found = {name for c in model.top_combinations(30) for name in c.features}
    assert found <= set(model.encoder_.names) and {"city=Paris", "os=a"} <= found
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    Z = featcross.RandomKernelMap(8, random_state=0).fit(X).transform(X)
    assert Z.shape == (60, 8)
    for other in (np.ones((3, 9)), X.to_numpy(dtype=object)):
        with pytest.raises(ValueError, match="fitted on a DataFrame with categories"):
            model.predict(other)
    with pytest.raises(ValueError, match="must be in the same order"):
        model.predict(X[X.columns[::-1]])
    with pytest.raises(ValueError, match="column 'age', holds text"):
        model.predict(X.assign(age="old"))
    model.fit(np.ones((4, 2)) * [[1], [2], [3], [4]], [0, 1, 0, 1])
    assert not hasattr(model, "encoder_") and not hasattr(model, "feature_names_in_")


def test_float32_stays(rng):
    X = pd.DataFrame({"a": rng.random(9).astype(np.float32), "b": ["x", "y", "z"] * 3})
    y = [0, 1, 1] * 3
    model = featcross.LinearClassifier(random_state=0).fit(X, y)
    assert model.decision_function(X).dtype == np.float32


def test_a_fit_that_goes_on_keeps_its_columns(rng):
    X = table(rng)
    model = featcross.LinearClassifier(loss="logistic", warm_start=True, random_state=0, tol=1e-9)
    scores = model.fit(X, labels(X)).decision_function(X)
    names = model.encoder_.names
    model.fit(X[::-1].reset_index(drop=True), labels(X)[::-1])
    assert model.encoder_.names == names
    np.testing.assert_allclose(model.decision_function(X), scores, rtol=0.1, atol=0.1)
    turned = X[X.columns[::-1]]
    assert model.fit(turned, labels(X)).encoder_.columns == list(turned.columns)
    np.testing.assert_allclose(model.decision_function(turned), scores, rtol=0.1, atol=0.1)
    with pytest.raises(ValueError, match="now missing:\n- age\n"):
        model.fit(X.drop(columns="age"), labels(X))
    with pytest.raises(ValueError, match="was fitted on a DataFrame with categories"):
        model.fit(np.ones((len(X), 2)), labels(X))


@pytest.mark.filterwarnings("ignore:after .* iterations")
def test_a_loaded_fit_goes_on(rng, tmp_path):
    """Files do not keep the order of columns, but what they became; groups are of whole columns."""
    X = table(rng)
    model = featcross.FactorizationMachineClassifier(
        3, solver="adagrad", max_iter=3, groups=[["city", "age"], ["os", "level=1"]],
        scale="maxabs", random_state=0, warm_start=True).fit(X, labels(X))
    model.save(tmp_path / "m.fx")
    loaded = featcross.load(tmp_path / "m.fx").set_params(warm_start=True)
    assert list(map(set, loaded.groups)) == [{"city", "age"}, {"os", "level=1"}]
    for one in (model, loaded):
        one.fit(X[::-1], labels(X)[::-1])
    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))
    assert loaded.encoder_.columns == model.encoder_.columns == list(X.columns)


@pytest.mark.parametrize("X, error, message", [
    (pd.DataFrame([["x", 1], ["y", 2]], columns=["a", "a"]), ValueError, "two columns .* 'a'"),
    (pd.DataFrame([[0, 1], [1, 2]], columns=["a", "a"]), ValueError, "two columns .* 'a'"),
    (pd.DataFrame({"a": ["x", "y"], "a=x": [1, 2]}), ValueError, "'a=x' is named like a value of the category 'a'"),
    (pd.DataFrame({"a": ["x", "y"], "n": [1, np.nan]}), ValueError, "column 'n', row 1: NaN"),
    (pd.DataFrame({"a": ["x", "y"], "t": pd.to_datetime(["2024-01-01"] * 2)}), TypeError,
     "column 't', .*neither a number nor a category"),
    (pd.DataFrame({"a": ["x\0", "y"]}), ValueError, "zero byte"),
    (pd.DataFrame({"n": [1, pd.NA]}, dtype=object), ValueError, "column 'n', row 1: NaN"),
])
def test_refused(X, error, message):
    with pytest.raises(error, match=message):
        featcross.LinearClassifier().fit(X, [0, 1])


def test_columns_without_names():
    X = pd.DataFrame([["x", 1.0], ["y", 2.0]])
    model = featcross.LinearClassifier(random_state=0).fit(X, [0, 1])
    assert model.encoder_.names == ["1", "0=x", "0=y"] and not hasattr(model, "feature_names_in_")
    assert model.predict(X).tolist() == [0, 1]


def test_groups_by_name(rng):
    """A column of categories stands for all of its categories, and one category for itself."""
    X = table(rng)
    model = featcross.FactorizationMachineClassifier(
        groups=[["city", "age"], ["os", 3], ["level=1"]], groups_only=True, max_iter=5,
        random_state=0, scale="maxabs", fit_linear=False).fit(X, labels(X))
    group = {"city": 0, "age": 0, "os": 1, "height": 1, "level=1": 2}
    pairs = [c.features for c in model.top_combinations(20, order=2)]
    assert len(pairs) == 20
    for pair in pairs:
        a, b = [group.get(name, group.get(name.partition("=")[0])) for name in pair]
        assert None not in (a, b) and a != b
    for wrong in ("nothing", "city=Bergen", 9, -1):
        with pytest.raises(ValueError, match=f"groups names {wrong!r}, which is no column"):
            model.set_params(groups=[[wrong]]).fit(X, labels(X))
    with pytest.raises(ValueError, match="split= counts columns"):
        model.set_params(groups=None, groups_only=False, split=2).fit(X, labels(X))


def test_names_of_explicit_combinations(rng):
    X = table(rng)[["os", "age"]]
    pairs = featcross.ExplicitCombinations().fit(X)
    a, b, c = (f"os={v}" for v in X["os"].unique())
    for given in (None, ["os", "age"]):
        assert pairs.get_feature_names_out(given).tolist() == [
            f"age {a}", f"age {b}", f"age {c}", f"{a} {b}", f"{a} {c}", f"{b} {c}"]


def test_needs_scipy(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.sparse", None)
    with pytest.raises(ImportError, match="SciPy is needed"):
        featcross.LinearClassifier().fit(pd.DataFrame({"a": ["x", "y"]}), [0, 1])


def test_polars(rng):
    pl = pytest.importorskip("polars", reason="polars is not needed, but served")
    X = table(rng)[["city", "age", "os", "height", "word"]]
    P = pl.DataFrame({name: X[name].astype(object).where(X[name].notna(), None).tolist()
                      for name in X.columns}).with_columns(pl.col("os").cast(pl.Categorical))
    mine, theirs = Encoder(X), Encoder(P)
    assert mine.names == theirs.names
    np.testing.assert_array_equal(mine.encode(X)[0].toarray(), theirs.encode(P)[0].toarray())


# ---- The program on the same table -------------------------------------------------------------
def scores(program, model, rows, tmp_path):
    out = tmp_path / "scores.npy"
    done = subprocess.run([program, "predict", str(model), str(rows), "--output", "score",
                           "--format", "npy", "-o", str(out)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return np.load(out), done.stderr


MAP = featcross.RandomKernelMap(64, kernel="all-subsets", random_state=1)


@pytest.mark.parametrize("learner", [
    featcross.LinearClassifier(random_state=0, scale="maxabs"),
    featcross.LinearClassifier(random_state=0, scale="maxabs", map=MAP),
    featcross.LinearRegressor(random_state=0, scale="std", map=MAP),
    featcross.KernelSVC(kernel="rbf", scale="maxabs"),
    featcross.FactorizationMachineClassifier(random_state=0, max_iter=5, scale="maxabs", degree=3)])
def test_program_predicts_the_same(rng, program, tmp_path, learner):
    X = table(rng).astype({"member": int})      # a file has numbers 0 and 1
    y = labels(X)
    if isinstance(learner, featcross.LinearRegressor):
        y = (y == "yes") * 1.0
        y.name = "answer"
    learner.fit(X[:40], y[:40]).save(tmp_path / "m.fx")
    mine = learner.predict(X) if isinstance(learner, featcross.LinearRegressor) \
        else learner.decision_function(X)
    for columns in (list(X.columns), ["answer", *X.columns], ["os", "age", "answer", *X.columns[3:],
                                                              "city"]):
        X.assign(answer=y)[columns].to_csv(tmp_path / "rows.csv", index=False)
        theirs, said = scores(program, tmp_path / "m.fx", tmp_path / "rows.csv", tmp_path)
        assert theirs.tobytes() == mine.tobytes() and said == ""
    if not isinstance(learner, featcross.LinearRegressor):      # and the labels are found by name
        done = subprocess.run([program, "evaluate", str(tmp_path / "m.fx"), "--json",
                               str(tmp_path / "rows.csv")], capture_output=True, text=True)
        assert json.loads(done.stdout)["accuracy"] == learner.score(X, y)


def test_program_learns_the_same(rng, program, tmp_path):
    """The same table, read by the program: the same columns, the same model."""
    X = table(rng).astype({"member": int})
    X["level"] = ("L" + X["level"].astype(str)).astype("category")      # text, as cat=auto asks for
    X.loc[0, ["city", "note", "word"]] = "first"                       # in the first row
    y = labels(X)
    model = featcross.LinearClassifier(random_state=1).fit(X, y)
    X.assign(answer=y).to_csv(tmp_path / "rows.csv", index=False)
    subprocess.run([program, "train", str(tmp_path / "rows.csv"), "-o", str(tmp_path / "m.fx"),
                    "-q", "--model", model.model_.spec()], check=True)
    theirs = Model.parse((tmp_path / "m.fx").read_bytes())
    assert theirs.names() == model.model_.names()
    c = theirs.content
    np.testing.assert_array_equal(theirs.array("weights", c.features, c.outputs),
                                  model.model_.array("weights", c.features, c.outputs))
    for file in (theirs, model.model_):         # and DataFrames are read by what files say
        encoder = Encoder.of_file(file.names(), file.spec("reader"))
        assert set(encoder.columns) == set(X.columns) and encoder.names == file.names()
        encoder = encoder.ordered(list(X.columns))
        np.testing.assert_array_equal(encoder.encode(X)[0].toarray(),
                                      model.encoder_.encode(X)[0].toarray())


def test_encoder_of_a_file(rng):
    """It knows the names of columns, but not their order."""
    X = table(rng)
    model = featcross.LinearClassifier(random_state=0).fit(X, labels(X))
    want = model.decision_function(X)
    model.encoder_ = Encoder.of_file(model.encoder_.names, model.model_.spec("reader"))
    del model.feature_names_in_
    for columns in (X.columns, X.columns[::-1]):
        np.testing.assert_array_equal(model.decision_function(X[columns]), want)
    with pytest.raises(ValueError, match="now missing:\n- age\n"):
        model.predict(X.drop(columns="age"))
    for reader in ("", "svmlight:base=1", "csv:cat=none", "csv:cat=auto", "csv:cat=a,hash-bits=4"):
        assert Encoder.of_file(["a"], reader) is None


def test_names_that_are_grammar(program, tmp_path):
    names = ["none", "auto", "a,b", "(c)/d", "100%", "last", 'say "x"', "e=f"]
    X = pd.DataFrame({name: ["p", "q", "r", "p"] for name in names}).assign(first=[1.5, 2, 3, 4])
    y = pd.Series([0, 1, 1, 0], name="first,of")
    model = featcross.LinearClassifier(random_state=0).fit(X, y)
    model.save(tmp_path / "m.fx")
    X.to_csv(tmp_path / "rows.csv", index=False)
    theirs, said = scores(program, tmp_path / "m.fx", tmp_path / "rows.csv", tmp_path)
    assert theirs.tobytes() == model.decision_function(X).tobytes() and said == ""

# SPDX-License-Identifier: BSD-3-Clause
"""Models go between the program and the package: both predict the same bytes from one file, and what
is loaded can learn again."""
import pickle
import subprocess

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import featcross
from featcross import KernelPCA, KernelSVC, LinearClassifier, load
from featcross._learners.learner import Learner
from featcross._library import text
from featcross._load import _exported
from featcross._map import Map
from featcross._names.spec import VALUES, parameters
from featcross._names.table import CLASSIFY, MUST, RANK, REGRESS, describe, name_of, names
from featcross._sklearn import ClassifierMixin

FAMILY = "0 1\n2 3 5\n4\n"
GROUPS = "a: 0 1\nb: 2 3 4\n"
CROSS = "a b\n" + GROUPS


class Files:
    """Rows, labels and a program that reads and writes in one folder."""

    def __init__(self, folder, program):
        self.folder, self.program = folder, program
        rng = np.random.default_rng(5)
        X = rng.integers(-9, 10, (48, 6)) / 10 * (rng.random((48, 6)) < 0.7)
        X[:, 0] = 1
        self.X, self.rows = X, {np.float64: csr_matrix(X), np.float32: csr_matrix(X, dtype="f4")}
        score = X[:, 1] * X[:, 2] - X[:, 3] + 0.1 * rng.standard_normal(48)
        self.y = {"two": np.where(score > 0, 1, -1), "three": np.digitize(score, [-0.3, 0.3]),
                  "target": np.round(score, 3)}
        for name, y in self.y.items():
            for dtype, A in self.rows.items():
                np.savez(folder / f"{name}-{np.dtype(dtype).name}.npz", format=b"csr", y=y,
                         shape=A.shape, data=A.data, indices=A.indices, indptr=A.indptr)
        for name, lines in (("family", FAMILY), ("groups", GROUPS), ("cross", CROSS)):
            (folder / f"{name}.txt").write_text(lines)

    def __call__(self, *arguments):
        """The program's standard output."""
        run = subprocess.run([self.program, *map(str, arguments), "-q", "--threads", "1"],
                             cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert run.returncode == 0, run.stderr.decode()
        return run.stdout

    def predict(self, model, data, output):
        self("predict", model, data, "--output", output, "--format", "npy", "-o", "out.npy")
        return np.load(self.folder / "out.npy")


@pytest.fixture(scope="module")
def files(tmp_path_factory, program):
    return Files(tmp_path_factory.mktemp("models"), program)


def scores(estimator, X):
    if isinstance(estimator, KernelSVC):
        estimator.decision_function_shape = "ovo"   # pairs, as the program has them
    for method in ("transform", "decision_function", "predict"):
        if hasattr(estimator, method):
            return getattr(estimator, method)(X)


def same(a, b):
    return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()


def both_predict_alike(files, estimator, model, data, X):
    """The estimator says what the program says of the same rows."""
    def program(output):
        return files.predict(model, data, output)

    kind = X.dtype.type                 # the program's answers are doubles
    assert same(scores(estimator, X), program("score").astype(kind))
    if isinstance(estimator, ClassifierMixin):
        assert (estimator.predict(X) == program("label")).all()
        assert hasattr(estimator, "predict_proba") == bool(estimator.model_.width(2))
        if hasattr(estimator, "predict_proba"):
            assert same(estimator.predict_proba(X), program("proba").astype(kind))
    elif not isinstance(estimator, (KernelPCA, featcross.FactorizationMachineRanker)):
        assert same(estimator.predict(X), program("label").astype(kind))


FAST = "rank=3,max-iter=5,sd=0.3"       # of factorization machines
CASES = {                               # model and its options, labels
    "svm:C=0.5": "two", "svm-l2:penalty=l1": "two", "svr:epsilon=0.05": "target",
    "logistic:intercept=appended": "three", "ridge:intercept=none,tol=1e-6": "target",
    "perceptron:averaged=no,max-iter=3": "three", "pca:k=2": "target",
    "svm-l2:calibrate=yes --scale std": "three", "svm --scale maxabs": "two",
    "logistic --scale unit-l1": "two", "ridge --scale unit-l2": "target",
    "svm --kernel anova:order=3 --map rk:dist=gaussian -D 16": "two",
    "ridge --kernel anova-upto:order=2,theta=1/0.5 --map rk:complex=yes -D 8 --scale maxabs":
        "target",
    "svm-l2 --kernel all-subsets --map rk:projection=circulant,signs=row -D 16": "three",
    "svm --kernel itemset:file=family.txt --map rk -D 16": "two",
    "svm --kernel groups:file=groups.txt,order=2 --map rk -D 16": "two",
    "svm --kernel cross:file=cross.txt --map rk -D 16": "two",
    "logistic --kernel poly:degree=3,coef0=2,gamma=0.5 --map rm:h01=yes,max-order=3 -D 16": "two",
    "ridge --kernel exp:gamma=0.5 --map rm:orders=allocated -D 16": "target",
    "svm --kernel vovk:degree=3 --map rm -D 16": "two",
    "svm --kernel poly:degree=2(rbf:gamma=0.25) --map rm -D 16": "two",
    "svr --kernel poly:degree=2 --map ts -D 16": "target",
    "perceptron --kernel rbf:gamma=0.3 --map rff:features=cos -D 16": "two",
    "svm --kernel laplacian:gamma=0.3 --map rff -D 16": "two",
    "svm --kernel linear --map jl:dist=rademacher -D 4": "two",
    "svm --kernel anova:order=2 --map sparse-jl:s=2 -D 16": "two",
    "ridge --kernel poly:degree=2 --map explicit": "target",
    "pca:k=3 --kernel anova:order=2 --map rk -D 16": "target",
    "kernel-svm:C=2,collapse=no --kernel rbf:gamma=0.5": "two",
    "kernel-svm:calibrate=yes --kernel anova:order=2 --scale std": "three",
    "kernel-svm:collapse=yes --kernel poly:degree=2,gamma=0.5": "two",
    "kernel-svm:collapse=no --kernel itemset:file=family.txt": "two",
    "kernel-svr:epsilon=0.02 --kernel laplacian:gamma=0.5": "target",
    "kernel-ridge:C=2 --kernel cauchy:gamma=0.5 --scale maxabs": "target",
    "kernel-perceptron:budget=9,max-iter=4 --kernel all-subsets": "three",
    "kernel-pca:k=3 --kernel rbf:gamma=0.5": "target",
    f"fm:{FAST}": "two", f"fm:{FAST},solver=adagrad,lambda=learned": "three",
    f"fm:{FAST},task=regress,clip=train,beta=1e-3": "target",
    f"fm:{FAST},task=rank,linear=no": "target",
    f"fm:{FAST} --groups groups.txt": "two",
    f"fm:{FAST},loss=squared-hinge --cross cross.txt": "two",
    f"hofm:order=3,{FAST},beta=1e-3/1e-4,intercept=none": "two",
    f"hofm-shared:order=3,{FAST},task=regress --scale maxabs": "target",
    f"hofm-simplex:order=3,{FAST},task=rank": "target",
    f"all-subsets:{FAST},solver=lbfgs": "three", f"all-subsets:{FAST},task=regress": "target",
    f"poly-net:degree=3,{FAST},lambda=signs": "two",
    f"poly-net-uv:{FAST},task=regress,clip=train": "target",
    f"bilinear:split=3,{FAST}": "two",
}


# (name, task) of models, and maps, that estimators are.
LEARNED = [(name, kind._task) for kind in _exported(Learner) for name in kind._models]
MAPPED = [name for kind in _exported(Map) for name in kind._maps]
OFFERED = {(name, task) for name in names("model") for task in (0, CLASSIFY, REGRESS, RANK)
           if task & describe("model", name).tasks or task == describe("model", name).tasks}


def plain(name):
    """A model with its defaults, and 2 for keys that have none."""
    line = describe("model", name)
    keys = [f"{key.name}=2" for key in line.key.values() if key.fallback is None]
    return f"{name}:{','.join(keys)}" if keys else name


def of_map(name):
    return f"--kernel {describe('map', name).kernels[0]} --map {name} -D 16"


def others():
    """What the cases above do not name, as it is by default."""
    named = {name_of(case.split()[0]) for case in CASES}
    mapped = {name_of(case.partition("--map ")[2].split()[0]) for case in CASES if "--map" in case}
    for name, task in LEARNED:
        if name not in named:
            kernel = " --kernel rbf:gamma=0.5" * (describe("model", name).kernel == MUST)
            yield plain(name) + kernel, "two" if task == CLASSIFY else "target"
    for name in set(MAPPED) - mapped:
        yield f"ridge {of_map(name)}", "target"


CASES.update(others())


def fit(estimator, X, y):
    return estimator.fit(X) if isinstance(estimator, KernelPCA) else estimator.fit(X, y)


def clone(estimator):
    """As scikit-learn's, which need not be there."""
    return type(estimator)(**estimator.get_params(deep=False))


def specs(estimator):
    """Of a model, what auto has chosen and names of files apart."""
    c = estimator.model_.content
    keys = parameters("model", text(c.spec))
    for key in ("loss", "solver"):
        keys.pop(key, None)
    return (name_of(text(c.spec)), keys, text(c.scale), text(c.map), c.features,
            text(c.kernel).replace("file=family.txt", "file=family")
            .replace("file=groups.txt", "file=family").replace("file=cross.txt", "file=family"))


@pytest.mark.filterwarnings("ignore::UserWarning")     # few iterations
@pytest.mark.parametrize("case", CASES)
def test_program_and_package(files, case):
    labels = CASES[case]
    data, X, y = f"{labels}-float64.npz", files.rows[np.float64], files.y[labels]
    model, *options = case.split()
    files("train", data, "-o", "program.fx", "--model", model, "--seed", 5, "--scale", "none",
          *options)
    # What the program wrote is read here, and written again as it was.
    loaded = load(files.folder / "program.fx")
    both_predict_alike(files, loaded, "program.fx", data, X)
    loaded.save(files.folder / "again.fx")
    assert (files.folder / "again.fx").read_bytes() == (files.folder / "program.fx").read_bytes()
    # Its parameters lead to the same model, which the program reads.
    learned = fit(clone(loaded), X, y)
    assert specs(learned) == specs(loaded)
    if not isinstance(loaded, featcross.KernelRidge):   # which has 0.5 / C
        assert same(scores(learned, X), scores(loaded, X))
    learned.save(files.folder / "package.fx")
    both_predict_alike(files, learned, "package.fx", data, X)
    # Files and pickles keep it all.
    for copy in (load(files.folder / "package.fx"), pickle.loads(pickle.dumps(learned))):
        assert copy.model_.dump() == learned.model_.dump()
        assert same(scores(copy, X), scores(learned, X))
        assert copy.n_features_in_ == learned.n_features_in_ == 6
        if hasattr(learned, "classes_"):
            assert same(copy.classes_, learned.classes_)


def test_an_estimator_for_a_model():
    """No two for one model and task, or for one map."""
    assert len(set(LEARNED)) == len(LEARNED) > 20 and set(LEARNED) <= OFFERED
    assert all(kind._models for kind in _exported(Learner))
    assert len(set(MAPPED)) == len(MAPPED) > 5 and set(MAPPED) <= set(names("map"))


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name, task", sorted(OFFERED - set(LEARNED)))
def test_no_estimator(files, name, task):
    line, whole = describe("model", name), plain(name)
    if task != line.task:
        whole += f"{',' if ':' in whole else ':'}task={VALUES['task'][task]}"
    files("train", f"{'two' if task == CLASSIFY else 'target'}-float64.npz", "-o", "none.fx",
          "--model", whole, *["--kernel", "rbf:gamma=0.5"] * (line.kernel == MUST))
    with pytest.raises(ValueError, match=f"{name}.* has no estimator"):
        load(files.folder / "none.fx")


@pytest.mark.parametrize("name", sorted(set(names("map")) - set(MAPPED)))
def test_no_estimator_of_a_map(files, name):
    files("train", "two-float64.npz", "-o", "none.fx", "--model", "svm", *of_map(name).split())
    with pytest.raises(ValueError, match=f"map {name} has no estimator"):
        load(files.folder / "none.fx")


class AllSubsetsRanker(featcross.subsets.Subsets, featcross.FactorizationMachineRanker):
    """An estimator as one would add it: the tables and __all__ are all that load asks."""

    def __init__(self, n_components=30, *, max_iter=100, n_jobs=None, verbose=0):
        self._set(locals())

    groups = split = scale = metric = random_state = None
    patience = max_seconds = warm_start = 0
    missing = "error"


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_new_estimator_is_loaded(files, monkeypatch):
    X, y, path = files.rows[np.float64], files.y["target"], files.folder / "ranker.fx"
    learned = AllSubsetsRanker(3, max_iter=2).fit(X, y)
    learned.save(path)
    with pytest.raises(ValueError, match="all-subsets with task=rank has no estimator"):
        load(path)
    monkeypatch.setattr(featcross, "AllSubsetsRanker", AllSubsetsRanker, raising=False)
    monkeypatch.setattr(featcross, "__all__", [*featcross.__all__, "AllSubsetsRanker"])
    loaded = load(path)
    assert type(loaded) is AllSubsetsRanker
    assert loaded.get_params() == learned.get_params()
    assert same(loaded.predict(X), learned.predict(X))


@pytest.mark.parametrize("case", ["svm", "kernel-svm:collapse=no --kernel rbf:gamma=0.5",
                                  "svm --kernel anova:order=2 --map rk -D 16"])
def test_float32(files, case):
    model, *options = case.split()
    files("train", "two-float32.npz", "-o", "m.fx", "--model", model, "--scale", "none", *options)
    loaded = load(files.folder / "m.fx")
    both_predict_alike(files, loaded, "m.fx", "two-float32.npz", files.rows[np.float32])
    learned = clone(loaded).fit(files.rows[np.float32], files.y["two"])
    assert learned.model_.dump() != b"" and same(scores(learned, files.X), scores(loaded, files.X))


def svmlight(files, path, labels, base):
    lines = [f"{label} " + " ".join(f"{j + base}:{v}" for j, v in enumerate(row) if v)
             for label, row in zip(labels, files.X)]
    (files.folder / path).write_text("\n".join(lines) + "\n")


def test_text_labels_and_bases(files):
    labels = np.array(["süd", "ost", "west"])[files.y["three"]]
    svmlight(files, "words.svm", labels, 1)
    files("train", "words.svm", "-o", "words.fx", "--model", "logistic", "--scale", "none")
    loaded = load(files.folder / "words.fx")
    assert loaded.classes_.tolist() == ["ost", "süd", "west"]
    printed = files("predict", "words.fx", "words.svm").decode().split()
    assert loaded.predict(files.X).tolist() == printed
    assert same(loaded.predict_proba(csr_matrix(files.X)),
                files.predict("words.fx", "words.svm", "proba"))
    learned = LinearClassifier(loss="logistic").fit(files.X, labels)
    learned.save(files.folder / "package.fx")
    svmlight(files, "from0.svm", labels, 0)
    printed = files("predict", "package.fx", "from0.svm").decode().split()
    assert learned.predict(files.X).tolist() == printed == \
        load(files.folder / "package.fx").predict(files.X).tolist()


@pytest.mark.parametrize("kernel, lines", [
    ("itemset:file=from1.txt", "1 2\n3 4, 6 # a set\n{}\n"),
    ("groups:file=from1.txt,order=2", "# names\na: 1 2\nb: 3,4 5\n"),
    ("cross:file=from1.txt", "b a\na: 1 2\nb: 3 4\nc: 5 6\n"),
])
def test_families_of_files_that_count_from_1(files, kernel, lines):
    (files.folder / "from1.txt").write_text(lines)
    svmlight(files, "from1.svm", files.y["two"], 1)
    files("train", "from1.svm", "-o", "m.fx", "--model", "kernel-svm:collapse=no",
          "--kernel", kernel, "--scale", "none")
    loaded = load(files.folder / "m.fx")
    assert same(scores(clone(loaded).fit(csr_matrix(files.X), files.y["two"]), files.X),
                scores(loaded, files.X))


def test_names_of_columns(files):
    pandas = pytest.importorskip("pandas")
    names = ["a", "b, or c", "γ", "d", "e", "f=1"]
    table = pandas.DataFrame(files.X, columns=names)
    labels = pandas.Series(files.y["two"], name="label")
    table.assign(label=labels).to_csv(files.folder / "t.csv", index=False)
    files("train", "t.csv", "-o", "m.fx", "--model", "svm", "--scale", "none", "--label", "label")
    loaded = load(files.folder / "m.fx")
    assert loaded.feature_names_in_.tolist() == names and loaded.n_features_in_ == 6
    assert same(loaded.decision_function(table), files.predict("m.fx", "t.csv", "score"))
    learned = LinearClassifier(loss="hinge").fit(table, labels)
    learned.save(files.folder / "package.fx")
    assert same(learned.decision_function(table), files.predict("package.fx", "t.csv", "score"))
    again = load(files.folder / "package.fx")
    assert again.feature_names_in_.tolist() == names
    assert again.top_combinations(3) == learned.top_combinations(3)
    with pytest.raises(ValueError, match="feature names"):
        again.predict(table[names[::-1]])


def test_categories(files):
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(2)
    table = pandas.DataFrame({"city": rng.choice(["Rome", "a=b", "Paris"], 48),
                              "town=7": files.X[:, 1], "y": files.X[:, 2],
                              "citys=": rng.choice(["low", "high"], 48)})
    labels = pandas.Series(files.y["two"], name="label")
    table.assign(label=labels).to_csv(files.folder / "c.csv", index=False)
    files("train", "c.csv", "-o", "m.fx", "--model", "svm", "--scale", "none", "--label", "label")
    learned = LinearClassifier(loss="hinge", random_state=1).fit(table, labels)
    learned.save(files.folder / "package.fx")
    want = files.predict("m.fx", "c.csv", "score")
    assert same(files.predict("package.fx", "c.csv", "score"), want)
    for estimator in (learned, load(files.folder / "m.fx"), load(files.folder / "package.fx"),
                      pickle.loads(pickle.dumps(learned))):
        assert set(estimator.encoder_.columns) == set(table) and estimator.n_features_in_ == 4
        assert same(estimator.decision_function(table), want)
    assert same(load(files.folder / "m.fx").decision_function(table[sorted(table)]), want)
    with pytest.raises(ValueError, match="now missing"):
        load(files.folder / "m.fx").predict(table.rename(columns={"y": "z"}))
    for name in ("city=7", "city="):
        other = table.rename(columns={"town=7": name})
        with pytest.raises(ValueError, match=f"'{name}' is named like a value of the category"):
            LinearClassifier().fit(other, labels)


def test_hashed_and_text_columns_have_no_names(files):
    (files.folder / "t.txt").write_text("good a fine day\nbad a grey day\n" * 5)
    files("train", "t.txt", "-o", "m.fx", "--model", "svm", "--format", "text", "--label", "first")
    loaded = load(files.folder / "m.fx")
    assert not hasattr(loaded, "feature_names_in_") and loaded.n_features_in_ == 4
    assert loaded.predict(csr_matrix([[1, 1.0, 1, 0], [1, 0, 1, 1]])).tolist() == ["good", "bad"]
    (files.folder / "h.csv").write_text("x,y\n" + "red,1\nblue,0\n" * 5)
    files("train", "h.csv", "-o", "m.fx", "--model", "svm", "--hash-bits", 3, "--label", "y")
    loaded = load(files.folder / "m.fx")
    assert not hasattr(loaded, "feature_names_in_") and loaded.n_features_in_ == 8


def test_a_model_without_an_estimator_is_told(files):
    files("train", "target-float64.npz", "-o", "m.fx", "--model", f"all-subsets:{FAST},task=rank")
    with pytest.raises(ValueError, match="all-subsets with task=rank has no estimator"):
        load(files.folder / "m.fx")


@pytest.mark.filterwarnings("ignore:after 100 iterations")
@pytest.mark.parametrize("kind", ["LinearClassifier", "LinearRegressor", "KernelSVC", "KernelPCA",
                                  "FactorizationMachineClassifier"])
def test_dense_floats(files, kind):
    """The program keeps dense rows as floats where that is exact; here they are doubles."""
    rng = np.random.default_rng(6)
    X = rng.integers(-4, 5, (60, 13)).astype(float)
    estimator = getattr(featcross, kind)()
    if kind == "KernelPCA":
        estimator.kernel = "linear"
    estimator.fit(X, np.where(X[:, 0] * X[:, 1] > 0, 1, -1))
    estimator.save(files.folder / "dense.fx")
    np.save(files.folder / "dense.npy", X)
    output = "label" if kind == "LinearRegressor" else "score"
    found = files.predict("dense.fx", "dense.npy", output)
    assert found.tobytes() == scores(estimator, X).tobytes()

# SPDX-License-Identifier: BSD-3-Clause
"""compare: every method that suits the rows, measured by one rule, as `featcross compare` does."""
from __future__ import annotations

import re
import shlex
from typing import Any, NamedTuple

import numpy as np

from ._ask import ROWS, TEST, run_program
from ._base import seed_of
from ._data import labels as _labels
from ._data.rows import Rows
from ._frame import Encoder, categories, is_frame
from ._learners.missing import spec_of
from ._load import unfitted
from ._names.words import in_python

WORDS = {                               # of the advice
    "Then featcross explain model.fx lists": "Then its method top_combinations lists",
    "with --row what they contribute": "explain what they contribute",
    "featcross explain cannot": "It cannot",
}
FIGURES = ("accuracy", "auc", "rmse", "train_seconds", "test_seconds", "bytes", "memory")


class Comparison(NamedTuple):
    """What compare found.

    Attributes
    ----------
    table : one line per method, best first: a DataFrame if pandas is installed, else a list of
        dicts
    advice : which method is recommended, and why
    estimator : the recommended estimator, not fitted, with the C (for factorization machines: beta)
        that was chosen
    metric : the metric that orders the methods
    left_out : names of methods that do not suit the rows, and why
    failed : names of methods that failed, and why
    """

    table: Any
    advice: str
    estimator: Any
    metric: str
    left_out: dict[str, str]
    failed: dict[str, str]


def compare(X, y, *, test=None, rows: int = 20000, seeds: int = 3, methods=None,
            n_components=("2x", "4x", "8x", "16x"), exact="auto", task: str = "auto",
            missing: str = "error", random_state=1, n_jobs: int | None = None,
            verbose: int = 0) -> Comparison:
    """Measures linear models, random features, factorization machines and kernel machines on rows
    that none of them has seen, and recommends one.

    Each seed gives a new split: three fifths to train on, a fifth to choose C or beta on, a fifth
    to test on.  All methods get the same splits.  This runs ``featcross compare``.

    Parameters
    ----------
    X, y : rows and their labels or targets
    test : (X, y) to test on; None: a fifth of the rows, a different one for each seed
    rows : maximum number of rows of X that are used, drawn by random_state
    seeds : repetitions
    methods : names of those to measure, such as ["linear", "fm", "rk", "exact"]; None: all
    n_components : numbers of random features, or multiples of the columns
    exact : whether kernel machines take part; "auto": if the rows are few enough
    task : "classify", "regress", or "auto": by the labels, as ``featcross train`` does
    missing : what becomes of NaN in X, see LinearClassifier
    random_state : seed for the splits, the maps and the starting points
    n_jobs : threads; None or -1: all processors
    verbose : 1: what the program says

    Returns
    -------
    Comparison, of which the first two are the table and the advice

    Examples
    --------
    >>> import numpy as np, featcross
    >>> X = np.random.default_rng(1).choice([-1.0, 1.0], (300, 6))
    >>> y = np.where(X[:, 2] * X[:, 5] > 0, "same", "other")
    >>> found = featcross.compare(X, y, seeds=1, methods=["linear", "fm"])
    >>> [line["name"] for line in found.table.to_dict("records")]
    ['fm', 'linear']
    >>> round(found.estimator.fit(X, y).score(X, y), 2)
    1.0
    """
    nan = spec_of(missing)
    encoder = Encoder(X, missing == "category") if is_frame(X) and categories(X) else None
    train = _rows(X, encoder, "X", nan is not None)
    y = _labels.column(y, len(train))
    classes = _classes(y, task)
    files = {ROWS: (train, _numbers(y, classes))}
    arguments = [ROWS, "--rows", str(rows), "--seeds", str(seeds), "--features",
                 ",".join(map(str, _listed(n_components))), "--task",
                 "classify" if classes is not None else task,
                 "--exact", {True: "yes", False: "no"}.get(exact, exact)]
    if nan is not None:
        arguments += ["--nan", nan]
    if methods is not None:
        arguments += ["--methods", ",".join(_listed(methods))]
    if test is not None:
        other = _rows(test[0], encoder, "test", nan is not None)
        labels = _labels.column(test[1], len(other), "the y of test")
        files[TEST] = (other, _numbers(labels, classes))
        arguments += ["--test", TEST]
    answer = run_program("compare", arguments, files, seed=seed_of(random_state), n_jobs=n_jobs,
                         verbose=verbose)
    advice, estimator = _in_python(answer["advice"], missing)
    return Comparison(_table(answer["results"]), advice, estimator, answer["metric"],
                      *({line["name"]: line["reason"] for line in answer[key]}
                        for key in ("left_out", "failed")))


def _listed(value) -> list:
    return [value] if isinstance(value, (str, int)) else list(value)


def _rows(X, encoder: Encoder | None, name: str, missing: bool) -> Rows:
    if encoder is None:
        return Rows(X, name, missing)
    return Rows(encoder.encode(X, name, missing=missing)[0], name, missing)


def _classes(y: np.ndarray, task: str) -> np.ndarray | None:
    """The classes of labels that are not declared to be numbers; None: the program decides."""
    if task not in ("auto", "classify", "regress"):
        raise ValueError(f"task={task!r}: it is 'classify', 'regress' or 'auto'")
    if task == "regress" or task == "auto" and y.dtype.kind in "iuf":
        return None
    try:
        return _labels.classes_of(y)
    except ValueError:
        if task == "classify":
            raise
        return None                     # objects that are numbers


def _numbers(y: np.ndarray, classes: np.ndarray | None) -> np.ndarray:
    """Labels as the file has them: positions among the classes, or the numbers themselves."""
    if classes is None:
        return _labels.targets(y, len(y))
    known = np.isin(y, classes)
    if not known.all():
        raise ValueError(f"test holds the label {y[~known].tolist()[0]!r}, which y does not have")
    return np.searchsorted(classes, y).astype(np.float64)


def _table(results: list[dict]):
    lines = []
    for result in results:
        line = {key: result[key] for key in ("name", *FIGURES)}
        line.update({f"{key}_sd": result["sd"][key] for key in ("accuracy", "auc", "rmse")})
        line.update({key: result[key] for key in ("model", "kernel", "map", "scale", "converged")},
                    n_components=result["D"], C=result["C"], seeds=result["seeds"])
        lines.append({key: value for key, value in line.items()
                      if not (value is None and key.split("_")[0] in FIGURES)})
    try:
        import pandas
    except ImportError:
        return lines
    return pandas.DataFrame(lines)


def _in_python(advice: str, missing: str) -> tuple[str, Any]:
    """The advice with an estimator instead of the program's command, and that estimator."""
    found = re.search(r"(?<=\n {4})featcross train (.*)(?=\n|$)", advice)
    if found is None:
        return advice, None
    words = shlex.split(found[1])[1:]   # behind the name of the rows
    given = dict(zip(words[::2], words[1::2]))
    estimator = unfitted(given["--model"], C=given.get("-C"), kernel=given.get("--kernel"),
                         map=given.get("--map"), features=int(given.get("-D", 1)),
                         scale=given.get("--scale"))
    estimator.missing = missing
    shown = repr(estimator).replace("\n", "\n    ")
    rest = advice[found.end():]
    for program, package in WORDS.items():
        rest = rest.replace(program, package)
    return advice[:found.start()] + shown + in_python(rest), estimator

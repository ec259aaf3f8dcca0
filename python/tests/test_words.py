# SPDX-License-Identifier: BSD-3-Clause
"""Messages speak of parameters, not of keys of spec strings or of options of the program."""
import inspect
import re
import warnings

import numpy as np
import pytest
from estimators import CLASSES, sample, small

import featcross
from featcross._names.words import in_python

BAD = (-1, 0, "nonsense", 1e30, True, [1, -2])
# Keys that have another name as a parameter, and what stands behind them.
KEYS = re.compile(r"(?<![\w:,'\"=-])(rank|order|lr|sd|batch|dist|linear|intercept|lambda|max-iter|"
                  r"beta-lambda|max-order)(=|\b(?<=-iter)|\b(?<=-lambda))")


@pytest.mark.parametrize("library, python", [
    ("fm: rank=0 is not a whole number from 1 to 9",
     "n_components=0 is not a whole number from 1 to 9"),
    ("fm: linear=5 is not possible; use one of yes|no",
     "fit_linear=5 is not possible; use one of True, False"),
    ("hofm: solver=x is not possible; use one of auto|cd; did you mean 'cd'?",
     "solver='x' is not possible; use one of 'auto', 'cd'; did you mean 'cd'?"),
    ("anova: order=-1 is not a whole number from 1 to 16",
     "anova: degree=-1 is not a whole number from 1 to 16"),
    ("gap 1 after 2 iterations, above tol=1e-3: lower C, or raise max-iter",
     "gap 1 after 2 iterations, above tol=1e-3: lower C, or raise max_iter"),
    ("of lr=0.1; the model is that of the last good epoch: lower lr",
     "of learning_rate=0.1; the model is that of the last good epoch: lower learning_rate"),
    ("svm has no penalty=l1 with solver=dual|newton",
     "svm has no penalty='l1' with solver='dual' or 'newton'"),
    ("fm: beta=1/-2 has -2, which is negative", "beta=[1, -2] has -2, which is negative"),
    ("rk: projection=hadamard draws signs; dist=rademacher only",
     "RandomKernelMap: projection='hadamard' draws signs; distribution='rademacher' only"),
    ("patience needs rows to measure on (eval)",
     "patience needs rows to measure on: eval_set=, or early_stopping=True"),
    ("--kernel auto chooses a map, and kernel-svm uses none; name a kernel, or choose a linear model",
     "kernel='auto' chooses a map, and KernelSVC uses none; name a kernel, or choose a linear model"),
    ("--seeds 5 would show the spread", "seeds=5 would show the spread"),
    ("fm: clip=1/0 is neither no, train nor a range LO/HI",
     "clip=[1, 0] is neither False, True nor (low, high)"),
    # What is no key, or inside a spec, or a name of the user's, stays.
    ("explicit serves linear, not rbf:gamma=0.2", "explicit serves linear, not rbf:gamma=0.2"),
    ("the kernel anova:order=2,theta=1 of order 2", "the kernel anova:order=2,theta=1 of order 2"),
    ("pairs: k=1 is not a whole number from 2 to 9",
     "pairs: k=1 is not a whole number from 2 to 9"),
    ("svm: C=nan is not a finite number", "C=nan is not a finite number"),
    ("column city=Paris is 7", "column city=Paris is 7"),
    ("column 'rank=3' is 7", "column 'rank=3' is 7"),
])
def test_words(library, python):
    assert in_python(library) == python


@pytest.mark.parametrize("kind", CLASSES)
def test_no_bad_parameter_is_answered_with_a_key(kind):
    X, y = sample(kind, 30)
    names = inspect.signature(kind).parameters
    said = 0
    for name in set(names) - {"verbose", "n_jobs"}:
        for bad in BAD:
            with warnings.catch_warnings(record=True) as found:
                warnings.simplefilter("always")
                brief = {"max_iter": 2} if "max_iter" in names and name != "max_iter" else {}
                try:
                    small(kind, **{**brief, name: bad}).fit(X, y)
                    messages = []
                except (ValueError, TypeError, MemoryError, FloatingPointError) as error:
                    messages = [str(error)]
            for message in messages + [str(w.message) for w in found]:
                said += 1
                assert not KEYS.search(message), (name, bad, message)
                if name in ("n_components", "max_iter", "learning_rate", "batch_size", "init_std") \
                        and bad == -1 and messages:
                    assert name in message
    assert said > 5


@pytest.mark.parametrize("frame", [False, True])
def test_nan_names_what_to_do(frame):
    X = np.ones((4, 2))
    X[2, 1] = np.nan
    if frame:
        X = pytest.importorskip("pandas").DataFrame(X, columns=["a", "b"])
    with pytest.raises(ValueError, match="row 2.*NaN is not a finite number; a learner's missing="):
        featcross.LinearClassifier().fit(X, [0, 1, 0, 1])


@pytest.mark.parametrize("frame", [False, True])
def test_infinity_is_not_missing(frame):
    X = np.array([[1.0, np.inf], [1.0, 2.0]])
    if frame:
        X = pytest.importorskip("pandas").DataFrame(X, columns=["a", "b"])
    with pytest.raises(ValueError, match="inf is not a finite number$"):
        featcross.LinearClassifier().fit(X, [0, 1])

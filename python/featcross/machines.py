# SPDX-License-Identifier: BSD-3-Clause
"""Exact kernel machines, whose models store training rows."""
from __future__ import annotations

import numbers

import numpy as np

from ._learners.choice import is_auto
from ._learners.machine import KernelMachine
from ._learners.tasks import Classifier, Regressor
from ._model import SCORE


def _bytes(cache_size) -> int:
    if not (isinstance(cache_size, numbers.Real) and float(cache_size) > 0):
        raise ValueError(f"cache_size={cache_size!r}: it is a number of MiB above 0")
    return int(float(cache_size) * 2**20)


class KernelSVC(KernelMachine, Classifier):
    """Support vector machine for classes.

    It minimises 0.5 |w|^2 + C sum of weights * max(0, 1 - y f(x)), the intercept not penalised.
    With three or more classes there is one such score for each pair of classes.  The class that
    wins most pairs is predicted; among equals it is the first.

    Parameters
    ----------
    C : weight of the loss against |w|^2, above 0; "auto": chosen as ``featcross train`` chooses it,
        by the score on held-out rows
    kernel : a name (such as linear, poly, exp, vovk, anova, anova-upto, all-subsets, itemset,
        groups, cross, rbf, laplacian, cauchy), a whole spec string such as "anova:order=3",
        "precomputed" (X is then the Gram matrix; for predict, kernel values with the rows of the
        training), or a function of two sets of rows that gives their Gram matrix
    degree, gamma, coef0 : of the named kernel, those that it has; gamma also "scale", 1 / (columns
        * variance of the numbers in X, scaled, by sample_weight), or "auto", 1 / columns
    family : itemsets or groups, as lists of columns from 0
    scale : "maxabs", "std" (columns, not centred), "unit-l1", "unit-l2" (rows), None, or "auto":
        "maxabs" if a number is above 1 or below -1
    missing : what becomes of NaN in X, see LinearClassifier; not with kernel values
    tol : largest violation of the optimality conditions
    max_iter : steps of the solver, for each score
    calibrate : also fit sigmoids on held-out folds, for predict_proba; predict is then the class of
        the largest probability
    collapse : store weights of the kernel's combinations of features instead of rows, if the kernel
        is a sum over combinations: True, False, or "auto", which does so if it is faster and exact
        to 1e-6
    cache_size : MiB for kernel values during fit; the model does not depend on it
    class_weight : "balanced", or a dict of classes and weights
    decision_function_shape : "ovr", a column for each class, or "ovo", one for each pair; two
        classes have one score
    random_state : seed for the folds of calibrate
    n_jobs : threads; None: all processors; the model does not depend on it
    verbose : 1: conversions of X and a progress bar on stderr

    Attributes
    ----------
    classes_ : sorted labels
    support_vectors_, dual_coef_ : stored rows, and their weights (scores, rows): scores are
        dual_coef_ @ K(support_vectors_, x) + intercept_; a collapsed model has none
    n_support_ : support vectors of each class; a collapsed model has none
    intercept_ : of each score
    C_, kernel_, scale_ : of the model, also where they were chosen
    choice_ : C="auto": what the program says of its choice, with the score on held-out rows
    n_iter_ : number of steps, the maximum over the scores
    objective_, history_ : sum of the minima of all scores; state after each stage of the solver
    model_ : the library's model

    Examples
    --------
    >>> import numpy as np
    >>> from featcross import KernelSVC
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5, dtype=float)
    >>> y = np.where(X[:, 0] != X[:, 1], "differ", "same")
    >>> svc = KernelSVC(kernel="anova-upto", C=100).fit(X, y)
    >>> svc.predict([[1, 0], [1, 1]]).tolist()
    ['differ', 'same']
    """

    _models: dict = {"kernel-svm": {}}

    def __init__(self, *, C: float | str = 1.0, kernel="rbf", degree: int = 2, gamma="scale",
                 coef0: float = 1.0, family=None, scale: str | None = None, missing: str = "error",
                 tol: float = 1e-3, max_iter: int = 10_000_000, calibrate: bool = False,
                 collapse="auto", cache_size: float = 256, class_weight=None,
                 decision_function_shape: str = "ovr", random_state=None, n_jobs: int | None = None,
                 verbose: int = 0):
        self._set(locals())

    def _plan(self, rows, weight):
        if self.decision_function_shape not in ("ovr", "ovo"):
            raise ValueError(f"decision_function_shape={self.decision_function_shape!r}: it is "
                             "'ovr' or 'ovo'")
        return {**super()._plan(rows, weight), "cache": _bytes(self.cache_size)}

    def decision_function(self, X) -> np.ndarray:
        """Scores: (rows,) for two classes, positive for the second.

        "ovo": (rows, pairs), of the classes (0, 1), (0, 2), .., (1, 2), .., positive for the second
        (scikit-learn's SVC has them positive for the first).  "ovr": (rows, classes), the number of
        pairs won plus a fraction of at most 1/3 that says how clearly; the class that wins most
        pairs has the largest.
        """
        if len(self._fitted("classes_")) == 2:
            return self._scores(X)[:, 0]
        if self.decision_function_shape == "ovo":
            return self._scores(X)
        scores, dtype = self._predict(X, SCORE)
        return self._ovr(scores).astype(dtype, copy=False)

    def _ovr(self, scores: np.ndarray) -> np.ndarray:
        sides, second = self._sides(), (scores > 0).astype(float)
        votes = second @ (sides > 0) + (1 - second) @ (sides < 0)
        sums = np.clip(scores, -1e300, 1e300) @ sides   # so that no sum overflows
        ranks = votes + sums / (3 * (abs(sums) + 1))
        first = votes.argmax(axis=1)    # of those with equally many, whatever the sums say
        ranks[np.arange(len(ranks)), first] = ranks.max(axis=1)
        return ranks

    def _sides(self) -> np.ndarray:
        """(pairs, classes): -1 for the first class of a pair, 1 for its second."""
        first, second = np.triu_indices(len(self.classes_), 1)
        sides = np.zeros((len(first), len(self.classes_)))
        pairs = np.arange(len(first))
        sides[pairs, first], sides[pairs, second] = -1, 1
        return sides

    @property
    def n_support_(self) -> np.ndarray:
        coef = self.dual_coef_
        coef = coef[:, coef.any(axis=0)]
        strongest = abs(coef).argmax(axis=0)
        sides = self._sides()[strongest] * coef[strongest, np.arange(coef.shape[1])][:, None]
        return np.bincount(sides.argmax(axis=1), minlength=len(self.classes_))


class KernelSVR(KernelMachine, Regressor):
    """Support vector machine for targets.

    It minimises 0.5 |w|^2 + C sum of weights * max(0, |y - f(x)| - epsilon), the intercept not
    penalised.

    Parameters
    ----------
    epsilon : errors up to this cost nothing
    C, kernel, degree, gamma, coef0, family, scale, missing, tol, max_iter, collapse, cache_size,
        n_jobs, verbose : see KernelSVC

    Attributes
    ----------
    support_vectors_, dual_coef_, intercept_, n_iter_, objective_, history_, model_ : see KernelSVC

    Examples
    --------
    >>> import numpy as np
    >>> from featcross import KernelSVR
    >>> X = np.linspace(-1, 1, 21)[:, None]
    >>> svr = KernelSVR(kernel="poly", C=100, epsilon=0.01).fit(X, X[:, 0]**2)
    >>> bool(abs(svr.predict([[0.5]])[0] - 0.25) < 0.02)
    True
    """

    _models: dict = {"kernel-svr": {}}

    def __init__(self, *, C: float | str = 1.0, epsilon: float = 0.1, kernel="rbf", degree: int = 2,
                 gamma="scale", coef0: float = 1.0, family=None, scale: str | None = None,
                 missing: str = "error", tol: float = 1e-3, max_iter: int = 10_000_000,
                 collapse="auto", cache_size: float = 256, n_jobs: int | None = None,
                 verbose: int = 0):
        self._set(locals())

    def _plan(self, rows, weight):
        return {**super()._plan(rows, weight), "cache": _bytes(self.cache_size)}


class KernelRidge(KernelMachine, Regressor):
    """Least squares in a kernel's space.

    It minimises alpha |w|^2 + sum of weights * (y - f(x))^2 with an intercept that is not
    penalised; scikit-learn's KernelRidge has none.  Memory: 4 bytes times the square of the number
    of rows.

    Parameters
    ----------
    alpha : weight of |w|^2, above 0; "auto": chosen as ``featcross train`` chooses C
    kernel, degree, gamma, coef0, family, scale, missing, collapse, n_jobs, verbose : see KernelSVC

    Attributes
    ----------
    support_vectors_, dual_coef_, intercept_, n_iter_, objective_, model_ : see KernelSVC;
        objective_ is the minimum divided by 2 alpha

    Examples
    --------
    >>> import numpy as np
    >>> from featcross import KernelRidge
    >>> X = np.arange(12.).reshape(6, 2)
    >>> ridge = KernelRidge(alpha=1e-6, kernel="anova").fit(X, X[:, 0] * X[:, 1])
    >>> print(round(float(ridge.predict([[3, 5]])[0]), 3))
    15.0
    """

    _models: dict = {"kernel-ridge": {}}

    def __init__(self, alpha: float | str = 1.0, *, kernel="rbf", degree: int = 2, gamma="scale",
                 coef0: float = 1.0, family=None, scale: str | None = None, missing: str = "error",
                 collapse="auto", n_jobs: int | None = None, verbose: int = 0):
        self._set(locals())

    def _keys(self):
        if is_auto(self.alpha):
            return super()._keys()      # the library's C, until it is chosen
        if not (isinstance(self.alpha, numbers.Real) and self.alpha > 0):
            raise ValueError(f"alpha={self.alpha!r}: it is a number above 0")
        return {**super()._keys(), "C": 0.5 / self.alpha}

    def _open(self, model):
        return super()._open(model) | ({"C"} if is_auto(self.alpha) else set())

    @property
    def alpha_(self) -> float:
        """alpha of the model, also where it was chosen."""
        return 0.5 / self.C_

    @classmethod
    def _parameters(cls, keys):
        return {**keys, "alpha": 0.5 / keys["C"]} if "C" in keys else keys

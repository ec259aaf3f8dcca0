# SPDX-License-Identifier: BSD-3-Clause
"""The perceptron in a kernel's space."""
from __future__ import annotations

from ._machine import PRECOMPUTED, KernelMachine
from ._tasks import Classifier


class KernelPerceptron(KernelMachine, Classifier):
    """Perceptron with a kernel: rows are taken in their order, and those of mistakes are kept.

    Three or more classes: each against the rest.

    Parameters
    ----------
    averaged : predict by the mean of all states in place of the last one
    max_iter : passes over the rows
    budget : of each class's score, keep the last so many mistakes at most; 0: all
    class_weight : "balanced" (fit only), or a dict of classes and weights: the size of a step
    warm_start : fit goes on from where the last one ended
    kernel, degree, gamma, coef0, family, scale, missing, n_jobs, verbose : see KernelSVC; for
        partial_fit, which settles gamma="scale" and the scaling by its first rows, a kernel by
        its name

    Attributes
    ----------
    classes_, support_vectors_, dual_coef_, intercept_, n_iter_, model_ : see KernelSVC

    Examples
    --------
    >>> import numpy as np
    >>> from featcross import KernelPerceptron
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5, dtype=float)
    >>> y = X[:, 0] != X[:, 1]
    >>> KernelPerceptron(kernel="anova-upto", max_iter=50).fit(X, y).predict(X[:4]).tolist()
    [False, True, True, False]
    """

    _models: dict = {"kernel-perceptron": {}}

    def __init__(self, *, averaged: bool = True, max_iter: int = 10, budget: int = 0, kernel="rbf",
                 degree: int = 2, gamma="scale", coef0: float = 1.0, family=None,
                 scale: str | None = None, missing: str = "error", class_weight=None,
                 warm_start: bool = False, n_jobs: int | None = None, verbose: int = 0):
        self._set(locals())

    def _online(self):
        return not callable(self.kernel) and self.kernel != PRECOMPUTED and super()._online()

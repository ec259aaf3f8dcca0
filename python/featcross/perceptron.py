# SPDX-License-Identifier: BSD-3-Clause
"""The perceptron in a kernel's space."""
from __future__ import annotations

from ._learners.machine import PRECOMPUTED, KernelMachine
from ._learners.tasks import Classifier


class KernelPerceptron(KernelMachine, Classifier):
    """Perceptron with a kernel: rows are visited in their order, and those with a mistake are
    stored.

    Three or more classes: each against the rest.

    Parameters
    ----------
    averaged : predict with the mean of the weights over all steps instead of the last ones
    max_iter : passes over the rows
    budget : for each score, store at most this many mistakes, the latest ones; 0: all
    class_weight : "balanced" (fit only), or a dict of classes and weights: the size of a step
    warm_start : fit continues from where the last one ended
    kernel, degree, gamma, coef0, family, scale, missing, n_jobs, verbose : see KernelSVC;
        partial_fit computes gamma="scale" and the scaling from its first rows, and needs a kernel
        that is given by name

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

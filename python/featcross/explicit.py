# SPDX-License-Identifier: BSD-3-Clause
"""Products of columns as features: exact, and each with a name."""
from __future__ import annotations

from itertools import combinations

import numpy as np

from ._map import Map
from ._names.spec import parameters
from ._names.table import name_of


class ExplicitCombinations(Map):
    """Every combination of columns as a feature: <Z(x), Z(y)> = K(x, y) exactly.

    Parameters
    ----------
    kernel : str
        anova: products of `degree` different columns.  anova-upto: of one up to `degree`.
        all-subsets: of any number, none included.  poly: columns, squares and products of two, the
        features of (coef0 + gamma <x, y>)^2.  linear: the columns as they are.  itemset: of the
        sets of `family`.  Or a spec string.
    degree, gamma, coef0 : numbers
        Of the kernel; poly is offered for degree 2.
    family : lists of columns, str or Path
        The sets of itemset, as in :class:`RandomKernelMap`.
    n_jobs, verbose :
        As in :class:`RandomKernelMap`.

    Attributes
    ----------
    map_, n_features_in_, feature_names_in_ : as in :class:`RandomKernelMap`

    Notes
    -----
    d columns give d over `degree` features, or 2^d. transform returns a dense array, also for
    sparse rows, and raises MemoryError if it does not fit into memory.  To learn from combinations
    of wide sparse rows, pass the map to the learner,
    ``LinearClassifier(map=ExplicitCombinations())``: it stores only the features that are not 0.

    Examples
    --------
    >>> import featcross
    >>> pairs = featcross.ExplicitCombinations(kernel="anova", degree=2)
    >>> print(pairs.fit_transform([[1., 2., 3.]]))
    [[2. 3. 6.]]
    >>> print(*pairs.get_feature_names_out(["age", "height", "city=Paris"]), sep=", ")
    age height, age city=Paris, height city=Paris
    """

    _maps: dict = {"explicit": {}}
    random_state = None                 # nothing is drawn

    def __init__(self, *, kernel: str = "anova", degree: int = 2, gamma: float | str = 1.0,
                 coef0: float = 1.0, family=None, n_jobs: int | None = None, verbose: int = 0):
        self._set(locals())

    def _random(self, cols):
        return 0

    def _seed(self):
        return 0

    def get_feature_names_out(self, input_features=None) -> np.ndarray:
        """Names of the products: "x0 x1", of poly also "1" and "x0^2"; in the order of transform.

        input_features : names of columns; None: those of the DataFrame of fit, else x0, x1, ..
        """
        m = self._fitted("map_")
        names = self._names_in(input_features, m.cols)
        if m.kernel.family is not None:
            return np.array([" ".join(names[j] for j in columns) or "1"
                             for columns in _sets(m.kernel.family)], dtype=object)
        return np.array([" ".join(columns) + power or "1"
                         for order, power in _sections(m.kernel.spec, m.cols)
                         for columns in combinations(names, order)], dtype=object)


def _sets(family: str) -> list[tuple[int, ...]]:
    """The map's features: sets of columns in the order of doc/math.md."""
    lines = (line.partition("#")[0].replace(",", " ").split() for line in family.split("\n"))
    return sorted(tuple(sorted(int(j) for j in line if j != "{}")) for line in lines if line)


def _sections(kernel: str, cols: int) -> list[tuple[int, str]]:
    """The map's features in groups, in the order of doc/math.md: the number of columns in each
    product, and the suffix of its name.  Groups of weight 0 are left out."""
    name, key = name_of(kernel), parameters("kernel", kernel)
    if name == "poly":
        c, g = key["coef0"], key["gamma"]
        weights = {(0, ""): c, (1, ""): c * g, (1, "^2"): g, (2, ""): g}
    elif name == "all-subsets":
        weights = {(order, ""): 1 for order in range(cols + 1)}
    elif name == "anova-upto":
        theta = np.broadcast_to(key["theta"], key["degree"])
        weights = {(t + 1, ""): theta[t] for t in range(key["degree"])}
    else:
        weights = {(key.get("degree", 1), ""): 1}
    return [section for section, weight in weights.items() if weight]

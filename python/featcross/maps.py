# SPDX-License-Identifier: BSD-3-Clause
"""Random feature maps: Z(x) with <Z(x), Z(y)> = K(x, y) on average over random_state, so that a
linear model on Z does the work of a kernel machine.

The same map, kernel and seed give the same features as `featcross map`.
"""
from __future__ import annotations

from ._map import Bound, Map, MapError

__all__ = ["Bound", "MapError", "RandomFourier", "RandomKernelMap", "RandomMaclaurin",
           "RandomProjection", "TensorSketch"]


class RandomKernelMap(Map):
    """Random features of kernels whose features are products of columns.

    Parameters
    ----------
    n_components : int or str
        Random features: a number, or a multiple of the columns such as "16x".
    kernel : str
        linear, anova, anova-upto, all-subsets, itemset, groups, cross, or a spec string such as
        "anova-upto:order=3,theta=1/0.5/0.25".
    degree : int
        Columns in a product: the order of anova, anova-upto and groups.
    distribution : {"rademacher", "gaussian", "uniform", "laplace"}
        Of the random matrix.  Signs have the smallest variance.
    projection : {"auto", "packed", "circulant", "hadamard", "dense"}
        Structure of that matrix; auto is fast and at least as accurate as any.
    signs : {"column", "row"}
        Of a circulant projection; "row" is the paper's SCRK.
    complex : bool or "auto"
        Complex signs, which give pairs of features, real and imaginary part.  Their variance is
        smaller for some rows; auto decides by the exact variance on the rows of fit.
    family : lists of columns, dict, str or Path
        Itemsets or groups, as in :func:`gram`.
    random_state : int, RandomState, Generator or None
        An int gives the same map each time.
    n_jobs : int
        Threads; None or -1: one a processor.  Features do not depend on it.
    verbose : int
        1 tells what was converted and shows a progress bar.

    Attributes
    ----------
    map_ : the map as drawn
        map_.spec is its complete spec, map_.features the number of features.
    n_features_in_, feature_names_in_ : columns of the rows of fit

    Examples
    --------
    >>> import numpy as np, featcross
    >>> X = np.random.default_rng(0).random((100, 20))
    >>> features = featcross.RandomKernelMap(4096, degree=2, random_state=0).fit(X)
    >>> features.transform(X).shape
    (100, 4096)
    >>> e = features.error(X, n_pairs=1000)
    >>> print(f"predicted {e.predicted / e.scale:.2f}, measured {e.rmse / e.scale:.2f}")
    predicted 0.04, measured 0.05
    """

    _maps: dict = {"rk": {}}

    def __init__(self, n_components: int | str = 1024, *, kernel: str = "anova", degree: int = 2,
                 distribution: str = "rademacher", projection: str = "auto",
                 signs: str = "column", complex: bool | str = False, family=None,
                 random_state=None, n_jobs: int | None = None, verbose: int = 0):
        self._set(locals())


class RandomMaclaurin(Map):
    """Random features of power series in the inner product or in another kernel.

    Parameters
    ----------
    n_components : int or str
        Random features: a number, or a multiple of the columns such as "16x".
    kernel : str
        poly, exp, vovk, vovk-inf, or a spec string: "maclaurin:coef=1/1/0.5", and compositions such
        as "exp:gamma=0.5(anova:order=2)".
    degree, gamma, coef0 : numbers
        Of a kernel given by name: poly is (coef0 + gamma <x, y>)^degree, exp is exp(gamma <x, y>),
        vovk the sum of <x, y>^n for n < degree.  gamma may be "scale" or "auto", as in SVC.
    p : float
        A feature has order n with a probability proportional to p^-n.
    h01 : bool
        Compute orders 0 and 1 exactly, with 1 + columns more features after the random ones.
    max_order : int or None
        No higher orders than this.
    orders : {"random", "allocated"}
        allocated: each order gets a fixed number of features, according to its weight and its
        variance on the rows of fit.
    projection : {"auto", "packed", "circulant", "hadamard", "dense"}
    random_state, n_jobs, verbose :
        As in :class:`RandomKernelMap`.

    Attributes
    ----------
    map_, n_features_in_, feature_names_in_ : as in :class:`RandomKernelMap`

    Examples
    --------
    >>> import numpy as np, featcross
    >>> X = np.eye(4)
    >>> featcross.RandomMaclaurin(64, kernel="exp", h01=True, random_state=0).fit_transform(X).shape
    (4, 69)
    """

    _maps: dict = {"rm": {}}

    def __init__(self, n_components: int | str = 1024, *, kernel: str = "poly", degree: int = 2,
                 gamma: float | str = 1.0, coef0: float = 1.0, p: float = 2, h01: bool = False,
                 max_order: int | None = None, orders: str = "random", projection: str = "auto",
                 random_state=None, n_jobs: int | None = None, verbose: int = 0):
        self._set(locals())


class TensorSketch(Map):
    """Features of (coef0 + gamma <x, y>)^degree by convolved count sketches.

    Parameters
    ----------
    n_components : int or str
        Random features: a number, or a multiple of the columns such as "16x".
    degree, gamma, coef0 : numbers
        Of the kernel; gamma may be "scale" or "auto", as in SVC.
    random_state, n_jobs, verbose :
        As in :class:`RandomKernelMap`.

    Attributes
    ----------
    map_, n_features_in_, feature_names_in_ : as in :class:`RandomKernelMap`

    Examples
    --------
    >>> import numpy as np, featcross
    >>> featcross.TensorSketch(256, degree=3, random_state=0).fit_transform(np.eye(5)).shape
    (5, 256)
    """

    _maps: dict = {"ts": {}}
    kernel = "poly"

    def __init__(self, n_components: int | str = 1024, *, degree: int = 2,
                 gamma: float | str = 1.0, coef0: float = 1.0, random_state=None,
                 n_jobs: int | None = None, verbose: int = 0):
        self._set(locals())


class RandomFourier(Map):
    """Random Fourier features of kernels of x - y.

    Parameters
    ----------
    n_components : int or str
        Random features: a number, or a multiple of the columns such as "16x".
    kernel : {"rbf", "laplacian", "cauchy"}
    gamma : float, "scale" or "auto"
        The default is 1, as in scikit-learn's RBFSampler and in the program: a map that does not
        depend on the data is the same for every fold.  "scale" (SVC's default) suits rows of any
        size.
    features : {"auto", "cos-sin", "cos"}
        Cosines and sines in pairs, or cosines with random offsets, which vary more.  auto: pairs,
        where the number of features is even.
    projection : {"auto", "dense", "circulant", "hadamard"}
        hadamard serves rbf alone.
    random_state, n_jobs, verbose :
        As in :class:`RandomKernelMap`.

    Attributes
    ----------
    map_, n_features_in_, feature_names_in_ : as in :class:`RandomKernelMap`

    Examples
    --------
    >>> import numpy as np, featcross
    >>> X = np.random.default_rng(0).random((50, 8))
    >>> Z = featcross.RandomFourier(4096, gamma=0.5, random_state=0).fit_transform(X)
    >>> K = featcross.gram(X, kernel="rbf", gamma=0.5)
    >>> print(np.abs(Z @ Z.T - K).max() < 0.05)
    True
    """

    _maps: dict = {"rff": {}}

    def __init__(self, n_components: int | str = 1024, *, kernel: str = "rbf",
                 gamma: float | str = 1.0, features: str = "auto", projection: str = "auto",
                 random_state=None, n_jobs: int | None = None, verbose: int = 0):
        self._set(locals())

    def _keys(self, random):
        keys = super()._keys(random)
        if self.features == "auto":
            keys["features"] = "cos" if random % 2 else "cos-sin"
        return keys


class RandomProjection(Map):
    """Random projections, which preserve inner products; sparse ones also those of products of
    columns.

    Parameters
    ----------
    n_components : int or str
        Random features: a number, or a multiple of the columns such as "16x".
    kernel : str
        linear; with sparse=True also anova and poly of degree 2: products of columns are hashed
        and never stored.
    degree, gamma, coef0 : numbers
        Of anova and poly; gamma may be "scale" or "auto", as in SVC.
    sparse : bool
        A matrix with few entries per column; otherwise all entries are random.
    s : int or "theory"
        sparse: entries per column; 1 is a count sketch, theory the square root of D ln d.
    signed : bool
        sparse: False is plain feature hashing, without signs and biased.
    distribution : {"gaussian", "rademacher"}
        Of a matrix that is not sparse.
    random_state, n_jobs, verbose :
        As in :class:`RandomKernelMap`.

    Attributes
    ----------
    map_, n_features_in_, feature_names_in_ : as in :class:`RandomKernelMap`

    Examples
    --------
    >>> import numpy as np, featcross
    >>> crosses = featcross.RandomProjection(32, kernel="anova", sparse=True, random_state=0)
    >>> crosses.fit_transform(np.ones((2, 5))).shape
    (2, 32)
    """

    _maps = {"jl": {"sparse": False}, "sparse-jl": {"sparse": True}}

    def __init__(self, n_components: int | str = 1024, *, kernel: str = "linear", degree: int = 2,
                 gamma: float | str = 1.0, coef0: float = 1.0, sparse: bool = False,
                 s: int | str = 4, signed: bool = True, distribution: str = "gaussian",
                 random_state=None, n_jobs: int | None = None, verbose: int = 0):
        self._set(locals())

# SPDX-License-Identifier: BSD-3-Clause
"""featcross: learning with feature combinations.

Kernels of combinations, random feature maps for them, linear models on the maps, exact kernel
machines and factorization machines, as scikit-learn estimators over a C library.
"""
from __future__ import annotations

from ._compare import Comparison, compare
from ._discover import Discovery
from ._library import lib as _lib
from ._load import load
from ._make import make
from ._model import Combination, Explanation
from .arrow import Arrow
from .components import KernelPCA
from .explicit import ExplicitCombinations
from .factorization import (FactorizationMachineClassifier, FactorizationMachineRanker,
                            FactorizationMachineRegressor)
from .files import Files
from .kernels import all_subsets_kernel, anova_kernel, gram
from .linear import LinearClassifier, LinearRegressor
from .machines import KernelRidge, KernelSVC, KernelSVR
from .maps import (Bound, MapError, RandomFourier, RandomKernelMap, RandomMaclaurin,
                   RandomProjection, TensorSketch)
from .parts import Parts
from .path import CombinationPath, combination_path
from .perceptron import KernelPerceptron
from .polynomial import PolynomialNetworkClassifier, PolynomialNetworkRegressor
from .selection import CombinationSelector
from .subsets import AllSubsetsClassifier, AllSubsetsRegressor

_version = _lib.fx_version()
__version__ = f"{_version // 10000}.{_version // 100 % 100}.{_version % 100}"

__all__ = ["AllSubsetsClassifier", "AllSubsetsRegressor", "Arrow", "Bound", "Combination",
           "CombinationPath", "CombinationSelector", "Comparison", "Discovery", "Explanation",
           "ExplicitCombinations", "FactorizationMachineClassifier", "FactorizationMachineRanker",
           "FactorizationMachineRegressor", "Files", "KernelPCA", "KernelPerceptron", "KernelRidge",
           "KernelSVC", "KernelSVR", "LinearClassifier", "LinearRegressor", "MapError", "Parts",
           "PolynomialNetworkClassifier", "PolynomialNetworkRegressor", "RandomFourier",
           "RandomKernelMap", "RandomMaclaurin", "RandomProjection", "TensorSketch",
           "all_subsets_kernel", "anova_kernel", "combination_path", "compare", "gram", "load",
           "make"]

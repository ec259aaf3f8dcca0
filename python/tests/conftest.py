# SPDX-License-Identifier: BSD-3-Clause
"""Tests of the Python package.  FEATCROSS_LIBRARY names the library, FEATCROSS the program (both set
by CTest); by hand:

    FEATCROSS_LIBRARY=build/libfeatcross.so PYTHONPATH=python python -m pytest python/tests
"""
import os
import warnings
from pathlib import Path

import numpy as np
import pytest

from featcross._sklearn import ConvergenceWarning

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.fixture
def calm():
    """Short fits that need not converge; pytestmark asks for it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


@pytest.fixture(scope="session")
def program():
    """The featcross program."""
    return os.environ.get("FEATCROSS", str(ROOT / "build" / "featcross"))

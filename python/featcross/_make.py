# SPDX-License-Identifier: BSD-3-Clause
"""Synthetic sets with planted combinations, for examples and tests."""
from __future__ import annotations

from typing import Any

import numpy as np

from ._data.matrix import rows_of
from ._data.numbers import natural
from ._library import Handle, copied, encoded, lib, text
from ._run import call


def make(spec: str, seed: int = 1) -> tuple[Any, np.ndarray, list[tuple]]:
    """Makes a synthetic set, the same as `featcross make`.

    Parameters
    ----------
    spec : sparse sets "pairs", "triples", "fields", dense ones "parity", "dense-positive"; with
        keys "triples:n=2000,d=100,nz=20,k=10,noise=0.05"
    seed : another seed is another set

    Returns
    -------
    X : csr_array or ndarray
    y : labels 1 and -1
    planted : the combinations that decide the label, each a tuple of columns from 0; of "fields"
        the names of two fields

    Examples
    --------
    >>> import featcross
    >>> X, y, planted = featcross.make("parity:n=100,d=8,k=2")
    >>> print(X.shape, planted, (y == X[:, planted[0]].prod(axis=1)).all())
    (100, 8) [(4, 6)] True
    """
    data = Handle(lib.fx_data_free)
    call("fx_data_make", data.out, encoded(spec), natural(seed, "seed"), what="make")
    table = lib.fx_data_table(data)
    X = rows_of(table.block[0], spec)
    y = copied(table.label, np.float64, table.rows).astype(np.int64)
    lines = text(lib.fx_data_planted(data)).splitlines()
    planted = [tuple(int(word) - 1 if word.isdigit() else word for word in line.split())
               for line in lines]
    return X, y, planted

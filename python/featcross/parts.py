# SPDX-License-Identifier: BSD-3-Clause
"""Rows that come in parts and need not be in memory."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any


class Parts:
    """Rows that come in parts, for ``fit``, which reads them once, packs them into a temporary file
    and learns from there: rows may exceed the memory.

    The model is the same, to the byte, as that of all rows at once, however they are divided.

    Parameters
    ----------
    make : function without arguments; each call gives a new iterator of (X, y), (X, y, weight) or,
        for learners without labels, X.  X and y are as ``fit`` takes them; a part may have any
        number of rows, also none.  All are dense, or all sparse, with the same columns

    Examples
    --------
    >>> import numpy as np
    >>> from featcross import LinearClassifier, Parts
    >>> def parts():
    ...     for seed in range(10):
    ...         X = np.random.default_rng(seed).normal(size=(100, 3))
    ...         yield X, np.where(X[:, 0] + X[:, 1] > 0, "up", "down")
    >>> model = LinearClassifier(loss="logistic").fit(Parts(parts))
    >>> print(model.classes_, model.predict([[1.0, 1.0, 0.0]]))
    ['down' 'up'] ['up']
    """

    def __init__(self, make: Callable[[], Iterable[Any]]):
        if not callable(make):
            raise TypeError(f"Parts takes a function that makes iterators, not a "
                            f"{type(make).__name__}; Parts(lambda: iter(..)) is one")
        self.make = make

    def __iter__(self) -> Iterator[tuple]:
        """Tuples (X, y, weight); None: not given."""
        made = self.make()
        if not isinstance(made, Iterable):
            raise TypeError(f"the function of Parts gave a {type(made).__name__}, not an iterator "
                            "of (X, y)")
        for number, part in enumerate(made):
            if not isinstance(part, tuple):
                part = (part,)
            if not 1 <= len(part) <= 3:
                raise ValueError(f"part {number} (from 0) is a tuple of {len(part)}, not (X, y) or "
                                 "(X, y, weight)")
            yield (*part, None, None)[:3]

    def __repr__(self) -> str:
        return f"Parts({self.make!r})"

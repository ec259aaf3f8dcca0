# SPDX-License-Identifier: BSD-3-Clause
"""Selection of combinations: which products of columns are associated with the label."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._base import Estimator, all_or_nothing, seed_of
from ._data.labels import Table, are_classes, classes_of, column, targets, weights
from ._data.memory import empty
from ._data.numbers import narrowed
from ._data.rows import is_sparse, refuse
from ._discover import options, search
from ._library import warn
from ._sklearn import ConvergenceWarning, TransformerMixin

if TYPE_CHECKING:
    from typing_extensions import Self


class CombinationSelector(TransformerMixin, Estimator):
    """The products of columns that are associated with the label, searched among all of them, with
    control of false discoveries.  It is ``featcross discover`` as a transformer.

    Rows are divided into two halves, n_splits times.  Each half selects a few products of one to
    `degree` different columns by a path of models with an L1 penalty over all products; the other
    half tests these.  The tests become one p-value for each product.  If y has nothing to do with
    X, any discovery has a probability of at most alpha.  A product that was missed may be
    represented by its parts, so nested discoveries are one family.

    Parameters
    ----------
    degree : how many columns a combination has at most, up to 16
    alpha : probability of any false discovery
    task : "classify": y holds classes; several are each told from the rest.  "regress": numbers.
        "auto": classes if y holds text, or whole numbers of at most 20 values that occur twice on
        average
    n_splits : how often the rows are divided
    max_selected : how many products a half selects at most; None: a 250th of the rows, but at least
        8 and at most 50
    scale : "maxabs"; "auto": "maxabs" if a number is above 1 or below -1; None.  For the search:
        effects and transform are of the numbers as they are
    missing : what becomes of NaN in X, see LinearClassifier; "drop" is not possible
    max_seconds : searches that last longer end early, and certified_ is False; None
    n_permutations : do all of it this many more times with y shuffled, for null_
    include_input : transform also returns the columns of X, before the products
    random_state : of the halves and permutations
    n_jobs : threads; None or -1: all processors.  The result does not depend on it
    verbose : 1: a progress bar and what was converted

    Attributes
    ----------
    combinations_ : the columns of each product that transform returns, as tuples of names, or of
        numbers from 0 where X has no names; the most significant family first
    pvalues_, frequency_ : of these: adjusted p-values, and shares of the halves that selected them.
        Of a product that several classes have: those of the class with the least p-value
    discoveries_ : list of Discovery: combination, label, pvalue, effect, interval, support, mean,
        frequency, adds, family, same; a line for each class
    eliminated_ : the same of those that are significant but add nothing to the others
    certified_ : True: each search was proven optimal over all products
    null_ : dict: with shuffled y, how many "permutations" there were and how many of these had
        "discoveries", with the 95 % "interval" of the probability of one; None: n_permutations=0
    classes_ : sorted labels, if y holds classes
    n_features_in_, feature_names_in_ : of X

    Notes
    -----
    sample_weight says how often a row counts, so weights are whole numbers.  If nothing is found,
    fit warns and transform returns no columns, which most estimators refuse; include_input=True
    avoids that.  Selection and tests use y: in a cross-validation, put the selector into the
    pipeline.

    Examples
    --------
    >>> import featcross
    >>> X, y, planted = featcross.make("pairs:n=1000,d=20,nz=6,k=3", seed=1)
    >>> selector = featcross.CombinationSelector(random_state=1).fit(X, y)
    >>> set(selector.combinations_) == set(planted), bool(selector.pvalues_.max() < 1e-9)
    (True, True)
    >>> print(*selector.get_feature_names_out(), sep=", ")
    x1 x x6, x2 x x19, x9 x x16
    >>> selector.transform(X).shape
    (1000, 3)
    >>> one = selector.discoveries_[0]
    >>> one.label, one.interval[0] < one.effect < one.interval[1], one.frequency
    (1, True, 1.0)
    """

    def __init__(self, *, degree: int = 3, alpha: float = 0.05, task: str = "auto",
                 n_splits: int = 25, max_selected: int | None = None, scale: str | None = "auto",
                 missing: str = "error", max_seconds: float | None = None, n_permutations: int = 0,
                 include_input: bool = False, random_state=None, n_jobs: int | None = None,
                 verbose: int = 0):
        self._set(locals())

    @all_or_nothing
    def fit(self, X, y=None, sample_weight=None) -> Self:
        """Searches the combinations that are associated with y: labels of any kind, or numbers.

        sample_weight : how often each row counts, in whole numbers
        """
        rows = self._rows(X, reset=True)
        y, weight = column(y, len(rows)), weights(sample_weight, len(rows))
        classes = None
        if are_classes(y) if self.task == "auto" else self._given_task():
            classes = classes_of(y if weight is None else y[weight != 0])
            # A row that does not count may have a label that no other row has.
            y = y if weight is None else np.where(weight == 0, classes[0], y)
        else:
            y = targets(y, len(rows))
        how = options(self.get_params(deep=False), seed_of(self.random_state), classes is None)
        table = Table(rows, y=y, classes=classes, weight=weight, names=self._column_names())
        self._keep(search(how, table, classes, **self._how()), classes)
        return self

    def _given_task(self) -> bool:
        """Whether y holds classes."""
        if self.task not in ("classify", "regress"):
            raise ValueError(f"task={self.task!r}: it is 'auto', 'classify' or 'regress'")
        return self.task == "classify"

    def _keep(self, found, classes) -> None:
        if classes is not None:
            self.classes_ = classes
        elif hasattr(self, "classes_"):
            del self.classes_
        best: dict[tuple[int, ...], Any] = {}       # each product once
        for columns, one in zip(found.columns, found.kept):
            if columns not in best or one.pvalue < best[columns].pvalue:
                best[columns] = one
        self._sets = list(best)
        self._inputs, self._indicator, self._fill = found.inputs, found.indicator, found.fill
        self._names = found.names
        self.combinations_ = [one.combination for one in best.values()]
        self.pvalues_ = np.array([one.pvalue for one in best.values()])
        self.frequency_ = np.array([one.frequency for one in best.values()])
        self.discoveries_, self.eliminated_ = found.kept, found.eliminated
        self.certified_, self.null_ = found.certified, found.null
        if not found.certified:
            warn("some searches ended at max_seconds: what they missed is not known",
                 ConvergenceWarning)
        if not best:
            warn(f"no combination is associated with y at alpha={self.alpha}; transform returns "
                 f"{'the columns of X alone' if self.include_input else 'no columns'}")

    def transform(self, X) -> Any:
        """The products of the columns of combinations_, of the numbers as they are.

        Returns
        -------
        array of shape (rows, combinations), or of the columns of X (categories as one column each,
        missing numbers filled) and the combinations with include_input=True
            CSR if X is sparse, else dense; float32 if X is, else float64
        """
        sets = self._fitted("_sets")
        rows = self._rows(X, reset=False)
        A = self._complete(rows.array)
        by_columns = A.tocsc() if is_sparse(A) else A
        products = (self._product(by_columns, k, rows.dtype) for k in range(len(sets)))
        first = A.shape[1] if self.include_input else 0
        if is_sparse(X):
            return _sparse(A if first else A[:, :0], list(products))
        Z = empty((len(rows), first + len(sets)), rows.dtype, "transform",
                  "Of sparse rows it makes sparse ones")
        if first:
            Z[:, :first] = _dense(A)
        for k, product in enumerate(products):
            Z[:, first + k] = product
        return Z

    def _complete(self, A):
        """Rows with missing numbers filled and with the columns that say where they were."""
        given = A.data if is_sparse(A) else A
        missing = np.isnan(given)
        if self.missing == "error":
            refuse(A, ~np.isfinite(given))
            return A
        refuse(A, np.isinf(given))
        fill = (self._fill[A.indices] if is_sparse(A) else self._fill).astype(A.dtype)
        filled = np.where(missing, fill, given)
        if not is_sparse(A):
            return np.hstack([filled, missing[:, self._indicator].astype(A.dtype)])
        from scipy.sparse import hstack

        where = type(A)((missing.astype(A.dtype), A.indices, A.indptr), shape=A.shape)
        return type(A)(hstack([type(A)((filled, A.indices, A.indptr), shape=A.shape),
                               where[:, self._indicator]]))

    def _product(self, A, k: int, dtype) -> np.ndarray:
        columns = _dense(A[:, list(self._sets[k])]).astype(np.float64)
        with np.errstate(all="ignore"):
            product = columns.prod(axis=1)
        what = f"the product of {self.combinations_[k]} in row"
        if not np.isfinite(product).all():
            raise FloatingPointError(f"{what} {np.argmin(np.isfinite(product))} overflows; scale "
                                     "the rows")
        return narrowed(product, dtype, what)

    def get_feature_names_out(self, input_features=None) -> np.ndarray:
        """Names of the products: "city=Paris x day=Mon"; with include_input=True those of the
        columns before.

        input_features : names of columns; None: those of the DataFrame of fit, else x0, x1, ..
        """
        sets = self._fitted("_sets")
        names = self._names
        given = self._names_in(input_features, self._inputs)
        if names is None:
            names = [*given, *(f"{given[j]}=missing" for j in self._indicator)]
        first = list(names) if self.include_input else []
        return np.array([*first, *(" x ".join(names[j] for j in columns) for columns in sets)],
                        dtype=object)

    def get_support(self, indices: bool = False) -> np.ndarray:
        """Which columns of X are in a combination: a mask, or with indices=True their numbers."""
        used = {j for columns in self._fitted("_sets") for j in columns}
        used = {int(self._indicator[j - self._inputs]) if j >= self._inputs else j for j in used}
        encoder = getattr(self, "encoder_", None)
        mask = np.array([bool(used.intersection([j] if encoder is None else encoder.columns_of(j)))
                         for j in range(self.n_features_in_)])
        return np.flatnonzero(mask) if indices else mask

    # It learns from labels, and says so to scikit-learn.
    def _more_tags(self):
        return {**super()._more_tags(), "requires_y": True}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def _dense(A) -> np.ndarray:
    return A.toarray() if is_sparse(A) else A


def _sparse(A, products: list[np.ndarray]):
    """CSR: A and these columns."""
    from scipy.sparse import csc_array, hstack

    columns = [csc_array(product[:, None]) for product in products]
    return type(A)(hstack([A, *columns], format="csr"))

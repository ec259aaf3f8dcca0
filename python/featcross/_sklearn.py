# SPDX-License-Identifier: BSD-3-Clause
"""scikit-learn's base classes if it is installed, else replacements with only what the package
uses.

All else is the same with and without it: estimators fit, predict, transform, save and load;
pipelines, searches, set_output and clone are scikit-learn's own.
"""
from __future__ import annotations

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin
    from sklearn.exceptions import ConvergenceWarning, DataConversionWarning, NotFittedError
    from sklearn.utils.metaestimators import available_if

    INSTALLED = True
except ImportError:
    import inspect

    import numpy as np

    INSTALLED = False

    class ConvergenceWarning(UserWarning):
        """A fit ended before it reached its tolerance."""

    class DataConversionWarning(UserWarning):
        """Data has the wrong shape."""

    class NotFittedError(ValueError, AttributeError):
        """A method was called before the estimator was fitted."""

    class BaseEstimator:
        @classmethod
        def _get_param_names(cls):
            return sorted(name for name in inspect.signature(cls.__init__).parameters
                          if name != "self")

        def get_params(self, deep=True):
            params = {name: getattr(self, name) for name in self._get_param_names()}
            for name, value in list(params.items()):
                if deep and hasattr(value, "get_params"):
                    params.update({f"{name}__{k}": v for k, v in value.get_params().items()})
            return params

        def set_params(self, **params):
            for name, value in params.items():
                own, _, inner = name.partition("__")
                if own not in self._get_param_names():
                    raise ValueError(f"{type(self).__name__} has no parameter {own!r}; there are "
                                     f"{', '.join(self._get_param_names())}")
                if inner:
                    getattr(self, own).set_params(**{inner: value})
                else:
                    setattr(self, own, value)
            return self

        def __repr__(self):
            default = inspect.signature(type(self).__init__).parameters
            shown = [f"{k}={v!r}" for k, v in self.get_params(deep=False).items()
                     if repr(v) != repr(default[k].default)]
            return f"{type(self).__name__}({', '.join(shown)})"

    class ClassifierMixin:
        def score(self, X, y, sample_weight=None):
            return float(np.average(self.predict(X) == np.asarray(y), weights=sample_weight))

    class RegressorMixin:
        def score(self, X, y, sample_weight=None):
            y = np.asarray(y, float)
            centre = np.average(y, weights=sample_weight)
            return float(1 - np.average((y - self.predict(X)) ** 2, weights=sample_weight)
                         / np.average((y - centre) ** 2, weights=sample_weight))

    class TransformerMixin:
        def fit_transform(self, X, y=None, **more):
            return self.fit(X, y, **more).transform(X)

    class available_if:                 # noqa: N801, scikit-learn's name
        """A method that is there only if check(self) says so."""

        def __init__(self, check):
            self.check = check

        def __call__(self, function):
            self.function, self.__doc__ = function, function.__doc__
            return self

        def __get__(self, owner, kind=None):
            if owner is None:
                return self.function
            if not self.check(owner):
                raise AttributeError(f"{kind.__name__} has no {self.function.__name__} as it is")
            return self.function.__get__(owner, kind)

__all__ = ["BaseEstimator", "ClassifierMixin", "ConvergenceWarning", "DataConversionWarning",
           "INSTALLED", "NotFittedError", "RegressorMixin", "TransformerMixin", "available_if"]

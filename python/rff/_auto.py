"""A model that the library chooses."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._base import _lambdas, _whole
from ._ridge import COMMON_PARAMETERS, Classification, Predictor, Regression, Same


class _Auto(Predictor):
    """krr.Auto: scaling, kernel, bandwidth, features, alpha and loss by held-out rows."""

    _operation = "auto"

    def __init__(
        self, budget: float | None = None, *, n_features: int | None = None, alpha: ArrayLike | None = None,
        loss: str | None = None, folds: int = 5, uncertainty: str | None = None, precision: str = "float64",
        missing: str = "error", unseen: str = "error", n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = 1, verbose: bool = False,
    ) -> None:
        self.budget = budget
        self.n_features = n_features
        self.alpha = alpha
        self.loss = loss
        self.folds = folds
        self.uncertainty = uncertainty
        self.precision = precision
        self.missing = missing
        self.unseen = unseen
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _own_settings(self) -> dict:
        if self.budget is not None and not (isinstance(self.budget, Real) and 0 <= self.budget <= 1e8):
            raise ValueError(f"budget={self.budget!r}: must be a number of seconds, or 0 for one search on few rows")
        return {
            "budget": 0 if self.budget is None else float(self.budget) or -1,
            "features": _whole("n_features", self.n_features or 0, 0),
            "lambdas": _lambdas(self.alpha),
            "folds": _whole("folds", self.folds, 2),
            "loss": self.loss or "",
            "precision": self.precision,
            "uncertainty": self.uncertainty or "",
            "heldout": len(_lambdas(self.alpha)) != 1,
            "provenance": {},
        }

    def fit(self: Same, X: Any, y: Any) -> Same:
        """Choose a model, and fit it to all rows.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_inputs)
        y : array-like of shape (n_samples,), or (n_samples, n_targets) for a regression

        Returns
        -------
        self
        """
        return self._fit(X, y, None)


_PARAMETERS = """budget : float, default=None
        The seconds that search and fit may take, estimated for two processors: it counts
        multiply-adds, so the same budget gives the same model on every machine. None: 30, or
        less if there are few rows. 0: one search on few rows and features.
    n_features : int, default=None
        The number of features. None: as many as the budget allows and held-out rows ask for.
    alpha : float or array-like, default=None
        The ridge parameter per row, or those to choose from.
    loss : str, default=None
        As in LOSSOF. None: the search chooses.
    folds : int, default=5
        The folds by which alpha is chosen.
    uncertainty : {None, "variance", "intervals"}, default=None
        As in LOSSOF.
    """ + COMMON_PARAMETERS

_ATTRIBUTES = """alpha_ : float, or ndarray of shape (n_targets,)
        The ridge parameter that was taken.
    kernel_ : str
        The kernel with its bandwidth.
    report_ : dict
        What was tried (``steps``), why the search ended (``stopped``), measures on held-out
        rows (``held_out``), seconds (``took``).
    feature_importances_ : ndarray of shape (n_inputs,)
        How much the function varies with each input, a share of 1, if features were learned.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, if X has names"""


class AutoRegressor(Regression, _Auto):
    """A regression whose features and settings are chosen on held-out rows.

    Parameters
    ----------
    PARAMETERS

    Attributes
    ----------
    ATTRIBUTES
    """


class AutoClassifier(Classification, _Auto):
    """A classification whose features and settings are chosen on held-out rows.

    It has predict_proba.

    Parameters
    ----------
    PARAMETERS

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    ATTRIBUTES
    """


for _of, _like in ((AutoRegressor, "RidgeRegressor"), (AutoClassifier, "RidgeClassifier")):
    _of.__doc__ = (_of.__doc__ or "").replace("PARAMETERS", _PARAMETERS).replace("ATTRIBUTES", _ATTRIBUTES).replace("LOSSOF", f":class:`{_like}`")

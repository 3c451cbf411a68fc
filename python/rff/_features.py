"""Random features as a transformer."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from ._base import Base
from ._rows import labels_of


class RandomFeatures(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Base):
    """Features whose inner products approximate a kernel.

    They predict nothing, so they have no file that ``rff predict`` reads: pickle them.

    Parameters
    ----------
    n_features : int, default=1024
        The number of columns of the result.
    kernel : str, default=None
        ``"gaussian"``, ``"laplacian"``, ``"cauchy"``, ``"matern:nu=1.5"`` and so on, with or
        without a bandwidth (``"gaussian:sigma=2"``). None: that of the sampler, if it has one
        of its own, or else ``"gaussian"``.
    bandwidth : float, "median" or "knn", default="median"
        In scaled inputs, for a kernel that is given without one: the median distance of rows,
        or the mean distance to the 50th neighbour.
    sampler : str, default="rff"
        Any sampler of the library by its name, with options: ``"orf"``, ``"sobol"``,
        ``"leverage:pool=8"``, ``"nystrom"``, ``"metric"``, … ``rff compare --help`` and
        docs/samplers.md list them. Some of them look at the rows, and some at y.
    scale : {"robust", "standard", "minmax", "none"}, default="robust"
        The scaling of the inputs.
    missing : {"error", "mean"}, default="error"
        What becomes of missing values.
    unseen : {"error", "zero"}, default="error"
        What becomes of words that the rows of fit did not have. ``"zero"``: they are none of its
        words, and a warning says how many rows have some.
    n_jobs : int, default=None
        The number of threads. None: OMP_NUM_THREADS if it is set, or else one per processor.
        The features do not depend on it.
    random_state : int, RandomState or None, default=1
        The seed. The same seed and rows give the same bits on every machine.

    Attributes
    ----------
    kernel_ : str
        The kernel with its bandwidth.
    feature_importances_ : ndarray of shape (n_inputs,)
        How much the function varies with each input, a share of 1: where the sampler has
        learned that (``"metric"``, ``"refined"``).
    n_features_in_ : int
    feature_names_in_ : ndarray of str, if X has names

    Examples
    --------
    >>> import numpy as np, rff
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> rff.RandomFeatures(n_features=64).fit_transform(X).shape
    (100, 64)
    """

    def __init__(
        self, n_features: int = 1024, *, kernel: str | None = None, bandwidth: float | str = "median",
        sampler: str = "rff", scale: str = "robust", missing: str = "error", unseen: str = "error",
        n_jobs: int | None = None, random_state: int | np.random.RandomState | None = 1,
    ) -> None:
        self.n_features = n_features
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.sampler = sampler
        self.scale = scale
        self.missing = missing
        self.unseen = unseen
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> "RandomFeatures":
        """Draw the features.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_inputs)
        y : array-like of shape (n_samples,), default=None
            Targets, which some samplers look at. Texts are classes.

        Returns
        -------
        self
        """
        settings = {**self._settings(), **self._map_settings()}
        rows = self._rows(X, reset=True)
        arrays = rows.arrays
        if y is not None:
            y = np.asarray(labels_of(y))
            if y.dtype.kind in "OUSb":
                classes, y = np.unique(y, return_inverse=True)
                if len(classes) > 1:
                    settings["classes"] = [str(c) for c in classes]
            if len(y) != rows.count:
                raise ValueError(f"Found input variables with inconsistent numbers of samples: [{rows.count}, {len(y)}]")
            arrays = [*arrays, ("y", np.ascontiguousarray(y, np.float64))]
        self._take(self._ask("features", {**settings, **rows.settings}, arrays))
        self._n_features_out = self._info["features"]
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Return the features of rows.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_inputs)

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            Of float32 if X is, otherwise of float64.
        """
        self._fitted()
        single = getattr(X, "dtype", None) == np.float32
        return self._wanted(X, "features", self._info["features"], np.float32 if single else np.float64)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

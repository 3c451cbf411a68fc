"""Random features and kernel ridge regression, as estimators of scikit-learn.

>>> import rff
>>> model = rff.AutoClassifier(budget=10).fit(X, y)  # doctest: +SKIP

The work is done by the Go library rff, in a shared object that this package carries. Models
have the bits, and the files, of the command ``rff``.
"""

from ._auto import AutoClassifier, AutoRegressor
from ._features import RandomFeatures
from ._file import load
from ._library import RffError
from ._ridge import RidgeClassifier, RidgeRegressor
from ._version import __version__

__all__ = [
    "AutoClassifier",
    "AutoRegressor",
    "RandomFeatures",
    "RffError",
    "RidgeClassifier",
    "RidgeRegressor",
    "__version__",
    "load",
]

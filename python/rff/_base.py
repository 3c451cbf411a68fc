"""What the estimators share: settings, rows with weights, the model, its file."""

from __future__ import annotations

import os
from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, check_random_state

from ._library import Handle, Printer, call
from ._rows import Rows, kept, labels_of, rows_of


class Base(BaseEstimator):
    """An estimator whose model the library holds."""

    def _settings(self) -> dict:
        """Return the settings of the request that all estimators have."""
        s = {
            "seed": _seed(self.random_state),
            "workers": _workers(self.n_jobs),
            "missing": getattr(self, "missing", "error"),
            "unseen": getattr(self, "unseen", "error"),
        }
        if s["missing"] not in ("error", "mean"):
            raise ValueError(f"missing={s['missing']!r}: must be 'error' or 'mean'; leave rows out beforehand")
        if s["unseen"] not in ("error", "zero"):
            raise ValueError(f"unseen={s['unseen']!r}: must be 'error' or 'zero'")
        return s

    def _map_settings(self) -> dict:
        """Return the settings of features."""
        return {
            "kernel": self.kernel or "",
            "sampler": self.sampler,
            "bandwidth": str(self.bandwidth),
            "scale": self.scale or "none",
            "features": _whole("n_features", self.n_features),
            "provenance": {"sampler": self.sampler, "scaling": self.scale or "none", "seed": str(_seed(self.random_state, peek=True))},
        }

    def _rows(self, X: Any, reset: bool = False) -> Rows:
        rows = rows_of(self, X, reset=reset, table=self._reads_tables(reset))
        if reset and rows.count < 2:
            raise ValueError("n_samples = 1: there is nothing to learn from one row")
        return rows

    def _reads_tables(self, reset: bool) -> bool:
        """Report whether rows, even of numbers, are read by rules for tables."""
        if reset:
            return getattr(self, "missing", "error") != "error"
        schema = self._schema
        return schema["Missing"] == "mean" or any(c["Words"] or c["Time"] for c in schema["Inputs"])

    def _ask(self, operation: str, settings: dict, arrays: list) -> dict:
        """Ask the library, showing progress if the estimator is to."""
        shown = Printer() if getattr(self, "verbose", False) else None
        try:
            return call(operation, settings, arrays, shown)
        finally:
            if shown:
                shown.end()

    def _take(self, r: dict) -> None:
        """Take a model from the library."""
        self._model = Handle(r["handle"], "model")
        self._info = r["info"]
        self._schema = self._info["schema"]
        self.kernel_ = self._info["kernel"]
        if r.get("report"):
            self.report_ = r["report"]
        importance = self._info.get("importance") or (r.get("report") or {}).get("importance")
        if importance:
            self.feature_importances_ = np.array(importance)
        elif hasattr(self, "feature_importances_"):
            del self.feature_importances_

    def _wanted(self, X: Any, want: str, columns: int, dtype: Any = np.float64, **settings: Any) -> np.ndarray:
        """Return what the model says of the rows of X."""
        self._fitted()
        rows = self._rows(X)
        out = np.empty((rows.count, columns), dtype)
        call(
            "predict",
            {"handle": self._model.number, "want": want, "workers": _workers(self.n_jobs), **rows.settings, **settings},
            [*rows.arrays, ("o", out)],
        )
        return out

    def _fitted(self) -> None:
        """Make the model ready. The error is scikit-learn's if there is none."""
        if not self.__sklearn_is_fitted__():  # which takes less time than check_is_fitted
            check_is_fitted(self)
        self._ready()

    def _ready(self) -> None:
        """Make the model, where it is not there yet."""

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_model") or hasattr(self, "_gram")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = getattr(self, "missing", "error") == "mean"
        return tags


class Learner(Base):
    """An estimator with targets and weights."""

    def _labelled(self, X: Any, y: Any, sample_weight: Any, reset: bool) -> tuple[Rows, np.ndarray, list]:
        """Return the rows with their targets, and the array of weights.

        Rows of weight 0 are left out, since they are no rows.
        """
        if y is None:
            raise ValueError(f"This {type(self).__name__} estimator requires y to be passed, but the target y is None.")
        rows = self._rows(X, reset)
        y = self._targets_of(labels_of(y))
        if len(y) != rows.count:
            raise ValueError(f"Found input variables with inconsistent numbers of samples: [{rows.count}, {len(y)}]")
        if sample_weight is None:
            return rows, y, []
        w = _check_sample_weight(sample_weight, np.empty((rows.count, 0)), dtype=np.float64, copy=False)
        if not (keep := w != 0).all():
            rows, y, w = self._rows(kept(X, keep), reset), y[keep], w[keep]
            rows.settings["leftOut"] = True
        return rows, y, [("w", np.ascontiguousarray(w))]

    def _targets_of(self, y: Any) -> np.ndarray:
        raise NotImplementedError

    def save(self, path: str | os.PathLike) -> None:
        """Write the model to a file, which ``rff predict`` and :func:`rff.load` read.

        Parameters
        ----------
        path : path-like
            The file appears whole or not at all.
        """
        self._fitted()
        call("save", {"handle": self._model.number, "path": os.path.abspath(os.fspath(path))})


def _whole(name: str, value: Any, least: int = 1) -> int:
    """Return a parameter, which may be a number of NumPy's, as an int."""
    if isinstance(value, bool) or not isinstance(value, Real) or value % 1 or value < least:
        raise ValueError(f"{name}={value!r}: must be a whole number, at least {least}")
    return int(value)


def _level(level: float) -> float:
    """Return the level of intervals or sets."""
    if not isinstance(level, Real) or not 0 < level < 1:  # as not a number is, which the library cannot be told
        raise ValueError(f"level={level!r}: must be above 0 and below 1, such as 0.9")
    return float(level)


def _seed(random_state: Any, peek: bool = False) -> int:
    """Return the seed: random_state itself if it is a number, as of rff fit --seed."""
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        if not 0 <= random_state < 2**64:
            raise ValueError(f"random_state={random_state}: must be at least 0 and less than 2**64")
        return int(random_state)
    if peek:
        return 0
    return int(check_random_state(random_state).randint(2**31 - 1))


def _workers(n_jobs: int | None) -> int:
    """Return the number of threads, 0 for one per processor.

    joblib tells its workers by OMP_NUM_THREADS how many threads each may take.
    """
    if n_jobs is None:
        text = os.environ.get("OMP_NUM_THREADS", "")
        return int(text) if text.isdigit() else 0
    if n_jobs < 0:
        return max(1, (os.cpu_count() or 1) + 1 + n_jobs)
    if n_jobs == 0:
        raise ValueError("n_jobs == 0 has no meaning: give a number of threads, or -1 for all")
    return int(n_jobs)


def _lambdas(alpha: Any) -> list[float]:
    """Return the values of λ to choose from, none for the library's own."""
    try:
        lambdas = [] if alpha is None else np.asarray(alpha, np.float64).ravel().tolist()
    except (TypeError, ValueError):
        lambdas = [np.nan]
    if not np.isfinite(lambdas).all():
        raise ValueError(f"alpha={alpha!r}: must be finite, or a list of such numbers")
    return lambdas

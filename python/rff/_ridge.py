"""Ridge regression and classification on random features."""

from __future__ import annotations

import warnings
from typing import Any, Literal, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_y, column_or_1d

from ._base import Learner, _lambdas, _level, _whole
from ._library import Handle

Same = TypeVar("Same", bound="Predictor")


class Predictor(Learner):
    """What regressions and classifications share: a fit of rows with targets."""

    def _fit(self: Same, X: Any, y: Any, sample_weight: Any) -> Same:
        self._forget()
        settings = {**self._settings(), **self._own_settings(), "target": _name(y)}
        rows, y, weights = self._labelled(X, y, sample_weight, reset=True)
        coded, target = self._coded(y)
        if y.ndim == 2:  # which one target may be, and the file of a model does not say
            settings["provenance"]["shape of targets"] = "two-dimensional"
        self._take(self._ask(self._operation, {**settings, **rows.settings, **target}, [*rows.arrays, ("y", coded), *weights]))
        return self

    def _take(self, r: dict) -> None:
        super()._take(r)
        lambdas = self._info["lambda"]
        self.alpha_ = lambdas[0] if len(set(lambdas)) == 1 else np.array(lambdas)

    def _forget(self) -> None:
        for name in ("_model", "_gram", "_info"):
            if hasattr(self, name):
                delattr(self, name)

    def _own_settings(self) -> dict:
        raise NotImplementedError

    def _coded(self, y: np.ndarray) -> tuple[np.ndarray, dict]:
        raise NotImplementedError

    @property
    def _outputs(self) -> int:
        return self._info["outputs"]


def _name(y: Any) -> str:
    """Return the name of a column, "" if it has none."""
    name = getattr(y, "name", None)
    return name if isinstance(name, str) else ""


class Regression(RegressorMixin, Predictor):
    """Predictions that are numbers."""

    def _targets_of(self, y: Any) -> np.ndarray:
        return _check_y(y, multi_output=True, y_numeric=True, estimator=self)

    def _coded(self, y: np.ndarray) -> tuple[np.ndarray, dict]:
        self._flat = y.ndim == 1
        return np.ascontiguousarray(y, np.float64), {}

    @overload
    def predict(self, X: Any, return_std: Literal[False] = False) -> np.ndarray: ...
    @overload
    def predict(self, X: Any, return_std: Literal[True]) -> tuple[np.ndarray, np.ndarray]: ...
    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Predict rows.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_inputs)
        return_std : bool, default=False
            Also return the standard deviation of each prediction. The estimator must be
            fitted with ``uncertainty="variance"`` or ``"intervals"``.

        Returns
        -------
        ndarray of shape (n_samples,), (n_samples, n_targets) or (n_samples, n_quantiles)
            And another one of this shape, if return_std is set.
        """
        self._fitted()
        y = self._shaped(self._wanted(X, "scores", self._outputs))
        if not return_std:
            return y
        return y, np.sqrt(self._shaped(self._wanted(X, "variance", self._outputs)))

    def predict_interval(self, X: Any, level: float = 0.9) -> np.ndarray:
        """Return intervals that hold the targets of new rows with a probability.

        The estimator must be fitted with ``uncertainty="intervals"``. The probability holds
        for rows that are drawn like those of fit, whatever their distribution.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_inputs)
        level : float, default=0.9

        Returns
        -------
        ndarray of shape (n_samples, 2), or (n_samples, n_targets, 2)
            The ends of the intervals.
        """
        self._fitted()
        levels = len(self._info["schema"]["Target"].get("Quantiles") or [0])
        targets = self._outputs // levels
        ends = self._wanted(X, "interval", 2 * targets, level=_level(level))
        return ends if self._flat else ends.reshape(len(ends), targets, 2)

    def _shaped(self, y: np.ndarray) -> np.ndarray:
        return y[:, 0] if self._flat and y.shape[1] == 1 else y

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.single_output = True
        tags.target_tags.multi_output = True
        loss = str(self.loss)
        tags.target_tags.positive_only = loss == "poisson"
        tags.regressor_tags.poor_score = loss.startswith(("expectile", "quantile"))  # score is of means
        return tags


def _calibrated(self: Any) -> bool:
    """Report whether there are probabilities, or whether a fit would give them.

    The AttributeError otherwise says how to get them.
    """
    if hasattr(self, "_gram"):
        raise AttributeError("partial_fit gives no probabilities, which take held-out rows: take fit, or sklearn.calibration.CalibratedClassifierCV")
    if self._info["probabilities"] if hasattr(self, "_info") else getattr(self, "probabilities", True) or self.loss == "logistic":
        return True
    raise AttributeError("the estimator is not calibrated: give it probabilities=True, or loss='logistic'")


class Classification(ClassifierMixin, Predictor):
    """Predictions that are classes."""

    def _targets_of(self, y: Any) -> np.ndarray:
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        return y

    def _coded(self, y: np.ndarray) -> tuple[np.ndarray, dict]:
        self.classes_, numbers = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"a classifier needs rows of at least 2 classes, and these have only one class: {self.classes_[0]}")
        return np.ascontiguousarray(numbers, np.int64), {"classes": _texts(self.classes_)}

    def predict(self, X: Any) -> np.ndarray:
        """Predict the classes of rows.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_inputs)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        self._fitted()
        return self.classes_[self._wanted(X, "class", 1)[:, 0].astype(np.intp)]

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the scores of rows.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_inputs)

        Returns
        -------
        ndarray of shape (n_samples,) for two classes, positive for the second; otherwise
        (n_samples, n_classes)
            The logarithms of probabilities if the model has probabilities (for two classes
            their difference), which predict decides by. Otherwise the scores of the fit.
        """
        self._fitted()
        if self._info["probabilities"]:
            p = np.log(np.maximum(self._wanted(X, "probabilities", len(self.classes_)), np.finfo(float).tiny))
            return p[:, 1] - p[:, 0] if p.shape[1] == 2 else p
        scores = self._wanted(X, "scores", self._outputs)
        return scores[:, 0] if self._outputs == 1 else scores

    @available_if(_calibrated)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probability of each class.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_inputs)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        self._fitted()
        return self._wanted(X, "probabilities", len(self.classes_))

    def predict_set(self, X: Any, level: float = 0.9) -> np.ndarray:
        """Return sets of classes that hold the class of a new row with a probability.

        The estimator must be fitted with ``uncertainty="intervals"``.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_inputs)
        level : float, default=0.9

        Returns
        -------
        ndarray of bool of shape (n_samples, n_classes)
        """
        self._fitted()
        return self._wanted(X, "sets", len(self.classes_), level=_level(level)) != 0


def _texts(classes: np.ndarray) -> list[str]:
    """Return how the model names classes: numbers and moments as rff writes them."""
    if classes.dtype.kind == "M":
        classes = classes.astype("M8[us]")
    texts = [str(c.item() if hasattr(c, "item") else c) for c in classes]
    if classes.dtype.kind == "f":
        texts = [t.removesuffix(".0") for t in texts]
    if classes.dtype.kind == "M":
        texts = [t.rstrip("0") if "." in t else t.removesuffix(" 00:00:00") for t in texts]
    if len(set(texts)) < len(texts):
        raise ValueError("two classes have the same name as text: give them different names")
    return texts


def _adds_rows(self: Any) -> bool:
    """Report whether there is partial_fit. The AttributeError otherwise says what to take."""
    if self.loss != "squares":
        raise AttributeError(f"loss={self.loss!r}: partial_fit adds up sums, which only loss='squares' has: take fit")
    if self.uncertainty not in (None, "variance"):
        raise AttributeError(f"uncertainty={self.uncertainty!r}: partial_fit keeps no rows to compare new ones with: take 'variance', or fit")
    return True


class _Ridge(Predictor):
    """Ridge regression on features, from rows at once or in batches."""

    _operation = "fit"

    def __init__(
        self, n_features: int = 1024, *, kernel: str | None = None, bandwidth: float | str = "median",
        sampler: str = "rff", scale: str = "robust", alpha: ArrayLike | None = None, loss: str = "squares",
        folds: int = 5, criterion: str = "cross-validation", uncertainty: str | None = None, precision: str = "float64",
        missing: str = "error", unseen: str = "error", n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = 1, verbose: bool = False,
    ) -> None:
        self.n_features = n_features
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.sampler = sampler
        self.scale = scale
        self.alpha = alpha
        self.loss = loss
        self.folds = folds
        self.criterion = criterion
        self.uncertainty = uncertainty
        self.precision = precision
        self.missing = missing
        self.unseen = unseen
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _own_settings(self) -> dict:
        lambdas = _lambdas(self.alpha)
        folds = len(lambdas) != 1 and self.criterion == "cross-validation"
        return {
            **self._map_settings(),
            "lambdas": lambdas,
            "folds": _whole("folds", self.folds, 2),
            "criterion": self.criterion,
            "loss": "" if self.loss == "squares" else self.loss,
            "precision": self.precision,
            "uncertainty": self.uncertainty or "",
            "heldout": folds and self.loss == "squares",
        }

    def fit(self: Same, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Same:
        """Fit the model, and choose alpha if there are several.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_inputs)
        y : array-like of shape (n_samples,), or (n_samples, n_targets) for a regression
        sample_weight : array-like of shape (n_samples,), default=None
            Scaling, bandwidth and the means of missing="mean" count rows as often as their weights
            say if these are whole numbers, up to 100,000 or two for each row, and otherwise once.
            Rows of weight 0 are left out.

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight)

    def _partial_fit(self: Same, X: Any, y: Any, sample_weight: Any, classes: Any) -> Same:
        first = not hasattr(self, "_gram")
        if first and hasattr(self, "_model"):
            warnings.warn("partial_fit begins anew and forgets the rows of fit, or of the file, of which the model keeps no sums: pickle keeps sums", stacklevel=3)
        target = {"target": _name(y)}
        rows, y, weights = self._labelled(X, y, sample_weight, reset=first)
        coded, classes = self._coded_part(y, classes, first)
        arrays = [*rows.arrays, ("y", coded), *weights]
        if first:
            r = self._ask("gram", {**self._settings(), **self._own_settings(), **rows.settings, **target, **classes}, arrays)
            for name in ("_model", "_info"):
                if hasattr(self, name):
                    delattr(self, name)
            self._gram = Handle(r["handle"], "gram")
            self._schema = r["schema"]
        else:
            self._ask("add", {"handle": self._gram.number, **rows.settings}, arrays)
        self._solved = False
        return self

    def _coded_part(self, y: np.ndarray, classes: Any, first: bool) -> tuple[np.ndarray, dict]:
        return self._coded(y)

    def _ready(self) -> None:
        if not hasattr(self, "_gram") or self._solved:
            return
        own = self._own_settings()
        self._take(self._ask("solve", {"handle": self._gram.number, **{k: own[k] for k in ("lambdas", "uncertainty", "clip") if k in own}}, []))
        self._solved = True


# What all models have. _auto takes it too.
COMMON_PARAMETERS = """precision : {"float64", "float32", "int12", "int8"}, default="float64"
        The arithmetic of features and their products.
    missing : {"error", "mean"}, default="error"
        What becomes of missing values.
    unseen : {"error", "zero"}, default="error"
        What becomes of words that the rows of fit did not have. ``"zero"``: they are none of its
        words, and a warning says how many rows have some.
    n_jobs : int, default=None
        The number of threads. None: OMP_NUM_THREADS if it is set, or else one per processor.
        The model does not depend on it.
    random_state : int, RandomState or None, default=1
        The seed. The same seed and rows give the same bits on every machine.
    verbose : bool, default=False
        Print progress to standard error."""

_PARAMETERS = """n_features : int, default=1024
        The number of features.
    kernel : str, default=None
        ``"gaussian"``, ``"laplacian"``, ``"cauchy"``, ``"matern:nu=1.5"`` and so on, with or
        without a bandwidth (``"gaussian:sigma=2"``). None: that of the sampler, if it has one
        of its own, or else ``"gaussian"``.
    bandwidth : float, "median" or "knn", default="median"
        In scaled inputs, for a kernel that is given without one.
    sampler : str, default="rff"
        The name of a sampler of the library: see :class:`RandomFeatures`.
    scale : {"robust", "standard", "minmax", "none"}, default="robust"
        The scaling of the inputs.
    alpha : float or array-like, default=None
        The ridge parameter, or those to choose from by the criterion. It is per row: the
        alpha of ``sklearn.linear_model.Ridge`` is n_samples times as large. None: 1e-9, 1e-8,
        …, 1e-1.
    loss : str, default="squares"
        LOSSES
    folds : int, default=5
        The folds of the cross-validation.
    criterion : {"cross-validation", "generalised cross-validation", "leave-one-out"}, \\
            default="cross-validation"
        By which alpha is chosen. After partial_fit it is generalised cross-validation.
    uncertainty : {None, "variance", "intervals"} or "intervals:COLUMN", default=None
        What the model keeps for UNCERTAIN.
    """ + COMMON_PARAMETERS

_ATTRIBUTES = """alpha_ : float, or ndarray of shape (n_targets,)
        The ridge parameter that was taken.
    kernel_ : str
        The kernel with its bandwidth.
    report_ : dict
        What the fit did: the error at each alpha (``path``), measures on held-out rows
        (``held_out``), seconds (``took``).
    feature_importances_ : ndarray of shape (n_inputs,)
        Where the sampler has learned it (``"metric"``, ``"refined"``).
    n_features_in_ : int
    feature_names_in_ : ndarray of str, if X has names"""


class RidgeRegressor(Regression, _Ridge):
    """Kernel ridge regression on random features.

    Parameters
    ----------
    PARAMETERS
    clip : bool, default=True
        Confine predictions to the range of the targets of fit.

    Attributes
    ----------
    ATTRIBUTES

    Examples
    --------
    >>> import numpy as np, rff
    >>> X = np.linspace(0, 6, 200).reshape(-1, 1)
    >>> rff.RidgeRegressor(64).fit(X, np.sin(X[:, 0])).score(X, np.sin(X[:, 0])) > 0.999
    True
    """

    def __init__(
        self, n_features: int = 1024, *, kernel: str | None = None, bandwidth: float | str = "median",
        sampler: str = "rff", scale: str = "robust", alpha: ArrayLike | None = None, loss: str = "squares",
        folds: int = 5, criterion: str = "cross-validation", uncertainty: str | None = None, precision: str = "float64",
        missing: str = "error", unseen: str = "error", n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = 1, verbose: bool = False, clip: bool = True,
    ) -> None:
        super().__init__(
            n_features, kernel=kernel, bandwidth=bandwidth, sampler=sampler, scale=scale, alpha=alpha, loss=loss,
            folds=folds, criterion=criterion, uncertainty=uncertainty, precision=precision, missing=missing, unseen=unseen,
            n_jobs=n_jobs, random_state=random_state, verbose=verbose,
        )
        self.clip = clip

    def _own_settings(self) -> dict:
        return {**super()._own_settings(), "clip": bool(self.clip)}

    @available_if(_adds_rows)
    def partial_fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> "RidgeRegressor":
        """Add rows to the model, whose memory does not grow with them.

        The first rows decide on scaling and bandwidth, and on features of samplers that look
        at rows: let there be some thousands of them. After that the model of any batches is
        that of all rows at once. The model is solved when it is next used.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_inputs)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : array-like of shape (n_samples,), default=None

        Returns
        -------
        self
        """
        return self._partial_fit(X, y, sample_weight, None)


class RidgeClassifier(Classification, _Ridge):
    """Classification by kernel ridge regression on random features.

    Parameters
    ----------
    PARAMETERS
    probabilities : bool, default=False
        Calibrate scores on held-out rows, for predict_proba. Weights of rows then count by
        their ratios: rows of weight 2 throughout are no more evidence than rows of weight 1.
        Their log loss then chooses alpha, unless the criterion is generalised
        cross-validation.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    ATTRIBUTES

    Examples
    --------
    >>> import numpy as np, rff
    >>> X = np.random.default_rng(0).normal(size=(400, 2))
    >>> y = np.where(np.hypot(*X.T) < 1, "in", "out")
    >>> rff.RidgeClassifier(128).fit(X, y).score(X, y) > 0.95
    True
    """

    def __init__(
        self, n_features: int = 1024, *, kernel: str | None = None, bandwidth: float | str = "median",
        sampler: str = "rff", scale: str = "robust", alpha: ArrayLike | None = None, loss: str = "squares",
        folds: int = 5, criterion: str = "cross-validation", uncertainty: str | None = None, precision: str = "float64",
        missing: str = "error", unseen: str = "error", n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = 1, verbose: bool = False, probabilities: bool = False,
    ) -> None:
        super().__init__(
            n_features, kernel=kernel, bandwidth=bandwidth, sampler=sampler, scale=scale, alpha=alpha, loss=loss,
            folds=folds, criterion=criterion, uncertainty=uncertainty, precision=precision, missing=missing, unseen=unseen,
            n_jobs=n_jobs, random_state=random_state, verbose=verbose,
        )
        self.probabilities = probabilities

    def _own_settings(self) -> dict:
        return {**super()._own_settings(), "probabilities": bool(self.probabilities)}

    @available_if(_adds_rows)
    def partial_fit(self, X: Any, y: Any, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> "RidgeClassifier":
        """Add rows to the model, whose memory does not grow with them.

        The first rows decide on scaling and bandwidth, and on features of samplers that look
        at rows: let there be some thousands of them. After that the model of any batches is
        that of all rows at once. The model is solved when it is next used. It has no
        predict_proba, which takes held-out rows.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_inputs)
        y : array-like of shape (n_samples,)
        classes : array-like of shape (n_classes,), default=None
            All classes that there will be. The first call needs them, unless its rows have
            them all.
        sample_weight : array-like of shape (n_samples,), default=None

        Returns
        -------
        self
        """
        return self._partial_fit(X, y, sample_weight, classes)

    def _coded_part(self, y: np.ndarray, classes: Any, first: bool) -> tuple[np.ndarray, dict]:
        if first:
            self.classes_ = np.unique(y if classes is None else classes)
            if len(self.classes_) < 2:
                raise ValueError(f"a classifier needs at least 2 classes, and there is only one class: {self.classes_[0]}")
        elif classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise ValueError(f"classes={np.unique(classes)}: the first call had {self.classes_}")
        at = np.searchsorted(self.classes_, y)
        wrong = (at == len(self.classes_)) | (self.classes_[np.minimum(at, len(self.classes_) - 1)] != y)
        if wrong.any():
            raise ValueError(f"row {int(np.argmax(wrong)) + 1} has the class {y[np.argmax(wrong)]}, which is not among {self.classes_}: give the first partial_fit all classes")
        return np.ascontiguousarray(at, np.int64), {"classes": _texts(self.classes_)}


def _document(of: type, losses: str, uncertain: str) -> None:
    text = of.__doc__ or ""
    text = text.replace("PARAMETERS", _PARAMETERS).replace("ATTRIBUTES", _ATTRIBUTES)
    of.__doc__ = text.replace("LOSSES", losses).replace("UNCERTAIN", uncertain)


_document(
    RidgeRegressor,
    '``"squares"``, ``"huber:1.5"``, ``"expectile:0.9"``, ``"quantile:0.05,0.5,0.95"``, which\n        predicts a column for each level, or ``"poisson"``.',
    "``predict(return_std=True)`` and predict_interval",
)
_document(
    RidgeClassifier,
    '``"squares"``, ``"logistic"``, ``"squared-hinge"``, ``"smoothed-hinge"`` or ``"hard:5"``,\n        squares with hard rows counted 5 times.',
    "predict_set",
)

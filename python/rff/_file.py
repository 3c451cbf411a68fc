"""Models from files."""

from __future__ import annotations

import os

import numpy as np

from ._library import call
from ._ridge import RidgeClassifier, RidgeRegressor, _texts


def load(path: str | os.PathLike) -> RidgeRegressor | RidgeClassifier:
    """Return the model of a file that an estimator's ``save`` or ``rff fit`` wrote.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    RidgeRegressor or RidgeClassifier
        It is fitted. Its parameters are those of the fit as far as the file has them, of a mean
        of models those of the first; fit starts anew, and refuses trees, which AutoRegressor and
        AutoClassifier alone grow. Classes are numbers if all of their names are numbers as Python
        writes them, not such as 02134 or 1e3, and False and True are booleans.
    """
    name = os.path.abspath(os.fspath(path))
    if not os.path.exists(name):
        raise FileNotFoundError(f"there is no file {name}")
    r = call("load", {"path": name})
    info = r["info"]
    schema, kept = info["schema"], info["provenance"]
    seed = kept.get("seed", "")  # a program may have written anything there
    classes = schema["Target"]["Classes"]
    of = RidgeRegressor if classes is None else RidgeClassifier
    model = of(
        info["features"],
        kernel=info["kernel"] or None,
        sampler=kept.get("sampler", "rff"),
        scale=kept.get("scaling", "robust"),
        loss=kept.get("loss", "squares"),
        random_state=int(seed) if seed.isdecimal() else 1,
        uncertainty="intervals" if info["intervals"] else "variance" if info["variance"] else None,
        precision=info["precision"],
        missing="mean" if schema["Missing"] == "mean" else "error",
        unseen=schema["Unseen"] or "error",
    )
    model._take(r)
    model.alpha = model.alpha_
    model.n_features_in_ = len(schema["Inputs"])
    names = [c["Name"] for c in schema["Inputs"]]
    if all(names):
        model.feature_names_in_ = np.array(names, dtype=object)
    if classes is None:
        model.clip = info["clip"]
        model._flat = "shape of targets" not in kept and info["outputs"] == len(schema["Target"].get("Quantiles") or [0])
    else:
        model.probabilities = info["probabilities"]
        model.classes_ = _numbers(classes)
    return model


def _numbers(classes: list[str]) -> np.ndarray:
    """Return labels as numbers or booleans if these have their names, otherwise as texts."""
    if classes == ["False", "True"]:
        return np.array([False, True])
    for kind in (int, float):
        try:
            numbers = np.array([kind(c) for c in classes])
            if _texts(numbers) == classes:
                return numbers
        except ValueError:
            pass
    return np.array(classes, dtype=object)

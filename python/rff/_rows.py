"""Rows as people have them, for the library: in place where that is possible."""

from __future__ import annotations

import datetime
import io
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _get_feature_names, validate_data


@dataclass
class Rows:
    """Rows that the library can read: arrays of numbers, or the bytes of a table."""

    count: int
    arrays: list[tuple[str, np.ndarray]]
    settings: dict = field(default_factory=dict)


def kept(X: Any, keep: np.ndarray) -> Any:
    """Return the rows of X, as rows_of takes them, where keep is True."""
    if isinstance(_frame(X), (_Polars, _Arrow)):
        return X.filter(keep)
    return _safe_indexing(X, np.flatnonzero(keep))


def rows_of(estimator: Any, X: Any, *, reset: bool, table: bool) -> Rows:
    """Return the rows of X, and check their number of columns and their names.

    Parameters
    ----------
    estimator : estimator
        It gets n_features_in_ and feature_names_in_ if reset is set.
    X : array-like, or a data frame of pandas, polars or Arrow
    reset : bool
        The rows are those to learn from.
    table : bool
        The library reads the rows as a table, with the rules for words, dates and missing
        values, even if they are numbers throughout.
    """
    frame = _frame(X)
    if isinstance(frame, _Pandas) and not all(isinstance(n, str) for n in frame.names()):
        if any(k != "number" for k in frame.kinds()):
            raise TypeError("columns of words, dates and the like need names that are texts: X.columns = [str(c) for c in X.columns]")
        frame = None
    if frame is None:
        X = validate_data(estimator, X, reset=reset, dtype=[np.float64, np.float32], ensure_all_finite=not table)
        if not table:
            return Rows(len(X), [("x", X)])
        file = io.BytesIO()
        np.save(file, np.ascontiguousarray(X, np.float64))
        return Rows(len(X), [("t", np.frombuffer(file.getvalue(), np.uint8))], {"format": "npy"})
    names = frame.names()
    _remember(estimator, X, names, reset)
    count = frame.count()
    if count < 1:
        raise ValueError(f"Found array with 0 sample(s) (shape=(0, {len(names)})) while a minimum of 1 is required.")
    kinds = frame.kinds()
    words = [n for n, k in zip(names, kinds) if k == "words"]
    if not table and all(k == "number" for k in kinds):
        return Rows(count, [("x", _plain(a)) for a in frame.columns()], {"names": names})
    if "" in names or len(set(names)) < len(names):
        raise ValueError(f"the columns of a table with words, dates or missing values need names, each another one, and have {names}: rename them")
    odd = [n for n, k in zip(names, kinds) if k == "unknown"]
    if odd:
        raise TypeError(f"the columns {odd} have no numbers, texts, categories or dates: make them numbers, or leave them out")
    return Rows(count, [("t", np.frombuffer(frame.arrow(), np.uint8))], {"format": "arrow", "names": names, "categories": words})


def labels_of(y: Any) -> Any:
    """Return labels, with objects that are booleans as such. Refuse missing ones, and objects that are dates."""
    values = np.asarray(y)
    if values.dtype.kind not in "OM" or values.ndim == 0:
        return values if values.dtype == bool else y  # scikit-learn makes numbers of pandas' boolean
    gone = [i for i, v in enumerate(values.ravel()) if _missing(v)]
    if gone:
        raise ValueError(f"row {gone[0] * len(values) // values.size + 1} has no label: leave out rows that have none")
    if any(isinstance(v, datetime.date) for v in values.ravel()):
        raise ValueError("the labels are objects of dates: make them datetime64, as pandas.to_datetime does, or texts")
    return values.astype(bool) if all(isinstance(v, (bool, np.bool_)) for v in values.ravel()) else y


def _missing(v: Any) -> bool:
    try:
        return v is None or bool(v != v)
    except TypeError:  # that of pandas.NA, which is neither equal nor different
        return True
    except ValueError:  # an array
        return False


def _remember(estimator: Any, X: Any, names: list[str], reset: bool) -> None:
    """Do what validate_data does about names, also for tables of Arrow."""
    try:
        known = _get_feature_names(X) is not None
    except Exception:
        known = False
    if known:
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        return
    if reset:
        estimator.feature_names_in_ = np.array(names, dtype=object)
        estimator.n_features_in_ = len(names)
    elif list(getattr(estimator, "feature_names_in_", names)) != names:
        raise ValueError("The feature names should match those that were passed during fit.")
    elif len(names) != estimator.n_features_in_:
        raise ValueError(f"X has {len(names)} features, but {type(estimator).__name__} is expecting {estimator.n_features_in_} features as input.")


def _plain(a: np.ndarray) -> np.ndarray:
    """Return a as an array whose elements the library reads."""
    if a.dtype.kind in "fiub" and a.dtype.isnative and not (a.dtype.kind == "f" and a.itemsize not in (4, 8)):
        return a
    return a.astype(np.float64)


def _frame(X: Any) -> Any:
    """Return X as a frame, or None if it is none."""
    module = type(X).__module__.partition(".")[0]
    if module == "pandas" and hasattr(X, "columns"):
        return _Pandas(X)
    if module == "polars" and hasattr(type(X), "columns"):  # a LazyFrame itself warns
        return _Polars(X.collect() if hasattr(X, "collect") else X)
    if module == "pyarrow" and hasattr(X, "column_names"):
        return _Arrow(X)
    return None


class _Pandas:
    def __init__(self, X: Any):
        self.X = X

    def names(self) -> list[str]:
        return list(self.X.columns)

    def count(self) -> int:
        return len(self.X)

    def kinds(self) -> list[str]:
        return [self._kind(d) for d in self.X.dtypes]

    @staticmethod
    def _kind(of: Any) -> str:
        import pandas.api.types as t

        if isinstance(of, __import__("pandas").CategoricalDtype):
            return "words"
        if t.is_bool_dtype(of) or t.is_numeric_dtype(of) and not t.is_complex_dtype(of):
            return "number"
        if t.is_datetime64_any_dtype(of):
            return "time"
        return "text" if t.is_string_dtype(of) or t.is_object_dtype(of) else "unknown"

    def columns(self) -> list[np.ndarray]:
        types = set(self.X.dtypes)
        if len(types) == 1 and isinstance(next(iter(types)), np.dtype):
            return [self.X.to_numpy()]  # in place, if they are one block
        return [
            c.to_numpy() if isinstance(c.dtype, np.dtype) else c.to_numpy(dtype=np.float64, na_value=np.nan)
            for c in (self.X.iloc[:, j] for j in range(self.X.shape[1]))
        ]

    def arrow(self) -> bytes:
        pa = _pyarrow("a pandas frame with words, dates or missing values")
        # Arrow has no texts for such categories as the intervals of pandas.cut.
        odd = [n for n, d in self.X.dtypes.items() if hasattr(d, "categories") and self._kind(d.categories.dtype) == "unknown"]
        named = self.X.assign(**{n: self.X[n].cat.rename_categories(str) for n in odd})
        try:
            return _Arrow(pa.Table.from_pandas(named, preserve_index=False)).arrow()
        except (pa.ArrowInvalid, pa.ArrowTypeError) as e:
            raise TypeError(f"a column has values of several kinds, such as numbers beside texts: make them one, as by astype(str): {e}") from e


class _Polars:
    def __init__(self, X: Any):
        self.X = X

    def names(self) -> list[str]:
        return list(self.X.columns)

    def count(self) -> int:
        return self.X.height

    def kinds(self) -> list[str]:
        import polars as pl

        def kind(of: Any) -> str:
            if of.is_numeric() or of == pl.Boolean:
                return "number"
            if of in (pl.Categorical, pl.Enum):
                return "words"
            if of.is_temporal():
                return "time"
            return "text" if of == pl.String else "unknown"

        return [kind(t) for t in self.X.dtypes]

    def columns(self) -> list[np.ndarray]:
        return [s.to_numpy() for s in self._plain()]

    def _plain(self) -> Any:
        """Return the columns without integers of 128 bits, which neither NumPy nor Arrow has."""
        import polars as pl

        return self.X.with_columns(pl.col([n for n, t in self.X.schema.items() if str(t) in ("Int128", "UInt128")]).cast(pl.Float64))

    def arrow(self) -> bytes:
        import polars as pl

        texts = [n for n, t in self.X.schema.items() if t in (pl.Categorical, pl.Enum)]
        file = io.BytesIO()
        self._plain().with_columns(pl.col(texts).cast(pl.String)).write_ipc(file, compat_level=pl.CompatLevel.oldest())
        return file.getvalue()


class _Arrow:
    def __init__(self, X: Any):
        self.X = X

    def names(self) -> list[str]:
        return list(self.X.column_names)

    def count(self) -> int:
        return self.X.num_rows

    def kinds(self) -> list[str]:
        t = _pyarrow("a table of Arrow").types

        def kind(of: Any) -> str:
            if t.is_integer(of) or t.is_floating(of) or t.is_boolean(of) or t.is_decimal(of):
                return "number"
            if t.is_dictionary(of):
                return "words"
            if t.is_temporal(of):
                return "time"
            return "text" if t.is_string(of) or t.is_large_string(of) or "string_view" in str(of) else "unknown"

        return [kind(f.type) for f in self.X.schema]

    def columns(self) -> list[np.ndarray]:
        return [c.to_numpy(zero_copy_only=False) if hasattr(c, "to_pylist") and not hasattr(c, "chunks") else c.to_numpy() for c in self.X.columns]

    def arrow(self) -> bytes:
        pa = _pyarrow("a table of Arrow")
        table = self.X if hasattr(self.X, "combine_chunks") else pa.Table.from_batches([self.X])
        plain = [f.with_type(pa.string()) if pa.types.is_dictionary(f.type) or "string_view" in str(f.type) else f for f in table.schema]
        table = table.cast(pa.schema(plain))
        sink = io.BytesIO()
        with pa.ipc.new_file(sink, table.schema) as out:
            out.write_table(table)
        return sink.getvalue()


def _pyarrow(what: str) -> Any:
    try:
        import pyarrow
    except ImportError as e:
        raise ImportError(f"{what} goes to rff by way of Arrow: pip install pyarrow, or make its columns numbers") from e
    return pyarrow



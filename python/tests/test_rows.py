"""Rows of every kind: the same numbers give the same model, in place where that is possible."""

import os
import tempfile
import unittest
import warnings

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.utils import _safe_indexing

import rff
from rff._rows import rows_of

try:
    import polars as pl
except ImportError:
    pl = None
try:
    import pyarrow as pa
except ImportError:
    pa = None

RNG = np.random.default_rng(0)
N = 5000  # more than the library reads at a time


def frame(words=True):
    f = pd.DataFrame({"a": RNG.normal(size=N), "b": RNG.integers(0, 5, N), "c": RNG.normal(size=N).astype(np.float32)})
    if words:
        f["word"] = RNG.choice(["x", "y", "z"], N)
        f["level"] = pd.Categorical(RNG.choice([1, 2, 3], N))
        f["day"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(RNG.integers(0, 1000, N), unit="D")
    y = f["a"] + (f["word"] == "x") if words else f["a"] * f["b"]
    return f, y.rename("y")


def address(a):
    return a.__array_interface__["data"][0]


class Numbers(unittest.TestCase):
    def test_every_layout(self):
        """Layout and type of equal numbers change no bit."""
        f, y = frame(words=False)
        x = f.to_numpy(np.float64)
        want = rff.RidgeRegressor(40).fit(x, y).predict(x)
        wide = np.zeros((2 * N, 7))
        wide[::2, 1:6:2] = x
        kinds = {
            "column order": np.asfortranarray(x), "strided": wide[::2, 1:6:2], "backward": x[::-1][::-1], "frame": f,
            "one block": pd.DataFrame(x, columns=list("abc")), "nullable": f.astype({"b": "Int64", "a": "Float64"}), "swapped": x.astype(">f8"),
        }
        if pl is not None:
            kinds["polars"] = pl.DataFrame({c: f[c].to_numpy() for c in f})
        if pa is not None:
            kinds["arrow"] = pa.Table.from_pandas(f)
            kinds["decimals"] = kinds["arrow"].set_column(1, "b", kinds["arrow"]["b"].cast(pa.decimal128(21, 2)))
        for name, rows in kinds.items():
            with self.subTest(name):
                m = rff.RidgeRegressor(40).fit(rows, y)
                self.assertTrue((m.predict(rows) == want).all())
                self.assertEqual(m.n_features_in_, 3)

    def test_in_place(self):
        """Arrays, frames of one block, and columns of polars and Arrow are read where they are."""
        x = RNG.normal(size=(N, 3))
        for rows in (x, np.asfortranarray(x), x.astype(np.float32), x[::2]):
            self.assertEqual(address(rows_of(rff.RandomFeatures(), rows, reset=True, table=False).arrays[0][1]), address(rows))
        f = pd.DataFrame(np.asfortranarray(x), columns=list("abc"))
        self.assertEqual(address(rows_of(rff.RandomFeatures(), f, reset=True, table=False).arrays[0][1]), address(f.to_numpy()))
        mixed, _ = frame(words=False)
        for (_, a), c in zip(rows_of(rff.RandomFeatures(), mixed, reset=True, table=False).arrays, mixed):
            self.assertTrue(np.shares_memory(a, mixed[c].to_numpy()))
        columns = {"a": x[:, 0].copy(), "b": x[:, 1].copy()}
        for library, table in ((pl, lambda: pl.DataFrame(columns)), (pa, lambda: pa.table(columns))):
            if library is None:
                continue
            t = table()
            for (_, a), c in zip(rows_of(rff.RandomFeatures(), t, reset=True, table=False).arrays, "ab"):
                self.assertTrue(np.shares_memory(a, t[c].to_numpy()))

    def test_integers(self):
        for kind in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "bool", "float16"):
            with self.subTest(kind):
                f = pd.DataFrame({"a": RNG.integers(0, 2, N).astype(kind), "b": RNG.normal(size=N)})
                want = rff.RandomFeatures(8, bandwidth=1.0).fit_transform(f.to_numpy(np.float64))
                self.assertTrue((rff.RandomFeatures(8, bandwidth=1.0).fit_transform(f) == want).all())

    def test_missing(self):
        f, y = frame(words=False)
        f.loc[3, "a"] = np.nan
        filled = f.fillna({"a": f["a"].mean()})
        want = rff.RidgeRegressor(40, scale="none", bandwidth=2.0, alpha=1e-3).fit(filled, y).predict(filled)
        for rows in (f, f.to_numpy(np.float64)):
            with self.assertRaises(ValueError):
                rff.RidgeRegressor(40).fit(rows, y)
            m = rff.RidgeRegressor(40, scale="none", bandwidth=2.0, alpha=1e-3, missing="mean").fit(rows, y)
            np.testing.assert_allclose(m.predict(rows), want, rtol=1e-9)
        with self.assertRaisesRegex(ValueError, 'row 4, column "a".*missing="mean"'):
            rff.RidgeRegressor(40).fit(f, y)


@unittest.skipIf(pa is None, "pyarrow is not installed")
class Words(unittest.TestCase):
    def test_frames_agree(self):
        f, y = frame()
        m = rff.RidgeRegressor(100).fit(f, y)
        self.assertGreater(m.score(f, y), 0.9)
        kinds = [pa.Table.from_pandas(f, preserve_index=False), f.astype({"word": "category"})]
        if pl is not None:
            whole = pl.from_arrow(kinds[0]).with_columns(pl.Series("level", f["level"].astype(str).tolist(), dtype=pl.Categorical))
            kinds += [whole, whole.with_columns(pl.col("word").cast(pl.Categorical))]
        for t in kinds:
            self.assertTrue((rff.RidgeRegressor(100).fit(t, y).predict(t) == m.predict(f)).all())
            self.assertTrue((m.predict(t) == m.predict(f)).all())

    @unittest.skipIf(pl is None, "polars is not installed")
    def test_lazy_frames(self):
        """A lazy frame is read as that which it becomes, without a warning."""
        f, y = frame()
        whole = pl.from_arrow(pa.Table.from_pandas(f, preserve_index=False))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            lazy = rff.RidgeRegressor(16).fit(whole.lazy(), y).predict(whole.lazy())
        np.testing.assert_array_equal(lazy, rff.RidgeRegressor(16).fit(whole, y).predict(whole))

    def test_categories_that_are_no_texts(self):
        """Intervals, as of pandas.cut, are words by how they print."""
        f, y = frame()
        cut = f.assign(a=pd.cut(f["a"], 4))
        texts = cut.assign(a=cut["a"].astype(str))
        m = rff.RidgeRegressor(50).fit(cut, y)
        self.assertTrue((m.predict(cut) == rff.RidgeRegressor(50).fit(texts, y).predict(texts)).all())

    def test_unseen_and_names(self):
        f, y = frame()
        m = rff.RidgeRegressor(50).fit(f, y)
        with self.assertRaisesRegex(ValueError, 'row 1, column 4 "word".*unseen="zero"'):
            m.predict(f.assign(word="new"))
        with self.assertWarns(UserWarning) as said:
            self.assertEqual(len(rff.RidgeRegressor(50, unseen="zero").fit(f, y).predict(f.assign(word="new"))), N)
        self.assertEqual(said.filename, __file__)
        lax = rff.RidgeRegressor(50, unseen="zero").partial_fit(f, y)
        for reads in (lax.predict, lambda t: lax.partial_fit(t, y), rff.RandomFeatures(8, unseen="zero").fit(f).transform):
            with self.assertWarnsRegex(UserWarning, f'1 of {N}; first: row 8; columns: "word"'):
                reads(f.assign(word=f["word"].where(f.index != 7, "new")))
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                reads(f)
        with self.assertRaisesRegex(ValueError, "feature names"):
            m.predict(f.rename(columns={"a": "other"}))
        with self.assertRaisesRegex(TypeError, "odd"):
            rff.RidgeRegressor(50).fit(f.assign(odd=1j), y)
        mixed = f.assign(mixed=pd.Series([1, "a"] * (N // 2), dtype=object))
        with self.assertRaisesRegex(TypeError, "column mixed"):
            rff.RidgeRegressor(50).fit(mixed, y)
        with self.assertRaisesRegex(ValueError, 'column 1 "a".*astype'):
            m.predict(f.assign(a="text"))
        p = rff.RidgeRegressor(50).partial_fit(f[:200], y[:200]).partial_fit(f[200:], y[200:])
        self.assertGreater(p.score(f, y), 0.9)


class Weights(unittest.TestCase):
    def test_are_rows(self):
        """Whole weights are numbers of rows, and rows of weight 0 none, in tables as in arrays."""
        f, y = frame()
        f, y = f[:400].copy(), y[:400].copy()
        f.loc[30:40, "c"] = np.nan
        f.loc[:19, "a"], f.loc[:19, "word"], y[:19] = 1e6, "rare", 1e5
        x = f[["a", "b"]].to_numpy(np.float64)
        gaps = np.where(RNG.random(x.shape) < 0.1, np.nan, x)
        kinds = {"array": (x, "error"), "gaps": (gaps, "mean")}
        if pa is not None:
            kinds |= {"pandas": (f, "mean"), "arrow": (pa.Table.from_pandas(f, preserve_index=False), "mean")}
        if pa is not None and pl is not None:
            kinds["polars"] = pl.from_pandas(f), "mean"
        count = RNG.integers(0, 4, 400)
        count[:20] = 0
        for name, (rows, missing) in kinds.items():
            for scale, bandwidth in (("robust", "median"), ("standard", "knn")):
                for w in (count, np.minimum(count, 1)):
                    with self.subTest(name, scale=scale, most=w.max()):
                        m = rff.RidgeRegressor(40, scale=scale, bandwidth=bandwidth, missing=missing, alpha=1e-3)
                        again = np.repeat(np.arange(400), w)
                        repeated = clone(m).fit(rows.take(pa.array(again)) if name == "arrow" else _safe_indexing(rows, again), np.asarray(y)[again])
                        weighed = m.fit(rows, y, sample_weight=w)
                        self.assertEqual(weighed.kernel_, repeated.kernel_)
                        self.assertEqual(weighed._schema["Inputs"], repeated._schema["Inputs"])
                        new = _safe_indexing(rows, np.arange(20, 400)) if name != "arrow" else rows[20:]
                        np.testing.assert_allclose(weighed.predict(new), repeated.predict(new), rtol=1e-6)

    def test_booleans(self):
        """Booleans are numbers, and classes as they are, in whatever they come."""
        rng = np.random.default_rng(3)
        flag, x = rng.random(60) < 0.5, rng.normal(size=60)
        y = x + flag > 0.5
        f = pd.DataFrame({"flag": flag, "x": x})
        want = rff.RidgeClassifier(16).fit(f, y)
        kinds = {
            "floats": f.astype(float), "objects": f.astype({"flag": object}), "nullable": f.astype({"flag": "boolean"}),
            "texts": f.astype({"flag": str}), "texts of R": f.assign(flag=f["flag"].astype(str).str.upper()),
        }
        if pl is not None:
            kinds["polars"] = pl.DataFrame({"flag": flag, "x": x})
            kinds["128 bits"] = kinds["polars"].with_columns(pl.col("flag").cast(pl.Int8).cast(pl.Int128))
        if pa is not None:
            kinds["arrow"] = pa.table({"flag": flag, "x": x})
        for name, rows in kinds.items():
            with self.subTest(name):
                np.testing.assert_array_equal(rff.RidgeClassifier(16).fit(rows, y).decision_function(rows), want.decision_function(f))
        for name, labels in {"objects": y.astype(object), "nullable": pd.Series(y).astype("boolean"), "list": y.tolist()}.items():
            with self.subTest(name):
                self.assertEqual(rff.RidgeClassifier(16).fit(f, labels).predict(f).dtype, bool)
        with tempfile.TemporaryDirectory() as d:
            want.save(os.path.join(d, "m"))
            np.testing.assert_array_equal(rff.load(os.path.join(d, "m")).predict(f), want.predict(f))

    def test_texts_of_numbers(self):
        """A column of texts that are numbers is one of numbers, and categories are words."""
        x = RNG.integers(0, 9, 60) / 4
        f = pd.DataFrame({"x": x, "z": np.arange(60.0)})
        want = rff.RidgeRegressor(16).fit(f, x).predict(f)
        kinds = {"texts": f.assign(x=x.astype(str)), "objects": f.assign(x=[f" {v}" for v in x]).astype({"x": object})}
        if pl is not None:
            kinds["polars"] = pl.DataFrame({"x": x.astype(str), "z": np.arange(60.0)})
        if pa is not None:
            kinds["arrow"] = pa.table({"x": x.astype(str), "z": np.arange(60.0)})
        for name, rows in kinds.items():
            with self.subTest(name):
                np.testing.assert_array_equal(rff.RidgeRegressor(16).fit(rows, x).predict(rows), want)
        words = rff.RidgeRegressor(16).fit(kinds["texts"].astype({"x": "category"}), x)
        self.assertEqual(len(words._schema["Inputs"][0]["Words"]), len(np.unique(x)))

    def test_labels_of_dates(self):
        """Classes that are moments have the names that rff gives them in a file."""
        x = RNG.normal(size=60)
        for unit in ("ns", "us", "D"):
            days = np.array(["2024-01-31", "2024-03-31"], f"M8[{unit}]")
            m = rff.RidgeClassifier(16).fit(x[:, None], days[(x > 0).astype(int)])
            self.assertEqual(m.predict([[2.0]])[0], days[1])
            with tempfile.TemporaryDirectory() as d:
                m.save(os.path.join(d, "m"))
                self.assertEqual(list(rff.load(os.path.join(d, "m")).classes_), ["2024-01-31", "2024-03-31"])
        with self.assertRaisesRegex(ValueError, "pandas.to_datetime"):
            rff.RidgeClassifier(16).fit(x[:, None], np.array(days.astype("M8[D]").tolist() * 30, object))
        with self.assertRaisesRegex(ValueError, "row 2 has no label"):
            rff.RidgeClassifier(16).fit(x[:, None], np.array(["2024-01-31", "NaT"] * 30, "M8[us]"))

    def test_labels_and_names_refused(self):
        f, y = frame()
        for gone in (None, np.nan, pd.NA):
            for learner, good in ((rff.RidgeClassifier(8), "u"), (rff.RidgeRegressor(8), 1.5), (rff.RandomFeatures(8), "u")):
                with self.subTest(learner, gone=gone):
                    with self.assertRaisesRegex(ValueError, "row 4 has no label"):
                        learner.fit(f, np.array([good, good, good, gone] + [good] * (N - 4), dtype=object))
        with self.assertRaisesRegex(TypeError, "X.columns = "):
            rff.RidgeRegressor(8).fit(f.set_axis(range(f.shape[1]), axis=1), y)
        for names in (["", *"bcdef"], list("aacdef")):
            with self.assertRaisesRegex(ValueError, "rename them"):
                rff.RidgeRegressor(8).fit(f.set_axis(names, axis=1), y)

    def test_numbers_of_rows_in_errors(self):
        f, y = frame(words=False)
        f.loc[5, "a"] = np.nan
        with self.assertRaisesRegex(ValueError, "row 3, .*without those of weight 0"):
            rff.RidgeRegressor(8).fit(f, y, sample_weight=np.arange(N) > 2)
        with self.assertRaisesRegex(ValueError, "(?i)weight.*non-zero|0 sample"):
            rff.RidgeRegressor(8).fit(f, y, sample_weight=np.zeros(N))


if __name__ == "__main__":
    unittest.main()

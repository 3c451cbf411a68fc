"""What estimators compute, against NumPy on the same features and against the exact kernel."""

import copy
import inspect
import os
import pickle
import re
import tempfile
import unittest
import unittest.mock

import numpy as np
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

import rff
from rff._library import call as library_call

X, Y = load_diabetes(return_X_y=True)


def ridge(z, y, w, alpha):
    """The coefficients, the intercept, the means and the inverse of the system, in NumPy."""
    w = np.ones(len(z)) if w is None else w
    mean, target = w @ z / w.sum(), w @ y / w.sum()
    zc = z - mean
    inverse = np.linalg.inv(zc.T @ (zc * w[:, None]) + w.sum() * alpha * np.eye(z.shape[1]))
    beta = inverse @ (zc.T @ (w * (y - target)))
    return beta, target - mean @ beta, mean, inverse


class Types(unittest.TestCase):
    def test_every_parameter_has_one(self):
        for name in rff.__all__:
            of = getattr(rff, name)
            if inspect.isclass(of) and hasattr(of, "get_params"):
                for p in inspect.signature(of).parameters.values():
                    self.assertIsNot(p.annotation, p.empty, f"{name}: {p.name}")


class Features(unittest.TestCase):
    def test_every_sampler(self):
        """Features have the kernel's inner products: s features err by 5/√s, five times the
        standard deviation of a mean of s terms in [−1, 1]."""
        with self.assertRaises(rff.RffError) as unknown:
            rff.RandomFeatures(8, sampler="?").fit(X, Y)
        names = unknown.exception.known
        self.assertGreater(len(names), 15)
        self.assertEqual(str(unknown.exception).count("halton"), 1)  # each is told once
        s, rows = 256, X[:100]
        distance = ((rows[:, None] - rows[None]) ** 2).sum(2)
        for name in names:
            with self.subTest(sampler=name):
                f = rff.RandomFeatures(s if name != "nystrom" else 64, sampler=name, scale="none", bandwidth="median").fit(X, Y)
                z = f.transform(rows)
                self.assertEqual(z.shape, (100, f.n_features))
                if name in ("rff", "rff-phase", "orf", "sorf", "fastfood", "halton", "sobol", "compact"):
                    sigma = float(f.kernel_.split("=")[1])
                    self.assertLess(np.abs(z @ z.T - np.exp(-distance / (2 * sigma**2))).max(), 5 / np.sqrt(s / 4))
                if name in ("metric", "refined") and hasattr(f, "feature_importances_"):
                    self.assertAlmostEqual(f.feature_importances_.sum(), 1, places=4)
                again = pickle.loads(pickle.dumps(f))
                self.assertTrue((again.transform(rows) == z).all())

    def test_float32_and_output(self):
        f = rff.RandomFeatures(64).fit(X)
        single, double = f.transform(X.astype(np.float32)), f.transform(X)
        self.assertEqual(single.dtype, np.float32)
        # Arguments of cosines are below 100, so they round by less than 100 · 2⁻²⁴ and X by less.
        self.assertLess(np.abs(single - double).max(), 2e-5)
        out = f.set_output(transform="pandas").transform(X[:3])
        self.assertEqual(list(out.columns[:2]), ["randomfeatures0", "randomfeatures1"])
        self.assertTrue((out.to_numpy() == double[:3]).all())


    def test_no_file(self):
        """Features have no file, which load and rff predict would take for a model of targets."""
        self.assertFalse(hasattr(rff.RandomFeatures(8).fit(X), "save"))

    def test_settings_of_no_use(self):
        """A bandwidth that the sampler does not take is refused."""
        for sampler, settings in (("metric", {"bandwidth": 3.0}), ("refined", {"kernel": "gaussian:sigma=3"}), ("arccos", {"bandwidth": "knn"})):
            with self.subTest(sampler), self.assertRaisesRegex(ValueError, f"of no use: the sampler {sampler}"):
                rff.RidgeRegressor(16, sampler=sampler, **settings).fit(X, Y)


class Ridge(unittest.TestCase):
    def test_against_numpy(self):
        w = np.random.default_rng(0).uniform(0.5, 2, len(X))
        for weights in (None, w):
            for precision, off in (("float64", 1e-9), ("float32", 1e-3)):
                m = rff.RidgeRegressor(100, alpha=1e-3, clip=False, precision=precision, uncertainty="variance").fit(X, Y, weights)
                z = rff.RandomFeatures(100).fit(X).transform(X)
                beta, b, mean, inverse = ridge(z, Y, weights, 1e-3)
                p, std = m.predict(X, return_std=True)
                np.testing.assert_allclose(p, z @ beta + b, rtol=off)
                v = weights if weights is not None else np.ones(len(X))
                rss = v @ (Y - z @ beta - b) ** 2
                noise = (rss + v.sum() * 1e-3 * beta @ beta) / (len(X) - 1)
                zc = z - mean
                np.testing.assert_allclose(std**2, noise * (1 / v.sum() + np.einsum("ij,jk,ik->i", zc, inverse, zc)), rtol=10 * off)

    def test_weights_are_counts(self):
        n = np.random.default_rng(1).integers(0, 4, len(X))
        a = rff.RidgeRegressor(50).fit(X, Y, sample_weight=n)
        b = rff.RidgeRegressor(50).fit(np.repeat(X, n, axis=0), np.repeat(Y, n))
        self.assertEqual(a.alpha_, b.alpha_)
        np.testing.assert_allclose(a.predict(X), b.predict(X), rtol=1e-9)

    def test_several_targets_and_losses(self):
        two = np.column_stack([Y, X[:, 0]])
        m = rff.RidgeRegressor(64, alpha=1e-3).fit(X, two)
        self.assertEqual(m.predict(X).shape, two.shape)
        np.testing.assert_allclose(m.predict(X)[:, 0], rff.RidgeRegressor(64, alpha=1e-3).fit(X, Y).predict(X), rtol=1e-10)
        q = rff.RidgeRegressor(32, loss="quantile:0.1,0.5,0.9", alpha=1e-3).fit(X, Y).predict(X)
        self.assertEqual(q.shape, (len(X), 3))
        self.assertTrue((np.diff(q, axis=1) >= 0).all())
        # A quantile has its share of the rows below it, but for as many rows as features.
        for at, share in enumerate((0.1, 0.5, 0.9)):
            self.assertLess(abs((Y <= q[:, at]).mean() - share), 33 / len(X))

    def test_alpha_of_file(self):
        """A model that is loaded has the ridge parameter of every target."""
        y = np.column_stack([Y, X[:, 0]])

        def call(*of):  # of a model that a program in Go fitted, since no fit here has several
            r = library_call(*of)
            r["info"]["lambda"] = [1e-3, 1e-5]
            return r

        with tempfile.TemporaryDirectory() as at, unittest.mock.patch("rff._file.call", call):
            rff.RidgeRegressor(16).fit(X, y).save(os.path.join(at, "m"))
            m = rff.load(os.path.join(at, "m"))
        self.assertEqual(m.alpha_.tolist(), [1e-3, 1e-5])
        self.assertIn(clone(m).fit(X, y).alpha_, m.alpha_)  # a fit chooses among them

    def test_file_of_several_targets(self):
        two = np.column_stack([Y, X[:, 0]])
        for loss in ("squares", "quantile:0.1,0.9"):
            m = rff.RidgeRegressor(16, loss=loss, uncertainty="intervals", alpha=1e-3).fit(X, two)
            with tempfile.TemporaryDirectory() as at:
                m.save(os.path.join(at, "m"))
                again = rff.load(os.path.join(at, "m"))
            self.assertTrue((again.predict(X) == m.predict(X)).all())
            np.testing.assert_array_equal(again.predict_interval(X), m.predict_interval(X))

    def test_numbers_of_numpy(self):
        """Parameters are the same as numbers of NumPy's, as of a search over np.arange."""
        k = np.int64
        for one, other in (
            (rff.RidgeRegressor(16, folds=3, random_state=2), rff.RidgeRegressor(k(16), folds=k(3), random_state=k(2))),
            (rff.AutoRegressor(1, n_features=16, folds=3), rff.AutoRegressor(k(1), n_features=k(16), folds=k(3))),
        ):
            np.testing.assert_array_equal(other.fit(X, Y).predict(X), one.fit(X, Y).predict(X))
        m = rff.RidgeRegressor(16, uncertainty="intervals").fit(X, Y)
        np.testing.assert_array_equal(m.predict_interval(X, np.float32(0.5)), m.predict_interval(X, 0.5))

    def test_remedies(self):
        """What an error says to do can be done here."""
        m = rff.RidgeRegressor(16).fit(X, Y)
        for do, remedy in (
            (lambda: m.predict_interval(X), 'uncertainty="intervals"'),
            (lambda: m.predict(X, return_std=True), 'uncertainty="variance"'),
            (lambda: rff.RidgeRegressor(16, loss="logistic").fit(X, Y), "RidgeClassifier"),
        ):
            with self.subTest(remedy), self.assertRaisesRegex(rff.RffError, f"^(?!.*(Settings|Classes\\))).*{remedy}"):
                do()

    def test_numbers_refused(self):
        """An error names the parameter and its value."""
        for name, value in (("folds", 2.5), ("folds", "5"), ("folds", 1), ("n_features", np.nan), ("alpha", [1.0, np.inf]), ("alpha", "cv"), ("random_state", 2**64), ("unseen", "mean")):
            for of in (rff.RidgeRegressor, rff.AutoRegressor):
                with self.subTest(of, name=name, value=value), self.assertRaisesRegex(ValueError, f"^{name}={re.escape(repr(value))}: must be"):
                    of(**{name: value}).fit(X, Y)
        m = rff.RidgeRegressor(16, uncertainty="intervals").fit(X, Y)
        for level in (np.nan, 0, 1, "high"):
            with self.subTest(level=level), self.assertRaisesRegex(ValueError, f"^level={level!r}: must be"):
                m.predict_interval(X, level)
        with self.assertRaisesRegex(ValueError, "^budget='1s': must be"):
            rff.AutoRegressor("1s").fit(X, Y)
        parts = rff.RidgeClassifier(16).partial_fit(X[:2], ["a", "b"])
        with self.assertRaisesRegex(ValueError, r"^row 2 has the class z, which is not among \['a' 'b'\]"):
            parts.partial_fit(X[:2], ["a", "z"])
        # What the library refuses has the name of the parameter here, too.
        for name, value in (("alpha", -1.0), ("bandwidth", -1.0), ("bandwidth", np.nan), ("n_features", 2**40), ("n_features", 2**70), ("n_jobs", 2**70), ("kernel", 3), ("uncertainty", "intervals:none")):
            with self.subTest(name=name, value=value), self.assertRaisesRegex(rff.RffError, f"^rff: {name} is .*: must be"):
                rff.RidgeRegressor(**{name: value}).fit(X, Y)
        with self.assertRaisesRegex(rff.RffError, "^rff: sigma is -1"):  # which this names itself
            rff.RidgeRegressor(16, kernel="gaussian:sigma=-1").fit(X, Y)

    def test_shape_and_booleans_of_file(self):
        """A model that is loaded predicts in the shape and the type of its targets."""
        for m, y in ((rff.RidgeRegressor(16, alpha=1e-3), Y[:, None]), (rff.RidgeRegressor(16, alpha=1e-3), Y), (rff.RidgeClassifier(16), Y > np.median(Y))):
            with tempfile.TemporaryDirectory() as at:
                m.fit(X, y).save(os.path.join(at, "m"))
                again = rff.load(os.path.join(at, "m")).predict(X)
            self.assertEqual((again.shape, again.dtype), (y.shape, y.dtype))
            np.testing.assert_array_equal(again, m.predict(X))

    def test_classes_of_file(self):
        """Classes are numbers again, and texts stay texts that Python would read as other numbers."""
        for classes in ([3, 20], ["02134", "90210"], ["1_0", "5"], ["1e3", "2"]):
            m = rff.RidgeClassifier(16).fit(X, np.array(classes)[(Y > np.median(Y)).astype(int)])
            with self.subTest(classes), tempfile.TemporaryDirectory() as at:
                m.save(os.path.join(at, "m"))
                self.assertEqual(rff.load(os.path.join(at, "m")).predict(X).tolist(), m.predict(X).tolist())

    def test_settings_of_file(self):
        """A fit by the parameters that a file gives is the fit that made it."""
        for m in (rff.RidgeRegressor(16, random_state=5, clip=False, alpha=1e-3), rff.RidgeRegressor(16, loss="huber:20", random_state=2, alpha=1e-3)):
            with tempfile.TemporaryDirectory() as at:
                m.fit(X, Y).save(os.path.join(at, "m"))
                again = rff.load(os.path.join(at, "m"))
            self.assertTrue((clone(again).fit(X, Y).predict(3 * X) == m.predict(3 * X)).all())

    def test_interval(self):
        """Intervals hold 90 % of new rows, within 5 standard deviations of a binomial share."""
        rng = np.random.default_rng(2)
        x = rng.normal(size=(4000, 2))
        y = np.sin(2 * x[:, 0]) + rng.standard_t(3, 4000)
        m = rff.RidgeRegressor(64, uncertainty="intervals").fit(x[:1000], y[:1000])
        low, high = m.predict_interval(x[1000:]).T
        inside = ((low <= y[1000:]) & (y[1000:] <= high)).mean()
        self.assertLess(abs(inside - 0.9), 5 * np.sqrt(0.09 * (1 / 3000 + 1 / 1000)))

    def test_classes(self):
        for data in (load_iris, load_breast_cancer):
            x, y = data(return_X_y=True)
            for labels in (y, y.astype(float), np.array(["a", "b", "c"])[y]):
                m = rff.RidgeClassifier(128, probabilities=True, uncertainty="intervals").fit(x, labels)
                p = m.predict_proba(x)
                np.testing.assert_allclose(p.sum(1), 1)
                self.assertTrue((m.predict(x) == m.classes_[p.argmax(1)]).all())
                self.assertEqual(m.predict(x).dtype, m.classes_.dtype)
                self.assertGreater(m.score(x, labels), 0.95)
                sets = m.predict_set(x, 0.95)
                self.assertGreater(sets[np.arange(len(x)), y].mean(), 0.93)

    def test_logistic(self):
        x, y = load_breast_cancer(return_X_y=True)
        self.assertGreater(rff.RidgeClassifier(64, loss="logistic").fit(x, y).predict_proba(x)[np.arange(len(y)), y].mean(), 0.9)
        with self.assertRaises(AttributeError) as e:
            rff.RidgeClassifier(64).fit(x, y).predict_proba(x)
        self.assertIn("probabilities=True", str(e.exception.__cause__))

    def test_in_scikit_learn(self):
        x, y = load_iris(return_X_y=True)
        search = GridSearchCV(rff.RidgeClassifier(32), {"bandwidth": ["median", 2.0], "sampler": ["rff", "orf"]}, cv=3, n_jobs=2).fit(x, y)
        self.assertGreater(search.best_score_, 0.9)
        self.assertGreater(cross_val_score(make_pipeline(rff.RandomFeatures(32), rff.RidgeClassifier(32)), x, y, cv=3).mean(), 0.9)

    def test_copies(self):
        m = rff.RidgeRegressor(32).fit(X, Y)
        for other in (copy.deepcopy(m), pickle.loads(pickle.dumps(m))):
            self.assertTrue((other.predict(X) == m.predict(X)).all())
        self.assertFalse(hasattr(clone(m), "alpha_"))

    def test_workers(self):
        one = rff.RidgeRegressor(200, n_jobs=1).fit(X, Y).predict(X)
        self.assertTrue((rff.RidgeRegressor(200, n_jobs=3).fit(X, Y).predict(X) == one).all())


class PartialFit(unittest.TestCase):
    def test_batches(self):
        """Rows in batches give the bits of one batch if the first decides on the features, and
        λ is the one of least generalised cross-validation."""
        grid = np.logspace(-6, -1, 6)
        m = rff.RidgeRegressor(50, alpha=grid, clip=False, bandwidth=3.0, scale="none")
        x = (X - X.mean(0)) / X.std(0)
        whole = clone(m).partial_fit(x, Y)
        for cut in (10, 200):
            parts = clone(m).partial_fit(x[:cut], Y[:cut])
            parts.partial_fit(x[cut:300], Y[cut:300]).partial_fit(x[300:], Y[300:])
            self.assertTrue((parts.predict(x) == whole.predict(x)).all())
            # Rows that are solved or saved in between end a block of the sums, which rounds.
            parts = clone(m).partial_fit(x[:cut], Y[:cut])
            parts.predict(x[:2])
            parts = pickle.loads(pickle.dumps(parts)).partial_fit(x[cut:], Y[cut:])
            np.testing.assert_allclose(parts.predict(x), whole.predict(x), rtol=1e-9)
        z = rff.RandomFeatures(50, bandwidth=3.0, scale="none").fit(x).transform(x)
        scores = []
        for a in grid:
            beta, b, mean, inverse = ridge(z, Y, None, a)
            free = np.trace((z - mean) @ inverse @ (z - mean).T)
            scores.append(((Y - z @ beta - b) ** 2).mean() / (1 - (1 + free) / len(Y)) ** 2)
        self.assertEqual(whole.alpha_, grid[np.argmin(scores)])
        np.testing.assert_allclose([p["error"][0] for p in whole.report_["path"]], scores, rtol=1e-8)
        beta, b, _, _ = ridge(z, Y, None, whole.alpha_)
        np.testing.assert_allclose(whole.predict(x), z @ beta + b, rtol=1e-9)

    def test_without_sums(self):
        """A model of fit or of a file keeps no sums to add rows to: partial_fit begins anew, and says so."""
        rest = rff.RidgeRegressor(16).partial_fit(X[200:], Y[200:])
        with tempfile.TemporaryDirectory() as at:
            rff.RidgeRegressor(16).partial_fit(X[:200], Y[:200]).save(os.path.join(at, "m"))
            loaded = rff.load(os.path.join(at, "m"))
        for m in (loaded, rff.RidgeRegressor(16).fit(X[:200], Y[:200])):
            with self.assertWarnsRegex(UserWarning, "begins anew"):
                m.partial_fit(X[200:], Y[200:])
        self.assertTrue((m.predict(X) == rest.predict(X)).all())

    def test_classes(self):
        x, y = load_iris(return_X_y=True)
        m = rff.RidgeClassifier(64, bandwidth=2.0, scale="none", alpha=1e-4)
        whole = m.fit(x, y).decision_function(x)
        p = clone(m).partial_fit(x[:100], y[:100], classes=[0, 1, 2]).partial_fit(x[100:], y[100:])
        np.testing.assert_allclose(p.decision_function(x), whole, rtol=1e-7, atol=1e-8)
        with self.assertRaisesRegex(ValueError, "classes"):
            clone(m).partial_fit(x[:60], y[:60]).partial_fit(x, y)
        for odd in (rff.RidgeClassifier(loss="logistic"), rff.RidgeClassifier(uncertainty="intervals"), rff.RidgeRegressor(loss="huber:1")):
            self.assertFalse(hasattr(odd, "partial_fit"))
            with self.assertRaises(AttributeError) as e:
                odd.partial_fit(x, y)
            self.assertIn("fit", str(e.exception.__cause__))


class Auto(unittest.TestCase):
    def test_search(self):
        x, y = load_breast_cancer(return_X_y=True)
        m = rff.AutoClassifier(0.3).fit(x[::2], y[::2])
        self.assertGreater(m.score(x[1::2], y[1::2]), 0.93)
        self.assertTrue(m.report_["steps"] and m.report_["stopped"])
        again = rff.AutoClassifier(0.3).fit(x[::2], y[::2])
        self.assertTrue((again.predict_proba(x) == m.predict_proba(x)).all())


if __name__ == "__main__":
    unittest.main()

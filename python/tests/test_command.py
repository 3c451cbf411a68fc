"""The bits and the files of the command rff, which RFF_COMMAND names."""

import json
import os
import pathlib
import struct
import subprocess
import tempfile
import unittest

import numpy as np
import pandas as pd
from sklearn.datasets import load_diabetes, load_iris

import rff

COMMAND = os.environ.get("RFF_COMMAND")


def tensors(path):
    """The tensors of a model's file, as bytes, and what it says of itself but for its origin."""
    file = pathlib.Path(path).read_bytes()
    size = struct.unpack("<Q", file[:8])[0]
    head = json.loads(file[8 : 8 + size])
    about = head.pop("__metadata__")
    for name in ("provenance", "sha256"):
        about.pop(name, None)
    return about, {k: file[8 + size + v["data_offsets"][0] : 8 + size + v["data_offsets"][1]] for k, v in head.items()}


def words():
    rng = np.random.default_rng(0)
    f = pd.DataFrame({"a": rng.normal(size=500), "word": rng.choice(["x", "y"], 500), "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 1000, 500), unit="D")})
    f["y"] = f["a"] + (f["word"] == "x")
    return f


def gaps():
    f = words()
    f.loc[::7, "a"] = np.nan
    return f


def many(classes=None):
    """More rows than a look keeps."""
    rng = np.random.default_rng(1)
    f = pd.DataFrame(rng.normal(size=(12000, 3)), columns=["a", "b", "c"])
    f["y"] = np.sin(f["a"]) if classes is None else classes[np.digitize(f["a"], [-0.5, 0.5])]
    return f


@unittest.skipUnless(COMMAND, "RFF_COMMAND does not name the command")
class Command(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.at = folder.name

    def run_rff(self, *arguments):
        done = subprocess.run([COMMAND, *arguments], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_same_files_and_predictions(self):
        diabetes, iris = (load(as_frame=True).frame for load in (load_diabetes, load_iris))
        cases = [
            (diabetes, rff.RidgeRegressor(100), []),
            (diabetes, rff.RidgeRegressor(64, sampler="orf", kernel="matern:nu=1.5", scale="minmax", random_state=7, precision="float32"),
             ["--sampler", "orf", "--kernel", "matern:nu=1.5", "--scale", "minmax", "--seed", "7", "--precision", "f32"]),
            (diabetes, rff.RidgeRegressor(64, sampler="leverage", bandwidth=3.0, uncertainty="intervals"), ["--sampler", "leverage", "--sigma", "3", "--interval"]),
            (diabetes, rff.RidgeRegressor(32, loss="huber:50", bandwidth=2.0), ["--loss", "huber:50", "--sigma", "2"]),
            (diabetes, rff.AutoRegressor(0), ["--auto", "--budget", "0"]),
            (iris, rff.RidgeClassifier(64, probabilities=True), ["--probabilities"]),
            (iris, rff.RidgeClassifier(64, alpha=1e-5, sampler="nystrom"), ["--lambda", "1e-5", "--sampler", "nystrom"]),
            (words(), rff.RidgeRegressor(64), []),
            (gaps(), rff.RidgeRegressor(64, missing="mean", scale="standard", bandwidth="knn"), ["--missing", "mean", "--scale", "standard", "--sigma", "knn"]),
            (many(), rff.RidgeRegressor(32, scale="robust"), []),
            (many(np.array(["no", "perhaps", "yes"])), rff.RidgeClassifier(32), []),
        ]
        for f, m, flags in cases:
            with self.subTest(repr(m)):
                file, ours, theirs = (os.path.join(self.at, n) for n in ("rows.csv", "ours", "theirs"))
                f.to_csv(file, index=False)
                x, y = f.drop(columns=f.columns[-1]), f[f.columns[-1]]
                m.fit(x, y).save(ours)
                if isinstance(m.n_features, int):
                    flags = [*flags, "--features", str(m.n_features)]
                self.run_rff("fit", "--data", file, "--label", f.columns[-1], "--model", theirs, *flags)
                self.assertEqual(tensors(ours), tensors(theirs))

                scores = isinstance(m, rff.RidgeClassifier)
                table = self.run_rff("predict", "--model", ours, "--data", file, *(["--scores"] if scores else []))
                lines = [line.split(",") for line in table.splitlines()[1:]]
                got = m.predict(x)
                kind = got.dtype.type if got.dtype != object else str
                self.assertEqual([kind(line[0]) for line in lines], list(got))
                if scores and not m.probabilities:
                    self.assertTrue((np.array([line[1:] for line in lines], float) == m.decision_function(x)).all())
                again = rff.load(theirs)
                self.assertTrue((again.predict(x) == got).all())
                self.assertEqual(list(again.feature_names_in_), list(x.columns))

    def test_weights(self):
        """Weights that are no numbers of rows count in the fit alone, and rows of weight 0 nowhere."""
        f = words()
        weights = np.random.default_rng(2).uniform(0.2, 3, 500)
        weights[::5] = 0
        file, ours, theirs = (os.path.join(self.at, n) for n in ("weights.csv", "ours", "theirs"))
        f.assign(w=weights).to_csv(file, index=False)
        rff.RidgeRegressor(32).fit(f.drop(columns="y"), f["y"], sample_weight=weights).save(ours)
        self.run_rff("fit", "--data", file, "--label", "y", "--weights", "w", "--features", "32", "--model", theirs)
        self.assertEqual(tensors(ours), tensors(theirs))

    def test_rows_that_lack_an_input(self):
        """A model that drops them has NaN where the command writes an empty line."""
        f = words()
        file, model = os.path.join(self.at, "gaps.csv"), os.path.join(self.at, "drops")
        f.loc[[3, 10, 499], "a"] = np.nan
        f.loc[20, "word"] = None
        f.to_csv(file, index=False)
        self.run_rff("fit", "--data", file, "--label", "y", "--missing", "drop", "--features", "32", "--model", model)
        lines = self.run_rff("predict", "--model", model, "--data", file).split("\n")[1:501]
        got = rff.load(model).predict(f.drop(columns="y"))
        self.assertEqual([i for i, line in enumerate(lines) if not line.strip('"')], [3, 10, 20, 499])
        np.testing.assert_array_equal(got, [float(line.strip('"') or "nan") for line in lines])


if __name__ == "__main__":
    unittest.main()

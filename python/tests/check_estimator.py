"""Everything that scikit-learn asks of an estimator."""

import os
import unittest
import warnings

os.environ.setdefault("SCIPY_ARRAY_API", "1")  # or one check is skipped

from sklearn.utils.estimator_checks import check_estimator

import rff

# Few features: what is checked does not depend on their number, and every check fits.
ESTIMATORS = [
    rff.RandomFeatures(64),
    rff.RandomFeatures(8, sampler="nystrom"),
    rff.RidgeRegressor(64),
    rff.RidgeClassifier(64),
    rff.RidgeRegressor(64, uncertainty="intervals", missing="mean", precision="float32"),
    rff.RidgeRegressor(64, loss="huber:1.5"),
    rff.RidgeRegressor(64, loss="quantile:0.9"),
    rff.RidgeRegressor(64, loss="poisson"),
    rff.RidgeClassifier(64, uncertainty="intervals"),
    rff.RidgeClassifier(64, loss="logistic"),
    rff.AutoRegressor(0, n_features=32, n_jobs=1),
    rff.AutoClassifier(0, n_features=8, n_jobs=1),
]

# What a loss cannot pass, and why.
INHERENT = {
    "poisson": {"check_regressor_multioutput": "its targets are negative, whatever the tags say"},
    "logistic": {"check_sample_weight_equivalence_on_dense_data": "iterations end within 1e-6 of the least objective, and the check asks for 1e-7 of predictions"},
}


class CheckEstimator(unittest.TestCase):
    def test_all(self):
        for e in ESTIMATORS:
            with self.subTest(estimator=repr(e)), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                done = check_estimator(e, on_fail=None, on_skip=None, expected_failed_checks=INHERENT.get(getattr(e, "loss", None)))
                self.assertGreater(len(done), 40)
                self.assertEqual([(r["check_name"], r["status"], r["exception"]) for r in done if r["status"] not in ("passed", "xfail")], [])


if __name__ == "__main__":
    unittest.main()

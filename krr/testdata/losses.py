#!/usr/bin/env python3
"""Writes the solutions of losses.json by scikit-learn and SciPy.

losses.json holds features z (n×s), targets y of each kind, weights w and λ, which
`go test ./krr -run TestLossReference -update` writes. This adds to each case the
coefficients, the intercept and the least value of (1/Σw)Σwℓ(y, b + zβ) + λ‖β‖². Run in
this folder with scikit-learn 1.9; the tests of krr read the file and need no Python.
"""
import json
import sys

import numpy as np
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression, PoissonRegressor


def squared_hinge(y, f):
    short = np.maximum(0, 1 - y * f)
    return short**2, -2 * y * short


def smoothed_hinge(y, f):
    m = y * f
    return np.where(m <= 0, 0.5 - m, np.where(m < 1, 0.5 * (1 - m) ** 2, 0)), np.where(m <= 0, -y, np.where(m < 1, -y * (1 - m), 0))


def huber(delta):
    def loss(y, f):
        e = f - y
        return np.where(abs(e) <= delta, e * e, 2 * delta * abs(e) - delta**2), np.where(abs(e) <= delta, 2 * e, 2 * delta * np.sign(e))
    return loss


def expectile(tau):
    def loss(y, f):
        weight = np.where(y > f, 2 * tau, 2 * (1 - tau))
        return weight * (f - y) ** 2, 2 * weight * (f - y)
    return loss


def by_scipy(loss, z, y, w, lam):
    """One column of targets, by BFGS from zero, then Newton-like polish by restarts."""
    def objective(p):
        value, slope = loss(y, z @ p[:-1] + p[-1])
        g = np.append(z.T @ (w * slope) / w.sum() + 2 * lam * p[:-1], (w * slope).sum() / w.sum())
        return (w * value).sum() / w.sum() + lam * p[:-1] @ p[:-1], g
    p = np.zeros(z.shape[1] + 1)
    for _ in range(20):
        p = minimize(objective, p, jac=True, method="BFGS", options={"gtol": 1e-13, "maxiter": 20000}).x
    return p[:-1], p[-1], objective(p)[0]


def main():
    with open("losses.json") as f:
        all = json.load(f)
    z, w = np.array(all["z"]), np.array(all["w"])
    own = {"squared-hinge": squared_hinge, "smoothed-hinge": smoothed_hinge, "huber:0.5": huber(0.5), "expectile:0.9": expectile(0.9)}
    for case in all["cases"]:
        y, lam, name = np.array(case["y"]), case["lambda"], case["loss"]
        if name == "logistic":
            label = y[:, 0] if y.shape[1] == 1 else y.argmax(1)
            fit = LogisticRegression(C=1 / (2 * w.sum() * lam), tol=1e-13, max_iter=100000, solver="newton-cg").fit(z, label, sample_weight=w)
            coef, b = fit.coef_, fit.intercept_
            b = b - b.mean() if len(b) > 1 else b  # which is free
            p = fit.predict_proba(z)[np.arange(len(z)), np.searchsorted(fit.classes_, label)]
            least = (w * -np.log(p)).sum() / w.sum() + lam * (coef**2).sum()
        elif name == "poisson":
            fit = PoissonRegressor(alpha=2 * lam, tol=1e-13, max_iter=100000, solver="newton-cholesky").fit(z, y[:, 0], sample_weight=w)
            coef, b, y = fit.coef_[None], [fit.intercept_], y[:, 0]
            mean = fit.predict(z)
            least = (w * (mean - y * np.log(mean) - y + y * np.log(np.maximum(y, 1)))).sum() / w.sum() + lam * (coef**2).sum()
        else:
            found = [by_scipy(own[name], z, y[:, k], w, lam) for k in range(y.shape[1])]
            coef, b, least = [f[0] for f in found], [f[1] for f in found], sum(f[2] for f in found)
        case["coef"], case["intercept"], case["least"] = np.array(coef).T.tolist(), np.array(b).tolist(), float(least)
        print(name, lam, least, file=sys.stderr)
    with open("losses.json", "w") as f:
        json.dump(all, f, separators=(",", ":"))
        f.write("\n")


if __name__ == "__main__":
    main()

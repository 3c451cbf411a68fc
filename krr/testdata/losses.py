#!/usr/bin/env python3
"""Writes the solutions of losses.json by scikit-learn, SciPy and Clarabel.

losses.json holds features z (n×s), targets y of each kind, weights w and λ, which
`go test ./krr -run TestLossReference -update` writes. This adds to each case the
coefficients, the intercept and the least value of (1/Σw)Σwℓ(y, b + zβ) + λ‖β‖². Run in
this folder with scikit-learn 1.9 and Clarabel 0.11; the tests of krr read the file and need
no Python.
"""
import json
import sys

import clarabel
import numpy as np
from scipy import sparse
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression, PoissonRegressor, QuantileRegressor


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


def quantile(tau, z, y, w, lam):
    """One column of targets and one level, as a quadratic programme: y − b − zβ = u − v with
    u, v ≥ 0 cost τ and 1 − τ."""
    n, s = z.shape
    own, zero = sparse.identity(n), sparse.csc_matrix((n, s + 1))
    share = w / w.sum()
    a = sparse.vstack([sparse.hstack([z, np.ones((n, 1)), own, -own]), sparse.hstack([zero, -own, 0 * own]), sparse.hstack([zero, 0 * own, -own])]).tocsc()
    square = sparse.diags(np.concatenate([np.full(s, 2 * lam), np.zeros(2 * n + 1)])).tocsc()
    settings = clarabel.DefaultSettings()
    settings.verbose, settings.tol_gap_abs, settings.tol_gap_rel, settings.tol_feas = False, 1e-12, 1e-12, 1e-12
    cost = np.concatenate([np.zeros(s + 1), tau * share, (1 - tau) * share])
    p = np.array(clarabel.DefaultSolver(square, cost, a, np.concatenate([y, np.zeros(2 * n)]), [clarabel.ZeroConeT(n), clarabel.NonnegativeConeT(2 * n)], settings).solve().x)

    def pinball(f):
        return (share * np.maximum(tau * (y - f), (tau - 1) * (y - f))).sum()
    least = pinball(z @ p[:s] + p[s]) + lam * p[:s] @ p[:s]
    free = QuantileRegressor(quantile=tau, alpha=0, solver="highs").fit(z, y, sample_weight=w)
    bound = pinball(free.predict(z))  # without a penalty: λ → 0
    assert bound - 1e-9 <= least <= bound + lam * free.coef_ @ free.coef_ + 1e-9, (tau, lam, bound, least)
    return p[:s], p[s], least


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
            levels = [float(v) for v in name.partition("quantile:")[2].split(",") if v]
            found = [quantile(tau, z, y[:, k], w, lam) for k in range(y.shape[1]) for tau in levels]
            found = found or [by_scipy(own[name], z, y[:, k], w, lam) for k in range(y.shape[1])]
            coef, b, least = [f[0] for f in found], [f[1] for f in found], sum(f[2] for f in found)
        case["coef"], case["intercept"], case["least"] = np.array(coef).T.tolist(), np.array(b).tolist(), float(least)
        print(name, lam, least, file=sys.stderr)
    with open("losses.json", "w") as f:
        json.dump(all, f, separators=(",", ":"))
        f.write("\n")


if __name__ == "__main__":
    main()

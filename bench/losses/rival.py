"""scikit-learn's linear models on random features, for the command losses.

Reads lines "folder loss lambda solver tolerance". The folder has the inputs x.f64 (n×d), the
frequencies w.f64 (F×d) and the targets y.f64 (n). One fit makes the features
(1/√F)[cos ωx, sin ωx] and minimises (1/n)Σℓ(y, b + zβ) + λ‖β‖²; its processor seconds are
printed. Beside the inputs stand afterwards the coefficients and, last, the intercepts in
coef.f64 (a row per score), and in loss.f64 two numbers: the parameter of the loss (0 if it
has none) and the λ that was minimised with, which HuberRegressor chooses by its scale.
"""
import sys, time, warnings
from types import SimpleNamespace
import clarabel
import numpy as np
import sklearn
from scipy import sparse
from sklearn.linear_model import HuberRegressor, LogisticRegression, PoissonRegressor
from sklearn.svm import LinearSVC

warnings.filterwarnings("ignore")  # that it would rather iterate longer: the objective says how far it came
MOST = 100000
print(f"Python {sys.version.split()[0]}, NumPy {np.__version__}, scikit-learn {sklearn.__version__}, Clarabel {clarabel.__version__}", flush=True)



def polish(m, Z, y, lam):
    """Newton steps to the least point for the scale that m has. They are exact once the rows with
    a square stay the same; a step that does not lower the objective is halved."""
    n, s = Z.shape
    A, most = np.column_stack([Z, np.ones(n)]), m.epsilon * m.scale_
    p, ridge = np.append(m.coef_, m.intercept_), np.append(np.full(s, 2 * lam), 0)

    def objective(p):
        e = abs(A @ p - y)
        return np.where(e <= most, e * e, 2 * most * e - most**2).mean() + ridge @ p**2 / 2

    for _ in range(50):
        e = A @ p - y
        inside = abs(e) <= most
        g = 2 / n * A.T @ np.clip(e, -most, most) + ridge * p
        H = 2 / n * A[inside].T @ A[inside] + np.diag(ridge + 1e-14)
        step, now, size = np.linalg.solve(H, g), objective(p), 1.0
        while size > 1e-6 and objective(p - size * step) > now:
            size /= 2
        p = p - size * step
        if abs(size * step).max() < 1e-9 * abs(p).max():
            break
    m.coef_, m.intercept_ = p[:s], p[s]


def quantile(Z, y, level, lam, tol):
    """The quadratic programme of a quantile with the penalty λ‖β‖²: y − b − zβ = u − v with
    u, v ≥ 0 cost τ and 1 − τ. QuantileRegressor has the penalty ‖β‖₁."""
    n, s = Z.shape
    own, none = sparse.identity(n), sparse.csc_matrix((n, s + 1))
    a = sparse.vstack([sparse.hstack([Z, np.ones((n, 1)), own, -own]), sparse.hstack([none, -own, 0 * own]), sparse.hstack([none, 0 * own, -own])]).tocsc()
    square = sparse.diags(np.concatenate([np.full(s, 2 * lam), np.zeros(2 * n + 1)])).tocsc()
    cost = np.concatenate([np.zeros(s + 1), np.full(n, level / n), np.full(n, (1 - level) / n)])
    settings = clarabel.DefaultSettings()
    settings.verbose, settings.tol_gap_abs, settings.tol_gap_rel, settings.tol_feas = False, tol, tol, tol
    p = np.array(clarabel.DefaultSolver(square, cost, a, np.concatenate([y, np.zeros(2 * n)]), [clarabel.ZeroConeT(n), clarabel.NonnegativeConeT(2 * n)], settings).solve().x)
    return SimpleNamespace(coef_=p[:s], intercept_=p[s])


for line in sys.stdin:
    folder, loss, lam, solver, tol = line.split()
    lam, tol = float(lam), float(tol)
    W = np.fromfile(folder + "/w.f64")
    y = np.fromfile(folder + "/y.f64")
    X = np.fromfile(folder + "/x.f64").reshape(len(y), -1)
    W = W.reshape(-1, X.shape[1])
    n, f = len(y), len(W)
    loss, _, parameter = loss.partition(":")
    parameter = float(parameter or 0)
    start = time.process_time()
    P = X @ W.T
    Z = np.empty((n, 2 * f))
    np.cos(P, out=Z[:, :f])
    np.sin(P, out=Z[:, f:])
    Z /= np.sqrt(f)
    del P
    if loss == "logistic":
        m = LogisticRegression(C=1 / (2 * n * lam), solver=solver, tol=tol, max_iter=MOST).fit(Z, y)
    elif loss == "squared-hinge":
        # The intercept is another coefficient of liblinear: with this scaling its penalty is
        # a ten-thousandth of that of the others.
        m = LinearSVC(C=1 / (2 * n * lam), dual=False, tol=tol, max_iter=MOST, intercept_scaling=100).fit(Z, y)
    elif loss == "huber":
        m = HuberRegressor(alpha=lam * n, tol=tol, max_iter=5000).fit(Z, y)
        if tol < 1e-9:  # LBFGS stops earlier
            polish(m, Z, y, lam * m.scale_)
    elif loss == "quantile":
        m = quantile(Z, y, parameter, lam, tol)
    elif loss == "poisson":
        m = PoissonRegressor(alpha=2 * lam, solver=solver, tol=tol, max_iter=MOST).fit(Z, y)
    took = time.process_time() - start
    if loss == "huber":  # nσ + (1/σ)Σh(e) + α‖β‖², where h is linear beyond εσ
        parameter, lam = m.epsilon * m.scale_, lam * m.scale_
    np.column_stack([np.atleast_2d(m.coef_), np.atleast_1d(m.intercept_)]).tofile(folder + "/coef.f64")
    np.array([parameter, lam]).tofile(folder + "/loss.f64")
    print(took, flush=True)

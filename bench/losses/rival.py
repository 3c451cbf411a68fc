"""scikit-learn's linear models on random features, for the command losses.

Reads lines "folder loss lambda solver tolerance". The folder has the inputs x.f64 (n×d), the
frequencies w.f64 (F×d) and the targets y.f64 (n). One fit makes the features
(1/√F)[cos ωx, sin ωx] and minimises (1/n)Σℓ(y, b + zβ) + λ‖β‖²; its processor seconds are
printed. Beside the inputs stand afterwards the coefficients and, last, the intercepts in
coef.f64 (a row per score), and in loss.f64 two numbers: the parameter of the loss (0 if it
has none) and the λ that was minimised with, which HuberRegressor chooses by its scale.
"""
import sys, time, warnings
import numpy as np
import sklearn
from sklearn.linear_model import HuberRegressor, LogisticRegression, PoissonRegressor
from sklearn.svm import LinearSVC

warnings.filterwarnings("ignore")  # that it would rather iterate longer: the objective says how far it came
MOST = 100000
print(f"Python {sys.version.split()[0]}, NumPy {np.__version__}, scikit-learn {sklearn.__version__}", flush=True)

for line in sys.stdin:
    folder, loss, lam, solver, tol = line.split()
    lam, tol = float(lam), float(tol)
    W = np.fromfile(folder + "/w.f64")
    y = np.fromfile(folder + "/y.f64")
    X = np.fromfile(folder + "/x.f64").reshape(len(y), -1)
    W = W.reshape(-1, X.shape[1])
    n, f, parameter = len(y), len(W), 0.0
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
    elif loss == "poisson":
        m = PoissonRegressor(alpha=2 * lam, solver=solver, tol=tol, max_iter=MOST).fit(Z, y)
    took = time.process_time() - start
    if loss == "huber":  # nσ + (1/σ)Σh(e) + α‖β‖², where h is linear beyond εσ
        parameter, lam = m.epsilon * m.scale_, lam * m.scale_
    np.column_stack([np.atleast_2d(m.coef_), np.atleast_1d(m.intercept_)]).tofile(folder + "/coef.f64")
    np.array([parameter, lam]).tofile(folder + "/loss.f64")
    print(took, flush=True)

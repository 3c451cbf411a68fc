"""The rival of a landmark fit: NumPy and SciPy on OpenBLAS at their best.

Reads lines "n d m block" and prints the CPU seconds of one fit with the Gaussian kernel
of bandwidth √d: sections in blocks of rows that stay in cache, SYRK, centring, and one
Cholesky factor of K_nmᵀK_nm + nλK_mm, without the change of coordinates that more than
one λ would need. Threads are OPENBLAS_NUM_THREADS.
"""
import platform, sys, time
import numpy as np
import scipy
from scipy.linalg import blas, lapack

print(f"Python {platform.python_version()}, NumPy {np.__version__}, SciPy {scipy.__version__}", flush=True)
for line in sys.stdin:
    n, d, m, block = map(int, line.split())
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((n, d)), rng.standard_normal(n)
    start = time.process_time()
    C = X[rng.choice(n, m, replace=False)]
    c2 = np.einsum("ij,ij->i", C, C)
    Ct = np.ascontiguousarray(C.T) * (1 / d)

    def sections(x, out):
        np.matmul(x, Ct, out=out)
        out -= (np.einsum("ij,ij->i", x, x) / (2 * d))[:, None]
        out -= c2 / (2 * d)
        return np.exp(out, out=out)

    G, Z = np.zeros((m, m), order="F"), np.empty((block, m))
    zy, zs, ones = np.zeros(m), np.zeros(m), np.ones(block)
    for i in range(0, n, block):
        r = min(block, n - i)
        z = sections(X[i:i + r], Z[:r])
        G = blas.dsyrk(1, z.T, beta=1, c=G, overwrite_c=True)
        zy += z.T @ y[i:i + r]
        zs += z.T @ ones[:r]
    mean = zs / n
    G -= n * np.outer(mean, mean)
    zy -= n * y.mean() * mean
    K = sections(C, np.empty((m, m)))
    G += n * 1e-4 * K
    G[np.diag_indices(m)] += n * 1e-4 * 1e-12
    U, info = lapack.dpotrf(G, overwrite_a=True)
    assert info == 0
    alpha, _ = lapack.dpotrs(U, zy)
    print(time.process_time() - start, flush=True)

"""The rival of a streamed ridge fit: NumPy and SciPy on OpenBLAS at their best.

Reads lines "n d s f64|f32 block" and prints the seconds of one fit, by the clock
and of processors: random Fourier features in the pair form, blocked so that Z
stays in cache (block 0: whole), SYRK, Zᵀy, centring, Cholesky. Threads are OPENBLAS_NUM_THREADS; cosines
run on one thread, as NumPy does.
"""
import ctypes, platform, sys, time
import numpy as np
import scipy
from scipy.linalg import blas, lapack


def openblas():
    """What OpenBLAS says of itself, with the kernels that it chose."""
    with open("/proc/self/maps") as maps:
        for path in sorted({line.split()[-1] for line in maps if "openblas" in line}):
            lib = ctypes.CDLL(path)
            for prefix, suffix in (("", ""), ("", "64_"), ("scipy_", ""), ("scipy_", "64_")):  # of wheels, too
                try:
                    f, g = (getattr(lib, prefix + "openblas_get_" + of + suffix) for of in ("config", "corename"))
                except AttributeError:
                    continue
                f.restype = g.restype = ctypes.c_char_p
                return f().decode().strip() + ", kernels " + g().decode()
    return "a BLAS other than OpenBLAS"


print(f"Python {platform.python_version()}, NumPy {np.__version__}, SciPy {scipy.__version__}, {openblas()}", flush=True)

data = {}
for line in sys.stdin:
    n, d, s, dtype, block = line.split()
    n, d, s, block = int(n), int(d), int(s), int(block)
    t = np.float64 if dtype == "f64" else np.float32
    syrk, potrf, potrs = (blas.dsyrk, lapack.dpotrf, lapack.dpotrs) if t == np.float64 else (blas.ssyrk, lapack.spotrf, lapack.spotrs)
    if (n, d, s, dtype) not in data:
        rng = np.random.default_rng(1)
        data.clear()
        data[n, d, s, dtype] = (rng.standard_normal((n, d)).astype(t), rng.standard_normal(n).astype(t),
                                (rng.standard_normal((d, s // 2)) / np.sqrt(d)).astype(t))
    X, y, W = data[n, d, s, dtype]
    start, used = time.perf_counter(), time.process_time()
    f = s // 2
    rows = block or n
    G = np.zeros((s, s), t, order="F")
    zy, zs = np.zeros(s, t), np.zeros(s, t)
    P, Z = np.empty((rows, f), t), np.empty((rows, s), t)
    scale = t(1 / np.sqrt(f))
    ones = np.ones(rows, t)
    for i in range(0, n, rows):
        m = min(rows, n - i)
        p, z = P[:m], Z[:m]
        np.matmul(X[i:i + m], W, out=p)
        np.cos(p, out=z[:, :f])
        np.sin(p, out=z[:, f:])
        z *= scale
        G = syrk(1, z.T, beta=1, c=G, overwrite_c=True)  # z.T is Fortran-ordered: no copy
        zy += z.T @ y[i:i + m]
        zs += z.T @ ones[:m]
    mean = zs / n
    G -= n * np.outer(mean, mean)
    zy -= n * y.mean() * mean
    G[np.diag_indices(s)] += t(n * 1e-4)
    U, info = potrf(G, overwrite_a=True)
    beta, _ = potrs(U, zy)
    print(time.perf_counter() - start, time.process_time() - used, flush=True)

"""What NumPy and SciPy on OpenBLAS take for a short operation, as JSON.

Usage: rival.py OPERATION A B C DTYPE COUNT REPEAT. Prints the least seconds of COUNT runs
in a row, by the clock and of the processors, each by itself, of REPEAT series. Threads
are OPENBLAS_NUM_THREADS.
"""
import json, sys, time
import numpy as np
from scipy.linalg import blas, lapack

op, (a, b, c), kind, (count, repeat) = sys.argv[1], map(int, sys.argv[2:5]), sys.argv[5], map(int, sys.argv[6:8])
dtype = np.dtype(kind).type
letter = "d" if dtype is np.float64 else "s"
syrk, potrf, potrs = getattr(blas, letter + "syrk"), getattr(lapack, letter + "potrf"), getattr(lapack, letter + "potrs")
rng = np.random.default_rng(1)


def features(x, W, z):
    h = W.shape[1]
    p = x @ W
    np.cos(p, out=z[:, :h])
    np.sin(p, out=z[:, h:])
    z *= dtype((1 / h) ** 0.5)


if op == "cholesky":  # of a matrices
    M = rng.random((a, a))
    M = np.asfortranarray((M @ M.T + a * np.eye(a)).astype(dtype))
    U = M.copy(order="F")

    def run():
        U[...] = M
        potrf(U, overwrite_a=True, clean=0)
elif op == "product":  # a×b by b×c
    A, B, C = rng.random((a, b), dtype), rng.random((b, c), dtype), np.empty((a, c), dtype)

    def run():
        np.matmul(A, B, out=C)
else:  # a rows, b inputs, c features
    X, W, Z = rng.standard_normal((a, b)).astype(dtype), (rng.standard_normal((b, c // 2)) / 3).astype(dtype), np.empty((a, c), dtype)
    y = X[:, 0] + rng.standard_normal(a).astype(dtype)
    if op == "features":

        def run():
            features(X, W, Z)
    elif op == "fit":  # the whole of Z at once where it fits the cache, else in blocks that do
        block = min(a, max(256, (1 << 21) // c))

        def run():
            G, zy, zs = np.zeros((c, c), dtype, order="F"), np.zeros(c, dtype), np.zeros(c, dtype)
            for i in range(0, a, block):
                z = Z[: min(block, a - i)]
                features(X[i : i + block], W, z)
                syrk(1, z.T, beta=1, c=G, overwrite_c=True)
                zy += z.T @ y[i : i + block]
                zs += z.sum(axis=0)
            mean = zs / dtype(a)
            G -= dtype(a) * np.outer(mean, mean)
            G[np.diag_indices(c)] += dtype(a * 1e-4)
            U, info = potrf(G, overwrite_a=True, clean=0)
            assert info == 0
            potrs(U, zy - dtype(a) * y.mean() * mean)


best = None
run()
for _ in range(repeat):
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(count):
        run()
    took = time.perf_counter() - wall, time.process_time() - cpu
    best = took if best is None else tuple(map(min, best, took))
print(json.dumps({"Wall": best[0], "CPU": best[1]}))

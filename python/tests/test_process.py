"""Interrupts, forks, progress: what a process does with the library."""

import contextlib
import hashlib
import io
import multiprocessing
import os
import subprocess
import sys
import tempfile
import threading
import unittest

import numpy as np

import rff

RNG = np.random.default_rng(0)
X = RNG.normal(size=(2000, 10))
Y = X[:, 0] * X[:, 1] + RNG.normal(size=2000)

INTERRUPTED = """
import numpy as np, os, rff, signal, threading, time
x = np.random.default_rng(0).normal(size=(5000, 20))
y = np.sin(x[:, 0])
rff.RidgeRegressor(8).fit(x[:100], y[:100])
threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
start = time.monotonic()
try:
    rff.AutoRegressor(3600).fit(x, y)
    print("not interrupted")
except KeyboardInterrupt:
    print("interrupted", len(rff._library._under_way))
m = rff.RidgeRegressor(8).fit(x[:100], y[:100])
print("goes on", m.predict(x[:1]).shape)
"""


def in_child(queue):
    try:
        rff.RidgeRegressor(8).fit(X, Y)
        queue.put("fitted")
    except RuntimeError as e:
        queue.put(str(e))


class Process(unittest.TestCase):
    def test_interrupt(self):
        done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.stdout, "interrupted 0\ngoes on (1,)\n", done.stderr)

    def test_fork(self):
        rff.RidgeRegressor(8).fit(X, Y)
        said = {}
        for how in ("fork", "spawn"):
            context = multiprocessing.get_context(how)
            queue = context.Queue()
            child = context.Process(target=in_child, args=(queue,))
            child.start()
            said[how] = queue.get(timeout=120)
            child.join(60)
        self.assertIn("spawn", said["fork"])
        self.assertEqual(said["spawn"], "fitted")

    def test_threads(self):
        """Threads may fit at the same time."""
        got = {}

        def fit(i):
            got[i] = rff.RidgeRegressor(100, random_state=i % 2).fit(X, Y).predict(X)

        threads = [threading.Thread(target=fit, args=(i,)) for i in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertTrue((got[0] == got[2]).all() and (got[1] == got[3]).all() and (got[0] != got[1]).any())

    def test_progress(self):
        text = io.StringIO()
        with contextlib.redirect_stderr(text):
            rff.AutoRegressor(0.5, verbose=True).fit(X, Y)
        self.assertRegex(text.getvalue(), r"\[rff\] search: \d+ of \d+")

    def test_files(self):
        with tempfile.TemporaryDirectory() as at:
            with self.assertRaises(FileNotFoundError):
                rff.load(os.path.join(at, "none"))
            bad = os.path.join(at, "bad")
            with open(bad, "w") as f:
                f.write("no model")
            with self.assertRaisesRegex(rff.RffError, "bad"):
                rff.load(bad)
            model = rff.RidgeRegressor(8, random_state=2).fit(X, Y)
            with self.assertRaises(rff.RffError):
                model.save(os.path.join(at, "no", "folder"))
            model.save(bad)
            with open(bad, "rb") as f:
                text = f.read().replace(rb'\"seed\":\"2\"', rb'\"seed\":\"?\"')
            start = text.index(b'"sha256":"') + 10
            text = text[:start] + b"0" * 64 + text[start + 64 :]
            with open(bad, "wb") as f:  # as a program writes it that has another seed than a number
                f.write(text.replace(b"0" * 64, hashlib.sha256(text).hexdigest().encode(), 1))
            loaded = rff.load(bad)
            self.assertEqual(loaded.random_state, 1)
            np.testing.assert_array_equal(loaded.predict(X), model.predict(X))

    def test_memory(self):
        """Models go with their estimators: 200 of them, which have 100 MB, leave less than 20 MB behind."""
        x = RNG.normal(size=(300, 100))

        def peak():
            with open("/proc/self/statm") as f:
                return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        for _ in range(30):
            rff.RidgeRegressor(256, alpha=1e-3, bandwidth=10.0).fit(x, x[:, 0])
        before = peak()
        for _ in range(200):
            rff.RidgeRegressor(256, alpha=1e-3, bandwidth=10.0).fit(x, x[:, 0])
        self.assertLess(peak() - before, 20e6)


if __name__ == "__main__":
    unittest.main()

"""Gradient-boosted trees of scikit-learn on the splits that `boosting -export` wrote.

    python3 boosting.py FOLDER RESULTS [--draws 20] [--sets a,b] [--seconds S] [--most N] [--no-tuning a,b] [--search-rows N]

HistGradientBoosting with its defaults, and the best of some random draws of its
settings by a fifth of the training rows held out, fitted again on all of them. Draws
are compared on that many rows at most.
Results
are lines of JSON added to RESULTS, draws too; what is there already is not measured
again. With --seconds no measurement starts after that many, and the exit code is 3 if
some are left.
"""
import argparse, glob, json, os, platform, sys, time

# Threads that spin while they wait take the cores from each other on a machine that is
# not idle: the same fit takes 15 times as long.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import sklearn
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

a = argparse.ArgumentParser()
a.add_argument("folder")
a.add_argument("results")
a.add_argument("--draws", type=int, default=20)
a.add_argument("--sets", default="")
a.add_argument("--no-tuning", default="", help="sets whose trees have their defaults only")
a.add_argument("--most", type=int, default=0, help="the -rows that the splits were made with")
a.add_argument("--search-rows", type=int, default=0, help="most training rows that draws are compared on; 0: all")
a.add_argument("--seconds", type=float, default=float("inf"))
a = a.parse_args()

known = {}
if os.path.exists(a.results):
    known = {(r["set"], r["seed"], r["rows"], r["method"]): r for r in map(json.loads, open(a.results))}
begin = time.time()


def measure(model, x, y):
    """Wrong labels, or the RMSE over the standard deviation of the targets, in %."""
    p = model.predict(x)
    if isinstance(model, HistGradientBoostingClassifier):
        return 100 * float(np.mean(p != y))
    return 100 * float(np.sqrt(np.mean((p - y) ** 2)) / np.std(y))


def draw(rng):
    return dict(
        learning_rate=float(10 ** rng.uniform(-2, -0.3)),
        max_iter=int(rng.integers(100, 801)),
        max_leaf_nodes=int(2 ** rng.uniform(3, 8)),
        min_samples_leaf=int(10 ** rng.uniform(0.3, 2)),
        l2_regularization=float(10 ** rng.uniform(-6, 1)),
        max_bins=int(rng.choice([63, 127, 255])),
    )


def order(path):
    return int(os.path.basename(path).split(".")[1]), os.path.getsize(path)


for path in sorted(glob.glob(os.path.join(a.folder, "*.train.x.npy")), key=order):
    name, seed, kind = os.path.basename(path).split(".")[:3]
    if a.sets and name not in a.sets.split(","):
        continue
    seed = int(seed)
    load = lambda part: np.load(path.replace("train.x", part))
    x, y = load("train.x"), load("train.y").ravel()
    Model = HistGradientBoostingClassifier if kind == "classification" else HistGradientBoostingRegressor

    def cell(method, note, fit):
        """Measures a cell that is not known; fit returns an error in %."""
        at = (name, seed, len(y), method)
        if at in known:
            return known[at]["error"]
        if time.time() - begin > a.seconds:
            sys.exit(3)
        start = time.time()
        error = fit()
        r = dict(set=name, seed=seed, rows=len(y), most=a.most, method=method, error=error, seconds=time.time() - start, note=note)
        known[at] = r
        with open(a.results, "a") as f:
            f.write(json.dumps(r) + "\n")
        print(f"{name:12} seed {seed} rows {len(y):6} {method:13} error {error:8.4f}  {r['seconds']:7.1f} s  {note}", flush=True)
        return error

    def test(settings):
        return lambda: measure(Model(random_state=seed, **settings).fit(x, y), load("test.x"), load("test.y").ravel())

    cell("trees", f"scikit-learn {sklearn.__version__}, Python {platform.python_version()}", test({}))
    if name in a.no_tuning.split(","):
        continue
    rng = np.random.default_rng(seed)
    n = min(len(y), a.search_rows or len(y))  # the rows are in random order
    cut = n // 5
    best, at = np.inf, None
    for i in range(a.draws):
        # An iteration grows a tree per class: with many, early stopping keeps the time bounded.
        s = dict(draw(rng), early_stopping=True)
        e = cell(f"trees-draw-{i}", json.dumps(s), lambda: measure(Model(random_state=seed, **s).fit(x[cut:n], y[cut:n]), x[:cut], y[:cut]))
        if e < best:
            best, at = e, s
    cell("trees-tuned", json.dumps(at), test(at))

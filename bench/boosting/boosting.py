"""Gradient-boosted trees of scikit-learn on the splits that `boosting -export` wrote.

    python3 boosting.py FOLDER RESULTS [random draws, 20]

HistGradientBoosting with its defaults, and the best of some random draws of its
settings by a fifth of the training rows held out, fitted again on all of them. Results
are lines of JSON added to RESULTS; what is there already is not measured again.
"""
import glob, json, os, platform, sys, time
import numpy as np
import sklearn
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

folder, results = sys.argv[1], sys.argv[2]
draws = int(sys.argv[3]) if len(sys.argv) > 3 else 20
known = set()
if os.path.exists(results):
    known = {(r["set"], r["seed"], r["rows"], r["method"]) for r in map(json.loads, open(results))}


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


for path in sorted(glob.glob(os.path.join(folder, "*.train.x.npy")), key=os.path.getsize):
    name, seed, kind = os.path.basename(path).split(".")[:3]
    seed = int(seed)
    load = lambda part: np.load(path.replace("train.x", part))
    x, y, tx, ty = load("train.x"), load("train.y").ravel(), load("test.x"), load("test.y").ravel()
    Model = HistGradientBoostingClassifier if kind == "classification" else HistGradientBoostingRegressor

    def add(method, error, seconds, note):
        with open(results, "a") as f:
            f.write(json.dumps(dict(set=name, seed=seed, rows=len(y), method=method, error=error, seconds=seconds, note=note)) + "\n")
        print(f"{name:12} seed {seed} rows {len(y):6} {method:11} error {error:8.4f}  {seconds:7.1f} s  {note}", flush=True)

    if (name, seed, len(y), "trees") not in known:
        start = time.time()
        m = Model(random_state=seed).fit(x, y)
        add("trees", measure(m, tx, ty), time.time() - start, f"scikit-learn {sklearn.__version__}, Python {platform.python_version()}")
    if (name, seed, len(y), "trees-tuned") not in known:
        start = time.time()
        rng = np.random.default_rng(seed)
        cut = len(y) // 5  # the rows are in random order
        best, at = np.inf, None
        for _ in range(draws):
            s = draw(rng)
            # An iteration grows a tree per class: with many, early stopping keeps the time bounded.
            e = measure(Model(random_state=seed, early_stopping=True, **s).fit(x[cut:], y[cut:]), x[:cut], y[:cut])
            if e < best:
                best, at = e, s
        m = Model(random_state=seed, early_stopping=True, **at).fit(x, y)
        add("trees-tuned", measure(m, tx, ty), time.time() - start, json.dumps(at))

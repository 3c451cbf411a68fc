"""Methods of other libraries on a folder of tasks, as cells beside those of rff.

    python3 rivals.py TASKS RESULTS [--methods a,b] [--sets a,b] [--seeds 1,2] [--threads 1]
                      [--draws 20] [--search-rows N] [--most N] [--seconds S]

A task is a folder below TASKS with train.csv.gz and test.csv.gz: a header, words as they
are, an empty cell for a missing value, and the target last, in the column y. The name of
the folder is that of the set, or set.number where the number is that of a split; the
folders of the published table (TALENT), those that `accuracy -export` writes and those of small.py are
all of this kind. Where the name has no number, --seeds are seeds of the method.

A result is a line of JSON added to RESULTS: the error in % (wrong labels, or the root mean
square error over the standard deviation of the test targets), and the seconds and the
processor seconds of fitting and predicting. What is there already is not measured again.
With --seconds no measurement starts after that many, and the exit code is 3 if some are
left.
"""
import argparse, json, os, re, sys, time
from importlib.metadata import version

a = argparse.ArgumentParser()
a.add_argument("tasks")
a.add_argument("results")
a.add_argument("--methods", default="lightgbm,lightgbm-td,xgboost,xgboost-td,catboost,catboost-td")
a.add_argument("--sets", default="")
a.add_argument("--seeds", default="1")
a.add_argument("--threads", type=int, default=1)
a.add_argument("--draws", type=int, default=20)
a.add_argument("--search-rows", type=int, default=0, help="most training rows that the settings of trees-tuned and svm are compared on; 0: all")
a.add_argument("--most", type=int, default=0, help="the -rows that the tasks were made with")
a.add_argument("--seconds", type=float, default=float("inf"))
a = a.parse_args()

# Threads that spin while they wait take the cores from each other on a machine that is
# not idle: the same fit takes 15 times as long.
os.environ["OMP_WAIT_POLICY"] = "passive"
for v in "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS":
    os.environ[v] = str(a.threads)
for v in "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE":
    os.environ.pop(v, None)

import numpy as np
import pandas as pd
import sklearn
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

known = {}
if os.path.exists(a.results):
    known = {(r["set"], r["seed"], r["method"]): r for r in map(json.loads, open(a.results)) if r.get("most", 0) == a.most}
begin = time.time()


def read(folder):
    """The parts of a task: inputs with words as categories, targets, and whether it has classes."""
    train, test = (pd.read_csv(os.path.join(folder, p + ".csv.gz"), keep_default_na=False, na_values=[""], low_memory=False) for p in ("train", "test"))
    y, ty = train.pop("y"), test.pop("y")
    train.columns = test.columns = [f"x{i}" for i in range(train.shape[1])]  # LightGBM refuses names with brackets
    for c in train:
        if not pd.api.types.is_numeric_dtype(train[c]):
            levels = pd.CategoricalDtype(sorted(train[c].dropna().astype(str).unique()))
            train[c], test[c] = train[c].astype("string").astype(levels), test[c].astype("string").astype(levels)
    # Few integers, or words, are classes, as for rff and for the published table.
    values = y.unique()
    classes = not pd.api.types.is_numeric_dtype(y) or len(values) <= 32 and all(float(v).is_integer() for v in values) and len(values) <= 12
    if classes:
        labels = sorted(y.astype(str).unique())
        code = {l: i for i, l in enumerate(labels)}
        y, ty = y.astype(str).map(code), ty.astype(str).map(code)
    return train, y.to_numpy(), test, ty.to_numpy(), classes


def encoded(model, scale):
    """The model behind one column per word, means for gaps, and standard scales."""
    numbers = [SimpleImputer()] + [StandardScaler()] * scale
    return make_pipeline(make_column_transformer(
        (make_pipeline(*numbers), make_column_selector(dtype_include=np.number)),
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), make_column_selector(dtype_include="category"))), model)


def ordinal(model):
    """The model behind one number per word."""
    return make_pipeline(make_column_transformer(
        (OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan), make_column_selector(dtype_include="category")),
        remainder="passthrough"), model)


def held(x, y, classes, seed):
    """A fifth of the rows held out, to stop early by."""
    return train_test_split(x, y, test_size=0.2, random_state=seed, stratify=y if classes and np.bincount(y).min() > 1 else None)


# The tuned defaults (TD) are those of pytabkit 1 (Holzmüller, Grinsztajn and Steinwart,
# "Better by Default", NeurIPS 2024), with early stopping after 300 rounds.
def lightgbm(tuned):
    def fit(x, y, classes, seed):
        import lightgbm as lib
        Model = lib.LGBMClassifier if classes else lib.LGBMRegressor
        common = dict(random_state=seed, n_jobs=a.threads, verbosity=-1)
        if not tuned:
            return Model(**common).fit(x, y).predict, lib.__version__
        td = dict(n_estimators=1000, learning_rate=0.04, subsample=0.75, num_leaves=50, subsample_freq=1, min_child_samples=40, min_child_weight=1e-7)
        if not classes:
            td = dict(n_estimators=1000, learning_rate=0.05, subsample=0.7, num_leaves=100, subsample_freq=1, min_child_samples=3, min_child_weight=1e-7)
        fx, vx, fy, vy = held(x, y, classes, seed)
        return Model(**td, **common).fit(fx, fy, eval_set=[(vx, vy)], callbacks=[lib.early_stopping(300, verbose=False)]).predict, lib.__version__
    return fit


def xgboost(tuned):
    def fit(x, y, classes, seed):
        import xgboost as lib
        Model = lib.XGBClassifier if classes else lib.XGBRegressor
        common = dict(random_state=seed, n_jobs=a.threads, enable_categorical=True, tree_method="hist")
        if not tuned:
            return Model(**common).fit(x, y).predict, lib.__version__
        td = dict(n_estimators=1000, learning_rate=0.08, min_child_weight=5e-6, reg_lambda=0.0, max_depth=6, colsample_bylevel=0.9, subsample=0.65)
        if not classes:
            td = dict(n_estimators=1000, max_depth=9, learning_rate=0.05, min_child_weight=2.0, reg_lambda=0.0, subsample=0.7)
        fx, vx, fy, vy = held(x, y, classes, seed)
        return Model(**td, **common, early_stopping_rounds=300).fit(fx, fy, eval_set=[(vx, vy)], verbose=False).predict, lib.__version__
    return fit


def catboost(tuned):
    def fit(x, y, classes, seed):
        import catboost as lib
        words = [c for c in x if x[c].dtype == "category"]
        as_text = lambda t: t.astype({c: str for c in words})
        Model = lib.CatBoostClassifier if classes else lib.CatBoostRegressor
        common = dict(random_seed=seed, thread_count=a.threads, verbose=False, allow_writing_files=False, cat_features=words)
        if not tuned:
            model = Model(**common).fit(as_text(x), y)
        else:
            td = dict(n_estimators=1000, learning_rate=0.08, l2_leaf_reg=1e-5, max_depth=7, random_strength=0.8, one_hot_max_size=15, leaf_estimation_iterations=1)
            if not classes:
                td = dict(n_estimators=1000, learning_rate=0.09, l2_leaf_reg=1e-5, max_depth=9, random_strength=0.0, one_hot_max_size=20, leaf_estimation_iterations=20)
            fx, vx, fy, vy = held(x, y, classes, seed)
            model = Model(**td, **common, boosting_type="Plain", bootstrap_type="Bernoulli", subsample=0.9, early_stopping_rounds=300).fit(as_text(fx), fy, eval_set=(as_text(vx), vy))
        return (lambda t: np.ravel(model.predict(as_text(t)))), lib.__version__
    return fit


def trees(x, y, classes, seed, **settings):
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
    Model = HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor
    return ordinal(Model(random_state=seed, **settings)).fit(x, y).predict, sklearn.__version__


def draw(rng):
    return dict(
        learning_rate=float(10 ** rng.uniform(-2, -0.3)),
        max_iter=int(rng.integers(100, 801)),
        max_leaf_nodes=int(2 ** rng.uniform(3, 8)),
        min_samples_leaf=int(10 ** rng.uniform(0.3, 2)),
        l2_regularization=float(10 ** rng.uniform(-6, 1)),
        max_bins=int(rng.choice([63, 127, 255])),
        early_stopping=True,  # an iteration grows a tree per class: with many, the time stays bounded
    )


def trees_tuned(x, y, classes, seed):
    """The best of random draws by a fifth of the training rows held out, fitted on all of them."""
    rng = np.random.default_rng(seed)
    n = min(len(y), a.search_rows or len(y))
    order = rng.permutation(len(y))[:n]
    train, hold = order[n // 5:], order[:n // 5]
    draws = [draw(rng) for _ in range(a.draws)]
    loss = lambda s: error(trees(x.iloc[train], y[train], classes, seed, **s)[0](x.iloc[hold]), y[hold], classes)
    best = min(draws, key=loss)
    return trees(x, y, classes, seed, **best)[0], json.dumps(best)


def forest(x, y, classes, seed):
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
    model = (RandomForestClassifier if classes else RandomForestRegressor)(random_state=seed, n_jobs=a.threads)
    return encoded(model, False).fit(x, y).predict, sklearn.__version__


def searched(model, classes, grid, seed):
    """The best of a grid by five folds of the training rows."""
    at = encoded(model, True)
    return GridSearchCV(at, {f"{at.steps[-1][0]}__{k}": v for k, v in grid.items()}, scoring=None if classes else "neg_mean_squared_error")


def forest_tuned(x, y, classes, seed):
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
    model = (RandomForestClassifier if classes else RandomForestRegressor)(random_state=seed, n_jobs=a.threads)
    grid = dict(max_features=["sqrt", 0.33, 1.0], min_samples_leaf=[1, 3])
    return searched(model, classes, grid, seed).fit(x, y).predict, sklearn.__version__


def svm(x, y, classes, seed):
    from sklearn.svm import SVC, SVR
    grid = dict(C=[0.1, 1, 10, 100, 1000], gamma=["scale", 0.001, 0.01, 0.1, 1])
    some = np.random.default_rng(seed).permutation(len(y))[:a.search_rows or len(y)]
    best = searched((SVC if classes else SVR)(), classes, grid, seed).fit(x.iloc[some], y[some]).best_estimator_
    return best.fit(x, y).predict, sklearn.__version__


def kernel_ridge(x, y, classes, seed):
    from sklearn.compose import TransformedTargetRegressor
    from sklearn.kernel_ridge import KernelRidge
    grid = dict(alpha=[1e-4, 1e-3, 1e-2, 1e-1, 1, 10], gamma=[0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1])
    if not classes:
        at = TransformedTargetRegressor(KernelRidge(kernel="rbf"), transformer=StandardScaler())
        return searched(at, False, {f"regressor__{k}": v for k, v in grid.items()}, seed).fit(x, y).predict, sklearn.__version__
    codes = 2.0 * np.eye(y.max() + 1)[y] - 1
    model = searched(KernelRidge(kernel="rbf"), False, grid, seed).fit(x, codes)
    return (lambda t: model.predict(t).argmax(axis=1)), sklearn.__version__


def realmlp(x, y, classes, seed):
    """The network with tuned defaults of pytabkit, which holds out a fifth itself."""
    import pytabkit
    Model = pytabkit.RealMLP_TD_Classifier if classes else pytabkit.RealMLP_TD_Regressor
    model = Model(device="cpu", random_state=seed, n_threads=a.threads, verbosity=0).fit(x, y)
    return model.predict, version("pytabkit")


def xrfm(x, y, classes, seed):
    """Trees of recursive feature machines, with a fifth held out to choose by."""
    import torch
    import xrfm as lib
    torch.set_num_threads(a.threads)
    to = encoded(None, True)[:-1]
    targets = lambda v: np.asarray(v, dtype=np.int64 if classes else np.float32)
    mean, sd = (0, 1) if classes else (np.mean(y), np.std(y))
    fx, vx, fy, vy = held(x, y, classes, seed)
    fx, vx = (np.asarray(t, dtype=np.float32) for t in (to.fit_transform(fx), to.transform(vx)))
    model = lib.xRFM(device="cpu", random_state=seed, n_threads=a.threads, verbose=False, tuning_metric="brier" if classes else "mse")
    model.fit(fx, targets((fy - mean) / sd) if not classes else targets(fy), vx, targets((vy - mean) / sd) if not classes else targets(vy))
    return (lambda t: np.ravel(model.predict(np.asarray(to.transform(t), dtype=np.float32))) * sd + mean), version("xrfm")


methods = {
    "lightgbm": lightgbm(False), "lightgbm-td": lightgbm(True), "xgboost": xgboost(False), "xgboost-td": xgboost(True),
    "catboost": catboost(False), "catboost-td": catboost(True), "trees": trees, "trees-tuned": trees_tuned,
    "forest": forest, "forest-tuned": forest_tuned, "svm": svm, "kernel-ridge": kernel_ridge, "realmlp": realmlp, "xrfm": xrfm,
}


def error(p, y, classes):
    """Wrong labels, or the root mean square error over the standard deviation of the targets, in %."""
    if classes:
        return 100 * float(np.mean(np.ravel(p) != y))
    return 100 * float(np.sqrt(np.mean((np.ravel(p) - y) ** 2)) / np.std(y))


def size(folder):
    return os.path.getsize(os.path.join(folder, "train.csv.gz"))


folders = [f.path for f in os.scandir(a.tasks) if f.is_dir() and os.path.exists(os.path.join(f.path, "train.csv.gz"))]
for folder in sorted(folders, key=size):
    name, number = re.fullmatch(r"(.*?)(?:\.(\d+))?", os.path.basename(folder)).groups()
    if a.sets and name not in a.sets.split(","):
        continue
    task = None  # read when something is to be measured
    for seed in [int(number)] if number else map(int, a.seeds.split(",")):
        for method in a.methods.split(","):
            if (name, seed, method) in known:
                continue
            if time.time() - begin > a.seconds:
                sys.exit(3)
            task = task or read(folder)
            x, y, tx, ty, classes = task
            start, work = time.time(), time.process_time()
            predict, note = methods[method](x, y, classes, seed)
            p = predict(tx)
            r = dict(set=name, seed=seed, rows=len(y), most=a.most, method=method, error=error(p, ty, classes),
                     seconds=time.time() - start, processor=time.process_time() - work, note=note)
            if not classes:
                r["rmse"] = float(np.sqrt(np.mean((np.ravel(p) - ty) ** 2)))
            with open(a.results, "a") as f:
                f.write(json.dumps(r) + "\n")
            print(f"{name:20} seed {seed} rows {len(y):6} {method:13} error {r['error']:8.4f}  {r['processor']:7.1f} s  {note}", flush=True)

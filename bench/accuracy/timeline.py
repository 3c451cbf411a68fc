"""Error against processor seconds, of rff fit --auto and of gradient boosting.

    python3 timeline.py RFF TASK... > table.csv

RFF is the command, and each TASK a folder that `accuracy -export` writes. A row of the table has
seconds of a processor from the file to the model, and the error on the test part in %, wrong labels
or the root mean square error over the standard deviation: of rff with budgets of 1 to 30 seconds,
and of LightGBM's defaults with 10 to 1,000 trees (for each class). rff has two workers, and LightGBM
one thread, since threads that wait for others take seconds of a processor, too.
docs/gallery/time-to-error.csv is the table of letter.
"""
import os, re, resource, subprocess, sys, tempfile, time

import lightgbm
import pandas as pd

rff, tasks = sys.argv[1], sys.argv[2:]


def children():
    u = resource.getrusage(resource.RUSAGE_CHILDREN)
    return u.ru_utime + u.ru_stime


def read(file):
    """Numbers, and words as categories."""
    data = pd.read_csv(file)
    y = data.pop("y")
    for c in data.select_dtypes(exclude="number"):
        data[c] = data[c].astype("category")
    return data, y


def measure(task, folder):
    name, train, test = os.path.basename(task), *(os.path.join(task, part + ".csv.gz") for part in ("train", "test"))
    model = os.path.join(folder, "m.safetensors")
    x, y = read(test)
    numbers = pd.api.types.is_numeric_dtype(y) and y.nunique() > 32
    for budget in "1s", "3s", "10s", "30s":
        begin = children()
        subprocess.run([rff, "fit", "--auto", "--budget", budget, "--workers", "2", "--data", train, "--label", "y", "--model", model, "--quiet"], check=True)
        seconds = children() - begin
        said = subprocess.run([rff, "predict", "--model", model, "--data", test, "--label", "y", "--score", "--output", os.path.join(folder, "p.csv")], check=True, capture_output=True, text=True).stderr
        error = 100 * float(re.search(r"RMSE ([0-9.e+-]+)", said).group(1)) / y.std(ddof=0) if numbers else 100 - float(re.search(r"accuracy ([0-9.]+) %", said).group(1))
        print(f"{name},rff fit --auto,{seconds:.1f},{error:.2f}", flush=True)
    for trees in 10, 30, 100, 300, 1000:
        begin = time.process_time()
        Model = lightgbm.LGBMRegressor if numbers else lightgbm.LGBMClassifier
        fitted = Model(n_estimators=trees, n_jobs=1, verbose=-1).fit(*read(train))
        seconds = time.process_time() - begin
        p = fitted.predict(x)
        error = 100 * ((p - y) ** 2).mean() ** 0.5 / y.std(ddof=0) if numbers else 100 * (p != y).mean()
        print(f"{name},LightGBM,{seconds:.1f},{error:.2f}", flush=True)


print("set,method,seconds,error")
with tempfile.TemporaryDirectory() as folder:
    for task in tasks:
        measure(task, folder)

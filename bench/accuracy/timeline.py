"""Error against processor seconds, of rff fit --auto and of gradient boosting.

    python3 timeline.py TASK RFF > docs/gallery/time-to-error.csv

TASK is a folder that `accuracy -export` writes, with classes; RFF is the command. A row of
the table has seconds of a processor from the file to the model, and wrong labels of the
test part in %: of rff with budgets of 1 to 30 seconds, and of LightGBM's defaults with 10 to
1,000 trees a class, two threads each.
"""
import os, re, resource, subprocess, sys, tempfile, time

import lightgbm
import pandas as pd

task, rff = sys.argv[1:]
train, test = (os.path.join(task, part + ".csv.gz") for part in ("train", "test"))
print("method,seconds,error")


def children():
    u = resource.getrusage(resource.RUSAGE_CHILDREN)
    return u.ru_utime + u.ru_stime


with tempfile.TemporaryDirectory() as folder:
    model = os.path.join(folder, "m.safetensors")
    for budget in "1s", "3s", "10s", "30s":
        begin = children()
        subprocess.run([rff, "fit", "--auto", "--budget", budget, "--workers", "2", "--data", train, "--label", "y", "--model", model, "--quiet"], check=True)
        seconds = children() - begin
        said = subprocess.run([rff, "predict", "--model", model, "--data", test, "--label", "y", "--score", "--output", os.path.join(folder, "p.csv")], check=True, capture_output=True, text=True).stderr
        right = float(re.search(r"accuracy ([0-9.]+) %", said).group(1))
        print(f"rff fit --auto,{seconds:.1f},{100 - right:.2f}", flush=True)
    for trees in 10, 30, 100, 300, 1000:
        begin = time.process_time()
        data = pd.read_csv(train)
        fitted = lightgbm.LGBMClassifier(n_estimators=trees, n_jobs=2, verbose=-1).fit(data.drop(columns="y"), data["y"])
        seconds = time.process_time() - begin
        data = pd.read_csv(test)
        wrong = 100 * (fitted.predict(data.drop(columns="y")) != data["y"]).mean()
        print(f"LightGBM,{seconds:.1f},{wrong:.2f}", flush=True)

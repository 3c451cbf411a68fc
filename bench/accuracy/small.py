"""Tasks of few rows: five folds, REPEATS times.

    python3 small.py FOLDER [REPEATS TALENT SET...]

It writes FOLDER/SET.N/{train,test}.csv.gz, N from 1 on, for sets of scikit-learn: Friedman's three
functions (200 rows, with the noise of his paper), diabetes, breast cancer and wine, five times. Or
for classifications of TALENT, whose three parts become one table.
"""
import os, sys

import pandas as pd
from sklearn import datasets
from sklearn.model_selection import KFold, StratifiedKFold

# The noise has a third of the standard deviation of the signal, as in Friedman (1991), whose
# second and third function have a signal-to-noise ratio of 3; the first has noise 1.
sets = {
    "friedman1": datasets.make_friedman1(200, noise=1.0, random_state=1),
    "friedman2": datasets.make_friedman2(200, noise=125.0, random_state=1),
    "friedman3": datasets.make_friedman3(200, noise=0.1, random_state=1),
    "diabetes": datasets.load_diabetes(return_X_y=True, scaled=False),
    "breast-cancer": datasets.load_breast_cancer(return_X_y=True),
    "wine": datasets.load_wine(return_X_y=True),
}


def deal(name, table, classes, repeats):
    number = 0
    for repeat in range(repeats):
        folds = (StratifiedKFold if classes else KFold)(5, shuffle=True, random_state=repeat)
        for train, test in folds.split(table, table.y):
            number += 1
            folder = os.path.join(sys.argv[1], f"{name}.{number}")
            os.makedirs(folder, exist_ok=True)
            for part, rows in ("train", train), ("test", test):
                table.iloc[rows].to_csv(os.path.join(folder, part + ".csv.gz"), index=False)


if len(sys.argv) > 2:
    for name in sys.argv[4:]:
        parts = [pd.read_csv(os.path.join(sys.argv[3], name, part + ".csv.gz"), keep_default_na=False) for part in ("train", "val", "test")]
        deal(name, pd.concat(parts, ignore_index=True), True, int(sys.argv[2]))
else:
    for name, (x, y) in sets.items():
        classes = name in ("breast-cancer", "wine")
        table = pd.DataFrame(x, columns=[f"x{j + 1}" for j in range(x.shape[1])])
        table["y"] = [f"c{v}" for v in y] if classes else y
        deal(name, table, classes, 5)

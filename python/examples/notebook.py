"""From a table to a picture, as a notebook: pip install rff matplotlib, then run the cells.

    python notebook.py [PICTURE]
"""

# %%
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_diabetes, load_digits
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

import rff

# %% A regression with intervals: how far diabetes goes on in a year, by the body mass index.
X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
bmi = X[["bmi"]]
model = rff.RidgeRegressor(128, uncertainty="intervals").fit(bmi, y)
line = pd.DataFrame({"bmi": np.linspace(bmi["bmi"].min(), bmi["bmi"].max(), 200)})
ends = model.predict_interval(line, level=0.9)
inside = model.predict_interval(bmi)
share = ((inside[:, 0] <= y) & (y <= inside[:, 1])).mean()
print(f"kernel {model.kernel_}, alpha {model.alpha_:g}, {share:.1%} of the rows inside their intervals")

# %% The library chooses everything, with all columns.
train, test, y_train, y_test = train_test_split(X, y, random_state=0)
auto = rff.AutoRegressor(budget=2).fit(train, y_train)
print(f"Auto: R² {auto.score(test, y_test):.3f} on rows that it has not seen, kernel {auto.kernel_}")

# %% Any sampler, as a step of a pipeline of scikit-learn.
digits, labels = load_digits(return_X_y=True)
a, b, la, lb = train_test_split(digits, labels, random_state=0)
counts = [16, 32, 64, 128, 256, 512]
samplers = ["rff", "orf", "leverage", "nystrom"]
wrong = {
    s: [1 - make_pipeline(rff.RandomFeatures(n, sampler=s, scale="none"), LinearSVC()).fit(a, la).score(b, lb) for n in counts]
    for s in samplers
}

# %% A grid search over settings of the library.
search = GridSearchCV(rff.RidgeClassifier(256, scale="none"), {"bandwidth": [15.0, 30.0, 60.0], "sampler": ["rff", "orf"]}, cv=3)
search.fit(a, la)
print(f"digits: {search.score(b, lb):.1%} right with {search.best_params_}")

# %% In batches: each is added to the model, which is that of all rows.
parts = rff.RidgeClassifier(256, scale="none", bandwidth=30.0, alpha=1e-5)
for batch in np.array_split(np.arange(len(a)), 5):
    parts.partial_fit(a[batch], la[batch], classes=np.arange(10))
print(f"in batches: {parts.score(b, lb):.1%} right")

# %% One panel above the other, with large letters: for a telephone as well as for paper. Lines differ
# in dashes and marks as well as in colour.
plt.rcParams["font.size"] = 12
figure, (above, below) = plt.subplots(2, 1, figsize=(5.5, 8), layout="constrained")
above.scatter(bmi, y, s=10, color="0.6", label="patients")
above.plot(line["bmi"], model.predict(line), color="C0", linewidth=2, label="prediction")
above.fill_between(line["bmi"], ends[:, 0], ends[:, 1], color="C0", alpha=0.2, linewidth=0, label="90 % interval")
above.set(xlabel="body mass index", ylabel="progression after a year", title="Diabetes: rff.RidgeRegressor")
above.legend(loc="lower right")
for s, mark, dashes in zip(samplers, "os^D", ["-", "--", "-.", ":"]):
    below.plot(counts, [100 * w for w in wrong[s]], marker=mark, linestyle=dashes, linewidth=2, label=s)
below.set(xscale="log", yscale="log", xlabel="features", ylabel="wrong labels (%)", title="Digits: rff.RandomFeatures, LinearSVC")
below.set_xticks(counts, [str(n) for n in counts])
below.minorticks_off()
below.set_yticks([2, 5, 10, 20, 50], ["2", "5", "10", "20", "50"])
below.legend()
path = sys.argv[1] if len(sys.argv) > 1 else "rff.png"
figure.savefig(path, dpi=200)
print(f"wrote {path}")

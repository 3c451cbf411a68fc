"""Intervals of 90 % by quantile gradient boosting, beside which bench/coverage sets its own.

Reads float64 numbers from standard input: the rows to fit, inputs and target beside each
other, then the rows to predict. Prints coverage and mean width of the quantiles of 5 and
95 %, and of these after conformal correction on half of the rows (Romano, Patterson and
Candes, "Conformalized quantile regression", 2019).

    rival.py ROWS INPUTS SEED < numbers
"""

import sys

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor

rows, inputs, seed = map(int, sys.argv[1:])
table = np.frombuffer(sys.stdin.buffer.read()).reshape(-1, inputs + 1)
train, test = table[:rows], table[rows:]
miss = 0.1


def ends(part, on):
    def fit(q):
        model = HistGradientBoostingRegressor(loss="quantile", quantile=q, random_state=seed)
        return model.fit(part[:, :-1], part[:, -1]).predict(on[:, :-1])
    return np.sort([fit(miss / 2), fit(1 - miss / 2)], axis=0)  # never crossing


def say(low, high, on):
    y = on[:, -1]
    print(np.mean((low <= y) & (y <= high)), np.mean(high - low))


say(*ends(train, test), test)
fitted, left = train[: rows // 2], train[rows // 2:]
low, high = np.split(ends(fitted, np.concatenate([left, test])), [len(left)], axis=1)
score = np.sort(np.maximum(low[0] - left[:, -1], left[:, -1] - low[1]))
more = score[int(np.ceil((1 - miss) * (len(left) + 1))) - 1]
say(high[0] - more, high[1] + more, test)

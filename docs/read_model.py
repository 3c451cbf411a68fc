"""Predictions of an rff model in NumPy: python3 read_model.py model.rff < rows.csv"""
import json, struct, sys
import numpy as np


def read(path):
    raw = open(path, "rb").read()
    n = struct.unpack("<Q", raw[:8])[0]
    header = json.loads(raw[8:8 + n])
    meta = header.pop("__metadata__")
    kind = {"F64": "<f8", "I64": "<i8"}
    return meta, {k: np.frombuffer(raw, kind[v["dtype"]], int(np.prod(v["shape"])), 8 + n + v["data_offsets"][0])
                  .reshape(v["shape"]) for k, v in header.items()}


def hadamard(x):  # the rows' unnormalised Walsh-Hadamard transform
    h = 1
    while h < x.shape[1]:
        a = x.reshape(len(x), -1, 2, h)
        x, h = np.stack([a[:, :, 0] + a[:, :, 1], a[:, :, 0] - a[:, :, 1]], 2).reshape(len(x), -1), 2 * h
    return x


def features(meta, t, x):
    x = (x - t.get("scaling.shift", 0)) / t.get("scaling.scale", 1)
    if "map.frequencies" in t:
        p = x @ t["map.frequencies"].T
    else:
        p = []
        for i, b in enumerate(json.loads(meta["map.blocks"])):
            v, k = np.pad(x, ((0, 0), (0, b["Size"] - x.shape[1]))), f"map.blocks.{i}."
            for j in reversed(range(b["Diagonals"])):
                v = v[:, t[k + "permutation"]] if j == 0 and k + "permutation" in t else v
                v = hadamard(v * t[k + f"d.{j}"])
            p.append(v[:, :b["Keep"]] * t[k + "scale"])
        p = np.hstack(p)
    p = p + t.get("map.phase", 0)
    f = {"cos": np.cos, "cossin": lambda p: np.hstack([np.cos(p), np.sin(p)]), "linear": lambda p: p,
         "arccos0": lambda p: np.heaviside(p, 0.5), "arccos1": lambda p: np.maximum(p, 0),
         "arccos2": lambda p: np.maximum(p, 0) ** 2}[meta["map.func"]]
    z = f(p) * t["map.weight"]
    return z @ t["map.product"] if "map.product" in t else z


def predict(meta, t, x):  # targets, or scores: argmax, or the sign of a single one
    y = features(meta, t, x) @ t["coefficients"] + t["intercept"]
    return np.clip(y, t["range.low"], t["range.high"]) if "range.low" in t else y


if __name__ == "__main__":
    model = read(sys.argv[1])
    np.savetxt(sys.stdout, predict(*model, np.loadtxt(sys.stdin, delimiter=",", ndmin=2)), "%.17g", ",")

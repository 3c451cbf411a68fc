"""Predict the rows of every folder of bench/reach by the package rff, by onnxruntime and by
docs/read_model.py, and write the inputs of graphs for Node."""
import glob
import json
import os
import platform
import sys

import numpy as np
import onnxruntime
import pandas

import rff

sys.path.insert(0, sys.argv[2])
import read_model


def write(name, rows):
    rows = np.asarray(rows, float)
    rows = rows.reshape(len(rows), -1)
    with open(name + ".json", "w") as f:
        json.dump([[None if np.isnan(v) else float(v) for v in r] for r in rows], f)


for folder in sorted(glob.glob(sys.argv[1] + "/[0-9][0-9]")):
    os.chdir(folder)
    table = pandas.read_csv("new.csv")
    model = rff.load("model")
    inputs = table[list(model.feature_names_in_)]
    likely = hasattr(model, "predict_proba")
    write("python", model.predict_proba(inputs) if likely else
          model.decision_function(inputs) if hasattr(model, "decision_function") else model.predict(inputs))

    meta, tensors = read_model.read("model")
    with open("new.csv") as f:
        x, there = read_model.rows(meta, tensors, f)
    scores = read_model.scores(meta, tensors, x)
    if likely:
        scores = read_model.probabilities(meta, tensors, scores)
    every = np.full((len(there), scores.shape[1]), np.nan)
    every[np.array(there)] = scores
    write("read_model", every)

    session = onnxruntime.InferenceSession("graph.onnx", providers=["CPUExecutionProvider"])
    feeds = {i.name: (inputs.to_numpy(float) if i.name == "x" else
                      inputs[[i.name]].fillna("").to_numpy(object) if i.type == "tensor(string)" else inputs[[i.name]].to_numpy(float))
             for i in session.get_inputs()}
    outputs = [o.name for o in session.get_outputs()]
    output = "probabilities" if likely else "scores" if "scores" in outputs else "y"
    write("onnx-python", session.run([output], feeds)[0])
    with open("feeds.json", "w") as f:
        json.dump({"output": output, "inputs": {k: {"dims": v.shape, "text": v.dtype == object, "values": [str(c) for c in v.ravel()]} for k, v in feeds.items()}}, f)

print(f"Python {platform.python_version()}, NumPy {np.__version__}, onnxruntime {onnxruntime.__version__}")

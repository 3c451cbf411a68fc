"""Run the graphs of a folder in onnxruntime: NAME.onnx on NAME.json, to NAME.python.json."""
import glob
import json
import sys

import numpy as np
import onnx
import onnxruntime

kinds = {"tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(string)": object}
for path in sorted(glob.glob(sys.argv[1] + "/*.onnx")):
    onnx.checker.check_model(onnx.load(path), full_check=True)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    with open(path[:-5] + ".json") as f:
        given = json.load(f)
    feeds = {i.name: np.array([v if i.type == "tensor(string)" else float(v) for v in given[i.name]], kinds[i.type]).reshape(-1, i.shape[1])
             for i in session.get_inputs()}
    out = {o.name: v.ravel().tolist() if o.type == "tensor(string)" else [repr(float(x)) for x in v.ravel()]
           for o, v in zip(session.get_outputs(), session.run(None, feeds))}
    with open(path[:-5] + ".python.json", "w") as f:
        json.dump(out, f)

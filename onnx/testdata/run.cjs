// Run the graphs of a folder in onnxruntime-node: NAME.onnx on NAME.json, to NAME.node.json.
const fs = require("fs"), path = require("path");
const ort = require("onnxruntime-node");
const arrays = {float32: Float32Array, float64: Float64Array};

(async () => {
  const folder = process.argv[2];
  for (const name of fs.readdirSync(folder).filter((f) => f.endsWith(".onnx"))) {
    const base = path.join(folder, name.slice(0, -5));
    const session = await ort.InferenceSession.create(base + ".onnx");
    const given = JSON.parse(fs.readFileSync(base + ".json"));
    const type = base.endsWith("32") ? "float32" : "float64";
    const feeds = {};
    for (const input of session.inputNames) {
      const values = given[input], rows = given[" rows"], text = given[" texts"].includes(input);
      feeds[input] = new ort.Tensor(text ? "string" : type, text ? values : arrays[type].from(values, Number), [rows, values.length / rows]);
    }
    const got = await session.run(feeds), out = {};
    for (const output of session.outputNames) out[output] = Array.from(got[output].data, String);
    fs.writeFileSync(base + ".node.json", JSON.stringify(out));
  }
})().catch((e) => { console.error(e); process.exit(1); });

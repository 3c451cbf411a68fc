// Run the graphs of the folders of bench/reach in onnxruntime-node, on the inputs that
// reach.py wrote, and the command as WebAssembly, the module of bench/web: without its vectors,
// which Node does not have unless told.
const fs = require("fs"), path = require("path");
const ort = require("onnxruntime-node");

// command runs a line of rff.
async function command(module, line) {
  const go = new Go();
  go.argv = ["rff", ...line.split(" ")];
  go.exit = (status) => { if (status) throw new Error(line); };
  const none = WebAssembly.Module.imports(module).filter((i) => i.module == "rff").map((i) => [i.name, () => {}]);
  go.importObject.rff = Object.fromEntries(none);
  await go.run(await WebAssembly.instantiate(module, go.importObject));
}

(async () => {
  const folder = process.argv[2];
  Object.assign(globalThis, { fs, path, require });
  require(process.argv[3]);
  const module = await WebAssembly.compile(fs.readFileSync(path.join(folder, "rff.wasm")));
  for (const name of fs.readdirSync(folder).filter((f) => /^\d\d$/.test(f))) {
    const at = (file) => path.join(folder, name, file);
    const session = await ort.InferenceSession.create(at("graph.onnx"));
    const given = JSON.parse(fs.readFileSync(at("feeds.json")));
    const feeds = {};
    for (const [key, { dims, text, values }] of Object.entries(given.inputs))
      feeds[key] = new ort.Tensor(text ? "string" : "float64", text ? values : Float64Array.from(values, Number), dims);
    const { data, dims } = (await session.run(feeds))[given.output];
    const rows = [];
    for (let i = 0; i < dims[0]; i++) rows.push(Array.from(data.slice(i * dims[1], (i + 1) * dims[1]), (v) => (v == v ? v : null)));
    fs.writeFileSync(at("onnx-node.json"), JSON.stringify(rows));
    process.chdir(at("."));
    await command(module, fs.readFileSync("wasm.txt", "utf8"));
  }
  console.log("Node " + process.versions.node);
})().catch((e) => { console.error(e); process.exit(1); });

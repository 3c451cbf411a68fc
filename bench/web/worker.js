// The worker runs one command line of rff and ends.
const texts = { 1: new TextDecoder(), 2: new TextDecoder() };
globalThis.fs = newFileSystem((fd, part) => postMessage({ fd, text: texts[fd].decode(part, { stream: true }) }));
globalThis.process = { pid: 1, ppid: 1, getuid: () => 0, getgid: () => 0, geteuid: () => 0, getegid: () => 0, getgroups: () => [], umask: () => 0o022, cwd: () => "/", chdir() {} };

// kernels gives the imports of Go's module, and a function that connects them with its memory.
async function kernels(gate, simd) {
  const { table, ...imports } = (await WebAssembly.instantiate(gate)).instance.exports;
  let compiled = null;
  try {
    compiled = await WebAssembly.compile(simd);
  } catch {
    // This browser has no fused vector instructions: the functions do nothing, and Go notices.
    return [Object.fromEntries(Object.keys(imports).map((name) => [name, () => {}])), async () => {}];
  }
  return [
    imports,
    async (mem) => {
      const chains = (await WebAssembly.instantiate(compiled, { rff: { mem } })).exports;
      Object.keys(imports).forEach((name, i) => table.set(i, chains[name]));
    },
  ];
}

onmessage = async ({ data: { module, gate, simd, args, inputs } }) => {
  try {
    for (const [name, blob] of Object.entries(inputs)) files.set("/" + name, { blob });
    const go = new Go();
    let status = 0;
    go.argv = ["rff", ...args];
    go.exit = (code) => (status = code);
    const [imports, connect] = await kernels(gate, simd);
    go.importObject.rff = imports;
    const instance = await WebAssembly.instantiate(module, go.importObject);
    await connect(instance.exports.mem);
    await go.run(instance);
    const outputs = {};
    for (const [name, node] of files) if (node.bytes) outputs[name.slice(1)] = node.bytes.slice(0, node.size);
    postMessage({ status, outputs });
  } catch (e) {
    postMessage({ status: 1, fd: 2, text: `rff: the browser stopped it: ${e && e.message}\n`, outputs: {} });
  }
};

"use strict";
const at = (id) => document.getElementById(id);
const bytesOf = (id) => Uint8Array.from(atob(at(id).textContent.trim()), (c) => c.charCodeAt(0));
const workerURL = URL.createObjectURL(new Blob([at("worker").textContent], { type: "text/javascript" }));
const [gate, simd] = [bytesOf("gate"), bytesOf("simd")];

let module = null; // a promise of the command, compiled
let trained = null; // of the last fit: {model, name, label}
let data = null;
let running = null;

function compile() {
  const packed = new Blob([bytesOf("command")]).stream().pipeThrough(new DecompressionStream("gzip"));
  at("command").remove();
  return WebAssembly.compileStreaming(new Response(packed, { headers: { "Content-Type": "application/wasm" } }));
}

// run runs a command line on inputs and resolves with its status, its texts and the files that it
// wrote. say gets the line of progress.
async function run(args, inputs, say) {
  module ??= compile();
  say("loading the command");
  const worker = new Worker(workerURL);
  const result = { out: "", err: "" };
  try {
    const ready = await module;
    return await new Promise((resolve, reject) => {
      running = () => reject(new Error("stopped"));
      worker.onerror = (e) => reject(new Error(e.message));
      worker.onmessageerror = () => reject(new Error("the browser cannot pass the command to a worker"));
      worker.onmessage = ({ data: m }) => {
        if (m.fd === 1) result.out += m.text;
        if (m.fd === 2) {
          result.err = (result.err + m.text).replace(/[^\n]*\r(?!\n)/g, "");
          say(m.text.split(/[\r\n]/).filter((line) => line.trim()).pop() || "");
        }
        if (m.status !== undefined) resolve({ ...result, ...m });
      };
      worker.postMessage({ module: ready, gate, simd, args, inputs });
    });
  } finally {
    running = null;
    worker.terminate();
  }
}

// job runs a command line with the button of a form turned to Stop and its line of progress.
async function job(form, args, inputs) {
  const [start, stop, line, wrong] = ["start", "stop", "progress", "wrong"].map((name) => form.querySelector("." + name));
  const began = Date.now();
  const buttons = document.querySelectorAll("button.start");
  buttons.forEach((b) => (b.disabled = true));
  stop.hidden = line.hidden = false;
  wrong.hidden = true;
  if (start) start.hidden = true;
  let said = "";
  const tick = () => (line.textContent = `${said} · ${Math.round((Date.now() - began) / 1000)} s`);
  const timer = setInterval(tick, 500);
  try {
    const r = await run(args, inputs, (text) => {
      said = text;
      tick();
    });
    if (r.status !== 0) throw new Error(r.err.trim() || `rff ended with status ${r.status}`);
    return { ...r, seconds: (Date.now() - began) / 1000 };
  } catch (e) {
    wrong.hidden = false;
    wrong.textContent = e.message;
    return null;
  } finally {
    clearInterval(timer);
    stop.hidden = line.hidden = true;
    if (start) start.hidden = false;
    buttons.forEach((b) => (b.disabled = false));
  }
}

// fileName is a name that means nothing to a shell or to --data, which takes commas and stars.
const fileName = (file) => file.name.replace(/[^\p{L}\p{N}_.-]/gu, "_").replace(/^[-.]/, "_");
const shellWord = (word) => (/^[\p{L}\p{N}_./,:=+@%-]+$/u.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

// words splits flags as a shell does: at blanks outside quotes.
const words = (text) => (text.match(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g) || []).map((w) => w.replace(/'([^']*)'|"([^"]*)"/g, "$1$2"));

// columnsOf returns the names in the first line of a file, or numbers if it has none. The command
// decides for itself; this is only for the choice of the target.
async function columnsOf(file) {
  let head = file.slice(0, 1 << 16);
  if (/\.gz$/i.test(file.name)) {
    const reader = file.stream().pipeThrough(new DecompressionStream("gzip")).getReader();
    head = new Blob([(await reader.read()).value || new Uint8Array(0)]);
    reader.cancel();
  }
  const line = (await head.text()).replace(/^\uFEFF/, "").split(/\r?\n/).find((l) => l && !l.startsWith("#")) || "";
  const mark = [",", ";", "\t"].reduce((a, b) => (line.split(b).length > line.split(a).length ? b : a));
  const cells = [];
  let cell = "", quoted = false;
  for (const c of line) {
    if (c === '"') quoted = !quoted;
    else if (c === mark && !quoted) (cells.push(cell), (cell = ""));
    else cell += c;
  }
  cells.push(cell);
  const numbers = cells.some((c) => c.trim() !== "" && !isNaN(c));
  return cells.map((c, i) => [String(i + 1), numbers || !c.trim() ? `column ${i + 1}` : c.trim()]);
}

async function take(file) {
  data = file;
  at("name").textContent = `${file.name}, ${file.size.toLocaleString("en")} bytes`;
  const columns = await columnsOf(file);
  at("label").replaceChildren(...columns.map(([value, text]) => new Option(text, value)));
  at("label").selectedIndex = columns.length - 1;
  at("settings").hidden = false;
  show();
}

function fitArguments() {
  const name = fileName(data), base = name.replace(/\.(csv|tsv|txt)?(\.gz)?$/i, "");
  const choice = at("label").selectedOptions[0];
  const label = /^column \d+$/.test(choice.text) || /^\d+$/.test(choice.text) ? choice.value : choice.text;
  return { base, label, args: ["fit", "--auto", "--budget", at("budget").value, "--data", name, "--label", label, ...words(at("flags").value), "--html", base + ".html", "--model", base + ".safetensors"] };
}

function show() {
  if (data) at("line").textContent = "rff " + fitArguments().args.map(shellWord).join(" ");
}

function offer(link, name, bytes, type) {
  if (link.href) URL.revokeObjectURL(link.href);
  link.href = URL.createObjectURL(new Blob([bytes], { type }));
  link.download = name;
  link.textContent = `${name} (${bytes.length.toLocaleString("en")} bytes)`;
}

async function fit(event) {
  event.preventDefault();
  const { base, label, args } = fitArguments();
  const r = await job(at("fit"), args, { [fileName(data)]: data });
  if (!r) return;
  const page = r.outputs[base + ".html"];
  trained = { name: base, label, model: r.outputs[base + ".safetensors"] };
  offer(at("model"), base + ".safetensors", trained.model, "application/octet-stream");
  offer(at("report-file"), base + ".html", page, "text/html");
  at("took").textContent = `It took ${r.seconds.toFixed(0)} s.`;
  at("printed").textContent = r.out;
  at("report").srcdoc = new TextDecoder().decode(page);
  at("result").hidden = false;
  at("result").scrollIntoView({ behavior: "smooth" });
}

async function predict(file) {
  const name = fileName(file), model = trained.name + ".safetensors";
  at("predictions").hidden = true;
  const r = await job(at("predict"), ["predict", "--model", model, "--data", name], { [name]: file, [model]: new Blob([trained.model]) });
  if (!r) return;
  const lines = r.out.trimEnd().split("\n");
  at("predictions").hidden = false;
  at("first").textContent = lines.slice(0, 11).join("\n") + (lines.length > 11 ? `\n… (${lines.length} lines)` : "");
  offer(at("predicted"), name.replace(/\.[^.]*$/, "") + "-predicted.csv", new TextEncoder().encode(r.out), "text/csv");
}

// dropZone makes a label with a file input take files that are dropped on it.
function dropZone(zone, then) {
  const input = zone.querySelector("input");
  input.onchange = () => input.files[0] && then(input.files[0]);
  zone.ondragover = (e) => (e.preventDefault(), zone.classList.add("over"));
  zone.ondragleave = () => zone.classList.remove("over");
  zone.ondrop = (e) => {
    e.preventDefault();
    zone.classList.remove("over");
    if (e.dataTransfer.files[0]) then(e.dataTransfer.files[0]);
  };
}

dropZone(at("drop"), take);
dropZone(at("drop-new"), predict);
at("fit").onsubmit = fit;
at("fit").oninput = show;
at("predict").onsubmit = (e) => e.preventDefault();
for (const b of document.querySelectorAll(".stop")) b.onclick = () => running && running();
at("report").onload = () => {
  const page = at("report").contentDocument;
  if (!page || !page.body) return;
  const fitHeight = () => (at("report").style.height = page.body.offsetHeight + 80 + "px"); // and its margins
  new ResizeObserver(fitHeight).observe(page.body);
};

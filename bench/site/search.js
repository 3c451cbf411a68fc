// The search: index.js is read at the first letter, by a script element, since pages from
// file:// may not fetch.
const root = document.currentScript.dataset.root, form = document.querySelector("form[role=search]");
const input = form.querySelector("input"), list = form.querySelector("ol");
let index = null, asked = false;
form.hidden = false;
form.onsubmit = event => { event.preventDefault(); list.querySelector("a")?.click(); };
function found(all) { index = all; search(); }
function search() {
  const words = input.value.toLowerCase().split(/\s+/).filter(w => w);
  if (!index || !words.length) { list.replaceChildren(); return; }
  const hits = [];
  for (const [path, page, title, text] of index) {
    const low = text.toLowerCase(), head = (page + " " + title).toLowerCase();
    let score = 0;
    for (const w of words) {
      const s = (title.toLowerCase().includes(w) ? 20 : head.includes(w) ? 8 : 0) + Math.min(5, low.split(w).length - 1);
      if (!s) { score = 0; break; }
      score += s;
    }
    if (score && path.startsWith("CHANGELOG")) score /= 10;
    if (score) hits.push([score, path, page, title, text, low.indexOf(words[0])]);
  }
  hits.sort((a, b) => b[0] - a[0]);
  list.replaceChildren(...hits.slice(0, 12).map(([, path, page, title, text, at]) => {
    const item = document.createElement("li"), a = document.createElement("a"), small = document.createElement("small");
    a.href = root + path;
    a.textContent = title === page ? page : page + ": " + title;
    small.textContent = text.slice(Math.max(0, at - 30), at + 120);
    a.append(small);
    item.append(a);
    return item;
  }));
  if (!hits.length) list.innerHTML = "<li><p>Nothing has all of these words.</p></li>";
}
input.oninput = () => {
  if (!asked) {
    asked = true;
    const script = document.createElement("script");
    script.src = root + "index.js";
    document.head.append(script);
  }
  search();
};
document.addEventListener("keydown", event => {
  if (event.key === "/" && document.activeElement === document.body) { event.preventDefault(); input.focus(); }
  if (event.key === "Escape") { input.value = ""; search(); }
});

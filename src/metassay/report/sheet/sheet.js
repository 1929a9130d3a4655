"use strict";
const get = (id) => document.getElementById(id);
const content = JSON.parse(get("content").textContent);
const pair = content.ask === "prefer";
let person = "", order = [], flipped = [], at = 0, given = {};

// Random numbers that are the same whenever the same person opens the same sheet.
function chance(text) {
  let seed = 2166136261;
  for (const c of text) seed = Math.imul(seed ^ c.codePointAt(0), 16777619);
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
const place = () => `metassay-sheet:${document.body.dataset.key}:${person}`;
function keep() {
  try { localStorage.setItem(place(), JSON.stringify({ given, at })); } catch { get("warning").hidden = false; }
}
function recall() {
  try { return JSON.parse(localStorage.getItem(place())) || {}; } catch { get("warning").hidden = false; return {}; }
}
function start(event) {
  event.preventDefault();
  person = get("name").value.trim();
  if (!person) return;
  const random = chance(document.body.dataset.key + person);
  order = content.items.map((_, k) => k);
  for (let k = order.length - 1; k > 0; k--) {
    const other = Math.floor(random() * (k + 1));
    [order[k], order[other]] = [order[other], order[k]];
  }
  flipped = content.items.map(() => random() < 0.5);
  ({ given = {}, at = 0 } = recall());
  get("start").hidden = true;
  get("work").hidden = false;
  show();
}
function box(text, heading) {
  const made = document.createElement("div");
  made.className = "text";
  made.tabIndex = 0;
  made.setAttribute("role", "region");
  made.setAttribute("aria-label", heading || "Text");
  if (heading) made.append(Object.assign(document.createElement("h2"), { textContent: heading }));
  made.append(text);
  return made;
}
function tellProgress() {
  const done = Object.keys(given).length;
  get("progress").textContent = `Task ${at + 1} of ${order.length}, ${done} answered` +
    (done === order.length ? ". All done: save your answers." : "");
  get("bar").value = done;
}
function show() {
  const item = content.items[order[at]];
  tellProgress();
  get("context").hidden = !item.context;
  get("context").textContent = item.context;
  const texts = pair && flipped[order[at]] ? [...item.texts].reverse() : item.texts;
  get("texts").replaceChildren(...texts.map((text, k) => box(text, pair ? ["Left", "Right"][k] : "")));
  get("question").textContent = !pair ? content.criterion
    : content.criterion === "quality" ? "Which is better?" : `Which is better: ${content.criterion}?`;
  get("answers").replaceChildren(...content.answers.map((answer, k) => {
    const label = document.createElement("label"), input = document.createElement("input");
    Object.assign(input, { type: "radio", name: "answer", value: String(k), checked: given[order[at]] === k });
    input.addEventListener("change", () => { answerWith(k, false); });
    const key = Object.assign(document.createElement("kbd"), { textContent: String(k + 1) });
    label.append(input, " ", answer, " ", ...(k < 9 ? [key] : []));
    return label;
  }));
  get("back").disabled = at === 0;
  get("next").disabled = at === order.length - 1;
}
function answerWith(k, advance) {
  given[order[at]] = k;
  if (advance && at < order.length - 1) at++;
  keep();
  if (!advance) { tellProgress(); return; }
  show();
  window.scrollTo(0, 0);
}
function move(by) {
  at = Math.min(Math.max(at + by, 0), order.length - 1);
  keep();
  show();
}
function named(text) {
  return JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(text), (c) => c.charCodeAt(0))));
}
function row(k) {
  const names = named(content.items[k].of), answer = given[k];
  if (pair) {
    const [a, b, input] = names, sides = flipped[k] ? ["model_b", "model_a"] : ["model_a", "model_b"];
    const winner = answer < 2 ? sides[answer] : content.answers[answer];
    return { input, model_a: a, model_b: b, winner, rater: person, kind: "human", first: sides[0] };
  }
  const [system, input] = names, said = content.answers[answer];
  const value = content.ask === "rate" && said !== "" && !isNaN(said) ? Number(said) : said;
  const { chance } = content.items[k];
  return { ...(system === content.unnamed ? {} : { system }), input, annotator: person, [content.criterion]: value,
    ...(chance === null ? {} : { label_chance: chance }) };
}
function save() {
  const lines = Object.keys(given).map((k) => JSON.stringify(row(Number(k))) + "\n");
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(lines, { type: "application/x-ndjson" }));
  link.download = `${content.criterion}-${person}.jsonl`.replace(/[^\w.-]+/g, "_");
  link.click();
  URL.revokeObjectURL(link.href);
}
get("start").addEventListener("submit", start);
get("back").addEventListener("click", () => move(-1));
get("next").addEventListener("click", () => move(1));
get("save").addEventListener("click", save);
document.addEventListener("keydown", (event) => {
  if (get("work").hidden || event.ctrlKey || event.metaKey || event.altKey) return;
  const k = Number(event.key) - 1;
  if (event.key >= "1" && event.key <= "9" && k < content.answers.length) answerWith(k, true);
  else if (event.key === "n") move(1);
  else if (event.key === "p") move(-1);
  else return;
  event.preventDefault();
});

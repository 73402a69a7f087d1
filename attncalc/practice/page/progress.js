// Progress: private, on this machine; counts, never a percentage.
import { h, show, today } from "./dom.js";
import { keep, open, state } from "./practice.js";
import { ask } from "./transport.js";
import * as words from "./practice-words.js";

export async function progressScreen() {
  const found = await ask({ do: "progress", progress: state.progress, day: today() });
  const counts = Object.entries(words.COUNTS).map(([name, text]) => h("div", {}, h("dt", {}, text), h("dd", {}, String(found.counts[name]))));
  const ids = new Set(state.course.groups.flatMap((group) => group.items.map((item) => item.id)));
  const again = (one) => h("button", { type: "button", "aria-label": `${words.SCREENS.practise}: ${one.title}`,
    onclick: () => open(one.item, { number: 1, trap: one.code }).catch(tell) }, words.SCREENS.practise);
  const mistakes = found.mistakes.map((one) => h("li", { class: one.due ? "mistake due" : "mistake" },
    h("strong", {}, one.title), h("p", {}, one.says), h("p", { class: "fine" }, words.RECORD(one)), one.due && ids.has(one.item) ? again(one) : null));
  const file = h("input", { type: "file", accept: "application/json,.json", id: "import", class: "heard", onchange: (event) => importFile(event.target.files[0]).catch(tell) });
  let sure = false;
  const remove = h("button", { type: "button", onclick: async () => {
    if (!sure) { sure = true; remove.textContent = words.SURE; return; }
    await replace({});
  } }, words.DELETE);
  show(
    h("h1", {}, words.SCREENS.progress),
    h("dl", { class: "counts" }, counts),
    h("p", { class: "due" }, found.due.length ? words.DUE(found.due.length) : words.NOTHING_DUE),
    mistakes.length ? h("ul", { class: "items" }, mistakes) : h("p", {}, words.NO_MISTAKES),
    h("p", { class: "fine" }, `${words.EXPLAIN_COUNTS} ${words.NO_GRADES}`),
    h("p", { class: "tools" }, h("button", { type: "button", onclick: exportFile }, words.EXPORT), file, h("label", { for: "import", class: "button" }, words.IMPORT), remove),
    h("p", { id: "told", role: "alert", class: "fault" }),
  );
}

const tell = (error) => { document.getElementById("told").textContent = error.message; };

async function replace(progress) {
  const { progress: cleaned } = await ask({ do: "progress", progress, day: today() });
  await keep(cleaned);
  await progressScreen();
}

function exportFile() {
  const link = h("a", { href: URL.createObjectURL(new Blob([JSON.stringify(state.progress, null, 1)], { type: "application/json" })), download: "attncalc-progress.json" });
  link.click();
  URL.revokeObjectURL(link.href);
}

async function importFile(file) {
  let data = null;
  try {
    data = JSON.parse(await file.text());
  } catch {
    data = null;
  }
  if (data?.version !== 1) throw new Error(words.NO_FILE);
  await replace(data);
}

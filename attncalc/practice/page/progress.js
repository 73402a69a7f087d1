// Progress: private data on this machine, with counts and without percentages.
import { button, h, show, today } from "./dom.js";
import { keep, open, state } from "./session.js";
import { ask, forgetDrafts } from "./transport.js";
import * as words from "./practice_messages.js";

const tell = (error) => { document.getElementById("fault").textContent = error.message; };

let before = null; // the progress before an import

export async function progressScreen() {
  const overview = await ask({ do: "progress", progress: state.progress, day: today() });
  const text = JSON.stringify(state.progress, null, 1);
  const file = { href: `data:application/json,${encodeURIComponent(text)}`, download: "attncalc-progress.json" };
  const pick = ({ target }) => importFile(target.files[0]).catch(tell).finally(() => { target.value = ""; }); // allows the same file again
  show(
    h("h1", {}, words.SCREENS.progress),
    h("p", { class: "due" }, words.DUE(overview)),
    overview.mistakes.length ? h("ul", { class: "items" }, overview.mistakes.map(mistake)) : h("p", {}, words.NO_MISTAKES),
    h("p", { class: "fine" }, `${words.EXPLAIN_COUNTS} ${words.NO_GRADES}`),
    h("p", { class: "tools" }, h("a", { class: "button", ...file }, "Export"),
      h("input", { type: "file", accept: "application/json,.json", id: "import", class: "heard", onchange: pick }),
      h("label", { for: "import", class: "button" }, "Import"), before && button("Undo the import", () => replace(before).catch(tell)), button("Delete everything", remove)),
    h("p", { id: "fault", role: "alert", class: "fault" }),
  );
}

function mistake(record) {
  const isHere = state.course.groups.some((group) => group.items.some((item) => item.id === record.item));
  const again = () => open(record.item, { number: 1, trap: record.code }).catch(tell);
  const title = h("strong", { html: record.title });
  return h("li", { class: record.due ? "mistake due" : "mistake" },
    title, h("p", { html: record.says }), h("p", { class: "fine" }, words.RECORD(record)),
    record.due && isHere ? button("Practise", again, { "aria-label": `Practise: ${title.textContent}` }) : null);
}

// An HTML dialog, because browsers open no native dialog in the frame of a notebook.
function remove() {
  const close = () => sure.remove();
  const sure = h("dialog", { "aria-labelledby": "sure", onclose: close }, h("p", { id: "sure" }, words.SURE), h("p", { class: "tools" },
    button("Keep", close), button("Delete", () => replace({}).then(forget).catch(tell))));
  document.getElementById("main").append(sure);
  sure.showModal();
}

function forget() {
  forgetDrafts();
  state.open = null;
}

// Store new progress, and add the progress of an imported file. Only an import can be undone.
async function replace(progress, imported = null) {
  const { progress: cleaned } = await ask({ do: "progress", progress, imported, day: today() });
  before = imported && progress;
  await keep(cleaned);
  await progressScreen();
}

async function importFile(file) {
  const data = await file.text().then(JSON.parse).catch(() => null);
  await replace(state.progress, data ?? {});
}

// Choose: exercises from easy to hard, with what is due.
import { h, show, today } from "./dom.js";
import { fail, go, open, openNext, state } from "./practice.js";
import { ask } from "./transport.js";
import * as words from "./practice-words.js";

function item(one) {
  const record = state.progress.items?.[one.id];
  const done = record?.done ? h("span", { class: "done" }, words.DONE(record.done)) : null;
  const isOpen = state.open?.task.item === one.id && !state.open.checked?.done; // what was typed is not lost
  const pick = () => (isOpen ? go("practise") : open(one.id, { number: record?.done ?? 0 }).catch(fail));
  return h("li", {}, h("button", { type: "button", class: "item", onclick: pick },
    h("strong", {}, one.title), one.about ? h("span", {}, one.about) : null, isOpen ? h("span", { class: "done" }, words.OPEN) : done));
}

export async function choose() {
  const said = h("span");
  const start = h("button", { type: "button", class: "main", onclick: () => openNext().catch(fail) }, words.START);
  const groups = state.course.groups.map((group, k) =>
    h("details", { open: k === 0 }, h("summary", {}, h("h2", {}, group.title)), h("ol", { class: "items" }, group.items.map(item))));
  show(
    h("h1", {}, state.course.title),
    h("p", { class: "ask" }, words.INTRO),
    h("p", { class: "due" }, said, start),
    groups,
    h("p", { class: "fine" }, words.NO_GRADES),
  );
  ask({ do: "progress", progress: state.progress, day: today() }).then(({ due }) => {
    said.textContent = `${due.length ? words.DUE(due.length) : words.NOTHING_DUE} `;
    if (due.length) start.textContent = words.PRACTISE_DUE;
  }, (error) => { said.textContent = `${error.message} `; });
}

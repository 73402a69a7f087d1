// Choose: the list of exercises from easy to hard, and the number of due mistakes.
import { button, h, show, today } from "./dom.js";
import { allItems, fail, isUnfinished, openItem, openNext, state } from "./session.js";
import { ask } from "./transport.js";
import * as words from "./practice_messages.js";

function item(exercise) {
  const count = state.progress.items?.[exercise.id]?.done ?? 0;
  const done = isUnfinished(exercise.id) ? words.OPEN : count && words.DONE(count);
  const pick = () => openItem(exercise.id).catch(fail);
  const lines = [h("strong", {}, exercise.title), exercise.about && h("span", {}, exercise.about), done && h("span", { class: "done" }, done)];
  return h("li", {}, button(lines, pick, { class: "item" }));
}

const finished = (items) => items.filter(({ id }) => state.progress.items?.[id]?.done).length;

export async function choose() {
  const status = h("span");
  const start = button("Start", () => openNext().catch(fail), { class: "main" });
  const started = allItems().filter(({ id }) => isUnfinished(id));
  const groups = state.course.groups.map((group, k) =>
    h("details", { open: k === 0 }, h("summary", {}, h("h2", {}, group.title), ` ${words.FINISHED(finished(group.items), group.items.length)}`),
      group.first.length > 0 && h("p", { class: "fine" }, words.FIRST_DO(group.first)), h("ol", { class: "items" }, group.items.map(item))));
  show(
    h("h1", {}, state.course.title),
    h("p", { class: "ask" }, words.INTRO),
    h("p", { class: "due" }, status, start),
    started.length > 0 && h("section", { "aria-labelledby": "started" }, h("h2", { id: "started" }, "Started"),
      h("ol", { class: "items" }, started.map(item))),
    groups,
    h("p", { class: "fine" }, words.NO_GRADES),
  );
  ask({ do: "progress", progress: state.progress, day: today() }).then(({ due, again }) => {
    status.textContent = `${Object.keys(state.progress.items ?? {}).length ? words.DUE({ due, again }) : words.DUE_MEANS} `;
    if (due.length + again.length) start.textContent = "Practise what is due";
  }, (error) => { status.textContent = `${error.message} `; });
}

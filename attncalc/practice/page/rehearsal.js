// Rehearsal: half an hour of exercises without verdicts, then a list of the mistakes. There is no grade.
import { button, h, show, today } from "./dom.js";
import { givensOf, taskOf } from "./exercise.js";
import { head, inputs } from "./grid.js";
import { allItems, fail, go, keep, newest, note, openWith, refresh, seed, state } from "./session.js";
import { ask, draftOf, forgetDraft, keepDraft, ready } from "./transport.js";
import * as words from "./practice_messages.js";

const DRAFT = " rehearsal"; // the id of an exercise has no space
const MINUTE = 60000; // milliseconds

export async function rehearsalScreen() {
  const rehearsal = draftOf(DRAFT);
  if (!rehearsal) choose();
  else if (rehearsal.results) result(rehearsal);
  else work(rehearsal);
}

// Choose exercises. At the start, finished exercises are selected, or else the exercises of the first group.
function choose() {
  const done = allItems().filter(({ id }) => state.progress.items?.[id]?.done);
  const chosen = new Set((done.length ? done : state.course.groups[0].items).map(({ id }) => id));
  const toggle = (id) => ({ target }) => (target.checked ? chosen.add(id) : chosen.delete(id));
  const box = ({ id, title }) => h("label", { class: "answer" },
    h("input", { type: "checkbox", checked: chosen.has(id), onchange: toggle(id) }), h("span", {}, title));
  const groups = state.course.groups.map(({ title, items }) =>
    h("details", { open: items.some(({ id }) => chosen.has(id)) }, h("summary", {}, h("h2", {}, title)), items.map(box)));
  show(
    h("h1", {}, words.SCREENS.rehearsal),
    h("p", { class: "ask" }, words.REHEARSE),
    h("p", { class: "tools" }, button("Start", () => begin(chosen), { class: "main" })),
    groups,
  );
}

async function begin(chosen) {
  note(words.DRAWING);
  const isNewest = newest();
  const items = allItems().map(({ id }) => id).filter((id) => chosen.has(id));
  const drawn = await ask({ do: "rehearse", items, seed: seed() }).catch((error) => note(error.message));
  if (!drawn || !isNewest()) return;
  const { tasks, minutes } = drawn;
  keepDraft(DRAFT, { tasks, place: 0, answers: tasks.map(() => ({})), end: Date.now() + minutes * MINUTE });
  go("rehearsal");
}

// One exercise with all its steps to do. The clock does not end it.
function work(rehearsal) {
  const { tasks, place, answers, end } = rehearsal, shown = tasks[place];
  const turn = (next) => { keepDraft(DRAFT, { ...rehearsal, place: next }); go("rehearsal"); };
  const clock = h("p", { class: "due", role: "timer" });
  const tick = () => { clock.textContent = words.LEFT(Math.ceil((end - Date.now()) / MINUTE)); };
  const grid = (step) => {
    const changed = (rows) => { answers[place][step.name] = rows; keepDraft(DRAFT, rehearsal); };
    return h("section", { class: "step", "aria-labelledby": `step-${step.name}` }, head(step), inputs(step, answers[place][step.name], { changed }).element);
  };
  show(
    h("h1", {}, shown.title),
    h("p", { class: "fine" }, words.EXERCISE_OF(place + 1, tasks.length)),
    clock,
    taskOf(shown),
    h("p", { class: "fine" }, words.DIGITS(shown.digits)),
    givensOf(shown),
    shown.steps.map(grid),
    h("p", { class: "tools" },
      place > 0 && button("Previous exercise", () => turn(place - 1)),
      place + 1 < tasks.length && button("Next exercise", () => turn(place + 1), { class: "main" }),
      button("Finish", () => finish(rehearsal).catch(fail), place + 1 < tasks.length ? {} : { class: "main" })),
  );
  tick();
  const timer = setInterval(() => (clock.isConnected ? tick() : clearInterval(timer)), MINUTE / 4);
}

// Check all exercises. Named mistakes become due, as in every exercise.
async function finish(rehearsal) {
  note(words.CHECKING);
  await ready();
  const results = [];
  for (const [k, { task, level }] of rehearsal.tasks.entries()) {
    await refresh();
    const { progress, ...judgement } = await ask({ do: "check", task, level, answers: rehearsal.answers[k], before: {},
      progress: state.progress, hinted: false, day: today() });
    await keep(progress);
    results.push(judgement);
  }
  keepDraft(DRAFT, { ...rehearsal, results });
  go("rehearsal");
}

function result({ tasks, answers, results }) {
  const verdict = (shown) => ({ name, verdict: kind, label }) => h("li", { class: kind, html: shown.steps.find((step) => step.name === name).math },
    `: ${words.VERDICTS[kind][0]} ${label}`);
  const exercise = ({ steps, mistakes, message }, k) => h("section", { class: "step" },
    h("h2", {}, tasks[k].title),
    h("p", { html: message }),
    h("ul", { class: "verdicts" }, steps.map(verdict(tasks[k]))),
    Object.values(mistakes).map((html) => h("p", { class: "bad", html })),
    h("p", { class: "tools" }, button(words.CORRECT, () => openWith(tasks[k], answers[k]).catch(fail), { "aria-label": `${words.CORRECT}: ${tasks[k].title}` })));
  show(
    h("h1", {}, words.SCREENS.rehearsal),
    h("p", { class: "ask" }, words.RESULT(results.filter(({ done }) => done).length, results.length)),
    results.map(exercise),
    h("p", { class: "tools" }, button("New rehearsal", () => { forgetDraft(DRAFT); go("rehearsal"); }, { class: "main" })),
  );
}

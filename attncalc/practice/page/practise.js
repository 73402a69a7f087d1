// Practise: the problem as on paper, a map of its steps, one grid a step, the marker's verdicts, and a ladder of hints.
import { h, maths, show, today } from "./dom.js";
import { head, inputs, matrix, named } from "./grid.js";
import { fail, go, keep, open, openNext, state } from "./main.js";
import { ask, isReady } from "./transport.js";
import * as words from "./words.js";

const GOOD = ["right", "truncated", "carried"];
let cards = new Map();
let map = null;
let said = null;
let drawn = { of: null, elements: [] }; // the exercise that was drawn last, with what was said of it

export async function practise() {
  if (drawn.of !== state.open) drawn = { of: state.open, elements: exercise() };
  show(...drawn.elements);
  showUses();
}

function exercise() {
  const { shown, level } = state.open;
  cards = new Map(shown.steps.map((step) => [step.name, step.blank ? card(step) : worked(step)]));
  map = h("ol", { class: "map" }, shown.steps.map((step) => (cards.get(step.name).link = h("li", {}, place(step, step.blank ? "missing" : "given")))));
  said = h("div", { class: "said" }, h("p", { id: "said", role: "status" }), h("p", { id: "after", class: "tools" }));
  const levels = h("select", { id: "level", onchange: (event) => again(Number(event.target.value)) },
    words.LEVELS.map((text, k) => h("option", { value: k + 1, selected: k + 1 === level }, text)));
  const first = shown.steps.find((step) => step.blank);
  const elements = (isKnown) => shown.steps.filter((step) => Boolean(step.cells) === isKnown).map((step) => cards.get(step.name).element);
  return [
    h("h1", {}, shown.title),
    shown.ask ? h("p", { class: "ask" }, shown.ask) : null,
    shown.conventions.length ? h("p", { class: "doc" }, shown.conventions.join("; ")) : null,
    h("p", { class: "fine" }, shown.stated ? words.DIGITS(shown.digits) : "", ` ${words.WHILE}`),
    h("p", { class: "tools" }, shown.steps.length > 1 ? [h("label", { for: "level" }, words.LEVEL), levels] : [],
      first ? maths("button", { type: "button", onclick: () => jump(first.name) }, `${words.BEGIN} ${first.math}`) : null,
      h("button", { type: "button", onclick: () => go("play") }, words.PLAY)),
    h("nav", { "aria-label": words.MAP }, map),
    h("section", { class: "givens", "aria-label": words.GIVEN }, shown.givens.map((one) => named(one, matrix(one).element))),
    h("div", { class: "steps" }, elements(true)),
    elements(false),
  ];
}

async function again(level) {
  const { task } = state.open;
  try {
    state.open = { ...state.open, level, shown: await ask({ do: "show", task, level }) };
    await practise();
  } catch (error) {
    fail(error);
  }
}

function place(step, status) {
  const link = maths("a", { href: `#step-${step.name}`, class: status, onclick: (event) => { event.preventDefault(); jump(step.name); } }, step.math);
  link.prepend(h("span", { "aria-hidden": "true" }, `${words.SIGNS[status]} `));
  link.append(" ", h("small", {}, words.shape(step.shape)), h("span", { class: "heard" }, `, ${words.STATUS[status]}`));
  return link;
}

function jump(name) {
  const one = cards.get(name);
  one.element.scrollIntoView({ block: "start", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  (one.grid ?? one.element).focus({ preventScroll: true });
}

// A step that is worked out, with one entry as an example of how; without numbers where it is another name of one to do.
function worked(step) {
  const example = step.line ? maths("p", { class: "line" }, step.line) : null;
  return { step, element: h("section", { class: "step given", tabindex: "-1" }, head(step), step.cells ? matrix(step).element : null, example) };
}

// A step to do.
function card(step) {
  const { answers } = state.open;
  const grid = inputs(step, answers[step.name], { changed: (rows) => { answers[step.name] = rows; }, entered: () => check(step.name) });
  const verdict = h("p", { class: "verdict", role: "status" });
  const cause = h("details", { hidden: true, ontoggle: () => { if (cause.open) state.open.hinted = true; } }, h("summary", {}, words.WHY), h("p"));
  const hints = h("div", { "aria-live": "polite" });
  const question = h("div");
  const help = h("button", { type: "button", onclick: () => hint(1) }, words.HINT);
  let rung = -1;

  async function hint(further) {
    rung += further;
    state.open.hinted = true;
    try {
      const found = await ask({ do: "hint", task: state.open.task, level: state.open.level, answers, step: step.name, rung });
      hints.replaceChildren(...found.hints.map((one) => told(step, one)));
      grid.mark(found.hints[0].cells, "look");
      help.textContent = words.MORE;
      help.disabled = !found.more;
    } catch (error) {
      hints.append(h("p", { class: "fault" }, error.message));
    }
  }

  function reset() {
    rung = -1;
    hints.replaceChildren();
    grid.mark([], "look");
    help.disabled = false;
    help.textContent = words.HINT;
    cause.open = false;
  }

  // After a check: hints for an answer that was judged otherwise go, and others are told of the new answer.
  const renew = (isOther) => (isOther ? reset() : rung >= 0 && hint(0));

  const uses = h("div", { class: "givens" });
  const tools = h("p", { class: "tools" },
    h("button", { type: "button", class: "main", onclick: () => check(step.name) }, words.CHECK),
    state.course.hints ? help : null,
    h("button", { type: "button", "aria-expanded": "false", onclick: (event) => toggleQuestion(step, question, event.target) }, words.ASK));
  const side = h("div", { class: "side" }, tools, verdict, cause, hints, question);
  const element = h("section", { class: "step", "aria-labelledby": `step-${step.name}` }, head(step), h("div", { class: "work" }, uses, grid.element, side));
  return { step, element, side, uses, grid, verdict, cause, renew };
}

// The matrices that a step is made of stand beside it: givens, steps that are worked out, and the student's own lines.
function showUses() {
  const { shown, answers } = state.open;
  const known = new Map([...shown.givens, ...shown.steps].map((one) => [one.name, { ...one, cells: one.cells ?? answers[one.blank ? one.name : one.uses[0]] }]));
  for (const { step, uses } of [...cards.values()].filter((one) => one.grid)) {
    const found = step.uses.map((name) => known.get(name)).filter((one) => one?.cells?.flat().some(Boolean));
    uses.replaceChildren(...found.map((one) => named(one, matrix(one).element)));
  }
}

function told(step, one) {
  const numbers = one.rung === "numbers" ? matrix({ ...step, cells: one.cells }).element : null;
  return h("div", { class: "rung" }, h("h3", {}, one.title), one.text ? h("p", {}, one.text) : null,
    one.html ? maths("p", { class: "line" }, one.html) : null, numbers);
}

function toggleQuestion(step, home, button) {
  const isOpen = home.childElementCount > 0;
  button.setAttribute("aria-expanded", String(!isOpen));
  if (isOpen) return home.replaceChildren();
  const why = h("p", { role: "status" });
  const pick = async (text) => {
    const found = await ask({ do: "question", task: state.open.task, step: step.name, answer: text });
    why.textContent = found.right ? `${words.RIGHT_ANSWER} ${found.why}` : words.WRONG_ANSWER;
    why.className = found.right ? "good" : "bad";
  };
  const choices = step.question.answers.map((text) =>
    h("label", { class: "answer" }, h("input", { type: "radio", name: `question-${step.name}`, onchange: () => pick(text) }), text));
  home.replaceChildren(h("fieldset", {}, h("legend", {}, step.question.text), choices), why);
}

// What is said of the whole exercise stands in the step that was checked.
async function check(name) {
  const { task, level, answers, hinted } = state.open;
  const own = cards.get(name);
  own.side.insertBefore(said, own.cause);
  const line = document.getElementById("said");
  const after = document.getElementById("after");
  if (!isReady) line.textContent = words.WAIT;
  try {
    const found = await ask({ do: "check", task, level, answers, step: name, hinted, progress: state.progress, day: today() });
    for (const one of found.steps) judge(one, one.name === name);
    showUses();
    Object.assign(state.open.met, found.mistakes);
    state.open.done = found.done;
    await keep(found.progress);
    line.textContent = found.said;
    after.replaceChildren(...offers(found.done));
    const next = found.steps.find((one) => one.verdict === "missing");
    if (found.done) after.firstChild.focus();
    else if (next && GOOD.includes(found.steps.find((one) => one.name === name).verdict)) cards.get(next.name).grid.focus();
  } catch (error) {
    line.textContent = error.message;
  }
}

function judge(one, isChecked) {
  const found = cards.get(one.name);
  const status = one.verdict;
  const text = found.cause.lastChild;
  found.link.replaceChildren(place(found.step, status));
  found.renew((found.verdict.dataset.status ?? "missing") !== status || text.textContent !== one.cause);
  found.verdict.dataset.status = status;
  found.verdict.className = `verdict ${status}`;
  found.verdict.textContent = isChecked || status !== "missing" ? [`${words.SIGNS[status]} ${one.label}`, ...one.notes].join("; ") : "";
  found.cause.hidden = !one.cause;
  text.textContent = one.cause;
}

// What may come next: another exercise, other numbers, or numbers that show a mistake that was made.
function offers(done) {
  const { item, number, met } = state.open;
  const offer = (text, action, kind = "") => h("button", { type: "button", class: kind, onclick: () => action().catch(fail) }, text);
  const another = offer(words.ANOTHER, () => open(item, { number: number + 1 }));
  if (!done) return [another]; // what a trap is called tells the cause
  const traps = Object.entries(met).slice(0, 3).map(([code, title]) => offer(`${words.TRAP}: ${title}`, () => open(item, { number: number + 1, trap: code })));
  return [offer(words.NEXT, () => openNext(), "main"), another, ...traps];
}

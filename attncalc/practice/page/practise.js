// Practise: the problem as on paper, a map of its steps, one grid a step, the marker's verdicts, and a ladder of hints.
import { h, maths, show, today } from "./dom.js";
import { head, inputs, matrix, named } from "./grid.js";
import { fail, go, keep, open, openNext, state } from "./practice.js";
import { ask, isReady } from "./transport.js";
import * as words from "./practice-words.js";
import { shape } from "./words.js";

const GOOD = ["right", "truncated", "carried"];
let cards = new Map();
let said = null;

export async function practise() {
  const { shown, checked } = state.open;
  cards = new Map(shown.steps.map((step) => [step.name, step.blank ? card(step) : worked(step)]));
  said = h("div", { class: "said" }, h("p", { id: "said", role: "status" }), h("p", { id: "after", class: "tools" }));
  const levels = h("select", { id: "level", onchange: (event) => again(Number(event.target.value)) },
    words.LEVELS.map((text, k) => h("option", { value: k + 1, selected: k + 1 === shown.level }, text)));
  const first = shown.steps.find((step) => step.blank);
  const elements = (isKnown) => shown.steps.filter((step) => Boolean(step.cells) === isKnown).map((step) => cards.get(step.name).element);
  show(
    h("h1", {}, shown.title),
    shown.said ? h("p", { class: "doc", role: "status" }, shown.said) : null,
    shown.ask ? maths("p", { class: "ask" }, shown.ask) : null,
    shown.conventions ? maths("p", { class: "doc" }, shown.conventions) : null,
    h("p", { class: "fine" }, shown.stated ? words.DIGITS(shown.digits) : "", ` ${words.WHILE}`),
    h("p", { class: "tools" }, shown.steps.length > 1 ? [h("label", { for: "level" }, words.LEVEL), levels] : [],
      first ? maths("button", { type: "button", onclick: () => jump(first.name) }, `${words.BEGIN} ${first.math}`) : null,
      h("button", { type: "button", onclick: () => go("play") }, words.PLAY)),
    h("nav", { "aria-label": words.MAP }, h("ol", { class: "map" }, shown.steps.map((step) => cards.get(step.name).link))),
    h("section", { class: "givens", "aria-label": words.GIVEN }, shown.givens.map((one) => named(one, matrix(one).element))),
    h("div", { class: "steps" }, elements(true)),
    elements(false),
  );
  showUses();
  if (checked) tell(checked);
}

async function again(level) {
  const { task } = state.open;
  try {
    state.open = { ...state.open, hints: {}, checked: null, shown: await ask({ do: "show", task, level }) };
    await practise();
  } catch (error) {
    fail(error);
  }
}

function place(step, status) {
  const link = maths("a", { href: `#step-${step.name}`, class: status, onclick: (event) => { event.preventDefault(); jump(step.name); } }, step.math);
  link.prepend(h("span", { "aria-hidden": "true" }, `${words.SIGNS[status]} `));
  link.append(" ", h("small", {}, shape(step.shape)), h("span", { class: "heard" }, `, ${words.STATUS[status]}`));
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
  return { link: h("li", {}, place(step, "given")), element: h("section", { class: "step given", tabindex: "-1" }, head(step), step.cells ? matrix(step).element : null, example) };
}

// A step to do.
function card(step) {
  const { answers, hints } = state.open;
  const grid = inputs(step, answers[step.name], { changed: (rows) => { answers[step.name] = rows; }, entered: () => check(step.name) });
  const verdict = h("p", { class: "verdict", role: "status" });
  const cause = h("details", { hidden: true, ontoggle: () => { if (cause.open) state.open.hinted = true; } }, h("summary", {}, words.WHY), h("p"));
  const ladder = h("div", { "aria-live": "polite" });
  const question = h("div");
  const help = h("button", { type: "button", onclick: () => hint(1) });

  async function hint(further) {
    const { task, shown: { level } } = state.open;
    state.open.hinted = true;
    try {
      const rung = (hints[step.name]?.hints.length ?? 0) - 1 + further;
      hints[step.name] = await ask({ do: "hint", task, level, answers, step: step.name, rung });
      climb();
    } catch (error) {
      ladder.append(h("p", { class: "fault" }, error.message));
    }
  }

  function climb() {
    const { hints: rungs, more } = hints[step.name] ?? { hints: [], more: true };
    ladder.replaceChildren(...rungs.map((one) => rung(step, one)));
    grid.mark(rungs[0]?.cells, "look");
    help.textContent = rungs.length ? words.MORE : words.HINT;
    help.disabled = !more;
  }

  // After a check: hints for an answer that was judged otherwise go, and others are told of the new answer.
  function renew(isOther) {
    if (isOther) {
      delete hints[step.name];
      cause.open = false;
      climb();
    } else if (hints[step.name]) hint(0);
  }

  climb();
  const uses = h("div", { class: "givens" });
  const tools = h("p", { class: "tools" },
    h("button", { type: "button", class: "main", onclick: () => check(step.name) }, words.CHECK),
    state.course.hints ? help : null,
    h("button", { type: "button", "aria-expanded": "false", onclick: (event) => toggleQuestion(step, question, event.target) }, words.ASK));
  const side = h("div", { class: "side" }, tools, verdict, cause);
  const element = h("section", { class: "step", "aria-labelledby": `step-${step.name}` }, head(step), h("div", { class: "work" }, uses, grid.element, side), ladder, question);
  return { step, link: h("li", {}, place(step, "missing")), element, side, uses, grid, verdict, cause, renew };
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

function rung(step, one) {
  const numbers = one.rung === "numbers" ? matrix({ ...step, cells: one.cells }).element : null;
  return h("div", { class: "rung" }, h("h3", {}, one.title), one.says ? maths("p", {}, one.says) : null,
    one.line ? maths("p", { class: "line" }, one.line) : null, numbers);
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

async function check(name) {
  const { task, shown: { level }, answers, hinted, met } = state.open;
  cards.get(name).side.insertBefore(said, cards.get(name).cause);
  const line = document.getElementById("said");
  if (!isReady) line.textContent = words.WAIT;
  try {
    const found = await ask({ do: "check", task, level, answers, step: name, hinted, progress: state.progress, day: today() });
    const seen = new Map(state.open.checked?.steps.map((one) => [one.name, one]));
    for (const one of found.steps) {
      const before = seen.get(one.name);
      cards.get(one.name).renew((before?.verdict ?? "missing") !== one.verdict || (before?.cause ?? "") !== one.cause);
    }
    Object.assign(met, found.mistakes);
    state.open.checked = { name, done: found.done, said: found.said, steps: found.steps };
    await keep(found.progress);
    tell(state.open.checked);
    showUses();
    const next = found.steps.find((one) => one.verdict === "missing");
    if (found.done) document.getElementById("after").firstChild.focus();
    else if (next && GOOD.includes(found.steps.find((one) => one.name === name).verdict)) cards.get(next.name).grid.focus();
  } catch (error) {
    line.textContent = error.message;
  }
}

// The verdicts; what is said of the whole exercise stands in the step that was checked.
function tell({ name, done, said: text, steps }) {
  for (const one of steps) {
    const { step, link, verdict, cause } = cards.get(one.name);
    link.replaceChildren(place(step, one.verdict));
    verdict.className = `verdict ${one.verdict}`;
    verdict.textContent = one.name === name || one.verdict !== "missing" ? [`${words.SIGNS[one.verdict]} ${one.label}`, ...one.notes].join("; ") : "";
    cause.hidden = !one.cause;
    cause.lastChild.innerHTML = one.cause;
  }
  cards.get(name).side.insertBefore(said, cards.get(name).cause);
  document.getElementById("said").innerHTML = text;
  document.getElementById("after").replaceChildren(...offers(done));
}

// What may come next: another exercise, other numbers, or numbers that show a mistake that was made.
function offers(done) {
  const { task: { item, number }, met } = state.open;
  const offer = (text, action, kind = "") => h("button", { type: "button", class: kind, onclick: () => action().catch(fail) }, text);
  const another = offer(words.ANOTHER, () => open(item, { number: number + 1 }));
  if (!done) return [another]; // what a trap is called tells the cause
  const traps = Object.entries(met).slice(0, 3).map(([code, title]) => offer(`${words.TRAP}: ${title}`, () => open(item, { number: number + 1, trap: code })));
  return [offer(words.NEXT, () => openNext({ after: item }), "main"), another, ...traps];
}

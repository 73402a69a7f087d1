// Practise: the problem as on paper, a map of its steps, one grid a step, the marker's verdicts, and a ladder of hints.
import { h, maths, show, today } from "./dom.js";
import { inputs, matrix, named } from "./grid.js";
import { fail, go, keep, open, openNext, state } from "./main.js";
import { ask } from "./transport.js";
import * as words from "./words.js";

let cards = new Map();
let map = null;

export async function practise() {
  const { shown, level } = state.open;
  cards = new Map(shown.steps.map((step, k) => [step.name, card(step, k)]));
  map = h("ol", { class: "map" }, shown.steps.map((step) => place(step, step.blank ? "todo" : "given")));
  const levels = h("select", { id: "level", onchange: (event) => again(Number(event.target.value)) },
    words.LEVELS.map((text, k) => h("option", { value: k + 1, selected: k + 1 === level }, text)));
  show(
    h("h1", {}, shown.title),
    shown.ask ? h("p", { class: "ask" }, shown.ask) : null,
    shown.conventions.length ? h("p", { class: "doc" }, shown.conventions.join("; ")) : null,
    h("p", { class: "fine" }, shown.stated ? words.DIGITS(shown.digits) : "", ` ${words.WHILE}`),
    h("p", { class: "tools" }, h("label", { for: "level" }, words.LEVEL), levels,
      h("button", { type: "button", onclick: () => go("play") }, words.PLAY)),
    h("nav", { "aria-label": words.MAP }, map),
    h("section", { class: "givens", "aria-label": words.GIVEN }, shown.givens.map((one) => named(one, matrix(one).element))),
    [...cards.values()].map((one) => one.element),
    h("p", { id: "said", role: "status", class: "said" }),
    h("div", { id: "after", class: "tools" }),
  );
}

async function again(level) {
  const { task } = state.open;
  try {
    state.open = { ...state.open, level, shown: await ask({ do: "show", task, level }), answers: {} };
    await practise();
  } catch (error) {
    fail(error);
  }
}

function place(step, status) {
  const sign = h("span", { "aria-hidden": "true" }, `${words.SIGNS[status]} `);
  const link = h("a", { href: `#step-${step.name}`, class: status, onclick: (event) => { event.preventDefault(); jump(step.name); } },
    sign, step.name, " ", h("small", {}, words.shape(step.shape)), h("span", { class: "heard" }, `, ${words.STATUS[status]}`));
  return h("li", {}, link);
}

function jump(name) {
  const one = cards.get(name);
  one.element.scrollIntoView({ block: "start", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  (one.grid ? one.grid : one.element).focus({ preventScroll: true });
}

function card(step, k) {
  const title = maths("h2", { id: `step-${step.name}` }, `${step.math} <math><mo>=</mo></math> ${step.formula}`);
  const about = step.meaning ? h("p", { class: "doc" }, step.meaning) : null;
  if (!step.blank) return { step, element: h("section", { class: "step given", tabindex: "-1", "aria-labelledby": title.id }, title, about, matrix(step).element) };
  const grid = inputs(step, state.open.answers[step.name], { changed: (rows) => { state.open.answers[step.name] = rows; }, entered: () => check(step.name) });
  const verdict = h("p", { class: "verdict", role: "status" });
  const cause = h("details", { class: "cause", hidden: true, ontoggle: () => { if (cause.open) state.open.hinted = true; } }, h("summary", {}, words.WHY), h("p"));
  const hints = h("div", { class: "hints", "aria-live": "polite" });
  const question = h("div", { class: "question" });
  let rung = -1;
  const most = state.course.hints;
  const help = h("button", { type: "button", onclick: () => hint() }, words.HINT);
  async function hint() {
    rung += 1;
    state.open.hinted = true;
    try {
      const found = await ask({ do: "hint", task: state.open.task, level: state.open.level, answers: state.open.answers, step: step.name, rung });
      hints.replaceChildren(...found.hints.map((one) => said(step, one)));
      grid.mark(found.hints[0].cells);
      help.textContent = words.MORE;
      help.disabled = !found.more;
    } catch (error) {
      hints.append(h("p", { class: "fault" }, error.message));
    }
  }
  const tools = h("p", { class: "tools" },
    h("button", { type: "button", class: "main", onclick: () => check(step.name) }, words.CHECK),
    most ? help : null,
    h("button", { type: "button", "aria-expanded": "false", onclick: (event) => toggleQuestion(step, question, event.target) }, words.ASK));
  const element = h("section", { class: "step", "aria-labelledby": title.id }, title, about, grid.element, verdict, cause, tools, hints, question);
  return { step, element, grid, verdict, cause, reset: () => { rung = -1; hints.replaceChildren(); grid.mark([]); help.disabled = false; help.textContent = words.HINT; } };
}

function said(step, one) {
  const parts = [h("h3", {}, one.title)];
  if (one.text) parts.push(h("p", {}, one.text));
  if (one.html) parts.push(maths("p", { class: "line" }, one.html));
  if (one.rung === "numbers") parts.push(matrix({ ...step, cells: one.cells }).element);
  return h("div", { class: "rung" }, parts);
}

function toggleQuestion(step, home, button) {
  const isOpen = home.childElementCount > 0;
  button.setAttribute("aria-expanded", String(!isOpen));
  if (isOpen) return home.replaceChildren();
  const why = h("p", { role: "status" });
  const pick = async (text) => {
    const found = await ask({ do: "question", task: state.open.task, step: step.name, answer: text });
    why.textContent = `${found.right ? words.RIGHT_ANSWER : words.WRONG_ANSWER} ${found.right ? found.why : ""}`;
    why.className = found.right ? "good" : "bad";
  };
  const choices = step.question.answers.map((text) => h("label", { class: "answer" }, h("input", { type: "radio", name: `question-${step.name}`, onchange: () => pick(text) }), text));
  home.replaceChildren(h("fieldset", {}, h("legend", {}, step.question.text), choices), why);
}

async function check(name) {
  const { task, level, answers, hinted } = state.open;
  try {
    const found = await ask({ do: "check", task, level, answers, step: name, hinted, progress: state.progress, day: today() });
    for (const one of found.steps) judge(one, answers);
    state.open.met = [...new Set([...state.open.met, ...found.mistakes])];
    await keep(found.progress);
    document.getElementById("said").textContent = found.said;
    document.getElementById("after").replaceChildren(...(found.done || state.open.met.length ? after(found.done) : []));
    const next = found.steps.find((one) => one.verdict === "missing");
    const own = found.steps.find((one) => one.name === name);
    if (own && ["right", "truncated", "carried"].includes(own.verdict) && next) cards.get(next.name).grid.focus();
  } catch (error) {
    document.getElementById("said").textContent = error.message;
  }
}

function judge(one, answers) {
  const found = cards.get(one.name);
  const typed = (answers[one.name] ?? []).some((row) => row.some(Boolean));
  const status = one.verdict;
  const item = [...map.children].find((li) => li.firstChild.getAttribute("href") === `#step-${one.name}`);
  item.replaceWith(place(found.step, status));
  if (found.verdict.dataset.status && found.verdict.dataset.status !== status) found.reset();
  found.verdict.dataset.status = status;
  found.verdict.className = `verdict ${status}`;
  found.cause.hidden = !one.cause;
  if (found.cause.lastChild.textContent !== one.cause) found.cause.open = false;
  found.cause.lastChild.textContent = one.cause;
  found.verdict.textContent = typed ? [`${words.SIGNS[status]} ${one.label}`, ...one.notes].join("; ") : "";
}

function after(done) {
  const { item, number, met } = state.open;
  const offer = (text, action, kind = "") => h("button", { type: "button", class: kind, onclick: () => action().catch(fail) }, text);
  const buttons = met.slice(0, 3).map((code) => offer(`${words.TRAP}: ${code}`, () => open(item, { number: number + 1, trap: code })));
  return [
    done ? offer(words.NEXT, () => openNext(), "main") : null,
    offer(words.ANOTHER, () => open(item, { number: number + 1 })),
    ...buttons,
  ].filter(Boolean);
}

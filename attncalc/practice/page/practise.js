// Practise: the problem as on paper, a map of its steps, one grid a step, the marker's verdicts, and a ladder of hints.
import { button, h, maths, show, today } from "./dom.js";
import { head, inputs, matrix, named } from "./grid.js";
import { fail, go, keep, open, openNext, state } from "./practice.js";
import { ask, isReady } from "./transport.js";
import * as words from "./practice-words.js";
import { shape } from "./words.js";

const GOOD = ["right", "truncated", "carried"];
let cards = new Map();
let said = null; // what is said of the whole exercise; it stands in the step that was checked

export async function practise() {
  const { shown, checked } = state.open;
  cards = new Map(shown.steps.map((step) => [step.name, step.blank ? card(step) : worked(step)]));
  said = h("div", { class: "said" }, h("p", { id: "said", role: "status" }), h("p", { id: "after", class: "tools" }));
  const first = shown.steps.find((step) => step.blank);
  const elements = (isKnown) => shown.steps.filter((step) => Boolean(step.cells) === isKnown).map((step) => cards.get(step.name).element);
  show(
    h("h1", {}, shown.title),
    shown.said ? h("p", { class: "doc", role: "status" }, shown.said) : null,
    shown.ask ? maths("p", { class: "ask" }, shown.ask) : null,
    shown.conventions ? maths("p", { class: "doc" }, shown.conventions) : null,
    h("p", { class: "fine" }, shown.stated ? words.DIGITS(shown.digits) : "", ` ${words.WHILE}`),
    h("p", { class: "tools" }, shown.steps.length > 1 ? levels(shown.level) : [],
      first ? maths("button", { type: "button", onclick: () => jump(first.name) }, `Begin with ${first.math}`) : null,
      button("Open in the playground", () => go("play"))),
    h("nav", { "aria-label": "Steps" }, h("ol", { class: "map" }, [...cards.values()].map((one) => one.link))),
    h("section", { class: "givens", "aria-label": "Given" }, shown.givens.map((one) => named(one, matrix(one).element))),
    h("div", { class: "steps" }, elements(true)),
    elements(false),
  );
  showUses();
  if (checked) tell(checked);
}

// How much is left to do.
function levels(level) {
  const again = async (event) => {
    const shown = await ask({ do: "show", task: state.open.task, level: Number(event.target.value) });
    state.open = { ...state.open, hints: {}, checked: null, shown };
    await practise();
  };
  const options = words.LEVELS.map((text, k) => h("option", { value: k + 1, selected: k + 1 === level }, text));
  return [h("label", { for: "level" }, "To do"), h("select", { id: "level", onchange: (event) => again(event).catch(fail) }, options)];
}

// A step's place on the map, with its verdict.
function place(step, verdict) {
  const [sign, heard] = words.VERDICTS[verdict];
  const onclick = (event) => { event.preventDefault(); jump(step.name); };
  const link = maths("a", { href: `#step-${step.name}`, class: verdict, onclick }, step.math);
  link.prepend(h("span", { "aria-hidden": "true" }, `${sign} `));
  link.append(" ", h("small", {}, shape(step.shape)), h("span", { class: "heard" }, `, ${heard}`));
  return link;
}

function jump(name) {
  const { element, grid } = cards.get(name);
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  element.scrollIntoView({ block: "start", behavior: isStill ? "auto" : "smooth" });
  (grid ?? element).focus({ preventScroll: true });
}

const line = (source) => (source ? maths("p", { class: "line" }, source) : null);

// A step that is worked out, with one entry as an example of how; without numbers where it is another name of one to do.
function worked(step) {
  const numbers = step.cells ? matrix(step).element : null;
  const element = h("section", { class: "step given", tabindex: "-1" }, head(step), numbers, line(step.line));
  return { link: h("li", {}, place(step, "given")), element };
}

// A step to do.
function card(step) {
  const { answers } = state.open;
  const checkThis = () => check(step.name);
  const changed = (rows) => { answers[step.name] = rows; };
  const opened = ({ target }) => { if (target.open) state.open.hinted = true; };
  const asked = h("div");
  const one = {
    step,
    link: h("li", {}, place(step, "missing")),
    uses: h("div", { class: "givens" }),
    grid: inputs(step, answers[step.name], { changed, entered: checkThis }),
    verdict: h("p", { class: "verdict", role: "status" }),
    cause: h("details", { hidden: true, ontoggle: opened }, h("summary", {}, "The cause"), h("p")),
    ladder: h("div", { "aria-live": "polite" }),
    help: button("Hint", () => hint(one, 1)),
  };
  climb(one);
  const question = button("Question", () => toggleQuestion(step, asked, question), { "aria-expanded": "false" });
  const tools = h("p", { class: "tools" },
    button("Check", checkThis, { class: "main" }), state.course.hints ? one.help : null, question);
  const side = h("div", { class: "side" }, tools, one.verdict, one.cause);
  const work = h("div", { class: "work" }, one.uses, one.grid.element, side);
  one.element = h("section", { class: "step", "aria-labelledby": `step-${step.name}` }, head(step), work, one.ladder, asked);
  return one;
}

async function hint(one, further) {
  const { task, shown: { level }, answers, hints } = state.open;
  const { step: { name } } = one;
  state.open.hinted = true;
  try {
    const rung = (hints[name]?.hints.length ?? 0) - 1 + further;
    hints[name] = await ask({ do: "hint", task, level, answers, step: name, rung });
    climb(one);
  } catch (error) {
    one.ladder.append(h("p", { class: "fault" }, error.message));
  }
}

// The rungs of the ladder that are known.
function climb({ step, grid, ladder, help }) {
  const { hints: rungs, more } = state.open.hints[step.name] ?? { hints: [], more: true };
  ladder.replaceChildren(...rungs.map((one) => rung(step, one)));
  grid.mark(rungs[0]?.cells, "look");
  help.textContent = rungs.length ? "More help" : "Hint";
  help.disabled = !more;
}

// After a check: hints for an answer that was judged otherwise go, and others are told of the new answer.
function renew(one, isOther) {
  const { hints } = state.open;
  if (!isOther) return void (hints[one.step.name] && hint(one, 0));
  delete hints[one.step.name];
  one.cause.open = false;
  climb(one);
}

// The matrices that a step is made of stand beside it: givens, steps that are worked out, and the student's own lines.
function showUses() {
  const { shown, answers } = state.open;
  const known = new Map([...shown.givens, ...shown.steps].map((one) =>
    [one.name, { ...one, cells: one.cells ?? answers[one.blank ? one.name : one.uses[0]] }]));
  for (const { step, uses } of [...cards.values()].filter((one) => one.grid)) {
    const found = step.uses.map((name) => known.get(name)).filter((one) => one?.cells?.flat().some(Boolean));
    uses.replaceChildren(...found.map((one) => named(one, matrix(one).element)));
  }
}

function rung(step, one) {
  const numbers = one.rung === "numbers" ? matrix({ ...step, cells: one.cells }).element : null;
  return h("div", { class: "rung" }, h("h3", {}, one.title), one.says ? maths("p", {}, one.says) : null, line(one.line), numbers);
}

function toggleQuestion(step, home, opener) {
  const isOpen = home.childElementCount > 0;
  opener.setAttribute("aria-expanded", String(!isOpen));
  if (isOpen) return home.replaceChildren();
  const why = h("p", { role: "status" });
  const pick = async (answer) => {
    const found = await ask({ do: "question", task: state.open.task, step: step.name, answer });
    why.textContent = found.right ? `Right. ${found.why}` : "Not quite.";
    why.className = found.right ? "good" : "bad";
  };
  const name = `question-${step.name}`;
  const choices = step.question.answers.map((text) =>
    h("label", { class: "answer" }, h("input", { type: "radio", name, onchange: () => pick(text) }), text));
  home.replaceChildren(h("fieldset", {}, h("legend", {}, step.question.text), choices), why);
}

async function check(name) {
  const { task, shown: { level }, answers, hinted, met } = state.open;
  cards.get(name).cause.before(said);
  if (!isReady) said.firstChild.textContent = words.WAIT;
  try {
    const found = await ask({ do: "check", task, level, answers, step: name, hinted, progress: state.progress, day: today() });
    const before = new Map(state.open.checked?.steps.map((one) => [one.name, one]));
    for (const { name, verdict, cause } of found.steps) {
      const old = before.get(name) ?? { verdict: "missing", cause: "" };
      renew(cards.get(name), old.verdict !== verdict || old.cause !== cause);
    }
    Object.assign(met, found.mistakes);
    state.open.checked = { name, done: found.done, said: found.said, steps: found.steps };
    await keep(found.progress);
    tell(state.open.checked);
    showUses();
    goOn(name, found);
  } catch (error) {
    said.firstChild.textContent = error.message;
  }
}

// To the next step that is empty, or to what comes after the exercise.
function goOn(name, { done, steps }) {
  const next = steps.find((one) => one.verdict === "missing");
  if (done) said.lastChild.firstChild.focus();
  else if (next && GOOD.includes(steps.find((one) => one.name === name).verdict)) cards.get(next.name).grid.focus();
}

function tell({ name, done, said: text, steps }) {
  for (const one of steps) {
    const { step, link, verdict, cause } = cards.get(one.name);
    const isShown = one.name === name || one.verdict !== "missing";
    link.replaceChildren(place(step, one.verdict));
    verdict.className = `verdict ${one.verdict}`;
    verdict.textContent = isShown ? [`${words.VERDICTS[one.verdict][0]} ${one.label}`, ...one.notes].join("; ") : "";
    cause.hidden = !one.cause;
    cause.lastChild.innerHTML = one.cause;
  }
  cards.get(name).cause.before(said);
  said.firstChild.innerHTML = text;
  said.lastChild.replaceChildren(...offers(done));
}

// What may come next: another exercise, other numbers, or numbers that show a mistake that was made.
function offers(done) {
  const { task: { item, number }, met } = state.open;
  const other = (trap = "") => () => open(item, { number: number + 1, trap }).catch(fail);
  const another = button("Another one like it", other());
  if (!done) return [another]; // what a trap is called tells the cause
  const traps = Object.entries(met).slice(0, 3).map(([code, title]) => button(`The same trap again: ${title}`, other(code)));
  return [button("Next exercise", () => openNext({ after: item }).catch(fail), { class: "main" }), another, ...traps];
}

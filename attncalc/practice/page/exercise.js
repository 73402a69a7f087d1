// Practise: the problem, a list of its steps, a grid for each step, the marker's verdicts, and hints.
import { arcs } from "./arcs.js";
import { button, fill, h, show, today } from "./dom.js";
import { head, inputs, matrix, named } from "./grid.js";
import { back, fail, go, keep, keepOpen, keepShown, linkOf, newest, nextAfter, open, prepare, refresh, state, take } from "./session.js";
import { ask, isReady, ready } from "./transport.js";
import * as words from "./practice_messages.js";
import { shape } from "./words.js";

const GOOD = ["right", "truncated", "carried"];
const UNJUDGED = { verdict: "missing", label: "", notes: [], cause: "" };
let cards = new Map();
let message = null; // the message about the exercise, in the step that was checked last

export async function practise() {
  const { shown } = state.open;
  cards = new Map(shown.steps.map((step) => [step.name, step.blank ? card(step) : worked(step)]));
  message = h("div", { class: "message" }, h("p", { id: "message", role: "status" }), h("p", { id: "after", class: "tools" }));
  const first = shown.steps.find((step) => step.blank);
  const isFirst = shown.steps.some((step) => step.cells) && !Object.keys(state.progress.items ?? {}).length;
  const [known, others] = [true, false].map((isKnown) =>
    shown.steps.filter((step) => Boolean(step.cells) === isKnown).map((step) => cards.get(step.name).element));
  show(
    h("h1", {}, shown.title),
    h("p", { class: "fine" }, here(state.open.task.item), words.MINUTES(shown.minutes)),
    shown.message && h("p", { class: "doc", role: "status" }, shown.message),
    taskOf(shown),
    h("p", { class: "fine" }, shown.stated ? words.DIGITS(shown.digits) : "", ` ${words.WHILE} `,
      words.signs(shown.steps.flatMap(({ formula, definition }) => [formula, ...definition]).join(" "))),
    h("p", { class: "tools" }, stages(shown), shown.steps.length > 1 && levels(shown.level),
      first && button(["Begin with ", spoken(first)].flat(), () => jump(first.name)),
      button("Another one like it", another()),
      state.open.previous && button("Back to the previous numbers", () => back().catch(fail)),
      button("Open in the playground", () => go("play")), h("a", { href: linkOf(state.open.task) }, "Link to these numbers")),
    isFirst && h("p", { class: "doc" }, words.FIRST),
    h("nav", { "aria-label": "Steps" }, h("ol", { class: "map" }, [...cards.values()].map((view) => view.link))),
    givensOf(shown),
    h("div", { class: "steps" }, known),
    others,
  );
  tell();
  if (state.open.checked) conclude(state.open.checked);
}

// The task of an exercise with its conventions, and its given matrices.
export const taskOf = ({ ask: task, conventions }) => [
  task && h("p", { class: "ask", html: task }), conventions && h("p", { class: "doc", html: conventions })].filter(Boolean);
export const givensOf = ({ givens }) => h("section", { class: "givens", "aria-label": "Given" }, givens.map(seen));

// The position of an exercise in the course.
function here(item) {
  const group = state.course.groups.find(({ items }) => items.some(({ id }) => id === item));
  return group ? words.HERE(group.title, group.items.findIndex(({ id }) => id === item) + 1, group.items.length) : "";
}

// Show the same numbers at another stage or level.
async function again(stage, level) {
  const task = { ...state.open.task, stage }, isNewest = newest();
  const shown = await ask({ do: "show", task, level });
  if (!isNewest()) return;
  state.open = { ...state.open, task, hints: {}, checked: null, shown };
  keepShown();
  await practise();
}

function choice(id, label, texts, chosen, move) {
  const options = texts.map((text, k) => h("option", { value: k + 1, selected: k === chosen }, text));
  const onchange = ({ target }) => move(target.value - 1).catch(fail);
  return [h("label", { for: id }, label), h("select", { id, onchange }, options)];
}

// The choice of the level: how many steps the student must do.
const levels = (level) => choice("level", "To do", words.LEVELS, level - 1, (k) => again(state.open.task.stage, k + 1));

// The choice of the stage, if there are several stages.
function stages({ stages: texts, level }) {
  const named = texts.map((text, k) => words.STAGE(k + 1, texts.length, text));
  return texts.length > 1 && choice("stage", "Part", named, state.open.task.stage, (k) => again(k, level));
}

// The name of a matrix as mathematics, and as text for screen readers, which may not read mathematics in links.
const spoken = ({ name, math }) => [h("span", { "aria-hidden": "true", html: math }), h("span", { class: "heard" }, name)];

// A step in the list of steps, with its verdict.
function place(step, verdict) {
  const [sign, heard] = words.VERDICTS[verdict];
  const onclick = (event) => { event.preventDefault(); jump(step.name); };
  return h("a", { href: `#step-${step.name}`, class: verdict, onclick },
    h("span", { "aria-hidden": "true" }, `${sign} `), spoken(step), " ", h("small", {}, shape(step.shape)),
    h("span", { class: "heard" }, `, ${heard}`));
}

function jump(name) {
  const { element, grid } = cards.get(name);
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  element.scrollIntoView({ block: "start", behavior: isStill ? "auto" : "smooth" });
  (grid ?? element).focus({ preventScroll: true });
}

// A calculation, or a matrix with known numbers.
const line = (source) => source && h("p", { class: "line", tabindex: 0, html: source });
const numbers = (step, cells) => cells && matrix({ ...step, cells }).element;
const seen = (step) => named(step, matrix(step).element);

// A worked step with one entry as an example. If it only renames an open step, it has no numbers.
function worked(step) {
  const folded = step.cells && step.arcs && foldedArcs(step, () => step.cells);
  const element = h("section", { class: "step given", tabindex: "-1" }, head(step), numbers(step, step.cells), line(step.line),
    folded && [h("p", { class: "tools" }, folded.button), folded.picture]);
  return { link: h("li", {}, place(step, "given")), element };
}

// A picture of the weights that are on the page, behind a button. `draw` shows it again, with changed weights.
function foldedArcs(step, cells) {
  const picture = h("div", { hidden: true });
  const draw = () => { if (!picture.hidden) picture.replaceChildren(arcs(step, cells())); };
  const fold = ({ target }) => {
    target.setAttribute("aria-expanded", String(picture.hidden));
    picture.hidden = !picture.hidden;
    draw();
  };
  return { picture, draw, button: button("Arcs", fold, { "aria-expanded": "false" }) };
}

// An open step. `renew` shows its inputs and its verdict.
function card(step) {
  const { answers } = state.open;
  const checkThis = () => check(step.name);
  const folded = step.arcs && foldedArcs(step, () => answers[step.name]);
  const changed = (rows) => {
    answers[step.name] = rows;
    keepOpen();
    if (folded) folded.draw();
  };
  const refused = (error) => view.ladder.append(h("p", { class: "fault" }, error.message));
  const asked = step.question && question(step);
  const fold = ({ target }) => target.setAttribute("aria-expanded", String(!(asked.hidden = !asked.hidden)));
  const view = {
    step,
    link: h("li"),
    uses: h("div", { class: "givens" }),
    grid: inputs(step, answers[step.name], { changed, entered: checkThis }),
    verdict: h("p", { role: "status" }),
    ladder: h("div", { "aria-live": "polite" }),
    help: button("Hint", () => hint(step.name, 1).then(tell, refused)),
  };
  const tools = h("p", { class: "tools" }, button("Check", checkThis, { class: "main" }),
    state.course.hints > 0 && view.help, asked && button("Question", fold, { "aria-expanded": "false" }),
    folded && folded.button);
  view.side = h("div", { class: "side" }, tools, view.verdict);
  view.element = h("section", { class: "step", "aria-labelledby": `step-${step.name}` },
    head(step), h("div", { class: "work" }, view.uses, view.grid.element, view.side), folded && folded.picture, view.ladder, asked);
  return view;
}

function question({ name, question: { text, answers, right, feedback: about } }) {
  const feedback = h("p", { role: "status" });
  const pick = (answer) => {
    feedback.innerHTML = about[answer];
    feedback.className = answer === right ? "good" : "bad";
  };
  const choices = answers.map((answer) => h("label", { class: "answer" },
    h("input", { type: "radio", name: `question-${name}`, onchange: () => pick(answer) }), h("span", { html: answer })));
  return h("div", { hidden: true }, h("fieldset", {}, h("legend", { html: text }), choices), feedback);
}

// Show the verdict, the hints and the inputs of each step.
function tell() {
  const { shown, answers, checked, hints } = state.open;
  const known = new Map([...shown.givens, ...shown.steps].map((step) =>
    [step.name, { ...step, cells: step.cells ?? answers[step.blank ? step.name : step.uses[0]] }]));
  const judgements = new Map(checked?.steps.map((step) => [step.name, step]));
  for (const [name, view] of cards) if (view.grid) renew(view, judgements.get(name) ?? UNJUDGED, hints[name], known);
}

function conclude({ name, message: text, done }) {
  cards.get(name).side.append(message);
  message.firstChild.innerHTML = text;
  message.lastChild.replaceChildren(...(done ? offers() : []));
}

// Show the verdict and the hints of an open step, and the matrices that it uses.
function renew({ step, link, uses, grid, verdict, ladder, help }, judgement, hints, known) {
  fill(link, place(step, judgement.verdict));
  verdict.className = `verdict ${judgement.verdict}`;
  const isShown = state.open.checked?.name === step.name || judgement.verdict !== "missing";
  fill(verdict, isShown && h("span", { class: "heard" }, `${step.name}: `),
    isShown && [`${words.VERDICTS[judgement.verdict][0]} ${judgement.label}`, ...judgement.notes].join("; "));
  fill(ladder, hints?.hints.map((entry) => h("div", { class: "hint" }, h("h3", {}, entry.title),
    entry.says && h("p", { html: entry.says }), line(entry.line), entry.kind === "numbers" && numbers(step, entry.cells))));
  grid.mark(hints?.hints.find((entry) => entry.kind === "where")?.cells, "look");
  help.textContent = hints ? "More help" : "Hint";
  help.disabled = hints?.more === false;
  const made = step.uses.map((name) => known.get(name)).filter((source) => source?.cells?.flat().some(Boolean));
  fill(uses, made.map(seen));
}

async function hint(name, further) {
  const { task, shown: { level }, answers, hints } = state.open;
  state.open.hinted ||= further > 0;
  const hintLevel = (hints[name]?.hints.length ?? 0) - 1 + further;
  hints[name] = await ask({ do: "hint", task, level, answers, step: name, hint_level: hintLevel });
  keepOpen();
}

// Check the answers. If the verdict on a step changes, its hints are removed. Other hints are updated.
async function check(name) {
  const checking = state.open, { task, shown: { level }, answers, hints, hinted, met, checked, before } = checking;
  cards.get(name).side.append(message);
  fill(cards.get(name).verdict, words.CHECKING); // so that screen readers also read an equal verdict again
  if (!isReady) message.firstChild.textContent = words.WAIT;
  try {
    await ready();
    await refresh();
    const about = { step: name, progress: state.progress, hinted, day: today() };
    const now = { ...answers };
    const { progress, mistakes, ...judgement } = await ask({ do: "check", task, level, answers: now, before, ...about });
    await keep(progress);
    if (state.open !== checking) return; // the user has opened another exercise
    judgement.steps.forEach((step, k) => {
      const { verdict, cause } = checked?.steps[k] ?? UNJUDGED;
      if (verdict !== step.verdict || cause !== step.cause) delete hints[step.name];
    });
    Object.assign(met, mistakes);
    checking.before = now;
    checking.checked = { name, ...judgement };
    keepOpen();
    tell();
    conclude(checking.checked);
    goOn(name, judgement);
    await Promise.all(Object.keys(hints).map((other) => hint(other, 0)));
    tell();
  } catch (error) {
    if (state.open !== checking) return;
    fill(cards.get(name).verdict); // the old verdict was for an earlier answer
    message.firstChild.textContent = error.message;
  }
}

// Move to the next empty step, or to the buttons after the exercise.
function goOn(name, { done, steps }) {
  const next = steps.find((step) => step.verdict === "missing");
  if (done) message.lastChild.firstChild.focus();
  else if (next && GOOD.includes(steps.find((step) => step.name === name).verdict)) cards.get(next.name).grid.focus();
}

// Open the exercise with different numbers. With `trap`, the numbers reveal this mistake.
function another(trap = "") {
  const { item, number } = state.open.task;
  return () => open(item, { number: number + 1, trap }).catch(fail);
}

// The buttons after an exercise. They are not shown earlier, because the name of a mistake would reveal the cause.
function offers() {
  const { task: { item, stage }, shown, met } = state.open;
  const isLast = stage + 1 === shown.stages.length, request = nextAfter(item);
  if (isLast) prepare(request);
  const next = isLast
    ? button("Next exercise", () => take(request).catch(fail), { class: "main" })
    : button("Next part", () => again(stage + 1, shown.level).catch(fail), { class: "main" });
  const traps = Object.entries(met).slice(0, 3);
  return [next, button("Another one like it", another()),
    ...traps.map(([code, done]) => button([], another(code), { html: `The same trap again: “${done}”` }))];
}

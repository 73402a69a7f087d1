// Playground: a change of a given recalculates all steps. A selected entry shows its sources.
import { button, fill, h, show } from "./dom.js";
import { head, inputs, matrix, named } from "./grid.js";
import { seed, state } from "./session.js";
import { ask } from "./transport.js";
import * as words from "./practice_messages.js";

const HALF = /(^|[-+*/^(,.])$/; // end of an incomplete number
const WAIT = 60; // milliseconds without input before a recalculation
const SCALES = ["0.25", "0.5", "1", "1.5", "2", "3", "4", "6", "8"];

let open = null; // the exercise, its changes, and the elements of the screen

// Return the exercise if it is done. Otherwise return the exercise with different numbers, so that it reveals no answer.
async function played() {
  const { task, shown, checked } = state.open;
  if (checked?.done) return { ...shown, task };
  show(h("p", { role: "status" }, words.DRAWING));
  return state.open.played ??= await ask({ do: "new", item: task.item, seed: seed(), number: task.number + 1 });
}

export async function play() {
  const shown = await played();
  const { task } = shown;
  open = {
    task,
    changed: { given: {}, options: {} },
    typed: shown.givens.filter((entry) => entry.typed).map((entry) => entry.name),
    grids: new Map(),
    steps: h("div", { class: "steps" }),
    sliders: h("div", { class: "sliders" }),
    line: h("div", { class: "why", role: "status", tabindex: 0 }, words.POINT),
    fault: h("p", { class: "fault", role: "alert" }),
  };
  show(
    h("h1", {}, shown.title),
    h("p", { class: "ask" }, words.PLAY_INTRO),
    !state.open.checked?.done && h("p", { class: "doc" }, words.PLAY_OTHERS),
    h("section", { class: "givens", "aria-label": "Given" }, shown.givens.map(given)),
    open.sliders,
    h("p", { class: "tools" }, button("Back to the start", play)),
    open.fault, open.line, open.steps,
  );
  await work();
}

function given(entry) {
  const handlers = { changed: (rows) => changed(open.changed.given, { [entry.name]: rows }) };
  const grid = entry.typed ? inputs(entry, entry.typed, handlers) : matrix(entry);
  open.grids.set(entry.name, grid);
  grid.element.addEventListener("change", ({ target }) => { if (HALF.test(target.value)) work(); });
  return named(entry, grid.element);
}

function changed(place, values) {
  Object.assign(place, values);
  clearTimeout(open.timer);
  open.timer = setTimeout(work, WAIT);
}

// Recalculate. Only the response to the last request is shown.
async function work() {
  const asked = open;
  const now = asked.turn = {};
  const result = await ask({ do: "change", task: asked.task, ...asked.changed }).catch((error) => error);
  if (open === asked && asked.turn === now) (result instanceof Error ? report : draw)(result);
}

// Show the results. Without new results, the last results stay.
function draw(result) {
  const { typed, grids, steps, sliders, line, fault } = open;
  fault.textContent = "";
  for (const name of typed) grids.get(name).mark([], "look");
  if (!result) return;
  for (const entry of result.givens) if (!entry.typed) regrid(entry);
  line.textContent = words.POINT;
  steps.replaceChildren(...result.steps.map((step) => {
    const grid = matrix(step, { pointed: (i, j) => point(step, i, j).catch(report) });
    grids.set(step.name, grid);
    return h("section", { class: "step" }, head(step), grid.element);
  }));
  if (!sliders.firstChild) fill(sliders, controls(result));
}

// Show the new numbers of a matrix of an earlier stage.
function regrid(entry) {
  const grid = matrix(entry);
  open.grids.get(entry.name).element.replaceWith(named(entry, grid.element));
  open.grids.set(entry.name, grid);
}

async function point(step, i, j) {
  const { task, changed, grids, line } = open;
  const now = open.pointing = {};
  const explanation = await ask({ do: "explain", task, ...changed, step: step.name, row: i, column: j });
  if (now !== open.pointing) return;
  for (const [name, grid] of grids) {
    grid.mark(explanation.sources[name], "source");
    grid.mark(name === step.name ? [[i, j]] : [], "target");
  }
  line.innerHTML = explanation.line || words.COPIED;
}

// Report an error with the label of its input instead of row and column. An incomplete number is not an error.
function report(error) {
  const { typed, grids, fault } = open;
  if (HALF.test(document.activeElement.value ?? error)) return draw(null);
  const wrong = new Map(typed.map((name) => [name, []]));
  const message = error.message.replace(/^(.+?), row (\d+), column (\d+)(?=:)/gm, (all, name, row, column) => {
    wrong.get(name)?.push([row - 1, column - 1]);
    return grids.get(name)?.cells[row - 1]?.[column - 1]?.ariaLabel ?? all;
  });
  for (const [name, places] of wrong) grids.get(name).mark(places, "look");
  fault.textContent = `${message}\n${words.LAST}`;
}

// Sliders for the options of the lesson. The scale is multiplied by the temperature, so one slider changes both.
function controls({ choices: { scale, mask }, steps }) {
  const change = (options) => changed(open.changed.options, options);
  const now = scale === "none" ? "1" : scale;
  const root = /^sqrt\((\d+)\)$/.exec(scale);
  const size = (text) => (text === scale && root ? Math.sqrt(root[1]) : Number(text));
  const divisors = [...new Set([...SCALES, now])].sort((a, b) => size(a) - size(b));
  const scores = steps.find((step) => step.name === "S" || step.name === "S_1");
  const ahead = [...Array(scores?.shape[1] ?? 0).keys()].map(String);
  const all = ahead.at(-1);
  const [isScaled, isMasked] = [scale !== undefined, all && (mask === "causal" || mask === "none")];
  return [
    isScaled && slider("Scores are divided by", divisors, now, (divisor) => change({ scale: divisor }), { [scale]: "√dₖ" }),
    isMasked && slider("Later tokens that each token may attend to", ahead, mask === "causal" ? "0" : all,
      (count) => change({ mask: `causal(offset=${count})` }), { [all]: "all" }),
  ];
}

function slider(text, stops, start, moved, names = {}) {
  const shown = h("output");
  const input = h("input", { type: "range", min: 0, max: stops.length - 1, value: stops.indexOf(start),
    oninput: () => { update(); moved(stops[input.value]); } });
  const update = () => { input.ariaValueText = shown.textContent = names[stops[input.value]] ?? stops[input.value]; };
  update();
  return h("label", { class: "slider" }, h("span", {}, text), input, shown);
}

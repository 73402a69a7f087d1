// Playground: any given may be changed, everything is worked out again, and each entry says what made it.
import { h, maths, show } from "./dom.js";
import { inputs, matrix, named } from "./grid.js";
import { state } from "./main.js";
import { ask } from "./transport.js";
import * as words from "./words.js";

const WAIT = 60; // milliseconds of rest before what was typed is worked out

export async function play() {
  const { task, shown } = state.open;
  const changed = { given: {}, options: {} };
  const grids = new Map();
  const steps = h("div", { class: "steps" });
  const line = h("div", { class: "why", role: "status" }, words.POINT);
  const fault = h("p", { class: "fault", role: "alert" });
  let turn = 0;
  let pointing = 0;
  let timer = 0;

  async function point(step, i, j) {
    const now = ++pointing;
    try {
      const found = await ask({ do: "explain", task, ...changed, step: step.name, row: i, column: j });
      if (now !== pointing) return;
      for (const [name, grid] of grids) {
        grid.mark(found.sources[name] ?? [], "source");
        grid.mark(name === step.name ? [[i, j]] : [], "target");
      }
      line.innerHTML = found.line;
      if (!found.line) line.textContent = words.COPIED;
    } catch (error) {
      fault.textContent = error.message;
    }
  }

  async function work() {
    const now = ++turn;
    try {
      const found = await ask({ do: "change", task, ...changed });
      if (now !== turn) return;
      fault.textContent = "";
      draw(found);
      return found;
    } catch (error) {
      if (now === turn) fault.textContent = error.message;
    }
  }

  function draw(found) {
    line.textContent = words.POINT;
    steps.replaceChildren(...found.steps.map((step) => {
      const seen = matrix(step, { pointed: (i, j) => point(step, i, j) });
      grids.set(step.name, seen);
      const title = maths("h2", {}, `${step.math} <math><mo>=</mo></math> ${step.formula}`);
      return h("section", { class: "step" }, title, step.meaning ? h("p", { class: "doc" }, step.meaning) : null, seen.element);
    }));
  }

  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(work, WAIT);
  };
  const givens = shown.givens.map((one) => {
    if (!one.typed) return named(one, matrix(one).element);
    const grid = inputs(one, one.typed, { changed: (rows) => { changed.given[one.name] = rows; soon(); } });
    grids.set(one.name, { mark: (places, kind) => kind === "source" && markInputs(grid.element, places) });
    return named(one, grid.element);
  });
  const sliders = h("div", { class: "sliders" });
  show(
    h("h1", {}, shown.title),
    h("p", { class: "ask" }, words.PLAY_INTRO),
    h("section", { class: "givens", "aria-label": words.GIVEN }, givens),
    sliders,
    h("p", { class: "tools" }, h("button", { type: "button", onclick: play }, words.RESET)),
    fault, line, steps,
  );
  const first = await work();
  if (first) sliders.replaceChildren(...controls(first, changed.options, soon));
}

function markInputs(element, places) {
  element.querySelectorAll("tbody tr").forEach((row, i) => row.querySelectorAll("input").forEach((input, j) =>
    input.classList.toggle("source", places.some(([p, q]) => p === i && q === j))));
}

// Sliders for what the lesson of the exercise lets be changed: the scale, the temperature, the mask.
function controls(found, options, changed) {
  const made = [];
  const { scale, mask } = found.choices;
  if (scale !== undefined) {
    const usual = scale === "none" ? "1" : scale;
    const shown = scale === "none" ? "1" : words.USUAL;
    let divisor = usual;
    let temperature = "1";
    const set = () => { options.scale = temperature === "1" ? divisor : `${temperature} * (${divisor})`; changed(); };
    made.push(slider(words.SCALE, 0, 8, 0.5, 0, shown, (value) => { divisor = value === "0" ? usual : value; set(); return value === "0" ? shown : value; }));
    made.push(slider(words.TEMPERATURE, 0.25, 4, 0.25, 1, "1", (value) => { temperature = value; set(); return value; }));
  }
  const scores = found.steps.find((step) => step.name === "S" || step.name === "S_1");
  if ((mask === "causal" || mask === "none") && scores) {
    const most = scores.shape[1] - 1;
    const now = mask === "causal" ? 0 : most;
    made.push(slider(words.AHEAD, 0, most, 1, now, now === most ? words.ALL : String(now), (value) => {
      options.mask = `causal(offset=${value})`;
      changed();
      return Number(value) === most ? words.ALL : value;
    }));
  }
  return made;
}

function slider(text, min, max, step, value, says, moved) {
  const shown = h("output", {}, says);
  const input = h("input", { type: "range", min, max, step, oninput: (event) => {
    shown.textContent = moved(event.target.value);
    input.setAttribute("aria-valuetext", shown.textContent);
  } });
  input.value = value;
  input.setAttribute("aria-valuetext", shown.textContent);
  return h("label", { class: "slider" }, h("span", {}, text), input, shown);
}

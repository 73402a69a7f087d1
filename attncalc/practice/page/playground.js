// Playground: any given may be changed, everything is worked out again, and each entry says what made it.
import { h, show } from "./dom.js";
import { head, inputs, matrix, named } from "./grid.js";
import { state } from "./practice.js";
import { ask } from "./transport.js";
import * as words from "./practice-words.js";

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
        grid.mark(found.sources[name], "source");
        grid.mark(name === step.name ? [[i, j]] : [], "target");
      }
      line.innerHTML = found.line;
      if (!found.line) line.textContent = words.COPIED;
    } catch (error) {
      tell(error);
    }
  }

  async function work() {
    const now = ++turn;
    try {
      const found = await ask({ do: "change", task, ...changed });
      if (now === turn) draw(found);
      return found;
    } catch (error) {
      if (now === turn) tell(error);
    }
  }

  // What is wrong with an entry names its place counted from 1; here it is called as its box is.
  function tell(error) {
    const wrong = new Map(typed.map((name) => [name, []]));
    const said = error.message.replace(/^(.+?), row (\d+), column (\d+)(?=:)/gm, (_, name, row, column) => {
      wrong.get(name)?.push([row - 1, column - 1]);
      return grids.get(name)?.says(row - 1, column - 1) ?? _;
    });
    for (const [name, places] of wrong) grids.get(name).mark(places, "look");
    fault.textContent = `${said}\n${words.LAST}`;
  }

  function draw(found) {
    fault.textContent = "";
    for (const name of typed) grids.get(name).mark([], "look");
    line.textContent = words.POINT;
    steps.replaceChildren(...found.steps.map((step) => {
      const seen = matrix(step, { pointed: (i, j) => point(step, i, j) });
      grids.set(step.name, seen);
      return h("section", { class: "step" }, head(step), seen.element);
    }));
  }

  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(work, WAIT);
  };
  const givens = shown.givens.map((one) => {
    const grid = one.typed ? inputs(one, one.typed, { changed: (rows) => { changed.given[one.name] = rows; soon(); } }) : matrix(one);
    grids.set(one.name, grid);
    return named(one, grid.element);
  });
  const typed = shown.givens.filter((one) => one.typed).map((one) => one.name);
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
  if (first) sliders.replaceChildren(...controls(first, (options) => { Object.assign(changed.options, options); soon(); }));
}

const SCALES = ["0.5", "1", "1.5", "2", "3", "4", "6", "8"];
const TEMPERATURES = ["0.25", "0.5", "0.75", "1", "1.25", "1.5", "2", "3", "4"];

// Sliders for what the lesson of the exercise lets be changed: the scale, the temperature, the mask.
function controls(found, changed) {
  const { scale, mask } = found.choices;
  const made = [];
  if (scale !== undefined) {
    const usual = scale === "none" ? "1" : scale;
    const root = /^sqrt\((\d+)\)$/.exec(usual);
    const size = (text) => (text === usual && root ? Math.sqrt(Number(root[1])) : Number(text));
    const stops = [...new Set([...SCALES, usual])].sort((a, b) => size(a) - size(b));
    const chosen = { divisor: usual, temperature: "1" };
    const set = (name) => (value) => {
      chosen[name] = value;
      changed({ scale: chosen.temperature === "1" ? chosen.divisor : `${chosen.temperature} * (${chosen.divisor})` });
    };
    made.push(slider(words.SCALE, stops, usual, set("divisor"), (text) => (text === scale ? words.USUAL : text)));
    made.push(slider(words.TEMPERATURE, TEMPERATURES, "1", set("temperature")));
  }
  const scores = found.steps.find((step) => step.name === "S" || step.name === "S_1");
  if ((mask === "causal" || mask === "none") && scores) {
    const stops = Array.from({ length: scores.shape[1] }, (_, k) => String(k));
    const all = stops[stops.length - 1];
    made.push(slider(words.AHEAD, stops, mask === "causal" ? "0" : all, (value) => changed({ mask: `causal(offset=${value})` }),
      (text) => (text === all ? words.ALL : text)));
  }
  return made;
}

function slider(text, stops, start, moved, says = (one) => one) {
  const shown = h("output");
  const input = h("input", { type: "range", min: 0, max: stops.length - 1, oninput: () => { tell(); moved(stops[input.value]); } });
  const tell = () => {
    shown.textContent = says(stops[input.value]);
    input.setAttribute("aria-valuetext", shown.textContent);
  };
  input.value = stops.indexOf(start);
  tell();
  return h("label", { class: "slider" }, h("span", {}, text), input, shown);
}

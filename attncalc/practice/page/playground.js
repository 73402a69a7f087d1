// Playground: any given may be changed, everything is worked out again, and each entry says what made it.
import { button, h, show } from "./dom.js";
import { head, inputs, matrix, named } from "./grid.js";
import { state } from "./practice.js";
import { ask } from "./transport.js";
import * as words from "./practice-words.js";

const WAIT = 60; // milliseconds of rest before what was typed is worked out
const SCALES = ["0.5", "1", "1.5", "2", "3", "4", "6", "8"];
const TEMPERATURES = ["0.25", "0.5", "0.75", "1", "1.25", "1.5", "2", "3", "4"];

export async function play() {
  const { task, shown } = state.open;
  const changed = { given: {}, options: {} };
  const typed = shown.givens.filter((one) => one.typed).map((one) => one.name);
  const grids = new Map();
  const steps = h("div", { class: "steps" });
  const sliders = h("div", { class: "sliders" });
  const line = h("div", { class: "why", role: "status" }, words.POINT);
  const fault = h("p", { class: "fault", role: "alert" });
  let turn = 0;
  let pointing = 0;
  let timer = 0;

  async function point(step, i, j) {
    const now = ++pointing;
    const found = await ask({ do: "explain", task, ...changed, step: step.name, row: i, column: j });
    if (now !== pointing) return;
    for (const [name, grid] of grids) {
      grid.mark(found.sources[name], "source");
      grid.mark(name === step.name ? [[i, j]] : [], "target");
    }
    line.innerHTML = found.line || words.COPIED;
  }

  async function work() {
    const now = ++turn;
    try {
      const found = await ask({ do: "change", task, ...changed });
      if (now === turn) draw(found);
    } catch (error) {
      if (now === turn) tell(error);
    }
  }

  // What is wrong with an entry names its place counted from 1; here it is called as its box is.
  function tell(error) {
    const wrong = new Map(typed.map((name) => [name, []]));
    const said = error.message.replace(/^(.+?), row (\d+), column (\d+)(?=:)/gm, (all, name, row, column) => {
      wrong.get(name)?.push([row - 1, column - 1]);
      return grids.get(name)?.says(row - 1, column - 1) ?? all;
    });
    for (const [name, places] of wrong) grids.get(name).mark(places, "look");
    fault.textContent = `${said}\n${words.LAST}`;
  }

  function draw(found) {
    fault.textContent = "";
    for (const name of typed) grids.get(name).mark([], "look");
    line.textContent = words.POINT;
    steps.replaceChildren(...found.steps.map((step) => {
      const grid = matrix(step, { pointed: (i, j) => point(step, i, j).catch(tell) });
      grids.set(step.name, grid);
      return h("section", { class: "step" }, head(step), grid.element);
    }));
    if (!sliders.firstChild) sliders.replaceChildren(...controls(found, (options) => change(changed.options, options)));
  }

  function change(place, values) {
    Object.assign(place, values);
    clearTimeout(timer);
    timer = setTimeout(work, WAIT);
  }

  const givens = shown.givens.map((one) => {
    const given = (rows) => change(changed.given, { [one.name]: rows });
    const grid = one.typed ? inputs(one, one.typed, { changed: given }) : matrix(one);
    grids.set(one.name, grid);
    return named(one, grid.element);
  });
  show(
    h("h1", {}, shown.title),
    h("p", { class: "ask" }, words.PLAY_INTRO),
    h("section", { class: "givens", "aria-label": "Given" }, givens),
    sliders,
    h("p", { class: "tools" }, button("Back to the start", play)),
    fault, line, steps,
  );
  await work();
}

// Sliders for what the lesson of the exercise lets be changed: the scale, the temperature, the mask.
function controls({ choices: { scale, mask }, steps }, changed) {
  const made = [];
  if (scale !== undefined) {
    const chosen = { divisor: scale === "none" ? "1" : scale, temperature: "1" };
    const root = /^sqrt\((\d+)\)$/.exec(scale);
    const size = (text) => (text === scale && root ? Math.sqrt(Number(root[1])) : Number(text));
    const stops = [...new Set([...SCALES, chosen.divisor])].sort((a, b) => size(a) - size(b));
    const set = (name) => (value) => {
      chosen[name] = value;
      const { divisor, temperature } = chosen;
      changed({ scale: temperature === "1" ? divisor : `${temperature} * (${divisor})` });
    };
    made.push(slider("Scores are divided by", stops, chosen.divisor, set("divisor"), (text) => (text === scale ? "√d_k" : text)));
    made.push(slider("Temperature", TEMPERATURES, "1", set("temperature")));
  }
  const scores = steps.find((step) => step.name === "S" || step.name === "S_1");
  if ((mask === "causal" || mask === "none") && scores) {
    const stops = Array.from({ length: scores.shape[1] }, (_, k) => String(k));
    const all = stops.at(-1);
    made.push(slider("Words ahead that may be seen", stops, mask === "causal" ? "0" : all,
      (value) => changed({ mask: `causal(offset=${value})` }), (text) => (text === all ? "all" : text)));
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

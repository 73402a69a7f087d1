// Matrices: one to type into, and one to look at. Both move with the arrow keys and name each entry for screen readers.
import { h, printed } from "./dom.js";
import { ask } from "./transport.js";
import * as words from "./words.js";

const counted = (count) => Array.from({ length: count }, (_, k) => String(k + 1));
const among = (places, i, j) => Boolean(places?.some(([row, column]) => row === i && column === j));

// A table of what `entry` makes for each place: `mark` marks those at some places as of one kind, and no others.
function table(one, kind, entry) {
  const [rows, columns] = [one.rows ?? counted(one.shape[0]), one.columns ?? counted(one.shape[1])];
  const heard = (labels) => (labels ? "" : "heard");
  const cells = rows.map((row, i) => columns.map((column, j) => entry(i, j, words.cell(one.name, row, column))));
  const heads = h("tr", {}, h("td"), columns.map((text) => h("th", { scope: "col", class: heard(one.columns) }, text)));
  const body = cells.map((row, i) => h("tr", {}, h("th", { scope: "row", class: heard(one.rows) }, rows[i]),
    row.map((cell) => (cell.tagName === "TD" ? cell : h("td", {}, cell)))));
  const made = h("table", { class: `matrix ${kind}`, "aria-label": `${one.name}, ${words.shape(one.shape)}` },
    h("thead", { class: heard(one.columns) }, heads), h("tbody", {}, body));
  const mark = (places, kind) => cells.forEach((row, i) => row.forEach((cell, j) => {
    cell.classList.toggle(kind, among(places, i, j));
    if (kind === "look") cell.setAttribute("aria-invalid", String(among(places, i, j)));
  }));
  return { element: h("div", { class: "scroll" }, made), cells, mark };
}

function move(cells, event) {
  const { selectionStart: start = 0, selectionEnd: end = 0, value = "" } = event.target;
  const sides = { ArrowLeft: end === 0 && [0, -1], ArrowRight: start === value.length && [0, 1] };
  const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ...sides }[event.key];
  const i = cells.findIndex((row) => row.includes(event.target));
  const target = step && cells[i + step[0]]?.[cells[i].indexOf(event.target) + step[1]];
  if (!target) return;
  event.preventDefault();
  focus(target);
}

const isOpen = (input) => !input.disabled && input.tabIndex >= 0;

function focus(cell) {
  cell.focus();
  cell.select?.();
}

// Inputs for a matrix. `changed` is told at every change, `entered` when the last entry is left with Enter, or Ctrl+Enter
// is pressed. Entries at `one.filled` are filled in, and passed over by Enter and Tab; those at `one.closed` take nothing.
export function inputs(one, values, { changed = () => {}, entered = () => {} } = {}) {
  const plain = { type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false", size: 5, maxlength: 5000 };
  const made = table(one, "typed", (i, j, name) => {
    const filled = among(one.filled, i, j) ? { class: "filled", tabindex: -1 } : {};
    const more = { "aria-label": name, value: values?.[i]?.[j] ?? "", disabled: among(one.closed, i, j) };
    const told = { oninput: tell, onkeydown: pressed, onpaste: (event) => paste(i, j, event) };
    return h("input", { ...plain, ...filled, ...more, ...told });
  });
  const { cells } = made;
  const said = h("p", { class: "fault", role: "status" });
  made.element.append(said);

  function tell() {
    said.textContent = "";
    changed(cells.map((row) => row.map((input) => input.value.replace(/−/g, "-").replace(",", "."))));
  }

  function pressed(event) {
    if (event.key !== "Enter") return move(cells, event);
    event.preventDefault();
    const isAll = event.ctrlKey || event.metaKey;
    const next = cells.flat().slice(cells.flat().indexOf(event.target) + 1).find(isOpen);
    if (next && !isAll) focus(next);
    else entered(isAll);
  }

  // One number is the browser's own matter; anything else the program reads, as it reads answer files.
  async function paste(row, column, event) {
    const text = event.clipboardData.getData("text");
    if (!/[\s;&|[\]{}()\\]|,.*,/.test(text.trim())) return;
    event.preventDefault();
    const read = { do: "paste", text, shape: one.shape, row, column };
    const found = await ask(read).catch((error) => ({ cells: [], said: error.message }));
    if (!made.element.isConnected) return; // another page stands here by now
    for (const [i, j, value] of found.cells) cells[i][j].value = value;
    if (found.cells.length) tell();
    said.textContent = found.said;
  }

  return { ...made, focus: () => focus(cells.flat().find(isOpen) ?? cells[0][0]) };
}

// A matrix to look at. `pointed(i, j)` is told of the entry under the pointer or the focus.
export function matrix(one, { pointed = null } = {}) {
  const made = table(one, "seen", (i, j, name) => {
    const heat = one.heat?.[i]?.[j];
    const isMasked = among(one.hidden, i, j) && one.heat && heat !== null;
    const text = isMasked ? "·" : printed(one.cells[i][j]);
    const told = () => pointed(i, j);
    const able = pointed && { tabindex: i || j ? -1 : 0, "aria-label": `${name}: ${text}`, role: "button",
      onfocus: told, onmouseenter: told, onkeydown: (event) => move(made.cells, event) };
    const cell = h("td", { class: isMasked ? "masked" : heat ? "heat" : "", ...able }, text);
    if (heat) cell.style.setProperty("--share", Math.round(heat ** 0.7 * 100) / 100);
    return cell;
  });
  return made;
}

// A step's formula and meaning, above its matrix; what a sheet says of it stands beside.
export const head = (step) => [
  h("h2", { id: `step-${step.name}`, html: `${step.math} <math><mo>=</mo></math> ${step.formula}` }, h("span", { class: "heard" }, step.name)),
  (step.meaning || step.exam) && h("p", { class: "doc", html: [step.meaning, step.exam].filter(Boolean).join(" · ") }),
];

// A matrix with its name below it.
export function named(one, element) {
  element.firstChild.append(h("tfoot", {}, h("tr", {}, h("td"), h("td", { colspan: one.shape[1], html: one.math }))));
  return element;
}

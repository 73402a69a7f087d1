// Matrices with inputs, and read-only matrices. Both support the arrow keys, and name each entry for screen readers.
import { button, h, printed, scroll } from "./dom.js";
import { ask } from "./transport.js";
import * as words from "./words.js";

const counted = (count) => Array.from({ length: count }, (_, k) => String(k + 1));
const among = (places, i, j) => Boolean(places?.some(([row, column]) => row === i && column === j));

// Returns a table with the cell `entry(i, j, name)` at each position. `mark` sets a class only at the given positions.
function table(grid, kind, entry) {
  const [rows, columns] = [grid.rows ?? counted(grid.shape[0]), grid.columns ?? counted(grid.shape[1])];
  const heard = (labels) => (labels ? "" : "heard");
  const cells = rows.map((row, i) => columns.map((column, j) => entry(i, j, words.cell(grid.name, row, column))));
  const heads = h("tr", {}, h("td"), columns.map((text) => h("th", { scope: "col", class: heard(grid.columns) }, text)));
  const body = cells.map((row, i) => h("tr", {}, h("th", { scope: "row", class: heard(grid.rows) }, rows[i]),
    row.map((cell) => (cell.tagName === "TD" ? cell : h("td", {}, cell)))));
  const tableElement = h("table", { class: `matrix ${kind}`, "aria-label": `${grid.name}, ${words.shape(grid.shape)}` },
    h("thead", { class: heard(grid.columns) }, heads), h("tbody", {}, body));
  const mark = (places, kind) => cells.forEach((row, i) => row.forEach((cell, j) => {
    cell.classList.toggle(kind, among(places, i, j));
    if (kind === "look") cell.setAttribute("aria-invalid", String(among(places, i, j)));
  }));
  return { element: scroll(h("div", {}, tableElement)), cells, mark };
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

// Returns a number as the program reads it: a single comma without a point is a decimal comma.
export const asRead = (text) => (/^[^,.]*,[^,.]*$/.test(text) ? text.replace(",", ".") : text).replace(/−/g, "-");

const isOpen = (input) => !input.disabled && input.tabIndex >= 0;

function focus(cell) {
  cell.focus();
  cell.select?.();
}

// Returns inputs for a matrix. Every change calls `changed`. Enter in the last entry, and Ctrl+Enter, call `entered`.
// Enter and Tab skip the entries at `grid.filled`, which have values. The entries at `grid.closed` are disabled.
export function inputs(grid, values, { changed = () => {}, entered = () => {} } = {}) {
  const plain = { type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false", size: 5, maxlength: 5000 };
  const view = table(grid, "typed", (i, j, name) => {
    const filled = among(grid.filled, i, j) ? { class: "filled", tabindex: -1 } : {};
    const more = { "aria-label": name, value: values?.[i]?.[j] ?? "", disabled: among(grid.closed, i, j) };
    const handlers = { oninput: tell, onkeydown: pressed, onpaste: (event) => paste(i, j, event) };
    return h("input", { ...plain, ...filled, ...more, ...handlers });
  });
  const { cells } = view;
  const faultLine = h("p", { class: "fault", role: "status" });
  const undo = h("p", { class: "tools" });
  view.element.append(faultLine, undo);

  function put(entries) {
    for (const [i, j, value] of entries) cells[i][j].value = value;
    if (entries.length) tell();
  }

  function tell() {
    faultLine.textContent = "";
    changed(cells.map((row) => row.map((input) => asRead(input.value))));
  }

  function pressed(event) {
    if (event.key !== "Enter") return move(cells, event);
    event.preventDefault();
    const isAll = event.ctrlKey || event.metaKey;
    const next = cells.flat().slice(cells.flat().indexOf(event.target) + 1).find(isOpen);
    if (next && !isAll) focus(next);
    else entered(isAll);
  }

  // The browser pastes a single number. attncalc parses other texts like an answer file.
  async function paste(row, column, event) {
    const text = event.clipboardData.getData("text");
    if (!/[\s;&|[\]{}()\\]|,.*,/.test(text.trim())) return;
    event.preventDefault();
    const read = { do: "paste", text, shape: grid.shape, row, column };
    const response = await ask(read).catch((error) => ({ cells: [], message: error.message }));
    if (!view.element.isConnected) return; // the user has left the page
    const before = response.cells.map(([i, j]) => [i, j, cells[i][j].value]);
    const back = () => { undo.replaceChildren(); put(before); };
    undo.replaceChildren(...(before.length ? [button(words.UNDO_PASTE, back)] : []));
    put(response.cells);
    faultLine.textContent = response.message;
  }

  return { ...view, focus: () => focus(cells.flat().find(isOpen) ?? cells[0][0]) };
}

// Returns a read-only matrix. The entry under the pointer, or with the focus, calls `pointed(i, j)`.
export function matrix(grid, { pointed = null } = {}) {
  const view = table(grid, "seen", (i, j, name) => {
    const heat = grid.heat?.[i]?.[j];
    const isMasked = among(grid.hidden, i, j) && grid.heat && heat !== null;
    const text = isMasked ? "·" : printed(grid.cells[i][j]);
    const point = () => pointed(i, j);
    const able = pointed && { tabindex: i || j ? -1 : 0, "aria-label": `${name}: ${text}`, role: "button",
      onfocus: point, onmouseenter: point, onkeydown: (event) => move(view.cells, event) };
    const cell = h("td", { class: isMasked ? "masked" : heat ? "heat" : "", ...able }, text);
    if (heat) cell.style.setProperty("--share", Math.round(heat ** 0.7 * 100) / 100);
    return cell;
  });
  return view;
}

// Returns the heading of a step's matrix: its formula, its meaning, and the remark of the exam sheet.
export const head = (step) => [
  scroll(h("h2", { id: `step-${step.name}`, html: step.math + (step.formula && ` <math><mo>=</mo></math> ${step.formula}`) }, h("span", { class: "heard" }, step.name))),
  ...(step.definition ?? []).map((formula) => scroll(h("p", { class: "doc", html: formula }))),
  (step.meaning || step.exam) && h("p", { class: "doc", html: [step.meaning, step.exam].filter(Boolean).join(" · ") }),
];

// Returns a matrix with its name below it.
export function named(grid, element) {
  element.firstChild.append(h("tfoot", {}, h("tr", {}, h("td"), h("td", { colspan: grid.shape[1], html: grid.math }))));
  return element;
}

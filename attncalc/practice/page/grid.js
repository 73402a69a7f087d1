// Matrices: one to type into, and one to look at. Both move with the arrow keys and name each entry for screen readers.
import { h, maths, printed } from "./dom.js";
import * as words from "./words.js";

const labels = (one) => ({
  rows: one.rows ?? Array.from({ length: one.shape[0] }, (_, i) => String(i)),
  columns: one.columns ?? Array.from({ length: one.shape[1] }, (_, j) => String(j)),
});

function table(one, cell, kind) {
  const { rows, columns } = labels(one);
  const head = h("tr", {}, h("td"), columns.map((text) => h("th", { scope: "col", class: one.columns ? "" : "heard" }, text)));
  const body = rows.map((text, i) =>
    h("tr", {}, h("th", { scope: "row", class: one.rows ? "" : "heard" }, text), columns.map((_, j) => cell(i, j, words.cell(one.name, text, columns[j])))));
  const made = h("table", { class: `matrix ${kind}`, "aria-label": `${one.name}, ${words.shape(one.shape)}` }, h("thead", { class: one.columns ? "" : "heard" }, head), h("tbody", {}, body));
  return h("div", { class: "scroll" }, made);
}

// What was pasted as rows of texts: lines or brackets make rows; tabs, commas, semicolons and blanks make entries.
export function pasted(text) {
  const lines = text.replace(/\]\s*,?\s*\[/g, "\n").replace(/[[\](){}|]/g, " ").replace(/\\\\/g, "\n").replace(/[&]/g, " ").replace(/−/g, "-");
  return lines.split(/\n|;/).map((line) => line.trim().split(/[\s,]+/).filter(Boolean)).filter((row) => row.length);
}

function move(cells, i, j, event) {
  const input = event.target;
  const typing = input.selectionStart !== undefined && input.selectionStart !== null;
  const atStart = !typing || input.selectionEnd === 0;
  const atEnd = !typing || input.selectionStart === input.value.length;
  const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: atStart && [0, -1], ArrowRight: atEnd && [0, 1] }[event.key];
  const target = step && cells[i + step[0]]?.[j + step[1]];
  if (!target) return false;
  event.preventDefault();
  focus(target);
  return true;
}

function focus(cell) {
  cell.focus();
  cell.select?.();
}

// Inputs for a matrix. `changed` is told at every change, `entered` when the last entry is left with Enter, or Ctrl+Enter is pressed.
export function inputs(one, values, { changed = () => {}, entered = () => {} } = {}) {
  const [n, m] = one.shape;
  const cells = Array.from({ length: n }, () => Array(m));
  const read = () => cells.map((row) => row.map((input) => input.value.replace(/−/g, "-").replace(",", ".")));
  const make = (i, j, name) => {
    const input = h("input", { type: "text", "aria-label": name, autocomplete: "off", autocapitalize: "off", spellcheck: "false", size: 5, value: values?.[i]?.[j] ?? "" });
    input.addEventListener("input", () => changed(read()));
    input.addEventListener("keydown", (event) => {
      if (event.key === "Enter") {
        event.preventDefault();
        const next = cells[i][j + 1] ?? cells[i + 1]?.[0];
        if (next && !event.ctrlKey && !event.metaKey) focus(next);
        else entered(read());
      } else move(cells, i, j, event);
    });
    input.addEventListener("paste", (event) => {
      const rows = pasted(event.clipboardData.getData("text"));
      if (rows.length < 2 && (rows[0]?.length ?? 0) < 2) return;
      event.preventDefault();
      const flat = rows.length === 1 && m < rows[0].length ? Array.from({ length: n }, (_, k) => rows[0].slice(k * m, (k + 1) * m)) : rows;
      flat.forEach((row, k) => row.forEach((text, l) => { const cell = cells[i + k]?.[j + l]; if (cell) cell.value = text; }));
      changed(read());
    });
    cells[i][j] = input;
    return h("td", {}, input);
  };
  const element = table(one, make, "typed");
  const mark = (places) => cells.forEach((row, i) => row.forEach((input, j) => {
    const isWrong = places.some(([p, q]) => p === i && q === j);
    input.classList.toggle("look", isWrong);
    if (isWrong) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
  }));
  return { element, read, mark, focus: () => focus(cells[0][0]) };
}

// A matrix to look at. `pointed(i, j)` is told of the entry under the pointer or the focus.
export function matrix(one, { pointed = null } = {}) {
  const cells = [];
  const hidden = new Set((one.hidden ?? []).map(String));
  const element = table(one, (i, j, name) => {
    const masked = hidden.has(String([i, j])) && one.heat?.[i]?.[j] !== null && one.heat;
    const text = masked ? "·" : printed(one.cells[i][j]);
    const td = h("td", { class: masked ? "masked" : "" }, text);
    const heat = one.heat?.[i]?.[j];
    if (heat) td.style.setProperty("--share", Math.round(heat ** 0.7 * 100) / 100);
    if (heat) td.classList.add("heat");
    if (pointed) {
      td.tabIndex = i || j ? -1 : 0;
      td.setAttribute("aria-label", `${name}: ${text}`);
      td.setAttribute("role", "button");
      td.addEventListener("focus", () => pointed(i, j));
      td.addEventListener("mouseenter", () => pointed(i, j));
      td.addEventListener("keydown", (event) => move(cells, i, j, event));
    }
    (cells[i] ??= [])[j] = td;
    return td;
  }, "seen");
  const mark = (places, kind) => cells.forEach((row, i) => row.forEach((td, j) => td.classList.toggle(kind, places.some(([p, q]) => p === i && q === j))));
  return { element, mark };
}

export const named = (one, element) => h("figure", {}, element, maths("figcaption", {}, one.math));

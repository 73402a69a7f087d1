// Attention weights as lines from queries to keys. They are drawn from the numbers on the page, so they reveal no answer.
import { asRead } from "./grid.js";
import * as words from "./practice_messages.js";

const HIGH = 26, ACROSS = 170, LETTER = 8.6, LONGEST = 14, MARGIN = 4; // pixels, and letters of a word
const THICK = 10, THIN = 0.8; // thickness for a weight of 1, and the least thickness

function svg(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const short = (label) => (label.length > LONGEST ? `${label.slice(0, LONGEST - 1)}…` : label);
const room = (labels) => MARGIN + LETTER * Math.max(...labels.map(({ length }) => length)) + 8;

function weight(text = "") {
  const [above, below = "1"] = asRead(text).split("/");
  const value = above.trim() ? above / below : 0;
  return value > 0 ? Math.min(1, value) : 0; // also 0 if it is not a number
}

// Return the picture of a step. `step.arcs` says whether its queries are its rows or its columns.
export function arcs(step, cells) {
  const [askers, asked] = step.arcs === "rows" ? [step.rows, step.columns] : [step.columns, step.rows];
  const queries = [words.QUERY, ...askers.map(short)], keys = [words.KEY, ...asked.map(short)];
  const at = (i, j) => weight(step.arcs === "rows" ? cells?.[i]?.[j] : cells?.[j]?.[i]);
  const left = room(queries), right = left + ACROSS, middle = (left + right) / 2;
  const [width, height] = [right + room(keys), HIGH * (Math.max(queries.length, keys.length) + 0.5)];
  const y = (k) => HIGH * (k + 0.7);
  const column = (labels, x, anchor) => labels.map((label, k) => svg("text", { x, y: y(k) + 4, "text-anchor": anchor, class: k ? "" : "quiet" }, label));
  const lines = queries.slice(1).flatMap((query, i) => keys.slice(1).map((key, j) => [at(i, j), i + 1, j + 1, `${query} → ${key}`]));
  const paths = lines.filter(([share]) => share).sort(([a], [b]) => b - a).map(([share, i, j, label]) =>
    svg("path", { d: `M${left} ${y(i)}C${middle} ${y(i)} ${middle} ${y(j)} ${right} ${y(j)}`, "stroke-width": Math.max(THIN, THICK * share) },
      svg("title", {}, `${label}: ${share.toFixed(2)}`)));
  return svg("svg", { class: "arcs", width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": words.ARCS_OF(step.name) },
    ...paths, ...column(queries, left - 8, "end"), ...column(keys, right + 8, "start"));
}

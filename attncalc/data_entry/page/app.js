// The page for typing the answers of a class. Every change is saved, and unreadable entries are reported at once. With
// scans, the entries that were read are confirmed first.
import { doubt, groups } from "./confirm.js";
import * as words from "./data_entry_messages.js";
import { h, show } from "./dom.js";
import { asRead, inputs } from "./grid.js";
import { paneOf } from "./scan_pane.js";
import { ask, draftOf, drafts, forgetDraft, keepDraft, start } from "./transport.js";

const PAUSE = 700; // milliseconds without a key until a change is saved
const TAB = String(Math.random()); // the name of this tab: each tab stores its unsaved entries separately
const state = { table: "", lines: [], codes: [], open: null, grids: [], timer: null, saving: Promise.resolve(), dirty: false, stage: "papers", counts: null };
const element = (id) => document.getElementById(id);
const fields = (line) => ({ student: line.student, code: line.code });

function showStatus(text, isFault = false) {
  element("saved").textContent = text;
  element("saved").className = isFault ? "fault" : "";
}

// -- the class ------------------------------------------------------------------------------------------------------------

const stateOf = (line) => (line.typed === 0 ? "none" : line.typed < line.asked ? "some" : "all");
const matches = (line, text) => [line.student, line.name, line.code].some((name) => name.toLowerCase().includes(text));

function listClass() {
  const text = (element("find")?.value ?? "").trim().toLowerCase();
  const listed = state.lines.map((line, k) => [line, k]).filter(([line]) => matches(line, text));
  const items = listed.map(([line, k]) => {
    const status = stateOf(line);
    return h("li", {}, h("button", { type: "button", class: status, "aria-current": state.open?.index === k ? "true" : null, onclick: () => go(k).catch(fail) },
      h("span", { "aria-hidden": "true" }, words.SIGNS[status]), h("span", {}, line.student || words.NEW, line.name ? ` · ${line.name}` : "",
        h("span", { class: "heard" }, `, ${words.STATES[status]}`)), h("small", {}, line.code)));
  });
  element("students").replaceChildren(...items);
  element("done").textContent = words.DONE(state.lines.filter((line) => stateOf(line) === "all").length, state.lines.length);
  return listed;
}

function classBar() {
  const pick = (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    const first = listClass()[0];
    if (first) go(first[1]).then(() => { element("find").value = ""; listClass(); }).catch(fail);
  };
  const find = h("input", { id: "find", class: "line", type: "search", autocomplete: "off", spellcheck: "false", oninput: listClass, onkeydown: pick });
  element("class").replaceChildren(h("label", { for: "find" }, words.FIND), find, h("ol", { id: "students", class: "students" }),
    h("p", { class: "fine", id: "done" }), h("div", { class: "fault", id: "notes", role: "alert" }));
  listClass();
}

// -- the stages of scans --------------------------------------------------------------------------------------------------

const COUNTS = { groups: "certain", doubt: "doubtful", unreadable: "unreadable" };

function counted(counts) {
  state.counts = counts;
  const stages = Object.keys(words.STAGES).filter((stage) => stage !== "unreadable" || counts.unreadable || state.stage === stage);
  element("stages").hidden = false;
  element("stages").replaceChildren(...stages.map((stage) => h("button", { type: "button", "aria-current": stage === state.stage ? "step" : null,
    onclick: () => enter(stage).catch(fail) }, words.STAGES[stage], stage in COUNTS ? h("span", {}, String(counts[COUNTS[stage]])) : null)));
}

const desk = (unreadable) => ({ counted, fail, unreadable, status: showStatus, isOpen: (stage) => state.stage === stage, finished });

// Opens the next stage with entries. A person who has asked for an empty stage reads that it is empty.
async function finished(stage, note) {
  const following = { groups: "doubt", doubt: "papers" }[stage];
  if (state.asked !== stage && following) return enter(following, state.asked);
  show(h("h1", {}, { groups: words.NO_GROUPS, doubt: words.NO_DOUBT, unreadable: words.NO_UNREADABLE }[stage]), note);
}

async function enter(stage, asked = stage) {
  await saved();
  Object.assign(state, { stage, asked, open: null, dirty: false });
  document.querySelector(".data-entry").dataset.stage = stage;
  counted(state.counts);
  if (stage === "groups") return groups(desk(state.unreadable));
  if (stage !== "papers") return doubt(desk(state.unreadable), stage);
  const { lines } = await ask({ do: "form" });
  state.lines = lines;
  await openFirst();
}

async function openFirst() {
  const first = state.lines.findIndex((line) => stateOf(line) !== "all");
  await go(Math.max(first, 0));
}

// -- one paper ------------------------------------------------------------------------------------------------------------

// Opens a paper. Entries that are typed meanwhile belong to the shown paper, and are saved first.
async function go(index) {
  const line = state.lines[index];
  let paper = null;
  do {
    await saved();
    if (!line.code && state.codes.length > 1) return which(index);
    paper = await ask({ do: "paper", ...fields(line) });
  } while (state.dirty);
  // `there`: entries of the table. `stored`: saved texts. `kept`: texts that were not saved, because others typed too.
  state.open = { index, paper, cells: paper.cells, stored: { ...paper.cells }, there: { ...paper.cells }, kept: {}, whose: line.student };
  state.dirty = false;
  showStatus("");
  render();
  listClass();
  if (line.student) state.grids[0]?.focus();
  else element("whose").focus();
}

// Asks for the code of a student's paper, which is printed on the paper.
function which(index) {
  const fault = h("p", { class: "fault", role: "status" });
  const pick = (event) => {
    if (event.key !== "Enter") return;
    const code = state.codes.find((name) => name.toLowerCase() === input.value.trim().toLowerCase());
    if (!code) return void (fault.textContent = words.NO_CODE);
    state.lines[index].code = code;
    go(index).catch(fail);
  };
  const input = h("input", { id: "code", class: "line", autocomplete: "off", onkeydown: pick });
  state.open = { index, paper: null, cells: {}, whose: state.lines[index].student };
  show(h("h1", {}, state.lines[index].student), h("p", { class: "whose" }, h("label", { for: "code" }, words.CODE), input), fault);
  listClass();
  input.focus();
}

function fail(error) {
  showStatus(error.message, true);
}

let light = () => null; // shows the place of an entry on the scanned page

function render() {
  const { paper, index } = state.open;
  const line = state.lines[index];
  state.grids = [];
  const questions = paper.questions.map((question) => h("section", { class: "question" }, paper.questions.length > 1 ? h("h2", {}, question.title) : null,
    h("div", { class: "grids" }, question.grids.map(gridOf), question.fields.map(fieldOf))));
  const title = [line.student || words.NEW, line.name, line.code].filter(Boolean).join(" · ");
  const form = [h("h1", {}, title), line.student ? null : whose(),
    !line.student && paper.scan ? h("p", { class: "fine" }, words.WHOSE_SCAN) : null, h("p", { class: "fine" }, words.KEYS), questions,
    h("p", { class: "tools" }, h("button", { type: "button", class: "main", onclick: next }, words.NEXT), h("span", { id: "unread", role: "status" }))];
  const pane = state.counts ? paneOf(line.code, paper.scan) : null;
  light = pane?.light ?? (() => null);
  show(...(pane ? [h("div", { class: "paired" }, h("div", {}, form.flat()), pane.element)] : form));
  light("");
  mark([]);
  window.scrollTo(0, 0);
}

function whose() {
  const input = h("input", { id: "whose", class: "line", autocomplete: "off", value: state.open.whose,
    oninput: () => { state.open.whose = input.value.trim(); changed(); },
    onkeydown: (event) => { if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) { event.preventDefault(); state.grids[0]?.focus(); } } });
  return h("p", { class: "whose" }, h("label", { for: "whose" }, words.WHOSE), input);
}

function add(grid) {
  const at = state.grids.push(grid);
  return { entered: (isAll) => (isAll || !state.grids[at] ? next() : state.grids[at].focus()) };
}

function gridOf(asked) {
  const values = asked.keys.map((row) => row.map((key) => (key ? state.open.cells[key] ?? "" : "")));
  const entry = { asked };
  const { entered } = add(entry);
  const change = (rows) => {
    asked.keys.forEach((row, i) => row.forEach((key, j) => { if (key) type(key, rows[i][j]); }));
    changed();
  };
  const grid = inputs(asked, values, { changed: change, entered });
  entry.focus = grid.focus;
  entry.mark = (unread) => grid.mark(asked.keys.flatMap((row, i) => row.flatMap((key, j) => (key in unread ? [[i, j]] : []))), "look");
  entry.put = (key, text) => asked.keys.forEach((row, i) => row.forEach((name, j) => { if (name === key) grid.cells[i][j].value = text; }));
  entry.faults = h("ul", { class: "unread" });
  entry.places = asked.keys.flatMap((row, i) => row.flatMap((key, j) => (key ? [[key, words.place(asked.name, i, j)]] : [])));
  const lit = (event) => asked.keys.forEach((row, i) => row.forEach((key, j) => { if (key && grid.cells[i][j] === event.target) light(key); }));
  return h("figure", { onfocusin: lit }, h("figcaption", { html: asked.math }), grid.element, entry.faults);
}

function fieldOf(asked) {
  const entry = { focus: () => input.focus(), mark: (unread) => input.classList.toggle("look", asked.key in unread), places: [[asked.key, asked.key]] };
  const { entered } = add(entry);
  const input = h("input", { id: asked.key, class: "line", autocomplete: "off", value: state.open.cells[asked.key] ?? "", onfocus: () => light(asked.key),
    oninput: () => { type(asked.key, input.value); changed(); },
    onkeydown: (event) => { if (event.key === "Enter") { event.preventDefault(); entered(event.ctrlKey || event.metaKey); } } });
  entry.put = (_, text) => { input.value = text; };
  entry.faults = h("ul", { class: "unread" });
  return h("div", { class: "words" }, h("label", { for: asked.key }, `${asked.key}: ${asked.about}`), input, entry.faults);
}

function mark(unread) {
  const faults = Object.fromEntries(unread.map((entry) => [entry.key, entry.message]));
  for (const grid of state.grids) {
    grid.mark(faults);
    grid.faults.replaceChildren(...grid.places.filter(([key]) => key in faults).map(([key, place]) => h("li", {}, `${place}: ${faults[key]}`)));
  }
  element("unread").textContent = unread.length ? words.UNREAD(unread.length) : "";
}

// -- saving ---------------------------------------------------------------------------------------------------------------

function type(key, text) {
  const { cells, kept } = state.open;
  if (asRead(cells[key] ?? "") === asRead(text)) return;
  cells[key] = text;
  delete kept[key];
}

// Returns the entries to save, and the texts that the table had when they were typed, because others may type too.
function unsaved() {
  const { index, whose, cells, stored, there, kept } = state.open;
  const typed = Object.entries(cells).filter(([key, text]) => text !== (stored[key] ?? "") && text !== kept[key]);
  const seen = typed.map(([key]) => [key, there[key] ?? ""]);
  return { ...fields(state.lines[index]), whose, cells: Object.fromEntries(typed), seen: Object.fromEntries(seen) };
}

// Unsaved entries are also stored in this browser. The next page that opens the table saves them.
const draftName = ({ student, code, whose }) => `${state.table} ${student || whose} ${code} ${TAB}`;

function keep() {
  const draft = unsaved();
  if (draft.whose && Object.keys(draft.cells).length) keepDraft(draftName(draft), draft);
}

function note(text) {
  element("notes").append(h("p", {}, text));
}

function noteKept(kept, typed, student) {
  const places = Object.fromEntries(state.grids.flatMap((grid) => grid.places));
  for (const [key, now] of Object.entries(kept)) note(words.KEPT(student, places[key] ?? key, now, typed[key]));
}

async function saveDrafts() {
  for (const name of drafts(`${state.table} `)) {
    const draft = draftOf(name);
    try {
      const response = await ask({ do: "save", ...draft });
      const count = Object.keys(draft.cells).length - Object.keys(response.kept).length;
      if (count) note(words.SAVED_NOW(draft.whose, count));
      noteKept(response.kept, draft.cells, draft.whose);
      forgetDraft(name);
    } catch (error) {
      note(`${draft.whose}: ${words.NOT_SAVED}: ${error.message}`);
    }
  }
}

// Shows the entries that others have typed into the open paper. Entries that were also typed here stay, with a note.
function merge(open, sent, { cells: now, kept }) {
  for (const [key, text] of Object.entries(now)) {
    const isMine = key in sent || open.cells[key] !== (open.stored[key] ?? "");
    if (key in kept) open.kept[key] = sent[key];
    if (key in sent && !(key in kept)) open.stored[key] = sent[key];
    if (!isMine && text !== (open.there[key] ?? "")) {
      open.cells[key] = open.stored[key] = text;
      if (open === state.open) state.grids.find((grid) => grid.places.some(([name]) => name === key))?.put(key, text);
    }
    open.there[key] = text;
  }
}

function changed() {
  state.dirty = true;
  keep();
  showStatus(words.SAVING);
  clearTimeout(state.timer);
  state.timer = setTimeout(() => saved().catch(() => {}), PAUSE);
}

// Saves the changes, one save after the other. After an error, they are saved together with the next change.
function saved() {
  clearTimeout(state.timer);
  state.saving = state.saving.catch(() => {}).then(store);
  return state.saving;
}

async function store() {
  if (!state.dirty) return;
  const { open } = state;
  const { index, whose: student } = open, line = state.lines[index];
  if (!student) {
    showStatus(words.NOBODY, true);
    throw new Error(words.NOBODY);
  }
  state.dirty = false;
  const request = unsaved(), draft = draftName(request);
  try {
    const response = await ask({ do: "save", ...request });
    merge(open, request.cells, response);
    noteKept(response.kept, request.cells, student);
    Object.assign(line, { typed: response.typed, student: response.student });
    forgetDraft(draft);
    if (state.dirty) keep();
    if (response.more) state.lines.push(response.more);
    response.notes.forEach(note);
    if (state.open.index === index) mark(response.unread);
    if (!state.dirty) showStatus(words.SAVED(response.typed));
    listClass();
  } catch (error) {
    state.dirty = true;
    showStatus(`${words.NOT_SAVED}: ${error.message}`, true);
    throw error;
  }
}

// Keys that are pressed while the next paper is loading. They are for that paper.
let early = null;

function hold(event) {
  if (!early || event.ctrlKey || event.metaKey || event.altKey || !(event.key.length === 1 || event.key === "Enter")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  early.push(event.key);
}

function press(key) {
  const input = document.activeElement;
  if (key === "Enter") return input.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  input.setRangeText?.(key, input.selectionStart, input.selectionEnd, "end");
  input.dispatchEvent(new Event("input", { bubbles: true }));
}

async function next() {
  early ??= [];
  const index = state.open?.index;
  await onward();
  const keys = state.open?.index === index ? [] : early; // if no other paper was opened, the keys are dropped
  early = null;
  while (keys.length && !early) press(keys.shift());
  if (early) early.unshift(...keys);
}

async function onward() {
  try {
    await saved();
  } catch {
    return;
  }
  const after = [...state.lines.keys()].map((k) => (state.open.index + 1 + k) % state.lines.length);
  const following = after.find((k) => stateOf(state.lines[k]) === "none");
  if (following === undefined) showStatus(words.ALL);
  else await go(following).catch(fail);
}

async function begin() {
  try {
    await start(() => {});
    const form = await ask({ do: "form" });
    [state.table, state.lines, state.codes] = [form.path, form.lines, form.codes];
    element("title").textContent = [form.title, form.file].filter(Boolean).join(" · ");
    classBar();
    window.addEventListener("beforeunload", (event) => { if (state.dirty) event.preventDefault(); });
    await saveDrafts();
    if (!form.counts) return await openFirst();
    Object.assign(state, { counts: form.counts, unreadable: form.unreadable });
    await enter("groups", "papers");
  } catch (error) {
    show(h("p", { role: "alert", class: "fault" }, error.message));
  }
}

document.addEventListener("keydown", hold, true);
document.addEventListener("keydown", (event) => {
  if (state.stage === "papers" && event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.defaultPrevented) next();
});
begin();

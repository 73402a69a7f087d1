// Requests to attncalc: to the server of this page, or to Python in a worker of the browser. Both return equal responses.
import * as words from "./words.js";

const settings = JSON.parse(document.documentElement.dataset.settings);
const PROGRESS = "attncalc practice";
const DRAFT = "attncalc draft ";
const SHOWN = "attncalc shown";
const TOKEN = "attncalc token";
let token = "";
let worker, python, prepared; // without a server; the last two are promises
const waiting = []; // for the worker, which answers in turn
let says = () => {};
const notes = {}; // messages about the program and the storage

export const isServer = settings.server;
export let isReady = isServer; // without a server, when Python has come
export const ready = () => python;

function note(subject, text) {
  notes[subject] = text;
  says(Object.values(notes).filter(Boolean).join(" "));
}

// Returns a stored value of this tab or browser, after storing `value` if given. Browsers may forbid that, in a frame of
// another page, or be full: then null, and the page reports a value that was not stored.
function kept(storage, name, value) {
  try {
    if (value !== undefined) window[storage].setItem(name, JSON.stringify(value));
    return JSON.parse(window[storage].getItem(name));
  } catch {
    if (value !== undefined) note("storage", words.NOT_STORED);
    return null;
  }
}

// The exercise that this tab shows, and of each exercise what was typed, in every tab. `shown` is what the page last got.
export const tabItem = (item) => kept("sessionStorage", "open", item);
export const draftOf = (item) => kept("localStorage", DRAFT + item);
export const lastShown = (shown) => kept("localStorage", SHOWN, shown);

export function keepDraft(item, draft) {
  if (kept("localStorage", DRAFT + item, draft)) note("storage", "");
}

export function drafts(prefix = "") {
  try {
    return Object.keys(localStorage).filter((name) => name.startsWith(DRAFT + prefix)).map((name) => name.slice(DRAFT.length));
  } catch {
    return [];
  }
}

export function forgetDraft(item) {
  if (drafts(item).length) localStorage.removeItem(DRAFT + item);
}

export const forgetDrafts = () => drafts().forEach(forgetDraft);

// Stores the token of this run. All tabs use the newest token, that of the last opened tab, so that tabs of an earlier
// run go on.
function takeToken() {
  const newToken = new URLSearchParams(location.hash.slice(1)).get("token");
  if (!newToken) return;
  token = newToken;
  kept("localStorage", TOKEN, newToken);
  history.replaceState(null, "", location.pathname);
}

// Starts the page. Without a server Python loads in a worker, which takes seconds: `tell` is called with messages about
// it, and about what could not be stored. Until then the page has prepared responses.
export function start(tell = says) {
  says = tell;
  if (isServer) return takeToken();
  prepared = fetch("prepared.json").then((response) => response.json());
  worker = new Worker("worker.js", { type: "module" });
  python = new Promise((ready, failed) => {
    worker.onmessage = ({ data }) => (data.failed ? failed(new Error(data.failed)) : data.text ? waiting.shift()(data.text) : ready());
    worker.onerror = (event) => failed(new Error(event.message ?? ""));
  });
  note("python", words.LOADING);
  python.then(() => navigator.serviceWorker?.register("offline.js")).catch(() => null); // later visits need no network
  python.then(() => { isReady = true; note("python", ""); }, (error) => note("python", `${words.NO_PYTHON} ${error.message}`));
}

async function post(path, body) {
  const headers = { "Content-Type": "application/json", "X-Token": kept("localStorage", TOKEN) ?? token };
  const response = await fetch(path, { method: "POST", headers, body }).catch(() => { throw new Error(words.GONE); });
  return response.text();
}

async function carry(text) {
  if (isServer) return post("respond", text);
  const known = isReady ? null : (await prepared)[text];
  if (known) return known;
  await python;
  worker.postMessage(text);
  return new Promise((done) => { waiting.push(done); });
}

// A file of the folder, which holds what templates make: the browser's Python has none.
const stored = (name) => fetch(name).then((response) => response.text());

// Returns the response to a request; throws an Error with its faults.
export async function ask(request) {
  const isStored = request.do === "idea" && !isServer;
  const response = JSON.parse(await (isStored ? stored(`idea-${request.item}.json`) : carry(JSON.stringify(request))));
  if (response.faults) throw new Error(response.faults.join("\n"));
  return response;
}

// Returns the stored progress, from a file of the user or this browser; null if there is none.
export async function load() {
  const progress = isServer ? JSON.parse(await post("progress", "{}")).progress : kept("localStorage", PROGRESS);
  return progress?.version === 1 ? progress : null;
}

export async function save(progress) {
  if (isServer) note("storage", JSON.parse(await post("progress", JSON.stringify({ progress }))).faults?.join("\n"));
  else kept("localStorage", PROGRESS, progress);
}

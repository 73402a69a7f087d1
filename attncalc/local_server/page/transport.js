// Sends requests to attncalc: to a server, or to Python in a worker of the browser. The responses are equal.
import * as words from "./words.js";

const settings = JSON.parse(document.documentElement.dataset.settings);
const PROGRESS = "attncalc practice";
const DRAFT = "attncalc draft ";
const SHOWN = "attncalc shown";
const TOKEN = "attncalc token";
let token = "";
let worker, python, prepared; // used without a server; the last two are promises
const waiting = []; // callbacks for the responses of the worker, in order
let says = () => {};
const notes = {}; // messages about the program and the storage

export const isServer = settings.server;
export let isReady = isServer; // without a server: true after Python has loaded
export const ready = () => python;

function note(subject, text) {
  notes[subject] = text;
  says(Object.values(notes).filter(Boolean).join(" "));
}

// Stores `value` if given, and returns the stored value of this tab or browser. A browser may forbid this in a frame of
// another page, or have no space. Then the result is null, and the page reports that the value was not stored.
function kept(storage, name, value) {
  try {
    if (value !== undefined) window[storage].setItem(name, JSON.stringify(value));
    return JSON.parse(window[storage].getItem(name));
  } catch {
    if (value !== undefined) note("storage", words.NOT_STORED);
    return null;
  }
}

// The exercise of this tab, the typed entries of each exercise (for all tabs), and the exercise that was shown last.
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

// Stores the token of this run. All tabs use the token of the tab that was opened last, so that tabs of an earlier
// run also work.
function takeToken() {
  const newToken = new URLSearchParams(location.hash.slice(1)).get("token");
  if (!newToken) return;
  token = newToken;
  kept("localStorage", TOKEN, newToken);
  history.replaceState(null, "", location.pathname);
}

// Starts the page. Without a server, Python loads in a worker, which takes seconds. Until then the page uses prepared
// responses. `tell` gets messages about loading and about values that could not be stored.
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
  python.then(() => navigator.serviceWorker?.register("offline.js")).catch(() => null); // for visits without a network
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

// Returns a file of the website. It was made from templates, which Python in the browser does not have.
const stored = (name) => fetch(name).then((response) => response.text());

// Returns the response to a request. Throws an Error if the response has faults.
export async function ask(request) {
  const isStored = request.do === "idea" && !isServer;
  const response = JSON.parse(await (isStored ? stored(`idea-${request.item}.json`) : carry(JSON.stringify(request))));
  if (response.faults) throw new Error(response.faults.join("\n"));
  return response;
}

// Returns the progress that is stored in a file of the user, or in this browser; null if there is none.
export async function load() {
  const progress = isServer ? JSON.parse(await post("progress", "{}")).progress : kept("localStorage", PROGRESS);
  return progress?.version === 1 ? progress : null;
}

export async function save(progress) {
  if (isServer) note("storage", JSON.parse(await post("progress", JSON.stringify({ progress }))).faults?.join("\n"));
  else kept("localStorage", PROGRESS, progress);
}

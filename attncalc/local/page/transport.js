// How requests reach attncalc: the server that sent this page, or Python in a worker of the browser. Both give the same responses.
import * as words from "./words.js";

const settings = JSON.parse(document.documentElement.dataset.settings);
const KEPT = "attncalc practice";
const waiting = new Map();
let token = "";
let count = 0;
let worker = null;
let python = null; // a promise
let prepared = null; // a promise

export const isServer = settings.server;
export let isReady = isServer; // without a server, when Python has come

// What this tab, or this browser, keeps for a page. In a frame of another page browsers may forbid that: then it lasts until the page is left.
const ofTab = () => sessionStorage;
const ofBrowser = () => localStorage;

function keep(storage, name, value) {
  try {
    storage().setItem(name, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

function kept(storage, name) {
  try {
    return JSON.parse(storage().getItem(name));
  } catch {
    return null;
  }
}

export const keepOpen = (open) => keep(ofTab, "open", open);
export const keptOpen = () => kept(ofTab, "open");

function takeToken() {
  const found = new URLSearchParams(location.hash.slice(1)).get("token");
  if (found) {
    keep(ofTab, "token", found);
    history.replaceState(null, "", location.pathname);
  }
  token = found || kept(ofTab, "token") || "";
}

// Without a server Python comes in a worker, which takes seconds: `says` is told of it. Until then the page has prepared responses.
export function start(says) {
  if (isServer) return takeToken();
  prepared = fetch("prepared.json").then((response) => response.json());
  worker = new Worker("worker.js", { type: "module" });
  python = new Promise((ready, failed) => {
    worker.onmessage = ({ data }) => {
      if (data.ready) ready();
      else if (data.failed) failed(new Error(data.failed));
      else settle(data);
    };
    worker.onerror = (event) => failed(new Error(event.message ?? ""));
  });
  says(words.LOADING);
  python.then(() => { isReady = true; says(""); }, (error) => says(`${words.NO_PYTHON} ${error.message}`));
}

function settle({ id, text }) {
  waiting.get(id)(text);
  waiting.delete(id);
}

async function post(path, body) {
  const headers = { "Content-Type": "application/json", "X-Token": token };
  let response;
  try {
    response = await fetch(path, { method: "POST", headers, body });
  } catch {
    throw new Error(words.GONE);
  }
  return response.text();
}

async function carry(text) {
  if (isServer) return post("respond", text);
  const known = isReady ? null : (await prepared)[text];
  if (known) return known;
  await python;
  const id = ++count;
  return new Promise((done) => {
    waiting.set(id, done);
    worker.postMessage({ id, text });
  });
}

// The response to a request; throws an Error that says what is wrong.
export async function ask(request) {
  const response = JSON.parse(await carry(JSON.stringify(request)));
  if (response.faults) throw new Error(response.faults.join("\n"));
  return response;
}

// Progress stays on this machine: in a file of the user, or in this browser.
export async function load() {
  if (isServer) return JSON.parse(await post("progress", "{}")).progress ?? {};
  const found = kept(ofBrowser, KEPT);
  return found?.version === 1 ? found : {};
}

export async function save(progress) {
  if (isServer) return void (await post("progress", JSON.stringify({ progress })));
  keep(ofBrowser, KEPT, progress);
}

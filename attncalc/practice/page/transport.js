// How requests reach attncalc: the server that sent this page, or Python in a worker of the browser. Both give the same responses.
import * as words from "./words.js";

const settings = JSON.parse(document.documentElement.dataset.settings);
const KEPT = "attncalc practice";
let token = "";
let worker = null;
const waiting = new Map();
let count = 0;

export const isServer = settings.server;

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

export async function start(progress) {
  if (isServer) return takeToken();
  worker = new Worker("worker.js", { type: "module" });
  await new Promise((ready, failed) => {
    worker.onmessage = ({ data }) => {
      if (data.ready) ready();
      else if (data.failed) failed(new Error(data.failed));
      else if (data.says) progress(data.says);
      else settle(data);
    };
    worker.onerror = (event) => failed(new Error(event.message));
  });
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
  return kept(ofBrowser, KEPT) ?? {};
}

export async function save(progress) {
  if (isServer) return void (await post("progress", JSON.stringify({ progress })));
  keep(ofBrowser, KEPT, progress);
}

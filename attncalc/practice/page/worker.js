// Python for the static page: a worker that answers requests in sequence.
import { boot } from "./boot.js";
import { loadPyodide } from "./pyodide.mjs";

const folder = new URL("./", self.location.href).href;

async function read(name) {
  const response = await fetch(`${folder}${name}`);
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
  return response.arrayBuffer();
}

const ready = boot(loadPyodide, folder, read);
ready.then(() => self.postMessage({}), (error) => self.postMessage({ failed: String(error) }));

// An error of the program is reported by its last line, so that no request waits forever.
self.onmessage = async ({ data }) => {
  const respond = await ready;
  let text;
  try {
    text = respond(data);
  } catch (error) {
    text = JSON.stringify({ faults: [String(error).trim().split("\n").at(-1)] });
  }
  self.postMessage({ text });
};

// Python for the static website: a worker that responds to requests in order.
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

// After an error of the program, the response is the last line of the error, so that no request waits forever.
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

// The site's own Python in Node: a request a line on standard input, its response a line on standard output.
import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

const folder = process.argv[2];
const load = (name) => import(pathToFileURL(`${folder}/${name}`).href);
const { loadPyodide } = await load("pyodide.mjs");
const { boot } = await load("boot.js");
const respond = await boot(loadPyodide, `${folder}/`, async (name) => readFileSync(`${folder}/${name}`));
const input = await text(process.stdin);
for (const line of input.split("\n").filter(Boolean)) process.stdout.write(`${respond(line)}\n`);

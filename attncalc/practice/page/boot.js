// Python in JavaScript, in a browser's worker and in Node. `read` returns a file of the folder.
// RTLD_GLOBAL shares FLINT's 14,000 functions. Otherwise each module copies their names, which takes seconds.
const START = `
import json, os, sys
sys.path.insert(0, "/attncalc")
sys.setdlopenflags(os.RTLD_NOW | os.RTLD_GLOBAL)
from attncalc.practice.operations import respond_text
with open("/course.json", encoding="utf-8") as file:
    course = json.load(file)
lambda text: respond_text(course, text)
`;

export async function boot(loadPyodide, folder, read) {
  const [python, program, flint, course] = await Promise.all([
    loadPyodide({ indexURL: folder }), read("attncalc.zip"), read("python-flint.zip"), read("course.json")]);
  for (const archive of [program, flint]) python.unpackArchive(new Uint8Array(archive), "zip", { extractDir: "/attncalc" });
  python.FS.writeFile("/course.json", new Uint8Array(course));
  return python.runPython(START);
}

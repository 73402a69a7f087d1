// Python in JavaScript: the same program from the same folder, in a browser's worker and in Node. `read` answers a file of the folder.
const START = `
import json, sys
sys.path.insert(0, "/attncalc")
from attncalc.practice.respond import respond_text
with open("/course.json", encoding="utf-8") as file:
    course = json.load(file)
lambda text: respond_text(course, text)
`;

export async function boot(loadPyodide, folder, read, says = () => {}) {
  says("Loading Python …");
  const [python, program, wheel, course] = await Promise.all([
    loadPyodide({ indexURL: folder }), read("attncalc.zip"), read("python-flint.zip"), read("course.json")]);
  says("Loading attncalc …");
  python.unpackArchive(new Uint8Array(program), "zip", { extractDir: "/attncalc" });
  python.unpackArchive(new Uint8Array(wheel), "zip", { extractDir: "/attncalc" });
  python.FS.writeFile("/course.json", new Uint8Array(course));
  return python.runPython(START);
}

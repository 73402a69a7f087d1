// Compiles what the program of a site imports, with the site's own Python in Node: `node compile.mjs FOLDER`. A browser would do it anew each time.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const COMPILE = `
import importlib.util, marshal, sys, zipfile
HEAD = importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8)  # never compared with a source
used = {getattr(module, "__file__", None) for module in sys.modules.values()}

def compiled(path, home):
    with zipfile.ZipFile(path) as archive, zipfile.ZipFile("/compiled.zip", "w", zipfile.ZIP_DEFLATED) as made:
        for file in archive.infolist():
            content = archive.read(file)
            if file.filename.endswith(".py") and home + file.filename in used:
                file.filename += "c"
                content = HEAD + marshal.dumps(compile(content, home + file.filename, "exec", dont_inherit=True, optimize=2))
            made.writestr(zipfile.ZipInfo(file.filename, (1980, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED, 9)

lambda path, home: compiled(path, home or next(one for one in sys.path if one.endswith(".zip")) + "/")
`;

const folder = process.argv[2];
const load = (name) => import(pathToFileURL(`${folder}/${name}`).href);
const read = (name) => readFileSync(`${folder}/${name}`);
const [{ loadPyodide }, { boot }] = await Promise.all([load("pyodide.mjs"), load("boot.js")]);
let python = null;
await boot(async (how) => (python = await loadPyodide(how)), `${folder}/`, read);
const compiled = python.runPython(COMPILE);
for (const [name, home] of [["attncalc.zip", "/attncalc/"], ["python_stdlib.zip", ""]]) {
  python.FS.writeFile("/sources.zip", new Uint8Array(read(name)));
  compiled("/sources.zip", home);
  writeFileSync(`${folder}/${name}`, python.FS.readFile("/compiled.zip"));
}

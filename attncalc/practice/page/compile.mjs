// What a browser would do anew each time, done once with the site's own Python in Node, `node compile.mjs FOLDER`: the
// modules that the program imports are compiled, and libraries export what others use and no more. Linking takes seconds
// with FLINT's 14,000 functions.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const COMPILE = `
import importlib.util, marshal, sys, zipfile
from js import WebAssembly
from pyodide.ffi import to_js
EXPORTS = 7  # the section of a library
HEAD = importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8)  # never compared with a source
UNUSED = ("doctest", "ensurepip", "imaplib", "mailbox", "pdb", "pickletools", "pydoc", "smtplib", "unittest", "xmlrpc")
loaded = {getattr(module, "__file__", None) for module in sys.modules.values()}

def without_lines(code):
    """Code without the numbers of its lines, a third of its size: PEP 626's table says "none" for 8 units a byte."""
    full, rest = divmod(len(code.co_code) // 2, 8)
    table = b"\\xff" * full + bytes([0xF7 + rest] if rest else [])
    consts = (without_lines(const) if isinstance(const, type(code)) else const for const in code.co_consts)
    return code.replace(co_linetable=table, co_consts=tuple(consts))

def compiled(files, home):
    files = {name: content for name, content in files.items() if not name.startswith(UNUSED)}
    for name in [name for name in files if name.endswith(".py") and home + name in loaded]:
        code = compile(files.pop(name), home + name, "exec", dont_inherit=True, optimize=2)
        files[name + "c"] = HEAD + marshal.dumps(without_lines(code))
    return files

def imported(library):
    return {entry.name for entry in WebAssembly.Module.imports(WebAssembly.Module.new(to_js(library)))}

def number(data, at):
    """A number as WebAssembly writes it, seven bits a byte, and where it ends."""
    value = shift = 0
    while True:
        value, shift, at = value | (data[at] & 127) << shift, shift + 7, at + 1
        if data[at - 1] < 128:
            return value, at

def written(value):
    return bytes(value >> shift & 127 | (128 if shift < 28 else 0) for shift in range(0, 35, 7))

def trimmed(library, wanted):
    """A library that exports what is used, and what its own start needs."""
    start = 8
    while library[start] != EXPORTS:
        size, inside = number(library, start + 1)
        start = inside + size
    size, inside = number(library, start + 1)
    count, at = number(library, inside)
    kept = []
    for _ in range(count):
        length, name = number(library, at)
        _, end = number(library, name + length + 1)
        if library[name:name + 2] == b"__" or library[name:name + length].decode() in wanted:
            kept.append(library[at:end])
        at = end
    section = written(len(kept)) + b"".join(kept)
    return library[:start] + bytes([EXPORTS]) + written(len(section)) + section + library[inside + size:]

def linked(files, home):
    modules = {name: content for name, content in files.items() if name.endswith(".so")}
    wanted = set().union(*map(imported, modules.values()))
    return files | {name: trimmed(content, wanted) for name, content in modules.items() if ".libs/" in name}

def remake(path, make, home):
    with zipfile.ZipFile(path) as archive:
        files = {file.filename: archive.read(file) for file in archive.infolist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in make(files, home).items():
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED, 9)

remake("/mnt/attncalc.zip", compiled, "/attncalc/")
remake("/mnt/python_stdlib.zip", compiled, next(path for path in sys.path if path.endswith(".zip")) + "/")
remake("/mnt/python-flint.zip", linked, "")
`;

const folder = process.argv[2];
const load = (name) => import(pathToFileURL(`${folder}/${name}`).href);
const [{ loadPyodide }, { boot }] = await Promise.all([load("pyodide.mjs"), load("boot.js")]);
let python = null;
await boot(async (how) => (python = await loadPyodide(how)), `${folder}/`, async (name) => readFileSync(`${folder}/${name}`));
python.mountNodeFS("/mnt", folder);
python.runPython(COMPILE);

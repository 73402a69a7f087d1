// Compiles the modules that the program imports, with the Python of the site in Node: `node compile.mjs FOLDER`. Without
// this, every browser would compile them at every start.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const COMPILE = `
import importlib.util, marshal, sys, zipfile
HEAD = importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8)  # never compared with a source
UNUSED = ("doctest", "ensurepip", "imaplib", "mailbox", "pdb", "pickletools", "pydoc", "smtplib", "unittest", "xmlrpc")
loaded = {getattr(module, "__file__", None) for module in sys.modules.values()}

def without_lines(code):
    """Code without the numbers of its lines, a third of its size: PEP 626's table says "none" for 8 units a byte."""
    full, rest = divmod(len(code.co_code) // 2, 8)
    table = b"\\xff" * full + bytes([0xF7 + rest] if rest else [])
    consts = (without_lines(const) if isinstance(const, type(code)) else const for const in code.co_consts)
    return code.replace(co_linetable=table, co_consts=tuple(consts))

def compile_archive(path, home):
    with zipfile.ZipFile(path) as archive:
        files = {file.filename: archive.read(file) for file in archive.infolist()
                 if not file.filename.startswith(UNUSED)}
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            if name.endswith(".py") and home + name in loaded:
                code = compile(content, home + name, "exec", dont_inherit=True, optimize=2)
                name, content = name + "c", HEAD + marshal.dumps(without_lines(code))
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED, 9)

compile_archive("/mnt/attncalc.zip", "/attncalc/")
compile_archive("/mnt/python_stdlib.zip", next(path for path in sys.path if path.endswith(".zip")) + "/")
`;

const folder = process.argv[2];
const load = (name) => import(pathToFileURL(`${folder}/${name}`).href);
const [{ loadPyodide }, { boot }] = await Promise.all([load("pyodide.mjs"), load("boot.js")]);
let python = null;
await boot(async (how) => (python = await loadPyodide(how)), `${folder}/`, async (name) => readFileSync(`${folder}/${name}`));
python.mountNodeFS("/mnt", folder);
python.runPython(COMPILE);

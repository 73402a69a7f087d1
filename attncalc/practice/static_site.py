"""The practice page and the program as a folder for any web server. Pyodide runs Python in the browser."""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import zipfile
from collections.abc import Iterator
from hashlib import sha256
from importlib.metadata import distribution
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml

from ..errors import AttncalcError, Location
from ..local_server.assets import policy
from . import messages
from .exercise_list import Course, items_of
from .operations import compact, prepare_responses, respond_text
from .server import OFFLINE, PAGE

PYODIDE = "314.0.7"
RUNTIME = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
WHEEL = re.compile(r"python_flint-.*-cp314-cp314-pyemscripten_2026_0_wasm32\.whl")
ARCHIVES = ("attncalc.zip", "python_stdlib.zip")  # archives that Node compiles
SLOWEST = 600  # time limit of Node in seconds
PROGRAM = (".py", ".json", ".ini", ".yaml")  # modules and data
# Folders and modules that no request needs
EXCLUDED = {"cli", "data_entry", "lms", "exam", "gradebook", "terminal", "examples", "page", "templates", "problems",
            "__pycache__", "verify.py", "mcp.py", "static_site.py", "pattern_file.py", "certificate.py", "html.py",
            "markdown.py", "svg.py", "report_document.py", "problem_template.py"}  # fmt: skip
# The types of python-flint that attncalc uses, directly or indirectly. A browser needs seconds to link all types
FLINT_TYPES = (
    "acb acb_mat acb_poly acb_theta arb arb_mat arb_poly arf dirichlet fmpq fmpq_mat fmpq_poly fmpz fmpz_mat fmpz_poly"
)
UNUSED_FLINT = re.compile(r"\.pyi$|\.dist-info/")  # LICENSES.txt contains the licences
FLINT = """from .flint_base import flint_base
from .pyflint import ctx
from .types.arb import arb
from .types.arb_mat import arb_mat
from .types.fmpq import fmpq
from .types.fmpq_mat import fmpq_mat
from .types.fmpz import fmpz
from .types.fmpz_mat import fmpz_mat
"""
DAY = (1980, 1, 1, 0, 0, 0)  # the date of every file in an archive, so that archives are reproducible


def site(course: Course, pyodide: str) -> dict[str, str | bytes]:
    """Return every file of the website, by path. Raises AttncalcError with instructions if Pyodide is incomplete."""
    runtime, wheel = _pyodide_files(pyodide)
    rules = policy("'self' 'wasm-unsafe-eval'", "worker-src 'self'")
    head = f'<meta charset="utf-8">\n<meta http-equiv="content-security-policy" content="{rules}">'
    index = PAGE.html("", server=False).replace('<meta charset="utf-8">', head, 1).replace(' nonce=""', "")
    files: dict[str, str | bytes] = {
        **{file.name: file.read_bytes() for file in runtime},
        **PAGE.files,
        "index.html": index,
        "course.json": compact(course),
        "prepared.json": compact(prepare_responses(course)),
        **{
            f"idea-{item}.json": respond_text(course, compact({"do": "idea", "item": item}))
            for item in items_of(course)
        },
        "attncalc.zip": _archive(_program()),
        "python-flint.zip": _archive(_flint(wheel)),
        "LICENSES.txt": "\n\n".join([messages.LICENCES, *_licences(wheel)]) + "\n",
    }
    digest = sha256(b"".join(text if isinstance(text, bytes) else text.encode() for text in files.values())).hexdigest()
    kept = compact(
        {"version": f"attncalc {digest[:16]}", "files": ["./", *sorted({*files} - {OFFLINE, "LICENSES.txt"})]}
    )
    return files | {OFFLINE: PAGE.files[OFFLINE].decode().replace("__FOLDER__", kept)}


def compile_archives(files: dict[str, str | bytes]) -> dict[str, bytes] | None:
    """Return the archives, compiled for fast loading by Node (page/compile.mjs); None if this is impossible."""
    node = shutil.which("node")
    with TemporaryDirectory() as folder:
        for name, content in files.items():
            Path(folder, name).write_bytes(content if isinstance(content, bytes) else content.encode())
        command = [node or "", str(PAGE.folder / "compile.mjs"), folder]
        if node is None or subprocess.run(command, capture_output=True, timeout=SLOWEST).returncode:
            return None
        return {name: Path(folder, name).read_bytes() for name in ARCHIVES}


def _pyodide_files(folder: str) -> tuple[list[Path], Path]:
    home = Path(folder)
    missing = [name for name in RUNTIME if not (home / name).is_file()]
    wheels = sorted(file for file in home.iterdir() if WHEEL.fullmatch(file.name)) if home.is_dir() else []
    about = home / "package.json"
    if not wheels:
        missing.append("python_flint-…-wasm32.whl")
    if not (about.is_file() and f'"version": "{PYODIDE}"' in about.read_text(encoding="utf-8", errors="replace")):
        missing.append(f"package.json of version {PYODIDE}")
    if missing:
        raise AttncalcError(messages.NO_PYODIDE.format(missing=missing[0], version=PYODIDE), Location(folder))
    return [home / name for name in RUNTIME], wheels[-1]


def _program() -> Iterator[tuple[str, bytes]]:
    """Yield the files of attncalc without its commands, and of PyYAML without its C library."""
    for home in (Path(__file__).resolve().parent.parent, Path(yaml.__file__).parent):
        for file in sorted(path for path in home.rglob("*") if path.suffix in PROGRAM):
            inside = file.relative_to(home.parent)
            if not EXCLUDED & {*inside.parts}:
                yield inside.as_posix(), file.read_bytes()


def _flint(wheel: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the files of python-flint without the types that attncalc does not use."""
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            folder, _, module = name.rpartition("/")
            is_used = folder != "flint/types" or module.partition(".")[0] in (*FLINT_TYPES.split(), "__init__")
            if name == "flint/__init__.py":
                yield name, FLINT.encode()
            elif is_used and folder not in ("flint/test", "flint/functions") and not UNUSED_FLINT.search(name):
                yield name, archive.read(name)


def _archive(files: Iterator[tuple[str, bytes]]) -> bytes:
    """Return a zip file that is reproducible byte for byte."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            archive.writestr(zipfile.ZipInfo(name, DAY), content, zipfile.ZIP_DEFLATED, 9)
    return buffer.getvalue()


def _licences(wheel: Path) -> Iterator[str]:
    """Yield the licences of the software of others in the folder, if the texts are installed."""
    files = [(f"{name}: {file}", file) for name in ("attncalc", "PyYAML") for file in distribution(name).files or ()]
    texts = {title: file.read_binary() for title, file in files if _is_licence(title)}
    with zipfile.ZipFile(wheel) as archive:
        texts |= {name: archive.read(name) for name in archive.namelist() if _is_licence(name)}
    for title, text in texts.items():
        yield f"{'-' * 80}\n{title}\n{'-' * 80}\n{text.decode('utf-8', 'replace').strip()}"


def _is_licence(name: str) -> bool:
    return ".dist-info" in name and any(word in os.path.basename(name).upper() for word in ("LICEN", "COPYING"))

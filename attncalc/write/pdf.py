"""A Document as PDF: by Typst's compiler, which comes as a Python package, or by LaTeX where it is installed."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from ..errors import AttncalcError
from ..explain.document import Document

ENGINES = ("typst", "latex")
STANDARD: Literal["ua-1"] = "ua-1"  # PDF/UA-1: Typst checks that a page can be heard
LATEX = "pdflatex"  # not lualatex, whose Lua reads and writes files whatever TeX is told
PACKAGES = "texlive-latex-base, texlive-latex-recommended and lmodern (names of Debian's packages)"
SECONDS = 60
MOST_TRIES = 24
_MISSING = re.compile(r'the text `"(.*?)"` could not be displayed')
# Scripts and pictures that the fonts in Typst's package lack.
_FOREIGN = re.compile(r"[\u0590-\u1dff\u2e80-\ud7ff\ue000-\ufeff\uff00-\uffef\U00010000-\U0010ffff]")


def write(document: Document, template: Path | None = None, engine: str = "typst") -> bytes:
    """The whole PDF. A document is given through templates/typst/ or, with `engine="latex"`, templates/latex/."""
    if engine == "latex":
        from . import latex

        return by_latex(latex.write(document, template))
    from . import typst

    return by_typst(typst.write(document, template))


def by_typst(source: str, files: Mapping[str, bytes] = {}) -> bytes:
    """Compiled with the fonts of the package alone, so that a page is the same everywhere; with others where it needs
    some.

    `files` are the pictures that the page names. A character that no font has is set as its code, U+732B.
    """
    import typst

    with TemporaryDirectory() as folder:  # no other file is in reach of a template
        page = Path(folder, "page.typ")
        for name, content in files.items():
            Path(folder, os.path.basename(name)).write_bytes(content)
        alone, told = not _FOREIGN.search(source), ""
        for _ in range(MOST_TRIES):
            page.write_text(source, encoding="utf-8")
            try:
                return typst.compile(str(page), root=folder, ignore_system_fonts=alone, pdf_standards=STANDARD)
            except typst.TypstError as error:
                told = " ".join(error.message.split())
            missing = _MISSING.search(told)
            if missing is None:
                break
            if alone:
                alone = False
            else:
                lacking = {c for c in missing[1] if not c.isascii()}
                source = "".join(f"U+{ord(c):04X}" if c in lacking or _FOREIGN.match(c) else c for c in source)
    raise AttncalcError(f"Typst cannot set this page: {told}")


def by_latex(source: str) -> bytes:
    """Compiled in a folder of its own, without a shell and within a minute."""
    import shutil
    import subprocess

    program = shutil.which(LATEX)
    if program is None:
        raise AttncalcError(f"--engine latex: {LATEX} is not installed; without --engine, Typst sets the page")
    command = [program, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "page.tex"]
    with TemporaryDirectory() as folder:
        page = Path(folder, "page.tex")
        page.write_text(source, encoding="utf-8")
        within = {**os.environ, "openin_any": "p", "openout_any": "p"}  # only files below this folder
        try:
            done = subprocess.run(
                command, cwd=folder, env=within, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS
            )
        except subprocess.TimeoutExpired:
            raise AttncalcError(f"--engine latex: {LATEX} has not ended after {SECONDS} seconds") from None
        if done.returncode:
            said = re.search(r"^! (.*)$", done.stdout.decode("utf-8", "replace"), re.MULTILINE)
            reason = said[1] if said else f"exit code {done.returncode}"
            more = f"; install {PACKAGES}" if "not found" in reason else ""
            raise AttncalcError(f"--engine latex: {LATEX} fails: {reason}{more}")
        return page.with_suffix(".pdf").read_bytes()

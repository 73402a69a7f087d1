"""A Document as PDF, made by Typst's compiler (a Python package), or by LaTeX if it is installed."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterator, Mapping
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from ..errors import AttncalcError, Location
from ..explain.document import Block, Document, Heading
from ..processor_limit import RENDERED, Purpose
from .glyph_codes import GlyphListener, in_tex
from .template_renderer import title
from .typst_compiler import Limit, TypstFault, compiled, joined, limit_of, page_count, queried

ENGINES = ("typst", "latex")
STANDARD: Literal["ua-1"] = "ua-1"  # PDF/UA-1: Typst checks accessibility
LATEX = "pdflatex"  # not lualatex, because Lua reads and writes files regardless of TeX's settings
PACKAGES = "texlive-latex-base, texlive-latex-recommended and lmodern (names of Debian's packages)"
SECONDS = 20
LONG = 100_000  # characters; a longer page in Typst can need more memory than a solution may use
WRITTEN = Purpose("a PDF that is typeset", "write .html, or choose fewer steps if the command has --step or --part")
_MISSING = "could not be displayed"  # in Typst's message about a text without a glyph
NO_CHARACTER = "\U0010ffff"
_OUTLINES = """#context for code in ({},) {{
  let outline = measure(text(top-edge: "bounds", bottom-edge: "bounds", str.from-unicode(code)))
  [#metadata((outline.width.pt(), outline.height.pt())) <outlines>]
}}"""
# Scripts and pictures that the fonts in Typst's package lack.
_FOREIGN = re.compile(r"[\u0590-\u1dff\u2e80-\ud7ff\ue000-\ufeff\uff00-\uffef\U00010000-\U0010ffff]")


def write(
    document: Document, template: Path | None = None, engine: str = "typst", unset: GlyphListener = lambda signs: None
) -> bytes:
    """Return the PDF of a document, made with templates/typst/ or, with `engine="latex"`, with templates/latex/.

    The problems of a long document become separate PDFs, which are then joined.
    """
    if engine == "latex":
        from . import latex

        source = latex.write(document, template)
        if signs := in_tex(source):
            unset(signs)
        return by_latex(source)
    from . import typst

    problems = _problems(document)
    if len(problems) == 1 or not _are_long(problems, template):
        source = typst.write(document, template)
        limit = limit_of(template) or ((Location("-o"), WRITTEN) if len(source) > LONG else None)
        return by_typst(source, unset=unset, limit=limit)
    pdfs: list[bytes] = []
    lacking: list[str] = []
    first_page = 1
    limit = limit_of(template) or (Location("-o"), WRITTEN)
    # Typst needs 60 MB for a short problem, which is too much for many problems in one process
    for problem in problems:
        pdfs.append(by_typst(typst.write(problem, template, first_page), unset=lacking.append, limit=limit))
        first_page += page_count(pdfs[-1])
    if lacking:
        unset("".join(dict.fromkeys("".join(lacking))))
    return joined(pdfs, title(document))


def _are_long(problems: list[Document], template: Path | None) -> bool:
    """Return whether a single source with all problems would be too long. The check stops at the first problem that
    shows it.
    """
    from . import typst

    frame = len(typst.write(Document([]), template))
    lengths = (len(typst.write(problem, template)) - frame for problem in problems)
    return any(length > LONG for length in accumulate(lengths, initial=frame))


def _problems(document: Document) -> list[Document]:
    """Return the document of each problem: the blocks from one title to the next."""
    problems: list[list[Block]] = [[]]
    for block in document.blocks:
        if isinstance(block, Heading) and block.level == 1 and problems[-1]:
            problems.append([])
        problems[-1].append(block)
    return list(map(Document, problems))


def by_typst(
    source: str, files: Mapping[str, bytes] = {}, unset: GlyphListener = lambda signs: None, limit: Limit | None = None
) -> bytes:
    """Return the PDF of a Typst source. It uses the fonts of the package, so that pages are equal everywhere, and
    system fonts only if necessary.

    `files` are the pictures of the page. `limit` is given for a long page, and for a page with a user's template. A
    character without a glyph is replaced by its code, U+732B; `unset` is called with the replaced characters.
    """
    return by_typst_with_values(source, "", files, unset, limit)[0]


def by_typst_with_values(
    source: str, label: str, files: Mapping[str, bytes], unset: GlyphListener, limit: Limit | None = None
) -> tuple[bytes, list[list[float]]]:
    """Return the PDF of a Typst source, and the numbers that a label marks in it. Without a label, there are no
    numbers.
    """
    message = ""
    with TemporaryDirectory() as folder:  # a template can read no other files
        page = _page_with_files(folder, files)
        for text, alone, codes in _attempts(source):
            page.write_text(text, encoding="utf-8")
            try:
                pdf = compiled(str(page), limit, root=folder, ignore_system_fonts=alone, pdf_standards=STANDARD)
            except TypstFault as error:
                message = str(error)
                if _MISSING in message:
                    continue
                break
            if codes:
                unset(codes)
            return pdf, queried(str(page), label, root=folder, ignore_system_fonts=alone) if label else []
    place = limit[0] if limit and limit[1] is RENDERED else Location()
    raise AttncalcError(f"Typst cannot typeset this page: {message}", place)


def _attempts(source: str) -> Iterator[tuple[str, bool, str]]:
    """Yield (source, uses only the fonts of the package, replaced characters) for each attempt to print every
    character.

    Each attempt replaces more characters by their codes.
    """
    if not _FOREIGN.search(source):  # the fonts in Typst's package have all characters
        yield source, True, ""
    yield source, False, ""
    signs = "".join(dict.fromkeys(c for c in source if not c.isascii()))
    alone = missing_glyphs(signs)
    # Perhaps no font has a glyph for the whole of a⃗, a letter with a combining arrow
    in_clusters = "".join(c for c in signs if c in alone or unicodedata.category(c)[0] == "M")
    for lacking in (alone, in_clusters, signs):  # the last attempt is a page in ASCII
        yield source.translate({ord(c): f"U+{ord(c):04X}" for c in lacking}), False, lacking


def typst_values(source: str, label: str, files: Mapping[str, bytes] = {}, alone: bool = True) -> list[list[float]]:
    """Return the numbers that a label marks in a Typst source without user templates. With `alone`, use only the fonts
    of the package.
    """
    with TemporaryDirectory() as folder:
        page = _page_with_files(folder, files)
        page.write_text(source, encoding="utf-8")
        return queried(str(page), label, root=folder, ignore_system_fonts=alone)


def _page_with_files(folder: str, files: Mapping[str, bytes]) -> Path:
    """Write the files of a page into a folder, and return the path of the page."""
    for name, content in files.items():
        Path(folder, os.path.basename(name)).write_bytes(content)
    return Path(folder, "page.typ")


def missing_glyphs(text: str) -> str:
    """Return the characters of a text for which no available font has a glyph. One run of Typst tests all.

    For a character without a glyph, Typst draws the same outline as for U+10FFFF, which no font has. At the end of a
    line, Typst halves the width of Chinese punctuation.
    """
    signs = "".join(dict.fromkeys(text))
    codes = ", ".join(str(ord(c)) for c in signs + NO_CHARACTER)
    outlines = typst_values(_OUTLINES.format(codes), "<outlines>", alone=False)
    width, height = outlines[-1]
    lacks = ([width, height], [width / 2, height])
    return "".join(c for c, outline in zip(signs, outlines, strict=False) if outline in lacks)


def by_latex(source: str) -> bytes:
    """Return the PDF of a LaTeX source, compiled in a temporary folder. Raises AttncalcError after SECONDS."""
    import shutil
    import subprocess

    program = shutil.which(LATEX)
    if program is None:
        raise AttncalcError(f"--engine latex: {LATEX} is not installed; without --engine, Typst typesets the page")
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
            error_line = re.search(r"^! (.*)$", done.stdout.decode("utf-8", "replace"), re.MULTILINE)
            reason = error_line[1] if error_line else f"exit code {done.returncode}"
            more = f"; install {PACKAGES}" if "not found" in reason else ""
            raise AttncalcError(f"--engine latex: {LATEX} fails: {reason}{more}")
        return page.with_suffix(".pdf").read_bytes()

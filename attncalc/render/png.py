"""Matrices as PNG pictures. Typst's compiler draws the pictures of svg.py."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory

from ..errors import AttncalcError, Location
from ..explain.document import Document
from . import svg
from .typst_compiler import TypstFault, compiled, limit_of

SVG_DENSITY = 96  # pixels an inch of an SVG
DENSITY = 144  # pixels an inch, so that a picture is sharp on fine screens
MOST_PIXELS = 60_000_000  # this number needs 800 MB of memory
_SIZE = re.compile(r'<svg\b[^>]*?\swidth="([0-9.]{1,9})"[^>]*?\sheight="([0-9.]{1,9})"')
_PAGE = '#set page(width: auto, height: auto, margin: 0pt)\n#image("maps.svg")'


def write(document: Document, template: Path | None = None) -> bytes:
    """Return the pictures of `svg.write` as PNG, in its light colours."""
    drawn = svg.write(document, template)
    if size := _SIZE.search(drawn):
        pixels = int(float(size[1]) * float(size[2]) * (DENSITY / SVG_DENSITY) ** 2)
        if pixels > MOST_PIXELS:
            message = f"a picture in PNG can have at most {MOST_PIXELS:,} pixels; found {pixels:,}"
            raise AttncalcError(f"{message}; --step chooses fewer steps, and --to svg has no such limit")
    with TemporaryDirectory() as folder:
        Path(folder, "maps.svg").write_text(drawn, encoding="utf-8")
        Path(folder, "page.typ").write_text(_PAGE, encoding="utf-8")
        try:
            return compiled(str(Path(folder, "page.typ")), limit_of(template), root=folder, format="png", ppi=DENSITY)
        except TypstFault as error:
            raise AttncalcError(f"Typst cannot draw this picture: {error}", Location(str(template or ""))) from None

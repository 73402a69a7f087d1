"""Characters that a page shows as codes such as U+732B, since no available font has a glyph for them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from ..errors import counted

GlyphListener = Callable[[str], None]  # a function that gets the characters which a page shows as codes
MOST = 5  # characters listed in a warning
WHY = {
    "typst": "which no font on this computer has; install one that has them (for Chinese, Japanese and Korean: Noto "
    "Sans CJK) and run the command again",
    "latex": "which LaTeX's fonts do not have; a PDF by Typst can use any font on this computer that has them",
}
_CODE_IN_TEX = re.compile(r"\\texttt\{U\+([0-9A-F]{4,6})\}")


def in_tex(source: str) -> str:
    """Return the characters that a LaTeX source shows as codes."""
    return "".join(dict.fromkeys(chr(int(code, 16)) for code in _CODE_IN_TEX.findall(source)))


def glyph_code_warning(who: str, signs: Iterable[str], engine: str) -> str:
    """Return `the page shows codes (U+732B) instead of 猫, which ...`. The characters are in order of appearance."""
    glyphs = list(dict.fromkeys(signs))
    more = f" and {counted(len(glyphs) - MOST, 'more sign')}" if len(glyphs) > MOST else ""
    return f"{who} codes (U+{ord(glyphs[0]):04X}) instead of {', '.join(glyphs[:MOST])}{more}, {WHY[engine]}"

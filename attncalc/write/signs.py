"""Signs that no font at hand has: a page shows their codes, U+732B, and people are told of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from ..errors import counted

GlyphListener = Callable[[str], None]  # is given the signs for which a page shows codes
MOST = 5  # that are named
WHY = {
    "typst": "which no font on this computer has; install one that has them (for Chinese, Japanese and Korean: Noto "
    "Sans CJK) and run the command again",
    "latex": "which LaTeX's fonts lack; a PDF by Typst shows them with any font on this computer that has them",
}
_CODE_IN_TEX = re.compile(r"\\texttt\{U\+([0-9A-F]{4,6})\}")


def in_tex(source: str) -> str:
    """The signs for which a LaTeX source has codes."""
    return "".join(dict.fromkeys(chr(int(code, 16)) for code in _CODE_IN_TEX.findall(source)))


def glyph_code_warning(who: str, signs: Iterable[str], engine: str) -> str:
    """`the page shows codes (U+732B) in place of 猫, which ...`, of signs in the order in which they stand."""
    glyphs = list(dict.fromkeys(signs))
    more = f" and {counted(len(glyphs) - MOST, 'more sign')}" if len(glyphs) > MOST else ""
    return f"{who} codes (U+{ord(glyphs[0]):04X}) in place of {', '.join(glyphs[:MOST])}{more}, {WHY[engine]}"

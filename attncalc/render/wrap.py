"""Lines that fit: formulas broken before operators, never inside a number, and labels shortened but distinct."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from rich.cells import cell_len, chop_cells, set_cell_size

# A formula may break before an operator with spaces around it, and after a comma or a row, or else between numbers.
_BREAK = r" (?=([·∘+−/*.;|=≈~-]|!=|where) )|(?<=[,;]) "
_SPACE = r" ()"
_WEAK = {"+", "−", "-", "=", "≈", "~", "where"}  # better breaks than products and commas
HANGING = 3
_SELECTORS = "\ufe0e\ufe0f"  # variation selectors, which Python calls printable
_JOINERS = "\u200b\u200c\u200d\u2060" + _SELECTORS  # characters without width, whose effect differs between terminals


def clean(text: str, plain: bool = False) -> str:
    """Return a text without control characters, which a terminal would execute. `plain` converts the text to ASCII."""
    if text.isascii() and text.isprintable():  # most texts
        return text
    if text.isprintable() and not any(sign in text for sign in _SELECTORS):
        return to_ascii(text) if plain else text
    text = "".join(c for c in re.sub(r"[\r\n\t]+", " ", text) if c not in _JOINERS)
    text = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
    return to_ascii(text) if plain else text


def to_ascii(text: str) -> str:
    """Return the nearest text in ASCII: signs in words, letters without accents, question marks for the rest."""
    for fancy, plain in _PLAIN.items():
        text = text.replace(fancy, plain)
    letters = (c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return "".join(letters).encode("ascii", "replace").decode()


_PLAIN = {
    "√": "sqrt ", "·": ".", "−": "-", "∞": "inf", "ᵀ": "^T", "≈": "~", "–": "-", "—": "-", "Σ": "sum ",
    "≤": "<=", "≥": ">=", "≠": "!=", "×": "x", "→": "->", "…": "...", "“": '"', "”": '"', "„": '"', "’": "'", "‘": "'",
    "π": "pi",
}  # fmt: skip


def pieces(text: str, width: int) -> list[str]:
    """Return a formula in lines of at most `width` cells, broken outside brackets and at sums if possible."""
    lines = []
    # The beginning is usually enough to decide
    while cell_len(text[: 4 * width + 4]) > width or cell_len(text) > width:
        places = _places(_BREAK, text, width) or _places(_SPACE, text, width)[-1:]
        if not places:
            first, *rest = chop_cells(text, width)
            lines.append(first)
            text = "".join(rest)
            continue
        best = min(places, key=lambda m: (_cost(text, m), -m.start()))
        lines.append(text[: best.start()])
        text = text[best.end() :]
    return [*lines, text]


def _places(pattern: str, text: str, width: int) -> list[re.Match[str]]:
    """Return the places where a line that starts with the text can end within `width` cells."""
    places, at, cells = [], 0, 0
    for match in re.finditer(pattern, text):
        cells += cell_len(text[at : match.start()])
        at = match.start()
        if cells > width:
            break
        if cells:
            places.append(match)
    return places


def _cost(text: str, place: re.Match[str]) -> tuple[int, bool]:
    before = text[: place.start()]
    return sum(map(before.count, "([")) - sum(map(before.count, ")]")), place[1] not in _WEAK


def equation(head: str, sides: Sequence[tuple[str, str]], width: int) -> list[list[str]]:
    """Return `head = a ≈ b` in lines that fit: one line, or a line for each side. A line is a list: head, sign, side
    ...
    """
    parts = [head, *(text for pair in sides for text in pair)]
    if cell_len(" ".join(parts)) <= width:
        return [parts]
    lines: list[list[str]] = []
    start = cell_len(head) + 1
    if start > width // 3:
        lines = [[line] for line in pieces(head, width)]
        head, start = "", HANGING
    for sign, side in sides:
        for k, piece in enumerate(pieces(side, width - start - cell_len(sign) - 1)):
            lines.append([left(head, start - 1), sign if k == 0 else " " * cell_len(sign), piece])
            head = ""
    return lines


def shorten_labels(labels: Sequence[str], widest: Sequence[int], cut: str) -> list[str]:
    """Return labels, each truncated to its number of cells in `widest`. If two labels would become equal, all get more
    cells.
    """
    if all(cell_len(label) <= limit for label, limit in zip(labels, widest, strict=True)):
        return list(labels)
    different = len(set(labels))
    for more in range(max(map(cell_len, labels), default=0)):
        short = [_short(label, limit + more, cut) for label, limit in zip(labels, widest, strict=True)]
        if len(set(short)) == different:
            return short
    return list(labels)


def _short(label: str, limit: int, cut: str) -> str:
    return label if cell_len(label) <= limit else set_cell_size(label, limit - cell_len(cut)).rstrip() + cut


def right(text: str, width: int) -> str:
    return " " * (width - cell_len(text)) + text


def left(text: str, width: int) -> str:
    return text + " " * (width - cell_len(text))


def centred(text: str, width: int) -> str:
    return left(" " * max(0, (width - cell_len(text)) // 2) + text, width)

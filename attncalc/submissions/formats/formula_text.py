"""Formulas of documents as text that answers are read from: a fraction as (18)/(7), a root as sqrt(2), a table as a
matrix of LaTeX.

A web page and a Word document come down to the same texts. What has no such text holds a character that no number has,
so that it costs the entry that it is in.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

ODD = "\N{REPLACEMENT CHARACTER}"
SEAM, EDGE = "\x00", "\x01"  # where pieces meet: two numbers that touch there are two, or one that cannot be read
_ONE = re.compile(r"\w+(?:[.,]\w+)?|\([^()]*\)|\[[^\[\]]*\]|\\begin.*|sqrt\([^()]*\)|", re.DOTALL)
_MIXED = re.compile(r"(?<=[0-9]) (?=\([^()]*\)/\()")  # 2 4/7 may be a sum or a product
_SIGN = re.compile(r"((?:^|[=≈(\[,&] ?)[-−–+]) (?=[0-9.(∞])")  # the sign of what follows
_ROUNDED = re.compile(r"[.,][0-9]+\s*$")


def in_a_row(parts: Sequence[str]) -> str:
    """Return the text of parts side by side."""
    return _MIXED.sub(ODD, _SIGN.sub(r"\1", " ".join(filter(None, (part.strip() for part in parts)))))


def fraction(above: str, below: str, has_bar: bool = True) -> str:
    """Return the text of a fraction; two texts above each other without a bar are none."""
    return f"({above})/({below})" if has_bar else ODD


def root(inside: str, degree: str = "") -> str:
    """Return the text of a root, the square root if no degree is given."""
    return rf"\sqrt[{degree}]{{{inside}}}" if degree.strip() else f"sqrt({inside})"


def power(base: str, lower: str, upper: str) -> str:
    """Return the text of a base with an index, an exponent or both."""
    bare = base.strip()
    text = bare if _ONE.fullmatch(bare) else f"({bare})"
    return text + (f"_{{{lower}}}" if lower else "") + (f"^{{{upper}}}" if upper else "")


def raised(before: str, text: str, sign: str) -> str:
    """Return the text of raised or lowered signs. Behind digits that were rounded they may be a footnote."""
    return (ODD if _ROUNDED.search(before) and re.search("[0-9]", text) else "") + f"{sign}{{{text}}}"


def marked(base: str) -> str:
    """Return the text of a base with a bar, an arrow or a brace: a name is the same, a number may be another one."""
    return ODD if re.search("[0-9]", base) else base


def grid(rows: Sequence[Sequence[str]]) -> str:
    """Return the text of a table of a formula."""
    return r"\begin{matrix} " + r" \\ ".join(" & ".join(row) for row in rows) + r" \end{matrix}"


def fenced(parts: Sequence[str], opening: str, closing: str, separator: str) -> str:
    """Return the text of parts inside brackets; a number between bars loses its meaning without them."""
    if {opening, closing} <= set("()[]{}") | {""}:
        return f" {separator} ".join(parts).join((opening, closing))
    inside = f" {separator} ".join(parts)
    return inside.join((opening, closing)) if r"\begin" in inside else ODD


def with_seams(text: str) -> str:
    """Return a text in which a blank parts numbers that touch at a seam, and an unreadable sign those at an edge."""
    if SEAM not in text and EDGE not in text:
        return text
    text = re.sub(rf"(?<=[\w.,]){SEAM}*{EDGE}[{SEAM}{EDGE}]*(?=[\w.,])", ODD, text)
    text = re.sub(rf"(?<=[0-9]){SEAM}+(?=[0-9])", " ", text)
    return text.replace(SEAM, "").replace(EDGE, "")

"""Formulas of documents as text that answers are read from: a fraction as (18)/(7), a root as sqrt(2), a table as a
matrix of LaTeX.

A web page and a Word document come down to the same texts. What has no such text holds a character that no number has,
so that it costs the entry that it is in.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..answer_examples import beyond
from ..located_text import UNREADABLE
from ..tables.xml_stream import Limit

SEAM, EDGE = "\x00", "\x01"  # where pieces meet: numbers that touch there may be one or two
_ONE = re.compile(r"\w+(?:[.,]\w+)?|\([^()]*\)|\[[^\[\]]*\]|\\begin.*|sqrt\([^()]*\)|", re.DOTALL)
_MIXED = re.compile(r"(?<=[0-9]) (?=\([^()]*\)/\()")  # 2 4/7 may be a sum or a product
_SIGN = re.compile(r"((?:^|[=≈(\[,&] ?)[-−–+]) (?=[0-9.(∞])")  # the sign of what follows
_ROUNDED = re.compile(r"[.,][0-9]+\s*$")


def in_a_row(parts: Sequence[str]) -> str:
    """Return the text of parts side by side."""
    return _MIXED.sub(UNREADABLE, _SIGN.sub(r"\1", " ".join(filter(None, (part.strip() for part in parts)))))


def fraction(above: str, below: str, has_bar: bool = True) -> str:
    """Return the text of a fraction; two texts above each other without a bar are none."""
    return f"({above})/({below})" if has_bar else UNREADABLE


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
    return (UNREADABLE if _ROUNDED.search(before) and re.search("[0-9]", text) else "") + f"{sign}{{{text}}}"


def marked(base: str) -> str:
    """Return the text of a base with a bar, an arrow or a brace: a name is the same, a number may be another one."""
    return UNREADABLE if re.search("[0-9]", base) else base


def grid(rows: Sequence[Sequence[str]]) -> str:
    """Return the text of a table of a formula."""
    return r"\begin{matrix} " + r" \\ ".join(" & ".join(row) for row in rows) + r" \end{matrix}"


def fenced(parts: Sequence[str], opening: str, closing: str, separator: str) -> str:
    """Return the text of parts inside brackets; a number between bars loses its meaning without them."""
    if {opening, closing} <= set("()[]{}") | {""}:
        return f" {separator} ".join(parts).join((opening, closing))
    inside = f" {separator} ".join(parts)
    return inside.join((opening, closing)) if r"\begin" in inside else UNREADABLE


def with_seams(text: str) -> str:
    """Return a text with an unreadable sign where numbers touch at a seam, or words or numbers at an edge."""
    if SEAM not in text and EDGE not in text:
        return text
    text = re.sub(rf"(?<=[\w.,]){SEAM}*{EDGE}[{SEAM}{EDGE}]*(?=[\w.,])", UNREADABLE, text)
    text = re.sub(rf"(?<=[0-9]){SEAM}+(?=[0-9])", UNREADABLE, text)
    return text.replace(SEAM, "").replace(EDGE, "")


# -- MathML of a web page ----------------------------------------------------------------------------------------------


DEEPEST = 100  # elements inside each other
_ROWS = frozenset(("math", "mrow", "mi", "mo", "mn", "mtext", "ms", "mstyle", "mpadded", "mtd", "merror"))
_EMPTY = frozenset(("mspace", "none", "mprescripts"))  # pages often leave out the end of these
_FRAMES = frozenset(("box", "roundedbox", "circle", "left right", ""))  # around what stands in them


class _Element:
    """An element that has begun: its name, its attributes, and the texts of its children."""

    def __init__(self, tag: str, about: dict[str, str | None]):
        self.tag = tag
        self.about = about
        self.parts: list[str] = []

    @property
    def is_struck(self) -> bool:
        """Return whether a stroke crosses the element out."""
        return self.tag == "menclose" and "strike" in (self.about.get("notation") or "")

    @property
    def text(self) -> str:
        """Return the element as text."""
        parts = self.parts
        match self.tag, parts:
            case "mfrac", [above, below]:
                width = (self.about.get("linethickness") or "1").strip()
                return fraction(above, below, has_bar=not width.startswith("0") or "." in width)
            case "msup", [base, upper]:
                return power(base, "", upper)
            case "msub", [base, lower]:
                return power(base, lower, "")
            case "msubsup", [base, lower, upper]:
                return power(base, lower, upper)
            case (("mover" | "munder" | "munderover"), [base, *_]):
                return marked(base)
            case "msqrt", _:
                return root(in_a_row(parts))
            case "mroot", [inside, degree]:
                return root(inside, degree)
            case "menclose", _:
                return self._enclosed(in_a_row(parts))
            case "mtable", _:
                return "\\begin{matrix} " + " \\\\ ".join(parts) + " \\end{matrix}"
            case "mtr", _:
                return " & ".join(parts)
            case "mfenced", _:
                opening, closing = (self.about.get(name, sign) or "" for name, sign in (("open", "("), ("close", ")")))
                return fenced(parts, opening, closing, ",")
            case "semantics", _:  # the others are copies in other notations
                return parts[0] if parts else ""
            case "mphantom", _:
                return ""
        if self.tag in _ROWS:
            return in_a_row(parts)
        return "" if self.tag in _EMPTY or self.tag.startswith("annotation") else UNREADABLE

    def _enclosed(self, inside: str) -> str:
        """Return what a line is drawn around as text."""
        notation = " ".join((self.about.get("notation") or "longdiv").split())
        if notation == "radical":
            return root(inside)
        return inside if notation in _FRAMES else marked(inside)


class Mathematics:
    """The elements of one formula, from its beginning to its end."""

    def __init__(self) -> None:
        self._open: list[_Element] = []
        self.struck: list[str] = []  # texts that are crossed out

    def __bool__(self) -> bool:
        return bool(self._open)

    def start(self, tag: str, about: dict[str, str | None]) -> None:
        """Put an element inside the others. Raises Limit for one inside too many."""
        if len(self._open) >= DEEPEST:
            raise Limit(beyond(f"at most {DEEPEST} nested elements of MathML"))
        self._open.append(_Element(tag, about))
        if tag in _EMPTY:
            self.end(tag)

    def data(self, text: str) -> None:
        """Add text to the element that has begun last."""
        if text.strip():
            self._open[-1].parts.append(text.strip())

    def end(self, tag: str) -> str:
        """End an element, and those inside it that were not ended. Return the formula's text at its end."""
        while any(element.tag == tag for element in self._open):
            element = self._open.pop()
            if element.is_struck:
                self.struck.append(element.text)
            elif not self._open:
                return element.text
            else:
                self._open[-1].parts.append(element.text)
            if element.tag == tag:
                break
        return ""

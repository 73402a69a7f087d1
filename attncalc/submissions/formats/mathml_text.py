"""MathML of a web page as text: the elements of W3C MathML Core, and older ones that pages still have."""

from __future__ import annotations

from ..answer_examples import beyond
from ..tables.xml_stream import Limit
from .formula_text import ODD, fenced, fraction, in_a_row, marked, power, root
from .html_tokens import OpenElements

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
        return "" if self.tag in _EMPTY or self.tag.startswith("annotation") else ODD

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
        self._names = OpenElements()  # of the same elements
        self.struck: list[str] = []  # texts that are crossed out

    def __bool__(self) -> bool:
        return bool(self._open)

    def start(self, tag: str, about: dict[str, str | None]) -> None:
        """Put an element inside the others. Raises Limit for one inside too many."""
        if len(self._open) >= DEEPEST:
            raise Limit(beyond(f"at most {DEEPEST} elements of MathML inside each other"))
        self._names.begin(tag)
        self._open.append(_Element(tag, about))
        if tag in _EMPTY:
            self.end(tag)

    def data(self, text: str) -> None:
        """Add text to the element that has begun last."""
        if text.strip():
            self._open[-1].parts.append(text.strip())

    def end(self, tag: str) -> str:
        """End an element, and those inside it that were not ended. Return the formula's text at its end."""
        for _ in self._names.end(tag):
            element = self._open.pop()
            if element.is_struck:
                self.struck.append(element.text)
            elif not self._open:
                return element.text
            else:
                self._open[-1].parts.append(element.text)
        return ""

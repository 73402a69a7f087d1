"""MathML of a web page as text that answers are read from: a fraction as (18)/(7), a table as a matrix of LaTeX.

The elements are those of W3C MathML Core. What has no such text holds a character that no number has, so that it costs
the entry that it is in.
"""

from __future__ import annotations

import re

ODD = "\N{REPLACEMENT CHARACTER}"
_FORMS = {
    ("mfrac", 2): "({})/({})", ("msup", 2): "{}^{{{}}}", ("msub", 2): "{}_{{{}}}", ("msubsup", 3): "{}_{{{}}}^{{{}}}",
    ("mover", 2): "{}", ("munder", 2): "{}", ("munderover", 3): "{}", ("msqrt", 1): "sqrt({})",
}  # fmt: skip
_ROWS = frozenset(("math", "mrow", "mi", "mo", "mn", "mtext", "ms", "mstyle", "mpadded", "mtd", "menclose", "merror"))
_MIXED = re.compile(r"(?<=[0-9]) (?=\([^()]*\)/\()")  # 2 4/7 may be a sum or a product
_SIGN = re.compile(r"((?:^|[=≈(\[,&] ?)[-−–+]) (?=[0-9.(∞])")  # the sign of what follows
_EMPTY = frozenset(("mspace", "none", "mprescripts"))  # pages often leave out the end of these


class _Element:
    """An element that has begun: its name, its attributes, and the texts of its children."""

    def __init__(self, tag: str, about: dict[str, str | None]):
        self.tag = tag
        self.about = about
        self.parts: list[str] = []

    @property
    def is_struck(self) -> bool:
        """True if a stroke crosses the element out."""
        return self.tag == "menclose" and "strike" in (self.about.get("notation") or "")

    @property
    def text(self) -> str:
        """Return the element as text."""
        parts = [" ".join(self.parts)] if self.tag == "msqrt" else self.parts
        if form := _FORMS.get((self.tag, len(parts))):
            return form.format(*parts)
        if self.tag in _ROWS:
            text = " ".join(filter(None, (part.strip() for part in parts)))
            return _MIXED.sub(ODD, _SIGN.sub(r"\1", text))
        if self.tag == "mtable":
            return "\\begin{matrix} " + " \\\\ ".join(parts) + " \\end{matrix}"
        if self.tag == "mtr":
            return " & ".join(parts)
        if self.tag == "mfenced":
            ends = (self.about.get(name, sign) or "" for name, sign in (("open", "("), ("close", ")")))
            return ", ".join(parts).join(ends)
        if self.tag == "semantics":  # the others are copies in other notations
            return parts[0] if parts else ""
        return "" if self.tag in _EMPTY or self.tag.startswith("annotation") else ODD


class Mathematics:
    """The elements of one formula, from its beginning to its end."""

    def __init__(self) -> None:
        self._open: list[_Element] = []
        self.struck: list[str] = []  # texts that are crossed out

    def __bool__(self) -> bool:
        return bool(self._open)

    def start(self, tag: str, about: dict[str, str | None]) -> None:
        """Begin an element."""
        self._open.append(_Element(tag, about))
        if tag in _EMPTY:
            self.end(tag)

    def data(self, text: str) -> None:
        """Add text to the element that has begun last."""
        if text.strip():
            self._open[-1].parts.append(text.strip())

    def end(self, tag: str) -> str:
        """End an element, and those inside it that were not ended; return the formula's text at its end."""
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

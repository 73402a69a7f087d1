"""Texts, numbers and formulas in Markdown as GitHub, GitLab and Pandoc set it.

Formulas stand in backticks, ``$`x`$`` and ```` ```math ````: between plain dollars Markdown reads `\\\\`, `_` and `*`
first. GitHub refuses `\\operatorname`; functions are set upright instead.
"""

from __future__ import annotations

import re

from ..wrap import clean
from . import sentences
from .tex import Tex

_COMMANDS = {
    "\\": r"\backslash ", "{": r"\{", "}": r"\}", "$": r"\$", "#": r"\#", "%": r"\%", "&": r"\&", "_": r"\_",
    "^": r"\hat{\ }", "~": r"\sim ", "<": r"\lt ", ">": r"\gt ", "|": r"\vert ", "`": r"\text{ˋ}",
}  # fmt: skip
_SPECIAL = re.compile(r"[\\`*\[\]<>|~#&]|(?<![^\W_])_|_(?![^\W_])|(?<=www)\.|(?<=http):|(?<=https):")
_AT_THE_START = re.compile(r"^(\d+)?([-+=.)])(?!\d)")


def escape(text: str) -> str:
    """A user's text as text: no mark of Markdown, no HTML, no formula, and nobody is mentioned by it."""
    text = _SPECIAL.sub(lambda m: "\\" + m[0], clean(text).strip())
    text = _AT_THE_START.sub(lambda m: (m[1] or "") + "\\" + m[2], text)
    return text.replace("$", "<span>$</span>").replace("@", "@<!-- -->")


def sentence(text: str) -> str:
    """A sentence of our own with its numbers, names and entries as formulas."""
    parts = enumerate(sentences.pieces(text))
    return "".join(
        _part(part, k == 0) if isinstance(part, str) else inline(sentences.formula(GITHUB, part)) for k, part in parts
    )


def _part(text: str, first: bool) -> str:
    """A part of a sentence with the spaces around it; only the first one stands at the start of a line."""
    inside = escape(text) if first else escape("x" + text)[1:]
    return " " * (len(text) - len(text.lstrip())) * first + inside + " " * (len(text) - len(text.rstrip()))


def sentence_part(text: str) -> str:
    """Words of an author between other pieces of a sentence: their spaces stay."""
    return _part(text, False)


def sentence_start(text: str) -> str:
    """The words with which an author's sentence begins."""
    return escape(text) + " " * (len(text) - len(text.rstrip()))


def inline(formula: str) -> str:
    """A formula in the marks that GitHub reads as TeX."""
    return f"$`{formula}`$"


class GitHub(Tex):
    """TeX as GitHub's Markdown lets it through."""

    named, below = r"\mathrm{{}}", r" \lt "
    compared = Tex.compared | {"<": r"{0} \lt {1}", ">": r"{0} \gt {1}"}

    def text(self, text: str) -> str:
        """A user's text inside a formula: runs of harmless characters as text, the others by their commands."""
        runs = re.split(r"([\\{}$#%&_^~<>|`])", clean(text))
        return "".join(_COMMANDS[run] if k % 2 else rf"\text{{{run}}}" for k, run in enumerate(runs) if run)


GITHUB = GitHub()
formula, number, words = GITHUB.formula, GITHUB.number, GITHUB.text

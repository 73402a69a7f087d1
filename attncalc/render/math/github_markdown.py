"""Texts, numbers and formulas in Markdown for GitHub, GitLab and Pandoc.

Formulas are in backticks, ``$`x`$`` and ```` ```math ````, because Markdown interprets `\\\\`, `_` and `*` between
plain dollars. GitHub refuses `\\operatorname`, so functions are printed as upright text.
"""

from __future__ import annotations

import re

from ..wrap import clean
from . import sentence_markup
from .tex import Tex

_COMMANDS = {
    "\\": r"\backslash ", "{": r"\{", "}": r"\}", "$": r"\$", "#": r"\#", "%": r"\%", "&": r"\&", "_": r"\_",
    "^": r"\hat{\ }", "~": r"\sim ", "<": r"\lt ", ">": r"\gt ", "|": r"\vert ", "`": r"\text{ˋ}",
}  # fmt: skip
_SPECIAL = re.compile(r"[\\`*\[\]<>|~#&]|(?<![^\W_])_|_(?![^\W_])|(?<=www)\.|(?<=http):|(?<=https):")
_AT_THE_START = re.compile(r"^(\d+)?([-+=.)])(?!\d)")


def escape(text: str) -> str:
    """Return a user's text without Markdown, HTML, formulas or mentions."""
    text = _SPECIAL.sub(lambda m: "\\" + m[0], clean(text).strip())
    text = _AT_THE_START.sub(lambda m: (m[1] or "") + "\\" + m[2], text)
    return text.replace("$", "<span>$</span>").replace("@", "@<!-- -->")


def sentence(text: str) -> str:
    """Return a sentence of the program with its numbers, names and entries as formulas."""
    parts = enumerate(sentence_markup.pieces(text))
    return "".join(
        sentence_part(part, k == 0) if isinstance(part, str) else inline(sentence_markup.formula(GITHUB, part))
        for k, part in parts
    )


def sentence_part(text: str, first: bool = False) -> str:
    """Return an escaped part of a sentence with the spaces around it. Only the `first` part begins a line."""
    inside = escape(text) if first else escape("x" + text)[1:]
    return " " * (len(text) - len(text.lstrip())) * first + inside + " " * (len(text) - len(text.rstrip()))


def sentence_start(text: str) -> str:
    """Return the first words of an author's sentence."""
    return escape(text) + " " * (len(text) - len(text.rstrip()))


def inline(formula: str) -> str:
    """Return a formula between the marks with which GitHub reads it as TeX."""
    return f"$`{formula}`$"


class GitHub(Tex):
    """TeX in the subset that GitHub's Markdown accepts."""

    named, below = r"\mathrm{{}}", r" \lt "
    compared = Tex.compared | {"<": r"{0} \lt {1}", ">": r"{0} \gt {1}"}

    def text(self, text: str) -> str:
        """Return a user's text inside a formula: harmless characters as text, the others as commands."""
        runs = re.split(r"([\\{}$#%&_^~<>|`])", clean(text))
        return "".join(_COMMANDS[run] if k % 2 else rf"\text{{{run}}}" for k, run in enumerate(runs) if run)


GITHUB = GitHub()
formula, number, words = GITHUB.formula, GITHUB.number, GITHUB.text

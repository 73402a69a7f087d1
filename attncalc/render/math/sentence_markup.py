"""Numbers, indexed names and entries in sentences of the program, so that each medium prints them as formulas."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ...formula.parser import LETTER
from ...formula.syntax_tree import Call, Name, Number, Tree
from .common import GREEK_LETTERS
from .printer import FormulaPrinter

# A name with an index begins with one letter, perhaps after a d: d_k, W_Q, dW_Q, beta_1. Other names, and names of
# steps with dots, such as those in other lessons, stay words.
_BASE = rf"d?[A-Za-z]|d?[Α-Ωα-ω]|{'|'.join(sorted({name.lower() for name in GREEK_LETTERS.values()}))}"
_INDEXED = rf"(?:{_BASE})(?:_[A-Za-z0-9]+)+(?!\w|\.\w)"
# Labels such as [CLS] contain brackets; S[0,1], without a space, is a column of a table of answers, counted from 0.
_INSIDE = r"(?!\d+,\d)(?:[^\[\]]|\[[^\[\]]*\])+"
_PIECES = re.compile(
    rf"(?P<quoted>“[^“”]*”|\"[^\"]*\")|(?<![\w.\-/])(?:(?P<matrix>[{LETTER}][\w.']*)(?P<place>\[{_INSIDE}\])|"
    rf"(?P<number>-\d+(?:\.\d+)?(?:e[+-]\d+)?\b|\d+(?:\.\d+)?e[+-]\d+\b))|"
    rf"√(?P<root>\d+|[A-Za-z]+(?!\w))|(?P<sign>√)?(?<![\w.\-])(?P<name>{_INDEXED})"
)


class EntryReference(NamedTuple):
    """An entry of a matrix in the notation of `formula.labels.entry_place`."""

    matrix: Name
    place: str


def pieces(text: str) -> Iterator[str | Tree | EntryReference]:
    """Yield the parts of a sentence: words as texts; numbers, names and entries as objects.

    >>> list(pieces("divided by d_k"))
    ['divided by ', Name(name='d_k', at=0)]
    """
    at = 0
    for match in _PIECES.finditer(text):
        if match["quoted"]:
            continue
        if match.start() > at:
            yield text[at : match.start()]
        at = match.end()
        if match["matrix"]:
            yield EntryReference(Name(match["matrix"]), match["place"])
        elif match["number"]:
            yield Number(match["number"])
        else:
            yield _parse_name(match)
    if at < len(text):
        yield text[at:]


def names(text: str) -> Iterator[str | Tree]:
    """Yield the parts of an author's text: names with an index and roots as trees; everything else as unchanged text.

    >>> list(names("d_k = -2"))
    [Name(name='d_k', at=0), ' = -2']
    """
    at = 0
    for match in _PIECES.finditer(text):
        if not (match["root"] or match["name"]):
            continue
        if match.start() > at:
            yield text[at : match.start()]
        at = match.end()
        yield _parse_name(match)
    if at < len(text):
        yield text[at:]


def _parse_name(match: re.Match[str]) -> Tree:
    """Return a name with an index, or the root of a name or a number."""
    inside = match["root"] or match["name"]
    tree = Number(inside) if inside.isdigit() else Name(inside)
    return Call("sqrt", (tree,)) if match["root"] or match["sign"] else tree


def formula(printer: FormulaPrinter, piece: Tree | EntryReference) -> str:
    """Return a number, a name or an entry in a dialect."""
    match piece:
        case EntryReference(matrix, place):
            return printer.entry_named(matrix, place)
        case Number(text):
            return printer.number(text)
        case _:
            return printer.formula(piece)

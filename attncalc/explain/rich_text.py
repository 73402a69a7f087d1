"""Text by authors: plain words, `**strong**` and `*emphasised*` words, and formulas between dollars. A single dollar or
asterisk, and an unknown formula, are printed unchanged. A backslash escapes a mark.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .inline_math import Terms


class Plain(NamedTuple):
    """Plain words."""

    text: str


class Maths(NamedTuple):
    """A formula inside the sentence."""

    terms: Terms


class Strong(NamedTuple):
    """Strong words."""

    inside: tuple[Inline, ...]


class Emphasis(NamedTuple):
    """Emphasised words."""

    inside: tuple[Inline, ...]


Inline = Plain | Maths | Strong | Emphasis
_MARKS = ("**", "*", "$")
LONGEST = 20_000  # characters; in a longer text, marks have no effect


@lru_cache(maxsize=1_000)
def prose(text: str) -> tuple[Inline, ...]:
    r"""Return the pieces of a sentence.

    >>> prose("is **not** 2 * 3")
    (Plain(text='is '), Strong(inside=(Plain(text='not'),)), Plain(text=' 2 * 3'))
    """
    marked = len(text) <= LONGEST and any(mark in text for mark in _MARKS)
    return tuple(_pieces(text, frozenset(_MARKS)) if marked else _plain(text))


def unreadable_formulas(text: str) -> Iterator[tuple[int, str]]:
    r"""Yield (offset, command) for each formula with TeX commands that cannot be parsed. The command is the first
    unknown command, or empty if all are known.

    >>> list(unreadable_formulas(r"is $\sqrtt{d}$"))
    [(4, 'sqrtt')]
    """
    from .inline_math import COMMANDS

    at = text.find("$")
    while at >= 0:
        stop = _closing_place(text, at, "$")
        inside = text[at + 1 : stop]
        commands = list(re.finditer(r"\\([A-Za-z]+)", inside)) if stop > 0 and text[at - 1 : at] != "\\" else []
        if commands and _parse_mark("$", inside, frozenset()) is None:
            unknown = next((command for command in commands if command[1] not in COMMANDS), None)
            yield (at + 1 + unknown.start(), unknown[1]) if unknown else (at, "")
        at = text.find("$", (stop if commands else at) + 1)


def _pieces(text: str, marks: frozenset[str]) -> list[Inline]:
    """Return the pieces of a text in linear time. A mark without a closing mark is plain text."""
    pieces: list[Inline] = []
    start = at = 0
    while at < len(text):
        if text[at] == "\\" and text[at + 1 : at + 2] in ("$", "*"):
            pieces += _plain(text[start:at])
            start, at = at + 1, at + 2
            continue
        mark = next((mark for mark in _MARKS if text.startswith(mark, at)), "")
        stop = _closing_place(text, at, mark) if mark in marks else -1
        inside = _parse_mark(mark, text[at + len(mark) : stop], marks) if stop > 0 else None
        if inside is None:
            at += len(mark) or 1
            continue
        pieces += [*_plain(text[start:at]), inside]
        start = at = stop + len(mark)
    return pieces + _plain(text[start:])


def _plain(text: str) -> list[Inline]:
    return [Plain(text)] if text else []


def _closing_place(text: str, at: int, mark: str) -> int:
    """Return the offset of the closing mark; −1 if there is none."""
    after = at + len(mark)
    stop = text.find(mark, after)
    while mark == "*" and text.startswith("**", stop):  # skips strong words inside
        stop = text.find(mark, stop + 2)
    if stop <= after or text[after].isspace() or text[stop - 1].isspace():
        return -1
    before, behind = text[at - 1 : at], text[stop + len(mark) : stop + len(mark) + 1]
    return -1 if behind.isdigit() or mark != "$" and (before.isalnum() or behind.isalnum()) else stop


def _parse_mark(mark: str, inside: str, marks: frozenset[str]) -> Inline | None:
    """Return the piece between two marks; None for an unknown formula."""
    if mark == "$":
        from .inline_math import UnknownFormula, maths  # slow to import, and few problems have formulas in their texts

        try:
            return Maths(maths(inside))
        except UnknownFormula:
            return None
    pieces = tuple(_pieces(inside, marks - {mark}))
    return Strong(pieces) if mark == "**" else Emphasis(pieces)

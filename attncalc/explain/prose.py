"""What authors write for people: plain words, `**strong**` and `*emphasised*` ones, and formulas between dollars.

A dollar or an asterisk that opens nothing, and a formula that is not known, stand there as they were typed; so does
what follows a backslash.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .maths import Terms


class Plain(NamedTuple):
    """Words."""

    text: str


class Maths(NamedTuple):
    """A formula inside the sentence."""

    terms: Terms


class Strong(NamedTuple):
    """Words that stand out."""

    inside: tuple[Inline, ...]


class Emphasis(NamedTuple):
    """Emphasised words."""

    inside: tuple[Inline, ...]


Inline = Plain | Maths | Strong | Emphasis
_MARKS = ("**", "*", "$")
LONGEST = 20_000  # characters; a longer text has no marks


@lru_cache(maxsize=1_000)
def prose(text: str) -> tuple[Inline, ...]:
    r"""The pieces of a sentence.

    >>> prose("is **not** 2 * 3")
    (Plain(text='is '), Strong(inside=(Plain(text='not'),)), Plain(text=' 2 * 3'))
    """
    marked = len(text) <= LONGEST and any(mark in text for mark in _MARKS)
    return tuple(_pieces(text, frozenset(_MARKS)) if marked else _plain(text))


def unreadable_formulas(text: str) -> Iterator[tuple[int, str]]:
    r"""Formulas with a command of TeX that stay as they were typed: where, and the first command that is not known; an
    empty one where all are.

    >>> list(unread(r"is $\sqrtt{d}$"))
    [(4, 'sqrtt')]
    """
    from .maths import COMMANDS

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
    """Each mark closes at the next one of its kind, or is none, so that a text is read in the time of its length."""
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
    """Where the mark that opens here closes; −1 where it opens nothing."""
    after = at + len(mark)
    stop = text.find(mark, after)
    while mark == "*" and text.startswith("**", stop):  # those of strong words inside
        stop = text.find(mark, stop + 2)
    if stop <= after or text[after].isspace() or text[stop - 1].isspace():
        return -1
    before, behind = text[at - 1 : at], text[stop + len(mark) : stop + len(mark) + 1]
    return -1 if behind.isdigit() or mark != "$" and (before.isalnum() or behind.isalnum()) else stop


def _parse_mark(mark: str, inside: str, marks: frozenset[str]) -> Inline | None:
    """What stands between two marks; None for a formula that is not known."""
    if mark == "$":
        from .maths import UnknownFormula, maths  # slow to import, and few problems have formulas in their words

        try:
            return Maths(maths(inside))
        except UnknownFormula:
            return None
    pieces = tuple(_pieces(inside, marks - {mark}))
    return Strong(pieces) if mark == "**" else Emphasis(pieces)

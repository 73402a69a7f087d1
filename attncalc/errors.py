"""Every error a user can meet. A fault has a place and one line of text; an error holds all the faults that
were found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

LONGEST_LINE = 1_000
MOST_FAULTS = 100
# How each warning begins of a softmax, or of the like, along the axis that tokens are not on.
ALONG_ROWS = "the tokens are on the other axis"


class Location(NamedTuple):
    """A position in a source that people wrote: line and column count from 1.

    `inside` answers the place of a character of the text that stands here, where that is not simply so many columns on.
    """

    source: str = ""
    line: int = 0
    column: int = 0
    inside: Callable[[int], Location] | None = None

    def shifted(self, characters: int) -> Location:
        """The place so many characters on in the same text."""
        if self.inside:
            return self.inside(characters)
        return Location(self.source, self.line, self.column + characters) if self.line else self

    def __str__(self) -> str:
        if not self.line:
            return self.source
        return f"{self.source}:{self.line}:{self.column}"


class Diagnostic(NamedTuple):
    """What was expected, what was found, and where."""

    message: str
    place: Location = Location()

    def __str__(self) -> str:
        where = str(self.place)
        return shorten(f"{where}: {self.message}" if where else self.message, LONGEST_LINE)


class AttncalcError(Exception):
    """Bad input, told as a list of faults: a program catches this one class."""

    def __init__(self, faults: str | Diagnostic | Iterable[Diagnostic]):
        if isinstance(faults, str):
            faults = [Diagnostic(faults)]
        elif isinstance(faults, Diagnostic):
            faults = [faults]
        self.faults: list[Diagnostic] = _deduplicate(faults)
        super().__init__("\n".join(map(str, self.faults)))


def _deduplicate(faults: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Each line once: a given that is wrong in several parts is one fault."""
    unique: dict[str, Diagnostic] = {}
    for fault in faults:
        unique.setdefault(str(fault), fault)
    return list(unique.values())


class UndecidedDigits(UserWarning):
    """Decimals whose last digit could not be proven; given as a warning to programs, which print no note."""


class FormulaError(Exception):
    """A fault inside one formula: the offset counts characters from the formula's start. `about` names a lesson's
    argument. What is proposed instead, `; did you mean S.T?`, ends the message, and is left out or replaced by those
    who know better.
    """

    def __init__(self, description: str, at: int = 0, about: str = "", proposal: str = ""):
        self.description = description
        self.proposal = proposal
        self.message = description + proposal
        super().__init__(self.message)
        self.at = at
        self.about = about


class DivisionByZero(FormulaError):
    """A divisor that is 0; a lesson may say what that means in its step."""


class Diagnostics:
    """Collects faults so that the user sees all of them at once; a hundred are enough."""

    def __init__(self) -> None:
        self.faults: list[Diagnostic] = []

    def add(self, message: str, place: Location = Location()) -> None:
        """Notes one fault. Raises AttncalcError with all of them once there are MOST_FAULTS."""
        self.extend(AttncalcError(Diagnostic(message, place)))

    def extend(self, error: AttncalcError) -> None:
        """Notes the faults of an error. Raises AttncalcError with all of them once there are MOST_FAULTS."""
        self.faults.extend(error.faults)
        if len(self.faults) >= MOST_FAULTS:
            self.raise_any()

    def raise_any(self) -> None:
        """Raises AttncalcError with all that were found, each once and in the order of their lines; nothing where there
        are none.
        """
        if self.faults:
            raise AttncalcError(
                sorted(_deduplicate(self.faults), key=lambda f: (f.place.line, f.place.column))[:MOST_FAULTS]
            )


def did_you_mean(name: str, known: Sequence[str]) -> str:
    """The end of a message, or nothing where no known name is near.

    >>> did_you_mean("w_q", ["W_K", "W_Q"]), did_you_mean("bias", ["W_K", "W_Q"])
    ('; did you mean W_Q?', '')
    """
    from difflib import get_close_matches  # here, since only a fault needs it

    fold = {k.casefold(): k for k in reversed(known)}
    near = get_close_matches(name.casefold(), fold, n=1, cutoff=0.6) if len(name) < LONGEST_LINE else []
    return meant(fold[near[0]]) if near else ""


def meant(proposed: str) -> str:
    """The end of a message that proposes something.

    >>> meant("S.T")
    '; did you mean S.T?'
    """
    return f"; did you mean {proposed}?"


def fold(name: str) -> str:
    """A name however it is spelled.

    >>> fold("W_Q") == fold("Wq")
    True
    """
    return name.casefold().replace("_", "")


def shorten(text: str, width: int = 40) -> str:
    """A user's text for a message: one line, no control characters, not longer than `width`."""
    clean = "".join(c if c.isprintable() else " " if c.isspace() else "\N{REPLACEMENT CHARACTER}" for c in text)
    return clean if len(clean) <= width else clean[: width - 1] + "…"


def size(shape: tuple[int, int]) -> str:
    """`3 × 2`"""
    return f"{shape[0]} × {shape[1]}"


def counted(count: int, noun: str) -> str:
    """A number with its noun.

    >>> counted(1, "row"), counted(3, "row"), counted(2, "entry")
    ('1 row', '3 rows', '2 entries')
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun[:-1] + 'ies' if noun.endswith('y') else noun + 's'}"


def listed(names: Sequence[str], most: int | None = None) -> str:
    """Names in a row, the first `most` of them.

    >>> listed(["the", "cat", "sat"]), listed(["the", "cat", "sat"], 1)
    ('the, cat and sat', 'the and 2 more')
    """
    if most is not None and len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))

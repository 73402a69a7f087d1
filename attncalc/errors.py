"""Errors and warnings that users see. A fault is one line of text with a location; an error holds all faults."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

LONGEST_LINE = 1_000
MOST_FAULTS = 100
LEAST_SIMILAR = 0.6  # similarity of a suggested name, from 0 to 1
MOST_COMPARED = 20  # names that are compared letter by letter with an unknown name
# The beginning of each warning about a row-wise operation along the wrong axis.
ALONG_ROWS = "the tokens are on the other axis"


_TURN = re.compile(r"_\d+$")


class Location(NamedTuple):
    """A position in a source: line and column count from 1. `inside(characters)` is the location of a later character;
    without `inside`, that character is in the same line.
    """

    source: str = ""
    line: int = 0
    column: int = 0
    inside: Callable[[int], Location] | None = None

    def shifted(self, characters: int) -> Location:
        """Return the location of the character that comes `characters` later in the text."""
        if self.inside:
            return self.inside(characters)
        return Location(self.source, self.line, self.column + characters) if self.line else self

    def __str__(self) -> str:
        if not self.line:
            return self.source
        return f"{self.source}:{self.line}:{self.column}"


class Diagnostic(NamedTuple):
    """One fault: a message and a location."""

    message: str
    place: Location = Location()
    more: int = 0  # number of hidden faults that this line replaces
    code: str = ""  # identifies a warning, for programs

    def __str__(self) -> str:
        where = str(self.place)
        return shorten(f"{where}: {self.message}" if where else self.message, LONGEST_LINE)


class AttncalcError(Exception):
    """An error in the input: a list of faults, or one message and its location. Programs catch this class."""

    def __init__(self, faults: str | Diagnostic | Iterable[Diagnostic], place: Location | None = None):
        if isinstance(faults, str):
            faults = [Diagnostic(faults, place or Location())]
        elif isinstance(faults, Diagnostic):
            faults = [faults]
        self.faults: list[Diagnostic] = capped(_deduplicate(faults))
        super().__init__("\n".join(map(str, self.faults)))

    def __reduce__(self) -> tuple[type[AttncalcError], tuple[list[Diagnostic]]]:
        return type(self), (self.faults,)  # pickled when a worker process raises the error


class OverBudget(AttncalcError):
    """The error of a file that needs more than its budget. The rest of the file is not read."""


def _deduplicate(faults: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return the faults without repetitions. A given that is wrong in several parts is one fault. Repeated steps
    (`H_1`, `H_2`) with the same fault at the same location are one fault too.
    """
    unique: dict[tuple[object, ...], Diagnostic] = {}
    for fault in faults:
        name, _, rest = fault.message.partition(": ")
        is_turn = fault.place.line and _TURN.search(name)
        about = (_TURN.sub("", name), rest) if is_turn else (fault.message,)
        unique.setdefault((str(fault.place), *about), fault)
    return list(unique.values())


def capped(faults: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Return at most MOST_FAULTS faults. If there are more, a last fault states the number of the others.

    >>> [str(fault) for fault in capped([Diagnostic(f"fault {k}") for k in range(400)])[-2:]]
    ['fault 99', 'and 300 more']
    """
    shown = [fault for fault in faults if not fault.more]
    left_out = max(0, len(shown) - MOST_FAULTS) + sum(fault.more for fault in faults)
    if not left_out:
        return shown
    last = shown[MOST_FAULTS - 1 :][:1] or [Diagnostic("")]
    place = Location(last[0].place.source)
    return [*shown[:MOST_FAULTS], Diagnostic(f"and {left_out:,} more", place, left_out)]


class UndecidedDigits(UserWarning):
    """The warning that the last digit of some decimals could not be proven."""


class FormulaError(Exception):
    """A fault in one formula. `at` counts characters from the formula's start, and `about` names an argument of a
    lesson. `proposal` is a suggestion such as `; did you mean S.T?`, which callers may replace. `description` is the
    message without the suggestion. `warnings` are about meanings of the formula that the suggestion excludes.
    """

    def __init__(
        self, description: str, at: int = 0, about: str = "", proposal: str = "", warnings: Sequence[str] = ()
    ):
        self.description = description
        self.proposal = proposal
        self.message = description + proposal
        super().__init__(self.message)
        self.at = at
        self.about = about
        self.warnings = warnings

    def of(self, name: str, place: Location, message: str = "") -> AttncalcError:
        """Return the error of the formula with this name, with the warnings. `message` may replace the message."""
        shown = Diagnostic(f"{name}: {message or self.message}", place)
        return AttncalcError([shown, *(warning_of(name, text, place) for text in self.warnings)])


def warning_of(name: str, text: str, place: Location) -> Diagnostic:
    """Return a warning about the formula with this name."""
    return Diagnostic(f"warning: {name}: {text}", place, code="formula")


class DivisionByZero(FormulaError):
    """A division by 0. A lesson may add an explanation."""


class Diagnostics:
    """A collection of up to MOST_FAULTS faults, so that users see all of them at once."""

    def __init__(self) -> None:
        self.faults: list[Diagnostic] = []

    def add(self, message: str, place: Location = Location()) -> None:
        """Add one fault. If there are MOST_FAULTS, raise AttncalcError with all of them."""
        self.extend(AttncalcError(message, place))

    def extend(self, error: AttncalcError) -> None:
        """Add the faults of an error. If there are MOST_FAULTS, raise AttncalcError with all of them. If the error is
        OverBudget, raise OverBudget with all of them.
        """
        self.faults.extend(error.faults)
        if isinstance(error, OverBudget):
            self.raise_any(OverBudget)
        if len(self.faults) >= MOST_FAULTS:
            self.raise_any()

    def raise_any(self, kind: type[AttncalcError] = AttncalcError) -> None:
        """Raise an error of the class `kind` with all different faults, sorted by line. Without faults, do nothing."""
        if self.faults:
            raise kind(sorted(_deduplicate(self.faults), key=lambda f: (f.more, f.place.line, f.place.column)))


def did_you_mean(name: str, known: Sequence[str]) -> str:
    """Return a suggestion for the end of a message, or "" if no known name is similar.

    If the lesson's name is missing, suggest the last step with this name, because a lesson's result comes last.

    >>> did_you_mean("Y", ["norm1.Y", "ffn.Y", "norm2.Y"])
    '; did you mean norm2.Y?'
    >>> did_you_mean("w_q", ["W_K", "W_Q"]), did_you_mean("bias", ["W_K", "W_Q"])
    ('; did you mean W_Q?', '')
    """
    return _suggestion(name, tuple(known)) if len(name) < LONGEST_LINE else ""


@lru_cache(maxsize=1_000)
def _suggestion(name: str, known: tuple[str, ...]) -> str:
    from difflib import SequenceMatcher  # imported here, because only errors need it

    word, (fold, by_length) = name.casefold(), _folded(known)
    inner = (text for text in fold if word not in fold and text.endswith((f".{word}", f".{word}_1")))
    if whole := next(inner, ""):  # the last name comes first in `fold`
        return meant(fold[whole])
    similar = (
        (bound, text)
        for length, texts in by_length.items()
        if 2 * min(length, len(word)) / (length + len(word)) >= LEAST_SIMILAR
        for text in texts
        if (bound := _most_similar(word, text)) >= LEAST_SIMILAR
    )
    compared, best = SequenceMatcher(b=word), (LEAST_SIMILAR, "")
    # The upper bound is fast, and excludes most names from the slow comparison
    for bound, text in sorted(similar, reverse=True)[:MOST_COMPARED]:
        if bound < best[0]:
            break
        compared.set_seq1(text)
        best = max(best, (compared.ratio(), text))
    return meant(fold[best[1]]) if best[1] else ""


@lru_cache(maxsize=8)
def _folded(known: tuple[str, ...]) -> tuple[dict[str, str], dict[int, list[str]]]:
    """Return the original name of each name in lower case (the first, if several agree), and the names in lower case by
    length.
    """
    fold = {name.casefold(): name for name in reversed(known)}
    by_length: dict[int, list[str]] = {}
    for text in filter(None, fold):
        by_length.setdefault(len(text), []).append(text)
    return fold, by_length


def _most_similar(text: str, other: str) -> float:
    """Return an upper bound of the similarity of two texts: the share of letters in common, in any order."""
    return 2 * sum(min(text.count(sign), other.count(sign)) for sign in set(other)) / (len(text) + len(other))


def meant(proposed: str) -> str:
    """Return the end of a message that suggests `proposed`.

    >>> meant("S.T")
    '; did you mean S.T?'
    """
    return f"; did you mean {proposed}?"


def fold(name: str) -> str:
    """Return a name in lower case and without underscores, for comparison.

    >>> fold("W_Q") == fold("Wq")
    True
    """
    return name.casefold().replace("_", "")


def shorten(text: str, width: int = 40) -> str:
    """Return a user's text for a message: one line of at most `width` characters, without control characters."""
    begin = text[:width]
    if not begin.isprintable():
        begin = "".join(c if c.isprintable() else " " if c.isspace() else "\N{REPLACEMENT CHARACTER}" for c in begin)
    return begin if len(text) <= width else begin[: width - 1] + "…"


def size(shape: tuple[int, int]) -> str:
    """Return a shape as text: `3 × 2`."""
    return f"{shape[0]} × {shape[1]}"


def counted(count: int, noun: str) -> str:
    """Return a number with its noun in singular or plural.

    >>> counted(1, "row"), counted(3, "row"), counted(2, "entry")
    ('1 row', '3 rows', '2 entries')
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun[:-1] + 'ies' if noun.endswith('y') else noun + 's'}"


def listed(names: Sequence[str], most: int | None = None) -> str:
    """Return a phrase with the first `most` names and the number of the others.

    >>> listed(["the", "cat", "sat"]), listed(["the", "cat", "sat"], 1)
    ('the, cat and sat', 'the and 2 more')
    """
    if most is not None and len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


# -- warnings for authors ----------------------------------------------------------------------------------------------


# The receiver of warnings for authors of problems, which the command line sets. Without it, warnings are dropped
_listeners: list[Callable[[Diagnostic], None]] = []


def listen(tell: Callable[[Diagnostic], None]) -> None:
    """Send each warning to `tell`, but only once if a problem is read several times. `tell` replaces the previous
    receiver.
    """
    heard: set[str] = set()  # the warnings with their places

    def once(warning: Diagnostic) -> None:
        if str(warning) not in heard:
            heard.add(str(warning))
            tell(warning)

    _listeners[:] = [once]


def warn(warnings: Iterable[Diagnostic]) -> None:
    """Send warnings to the receiver."""
    for warning in warnings:
        for tell in _listeners:
            tell(warning)

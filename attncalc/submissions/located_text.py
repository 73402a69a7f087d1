"""Text that stands somewhere: every character of it knows its line and column."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import accumulate, pairwise

from ..errors import AttncalcError, Location
from ..problem.yaml_file.nodes import BREAK, Scalar

MINUS = r"[-+−–﹣－\u2010\u2011\u2012]"  # a plus, and what people and programs write for a minus
DASHES = "—⁻˗➖"  # a minus right before a number; elsewhere they are other signs
UNREADABLE = "\N{REPLACEMENT CHARACTER}"  # a picture, hidden text, or a sign without a meaning
_BREAK = re.compile(BREAK)
_SIGN = re.compile(r"[^\r\n]")


@dataclass(frozen=True, slots=True)
class Written:
    """A piece of text; `at` answers the place of a character of it."""

    text: str
    at: Callable[[int], Location] = field(repr=False)

    @property
    def place(self) -> Location:
        return self.at(0)

    def part(self, start: int, stop: int) -> Written:
        """Return some characters of it, with their places."""
        return Written(self.text[start:stop], lambda k: self.at(start + k))

    def group(self, match: re.Match[str], *groups: int) -> Written:
        """Return the first of these groups of a match that matched something."""
        return self.part(*match.span(next(group for group in groups if match[group] or group == groups[-1])))

    def trimmed(self) -> Written:
        """Return it without the blanks around it."""
        if self.text and not self.text[0].isspace() and not self.text[-1].isspace():
            return self
        start = len(self.text) - len(self.text.lstrip())
        return self.part(start, start + len(self.text.strip()))

    def framed(self, before: str, behind: str = "") -> Written:
        """Return it with signs around it that are not in the file, and are at its beginning and its end."""
        return Written(f"{before}{self.text}{behind}", lambda k: self.at(max(0, k - len(before))))

    def fault(self, message: str, character: int = 0) -> AttncalcError:
        """Return a fault at one of its characters."""
        return AttncalcError(message, self.at(character))

    def blanked(self, spans: Iterable[tuple[int, int]]) -> Written:
        """Return it with blanks in these places, which are in order; line breaks stay."""
        bounds = [0, *(bound for span in spans for bound in span), len(self.text)]
        cut = (
            self.text[a:b] if k % 2 == 0 else _SIGN.sub(" ", self.text[a:b])
            for k, (a, b) in enumerate(pairwise(bounds))
        )
        return Written("".join(cut), self.at)

    def without(self, pattern: re.Pattern[str]) -> Written:
        """Return it with blanks for what matches a pattern."""
        return self.blanked(match.span() for match in pattern.finditer(self.text))

    def lines(self) -> list[Written]:
        """Return the lines, without their breaks."""
        starts, stops = line_bounds(self.text)
        return [self.part(start, stop) for start, stop in zip(starts, stops, strict=True)]


@dataclass(frozen=True, slots=True)
class Stored(Written):
    """A number of a spreadsheet, which drops zeros at its end."""


@dataclass(frozen=True, slots=True)
class Crossed(Written):
    """A cell in which something is crossed out; `text` is what is left."""

    struck: str = ""


@dataclass(frozen=True, slots=True)
class Unsure(Written):
    """A cell that may be two numbers; `doubt` says which, and how to write it."""

    doubt: str = ""


def line_bounds(text: str) -> tuple[list[int], list[int]]:
    """Return where each line of a text begins and where it ends, line breaks left out."""
    breaks = list(_BREAK.finditer(text))
    return [0, *(b.end() for b in breaks)], [*(b.start() for b in breaks), len(text)]


def line_texts(text: str) -> list[str]:
    return [text[start:stop] for start, stop in zip(*line_bounds(text), strict=True)]


def whole(text: str, source: str) -> Written:
    """Return all of a file as one text."""
    starts, _ = line_bounds(text)

    def at(index: int) -> Location:
        line = bisect_right(starts, index)
        return Location(source, line, index - starts[line - 1] + 1)

    return Written(text, at)


def fixed(text: str, place: Location) -> Written:
    """Return a text whose characters are all at one place."""
    return Written(text, lambda _: place)


def joined(lines: list[Written], between: str = "\n") -> Written:
    """Return lines one below the other, or side by side; every character keeps its place."""
    starts = list(accumulate((len(line.text) + len(between) for line in lines), initial=0))

    def at(k: int) -> Location:
        row = min(bisect_right(starts, k), len(lines)) - 1
        return lines[row].at(k - starts[row])

    return Written(between.join(line.text for line in lines), at)


def of_scalar(scalar: Scalar, file: Written | None) -> Written:
    """Return a YAML text with its places. `file` is the file that it is in; None if the text came from elsewhere."""
    if file is None or not scalar.file:
        return Written(scalar.text, scalar.place.shifted)
    # An entry: its place is rarely asked for
    if scalar.style != "block" and len(scalar.text) < 30 and "\n" not in scalar.text:
        return Written(scalar.text, scalar.inside.shifted)
    offsets: list[int] = []

    def at(character: int) -> Location:
        if not offsets:
            offsets.extend(scalar.offsets())
        return file.at(offsets[min(character, len(offsets) - 1)])

    return Written(scalar.text, at)

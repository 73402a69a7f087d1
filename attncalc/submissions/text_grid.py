"""The common form of all formats: a grid of texts with their places, and what its form tells about it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any

from ..errors import AttncalcError, Diagnostic, Location, shorten
from ..formula.syntax_tree import Index
from ..formula.typed_formula import LARGEST_MATRIX, LARGEST_SIDE
from .answer_examples import beyond
from .located_text import MINUS, Unsure, Written
from .nearby_words import NEARBY
from .number_parser import entry, entry_or_word
from .submission import Answer, Losses, Names, Rows, Typed

_UNSURE = (
    "expected a number, found {!r}, which counts as exact, but its decimals may be rounded; write its value, such as "
    "0.5714, or an exact expression, such as 4/7"
)
_TOO_LARGE = beyond(f"a matrix of at most {LARGEST_SIDE:,} rows and columns and {LARGEST_MATRIX:,} entries")


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows of entries, as written. `flat` is a list without rows, and `spaced` says that blanks part the entries;
    the others are as in `submission.Answer`.
    """

    rows: list[list[Written]]
    row_labels: Names = None
    column_labels: Names = None
    printed: bool = False
    computed: str | None = None
    flat: bool = False
    spaced: bool = False
    commas: bool = False

    def with_points(self) -> Grid:
        """Return the grid with decimal points, if blanks part its entries and their commas can be decimal commas. Then
        only the shape of the step shows whether they are.
        """
        if not self.spaced or not shows_commas(self.rows) or shows_points(self.rows):
            return self
        if not all(COMMA.fullmatch(cell.text) for row in self.rows for cell in row if "," in cell.text):
            return self
        return replace(self, rows=[[pointed(cell, True) for cell in row] for row in self.rows], commas=True)

    def read(self, whole: Written, losses: Losses, step: str) -> Rows:
        """Return the entries, in rows that may differ in length. An entry that cannot be read is a loss and stays
        blank. Raises AttncalcError for no rows or too many.
        """
        self.check_size(whole)
        self.square()
        if len({len(row) for row in self.rows}) > 1 and (halved := _halved(max(self.rows, key=len))):
            losses.extend(step, halved)
        read_entry = entry if losses.lenient else entry_or_word
        rows = tuple(tuple(losses.guarded(step, partial(read_entry, cell)) for cell in row) for row in self.rows)
        unsure_entries = (
            typed for row in rows for typed in row if typed and typed.is_expression and typed.decimals is None
        )
        if typed := next(unsure_entries, None):
            losses.note(step, Diagnostic(_UNSURE.format(shorten(typed.text)), typed.place, code=NEARBY))
        return rows

    def answer(
        self, part: str | None, step: str, where: Index | None, rows: Rows, place: Location, **more: Any
    ) -> Answer:
        """Return the rows as the answer to a step, with all that the form tells about them."""
        form = {"printed": self.printed, "computed": self.computed, "flat": self.flat, "commas": self.commas}
        about = form | {"filled": self.filled()} | more
        return Answer(part, step, where, rows, self.row_labels, self.column_labels, place=place, **about)

    def filled(self) -> tuple[int, int, int, int] | None:
        """Return the first and the last row, and the first and the last column, that have a cell that is not empty."""
        places = [(i, j) for i, row in enumerate(self.rows) for j, cell in enumerate(row) if cell.text.strip()]
        down, across = [i for i, _ in places], [j for _, j in places]
        return (min(down), max(down), min(across), max(across)) if places else None

    def check_size(self, whole: Written) -> None:
        """Raise AttncalcError for an empty matrix, or one beyond the bounds on sides and entries."""
        if not self.rows or not all(self.rows):
            raise whole.fault("expected a matrix, found an empty list")
        if (
            len(self.rows) > LARGEST_SIDE
            or max(map(len, self.rows)) > LARGEST_SIDE
            or sum(map(len, self.rows)) > LARGEST_MATRIX
        ):
            raise whole.fault(_TOO_LARGE)

    def square(self) -> None:
        """Fill up a triangle, whose rows hold 1, 2, 3 ... entries, to a square with blanks above its diagonal."""
        rows = self.rows
        if len(rows) > 1 and [len(row) for row in rows] == list(range(1, len(rows) + 1)):
            for row in rows:
                row += [Written("", row[-1].at)] * (len(rows) - len(row))


def _halved(row: list[Written]) -> AttncalcError | None:
    """Return the fault of a row that is too long if two of its entries may be one: 0,67 beside wider gaps, or 1 1/2."""
    gaps = gaps_between(row)
    for (x, y), gap in zip(pairwise(row), gaps, strict=True):
        if x.text.lstrip("+-−").isdigit() and (
            _PROPER.fullmatch(y.text) or gap == 1 < max(gaps) and _DECIMALS.fullmatch(y.text)
        ):
            joined = f"{x.text}.{y.text}" if _DECIMALS.fullmatch(y.text) else f"{x.text} + {y.text}"
            return x.fault(
                f"rows differ in length; are {x.text} and the {y.text} after it one number, written {joined}?"
            )
    return None


def gaps_between(cells: Sequence[Written | Typed | None]) -> list[int]:
    """Return how many characters are between neighbours; 0 if they are in different lines, or one is blank."""
    return [
        b.place.column - a.place.column - len(a.text) if a and b and a.place.line == b.place.line else 0
        for a, b in pairwise(cells)
    ]


_PROPER = re.compile(r"[1-9][0-9]*/[0-9]+")
_DECIMALS = re.compile(r"[0-9]+(?:[eE][+-]?[0-9]+)?%?")  # digits after a decimal comma
_WORD = re.compile(r"\S+")


def pieces(written: Written, separator: str) -> list[Written]:
    """Return the text cut at a sign (or at blanks, for " "), at each place outside round brackets."""
    text = written.text
    if len(text.split(separator.strip() or None, LARGEST_SIDE + 1)) > LARGEST_SIDE + 1:  # the last may be empty
        raise written.fault(_TOO_LARGE)
    if "(" in text or "{" in text:
        bounds = _outside_brackets(text, separator)
    elif separator == " ":
        return _sure([written.part(*word.span()) for word in _WORD.finditer(text)])
    else:
        bounds, start = [], 0
        for piece in text.split(separator):
            bounds.append((start, start + len(piece)))
            start += len(piece) + 1
    cut = [written.part(*span).trimmed() for span in bounds]
    return _sure([piece for piece in cut if piece.text]) if separator == " " else cut


def _sure(words: list[Written]) -> list[Written]:
    """Return words that blanks part. Raises AttncalcError for a minus alone, a sign or a crossed-out cell."""
    for before, sign, number in zip([None, *words], words, words[1:], strict=False):
        if sign.text in _SIGNS and _UNSIGNED.match(number.text):
            raise unsure(sign, number.text, before.text if before else "")
    return words


def unsure(sign: Written, number: str, before: str = "") -> AttncalcError:
    """Return the fault of a sign alone between two entries, with each way to say what it may be."""
    plain = "+" if sign.text == "+" else "-"
    both = f"{before}{plain}{number} for one number, " if before and _UNSIGNED.match(before.lstrip("+-−")) else ""
    kind = "a plus sign" if plain == "+" else "a minus sign"
    return sign.fault(f"is it {kind} or a crossed-out cell? Write {both}{plain}{number} for an entry, or _ for a blank")


_SIGNS = frozenset("-−–+")
_UNSIGNED = re.compile(r"[0-9.√\\∞]|inf", re.IGNORECASE)
_SPACED = re.compile(rf"(?i)[-+−–]\s+(?:{_UNSIGNED.pattern})[^\s,;]*")


def is_signed(text: str) -> bool:
    """Return whether a text is one number with a blank behind its sign, or else a crossed-out cell and a number."""
    return bool(_SPACED.fullmatch(text.strip()))


COMMA = re.compile(rf"\s*{MINUS}?\s*[0-9]*,[0-9]+(?:[eE][+-]?[0-9]+)?\s*%?\s*")
_THOUSANDS = re.compile(rf"\s*{MINUS}?\s*[1-9][0-9]{{0,2}},[0-9]{{3}}\s*")
_ZERO_BEHIND = re.compile(rf"\s*{MINUS}?\s*[0-9]+,0[0-9]+\s*")  # nobody writes 05 for an entry 5
_POINTED_THOUSANDS = re.compile(rf"\s*{MINUS}?\s*[1-9][0-9]{{0,2}}\.[0-9]{{3}}\s*")
_POINT = re.compile(rf"\s*{MINUS}?\s*[0-9]*\.[0-9]+(?:[eE][+-]?[0-9]+)?\s*%?\s*")


def with_points(rows: list[list[Written]], expected: bool = False) -> list[list[Written]]:
    """Return cells that semicolons or tabs part, with decimal points for decimal commas.

    1,234 is one if another cell shows that commas are, or if they are expected and no other cell shows a point.
    """
    commas, points = shows_commas(rows), shows_points(rows)
    is_sure = (commas or expected) and not points
    return [[in_doubt(cell, commas) or pointed(cell, is_sure) for cell in row] for row in rows]


def in_cells(rows: list[list[Written]]) -> list[list[Written]]:
    """Return cells that signs or lines part, with decimal points for decimal commas. In a single column 1,2 may be two
    entries, and stays as it is, unless another cell such as 2,05 shows decimals.
    """
    texts = [cell.text for row in rows for cell in row]
    shows_decimals = any(_ZERO_BEHIND.fullmatch(text) and not _THOUSANDS.fullmatch(text) for text in texts)
    return with_points(rows) if shows_decimals or all(len(row) > 1 for row in rows) else rows


def shows_commas(rows: list[list[Written]], expected: bool = False) -> bool:
    """Return whether 1,234 has a decimal comma: another cell surely has one, or one is expected and no point there."""
    texts = [cell.text for row in rows for cell in row]
    if any("," in text and COMMA.fullmatch(text) and not _THOUSANDS.fullmatch(text) for text in texts):
        return True
    return expected and not any("." in text and _POINT.fullmatch(text) for text in texts)


def shows_points(rows: list[list[Written]]) -> bool:
    """Return whether some cell can only have a decimal point; that of 1.234 may part thousands."""
    texts = [cell.text for row in rows for cell in row]
    return any("." in text and _POINT.fullmatch(text) and not _POINTED_THOUSANDS.fullmatch(text) for text in texts)


def in_doubt(cell: Written, commas: bool) -> Written | None:
    """Return 1.234 beside decimal commas as a cell in doubt, since its point may part thousands; None for others."""
    if not commas or not _POINTED_THOUSANDS.fullmatch(cell.text):
        return None
    text = cell.text.strip()
    return Unsure(
        cell.text,
        cell.at,
        f"{text} or {text.replace('.', '')}, next to decimal commas; write all numbers with decimal points",
    )


def in_one_line(cell: Written) -> Written:
    """Return an entry; one that goes over a line may be two, as -0.5 above - 1 is, and is in doubt."""
    first, _, rest = cell.text.strip().partition("\n")
    doubt = f"{shorten(first.strip())!r} above {shorten(rest.strip())!r}; write one line, such as [[0.5, -1]]"
    return Unsure(cell.text, cell.at, doubt) if rest else cell


def pointed(cell: Written, sure: bool) -> Written:
    """Return a cell with a decimal point for its decimal comma; `sure` says that 1,234 has one."""
    is_decimal = "," in cell.text and COMMA.fullmatch(cell.text) and (sure or not _THOUSANDS.fullmatch(cell.text))
    return Written(cell.text.replace(",", "."), cell.at) if is_decimal else cell


def _outside_brackets(text: str, separator: str) -> list[tuple[int, int]]:
    spans, depth, start = [], 0, 0
    for k, sign in enumerate(text):
        depth = max(0, depth + (sign in "({") - (sign in ")}"))
        if depth == 0 and (sign.isspace() if separator == " " else sign == separator):
            spans.append((start, k))
            start = k + 1
    return [*spans, (start, len(text))]


def are_counted(labels: Sequence[str]) -> bool:
    """Return whether these are 0, 1, 2 ... or 1, 2, 3 ..."""
    return any(list(labels) == [str(k + first) for k in range(len(labels))] for first in (0, 1))


def require_rows(written: Written, count: int) -> None:
    """Raise AttncalcError for more rows than a matrix has, before they are taken apart."""
    if count > LARGEST_SIDE + 1:
        raise written.fault(_TOO_LARGE)


_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def is_row(written: Written) -> bool:
    """Return whether one line of text is several numbers; a sign inside makes it unclear, `1 -2` may be −1."""
    words = written.text.split()
    return (
        len(words) > 1
        and all(_NUMBER.fullmatch(word) for word in words)
        and not any(word[0] in "+-" for word in words[1:])
    )

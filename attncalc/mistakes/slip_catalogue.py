"""Slips (sign, copying, digits): errors in an entry or in the order of entries, which do not depend on the formula.

A slip changes the right entry to another number. The search tries slips on wrong entries. `like` returns whether the
student's text may be the printed form of a value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, permutations

from flint import fmpq

from ..arithmetic.intervals.scalar import Box, Interval, hull, point
from ..arithmetic.matrix_types import is_infinite

Like = Callable[[Interval], bool]
MAX_PERMUTED = 6


@dataclass(frozen=True, slots=True)
class Slip:
    """A kind of slip, with its sentences. The search replaces `{detail}`. `weight` is the relative frequency of the
    slip.
    """

    code: str
    done: str
    advice: str
    weight: int


DIGITS_LOST = fmpq(1, 200)  # the largest relative difference of numbers with the same digits

SLIPS = {
    slip.code: slip
    for slip in (
        Slip("sign", "The sign looks wrong{detail}.", "Calculate the entry again and check the signs.", 6),
        Slip("term-missed", "It looks as if you left out one product{detail}.",
            "Add up all products of the row and the column.", 4),
        Slip("term-sign", "It looks as if you subtracted one product instead of adding it{detail}.",
            "Check the signs of the products.", 4),
        Slip("wrong-row-or-column", "It looks as if you used a different row or column{detail}.",
             "For entry i, j multiply row i of the left matrix by column j of the right one.", 3),
        Slip("digits-exchanged", "It looks as if two digits were swapped{detail}.", "Copy the digits again.", 3),
        Slip("decimal-point", "The decimal point looks misplaced{detail}.", "Check the position of the decimal point.",
            3),
        Slip("copied-neighbour", "It looks as if you copied a neighbouring entry{detail}.",
            "Calculate this entry again.", 2),
        Slip("constant-rounded", "It looks as if you rounded a constant such as a square root too early.",
             "Keep constants to at least as many decimals as are required.", 0),
        Slip("rounded-too-early", "It looks as if you rounded intermediate results too early.",
             "Keep at least the required number of decimals until the end. For small numbers, keep the same number of "
             "significant figures: 0.0071, not 0.01.", 0),
        Slip("infinity-kept", "It looks as if you kept −∞ for masked weights.",
             "Write 0: the exponential of −∞ is 0, and so is the weight.", 0),
        Slip("transposed", "It looks as if you swapped rows and columns.",
             "Do not transpose the matrix: the numbers in your first column belong in the first row.", 4),
        Slip("rows-permuted", "The rows look right, but in a different order.",
            "Write the rows in the order of the problem.", 3),
        Slip("columns-permuted", "The columns look right, but in a different order.",
            "Write the columns in the order of the problem.", 3),
    )
}  # fmt: skip


def entry_slips(
    text: str,
    cell: Interval,
    neighbours: dict[str, str],
    terms: Sequence[Interval],
    others: dict[str, Interval],
    like: Like,
    prints: Callable[[fmpq], bool],
) -> Iterator[tuple[str, str]]:
    """Yield (code, detail) of the slips that change the right entry to the student's entry.

    `terms` are the products whose sum is the entry. `others` are the values for other rows and columns. `like` returns
    whether the student's entry may be the printed form of a value. `prints` returns whether a number may be the printed
    form of the right entry.
    """
    if cell is None or is_infinite(cell[0]):
        return  # a number instead of −∞ is not a slip
    if like((-cell[1], -cell[0])):
        yield "sign", ""
    for k, term in enumerate(terms):
        if term is not None and len(terms) > 1:
            if like(_without_term(cell, term, 1)):
                yield "term-missed", f": product {k + 1} of {len(terms)}"
            if like(_without_term(cell, term, 2)):
                yield "term-sign", f": product {k + 1} of {len(terms)}"
    for name, other in others.items():
        if like(other):
            yield "wrong-row-or-column", f": {name}"
    for power in (1, -1, 2, -2):
        moved = cell[0] * fmpq(10) ** power, cell[1] * fmpq(10) ** power
        if like(moved) and _holds_digits(text, moved):
            yield "decimal-point", ""
    if any(map(prints, _digit_swaps(text))):
        yield "digits-exchanged", ""
    for name, typed in neighbours.items():
        if typed == text and text.strip("0.-+"):
            yield "copied-neighbour", f" ({name})"


def _without_term(cell: Interval, term: Interval, times: int) -> Interval:
    """Return the entry minus a multiple of one of its products. The low ends are subtracted, and so are the high ends.
    Therefore the interval does not become wider.
    """
    assert cell is not None and term is not None
    ends = cell[0] - times * term[0], cell[1] - times * term[1]
    return hull(point(ends[0]), point(ends[1]))


def _digit_swaps(text: str) -> Iterator[fmpq]:
    """Yield the values of the decimal after two neighbouring digits are swapped."""
    digits = [k for k, c in enumerate(text) if c.isdigit()]
    for a, b in pairwise(digits):
        if text[a] != text[b]:
            swapped = list(text)
            swapped[a], swapped[b] = swapped[b], swapped[a]
            if (value := _decimal("".join(swapped))) is not None:
                yield value


def _holds_digits(text: str, cell: tuple[object, object]) -> bool:
    """Return whether a decimal has the same digits as the number in the cell. For 0.0099, the decimal 0.01 does not."""
    if (value := _decimal(text)) is None:
        return True
    by = abs(value) * DIGITS_LOST
    return not (cell[1] < value - by or cell[0] > value + by)  # type: ignore[operator]


def _decimal(text: str) -> fmpq | None:
    """Return the value of a decimal; None for other texts."""
    integer_digits, _, decimals = text.lstrip("+-").partition(".")
    if not (integer_digits + decimals).isdigit():
        return None
    return fmpq(int(integer_digits + decimals), 10 ** len(decimals)) * (-1 if text.startswith("-") else 1)


def arrangements(box: Box) -> Iterator[tuple[str, Box]]:
    """Yield (code, box) for the transposed box, and for the box with its rows or columns in another order."""
    n, m = len(box), len(box[0])
    if n == m and n > 1:
        yield "transposed", [list(column) for column in zip(*box, strict=True)]
    if 1 < n <= MAX_PERMUTED:
        for order in permutations(range(n)):
            if order != tuple(range(n)):
                yield "rows-permuted", [box[i] for i in order]
    if 1 < m <= MAX_PERMUTED:
        for order in permutations(range(m)):
            if order != tuple(range(m)):
                yield "columns-permuted", [[row[j] for j in order] for row in box]

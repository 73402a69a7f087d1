"""Rounding of intermediate values that students do not write down: exponentials, sums, means and constants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import floor, log10
from typing import NamedTuple

from flint import fmpq

from ...rounding_modes import MODES
from .. import budget
from ..matrix_types import is_infinite
from ..rounding import power_of_ten, round_number
from .scalar import ONE, ZERO, Box, End, Interval, approximate, least, most, point, product, total


@dataclass(frozen=True, slots=True)
class FloatFormat:
    """A binary floating-point format, such as float32.

    - `relative` is the distance from 1 to the next number. It is a bound on the relative error of a rounding.
    - `least` is the smallest positive number with full precision.
    - `smallest` is the smallest positive number. It is a bound on the error of numbers below `least`.
    """

    relative: fmpq
    least: fmpq
    smallest: fmpq

    def with_error(self, cell: Interval, times: End = ONE, size: End | None = None) -> Interval:
        """Widen a cell by `times` relative errors. They are relative to `size`, or to the size of the cell."""
        if cell is None or is_infinite(cell[0]) or is_infinite(cell[1]):
            return cell
        off = self.relative * times * (most((abs(cell[0]), abs(cell[1]))) if size is None else size) + self.least
        return cell[0] - off, cell[1] + off

    def store(self, box: Box) -> Box:
        """Widen numbers by the error of their conversion to this format. Short binary fractions have no error."""
        return [
            [
                cell if cell is not None and cell[0] is cell[1] and self.holds(cell[0]) else self.with_error(cell)
                for cell in row
            ]
            for row in box
        ]

    def holds(self, x: End) -> bool:
        """Return whether the format stores a number exactly."""
        if not isinstance(x, fmpq):
            return False
        below = int(x.denominator)
        return below & (below - 1) == 0 and max(below, abs(int(x.numerator))) * self.relative <= 1


FLOATS = {
    "float32": FloatFormat(fmpq(1, 1 << 23), fmpq(1, 1 << 126), fmpq(1, 1 << 149)),
    "float64": FloatFormat(fmpq(1, 1 << 52), fmpq(1, 1 << 1022), fmpq(1, 1 << 1074)),
}


class IntermediateRounding(NamedTuple):
    """The rounding of intermediate values: at least `digits` decimals and at least as many significant figures are
    kept.

    - `habit` is the rule for the other digits: `full` (all are kept), `round`, `cut` (rounding towards 0), `floor`, or
      `any` of these.
    - `shifted`: the largest score of a row is subtracted before the exponentials. With the `any` habit this is
      optional.
    - `products`: each product in a sum of products is rounded too.
    - `program` is the floating-point format of a program. Every operation then has a relative error, and no habit
      applies.
    """

    digits: int = 0
    habit: str = "full"
    shifted: bool = False
    products: bool = False
    constants: int | None = None  # the decimals of rounded constants such as √3; not used for marking
    exactly: bool = False  # rounding to exactly these digits, not to these or more
    fixed: bool = False  # rounding to decimals, without significant figures: 0.01 for 0.0071; not used for marking
    program: FloatFormat | None = None

    def unit(self, low: End, high: End) -> fmpq:
        """Return the unit of the last digit that is kept if the value is between low and high."""
        size = abs(approximate(low)) if low is high else max(abs(approximate(low)), abs(approximate(high)))
        if size >= 1 or self.fixed:
            return _last_place(self.digits)
        if size == 0.0:
            return ZERO
        exponent = floor(log10(size) + 1e-9)
        return _last_place(max(self.digits, max(self.digits, 1) - 1 - exponent))

    def keep(self, cell: Interval, as_line: bool = False) -> Interval:
        """Return an enclosure of the value after rounding. With `as_line`, only decimals are counted, not significant
        figures.

        Rounding is monotone, so the ends of the result are the ends rounded to the fewest allowed digits. Rounding to
        more digits moves a value by at most a twentieth of this unit, and never past a multiple of this unit.
        """
        if self.habit == "full" or cell is None or is_infinite(cell[0]) or is_infinite(cell[1]):
            return cell
        low, high = cell
        if (
            low is high
            and isinstance(low, fmpq)
            and (low.denominator == 1 or (low * power_of_ten(self.digits)).denominator == 1)
        ):
            return cell  # the value has no further digits
        unit = _last_place(self.digits) if as_line else self.unit(low, high)
        if unit == 0 or low is high and isinstance(low, fmpq) and (low / unit).denominator == 1:
            return cell
        if self.exactly:
            return self.drop_digits(low, unit), self.drop_digits(high, unit)
        match self.habit:
            case "round":
                below = -_round_down(unit / 2 - low, unit, otherwise=unit / 2 - low)  # a tie is rounded down
                above = _round_down(high + unit / 2, unit, otherwise=high + unit / 2)
                finer = (
                    most((low - unit / 20, _round_down(low, unit))),
                    least((high + unit / 20, -_round_down(-high, unit))),
                )
                return least((below, finer[0])), most((above, finer[1]))
            case "floor":
                return _round_down(low, unit), high
            case "cut":
                return (_round_down(low, unit) if low >= 0 else low), (-_round_down(-high, unit) if high <= 0 else high)
        return round_outward(cell, unit)

    def drop_digits(self, x: End, unit: fmpq) -> End:
        """Round x to this unit by the habit; `round` is half up.

        If a ball does not decide the result, x is a sum of rounded values, and is a multiple of the unit or a tie. The
        result is then the multiple for this number.
        """
        if self.habit == "cut" and x < 0:
            return -_round_down(-x, unit, otherwise=-_round_down(x + unit / 2, unit))
        moved = x + unit / 2 if self.habit == "round" else x
        return _round_down(moved, unit, otherwise=_round_down(moved + unit / 2, unit))

    def factors(self, low: End, high: End) -> tuple[End, End]:
        """Return bounds on the factor by which rounding changes a positive value between low and high."""
        if self.habit == "full":
            return ONE, ONE
        kept = self.keep((low, high))
        if self.exactly and kept is not None and low > 0:
            return kept[0] / high, kept[1] / low
        unit = self.unit(high, high)
        change = unit / 2 if self.habit == "round" else unit
        assert kept is not None
        under = most((kept[0] / high, 1 - change / low)) if low > change else most((kept[0] / high, ZERO))
        if self.habit in ("cut", "floor"):
            return under, ONE  # truncation only decreases
        return under, least((kept[1] / low, 1 + change / low)) if low > 0 else ONE + 1


FULL = IntermediateRounding()


def dot(row: Sequence[Interval], column: Sequence[Interval], working: IntermediateRounding = FULL) -> Interval:
    """Return the product of a row and a column, as a sum of products."""
    terms: list[Interval] = []
    for x, y in zip(row, column, strict=True):
        term = None if x is None or y is None else product(x, y)
        terms.append(working.keep(term) if working.products else term)
    return total(terms)


@lru_cache(maxsize=1_000)
def _last_place(digits: int) -> fmpq:
    return 1 / fmpq(power_of_ten(digits))


def _round_down(x: End, unit: fmpq, otherwise: End | None = None) -> End:
    """Return the multiple of the unit, 1 / 10ᵏ, at or below x.

    If a ball does not decide it, return `otherwise`, or a number that is safely below.
    """
    scaled = x * unit.denominator  # exact numbers stay exact
    if isinstance(scaled, fmpq):
        return scaled.floor() * unit
    multiple = budget.floor(scaled)
    if multiple is None:
        return x - unit if otherwise is None else otherwise
    return fmpq(multiple) * unit


def round_outward(cell: tuple[End, End], unit: fmpq) -> tuple[End, End]:
    """Return the multiples of a unit that enclose a value after it is rounded or truncated to this unit or a smaller
    one.
    """
    return _round_down(cell[0], unit), -_round_down(-cell[1], unit)


def to_decimals(cell: Interval, digits: int, mode: str = "half_up") -> Interval:
    """Return an entry rounded by a mode.

    Rounding is monotone, so the ends of the result are the rounded ends. An end that a ball does not decide moves
    outward by the largest error of the mode.
    """
    if cell is None:
        return None
    low = _rounded_end(cell[0], digits, mode, -1)
    return point(low) if cell[0] is cell[1] and isinstance(low, fmpq) else (low, _rounded_end(cell[1], digits, mode, 1))


def _rounded_end(end: End, digits: int, mode: str, outward: int) -> End:
    if is_infinite(end):
        return end
    n, unit = round_number(end, digits, mode), _last_place(digits)
    if n is None:
        return end + outward * fmpq(*MODES[mode].largest_error.as_integer_ratio()) * unit
    return fmpq(n) * unit

"""The precision of a typed line: how many digits it keeps, and which values print so.

Rule R2: the digits come from the sheet, else from the line's longest entry. Significant figures are a second reading of
the whole line. An entry with fewer decimals is read as complete (its zeros were dropped) or as rounded so far; a 0
or one unit is complete. A line has w working decimals (R1): the larger of its own decimals and what the sheet asks, or
one.

Rule R1a: a line with twelve or more significant digits is a float64's print, or a float32's if all its numbers are
such. One with seven to nine digits is a float32's. Its entries are off by the type's relative error, in addition to the
last digit. Zeros that fill a mantissa (`9.000e-04`) are no digits, and one zero after the asked places (0.270) is none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import NamedTuple

from flint import arb, fmpq

from ..arithmetic.intervals.intermediate_rounding import FLOATS, FloatFormat
from ..arithmetic.intervals.scalar import Box, End, Interval, approximate
from ..arithmetic.matrix_types import MINUS_INFINITY, PLUS_INFINITY, is_infinite
from ..arithmetic.rounding import power_of_ten
from ..formula.typed_formula import Where
from ..submissions.closed_form_numbers import thin_ball
from ..submissions.submission import Typed

HABITS = ("round", "cut", "floor")
EXACTLY = fmpq(0)  # no unit away
FLOAT64_DIGITS = 12  # a print with so many significant digits, or more
FLOAT32_DIGITS = range(7, 10)
WHOLE_DIGITS = 9  # to which a whole number stands for itself
_MANTISSA = re.compile(r"[0-9]\s*(?:[eE]\s*[+-]?[0-9]|(?:[*x×·]|\\(?:times|cdot))\s*10)")


class Preimage(NamedTuple):
    """The values that one habit prints as one entry, from low to high; an open end is excluded."""

    low: End
    high: End
    open_low: bool = False
    open_high: bool = False

    def refuses(self, cell: Interval) -> bool:
        """Return whether it is proven that no value of the cell is printed so."""
        if cell is None:
            return False
        low, high = cell
        if high < self.low or low > self.high:
            return True
        return bool(self.open_high and low >= self.high or self.open_low and high <= self.low)


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a line: the value of each entry, and the unit of its last digit (0 if it is exact).

    - `digits` are the line's own decimals, `working` those of unwritten values.
    - `coarse` is true if the sheet asks for more decimals than some entry has, unless it has the line's figures.
    - `program` is the type whose print it is.
    - `scores` are the axes along which weights are taken; there a low number may stand for −∞.
    - In a line of `weights`, a truncated value may be slightly below a number that ends within the digits: a calculator
      gives 0.9999999999 for e^(x − ln e^x) = 1.
    - `shown` are the cells that should be hidden and hold their own score.
    - `by_figures`: the entries have the same number of significant figures, so none is coarse.
    """

    digits: int
    values: dict[Where, End]
    units: dict[Where, fmpq]
    coarse: bool = False
    working: int = 0
    program: FloatFormat | None = None
    scores: tuple[str, ...] = ()
    weights: bool = False
    shown: frozenset[Where] = frozenset()
    by_figures: bool = False
    preimages: dict[tuple[Where, str], Preimage] = field(default_factory=dict, init=False, compare=False, repr=False)

    @property
    def habits(self) -> tuple[str, ...]:
        """The habits by which the entries may have been rounded; a program rounds to the nearest."""
        return HABITS if self.program is None else HABITS[:1]

    @property
    def has_coarse_entries(self) -> bool:
        """Return whether some entry is coarser than the working decimals; the line then carries its prints or its
        full values.
        """
        return any(unit * power_of_ten(self.working) > 1 for unit in self.units.values()) and self.program is None

    def is_exactly(self, box: Box) -> bool:
        """Return whether each entry is the exact value of a box, so that no further decimals could be typed."""
        cells = ((box[i][j], typed) for (i, j), typed in self.values.items())
        return all(cell is not None and cell[0] == cell[1] == typed for cell, typed in cells)

    def preimage(self, at: Where, habit: str, slack: fmpq = EXACTLY) -> Preimage:
        """Return the values that print as the entry; with `slack`, also those that print up to so many units away."""
        if slack is not EXACTLY:
            return self._preimage(at, habit, slack)
        preimage = self.preimages.get((at, habit))
        if preimage is None:
            preimage = self.preimages[at, habit] = self._preimage(at, habit, slack)
        return preimage

    def widest(self, at: Where) -> Preimage:
        """Return a range that contains all values that print as the entry by any habit."""
        if (at, "any") not in self.preimages:
            images = [self.preimage(at, habit) for habit in self.habits]
            self.preimages[at, "any"] = Preimage(
                min(image.low for image in images), max(image.high for image in images)
            )
        return self.preimages[at, "any"]

    def is_far(self, at: Where, cell: Interval, slack: fmpq) -> bool:
        """Return whether a cell misses all values that print as the entry by more than so many units."""
        image, more = self.widest(at), self.units[at] * slack
        return Preimage(image.low - more, image.high + more).refuses(cell)

    def left_open(self, at: Where, cell: Interval) -> float:
        """Return the width of a cell in units of the entry's last digit; 0 for ∞ and for an exact entry."""
        unit = self.units[at]
        if not unit or cell is None or is_infinite(cell[0]) and is_infinite(cell[1]):
            return 0.0
        return approximate((cell[1] - cell[0]) / unit)

    def _preimage(self, at: Where, habit: str, slack: fmpq) -> Preimage:
        value, unit = self.values[at], self.units[at]
        if habit == "round" and slack is EXACTLY:  # most of them
            half = unit / 2
            return Preimage(value - half, value + half)
        more = unit * slack
        if habit == "round" or unit == 0:
            return Preimage(value - unit / 2 - more, value + unit / 2 + more)
        if habit == "floor" or value > 0:
            return Preimage(value - more, value + unit + more, open_high=not self.weights)
        if value < 0:
            return Preimage(value - unit - more, value + more, open_low=True)
        return Preimage(-unit - more, unit + more, True, True)


def value(typed: Typed) -> End:
    """Return the number that an entry denotes: exact, or a thin ball for a closed form."""
    if typed.infinite:
        return PLUS_INFINITY if typed.infinite > 0 else MINUS_INFINITY
    if typed.value is not None:
        return typed.value
    return thin_ball(typed.tree) if typed.tree is not None else arb.nan()


def readings(cells: dict[Where, Typed], asked: int | None, computed: str | None = None) -> list[Reading]:
    """Return the ways to read a line, the likeliest first. `asked` are the decimals that the sheet asks for, `computed`
    is the arithmetic of a program's output.
    """
    values = {at: value(typed) for at, typed in cells.items()}
    shown = {
        at: _shown(typed, asked) for at, typed in cells.items() if typed.decimals is not None and not typed.infinite
    }
    decimals = {at: places for at, (places, _) in shown.items()}
    figures = {at: count for at, (_, count) in shown.items() if count}
    longest, most = max(decimals.values(), default=0), max(figures.values(), default=0)
    wanted = longest if asked is None else max(asked, longest)
    # 0 for 0.01 or 1 for 0.54 keeps no figure of the number
    so_far = {at: places if abs(values[at]) > _unit(places) else longest for at, places in decimals.items()}
    # Zeros up to `most` figures
    filled = {at: most - figures[at] + places if at in figures else longest for at, places in decimals.items()}

    def reading(digits: int, places: dict[Where, int]) -> Reading:
        units = {at: _unit(places[at]) if at in places else fmpq(0) for at in cells}
        line_digits = max(0, digits)
        return Reading(
            line_digits,
            values,
            units,
            asked is not None and (min(places.values()) if places is so_far else digits) < asked,
            max(line_digits, 1 if asked is None else asked),
        )

    alternatives = [reading(wanted, dict.fromkeys(decimals, wanted))]
    if wanted > longest:
        alternatives.append(reading(longest, dict.fromkeys(decimals, longest)))
    if any(d != longest for d in so_far.values()):
        alternatives.append(reading(longest, so_far))
    if longest > 0 and figures and any(p != longest for p in filled.values()):
        alternatives.append(replace(reading(longest, filled), by_figures=True))
    if program := FLOATS.get(computed or (_program(most, values, decimals) if longest > 0 else "")):
        whole_numbers = longest == 0 and all(typed.text.endswith(".") for typed in cells.values() if not typed.infinite)
        # `3.`, or `0.5` where more decimals are asked: a program leaves nothing out that is not 0, so this is all of it
        if whole_numbers or computed and 0 < longest < wanted:
            print_ = reading(wanted, dict.fromkeys(decimals, WHOLE_DIGITS))
        else:
            print_ = reading(longest, {at: min(longest, places) for at, places in filled.items()})
        alternatives.insert(0, _of_program(print_, program))
    return alternatives


def as_exact(reading: Reading) -> Reading:
    """Return a reading in which every number is exact."""
    return replace(reading, units=dict.fromkeys(reading.units, fmpq(0)), coarse=False, program=None)


def at_working_precision(reading: Reading) -> Reading:
    """Return a reading in which coarse entries count as typed to the working decimals."""
    least = 1 / fmpq(power_of_ten(reading.working))
    return replace(reading, units={at: min(unit, least) for at, unit in reading.units.items()})


def zeros(reading: Reading | None) -> bool:
    """Return whether a line holds nothing but zeros."""
    return reading is not None and all(value == 0 for value in reading.values.values())


def _shown(typed: Typed, asked: int | None) -> tuple[int, int]:
    """Return the decimals and significant digits of an entry without padding zeros."""
    places, figures = typed.decimals or 0, typed.significant or 0
    least = asked if asked is not None and places == asked + 1 else places
    if _MANTISSA.search(typed.text):
        least = places - max(0, figures - 1) if figures else 0
    while (
        places > least
        and (
            typed.value * power_of_ten(places - 1) if places > 0 else typed.value / power_of_ten(1 - places)
        ).denominator
        == 1
    ):
        places, figures = places - 1, max(0, figures - 1)
    return places, figures


def _program(most: int, numbers: dict[Where, End], decimals: dict[Where, int]) -> str:
    """Return the type of floating point number that so many significant digits come from.

    In many digits a float32's number is still one. A type's smallest numbers have few digits, and no person writes
    them.
    """
    if most >= FLOAT64_DIGITS and not all(_is_float32(x, decimals.get(at)) for at, x in numbers.items()):
        return "float64"
    if most in FLOAT32_DIGITS or most >= FLOAT64_DIGITS:
        return "float32"
    small = min((abs(x) for x in numbers.values() if isinstance(x, fmpq) and x != 0), default=fmpq(1))
    return next((name for name, program in FLOATS.items() if program.smallest / 2 < small < program.least), "")


def _is_float32(x: End, places: int | None) -> bool:
    """Return whether these decimals are a float32's number.

    `tensor.tolist()` shows it as a float64; a spreadsheet shows fifteen digits of that.
    """
    if not isinstance(x, fmpq):
        return is_infinite(x)
    exponent = abs(int(x.numerator)).bit_length() - int(x.denominator).bit_length()
    step = FLOATS["float32"].relative * fmpq(2) ** (exponent - 1)
    off = abs(x - (x / step + fmpq(1, 2)).floor() * step)
    return bool(off <= (_unit(places) / 2 if places is not None else 0))


def _of_program(reading: Reading, program: FloatFormat) -> Reading:
    """Return the reading as a program's print: the shortest text that identifies the number, or so many digits."""
    units = {
        at: unit + 2 * program.relative * abs(reading.values[at]) if unit else unit
        for at, unit in reading.units.items()
    }
    return replace(reading, units=units, program=program)


@lru_cache(maxsize=1_000)
def _unit(decimals: int) -> fmpq:
    power = fmpq(power_of_ten(abs(decimals)))
    return 1 / power if decimals >= 0 else power

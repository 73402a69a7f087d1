"""What a typed line says: how many digits it keeps, and which values print so.

Rule R2: the digits come from the sheet, else from the line's longest entry; significant figures are a second reading of the
whole line. An entry with fewer decimals is read as complete (its zeros were dropped) or as rounded so far.
"""

from __future__ import annotations

from flint import arb, ctx, fmpq

from ..answers.model import Typed
from ..arithmetic.cells import Cell, End
from ..arithmetic.interval import constant
from ..arithmetic.matrices import MINUS_INFINITY, PLUS_INFINITY
from ..arithmetic.rounding import power_of_ten
from ..records import dataclass

HABITS = ("round", "cut", "floor")
Where = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Preimage:
    """The values that one habit prints as one entry: from low to high, an end that is open left out."""

    low: End
    high: End
    open_low: bool = False
    open_high: bool = False

    def refuses(self, cell: Cell) -> bool:
        """Whether it is proven that no value of the cell is printed so."""
        if cell is None:
            return False
        low, high = cell
        if high < self.low or low > self.high:
            return True
        return bool(self.open_high and low >= self.high or self.open_low and high <= self.low)


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a line: the value and the unit of the last digit of each entry (0 where it is exact)."""

    digits: int
    values: dict[Where, End]
    units: dict[Where, fmpq]
    coarse: bool = False

    def preimage(self, at: Where, habit: str, slack: fmpq = fmpq(0)) -> Preimage:
        """What prints as the entry; with `slack` also what prints as something so many units away."""
        value, unit = self.values[at], self.units[at]
        more = unit * slack
        if habit == "round" or unit == 0:
            return Preimage(value - unit / 2 - more, value + unit / 2 + more)
        if habit == "floor" or value > 0:
            return Preimage(value - more, value + unit + more, open_high=True)
        if value < 0:
            return Preimage(value - unit - more, value + more, open_low=True)
        return Preimage(-unit - more, unit + more, True, True)


def value(typed: Typed) -> End:
    """The number that stands there: exact, or a thin ball for a closed form."""
    if typed.infinite:
        return PLUS_INFINITY if typed.infinite > 0 else MINUS_INFINITY
    if typed.value is not None:
        return typed.value
    with ctx.workprec(192):
        return constant(typed.tree) if typed.tree is not None else arb.nan()


def readings(cells: dict[Where, Typed], asked: int | None, relative: fmpq = fmpq(0)) -> list[Reading]:
    """The ways to read a line, the likeliest first. `asked` is what the sheet asks for, `relative` a program's own error."""
    values = {at: value(typed) for at, typed in cells.items()}
    decimals = {at: typed.decimals for at, typed in cells.items() if typed.decimals is not None and not typed.infinite}
    longest = max(decimals.values(), default=0)
    wanted = longest if asked is None else max(asked, longest)

    def reading(digits: int, units: dict[Where, fmpq]) -> Reading:
        exact = {at: units.get(at, fmpq(0)) for at in cells}
        if relative:
            exact = {at: unit + relative * abs(values[at]) if at in units else unit for at, unit in exact.items()}
        return Reading(max(0, digits), values, exact, asked is not None and digits < asked)

    found = [reading(wanted, {at: _unit(wanted) for at in decimals})]
    if wanted > longest:
        found.append(reading(longest, {at: _unit(longest) for at in decimals}))
    if any(d != longest for d in decimals.values()):
        found.append(reading(longest, {at: _unit(d) for at, d in decimals.items()}))
    figures = {at: typed.significant for at, typed in cells.items() if at in decimals and typed.significant}
    if longest > 0 and figures:
        most = max(figures.values())
        places = {at: most - figures[at] + decimals[at] if at in figures else longest for at in decimals}
        if any(p != longest for p in places.values()):
            found.append(reading(longest, {at: _unit(p) for at, p in places.items()}))
    return found


def _unit(decimals: int) -> fmpq:
    power = fmpq(power_of_ten(abs(decimals)))
    return 1 / power if decimals >= 0 else power

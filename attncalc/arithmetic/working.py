"""How a hand keeps what it does not write down: digits and habits of exponentials, sums, means and constants."""

from __future__ import annotations

from math import floor, log10

from flint import fmpq

from ..records import dataclass
from .cells import ONE, ZERO, Cell, End, point
from .matrices import is_infinite
from .rounding import of_ball, of_rational, power_of_ten


@dataclass(frozen=True, slots=True)
class Working:
    """How values that are not written down are kept: to `digits` decimals and as many significant figures, or more.

    `habit` is what happens to the rest: `full` (nothing is dropped), `round`, `cut` (towards 0), `floor`, or `any` of these. With
    `shifted` the largest score of a row is subtracted before the exponentials (`any` habit: perhaps), and with `products` each
    product of a sum is kept so too.
    """

    digits: int = 0
    habit: str = "full"
    shifted: bool = False
    products: bool = False
    constants: int | None = None  # decimals of constants (√3), where they are rounded to so many, which is not legal

    def unit(self, low: End, high: End) -> fmpq:
        """The last place that is kept of a value between low and high."""
        size = max(abs(float(low)), abs(float(high)))
        if size == 0.0:
            return ZERO
        exponent = floor(log10(size) + 1e-9) if size < 1 else 0
        return 1 / fmpq(power_of_ten(max(self.digits, max(self.digits, 1) - 1 - exponent)))

    def kept(self, cell: Cell) -> Cell:
        """What the value may be once it is kept."""
        if self.habit == "full" or cell is None or is_infinite(cell[0]) or is_infinite(cell[1]):
            return cell
        low, high = cell
        unit = self.unit(low, high)
        if low is high and isinstance(low, fmpq) and (unit == 0 or (low / unit).denominator == 1):
            return cell  # it ends within these digits
        if self.habit == "any":
            return low - unit, high + unit
        if self.habit == "round":
            return low - unit / 2, high + unit / 2
        if self.habit == "floor":
            return low - unit, high
        return (low - unit if low >= 0 else low), (high + unit if high <= 0 else high)  # towards 0

    def share(self, low: End, high: End) -> End:
        """By what part of itself a positive value between low and high may change when it is kept, at most all of it."""
        if self.habit == "full":
            return ZERO
        unit = self.unit(high, high)
        change = unit / 2 if self.habit == "round" else unit
        return change / low if low > change else ONE


FULL = Working()


def to_decimals(cell: Cell, digits: int) -> Cell:
    """The decimal that a constant is rounded to."""
    if cell is None or is_infinite(cell[0]):
        return cell
    n = of_rational(cell[0], digits, "half_up") if isinstance(cell[0], fmpq) else of_ball(cell[0], digits, "half_up")
    return cell if n is None else point(fmpq(n) / power_of_ten(digits))

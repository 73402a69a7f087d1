"""Rounding modes, one row each; a new mode needs only a row here.

x is rounded to k decimals as sgn(x)·n/10ᵏ with n = ⌊10ᵏ·|x| + shift⌋; where the sum is itself a whole number, n is what
`tie` makes of it.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")


def keep_tie(n: T) -> T:
    """Return the integer at which a tie lies."""
    return n


class Mode(NamedTuple):
    """A rounding mode: its `shift` from 0 to 1, its `tie` (of integers, and of NumPy arrays of them), and its words
    in sentences.

    >>> MODES["half_even"].tie(3), MODES["half_even"].largest_error
    (2, Fraction(1, 2))
    """

    shift: Fraction
    tie: Callable[[Any], Any]
    words: str  # "to 2 decimals, half up"
    done: str  # "each step is rounded half up to 2 decimals"
    verb: str  # "0.125 rounds to 0.13"

    @property
    def largest_error(self) -> Fraction:
        """The largest rounding error, in units of the last decimal."""
        return max(self.shift, 1 - self.shift)

    @property
    def moves_ties(self) -> bool:
        """True if a tie may be rounded to another integer than the one at which it lies."""
        return self.tie is not keep_tie

    def keeps_tie(self, n: int) -> bool:
        """True if a tie at n is rounded to n."""
        return bool(self.tie(n) == n)


MODES = {
    "half_up": Mode(Fraction(1, 2), keep_tie, "half up", "rounded half up", "rounds to"),
    "half_even": Mode(Fraction(1, 2), lambda n: n - n % 2, "half to even", "rounded half to even", "rounds to"),
    "truncate": Mode(Fraction(0), keep_tie, "cut", "cut off", "truncates to"),
}

"""The rounding modes, one row each.

x is rounded to k decimals as sgn(x)·n/10ᵏ with n = ⌊10ᵏ·|x| + shift⌋. If 10ᵏ·|x| + shift is an integer, n is `tie` of
this integer.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")


def keep_tie(n: T) -> T:
    """Return the integer unchanged."""
    return n


class Mode(NamedTuple):
    """A rounding mode: `shift` from 0 to 1, the function `tie` for integers and NumPy arrays, and phrases for
    sentences.

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
        """True if the mode changes some integers at a tie."""
        return self.tie is not keep_tie

    def keeps_tie(self, n: int) -> bool:
        """Return whether a tie at the integer n is rounded to n."""
        return bool(self.tie(n) == n)


MODES = {
    "half_up": Mode(Fraction(1, 2), keep_tie, "half up", "rounded half up", "rounds to"),
    "half_even": Mode(Fraction(1, 2), lambda n: n - n % 2, "half to even", "rounded half to even", "rounds to"),
    "truncate": Mode(Fraction(0), keep_tie, "cut", "cut off", "truncates to"),
}

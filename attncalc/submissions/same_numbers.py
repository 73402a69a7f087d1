"""A comparison of two matrices of one chain, one exact and one rounded."""

from __future__ import annotations

from flint import arb, fmpq

from ..arithmetic.working_precision import working_precision
from .closed_form_numbers import ball
from .submission import Rows, Typed


def same_numbers(first: Rows, second: Rows) -> bool:
    """Return whether each entry of one matrix may be the entry of the other, rounded or truncated to its last digit. A
    blank may be anything.
    """
    if [len(row) for row in first] != [len(row) for row in second]:
        return False
    pairs = (pair for rows in zip(first, second, strict=True) for pair in zip(*rows, strict=True))
    with working_precision(128):
        return all(a is None or b is None or _same(a, b) for a, b in pairs)


def _same(a: Typed, b: Typed) -> bool:
    if a.infinite or b.infinite or a.word or b.word:
        return (a.infinite, a.word and a.text) == (b.infinite, b.word and b.text)
    if a.decimals == b.decimals and a.value is not None and b.value is not None:
        return bool(a.value == b.value)
    coarse, fine = (a, b) if a.decimals is not None and (b.decimals is None or a.decimals <= b.decimals) else (b, a)
    if coarse.decimals is None:
        return not abs(_ball(a) - _ball(b)) > 0
    unit, gap = arb(fmpq(1) / fmpq(10) ** coarse.decimals), _ball(fine) - _ball(coarse)
    is_rounded = not abs(gap) > unit / 2
    is_cut = not abs(gap) > unit and (not gap < 0 or not abs(_ball(fine)) < abs(_ball(coarse)))
    return is_rounded or is_cut


def _ball(typed: Typed) -> arb:
    return arb(typed.value) if typed.value is not None else ball(typed.tree)  # type: ignore[arg-type]

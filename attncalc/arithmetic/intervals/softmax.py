"""The softmax of scores that are intervals, worked as a hand may work it."""

from __future__ import annotations

from flint import arb, fmpq

from ..matrix_types import MINUS_INFINITY, is_infinite
from .intermediate_rounding import FULL, Working
from .scalar import ONE, ZERO, End, Interval, least, most, point


def weights(row: list[Interval], empty: str, working: Working) -> list[Interval]:
    """e^x/Σe^x: largest where its own score is high and all others low. Each exponential may be off by a share of
    itself.
    """
    if working is FULL and (found := _of_points(row)):
        return found
    hidden = [_hidden(cell) for cell in row]
    seen = [cell for cell, gone in zip(row, hidden, strict=True) if not gone] if any(hidden) else row
    if not seen:
        return [point(fmpq(1, len(row)) if empty == "uniform" else ZERO) if empty != "error" else None for _ in row]
    if any(cell is None or is_infinite(cell[0]) or is_infinite(cell[1]) for cell in seen):
        return [point(ZERO) if gone else (ZERO, ONE) for gone in hidden]
    equal = all(c is not None and c[0] is c[1] and isinstance(c[0], fmpq) and c[0] == seen[0][0] for c in seen)  # type: ignore[index]
    if len(seen) == 1 or equal and working.habit == "full":
        return [point(ZERO) if gone else point(fmpq(1, len(seen))) for gone in hidden]
    top = most([c[1] for c in seen if c])
    small = [arb(c[0] - top).exp() for c in seen if c]
    large = [ONE if c[1] is top else arb(c[1] - top).exp() for c in seen if c]
    changed = _changed(seen, small, large, top, working)
    low = [x * under for x, (under, _) in zip(small, changed, strict=True)]
    high = [x * over for x, (_, over) in zip(large, changed, strict=True)]
    all_low, all_high = sum(low[1:], low[0]), sum(high[1:], high[0])
    scales = [ONE] * (working.shifted or working.habit == "any") + [arb(top).exp()] * (not working.shifted)
    sums = [working.factors(all_low * scale, all_high * scale) for scale in scales]
    sum_under, sum_over = least([under for under, _ in sums]), most([over for _, over in sums])
    found = []
    for x, y in zip(low, high, strict=True):
        rest_high, rest_low = all_high - y, all_low - x
        above, below = (x + rest_high) * sum_over, (y + rest_low) * sum_under
        found.append((x / above if above > 0 else ZERO, least((y / below, 1 / sum_under)) if below > 0 else ONE))
    each = iter(found)
    return [point(ZERO) if gone else next(each) for gone in hidden]


def _of_points(row: list[Interval]) -> list[Interval]:
    """The weights of two known scores or more, not all equal, beside which some are hidden; nothing of other rows."""
    seen: list[End] = []
    for cell in row:
        if cell is None or cell[0] is not cell[1] and not _hidden(cell):
            return []
        if type(cell[1]) is not arb or cell[1].is_finite():
            seen.append(cell[1])
        elif not _hidden(cell):
            return []
    if len(seen) < 2 or all(type(x) is fmpq and x == seen[0] for x in seen):
        return []
    top = most(seen)
    shares = [ONE if x is top else arb(x - top).exp() for x in seen]
    whole = sum(shares[1:], shares[0])
    if len(shares) == len(row):
        return [point(x / whole) for x in shares]
    each = iter(shares)
    return [point(ZERO) if _hidden(cell) else point(next(each) / whole) for cell in row]


def _changed(
    seen: list[Interval], small: list[End], large: list[End], top: End, working: Working
) -> list[tuple[End, End]]:
    """How each exponential may change when it is kept: as it is, or with the largest score subtracted, which makes that
    one 1.
    """
    ways: list[list[tuple[End, End]]] = []
    if working.shifted or working.habit == "any":
        drift = arb(top - most([c[0] for c in seen if c])).exp()  # the largest score may lie below its upper end
        exact = [
            all(i == j or c and other and other[1] <= c[0] for j, other in enumerate(seen)) for i, c in enumerate(seen)
        ]
        ways.append(
            [
                (ONE, ONE) if one else working.factors(x, y * drift)
                for one, x, y in zip(exact, small, large, strict=True)
            ]
        )
    if not working.shifted:
        ways.append([working.factors(arb(c[0]).exp(), arb(c[1]).exp()) for c in seen if c])
    return [
        (least([under for under, _ in pairs]), most([over for _, over in pairs])) for pairs in zip(*ways, strict=True)
    ]


def _hidden(cell: Interval) -> bool:
    """Whether a score is −∞ for sure."""
    return cell is not None and isinstance(cell[1], arb) and bool(cell[1] == MINUS_INFINITY)

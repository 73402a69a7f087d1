"""What an accepted line may carry on, and when its acceptance says little: both from what the sheet's rules say, on
single entries.
"""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace

from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from attncalc.marking.legality import LegalDerivation, accept, carried
from attncalc.marking.precision import Reading
from tests.arithmetic.ends import holds
from tests.arithmetic.test_intermediate_rounding import inside, some_value, to_place
from tests.support.sweeps import for_each


def flint(x: Fraction | str) -> fmpq:
    x = Fraction(x)
    return fmpq(x.numerator, x.denominator)


def line(*entries: Fraction, digits: int, working: int) -> Reading:
    at = [(0, j) for j in range(len(entries))]
    return Reading(
        digits,
        dict(zip(at, map(flint, entries), strict=True)),
        dict.fromkeys(at, flint(Fraction(1, 10**digits))),
        working=working,
    )


@given(r=st.randoms(use_true_random=True), digits=st.integers(0, 3), more=st.integers(0, 2))
def test_a_line_carries_its_print_its_full_value_and_that_with_guard_digits(r, digits, more):
    """The full value may be rounded or cut to one more decimal than the line has, and to as many as are worked with."""
    low = some_value(r)
    high = low + r.choice((Fraction(0), Fraction(1, 10 ** (digits + 2)), Fraction(1, 10**digits)))
    full = inside(r, low, high)
    habit, tie = r.choice(("round", "cut", "floor")), r.choice(("up", "down", "even"))
    printed = to_place(full, digits, habit, tie)
    finer = max(digits + 1, digits + more) + r.choice((0, 0, 0, 1, 2))
    guarded = to_place(full, finer, r.choice(("round", "cut")), tie)
    found = carried(line(printed, digits=digits, working=digits + more), [[[(flint(low), flint(high))]]], False)
    boxes = found.boxes()
    for x in (printed, full, guarded):
        assert any(holds(box[0][0], x) for box in boxes), (full, printed, guarded, boxes)


@given(r=st.randoms(use_true_random=True), digits=st.integers(0, 3))
def test_a_line_carries_nothing_that_its_guard_digits_do_not_explain(r, digits):
    """Between its print and its enclosure, and a tenth of its unit beyond."""
    unit, full = Fraction(1, 10**digits), some_value(r)
    printed = to_place(full, digits, "round", "up")
    (box,) = carried(line(printed, digits=digits, working=digits), [[[(flint(full),) * 2]]], False).boxes()
    low, high = box[0][0]
    assert flint(min(full, printed) - unit / 10) <= low and high <= flint(max(full, printed) + unit / 10)


# two decimals: the entries, how much of the first one's place is open, whether the line says little
OPEN = [
    (["100"], "0.19", False), (["100"], "0.5", False), (["100"], "4.9", False), (["100"], "5.1", True),
    (["5"], "0.24", False), (["5"], "0.26", True), (["0.5"], "0.19", False), (["0.5"], "0.21", True),
    (["0.05"], "0.02", False), (["0.05"], "0.025", False), (["0.05"], "0.03", True), (["0.1"], "0.04", False),
    (["0.1"], "0.06", True),
    (["0.01"], "0.0199", False), (["0.01"], "0.02", False), (["0.01"], "0.021", True), (["0.05", "3"], "0.06", False),
    (["0.05", "3"], "0.2", True), (["0"], "0.021", True),
]  # fmt: skip


@for_each(("entries", "open_", "weak"), OPEN)
def test_a_line_is_weak_where_twenty_units_and_a_twentieth_of_its_size_are_open_or_two_units_and_half(
    entries, open_, weak
):
    reading = line(*map(Fraction, entries), digits=2, working=2)
    width = Fraction(open_)
    box = [
        [
            (flint(Fraction(x) - width / 2 * (not j)), flint(Fraction(x) + width / 2 * (not j)))
            for j, x in enumerate(entries)
        ]
    ]
    ways = SimpleNamespace(boxes=lambda working: [box], possible=lambda reading, working: [box])
    found = accept([reading], ways, False, False)
    assert isinstance(found, LegalDerivation) and found.weak == weak

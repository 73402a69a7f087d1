"""Keeping what is not written down: every legal way of keeping a value lies in what `IntermediateRounding` answers (docs: rules R1
and R3).

A value that is not written down keeps at least w decimals and at least w significant figures: it is rounded (with any
rule for ties), cut or taken down at some place at or behind both, or kept in full.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from random import Random

import pytest
from flint import arb, ctx, fmpq
from hypothesis import assume, example, given
from hypothesis import strategies as st

from attncalc.arithmetic.intervals import interval_evaluator
from attncalc.arithmetic.intervals.intermediate_rounding import FULL, IntermediateRounding, to_decimals
from attncalc.arithmetic.intervals.scalar import point
from attncalc.arithmetic.matrix_types import MINUS_INFINITY
from attncalc.formula import operations as op
from attncalc.formula import shape_rules as do
from attncalc.formula.elaboration import check
from attncalc.formula.operations import literal
from attncalc.formula.parser import parse
from attncalc.formula.typed_formula import Node
from tests.arithmetic import oracle
from tests.arithmetic.ends import ends, holds, width
from tests.support.laws import each_case
from tests.support.sweeps import for_each

HABITS = ("round", "cut", "floor")
BACK = Fraction(1, 10**9)  # room for the radius of a ball


def exponent(x: Fraction) -> int:
    """⌊log₁₀|x|⌋, exactly."""
    size, e = abs(x), 0
    while size >= 10:
        size, e = size / 10, e + 1
    while size < 1:
        size, e = size * 10, e - 1
    return e


def to_place(x: Fraction, places: int, habit: str, tie: str) -> Fraction:
    """x at so many decimals by a habit; `tie` is where a half goes."""
    scaled = x * 10**places
    down = math.floor(scaled)
    if habit == "floor":
        n = down
    elif habit == "cut":
        n = down if x >= 0 else math.ceil(scaled)
    else:
        rest = scaled - down
        up = {"up": x > 0, "down": False, "even": down % 2 == 1, "above": True}[tie]
        n = down + (rest > Fraction(1, 2) or rest == Fraction(1, 2) and up)
    return Fraction(n, 10**places)


def legally(r: Random, x: Fraction, digits: int, habit: str, figures: bool = True) -> Fraction:
    """One legal way to keep x."""
    places = digits
    if figures and x:
        places = max(digits, max(digits, 1) - 1 - exponent(x))
    how = r.choice(HABITS) if habit == "any" else habit
    extra = r.choice((0, 0, 1, 2, 5))
    return (
        x
        if habit == "full" or r.random() < 0.1
        else to_place(x, places + extra, how, r.choice(("up", "down", "even", "above")))
    )


def some_value(r: Random) -> Fraction:
    """Of any size, often with few decimals, so that ties and whole steps occur."""
    places = r.randint(0, 5)
    return Fraction(r.randint(-(10 ** r.randint(0, 6)), 10 ** r.randint(0, 6)), 10**places * r.choice((1, 1, 2, 3)))


def some_cell(r: Random) -> tuple[Fraction, Fraction]:
    low = some_value(r)
    return low, low + r.choice((0, 0, Fraction(1, 1000), Fraction(1, 10), abs(some_value(r))))


def as_cell(r: Random, low: Fraction, high: Fraction):
    ends_ = [fmpq(x.numerator, x.denominator) for x in (low, high)]
    if low == high and r.random() < 0.7:
        return point(ends_[0])
    return tuple(arb(x) if r.random() < 0.3 else x for x in ends_)


def inside(r: Random, low: Fraction, high: Fraction) -> Fraction:
    return low + (high - low) * r.choice((Fraction(0), Fraction(1), Fraction(r.randint(0, 64), 64)))


@pytest.mark.parametrize("habit", [*HABITS, "any", "full"])
@pytest.mark.parametrize("as_line", [False, True], ids=["figures", "line"])
@each_case()
@given(r=st.randoms(use_true_random=True), digits=st.integers(0, 4))
def test_every_legal_way_of_keeping_is_held(habit, as_line, r, digits):
    for _ in range(8):
        low, high = some_cell(r)
        cell = as_cell(r, low, high)
        kept = IntermediateRounding(digits, habit).keep(cell, as_line=as_line)
        for _ in range(4):
            v = legally(r, inside(r, low, high), digits, habit, figures=not as_line)
            assert holds(kept, v), (cell, kept, v)


@pytest.mark.parametrize("habit", [*HABITS, "any"])
@given(r=st.randoms(use_true_random=True), digits=st.integers(0, 4))
def test_keeping_moves_no_end_by_more_than_a_unit(habit, r, digits):
    low, high = some_cell(r)
    cell = as_cell(r, low, high)
    kept = IntermediateRounding(digits, habit).keep(cell)
    size = max(abs(low), abs(high))
    places = max(digits, max(digits, 1) - 1 - exponent(size)) if size else digits
    unit = Fraction(1, 10**places)
    moved = unit if habit != "round" else unit / 2
    assert ends(kept[0])[0] >= low - moved - BACK and ends(kept[1])[1] <= high + moved + BACK, (cell, kept)
    if habit == "floor":
        assert ends(kept[1])[1] <= high + BACK
    if habit == "cut":
        assert (
            abs(ends(kept[1])[1]) <= max(abs(low), abs(high)) + BACK
            and ends(kept[0])[0] >= min(low, -BACK) - unit * (low >= 0) - BACK
        )
    if low == high and (low / unit).denominator == 1 and cell[0] is cell[1] and isinstance(cell[0], fmpq):
        assert kept == cell  # it ends within these digits


@given(r=st.randoms(use_true_random=True), digits=st.integers(0, 4))
def test_cutting_goes_towards_zero_and_floor_down(r, digits):
    low, high = some_cell(r)
    assume(low != 0 and high != 0)
    cell = (fmpq(low.numerator, low.denominator), fmpq(high.numerator, high.denominator))
    below, above = (ends(x) for x in IntermediateRounding(digits, "cut").keep(cell))
    assert (below[0] <= low) and (above[1] >= high)
    assert below[0] == low if low < 0 else below[0] >= 0
    assert above[1] == high if high > 0 else above[1] <= 0
    down = IntermediateRounding(digits, "floor").keep(cell)
    assert ends(down[1])[1] == high


def kept_as_far(low: Fraction, high: Fraction, unit: Fraction, habit: str) -> tuple[Fraction, Fraction]:
    """How far keeping to a unit or finer may move the ends: to the multiple beside them, or where they are rounded to the
    nearest, or by a twentieth of the unit towards the multiple.
    """
    down, up = math.floor(low / unit) * unit, math.ceil(high / unit) * unit
    if habit == "round":
        nearest = math.ceil(low / unit - Fraction(1, 2)) * unit, math.floor(high / unit + Fraction(1, 2)) * unit
        return min(nearest[0], max(low - unit / 20, down)), max(nearest[1], min(high + unit / 20, up))
    if habit == "cut":
        return down if low >= 0 else low, up if high <= 0 else high
    return down, high if habit == "floor" else up


def places_of(low: Fraction, high: Fraction, digits: int) -> int:
    """The coarsest place that is kept of a value between two ends."""
    size = max(abs(low), abs(high))
    return max(digits, max(digits, 1) - 1 - exponent(size)) if size else digits


@pytest.mark.parametrize("habit", [*HABITS, "any"])
@pytest.mark.parametrize("as_line", [False, True], ids=["figures", "line"])
@each_case()
@given(r=st.randoms(use_true_random=True), digits=st.integers(0, 3))
def test_keeping_opens_a_cell_as_far_as_keeping_may_move_its_ends(habit, as_line, r, digits):
    """To the coarsest digits, at the ends; a ball that leaves the place open to either side of it."""
    for _ in range(12):
        tie = Fraction(r.randint(-30, 30), 2 * 10 ** r.randint(0, 4))
        low = r.choice((tie, tie, Fraction(10) ** r.randint(-4, 2), some_value(r)))
        high = low + r.choice((0, 0, Fraction(1, 20), Fraction(1, 2), Fraction(3)))
        unit = Fraction(1, 10 ** (digits if as_line else places_of(low, high, digits)))
        expected = kept_as_far(low, high, unit, habit)
        exact = [fmpq(x.numerator, x.denominator) for x in (low, high)]
        cell = point(exact[0]) if low == high else tuple(exact)
        kept = IntermediateRounding(digits, habit).keep(cell, as_line=as_line)
        assert tuple(ends(end)[0] for end in kept) == expected, (cell, kept)
        if (low / unit).denominator == 1 and low == high:
            assert kept[0] is kept[1]  # it ends within these digits
        radius = unit / 10**9
        moved = [kept_as_far(low + way * radius, high + way * radius, unit, habit) for way in (-1, 1)]
        with ctx.workprec(200):
            open_ = tuple(arb(x, float(radius)) for x in exact)
            below, above = (ends(end) for end in IntermediateRounding(digits, habit).keep(open_, as_line=as_line))
        if not as_line and low == high == 0:
            assert (below, above) == tuple(map(ends, open_))  # of no size there is no place
            continue
        least, most = min(x for x, _ in moved), max(x for _, x in moved)
        far = Fraction(0) if habit == "round" else unit  # something safely beyond
        assert least - far - 3 * radius <= below[0] <= least + 3 * radius, (low, high, below, least)
        assert most - 3 * radius <= above[1] <= most + far + 3 * radius, (low, high, above, most)


@given(n=st.integers(-40, 40), digits=st.integers(0, 3))
def test_a_certain_hand_takes_a_ball_for_the_multiple_or_the_tie_in_it(n, digits):
    """A sum of kept values ends within the digits: a ball around it is that number, and a tie is rounded up."""
    unit = Fraction(1, 10**digits)

    def kept(x: Fraction, habit: str):
        ball = arb(fmpq(x.numerator, x.denominator), 1e-12)
        return [
            ends(end)[0] for end in IntermediateRounding(digits, habit, exactly=True).keep((ball, ball), as_line=True)
        ]

    for habit in HABITS:
        assert kept(n * unit, habit) == [n * unit] * 2
    assert kept((n + Fraction(1, 2)) * unit, "round") == [(n + 1) * unit] * 2


def test_an_exact_ball_at_a_multiple_stays_there():
    cell = arb(fmpq(1, 2)), arb(fmpq(3, 2))
    assert [ends(end)[0] for end in IntermediateRounding(1, "any").keep(cell, as_line=True)] == [
        Fraction(1, 2),
        Fraction(3, 2),
    ]


@pytest.mark.parametrize("habit", [*HABITS, "any", "full"])
@each_case()
@given(r=st.randoms(use_true_random=True), digits=st.integers(0, 3))
def test_factors_are_those_of_the_ends_or_of_a_change_at_the_low_one(habit, r, digits):
    """Of a value between two ends: what the low one may become of the high one, or what one change takes from the
    least, whichever is nearer to 1.
    """
    for _ in range(8):
        low = r.choice(
            (
                Fraction(r.choice((1, 1, r.randint(1, 40))), 10 ** r.randint(0, 3)),
                abs(some_value(r)) + Fraction(1, 10**4),
            )
        )
        high = low + r.choice((Fraction(0), Fraction(0), Fraction(1, 1000), low, Fraction(3)))
        a, b = (fmpq(x.numerator, x.denominator) for x in (low, high))
        found = IntermediateRounding(digits, habit).factors(a, a if low == high else b)
        unit = Fraction(1, 10 ** places_of(high, high, digits))
        below, above = (low, high) if habit == "full" else kept_as_far(low, high, unit, habit)
        change = unit / 2 if habit == "round" else unit
        under = max(below / high, 1 - change / low if low > change else Fraction(0))
        over = min(above / low, 1 + change / low)
        expected = (1, 1) if habit == "full" else (under, 1 if habit in ("cut", "floor") else over)
        assert tuple(ends(x)[0] for x in found) == expected, (low, high, found)
    assert IntermediateRounding(digits, habit).factors(fmpq(0), fmpq(3))[1] == (
        1 if habit in ("cut", "floor", "full") else 2
    )


@pytest.mark.parametrize("habit", HABITS)
@given(r=st.randoms(use_true_random=True), digits=st.integers(0, 3))
def test_factors_of_a_certain_hand_lead_from_the_value_to_what_is_kept(habit, r, digits):
    low = abs(some_value(r)) + Fraction(1, 10**4)
    high = low + r.choice((Fraction(0), low, Fraction(3)))
    a, b = (fmpq(x.numerator, x.denominator) for x in (low, high))
    under, over = IntermediateRounding(digits, habit, exactly=True).factors(a, a if low == high else b)
    places = places_of(high, high, digits)
    kept = [to_place(x, places, habit, "above") for x in (low, high)]
    assert (ends(under)[0], ends(over)[0]) == (kept[0] / high, kept[1] / low)
    assert IntermediateRounding(digits, habit, exactly=True).factors(fmpq(0), b)[1] == (2 if habit == "round" else 1)


@given(low=st.integers(-90, 90), room=st.sampled_from([0, 1, 5, 12]), digits=st.integers(0, 2))
def test_an_interval_is_rounded_at_its_ends_and_at_a_tie_in_a_ball_it_goes_half_a_unit_out(low, room, digits):
    unit = Fraction(1, 10**digits)
    low, high = Fraction(low, 4) * unit, Fraction(low + room, 4) * unit
    exact = tuple(fmpq(x.numerator, x.denominator) for x in (low, high))
    found = to_decimals(exact, digits)
    assert [ends(x)[0] for x in found] == [oracle.rounded(x, digits, "half_up") for x in (low, high)]
    if not room:
        assert to_decimals(point(exact[0]), digits) == found
    for cell in (tuple(arb(x, 1e-12) for x in exact), point(arb(exact[0], 1e-12))):
        for k, end in enumerate(to_decimals(cell, digits)):
            x, way = ((low, high)[k] if cell[0] is not cell[1] else low), (-1, 1)[k]
            is_tie = (2 * x / unit).denominator == 1 and (x / unit).denominator != 1
            expected = x + way * unit / 2 if is_tie else oracle.rounded(x, digits, "half_up")
            assert abs(ends(end)[0] - expected) <= BACK, (x, end)
    assert to_decimals((MINUS_INFINITY, exact[0]), digits) == (MINUS_INFINITY, found[0])
    assert to_decimals((exact[0], -MINUS_INFINITY), digits) == (found[0], -MINUS_INFINITY)


@for_each("habit", [*HABITS, "any"])
def test_what_has_no_bound_or_is_infinite_stays_so(habit):
    for open_ in ((MINUS_INFINITY, fmpq(1, 3)), (fmpq(1, 3), -MINUS_INFINITY)):
        assert IntermediateRounding(1, habit).keep(open_) == open_
    working = IntermediateRounding(2, habit)
    hidden = point(MINUS_INFINITY)
    assert working.keep(None) is None and working.keep(hidden) == hidden
    assert working.keep(point(fmpq(0))) == point(fmpq(0))


@pytest.mark.parametrize("habit", [*HABITS, "any", "full"])
@given(r=st.randoms(use_true_random=True), digits=st.integers(0, 4))
def test_a_factor_holds_every_legal_way_of_keeping(habit, r, digits):
    low = abs(some_value(r)) + Fraction(1, 10**6) * r.randint(0, 5)
    assume(low > 0)
    high = low + r.choice((Fraction(0), Fraction(1, 100), low, Fraction(3)))
    a, b = (fmpq(x.numerator, x.denominator) for x in (low, high))
    if r.random() < 0.3:
        a, b = arb(a), arb(b)
    under, over = IntermediateRounding(digits, habit).factors(a, a if low == high else b)
    (least, _), (_, most) = ends(under), ends(over)
    for _ in range(6):
        v = inside(r, low, high)
        kept = legally(r, v, digits, habit)
        assert least * v <= kept + BACK and kept <= most * v + BACK, (low, high, v, kept, least, most)
    if habit in ("cut", "floor", "full"):
        assert most == 1
    if habit == "full":
        assert least == 1
    places = max(digits, max(digits, 1) - 1 - exponent(high))
    change = Fraction(1, 10**places) / (2 if habit == "round" else 1)
    if low == high and high > change:
        assert least >= 1 - change / low - BACK and most <= 1 + change / low + BACK


@given(r=st.randoms(use_true_random=True), digits=st.integers(0, 5))
def test_constants_are_rounded_half_up(r, digits):
    x = some_value(r)
    assert to_decimals(point(fmpq(x.numerator, x.denominator)), digits) == point(
        (lambda q: fmpq(q.numerator, q.denominator))(oracle.rounded(x, digits, "half_up"))
    )
    root = arb(abs(int(x)) + 2).sqrt()
    assert holds(
        to_decimals(point(root), digits),
        oracle.rounded(oracle.square_root(Fraction(abs(int(x)) + 2)), digits, "half_up"),
    )
    assert to_decimals(None, digits) is None and to_decimals(point(MINUS_INFINITY), digits) == point(MINUS_INFINITY)


@example(low=Fraction(1, 3), room=Fraction(1, 2), share=Fraction(1), digits=1, is_ball=False)
@given(
    low=st.fractions(-9, 9),
    room=st.fractions(0, 2),
    share=st.fractions(0, 1),
    digits=st.integers(0, 3),
    is_ball=st.booleans(),
)
def test_a_rounded_interval_holds_what_each_number_of_it_rounds_to(low, room, share, digits, is_ball):
    x = low + room * share
    ends_of = [fmpq(end.numerator, end.denominator) for end in (low, low + room)]
    rounded = to_decimals(tuple(map(arb, ends_of) if is_ball else ends_of), digits)
    assert holds(rounded, oracle.rounded(x, digits, "half_up"))


@given(st.integers(-99, 99), st.integers(0, 4))
def test_a_ball_at_a_tie_goes_half_a_unit_either_way(n, digits):
    unit = Fraction(1, 10**digits)
    tie = (n + Fraction(1, 2)) * unit
    ball = arb(fmpq(tie.numerator, tie.denominator), 1e-12)
    low, high = IntermediateRounding(digits, "round").keep((ball, ball), as_line=True)
    assert (
        tie - unit / 2 - BACK <= ends(low)[0] <= tie - unit / 2 + BACK
        and tie + unit / 2 - BACK <= ends(high)[1] <= tie + unit / 2 + BACK
    )


def test_products_are_kept_only_where_that_is_said():
    node = check(parse("A @ A.T"), lambda name, at: op.Ref(name, (1, 2), name=name))
    box = [[point(fmpq(1, 8)), point(fmpq(1, 3))]]
    exact = [[point(fmpq(1, 64) + fmpq(1, 9))]]
    assert interval_evaluator.evaluate(node, lambda key: box, IntermediateRounding(2, "round")) == exact
    assert interval_evaluator.evaluate(node, lambda key: box, IntermediateRounding(2, "round", products=True)) != exact
    wide = [[(fmpq(1, 8), fmpq(1, 3))] * 2]
    assert interval_evaluator.evaluate(node, lambda key: wide, IntermediateRounding(2, "round")) == [
        [(fmpq(1, 32), fmpq(2, 9))]
    ]


# -- hands at work: whole formulas with unwritten values ---------------------------------------------------------------

score = st.integers(-40, 40).map(lambda n: Fraction(n, 8))


def by_hand(r: Random, row: list[Fraction], digits: int, habit: str, shifted: bool) -> list[Fraction]:
    """A softmax as a hand works it: exponentials (after the largest score is taken away, or not) and their sum are kept
    by one habit.
    """
    top = max(row) if shifted else 0
    parts = [Fraction(1) if shifted and x == top else oracle.exactly(oracle.mp.exp(oracle.real(x - top))) for x in row]
    kept = [
        part if shifted and x == top else legally(r, part, digits, habit) for part, x in zip(parts, row, strict=True)
    ]
    total = legally(r, sum(kept), digits, habit) if len(kept) > 1 else kept[0]
    return [x / total for x in kept] if total else []


@pytest.mark.parametrize("habit", [*HABITS, "any", "full"])
@pytest.mark.parametrize("shifted", [False, True], ids=["plain", "shifted"])
@each_case()
@given(
    r=st.randoms(use_true_random=True),
    digits=st.integers(1, 4),
    row=st.lists(score, min_size=1, max_size=4),
    room=st.sampled_from([0, 1]),
)
def test_weights_hold_every_legal_way_of_working(habit, shifted, r, digits, row, room):
    widths = [Fraction(r.randint(0, 4), 16) * room for _ in row]
    box = [[(fmpq(x.numerator, x.denominator),
            fmpq((x + w).numerator, (x + w).denominator)) if w else point(fmpq(x.numerator, x.denominator))
            for x, w in zip(row, widths, strict=True)]]  # fmt: skip
    scores = [inside(r, x, x + w) for x, w in zip(row, widths, strict=True)]
    hand = by_hand(r, scores, digits, habit, shifted or habit == "any" and r.random() < 0.5)
    node = do.softmax(op.Ref("S", (1, len(row))), "rows", "error")
    found = interval_evaluator.evaluate(node, lambda key: box, IntermediateRounding(digits, habit, shifted))
    for cell, weight in zip(found[0], hand, strict=bool(hand)):
        assert ends(cell[0])[0] <= weight + BACK and weight - BACK <= ends(cell[1])[1], (box, found, hand)


@given(r=st.randoms(use_true_random=True), digits=st.integers(2, 4), row=st.lists(score, min_size=2, max_size=4))
def test_full_working_is_inside_every_habit_and_each_inside_any(r, digits, row):
    box = [[point(fmpq(x.numerator, x.denominator)) for x in row]]
    node = do.softmax(op.Ref("S", (1, len(row))), "rows", "error")

    def weights(working):
        return interval_evaluator.evaluate(node, lambda key: box, working)[0]

    fattest = weights(IntermediateRounding(digits, "any"))
    full = weights(FULL)
    for habit, shifted in itertools.product(HABITS, (False, True)):
        for inner, middle, outer in zip(
            full, weights(IntermediateRounding(digits, habit, shifted)), fattest, strict=True
        ):
            for a, b in ((inner, middle), (middle, outer)):
                assert ends(b[0])[0] <= ends(a[0])[1] + BACK and ends(a[1])[0] <= ends(b[1])[1] + BACK
    for cell in fattest:
        assert width(cell) <= 1 and ends(cell[0])[0] >= 0


def change(x: Fraction, digits: int, habit: str) -> Fraction:
    """How far keeping may move a value: half a unit of its last place where it is rounded, else one."""
    places = max(digits, max(digits, 1) - 1 - exponent(x)) if x else digits
    return Fraction(1, 10**places) / (2 if habit == "round" else 1)


def widest(row: list[Fraction], digits: int, habit: str, shifted: bool) -> list[tuple[Fraction, Fraction]]:
    """The least and the largest weights where each exponential and the sum are off by as much as keeping may change
    them.
    """
    top = max(row)
    parts = [oracle.exactly(oracle.mp.exp(oracle.real(x - top if shifted else x))) for x in row]
    room = [
        Fraction(0) if shifted and x == top and row.count(top) == 1 else change(e, digits, habit)
        for x, e in zip(row, parts, strict=True)
    ]
    lows, highs = (
        [e - c for e, c in zip(parts, room, strict=True)],
        [e + c * (habit in ("round", "any")) for e, c in zip(parts, room, strict=True)],
    )
    moved = change(sum(highs), digits, habit) / sum(lows)
    under, over = 1 - moved, 1 + moved * (habit in ("round", "any"))
    found = []
    for low, high in zip(lows, highs, strict=True):
        found.append((low / (low + sum(highs) - high) / over, high / (high + sum(lows) - low) / under))
    return found


@pytest.mark.parametrize("habit", [*HABITS, "any"])
@pytest.mark.parametrize("shifted", [False, True], ids=["plain", "shifted"])
@each_case()
@given(r=st.randoms(use_true_random=True), digits=st.integers(2, 4), row=st.lists(score, min_size=2, max_size=4))
def test_weights_are_no_wider_than_one_unit_of_each_value(habit, shifted, r, digits, row):
    row = [x / 4 for x in row]
    box = [[point(fmpq(x.numerator, x.denominator)) for x in row]]
    node = do.softmax(op.Ref("S", (1, len(row))), "rows", "error")
    found = interval_evaluator.evaluate(node, lambda key: box, IntermediateRounding(digits, habit, shifted))[0]
    ways = [
        widest(row, digits, habit, way) for way in ((True, False) if habit == "any" and not shifted else (shifted,))
    ]
    for cell, *bounds in zip(found, *ways, strict=True):
        least, most = min(low for low, _ in bounds), max(high for _, high in bounds)
        if len(bounds) > 1:  # parts kept in one way may come with the sum that is kept in the other
            room = (most - least) * Fraction(1, 4)
            least, most = least - room, most + room
        assert ends(cell[0])[0] >= least - BACK and ends(cell[1])[1] <= most + BACK, (
            row,
            cell,
            float(least),
            float(most),
        )


# -- one certain hand --------------------------------------------------------------------------------------------------


def certainly(x: Fraction, digits: int, habit: str) -> Fraction:
    """x kept to just so many digits, half up where it is rounded."""
    return (
        x
        if habit == "full"
        else to_place(x, max(digits, max(digits, 1) - 1 - exponent(x)) if x else digits, habit, "above")
    )


@pytest.mark.parametrize("habit", [*HABITS, "full"])
@given(r=st.randoms(use_true_random=True), digits=st.integers(0, 4))
def test_a_certain_hand_keeps_one_value(habit, r, digits):
    x = some_value(r)
    found = IntermediateRounding(digits, habit, exactly=True).keep(point(fmpq(x.numerator, x.denominator)))
    expected = certainly(x, digits, habit)
    assert [ends(end) for end in found] == [(expected, expected)] * 2
    low, high = sorted((x, some_value(r)))
    places = max(digits, max(digits, 1) - 1 - exponent(max(abs(low), abs(high)))) if low or high else digits
    kept = IntermediateRounding(digits, habit, exactly=True).keep(
        (fmpq(low.numerator, low.denominator), fmpq(high.numerator, high.denominator))
    )
    bounds = (
        (low, high)
        if habit == "full"
        else (to_place(low, places, habit, "above"), to_place(high, places, habit, "above"))
    )
    assert (ends(kept[0])[0], ends(kept[1])[1]) == bounds


@pytest.mark.parametrize("habit", [*HABITS, "full"])
@pytest.mark.parametrize("shifted", [False, True], ids=["plain", "shifted"])
@each_case()
@given(digits=st.integers(2, 4), row=st.lists(score, min_size=2, max_size=4))
def test_the_weights_of_a_certain_hand(habit, shifted, digits, row):
    top = max(row) if shifted else 0
    parts = [certainly(oracle.exactly(oracle.mp.exp(oracle.real(x - top))), digits, habit) for x in row]
    total = certainly(sum(parts), digits, habit)
    box = [[point(fmpq(x.numerator, x.denominator)) for x in row]]
    node = do.softmax(op.Ref("S", (1, len(row))), "rows", "error")
    found = interval_evaluator.evaluate(
        node, lambda key: box, IntermediateRounding(digits, habit, shifted, exactly=True)
    )[0]
    for cell, part in zip(found, parts, strict=True):
        assert holds((cell[0] - fmpq(1, 10**9), cell[1] + fmpq(1, 10**9)), part / total), (cell, float(part / total))
        assert width(cell) < BACK, (row, cell, float(part / total))


FORMULAS = (
    "(A + B) * 2",
    "A @ B.T / sqrt(3)",
    "(A - row_mean(A)) / sqrt(row_var(A) + 1)",
    "exp(A) + 1",
    "row_sum(A * B) / 3",
    "-(A / 3) @ B.T",
)


def hand(node: Node, values, r: Random, digits: int, habit: str, products: bool):
    """The oracle's evaluation with every unwritten value kept; what only arranges values is not kept."""
    if node.word == "ref":
        return values[node.key]
    arguments = []
    for a in node.args:
        found = hand(a, values, r, digits, habit, products)
        if a.word not in ("ref", "literal", "neg", "transpose"):
            found = [
                [legally(r, x if isinstance(x, Fraction) else oracle.exactly(x), digits, habit) for x in row]
                for row in found
            ]
        arguments.append(found)
    if node.word == "matmul" and products:
        columns = list(zip(*arguments[1], strict=True))
        return [
            [sum(legally(r, x * y, digits, habit) for x, y in zip(row, column, strict=True)) for column in columns]
            for row in arguments[0]
        ]
    return oracle.MEANING[node.word](node, *arguments)


@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize("habit", [*HABITS, "any"])
@each_case()
@given(r=st.randoms(use_true_random=True), digits=st.integers(1, 3), products=st.booleans())
def test_a_formula_holds_what_any_legal_hand_comes_to(formula, habit, r, digits, products):
    m = r.randint(1, 3)
    values = {name: [[Fraction(r.randint(-30, 30), 10) for _ in range(m)] for _ in range(2)] for name in ("A", "B")}
    box = {
        name: [[point(fmpq(x.numerator, x.denominator)) for x in row] for row in rows] for name, rows in values.items()
    }
    node = check(parse(formula), lambda name, at: op.Ref(name, (2, m), name=name))
    found = interval_evaluator.evaluate(node, box.__getitem__, IntermediateRounding(digits, habit, products=products))
    for cell, value in zip(
        itertools.chain(*found), itertools.chain(*hand(node, values, r, digits, habit, products)), strict=True
    ):
        assert cell is None or holds((cell[0] - fmpq(1, 10**9), cell[1] + fmpq(1, 10**9)), value), (values, found)


def test_a_rounded_constant_stands_for_its_value():
    node = check(parse("A / sqrt(3)"), lambda name, at: op.Ref(name, (1, 1), name=name))
    one = literal(((Fraction(1),),))
    found = interval_evaluator.evaluate(
        node, lambda key: [[point(fmpq(1))]], IntermediateRounding(2, "full", constants=1)
    )
    assert found == [[point(1 / fmpq(17, 10))]] and one.size == 1

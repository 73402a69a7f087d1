"""The rules of marking, each by itself: what prints as an entry, how a line is read, what is accepted, and what a
verdict earns.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import ROUND_DOWN, ROUND_FLOOR, ROUND_HALF_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx, fmpq
from hypothesis import assume, given
from hypothesis import strategies as st

from attncalc import check, load
from attncalc.arithmetic.intervals.intermediate_rounding import FLOATS, FULL, IntermediateRounding
from attncalc.arithmetic.matrix_types import MINUS_INFINITY, PLUS_INFINITY
from attncalc.errors import Location
from attncalc.explain.report_messages import reason_text
from attncalc.marking.context import Line, _widened
from attncalc.marking.credit import MOSTLY, Mark, Reason, answered, asked_cells, because, by_rubric, mark, points_of
from attncalc.marking.expected_values import middle
from attncalc.marking.legality import (
    Carried,
    LegalDerivation,
    Refutation,
    accept,
    carried,
    enclosure_after_wrong_line,
    entry_is_compatible,
    incompatible_entries,
    provably_differ,
    rounding_schemes,
    widest_rounding,
)
from attncalc.marking.masked_entries import is_softmax, softmax_axes, with_masked_cells
from attncalc.marking.precision import HABITS, Preimage, Reading, as_exact, readings, value
from attncalc.step_values import Values
from attncalc.submissions.located_text import Written
from attncalc.submissions.number_parser import entry
from attncalc.submissions.step_matching import Bound, Filled
from attncalc.submissions.submission import Typed
from tests.support.decimal_modes import DECIMAL_MODES
from tests.support.sweeps import for_each

EXACT = Context(prec=60)
PRINTS = {"round": (ROUND_HALF_UP, ROUND_HALF_DOWN, ROUND_HALF_EVEN), "cut": (ROUND_DOWN,), "floor": (ROUND_FLOOR,)}
HIDDEN = (MINUS_INFINITY, MINUS_INFINITY)


def flint(x) -> fmpq:
    x = Fraction(x)
    return fmpq(x.numerator, x.denominator)


def point(x) -> tuple:
    return (flint(x),) * 2


def typed(text: str) -> Typed:
    found = entry(Written(text, lambda k: Location()))
    assert found is not None
    return found


def line_of(*texts: str, digits: int, units: list | None = None, **more) -> Reading:
    units = units or [Fraction(1, 10**digits)] * len(texts)
    at = [(0, j) for j in range(len(texts))]
    values = [MINUS_INFINITY if text == "-inf" else PLUS_INFINITY if text == "inf" else flint(text) for text in texts]
    return Reading(digits, dict(zip(at, values)), dict(zip(at, map(flint, units))), **{"working": digits, **more})


def test_a_whole_number_with_a_point_in_a_programs_print_is_that_number_and_not_too_coarse():
    cells = {(0, 0): typed("3."), (0, 1): typed("-1.")}
    first, *_ = readings(cells, 2, "float32")
    assert first.program is FLOATS["float32"] and not first.coarse
    assert all(unit < fmpq(1, 10**5) for unit in first.units.values())


# -- what prints as an entry -------------------------------------------------------------------------------------------


def printed(x: Fraction, digits: int, habit: str) -> set[Fraction]:
    exact = EXACT.divide(Decimal(x.numerator), Decimal(x.denominator))
    return {Fraction(exact.quantize(Decimal(1).scaleb(-digits), rounding=way, context=EXACT)) for way in PRINTS[habit]}


@pytest.mark.parametrize("habit", HABITS)
@given(r=st.randoms(use_true_random=True), digits=st.integers(0, 3), steps=st.integers(0, 2))
def test_what_prints_as_an_entry_is_not_refused_and_nothing_else(habit, r, digits, steps):
    unit = Fraction(1, 10**digits)
    entry_ = r.choice((0, 0, r.randint(-12, 12))) * unit
    x = (
        entry_
        + Fraction(r.choice((-4, -2, 0, 2, 4, r.randint(-16, 16))), 4) * r.choice((1, steps + 1)) * unit
        + r.choice((0, 0, 1, -1)) * unit / 1000
    )
    preimage = line_of(str(entry_), digits=digits).preimage((0, 0), habit, fmpq(steps))
    near = any(abs(one - entry_) <= steps * unit for one in printed(x, digits, habit))
    if steps and 0 < abs(entry_) <= steps * unit and habit == "cut":
        return  # of cuts around 0 the neighbours overlap
    assert preimage.refuses(point(x)) == (not near), (entry_, x)
    reading = line_of(str(entry_), digits=digits)  # asked for the one, then for the other
    assert reading.preimage((0, 0), habit) == line_of(str(entry_), digits=digits).preimage((0, 0), habit)
    assert reading.preimage((0, 0), habit, fmpq(steps)) == preimage


@for_each("steps", [0, 1, 2])
@for_each("habit", HABITS)
def test_what_prints_as_something_so_many_units_away_is_not_refused_and_nothing_else(habit, steps):
    for entry_ in (-5, 5):
        for x in (Fraction(n, 4) for n in range(-36, 37)):
            near = any(abs(one - entry_) <= steps for one in printed(x, 0, habit))
            assert line_of(str(entry_), digits=0).preimage((0, 0), habit, fmpq(steps)).refuses(point(x)) == (not near)


@for_each("habit", HABITS)
@for_each("text", ["0.3", "-0.3", "0"])
def test_a_weight_may_have_been_a_hair_below_what_its_cut_shows(habit, text):
    """A calculator's 0.3999999999 is cut to 0.3 where 0.4 is meant; cut below 0 a number is moved towards 0."""
    before, next_ = (flint(Fraction(text) + Fraction(side, 10)) for side in (-1, 1))
    for weights in (False, True):
        assert line_of(text, digits=1, weights=weights).preimage((0, 0), habit).refuses((before, before))
        refuses = line_of(text, digits=1, weights=weights).preimage((0, 0), habit).refuses((next_, next_))
        assert refuses == (habit == "round" or not weights or habit == "cut" and Fraction(text) <= 0)


@given(r=st.randoms(use_true_random=True))
def test_an_interval_is_refused_where_it_misses(r):
    """An end that is left out refuses an interval that only touches it; a ball that may reach does not."""
    (a, b), (c, d) = (sorted((r.randint(0, 5), r.randint(0, 5))) for _ in range(2))
    low, high = r.random() < 0.5, r.random() < 0.5
    found = Preimage(fmpq(a), fmpq(b), low, high).refuses((fmpq(c), fmpq(d)))
    misses = d < a or c > b or (low and d <= a) or (high and c >= b)
    assert found == misses
    assert not Preimage(fmpq(a), fmpq(b), low, high).refuses((arb(b, 0.5), arb(b + 1)))
    assert not Preimage(fmpq(a), fmpq(b), low, high).refuses(None)


# -- how a line is read ------------------------------------------------------------------------------------------------

U = [Fraction(10) ** -k for k in range(20)]
# entries, the digits that are asked, then each reading: digits, units, coarse, working digits
READINGS = [
    (["0.50", "0.25"], 2, [(2, [U[2], U[2]], False, 2)]),
    (["0.5", "0.25"], 2, [(2, [U[2], U[2]], False, 2), (2, [U[1], U[2]], True, 2)]),
    (["0.5", "0.25"], None, [(2, [U[2], U[2]], False, 2), (2, [U[1], U[2]], False, 2)]),
    (["0.5", "0.3"], 2, [(2, [U[2], U[2]], False, 2), (1, [U[1], U[1]], True, 2)]),
    (["1", "3"], 2, [(2, [U[2], U[2]], False, 2), (0, [1, 1], True, 2)]), (["1", "3"], None, [(0, [1, 1], False, 1)]),
    (["1", "3"], 0, [(0, [1, 1], False, 0)]), (["1/3", "0.25"], 2, [(2, [0, U[2]], False, 2)]),
    (["1/3"], 2, [(2, [0], False, 2), (0, [0], True, 2)]),
    (["0.1234", "0.5"], 2, [(4, [U[4], U[4]], False, 4), (4, [U[4], U[1]], True, 4)]),
    (["12.34", "0.1234"], None, [(4, [U[4], U[4]], False, 4), (4, [U[2], U[4]], False, 4),
     (4, [U[2], U[4]], False, 4)]),
    (["0.250"], 2, [(2, [U[2]], False, 2)]), (["0.251"], 2, [(3, [U[3]], False, 3)]),
    (["0.250"], None, [(3, [U[3]], False, 3)]),
    (["1.5e3", "2"], None, [(0, [1, 1], False, 1), (0, [100, 1], False, 1)]),
    (["1.500e3", "2"], None, [(0, [1, 1], False, 1), (0, [100, 1], False, 1)]),
    (["-inf", "0.5"], 1, [(1, [0, U[1]], False, 1)]),
    (["0.5", "123.4"], None, [(1, [U[1], U[1]], False, 1), (1, [U[4], U[1]], False, 1)]),
    (["0.00", "12.34"], 1, [(2, [U[2], U[2]], False, 2)]), (["0.0", "12.34"], None, [(2, [U[2], U[2]], False, 2)]),
    (["0.000e+00", "0.5"], None, [(1, [U[1], U[1]], False, 1)]),
    (["0.250", "12.34"], 2, [(2, [U[2], U[2]], False, 2), (2, [U[4], U[2]], False, 2)]),
    (["9.000e-04", "0.5"], 4, [(4, [U[4], U[4]], False, 4), (4, [U[4], U[1]], True, 4), (4, [U[4], U[1]], False, 4)]),
]  # fmt: skip


@for_each(("texts", "asked", "expected"), READINGS, ids=[f"{' '.join(t)} for {a}" for t, a, _ in READINGS])
def test_a_line_is_read_in_each_way_that_its_digits_allow(texts, asked, expected):
    found = readings({(0, j): typed(text) for j, text in enumerate(texts)}, asked)
    assert [(one.digits, [one.units[0, j] for j in range(len(texts))], one.coarse, one.working) for one in found] == [
        (digits, list(map(flint, units)), coarse, working) for digits, units, coarse, working in expected
    ]


@given(st.sampled_from(["0", "1", "-1", "0.1", "-0.1", "0.0", "2", "-3"]), st.integers(-300, 300))
def test_law_a_short_entry_beside_a_long_one_keeps_a_figure_of_its_number(text, hundredths):
    """1 is no 0.54, and 0 is no 0.04, in a line of two decimals."""
    x = fmpq(hundredths, 100)
    found = readings({(0, 0): typed(text), (0, 1): typed("0.84")}, 2)
    holds = any(not r.preimage((0, 0), habit).refuses((x, x)) for r in found for habit in HABITS)
    assert not holds or x == fmpq(Fraction(text).numerator, Fraction(text).denominator) or abs(x) * 100 >= 94


@for_each(("text", "name"), [
    ("0.33333333333", ""), ("0.333333333333", "float64"), ("0.3333333333333333", "float64"), ("0.333333", ""),
    ("0.3333333", "float32"),
    ("0.333333333", "float32"), ("0.3333333333", ""), ("333333333333", ""), ("3333333", ""), ("0.3333330", ""),
    ("333333.3", "float32"), ("33333333333.3", "float64"),
])  # fmt: skip
def test_digits_tell_a_program(text, name):
    """Twelve or more are a float64's, seven to nine a float32's; of whole numbers nothing is told."""
    (first, *others) = readings({(0, 0): typed(text)}, 2)
    assert first.program is FLOATS.get(name if text != "0.3333330" else "float32")
    assert not any(one.program for one in others)
    if first.program:
        places = len(text.partition(".")[2])
        assert first.units[0, 0] == fmpq(1, 10**places) + 2 * first.program.relative * abs(first.values[0, 0])
        assert first.habits == ("round",) and not first.has_coarse_entries


@given(st.floats(0.0009765625, 1000, width=32, exclude_min=True), st.sampled_from([15, 16, 17]))
def test_law_a_float32_s_number_is_one_in_as_many_digits_as_are_shown(x, digits):
    """A number between two of them is a float64's: a quarter of the way."""
    assume(len(f"{x:.15g}") > 13)
    beside = np.nextafter(np.float32(x), np.float32(2000))
    for number_, name in ((x, "float32"), (x + (float(beside) - x) / 4, "float64")):
        first, *_ = readings({(0, 0): typed(f"{number_:.{digits}g}"), (0, 1): typed("-inf")}, 2)
        assert first.program is FLOATS[name]


@given(st.floats(0.5, 1, width=32), st.integers(7, 9))
def test_law_a_small_number_of_a_float32_is_one_in_the_few_digits_that_are_left_of_it(x, zeros):
    texts = [f"{number_:.15f}" for number_ in (float(np.float32(1.1)), float(np.float32(x * 10.0**-zeros)))]
    first, *_ = readings({(0, j): typed(text) for j, text in enumerate(texts)}, 2)
    assert first.program is FLOATS["float32"]


@for_each(("texts", "name"), [
    ("1.10000002384186 0", "float32"), ("1.10000002384186 1/4", "float32"), ("1.10000002384186 1/3", "float64"),
    ("1.10000002384 0", "float32"), ("1.10000002385 0", "float64"), ("1.10000002384186 sqrt(2)", "float64"), ("1.10000002384186 inf", "float32"), ("1.1000000000001 0", "float64"),
])  # fmt: skip
def test_a_line_is_a_float32_s_where_each_of_its_numbers_is(texts, name):
    first, *_ = readings({(0, j): typed(text) for j, text in enumerate(texts.split())}, 2)
    assert first.program is FLOATS[name]
    assert texts.endswith(" 0") or first.units[0, 1] == 0  # what is exact is not off


@for_each(("texts", "name"), [
    ("1 1e-45", "float32"), ("0 -1e-45", "float32"), ("1 7e-46", ""), ("1 1.1e-38", "float32"), ("1 1.2e-38", ""),
    ("0 5e-324", "float64"), ("0 2e-308", "float64"), ("0 3e-308", ""), ("0.5 0", ""), ("sqrt(2) 1e-45", "float32"),
])  # fmt: skip
def test_no_hand_writes_the_least_numbers_of_a_program(texts, name):
    """NumPy shows the least of a float32, 1.4e-45, as 1e-45."""
    first, *_ = readings({(0, j): typed(text) for j, text in enumerate(texts.split())}, 2)
    assert first.program is FLOATS.get(name)


def test_no_entry_of_a_program_s_print_has_more_decimals_than_its_longest():
    first, *_ = readings({(0, j): typed(text) for j, text in enumerate(("0.333333333333", "0.05", "0"))}, 2)
    error = 2 * FLOATS["float64"].relative
    assert first.units == {
        (0, j): flint(U[12]) + error * flint(x) for j, x in enumerate(("0.333333333333", "0.05", "0"))
    }


def test_a_line_is_a_program_s_where_it_is_said():
    for asked, unit in ((1, "0.1"), (2, "0.000000001")):  # where more is asked, 0.5 is all there is of it
        first, *_ = readings({(0, 0): typed("0.5")}, asked, "float32")
        assert first.program is FLOATS["float32"] and first.units[0, 0] == flint(unit) + first.program.relative
    for texts, unit in (("3 4", 1), ("3. 4", 1), ("3. 4.", "0.000000001"), ("3. -inf", "0.000000001")):
        first, *_ = readings({(0, j): typed(text) for j, text in enumerate(texts.split())}, 2, "float32")
        assert first.units[0, 0] == flint(unit) + 6 * first.program.relative  # a point alone says that it is whole
    plain = as_exact(first)
    assert (
        plain.program is None
        and set(plain.units.values()) == {fmpq(0)}
        and not plain.coarse
        and plain.values == first.values
    )


def test_the_number_that_stands_there():
    assert value(typed("0.25")) == fmpq(1, 4) and value(typed("-1/3")) == fmpq(-1, 3)
    assert value(typed("inf")) is PLUS_INFINITY and value(typed("-inf")) is MINUS_INFINITY
    root = value(typed("sqrt(2)/2"))
    with ctx.workprec(160):
        assert abs(root - arb(2).sqrt() / 2) < arb(10) ** -45 and root.rad() < arb(10) ** -45
    assert value(Typed("?")).is_nan()


@for_each(
    ("units", "working", "splits"),
    [([U[2]], 2, False), ([U[1]], 2, True), ([U[2], U[1]], 2, True), ([1], 0, False), ([0], 2, False)],
)
def test_a_line_splits_where_an_entry_is_coarser_than_the_working(units, working, splits):
    assert line_of(*["1"] * len(units), digits=1, units=units, working=working).has_coarse_entries == splits


# -- what is accepted --------------------------------------------------------------------------------------------------


def test_ways_of_working():
    plain = [("round", False, False), ("cut", False, False), ("floor", False, False)]
    both = [(habit, shifted, False) for habit, _, _ in plain for shifted in (False, True)]
    products = [(habit, shifted, True) for habit, shifted, _ in both]
    for exponentials, with_products, expected in (
        (False, False, plain), (True, False, both), (True, True, both + products),
        (False, True, plain + [p for p in products if not p[1]])
    ):  # fmt: skip
        first, *found = rounding_schemes(line_of("1", digits=3), exponentials, with_products)
        assert (
            first is FULL
            and [(w.habit, w.shifted, w.products) for w in found] == expected
            and {w.digits for w in found} == {3}
        )
    program = FLOATS["float32"]
    assert list(rounding_schemes(line_of("1", digits=2, program=program), True, True)) == [
        IntermediateRounding(program=program)
    ]
    reading = line_of("1", digits=2)
    assert widest_rounding(reading, True) == IntermediateRounding(2, "any", products=True) and widest_rounding(
        reading, False
    ) == IntermediateRounding(2, "any")
    assert widest_rounding(line_of("1", digits=2, program=FLOATS["float32"]), True) == IntermediateRounding(
        program=FLOATS["float32"]
    )


# entry, its unit, the cell, whether it fits when rounded
FITS = [
    ("-inf", 1, HIDDEN, True), ("inf", 1, HIDDEN, False), ("-999", 1, HIDDEN, False), ("-1000", 1, HIDDEN, True),
    ("-99999", 1, HIDDEN, True),
    ("1000", 1, (PLUS_INFINITY,) * 2, False), ("-1000", 1, (PLUS_INFINITY,) * 2, False),
    ("inf", 1, (PLUS_INFINITY,) * 2, True),
    ("-inf", 1, None, True), ("-inf", 1, (MINUS_INFINITY, fmpq(2)), True), ("inf", 1, (MINUS_INFINITY, fmpq(2)), False),
    ("inf", 1, (fmpq(2), PLUS_INFINITY), True),
    ("5", 1, None, True), ("5", 1, point(5), True), ("5", 1, point(6), False),
    ("40", 10, point(40), True), ("40", 10, (fmpq(43), fmpq(44)), True), ("4", 1, point("4.4"), True),
    ("3", 1, point("3.5"), True),
]  # fmt: skip


@for_each(("text", "unit", "cell", "fit"), FITS)
def test_an_entry_fits_a_cell(text, unit, cell, fit):
    reading = line_of(text, digits=0, units=[unit])
    assert entry_is_compatible(reading, "round", [[cell]], (0, 0)) == fit
    assert incompatible_entries(reading, "round", [[cell]]) == ([] if fit else [(0, 0)])


# a score typed for −∞, its row and its column, along which lines weights are taken; 2 · 10² · e^t is 1 at −5.298
LOW = [
    ("-5.2", [0], [], ("rows",), False), ("-5.4", [0], [], ("rows",), True), ("-999", [-1000], [], ("rows",), False),
    ("-1", [-7], [], ("rows",), False),
    ("-5.4", [9, 0], [], ("rows",), True), ("-5.4", [None, 0], [], ("rows",), True),
    ("-5.4", [0], [-9], ("rows",), True), ("-5.4", [-9], [0], ("columns",), True),
    ("-5.2", [0], [], (), False), ("-5.4", [0], [], (), False), ("-999", [0], [], (), False),
    ("-5.4", [], [], ("rows",), False), ("-1000", [-1000], [], ("rows",), True),
    # of an enclosure the lower end; what may be −∞ itself is no largest score, and of a line without one nothing is asked
    ("-5.2", ["0..0.2"], [], ("rows",), False), ("-5.4", ["2..inf"], [], ("rows",), True),
    ("-5.4", ["-inf..5"], [0], ("rows", "columns"), True), ("-5.4", [], [0], ("rows", "columns"), True),
    ("-5.4", ["-inf..5"], [-9], ("rows", "columns"), False),
]  # fmt: skip


def enclosed(x) -> tuple | None:
    """`0..2` for an enclosure, None for what has no bound."""
    if x is None or ".." not in str(x):
        return None if x is None else point(x)
    return tuple({"-inf": MINUS_INFINITY, "inf": PLUS_INFINITY}.get(end) or flint(end) for end in x.split(".."))


@for_each(("text", "row", "column", "along", "low"), LOW)
def test_a_low_score_stands_for_minus_infinity_where_its_weight_prints_as_0(text, row, column, along, low):
    reading = line_of(text, digits=2, scores=along)
    box = [[HIDDEN, *map(enclosed, row)], *[[point(x)] + [None] * len(row) for x in column]]
    assert entry_is_compatible(reading, "round", box, (0, 0)) == low


class Boxes:
    """Routes to a line that were worked out beforehand."""

    def __init__(self, boxes):
        self.boxes = boxes

    def possible(self, reading, working):
        return self.boxes(working)


def test_the_first_way_that_explains_the_whole_line_is_taken_and_the_best_refusal_told():
    reading, seen = line_of("0.33", "0.67", digits=2), []

    def enclose(working):
        seen.append(working)
        return [[[point("1/3"), point("0.674") if working is FULL else point("0.665")]]]

    found = accept([reading], Boxes(enclose), False, False)
    assert (
        isinstance(found, LegalDerivation)
        and (found.habit, found.working, found.weak) == ("round", FULL, False)
        and seen == [FULL]
    )
    cut = accept([line_of("0.66", digits=2)], Boxes(lambda w: [[[point("0.668")]]]), False, False)
    assert isinstance(cut, LegalDerivation) and cut.habit == "cut"
    one, two = [[point("0.33"), point("0.5")]], [[point("0.2"), point("0.5")]]
    refused = accept([reading], Boxes(lambda w: [two, one]), False, False)
    assert (
        isinstance(refused, Refutation)
        and refused.cells == [(0, 1)]
        and refused.box == one
        and refused.reading is reading
    )
    later = accept([reading], Boxes(lambda w: [two if w is FULL else [[point("0.33"), point("0.67")]]]), False, False)
    assert isinstance(later, LegalDerivation) and later.working == IntermediateRounding(2, "round")
    again = accept(
        [line_of("9", "9", digits=0), reading], Boxes(lambda w: [[[point("0.33"), point("0.67")]]]), False, False
    )
    assert isinstance(again, LegalDerivation) and again.reading is reading


def test_where_no_way_leads_to_the_line_it_is_refused_by_the_full_values():
    reading = line_of("0.33", "0.67", digits=2)
    other, near = [[point(5), point(5)]], [[point("0.33"), point(5)]]
    refused = accept([reading], Boxes(lambda w: [other if w is FULL or w.habit == "any" else near]), False, False)
    assert isinstance(refused, Refutation) and refused.box == other and len(refused.cells) == 2


@pytest.mark.parametrize("habit", HABITS)
@given(x=st.fractions(-3, 3, max_denominator=999), digits=st.integers(0, 3), more=st.integers(0, 2))
def test_law_what_is_carried_holds_the_print_the_number_and_each_finer_print(habit, x, digits, more):
    working = max(1, digits)
    for shown in printed(x, digits, habit):
        found = carried(line_of(str(shown), digits=digits, working=working), [[[point(x)]]], False)
        assert found is not None
        ends = [box[0][0] for box in found.boxes()]
        for one in (x, shown, *printed(x, max(digits + 1, working) + more, habit)):
            assert any(low <= flint(one) <= high for low, high in ends), (shown, one, ends)


@for_each(("text", "cell", "weights", "low", "high"), [
    ("5", ("2", None), False, "4.5", "6"), ("5", (None, "7"), False, "4.5", "6"),
    ("5", ("5.2", "5.3"), False, "5", "5.3"), ("5", ("4.9", "5.05"), False, "4.9", "5.1"),
    ("5", ("5.21", "5.3"), False, "5", "5.3"), ("5", ("4.87", "4.93"), False, "4.8", "5"),
    ("1", ("0.2", "1.2"), True, "0.5", "1"), ("0", ("-0.4", "0.2"), True, "0", "0.2"),
    ("0", ("-0.4", "0.2"), False, "-0.4", "0.2"),
    ("1", ("0.2", "3"), False, "0.5", "2"), ("2", ("1", "3"), True, "1.5", "2"), ("-1", ("-3", "1"), True, "-1", "0"),
])  # fmt: skip
def test_what_a_line_carries_prints_so_and_follows(text, cell, weights, low, high):
    """It lies in what any habit prints as the entry, and between the numbers of one decimal more around what follows; of
    weights from 0 to 1, but for what was typed.
    """
    ends = tuple(flint(x) if x else sign for x, sign in zip(cell, (MINUS_INFINITY, PLUS_INFINITY), strict=True))
    found = carried(line_of(text, digits=0), [[[ends]]], weights)
    assert found is not None and found.full == [[(flint(low), flint(high))]] and found.prints is None
    if text == "5":
        coarse = carried(line_of(text, digits=0, working=2), [[[ends]]], weights)
        assert coarse is not None and coarse.prints == [[point(5)]] and [len(x) for x in coarse.prints[0]] == [2]


@pytest.mark.parametrize(("cell", "working", "low", "high"), [
    (("5.211", "5.303"), 2, "5.21", "5.31"), (("5.211", "5.303"), 3, "5.211", "5.303"), (("5.211", "5.303"), 1, "5.2", "5.4"),
])  # fmt: skip
def test_a_coarse_line_carries_what_follows_to_the_working_decimals(cell, working, low, high):
    found = carried(line_of("5", digits=0, working=working), [[[tuple(map(flint, cell))]]], False)
    assert found is not None and found.full == [[(flint(low), flint(high))]]


def test_of_a_zero_it_is_known_what_is_carried_else_where_it_is_surely_positive():
    hair = Fraction(1, 10**7)  # by which a weight may be too small
    for cell, low, high in ((("0.03", "0.04"), "0.03", "0.08"), (("-0.01", "0.04"), None, None), (None, None, None)):
        ends = cell and tuple(map(flint, cell))
        for weights in (False, True):
            found = carried(line_of("0", digits=1, weights=weights), [[[ends]]], weights)
            near = {(0, 0): (flint((Fraction(low) - weights * hair) / 2), flint(high))} if low else {}
            assert found is not None and found.near == near


@for_each(("text", "more", "cell", "low", "high"), [
    ("1/3", {"units": [0]}, ("0.32", "0.34"), "1/3", "1/3"),  # what is exact is that number
    ("5", {"program": FLOATS["float32"]}, ("5.2", "5.3"), "4.5", "5.5"),  # all that a program prints so
    ("5", {}, ("5.2", "5.3"), "5", "5.3"), ("5", {}, None, "4.5", "6"),
])  # fmt: skip
def test_what_is_carried_by_a_hand_and_by_a_program(text, more, cell, low, high):
    found = carried(line_of(text, digits=0, **more), [[[cell and tuple(map(flint, cell))]]], False)
    assert found is not None and found.full == [[(flint(low), flint(high))]]


def test_a_number_that_stands_for_minus_infinity_is_carried_as_one_and_as_the_other():
    """Beside it a line that is coarse carries its prints, another what follows."""
    near = flint("2.97"), flint("3.02")
    for working in (2, 0):
        reading = replace(rows_of("3 -99; 4 5", 0), working=working, scores=("rows",))
        found = carried(reading, [[[near, HIDDEN], [point(4), point(5)]]], False)
        assert found is not None and found.full[0][1] == HIDDEN and found.full[0][0][0] in (near[0], flint("2.9"))
        assert found.prints is not None and found.prints[0][1] == point(-99)
        assert found.prints[0][0] == (point(3) if working else found.full[0][0]) and found.prints[1] == [
            point(4),
            point(5),
        ]
    alone = carried(replace(rows_of("3 -inf", 0), working=2), [[[near, HIDDEN]]], False)
    assert alone is not None and alone.prints == [[point(3), HIDDEN]]


@pytest.mark.parametrize("digits", [1, 2, 4])
def test_a_weight_that_a_calculator_shows_a_hair_too_small_is_cut_to_a_guard_digit_less(digits):
    """0.4 and a little more as 0.3999999999: with ten figures the last is 10⁻¹⁰."""
    unit = Fraction(1, 10**digits)
    cell = point(4 * unit + Fraction(1, 10**13))
    for weights, low in ((True, 4 * unit - unit / 10), (False, 4 * unit)):
        found = carried(line_of(str(4 * unit), digits=digits, weights=weights), [[[cell]]], weights)
        assert found is not None and found.full[0][0][0] == flint(low)


@pytest.mark.parametrize(("open_", "weak"), [("0.0005", False), ("0.24", False), ("0.26", True)])
def test_a_program_s_line_says_enough_where_a_twentieth_of_its_size_is_open(open_, weak):
    reading = line_of("5", digits=7, program=FLOATS["float32"])
    width = Fraction(open_)
    found = accept([reading], Boxes(lambda w: [[[(flint(5 - width / 2), flint(5 + width / 2))]]]), False, False)
    assert isinstance(found, LegalDerivation) and found.weak == weak


@for_each(
    ("text", "cell", "weak"),
    [("1", None, True), ("-inf", HIDDEN, False), ("-inf", (MINUS_INFINITY, fmpq(1)), False), ("-inf", None, True)],
)
def test_what_has_no_bound_says_little(text, cell, weak):
    found = accept([line_of(text, digits=0)], Boxes(lambda w: [[[cell]]]), False, False)
    assert isinstance(found, LegalDerivation) and found.weak == weak


def test_what_a_line_may_carry_on_is_one_box_or_two():
    thin, wide = [[point(1)]], [[(fmpq(0), fmpq(2))]]
    assert (
        Carried(wide).boxes() == [wide]
        and Carried(wide, thin).boxes() == [wide]
        and Carried(thin, wide).boxes() == [wide, thin]
    )
    assert Carried([[None]], thin).boxes() == [[[None]]] and Carried(thin, [[None]]).boxes() == [[[None]], thin]
    assert (
        Carried(thin, [[(fmpq(0), fmpq(1))]]).boxes()
        == [[[(fmpq(0), fmpq(1))]], thin]
        != Carried(thin, [[(fmpq(1), fmpq(2))]]).boxes()
    )
    for end in (0, 2):
        assert Carried(wide, [[point(end)]]).boxes() == [wide]  # an end belongs to it
    other = Carried(thin).with_other(Carried([[point(3)]], [[point(4)]]))
    assert other.full == [[(fmpq(1), fmpq(3))]] and other.prints == [[point(4)]]
    assert Carried(thin).with_other(Carried(wide)).prints is None
    both = Carried(thin, thin).with_other(Carried(wide, [[point(7)]]))
    assert both.prints == [[(fmpq(1), fmpq(7))]]
    near = Carried(thin, near={(0, 0): point(1)}).with_other(Carried(thin, near={(0, 0): point(2), (0, 1): point(3)}))
    assert near.near == {(0, 0): (fmpq(1), fmpq(2))}
    assert Carried(thin, near={(0, 1): point(1)}).with_other(Carried(thin, near={(0, 0): point(2)})).near == {}


# a line, what is open of its first entry, and whether almost any digits would have passed
OPEN = [
    ("400", "20", False), ("400", "20.1", True), ("399", "20", True), ("1000", "19", False), ("10", "19", True),
    ("4", "2", False), ("4", "2.1", True), ("4.2", "2.1", False), ("1 400", "20", False), ("1 -400", "20", False),
]  # fmt: skip


@for_each(("texts", "open_", "weak"), OPEN)
def test_a_line_says_too_little_where_twenty_units_and_a_twentieth_of_its_size_or_two_and_half_of_it_are_open(
    texts, open_, weak
):
    texts, half = texts.split(), Fraction(open_) / 2
    cells = [(flint(Fraction(texts[0]) - half), flint(Fraction(texts[0]) + half)), *map(point, texts[1:])]
    found = accept([line_of(*texts, digits=0)], Boxes(lambda w: [[cells]]), False, False)
    assert isinstance(found, LegalDerivation) and found.weak == weak


def test_entries_apart():
    """Proven to differ; what has no bound is not proven to be the same."""
    one, two, three = (fmpq(0), fmpq(1)), (fmpq(1), fmpq(2)), (fmpq(2), fmpq(3))
    assert (
        provably_differ(one, three)
        and provably_differ(three, one)
        and provably_differ(None, one)
        and provably_differ(one, None)
    )
    assert not provably_differ(one, two) and not provably_differ(two, one) and not provably_differ(one, one)


def test_after_a_line_that_does_not_follow_its_prints_are_carried_on():
    reading = line_of("0.5", "-inf", digits=1)
    otherwise = [[point(9), point(8), point(7)]]
    assert enclosure_after_wrong_line(reading, otherwise, False) == [
        [point("0.5"), HIDDEN, point(7)]
    ] and otherwise == [[point(9), point(8), point(7)]]
    assert enclosure_after_wrong_line(reading, otherwise, True) == [[(flint("0.45"), flint("0.6")), HIDDEN, point(7)]]


# -- what a verdict earns ----------------------------------------------------------------------------------------------

GIVEN = {"x": [[1, 2, 3, 4]]}


def line(
    verdict: str = "right", count: int = 4, wrong: int = 0, values=("1", "2", "3", "4"), stated: bool = False, **more
) -> Line:
    """A line of four entries, of which so many are answered and so many wrong."""
    problem = load({"given": GIVEN, "steps": {"y": "x * 2"}, **({"rounding": {"digits": 2}} if stated else {})})
    part, cells = problem.parts[0], {(0, j): Typed(values[j], flint(values[j])) for j in range(count)}
    filled = Filled(None, part.plan.steps[0], cells, kind="whole" if count == 4 else "partial")
    reading = line_of(*values[:count], digits=0) if count else None
    return Line(filled.step, part, filled, verdict, reading, cells=[(0, j) for j in range(wrong)], **more)


@for_each("count, codes, earned", [
    (4, ["scale-forgotten"], 4), (4, ["softmax-twice"], 2), (4, ["softmax-twice", "scale-forgotten"], 4),
    (2, ["scale-forgotten"], 2), (3, ["softmax-twice"], Fraction(3, 2)),
    (4, ["mask-forgotten"], 1), (4, [], 1),
])  # fmt: skip
def test_a_rubric_takes_the_mildest_cause_of_what_is_answered(count, codes, earned):
    one = line("wrong", count, wrong=1)
    one = replace(
        one,
        part=replace(
            one.part,
            rubric=one.part.rubric._replace(
                mistakes={"scale-forgotten": Fraction(1, 2), "softmax-twice": Fraction(1, 4)}
            ),
        ),
    )
    assert by_rubric(Mark(Fraction(1), Fraction(8)), one, codes).earned == earned
    assert by_rubric(Mark(Fraction(1), Fraction(8)), replace(one, verdict="carried"), codes).earned == 1
    assert by_rubric(Mark(Fraction(1), Fraction(8)), one, ["softmax-twice", "scale-forgotten"]).reasons == because(
        Reason.RUBRIC, mistake="scale-forgotten", share=Fraction(1, 2)
    )


FULL_MARK, METHOD = Fraction(8), Fraction(6)
EARNED = [
    (line(), {}, FULL_MARK, ""), (line("truncated"), {}, FULL_MARK, ""),
    (line("truncated", stated=True), {}, METHOD, "truncated instead of rounded"),
    (line("last_digit"), {}, METHOD, "the last digit is not"),
    (line("too_coarse"), {}, METHOD, "more decimals are required"),
    (line("carried"), {}, FULL_MARK, "only once)"), (line("wrong", wrong=4), {}, 0, ""),
    (line("wrong", wrong=2), {}, 0, ""),
    (line("wrong", wrong=1), {}, METHOD, "few entries are wrong"),
    (line("wrong", wrong=1), {"mistaken": True}, METHOD / 2, "a mistake in the method"),
    (line("wrong", wrong=4), {"accuracy_reason": Reason.INACCURATE}, METHOD, "not accurate enough"),
    (line("wrong", wrong=1, is_index_valued=True), {}, METHOD, "3 of 4 are right"),
    (line("wrong", wrong=3, is_index_valued=True), {}, 2, "1 of 4 are right"),
    (line("wrong", wrong=4, is_index_valued=True), {}, 0, ""), (line("wrong", wrong=0, is_index_valued=True), {}, 0, ""),
    (None, {}, 0, "not answered"), (None, {"implied": True}, FULL_MARK, "implied by your later"),
    (line(count=0), {}, 0, "not answered"),
    (line(count=0), {"implied": True}, FULL_MARK, "implied"),
    (line(is_uninformative=True), {}, 0, "hardly any work"),
    (line("missing", is_uninformative=True), {}, 0, "only zeros"),
    (line(is_uninformative=True), {"implied": True}, METHOD, "a later line shows the method"),
    (line(is_uninformative=True, count=2), {"implied": True}, 3, "a later line"),
    (line("carried"), {"trivial": True}, 0, "hardly any work"), (line(), {"trivial": True}, 0, "hardly any work"),
    (line("wrong", wrong=1), {"trivial": True}, 0, ""),
    (line("wrong", wrong=1), {"works": False}, 0, ""), (line(count=3), {}, METHOD, "3 of 4 entries are answered"),
    (line("carried", count=2), {}, 4, "only once); 2 of 4 entries"),
    (line("too_coarse", count=1), {}, Fraction(3, 2), "more decimals"),
]  # fmt: skip


@for_each(("line_", "how", "earned", "reason"), EARNED)
def test_what_a_verdict_earns(line_, how, earned, reason):
    found = mark(line_, FULL_MARK, **{"implied": False, "trivial": False, **how})
    assert isinstance(found, Mark) and found.out_of == FULL_MARK and found.earned == earned
    assert reason in reason_text(found.reasons) and bool(reason) == bool(found.reasons)


@given(st.integers(1, 4), st.integers(0, 4))
def test_a_wrong_line_without_a_reading_or_with_few_right_entries_earns_nothing(count, wrong):
    wrong = min(wrong, count)
    found = mark(line("wrong", count=count, wrong=wrong), FULL_MARK, False, False)
    mostly = Fraction(count - wrong, count) >= MOSTLY
    assert found.earned == (METHOD if mostly else 0) * Fraction(count, 4)
    assert mark(Line(line().step, line().part, line().filled), FULL_MARK, False, False).earned == 0


STEPS = {"a": "x * 2", "b": "a * 2", "c": "b * 2"}


@for_each(("more", "expected"), [
    ({}, {"a": 1, "b": 1, "c": 1}), ({"asked": ["a", "c"]}, {"a": 1, "c": 1}),
    ({"points": 6}, {"a": 2, "b": 2, "c": 2}),
    ({"asked": ["a"], "points": {"a": 3}}, {"a": 3}),
    ({"points": 5, "asked": ["b", "c"]}, {"b": Fraction(5, 2), "c": Fraction(5, 2)}),
    ({"points": {"a": 3, "c": 2}}, {"a": 3, "b": 0, "c": 2}),
    ({"points": {"a[:, 0]": 3, "a[:, 1]": 2}, "asked": ["a[:, 0]", "a[:, 1]"]}, {"a": 5}),
    ({"asked": []}, {}), ({"asked": ["a"], "points": {"b": 2}}, {"a": 0, "b": 2}),
])  # fmt: skip
def test_points_are_stated_or_shared_equally(more, expected):
    (part,) = load({"given": GIVEN, "steps": STEPS, **more}).parts
    assert points_of(part) == expected


def test_only_the_asked_entries_count():
    (part,) = load({"given": GIVEN, "steps": STEPS, "asked": ["a[:, 0]", "a[:, 2]"]}).parts
    a, b, _ = part.plan.steps
    assert asked_cells(part, a) == {(0, 0), (0, 2)} and asked_cells(part, b) == {(0, j) for j in range(4)}
    (other,) = load({"given": {"x": [[1, 2], [3, 4]]}, "steps": {"a": "x * 2"}, "asked": ["a[1]"]}).parts
    assert asked_cells(other, other.plan.steps[0]) == {(1, 0), (1, 1)}
    cells = {(0, j): Typed("1", fmpq(1)) for j in (1, 2)}
    assert (
        answered(Line(a, part, Filled(None, a, cells)))
        == Fraction(1, 2)
        == answered(Line(b, part, Filled(None, b, cells)))
    )


# -- a right number beside the typed one -------------------------------------------------------------------------------


@given(
    st.fractions(-9, 9, max_denominator=200),
    st.integers(0, 4),
    st.sampled_from(["half_up", "half_even", "truncate"]),
    st.booleans(),
)
def test_the_middle_of_an_enclosure_as_a_decimal(x, digits, mode, as_ball):
    way = DECIMAL_MODES[mode]
    exact = EXACT.divide(Decimal(x.numerator), Decimal(x.denominator))
    want = exact.quantize(Decimal(1).scaleb(-digits), rounding=way, context=EXACT)
    room = fmpq(1, 10**15) if as_ball else fmpq(0)
    found = middle((flint(x) - room, flint(x) + room), digits, mode)
    assert Decimal(found) == want and len(found.partition(".")[2]) == digits


def test_the_middle_of_what_has_none():
    assert (
        middle(None, 2, "half_up") == "?"
        and middle(HIDDEN, 2, "half_up") == "-inf"
        and middle((PLUS_INFINITY,) * 2, 2, "half_up") == "inf"
    )
    assert middle(point(10**60 + 1), 2, "half_up") == f"{10**60 + 1}.00"  # an exact number has all of its digits
    assert middle((MINUS_INFINITY, fmpq(1)), 2, "half_up") == "?" == middle((fmpq(1), PLUS_INFINITY), 2, "half_up")
    assert (
        middle((fmpq(1), fmpq(2)), 1, "half_up") == "1.5" and middle((fmpq(0), fmpq(99, 100)), 2, "truncate") == "0.49"
    )


@given(r=st.randoms(use_true_random=True))
def test_a_thin_enclosure_of_a_tie_is_the_tie(r):
    n, digits, wide = r.randint(-50, 50), r.randint(0, 3), r.random() < 0.5
    tie = Fraction(2 * n + 1, 2 * 10**digits)
    room = Fraction(r.randint(1, 9), 10 ** (digits + (5 if wide else 8)))
    below, above = tie - room * 3, tie + room
    found = Fraction(middle((flint(below), flint(above)), digits, "half_up"))
    up = Fraction(int(abs(tie) * 10**digits + Fraction(1, 2)), 10**digits) * (1 if tie > 0 else -1)
    if not wide:
        assert found == up
    else:
        assert abs(found - (below + above) / 2) <= Fraction(1, 2 * 10**digits)


def test_an_order_that_leads_elsewhere_takes_nothing_from_what_a_line_carries():
    """−14 stands for −∞ by one order of the formula; by another −983 would stand there, and the other entry would be
    wrong.
    """
    reading = line_of("4", "-1400", digits=0)
    right, other = [[point(4), HIDDEN]], [[point(0), point(-983)]]
    for boxes in ([right], [right, other], [other, right]):
        found = carried(reading, boxes, False)
        assert found is not None and found.full == right
    assert carried(reading, [other], False) is None


# -- masked cells, weights, and givens that are rounded prints ---------------------------------------------------------


def step_of(formula: str, name: str = "y", **givens):
    problem = load({"given": {"S": [[1, 2], [3, 4]], **givens}, "steps": {"M": "keep(S, causal(2, 2))", name: formula}})
    return problem, next(step for step in problem.parts[0].plan.steps if step.name == name)


@for_each(("formula", "axes"), [
    ("softmax(M)", ["rows"]), ("softmax(M, axis=None)", ["rows", "columns"]), ("softmax(M.T)", ["columns"]),
    ("softmax(S @ M)", []), ("softmax(M.T).T", ["columns"]), ("softmax(S)", []), ("M * 2", []),
    ("2 * softmax(M.T.T) + 1", ["rows"]),
])  # fmt: skip
def test_along_which_lines_weights_are_taken(formula, axes):
    _, step = step_of(formula)
    assert list(softmax_axes(step.node, "M")) == axes
    assert is_softmax(step) == (formula.startswith("softmax"))


@for_each(("options", "names"), [
    ({}, ["A"]), ({"softmax_steps": True}, ["E", "A"]), ({"axis": "columns"}, ["A"]),
    ({"mask": "[[1, 0]]", "mask_at": "weights"}, ["A", "A_masked"]),
])  # fmt: skip
def test_which_steps_of_a_lesson_are_weights(options, names):
    """The exponentials as well: masked, they are 0 too."""
    problem = load({"given": {"Q": [[1, 2]], "K": [[3, 4], [1, 0]], "V": [[5], [6]]}, "attention": options})
    assert [step.name for step in problem.parts[0].plan.steps if is_softmax(step)] == names
    assert not is_softmax(step_of("M * 2", "A")[1])


@for_each(("formula", "blank", "kind", "expected"), [
    ("keep(S, causal(2, 2))", (0, 1), "whole", -1), ("softmax(M)", (0, 1), "whole", 0),
    ("softmax(M)", (0, 0), "partial", None),
    ("M * 2", (1, 1), "partial", None), ("S - S", (0, 1), "partial", None),
    ("keep(S, causal(2, 2)) * -1", (0, 1), "partial", None),
])  # fmt: skip
def test_a_masked_cell_that_is_blank_says_what_it_should(formula, blank, kind, expected):
    """−∞ among scores and 0 among weights; a 0 elsewhere, or +∞, is to be written."""
    problem, step = step_of(formula)
    cells = {(i, j): Typed("7", fmpq(7)) for i in range(2) for j in range(2) if (i, j) != blank}
    bound = Bound(None, problem, (Filled(None, step, cells, kind="partial"),))
    filled = with_masked_cells(bound, Values(problem.plan), 64).steps[0]
    assert filled.kind == kind and all(filled.cells[at].text == "7" for at in cells)
    if expected is None:
        assert blank not in filled.cells
    else:
        assert filled.cells[blank].infinite == expected and (expected or filled.cells[blank].value == 0)


@for_each(
    ("text", "half"),
    [
        ("0.25", "0.005"),
        ("-1.5", "0.05"),
        ("+0.125", "0.0005"),
        ("3", "0"),
        ("1/4", "0"),
        ("2.5e-1", "0"),
        ("sqrt(2.5)", "0"),
    ],
)
def test_a_given_that_is_a_rounded_print_is_open_by_half_a_unit(text, half):
    room = flint(half)
    assert _widened(point(1), text) == (1 - room, 1 + room) and _widened(None, text) is None


def rows_of(text: str, digits: int = 1) -> Reading:
    """`1 2; 3 4` as a line; a `_` was left blank."""
    rows = [row.split() for row in text.split(";")]
    values = {
        (i, j): MINUS_INFINITY if x == "-inf" else flint(x)
        for i, row in enumerate(rows)
        for j, x in enumerate(row)
        if x != "_"
    }
    return Reading(digits, values, dict.fromkeys(values, flint(Fraction(1, 10**digits))), working=digits)


# -- words where numbers should stand, and what the lines of a script have in common -----------------------------------

MASKED = load(
    {"given": {"S": [[1, 2], [3, 4]]}, "steps": {"M": "keep(S, causal(2, 2))", "A": "softmax(M)"}, "points": 2}
)


@pytest.mark.parametrize(("rows", "said", "earned"), [
    ([["1.00", "zero"], ["0.27", "0.73"]], "", 1),  # crossed out where the weight is 0
    ([["1.00", "zero"], ["nan", "0.73"]], "A[2, 1]: expected a number, found “nan”", Fraction(3, 4)),
    ([["nan", "nan"], ["nan", "nan"]], "A[1, 1]: expected a number, found “nan”", 0),
])  # fmt: skip
def test_a_word_is_a_wrong_answer_but_where_it_crosses_a_masked_cell_out(rows, said, earned):
    found = check(MASKED, {"answers": {"A": rows}}).steps[-1]
    assert (found.word, found.mark.earned) == (said, earned) and reason_text(found.mark.reasons) == said
    assert (found.verdict == "wrong") == bool(said)


def test_another_shape_is_said_and_no_word():
    for row in ([1, 0, 0], [1, "nan", 0]):
        found = check(MASKED, {"answers": {"A": [row]}}).steps[-1]
        assert (found.verdict, found.word, found.shape, found.mark.earned, found.digits) == (
            "wrong", "", "expected 2 × 2, found 1 × 3", 0, 0)  # fmt: skip


@for_each(("formula", "typed_", "right"), [
    ("x * 2", "3 9", "2 12"), ("x / 3", "5 9", "0.33 2.00"), ("x / 3", "1/2 5", "0.33 2.00"), ("x / 3", "0.5 9.0", "0.3 2.0"),
    ("x * 2", "7/2 9", "2 12"), ("argmax_rows(x)", "0", "1"),
])  # fmt: skip
def test_right_numbers_stand_beside_whole_ones_and_fractions_as_they_are_or_with_two_decimals(formula, typed_, right):
    """Where the sheet asks for no digits."""
    (step,) = check(load({"given": {"x": [[1, 6]]}, "steps": {"y": formula}}), {"y": [typed_.split()]}).steps
    assert step.right == [right.split()]


def test_a_line_that_is_not_asked_is_worth_nothing():
    steps = check(
        load({"given": GIVEN, "steps": STEPS, "asked": ["c"]}), {"a": [[2, 4, 6, 8]], "c": [[8, 16, 24, 32]]}
    ).steps
    assert [(one.step.name, one.mark.out_of) for one in steps] == [("a", 0), ("c", 1)]


def test_cutting_and_rounding_down_have_in_common_that_nothing_is_rounded_up():
    """−2/3 as −0.66 and −1/7 as −0.15."""
    steps = {"a": "x / 3", "b": "x / 7"}
    report = check(
        load({"given": {"x": [[-2, -1]]}, "steps": steps}), {"a": [["-0.66", "-0.33"]], "b": [["-0.29", "-0.15"]]}
    )
    assert report.habit == {"digits": 2, "habit": "cut"}


THIRDS = load({"given": {"x": [[1, 2, 5]]}, "steps": {name: f"x / {n}" for name, n in (("a", 3), ("b", 7), ("c", 9))}})
HABITS_OF = [
    ({"a": "0.33 0.67 1.67", "b": "0.14 0.29 0.71", "c": "0.111 0.222 0.556"}, 2, "round"),
    ({"a": "0.333 0.667 1.667", "b": "0.143 0.286 0.714", "c": "0.11 0.22 0.56"}, 3, "round"),
    ({"a": "0.33 0.66 1.66", "b": "0.14 0.28 0.71"}, 2, "cut"),
    ({"a": "0.33 0.66 1.66", "b": "0.14 0.29 0.71"}, 2, "mixed"),
    ({"a": "1/3 2/3 5/3"}, None, None), ({"a": "9.99 8.88 7.77"}, None, None),
]  # fmt: skip


@for_each(("lines", "digits", "habit"), HABITS_OF)
def test_what_the_lines_of_a_script_have_in_common(lines, digits, habit):
    """The digits of most, and rounding or cutting where all agree."""
    report = check(THIRDS, {"answers": {name: [text.split()] for name, text in lines.items()}})
    assert report.habit == {"digits": digits, "habit": habit}
    counts = {name: len(text.split()[0].partition(".")[2]) for name, text in lines.items()}
    assert all(step.digits == counts.get(step.step.name, 0) for step in report.steps)


@for_each(("typed_", "seen", "never"), [
    ("-1", "5 5", True), ("3", "5 5", False), ("-1", "5 -9", False), ("-1", "-9 5", False), ("-12", "5 -9", True),
])  # fmt: skip
def test_a_low_number_stands_for_minus_infinity_beside_the_largest_of_its_row_and_of_its_column(typed_, seen, never):
    """Where nothing says along which the weights are taken."""
    row, column = map(point, seen.split())
    box = [[HIDDEN, row], [column, point(0)]]
    values = {(0, 0): flint(typed_)}
    reading = Reading(1, values, {(0, 0): flint("0.1")}, working=1, scores=("rows", "columns"))
    assert entry_is_compatible(reading, "round", box, (0, 0)) == never
    for axis, other in (("rows", row), ("columns", column)):
        alone = replace(reading, scores=(axis,))
        assert entry_is_compatible(alone, "round", box, (0, 0)) == (flint(typed_) <= other[0] - 3)

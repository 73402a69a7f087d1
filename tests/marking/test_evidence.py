"""How much numbers say for an explanation (rule R10), in bits that are counted by hand: log₂ of how many numbers might
stand in an entry, less where the explanation leaves many of them open.
"""

from fractions import Fraction
from math import inf, log2

import pytest
from flint import fmpq
from hypothesis import assume, given
from hypothesis import strategies as st

from attncalc import check, load
from attncalc.arithmetic.intervals.intermediate_rounding import FLOATS
from attncalc.arithmetic.matrix_types import MINUS_INFINITY, PLUS_INFINITY
from attncalc.marking.diagnosis.evidence import Evidence
from attncalc.marking.diagnosis.premature_rounding import _is_bounded
from attncalc.marking.line import Line
from attncalc.marking.precision import Reading
from attncalc.submissions.step_matching import Filled
from tests.support.laws import examples
from tests.support.sweeps import for_each

INFINITE = {"-inf": MINUS_INFINITY, "inf": PLUS_INFINITY}


def number(text):
    x = Fraction(text)
    return fmpq(x.numerator, x.denominator)


def cell_of(text):
    """`1.5`, `1.5±0.1` or `1..2` for an enclosure, `?` for what has no bound."""
    if text == "?":
        return None
    if ".." in text:
        return tuple(INFINITE.get(end) or number(end) for end in text.split(".."))
    if text in INFINITE:
        return (INFINITE[text],) * 2
    middle, _, room = text.partition("±")
    if not room:
        return (number(middle),) * 2
    return number(middle) - number(room), number(middle) + number(room)


def evidence_of(typed, right, *, weights=False, unit="0.01", columns=0, picks=False, **more):
    """The line of one row that was typed where `right` should stand."""
    texts, columns = typed.split(), columns or len(typed.split())
    values = {(0, j): INFINITE.get(text) or number(text) for j, text in enumerate(texts)}
    units = {at: fmpq(0) if unit == "0" or typed == "?" else number(unit) for at in values}
    formula = "softmax(X)" if weights else "X * 2"
    problem = load({"given": {"X": [[1] * columns]}, "steps": {"Y": formula}})
    step = next(problem.plan.steps())
    reading = Reading(2, values, units, **{"working": 2} | more)
    line = Line(step, problem.parts[0], Filled(None, step, {}), reading=reading, is_index_valued=picks)
    return Evidence(None, line, None, [[cell_of(text) for text in right.split()]])


# what was typed, what should stand there, what an explanation comes to; whether these are weights; and the bits
BITS = [
    ("3.70", "1.20", "3.70", False, log2(2 * 3.7 / 0.01)),
    ("1.20", "-3.70", "1.20", False, log2(2 * 3.7 / 0.01)),  # numbers as large as the right one might stand there
    ("3.70", "1.20", "3.70±0.02", False, log2(2 * 3.7 / 0.01) - log2(5)),
    ("3.70", "1.20", "3.70±90", False, 0),  # it says less than nothing, which is nothing
    ("3.70 2.00", "1.20 2.00", "3.70 2.00", False, log2(2 * 3.7 / 0.01)),  # what is right counts nothing
    ("3.70 2.00", "1.20 1.00", "3.70 2.00", False, 2 * log2(2 * 3.7 / 0.01)),
    ("3.70 2.00", "1.20 1.00", "3.70 ?", False, log2(2 * 3.7 / 0.01)),  # no bound, no evidence
    ("3.70", "?", "3.70", False, 0),  # nor where nothing says what is wrong
    ("3.70 9.00", "1.20 -inf", "3.70 9.00", False, 2 * log2(2 * 9 / 0.01)),
    ("3.70 -inf", "1.20 -inf", "3.70 -inf", False, log2(2 * 3.7 / 0.01)),
    ("3.70 -inf", "1.20 5.00", "3.70 -inf", False, log2(2 * 5 / 0.01) + 6),  # hidden, and should not be
    ("3.70 inf", "1.20 -inf", "3.70 inf", False, log2(2 * 3.7 / 0.01) + 6),
    ("98765432.10", "1.20", "98765432.10", False, log2(2 * 98765432.10 * 100)),
    ("0.00", "0.00±0.00", "0.00", False, 0),
    ("3.70 2.00", "1.20 -inf..3", "3.70 2.00", False, log2(2 * 3.7 / 0.01)),  # half a bound says nothing of the size
    ("3.70 2.00", "1.20 1..inf", "3.70 2.00", False, log2(2 * 3.7 / 0.01)),
    ("3.70", "1.20", "-inf..4", False, 0),  # nor is it evidence: almost any number comes of it
    ("3.70", "1.20", "3..inf", False, 0),
    # a weight lies from 0 to 1, and of n in a row one is no news
    ("0.70 0.30", "0.20 0.80", "0.70 0.30", True, 2 * log2(100) / 2),
    ("0.70 0.10 0.10 0.10", "0.20 0.10 0.10 0.10", "0.70 0.10 0.10 0.10", True, log2(100) * 3 / 4),
    ("0.70 0.30", "0.20 0.80", "0.70±0.005 0.30±0.015", True, 2 * log2(100) / 2 - 1 - 2),
    ("0.00 0.00", "0.20 0.80", "0.00 0.00", True, 2 * 1.7 + 6),  # no weight in the row
    ("1.00 1.00", "0.20 0.80", "1.00 1.00", True, 2 * 1.7 + 6),  # or too much
    ("0.00 0.70", "0.20 0.80", "0.00 0.70", True, 1.7 + log2(100) / 2),  # a slip in one alone may be all that is amiss
    ("1.00 0.00", "0 1", "1.00 0.00", True, 6 + 1.7),  # a weight where the mask leaves none, whatever the scores
    ("1.01 0.30", "0.20 0.30", "1.01 0.30", True, 1.7),  # it prints as 1, next to nothing
    ("1.00 0.00", "0.20 0.80", "0.90 0.10", True, 2 * 1.7),
    ("0.99 0.01", "0.20 0.80", "0.99 0.01", True, 2 * 1.7),
    ("0.99 0.01", "0.20 0.80", "0.995±0.005 0.005±0.005", True, 2 * 1.7),
    ("0.98 0.02", "0.20 0.80", "0.98 0.02", True, 2 * log2(100) / 2),
    ("-0.02 0.70", "0.20 0.70", "-0.02 0.70", True, log2(2 * 0.7 / 0.01)),  # no weight at all
    ("1.02 0.70", "0.20 0.70", "1.02 0.70", True, log2(2 * 1.02 / 0.01)),
    ("-0.01 0.70", "0.20 0.70", "-0.01 0.70", True, 1.7),
    ("-0.01 0.70", "0.20 0.70", "-0.01±0.015 0.70", True, log2(100) / 2 - 2),
    ("1.01 0.70", "0.20 0.70", "1.01±0.015 0.70", True, log2(100) / 2 - 2),
    ("1.00 0.00", "-0.1..0 1", "1.00 0.00", True, 2 * 1.7),  # whether the mask leaves none is not known
    ("0.60 0.70", "0.20 0.70", "-0.02±0.015 0.70", True, log2(100) / 2 - 2),
    ("0.60 0.70", "0.20 0.70", "0.02±0.015 0.70", True, log2(100) / 2 - 2),
    ("0.60 0.70", "0.20 0.70", "0.98±0.015 0.70", True, log2(100) / 2 - 2),
    ("0.60 0.70", "0.20 0.70", "1.02±0.015 0.70", True, log2(100) / 2 - 2),
]  # fmt: skip


@for_each(("typed", "right", "explained", "weights", "bits"), BITS)
def test_wrong_entries_are_worth_what_chance_would_have_had_to_hit(typed, right, explained, weights, bits):
    found = evidence_of(typed, right, weights=weights)
    assert found.evidence([[cell_of(text) for text in explained.split()]]) == pytest.approx(bits, abs=1e-9)


@pytest.mark.parametrize(("typed", "right", "bits"), [("3", "5", log2(10)), ("5", "3", log2(10)), ("0", "0", 0)])
def test_an_index_is_one_of_twice_as_many_as_the_largest(typed, right, bits):
    assert evidence_of(typed, right, picks=True, unit="0").worth == {(0, 0): pytest.approx(bits)}


@for_each(("typed", "more", "amiss"), [
    ("0.98 0.00", {}, False), ("0.97 0.00", {}, True), ("1.02 0.00", {}, False), ("1.03 0.00", {}, True),
    ("0.50 0.50", {}, False), ("0.20 0.20", {"program": FLOATS["float32"]}, False), ("0.20 0.20", {"weights": False}, False),
    ("0.20", {"columns": 2}, False), ("0.20 -inf", {}, False),
])  # fmt: skip
def test_a_row_of_weights_is_amiss_where_no_rounding_makes_it_add_up_to_1(typed, more, amiss):
    found = evidence_of(typed, " ".join(["0.10"] * len(typed.split())), **{"weights": True} | more)
    assert found.rows_not_summing_to_1 == ({0} if amiss else set())


def test_each_row_of_weights_adds_up_to_1_by_itself():
    problem = load({"given": {"X": [[1, 2], [3, 4]]}, "steps": {"Y": "softmax(X)"}})
    rows = [["0.30", "0.70"], ["0.30", "0.60"]]
    values = {(i, j): number(text) for i, row in enumerate(rows) for j, text in enumerate(row)}
    reading = Reading(2, values, dict.fromkeys(values, number("0.01")), working=2)
    step = next(problem.plan.steps())
    line = Line(step, problem.parts[0], Filled(None, step, {}), reading=reading)
    assert Evidence(None, line, None, [[cell_of("0.10")] * 2] * 2).rows_not_summing_to_1 == {1}


def test_a_coarse_zero_for_less_than_a_unit_says_nothing():
    found = evidence_of("0", "0.4", unit="1")
    assert found.wrong == [(0, 0)] and not found.evidence([[cell_of("0")]])


def test_a_weight_that_stands_alone_is_half_a_weight():
    found = evidence_of("0.70", "0.20", weights=True)
    assert found.evidence([[cell_of("0.70")]]) == pytest.approx(log2(100) / 2)


def test_whole_numbers_say_nothing_of_weights():
    found = evidence_of("1 0", "-0.2 2.8", weights=True, unit="1")
    assert found.wrong == [(0, 0), (0, 1)] and not found.evidence([[cell_of("1"), cell_of("0")]])


def test_an_exact_number_counts_as_one_of_six_decimals():
    found = evidence_of("1/3", "1/5", unit="0")
    assert found.evidence([[cell_of("1/3")]]) == pytest.approx(log2(2 / 3 * 10**6))
    assert found.evidence([[cell_of("1/3±1/4")]]) == pytest.approx(log2(4 / 3), abs=1e-5)  # an enclosure of width 1/2


def test_a_program_s_error_takes_nothing_away_but_a_wide_enclosure_does():
    found = evidence_of("3.70", "1.20", program=FLOATS["float64"])
    assert found.evidence([[cell_of("3.70±0.0000000001")]]) == pytest.approx(log2(740))
    assert found.evidence([[cell_of("3.70±3.70")]]) < 1


def test_of_a_line_that_prints_the_right_numbers_those_count_that_are_not_right_to_the_working_decimals():
    """4 for 4.3 is right in whole numbers, 2 for 2 in any; where a mistake makes 4, it is 4 that speaks for it."""
    found = evidence_of("4 2", "4.3 2", unit="1")
    assert found.wrong == [(0, 0)]
    assert found.evidence([[cell_of("4"), cell_of("2")]]) == pytest.approx(log2(2 * 4.3))


@for_each(("cells", "bounded"), [
    ("3.70 2.00", True), ("3.70 1..2", True), ("3.70 -inf", True), ("3.70 ?", False), ("? 2.00", False), ("? ?", False),
    ("3.70 1..inf", False), ("-inf..1 2.00", False), ("-inf..inf 2.00", False),
])  # fmt: skip
def test_what_is_known_of_every_wrong_entry_is_bounded(cells, bounded):
    assert _is_bounded(evidence_of("3.70 2.00", "1.20 1.00"), [[cell_of(x) for x in cells.split()]]) == bounded


@given(st.integers(-4, 4), st.integers(-12, 12), st.sampled_from(["100", "1", "0.1", "0.01"]))
@examples(60)
def test_law_an_entry_is_wrong_where_no_habit_prints_it(typed, off, unit):
    """Rounded, cut and rounded down, by fractions; in a line of hundreds as in any other."""
    unit = Fraction(unit)
    entry, value = typed * unit, (typed + Fraction(off, 8)) * unit
    assume(unit <= 1 or value.denominator > 1)
    rounded, cut = abs(value - entry) <= unit / 2, entry <= 0 and entry - unit < value <= entry
    found = evidence_of(f"{entry} 7", f"{value} 7", unit=str(unit))
    assert found.may_be((0, 0)) == (rounded or cut or entry <= value < entry + unit) and found.may_be((0, 1))


@given(st.lists(st.integers(-9, 9), min_size=2, max_size=6, unique=True), st.integers(0, 5))
@examples(60)
def test_law_one_index_says_too_little_to_name_a_cause(logits, index):
    assume(index < len(logits) and index != logits.index(max(logits)))
    problem = load({"given": {"logits": [logits]}, "next_word": {}})
    found = check(problem, {"answers": {"next": index}}).steps[-1]
    assert (found.verdict, found.causes) == ("wrong", [])


@for_each(("typed", "right", "most"), [
    ("3 7", "5 2", log2(15)), ("-9 1", "5 2", log2(19)), ("3 1", "5 2.5", inf), ("3.5 1", "5 2", inf), ("3 1", "5 ?", inf),
    ("3 1", "5 2±0.5", inf),
])  # fmt: skip
def test_an_entry_of_a_line_of_whole_numbers_is_one_of_those_up_to_the_largest(typed, right, most):
    assert evidence_of(typed, right).most_of_whole == pytest.approx(most)

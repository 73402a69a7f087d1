"""Slips of the pen in a line that is right otherwise: named, and charged with accuracy alone; a blunder is not taken
for one without evidence.
"""

import random
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal
from math import log2

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from attncalc import load, solve
from attncalc.api import check
from attncalc.marking.credit import Reason, because
from attncalc.marking.diagnosis.search import Search
from attncalc.marking.diagnosis.slips import slips
from attncalc.marking.precision import Reading
from attncalc.problem.problem import METHOD
from tests.support.laws import examples
from tests.support.sweeps import for_each

PROBLEM = {
    "given": {"A": [["0.10", "0.87", "0.03"], ["0.14", "0.28", "0.58"], ["0.10", "0.85", "0.05"]],
        "V": [[1, -3], [-7, 3], [4, -9]]},
    "rounding": {"digits": 3}, "steps": {"Z": "A @ V"},
}  # fmt: skip


def moved(text, by):
    return str(Decimal(text).scaleb(by))


def exchanged(text, rng):
    pairs = [k for k in range(len(text) - 1) if text[k : k + 2].isdigit() and text[k] != text[k + 1]]
    k = rng.choice(pairs) if pairs else None
    return text if k is None else text[:k] + text[k + 1] + text[k] + text[k + 2 :]


SLIPS = {
    "sign": lambda text, rng: str(-Decimal(text)),
    "digits-exchanged": exchanged,
    "decimal-point": lambda text, rng: moved(text, rng.choice((1, -1))),
}


def slipped(kind, seed):
    """The right line with one entry gone wrong."""
    rng = random.Random(seed)
    rows = [[rng.randint(-99, 99) for _ in range(2)] for _ in range(3)]
    problem = load(PROBLEM | {"given": PROBLEM["given"] | {"V": rows}})
    lines = solve(problem).parts[0].steps[0].decimals(3)
    i, j = rng.randrange(3), rng.randrange(2)
    before = lines[i][j]
    lines[i][j] = SLIPS[kind](before, rng)
    assume(abs(Decimal(lines[i][j]) - Decimal(before)) > Decimal("0.05"))
    (step,) = check(problem, {"Z": lines}).steps
    return step


@pytest.mark.parametrize("kind", SLIPS)
@examples(40)
@given(seed=st.integers(0, 10**6))
def test_law_a_slip_in_one_entry_is_named_and_the_method_stands(kind, seed):
    step = slipped(kind, seed)
    assert step.verdict == "wrong"
    assert {cause.code for cause in step.causes} & {
        *SLIPS,
        "copied-neighbour",
        "term-missed",
        "term-sign",
        "wrong-row-or-column",
    }
    assert step.mark.earned == METHOD and step.mark.reasons == because(Reason.SLIP)


ROOTS = {
    "sign": lambda rows: [[f"-{rows[0][0]}".replace("--", ""), *rows[0][1:]], *rows[1:]],
    "rows-permuted": lambda rows: [rows[1], rows[0], *rows[2:]],
    "columns-permuted": lambda rows: [[row[1], row[0], *row[2:]] for row in rows],
}


@pytest.mark.parametrize("kind", ROOTS)
@examples(60)
@given(
    x=st.lists(st.lists(st.integers(-400, 400), min_size=3, max_size=3), min_size=3, max_size=3),
    square=st.sampled_from([2, 3, 5, 6]),
    digits=st.integers(2, 3),
)
def test_law_a_slip_is_named_by_whatever_legal_way_the_line_was_worked(kind, x, square, digits):
    """10 / 1.41 is 7.09 where the whole root gives 7.07: a slip beside it was one of many wrong entries."""
    unit = Decimal(1).scaleb(-digits)
    root = Decimal(square).sqrt().quantize(unit, ROUND_HALF_UP)
    rows = [[str((Decimal(number) / 10 / root).quantize(unit, ROUND_HALF_UP)) for number in row] for row in x]
    line = ROOTS[kind](rows)
    assume(max(abs(Decimal(a) - Decimal(b)) for one, two in zip(rows, line) for a, b in zip(one, two)) > 2)
    assume(len({number for row in x for number in row}) > 6)  # of a few numbers each is another's slip
    given_ = {"X": [[f"{number / 10:.1f}" for number in row] for row in x]}
    steps = {"y": f"X / sqrt({square})"}
    (step,) = check(load({"given": given_, "rounding": {"digits": digits}, "steps": steps}), {"y": line}).steps
    assert kind in {cause.code for cause in step.causes}
    if kind == "sign":
        assert step.mark.earned == METHOD and step.mark.reasons == because(Reason.SLIP)


@given(
    st.lists(st.lists(st.integers(-2, 3), min_size=3, max_size=3), min_size=1, max_size=3),
    st.integers(2, 3),
    st.sampled_from(["losses", "loss"]),
)
@examples(30)
def test_law_a_turned_sign_is_told_once(logits, digits, name):
    """Where a mistake explains the sign of a whole line, no slip of the pen is told beside it."""
    problem = load(
        {"given": {"logits": logits, "targets": [0] * len(logits)}, "cross_entropy": {}, "rounding": {"digits": digits}}
    )
    lines = {step.step.name: step.decimals(digits) for step in solve(problem).parts[0].steps}
    lines[name] = [[f"-{entry}" for entry in row] for row in lines[name]]
    assume(any(float(entry) for row in lines[name] for entry in row))
    report = check(problem, lines)
    assert all({"sign", "loss-sign"} - {cause.code for cause in found.causes} for found in report.steps)
    assert digits < 3 or "loss-sign" in {cause.code for cause in report.first_wrong.causes}


def test_most_blunders_are_no_slips():
    """Of 40 entries that are wrong by chance few are what a slip would have made of them."""
    rng, problem, named = random.Random(1), load(PROBLEM), 0
    right = solve(problem).parts[0].steps[0].decimals(3)
    for _ in range(40):
        lines = [list(row) for row in right]
        lines[rng.randrange(3)][rng.randrange(2)] = f"{rng.uniform(-9, 9):.3f}"
        (step,) = check(problem, {"Z": lines}).steps
        named += bool(step.causes)
    assert named <= 2


def test_whole_numbers_that_are_the_scores_themselves_are_enough_to_name_the_scale():
    given_ = {"Q": [[1, 0, 0], [0, 0, 1]], "K": [[1, 2, -2], [-2, 2, 1]], "V": [[3, -3], [0, 2]]}
    report = check(
        {"given": given_, "rounding": {"digits": 2}, "attention": {}},
        {"S": [[1, -2], [-2, 1]], "S_scaled": [[1, -2], [-2, 1]]},
    )
    assert [cause.code for cause in report.first_wrong.causes] == ["scale-forgotten"]


def causes(problem, **typed):
    """The last line's causes by their codes."""
    return {cause.code: cause for cause in check(load(problem), typed).steps[-1].causes}


FOUR = {
    "given": {"A": [[1, 2, -3], [4, 0, 2], [2, 5, 1]], "B": [[7, 1, 2], [3, 11, -4], [5, 2, 9]]},
    "rounding": {"digits": 2}, "steps": {"Z": "A @ B / 3"},
}  # fmt: skip


@for_each("at", [(0, 0), (0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1), (2, 2)])
def test_a_number_that_was_copied_stands_above_below_or_beside(at):
    """Not across a corner, and not where it is wrong itself."""
    lines = solve(load(FOUR)).parts[0].steps[0].decimals(2)
    i, j = at
    lines[1][1] = lines[i][j]
    named = causes(FOUR, Z=lines)
    assert ("copied-neighbour" in named) == (1 in at)
    if 1 in at:
        assert f"(Z[{i + 1}, {j + 1}])" in named["copied-neighbour"].done
        lines[i][j] = lines[1][1] = "123.45"
        assert "copied-neighbour" not in causes(FOUR, Z=lines)


@for_each(("count", "told"), [(1, True), (2, True), (3, True), (4, False)])
def test_three_entries_of_many_may_have_gone_wrong_one_by_one(count, told):
    rng = random.Random(3)
    a, b = ([[rng.randint(2, 9) for _ in range(4)] for _ in range(4)] for _ in range(2))
    problem = {"given": {"A": a, "B": b}, "rounding": {"digits": 3}, "steps": {"Z": "A @ B / 7"}}
    lines = solve(load(problem)).parts[0].steps[0].decimals(3)
    for k in range(count):
        lines[k][k] = f"-{lines[k][k]}"
    assert ("sign" in causes(problem, Z=lines)) == told


def test_an_entry_of_which_more_is_open_than_it_says_counts_nothing(monkeypatch):
    """Neither against the slip: it costs its kind, and that it is one."""
    problem = load({"given": {"x": [[1, 2, 3, 4]]}, "rounding": {"digits": 0}, "steps": {"y": "x * 1"}})
    report = check(problem, {"y": [["-1", "2", "3", "4"]]})
    search = Search(
        report.context,
        report.steps[0].line,
        report.context.likeliest,
        report.context.expected(report.steps[0].step, report.context.likeliest),
    )
    (sign,) = (one for one in slips(search) if one.code == "sign")
    assert sign.bits == pytest.approx(log2(2 * 4) - log2(35 / 6) - 1)
    monkeypatch.setattr(Reading, "left_open", lambda self, at, cell: 9.0)
    (sign,) = (one for one in slips(search) if one.code == "sign")
    assert sign.bits == pytest.approx(-log2(35 / 6) - 1)


def test_a_slip_costs_its_kind_and_that_it_is_one():
    """An exact number counts as one of six decimals; a sign is 6 of the 36 that all kinds weigh, a blunder as likely
    as a slip.
    """
    weights = (6, 4, 4, 3, 3, 3, 2, 4, 3, 3)
    four = {"given": {"x": [[1, 2, 4, 5]]}, "rounding": {"digits": 2}, "steps": {"y": "x / 3"}}
    found = causes(four, y=[["-1/3", "2/3", "4/3", "5/3"]])
    assert found["sign"].bits == pytest.approx(log2(2 * 5 / 3 * 10**6) - log2(sum(weights) / 6) - 1)
    # a decimal point is one of four ways in which an entry alone may have gone wrong
    found = causes(four, y=[["3.33", "0.67", "1.33", "1.67"]])
    assert found["decimal-point"].bits == pytest.approx(log2(2 * 3.33 / 0.01) - log2(sum(weights) / 3) - log2(4) - 1)


def test_a_slip_that_is_not_rare_costs_which_entries_it_took_and_how_seldom_it_is():
    weights = (6, 4, 4, 3, 3, 3, 2, 4, 3, 3)
    wide = {"given": {"x": [[1, 200, 400]]}, "rounding": {"digits": 3}, "steps": {"y": "x / 3"}}
    found = causes(wide, y=[["0.333", "-66.667", "133.333"]])
    assert not found["sign"].accuracy_reason
    worth = log2(2 * 133.333 / 0.001)
    assert found["sign"].bits == pytest.approx(worth - log2(sum(weights) / 6) - log2(3 / 0.02), abs=1e-3)
    square = {"given": {"x": [[1, 20], [400, 700]]}, "rounding": {"digits": 3}, "steps": {"y": "x / 3"}}
    lines = [["0.333", "133.333"], ["6.667", "233.333"]]
    # two entries, one of six orders that rows and columns may stand in
    worth = 2 * log2(2 * 233.333 / 0.001)
    found = causes(square, y=lines)
    assert found["transposed"].bits == pytest.approx(worth - log2(sum(weights) / 4 / 0.02) - log2(6), abs=1e-3)


ANOTHER = {
    "given": {"X": [["1.25", "7.5", "3.75"], ["3.75", "1.25", "7.5"], ["2.5", "1.5", "0.5"]]},
    "rounding": {"digits": 2}, "steps": {"z": "X[1, :]"},
}  # fmt: skip


def test_another_row_is_not_the_right_one_in_another_order():
    """The first row holds the numbers of the second one: it was taken for it."""
    assert "columns-permuted" in causes(ANOTHER, z=[["7.50", "3.75", "1.25"]])
    for other in ("1.25 7.50 3.75", "2.50 1.50 0.50"):
        (step,) = check(load(ANOTHER), {"z": [other.split()]}).steps
        assert step.verdict == "wrong" and not step.causes


@for_each(("count", "told"), [(2, True), (3, True), (4, False), (5, False)])
def test_what_stands_in_more_than_half_of_a_line_is_a_filler_and_was_not_copied(count, told):
    x = ["123" if 0 < j < count else str(37 * j + 45) for j in range(6)]
    problem = {"given": {"x": [x]}, "rounding": {"digits": 2}, "steps": {"y": "x / 7"}}
    (line,) = solve(load(problem)).parts[0].steps[0].decimals(2)
    assert ("copied-neighbour" in causes(problem, y=[[line[1], *line[1:]]])) == told


TERMS = {
    "given": {"A": [[12, -7, 5], [31, 4, -9], [-6, 17, 8]], "B": [[7, 11, -2], [13, -8, 6], [5, 3, 19]]},
    "rounding": {"digits": 2}, "steps": {"Z": "A @ B"},
}  # fmt: skip


KINDS = 35  # what all kinds of slip weigh


@for_each(("number", "code", "detail", "weight"), [
    ("224.00", "wrong-row-or-column", "row 2", 3), ("219.00", "wrong-row-or-column", "row 3", 3),
    ("203.00", "wrong-row-or-column", "column 2", 3), ("29.00", "wrong-row-or-column", "column 3", 3),
    ("109.00", "term-missed", "product 2 of 3", 4), ("-32.00", "term-sign", "product 3 of 3", 4),
])  # fmt: skip
def test_a_slip_in_a_product_costs_which_of_its_terms_it_took(number, code, detail, weight):
    """Of three products there are seven such slips: none, and each of them twice."""
    lines = solve(load(TERMS)).parts[0].steps[0].decimals(2)
    lines[0][0] = number
    found = causes(TERMS, Z=lines)
    assert set(found) == {code} and f"Z[1, 1]: {detail}." in found[code].done
    assert found[code].bits == pytest.approx(log2(2 * 282 / 0.01) - log2(KINDS / weight) - log2(7) - 1)


@pytest.mark.parametrize(
    ("typed", "code", "weight"), [("24.00", "term-missed", 4), ("-32.00", "wrong-row-or-column", 3)]
)
def test_the_slips_in_a_product_are_counted_by_its_terms(typed, code, weight):
    """Of two products in each of six entries there are five."""
    problem = {"given": {"A": [[2, 3], [5, -7]], "B": [[12, -7, 31], [9, -6, 17]]}, "rounding": {"digits": 2},
        "steps": {"Z": "A @ B"}}  # fmt: skip
    lines = solve(load(problem)).parts[0].steps[0].decimals(2)
    assert lines[0][0] == "51.00" and lines[1] == ["-3.00", "7.00", "36.00"]
    lines[0][0] = typed
    found = causes(problem, Z=lines)
    assert found[code].bits == pytest.approx(log2(2 * 113 / 0.01) - log2(KINDS / weight) - log2(5) - 1)


@pytest.mark.parametrize("x", [["1", "200", "400"], ["1.5", "200", "400"]])
def test_two_slips_of_two_kinds_count_in_full_where_the_numbers_are_not_whole(x):
    problem = {"given": {"x": [x]}, "rounding": {"digits": 2}, "steps": {"y": "x / 3"}}
    right = solve(load(problem)).parts[0].steps[0].decimals(2)[0]
    found = causes(problem, y=[[right[0], "-66.67", "13.33"]])
    worth = 2 * log2(2 * 400 / 3 / 0.01)
    assert found["sign"].bits == pytest.approx(
        worth - log2(KINDS / 6) - log2(KINDS / 3) - log2(4) - log2(3 / 0.02), abs=1e-3
    )


# -- rounded too early, so that the method stands ----------------------------------------------------------------------


@for_each(("x", "digits", "constant", "named"), [
    ([0, 10], 2, "1.7", True), ([0, 0, 10], 2, "1.7", True), ([0, 0, 10, 20], 2, "1.7", True),
    ([0, 30, 10], 2, "1.7", True), (["sqrt(3)", 10, 20], 2, "1.7", True), ([10, 20], 1, "1.7", False),
    ([10, 20], 6, "1.732", True), ([10, 20], 7, "1.732", False),
    ([10, 20], 3, "1.7", True), ([10, 20], 3, "1.73", True), ([10, 20], 3, "1.8", False), ([10, 20], 3, "2", False),
])  # fmt: skip
def test_a_constant_kept_to_too_few_decimals(x, digits, constant, named):
    """In two decimals to six; not where no rounding makes this constant of √3."""
    problem = {"given": {"x": [x]}, "rounding": {"digits": digits}, "steps": {"y": "x * sqrt(3)"}}
    factors = [Decimal(3).sqrt() if n == "sqrt(3)" else Decimal(n) for n in x]
    unit = Decimal(1).scaleb(-digits)
    line = [str((Decimal(constant) * n).quantize(unit, "ROUND_HALF_UP")) for n in factors]
    assert ("constant-rounded" in causes(problem, y=[line])) == named


@pytest.mark.parametrize(("x", "y", "z", "named"), [
    (["1/7", "9/37"], ["0.143", "0.243"], ["1.140", "1.240"], True),
    (["20/139", "10/41"], ["0.144", "0.244"], ["1.140", "1.240"], True),
    (["20/139", "10/41"], ["0.144", "0.244"], ["1.140", "1.250"], False),
])  # fmt: skip
def test_work_that_rounds_too_early_gives_every_number(x, y, z, named):
    problem = {"given": {"x": [x]}, "rounding": {"digits": 3}, "steps": {"y": "x * 1", "z": "y + 1"}}
    assert ("rounded-too-early" in causes(problem, y=[y], z=[z])) == named


@pytest.mark.parametrize("kept", [1, 2])
def test_weights_that_were_rounded_and_not_written_leave_the_method(kept):
    """However many units the result is off, if the rounded weights give all its numbers."""
    problem = {"given": {"S": [["0.5", "1.25"], ["2", "-0.3"]], "V": [[3, "4.2"], [-2, "1.7"]]},
               "rounding": {"digits": 4}, "steps": {"A": "softmax(S)", "Z": "A @ V"}}  # fmt: skip
    weights = [[Decimal(text) for text in row] for row in solve(load(problem))["A"].decimals(kept)]
    values = [[Decimal(str(x)) for x in row] for row in problem["given"]["V"]]
    z = [[f"{sum(a * v for a, v in zip(row, column, strict=True)):.4f}" for column in zip(*values, strict=True)]
         for row in weights]  # fmt: skip
    assert "rounded-too-early" in causes(problem, Z=z)


def test_a_line_is_not_rounded_once_more_by_two_digits():
    """With so few almost every number comes of it."""
    steps = {"y": "x / 7", "z": "y / 10"}
    problem = {"given": {"x": [["0.999", "1.699"]]}, "rounding": {"digits": 4}, "steps": steps}
    assert not causes(problem, y=[["0.1427", "0.2427"]], z=[["0.0140", "0.0240"]])


@for_each("factor", ["0.1", "0.2", "0.3", "0.4"])
def test_a_constant_and_what_comes_of_it_rounded_early_are_told_once(factor):
    """Three units off, the line is what comes of either."""
    problem = {"given": {"x": [[factor, "0.6"]]}, "rounding": {"digits": 2}, "steps": {"y": "x * sqrt(3)"}}
    line = [str((Decimal("1.7") * Decimal(x)).quantize(Decimal("0.01"), "ROUND_HALF_UP")) for x in (factor, "0.6")]
    (told,) = causes(problem, y=[line]).values()
    assert (told.code, told.bits) == ("constant-rounded", 0)


def test_what_says_too_little_for_a_slip_may_have_been_rounded_too_early():
    """4.87 as 4.78: two digits exchanged, which one number alone does not tell, or √3 as 1.7."""
    problem = {"given": {"x": [["2.8117"]]}, "rounding": {"digits": 2}, "steps": {"y": "x * sqrt(3)"}}
    assert list(causes(problem, y=[["4.78"]])) == ["constant-rounded"]
    assert list(causes(problem, y=[["4.68"]])) == []


def test_a_given_that_was_copied_with_too_few_digits_is_not_rounded_on_the_way():
    """Only what was calculated before can have been; 0.50 and 0.30 are a slip each, or others' numbers."""
    copied = {"given": {"x": [["0.49", "0.31"]]}, "rounding": {"digits": 2}, "steps": {"y": "x * 1"}}
    assert not causes(copied, y=[["0.50", "0.30"]])
    copied |= {"steps": {"y": "x * 7 / 3"}}
    assert not causes(copied, y=[["1.17", "0.70"]])


def test_one_number_in_most_entries_is_a_filler_and_was_not_copied():
    problem = {"given": {"S": [[39, -49], [0, 0]]}, "rounding": {"digits": 2}, "steps": {"A": "softmax(S)"}}
    (step,) = check(load(problem), {"A": [["0.50", "0.50"], ["0.50", "0.50"]]}).steps
    assert step.verdict == "wrong" and not step.causes


@examples(200)
@given(st.lists(st.integers(-600, 600), min_size=2, max_size=4, unique=True), st.booleans())
def test_law_exponentials_kept_to_the_decimals_alone_lose_the_accuracy_and_not_the_method(scores, shifted):
    """As a display of two decimals keeps them: e^−4.95 as 0.01."""
    top = max(scores) if shifted else 0
    powers = [Decimal(x - top).scaleb(-2).exp().quantize(Decimal("0.01"), ROUND_HALF_UP) for x in scores]
    assume(sum(powers))
    weights = [str((x / sum(powers)).quantize(Decimal("0.01"), ROUND_HALF_UP)) for x in powers]
    assume(len({*weights}) > 1)  # equal ones are written without work
    problem = load(
        {"given": {"S": [[f"{x / 100:.2f}" for x in scores]]}, "rounding": {"digits": 2}, "steps": {"A": "softmax(S)"}}
    )
    (line,) = check(problem, {"answers": {"A": [weights]}}).steps
    assert line.mark.earned >= METHOD * line.mark.out_of


@examples(100)
@given(st.lists(st.integers(-9, 9), min_size=3, max_size=4), st.sampled_from([2, 5, 10]))
def test_law_a_mistake_that_gives_the_numbers_comes_before_work_with_fewer_decimals(scores, divisor):
    """Weights of unscaled scores print as 0 and 1, which say little; they were called rounded too early."""

    def weights(numbers, rounding=None):
        powers = [Decimal(number).exp() for number in numbers]
        powers = [power if rounding is None else power.quantize(Decimal("0.001"), rounding) for power in powers]
        return [str((power / sum(powers)).quantize(Decimal("0.001"), ROUND_HALF_UP)) for power in powers]

    scaled = [Decimal(score) / divisor for score in scores]
    typed = weights(scores)
    steps = {"R": f"S / {divisor}", "A": "softmax(R)"}
    problem = {"given": {"S": [scores]}, "rounding": {"digits": 3}, "steps": steps}
    assume(sum(number not in ("0.000", "1.000") for number in typed) == 0)
    assume(all(typed != weights([x - max(scaled) for x in scaled], kept) for kept in (None, ROUND_HALF_UP, ROUND_DOWN)))
    lines = {"R": [[f"{x:.3f}" for x in scaled]], "A": [typed]}
    step = check(load(problem), {"answers": lines}).steps[-1]
    assert {"rounded-too-early", "constant-rounded"}.isdisjoint(cause.code for cause in step.causes)


DISPLAYS = [  # scores, weights by a display of two decimals, and whether such a display leads to them
    ("-3.49 -3.00 -5.60", "0.38 0.63 0.00", True),
    ("1.67 -2.34", "0.99 0.00", True), ("-2.67 0.87 -3.20", "0.01 0.97 0.00", True),  # the largest subtracted, all cut
    ("-6.00 -2.42 -1.85", "0.00 0.34 0.65", True), ("-2.09 -4.90", "1.00 0.00", True),  # cut
    ("-2.12 -4.95", "0.92 0.08", True), ("-2.12 -4.95", "0.90 0.10", False),
    ("-5.60 -6.20", "0.72 0.28", False), ("-2.12 -4.95; -5.60 -6.20", "0.92 0.08; 0.72 0.28", False),  # 0.00 / 0.00
    ("-2.12 -4.95; -0.50 -1.00", "0.92 0.08; 0.62 0.38", True),
    ("-2.12 -4.95; -0.50 -1.00", "0.92 0.08; 0.72 0.28", False),
]  # fmt: skip


@for_each(("scores", "weights", "named"), DISPLAYS)
def test_what_a_display_of_two_decimals_leads_to_is_rounded_too_early(scores, weights, named):
    rows, typed = ([row.split() for row in text.split(";")] for text in (scores, weights))
    sheet = {"given": {"S": rows}, "rounding": {"digits": 2}, "steps": {"A": "softmax(S)"}}
    (line,) = check(load(sheet), {"answers": {"A": typed}}).steps
    assert ("rounded-too-early" in [cause.code for cause in line.causes]) == named
    assert line.verdict == "wrong"


def test_decimals_behind_whole_numbers_are_no_evidence_that_each_went_wrong_in_its_own_way():
    """Two signs are one habit, a sign and a decimal point are two; an entry that is rare needs no such care."""
    problem = {"given": {"x": [[10, 20, 40, 50]]}, "rounding": {"digits": 2}, "steps": {"y": "x * 2"}}
    one = log2(2 * 100 / 0.01) - log2(KINDS / 6)
    found = causes(problem, y=[["-20.00", "40.00", "80.00", "100.00"]])
    assert found["sign"].bits == pytest.approx(one - 1) and found["sign"].accuracy_reason == "slip"
    found = causes(problem, y=[["-20.00", "-40.00", "80.00", "100.00"]])
    assert found["sign"].bits == pytest.approx(2 * one - log2(6 / 0.02))
    problem = problem | {"given": {"x": [[1017, 2020, 4031]]}}
    found = causes(problem, y=[["-2034.00", "404.00", "8062.00"]])
    whole = 2 * log2(2 * 8062 + 1) - log2(KINDS / 6) - log2(KINDS / 3) - log2(4) - log2(3 / 0.02)
    assert set(found) == {"sign", "decimal-point"} and found["sign"].bits == pytest.approx(whole)


def test_of_small_whole_numbers_two_that_went_wrong_in_two_ways_are_no_slips():
    """Of few numbers each has some slip that leads to it: here the line is the tokens, which were not projected."""
    problem = {"given": {"X": [[-2, 1, -1]], "W": [[2, -1, 0], [-2, 1, 2], [-2, 2, -3]]}, "steps": {"V": "X @ W"}}
    (step,) = check(load(problem), {"V": [["-2.000", "1.000", "-1.000"]]}).steps
    assert step.verdict == "wrong" and not {"term-missed", "term-sign"} & {cause.code for cause in step.causes}


@examples(40)
@given(ids=st.lists(st.integers(0, 3), min_size=2, max_size=3), at=st.integers(0, 2), row=st.integers(0, 3))
def test_law_a_lookup_has_no_products_that_could_be_left_out(ids, at, row):
    table = [[0.5, -1, 2, 0.25], [1, 3, -0.5, 0.75], [-2, 0.25, 1.5, 4], [3, -0.75, 0.5, -1]]
    typed = [list(table[i]) for i in ids]
    typed[at % len(ids)][at] = table[row][at] - 0.125 * (row % 2)
    problem = {"given": {"E": table, "ids": ids}, "steps": {"embedded": "lookup(E, ids)"}}
    (step,) = check(load(problem), {"embedded": typed}).steps
    assert not {"term-missed", "term-sign", "wrong-row-or-column"} & {cause.code for cause in step.causes}

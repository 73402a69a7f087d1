"""The verdict on a line, by how many entries are off by how much, and what the lines before it are."""

import json
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncalc import check, load
from attncalc.marking.context import Memory
from attncalc.marking.credit import Reason, because
from attncalc.marking.report import check as report
from attncalc.submissions.script_reader import read
from attncalc.submissions.step_matching import bind
from tests.support.laws import examples
from tests.support.sweeps import for_each

X = [1, 2, 5, 7, 8, 10, 11, 13, 14, 16, 17, 19]  # thirds of them end nowhere


def verdicts(problem, answers, **more):
    return {step.step.name: step.verdict for step in check(load(problem), {"answers": answers, **more}).steps}


def up(x):
    """Two decimals, half up."""
    return f"{float(Fraction(int(Fraction(x) * 100 + Fraction(1, 2)), 100)):.2f}"


@for_each(("count", "off", "verdict"), [
    (1, 1, "last_digit"), (2, 1, "last_digit"), (2, 2, "last_digit"), (12, 3, "last_digit"), (12, 12, "last_digit"),
    (12, 0, "right"),
])  # fmt: skip
def test_a_unit_of_the_last_digit_costs_the_accuracy_alone(count, off, verdict):
    numbers = [Fraction(x, 3) for x in X[:count]]
    line = [up(Fraction(up(x)) + Fraction(1, 100)) if k < off else up(x) for k, x in enumerate(numbers)]
    problem = {"given": {"x": [X[:count]]}, "rounding": {"digits": 2}, "steps": {"y": "x / 3"}}
    assert verdicts(problem, {"y": [line]}) == {"y": verdict}


TWO = {"given": {"x": [[1, 2, 5]]}, "rounding": {"digits": 2}, "steps": {"y": "x / 3", "z": "y * 2"}}
FIRST = {"off": "0.34 0.67 1.67", "wrong": "0.90 0.67 1.67", "right": "0.33 0.67 1.67"}


@for_each(("first", "second", "verdict"), [
    ("off", "0.68 1.34 3.34", "right"), ("off", "0.67 1.33 3.33", "right"),  # from the line above, and from what is right
    ("off", "0.66 1.33 3.33", "truncated"), ("off", "1 1 3", "too_coarse"),
    ("off", "0.67 1.33 3.34", "right"), ("off", "0.77 1.33 3.33", "wrong"),
    ("wrong", "1.80 1.34 3.34", "carried"), ("wrong", "1.80 1.33 3.33", "carried"),
    ("wrong", "1.81 1.34 3.34", "carried"),  # a last digit is no news where the line is wrong all the same
    ("wrong", "0.67 1.33 3.33", "right"), ("wrong", "0.67 1.3 3.33", "too_coarse"),
    ("wrong", "0.68 1.34 3.34", "last_digit"), ("wrong", "1.80 1.34 9.99", "wrong"),
    ("right", "0.67 1.33 3.34", "right"), ("right", "0.68 1.33 3.33", "last_digit"),
])  # fmt: skip
def test_a_line_is_judged_by_the_line_above_by_the_right_one_and_by_the_line_above_worked_out_again(
    first, second, verdict
):
    found = verdicts(TWO, {"y": [FIRST[first].split()], "z": [second.split()]})
    assert found == {"y": {"off": "last_digit"}.get(first, first), "z": verdict}


@for_each(("first", "second", "expected"), [
    ("0.90 0.67 1.67", "0.14 0.10 0.24", "wrong carried"), ("0.33 0.67 1.67", "0.06 0.10 0.24", "right last_digit"),
    ("0.90 0.67 1.67", "0.06 0.10 0.24", "wrong last_digit"), ("1/3 0.68 1.67", "0.05 0.10 0.24", "last_digit right"),
    # the first is cut, the others are rounded
    ("0.90 0.67 1.67", "0.12 0.10 0.24", "wrong carried"), ("0.33 0.67 1.67", "0.04 0.10 0.24", "right truncated"),
])  # fmt: skip
def test_a_last_digit_after_a_wrong_line_is_one_of_what_is_right(first, second, expected):
    problem = {**TWO, "steps": {"y": "x / 3", "z": "y / 7"}}
    assert " ".join(verdicts(problem, {"y": [first.split()], "z": [second.split()]}).values()) == expected


CHAIN = {"t": "x / 3", "y": "t * 9.99", "u": "x / 7", "z": "y * 10 + u"}
TIMES = {"y": "x / 2", "z": "y * 1"}
JUDGED = [  # the problem's numbers and steps, the lines, and the verdict on the last of them with what it earns
    # from t = 0.34 it should be 3.40, and 34.0 comes of that
    ([[1]], CHAIN, {"t": "0.34", "y": "3.41", "u": "0.14", "z": "34.11"}, "right", 1),
    ([[1]], CHAIN, {"t": "0.90", "y": "8.80", "u": "0.14", "z": "90.05"}, "carried", 1),
    # a unit is a near miss, and two units are none
    ([[2]], TIMES, {"y": "1.01", "z": "1.01"}, "right", 1),
    ([["2/3"]], TIMES, {"y": "0.35", "z": "0.35"}, "carried", 1),
    ([[6, 1, 2, 4, 5, 7, 8, 9]], {"y": "x / 6"}, {"y": "1.01 0.18 0.33 0.67 0.83 1.17 1.33 1.50"}, "wrong", 0.75),
    ([[6, 1, 2, 4, 5, 7, 8, 9]], {"y": "x / 6"}, {"y": "1.00 0.18 0.34 0.67 0.83 1.17 1.33 1.50"}, "last_digit", 0.75),
    # 0.003 stands there as 0.00, by which nothing can be divided
    ([["0.003"]], {"y": "x * 1", "z": "1 / y"}, {"y": "0.00", "z": "333.33"}, "right", 1),
    # zeros that are right, and four times that
    ([[1, 1]], {"y": "x / 300", "z": "y * 4"}, {"y": "0.00 0.00", "z": "0.00 0.00"}, "right", 1),
    # 1 is exactly right, so it has no further decimals, though 1.02 follows from 0.34
    ([[1, 0]], {"y": "x / 3", "z": "y * 3"}, {"y": "0.34 0.00", "z": "1 0"}, "right", 1),
    # 4 is exactly right, though a program's number before it is not exact
    ([[-2]], {"y": "0.001 * x ** 2", "z": "y / 0.001"}, {"y": "0.0039999485", "z": "4.0"}, "right", 1),
    # no mistake prints 2 and −3, a scale that is forgotten would print 1 and −1
    ([[3, -4]], {"y": "x / sqrt(2)"}, {"y": "2 -3"}, "too_coarse", 0.75),
    ([[1, -1]], {"y": "x / sqrt(2)"}, {"y": "1 -1"}, "too_coarse", 0),
    # a score that stands where it should be hidden, however low it is
    ([["5", "-7.5"], [1, 2]], {"M": "keep(x, causal(2, 2))"}, {"M": "5.00 -7.50; 1.00 2.00"}, "wrong", 0.375),
]


@for_each(("x", "steps", "lines", "verdict", "earned"), JUDGED)
def test_the_verdict_on_the_last_line(x, steps, lines, verdict, earned):
    problem = {"given": {"x": x}, "rounding": {"digits": 2}, "steps": steps}
    typed = {name: [row.split() for row in text.split(";")] for name, text in lines.items()}
    found = check(load(problem), {"answers": typed}).steps[-1]
    assert (found.verdict, found.mark.earned) == (verdict, earned)


def test_a_coarse_line_after_a_wrong_one_is_right_where_each_of_its_entries_prints_what_is_right():
    """0.67 rounded and 3.67 cut are 1 and 3, and these follow from the wrong line as well."""
    problem = {"given": {"x": [[1, "5.5"]]}, "rounding": {"digits": 2}, "steps": {"y": "x / 3", "z": "y * 2"}}
    for y, z, verdict in (("0.50 1.50", "1 3", "right"), ("0.50 1.00", "1 2", "carried")):
        assert verdicts(problem, {"y": [y.split()], "z": [z.split()]})["z"] == verdict


@pytest.mark.parametrize("z", ["9.33 9.33 5.00", "7.00 7.00 5.00"])
def test_a_wrong_entry_is_one_that_follows_neither_from_what_stands_there_nor_from_the_full_values(z):
    """1 for 1.333 is carried on as it stands or in full, in all entries: the rest of the line tells which."""
    problem = {"given": {"x": [[4, 4, 4]]}, "rounding": {"digits": 2}, "steps": {"y": "x / 3", "z": "y * 7"}}
    found = check(load(problem), {"answers": {"y": [["1", "1", "1"]], "z": [z.split()]}}).steps[-1]
    assert (found.verdict, [(cell.row, cell.column) for cell in found.cells]) == ("wrong", [(0, 2)])


@for_each(("a", "c", "verdict"), [
    ("2.00", "7.00", "right"), ("2.50", "8.50", "carried"), ("2.50", "6.00", "carried"), ("2.50", "9.00", "wrong"),
])  # fmt: skip
def test_what_the_problem_file_accepts_instead_is_accepted_after_a_wrong_line_as_what_follows_from_it(a, c, verdict):
    problem = {"given": {"x": [[6]]}, "steps": {"a": "x / 3", "b": "a * 2", "c": "b + 1"}, "accept": [{"b": "a * 3"}]}
    assert verdicts(problem, {"a": a, "c": c})["c"] == verdict


def test_zeros_that_follow_from_right_zeros_are_an_answer():
    """1/300 prints as 0.00, and twice that is 0.00 as well, though the right number prints as 0.01."""
    problem = {"given": {"x": [[1, 1]]}, "rounding": {"digits": 2}, "steps": {"y": "x / 300", "z": "y * 2"}}
    assert verdicts(problem, {"y": [["0.00", "0.00"]], "z": [["0.00", "0.00"]]}) == {"y": "right", "z": "right"}
    assert verdicts(problem, {"y": [["0.50", "0.00"]], "z": [["1.00", "0.00"]]}) == {"y": "wrong", "z": "carried"}
    assert verdicts(problem, {"y": [["0.00", None]], "z": [["0.00", "0.00"]]}) == {"y": "right", "z": "truncated"}


@for_each(("steps", "w", "verdict"), [
    ({"t": "x / sqrt(3)", "w": "t * 2"}, "8.12", "right"), ({"t": "x / sqrt(3)", "w": "t * 2"}, "8.14", "wrong"),
    ({"t": "x / sqrt(3)", "u": "t + 1", "w": "u * 2"}, "10.12", "right"),
    ({"t": "x / sqrt(3)", "u": "t + 1", "w": "u * 2"}, "10.14", "wrong"),
])  # fmt: skip
def test_a_root_may_have_been_divided_into_1_on_scratch_paper(steps, w, verdict):
    """7 · 0.58 is 4.06, where 7/√3 is 4.04."""
    problem = {"given": {"x": [[7]]}, "rounding": {"digits": 2}, "steps": steps}
    assert verdicts(problem, {"w": [[w]]})["w"] == verdict


@for_each(("low", "steps", "verdict"), [
    ("-99", {}, "right"), ("-2", {}, "wrong"), ("-99", {"A": "softmax(M)"}, "right"), ("-2", {"A": "softmax(M)"}, "right"), ("0.5", {"A": "softmax(M)"}, "wrong"),
    ("-9", {"A": "softmax(M)"}, "right"), ("-9", {"A": "softmax(M.T).T"}, "wrong"), ("-9", {}, "wrong"),
    ("-99", {"A": "softmax(M.T).T"}, "right"), ("-99", {"B": "M * 1"}, "right"),
])  # fmt: skip
def test_a_low_number_hides_a_score_along_the_lines_whose_weights_are_taken(low, steps, verdict):
    """Row 1 has the score 5, column 2 only −8; where no step takes weights, it must be low in both."""
    problem = {"given": {"S": [[5, 1], [3, -8]]}, "rounding": {"digits": 2},
        "steps": {"M": "keep(S, causal(2, 2))", **steps}}  # fmt: skip
    assert verdicts(problem, {"M": [["5", low], ["3", "-8"]]})["M"] == verdict


@for_each(("index", "verdict"), [(0, "right"), (1, "wrong"), (2, "right"), (3, "wrong")])
def test_of_numbers_that_print_the_same_each_may_be_the_largest_and_none_between_them(index, verdict):
    problem = {"given": {"x": [["1", "0.2", "1.001", "0.5"]]}, "rounding": {"digits": 2},
        "steps": {"p": "x / 3", "best": "argmax_rows(p)"}}  # fmt: skip
    assert verdicts(problem, {"p": [["0.33", "0.07", "0.33", "0.17"]], "best": [[index]]})["best"] == verdict


@pytest.mark.parametrize(("where", "verdict"), [("nowhere", "wrong"), ("script", "right"), ("line", "right")])
def test_a_program_is_named_for_a_whole_script_or_for_a_line(where, verdict):
    """1.0000001 is kept as 1 + 2⁻²³ in single precision, so that 1.19e-07 is left."""
    problem = {"given": {"x": [["1.0000001"]]}, "steps": {"y": "x - 1"}}
    line = "array([[1.19e-07]], dtype=float32)" if where == "line" else [["1.19e-07"]]
    assert verdicts(problem, {"y": line}, **{"computed": "float32"} if where == "script" else {}) == {"y": verdict}


@for_each("parts", [False, True])
@for_each("left_out", [False, True])
def test_a_class_is_marked_as_each_script_alone_also_where_another_formula_starts_elsewhere(parts, left_out):
    """z may be worked out from w, which its own formula does not name: scripts that differ in w alone are two."""
    steps = {"w": "x * 7", "y": "x / 3", "u": "y * 2", "z": "u + 1"}
    problem = {"given": {"x": [[3, 6]]}, "steps": steps, "accept": [{"u": "w * 2"}]}
    problem = load(
        {"parts": {"first": {"given": {"x": [[1]]}, "steps": {"y": "x"}}, "q": problem}} if parts else problem
    )
    memory = Memory()
    for w, z in (
        ([21, 42], [43, 85]),
        ([20, 41], [41, 83]),
        ([21, 42], [41, 83]),
        ([20, 41], [43, 85]),
        ([0, 0], [3, 5]),
    ):
        lines = {"w": [w], "y": [[1, 2]], "u": [[z[0] - 1, z[1] - 1]], "z": [z]}
        if left_out:
            del lines["u"]
        bound = bind(read(json.dumps({"answers": {"q": lines} if parts else lines}), "answers.json"), problem)
        with_memory, alone = report(problem, bound, memory), report(problem, bound)
        assert [(s.verdict, s.mark.earned) for s in with_memory.steps] == [
            (s.verdict, s.mark.earned) for s in alone.steps
        ]


# -- zeros before a logarithm ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("typed", [True, False])
@pytest.mark.parametrize("steps", [{"l": "-log(p)"}, {"q": "p * 1", "l": "-log(q)"}])
@examples(100)
@given(
    x=st.integers(1, 400), of=st.sampled_from([0.1, 0.23, 0.27, 0.45, 0.55, 0.8, 1, 2.2, 4.5, 9]), none=st.booleans()
)
def test_law_behind_a_zero_stands_the_logarithm_of_0_or_of_half_to_twice_the_number(typed, steps, x, of, none):
    """x prints as 0, and so it was typed, or left out; what is kept of it is 0, or near it, at each step anew."""
    number, near = x / 100_000, 2 ** len(steps)
    lines = {"p": [["0.00"]]} if typed else {}
    found = verdicts(
        {"given": {"x": [[f"{number:.5f}"]]}, "rounding": {"digits": 2}, "steps": {"p": "x * 1", **steps}},
        {**lines, "l": [["inf" if none else f"{-log(of * number):.2f}"]]},
    )["l"]
    if none or 1 / near < of <= 1:
        assert found == "right"
    elif of < 1 or of > near:
        assert found == "wrong"


@examples(60)
@given(y=st.integers(51, 149))
def test_law_what_is_left_out_behind_a_coarse_line_is_no_zero_where_a_finite_logarithm_follows(y):
    """Of y, typed as 0.1, a tenth is left out: 0.005 to 0.015, which two decimals may keep as 0."""
    steps, given_ = {"y": "x * 1", "q": "y / 10", "l": "-log(q)"}, {"x": [[f"{y / 1000:.3f}"]]}
    for value, verdict in ((0.001, "wrong"), (0.04, "wrong"), (y / 10_000, "right")):
        lines = {"y": [["0.1"]], "l": [[f"{-log(value):.2f}"]]}
        assert verdicts({"given": given_, "rounding": {"digits": 2}, "steps": steps}, lines)["l"] == verdict


@pytest.mark.parametrize(("steps", "accept", "lines", "legal", "wrong"), [
    # by an order that is finite where p is 0, p may be 0, also beside a wrong line
    ({"l": "-log(p)"}, "1 - 100 * p", {}, "1.00 5.52 inf", "3.50"),
    ({"r": "x * 100", "l": "r - log(p)"}, "r - 100 * p", {"r": "0.90"}, "0.90 6.42 inf", "4.50"),
    # a line that was written from the unrounded p is what it is, though p itself is read as 0
    ({"r": "p * 13/10", "l": "-log(p + r)"}, None, {"r": "0.01"}, "5.26 4.69 4.61", "6.50 3.50"),
])  # fmt: skip
def test_a_zero_is_looked_into_only_where_it_leads_to_an_infinite_number(steps, accept, lines, legal, wrong):
    problem = {"given": {"x": [["0.004"]]}, "steps": {"p": "x * 1", **steps}, "rounding": {"digits": 2},
        "accept": [{"l": accept}] if accept else []}  # fmt: skip
    typed = {"p": [["0.00"]], **{key: [[text]] for key, text in lines.items()}}
    found = {last: verdicts(problem, {**typed, "l": [[last]]})["l"] for last in [*legal.split(), *wrong.split()]}
    assert {last for last, verdict in found.items() if verdict != "wrong"} == set(legal.split()), found


@for_each(("line", "verdict"), [
    ("inf 3.00", "right"), ("inf 3.42", "right"), ("5.52 3.42", "right"), ("5.52 3.00", "wrong"),
])  # fmt: skip
def test_a_coarse_line_carries_all_that_it_shows_or_nothing_of_it_zeros_too(line, verdict):
    problem = {"given": {"x": [["0.004", "0.342"]]}, "rounding": {"digits": 2},
        "steps": {"p": "x * 1", "l": "hstack(-log(p[:,0]), 10 * p[:,1])"}}  # fmt: skip
    assert verdicts(problem, {"p": [["0.0", "0.3"]], "l": [line.split()]})["l"] == verdict


@for_each("score", ["0.2", "2", "1/3"])
@for_each(("low", "verdict"), [("-inf", "right"), ("-1e9", "right"), ("-99", "right"), ("-2", "wrong")])
def test_minus_infinity_added_to_a_score_is_minus_infinity_whatever_the_score(score, low, verdict):
    problem = {"given": {"S": [[1, score]], "M": [[0, "-inf"]]}, "rounding": {"digits": 2},
        "steps": {"T": "S + M", "A": "softmax(T)"}}  # fmt: skip
    assert verdicts(problem, {"T": [["1", low]]})["T"] == verdict


@for_each(("loss", "verdict"), [("5.63", "right"), ("inf", "right"), ("4.80", "wrong"), ("20.00", "wrong")])
def test_a_sum_of_logarithms_is_infinite_where_one_is(loss, verdict):
    problem = {"given": {"x": [["0.004", "0.9"]]}, "rounding": {"digits": 2},
        "steps": {"p": "x * 1", "l": "-row_sum(log(p))"}}  # fmt: skip
    assert verdicts(problem, {"p": [["0.00", "0.90"]], "l": [[loss]]})["l"] == verdict


@for_each(("mean", "variance", "verdict"), [
    ("2.50", "4.92", "carried"), ("2.50", "4.67", "right"), ("2.50", "5.00", "wrong"), ("3.00", "4.67", "right"),
    ("3.00", "4.92", "wrong"), (None, "4.92", "wrong"), (None, "4.67", "right"),
])  # fmt: skip
def test_a_line_may_come_of_a_written_one_that_its_formula_does_not_name(mean, variance, verdict):
    """The variance of 1, 2, 6 around 3 is 4.67, around a mean of 2.5 it is 4.92."""
    problem = {"given": {"X": [[1, 2, 6]]}, "rounding": {"digits": 2}, "steps": {"m": "row_mean(X)", "v": "row_var(X)"}}
    lines = {"v": [[variance]], **({"m": [[mean]]} if mean else {})}
    assert verdicts(problem, lines)["v"] == verdict


def half_up(x, digits):
    return Decimal(x).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)


@given(
    st.lists(st.integers(-40, 40), min_size=2, max_size=4),
    st.sampled_from([2, 3, 5, 6, 7]),
    st.integers(1, 4),
    st.integers(0, 1),
)
def test_law_a_root_kept_to_enough_decimals_is_no_truncation(numbers, square, digits, more):
    """attncalc called -10 / 1.7321 = -5.773 truncated, since -5.774 follows from the whole root."""
    root = half_up(Decimal(square).sqrt(), digits + more)
    typed = [[str(half_up(number / root, digits)) for number in numbers]]
    problem = {"given": {"x": [numbers]}, "rounding": {"digits": digits}, "steps": {"y": f"x / sqrt({square})"}}
    assert check(load(problem), {"answers": {"y": typed}}).steps[-1].verdict == "right"


@given(st.integers(1, 8), st.integers(1, 9), st.lists(st.integers(-5, 5), min_size=2, max_size=2), st.integers(1, 3))
def test_law_rounded_products_are_no_truncation(part, whole, values, digits):
    weights = [Decimal(part) / (part + whole), Decimal(whole) / (part + whole)]
    typed = sum(half_up(weight * value, digits) for weight, value in zip(weights, values))
    problem = {
        "given": {"A": [[f"{part}/{part + whole}", f"{whole}/{part + whole}"]], "V": [[value] for value in values]},
        "rounding": {"digits": digits},
        "steps": {"Z": "A @ V"},
    }
    assert check(load(problem), {"answers": {"Z": [[str(typed)]]}}).steps[-1].verdict == "right"


@examples(400)
@given(
    x=st.lists(st.integers(-40, 40), min_size=1, max_size=2),
    slips=st.lists(st.integers(-3, 3), min_size=2, max_size=2),
    divisor=st.sampled_from([3, 7, 9, 11]),
    factor=st.integers(1, 60),
    places=st.integers(0, 2),
    is_full=st.booleans(),
)
def test_law_a_line_rounded_from_what_an_earlier_line_carries_is_not_truncated(
    x, slips, divisor, factor, places, is_full
):
    """An earlier line with a slip carries its print, one with few decimals also its full value: either may lead on."""
    problem = {
        "given": {"x": [x]},
        "rounding": {"digits": 2},
        "steps": {"y": f"x / {divisor}", "z": f"y * {factor} / 60"},
    }
    unit = Decimal(1).scaleb(-places)
    typed = [half_up(Decimal(number) / divisor, places) for number in x]
    carried = [Decimal(number) / divisor for number in x] if is_full else typed
    if not is_full:
        carried = typed = [number + slip * unit for number, slip in zip(typed, slips)]
    lines = {"y": [list(map(str, typed))], "z": [[str(half_up(number * factor / 60, 2)) for number in carried]]}
    step = check(load(problem), {"answers": lines}).steps[-1]
    assert step.verdict != "truncated" and because(Reason.TRUNCATED_CARRIED)[0] not in step.mark.reasons


@given(st.integers(1, 3), st.integers(-9000, 9000), st.integers(1, 4))
def test_law_a_divisor_that_may_be_rounded_to_0_accepts_not_every_number(power, number, digits):
    """1 - 0.999^t is 0 to two decimals, but nobody divides by 0: 55.55 was right for 0.25."""
    problem = {
        "given": {"v": [["0.0005"]]},
        "rounding": {"digits": digits},
        "steps": {"v_hat": f"v / (1 - 0.999 ** {power})"},
    }
    typed = Decimal(number) / 100
    least, most = Decimal("0.0005") / Decimal("0.1"), Decimal("0.0005") / (1 - Decimal("0.999") ** power)
    verdict = check(load(problem), {"answers": {"v_hat": [[str(typed)]]}}).steps[-1].verdict
    unit = Decimal("0.1")
    assert (verdict == "wrong") or least - unit <= typed <= most + unit

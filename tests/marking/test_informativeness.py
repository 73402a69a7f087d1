"""How long the numbers of a line are to describe, and what follows for the lines after it."""

import math
from itertools import permutations

import pytest
from flint import arb, fmpq, fmpz
from hypothesis import given
from hypothesis import strategies as st

from attncalc import check, load, solve
from attncalc.api import loads
from attncalc.arithmetic.matrix_types import MINUS_INFINITY
from attncalc.arithmetic.working_precision import working_precision
from attncalc.marking.informativeness import Description, has_no_value, numbers_of, selects_rows_or_columns
from attncalc.marking.precision import Reading
from tests.support.laws import examples
from tests.support.sweeps import for_each

FORM = Description(9.0, False)
WEIGHTS = Description(1.0, True)
ENTRY = st.integers(-900, 900).map(lambda x: fmpq(x, 100))
MATRIX = st.lists(st.lists(ENTRY, min_size=2, max_size=2), min_size=2, max_size=4)


def matrix(text):
    """`1 0.5; _ 2` as numbers; `_` is hidden."""
    rows = [row.split() for row in text.split(";")]
    return [[None if x == "_" else fmpq(round(float(x) * 100), 100) for x in row] for row in rows]


@examples(60)
@given(rows=MATRIX)
def test_law_the_order_of_rows_says_nothing(rows):
    lengths = {round(FORM.bits(order), 9) for order in permutations(rows)}
    assert len(lengths) == 1


@examples(30)
@given(
    S=st.lists(st.sampled_from([[-1, 1, 1], [1, -1, -1], [1, 1, -1], [-1, 0, 1], [0, 1, 1]]), min_size=2, max_size=2),
    d=st.sampled_from([2, 3]),
)
def test_law_a_forgotten_scale_in_integers_is_named_and_costs_nothing(S, d):

    def problem(root):
        steps = f"S_scaled: S / sqrt({root}), A: softmax(S_scaled), Z: A @ V"
        return loads(f"title: A\nask: Z\ngiven: {{S: {S}, V: [[1, 2], [3, 5], [0, 4]]}}\nsteps: {{{steps}}}")

    mistaken = solve(problem(1))
    after = {name: mistaken[name].decimals(2) for name in ("A", "Z")}
    reports = [
        check(problem(d), {"S_scaled": [[form.format(x) for x in row] for row in S], **after})
        for form in ("{}", "{}.00")
    ]
    assert reports[0].earned >= 2 == reports[1].earned
    assert reports[0].steps[0].line.like_mistakes  # legal in integers, but a person should look at it
    assert not check(problem(d), {"S_scaled": S}).steps[0].line.like_mistakes  # nothing shows more decimals


@examples(60)
@given(rows=MATRIX)
def test_law_zeros_are_shortest_and_free_numbers_longest(rows):
    zeros, free = [[fmpq(0)] * 2 for _ in rows], 2 + sum(FORM.cost(x) for row in rows for x in row)
    assert FORM.bits(zeros) == 1 <= FORM.bits(rows) <= free


@examples(60)
@given(rows=MATRIX, at=st.tuples(st.integers(0, 1), st.integers(0, 1)))
def test_law_what_the_sheet_masks_costs_nothing(rows, at):
    hidden = [[None if (i, j) == at else x for j, x in enumerate(row)] for i, row in enumerate(rows)]
    assert FORM.bits(hidden) <= FORM.bits(rows)


@examples(60)
@given(rows=MATRIX, other=MATRIX)
def test_law_a_copy_costs_the_same_whatever_is_copied(rows, other):
    """But for zeros and single numbers, which are shorter still."""
    sources = Description(9.0, False, (rows, other))
    assert max(sources.bits(rows), sources.bits(other), sources.bits(list(zip(*rows, strict=True)))) <= 4
    assert Description(9.0, False, (rows,)).bits(rows) <= FORM.bits(rows) + 1


@examples(60)
@given(row=st.lists(ENTRY, min_size=2, max_size=4), times=st.integers(2, 5))
def test_law_a_repeated_row_carries_the_bits_of_one_row(row, times):
    assert FORM.bits([row] * times) <= 5 + sum(map(FORM.cost, row)) + times


@examples(60)
@given(a=ENTRY, b=ENTRY, which=st.lists(st.lists(st.booleans(), min_size=3, max_size=3), min_size=2, max_size=5))
def test_law_two_numbers_carry_a_bit_for_each_entry(a, b, which):
    rows = [[a if first else b for first in row] for row in which]
    assert FORM.bits(rows) <= 3 + FORM.cost(a) + FORM.cost(b) + 3 * len(rows)


@examples(60)
@given(x=st.integers(-99, 99), digits=st.integers(0, 6))
def test_law_a_further_digit_never_lowers_a_number(x, digits):
    assert FORM.cost(fmpq(x, 10**digits)) <= FORM.cost(fmpq(10 * x + 1, 10 ** (digits + 1)))


@for_each(("numbers", "form", "most"), [
    ("0 0; 0 0", FORM, 1), ("1 1; 1 1", FORM, 2), ("3 3; 3 3", FORM, 8), ("1 0; 0 1", FORM, 7), ("1 0; 0 1", WEIGHTS, 5),
    ("0.50 0.50; 0.50 0.50", WEIGHTS, 6), ("0.33 0.33 0.33", WEIGHTS, 5), ("7 _; _ _", FORM, 8), ("_ _", FORM, 1),
])  # fmt: skip
def test_what_can_be_written_without_the_problem_is_short(numbers, form, most):
    assert form.bits(matrix(numbers)) <= most < 2 + 4 * form.cost(fmpq(57, 100))


@for_each(("numbers", "selects"), [
    ("0 0; 0 0", True), ("1 0; 0 1", True), ("0 1; 0 1", True), ("1 1; 0 0", True), ("1 1; 1 0", False),
    ("1; 0; 0", True), ("1; 1; 0", False), ("0 2; 1 0", False), ("1 0 0", True), ("1 1 0", False), ("1", False),
    ("0", True), ("0 _; 1 0", True), ("0.5 0; 0 1", False),
])  # fmt: skip
def test_what_copies_rows_or_is_all_zeros(numbers, selects):
    assert selects_rows_or_columns(matrix(numbers)) == selects


def test_masked_unanswered_and_unbounded_entries_are_no_numbers():
    box = [[(fmpq(1, 3),) * 2, (MINUS_INFINITY,) * 2, None], [(fmpq(2),) * 2] * 3]
    assert numbers_of(box, 2, hidden={(1, 0)}, only={(0, 0), (0, 1), (1, 0), (1, 1)}) == [
        [fmpq(33, 100), None, None], [None, fmpq(2), None]]  # fmt: skip


@for_each(("cells", "typed", "undefined"), [
    ("? ?", "1 2", True), ("? 2", "1 2", True), ("2 ?", "1 2", True), ("2 3", "1 2", False), ("-inf 3", "-inf 3", False),
    ("2 3", "-inf 3", False), ("-inf ?", "-inf 2", True), ("2 2", "inf inf", False), ("? ?", "inf inf", True),
])  # fmt: skip
def test_a_line_has_no_value_if_half_of_its_entries_have_no_bound(cells, typed, undefined):
    def number(text):
        return {"-inf": MINUS_INFINITY, "inf": -MINUS_INFINITY}.get(text) or fmpq(int(text))

    box = [[None if x == "?" else (number(x),) * 2 for x in cells.split()]]
    values = {(0, j): number(x) for j, x in enumerate(typed.split())}
    assert has_no_value(Reading(0, values, dict.fromkeys(values, fmpq(1))), box) == undefined


NORM = {"given": {"X": [[-1, 2, 0, -1], [0, 0, -2, 2]], "gamma": [1, 1, 2, 2], "beta": [0, 2, -2, 2]},
        "rounding": {"digits": 2}, "layer_norm": {}}  # fmt: skip


@examples(10)
@given(rows=st.lists(st.lists(ENTRY, min_size=4, max_size=4), min_size=2, max_size=2))
def test_law_after_an_impossible_variance_no_number_earns(rows):
    var = {"mean": [["2.34"], ["-1.35"]], "var": [["-1.11"], ["-1.18"]]}
    normed = [[f"{float(x):.2f}" for x in row] for row in rows]
    report = check(load(NORM), {"answers": {**var, "normed": normed}})
    assert not report.earned


@for_each("rows", ["0 0; 0 0", "1 0; 0 1", "0.5 0.5; 0.5 0.5", "1 1; 1 1", "0.00 1.00; 1.00 0.00"])
def test_law_after_a_line_without_work_only_right_numbers_earn(rows):
    """The weights are made up, and what follows from them is worked out."""
    given_ = {"S": [[1, 2], [4, 3]], "V": [["1.5", "2.5", 7], ["3.5", "4.5", -2]]}
    problem = {"given": given_, "rounding": {"digits": 2}, "steps": {"A": "softmax(S)", "Z": "A @ V"}}
    typed = [row.split() for row in rows.split(";")]
    z = [[f"{float(a) * x + float(b) * y:.2f}" for x, y in ((1.5, 3.5), (2.5, 4.5), (7, -2))] for a, b in typed]
    assert not check(load(problem), {"answers": {"A": typed, "Z": z}}).earned


@examples(20)
@given(st.lists(st.sampled_from([[1, 0, 0], [0, 1, 0], [0, 0, 0]]), min_size=2, max_size=2))
def test_law_weights_that_select_rows_earn_and_imply_nothing(rows):
    """Without `rounding:`, whole numbers have enough decimals, and all eight steps counted as right."""
    typed = [[1, 0, 0], *rows]
    values = [[1, 2], [3, 4], [4, 6]]
    z = [[sum(a * v[j] for a, v in zip(row, values)) for j in range(2)] for row in typed]
    steps = check(load("three-words-look-back"), {"answers": {"A": typed, "Z": z}}).steps
    # To whole numbers, Z may be right by itself; it then shows a row of V
    assert {step.step.name for step in steps if step.mark.earned} <= {"V", "Z"}


FILLERS = {
    "zeros": lambda i, j: "0.00", "ones": lambda i, j: 1, "identity": lambda i, j: int(i == j),
    "first": lambda i, j: int(j == 0), "last row": lambda i, j: int(i > 0),
}  # fmt: skip


@pytest.mark.sweep(quick=6, ci=12)
@pytest.mark.parametrize("filler", FILLERS)
@pytest.mark.parametrize(
    "name", ["rotary-positions", "adam-two-updates", "three-queries-four-keys", "latent-attention"]
)
def test_law_in_a_script_of_zeros_and_ones_only_right_numbers_earn(name, filler):
    problem = load(name)
    typed = {}
    for part in problem.parts:
        for step in part.plan.steps:
            rows, columns = step.shape
            key = f"{part.name}.{step.name}" if len(problem.parts) > 1 else step.name
            typed[key] = [[FILLERS[filler](i, j) for j in range(columns)] for i in range(rows)]
    steps = check(problem, {"answers": typed}).steps
    assert not [step.step.key for step in steps if step.mark.earned and step.verdict in ("wrong", "carried", "missing")]


@for_each("number", ["2.00", "0.33", "-1.50"])
@for_each("name", ["delta-rule", "three-queries-four-keys", "three-words-look-back"])
def test_law_one_number_throughout_is_no_work(name, number):
    problem = load(name)
    steps = [step for part in problem.parts for step in part.plan.steps]
    keys = {step.key: [[number] * step.shape[1]] * step.shape[0] for step in steps}
    marked = check(problem, {"answers": keys}).steps
    assert not [step.step.key for step in marked if step.mark.earned and step.verdict == "carried"]


@examples(40)
@given(x=st.lists(st.integers(-999, 999).filter(lambda x: x % 10), min_size=2, max_size=2, unique=True))
def test_law_after_a_copied_neighbour_in_a_line_of_two_the_next_line_keeps_its_points(x):
    problem = {"given": {"x": [[f"{number / 100:.2f}" for number in x]]}, "rounding": {"digits": 2},
               "steps": {"y": "x + 1", "z": "y * 3"}}  # fmt: skip
    y, z = f"{(x[0] + 100) / 100:.2f}", f"{3 * (x[0] + 100) / 100:.2f}"
    steps = check(load(problem), {"answers": {"y": [[y, y]], "z": [[z, z]]}}).steps
    assert [(step.verdict, step.mark.earned) for step in steps] == [("wrong", 0), ("carried", 1)]


@pytest.mark.parametrize("zeros", ["0 0 0", "0.0 0.0 0.0"])
def test_weights_of_zeros_earn_nothing_although_a_later_line_is_right(zeros):
    problem = {"given": {"S": [["0.2", "0.1", "0"]], "V": [[1], [4], [9]]}, "rounding": {"digits": 2},
               "steps": {"A": "softmax(S)", "Z": "A @ V"}}  # fmt: skip
    (right,) = check(load(problem), {"answers": {"Z": [["4.40"]]}}).steps[-1:]
    weights, output = check(load(problem), {"answers": {"A": [zeros.split()], "Z": [["4.40"]]}}).steps
    assert right.verdict == "right" and not weights.mark.earned and output.mark.earned == 1


@pytest.mark.parametrize("number", [0, 1])
def test_after_one_number_throughout_nothing_earns_although_half_of_the_weights_round_to_it(number):
    problem = {"given": {"S": [[9, 0], [0, 9]], "V": [["1.5", "2.5"], ["3.5", "4.5"]]}, "rounding": {"digits": 2},
               "steps": {"A": "softmax(S)", "Z": "A @ V"}}  # fmt: skip
    output = [["5.00", "7.00"]] * 2 if number else [["0.00", "0.00"]] * 2
    weights = [[number, number]] * 2
    assert not check(load(problem), {"answers": {"A": weights, "Z": output}}).earned


@for_each("spread", [0.0, 1e-300, 1.0, 1e150, 1e300])
def test_law_more_digits_cost_more_and_never_infinitely_much(spread):
    costs = [Description(spread, False).cost_of_digits(digits) for digits in range(0, 1001, 50)]
    assert costs == sorted(costs) and costs[-1] < 5_000


@for_each("digits", [0, 2, 16, 100, 101, 308, 309, 1000])
@for_each("formula", ["sqrt(X)", "exp(X)", "exp(100 * X)", "-log(X) / 10 ** 40", "softmax(X)"])
def test_law_a_short_answer_is_marked_whatever_number_of_decimals_is_required(formula, digits):
    problem = {"given": {"X": [[2, 5]]}, "rounding": {"digits": digits}, "steps": {"v": formula, "w": "v * X"}}
    right = [[entry[:5].rstrip(".") for entry in row] for row in solve(load(problem))["v"].decimals(3)]
    report = check(load(problem), {"v": right, "w": [[1, 2]]})
    assert {step.step.name for step in report.steps} == {"v", "w"}


def test_law_the_numbers_of_a_box_are_rounded_exactly():
    for digits in (2, 40, 400):
        with working_precision(2_000):
            ball = arb(2).sqrt()
            ((number,),) = numbers_of([[(ball, ball)]], digits)
        power = fmpz(10) ** digits
        assert abs(number * power - (2 * power**2).isqrt()) <= 1


# A wrong first line, and honest lines that follow from it: each of them keeps its points
FOLLOWING = {
    "divided by 2 d_k": (
        {"given": {"S": [[3, -3, 0], [0, -4, -4], [-3, 3, 0]], "V": [[1, 2], [4, 3], [0, 5]]},
         "steps": {"S_scaled": "S / sqrt(3)", "A": "softmax(S_scaled)", "Z": "A @ V"}},
        {"S_scaled": [["0.500", "-0.500", 0], [0, "-0.667", "-0.667"], ["-0.500", "0.500", 0]],
         "A": [["0.506", "0.186", "0.307"], ["0.493", "0.253", "0.253"], ["0.186", "0.506", "0.307"]],
         "Z": [["1.250", "3.105"], ["1.505", "3.010"], ["2.210", "3.425"]]},
    ),
    "mean divided by n + 1": (
        {"given": {"X": [[1, 0, 1, 3], [-2, 0, 1, 0]]},
         "steps": {"mean": "row_mean(X)", "centred": "X - mean", "Y": "centred * 2"}},
        {"mean": [["1.000"], ["-0.200"]], "centred": [["0.000", "-1.000", "0.000", "2.000"],
         ["-1.800", "0.200", "1.200", "0.200"]],
         "Y": [["0.000", "-2.000", "0.000", "4.000"], ["-3.600", "0.400", "2.400", "0.400"]]},
    ),
    "an omitted line is not copied": (
        {"given": {"Q": [[0, 0], [1, 2]], "K": [[1, 1], [2, -1]], "V": [[1, 1], [1, 0]]},
         "steps": {"S": "Q @ K.T", "S_scaled": "S / sqrt(2)", "A": "softmax(S_scaled)", "Z": "A @ V"},
         "points": {"S_scaled": 1, "A": 1, "Z": 1}},
        {"S_scaled": [[0, 0], [3, 0]], "A": [["0.50", "0.50"], ["0.95", "0.05"]], "Z": [["1.00", "0.50"], ["1.00", "0.95"]]},
    ),
    "exponentials that are not divided": (
        {"given": {"S": [[2, 2, -1]], "V": [[1, 2], [3, 4], [0, 1]]},
         "steps": {"A": "softmax(S)", "Z": "A @ V"}},
        {"A": [["1", "1", "0.05"]], "Z": [["4.00", "6.05"]]},
    ),
    "significant figures": (
        {"given": {"Q": [[1, 3], [-2, -3]], "K": [[2, 0], [-3, 1]], "V": [[3, -1], [-2, 1]]},
         "steps": {"S": "Q @ K.T", "S_scaled": "S / sqrt(2)", "A": "softmax(S_scaled)", "Z": "A @ V"}},
        {"S": [[10, -11], [-11, 13]], "S_scaled": [["7.071", "-7.778"], ["-7.778", "9.192"]],
         "A": [["1.0000", "0.0000003558"], ["0.00000004266", "1.0000"]], "Z": [["3.000", "-1.0000"], ["-2.000", "1.0000"]]},
    ),
}  # fmt: skip


@for_each("name", FOLLOWING)
def test_lines_that_follow_from_a_wrong_line_with_work_keep_their_points(name):
    problem, answers = FOLLOWING[name]
    steps = check(load({"title": name} | problem), {"answers": answers}).steps
    later = [step for step in steps if step.step.name in [*answers][1:]]
    assert [step.mark.earned for step in later] == [1] * (len(answers) - 1)


@for_each("larger", range(4, 16))
@for_each("figures", (2, 3, 4))
def test_law_a_small_weight_with_significant_figures_shows_its_work(figures, larger):
    """Beside 1.00, the weight 0.000335 has all its digits."""
    first, second = (math.exp(-x) for x in (larger, larger + 1))
    rows = [[1 / (1 + first), first / (1 + first)], [second / (1 + second), 1 / (1 + second)]]
    typed = [
        [f"{float(f'{x:.{figures - 1}e}'):.{figures - 1 - math.floor(math.log10(x))}f}" for x in row] for row in rows
    ]
    report = check(load({"given": {"S": [[larger, 0], [0, larger + 1]]}, "steps": {"A": "softmax(S)"}}), {"A": typed})
    assert report.steps[0].mark.earned == 1


def test_a_line_with_less_than_half_of_the_information_shows_no_work():
    problem = {"given": {"X": [[1, 4, 2, 4], [0, 2, 1, 2]]}, "steps": {"mean": "row_mean(X)", "centred": "X - mean"}}
    for mean, earned in (((4, 1), 0), (("5.25", "0.50"), 1)):  # 2.75 and 1.25 are right
        centred = [[x - float(m) for x in row] for row, m in zip(problem["given"]["X"], mean, strict=True)]
        answers = {"mean": [[x] for x in mean], "centred": [[f"{x:.2f}" for x in row] for row in centred]}
        steps = check(load({"title": "T"} | problem), {"answers": answers}).steps
        assert [step.mark.earned for step in steps] == [0, earned]

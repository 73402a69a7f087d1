"""What later lines earn by a wrong one: an honest slip keeps follow-through, a line that shows no work buys nothing."""

import random
from dataclasses import replace
from decimal import Decimal
from math import exp, sqrt

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from attncalc import load, solve
from attncalc.api import check
from attncalc.api import loads as load_text
from attncalc.marking.report import check as mark
from attncalc.mistakes.catalogue import catalogue
from attncalc.mistakes.step_analysis import StepAnalysis
from tests.support.laws import examples
from tests.support.scripts import Hand, script
from tests.support.scripts import typed as as_typed
from tests.support.sweeps import for_each

SEEDS = st.integers(0, 10**6)
SIZES = {"X": 3, "W_Q": 4, "W_K": 4, "W_V": 4, "W_O": 4}
WEIGHTS = ("W_Q", "W_K", "W_V")
LINES = ("Q", "K", "V", "S", "S_scaled", "A", "Z")
FREE = {
    "zeros": lambda rng, n, m: [[0] * m for _ in range(n)],
    "one number": lambda rng, n, m: [[rng.choice((1, 2, 5, 0.5))] * m for _ in range(n)],
    "one-hot": lambda rng, n, m: [[int(j == k) for j in range(m)] for k in (rng.randrange(m) for _ in range(n))],
    "the identity": lambda rng, n, m: [[int(i == j) for j in range(m)] for i in range(n)],
    "one row": lambda rng, n, m: [rng.sample(range(-9, 9), m)] * n,
    "two numbers": lambda rng, n, m: [[(1, 3)[(i + j) % 2] for j in range(m)] for i in range(n)],
    "equal weights": lambda rng, n, m: [[round(1 / m, 2)] * m for _ in range(n)],
}


def product(a, b):
    return [[sum(x * y for x, y in zip(row, column, strict=True)) for column in zip(*b, strict=True)] for row in a]


def rounded(rows):
    return [[round(x, 2) for x in row] for row in rows]


def softmax(rows):
    powers = [[exp(x) for x in row] for row in rows]
    return [[x / sum(row) for x in row] for row in powers]


def lines(inputs, forced):
    """Self-attention worked out line by line from the numbers on the paper, some lines replaced."""
    x, found = inputs["X"], {}
    ways = {
        "Q": lambda: product(x, inputs["W_Q"]),
        "K": lambda: product(x, inputs["W_K"]),
        "V": lambda: product(x, inputs["W_V"]),
        "S": lambda: product(found["Q"], list(zip(*found["K"], strict=True))),
        "S_scaled": lambda: [[y / sqrt(len(found["K"][0])) for y in row] for row in found["S"]],
        "A": lambda: softmax(found["S_scaled"]),
        "Z": lambda: product(found["A"], found["V"]),
    }
    for name, way in ways.items():
        found[name] = rounded(forced[name]) if name in forced else rounded(way())
    return found


def drawn(rng):
    n, d = rng.choice((3, 4)), rng.choice((3, 4))
    inputs = {
        name: [[rng.randint(-2, 2) for _ in range(d)] for _ in range(n if name == "X" else d)]
        for name in ("X", "W_Q", "W_K", "W_V")
    }
    return inputs, load(
        {"given": inputs, "rounding": {"digits": 2}, "self_attention": {}, "asked": list(LINES), "points": 7}
    )


def typed(found):
    return {
        "answers": {
            name: [[f"{x:.2f}" if isinstance(x, float) else str(x) for x in row] for row in rows]
            for name, rows in found.items()
        }
    }


@pytest.mark.sweep(quick=1)
@pytest.mark.parametrize("line", ["Q", "S", "A"])
@pytest.mark.parametrize("how", FREE)
@examples(10)
@given(seed=SEEDS)
def test_a_line_that_shows_no_work_buys_nothing(line, how, seed):
    """No more is earned than the lines with right numbers are worth, unless a mistake that is named leads to these
    numbers.
    """
    rng = random.Random(seed)
    inputs, problem = drawn(rng)
    right = lines(inputs, {})
    forced = lines(inputs, {line: FREE[how](rng, len(right[line]), len(right[line][0]))})
    if sum(x == y for a, b in zip(forced[line], right[line], strict=True) for x, y in zip(a, b, strict=True)) > len(
        right[line]
    ):
        return  # it is nearly right
    report = check(problem, typed(forced))
    if how not in ("zeros", "one-hot", "the identity") and any(step.causes for step in report.steps):
        return
    assert report.earned <= sum(forced[name] == right[name] for name in LINES)


@examples(20)
@given(seed=SEEDS, line=st.sampled_from(["Q", "S"]))
def test_an_honest_slip_is_charged_once(seed, line):
    rng = random.Random(seed)
    inputs, problem = drawn(rng)
    right = lines(inputs, {})
    slip = [list(row) for row in right[line]]
    i, j = rng.randrange(len(slip)), rng.randrange(len(slip[0]))
    slip[i][j] += rng.choice((-2, -1, 1, 2))
    report = check(problem, typed(lines(inputs, {line: slip})))
    marks = {step.step.name: step.mark for step in report.steps}
    assert all(mark.earned == mark.out_of for name, mark in marks.items() if name != line)


def test_a_step_that_is_left_out_is_not_implied_by_what_follows_from_no_work():
    inputs, problem = drawn(random.Random(1))
    forced = lines(inputs, {"S": [[1] * len(inputs["X"])] * len(inputs["X"])})
    report = check(problem, typed({name: forced[name] for name in ("Q", "K", "V", "S", "Z")}))
    assert report.earned == 3


@examples(60)
@given(seed=SEEDS, left_out=st.sampled_from(["Q", "S", "S_scaled"]))
def test_law_a_named_mistake_implies_what_its_formula_needs(seed, left_out):
    inputs, problem = drawn(random.Random(seed))
    scaled = lines(inputs, {})["S_scaled"]
    powers = [[2**x for x in row] for row in scaled]
    forced = lines(inputs, {"A": [[x / sum(row) for x in row] for row in powers]})
    both = [
        check(problem, typed({key: rows for key, rows in forced.items() if key not in out})) for out in ([], [left_out])
    ]
    (full, told), (less, alike) = ((one, first_causes(one)) for one in both)
    assume(told == alike == ["softmax-base-2"])
    assert [one.mark.earned for one in less.steps if one.step.name != "A"] == [
        one.mark.earned for one in full.steps if one.step.name != "A"
    ]


def first_causes(report):
    return [cause.code for cause in report.first_wrong.causes] if report.first_wrong else []


@examples(60)
@given(seed=SEEDS, heads=st.booleans(), habit=st.sampled_from(["half_up", "half_even"]))
def test_law_honest_lines_imply_whatever_was_left_out_before_them(seed, heads, habit):
    """Each line rounded and carried on as it prints, some of them handed in, the last always."""
    rng = random.Random(seed)
    lesson = {"multi_head_attention": {"heads": 2}} if heads else {"self_attention": {"mask": "causal"}}
    names = SIZES if heads else SIZES.keys() - {"W_O"}
    matrices = {name: [[rng.randint(-2, 2) for _ in range(4)] for _ in range(SIZES[name])] for name in sorted(names)}
    problem = load({"given": matrices, "rounding": {"digits": 2}} | lesson)
    written = script(problem, Hand(rng, 2, habit))
    some = tuple(one for one in written.steps[:-1] if rng.random() < 0.4)
    report = mark(problem, replace(written, steps=(*some, written.steps[-1])))
    assert report.earned == report.out_of


@examples(60)
@given(seed=SEEDS, order=st.sampled_from([(1, 2, 0), (0, 0, 0), (0, 1, 0), (2, 1, 0), (0, 1, 2)]))
def test_law_rows_of_the_values_alone_are_no_weights_worked_out(seed, order):
    rng = random.Random(seed)
    matrices = {name: [[rng.randint(-2, 2) for _ in range(4)] for _ in range(SIZES[name])] for name in ("X", *WEIGHTS)}
    problem = load({"given": matrices, "self_attention": {"mask": "causal"}, "rounding": {"digits": 2}})
    values = solve(problem)["V"].decimals(2)
    report = check(problem, {"answers": {"Z": [values[i] for i in order]}})
    assume(report.steps[-1].verdict == "wrong")
    assert report.earned <= 1


@for_each("shown", ["Z", "S Z", "A Z", "Q K V S A Z"])
@for_each(("name", "code"), [("S_scaled", "scale-forgotten"), ("S_masked", "mask-forgotten")])
def test_a_mistake_that_fits_two_steps_costs_one_of_them_whatever_was_left_out(name, code, shown):
    """A scale and a mask that were forgotten may have been so in the scores or in the weights."""
    given_ = {
        "X": [[2, 0, 2, 2], [0, -2, 1, 2], [1, 2, 1, 1]],
        "W_Q": [[-1, 1, 1], [-1, 0, 1], [0, 0, -1], [0, -1, -1]],
        "W_K": [[-1, -1, 0], [1, 1, 0], [1, 0, 0], [-1, -1, -1]],
        "W_V": [[0, 0, 1], [0, 2, 0], [-2, 1, -1], [0, 1, -1]],
    }
    sheet = {"given": given_, "self_attention": {"mask": "causal"}, "rounding": {"digits": 2}}
    problem = load(sheet)
    step = next(one for one in problem.plan.steps() if one.name == name)
    node = next(iter(catalogue()[code].nodes(StepAnalysis(problem.plan, step))))
    bound = script(problem, Hand(random.Random(1), 2, "half_up"), {step.key: node})
    report = mark(problem, replace(bound, steps=tuple(one for one in bound.steps if one.step.name in shown.split())))
    assert (report.earned, report.out_of) == (7, 8)


@pytest.mark.parametrize("share", ["0.30", "0.05", "0.77"])
def test_a_row_in_which_a_mistake_has_no_value_is_not_explained_by_it(share):
    sheet = {"given": {"Q": [[0, -2], [1, -1]], "K": [[1, 2], [2, 0]], "V": [[2, 0], [1, -2]]},
             "attention": {"mask": "causal"}, "rounding": {"digits": 2}}  # fmt: skip
    other = f"{1 - float(share):.2f}"
    report = check(load(sheet), {"answers": {"A": [["0.00", "1.00"], [share, other]]}})
    assert report.earned == 0 and "mask-inverted" not in first_causes(report)


@pytest.mark.parametrize(("weights", "code"), [
    ([["1.00", "0.00", "0.00"], ["0.92", "0.08", "0.00"], ["0.80", "0.20", "0.00"]], "rounded-too-early"),
    ([["1.00", "-inf", "-inf"], ["0.94", "0.06", "-inf"], ["0.80", "0.20", "0.00"]], "infinity-kept"),
])  # fmt: skip
def test_a_line_whose_method_stands_loses_the_accuracy_alone_and_implies_what_it_needs(weights, code):
    sheet = {
        "given": {"S": [[-1, -1, 4], [-3, -7, 10], [3, 1, -13]]},
        "rounding": {"digits": 2},
        "steps": {"S_scaled": "S / sqrt(2)", "S_masked": "keep(S_scaled, causal(3, 3))", "A": "softmax(S_masked)"},
        "points": 12,
    }
    report = check(load(sheet), {"answers": {"A": weights}})
    assert report.first_wrong.causes[0].code == code
    assert [step.mark.earned for step in report.steps] == [4, 4, 3]


PLAIN = {
    "given": {"X": [[1, 3], [2, 7]], "Y": [[5, 1], [4, 2]]}, "points": 3,
    "steps": {"a": "X @ Y", "b": "a + Y", "c": "b * 2 - X"},
}  # fmt: skip
OTHER = [{"b": "a - Y"}, {"c": "b * 3"}]
HEAD = {
    "given": {"Q": [[1, 2, 0, 1], [0, 1, 1, 3]], "K": [[1, 0, 1, 2], [2, 1, 0, 1]], "V": [[1, 2], [5, 3]]}, "points": 4,
    "attention": {}, "rounding": {"digits": 2}, "asked": ["S", "S_scaled", "A", "Z"],
}  # fmt: skip
ZEROS = [[0, 0], [0, 0]]
A, MINUS, PLUS = [[17, 7], [38, 16]], [[12, 6], [34, 14]], [[22, 8], [42, 18]]
UNSCALED = {
    "S": ZEROS, "S_scaled": [[3, 5], [7, 4]], "A": [["0.12", "0.88"], ["0.95", "0.05"]],
    "Z": [["4.52", "2.88"], ["1.19", "2.05"]],
}  # fmt: skip
THIRDS = {"a": "X @ Y", "b": "(a + Y) / 3"}
WITHOUT_WORK = [
    (PLAIN, {"a": ZEROS, "b": PLUS, "c": [[43, 13], [82, 29]]}, 2),  # right, and of the right a
    (PLAIN, {"a": ZEROS, "b": MINUS, "c": [[23, 9], [66, 21]]}, 0),
    (PLAIN | {"accept": OTHER}, {"a": ZEROS, "b": MINUS, "c": [[23, 9], [66, 21]]}, 2),
    (PLAIN | {"accept": OTHER}, {"a": ZEROS, "b": PLUS, "c": [[66, 24], [126, 54]]}, 2),
    (PLAIN | {"accept": OTHER}, {"a": ZEROS, "b": MINUS, "c": [[36, 18], [102, 42]]}, 2),
    (PLAIN | {"accept": OTHER}, {"a": ZEROS, "b": MINUS, "c": [[37, 18], [102, 43]]}, 1),
    (PLAIN | {"accept": OTHER[1:]}, {"a": ZEROS, "b": MINUS, "c": [[36, 18], [102, 42]]}, 0),
    (PLAIN | {"steps": THIRDS, "points": 2}, {"a": ZEROS, "b": [["7.33", "2.66"], ["14", "6"]]}, 1),  # cut
    (PLAIN | {"steps": THIRDS | {"c": "b * 2"}, "accept": [{"c": "b * 300"}]},
     {"a": ZEROS, "b": [["7.33", "2.67"], ["14", "6"]], "c": [[2200, 800], [4200, 1800]]}, 2),  # of the full values
    (HEAD, UNSCALED, 0),
    (HEAD | {"accept": ["scale-forgotten"]}, UNSCALED, 3),
    (HEAD | {"accept": ["values-not-projected"]}, UNSCALED, 0),
]  # fmt: skip


@for_each("where", ["problem", "part"])
@for_each(("problem", "answers", "earned"), WITHOUT_WORK)
def test_after_a_line_without_work_what_the_problem_accepts_earns_as_the_right_numbers_do(
    problem, answers, earned, where
):
    """By one accepted formula or by several, stated for all parts or for one."""
    if where == "part":
        first = {"given": {"x": [[1]]}, "steps": {"y": "x * 2"}, "points": 1}
        problem, answers = {"parts": {"first": first, "second": problem}}, {"second": answers}
    assert check(load(problem), {"answers": answers}).earned == earned


@examples(30)
@given(seed=SEEDS)
def test_zeros_behind_zeros_are_no_answer(seed):
    """A gradient typed as 0 for what is not 0 is not answered, what follows from it is no answer either, and a right
    zero implies no step.
    """
    rng = random.Random(seed)
    given = {name: [[rng.randint(-3, 3) for _ in range(2)] for _ in range(2)] for name in ("Q", "K", "V", "dZ")}
    problem = load({"given": given, "rounding": {"digits": 2}, "attention_gradients": {}})
    right = solve(problem)
    names = [name for name in ("dS_scaled", "dS", "dQ", "dK") if rng.random() < 0.7]
    report = check(problem, {"answers": {name: [[0, 0], [0, 0]] for name in names}})
    poor: set[str] = set()
    for step in (one for one in report.steps if one.step.name in names):
        behind = {"dS_scaled", "dS"} - {step.step.name}
        if poor & behind and (step.mark.earned or step.verdict == "right"):  # it prints as 0.00, rounded or cut
            assert all(abs(float(x)) <= 0.01 for row in right[step.step.name].tolist() for x in row)
        poor |= {step.step.name} if step.verdict in ("missing", "wrong") else set()
    assert not any(step.mark.earned for step in report.steps if step.step.name not in names)


@examples(60)
@given(seed=SEEDS)
def test_law_heads_side_by_side_need_not_be_copied_out_once_more_whatever_zeros_are_dropped(seed):
    rng = random.Random(seed)
    matrices = {name: [[rng.randint(-2, 2) for _ in range(4)] for _ in range(n)] for name, n in SIZES.items()}
    problem = load({"given": matrices, "multi_head_attention": {"heads": 2}, "rounding": {"digits": 2}})
    hand = Hand(rng, 2, "half_up")
    written = script(problem, hand, shown=lambda step: step.name != "H")
    steps = tuple(replace(one, cells={at: shortest(cell) for at, cell in one.cells.items()}) for one in written.steps)
    report = mark(problem, replace(written, steps=steps))
    assert report.earned == report.out_of


def shortest(cell):
    """What was typed, without zeros behind its decimals."""
    return as_typed(cell.text.rstrip("0").rstrip(".") if "." in cell.text else cell.text)


@examples(40)
@given(
    below=st.integers(-9_990, -10).filter(lambda x: x % 100).map(lambda x: x / 10_000),
    h=st.permutations([5, -2, 3]),
    W=st.lists(st.integers(1, 10), min_size=3, max_size=3),
)
def test_law_a_mistake_without_a_name_carries_all_values_that_round_to_its_numbers(below, h, W):
    problem = load_text(
        f"title: A\nask: Y\ngiven: {{h: [{h}], W: {[[w] for w in W]}}}\nsteps: {{a: relu(h), Y: a @ W}}"
    )
    full = [x if x > 0 else below for x in h]
    last = sum(x * w for x, w in zip(full, W, strict=True))
    report = check(problem, {"a": [[f"{x:.2f}" for x in full]], "Y": [[f"{last:.2f}"]]})
    assert report.steps[1].verdict in ("carried", "right") and report.steps[1].mark.earned == 1


def figures(x, count=3):
    return format(Decimal(f"{x:.{count - 1}e}"), "f")


@examples(40)
@given(rows=st.lists(st.lists(st.integers(-300, 300), min_size=2, max_size=2), min_size=4, max_size=4))
def test_law_a_named_mistake_in_significant_figures_carries_its_full_values(rows):
    (q, *keys), V = [[x / 100 for x in row] for row in rows], "[[1, 2], [0, 1], [3, 1]]"
    problem = load_text(f"title: A\nask: Z\ngiven: {{Q: [{q}], K: {keys}, V: {V}}}\nattention: {{}}")
    scores = product([q], list(zip(*keys, strict=True)))
    lines = {"S": scores, "S_scaled": scores, "A": softmax(scores)}
    report = check(problem, {key: [[figures(x) for x in row] for row in line] for key, line in lines.items()})
    steps = {step.step.name: step for step in report.steps}
    assume("scale-forgotten" in [cause.code for cause in steps["S_scaled"].causes])
    assert steps["A"].verdict != "wrong"

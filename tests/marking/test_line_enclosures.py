"""Routes to a line: one row of a formula says what the whole formula says of it, and steps that were left out may be
worked in any equal order.
"""

import random
from decimal import ROUND_HALF_UP, Decimal, localcontext

import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from attncalc import load
from attncalc.api import check
from attncalc.arithmetic.intervals.intermediate_rounding import FLOATS, FULL, IntermediateRounding
from attncalc.arithmetic.intervals.interval_evaluator import evaluate
from attncalc.arithmetic.intervals.scalar import approximate
from attncalc.formula.operations import entry_of, row_of
from attncalc.marking.context import MarkingContext, StudentValues
from attncalc.marking.legality import entry_is_compatible, is_hidden
from attncalc.marking.line_enclosures import LineEnclosures
from attncalc.marking.precision import Reading
from attncalc.submissions.step_matching import Bound
from attncalc.submissions.submission import Script
from tests.support.laws import each_case, examples

PROBLEMS = [
    "decoder-layer-small",
    "look-ahead-mask",
    "beam-search",
    "rotary-positions",
    "next-word",
    "layer-norm-gradient",
    "sparse-attention",
    "linformer",
]
PASSES = {"right", "truncated", "too_coarse"}


@pytest.fixture(scope="module")
def plans():
    problems = {name: load(name) for name in PROBLEMS}
    return {
        name: MarkingContext(problem, Bound(Script(None, None, None, (), ""), problem, ()))
        for name, problem in problems.items()
    }


@examples(60)
@given(name=st.sampled_from(PROBLEMS), data=st.data())
def test_law_one_row_and_one_entry_of_a_formula_are_those_of_the_whole(plans, name, data):
    own = StudentValues(plans[name], plans[name].likeliest)
    step = data.draw(st.sampled_from(list(plans[name].plan.steps())))
    i = data.draw(st.integers(0, step.shape[0] - 1))
    for working in (FULL, IntermediateRounding(2, "any"), IntermediateRounding(1, "cut", shifted=True, products=True)):
        whole = evaluate(step.node, lambda key, w=working: own(key, w), working)[i]
        (row,) = evaluate(row_of(step.node, i), lambda key, w=working: own(key, w), working)
        j = data.draw(st.integers(0, step.shape[1] - 1))
        ((entry,),) = evaluate(entry_of(step.node, i, j), lambda key, w=working: own(key, w), working)
        # They may be wider, never thinner: then what they refuse is refused
        for all_of_it, alone in [*zip(whole, row, strict=True), (whole[j], entry)]:
            assert alone is None or all_of_it is not None and not (alone[0] > all_of_it[0] or alone[1] < all_of_it[1])


def rounded(x, digits):
    with localcontext(prec=60):
        return Decimal(x).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)


def folded(rng, digits):
    """A head whose scale is folded into the queries on scratch paper: Q, K and the masked scores are all that is
    written.
    """
    n, d = rng.choice((2, 3, 4)), rng.choice((2, 3, 5))
    q, k, v = ([[rng.randint(-9, 9) for _ in range(d)] for _ in range(n)] for _ in range(3))
    with localcontext(prec=60):
        root = Decimal(d).sqrt()
        small = [[rounded(x / root, digits) for x in row] for row in q]
    scores = [[sum((a * b for a, b in zip(x, y, strict=True)), Decimal(0)) for y in k] for x in small]
    lines = [[str(x) if j <= i else "-inf" for j, x in enumerate(row)] for i, row in enumerate(scores)]
    return load(
        {"given": {"Q": q, "K": k, "V": v}, "rounding": {"digits": digits}, "attention": {"mask": "causal"}}
    ), lines


@examples(40)
@given(seed=st.integers(0, 10**6), digits=st.integers(1, 4))
def test_law_the_scale_may_be_folded_in_where_the_scores_are_left_out(seed, digits):
    problem, lines = folded(random.Random(seed), digits)
    report = check(problem, {"S_masked": lines})
    assert {step.step.name: step.verdict for step in report.steps}["S_masked"] in PASSES
    lines[0][0] = str(Decimal(lines[0][0]) + 20)
    (wrong,) = (step for step in check(problem, {"S_masked": lines}).steps if step.step.name == "S_masked")
    assert wrong.verdict == "wrong"


def products(rng, digits):
    """Z worked out as (A X) W_V, with A X kept to so many decimals on scratch paper; V is left out."""
    n, d = rng.choice((2, 3, 4)), rng.choice((2, 3))
    x, w = ([[rng.randint(-9, 9) for _ in range(d)] for _ in range(m)] for m in (n, d))
    rows = [[rng.randint(1, 9) for _ in range(n)] for _ in range(n)]
    a = [[rounded(Decimal(y) / sum(row), digits) for y in row] for row in rows]
    mixed = [
        [rounded(sum(y * z for y, z in zip(row, column, strict=True)), digits) for column in zip(*x, strict=True)]
        for row in rows
    ]
    mixed = [[rounded(y / sum(row), digits) for y in line] for row, line in zip(rows, mixed, strict=True)]
    z = [
        [str(sum((y * u for y, u in zip(row, column, strict=True)), Decimal(0))) for column in zip(*w, strict=True)]
        for row in mixed
    ]
    steps = {"A": "R / row_sum(R)", "V": "X @ W", "Z": "A @ V"}
    return load({"given": {"X": x, "W": w, "R": rows}, "rounding": {"digits": digits}, "steps": steps}), a, z


@examples(40)
@given(seed=st.integers(0, 10**6), digits=st.integers(1, 4))
def test_law_the_mean_may_be_projected_where_the_values_are_left_out(seed, digits):
    problem, a, z = products(random.Random(seed), digits)
    report = check(problem, {"A": [list(map(str, row)) for row in a], "Z": z})
    assert {step.step.name: step.verdict for step in report.steps}["Z"] in PASSES


# -- what a first look at a row says -----------------------------------------------------------------------------------

GIVEN = {"X": [[1, -2, 3], [0, 1, 2], [2, 2, -1]], "Y": [[1, 2, 0], [3, -1, 2], [0, 1, 1]]}
MASKS = {"causal": [[1, 0, 0], [1, 1, 0], [1, 1, 1]], "first_row": [[0, 0, 0], [1, 1, 0], [1, 1, 1]]}
FORMULAS = [
    ["X @ Y", "X @ Y / 3 + X"], ["row_sum(X) / 3", "row_max(Y) / 7"], ["keep(X / 3, causal)"],
    ["keep(X / 3, first_row)"], ["softmax(X)", "softmax(X / 2)"], ["X[0] / 3"], ["argmax_rows(X)"],
]  # fmt: skip
LINES = 3  # typed lines for each example
WORKINGS = [
    FULL,
    IntermediateRounding(1, "any"),
    IntermediateRounding(2, "cut", products=True),
    IntermediateRounding(program=FLOATS["float32"]),
]


def routes_of(formulas):
    """Ways to one line: some formulas, each from the givens and from numbers that are known less well."""
    problem = load({"given": GIVEN | MASKS, "steps": {f"s{k}": text for k, text in enumerate(formulas)}})
    context = MarkingContext(problem, Bound(Script(None, None, None, (), ""), problem, ()))
    own = StudentValues(context, context.likeliest)

    def rougher(key, working):
        return [[(low - fmpq(1, 9), high + fmpq(1, 8)) for low, high in row] for row in own(key, working)]

    return LineEnclosures(
        [step.node for step in problem.plan.steps()], [own, own if "keep" in formulas[0] else rougher]
    )


def typed_line(rng, box, program):
    """Numbers that print as those of a box or are a few units off; some are left blank, are exact, or end in zeros."""
    digits, values, units = rng.randint(0, 2), {}, {}
    top = rng.choice((0, 0, len(box) - 1))
    for at in [(i, j) for i, row in enumerate(box) for j in range(len(row)) if i >= top and rng.random() < 0.8]:
        cell = box[at[0]][at[1]]
        number = 0 if is_hidden(cell) else round(approximate(cell[0]) * 10**digits)
        values[at] = fmpq(number + rng.choice((0, 0, 0, 0, 1, -1, 2, -3, 5)), 10**digits)
        if is_hidden(cell):
            values[at] = rng.choice((cell[0], fmpq(-9999), values[at]))
        units[at] = rng.choice((*[fmpq(1, 10**digits)] * 4, fmpq(0), fmpq(100)))
    if not values:
        return typed_line(rng, box, program)
    return Reading(digits, values, units, working=max(digits, 1), program=program, scores=rng.choice(((), ("rows",))))


def first_row(reading):
    return [at for at in reading.values if at[0] == min(i for i, _ in reading.values)]


@pytest.mark.parametrize("formulas", FORMULAS, ids=lambda formulas: formulas[0])
@each_case()
@given(seed=st.integers(0, 10**6), working=st.sampled_from(WORKINGS))
def test_law_a_first_look_leaves_out_what_the_first_row_refuses_and_nothing_else(formulas, seed, working):
    rng, routes = random.Random(seed), routes_of(formulas)
    boxes = list(routes.boxes(working))
    for reading in (typed_line(rng, rng.choice(boxes), working.program) for _ in range(LINES)):
        seen_alone(formulas, working, reading, boxes)


def seen_alone(formulas, working, reading, boxes):
    def may_be(box):
        seen = [at for at in first_row(reading) if not is_hidden(box[at[0]][at[1]])]
        return any(all(entry_is_compatible(reading, habit, box, at) for at in seen) for habit in reading.habits)

    says_all = len(boxes[0]) > 1 and not formulas[0].startswith("argmax") and working.program is None
    found = [str(box) for box in routes_of(formulas).possible(reading, working)]
    if working is FULL:
        assert {str(box) for box in boxes if may_be(box)} <= {*found}
    else:
        assert found == [str(box) for box in boxes if not says_all or may_be(box)]


@pytest.mark.parametrize("formulas", FORMULAS, ids=lambda formulas: formulas[0])
@each_case()
@given(seed=st.integers(0, 10**6), slack=st.sampled_from([fmpq(0), fmpq(1, 2), fmpq(3)]))
def test_law_a_line_is_far_where_an_entry_of_its_first_row_is(formulas, seed, slack):
    """More units from all that prints as it than are allowed; a hidden entry, −∞ and a number of whole tens say
    nothing.
    """
    rng, routes = random.Random(seed), routes_of(formulas)
    box = routes.box(FULL, 0)
    for reading in (typed_line(rng, box, None) for _ in range(LINES)):
        far = any_is_far(reading, box, slack) and not formulas[0].startswith("argmax")
        assert routes_of(formulas).is_far(reading, FULL, slack) == far


def any_is_far(reading, box, slack):
    for i, j in first_row(reading):
        value, unit, cell = reading.values[i, j], reading.units[i, j], box[i][j]
        if isinstance(value, fmpq) and not is_hidden(cell) and unit <= 1:
            below = unit if value <= 0 else unit / 2  # cut, or rounded
            low, high = value - below - unit * slack, value + unit + unit * slack
            if cell[1] < low or cell[0] > high:
                return True
    return False


def test_one_entry_is_that_of_the_whole_before_its_row_is_known_and_after():
    for working in (FULL, IntermediateRounding(1, "any")):
        routes = routes_of(FORMULAS[0])
        whole = str(routes_of(FORMULAS[0]).box(working, 1))
        for _ in range(2):
            entries = [[routes.entry(working, 1, (i, j)) for j in range(3)] for i in range(3)]
            assert str(entries) == whole
            routes.row(working, 1, 2)
        assert str([routes.row(working, 1, i) for i in range(3)]) == whole

"""Routes to a line: one row of a formula says what the whole formula says of it, and steps that were left out may be
worked in any equal order.
"""

import random
from decimal import ROUND_HALF_UP, Decimal, localcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st
from laws import examples

from attncalc import load
from attncalc.answers.bind import Bound
from attncalc.answers.model import Script
from attncalc.api import check
from attncalc.arithmetic.interval import evaluate
from attncalc.arithmetic.working import FULL, Working
from attncalc.formula.rows import entry_of, row_of
from attncalc.mark.sources import Sources

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
        name: Sources(problem, Bound(Script(None, None, None, (), ""), problem, ()))
        for name, problem in problems.items()
    }


@examples(60)
@given(name=st.sampled_from(PROBLEMS), data=st.data())
def test_law_one_row_and_one_entry_of_a_formula_are_those_of_the_whole(plans, name, data):
    own = plans[name].source("own")
    step = data.draw(st.sampled_from(list(plans[name].plan.steps())))
    i = data.draw(st.integers(0, step.shape[0] - 1))
    for working in (FULL, Working(2, "any"), Working(1, "cut", shifted=True, products=True)):
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

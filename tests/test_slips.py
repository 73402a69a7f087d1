"""Slips of the pen in a line that is right otherwise: named, and charged with accuracy alone; a blunder is not taken
for one without evidence.
"""

import random
from decimal import Decimal

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from laws import examples

from attncalc import load, solve
from attncalc.api import check
from attncalc.problem.model import METHOD

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
    assert step.mark.earned == METHOD and step.mark.reason == "the method is right, but for a slip"


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

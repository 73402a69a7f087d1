"""What lines imply of the steps that a script omits."""

from __future__ import annotations

from fractions import Fraction

import pytest

from attncalc import check, load, solve
from tests.support.sweeps import for_each

PROBLEMS = {
    "masked": {
        "given": {
            "X": [[1, 0, 2], [0, 1, 1], [2, 1, 0], [1, 1, -1]],
            "W_Q": [[1, 0], [1, 1], [0, 2]], "W_K": [[0, 1], [2, 1], [1, -1]], "W_V": [[1, 2], [0, 1], [3, 0]],
        },
        "rounding": {"digits": 2},
        "self_attention": {"mask": "causal"},
    },
    "plain": {
        "given": {"Q": [[1, 2], [0, 1], [2, -1]], "K": [[1, 1], [2, 0], [0, 1]], "V": [[1, 2], [3, 5], [7, 4]]},
        "rounding": {"digits": 3},
        "attention": {},
    },
    "norm": {
        "given": {"X": [[1, 2, 4, 3], [0, 5, 1, 2]], "gamma": [[1, 2, 1, 3]], "beta": [[0, 1, 0, 1]]},
        "rounding": {"digits": 2},
        "layer_norm": {},
    },
}  # fmt: skip


def right(problem):
    return {
        result.step.key: [list(row) for row in result.decimals()] for part in solve(problem).parts for result in part
    }


def lost(problem, answers):
    report = check(problem, answers)
    return report.out_of - report.earned


@for_each("name", PROBLEMS)
@for_each("more", [Fraction(37, 100), Fraction(-153, 100)])
@for_each("at", [0, 1])
def test_law_a_slip_in_the_last_step_costs_the_same_if_the_steps_before_are_omitted(name, more, at):
    problem = load(PROBLEMS[name])
    answers = right(problem)
    last = list(answers)[-1]
    digits = len(answers[last][-1][at].partition(".")[2])
    answers[last][-1][at] = f"{float(Fraction(answers[last][-1][at]) + more):.{digits}f}"
    assert 0 < lost(problem, answers) == lost(problem, {last: answers[last]}) <= 1


@pytest.mark.parametrize("weights", [[[1, 0], [0, 0]], [[1, 0], [0, 1]]])
def test_weights_of_0_and_1_imply_nothing(weights):
    """Without a rule of rounding these are prints of the right weights; they show no step before."""
    given = {"Q": [[1, 2], [3, 4]], "K": [[1, 0], [0, 1]], "V": [[1, 2], [3, 4]]}
    problem = load({"given": given, "attention": {"mask": "causal"}})
    assert check(problem, {"A": weights}).earned <= 1
    assert check(problem, {"A": [[1, 0], ["0.3", "0.7"]]}).earned == 4


METHODS = {
    "masked": {
        "Q": "X @ W_Q", "K": "X @ W_K", "V": "X @ W_V", "S": "Q @ K.T", "S_scaled": "S / sqrt(2)",
        "S_masked": "keep(S_scaled, causal(4, 4))", "A": "softmax(S_masked)", "Z": "A @ V",
    },
    "plain": {"S": "Q @ K.T", "S_scaled": "S / sqrt(2)", "A": "softmax(S_scaled)", "Z": "A @ V"},
}  # fmt: skip


@for_each(("name", "skipped", "mistake"), [
    ("masked", "S_masked", {"A": "softmax(S_scaled) * causal(4, 4)"}),
    ("masked", "S_scaled", {"S_masked": "keep(S, causal(4, 4))"}),
    ("plain", "A", {"Z": "S_scaled @ V"}),
    ("plain", "A", {"Z": "ones(3, 3) / 3 @ V"}),
    ("plain", "S_scaled", {"A": "softmax(S)"}),
])  # fmt: skip
def test_law_a_mistake_that_skips_an_omitted_step_costs_that_step_alone(name, skipped, mistake):
    """Masked after the softmax without S_masked: it cost S_masked and A, although one thing is wrong."""
    problem = PROBLEMS[name]
    mistaken = {"given": problem["given"], "rounding": problem["rounding"], "steps": METHODS[name] | mistake}
    answers = right(load(mistaken))
    del answers[skipped]
    assert lost(load(problem), answers) == 1


def test_a_copy_that_skips_an_omitted_step_earns_nothing():
    problem = load({"given": {"X": [[1, 2, 0, 1], [0, 1, 3, 1]]}, "positional_encoding": {"X": "X"}})
    assert check(problem, {"X_pe": [[1, 2, 0, 1], [0, 1, 3, 1]]}).earned == 0


@pytest.mark.parametrize(("digits", "earned"), [(3, 1), (2, Fraction(3, 4))])
def test_after_a_mistake_in_an_omitted_step_too_few_decimals_cost_the_accuracy(digits, earned):
    problem = load(PROBLEMS["plain"])
    given = PROBLEMS["plain"]["given"]
    weights = solve(load({"given": given, "steps": {"A": "softmax(Q @ K.T)"}})).parts[0]["A"].printed(digits).texts
    step = next(step for step in check(problem, {"answers": {"A": weights}}).steps if step.step.name == "A")
    assert (step.made_in.name, step.mark.earned) == ("S_scaled", earned)

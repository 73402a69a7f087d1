"""The numbers of one part are not right in another part, even if both parts have the same names and formulas."""

from __future__ import annotations

import pytest

from attncalc import check, load, solve
from attncalc.api import load as read_problem
from attncalc.resources import problem_names

DIGITS = 4


def shown(solution, part):
    return {step.name: [list(row) for row in step.decimals(DIGITS)] for step in part.steps if not step.step.given}


def is_other(first, second):
    """Whether two matrices of texts have the same shape and clearly different numbers."""
    if [len(row) for row in first] != [len(row) for row in second]:
        return False
    pairs = [(x, y) for left, right in zip(first, second, strict=True) for x, y in zip(left, right, strict=True)]
    return any("inf" not in x + y and abs(float(x) - float(y)) > 0.05 for x, y in pairs)


def swapped(name):
    """Yield right answers to all parts of a problem, except that one step has the numbers of the same step elsewhere."""
    problem = read_problem(name)
    solution = solve(problem)
    right = {part.part.name: shown(solution, part) for part in solution.parts}
    for part, steps in right.items():
        for step, rows in steps.items():
            for other, theirs in right.items():
                if other != part and step in theirs and is_other(rows, theirs[step]):
                    yield problem, f"{part}.{step}", right | {part: steps | {step: theirs[step]}}


SEVERAL = [name for name in problem_names() if len(read_problem(name).parts) > 1]


@pytest.mark.sweep(quick=2, ci=6)
@pytest.mark.parametrize("name", SEVERAL)
def test_the_numbers_of_another_part_are_wrong(name):
    accepted = []
    for problem, key, answers in swapped(name):
        report = check(problem, answers)
        accepted += [key for line in report.steps if line.step.key == key and line.mark.earned == line.mark.out_of > 0]
    assert not accepted


def test_two_questions_with_equal_names():
    part = {"steps": {"P": "X @ W", "r": "sum(X) / 7", "A": "softmax(X)"}}
    numbers = [{"X": [[1, -2], [0, 3]], "W": [[1, 2], [-1, 1]]}, {"X": [[2, 1], [1, -4]], "W": [[0, 2], [-1, 3]]}]
    problem = load({"given": {}, "parts": {f"q{k}": {"given": given, **part} for k, given in enumerate(numbers, 1)}})
    first = shown(None, solve(problem).parts[0])
    report = check(problem, {"q1": first, "q2": first})
    assert [line.verdict for line in report.steps] == ["right"] * 3 + ["wrong"] * 3

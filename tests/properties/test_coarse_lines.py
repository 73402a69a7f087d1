"""Laws of lines with fewer decimals than the sheet asks: who types less never earns more by it, and zeros alone say
nothing of how they came about.
"""

import io
from math import sqrt

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from rich.console import Console

from attncalc import check, load, solve
from attncalc.explain.report_document import report_document
from attncalc.render.terminal import write
from tests.support.laws import examples

WIDTHS = st.sampled_from([2, 3, 5, 6, 7])
SCORES = st.integers(2, 3).flatmap(
    lambda n: st.lists(st.lists(st.integers(-6, 6), min_size=n, max_size=n), min_size=n, max_size=n)
)
GRADIENTS = ["dV", "dA", "dS_scaled", "dS", "dQ", "dK"]
MATRIX = st.lists(st.lists(st.integers(-3, 3), min_size=2, max_size=2), min_size=2, max_size=2)


def scaled(scores, width, **steps):
    return load({"rounding": {"digits": 2}, "given": {"S": scores}, "steps": {"D": f"S / sqrt({width})", **steps}})


def step_of(problem, answers, name):
    report = check(problem, {"answers": answers})
    return next(step for step in report.steps if step.step.name == name)


def page(problem, answers):
    report, out = check(problem, {"answers": answers}), io.StringIO()
    write(report_document(report, solve(problem)), Console(file=out, width=200, color_system=None))
    return out.getvalue()


@examples(60)
@given(SCORES, WIDTHS)
def test_law_scores_that_were_not_divided_earn_no_more_as_whole_numbers(scores, width):
    problem = scaled(scores, width)
    whole = step_of(problem, {"D": scores}, "D")
    fine = step_of(problem, {"D": [[f"{x}.00" for x in row] for row in scores]}, "D")
    assert whole.mark.earned <= fine.mark.earned


@examples(60)
@given(SCORES, WIDTHS)
def test_law_what_follows_from_undivided_whole_scores_is_not_called_right(scores, width):
    scores = [[abs(x) for x in row] for row in scores]
    kept = [x for i, row in enumerate(scores) for x in row[: i + 1]]
    assume(any(x - x / sqrt(width) > 0.5 for x in kept))  # no rounding makes the right score of it
    problem = scaled(scores, width, M=f"keep(D, causal({len(scores)}, {len(scores)}))")
    masked = [[x if j <= i else "-inf" for j, x in enumerate(row)] for i, row in enumerate(scores)]
    assert step_of(problem, {"D": scores, "M": masked}, "M").verdict == "carried"


@pytest.mark.parametrize("name", GRADIENTS)
@examples(15)
@given(MATRIX, MATRIX, MATRIX, MATRIX)
def test_law_zeros_name_only_a_mistake_that_comes_to_zeros(name, queries, keys, values, slope):
    given_ = {"Q": queries, "K": keys, "V": values, "dZ": slope}
    problem = load({"rounding": {"digits": 2}, "given": given_, "attention_gradients": {}})
    found = step_of(problem, {name: [[0, 0], [0, 0]]}, name)
    cells = [cell for cause in found.causes if cause.box for row in cause.box for cell in row]
    assert all(abs(float(end)) < 0.01 for cell in cells if cell is not None for end in cell)


def test_zeros_that_are_no_answer_are_told_from_what_was_left_out():
    given_ = {"Q": [[1, -2], [2, 1]], "K": [[2, 0], [-1, 1]], "V": [[1, 2], [3, -1]], "dZ": [[1, 0], [-1, 2]]}
    problem = load({"rounding": {"digits": 2}, "given": given_, "attention_gradients": {}})
    nothing = page(problem, {"dS": [[0, 0], [0, 0]], "dQ": [[0, 0], [0, 0]]})
    assert "Nothing is right yet. 2 steps have only zeros, but the correct numbers are not all 0." in nothing
    some = page(problem, {"dA": [[1, 3], [3, -5]], "dS": [[0, 0], [0, 0]]})
    assert "1 step has only zeros, but the correct numbers are not all 0. All other answers are right." in some
    assert "dS: only zeros, but the correct numbers are not all 0" in some
    assert "S, S_scaled, A, Z, dV: not answered" in some
    wrong = page(problem, {"dA": [[1, 3], [3, 5]], "dS": [[0, 0], [0, 0]]})
    assert "The first error is in dA. 1 step has only zeros" in wrong


def test_every_wrong_entry_of_a_coarse_line_is_marked():
    problem = scaled([[1, 4], [1, -1]], 3)
    found = step_of(problem, {"D": [[1, 4], [1, -1]]}, "D")
    assert [(cell.typed, cell.right) for cell in found.cells] == [
        ("1", "0.58"),
        ("4", "2.31"),
        ("1", "0.58"),
        ("-1", "-0.58"),
    ]

"""Entries that are crossed out in a block of rows: the other entries keep their places."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncalc import load
from attncalc.marking.report import check
from attncalc.submissions.script_reader import read
from attncalc.submissions.step_matching import bind
from tests.support.laws import examples

PROBLEM = load({"given": {"S": [[1, 2, 3], [4, 5, 6], [7, 8, 9]]}, "rounding": {"digits": 2}, "steps": {"M": "2 * S"}})
RIGHT = [["2", "4", "6"], ["8", "10", "12"], ["14", "16", "18"]]
PLACES = [(i, j) for i in range(3) for j in range(3)]
LINES = [
    *(frozenset((i, j) for j in range(3)) for i in range(3)),
    *(frozenset((i, j) for i in range(3)) for j in range(3)),
]


@pytest.mark.parametrize("form", ["answers:\n  M: |\n{}", "answers:\n  M:\n{}"], ids=["block", "list"])
@given(
    crossed=st.sampled_from(LINES) | st.sets(st.sampled_from(PLACES), max_size=8),
    mark=st.sampled_from(["x", "X", "✗", "_"]),
)
@examples(60)
def test_the_entries_that_are_not_crossed_out_are_right(form, crossed, mark):
    rows = [[mark if (i, j) in crossed else RIGHT[i][j] for j in range(3)] for i in range(3)]
    is_block = form.endswith("|\n{}")
    lines = (f"    {' '.join(row)}" if is_block else f"    - [{', '.join(row)}]" for row in rows)
    (step,) = check(PROBLEM, bind(read(form.format("\n".join(lines)), "a.yaml"), PROBLEM)).steps
    assert not step.shape and step.line is not None
    assert set(step.line.filled.cells) == set(PLACES) - crossed and step.verdict == "right"

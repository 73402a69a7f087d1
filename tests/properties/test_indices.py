"""An index takes what NumPy takes, and refuses what NumPy refuses; certificates, pages and answers know the same one."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncalc import AttncalcError, check, load, solve, verify
from attncalc.formula.parser import parse
from attncalc.formula.syntax_tree import unparse
from attncalc.render.certificate import write
from attncalc.render.math import single_line
from tests.support.laws import examples
from tests.support.sweeps import for_each

ENDS = st.none() | st.integers(-6, 6)
SLICES = st.builds(slice, ENDS, ENDS, ENDS)
PLACES = st.integers(-6, 6)
ITEMS = PLACES | SLICES | st.lists(PLACES, min_size=1, max_size=4)


def written(item) -> str:
    """An index as it is typed: 2, [2, 0], 1:5:2."""
    if not isinstance(item, slice):
        return str(item)
    start, stop, step = ("" if end is None else str(end) for end in (item.start, item.stop, item.step))
    return f"{start}:{stop}:{step}" if step else f"{start}:{stop}"


def taken(A: np.ndarray, rows, columns) -> np.ndarray | None:
    """What NumPy takes, as a matrix; None for nothing, or for an index that it refuses."""
    rows, columns = ([item] if isinstance(item, int) else item for item in (rows, columns))
    try:
        found = A[rows][:, columns]
    except (IndexError, ValueError):
        return None
    return found if found.size else None


def beyond(item, count: int) -> bool:
    """Whether a slice has an end behind the matrix, which NumPy moves to its end and attncalc reports."""
    ends = ((item.start, count - 1), (item.stop, count)) if isinstance(item, slice) else ()
    return any(end is not None and end > last for end, last in ends)


@examples(100)
@given(st.integers(1, 5), st.integers(1, 5), ITEMS, ITEMS)
def test_an_index_takes_what_numpy_takes(n, m, rows, columns):
    A = np.arange(n * m).reshape(n, m)
    formula = f"A[{written(rows)}, {written(columns)}]"
    expected = taken(A, rows, columns)
    lists = isinstance(rows, list) and isinstance(columns, list)
    everything = not lists and expected is not None and np.array_equal(expected, A)
    try:
        problem = load({"given": {"A": A.tolist()}, "steps": {"B": formula}})
    except AttncalcError:
        assert expected is None or lists or everything or beyond(rows, n) or beyond(columns, m)
        return
    assert expected is not None and not lists
    solution = solve(problem)
    assert solution["B"].decimals(0) == expected.astype(str).tolist()
    assert unparse(parse(formula)) == formula == solution["B"].formula
    report = verify.verify(json.loads(write(solution)))
    assert not report.findings and report.steps[0][1:] == (expected.size, expected.size)
    assert check(problem, {"answers": {"B": expected.tolist()}}).steps[0].verdict == "right"


LABELLED = {"rows": ["the", "cat", "sat"], "columns": ["x", "y"], "values": [[1, 2], [3, 4], [5, 6]]}
REFUSED = {
    "A[::0]": "a slice's step: expected a whole number other than 0, found 0",
    "A[[0, 3]]": "A has 3 rows, with the indices 0 to 2; found 3",
    'A[["cat", "dog"]]': "A has no row with the label 'dog'",
    "A[[0, 1], [0, 1]]": "did you mean hstack(A[0, 0], A[1, 1]) (1 × 2) or A[[0, 1]][:, [0, 1]] (2 × 2)?",
    "A[[]]": "at least one row",
    "A[[0.5]]": "the index of a row: expected a whole number, found 0.5",
    "A[0:4:2]": "A has 3 rows; the slice's bound 4 ",
    "A[0:2:-1]": "this slice is empty; ",
    "A[[[0], [1]]]": "the index of a row: expected a constant whole number",
}


@for_each("formula", REFUSED)
def test_an_index_that_takes_nothing_is_refused_with_a_reason(formula):
    with pytest.raises(AttncalcError) as error:
        load({"given": {"A": LABELLED}, "steps": {"B": formula}})
    assert REFUSED[formula] in str(error.value)


def test_labels_in_lists_are_rows_and_travel():
    solution = solve(load({"given": {"A": LABELLED}, "steps": {"B": 'A[["sat", "the"]]', "C": "B[::-1]"}}))
    assert solution["B"].decimals(0) == [["5", "6"], ["1", "2"]]
    assert solution["C"].step.rows == ("the", "sat")
    assert not verify.verify(json.loads(write(solution))).findings


def test_indices_count_from_one_on_pages():
    shown = {"A[::2]": "A[::2]", "A[[2, 0], 1]": "A[[3, 1], 2]", "A[3:0:-1]": "A[4:2:−1]", "A[1:5:2]": "A[2:5:2]"}
    assert {formula: single_line.formula(parse(formula)) for formula in shown} == shown


def test_a_row_that_is_asked_twice_is_refused():
    with pytest.raises(AttncalcError, match="twice"):
        load({"given": {"A": LABELLED}, "steps": {"B": "2 * A"}, "asked": ["B[[0, 0]]"]})


def test_answers_name_rows_by_lists_and_steps():
    problem = load({"given": {"A": LABELLED}, "steps": {"B": "2 * A"}, "asked": ["B[::2]"]})
    assert check(problem, {"answers": {"B[[2, 0]]": [[10, 12], [2, 4]]}}).steps[0].verdict == "right"

"""Rows with the numbers of the items of a list in front of them, which are no entries."""

from __future__ import annotations

from attncalc import load
from attncalc.submissions.script_reader import read
from attncalc.submissions.step_matching import bind
from tests.support.sweeps import for_each

SHAPES = [(n, m) for n in range(1, 5) for m in range(1, 5)]
HEADS = ("S:\n", "S =\n", "S\n", "## S\n\n", "**S**\n\n", "\\paragraph{S}\n")


@for_each("gap", ["\n", "\n\n"])
@for_each("head", HEADS, quick=40, ci=60)
@for_each("shape", SHAPES)
@for_each("asked", SHAPES)
def test_law_the_numbers_of_items_are_no_entries(asked, shape, head, gap):
    """They are left out if the matrix fits only without them. If it fits in both ways or in none, it is reported."""
    n, m = shape
    if n < 2 or gap == "\n\n" and m > 1:
        return
    rows = [[f"0.{i}{j}" for j in range(m)] for i in range(1, n + 1)]
    problem = load({"given": {"X": [[1] * asked[1]] * asked[0]}, "steps": {"S": "X * 2"}})
    text = head + gap.join(f"{i}. {' '.join(row)}" for i, row in enumerate(rows, 1)) + "\n"
    bound = bind(read(text, "a.md", lenient=True), problem, lenient=True)
    fits = [(n, width) in (asked, asked[::-1]) for width in (m, m + 1)]
    assert "S" not in bound.shapes
    if fits == [True, False]:
        assert {typed.text for typed in bound.find("S").cells.values()} == {entry for row in rows for entry in row}
        assert not bound.unread
    elif fits[0] == fits[1]:
        assert bound.unread and not bound.find("S")


@for_each("rows", ["[[1., 2.], [2., 5.]]", "[[1. 2.]\n     [2. 5.]]", "[1., 0.5; 2., 0.7]"])
def test_a_first_column_of_a_print_is_none_of_items(rows):
    problem = load({"given": {"X": [[1, 2], [2, 3]]}, "steps": {"S": "X * 2"}})
    bound = bind(read(f"S = {rows}\n", "a.txt", lenient=True), problem, lenient=True)
    assert [typed.text for typed in bound.find("S").cells.values()][::2] == ["1.", "2."] and not bound.unread

"""Class tables: each common way to name an entry is read as that entry, or reported."""

from __future__ import annotations

import csv
import io
from itertools import product

import pytest

from attncalc import load
from attncalc.errors import AttncalcError
from attncalc.submissions.script_reader import read, read_rows
from attncalc.submissions.step_matching import bind
from tests.support.sweeps import for_each

PROBLEM = load({"given": {"X": [[1, -2, 3], [0, 1, -1]]}, "steps": {"S": "X / 2", "v": "X[0] / 4", "c": "sum(X) / 8"}})
ROWS = {"S": [["0.5", "-1", "1.5"], ["0", "0.5", "-0.5"]], "v": [["0.25", "-0.5", "0.75"]], "c": [["0.25"]]}
ENTRIES = {(step, i, j): x for step, rows in ROWS.items() for i, row in enumerate(rows) for j, x in enumerate(row)}
READ = {
    "pairs": lambda step, i, j: f"{step}[{i},{j}]", "Python": lambda step, i, j: f"{step}[{i}][{j}]",
    "spaced": lambda step, i, j: f"{step}[{i}] [ {j} ]", "round": lambda step, i, j: f"{step}({i},{j})",
    "spaced round": lambda step, i, j: f"{step} ({i}, {j})",
}  # fmt: skip
UNCLEAR = {
    "MATLAB": lambda step, i, j: f"{step}({i + 1},{j + 1})", "from 1": lambda step, i, j: f"{step}[{i + 1}][{j + 1}]",
    "joined": lambda step, i, j: f"{step}_{i}_{j}", "joined from 1": lambda step, i, j: f"{step}{i + 1}{j + 1}",
}  # fmt: skip


def table(rows, sign=",") -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=sign).writerows(rows)
    return out.getvalue()


def wide(name, sign=","):
    heads = ["student", *(name(*entry) for entry in ENTRIES)]
    return table([heads, *([who, *ENTRIES.values()] for who in ("Ann", "Bob"))], sign)


def matrix(step):
    return "[" + ", ".join("[" + ", ".join(row) + "]" for row in ROWS[step]) + "]"


def bound_of(lines):
    return bind(lines.script(lambda head: True), PROBLEM, lenient=True)


def assert_meant(bound):
    found = {(step.step.name, *at): typed.text for step in bound.steps for at, typed in step.cells.items()}
    assert found == ENTRIES and not bound.unread


@for_each("sign", [",", ";", "\t"])
@for_each("way", READ)
def test_law_the_heading_of_an_entry_is_read_in_each_notation(way, sign):
    students = read_rows(wide(READ[way], sign), "class.csv")
    assert [lines.about("student") for lines in students] == ["Ann", "Bob"]
    for lines in students:
        assert_meant(bound_of(lines))


@for_each("way", UNCLEAR)
def test_law_a_heading_that_may_count_from_1_is_reported(way):
    for lines in read_rows(wide(UNCLEAR[way]), "class.csv"):
        bound = bound_of(lines)
        for step, rows in ROWS.items():
            filled = bound.find(step)
            assert filled is None or len(rows) == 1 or filled.cells == {}, step
        assert bound.unread


def test_round_heads_without_quotes_are_one_cell():
    text = wide(READ["round"]).replace('"', "")
    for lines in read_rows(text, "class.csv"):
        assert_meant(bound_of(lines))


@for_each("with_student", [True, False])
@for_each(("first", "last"), [*product(("entry", "step"), ("value", "answer")), ("Entry", "Answer")])
@for_each("way", READ)
def test_law_a_long_table_may_name_an_entry_in_each_row(way, first, last, with_student):
    rows = [[who, READ[way](*at), x] for who in ("Ann", "Bob")[: 1 + with_student] for at, x in ENTRIES.items()]
    text = table([["student", first, last], *rows] if with_student else [[first, last], *(row[1:] for row in rows)])
    if with_student:
        for lines in read_rows(text, "class.csv"):
            assert_meant(bound_of(lines))
    else:
        assert_meant(bind(read(text, "a.csv", lenient=True), PROBLEM, lenient=True))


@pytest.mark.parametrize("last", ["answer", "value", "Answer"])
def test_law_a_long_table_may_have_a_matrix_in_each_row(last):
    text = table([["student", "step", last], *([who, step, matrix(step)] for step in ROWS for who in ("Ann", "Bob"))])
    students = read_rows(text, "class.csv")
    assert len(students) == 2
    for lines in students:
        assert_meant(bound_of(lines))


def test_an_unclear_entry_in_a_long_table_is_reported():
    rows = [["Ann", UNCLEAR["MATLAB"](*at), x] for at, x in ENTRIES.items()]
    (lines,) = read_rows(table([["student", "entry", "value"], *rows]), "class.csv")
    try:
        bound = bound_of(lines)
    except AttncalcError:
        return
    assert not bound.steps and bound.unread

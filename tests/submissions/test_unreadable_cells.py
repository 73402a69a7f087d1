"""One cell of a class's table that cannot be read costs nothing of the other students, whatever the cell holds."""

from __future__ import annotations

import pytest

from attncalc import AttncalcError
from attncalc.submissions.script_reader import read_rows
from tests.support.sweeps import for_each

SIGNS = {";": "semicolons", ",": "commas", "\t": "tabs"}
STARTS = {"\n", "\r", '"', "\x85", "\u2028", "\u2029"}
CHARACTERS = [chr(k) for k in (*range(0x180), 0x2028, 0x2060, 0xD800, 0xDFFF, 0xFEFF, 0xFFFE, 0xFFFF, 0x1F600)]


def table(cell, sign=","):
    lines = [("student", "S[0,0]", "S[0,1]"), ("a", "1", "2"), ("b", cell, "4"), ("c", "5", "6")]
    return "".join(sign.join(f'"{text}"' if "[" in text else text for text in line) + "\n" for line in lines)


def numbers(rows):
    """The numbers of each student that can be read."""
    values = {}
    for row in rows:
        try:
            answers = row.script(lambda head: head.startswith("S")).answers
        except AttncalcError:
            answers = ()
        values[row.about("student")] = [
            str(cell.value) for answer in answers for line in answer.rows for cell in line if cell
        ]
    return values


@for_each("sign", [*SIGNS])
def test_a_quoted_cell_of_many_signs_is_one_cell(sign):
    for inside in ";,\t\n":
        read = numbers(read_rows(table(f'"{inside * 300_000}"', sign).encode(), "class.csv"))
        assert (read["a"], read["c"]) == (["1", "2"], ["5", "6"]), inside


@for_each("sign", [*SIGNS])
def test_a_line_that_is_too_long_costs_its_own_student(sign):
    for cells in (20_000,):
        for last in ("", "7"):
            read = numbers(read_rows(table("3", sign).replace("4\n", f"4{sign * cells}{last}\n").encode(), "class.csv"))
            assert (read["a"], read["c"]) == (["1", "2"], ["5", "6"])
            assert read["b"] == ([] if last else ["3", "4"])


@for_each("character", [c for c in CHARACTERS if c not in STARTS and c not in SIGNS])
def test_a_character_costs_at_most_its_cell(character):
    data = table(f"3{character}").encode("utf-8", "surrogatepass")
    if 0xD800 <= ord(character) <= 0xDFFF:  # no text of any encoding has them
        data = table(f"3{character}")
    read = numbers(read_rows(data, "class.csv"))
    assert (read["a"], read["c"]) == (["1", "2"], ["5", "6"])


def test_a_header_that_is_too_long_is_refused():
    with pytest.raises(AttncalcError, match="16,384 columns"):
        read_rows(("student," + ",".join(f"S[0_{k}]" for k in range(17_000)) + "\na,1\n").encode(), "class.csv")

"""A faulty cell of a class table costs its student's row at most; the message names the file and the line."""

import csv
import io
from itertools import product

from click.testing import CliRunner

from attncalc.cli import cli
from attncalc.submissions.tables.xml_stream import MOST_COLUMNS
from tests.support.sweeps import for_each

PROBLEM = """title: Pieces
given: {B: [[3, 5]]}
steps: {M: B / 8, n: sum(B) / 16}
rounding: {digits: 3}
"""
HEADER, RIGHT = ["student", "M[0,0]", "M[0,1]", "n[0,0]"], ["0.375", "0.625", "0.5"]
STUDENTS = ("ann", "bob", "cyd", "dan")
FAULTS = {
    "many separators in quotes": '"' + ",;\t" * 130_000 + '"',
    "semicolons in quotes": '"' + ";" * 300_000 + '"',
    "many separators": "," * 400_000,
    "columns beyond the last": "," * (MOST_COLUMNS + 1),
    "a long number": "7" * 300_000,
    **{f"U+{ord(sign):04X}": f"0.3{sign}75" for sign in "\x00\x01\x0b\x0c\x1f\x7f\x9f\uffff"},
}


@for_each("fault, column, line, sign", list(product(FAULTS, (1, 3), (0, 1, 3), ",;\t")), quick=8, ci=24)
def test_law_a_faulty_cell_costs_its_row_at_most(fault, column, line, sign, tmp_path):
    (tmp_path / "problem.yaml").write_text(PROBLEM, encoding="utf-8")
    rows = [[student, *RIGHT] for student in STUDENTS]
    rows[line][column] = FAULTS[fault].replace(",", sign) if "quotes" not in fault else FAULTS[fault]
    lines = [sign.join(f'"{name}"' for name in HEADER), *(sign.join(row) for row in rows)]
    table = tmp_path / "class.csv"
    table.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    run = CliRunner().invoke(cli, ["grade", str(tmp_path / "problem.yaml"), str(table), "-o", "-"])
    graded = list(csv.DictReader(io.StringIO(run.stdout)))
    assert [row["student"] for row in graded] == list(STUDENTS), run.output
    for k, row in enumerate(graded):
        if k != line:
            assert (row["status"], row["marks"]) == ("graded", "2"), run.output
    if graded[line]["status"] != "graded":  # blank cells beyond the last column cost nothing
        assert f"class.csv:{line + 2}:" in run.stderr, run.output
    else:
        assert fault in ("many separators", "columns beyond the last"), run.output


@for_each("width", [MOST_COLUMNS, 9_000, 3_000], quick=1)
@for_each("cell", ["1", ""])
def test_law_many_faulty_rows_cost_only_their_students(width, cell, tmp_path):
    """The rows together have more cells than a table may have, but the other rows are graded."""
    (tmp_path / "problem.yaml").write_text(PROBLEM, encoding="utf-8")
    header = ",".join(f'"{name}"' for name in HEADER)
    long_rows = [",".join([f"s{k}", *[cell] * width]) for k in range(360_000 // width)]
    lines = [header, *(",".join([student, *RIGHT]) for student in STUDENTS[:2]), *long_rows]
    lines += [",".join([student, *RIGHT]) for student in STUDENTS[2:]]
    table = tmp_path / "class.csv"
    table.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    run = CliRunner().invoke(cli, ["grade", str(tmp_path / "problem.yaml"), str(table), "-o", "-"])
    rows = {row["student"]: row for row in csv.DictReader(io.StringIO(run.stdout))}
    assert [rows[student]["marks"] for student in STUDENTS] == ["2"] * len(STUDENTS), run.output
    for k, line in ((0, 4), (len(long_rows) - 1, len(long_rows) + 3)):
        assert (f"class.csv:{line}:" in rows[f"s{k}"]["remarks"]) == bool(cell), rows[f"s{k}"]

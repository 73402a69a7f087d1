"""One story: roster, papers, class table, marks, a look by a person, something accepted afterwards, marks again,
feedback, grades, export.
"""

import csv
import io
import json
from fractions import Fraction
from math import exp

import pytest

from attncalc import solve
from attncalc.api import loads
from tests.support.called import called
from tests.support.course_readers import moodle_gradebook

SHEET = """\
title: Story
students: class.csv
seed: 5
rounding: {digits: 2}
scale: {A: 90 %, B: 50 %, F: 0}
questions:
  - generate: self_attention
    with: {tokens: 2, d_model: 2, d_k: 2}
    asked: [S, A]
    points: {S: 2, A: 4}
  - problem: look-ahead-mask
    points: 2
"""
CHANGES = "reason: the slides forget the scale as well\nquestions: {q1: {accept: [scale-forgotten]}}\n"
pytestmark = pytest.mark.slow
WHO = ("101", "102", "103", "104")


def rows_of(path):
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"))))


def run(*words, code=0):
    found, out, err = called(*words)
    assert found == code and "Traceback" not in err, err
    return out


def right_cells(text):
    """Every asked entry of a paper as it prints, by its column."""
    solution = solve(loads(text))
    return {
        f"{part.part.name}.{step.name}[{i},{j}]": cell
        for part in solution.parts
        for step in part.steps
        for i, row in enumerate(step.printed().texts)
        for j, cell in enumerate(row)
    }


def unscaled(cells):
    """q1.A without the scale: the softmax of q1.S, in floating point."""
    rows = [[exp(float(cells[f"q1.S[{i},{j}]"])) for j in range(2)] for i in range(2)]
    return {f"q1.A[{i},{j}]": f"{x / sum(row):.2f}" for i, row in enumerate(rows) for j, x in enumerate(row)}


@pytest.fixture(scope="module")
def class_table(tmp_path_factory):
    """The exam's folder with a table typed in: 101 right, 102 and 103 without the scale, 104 right but for a cell that
    nobody can read.
    """
    here = tmp_path_factory.mktemp("story")
    (here / "sheet.yaml").write_text(SHEET)
    (here / "class.csv").write_bytes("Matrikelnummer;Name\n101;Jörg\n102;Ada\n103;Bob\n104;Eva\n".encode("latin-1"))
    run("exam", here / "sheet.yaml", "-o", here / "out", "--to", "latex")
    run("answers", here / "out" / "key.json", "-o", here / "typed.csv")
    papers = {one["student"]: one["problem"] for one in json.loads((here / "out" / "key.json").read_text())["variants"]}
    lines = rows_of(here / "typed.csv")
    assert [line["student"] for line in lines] == list(WHO)
    for line in lines:
        cells = right_cells(papers[line["student"]])
        cells |= unscaled(cells) if line["student"] in ("102", "103") else {}
        cells |= {"q1.S[0,0]": "1O?"} if line["student"] == "104" else {}
        line |= {column: line[column] or cells[column] for column in line if column in cells}
    with (here / "typed.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, list(lines[0]))
        table.writeheader()
        table.writerows(lines)
    return here


def test_from_the_roster_to_the_course_system(class_table, tmp_path):
    here, key = class_table, class_table / "out" / "key.json"
    before = key.read_bytes()

    # Marks: two forgot the scale, one entry cannot be read, and a person looks at that one.
    run("grade", key, here / "typed.csv", "-o", tmp_path / "first.csv", code=1)
    first = {row["student"]: row for row in rows_of(tmp_path / "first.csv")}
    assert [first[who]["status"] for who in WHO] == ["graded", "graded", "graded", "look"]
    assert [Fraction(first[who]["marks"]) for who in WHO] == [8, 4, 4, Fraction("7.5")]
    (tmp_path / "by-hand.csv").write_text("student,step,marks,reason\n104,q1.S,2,read on paper\n")
    by_hand = ["--overrides", tmp_path / "by-hand.csv"]

    # The convention is accepted: whose marks change, and why. The key stays as it is, the new one marks the same.
    (tmp_path / "changes.yaml").write_text(CHANGES)
    out = run("regrade", key, tmp_path / "changes.yaml", here / "typed.csv", *by_hand, "--to", "json",
              "--marks", tmp_path / "again.csv", "--new-key", tmp_path / "key2.json")  # fmt: skip
    moved = {one["student"]: one for one in json.loads(out)["changed"]}
    assert key.read_bytes() == before and sorted(moved) == ["102", "103"]
    assert [(one["before"]["marks"], one["after"]["marks"]) for one in moved.values()] == [("4", "8"), ("4", "8")]
    assert all(
        "the slides forget the scale as well" in step["because"][0] for one in moved.values() for step in one["steps"]
    )

    # Marks again, with grades, pages and the columns of a course system.
    again = [tmp_path / "key2.json", here / "typed.csv", *by_hand, "--scale", here / "sheet.yaml"]
    run("grade", *again, "-o", tmp_path / "last.csv", "--feedback", tmp_path / "pages", "--to", "html")
    last = {row["student"]: row for row in rows_of(tmp_path / "last.csv")}
    assert [(last[who]["marks"], last[who]["grade"], last[who]["status"]) for who in WHO] == [("8", "A", "graded")] * 4
    without = [{name: cell for name, cell in row.items() if name != "grade"} for row in last.values()]
    assert without == rows_of(tmp_path / "again.csv")
    page = (tmp_path / "pages" / "104.html").read_text(encoding="utf-8")
    assert (
        "read on paper" in page
        and "8 of 8 points" in page
        and sorted(p.name for p in (tmp_path / "pages").iterdir()) == [f"{w}.html" for w in WHO]
    )
    marks = moodle_gradebook(
        run("grade", *again, "--for", "moodle"), "ID number", "Story", {who: who for who in WHO}, 8
    )
    assert len(marks) == 4

    # How the two markings differ, and the exam as a quiz.
    compared = json.loads(run("compare", tmp_path / "first.csv", tmp_path / "last.csv", "--to", "json"))
    assert {(one["student"], one["step"]) for one in compared["different"]} == {
        ("102", "q1.A"),
        ("103", "q1.A"),
        ("104", "q1.S"),
    }
    run("export", tmp_path / "key2.json", "--to", "moodle", "-o", tmp_path / "quiz.xml")
    assert (tmp_path / "quiz.xml").read_bytes().startswith(b"<?xml")

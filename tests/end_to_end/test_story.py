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
from tests.support.system_readers import READERS

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


TERM = """\
title: Term
students: roster.csv
seed: 11
rounding: {digits: 2}
accept: []
questions:
  - problem: own.yaml
    asked: [scores, weights, context]
    points: 6
  - generate: self_attention
    with: {tokens: 2, d_model: 2, d_k: 2}
    asked: [S, A]
    points: 4
"""
OWN = """\
title: Own notation
given: {query: [[1, 2], [0, 1]], key: [[2, 1], [1, 1]], value: [[3, 1], [1, 2]]}
steps:
  scores: {formula: query @ key.T, means: the scores}
  weights: {formula: softmax(scores / sqrt(2)), means: the weights of the words}
  context: {formula: weights @ value, means: the mixed values}
"""
TERM_ROSTER = "number;name;language\n" + "".join(
    f"{number};{name};{language}\n"
    for number, name, language in [
        (201, "Jörg", "de"), (202, "Ada", "en"), (203, "Bob", "en"), (204, "Eva", "de"), (205, "Ian", "en"),
        (206, "Uma", "en"), (207, "Zoë", "de"),
    ]
)  # fmt: skip
STATUSES = {"201": "graded", "202": "graded", "203": "absent", "204": "excused", "205": "look", "206": "look",
            "207": "graded"}  # fmt: skip


def typed_term(here):
    """The table as two assistants type it: 201 right, 202 and 207 without the scale in the own problem, 203 not there,
    204 excused, 205 with a cell that nobody can read, 206 in two rows that differ.
    """
    papers = {one["student"]: one["problem"] for one in json.loads((here / "out" / "key.json").read_text())["variants"]}
    lines = []
    for line in rows_of(here / "typed.csv"):
        who = line["student"]
        cells = right_cells(papers[who])
        if who in ("202", "207"):
            rows = [[exp(float(cells[f"q1.scores[{i},{j}]"])) for j in range(2)] for i in range(2)]
            weights = [[f"{x / sum(row):.2f}" for x in row] for row in rows]
            mixed = [[sum(float(w) * v[j] for w, v in zip(row, ([3, 1], [1, 2]), strict=True)) for j in range(2)]
                     for row in weights]  # fmt: skip
            cells |= {f"q1.weights[{i},{j}]": weights[i][j] for i in range(2) for j in range(2)}
            cells |= {f"q1.context[{i},{j}]": f"{mixed[i][j]:.2f}" for i in range(2) for j in range(2)}
        cells |= {"q1.scores[0,0]": "4?1"} if who == "205" else {}
        asked = [column for column in line if column in cells]
        if who == "204":
            line |= {asked[0]: "excused"}
        elif who != "203":
            line |= {column: line[column] or cells[column] for column in asked}
        lines += [line, line | {asked[0]: "9"}] if who == "206" else [line]
    with (here / "typed.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, list(lines[0]))
        table.writeheader()
        table.writerows(lines)


def test_a_term_of_an_instructor(tmp_path):
    """Own problems, papers in two languages, a table with gaps, marks, an accepted alternative, and marks again."""
    here, key = tmp_path, tmp_path / "out" / "key.json"
    (here / "sheet.yaml").write_text(TERM)
    (here / "own.yaml").write_text(OWN)
    (here / "roster.csv").write_text(TERM_ROSTER, encoding="utf-8")
    run("exam", here / "sheet.yaml", "-o", here / "out", "--to", "latex")

    # Papers: each student's language, the words of the steps, and no formula that says how to do it.
    sheets = {path.name: path.read_text(encoding="utf-8") for path in sorted((here / "out").glob("paper-*.tex"))}
    papers = {one["student"]: one for one in json.loads(key.read_text())["variants"]}
    assert len(sheets) == 7
    for who, paper in papers.items():
        (sheet,) = [text for text in sheets.values() if paper["code"] in text]
        assert ("Punkte" in sheet) == (who in ("201", "204", "207")), who
        assert "the weights of the words" in sheet and r"\operatorname{softmax}" not in sheet and "cols(" not in sheet

    # Marks: who was not there has none, and a person looks at what cannot be read or is there twice.
    run("answers", key, "-o", here / "typed.csv")
    typed_term(here)
    run(
        "grade", key, here / "typed.csv", "-o", here / "first.csv", "--feedback", here / "pages", "--to", "html", code=1
    )
    rows = rows_of(here / "first.csv")
    assert {row["student"]: row["status"] for row in rows} == STATUSES
    first = {row["student"]: row["marks"] for row in rows}
    assert (first["201"], first["203"], first["204"]) == ("10", "", "")
    assert first["202"] == first["207"] and Fraction(first["202"]) == 8  # the mistake costs one step, once
    page = (here / "pages" / "202.html").read_text(encoding="utf-8")
    assert "did not divide" in page and "10 points" in page

    # A person reads 205 on paper, and the slides turn out to forget the scale.
    (here / "by-hand.csv").write_text("student,step,marks,reason\n205,q1.scores,2,read on paper\n")
    by_hand = ["--overrides", here / "by-hand.csv"]
    (here / "changes.yaml").write_text(CHANGES)
    out = run("regrade", key, here / "changes.yaml", here / "typed.csv", *by_hand, "--to", "json",
              "--marks", here / "again.csv", "--new-key", here / "key2.json", code=1)  # fmt: skip
    assert sorted(one["student"] for one in json.loads(out)["changed"]) == ["202", "207"]
    again = {row["student"]: (row["status"], row["marks"]) for row in rows_of(here / "again.csv")}
    assert {who: again[who] for who in ("201", "202", "205", "207")} == dict.fromkeys(
        ("201", "202", "205", "207"), ("graded", "10")
    )

    # Course systems: only who is marked, and the quizzes as their readers see them.
    graded = [here / "key2.json", here / "typed.csv", *by_hand]
    students = {who: who for who in papers}
    moodle = moodle_gradebook(run("grade", *graded, "--for", "moodle", code=1), "ID number", "Term", students, 10)
    assert {who: mark for who, (mark, _) in moodle.items()} == dict.fromkeys(("201", "202", "205", "207"), 10)
    for system, ending in (("moodle", "xml"), ("canvas", "zip"), ("stack", "xml"), ("rexams", "zip")):
        run("export", here / "key2.json", "--to", system, "-o", here / f"{system}.{ending}")
        variants = READERS[system].read((here / f"{system}.{ending}").read_bytes())
        questions = [question for variant in variants for question in variant]
        assert questions and all("cols(" not in question.shown for question in questions), system
        assert any("the weights of the words" in question.shown for question in questions), system

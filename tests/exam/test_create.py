"""Exam sheets: the same papers everywhere, keys that mark right answers as right, folders in which nothing of anybody's
is lost.
"""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
from hashlib import sha256
from pathlib import Path

import jsonschema
import pytest
import yaml

from attncalc import AttncalcError, load, solve
from attncalc.api import check
from attncalc.cli import main
from attncalc.exam import typeset
from attncalc.exam.images import figure_files
from attncalc.exam.paper_build import Order, build, build_paper
from attncalc.exam.secret import new_code
from attncalc.exam.sheet.model import Student
from attncalc.exam.sheet.sheet_reader import load_sheet, read_sheet
from attncalc.exam.sheet.sheet_schema import sheet_schema
from attncalc.exam.stress import as_data, document, stress
from attncalc.exam.variant_drawing import draw_all, make_variants_distinct
from attncalc.explain.solution_document import solution_document
from attncalc.problem.loader import read_problem
from attncalc.problem.yaml_file.nodes import Mapping, Scalar, Sequence
from attncalc.problem.yaml_file.writer import yaml_text
from attncalc.problem.yaml_file.yaml_reader import read_yaml
from attncalc.render.math.single_line import formula
from attncalc.render.pdf import by_typst
from attncalc.render.typst_compiler import page_count
from attncalc.resources import folder
from tests.support.pages import HOSTILE
from tests.support.sweeps import for_each

SHEETS = sorted(folder("problems").joinpath("sheets").glob("*.yaml"))
LONG = 0x8F1B_77D2_0C35_E9A4_61  # a seed of more than 64 bits, which gives no warning
QUIZ = """\
title: Quiz
course: Deep Learning
seed: 7
variants: 3
rounding: {digits: 2}
questions:
  - generate: layer_norm
    with: {tokens: 2, d_model: 3}
    asked: [mean, Y]
    points: {mean: 1, Y: 2}
  - problem: two.yaml
  - one_of: [{generate: feed_forward}, {problem: look-ahead-mask}]
    points: 4
"""
FIXED = "question 2 has no random numbers, so it is the same on all papers\n"
TWO = """\
title: Two parts
given:
  X: |
    1 2
    3 4
parts:
  first: {ask: Double it., steps: {Y: 2 * X}, points: 1}
  second: {ask: Add the first., steps: {Z: first.Y + X}, points: 2}
"""


@pytest.fixture
def sheet(tmp_path):
    (tmp_path / "two.yaml").write_text(TWO)
    path = tmp_path / "quiz.yaml"
    path.write_text(QUIZ)
    return path


def variants(sheet):
    return list(make_variants_distinct(sheet, sheet.students, (draw_all(sheet, student) for student in sheet.students)))


def written(path, out, force=False, **order):
    return build(Order(path.read_bytes(), str(path), **order), str(out), force, lambda total: lambda: None)


def files(out):
    return {path.name: path.read_bytes() for path in sorted(Path(out).iterdir())}


def typed(argv, monkeypatch, capsys, code=0):
    monkeypatch.setattr(sys, "argv", ["attncalc", *map(str, argv)])
    with pytest.raises(SystemExit) as ended:
        main()
    told = capsys.readouterr()
    assert (ended.value.code or 0) == code, told.err
    assert "Traceback" not in told.err
    return told


# -- variants ----------------------------------------------------------------------------------------------------------


@pytest.mark.sweep(quick=0)
def test_variants_are_the_same_again(sheet):
    first, again = variants(load_sheet(str(sheet))), variants(load_sheet(str(sheet)))
    assert [(v.code, v.seed, v.problem) for v in first] == [(v.code, v.seed, v.problem) for v in again]
    assert len({v.problem for v in first}) == len({v.code for v in first}) == 3


@pytest.mark.sweep(quick=0)
def test_another_seed_gives_other_variants(sheet):
    other = read_sheet(QUIZ.replace("seed: 7", "seed: 8"), str(sheet))
    assert not {v.code for v in variants(other)} & {v.code for v in variants(load_sheet(str(sheet)))}


SECRET = QUIZ.replace("seed: 7", "secret: nobody knows").replace(
    "variants: 3", "students: [s-1, {number: s-2, name: Ada}, '007']"
)


@pytest.mark.sweep(quick=0)
def test_a_students_variant_needs_nobody_else(sheet):
    alone = read_sheet(SECRET.replace("[s-1, {number: s-2, name: Ada}, '007']", "[s-2]"), str(sheet))
    among = variants(read_sheet(SECRET, str(sheet)))[1]
    assert [(v.code, v.problem) for v in variants(alone)] == [(among.code, among.problem)]
    assert among.student.name == "Ada"
    other = variants(read_sheet(SECRET.replace("nobody knows", "somebody knows"), str(sheet)))[1]
    assert other.problem != among.problem and other.code != among.code


def test_codes_are_clear_and_never_twice():
    taken: set[str] = set()
    found = [new_code(b"a key", Student(k), taken) for k in range(1, 3001)]
    assert len(set(found)) == 3000
    assert all(
        re.fullmatch("[CDFHJKMNPQRTVWXY][CDFHJKMNPQRTVWXY2346789]{3}", code) and re.search(r"\d", code)
        for code in found
    )
    fewer: set[str] = set()
    assert [new_code(b"a key", Student(k), fewer) for k in range(1, 11)] == found[:10]


@pytest.mark.sweep(quick=0)
def test_no_two_variants_are_alike():
    few = "title: t\nvariants: 9\nquestions:\n  - {generate: attention, with: {tokens: 2, d_k: 1, entries: integers -1..1, relax: RELAX}}\n"
    every = "[ties, saturated, uniform, work, separation, weak, degenerate, large, negative-zero]"
    found = variants(read_sheet(few.replace("RELAX", every), "few.yaml"))
    assert len({v.problem for v in found}) == 9
    # Three numbers from −1 to 1: 27
    many = few.replace("RELAX", every).replace("variants: 9", "variants: 28").replace("tokens: 2", "tokens: 1")
    with pytest.raises(AttncalcError, match=r"few\.yaml:4:5: variant \d+ is still equal to an earlier variant"):
        variants(read_sheet(many, "few.yaml"))


@pytest.mark.sweep(quick=0)
def test_one_of_gives_every_question_to_somebody(sheet):
    found = variants(read_sheet(QUIZ.replace("variants: 3", "variants: 12"), str(sheet)))
    assert {v.choices[2] for v in found} == {0, 1}


# -- the combined problem ----------------------------------------------------------------------------------------------


@pytest.mark.sweep(quick=0)
def test_a_problem_of_several_parts_keeps_its_meaning(sheet):
    """Names of earlier parts follow, points and givens come along."""
    problem = read_problem(variants(load_sheet(str(sheet)))[0].problem, "v", "v")
    names = [part.name for part in problem.parts]
    assert names[:3] == ["q1", "q2_first", "q2_second"]
    second = problem.parts[2]
    assert second.plan.step("Z").formula == "q2_first.Y + X"
    assert (second.ask, second.total_points) == ("Add the first.", 2)
    assert [part.rounding.digits for part in problem.parts][:2] == [2, 2]


@for_each("path", SHEETS, ids=lambda path: path.stem, quick=0)
def test_the_key_gives_full_marks_to_right_answers(path):

    sheet = load_sheet(str(path))
    sheet.students = sheet.students[:3]
    for variant in variants(sheet):
        problem = read_problem(variant.problem, "v", variant.code)
        solution = solve(problem)
        answers = {
            part.name: {a.text: _sliced(solved[a.step].decimals(), a) for a in part.asked}
            for part, solved in zip(problem.parts, solution.parts, strict=True)
            if part.asked
        }
        report = check(problem, {"problem": variant.code, "answers": answers})
        assert report.passed and report.earned == report.out_of > 0, variant.problem


def _sliced(rows, asked):
    rows = [rows[i] for i in (asked.rows if asked.rows is not None else range(len(rows)))]
    return [[row[j] for j in (asked.columns if asked.columns is not None else range(len(row)))] for row in rows]


def test_yaml_comes_back_as_it_was():
    words = [w for w in HOSTILE if "\x1b" not in w]  # which no YAML holds
    words += ["yes", "1e5", "- x", "a: b", "", " x ", "\x85\u2028é", "'", '"', "#", "null", "0x1", "1_000", "\ufeff"]
    at = read_yaml("x", "").place
    tree = Mapping({f"k{k}": (Scalar(f"k{k}", at), Sequence([Scalar(w, at)], at)) for k, w in enumerate(words)}, at)
    assert [value.items[0].text for _, value in read_yaml(yaml_text(tree), "back").items()] == words


def test_a_problems_note_is_not_printed():
    """The note of this one tells the weights."""
    sheet = read_sheet(
        "questions: [{problem: look-ahead-mask}, {problem: look-ahead-mask, note: Take care.}]", "s.yaml"
    )
    assert "0.3775" in load("look-ahead-mask").note
    problem = read_problem(variants(sheet)[0].problem, "v", "v")
    assert [part.note for part in problem.parts] == ["", "Take care."]


def test_the_schema():
    validator = jsonschema.Draft202012Validator(sheet_schema())
    validator.check_schema(sheet_schema())
    for path in SHEETS:
        validator.validate(yaml.safe_load(path.read_text()))
    validator.validate(yaml.safe_load(SECRET))
    for text in ("titel: x\nquestions: [{problem: a}]", "questions: []", "questions: [{points: 1}]",
                 "questions: [{generate: a}]",
                 "questions: [{problem: a, generate: attention}]",
                 "questions: [{generate: attention, with: {token: 3}}]"):  # fmt: skip
        assert not validator.is_valid(yaml.safe_load(text)), text


# -- bad sheets --------------------------------------------------------------------------------------------------------

BAD = [
    ("", "s.yaml:1:1: expected an exam sheet; the file is empty"),
    ("- 1", "s.yaml:1:1: expected an exam sheet (a mapping with title:, questions:, ...), found a list"),
    ("title: x", "s.yaml:1:1: questions: expected a list of questions, found nothing"),
    ("title: x\nquestions: []", "s.yaml:2:12: questions: expected a list of questions, found an empty list"),
    ("titel: x\nquestions: [{problem: look-ahead-mask}]",
     "s.yaml:1:1: an exam sheet has no key 'titel'; did you mean title?"),
    ("variants: 0\nquestions: [{problem: look-ahead-mask}]",
     "s.yaml:1:11: variants: expected a whole number from 1 to 10,000, found '0'"),
    ("students: [a, b, a]\nquestions: [{problem: look-ahead-mask}]",
     "s.yaml:1:18: the student 'a' is listed twice; remove this line or line 1"),
    ("students: []\nquestions: [{problem: look-ahead-mask}]",
     "s.yaml:1:11: students: expected a list of student numbers, or a file with student numbers (CSV or text), found an empty list"),
    ("seed: 1\nsecret: 12345678\nquestions: [{problem: look-ahead-mask}]",
     "s.yaml:2:1: expected only one of the keys seed: and secret:, found both"),
    ("seed: true\nquestions: [{problem: look-ahead-mask}]", "s.yaml:1:1: seed: expected a number or a word, found true"),
    ("seed: No\nquestions: [{problem: look-ahead-mask}]", "s.yaml:1:1: seed: expected a number or a word, found No"),
    ("secret: short\nquestions: [{problem: look-ahead-mask}]",
     "s.yaml:1:9: secret: expected at least 8 characters, so that students cannot guess the secret"),
    ("questions: [5]", "s.yaml:1:13: expected a question (a mapping with generate:, problem: or one_of:), found '5'"),
    ("questions: [{points: 5}]", "s.yaml:1:13: a question needs generate:, problem:, one_of:, free_text: or choices:; "
                                 "found none of them"),
    ("questions: [{generat: x}]", "s.yaml:1:14: a question has no key 'generat'; did you mean generate?"),
    ("questions: [{generate: self_atention}]", "s.yaml:1:24: expected a lesson, found 'self_atention'; did you mean "
        "self_attention?"),
    ("questions: [{generate: attention, with: {token: 3}}]",
     "s.yaml:1:42: with: attention has no 'token'; did you mean tokens?"),
    ("questions: [{generate: attention, with: {tokens: 99}}]",
     "s.yaml:1:50: tokens: expected a whole number from 1 to 12, found '99'"),
    ("questions: [{generate: attention, with: {entries: integer}}]",
     "s.yaml:1:51: entries: expected a distribution such as integers -2..2, found 'integer'"),
    ("questions: [{generate: attention, with: {mask: causall}}]",
     "s.yaml:1:48: mask: expected causal, causal(offset=1), band(1), causal * band(1) or a matrix of 0 and 1, found 'causall'; did you mean causal?"),
    ("questions: [{generate: attention, with: {relax: tie}}]",
     "s.yaml:1:49: relax: no requirement is called 'tie'; did you mean ties?"),
    ("questions: [{generate: attention, asked: [S, W]}]", "s.yaml:1:46: asked: no step is called 'W'"),
    ("questions: [{generate: attention, points: {S: -1}}]",
     "s.yaml:1:47: points of S: expected a number from 0 to 1,000,000, found '-1'"),
    ("questions: [{problem: look-ahead-mask, with: {a: 1}}]",
     "s.yaml:1:40: with: is only for questions with `generate:`; add `generate:` or remove `with:`"),
    ("questions: [{problem: look-ahead-mas}]", "s.yaml:1:23: problem: no file and no bundled problem is called 'look-ahead-mas'; did "
        "you mean look-ahead-mask?"),
    ("questions: [{problem: look-ahead-mask, space: 99}]",
     "s.yaml:1:47: space: expected a number from 0 to 25, found '99'"),
    ("questions: [{one_of: [{problem: look-ahead-mask}]}]",
     "s.yaml:1:22: one_of: expected a list of two or more questions, found a list"),
    ("rounding: {digits: 99}\nquestions: [{generate: attention}]",
     "s.yaml:1:20: digits of a generated question: expected a whole number from 0 to 8"),
    ("blanks: perhaps\nquestions: [{generate: attention}]",
     "s.yaml:1:9: blanks: expected true or false, found 'perhaps'"),
]  # fmt: skip


@for_each(("text", "says"), BAD, ids=[says.partition(": ")[2][:40] for _, says in BAD], quick=3, ci=True)
def test_bad_sheets(text, says):
    with pytest.raises(AttncalcError) as told:
        read_sheet(text, "s.yaml")
    assert str(told.value).startswith(says)


def test_all_faults_at_once():
    text = "titel: x\nvariants: 0\nquestions:\n  - 5\n  - {generate: atention}\n  - {problem: look-ahead-mask, points: x}\n"
    with pytest.raises(AttncalcError) as told:
        read_sheet(text, "s.yaml")
    assert [(f.place.line, f.place.column) for f in told.value.faults] == [(1, 1), (2, 11), (4, 5), (5, 16), (6, 40)]


@pytest.mark.sweep(quick=0)
def test_a_demand_that_cannot_be_met_is_told_at_its_question(monkeypatch):
    monkeypatch.setattr("attncalc.generator.rejection_search.SEARCH_SECONDS", 1)
    text = "title: t\nquestions:\n  - {generate: attention, with: {entries: integers 50..60, tokens: 2, d_k: 2}}\n"
    with pytest.raises(
        AttncalcError, match=r"s\.yaml:3:5: attncalc found no problem in .* did not meet the requirement"
    ):
        variants(read_sheet(text, "s.yaml"))


@pytest.mark.parametrize(("key", "word"), [("vectors", "columns"), ("givens", "rounded")])
def test_questions_of_a_sheet_are_alike_in_what_holds_for_a_file(key, word, tmp_path):
    (tmp_path / "p.yaml").write_text(f"given: {{X: [[0.5]]}}\n{key}: {word}\nsteps: {{Y: 2 * X}}\n")
    with pytest.raises(
        AttncalcError,
        match=rf":1:41: {key}: expected the same value in all questions of the sheet, found .* and {word}",
    ):
        read_sheet("questions: [{problem: look-ahead-mask}, {problem: p.yaml}]", str(tmp_path / "s.yaml"))
    alone = read_sheet("questions: [{problem: p.yaml}, {problem: p.yaml}]", str(tmp_path / "s.yaml"))
    assert f"{key}: {word}\n" in variants(alone)[0].problem


# -- files of another kind ---------------------------------------------------------------------------------------------


@pytest.fixture
def kinds(tmp_path):
    """A file of each kind by its name, and keys of a large class."""
    (tmp_path / "two.yaml").write_text(TWO)
    (tmp_path / "quiz.yaml").write_text("title: Quiz\nvariants: 3\nquestions: [{problem: two.yaml}]\n")
    written(tmp_path / "quiz.yaml", tmp_path / "out", targets=("latex",))
    (tmp_path / "answers.yaml").write_text("student: s\nanswers: {S: [[1]]}\n")
    (tmp_path / "empty.yaml").write_text("\n")
    data = json.loads((tmp_path / "out/key.json").read_text())
    data["variants"] *= 400
    (tmp_path / "large.json").write_text(json.dumps(data))
    return {"problem": "two.yaml", "sheet": "quiz.yaml", "key": "out/key.json", "answers": "answers.yaml",
            "empty": "empty.yaml", "large": "large.json", "manifest": "out/manifest.json"}  # fmt: skip


MIXED_UP = [
    (["exam", "problem"], "expected an exam sheet, found a problem; solve the problem with `attncalc solve FILE`"),
    (["exam", "empty"], "expected an exam sheet; the file is empty"),
    (
        ["exam", "key"],
        "expected an exam sheet, found the key of an exam; grade scripts with `attncalc grade KEY SCRIPTS`",
    ),
    (["exam", "manifest"], "expected an exam sheet, found the manifest of an exam's folder"),
    (
        ["stress", "large"],
        "expected an exam sheet, found the key of an exam; grade scripts with `attncalc grade KEY SCRIPTS`",
    ),
    (["solve", "key"], "expected a problem, found the key of an exam; grade scripts with `attncalc grade KEY SCRIPTS`"),
    (
        ["solve", "large"],
        "expected a problem, found the key of an exam; grade scripts with `attncalc grade KEY SCRIPTS`",
    ),
    (["solve", "sheet"], "expected a problem, found an exam sheet; write the papers with `attncalc exam SHEET`"),
    (
        ["solve", "answers"],
        "expected a problem, found an answer file; check the answers with `attncalc check PROBLEM ANSWERS`",
    ),
    (
        ["check", "sheet", "answers"],
        "expected a problem, found an exam sheet; write the papers with `attncalc exam SHEET`",
    ),
    (
        ["check", "key", "answers"],
        "expected a problem, found the key of an exam; grade scripts with `attncalc grade KEY SCRIPTS`",
    ),
    (
        ["check", "problem", "sheet"],
        "expected answers, found an exam sheet; write the papers with `attncalc exam SHEET`",
    ),
    (
        ["check", "problem", "key"],
        "expected answers, found the key of an exam; grade scripts with `attncalc grade KEY SCRIPTS`",
    ),
    (
        ["check", "problem", "problem"],
        "expected answers, found a problem; solve the problem with `attncalc solve FILE`",
    ),
    (
        ["grade", "sheet", "answers"],
        "expected a problem, found an exam sheet; write the papers with `attncalc exam SHEET`",
    ),
    (["grade", "answers", "answers"], "expected a problem, found an answer file"),
]


@pytest.mark.sweep(quick=1)
@pytest.mark.parametrize(("words", "says"), MIXED_UP, ids=["-".join(words) for words, _ in MIXED_UP])
def test_a_file_of_another_kind_is_named(words, says, kinds, tmp_path, monkeypatch, capsys):
    command, *names = words
    told = typed([command, *(tmp_path / kinds[name] for name in names)], monkeypatch, capsys, 2)
    assert told.out == "" and len(told.err.splitlines()) == 1 and f": {says}" in told.err


# -- lists of students -------------------------------------------------------------------------------------------------

LISTS = [
    ("number,name\ns-1,Ada\ns-2,Bob\n", [("s-1", "Ada"), ("s-2", "Bob")]),
    (
        '\ufeffID number;First name;Surname;Email address\r\n007;Ada;Lovelace;a@x\r\n\r\n008;Bob;"B; C";b@x\r\n;;;\r\n',
        [("007", "Ada Lovelace"), ("008", "Bob B; C")],
    ),
    ("Student\tID\tSIS User ID\tSection\nAda\t1\ts-1\tA\nBob\t2\ts-2\tB\n", [("s-1", "Ada"), ("s-2", "Bob")]),
    ("s-1\ns-2\n\n007\n", [("s-1", ""), ("s-2", ""), ("007", "")]),
    ("s-1,Ada\ns-2\n", [("s-1", "Ada"), ("s-2", "")]),
    ("Name,Student_ID\nAda,s-1\n", [("s-1", "Ada")]),
    ("email\nada@example.org\n", [("ada@example.org", "")]),
    ("Matrikel;Nachname\n1001;Muster\n", [("1001", "Muster")]),
    ("Matrikelnummer;Name;Vorname\n1001;Muster;Eva\n", [("1001", "Eva Muster")]),
    ("Matrikelnummer;Name;Vorname;ID number\n1001;Muster;Eva;7\n", [("7", "Eva Muster")]),
    ("Nachname\tVorname\tMatrikel-Nr.\nMuster\tEva\t1001\n", [("1001", "Eva Muster")]),
    ("Number,Name,First name,Last name\n1,Eva M.,Eva,Muster\n", [("1", "Eva M.")]),
    ("Student,First name,Last name\ns-1,Ada,Lovelace\n", [("s-1", "Ada Lovelace")]),
    ("ada\nbob\n", [("ada", ""), ("bob", "")]),
]


@pytest.mark.sweep(quick=0)
@pytest.mark.parametrize(("text", "students"), LISTS)
def test_students_from_a_file(text, students, tmp_path):
    (tmp_path / "list.csv").write_text(text, encoding="utf-8", newline="")
    sheet = read_sheet("students: list.csv\nquestions: [{generate: layer_norm}]\n", str(tmp_path / "s.yaml"))
    assert [(s.number, s.name) for s in sheet.students] == students
    inline = json.dumps([{"number": number, "name": name} for number, name in students])
    again = read_sheet(f"students: {inline}\nquestions: [{{generate: layer_norm}}]\n", str(tmp_path / "s.yaml"))
    assert [(v.code, v.problem) for v in variants(again)] == [(v.code, v.problem) for v in variants(sheet)]


NO_LISTS = [
    (b"number,name\ns-1,Ada\nS-1,Bob\n,Cyd\n1.23E+11,Dee\n", [
        "list.csv:3:1: the student 'S-1' is listed twice; remove this line or line 2",
        "list.csv:4:1: expected a student's number for 'Cyd', found nothing",
        "list.csv:5:1: expected a student's number, found '1.23E+11', which a spreadsheet has shortened; export "
        "the column as text",
    ]),
    (b"", ["list.csv:1:1: expected students; the file is empty"]),
    (b"number,name\n", ["list.csv:1:1: expected students below the header, found none"]),
    (b"name,section\nAda,A\n", ["list.csv:1:1: expected a column of the students' numbers, found name, section; the "
                                "known names are number, student number"]),
    (b"a,b,c\n1,2,3\n", ["list.csv:1:1: expected the names of the columns in the first line, found 3 columns with unknown names; the known names are number"]),
    (b"Nummer d. Stud.\n1\n2\n", ["list.csv:1:1: expected names of columns, found 'Nummer d. Stud.'; the known names are number, student "
        "number"]),
    (b"foo,bar\n1,2\n", ["list.csv:1:1: expected names of columns, found 'foo'; the known names are number, student number"]),
    (b"foo\n1\n", ["list.csv:1:1: expected names of columns, found 'foo'; the known names are number, student number"]),
    (b"foo,bar\nada,Ada\nbob,Bob\n", ["list.csv:1:1: expected names of columns, found 'foo'; the known names are number, student number"]),
    (b"PK\3\4\0\0", ["list.csv: expected a table as .xlsx or .csv, found a damaged archive; save it as .xlsx"]),
    (b"number\n" + b"".join(b"%d\n" % k for k in range(10_001)),
     ["list.csv: expected at most 10,000 students, found 10,001"]),
    (b"number\n" + b"123456789\n" * 1_000_000, ["list.csv: a file can have at most 1,000,000 bytes"]),
    (None, ["s.yaml:1:11: students: expected a list of student numbers, or a file with student numbers; there is no file 'list.csv'"]),
]  # fmt: skip


@pytest.mark.sweep(quick=1)
@pytest.mark.parametrize(("data", "says"), NO_LISTS)
def test_lists_of_students_that_are_none(data, says, tmp_path, monkeypatch, capsys):
    if data is not None:
        (tmp_path / "list.csv").write_bytes(data)
    (tmp_path / "s.yaml").write_text("students: list.csv\nquestions: [{generate: layer_norm}]\n")
    told = typed(["exam", tmp_path / "s.yaml"], monkeypatch, capsys, 2).err.splitlines()
    assert len(told) == len(says) and all(
        line.startswith(f"{tmp_path}/{said}") for line, said in zip(told, says, strict=True)
    )


@pytest.mark.sweep(quick=3)
@pytest.mark.parametrize("name", ["../list.csv", "/etc/passwd", "a/../../x", "..\\x", "C:\\x"])
@pytest.mark.parametrize("key", ["students", "problem"])
def test_a_sheet_reads_nothing_outside_its_folder(key, name, tmp_path):
    (tmp_path / "list.csv").write_text("secret\n")
    own = tmp_path / "in" / "s.yaml"
    own.parent.mkdir()
    text = (
        f"students: '{name}'\nquestions: [{{generate: layer_norm}}]\n"
        if key == "students"
        else f"questions: [{{problem: '{name}'}}]\n"
    )
    with pytest.raises(AttncalcError) as told:
        read_sheet(text, str(own))
    (fault,) = told.value.faults
    assert (
        fault.place.source == str(own)
        and fault.place.line == 1
        and fault.message.endswith(f"{name!r} is in a different folder")
    )
    assert fault.message.startswith(f"{key}: expected a file in the folder of the sheet or in a subfolder;")


# -- papers ------------------------------------------------------------------------------------------------------------


@for_each("path", SHEETS, ids=lambda path: path.stem, quick=0)
def test_paper_and_solution_have_the_same_pages(path):
    sheet = load_sheet(str(path))
    sheet.students = sheet.students[:2]
    for variant in variants(sheet):
        paper = build_paper(sheet, variant)
        unsolved, solved = (
            by_typst(typeset.typst([paper], way), figure_files(sheet.figures(), False)) for way in (False, True)
        )
        assert page_count(unsolved) == page_count(solved) >= 2


@pytest.mark.sweep(quick=0)
@pytest.mark.parametrize(
    "question",
    [
        "{problem: encoder.yaml}",  # a long working
        "{problem: tall.yaml}",  # 70 rows to fill in
        "{problem: wide.yaml, blanks: false}",  # 40 columns
        "{problem: transformers-transforming-our-lives, points: 3, space: 20}",
    ],
)
def test_large_questions_have_the_same_pages(question, tmp_path):
    (tmp_path / "tall.yaml").write_text("given: {X: 'ones(70, 2) / 3'}\nsteps: {Y: X + 1}\n")
    (tmp_path / "wide.yaml").write_text("given: {X: 'ones(3, 40) / 3'}\nsteps: {Y: X + 1}\n")
    layer = yaml.safe_load(Path(folder("problems"), "encoder-layer-small.yaml").read_text())
    (tmp_path / "encoder.yaml").write_text(
        yaml.safe_dump(layer | {"parts": {"before": layer["parts"]["before"] | {"asked": ["Y"]}}})
    )
    sheet = read_sheet(f"questions: [{question}]", str(tmp_path / "s.yaml"))
    paper = build_paper(sheet, variants(sheet)[0])
    counts = {page_count(by_typst(typeset.typst([paper], way))) for way in (False, True)}
    assert len(counts) == 1


@pytest.mark.sweep(quick=0)
@pytest.mark.needs("pdftotext")
def test_a_paper_holds_no_answers(tmp_path):
    """Not as text, not hidden, not for those who hear the page."""
    text = "title: t\nrounding: {digits: 6}\nquestions: [{generate: layer_norm, asked: [var, Y], with: {relax: [ties, work]}}]\n"
    sheet = read_sheet(text, "s.yaml")
    variant = variants(sheet)[0]
    problem = read_problem(variant.problem, "v", "v")

    answers = {x.strip("-") for row in solve(problem).parts[0]["Y"].decimals(6) for x in row}
    for solved in (False, True):
        path = tmp_path / "paper.pdf"
        path.write_bytes(by_typst(typeset.typst([build_paper(sheet, variant)], solved)))
        told = subprocess.run(["pdftotext", path, "-"], capture_output=True, text=True, check=True).stdout
        assert all((answer in told) == solved for answer in answers)
    tex = typeset.latex([build_paper(sheet, variant)], False)
    assert not any(answer in tex for answer in answers)


@pytest.mark.sweep(quick=4)
@pytest.mark.parametrize("word", HOSTILE)
def test_hostile_words_are_text(word, tmp_path):
    """In every text of a sheet and in a student's name; a paper is set, and the word stands in it as text."""
    clean = "".join(c for c in word if c.isprintable())
    data = {"title": clean, "course": clean, "instructions": [clean], "students": [{"number": clean, "name": clean}],
            "questions": [{"problem": "p.json", "title": clean, "ask": clean, "note": clean}]}  # fmt: skip
    (tmp_path / "p.json").write_text(
        json.dumps(
            {"given": {"X": {"rows": [clean, "b"], "values": [[1], [2]]}}, "steps": {"Y": "2 * X"}}, ensure_ascii=False
        )
    )
    sheet = read_sheet(json.dumps(data, ensure_ascii=False), str(tmp_path / "s.yaml"))
    paper = build_paper(sheet, variants(sheet)[0])
    assert by_typst(typeset.typst([paper], True)).startswith(b"%PDF")
    assert "\\input{/etc" not in typeset.latex([paper], True)


@pytest.mark.sweep(quick=0)
def test_decimal_commas(sheet):
    text = "title: t 1.5\ndecimal_comma: true\nquestions: [{generate: layer_norm, points: 3}, {generate: attention, asked: [Z]}]\n"
    made = read_sheet(text, "s.yaml")
    source = typeset.typst([build_paper(made, variants(made)[0])], True)
    body = source[source.index("#paper(") :]
    assert "1.5" in body  # in the title, where it is no number of ours
    assert re.search(r'cells: .*"\d,\d\d"', body)
    assert not re.search(r'cells: .*"-?\d+\.\d+"', body)
    assert by_typst(source)


def test_decimal_commas_stand_in_every_number_and_in_no_text(tmp_path):
    given = "{X: {rows: ['1.5', b], values: [['0.25'], [1]]}, eps: '0.125'}"
    (tmp_path / "q.yaml").write_text(
        f"given: {given}\nsteps: {{Y: X * eps, Z: exp(Y) - eps}}\nasked: [Z]\nrounding: {{digits: 3}}\n"
    )
    (tmp_path / "s.yaml").write_text("title: t\ndecimal_comma: true\nquestions: [{problem: q.yaml}]\n")
    made = load_sheet(str(tmp_path / "s.yaml"))
    for medium, comma in ((typeset.typst, '0(","|,)'), (typeset.latex, r"0\{,\}")):
        for solved in (True, False):
            source = medium([build_paper(made, variants(made)[0])], solved)
            assert "1.5" in source and re.search(comma + "25", source) and re.search(comma + "125", source)
            # Words for the ear keep their points
            numbers = re.sub(r'(?m)^ +"[^"]*",$|maths\("[^"]*"|#worked\("[^"]*"|#formula\("[^"]*"', "", source)
            assert not re.search(r"0\.(25|125|031)", numbers)


@for_each(
    ("typed", "printed"),
    [("2.3333", "2.3333"), ("2.5", "2.5"), ("10/3", "10/3"), ("3", "3"), ("0.00001", "1/100000"), ("0.10", "0.1")],
    quick=1,
)
def test_points_are_printed_as_they_were_typed(typed, printed):
    made = read_sheet(f"questions: [{{generate: layer_norm, points: {typed}}}]", "s.yaml")
    paper = build_paper(made, variants(made)[0])
    assert f'"{printed} points"' in typeset.typst([paper], False)
    assert f"{{{printed} points}}" in typeset.latex([paper], False)
    solution = solve(load({"given": {"X": 1}, "steps": {"Y": "2 * X"}, "points": typed, "ask": "Double it."}))
    assert any(
        getattr(block, "aside", "") == f"{printed} points"
        for block in solution_document(solution, solution.parts, None).blocks
    )


@pytest.mark.sweep(quick=0)
def test_hints_blanks_and_formulas():
    text = "title: t\nhints: true\nblanks: false\nformula_sheet: true\nspace: 3cm\nquestions: [{generate: attention, with: {tokens: 2, d_k: 2}}]\n"
    made = read_sheet(text, "s.yaml")
    paper = build_paper(made, variants(made)[0])
    source = typeset.typst([paper], False)
    assert "blanks: false" in source and "least: 3cm" in source and "#formula-sheet" in source
    assert 'hint: maths("S equals Q times K transposed"' in source
    assert page_count(by_typst(source)) == page_count(by_typst(typeset.typst([paper], True)))


@pytest.mark.sweep(quick=1)
@pytest.mark.parametrize("lesson", ["cross_entropy", "cross_entropy_gradients"])
def test_a_question_says_from_where_words_are_counted(lesson):
    made = read_sheet(f"questions: [{{generate: {lesson}}}]\n", "s.yaml")
    assert "counted from 0" in build_paper(made, variants(made)[0]).questions[0].parts[0].ask


TAUGHT = (
    ("positional_encoding", "", ("PE[pos, 2i] = sin(pos / 10000^(2i/d))", "PE[pos, 2i + 1] = cos(pos / 10000^(2i/d))")),
    (
        "positional_encoding", "layout: concatenated, exponent: j/d, base: 100, start: 1",
        ("PE[pos, i] = sin((pos + 1) / 100^(2i/d))", "PE[pos, d / 2 + i] = cos((pos + 1) / 100^((2i + 1)/d))"),
    ),
    (
        "rotary", "",
        ("angles[pos, i] = pos / 10000^(2i/d)", "X_rot[pos, 2i] = X[pos, 2i] · cos[pos, i] − X[pos, 2i + 1] · sin[pos, "
         "i]",
         "X_rot[pos, 2i + 1] = X[pos, 2i] · sin[pos, i] + X[pos, 2i + 1] · cos[pos, i]"),
    ),
    ("rotary", "layout: halves, start: 2", ("angles[pos, i] = (pos + 2) / 10000^(2i/d)",
     "X_rot[pos, i] = X[pos, i] · cos[pos, i] − X[pos, d / 2 + i] · sin[pos, i]")),
    ("cross_entropy", "", ("picked[i] = P[i, targets[i]]", "loss = Σᵢ losses[i] / n")),
    ("layer_norm", "", ("mean[i] = Σⱼ X[i, j] / d", "var[i] = Σⱼ (X[i, j] − mean[i])² / d")),
    ("layer_norm", "ddof: 1", ("var[i] = Σⱼ (X[i, j] − mean[i])² / (d − 1)",)),
    ("attention_gradients", "", ("S_scaled = S / √d_k", "dS = dS_scaled / √d_k",
     "dS_scaled[i, j] = A[i, j] · (dA[i, j] − Σₖ A[i, k] · dA[i, k])")),
    ("attention", "mask: causal", ("A = softmax(S_masked)", "A[i, j] = exp(S_masked[i, j]) / Σₖ exp(S_masked[i, k])")),
    ("feed_forward", "", ("active = ReLU(hidden)", "active[i, j] = max(hidden[i, j], 0)")),
    ("softmax_jacobian", "", ("J[i, i] = p[i] · (1 − p[i])", "J[i, j] = −p[i] · p[j]")),
)  # fmt: skip


@pytest.mark.sweep(quick=1)
@pytest.mark.parametrize(("lesson", "options", "lines"), TAUGHT)
def test_a_formula_sheet_says_what_a_lecture_says(lesson, options, lines):
    """The formula of every entry, with the options of the problem, and none of the program's functions."""
    told = ", ".join(filter(None, (options, "relax: [ties, separation, work, weak]")))
    made = read_sheet(
        f"hints: true\nformula_sheet: true\nquestions: [{{generate: {lesson}, with: {{{told}}}}}]\n", "s.yaml"
    )
    paper = build_paper(made, variants(made)[0])
    sheet = [f"{formula(one.name)} = {formula(one.stages[0].tree)}" for one in paper.formulas if one.stages]
    assert set(lines) <= set(sheet)
    hints = [
        f"{formula(one.name)} = {formula(one.stages[0].tree)}"
        for answer in paper.questions[0].parts[0].answers
        for one in answer.formulas
    ]
    assert set(hints) <= set(sheet)
    ours = re.compile(r"\b(sinusoidal|arange|turn|pick|total|rows|cols|identity|\w+_(sum|mean|var))\(")
    assert not [line for line in sheet if ours.search(line)]


@pytest.mark.slow
@pytest.mark.needs("pdflatex")
def test_papers_of_ones_own(sheet, tmp_path, monkeypatch, capsys):
    """A template of the sheet's folder, or of --template, stands in place of ours; what it leaves out is ours."""
    mine = tmp_path / "mine"
    typed(["templates", "exam", "-o", mine], monkeypatch, capsys)
    (mine / "paper.typ").unlink()
    for ending, old, new in (
        ("typ", '<< words.question >> + " "', '"Aufgabe" + " "'),
        ("tex", "((( words.question )))", "Aufgabe"),
    ):
        text = (mine / f"exam.{ending}").read_text(encoding="utf-8")
        assert old in text
        (mine / f"exam.{ending}").write_text(text.replace(old, new), encoding="utf-8")
    ours, told = load_sheet(str(sheet)), QUIZ + "template: mine\n"
    sheet.write_text(told)
    own = load_sheet(str(sheet))
    one = variants(ours)[0]
    for write in (typeset.typst, typeset.latex):
        before, after = (write([build_paper(read, one)], False) for read in (ours, own))
        assert "Aufgabe" in after and "Aufgabe" not in before
    assert page_count(by_typst(typeset.typst([build_paper(own, one)], True))) >= 2
    typed(["exam", sheet, "-o", tmp_path / "a", "--to", "latex", "--jobs", 2], monkeypatch, capsys)
    sheet.write_text(QUIZ)
    typed(["exam", sheet, "-o", tmp_path / "b", "--to", "latex", "--template", mine], monkeypatch, capsys)
    assert files(tmp_path / "a") == files(tmp_path / "b") and b"Aufgabe" in files(tmp_path / "a")["all-papers.tex"]


@pytest.mark.parametrize(
    ("template", "says"),
    [
        ("none", "s.yaml:1:11: template: expected a folder of templates, found nothing"),
        ("s.yaml", "s.yaml:1:11: template: expected a folder of templates, found a file"),
        (
            "empty",
            "s.yaml:1:11: template: expected a folder with at least one of exam.tex, exam.typ, paper.tex, paper.typ, "
            "found none of them; `attncalc templates exam -o ",
        ),
        ("../empty", "s.yaml:1:11: template: expected a file in the folder of the sheet or in a subfolder;"),
        ("torn", "torn/paper.typ:1:1: Expected an expression"),
        ("wrong", "wrong: Typst cannot typeset this page: "),
    ],
)
def test_templates_that_are_none(template, says, tmp_path, monkeypatch, capsys):
    for name, text in (("torn", "<% if %>"), ("wrong", "#nothing(")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "paper.typ").write_text(text)
    (tmp_path / "empty").mkdir()
    (tmp_path / "s.yaml").write_text(f"template: {template}\nquestions: [{{problem: look-ahead-mask}}]\n")
    told = typed(["exam", tmp_path / "s.yaml", "-o", tmp_path / "out"], monkeypatch, capsys, 2).err
    assert (
        told.removeprefix(f"{tmp_path}/").startswith(says)
        and len(told.splitlines()) == 1
        and not (tmp_path / "out").exists()
    )


FAULTY = {
    "a.png": b"\x89PNG\r\n\x1a\n", "a.jpg": b"\xff\xd8\xff\xe0 no more", "a.pdf": b"%PDF-1.7\nno more",
    "a.svg": b'<svg xmlns="http://www.w3.org/2000/svg">' + b"<g>" * 20_000 + b"</g>" * 20_000 + b"</svg>",
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTY)
def test_a_picture_that_cannot_be_drawn_is_named_among_others(name, tmp_path, monkeypatch, capsys):
    good = b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>'
    (tmp_path / "good.svg").write_bytes(good)
    (tmp_path / name).write_bytes(FAULTY[name])
    asked = "".join(f"  - {{ask: x, free_text: y, points: 1, figure: {file}}}\n" for file in ("good.svg", name))
    (tmp_path / "s.yaml").write_text(f"title: T\nseed: 1\nquestions:\n{asked}")
    message = typed(["exam", tmp_path / "s.yaml", "-o", tmp_path / "out"], monkeypatch, capsys, 2).err
    assert f"{name}: Typst cannot draw the picture" in message
    assert "good.svg" not in message and not (tmp_path / "out").exists()


@pytest.mark.sweep(quick=0)
@pytest.mark.needs("pdflatex")
def test_latex_papers(sheet, tmp_path):
    written(sheet, tmp_path / "out", targets=("latex",))
    for path in sorted((tmp_path / "out").glob("*-01-*.tex")):
        done = subprocess.run(
            ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", path.name], cwd=path.parent, capture_output=True
        )
        assert done.returncode == 0, done.stdout[-2000:]
    counts = [
        re.search(rb"\((\d+) pages?", path.read_bytes())[1] for path in sorted((tmp_path / "out").glob("*-01-*.log"))
    ]
    assert len(counts) == 2 and counts[0] == counts[1]


# -- the folder --------------------------------------------------------------------------------------------------------


@pytest.mark.sweep(quick=0)
def test_the_folder(sheet, tmp_path):
    out = tmp_path / "out"
    found, new, old = written(sheet, out)
    there = files(out)
    assert (new, old) == (len(there), 0)
    assert sorted(name for name in there if "01-" in name) == [
        f"{w}-01-{found[0].code}.{e}" for w, e in (("paper", "pdf"), ("solution", "pdf"), ("variant", "yaml"))
    ]
    key = json.loads(there["key.json"])
    assert {k: key[k] for k in ("format", "kind", "title", "sheet")} == {
        "format": 1,
        "kind": "attncalc key",
        "title": "Quiz",
        "sheet": "quiz.yaml",
    }
    assert [set(v) for v in key["variants"]] == [
        {"code", "number", "student", "version", "seed", "problem", "own", "figures"}
    ] * 3
    for told, variant in zip(key["variants"], found):
        assert told["student"] is None and there[f"variant-{variant.name}.yaml"].decode() == told["problem"]
        assert load(str(out / f"variant-{variant.name}.yaml")).title == f"Quiz, variant {told['code']}"
    manifest = json.loads(there["manifest.json"])
    assert manifest["files"] == {
        name: sha256(content).hexdigest() for name, content in there.items() if name != "manifest.json"
    }
    rows = list(csv.DictReader(there["index.csv"].decode().splitlines()))
    assert [row["code"] for row in rows] == [v.code for v in found] and all(
        (out / row["paper"]).exists() for row in rows
    )
    sheets = [page_count(there[f"paper-{v.name}.pdf"]) for v in found]
    assert page_count(there["all-papers.pdf"]) == sum(n + n % 2 for n in sheets[:-1]) + sheets[-1]


@pytest.mark.sweep(quick=0)
def test_again_changes_nothing_whatever_the_processes(sheet, tmp_path):
    out, other = tmp_path / "out", tmp_path / "other"
    written(sheet, out)
    before = {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in out.iterdir()}
    assert written(sheet, out)[1] == 0
    assert {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in out.iterdir()} == before
    written(sheet, other, jobs=2)
    assert files(other) == files(out)
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


@pytest.mark.sweep(quick=0)
def test_what_people_changed_is_kept(sheet, tmp_path, monkeypatch, capsys):
    out = tmp_path / "out"
    sheet.write_text(QUIZ.replace("seed: 7\n", ""))  # codes of a secret file stay when a title changes
    found, _, _ = written(sheet, out)
    changed, own = out / f"variant-{found[0].name}.yaml", out / "notes.txt"
    changed.write_text("mine")
    own.write_text("notes")
    sheet.write_text(QUIZ.replace("seed: 7\n", "").replace("title: Quiz", "title: Second quiz"))
    before = files(out)
    told = typed(["exam", sheet, "-o", out], monkeypatch, capsys, 2).err
    assert (
        told
        == f"{sheet}: {FIXED}{changed}: this file was changed, or attncalc did not write it; use --force to replace it\n"
    )
    assert files(out) == before
    typed(["exam", sheet, "-o", out, "--force"], monkeypatch, capsys)
    assert own.read_text() == "notes" and "Second quiz" in changed.read_text()


NORM = "  - {generate: layer_norm, with: {tokens: 2, d_model: 3}, points: 2}\n"
FEED = "  - {generate: feed_forward, asked: [Y]}\n"
TICK = "  - {ask: Which?, choices: [{right: a}, {wrong: b}, {wrong: c}, {wrong: d}]}\n"
CHOICE = "  - {generate: layer_norm, with: {tokens: 2, d_model: 3}, choices: 3}\n"
EDITS = [  # the questions before and after, and whether papers that are printed become others
    (NORM + FEED, FEED + NORM, True),
    (NORM + FEED, TICK + NORM + FEED, True),
    (NORM, NORM.replace("tokens: 2", "tokens: 3"), True),
    (TICK, TICK.replace("wrong: d", "wrong: e"), True),
    (TICK, CHOICE, True),
    (NORM + FEED, FEED, True),
    (NORM, "  - {problem: look-ahead-mask}\n", True),
    (NORM, NORM.replace("points: 2", "points: 3, ask: Normalise!"), False),
    (NORM, NORM.replace("points: 2", "asked: [mean, Y]"), False),
    (NORM, NORM + FEED + TICK, False),
    (CHOICE, CHOICE.replace("choices: 3", "choices: 3, points: 4"), False),
]


@pytest.mark.sweep(quick=3)
@pytest.mark.parametrize(("before", "after", "is_changed"), EDITS)
def test_a_code_on_a_printed_paper_keeps_its_numbers(before, after, is_changed, tmp_path):
    path, out, head = tmp_path / "e.yaml", tmp_path / "o", "title: T\nvariants: 2\nquestions:\n"
    path.write_text(head + before)
    found, _, _ = written(path, out, targets=("latex",))
    there = files(out)
    path.write_text(head + after)
    if is_changed:
        codes = " and ".join(variant.code for variant in found)
        with pytest.raises(AttncalcError, match=f"the papers {codes} in .* would keep their codes .*--force"):
            written(path, out, targets=("latex",))
        assert files(out) == there
    again, new, _ = written(path, out, force=is_changed, targets=("latex",))
    assert [variant.code for variant in again] == [variant.code for variant in found] and new


@pytest.mark.sweep(quick=0)
def test_papers_of_fewer_variants_go_and_others_files_stay(sheet, tmp_path):
    out = tmp_path / "out"
    found, _, _ = written(sheet, out)
    (out / f"paper-{found[2].name}.pdf").write_bytes(b"signed")
    sheet.write_text(QUIZ.replace("variants: 3", "variants: 2"))
    before = files(out)
    with pytest.raises(AttncalcError, match="earlier papers"):  # papers that may be printed are not removed unasked
        written(sheet, out)
    assert files(out) == before
    written(sheet, out, force=True)
    left = files(out)
    assert left[f"paper-{found[2].name}.pdf"] == b"signed"
    assert f"solution-{found[2].name}.pdf" not in left and f"solution-{found[1].name}.pdf" in left


@pytest.mark.sweep(quick=0)
def test_a_folder_that_is_no_exam(sheet, tmp_path, monkeypatch, capsys):
    out = tmp_path / "out"
    out.mkdir()
    (out / "key.json").write_text("somebody's")
    told = typed(["exam", sheet, "-o", out], monkeypatch, capsys, 2).err
    assert "key.json: this file was changed, or attncalc did not write it" in told
    assert files(out) == {"key.json": b"somebody's"}
    (out / "manifest.json").write_text('{"files": {"../../x": "1"}}')
    assert "found something else" in typed(["exam", sheet, "-o", out], monkeypatch, capsys, 2).err
    (out / "manifest.json").unlink()
    (out / "key.json").unlink()
    os.symlink(tmp_path / "elsewhere", out / "key.json")
    assert "key.json: this file was changed" in typed(["exam", sheet, "-o", out], monkeypatch, capsys, 2).err
    assert not (tmp_path / "elsewhere").exists()
    assert "found a file" in typed(["exam", sheet, "-o", sheet], monkeypatch, capsys, 2).err


def test_names_do_not_climb_out_of_the_folder(tmp_path):
    (tmp_path / "in").mkdir()
    path = tmp_path / "in" / "s.yaml"
    path.write_text(
        "title: ../../x\nstudents: [../../y, /etc/passwd, '=HYPERLINK(1)']\nquestions: [{problem: look-ahead-mask}]\n"
    )
    written(path, tmp_path / "in" / "out", targets=("latex",))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in"]
    assert sorted(p.name for p in (tmp_path / "in").iterdir()) == ["out", "s.secret", "s.yaml"]
    students = [row["student"] for row in csv.DictReader((tmp_path / "in/out/index.csv").read_text().splitlines())]
    assert students == ["../../y", "/etc/passwd", "'=HYPERLINK(1)"]


@pytest.mark.sweep(quick=1)
@pytest.mark.parametrize("stops", [1, 2, 3])
def test_an_interrupted_run_can_be_run_again(stops, tmp_path, monkeypatch):
    """Stopped while it moves files: nothing of anybody's is lost, and the next run needs no --force."""
    path = tmp_path / "s.yaml"
    text = "title: One\nquestions: [{problem: look-ahead-mask}]\n"
    path.write_text(text)
    out = tmp_path / "out"
    written(path, out, targets=("latex",))
    path.write_text(text.replace("One", "Two"))
    real, count = os.replace, iter(range(100))

    def replace(source, target):
        if next(count) == stops:
            raise KeyboardInterrupt
        real(source, target)

    monkeypatch.setattr(os, "replace", replace)
    with pytest.raises(KeyboardInterrupt):
        written(path, out, targets=("latex",))
    monkeypatch.setattr(os, "replace", real)
    written(path, out, targets=("latex",))
    assert b"Two" in files(out)["key.json"]
    assert "before" not in json.loads(files(out)["manifest.json"])
    assert not [p for p in tmp_path.iterdir() if p.name.startswith(".")]


@pytest.mark.sweep(quick=0)
def test_a_full_disk_leaves_nothing(sheet, tmp_path, monkeypatch, capsys):
    def full(folder, name, content):
        raise OSError(28, "No space left on device")

    sheet.write_text(QUIZ.replace("seed: 7", f"seed: {LONG}"))
    monkeypatch.setattr("attncalc.exam.paper_build._put", full)
    told = typed(["exam", sheet, "-o", tmp_path / "out"], monkeypatch, capsys, 2).err
    assert told == f"{sheet}: {FIXED}{tmp_path / 'out'}: the papers cannot be written: No space left on device\n"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["quiz.yaml", "two.yaml"]


@pytest.mark.sweep(quick=0)
def test_a_folder_in_use(sheet, tmp_path, monkeypatch, capsys):
    fcntl = pytest.importorskip("fcntl")
    out = tmp_path / "out"
    out.mkdir()
    handle = os.open(out, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    assert (
        "another run of attncalc is writing to this folder"
        in typed(["exam", sheet, "-o", out], monkeypatch, capsys, 2).err
    )
    os.close(handle)


SLOW = "title: Slow\nvariants: 300\nquestions: [{generate: layer_norm}]\n"


def hears_ctrl_c():
    """A test run in the background ignores Ctrl-C, and so would what it starts."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def started(path, out, *more):
    """A run in a process of its own, once it builds."""
    command = [sys.executable, "-m", "attncalc", "exam", str(path), "-o", str(out), *more]
    run = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True, preexec_fn=hears_ctrl_c)
    deadline = time.monotonic() + 60
    while (
        not list(out.parent.glob(f".{out.name}.attncalc-exam-*/papers"))
        and run.poll() is None
        and time.monotonic() < deadline
    ):
        time.sleep(0.01)
    assert run.poll() is None
    return run


OURS = "attncalc exam: papers of out are built here\n"


@pytest.mark.parametrize("holds", [[], ["lock", ""], ["lock", OURS], ["lock", OURS, "papers"]], ids=len)
def test_whatever_a_run_had_made_when_it_was_killed_is_removed(holds, sheet, tmp_path, monkeypatch, capsys):
    left = tmp_path / ".out.attncalc-exam-00000000000000000001-abc"
    left.mkdir()
    if holds:
        (left / "lock").write_text(holds[1])
    if "papers" in holds:
        (left / "papers").mkdir()
    typed(["exam", sheet, "-o", tmp_path / "out", "--to", "latex"], monkeypatch, capsys)
    assert not left.exists()


@pytest.mark.sweep(quick=0)
@pytest.mark.skipif(os.name != "posix", reason="signals and locks")
@pytest.mark.parametrize("jobs", [1, 2])
def test_what_a_killed_run_leaves_the_next_removes(jobs, tmp_path, monkeypatch, capsys):
    (tmp_path / "slow.yaml").write_text(SLOW)
    out = tmp_path / "out"
    foreign = tmp_path / ".out.attncalc-exam-0-mine"
    foreign.mkdir()
    (foreign / "lock").write_text("mine")
    run = started(tmp_path / "slow.yaml", out, "--jobs", str(jobs))
    os.killpg(run.pid, signal.SIGKILL)
    run.communicate()
    left = [p for p in tmp_path.glob(".out.*") if p != foreign]
    assert len(left) == 1 and not out.exists()
    (tmp_path / "quick.yaml").write_text("questions: [{problem: look-ahead-mask}]\n")
    told = typed(["exam", tmp_path / "quick.yaml", "-o", out, "--to", "latex"], monkeypatch, capsys).err
    assert f"{left[0]}: removed, because an interrupted run left this folder" in told
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        foreign.name,
        "out",
        "quick.secret",
        "quick.yaml",
        "slow.yaml",
    ]


@pytest.mark.sweep(quick=0)
@pytest.mark.skipif(os.name != "posix", reason="signals and locks")
@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_leaves_nothing(jobs, tmp_path):
    (tmp_path / "slow.yaml").write_text(SLOW)
    run = started(tmp_path / "slow.yaml", tmp_path / "out", "--jobs", str(jobs))
    os.killpg(run.pid, signal.SIGINT)
    err = run.communicate(timeout=60)[1]
    assert run.returncode == 130 and err.strip() == ""
    assert [p.name for p in tmp_path.iterdir()] == ["slow.yaml"]


@pytest.mark.sweep(quick=0)
@pytest.mark.skipif(os.name != "posix", reason="signals and locks")
@pytest.mark.parametrize("to", ["the run", "all its processes"])
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_request_to_end_leaves_nothing(jobs, to, tmp_path):
    (tmp_path / "slow.yaml").write_text(SLOW)
    run = started(tmp_path / "slow.yaml", tmp_path / "out", "--jobs", str(jobs))
    (os.kill if to == "the run" else os.killpg)(run.pid, signal.SIGTERM)
    err = run.communicate(timeout=60)[1]
    assert run.returncode == 143 and err.strip() == ""
    assert [p.name for p in tmp_path.iterdir()] == ["slow.yaml"]


@pytest.mark.sweep(quick=0)
@pytest.mark.skipif(os.name != "posix", reason="signals and locks")
def test_no_process_outlives_a_killed_run(tmp_path):
    """Who reads what a run writes comes to an end: nobody holds the pipe any more."""
    (tmp_path / "slow.yaml").write_text(SLOW)
    run = started(tmp_path / "slow.yaml", tmp_path / "out", "--jobs", "2", "--to", "latex")
    time.sleep(1.5)  # the others have started
    os.kill(run.pid, signal.SIGKILL)
    run.communicate(timeout=60)
    assert run.returncode == -signal.SIGKILL


@pytest.mark.sweep(quick=0)
@pytest.mark.skipif(os.name != "posix", reason="signals and locks")
def test_two_runs_into_one_folder(tmp_path, monkeypatch, capsys):
    """The second says so and goes; the first is not disturbed."""
    (tmp_path / "slow.yaml").write_text(SLOW.replace("300", "9"))
    run = started(tmp_path / "slow.yaml", tmp_path / "out", "--to", "latex")
    (tmp_path / "quick.yaml").write_text("questions: [{problem: look-ahead-mask}]\n")
    told = typed(["exam", tmp_path / "quick.yaml", "-o", tmp_path / "out"], monkeypatch, capsys, 2).err
    assert told == f"{tmp_path / 'out'}: another run of attncalc is writing to this folder; try again later\n"
    run.communicate(timeout=120)
    assert run.returncode == 0 and len(list((tmp_path / "out").glob("variant-*.yaml"))) == 9
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out", "quick.yaml", "slow.secret", "slow.yaml"]


@pytest.mark.sweep(quick=0)
@pytest.mark.skipif(os.name != "posix", reason="a limit on the size of files")
@pytest.mark.parametrize("jobs", [1, 2])
def test_files_that_cannot_be_written_leave_the_old_ones(jobs, sheet, tmp_path):
    written(sheet, tmp_path / "out", targets=("latex",))
    before = files(tmp_path / "out")
    sheet.write_text(QUIZ.replace("title: Quiz", "title: Other").replace("seed: 7", f"seed: {LONG}"))
    command = f"ulimit -f 4; {sys.executable} -m attncalc exam {sheet} -o {tmp_path / 'out'} --to latex --jobs {jobs}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == f"{sheet}: {FIXED}{tmp_path / 'out'}: the papers cannot be written: File too large\n"
    assert files(tmp_path / "out") == before and sorted(p.name for p in tmp_path.iterdir()) == [
        "out",
        "quiz.yaml",
        "two.yaml",
    ]


@pytest.mark.sweep(quick=0)
def test_one_variant_is_brought_back(sheet, tmp_path, monkeypatch, capsys):
    found, _, _ = written(sheet, tmp_path / "out")
    typed(["exam", sheet, "-o", tmp_path / "again", "--only", found[1].code], monkeypatch, capsys)
    again = files(tmp_path / "again")
    name = f"paper-{found[1].name}.pdf"
    assert again[name] == files(tmp_path / "out")[name]
    assert [v["code"] for v in json.loads(again["key.json"])["variants"]] == [found[1].code]
    assert (
        "choose a different folder"
        in typed(["exam", sheet, "-o", tmp_path / "out", "--only", found[1].code], monkeypatch, capsys, 2).err
    )
    assert (
        "no variant has the code"
        in typed(["exam", sheet, "-o", tmp_path / "x", "--only", "AAAA"], monkeypatch, capsys, 2).err
    )
    assert not (tmp_path / "x").exists()


def test_a_folder_is_no_problem(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "s.yaml").write_text("questions: [{problem: folder}]\n", encoding="utf-8")
    with pytest.raises(AttncalcError, match="expected a file, found the folder 'folder'"):
        load_sheet(str(tmp_path / "s.yaml"))


@pytest.mark.sweep(quick=0)
def test_the_sheet_of_the_guide():
    guide = (Path(__file__).parents[2] / "docs" / "how-to" / "exams.md").read_text(encoding="utf-8")
    sheet = read_sheet(re.search(r"<!-- sheet: midterm.yaml -->\n```yaml\n(.*?)```", guide, re.S)[1], "midterm.yaml")
    assert len(sheet.students) == 30 and sheet.questions[2].alternatives[0].hints and not sheet.questions[0].hints


def test_the_own_questions_of_the_guide(tmp_path):
    guide = (Path(__file__).parents[2] / "docs" / "how-to" / "exams.md").read_text(encoding="utf-8")
    (tmp_path / "heads.svg").write_bytes((folder("problems") / "sheets" / "heads.svg").read_bytes())
    (tmp_path / "class.csv").write_text("number,name\n" + "".join(f"s{k},Name {k}\n" for k in range(1, 13)))
    text = re.search(r"<!-- sheet: final.yaml -->\n```yaml\n(.*?)```", guide, re.S)[1]
    sheet = read_sheet(text.replace("logo.png", "heads.svg"), str(tmp_path / "final.yaml"))
    assert [student.version for student in sheet.students] == [*"ABCDAB", *"CDABCD"] and sheet.students[6].seat == (
        2,
        1,
    )
    words, ticked, matrices, part = sheet.questions
    assert (
        words.instructor_question.solution
        and ticked.instructor_question.options[0].right
        and matrices.choices == 4
        and part.parts == ("cross",)
    )


@pytest.mark.sweep(quick=0)
def test_a_sheet_is_checked_without_a_folder(sheet, monkeypatch, capsys):
    assert (
        typed(["exam", sheet], monkeypatch, capsys).out
        == "3 questions, 3 variants: all solved. Nothing is written; add -o FOLDER\n"
    )


@pytest.mark.parametrize(("who", "said"), [
    ("students: [a, b, c, d, e]\nversions: 2", "1 question, 5 papers in 2 versions: all solved."),
    ("versions: 3", "1 question, 3 papers in 3 versions: all solved."),
    ("variants: 1", "1 question, 1 variant: all solved."),
])  # fmt: skip
def test_papers_and_versions_are_counted_apart(who, said, tmp_path, monkeypatch, capsys):
    """Five papers of two versions were called five variants."""
    sheet = tmp_path / "sheet.yaml"
    sheet.write_text(f"{who}\nquestions: [{{ask: Why?, free_text: So.}}]\n")
    assert typed(["exam", str(sheet)], monkeypatch, capsys).out.startswith(said)


# -- stress ------------------------------------------------------------------------------------------------------------


@pytest.mark.sweep(quick=0)
def test_stress(sheet, monkeypatch, capsys):
    told = json.loads(typed(["stress", sheet, "-n", 6, "--to", "json"], monkeypatch, capsys).out)
    assert [q["question"] for q in told["questions"]] == ["1", "3a"]
    for question in told["questions"]:
        assert question["variants"] == 6 <= question["draws"] == 6 + sum(question["failed"].values())
        assert question["disputes"] == question["hidden"] == {}
        assert question["work"]["least"] <= question["work"]["middle"] <= question["work"]["most"]
    assert "no number is close to a rounding tie" in typed(["stress", sheet, "-n", 3], monkeypatch, capsys).out


@pytest.mark.sweep(quick=0)
def test_stress_finds_what_the_sheet_lets_go():
    text = "questions: [{generate: layer_norm, rounding: {digits: 1}, with: {relax: [ties, separation, work, weak]}}]"
    sheet = read_sheet(text, "s.yaml")
    found = stress(sheet, 12)
    assert found.questions[0].disputes and not found.sound
    assert any("numbers close to a rounding tie: " in getattr(block, "text", "") for block in document(found).blocks)
    assert as_data(found)["questions"][0]["disputes"]


def stress_text(text, tmp_path, monkeypatch, capsys, code=0):
    (tmp_path / "s.yaml").write_text(text)
    monkeypatch.chdir(tmp_path)
    return " ".join(typed(["stress", "s.yaml", "-n", 4], monkeypatch, capsys, code).out.split())


@pytest.mark.sweep(quick=0)
def test_stress_says_what_lint_finds_in_fixed_problems(tmp_path, monkeypatch, capsys):
    (tmp_path / "poor.yaml").write_text("given: {Q: [[1]], K: [[1], [1]], V: [[1], [2]]}\nattention: {}\n")
    (tmp_path / "fine.yaml").write_text("given: {X: [[1, 2]]}\nsteps: {Y: 2 * X}\n")
    told = stress_text(
        "questions: [{generate: layer_norm}, {problem: poor.yaml}, {problem: fine.yaml}]", tmp_path, monkeypatch, capsys
    )
    (count,) = re.findall(
        r"2\. poor\.yaml has fixed numbers and does not meet (\d+) requirements?; `attncalc lint poor\.yaml` lists them",
        told,
    )
    data = json.loads(typed(["lint", "poor.yaml", "--to", "json"], monkeypatch, capsys, 1).out)
    assert len(data["findings"]) == int(count) > 0 and "fine.yaml" not in told


@pytest.mark.sweep(quick=0)
def test_stress_says_that_alternatives_differ_in_work(tmp_path, monkeypatch, capsys):
    uneven = "questions: [{one_of: [{generate: layer_norm}, {generate: layer_norm, with: {tokens: 1}}]}]"
    told = stress_text(uneven, tmp_path, monkeypatch, capsys)
    found = re.search(r"median work differs by more than 10 % \(1a layer_norm ([\d.]+), 1b layer_norm ([\d.]+)\)", told)
    assert float(found[1]) > 1.5 * float(found[2])
    assert "median work" not in stress_text(
        "questions: [{one_of: [{generate: layer_norm}, {generate: layer_norm}]}]", tmp_path, monkeypatch, capsys
    )


@pytest.mark.sweep(quick=0)
def test_stress_does_not_contradict_itself(tmp_path, monkeypatch, capsys):
    told = stress_text("questions: [{generate: layer_norm, with: {tokens: 1}}]", tmp_path, monkeypatch, capsys)
    assert "every known mistake that changes a number also changes a printed number" in told
    assert re.search(r"Mistakes that change no number, at any precision: [^.]*epsilon-outside-root \(", told)


@pytest.mark.parametrize(("tokens", "code", "count"), [(1, 0, 1), (2, 0, 0), (2000, 2, 0)])
def test_a_warning_about_a_generated_question_is_at_its_line(tokens, code, count, tmp_path, monkeypatch, capsys):
    """A mask of one token masks no score. Nothing is told about a size that is refused."""
    question = f"  - {{generate: self_attention, with: {{tokens: {tokens}, mask: causal}}}}"
    (tmp_path / "q.yaml").write_text(f"questions:\n{question}\n")
    monkeypatch.chdir(tmp_path)
    told = typed(["exam", "q.yaml"], monkeypatch, capsys, code).err
    place = f"q.yaml:2:{question.index('causal') + 1}: "
    assert told.count("no score is masked") == told.count(f"{place}warning: self_attention: mask: no score") == count


def test_givens_that_other_parts_use_are_no_reason_for_a_warning(tmp_path, monkeypatch, capsys):
    (tmp_path / "parts.yaml").write_text(
        "given: {a: [1], b: [2]}\nparts: {one: {ask: a., steps: {Y: 2 * a}}, two: {ask: b., steps: {Z: 3 * b}}}\n"
    )
    (tmp_path / "s.yaml").write_text("questions: [{problem: parts.yaml}, {problem: cross-entropy-loss}]")
    monkeypatch.chdir(tmp_path)
    for more in ([], ["-o", "out", "--to", "latex"]):
        assert "warning" not in typed(["exam", "s.yaml", *more], monkeypatch, capsys).err
    monkeypatch.chdir(tmp_path / "out")
    assert "warning" not in typed(["answers", "key.json", "-o", "class.csv"], monkeypatch, capsys).err

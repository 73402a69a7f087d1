"""`attncalc grade` as it is typed: tables of marks, the class in figures, feedback, and folders of hostile scripts."""

import csv
import decimal as decimals
import gc
import io
import json
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from fractions import Fraction

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import attncalc
from attncalc.cli import main
from attncalc.cli.document_options import PAGES
from attncalc.errors import AttncalcError
from attncalc.exam.sheet.sheet_reader import read_sheet
from attncalc.exam.variant_drawing import draw_all, make_variants_distinct
from attncalc.explain import report_messages
from attncalc.explain.point_format import decimal, points
from attncalc.gradebook.answer_key import Key, KeyVariant, read_key, split_title
from attncalc.gradebook.class_report import summary
from attncalc.gradebook.grade import _hand_over_pages, file_stem, pages
from attncalc.gradebook.graded_script import GradedScript
from attncalc.gradebook.group_statistics import correlation, deviation
from attncalc.gradebook.item_analysis import LEAST, RIGHT, figures, hidden
from attncalc.gradebook.script_discovery import Task, collect
from attncalc.gradebook.script_grader import Grader
from attncalc.marking.line import Line
from attncalc.marking.line_enclosures import LineEnclosures
from attncalc.marking.precision import Reading
from attncalc.problem.loader import read_problem
from attncalc.problem.yaml_file.yaml_reader import read_yaml
from attncalc.safe_files import safe_cell
from tests.support.called import called
from tests.support.sweeps import for_each

PROBLEM = """\
title: One head
given: {Q: [[1, 0], [0, 1]], K: [[1, 1], [0, 1], [1, 0]], V: [[1, 2], [3, 4], [5, 6]]}
rounding: {digits: 2}
steps: {S: Q @ K.T, S_scaled: S / sqrt(cols(K)), A: softmax(S_scaled), Z: A @ V}
points: {S: 2, A: 3, Z: 2}
asked: [S, A, Z]
"""
RIGHT_ANSWERS = {
    "S": [["1", "0", "1"], ["1", "1", "0"]],
    "A": [["0.40", "0.20", "0.40"], ["0.40", "0.40", "0.20"]],
    "Z": [["3.00", "4.00"], ["2.59", "3.59"]],
}
UNSCALED = RIGHT_ANSWERS | {
    "A": [["0.42", "0.16", "0.42"], ["0.42", "0.42", "0.16"]],
    "Z": [["3.00", "4.00"], ["2.46", "3.46"]],
}
SWAPPED = RIGHT_ANSWERS | {"S": [["1", "0", "1"], ["1", "1", "7"]]}


def script(student, answers, problem=None):
    head = (f"student: {json.dumps(student)}\n" if student else "") + (f"problem: {problem}\n" if problem else "")
    return head + "answers:\n" + "".join(f"  {step}: {json.dumps(rows)}\n" for step, rows in answers.items())


def grade(*arguments):
    """Exit code, standard output and standard error."""
    return called("grade", *arguments)


def table(text):
    return list(csv.DictReader(io.StringIO(text)))


@pytest.fixture
def problem(tmp_path):
    path = tmp_path / "one-head.yaml"
    path.write_text(PROBLEM)
    return path


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "scripts"
    folder.mkdir()
    (folder / "a.yaml").write_text(script("s-1", RIGHT_ANSWERS))
    (folder / "b.yaml").write_text(script("s-2", UNSCALED))
    (folder / "c.yaml").write_text(script(None, {"S": RIGHT_ANSWERS["S"]}))
    return folder


# -- the table ---------------------------------------------------------------------------------------------------------


def test_a_folder_becomes_a_table(problem, folder):
    code, out, err = grade(problem, folder)
    rows = table(out)
    assert code == 0 and err == ""
    assert out.splitlines()[0] == "student,file,variant,status,marks,out_of,S,A,Z,first_wrong,codes,remarks"
    assert [(r["student"], r["marks"], r["out_of"], r["first_wrong"]) for r in rows] == [
        ("s-1", "7", "7", ""),
        ("s-2", "4", "7", "A"),
        ("c", "2", "7", ""),
    ]
    assert "scale-forgotten" in rows[1]["codes"]
    assert (rows[2]["A"], rows[2]["Z"]) == ("0", "0") and "A: not answered" in rows[2]["remarks"]


def test_grading_gives_the_marks_that_check_gives(problem, folder, capsys, monkeypatch):
    _, out, _ = grade(problem, folder)
    for row, name in zip(table(out), "abc"):
        monkeypatch.setattr(
            sys, "argv", ["attncalc", "check", str(problem), str(folder / f"{name}.yaml"), "--to", "json"]
        )
        with pytest.raises(SystemExit):
            main()
        report = json.loads(capsys.readouterr().out)
        steps = {step["name"]: step["marks"] for step in report["parts"][0]["steps"] if step["out_of"]}
        assert {step: float(row[step]) for step in "SAZ"} == steps
        assert float(row["marks"]) == report["marks"] and row["first_wrong"] == (report["first_wrong"] or "")


@pytest.mark.sweep(quick=0)
def test_order_and_processes_change_nothing(problem, tmp_path):
    scripts = tmp_path / "many"
    scripts.mkdir()
    kinds = [RIGHT_ANSWERS, UNSCALED, SWAPPED, {"S": RIGHT_ANSWERS["S"]}]
    for k in range(40):
        (scripts / f"s{k:02}.yaml").write_text(script(f"s-{k}", kinds[k % 4]))
    files = sorted(map(str, scripts.iterdir()))
    shuffled = random.Random(1).sample(files, len(files))
    one = grade(problem, scripts, "--jobs", 1)
    assert one == grade(problem, scripts, "--jobs", 3) == grade(problem, *files, "--jobs", 2)
    assert sorted(one[1].splitlines()) == sorted(grade(problem, *shuffled)[1].splitlines())


def test_what_scripts_have_in_common_is_forgotten_where_it_is_too_much(problem, tmp_path, monkeypatch):
    answers = [RIGHT_ANSWERS, UNSCALED, SWAPPED, {"S": RIGHT_ANSWERS["S"]}, UNSCALED, RIGHT_ANSWERS]
    for k, one in enumerate(answers):
        (tmp_path / f"{k}.yaml").write_text(script(f"s-{k}", one))

    def rows(most):
        monkeypatch.setattr("attncalc.gradebook.script_grader.MOST_REMEMBERED", most)
        grader = Grader(read_key(str(problem)), [], "")
        found, held = [], 0
        for k in range(len(answers)):
            found.append(grader.grade(Task(str(tmp_path / f"{k}.yaml"), None, str(k))))
            held = max(held, sum(len(one.judgements) for one in grader._memories.values()))
        return found, held

    (few, held), (all_of_them, more) = rows(2), rows(100)
    assert few == all_of_them and held <= 2 + 3 < more  # a script has three lines


def test_a_pattern_and_a_file_twice_are_one_script(problem, folder):
    _, out, _ = grade(problem, folder / "*.yaml", folder / "a.yaml", folder)
    assert len(table(out)) == 3


def test_files_of_one_name_go_by_their_folders(tmp_path):
    for who in ("ada_1_file", "bob_2_file"):
        (tmp_path / who).mkdir()
        (tmp_path / who / "answers.yaml").write_text("answers: {}")
    assert [task.name for task in collect([str(tmp_path)])] == ["ada_1_file/answers", "bob_2_file/answers"]


def test_a_student_with_two_scripts_is_told(problem, folder):
    (folder / "again.yaml").write_text(script("s-1", UNSCALED))
    code, out, err = grade(problem, folder)
    assert (
        code == 1
        and "s-1 has several scripts" in err
        and "2 of 4 scripts should be checked by a person; see the columns status" in err
    )
    twice = [row for row in table(out) if row["status"] == "look"]
    assert [row["student"] for row in twice] == ["s-1", "s-1"] and all(
        "several scripts: also " in row["remarks"] for row in twice
    )
    assert "a.yaml" in twice[1]["remarks"] and "again.yaml" in twice[0]["remarks"]


# -- a class in one table ----------------------------------------------------------------------------------------------

CELLS = [
    f"{step}[{i},{j}]" for step, rows in RIGHT_ANSWERS.items() for i, row in enumerate(rows) for j in range(len(row))
]


def class_csv(students, columns, **more):
    lines = [",".join([*columns, *(f'"{cell}"' for cell in CELLS)])]
    for about, answers in students:
        cells = [x for rows in answers.values() for row in rows for x in row]
        lines.append(",".join([*about, *cells]))
    return "\n".join(lines) + "\n"


def test_a_class_in_one_csv_with_columns_of_a_course_system(problem, tmp_path):
    path = tmp_path / "class.csv"
    people = [(("Ada, A.", "ada@example.org", "s-1"), RIGHT_ANSWERS), (("Bob", "bob@example.org", "s-2"), UNSCALED)]
    path.write_text(
        class_csv([((f'"{a[0]}"', *a[1:]), answers) for a, answers in people], ["Name", "Email", "ID number"])
    )
    code, out, err = grade(problem, path)
    assert (code, err) == (0, "")
    assert [(r["student"], r["marks"], r["first_wrong"]) for r in table(out)] == [("s-1", "7", ""), ("s-2", "4", "A")]
    assert [r["file"] for r in table(out)] == [f"{path}:2", f"{path}:3"]


def test_one_bad_line_of_a_class_does_not_stop_the_others(problem, tmp_path):
    path = tmp_path / "class.csv"
    bad = RIGHT_ANSWERS | {"S": [["1", "0", "1"], ["what?", "1", "0"]]}
    path.write_text(
        class_csv(
            [(("s-1",), RIGHT_ANSWERS), (("s-2",), bad), (("",), RIGHT_ANSWERS), (("s-4",), UNSCALED)], ["student"]
        )
    )
    code, out, err = grade(problem, path)
    rows = table(out)
    assert (
        code == 1
        and "1 of 4 scripts could not be graded" in err
        and "1 of 4 scripts should be checked by a person; see the columns status" in err
    )
    assert [r["status"] for r in rows] == ["graded", "look", "not graded", "graded"]
    assert [r["marks"] for r in rows[::3]] == ["7", "4"] and rows[2]["marks"] == ""
    assert f"{path}:3:" in err and "S[1,0] could not be read: " in rows[1]["remarks"] and "what?" in rows[1]["remarks"]
    assert rows[1]["S"] == "1.6667" and rows[1]["A"] == "3"  # five entries of six
    assert "expected a student" in rows[2]["remarks"]


def test_the_long_form_of_a_table(problem, tmp_path):
    path = tmp_path / "long.csv"
    lines = ["student,section,step,value"]
    for who, answers in (("s-1", RIGHT_ANSWERS), ("s-2", UNSCALED)):
        lines += [
            f'{who},B,{step},"{json.dumps(rows)}"'.replace('\\"', "").replace('""', '"')
            for step, rows in answers.items()
        ]
    text = "\n".join(line.replace('["', "[").replace('", "', ", ").replace('"]', "]") for line in lines) + "\n"
    path.write_text(text)
    code, out, err = grade(problem, path)
    assert (code, err) == (0, "") and [r["marks"] for r in table(out)] == ["7", "4"]


# -- variants ----------------------------------------------------------------------------------------------------------

# The rows of Q change places, and so do those of every answer
SECOND = PROBLEM.replace("[[1, 0], [0, 1]], K", "[[0, 1], [1, 0]], K")


def turned(answers):
    return {step: rows[::-1] for step, rows in answers.items()}


@pytest.fixture
def key(tmp_path):
    variants = [
        {"code": "K7Q2", "number": 1, "student": None, "seed": "1", "problem": PROBLEM},
        {"code": "M3XX", "number": 2, "student": "s-9", "seed": "2", "problem": SECOND},
    ]
    path = tmp_path / "key.json"
    path.write_text(json.dumps({"format": 1, "kind": "attncalc key", "title": "Midterm", "variants": variants}))
    return path


def test_each_script_is_graded_by_its_own_variant(key, tmp_path):
    scripts = tmp_path / "scripts"
    scripts.mkdir()
    (scripts / "1.yaml").write_text(script("s-1", RIGHT_ANSWERS, "k7q2"))
    (scripts / "2.yaml").write_text(script("s-2", turned(RIGHT_ANSWERS), "M3XX"))
    (scripts / "3.yaml").write_text(script("s-3", turned(RIGHT_ANSWERS), "K7Q2"))
    (scripts / "4.yaml").write_text(script("s-9", turned(RIGHT_ANSWERS)))
    (scripts / "5.yaml").write_text(script("s-5", RIGHT_ANSWERS))
    (scripts / "6.yaml").write_text(script("s-6", RIGHT_ANSWERS, "K7Q3"))
    code, out, _ = grade(key, scripts)
    rows = table(out)
    assert code == 1
    assert [r["variant"] for r in rows] == ["K7Q2", "M3XX", "K7Q2", "M3XX", "", ""]
    assert [rows[k]["marks"] for k in (0, 1, 3)] == ["7"] * 3 and float(rows[2]["marks"]) < 7
    assert "the variant M3XX belongs to s-9" in rows[1]["remarks"]
    assert "expected the code of the paper" in rows[4]["remarks"] and "did you mean K7Q2?" in rows[5]["remarks"]
    assert "the key has no student 's-5'" in rows[4]["remarks"]


def of_a_script() -> dict[int, object]:
    """What lives of the work on scripts, by its id: other tests may keep some."""
    return {id(one): one for one in gc.get_objects() if isinstance(one, Line | Reading | LineEnclosures)}


@pytest.mark.parametrize("answers", [RIGHT_ANSWERS, UNSCALED, SWAPPED, {"Z": UNSCALED["Z"]}])
def test_what_was_worked_out_for_a_script_goes_without_a_search_for_garbage(key, tmp_path, answers):
    (tmp_path / "1.yaml").write_text(script("s-1", answers, "K7Q2"))
    grader = Grader(read_key(str(key)), [], "markdown")
    gc.collect()
    gc.disable()
    kept_by_others = of_a_script()
    try:
        row = grader.grade(Task(str(tmp_path / "1.yaml"), None, "1"))
        left = kept_by_others.keys() ^ of_a_script().keys()
    finally:
        gc.enable()
    assert row.verdicts and not row.error and not left


@pytest.mark.sweep(quick=2)
@pytest.mark.parametrize(
    "data, said",
    [
        ("{", "key.json:1:2: expected a key.json that `attncalc exam` wrote, found the end of the file"),
        ('{"a": nul}', "key.json:1:7: expected a key.json that `attncalc exam` wrote, found 'nul}'"),
        ('{"a": ' + "1" * 5_000 + "}", "found a number that is too long"),
        ('{"variants": []}', "and kind: 'attncalc key'"),
        ('{"format": 1, "kind": "attncalc key", "variants": []}', "expected at least one variant"),
        (
            '{"format": 1, "kind": "attncalc key", "variants": [{"code": "A"}]}',
            "variant 1: expected a code and a problem",
        ),
        (
            '{"format": 1, "kind": "attncalc key", "variants": [{"code": "A", "problem": "x"}, {"code": "a", "problem": "x"}]}',
            "twice",
        ),
        ("[" * 100_000, "expected a key that can be read within the nesting limit"),
        (
            f'{{"a": [{"[]," * 9_000_000}[]]}}',
            "expected a key that can be read in 300 MB of memory, found one that needs more",
        ),
    ],
)
def test_a_key_that_is_none(tmp_path, folder, data, said, monkeypatch):
    monkeypatch.setattr("attncalc.processor_limit.MOST_MEMORY", 300_000_000)
    path = tmp_path / "key.json"
    path.write_text(data)
    code, out, err = grade(path, folder)
    assert (code, out) == (2, "") and said in err and "Traceback" not in err


# -- scripts of which a part cannot be read ----------------------------------------------------------------------------

GOOD = script("s-7", RIGHT_ANSWERS)
PARTLY = {
    "an entry": (
        GOOD.replace('"0.40", "0.20"', '"0.4O", "0.20"', 1),
        {"S": "2", "A": "2.5", "Z": "2"},
        "A could not be read: expected a number, found '0.4O'; did you mean the digit 0 instead of the letter O? (line 4, column",
    ),
    "a name": (
        GOOD.replace("  Z:", "  ZZ:"),
        {"S": "2", "A": "3", "Z": "0"},
        "ZZ could not be read: no step is called 'ZZ'",
    ),
    "a step twice": (
        GOOD + "  S: [[0, 0, 0], [0, 0, 0]]\n",
        {"S": "2", "A": "3", "Z": "2"},
        "the key 'S' occurs twice",
    ),
    "a bracket": (
        GOOD.replace('"0.20"]]', '"0.20"]'),
        {"S": "2", "A": "3", "Z": "2"},
        "A could not be read: expected a closing bracket, as in `S = [[1, 2], [3, 4]]`; found none for this bracket (line 4,",
    ),
    "a quote": (GOOD.replace('["3.00", "4', '["3.00, "4'), {"S": "2", "A": "3", "Z": "1.5"}, "Z could not be read"),
    "a key of the file": (GOOD.replace("student", "studnet"), {"S": "2", "A": "3", "Z": "2"}, "did you mean student?"),
    "free text": (
        "student: s-7\n\nS =\n1 0 1\n1 1 0\n\nA =\n0.40 0.2O 0.40\n0.40 0.40 0.20\n\nZ =\n3.00 4.00\n2.59 3.59\n",
        {"S": "2", "A": "2.5", "Z": "2"},
        "did you mean the digit 0",
    ),
}


@pytest.mark.parametrize(("fault", "says"), [
    ("an entry", "Everything that could be read is right. A could not be read completely."),
    ("a name", "Everything that could be read is right. ZZ could not be read completely. 1 step is unanswered."),
])  # fmt: skip
def test_a_page_says_first_what_could_not_be_read(problem, tmp_path, fault, says):
    (tmp_path / "s-7.yaml").write_text(PARTLY[fault][0], encoding="utf-8")
    grade(problem, tmp_path / "s-7.yaml", "--feedback", tmp_path / "fb")
    assert says in (tmp_path / "fb" / "s-7.md").read_text(encoding="utf-8")


@pytest.mark.sweep(quick=1)
@pytest.mark.parametrize("text, marks, said", PARTLY.values(), ids=PARTLY)
def test_what_cannot_be_read_costs_itself_alone(problem, tmp_path, text, marks, said):
    path = tmp_path / "s-7.md" if "=" in text else tmp_path / "s-7.yaml"
    path.write_text(text, encoding="utf-8")
    code, out, err = grade(problem, path, "--feedback", tmp_path / "fb")
    (row,) = table(out)
    assert "1 to be checked by a person" in grade(problem, path, "-o", tmp_path / "m.csv")[1]
    assert code == 1 and (row["student"], row["status"]) == ("s-7", "look")
    assert {step: row[step] for step in "SAZ"} == marks and said in row["remarks"]
    assert f"{path}:" in err and "1 of 1 script should be checked by a person; see the columns status" in err
    page = (tmp_path / "fb" / "s-7.md").read_text(encoding="utf-8")
    assert "could not be read" in page and re.search(r"could not be read completely\.", page)
    assert "Everything answered is right" not in page and "Everything is right" not in page
    code, out, err = called("check", problem, path)
    assert code == 2 and (not out or "could not be read" in " ".join(out.split())) and err.startswith(f"{path}:")


@pytest.mark.parametrize(("right", "wrong", "said"), [
    ('[["3.00", "4.00"], ', "[", "Z: expected 2 × 2, found 1 × 2"),
    ('"2.59", "3.59"', '"2.59"', "Z: row 2 has 1 entry, row 1 has 2; rows must have the same length"),
])  # fmt: skip
def test_a_matrix_of_the_wrong_shape_is_a_wrong_answer(problem, tmp_path, right, wrong, said):
    """The rest is graded, and nobody has to look at it."""
    path = tmp_path / "s-7.yaml"
    path.write_text(GOOD.replace(right, wrong, 1), encoding="utf-8")
    _, out, _ = grade(problem, path)
    (row,) = table(out)
    assert {step: row[step] for step in "SAZ"} == {"S": "2", "A": "3", "Z": "0"} and row["status"] != "look"
    assert row["first_wrong"] == "Z" and said in row["remarks"]


@pytest.mark.parametrize("text", ["1,5,2", "0.5 0.5", "0,,5", "[1 2]", "1; 2; 3", "hello"])
def test_what_is_no_number_in_a_column_of_one_entry_is_looked_at(problem, tmp_path, text):
    """Beside other entries of the same step too: it was taken for a blank, and nobody heard of it."""
    path = tmp_path / "class.tsv"
    path.write_text(f"student\tS[0,0]\tS[0,1]\tZ[0,0]\tZ[0,1]\ns-1\t1\t1\t{text}\t3.59\n", encoding="utf-8")
    code, out, err = grade(problem, path)
    (row,) = table(out)
    assert code == 1 and row["status"] == "look" and "could not be read" in row["remarks"]
    assert f"{path}:2:9: Z" in err and "expected" in err


def test_a_row_of_another_length_beside_right_ones_is_a_wrong_answer(problem, tmp_path):
    (tmp_path / "s-1.yaml").write_text("student: s-1\nanswers: {'S[0]': [1, 0, 1], 'S[1]': [1, 0]}\n", encoding="utf-8")
    (row,) = table(grade(problem, tmp_path / "s-1.yaml")[1])
    assert row["first_wrong"] == "S" and "“S[1]”: expected 1 × 3, found 1 × 2" in row["remarks"]


TWO = """\
title: Two heads
given: {Q: [[1, 0], [0, 1]], K: [[1, 1], [0, 1], [1, 0]]}
parts:
  one: {steps: {S: Q @ K.T, A: softmax(S)}}
  two: {steps: {S: 2 * Q @ K.T, A: softmax(S)}}
"""
TWO_ANSWERS = """\
student: s-1
answers:
  one:
    S: [[1, 0, 1], [1, 1, 0]]
  two:
    S: [[2, 0, 2], [2, 2, 0]]
    A: [[0.47, 0.06, 0.47], [0.47, 0.47, 0.06]]
"""


@pytest.mark.sweep(quick=2)
@pytest.mark.parametrize(
    "header", ["  two", "two:", "  two: :", "  two: [", '  "two:', "  tow:", "   two:", "  two: {"]
)
def test_a_broken_heading_never_gives_answers_to_another_part(tmp_path, header):
    (tmp_path / "two.yaml").write_text(TWO)
    (tmp_path / "s-1.yaml").write_text(TWO_ANSWERS.replace("  two:", header))
    code, out, _ = grade(tmp_path / "two.yaml", tmp_path / "s-1.yaml")
    (row,) = table(out)
    assert code == 1 and row["status"] in ("look", "not graded")
    assert row["one.A"] in ("0", "") and row["one.S"] in ("1", "0", "")


@given(st.integers(0, 60), st.sampled_from("[]{}\",:'#&*!|>%@`\t\n-?x"))
def test_one_wrong_sign_in_a_step_never_costs_the_others(at, sign):
    """Whatever one sign of Z is replaced by, S and A keep their marks."""
    key = Key("one-head", "", [KeyVariant("", 1, None, PROBLEM, "one-head", "one-head")])
    start = GOOD.index("  Z:") + 5
    at = start + at % (len(GOOD) - start - 1)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "s-7.yaml")
        with open(path, "w", newline="") as file:
            file.write(GOOD[:at] + sign + GOOD[at + 1 :])
        row = Grader(key, []).grade(Task(path, None, "s-7"))
    assert not row.error and row.student == "s-7" and (row.marks["S"], row.marks["A"]) == (2, 3)


@pytest.mark.sweep(quick=2)
@pytest.mark.parametrize(
    "name, raw, student, variant",
    [
        ("x.yaml", b"student: s-8\nproblem: K7Q2\nanswers: {S: [\n", "s-8", "K7Q2"),
        ("x.yaml", b"# student: 's-8'\nproblem: k7q2\nanswers:\n  S: Jos\xe9\n", "s-8", "K7Q2"),
        ("scan_K7Q2_page-1.pdf", b"%PDF-1.7\0\1", "scan_K7Q2_page-1", "K7Q2"),
        ("Nine S-9 answers.yaml", b"\0\0", "s-9", "M3XX"),
        ("K7Q2 or M3XX.yaml", b"\0\0", "K7Q2 or M3XX", ""),
        ("s-9 K7Q2.yaml", b"\0\0", "s-9 K7Q2", ""),
        ("x.json", b'{"student": "s-8", "problem": "M3XX", "answers": {{', "s-8", "M3XX"),
        ("x.csv", b"S[0,0],student\n", "x", ""),
    ],
)
def test_whose_script_it_is_that_cannot_be_read(key, tmp_path, name, raw, student, variant):
    (tmp_path / name).write_bytes(raw)
    code, out, err = grade(key, tmp_path / name)
    (row,) = table(out)
    assert code == 1 and "1 of 1 script could not be graded" in err
    assert (row["student"], row["variant"], row["status"], row["marks"]) == (student, variant, "not graded", "")
    assert row["remarks"].startswith("not graded: ")


def test_a_files_name_tells_what_the_script_leaves_out(key, tmp_path):
    (tmp_path / "midterm-K7Q2.yaml").write_text(script("s-1", RIGHT_ANSWERS))
    # As `attncalc answers` of a variant says
    (tmp_path / "blank.yaml").write_text(script("s-9", turned(RIGHT_ANSWERS), "variant-2-M3XX"))
    assert table(grade(key, tmp_path / "blank.yaml")[1])[0] | {"file": ""} == {
        "student": "s-9", "file": "", "variant": "M3XX", "status": "graded", "marks": "7", "out_of": "7", "S": "2",
        "A": "3", "Z": "2", "first_wrong": "", "codes": "", "remarks": "",
    }  # fmt: skip
    (tmp_path / "s-9 (1).yaml").write_text(script(None, turned(RIGHT_ANSWERS)))
    code, out, _ = grade(key, tmp_path / "midterm-K7Q2.yaml", tmp_path / "s-9 (1).yaml")
    assert code == 0 and [(r["student"], r["variant"], r["marks"]) for r in table(out)] == [
        ("s-1", "K7Q2", "7"),
        ("s-9", "M3XX", "7"),
    ]
    assert all("is taken from the file's name" in r["remarks"] for r in table(out))


def test_the_key_of_another_exam_is_suspected(key, tmp_path):
    scripts = tmp_path / "scripts"
    scripts.mkdir()
    for code in ("AAAA", "BBBB"):
        (scripts / f"{code}.yaml").write_text(script(code, RIGHT_ANSWERS, code))
    code, _, err = grade(key, scripts)
    assert code == 1 and "is it the key of a different exam?" in err
    (scripts / "nobody.yaml").write_text(script("s-77", RIGHT_ANSWERS))
    assert "is it the key of a different exam?" in grade(key, scripts)[2]
    (scripts / "own.yaml").write_text(script("s-1", RIGHT_ANSWERS, "K7Q2"))
    assert "another exam" not in grade(key, scripts)[2]


def test_two_scripts_of_one_variant_are_told(key, tmp_path):
    scripts = tmp_path / "scripts"
    scripts.mkdir()
    (scripts / "a.yaml").write_text(script("s-9", turned(RIGHT_ANSWERS), "M3XX"))
    (scripts / "b.yaml").write_text(script("s-2", turned(RIGHT_ANSWERS), "M3XX"))
    code, out, err = grade(key, scripts)
    assert (
        code == 1
        and "the paper M3XX is answered in 2 scripts: " in err
        and "2 of 2 scripts should be checked by a person; see the columns status" in err
    )
    assert [r["status"] for r in table(out)] == ["look", "look"]
    assert all("several scripts answer the paper M3XX: also " in r["remarks"] for r in table(out))


def test_papers_that_differ_in_their_titles_are_read_once_and_keep_them(tmp_path):
    texts = [
        PROBLEM.replace("title: One head", title)
        for title in ("title: One, A", 'title: "One, B"', "title: >\n  One, C", "title: 'One,\n  D'")
    ]
    variants = [
        {"code": code, "problem": text} for code, text in zip(("K7Q2", "M3XX", "PPPP", "QQQQ"), texts, strict=True)
    ]
    (tmp_path / "key.json").write_text(
        json.dumps({"format": 1, "kind": "attncalc key", "title": "t", "variants": variants})
    )
    key = read_key(str(tmp_path / "key.json"))
    problems = [key.problem(variant) for variant in key.variants]
    assert [one.title.strip() for one in problems] == ["One, A", "One, B", "One, C", "One, D"]
    assert problems[0].plan is problems[1].plan is not problems[2].plan is not problems[3].plan
    assert [one.name for one in problems] == ["K7Q2", "M3XX", "PPPP", "QQQQ"]


def test_a_key_keeps_the_last_problems_alone(tmp_path, monkeypatch):
    monkeypatch.setattr("attncalc.gradebook.answer_key.MOST_PROBLEMS", 3)
    variants = [
        {"code": f"C{k}", "problem": PROBLEM.replace("[[1, 0], [0, 1]], K", f"[[{k}, 0], [0, 1]], K")} for k in range(9)
    ]
    (tmp_path / "key.json").write_text(
        json.dumps({"format": 1, "kind": "attncalc key", "title": "t", "variants": variants})
    )
    key = read_key(str(tmp_path / "key.json"))
    for _ in range(2):
        found = [key.problem(variant).plan.entries["given:Q"].texts[0][0] for variant in key.variants]
        assert found == list("012345678") and len(key._problems) == 3


def test_papers_of_one_variant_may_go_to_several_students(key, tmp_path):
    for k in range(5):
        (tmp_path / f"u-{k}.yaml").write_text(script(f"u-{k}", RIGHT_ANSWERS, "K7Q2"))
    code, _, err = grade(key, tmp_path / "u-*.yaml")
    assert (code, err) == (0, "")


WRITTEN = {
    "yaml": "problem: K7Q2\nstudent: José\nanswers:\n  S: [[1, 0, 1], [1, 1, 0]]\n",
    "json": '{"problem": "K7Q2", "student": "José", "answers": {"S": [[1, 0, 1], [1, 1, 0]]}}',
    "txt": "problem: K7Q2\nstudent: José\n\nS = 1 0 1\n    1 1 0\n",
    "md": "student: José\nproblem: K7Q2\n\n## S\n\n1 0 1\n1 1 0\n",
    "csv": 'student,problem,"S[0,0]","S[0,1]","S[0,2]","S[1,0]","S[1,1]","S[1,2]"\nJosé,K7Q2,1,0,1,1,1,0\n',
}
ENCODINGS = {
    "utf-16": str.encode,
    "utf-16-be": lambda text, encoding: ("\ufeff" + text).encode(encoding),
    "utf-32": str.encode,
    "utf-8-sig": str.encode,
}


@pytest.mark.parametrize("ending", WRITTEN)
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_script_is_read_in_the_encoding_that_it_says(key, tmp_path, ending, encoding):
    """A text of Notepad's "Unicode" was a binary file, while a table in it was read."""
    path = tmp_path / f"a.{ending}"
    path.write_text(WRITTEN[ending], encoding="utf-8")
    plain = table(grade(key, path)[1])
    assert (plain[0]["student"], plain[0]["variant"], plain[0]["status"]) == ("José", "K7Q2", "graded")
    path.write_bytes(ENCODINGS[encoding](WRITTEN[ending].replace("\n", "\r\n"), encoding))
    assert table(grade(key, path)[1]) == plain


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_files_beside_scripts_are_read_in_the_encoding_that_they_say(problem, folder, tmp_path, encoding):
    """The problem, overrides, a scale and changes."""
    texts = {
        "p.yaml": problem.read_text(encoding="utf-8"),
        "o.yaml": "- {student: s-1, step: S, marks: 1, reason: für mich}\n",
        "s.yaml": "scale: {A: 90 %, F: 0}\n",
        "c.yaml": "drop: [S]\n",
    }
    found = []
    for encode in (lambda text, _: text.encode(), ENCODINGS[encoding]):
        for name, text in texts.items():
            (tmp_path / name).write_bytes(encode(text, encoding))
        beside = ("--overrides", tmp_path / "o.yaml", "--scale", tmp_path / "s.yaml")
        marked = grade(tmp_path / "p.yaml", folder, *beside)
        again = called(
            "remark",
            tmp_path / "p.yaml",
            tmp_path / "c.yaml",
            folder,
            *beside,
            "--new-key",
            tmp_path / "n.yaml",
            "--force",
        )
        found.append((marked, again, (tmp_path / "n.yaml").read_text(encoding="utf-8")))
    assert found[0] == found[1] and "für mich" in found[0][0][1]


# -- hostile scripts ---------------------------------------------------------------------------------------------------

HOSTILE = {
    "empty.yaml": (b"", "found an empty file"),
    "binary.yaml": (bytes(range(256)) * 20, "found a binary file"),
    "latin.yaml": ("student: Jos\xe9\nanswers: {}".encode("latin-1"), "this file is not UTF"),
    "wrong-problem.yaml": (
        script("s-3", RIGHT_ANSWERS, "another").encode(),
        "expected answers to one-head, found answers to 'another'",
    ),
    "shape.yaml": (b"student: s-4\nanswers: {S: [[1]]}", "S: expected 2 × 3, found 1 × 1"),
    "digits.yaml": (b"answers: {S: [" + b"1" * 900_000 + b"]}", "expected a number of at most 1000 digits"),
    "deep.yaml": (b"answers: " + b"[" * 50_000, "nested"),
    "name.yaml": (script('=HYPERLINK("x")/../\u202e', {"S": [["1"]]}).encode(), "S: expected 2 × 3"),
}
WRONG_SHAPES = ("shape.yaml", "name.yaml", "latin.yaml")  # read, and nothing in them is right


@pytest.mark.sweep(quick=1)
def test_hostile_scripts_are_listed_and_the_rest_is_graded(problem, folder, tmp_path):
    for name, (raw, _) in HOSTILE.items():
        (folder / name).write_bytes(raw)
    os.symlink("nowhere", folder / "dangling.yaml")
    code, _, err = grade(
        problem, folder, "-o", tmp_path / "m.csv", "--feedback", tmp_path / "fb", "--report", tmp_path / "r.json"
    )
    rows = {os.path.basename(r["file"]): r for r in table((tmp_path / "m.csv").read_text(encoding="utf-8"))}
    assert code == 1 and "Traceback" not in err and "6 of 12 scripts could not be graded" in err
    assert [rows[f"{x}.yaml"]["marks"] for x in "abc"] == ["7", "4", "2"]
    for name, (_, said) in HOSTILE.items():
        assert said in rows[name]["remarks"] and rows[name]["marks"] == ("0" if name in WRONG_SHAPES else ""), name
    assert rows["name.yaml"]["student"].startswith("'=") and "\u202e" not in rows["name.yaml"]["student"]
    written = sorted(os.listdir(tmp_path / "fb"))
    assert len(written) == 12 and all(os.sep not in name and not name.startswith((".", "=")) for name in written)
    told = json.loads((tmp_path / "r.json").read_text())
    assert (told["scripts"], told["not_graded"], told["to_look_at"]) == (12, 6, 0)


def test_a_bug_at_one_script_is_its_own_row(problem, monkeypatch):
    monkeypatch.setattr("attncalc.gradebook.script_grader.bind", lambda *_: 1 / 0)
    row = Grader(read_key(str(problem)), []).grade(Task(__file__, None, "x"))
    assert row.error and not row.marks


@given(st.text(max_size=30))
def test_no_cell_is_run_by_a_spreadsheet(text):
    cell = safe_cell(text)
    assert "\n" not in cell and "\r" not in cell and "\t" not in cell
    for piece in cell.split(";"):
        try:
            float(cell)
        except ValueError:
            assert not piece.lstrip().startswith(tuple("=+-@"))


@for_each("number", ["-1.5", "3", "+2", "0.25"])
def test_numbers_stay_numbers(number):
    assert safe_cell(number) == number


STUDENTS = st.lists(
    st.one_of(st.text(max_size=100), st.from_regex(r"[aAb][ /_]?[1b]?(-[23]){0,2}", fullmatch=True)), max_size=8
)


@given(STUDENTS, st.randoms())
def test_law_a_feedback_file_with_the_number_of_a_student_is_the_page_of_this_student(students, random):
    """The second page of `team` got the name of the student `team-2`. In every order, and when pages are handed over."""
    rows = [GradedScript(student, "f", error="no", feedback=f"{k} {student}") for k, student in enumerate(students)]
    written = pages(rows)
    stems = {name.removesuffix(".md") for name in written}
    assert len({stem.casefold() for stem in stems}) == len(students)
    for stem, page in zip(stems, map(written.get, (f"{stem}.md" for stem in stems)), strict=True):
        who = page.partition(" ")[2]
        namesakes = {other for other in students if other.casefold() == stem.casefold() == file_stem(other).casefold()}
        assert not namesakes or who in namesakes or stem not in namesakes
        assert not set(stem) & set('/\\:*?"<>|\0\n') and not stem.startswith((".", "-", "~")) and len(stem) < 107
    handed = {}
    list(_hand_over_pages(iter(rows), "markdown", handed.__setitem__))
    assert handed == written
    random.shuffle(students)
    again = pages([GradedScript(student, "f", error="no", feedback=student) for student in students])
    exact = {f"{student}.md" for student in students if file_stem(student) == student}
    assert all(again[name] == name.removesuffix(".md") for name in exact & again.keys())


def test_names_that_windows_keeps_for_itself():
    assert [file_stem(name) for name in ("con", "LPT1", "..", "s-0417", "a/b")] == [
        "_con",
        "_LPT1",
        "_",
        "s-0417",
        "a_b",
    ]


NAMES = ("s-{}", "a/b-{}", "..%2f..%2Fetc%2Fpasswd-{}", "..\\\\..\\\\x-{}", '=HYPERLINK("http://x/?"&A1;"y")-{}',
         "+1-{}", "@SUM(A1:A9)-{}",
         "-2+3+cmd|' /C calc'!A0-{}", "Zoë 王-{}", "\u202egnp.exe-{}", "con-{}", "x" * 300 + "-{}", "%0a=1+1-{}",
         "\ttab-{}")  # fmt: skip
BAD_FILES = {
    ".yaml": [raw for name, (raw, _) in HOSTILE.items() if name not in ("digits.yaml",
        *WRONG_SHAPES)] + [b"answers: {S: [" + b"1" * 1_000_000 + b"]}", b"&a [*a, *a]",
        b"a: &a [x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nanswers: {S: "
        b"[*c,*c]}\n", b"{" * 3_000],
    ".pdf": [b"%PDF-1.7\n%\xe2\xe3\0"], ".zip": [b"PK\3\4\0\0"],
    ".md": [b"I did not answer.\n", "S =\n".encode("utf-16")],
    ".csv": [b"student,S[0,0]\n", b"\"", b"step,value\n", b"," * 400_000],
}  # fmt: skip


@pytest.mark.sweep(quick=0, ci=1)
@pytest.mark.parametrize("count", [300, 1_000])
def test_many_scripts_of_which_a_fifth_is_broken(problem, tmp_path, count):
    """Every good one is graded whatever its student is called, every bad one listed with its reason, and the table is
    safe to open.
    """
    scripts = tmp_path / "scripts"
    scripts.mkdir()
    bad = [(ending, raw) for ending, found in BAD_FILES.items() for raw in found]
    kinds = (RIGHT_ANSWERS, UNSCALED, {"S": RIGHT_ANSWERS["S"]})
    marks, good = ("7", "4", "2"), {}
    for k in range(count):
        if k % 5:
            path = scripts / f"{k:04}.yaml"
            path.write_text(script(NAMES[k % len(NAMES)].format(k), kinds[k % 3]), encoding="utf-8")
            good[str(path)] = marks[k % 3]
        else:
            ending, raw = bad[k // 5 % len(bad)]
            (scripts / f"{k:04}{ending}").write_bytes(raw)
    with open(os.path.join(os.fsencode(scripts), b"odd-\xff\n=1+1.yaml"), "wb") as file:
        file.write(script(None, RIGHT_ANSWERS).encode())
    os.mkfifo(scripts / "pipe.yaml")
    os.symlink("loop.yaml", scripts / "loop.yaml")
    (scripts / "folder.yaml").mkdir()
    code, _, err = grade(
        problem, scripts, "-o", tmp_path / "m.csv", "--feedback", tmp_path / "fb", "--report", tmp_path / "r.html"
    )
    text = (tmp_path / "m.csv").read_text(encoding="utf-8")
    rows = table(text)
    broken = count // 5 + 3
    assert code == 1 and "Traceback" not in err and len(rows) == count + 4
    assert f"{broken} of {count + 4} scripts could not be graded" in err
    assert len(err.splitlines()) < 30  # the first of many
    assert {row["file"]: row["marks"] for row in rows if row["file"] in good} == good
    refused = [row for row in rows if row["file"] not in good and not os.path.basename(row["file"]).startswith("odd-")]
    assert (
        len(refused) == broken
        and {row["status"] for row in refused} == {"not graded"}
        and not any(row["marks"] for row in refused)
    )
    assert all(len(row["remarks"].removeprefix("not graded: ")) > 20 for row in refused)
    for cell in (cell for line in csv.reader(io.StringIO(text)) for cell in line):
        assert not cell.startswith(tuple("=+-@\t\r")) or cell.lstrip("+-").replace(".", "").isdigit()
    written = os.listdir(tmp_path / "fb")
    assert (
        len(written) == count + 4
        and os.listdir(tmp_path)
        and sorted(os.listdir(tmp_path)) == ["fb", "m.csv", "one-head.yaml", "r.html", "scripts"]
    )
    assert not any(
        set(name) & set('/\\\\:*?"<>|\n') or name.startswith(".") or len(name.encode()) > 255 for name in written
    )


def test_a_table_of_a_million_rows(problem, tmp_path):
    (tmp_path / "class.csv").write_text('student,"S[0,0]"\n' + "s,1\n" * 1_000_000)
    code, out, err = grade(problem, tmp_path / "class.csv")
    (row,) = table(out)
    assert code == 1 and "a file can have at most 1,000,000 bytes" in row["remarks"] and row["status"] == "not graded"
    assert err.splitlines()[-1] == "1 of 1 script could not be graded"


# -- overrides ---------------------------------------------------------------------------------------------------------


@pytest.mark.sweep(quick=1)
@pytest.mark.parametrize(
    "name, text",
    [
        ("o.csv", "student,step,marks,reason\ns-2,A,2.5,unclear slide\nc,Z,1/2,\nghost,S,1,late\n"),
        (
            "o.yaml",
            "- {student: s-2, step: A, marks: 2.5, reason: unclear slide}\n- {student: c, step: Z, marks: 1/2}\n- {student: ghost, step: S, marks: 1}\n",
        ),
    ],
)
def test_overrides_survive_regrading(problem, folder, tmp_path, name, text):
    (tmp_path / name).write_text(text)
    once, again = (
        grade(problem, folder, "--overrides", tmp_path / name, "--feedback", tmp_path / f"fb{k}") for k in (1, 2)
    )
    rows = table(once[1])
    assert once == again and once[0] == 1  # since one is of nobody
    assert [r["marks"] for r in rows] == ["7", "6.5", "2.5"]
    assert "A: 2.5 instead of 0, set by hand: unclear slide" in rows[1]["remarks"]
    assert "there is no script from 'ghost'" in once[2]
    assert "2.5 of 3 (unclear slide)" in (tmp_path / "fb1" / "s-2.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("student", ["s-7", "S-7"])
def test_students_of_overrides_are_matched_without_case(student, problem, tmp_path):
    """As duplicates of scripts are, so that one person has one row."""
    (tmp_path / "s-7.yaml").write_text(PARTLY["an entry"][0])
    (tmp_path / "o.csv").write_text(f"student,step,marks,reason\n{student},A,3,comma\n")
    code, out, err = grade(problem, tmp_path / "s-7.yaml", "--overrides", tmp_path / "o.csv")
    assert (code, err, table(out)[0]["marks"]) == (0, "", "7")


def test_a_script_that_cannot_be_read_can_be_marked_by_hand(problem, tmp_path):
    (tmp_path / "p.yaml").write_bytes(b"\0\1")
    (tmp_path / "o.csv").write_text("student,step,marks,reason\np,S,2,on paper\n")
    code, out, _ = grade(problem, tmp_path / "p.yaml", "--overrides", tmp_path / "o.csv")
    assert code == 1 and table(out)[0]["marks"] == "2"


def test_what_a_person_has_marked_needs_no_look_any_more(problem, tmp_path):
    (tmp_path / "s-7.yaml").write_text(PARTLY["an entry"][0])
    (tmp_path / "o.csv").write_text("student,step,marks,reason\ns-7,A,3,comma\n")
    assert grade(problem, tmp_path / "s-7.yaml")[0] == 1
    code, out, err = grade(problem, tmp_path / "s-7.yaml", "--overrides", tmp_path / "o.csv")
    (row,) = table(out)
    assert (code, err, row["status"], row["marks"]) == (0, "", "graded", "7")
    assert "A could not be read" in row["remarks"] and "set by hand: comma" in row["remarks"]


def page_of(problem, scripts, overrides, student, tmp_path):
    """A student's page, line in a course system and row, with these overrides."""
    (tmp_path / "o.csv").write_text(f"student,step,marks,reason\n{overrides}")
    arguments = [problem, scripts, "--overrides", tmp_path / "o.csv", "--force"]
    _, out, _ = grade(*arguments, "--feedback", tmp_path / "fb")
    row = next(row for row in table(out) if row["student"] == student)
    line = next(line for line in csv.reader(io.StringIO(grade(*arguments, "--for", "moodle")[1])) if line[0] == student)
    return (tmp_path / "fb" / f"{student}.md").read_text(encoding="utf-8"), line[3], row


@pytest.mark.parametrize("form", ["markdown", "html"])
def test_a_page_names_its_student_also_if_only_the_file_does(problem, tmp_path, form):
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "s-77.txt").write_text("Z = [[1, 2], [2, 3], [3.01, 4.58]]\n")
    (row,) = attncalc.grade(problem, [str(tmp_path / "scripts")], feedback=form).rows
    assert "s-77" in row.feedback


def test_a_page_says_what_a_person_changed_and_why(problem, folder, tmp_path):
    page, line, row = page_of(problem, folder, "s-2,A,2.5,unclear slide\n", "s-2", tmp_path)
    assert (
        "6.5 of 7 points" in page
        and "2.5 of 3 (unclear slide)" in page
        and "2.5 instead of 0, set by hand: unclear slide" in page
    )
    assert "The first error is in" in page and row["first_wrong"] == "A" and "scale-forgotten" in row["codes"]
    assert line == ("6.5 of 7 points. The first error is in A. Points changed by your instructor: "
                    "A: 2.5 instead of 0, set by hand: unclear slide.")  # fmt: skip


FOUR_PLACES = re.compile(r"\d\.\d{4}")
ANSWERS = (RIGHT_ANSWERS, UNSCALED, SWAPPED, {"S": RIGHT_ANSWERS["S"]}, {},
           RIGHT_ANSWERS | {"A": [["0.39", "0.20", "0.40"], ["0.40", "0.40", "0.20"]]},
           RIGHT_ANSWERS | {"Z": [["3.00", "4.00"], ["2.58", "3.58"]]})  # fmt: skip


@pytest.mark.sweep(quick=4)
@pytest.mark.parametrize("method", ["3/4", "7/9", "1/3"])
@pytest.mark.parametrize("step", [None, "1/2", "0.25", "1", "2/3", "5"])
def test_points_are_rounded_last_and_stated(problem, tmp_path, method, step):
    rounding = f", round: {step}" * bool(step)
    problem.write_text(PROBLEM + f"rubric: {{method: {method}{rounding}}}\n")
    scripts = tmp_path / "scripts"
    scripts.mkdir()
    for k, answers in enumerate(ANSWERS):
        (scripts / f"u{k}.yaml").write_text(script(f"u{k}", answers))
    graded = attncalc.grade(problem, scripts, feedback=True)
    lines = {line[0]: line for line in csv.reader(io.StringIO(graded.csv("moodle")))}
    for row in graded.rows:
        total = sum(row.marks.values(), Fraction(0))
        to = Fraction(step or 0)
        wanted = min(Fraction(7), (total / to + Fraction(1, 2)) // 1 * to) if step else total
        assert row.earned == wanted == attncalc.check(attncalc.load(problem), scripts / f"{row.student}.yaml").earned
        page = graded.pages()[f"{row.student}.md"]
        for text in (page, lines[row.student][3]):
            assert (f"to a multiple of {to})" in text) == bool(step and total >= 0)
            assert not FOUR_PLACES.search(text), text
    assert (
        not step
        or f"the points of each script are rounded to a multiple of {Fraction(step)}"
        in grade(problem, scripts, "--report", "-", "-o", tmp_path / "m.csv")[1]
    )


def test_a_sheet_says_how_points_are_rounded(tmp_path):
    (tmp_path / "own.yaml").write_text(PROBLEM + "rubric: {method: 1/2, round: 3}\n")
    stated = {"round: 1/2\n": "1/2", "rubric: {round: 0.5, method: 1/3}\n": "1/2", "": "0"}
    for more, step in stated.items():
        sheet = read_sheet(
            f"seed: 1\n{more}questions:\n- {{problem: own.yaml}}\n- {{problem: own.yaml, rubric: {{method: 1/4}}}}\n"
            "- {problem: look-ahead-mask}\n".encode(), str(tmp_path / "s.yaml")
        )  # fmt: skip
        (variant,) = make_variants_distinct(sheet, sheet.students, [draw_all(sheet, sheet.students[0])])
        drawn = read_problem(variant.problem, "variant", "variant")
        assert drawn.round_to == Fraction(step), more
        assert drawn.parts[1].rubric.method == Fraction(1, 4)


ROWS = {  # of a class table: the cells, the status and the points
    "there": ("1,0,1,1,1,0", "graded", "2"),
    "mistaken": ("1,0,1,1,1,7", "graded", "1.5"),
    "untouched": (",,,,,", "absent", ""),
    "blanks": (" , ,,_,,", "absent", ""),
    "typed": ("absent,,,,,", "absent", ""),
    "german": (",,,Abwesend,,", "absent", ""),
    "excused": (",,Excused,,,", "excused", ""),
    "entschuldigt": ("entschuldigt,,,,,absent", "excused", ""),
    "unreadable": ("1,0,1,1,1,?x", "look", None),
    "doubtful": ("absent,0,1,1,1,0", "look", None),
    "lost": (",,,,,?x", "not graded", ""),
}
HEADER = 'student,"S[0,0]","S[0,1]","S[0,2]","S[1,0]","S[1,1]","S[1,2]"'


@pytest.mark.parametrize("zero", [False, True])
def test_absent_is_not_zero_unless_the_instructor_says_so(problem, tmp_path, zero):
    """An absent student is listed everywhere, marked nowhere, and in no figure; a doubtful row is held back."""
    problem.write_text(PROBLEM.replace("asked: [S, A, Z]", "asked: [S]").replace(", A: 3, Z: 2", ""))
    path = tmp_path / "class.csv"
    path.write_text("\n".join([HEADER, *(f"{who},{cells}" for who, (cells, _, _) in ROWS.items())]) + "\n")
    policy = ["--absent", "zero"] if zero else []
    _, out, err = grade(problem, path, *policy, "--feedback", tmp_path / "fb", "--scale", scale_file(tmp_path))
    rows = {row["student"]: row for row in table(out)}
    assert {who: row["status"] for who, row in rows.items()} == {who: status for who, (_, status, _) in ROWS.items()}
    for who, (_, status, marks) in ROWS.items():
        is_zero = zero and status == "absent"
        assert marks is None or rows[who]["marks"] == ("0" if is_zero else marks), who
        assert marks is None or rows[who]["grade"] == ("F" if is_zero else "" if not marks else rows[who]["grade"])
        page = (tmp_path / "fb" / f"{who}.md").read_text()
        assert (status.capitalize() in page) == (status in ("absent", "excused")), who
    away = "untouched, blanks, typed, german"
    assert f"4 students are absent{', and have 0 points' * zero}: {away}" in err
    assert "2 students are excused: excused, entschuldigt" in err
    report = json.loads(grade(problem, path, *policy, "--report", tmp_path / "r.json", "-o", tmp_path / "m.csv")[1] or
                        (tmp_path / "r.json").read_text())  # fmt: skip
    assert (report["scripts"], report["not_graded"], report["absent"]) == (5, 1, 6)
    exported = {"graded", *["absent"] * zero}
    for look in (False, True):
        for system in ("moodle", "canvas", "gradescope"):
            _, out, err = grade(problem, path, *policy, "--for", system, *["--with-look"] * look)
            names = {row[0] for row in csv.reader(io.StringIO(out))} & {*ROWS}
            wanted = {who for who, (_, status, _) in ROWS.items() if status in exported or look and status == "look"}
            assert names == wanted, (system, look)
            assert ("a person should check it first" in err) == (not look)


@pytest.mark.parametrize("system", ["moodle", "canvas", "gradescope"])
@pytest.mark.parametrize("other", ["ann", "Ann", "bob"])
def test_law_an_export_has_each_student_once(problem, tmp_path, system, other):
    head = ",".join(["student", *(f'"Z[{i},{j}]"' for i in range(2) for j in range(2))])
    (tmp_path / "c.csv").write_text(f"{head}\nann,3.01,4.01,2.6,3.6\neve,3.01,4.01,2.6,3.6\n{other},3,4,2,3\n")
    for look in ((), ("--with-look",)):
        _, out, err = grade(problem, tmp_path / "c.csv", "--for", system, *look)
        names = [
            row[0].casefold() for row in csv.reader(io.StringIO(out)) if row and row[0] in ("ann", "Ann", "bob", "eve")
        ]
        assert len(names) == len({*names}), out
        assert ("ann" in names) == (other == "bob"), "none of two scripts"
        assert ("keep one of them" in err) == (other != "bob")


def scale_file(folder):
    (folder / "scale.yaml").write_text("scale: {A: 90 %, F: 0}\n")
    return folder / "scale.yaml"


@pytest.mark.parametrize("who", ["s-2", "Ada", "STRASSE"])
def test_who_has_answers_elsewhere_or_points_by_hand_is_not_absent(problem, tmp_path, who):
    full = ",".join(cell for rows in RIGHT_ANSWERS.values() for row in rows for cell in row)
    head = ",".join(["student", *(f'"{step}[{i},{j}]"' for step, rows in RIGHT_ANSWERS.items()
                                  for i, row in enumerate(rows) for j, _ in enumerate(row))])  # fmt: skip
    (tmp_path / "class.csv").write_text(f"{head}\ns-1,{full}\ns-1{',' * 16}\n{who}{',' * 16}\ns-3{',' * 16}\n")
    (tmp_path / "o.csv").write_text(f"student,step,marks\n{who},A,1\n")
    code, out, err = grade(problem, tmp_path / "class.csv", "--overrides", tmp_path / "o.csv", "--absent", "zero")
    found = [(row["student"], row["status"], row["marks"]) for row in table(out)]
    assert found == [("s-1", "graded", "7"), ("s-1", "absent", ""), (who, "graded", "1"), ("s-3", "absent", "0")]
    assert code == 0 and "several scripts" not in err


@pytest.mark.parametrize("typed", [
    {"S": [["1", "0", "1"], ["1", "1", "7"]]}, {"S": RIGHT_ANSWERS["S"]}, UNSCALED, RIGHT_ANSWERS,
    RIGHT_ANSWERS | {"A": [["0.4", "0.2", "0.4"], ["0.4", "0.4", "0.2"]]}, {"A": UNSCALED["A"]},
    RIGHT_ANSWERS | {"Z": [["3.01", "4.00"], ["2.59", "3.60"]]}, SWAPPED,
])  # fmt: skip
def test_one_line_of_feedback_gives_the_reason_of_every_lost_point(problem, tmp_path, typed):
    (tmp_path / "a.yaml").write_text(script("a", typed))
    row = table(grade(problem, tmp_path / "a.yaml")[1])[0]
    line = list(csv.reader(io.StringIO(grade(problem, tmp_path / "a.yaml", "--for", "moodle", "--with-look")[1])))[1][3]
    groups = re.findall(r"((?:[SAZ], )*(?:[SAZ] and )?[SAZ]): ([\d.]+) of ([\d.]+) \(([^()]+)\)", line)
    named = [step for steps, _, _, _ in groups for step in re.findall("[SAZ]", steps)]
    worth = {"S": 2, "A": 3, "Z": 2}
    assert named == [step for step, most in worth.items() if Fraction(row[step]) < most]
    lost = sum(Fraction(most) - Fraction(earned) for _, earned, most, _ in groups)
    assert lost == Fraction(row["out_of"]) - Fraction(row["marks"])


@pytest.mark.sweep(quick=0)
@pytest.mark.parametrize("form, ending", [("markdown", "md"), ("html", "html"), ("pdf", "pdf")])
def test_pages_of_every_form_one_for_each_student_or_one_for_all(problem, folder, tmp_path, form, ending):
    """Each says whose it is and what a person changed; from one process or two the same."""
    (tmp_path / "o.csv").write_text("student,step,marks,reason\ns-2,A,2.5,unclear slide\n")
    (folder / "p.yaml").write_bytes(b"\0\1")
    for k in range(20):
        (folder / f"u{k:02}.yaml").write_text(script(f"u-{k}", RIGHT_ANSWERS)) if form != "pdf" else None
    arguments = [problem, folder, "--overrides", tmp_path / "o.csv"]
    grade(*arguments, "--feedback", tmp_path / "fb", "--to", form)
    found = {path.name: path.read_bytes() for path in (tmp_path / "fb").iterdir()}
    assert {f"s-1.{ending}", f"s-2.{ending}", f"c.{ending}", f"p.{ending}"} <= {*found} and not any(
        name.startswith(".") for name in found
    )
    whole = []
    for jobs in (1, 2):
        grade(*arguments, "--feedback", tmp_path / f"all.{ending}", "--jobs", jobs, "--force")
        whole.append((tmp_path / f"all.{ending}").read_bytes())
    assert whole[0] == whole[1]
    if form == "pdf":
        assert all(page.startswith(b"%PDF") for page in (*found.values(), whole[0]))
        return
    assert b"unclear slide" in found[f"s-2.{ending}"] and b"unclear slide" not in found[f"s-1.{ending}"]
    assert b"could not be read" in found[f"p.{ending}"]
    for said in (b"s-1: One head", b"s-2: One head", b"unclear slide", b"could not be read"):
        assert said in whole[0]


def test_what_cannot_be_a_page_for_all(problem, folder, tmp_path):
    (tmp_path / "all.pdf").write_text("mine")
    for arguments, said in (
        (["--to", "pdf"], "--to works only with --feedback"),
        (["--feedback", tmp_path / "all.html", "--to", "pdf"], "has a different file extension;"),
        (["--feedback", tmp_path / "all.pdf"], "--force to overwrite it"),
    ):
        code, out, err = grade(problem, folder, *arguments)
        assert (code, out) == (2, "") and said in err
    assert (tmp_path / "all.pdf").read_text() == "mine"


def test_pages_are_there_all_or_none(problem, folder, tmp_path, monkeypatch):
    """A class that is interrupted leaves no page behind, and those of an earlier time as they were."""
    grade(problem, folder, "--feedback", tmp_path / "fb")
    before = {path.name: path.read_bytes() for path in (tmp_path / "fb").iterdir()}
    (folder / "b.yaml").write_text(script("s-2", RIGHT_ANSWERS))
    monkeypatch.setattr("attncalc.gradebook.grade.mark_duplicates", lambda *_: 1 / 0)
    assert grade(problem, folder, "--feedback", tmp_path / "fb", "--force")[0] not in (0, 1)
    assert {path.name: path.read_bytes() for path in (tmp_path / "fb").iterdir()} == before


def test_a_step_that_a_person_grants_is_no_error_any_more(problem, folder, tmp_path):
    page, line, row = page_of(problem, folder, "s-2,A,3,slides differ\n", "s-2", tmp_path)
    assert (row["marks"], row["first_wrong"], row["codes"]) == ("7", "", "") and "first error" not in page
    assert "accepted by your instructor" in page and "3 of 3 (slides differ)" in page
    assert line.startswith("7 of 7 points. No step is wrong. Points changed by your instructor")


def test_a_blank_script_says_that_it_is_blank(problem, folder, tmp_path):
    (folder / "d.yaml").write_text("student: d\nanswers: {}\n")
    (folder / "e.yaml").write_text(PARTLY["an entry"][0].replace("s-7", "e"))
    (folder / "f.yaml").write_text('student: f\nanswers: {S: [[1, 0, 1], [1, 1, 0]], A: "[[0.5"}\n')
    rows = list(csv.reader(io.StringIO(grade(problem, folder, "--for", "moodle", "--with-look")[1])))
    lines = {row[0]: row[3] for row in rows[1:]}
    assert lines["d"] == "0 of 7 points. The script is blank: no step is answered."
    assert lines["e"].startswith(
        "6.5 of 7 points. No mistake was found in the steps that could be read. A could not be read: expected a number"
    )
    assert lines["e"].endswith("A: 2.5 of 3 (5 of 6 entries are answered).")
    assert lines["c"] == "2 of 7 points. No step is wrong. 2 steps are not answered. A and Z: 0 of 5 (not answered)."
    assert lines["f"].startswith(
        "2 of 7 points. No mistake was found in the steps that could be read. 1 step is not answered. A could not be read: "
    )


def test_a_script_that_a_person_marked_whole_is_graded(problem, tmp_path):
    (tmp_path / "p.yaml").write_bytes(b"\0\1")
    page, line, row = page_of(problem, tmp_path / "p.yaml", "p,S,2,on paper\np,A,1,on paper\np,Z,2,\n", "p", tmp_path)
    assert (row["status"], row["marks"], row["out_of"], row["first_wrong"]) == (
        "graded",
        "5",
        "7",
        "A",
    ) and "could not be read" in row["remarks"]
    assert line.startswith("5 of 7 points. ") and "set by hand: on paper" in line and "set by hand: on paper" in page


@pytest.mark.parametrize("codes, out_of", [(["K7Q2"], "7"), (["K7Q2", "M3XX"], "")])
def test_an_override_for_a_paper_that_nobody_knows(tmp_path, codes, out_of):
    """It is worth what the key's only variant is; of several nothing is known."""
    variants = [{"code": code, "problem": PROBLEM} for code in codes]
    (tmp_path / "key.json").write_text(json.dumps({"format": 1, "kind": "attncalc key", "variants": variants}))
    (tmp_path / "eve.yaml").write_text(script("eve", RIGHT_ANSWERS, "ZZZZ"))
    (tmp_path / "o.csv").write_text("student,step,marks\neve,A,1\n")
    code, out, _ = grade(tmp_path / "key.json", tmp_path / "eve.yaml", "--overrides", tmp_path / "o.csv")
    assert code == 1 and [(row["status"], row["out_of"]) for row in table(out)] == [("not graded", out_of)]


def test_an_override_above_what_a_variant_is_worth_is_told(tmp_path):
    variants = [
        {"code": code, "problem": PROBLEM.replace("A: 3", f"A: {most}")} for code, most in (("K7Q2", 3), ("M3XX", 1))
    ]
    (tmp_path / "key.json").write_text(json.dumps({"format": 1, "kind": "attncalc key", "variants": variants}))
    for code in ("K7Q2", "M3XX"):
        (tmp_path / f"{code}.yaml").write_text(script(code, UNSCALED, code))
    (tmp_path / "o.csv").write_text("student,step,marks\nK7Q2,A,3\nM3XX,A,3\n")
    code, out, _ = grade(
        tmp_path / "key.json", tmp_path / "K7Q2.yaml", tmp_path / "M3XX.yaml", "--overrides", tmp_path / "o.csv"
    )
    assert code == 1 and [(row["marks"], row["out_of"], row["status"]) for row in table(out)] == [
        ("7", "7", "graded"),
        ("4", "5", "look"),
    ]
    assert "o.csv:3:6 is ignored: the step is worth 1 here" in table(out)[1]["remarks"]


def test_marks_by_hand_of_an_unreadable_script_without_its_code_wait_for_the_code(tmp_path):
    variants = [
        {"code": code, "problem": PROBLEM.replace("A: 3", f"A: {most}")} for code, most in (("K7Q2", 3), ("M3XX", 1))
    ]
    (tmp_path / "o.csv").write_text("student,step,marks\np,S,2\np,A,1\np,Z,2\n")
    (tmp_path / "p.yaml").write_bytes(b"\0\1")
    for known in (variants, variants[:1]):
        (tmp_path / "key.json").write_text(json.dumps({"format": 1, "kind": "attncalc key", "variants": known}))
        row = table(grade(tmp_path / "key.json", tmp_path / "p.yaml", "--overrides", tmp_path / "o.csv")[1])[0]
        is_known = len(known) == 1  # what a step is worth, when there is but one paper
        assert (row["status"], row["marks"], row["out_of"]) == (
            ("graded", "5", "7") if is_known else ("not graded", "", "")
        )


@pytest.mark.sweep(quick=2)
@pytest.mark.parametrize(
    "text, said",
    [
        ("student,step,marks\ns-1,B,1\n", "o.csv:2:5: no step is called 'B'; the steps with points are S, A, Z"),
        (
            "student,step,marks\ns-1,S_scaled,1\n",
            "o.csv:2:5: S_scaled has no points; the steps with points are S, A, Z",
        ),
        ("student,step,marks\ns-1,ZZ,1\n", "o.csv:2:5: no step is called 'ZZ'; did you mean Z?\n"),
        ("student,step,marks\ns-1,A,4\n", "o.csv:2:7: expected points from 0 to 3, found '4'"),
        ("student,step,marks\ns-1,A,-1\n", "expected points from 0 to 3"),
        ("student,step,marks\ns-1,A,1e9\n", "expected points from 0 to 3"),
        ("student,step\ns-1,A\n", "there is no marks"),
        ("student,step,marks\n,A,1\n", "found no student"),
        ("student,step,marks\ns-1,A,1\ns-1,A,2\n", "twice"),
        ("student,step,marks\ns-1,A,1\nS-1,A,2\n", "twice"),
    ],
)
def test_overrides_that_are_none(problem, folder, tmp_path, monkeypatch, text, said):
    (tmp_path / "o.csv").write_text(text)
    code, out, err = grade(problem, folder, "--overrides", tmp_path / "o.csv")
    assert (code, out) == (2, "") and said in err


@pytest.mark.parametrize("text", ["student,step,marks\ns-1,A,2.5\n", 'student,step,marks\ns-1,A,"2,5"\n',
                                  "student;step;marks\ns-1;A;2,5\n", "student\tstep\tmarks\ns-1\tA\t5/2\n"])  # fmt: skip
def test_marks_of_overrides_are_read_as_a_spreadsheet_writes_them(problem, folder, tmp_path, text):
    (tmp_path / "o.csv").write_text(text)
    out = grade(problem, folder, "--overrides", tmp_path / "o.csv")[1]
    assert next(row["A"] for row in table(out) if row["student"] == "s-1") == "2.5"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252", "xlsx"])
def test_overrides_are_read_from_any_spreadsheet_as_rosters_are(problem, folder, tmp_path, encoding):
    lines = [["student", "step", "marks", "reason"], ["s-1", "A", "2,5", "für später, größtenteils"]]
    path = tmp_path / ("o.xlsx" if encoding == "xlsx" else "o.csv")
    if encoding == "xlsx":
        book = openpyxl.Workbook()
        book.active.append(lines[0])
        book.active.append([*lines[1][:2], 2.5, lines[1][3]])
        book.save(path)
    else:
        path.write_bytes("\n".join(map(";".join, lines)).encode(encoding))
    code, out, _ = grade(problem, folder, "--overrides", path)
    found = next(row for row in table(out) if row["student"] == "s-1")
    assert code == 0 and found["A"] == "2.5" and lines[1][3] in found["remarks"]
    code, out, _ = called("compare", path, path)
    assert code == 0 and "1 of 1 mark" in out


# -- course systems ----------------------------------------------------------------------------------------------------


@pytest.mark.sweep(quick=1)
def test_columns_of_course_systems(problem, folder):
    (folder / "d.yaml").write_text(script("dan@example.org", RIGHT_ANSWERS))
    moodle, canvas, gradescope = (
        list(csv.reader(io.StringIO(grade(problem, folder, "--for", name)[1])))
        for name in ("moodle", "canvas", "gradescope")
    )
    assert moodle[0] == ["ID number", "Email address", "One head", "One head (feedback)"]
    assert moodle[2] == [
        "s-2",
        "",
        "4",
        "4 of 7 points. The first error is in A. A: 0 of 3 (error: "
        "it looks as if you did not divide the scores by the scale).",
    ]
    assert moodle[4][:3] == ["", "dan@example.org", "7"]
    assert canvas[:2] == [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "One head"],
        ["Points Possible", "", "", "", "", "7"],
    ]
    assert canvas[2] == ["s-1", "", "s-1", "", "", "7"] and canvas[5][3] == "dan@example.org"
    assert gradescope[0] == [
        "SID",
        "Email",
        *(f"One head{end}" for end in ("", " - Max Points", " - Submission Time", " - Lateness (H:M:S)")),
    ]
    assert gradescope[1] == ["s-1", "", "7", "7", "", ""]


@pytest.mark.parametrize("students, mails", [
    (("s-1", "dan@example.org"), "1 student with a number and 1 student with an email address (dan@example.org)"),
    (("s-1", "s-2", "dan@example.org", "eve@example.org"),
     "2 students with a number and 2 students with an email address (dan@example.org ...)"),
    (("s-1", "s-2"), ""),
    (("dan@example.org", "@handle", "eve@example.org"), "1 student with a number and 2 students with an email address"),
    (("dan@example.org", "eve@example.org"), ""),
])  # fmt: skip
def test_two_kinds_of_students_are_two_files_for_moodle(problem, tmp_path, students, mails):
    """Moodle stops the whole import at the first student whom it does not know."""
    scripts = tmp_path / "scripts"
    scripts.mkdir()
    for k, student in enumerate(students):
        (scripts / f"{k}.yaml").write_text(script(student, RIGHT_ANSWERS))
    code, out, err = grade(problem, scripts, "--for", "moodle")
    assert (code, len(out.splitlines())) == (0, len(students) + 1)
    assert (mails in err and "make two files," in err) if mails else err == ""
    assert grade(problem, scripts, "--for", "canvas")[2] == ""


# -- figures -----------------------------------------------------------------------------------------------------------


def rows_of(marks, broke):
    return [
        GradedScript(
            f"s{k}",
            "f",
            "",
            {"A": Fraction(a), "B": Fraction(b)},
            {"A": Fraction(1), "B": Fraction(2)},
            {"A": "right"},
            end,
        )
        for k, ((a, b), end) in enumerate(zip(marks, broke))
    ]


def test_facility_and_discrimination_by_hand():
    rows = rows_of([(1, 2), (1, 2), (0, 1), (0, 0), (1, 1), (0, 2)], ["", "", "A", "A", "B", "A"])
    found = figures(rows, ["A", "B"], "t")
    assert [one.facility for one in found.steps] == [0.5, pytest.approx(8 / 12)]
    assert found.steps[0].discrimination == pytest.approx(
        statistics.correlation([1, 1, 0, 0, 1, 0], [2, 2, 1, 0, 1, 2])
    )
    assert found.mean == pytest.approx(statistics.mean([1, 1, 1 / 3, 0, 2 / 3, 2 / 3]))
    assert found.median == pytest.approx(2 / 3)


SHARES = st.lists(st.tuples(*[st.fractions(0, 1, max_denominator=40)] * 2), min_size=5, max_size=30)


@given(SHARES)
def test_a_correlation_is_that_of_floats_symmetric_and_between_minus_one_and_one(pairs):
    xs, ys = map(list, zip(*pairs))
    found = correlation(xs, ys)
    if found is None:
        assert len({*xs}) == 1 or len({*ys}) == 1
    else:
        assert -1 <= found <= 1 and found == correlation(ys, xs)
        assert float(found) == pytest.approx(statistics.correlation([*map(float, xs)], [*map(float, ys)]), abs=1e-6)


@given(SHARES)
def test_a_deviation_is_that_of_floats(pairs):
    xs = [x for x, _ in pairs]
    assert float(deviation(xs)) == pytest.approx(statistics.stdev(map(float, xs)), abs=1e-9)


@given(st.fractions(-3, 3, max_denominator=400), st.integers(0, 3))
def test_decimals_for_people_are_rounded_exactly_and_halves_away_from_zero(x, places):
    oracle = decimals.Decimal(x.numerator) / x.denominator
    unit = decimals.Decimal(1).scaleb(-places)
    expected = oracle.quantize(unit, decimals.ROUND_HALF_UP) + 0
    assert decimal(x, places) == f"{abs(expected) if expected == 0 else expected:f}".replace("-", "−")


@pytest.mark.parametrize(("ones", "said"), [(1, "13 %"), (3, "38 %"), (5, "63 %")])
def test_a_half_percent_is_rounded_up_and_not_to_even(ones, said):
    """12.5, 37.5 and 62.5 are exact in floats too, whose format makes 12 and 62 of them."""
    rows = rows_of([(one < ones, 2 * (one < ones)) for one in range(8)], [""] * 8)
    assert f"mean {said}, median" in " ".join(summary(figures(rows, ["A", "B"], "t")))


@given(st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 12)))
def test_small_counts_are_hidden_and_their_sum_does_not_tell_them(counts):
    shown = hidden(counts)
    assert all(shown[name] is None for name, count in counts.items() if 0 < count < LEAST)
    gone = [name for name, count in shown.items() if count is None]
    assert len(gone) != 1 or sum(counts.values()) == counts[gone[0]]
    assert all(count is None or count == counts[name] for name, count in shown.items())


def test_a_class_of_four_has_no_figures():
    found = figures(rows_of([(1, 2)] * 4, [""] * 4), ["A", "B"], "t")
    assert found.mean is None and found.steps[0].facility is None and found.ends == {RIGHT: None}


@pytest.mark.sweep(quick=0)
def test_reports_in_every_form(problem, folder, tmp_path):
    for k in range(6):
        (folder / f"u{k}.yaml").write_text(script(f"u-{k}", UNSCALED))
        (folder / f"v{k}.yaml").write_text(script(f"v-{k}", RIGHT_ANSWERS))
    (problem.parent / "one-head.yaml").write_text(PROBLEM.replace("One head", "'<script>alert(1)</script>'"))
    for ending in ("json", "html", "txt", "md", "tex", "typ", "pdf"):
        assert grade(problem, folder, "-o", tmp_path / f"{ending}.csv", "--report", tmp_path / f"r.{ending}")[0] == 0
    data = json.loads((tmp_path / "r.json").read_text())
    assert [(one["step"], one["first_wrong"]) for one in data["steps"]] == [("S", 0), ("A", 7), ("Z", 0)]
    assert [
        one["scripts"]
        for one in data["mistakes"]
        if "scale-forgotten" in one["codes"] or "softmax-of-unscaled" in one["codes"]
    ] == [7]
    assert all(one["facility"] == round(one["facility"], 2) for one in data["steps"])
    page = (tmp_path / "r.html").read_text()
    assert "<script>" not in page and "&lt;script&gt;" in page and re.search("<td[^>]*>7</td>", page)
    assert (tmp_path / "r.pdf").read_bytes().startswith(b"%PDF")
    assert all("first error here" in (tmp_path / f"r.{ending}").read_text() for ending in ("md", "tex", "typ"))
    assert "first error here" in (tmp_path / "r.txt").read_text()
    assert "first error here" in grade(problem, folder, "-o", tmp_path / "again.csv")[1]


@given(st.fractions(0, 1000))
def test_points_are_rounded_half_up(x):
    assert abs(Fraction(points(x)) - x) <= Fraction(1, 20_000)


# -- files -------------------------------------------------------------------------------------------------------------


def test_nothing_is_replaced_without_force(problem, folder, tmp_path):
    (tmp_path / "fb").mkdir()
    (tmp_path / "fb" / "mine.txt").write_text("mine")
    for name in ("m.csv", "r.json"):
        (tmp_path / name).write_text("mine")
    arguments = [
        problem,
        folder,
        "-o",
        tmp_path / "m.csv",
        "--report",
        tmp_path / "r.json",
        "--feedback",
        tmp_path / "fb",
    ]
    code, out, err = grade(*arguments)
    assert (code, out) == (2, "") and len(err.splitlines()) == 3
    assert [(tmp_path / name).read_text() for name in ("m.csv", "r.json")] == ["mine"] * 2 and os.listdir(
        tmp_path / "fb"
    ) == ["mine.txt"]
    assert grade(*arguments, "--force")[0] == 0
    assert (tmp_path / "fb" / "mine.txt").read_text() == "mine" and (tmp_path / "fb" / "s-1.md").exists()


@pytest.mark.sweep(quick=0)
def test_the_papers_of_an_exam_are_no_scripts(tmp_path):
    (tmp_path / "s.yaml").write_text("questions: [{problem: look-ahead-mask}]\n")
    command = [sys.executable, "-m", "attncalc", "exam", tmp_path / "s.yaml", "-o", tmp_path / "out", "--to", "latex"]
    subprocess.run(command, check=True, capture_output=True)
    code = json.loads((tmp_path / "out/key.json").read_text())["variants"][0]["code"]
    (tmp_path / "out" / "ada.yaml").write_text(
        f"problem: {code}\nanswers: {{q1: {{A: [[1, 0, 0, 0], [_, _, _, _], [_, _, _, _], [_, _, _, _]]}}}}\n"
    )
    _, out, err = grade(tmp_path / "out/key.json", tmp_path / "out")
    assert err == "" and [row["student"] for row in table(out)] == ["ada"]


def test_its_own_tables_are_no_scripts(problem, folder, tmp_path):
    """In the folder of the class there may be its marks and saved progress, in every form in which they are written."""
    for more in ([], ["--for", "moodle"], ["--for", "canvas"], ["--for", "gradescope"]):
        arguments = [problem, folder, "-o", folder / "marks.csv", "--resume", folder / "progress.jsonl", *more]
        assert grade(*arguments, "--report", tmp_path / "r.json", "--force")[0] == 0
        first = (folder / "marks.csv").read_bytes()
        assert grade(*arguments, "--force")[0] == 0 and (folder / "marks.csv").read_bytes() == first
        assert json.loads((tmp_path / "r.json").read_text())["scripts"] == len(list(folder.glob("*.yaml")))


@pytest.mark.parametrize(
    "first", ["SID,Email", "ID number,Email address", "Student,ID,SIS User ID,SIS Login ID,Section"]
)
def test_a_class_table_with_the_columns_of_a_course_system_is_a_script(problem, tmp_path, first):
    """Its first columns may be those of a course system; its header is not that of marks."""
    (tmp_path / "class").mkdir()
    answers = tmp_path / "class" / "c.csv"
    answers.write_text(f'{first},"Z[1,1]","Z[1,2]"\ns-1{"," * first.count(",")},1,2\n')
    (tmp_path / "class" / "long.txt").write_text("x" * 140_000)
    for target in (answers, tmp_path / "class" / "long.txt"):
        before = target.read_bytes()
        code, _, err = grade(problem, tmp_path / "class", "-o", target, "--force")
        assert code == 2 and "internal error" not in err and target.read_bytes() == before


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["nowhere"], "nowhere: expected scripts; no such file or folder"),
        (["*.nothing"], "expected scripts"),
        (["--report", "x.doc", "."], f"--report: expected one of .json, {', '.join(PAGES.values())}, found .doc"),
        (["--report", "-", "."], "add -o FILE"),
        (["--for", "moddle", "."], "did you mean moodle?"),
    ],
)
def test_a_command_that_cannot_be_done(problem, arguments, said):
    code, out, err = grade(problem, *arguments)
    assert (code, out) == (2, "") and said in err and "Traceback" not in err


def test_the_key_and_what_is_written_beside_it_are_no_scripts(problem):
    """The list of the papers, given by mistake, was answered with `expected scripts, found none`."""
    code, out, err = grade(problem, problem)
    assert (code, out) == (2, "") and err.startswith(
        f"{problem}: found only files that attncalc wrote, but no answer file"
    )
    assert "attncalc answers KEY -o class.xlsx" in err


def test_a_folder_of_nothing(problem, tmp_path):
    (tmp_path / "none").mkdir()
    with pytest.raises(AttncalcError, match="the folder contains no files"):
        collect([str(tmp_path / "none")])


@pytest.mark.parametrize("bad, exit_code, why", [
    ("empty", 1, "the folder contains no files"), ("s.docx", 1, "the folder contains no files"), ("missing.md", 2, "no such file"),
    ("[x]*.md", 2, "no such file"), ("scripts/empty", 1, "the folder contains no files"), ("scripts/s.docx", 1, "no files"),
])  # fmt: skip
@pytest.mark.parametrize("is_inside", [False, True])
def test_an_argument_without_scripts_costs_itself_alone(bad, exit_code, why, is_inside, problem, folder, monkeypatch):
    monkeypatch.chdir(folder.parent)
    if exit_code == 1:
        (folder.parent / bad).mkdir()
    given = ["scripts"] if bad.startswith("scripts") and is_inside else ["scripts/*", bad]
    code, out, err = grade(problem, *given)
    rows = {row["file"]: row for row in table(out)}
    assert code == exit_code and f"{bad}: " in err and len(rows) == 4
    assert rows[bad]["status"] == "not graded" and why in rows[bad]["remarks"]
    assert rows["scripts/a.yaml"]["status"] == "graded"


@pytest.mark.sweep(quick=0)
@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_no_process_outlives_a_run_that_is_ended(number, problem, tmp_path):
    """Who reads what a run writes comes to an end: nobody holds the pipe any more."""
    scripts = tmp_path / "many"
    scripts.mkdir()
    for k in range(4_000):  # as many as cannot be graded before the run is ended
        (scripts / f"{k}.yaml").write_text(script(f"s-{k}", UNSCALED))
    command = [sys.executable, "-m", "attncalc", "grade", str(problem), str(scripts), "--jobs", "2"]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    time.sleep(2)  # the others have started
    assert run.poll() is None
    os.kill(run.pid, number)
    run.communicate(timeout=60)
    assert run.returncode == (143 if number == signal.SIGTERM else -signal.SIGKILL)


@given(st.text(st.one_of(st.sampled_from(" ,:#'\"\\[]{}é\ue000\u2028"), st.characters()), max_size=12))
def test_the_title_of_a_paper_is_the_one_that_yaml_reads(title):
    text = f'title: "{title}"\nask: x\n'
    first, _, rest = text.partition("\n")
    try:
        tree = read_yaml(first, "")
        read = tree.get("title").text if {*tree.pairs} >= {"title"} else ""
    except AttncalcError:
        read = ""
    assert split_title(text) == ((read, rest) if read else ("", text))


NORM = "given: {X: [[1, 3, 5, -1], [2, 2, 0, 4]], gamma: [2, 1, 1, 3], beta: [0, 1, -1, 2]}\nlayer_norm: {eps: 0}\n"
NORMED = [["-0.45", "0.45", "1.34", "-1.34"], ["0.00", "0.00", "-1.41", "1.41"]]


def test_two_mistakes_at_once_are_no_alternatives(tmp_path):
    """Table and report joined the codes of two mistakes as if only one of them was made."""
    (tmp_path / "norm.yaml").write_text("rounding: {digits: 2}\n" + NORM)
    scripts = tmp_path / "scripts"
    scripts.mkdir()
    for k in range(6):
        (scripts / f"s-{k}.yaml").write_text(script(f"s-{k}", {"normed": NORMED, "Y": NORMED}))
    code, out, err = grade(tmp_path / "norm.yaml", scripts, "--report", tmp_path / "class.json")
    assert code == 0, err
    assert {row["codes"] for row in table(out)} == {"Y: beta-forgotten + gamma-forgotten"}
    (mistake,) = json.loads((tmp_path / "class.json").read_text())["mistakes"]
    assert (mistake["codes"], mistake["together"]) == (["beta-forgotten", "gamma-forgotten"], True)
    code, out, _ = called("check", tmp_path / "norm.yaml", scripts / "s-0.yaml", "--to", "json")
    steps = {step["name"]: step for part in json.loads(out)["parts"] for step in part["steps"]}
    assert steps["Y"]["together"] and not steps["normed"]["together"]


HEAD = 'student,"S[0,0]","S[0,1]"'
FOOTERS = ("mean", "Mean", "Average", "MEDIAN", "total", "Mittelwert", "Durchschnitt", "Summe", "moyenne", "std. dev.")


@pytest.mark.parametrize("footer", FOOTERS)
@pytest.mark.parametrize("at", [1, 2, 3])
def test_law_a_line_of_averages_in_a_table_of_a_class_is_no_student(tmp_path, footer, at):
    (tmp_path / "p.yaml").write_text("given: {X: [[1, 2]]}\nsteps: {S: X * 2}\n")
    lines = [HEAD, "s1,2,4", "s2,2,4"]
    lines.insert(at, f"{footer},2,4")
    (tmp_path / "c.csv").write_text("\n".join(lines) + "\n")
    _, out, err = grade(tmp_path / "p.yaml", tmp_path / "c.csv")
    assert [(row["student"], row["marks"], row["status"]) for row in table(out)] == [
        ("s1", "1", "graded"),
        ("s2", "1", "graded"),
    ]
    assert f"c.csv:{at + 1}:1: expected a student, found {footer!r}; this line is ignored" in err


@pytest.mark.parametrize("head", ["S[9,9]", "S[0,2]", "S[1,0]", "S[ 1 , 0 ]"])
def test_law_a_column_of_an_entry_that_a_step_lacks_costs_nobody_points_and_is_reported(tmp_path, head):
    (tmp_path / "p.yaml").write_text("given: {X: [[1, 2]]}\nsteps: {S: X * 2}\n")
    (tmp_path / "c.csv").write_text(f'{HEAD},"{head}"\ns1,2,4,7\ns2,2,4,\n')
    code, out, err = grade(tmp_path / "p.yaml", tmp_path / "c.csv")
    assert [(row["marks"], row["status"]) for row in table(out)] == [("1", "look"), ("1", "graded")]
    assert code == 1 and f"c.csv:1:{len(HEAD) + 3}: S has 1 × 2 entries, found {head}" in err


@for_each(("names", "sentence"), [
    (["the file"], "The file"), (["S"], "S"), (["the file", "S"], "S"), (["c", "the file", "S"], "c and S"), (["A", "B", "C"], "A, B and C"),
])  # fmt: skip
def test_the_sentence_on_what_could_not_be_read_has_a_subject(names, sentence):
    assert report_messages.unread_sentence(names) == f"{sentence} could not be read completely."


@pytest.mark.parametrize("wrong", ["m = 0.9", ""])
@pytest.mark.parametrize(
    "left", ["=> 0.4286", "I think it is 0.4286", "result = 0.4286", "Answer: 0.4286", "0.4286 (m)"]
)
def test_numbers_that_are_not_read_are_looked_at_if_points_are_lost(tmp_path, wrong, left):
    """A script with all its points may contain any working."""
    (tmp_path / "p.yaml").write_text("given: {u: [1, 2]}\nsteps: {m: sum(u) / 7, h: sum(u) * 7}\n")
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "a.txt").write_text(f"h = 21\n{wrong}\n{left}\n")
    (tmp_path / "scripts" / "b.txt").write_text(f"h = 21\nm = 0.4286\n\n{left.replace('0.4286', '21')}\n")
    rows = {row.student: row for row in attncalc.grade(str(tmp_path / "p.yaml"), [str(tmp_path / "scripts")]).rows}
    assert rows["a"].status == "look" and "a.txt:3" in str(rows["a"].unread) or rows["a"].earned == 2
    assert rows["b"].earned < 2 or rows["b"].status == "graded" or "m" in left


@pytest.mark.parametrize("z, status", [
    ("[[245.5000, -857.5000], [245.0000, -857.5000]]", "look"), ("[[-980, -980], [1470, -735]]", "graded"),
])  # fmt: skip
def test_numbers_that_nothing_refutes_are_looked_at(tmp_path, z, status):
    """√2 that was kept to four decimals may change scores of hundreds of thousands by anything."""
    text = "given: {X: [[14, -28], [42, 21]]}\nself_attention: {X: X, W_Q: X, W_K: X, W_V: X}\n"
    (tmp_path / "p.yaml").write_text(text)
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "a.txt").write_text(f"Z = {z}\n")
    (row,) = attncalc.grade(str(tmp_path / "p.yaml"), [str(tmp_path / "scripts")]).rows
    assert row.status == status and ("Z" in str(row.unread)) == (status == "look")

"""Questions that the instructor writes: in words, ticked, with pictures; what their papers show, what their keys carry,
how they are graded.
"""

from __future__ import annotations

import csv
import io
import itertools
import json
import re
import zipfile
from collections import Counter
from fractions import Fraction

import jsonschema
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from attncalc import AttncalcError, load
from attncalc.exam import typeset
from attncalc.exam.images import figure_files
from attncalc.exam.paper_build import build_paper
from attncalc.exam.sheet.sheet_reader import read_sheet
from attncalc.exam.sheet.sheet_schema import key_schema, sheet_schema
from attncalc.exam.variant_drawing import draw_all, make_variants_distinct
from attncalc.gradebook.instructor_questions import share, ticks
from attncalc.lms.registry import SYSTEMS
from attncalc.render.pdf import by_typst
from attncalc.submissions.answer_file import blank
from tests.support.called import called
from tests.support.laws import examples
from tests.support.sweeps import for_each

SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="80" height="20"><rect width="80" height="20"/></svg>'
SHEET = r"""
title: Own questions
variants: 2
seed: 5
rounding: {digits: 2}
questions:
  - title: Why scale?
    ask: Why are the scores divided by $\sqrt{d_k}$? Answer in **one** sentence.
    free_text: Large scores saturate the softmax.
    points: 3
    hint: Think of the *variance*.
    figure: {file: box.svg, width: 3cm, alt: A box}
  - ask: $X \in \mathbb{R}^{n \times d}$. What is the shape of $Q = X W_Q$?
    choices: [{wrong: $n \times n$, because: That is the shape of $S$.}, {right: $n \times d_k$}, {wrong: $d \times d_k$}]
    points: 2
    shuffle: true
  - ask: Which of these do not depend on the mask?
    choices: [{right: $Q$}, {right: $V$}, {wrong: $A$}]
    points: 2
  - generate: attention
    with: {tokens: 2, d_k: 2}
    choices: 4
    asked: [Z]
    points: 2
  - problem: transformers-transforming-our-lives
    part: cross
    asked: [A]
    points: 4
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("own")
    (found / "box.svg").write_bytes(SVG)
    (found / "sheet.yaml").write_text(SHEET, encoding="utf-8")
    return found


@pytest.fixture(scope="module")
def sheet(folder):
    return read_sheet(SHEET, str(folder / "sheet.yaml"))


@pytest.fixture(scope="module")
def variants(sheet):
    return list(make_variants_distinct(sheet, sheet.students, [draw_all(sheet, student) for student in sheet.students]))


@pytest.fixture(scope="module")
def key(folder):
    assert called("exam", folder / "sheet.yaml", "-o", folder / "out", "--to", "latex")[0] == 0
    return json.loads((folder / "out" / "key.json").read_text(encoding="utf-8"))


@pytest.mark.sweep(quick=0)
def test_the_schema_takes_the_sheet_and_the_key(key):
    jsonschema.validate(yaml.safe_load(SHEET), sheet_schema())
    jsonschema.validate(key, key_schema())


@pytest.mark.sweep(quick=0)
def test_a_key_carries_what_is_ticked_or_marked_by_hand(key):
    for variant in key["variants"]:
        words, shapes, mask, matrices = variant["own"]
        assert [one["name"] for one in variant["own"]] == ["q1", "q2", "q3", "q4"]
        assert words["kind"] == "free_text" and words["points"] == "3"
        texts = {one["letter"]: one["text"] for one in shapes["choices"]}
        assert (
            [texts[letter] for letter in shapes["right"]] == [r"$n \times d_k$"]
            and not shapes["several"]
            and mask["several"]
        )
        assert [one["code"] for one in matrices["choices"] if one["letter"] in matrices["right"]] == [None]
        assert len({json.dumps(one["matrix"]) for one in matrices["choices"]}) == 4 and "q5" in variant["problem"]


@pytest.mark.sweep(quick=1)
@pytest.mark.parametrize("system", SYSTEMS)
def test_an_export_says_which_figure_it_leaves_out(system, key, folder):
    assert all(variant["figures"] == {"q1": "box.svg"} for variant in key["variants"])
    code, _, err = called("export", folder / "out" / "key.json", "--to", system, "-o", folder / system)
    content = (folder / system).read_bytes()
    if content.startswith(b"PK"):
        with zipfile.ZipFile(folder / system) as packed:
            content = packed.read("README.txt")
    said = "q1: its figure box.svg is on paper only"
    assert code == 0 and err.count(said) == 1 and said in content.decode()


def test_a_paper_shows_no_answer_and_its_solution_does(sheet, variants):
    made = [build_paper(sheet, variant) for variant in variants]
    paper = typeset.latex(made[:1], False)
    assert r"\textbf{one}" in paper and r"\option{$\times$}" not in paper
    assert "Large scores saturate" not in paper and "That is the shape" not in paper
    solved = typeset.latex(made[:1], True)
    assert "Large scores saturate" in solved and solved.count(r"\option{$\times$}") == 1 + 2 + 1


OWN_STEPS = """title: Own steps
given: {Q: [[1, 2]], K: [[3, 1], [1, 1]], V: [[1], [2]]}
attention: {}
steps: {half: A / 2, mixed: (half + 1) / 4}
"""


WORDED_STEPS = """title: Own steps in words
given: {Q: [[1, 2]]}
steps:
  half: {formula: Q / 2, means: half of *it*}
  more: half + 1
  mixed: {formula: more / 4, means: "the mixture, 100 %"}
  last: mixed * 2
  x: {formula: last / 2, repeat: 2, means: the next one}
"""


@pytest.mark.sweep(quick=3)
@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("hints", [False, True])
@pytest.mark.parametrize("asked, words, formulas", [
    ("[half, mixed]", ["half of", "the mixture"], []),
    ("[mixed]", ["the mixture"], []),
    ("[more, last]", ["half of", "the mixture"], ["more", "last"]),
    ("[x_2]", ["the next one"], []),
])  # fmt: skip
def test_papers_and_forms_ask_for_a_step_by_its_words(asked, words, formulas, hints, language, tmp_path):
    (tmp_path / "p.yaml").write_text(f"{WORDED_STEPS}asked: {asked}\n")
    data = f"language: {language}\nhints: {str(hints).lower()}\nquestions: [{{problem: p.yaml}}]\n".encode()
    sheet = read_sheet(data, str(tmp_path / "s.yaml"))
    (variant,) = make_variants_distinct(sheet, sheet.students, [draw_all(sheet, sheet.students[0])])
    made = [build_paper(sheet, variant)]
    paper, solution = typeset.latex(made, False), typeset.latex(made, True)
    assert hints or [text for text in ("half of", "the mixture", "the next one") if text in paper] == words
    assert hints or re.findall(r"\\mathrm\{(\w+)\} = ", paper) == formulas
    assert not hints or r"\mathrm{half} = " in paper
    assert r"\mathrm{half} = " in solution and by_typst(typeset.typst(made, False), {}).startswith(b"%PDF")
    problem = load(str(tmp_path / "p.yaml"))
    form = blank(problem)
    steps = [step for step in problem.plan.steps() if step.name in re.findall(r"\w+", asked)]
    assert all(not step.means or f"# {step.means}, 1 × 2" in form for step in steps)


@pytest.mark.sweep(quick=2)
@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("asked, heads", [
    ("[A, mixed]", ("$A$", r"$\mathrm{mixed} = \frac{\mathrm{half} + 1}{4}$, $\mathrm{half} = \frac{A}{2}$")),
    ("[half, 'mixed[0]', 'mixed[0, 1]']", (
        r"$\mathrm{half} = \frac{A}{2}$", r"$\mathrm{mixed}[1]$, $\mathrm{mixed} = \frac{\mathrm{half} + 1}{4}$",
        r"$\mathrm{mixed}_{1,2}$")),
])  # fmt: skip
def test_a_paper_tells_the_formulas_of_own_steps_and_of_no_lesson(asked, heads, language, tmp_path):
    (tmp_path / "p.yaml").write_text(f"{OWN_STEPS}asked: {asked}\n")
    data = f"language: {language}\nquestions: [{{problem: p.yaml}}]\n".encode()
    sheet = read_sheet(data, str(tmp_path / "s.yaml"))
    (variant,) = make_variants_distinct(sheet, sheet.students, [draw_all(sheet, sheet.students[0])])
    made = [build_paper(sheet, variant)]
    for solved in (False, True):
        assert tuple(re.findall(r"answerhead\{(.*)\}(?:\{[^{}]*\}){3}", typeset.latex(made, solved))) == heads
    source = typeset.typst(made, False)
    told = re.findall("told: (.*), doc", source)
    assert sum('upright("half") + 1, 4)' in one for one in told) == sum(
        "frac(A, 2)" in one for one in told
    ) == 1 and by_typst(source, {}).startswith(b"%PDF")


@pytest.mark.sweep(quick=1)
@pytest.mark.parametrize("solved", [False, True])
def test_typst_sets_the_paper(sheet, variants, solved):
    assert by_typst(
        typeset.typst([build_paper(sheet, variants[0])], solved), figure_files(sheet.figures(), False)
    ).startswith(b"%PDF")


def _graded(folder, *files):
    code, out, err = called("grade", folder / "out" / "key.json", *files)
    return code, list(csv.DictReader(io.StringIO(out))), err


def test_ticks_are_graded_and_points_by_hand_come_from_the_table(folder, key):
    right = [{own["name"]: own.get("right", []) for own in variant["own"]} for variant in key["variants"]]
    first, second = (variant["code"] for variant in key["variants"])
    wrong = next(letter for letter in "ABC" if letter not in right[1]["q2"])
    table = folder / "class.csv"
    table.write_text(
        "student,problem,q1,q2,q3,q4,name\n"
        f'ann,{first},2.5,{right[0]["q2"][0]},"A, B",{right[0]["q4"][0].lower()},Ann\n'
        f'bob,{second},"1,5",{wrong},A,"[x]",Bob\n', encoding="utf-8")  # fmt: skip
    code, (ann, bob), err = _graded(folder, table)
    assert [ann[name] for name in ("q1", "q2", "q3", "q4", "marks", "out_of", "status")] == [
        "2.5",
        "2",
        "2",
        "2",
        "8.5",
        "13",
        "graded",
    ]
    assert [bob[name] for name in ("q1", "q2", "q3", "q4", "marks", "status")] == ["1.5", "0", "1", "0", "2.5", "look"]
    assert code == 1 and "class.csv:3:" in err and "q4: expected letters from A to D" in err
    assert [name for name in ann if name.startswith("q")] == ["q1", "q2", "q3", "q4", "q5.A"]


@for_each("typed, points", [("1/2", "0.5"), ("3/2", "1.5"), ("2 1/2", "2.5"), ("1,5", "1.5"), (".5", "0.5"),
    ("9/3", "3"), ("1 / 3", "0.3333"), ("2.", "2")])  # fmt: skip
def test_points_by_hand_are_read_alike_in_tables_overrides_and_comparisons(folder, key, typed, points):
    """A table refused 1/2, which overrides took."""
    table, overrides = folder / "class.csv", folder / "overrides.csv"
    table.write_text(f'student,problem,q1\nann,{key["variants"][0]["code"]},"{typed}"\n', encoding="utf-8")
    _, (ann,), err = _graded(folder, table)
    assert (ann["q1"], "q1" in err.replace("q1.", "")) == (points, False)
    overrides.write_text(f'student,step,marks\nann,q1,"{typed}"\n', encoding="utf-8")
    table.write_text(f"student,problem,q1\nann,{key['variants'][0]['code']},3\n", encoding="utf-8")
    assert _graded(folder, table, "--overrides", overrides)[1][0]["q1"] == points
    (folder / "marks.csv").write_text(f'student,q1\nann,"{typed}"\n', encoding="utf-8")
    assert "1 of 1 mark (100 %)" in " ".join(called("compare", overrides, folder / "marks.csv")[1].split())


@for_each("column, typed", [("q1", "x"), ("q1", "4"), ("q2", "Z"), ("q2", "??")])
def test_a_cell_that_cannot_be_read_is_settled_by_an_override(folder, key, column, typed):
    """The script was still to be looked at after a person had."""
    table, overrides = folder / "class.csv", folder / "overrides.csv"
    words = {"q1": "1", "q2": "A"} | {column: typed}
    code = key["variants"][0]["code"]
    table.write_text(f"student,problem,q1,q2\nann,{code},{words['q1']},{words['q2']}\n", encoding="utf-8")
    _, (ann,), err = _graded(folder, table)
    assert ann["status"] == "look" and f"{column}: expected" in err
    overrides.write_text(f"student,step,marks\nann,{column},2\n", encoding="utf-8")
    _, (ann,), err = _graded(folder, table, "--overrides", overrides)
    assert (ann["status"], ann[column], f"{column}: expected" in err) == ("graded", "2", False)


@for_each("typed", ["4", "3.5", "3,01", "x", "-1", "7/2", "1/0", "1//2", "."])
def test_points_by_hand_that_cannot_be_are_told_with_their_place(folder, key, typed):
    table = folder / "class.csv"
    table.write_text(f'student,problem,q1\nann,{key["variants"][0]["code"]},"{typed}"\n', encoding="utf-8")
    code, (ann,), err = _graded(folder, table)
    why = "" if typed[0] in "47" or typed in ("3.5", "3,01") else " such as 1.5 or 3/2"
    said = f"q1: expected points from 0 to 3{why}, found {typed!r}"
    assert code == 1 and ann["status"] == "look" and ann["q1"] == "" and said in err and f"{table}:2:" in err


def test_a_students_own_file_gives_no_points_by_hand_and_an_override_does(folder, key):
    code = key["variants"][0]["code"]
    right = key["variants"][0]["own"][1]["right"][0]
    script = folder / "cy.yaml"
    script.write_text(f"problem: {code}\nstudent: cy\nanswers: {{q1: 3, q2: {right}, q3: [A, B]}}\n", encoding="utf-8")
    exit_code, (cy,), _ = _graded(folder, script)
    assert (cy["q1"], cy["q2"], cy["q3"], cy["status"], exit_code) == (
        "",
        "2",
        "2",
        "look",
        1,
    ) and "not yet marked by a person" in cy["remarks"]
    overrides = folder / "overrides.csv"
    overrides.write_text("student,step,marks,reason\ncy,q1,2,half of it\n", encoding="utf-8")
    exit_code, (cy,), _ = _graded(folder, script, "--overrides", overrides, "--feedback", folder / "pages")
    assert (cy["q1"], cy["marks"], cy["status"], exit_code) == ("2", "6", "graded", 0)
    page = (folder / "pages" / "cy.md").read_text(encoding="utf-8")
    assert "Question 2: 2 of 2 points, right." in page and "q1: 2 of 3 (half of it)" in page


def test_one_point_is_one_everywhere_on_a_student_s_page(tmp_path):
    choices = "choices: [{right: a}, {wrong: b}], points: 1"
    (tmp_path / "s.yaml").write_text(f"questions: [{{ask: x, {choices}}}, {{ask: y, free_text: true, points: 1}}]\n")
    assert called("exam", tmp_path / "s.yaml", "-o", tmp_path / "out", "--to", "latex")[0] == 0
    (tmp_path / "c.csv").write_text("student,q1,q2\nann,B,0.5\nbob,A,1\n")
    words = ("--feedback", tmp_path / "pages", "-o", tmp_path / "m.csv")
    assert called("grade", tmp_path / "out" / "key.json", tmp_path / "c.csv", *words)[0] == 0
    pages = "".join(one.read_text(encoding="utf-8") for one in sorted((tmp_path / "pages").iterdir()))
    assert "0 of 1 point" in pages + (tmp_path / "m.csv").read_text() and "of 1 points" not in pages
    assert "q2 has 0.5 of 1 point." in pages


@for_each("answer", ["B", "4", "A, C", "[[1, 2]]", "[A, B]", "x + 1"])
@for_each("name", ["q9", "q17"])
def test_an_answer_to_no_question_of_the_paper_is_told_as_that(folder, key, name, answer):
    """It was told to be no number, or to mean the step Q."""
    script = folder / "no.yaml"
    code = key["variants"][0]["code"]
    script.write_text(f"problem: {code}\nstudent: dan\nanswers:\n  q3: [A, B]\n  {name}: {answer}\n", encoding="utf-8")
    (row,), err = _graded(folder, script)[1:]
    last = max(int(one[1:].partition(".")[0].partition("_")[0]) for one in row if re.match("q[0-9]", one))
    said = f"this paper has no question {name}; it has q1 to q{last}"
    assert (
        err.count(said) == 1 == err.count("no.yaml:") and f"{name} could not be read: {said} (line 5," in row["remarks"]
    )


MIXED = """\
title: Mixed
questions:
  - {problem: own.yaml, points: 4}
  - {ask: Why?, free_text: so, points: 3}
  - {ask: Which?, choices: [{right: a}, {wrong: b}], points: 2}
  - {ask: Which ones?, choices: [{right: a}, {right: b}, {wrong: c}, {wrong: d}], several: true, points: 2}
"""
STATES = {"q2": {"": "q2 is not yet marked.", "1.5": "q2 has 1.5 of 3 points.", "3": ""},
          "q3": {"": "q3 is not answered.", "A": "", "B": "q3 is wrong.", "?": "q3 could not be read."},
          "q4": {"A, B": "", "A": "q4 is partly right.", "C": "q4 is wrong."}}  # fmt: skip
TYPED = [dict(zip(("Y", *STATES), cells, strict=True)) for cells in itertools.product(("", "1", "7"), *STATES.values())]


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    """A key of one question with a step and three without, a class with every way to answer them, and its folder."""
    found = tmp_path_factory.mktemp("mixed")
    (found / "own.yaml").write_text("given: {X: [[2]]}\nsteps: {Y: X / 2}\n")
    (found / "sheet.yaml").write_text(MIXED)
    assert called("exam", found / "sheet.yaml", "-o", found / "out", "--to", "latex")[0] == 0
    lines = [f'n{k},{row["Y"]},{row["q2"]},{row["q3"]},"{row["q4"]}"' for k, row in enumerate(TYPED)]
    (found / "class.csv").write_text("\n".join(['student,"q1.Y[0,0]",q2,q3,q4', *lines]) + "\n")
    (found / "scale.yaml").write_text("scale: {A: 90 %, F: 0}\n")
    return found


def test_a_page_says_what_was_ticked_and_what_is_right(mixed, tmp_path):
    """As it shows the right numbers of a matrix; a wrong tick without a reason was called wrong, and no more."""
    grading = ["grade", mixed / "out" / "key.json", mixed / "class.csv", "-o", tmp_path / "m.csv"]
    called(*grading, "--feedback", tmp_path / "fb")
    right = {"q3": "A", "q4": "A and B"}
    for k, row in enumerate(TYPED):
        page = (tmp_path / "fb" / f"n{k}.md").read_text()
        for name, letters in right.items():
            typed = row[name].replace(", ", " and ")
            said = f"You ticked {typed or 'nothing'}; right: {letters}." in page
            assert said == (typed not in (letters, "?")), (k, name)


@pytest.mark.sweep(quick=1)
@pytest.mark.parametrize("by_hand", [False, True])
def test_a_page_begins_with_the_points_of_the_whole_paper_and_all_that_is_not_right(mixed, by_hand, tmp_path):
    """And a course system gets the same words, and nobody whose points by hand are missing."""
    (tmp_path / "o.csv").write_text(
        "student,step,marks\n" + "".join(f"n{k},q2,3\n" for k in range(len(TYPED)) if by_hand)
    )
    call = [
        "grade",
        mixed / "out" / "key.json",
        mixed / "class.csv",
        "--overrides",
        tmp_path / "o.csv",
        "--scale",
        mixed / "scale.yaml",
    ]
    rows = list(csv.DictReader(io.StringIO(called(*call, "--feedback", tmp_path / "pages")[1])))
    _, out, err = called(*call, "--for", "moodle", "--with-look")
    assert ("n0 is left out of the table for moodle: q2 is not yet marked" in err) == (not by_hand)
    told = {row[0]: row for row in csv.reader(io.StringIO(out))}
    for typed, row in zip(TYPED, rows, strict=True):
        head = (tmp_path / "pages" / f"{row['student']}.md").read_text(encoding="utf-8").split("**")[1]
        assert head.startswith(f"{row['student']}: {row['marks']} of 11 points. ")
        states = {name: "" if by_hand and name == "q2" else said[typed[name]] for name, said in STATES.items()}
        is_open = states["q2"].endswith("not yet marked.")
        assert ("Everything is right." in head) == (row["marks"] == row["out_of"] == "11")
        assert is_open == (row["student"] not in told)
        assert (row["grade"] == "") == is_open
        for said in filter(None, states.values()):
            assert all(words in head for words in (said.split()[0], said.split(" ", 2)[2].rstrip("."))), (said, head)
        for line in [told[row["student"]][3]] if not is_open else []:
            assert line.startswith(f"{row['marks']} of 11 points. ")
            assert all(said.split()[0] in line.partition("Points changed")[0] for said in filter(None, states.values()))


@pytest.mark.parametrize("by_hand", [False, True])
def test_the_table_of_marks_on_a_page_adds_up_to_its_first_line(mixed, by_hand, tmp_path):
    """23.5 of 26 points stood above, and Marks (14.5 of 17) below, without the questions that are ticked."""
    (tmp_path / "o.csv").write_text(
        "student,step,marks\n" + "".join(f"n{k},q2,2\n" for k in range(len(TYPED))) * by_hand
    )
    call = ["grade", mixed / "out" / "key.json", mixed / "class.csv", "--overrides", tmp_path / "o.csv"]
    called(*call, "-o", tmp_path / "m.csv", "--feedback", tmp_path / "pages")
    for k, typed in enumerate(TYPED):
        page = (tmp_path / "pages" / f"n{k}.md").read_text(encoding="utf-8")
        total = page.split("**")[1].removeprefix(f"n{k}: ").partition(" points")[0]
        _, heading, table = page.partition("\n## Points (")
        rows = [line.strip("|").split("|") for line in table.splitlines() if line.startswith("| $")]
        assert bool(heading) == (typed["Y"] == "7"), "else no step has lost points, or none is answered"
        if heading:
            assert table.startswith(f"{total})") and [re.search("q[0-9]", row[0])[0] for row in rows] == [*QUESTIONS]
            earned, most = zip(*(map(Fraction, row[2].split(" of ")) for row in rows), strict=True)
            assert (sum(earned), sum(most)) == (*map(Fraction, total.split(" of ")),)
        for name in STATES:  # in the table, or in a line of its own; and what was ticked in a line in any case
            said = re.search(rf"^Question {name[1:]}: (.*)$", page, re.MULTILINE)
            assert bool(said) == (not heading or typed[name] not in RIGHT_TICKS.get(name, {typed[name]}))


QUESTIONS = ("q1", "q2", "q3", "q4")
RIGHT_TICKS = {"q3": {"A", "?"}, "q4": {"A, B"}}


def test_report_table_and_pages_agree_on_first_errors_which_are_of_steps(mixed, tmp_path):
    """A wrong tick is a wrong answer, and no first error of working; the report called it one, the table did not."""
    grading = ["grade", mixed / "out" / "key.json", mixed / "class.csv", "-o", tmp_path / "m.csv"]
    called(*grading, "--report", tmp_path / "r.json", "--feedback", tmp_path / "pages")
    moodle = called(*grading[:3], "--for", "moodle", "--with-look")[1]
    found = json.loads((tmp_path / "r.json").read_text())
    steps = {one["step"]: one for one in found["steps"]}
    rows = list(csv.DictReader(io.StringIO((tmp_path / "m.csv").read_text())))
    table = Counter(row["first_wrong"] for row in rows)
    assert {name: one["first_wrong"] for name, one in steps.items() if one["first_wrong"]} == {"q1.Y": table["q1.Y"]}
    assert table["q1.Y"] == [row["Y"] for row in TYPED].count("7") and {*table} == {"q1.Y", ""}
    assert found["others"]["without a wrong step"] + found["others"].get("nothing answered", 0) == table[""]
    for row in rows:
        page = (tmp_path / "pages" / f"{row['student']}.md").read_text().split("**")[1]
        assert ("The first error is in" in page) == bool(row["first_wrong"])
    assert ("Every step is right. q3 is wrong." in moodle) and "No step is wrong. q3 is wrong" not in moodle
    assert moodle.count("The first error is in") == sum(row["first_wrong"] != "" and row["q2"] != "" for row in rows)
    wrong = {
        name: sum(STATES[name][row[name]].endswith(("wrong.", "right.")) for row in TYPED) for name in ("q3", "q4")
    }
    assert {name: steps[name]["ticked_wrongly"] for name in wrong} == wrong
    worst, most = max(wrong.items(), key=lambda one: one[1])
    assert (
        f"The multiple-choice question with the most wrong answers was {worst} ({most} scripts)." in found["sentences"]
    )
    assert steps["q2"]["facility"] == 0.75 and steps["q1.Y"]["facility"] == 0.33


def test_a_free_text_of_ticks_alone_is_read(folder, key):
    code = key["variants"][0]["code"]
    (folder / "dan.md").write_text(f"student: dan\nproblem: {code}\n\nq3: A and B\n", encoding="utf-8")
    _, (dan,), _ = _graded(folder, folder / "dan.md")
    assert dan["student"] == "dan" and dan["q3"] == "2"


def test_a_paper_of_own_questions_alone(tmp_path):
    (tmp_path / "s.yaml").write_text(
        "title: T\nquestions:\n  - {ask: Why?, free_text: so, points: 1}\n  - ask: Which?\n    choices: [{right: a}, {wrong: b}]\n"
    )
    assert called("exam", tmp_path / "s.yaml", "-o", tmp_path / "out", "--to", "latex")[0] == 0
    (variant,) = json.loads((tmp_path / "out" / "key.json").read_text())["variants"]
    assert variant["problem"] == "" and not list((tmp_path / "out").glob("variant-*"))
    (tmp_path / "a.yaml").write_text("student: x\nanswers: {q2: A}\n")
    _, out, _ = called("grade", tmp_path / "out" / "key.json", tmp_path / "a.yaml")
    (row,) = csv.DictReader(io.StringIO(out))
    assert row["q2"] == "1" and row["out_of"] == "2"


FAULTS = [
    ("{ask: x, marks: 3}", "did you mean points: 4?"),
    ("{ask: x}", "write free_text: true next to ask: for an answer in words"),
    ("{ask: x, choice: y, options: [a, b]}", "did you mean choices: [{right: its text}, {wrong: its text}]?"),
    ("{generate: self_attention, tokens: 3}", "did you mean with: {tokens: ...}?"),
    ("{generate: self_attention, mask: causal}", "did you mean with: {mask: ...}?"),
    ("{problem: generate self_attention}", "did you mean generate: self_attention?"),
    ("{ask: x}", "a question needs generate:, problem:, one_of:, free_text: or choices:; found none of them"),
    ("{free_text: x}", "ask: expected the text of the question, found nothing"),
    (
        "{ask: x, free_text: y, points: {S: 1}}",
        "points: expected a number below 1,000,000 with at most 3 decimals for a question of your own, found a mapping",
    ),
    (
        "{ask: x, free_text: y, asked: [S]}",
        "asked: is only for a question with `generate:` or `problem:`; remove the key from this question",
    ),
    (
        "{ask: x, choices: [{wrong: a}, {wrong: b}]}",
        "choices: expected at least one option with `right:`, found only `wrong:`",
    ),
    ("{ask: x, choices: [{right: a}]}", "choices: expected a list of 2 to 10 options, found 1"),
    ("{ask: x, choices: [{right: a}, b]}", "choices: expected `right: its text` or `wrong: its text`, found 'b'"),
    (
        "{ask: x, choices: [{right: a}, {wrong: a}]}",
        "choices: expected a different text for each option, found 'a' again",
    ),
    ("{ask: x, choices: [{right: a, wrong: b}, {wrong: c}]}", "choices: expected `right: its text`"),
    ("{ask: x, choices: 3}", "choices: expected a list of 2 to 10 options, found '3'"),
    (
        "{problem: look-ahead-mask, choices: 4}",
        "choices: only a question with random numbers can have a number under choices:",
    ),
    ("{generate: attention, choices: 99}", "choices: expected a whole number from 2 to 10, found '99'"),
    ("{problem: look-ahead-mask, part: x}", "part: the problem has no part 'x'"),
    (
        "{problem: transformers-transforming-our-lives, part: crss}",
        "part: the problem has no part 'crss'; did you mean cross?",
    ),
    (
        "{problem: parts.yaml, part: b}",
        "part: b uses steps of the part a, which is not asked; to ask both, write `part: [a, b]`",
    ),
    (
        "{ask: x, free_text: y, figure: ../box.svg}",
        "figure: expected a file in the folder of the sheet or in a subfolder;",
    ),
    (
        "{ask: x, free_text: y, figure: /etc/box.png}",
        "figure: expected a file in the folder of the sheet or in a subfolder;",
    ),
    ("{ask: x, free_text: y, figure: no.png}", "figure: there is no file 'no.png' in the sheet's folder"),
    (
        "{ask: x, free_text: y, figure: fake.png}",
        "figure: 'fake.png' ends in .png, but the file has a different format",
    ),
    (
        "{ask: x, free_text: y, figure: sheet.yaml}",
        "figure: expected a picture (png, jpg, jpeg, pdf, svg), found 'sheet.yaml'",
    ),
    ("{ask: x, free_text: y, figure: {file: box.svg, width: 99}}", "width: expected a number from 0 to 16"),
]


@for_each("question, said", FAULTS, ids=lambda one: one if one.startswith("{") else "", quick=12, ci=True)
def test_faults_are_told_where_they_stand(question, said, folder):
    (folder / "fake.png").write_bytes(SVG)
    (folder / "parts.yaml").write_text(
        "given: {X: [[1, 2]]}\nparts:\n  a: {steps: {Y: X + X}}\n  b: {steps: {Z: a.Y * X}}\n"
    )
    with pytest.raises(AttncalcError) as error:
        read_sheet(f"questions:\n  - {question}\n", str(folder / "sheet.yaml"))
    assert any(said in fault.message and fault.place.line == 2 for fault in error.value.faults), error.value


def test_two_parts_of_which_one_uses_the_other(folder):
    (folder / "parts.yaml").write_text(
        "given: {X: [[1, 2]]}\nparts:\n  a: {steps: {Y: X + X}}\n  b: {steps: {Z: a.Y * X}}\n  c: {steps: {W: X}}\n"
    )
    sheet = read_sheet("questions:\n  - {problem: parts.yaml, part: [a, b], points: 2}\n", str(folder / "sheet.yaml"))
    (variant,) = make_variants_distinct(sheet, sheet.students, [draw_all(sheet, one) for one in sheet.students])
    assert "q1_a" in variant.problem and "q1_b" in variant.problem and "q1_c" not in variant.problem


def test_the_sheets_rounding_applies_and_another_one_is_reported(tmp_path):
    (tmp_path / "own.yaml").write_text("rounding: {digits: 3}\ngiven: {X: [[1, 2]]}\nsteps: {Y: X / 3}\n")
    (tmp_path / "s.yaml").write_text(
        "rounding: {digits: 2}\nquestions:\n  - problem: own.yaml\n  - {problem: own.yaml, rounding: {digits: 3}}\n"
    )
    code, _, err = called("exam", tmp_path / "s.yaml", "-o", tmp_path / "out", "--to", "latex")
    problem = json.loads((tmp_path / "out" / "key.json").read_text())["variants"][0]["problem"]
    assert code == 0 and err.count("applies") == 1
    assert "question 1: the problem has rounding: {digits: 3}; the sheet's {digits: 2} applies" in err
    assert "digits: 2" in problem.partition("q2")[0] and "digits: 3" in problem.partition("q2")[2]


letters = st.frozensets(st.sampled_from("ABCDE"))


@given(letters, letters.filter(bool))
@examples(200)
def test_a_share_of_ticks(ticked, right):
    found = share(ticked, right)
    assert 0 <= found <= 1 and (found == 1) == (ticked == right)
    assert found <= share(ticked & right, right) == Fraction(len(ticked & right), len(right))


@given(letters, st.sampled_from([", ", " ", "", ";", " and ", "/"]), st.booleans())
@examples(200)
def test_ticks_are_read_however_they_are_written(ticked, between, small):
    text = between.join(sorted(ticked))
    assert ticks(text.lower() if small else f"[{text}]") == ticked


@for_each("text", ["AA", "1", "A?", "A1", "é"])
def test_unclear_ticks_are_no_ticks(text):
    assert ticks(text) is None

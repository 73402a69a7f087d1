"""What a class's report says: sentences, spread, grades, questions and variants, a script and a drill for each mistake;
two graders compared.
"""

import csv
import io
import json
import re
import shlex
from collections import Counter
from fractions import Fraction
from itertools import accumulate, pairwise
from math import exp, lcm
from pathlib import Path
from statistics import correlation
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from attncalc.api import load
from attncalc.exam.sheet.grading_scale import Threshold, grade_of, read_scale
from attncalc.explain.document import Paragraph
from attncalc.gradebook.class_report import JOINED, class_document, number
from attncalc.gradebook.graded_script import GradedScript
from attncalc.gradebook.group_statistics import LEAST, by_question, by_variant, histogram, question_of
from attncalc.gradebook.inter_rater_agreement import compare
from attncalc.gradebook.item_analysis import ClassFigures, figures
from attncalc.gradebook.remediation import drill_command
from attncalc.mistakes.catalogue import catalogue
from attncalc.mistakes.slip_catalogue import SLIPS
from attncalc.practice.exercise_list import course_of
from tests.gradebook.test_grade import PROBLEM, RIGHT_ANSWERS, UNSCALED, grade, script, table
from tests.support.called import called
from tests.support.laws import examples
from tests.support.sweeps import for_each

LESSON = """\
title: A head
given: {X: [[1, 2], [0, 1], [1, -1]], W_Q: [[1, 0], [0, 1]], W_K: [[1, 1], [0, 1]], W_V: [[2, 0], [0, 1]]}
rounding: {digits: 2}
self_attention: {mask: causal}
asked: [S, A]
"""


@pytest.fixture
def head(tmp_path):
    (tmp_path / "head.yaml").write_text(LESSON)
    return tmp_path / "head.yaml"


@pytest.fixture
def class_of(tmp_path):
    """A folder of scripts: so many with each of some answers."""

    def write(**counts):
        folder = tmp_path / "scripts"
        folder.mkdir()
        for name, (count, answers) in counts.items():
            for k in range(count):
                (folder / f"{name}-{k}.yaml").write_text(script(f"student-{name}-{k}", answers))
        return folder

    return write


# -- the report --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("gone, said", [
    (("q3",), "q3 is not answered in any script."),
    (("q1.S", "q3"), "q1.S and q3 are not answered in any script."),
    ((), ""),
])  # fmt: skip
def test_what_nobody_answered_is_no_hard_step(tmp_path, gone, said):
    """A table without a column for a question made it the hardest step, with 0 % of its points."""
    (tmp_path / "p.yaml").write_text("given: {X: [[4]]}\nsteps: {S: X / 2, Y: S / 2}\nasked: [S, Y]\n")
    question = "{ask: Which?, choices: [{right: a}, {wrong: b}]}"
    (tmp_path / "s.yaml").write_text(f"questions: [{{problem: p.yaml, points: 4}}, {question}, {question}]\n")
    assert called("exam", tmp_path / "s.yaml", "-o", tmp_path / "out", "--to", "latex")[0] == 0
    own = json.loads((tmp_path / "out" / "key.json").read_text())["variants"][0]["own"]
    columns = {"q1.S[0,0]": "2", "q1.Y[0,0]": "77", **{one["name"]: one["right"][0] for one in own}}
    kept = {name: cell for name, cell in columns.items() if name.partition("[")[0] not in gone}
    with open(tmp_path / "class.csv", "w", newline="") as file:
        csv.writer(file).writerows([["student", *kept], *([f"s-{k}", *kept.values()] for k in range(6))])
    call = ("grade", tmp_path / "out" / "key.json", tmp_path / "class.csv", "-o", tmp_path / "m.csv")
    called(*call, "--report", tmp_path / "r.json")
    sentences = json.loads((tmp_path / "r.json").read_text())["sentences"]
    assert any(one.startswith("The hardest step was q1.Y (0 % of its points earned)") for one in sentences)
    assert [one for one in sentences if "in any script" in one] == [said] * bool(said)


@pytest.mark.sweep(quick=0)
def test_the_report_speaks_in_sentences_and_never_of_a_student(tmp_path, class_of):
    (tmp_path / "one.yaml").write_text(PROBLEM)
    scripts = class_of(right=(8, RIGHT_ANSWERS), unscaled=(12, UNSCALED), blank=(5, {}))
    for ending in ("md", "html", "tex", "typ", "txt"):
        assert (
            grade(
                tmp_path / "one.yaml",
                scripts,
                "-o",
                tmp_path / "m.csv",
                "--report",
                tmp_path / f"r.{ending}",
                "--force",
            )[0]
            == 0
        )
        page = (tmp_path / f"r.{ending}").read_text(encoding="utf-8")
        plain = " ".join(page.replace("\\", "").split())
        assert "student-" not in page, ending  # not even beside the worked script
        for said in (
            "25 scripts earned",
            "The first error was most often in A",
            "5 scripts are blank.",
            "One script, in A",
            "12 scripts",
        ):
            assert said in plain, (ending, said)


@pytest.mark.sweep(quick=0)
def test_a_drill_is_a_command_that_works_and_tells_the_mistake_apart(tmp_path, head, class_of, monkeypatch):
    scripts = class_of(unscaled=(6, {"A": unscaled_weights()}))
    grade(head, scripts, "-o", tmp_path / "m.csv", "--report", tmp_path / "r.json")
    (drill,) = json.loads((tmp_path / "r.json").read_text())["drills"]
    assert drill["scripts"] == 6 and drill["command"].startswith(
        "attncalc generate self_attention --set mask=causal --seed "
    )
    words = [word if word != "5" else "2" for word in shlex.split(drill["command"])[1:]]
    monkeypatch.chdir(tmp_path)
    assert called(*words[: words.index("-o")], "--to", "json", "-o", "drill.json")[0] == 0
    lines = [json.loads(line) for line in (tmp_path / "drill.json").read_text().splitlines()]
    assert len(lines) == 2 and {*drill["codes"]} & {*lines[0]["certificate"]["separated"]}


@pytest.mark.parametrize("code", sorted({*SLIPS} - {*catalogue()}))
def test_for_a_slip_there_is_the_lesson_to_practise(code, head):
    problem = load(head)
    (step,) = (step for step in problem.parts[0].plan.steps if step.name == "A")
    assert drill_command(problem, step.key, [code]) == "attncalc practice self_attention"


def unscaled_weights():
    """softmax(Q Kᵀ) of LESSON, causal and without the scale, in floating point: Q is X, and K is X W_K."""
    q, k = [[1, 2], [0, 1], [1, -1]], [[1, 3], [0, 1], [1, 0]]
    powers = [[exp(sum(a * b for a, b in zip(q[i], k[j]))) for j in range(i + 1)] for i in range(3)]
    return [[f"{x / sum(row):.2f}" for x in row] + ["0"] * (3 - len(row)) for row in powers]


@pytest.mark.parametrize("lesson", ["rotary", "self_attention", "layer_norm"])
def test_where_no_exercise_is_certified_the_lesson_is_practised(lesson):
    assert course_of(lesson, None)


# -- how marks are spread, by question and by variant ------------------------------------------------------------------


@given(st.lists(st.fractions(0, 1), max_size=60))
@examples(100)
def test_a_histogram_counts_everybody_once_and_tells_of_no_few(shares):
    bins = histogram(shares)
    assert bool(bins) == (len(shares) >= LEAST)
    if bins:
        assert sum(one.count for one in bins) == len(shares) and not any(0 < one.count < LEAST for one in bins)
        assert (bins[0].low, bins[-1].high) == (0, 1) and all(a.high == b.low for a, b in pairwise(bins))
        for k, one in enumerate(bins):
            assert one.count == sum(one.low <= x < one.high or (k == len(bins) - 1 and x == 1) for x in shares)


@for_each(
    "step, question",
    [("q3_masked.S", "q3"), ("q3.S", "q3"), ("q12", "q12"), ("masked.S", "masked"), ("S", ""), ("quiz.S", "quiz")],
)
def test_the_question_of_a_step(step, question):
    assert question_of(step) == question


def row(variant, q1, q2):
    marks = {"q1.S": Fraction(q1), "q2_a.S": Fraction(q2), "q2_b.S": Fraction(q2)}
    return GradedScript(
        "s",
        "f",
        variant,
        marks=marks,
        out_of={"q1.S": Fraction(2), "q2_a.S": Fraction(1), "q2_b.S": Fraction(1)},
        verdicts={"q1.S": "right"},
    )


def test_questions_and_variants_by_hand():
    rows = [row("K", 2, 1), row("K", 1, 1), row("K", 0, 0), row("K", 2, 0), row("K", 1, 1), *[row("M", 1, 0)] * 4]
    first, second = by_question(rows)
    assert (first.name, first.out_of, second.name, second.out_of) == ("q1", 2, "q2", 2)
    assert first.mean == pytest.approx(10 / 18) and second.mean == pytest.approx(3 / 9)
    assert first.discrimination == pytest.approx(
        correlation([1, 0.5, 0, 1, 0.5] + [0.5] * 4, [1, 1, 0, 0, 1] + [0.0] * 4)
    )
    (only,) = by_variant(rows)  # M has four scripts
    assert (only.name, only.scripts) == ("K", 5) and only.mean == pytest.approx((1 + 3 / 4 + 0 + 1 / 2 + 3 / 4) / 5)
    assert by_variant([row("K", 1, 1)] * 9) == []


def test_papers_of_a_version_are_one_group():
    rows = [row(f"K{k}", 2 * (k % 2), 1) for k in range(12)]
    for k, one in enumerate(rows):
        one.version = "AB"[k % 2]
    assert [(one.name, one.scripts, one.mean) for one in by_variant(rows)] == [("A", 6, 0.5), ("B", 6, 1.0)]


# -- a grading scale ---------------------------------------------------------------------------------------------------

SCALE = "title: x\nscale: {A: 90 %, B: 75%, C: 60.5 %, F: 0}\n"


def scale_of(tmp_path, text):
    (tmp_path / "scale.yaml").write_text(text)
    return read_scale(str(tmp_path / "scale.yaml"))


@pytest.mark.parametrize(
    "text",
    ["scale: {1.0: 95 %, 1.3: 90 %, 2.0: 75 %, 4.0: 50 %, 5.0: 0}\n", SCALE, "scale: {pass: 3.5 points, fail: 0}\n"],
)
@pytest.mark.parametrize("earned", [0, 1, 2, 3, 4, 5, 6, 7])
def test_a_grade_is_the_best_that_is_reached_exactly(tmp_path, text, earned):
    scale = scale_of(tmp_path, text)
    expected = next(one.grade for one in scale if Fraction(earned) * (100 if one.percent else 7) >= one.least * 7)
    assert grade_of(scale, Fraction(earned), Fraction(7)) == expected


def test_a_threshold_is_met_and_not_nearly_met():
    third = Threshold("A", Fraction("33.33"), True), Threshold("F", Fraction(0), True)
    assert (
        grade_of(third, Fraction(1), Fraction(3)) == "A"
        and grade_of(third, Fraction(3333, 10000) - Fraction(1, 10**9), Fraction(1)) == "F"
    )
    assert grade_of((), Fraction(1), Fraction(3)) == ""


@pytest.mark.parametrize("text, said", [
    ("title: x\n", "expected scale: with grades and thresholds, found none"),
    ("scal: {A: 3}\n", "did you mean scale?"),
    ("scale: [A]\n", "scale: expected grades with their thresholds"),
    ("scale: {A: 90 %, B: 95 %, F: 0}\n", "scale.yaml:1:21: scale: B: expected less than 90 %, because the best grade comes first"),
    ("scale: {A: 90 %, B: 20, F: 0}\n", "expected percent for all grades or points for all, found both"),
    ("scale: {A: 90 %, F: 10 %}\n", "expected a last grade with the threshold 0, found none below 10 %"),
    ("scale: {A: much, F: 0}\n", "scale: A: expected a threshold such as 90 % or 45 points, found 'much'"),
    ("scale: {A: 101 %, F: 0}\n", "expected less than 100 %"),
    ("scale: {A: 1e999999999, F: 0}\n", "expected a threshold"),
    ("scale: {A: 90, B: 75, F: 0}\n", "scale.yaml:1:12: scale: A: expected at most 7 points, because no paper has more, found 90 points; did you mean 90 %?"),
    ("scale: {A: 7.5 points, F: 0}\n", "expected at most 7 points, because no paper has more, found 7.5 points\n"),
    ("scale: {A: 900, F: 0}\n", "found 900 points"),
    ("scale: {A: 0.9, F: 0}\n", "scale: A: expected percent or points, found '0.9'; did you mean 90 %?"),
])  # fmt: skip
def test_a_scale_that_is_none(tmp_path, class_of, text, said):
    (tmp_path / "one.yaml").write_text(PROBLEM)
    (tmp_path / "scale.yaml").write_text(text)
    code, out, err = grade(
        tmp_path / "one.yaml", class_of(right=(1, RIGHT_ANSWERS)), "--scale", tmp_path / "scale.yaml"
    )
    assert (code, out) == (2, "") and said in err and "Traceback" not in err


@pytest.mark.parametrize("best", ["7", "0.5 points", "100 %"])
def test_a_scale_that_can_just_be_reached(tmp_path, class_of, best):
    (tmp_path / "one.yaml").write_text(PROBLEM)
    (tmp_path / "scale.yaml").write_text(f"scale: {{A: {best}, F: 0}}\n")
    scripts = class_of(right=(1, RIGHT_ANSWERS))
    code, out, _ = grade(tmp_path / "one.yaml", scripts, "--scale", tmp_path / "scale.yaml")
    assert code == 0 and table(out)[0]["grade"] == "A"


def test_remark_warns_of_a_scale_that_the_new_key_cannot_reach(tmp_path, class_of):
    """And is no fault: the points of a question that was dropped are in the scale."""
    (tmp_path / "one.yaml").write_text(PROBLEM)
    (tmp_path / "scale.yaml").write_text("scale: {A: 7, F: 0}\n")
    (tmp_path / "changes.yaml").write_text("drop: [A]\n")
    scripts = class_of(right=(1, RIGHT_ANSWERS))
    words = [tmp_path / "one.yaml", tmp_path / "changes.yaml", scripts, "--scale", tmp_path / "scale.yaml"]
    code, out, err = called("remark", *words)
    assert code == 0 and "scale: A: expected at most 4 points" in err and "7 of 7, A" in " ".join(out.split())


def test_grades_stand_in_the_table_on_the_page_and_in_the_report(tmp_path, class_of):
    (tmp_path / "one.yaml").write_text(PROBLEM)
    (tmp_path / "scale.yaml").write_text(SCALE)
    scripts = class_of(right=(7, RIGHT_ANSWERS), unscaled=(8, UNSCALED))
    arguments = [tmp_path / "one.yaml", scripts, "--scale", tmp_path / "scale.yaml"]
    grade(*arguments, "-o", tmp_path / "m.csv", "--report", tmp_path / "r.json", "--feedback", tmp_path / "fb")
    rows = table((tmp_path / "m.csv").read_text())
    assert Counter(one["grade"] for one in rows) == {"A": 7, "F": 8}
    assert json.loads((tmp_path / "r.json").read_text())["grades"] == {"A": 7, "B": 0, "C": 0, "F": 8}
    assert "Grade: A" in (tmp_path / "fb" / "student-right-0.md").read_text()
    lines = list(csv.reader(io.StringIO(grade(*arguments, "--for", "moodle")[1])))
    assert lines[1][3] == "7 of 7 points. Grade: A. No step is wrong."


# -- two graders -------------------------------------------------------------------------------------------------------


def two(tmp_path, first, second):
    for name, marks in (("a.csv", first), ("b.csv", second)):
        (tmp_path / name).write_text(
            "student,step,marks\n" + "".join(f"s{k},A,{mark}\n" for k, mark in enumerate(marks))
        )
    return compare(str(tmp_path / "a.csv"), str(tmp_path / "b.csv"))


def test_kappa_as_in_the_textbook(tmp_path):
    """50 items: both yes 20, both no 15, yes and no 5, no and yes 10. p_o = 0.7, p_e = 0.5, kappa = 0.4."""
    found = two(tmp_path, [1] * 20 + [0] * 15 + [1] * 5 + [0] * 10, [1] * 20 + [0] * 15 + [0] * 5 + [1] * 10)
    assert (found.agreed, found.kappa, found.weighted_kappa) == (Fraction(7, 10), Fraction(2, 5), Fraction(2, 5))
    assert (found.absolute, found.bias) == (Fraction(3, 10), Fraction(1, 10))


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=25))
@examples(60)
def test_agreement_by_its_definitions(pairs):
    with TemporaryDirectory() as folder:
        found = two(Path(folder), *zip(*pairs))
    n = len(pairs)
    assert found.agreed == Fraction(sum(a == b for a, b in pairs), n)
    chance = Fraction(sum(a == b for a, _ in pairs for _, b in pairs), n * n)  # every first mark with every second one
    assert found.kappa == (None if chance == 1 else (found.agreed - chance) / (1 - chance))
    apart = Fraction(sum(abs(a - b) for a, _ in pairs for _, b in pairs), n * n)
    assert found.weighted_kappa == (None if apart == 0 else 1 - found.absolute / apart)
    assert found.kappa is None or found.kappa <= 1
    assert (not found.different) == (found.agreed == 1)


def test_tables_and_overrides_of_two_graders_are_compared(tmp_path):
    (tmp_path / "marks.csv").write_text(
        "student,file,status,marks,out_of,S,A,remarks\ns-1,f,graded,3,5,2,1,x\ns-2,f,graded,3,5,1,2,\n"
    )
    (tmp_path / "bob.yaml").write_text(
        "- {student: s-1, step: A, marks: 1.5}\n- {student: s-2, step: A, marks: 2}\n- {student: s-9, step: A, marks: 1}\n"
    )
    code, out, err = called("compare", tmp_path / "marks.csv", tmp_path / "bob.yaml")
    out = " ".join(out.split())
    assert (code, err) == (0, "") and "The graders agree on 1 of 2 marks (50 %)." in out and "+0.5" in out
    assert "s-9 A" in out and "s-1 S and s-2 S" in out
    data = json.loads(called("compare", tmp_path / "marks.csv", tmp_path / "bob.yaml", "--to", "json")[1])
    assert data["mean_absolute_difference"] == "1/4" and data["different"] == [
        {"student": "s-1", "step": "A", "first": "1", "second": "3/2"}
    ]


@pytest.mark.parametrize("first, second, common, only", [
    ("00417001 00417002", "417001 417002", 2, 0),
    ("417001 417002", "00417001 00417002", 2, 0),
    ("00417001 417001", "417001 00417001", 2, 0),
    ("417001", "00417001 0417001", 0, 3),
    ("00417001 0417001", "417001", 0, 3),
    ("00417001 417001", "417001", 1, 1),
    ("0ada", "ada", 0, 2),
])  # fmt: skip
def test_a_number_without_its_zeros_is_the_same_student(tmp_path, first, second, common, only):
    """Excel takes the zeros of all students: the two files then had nobody in common, and the exit code was 0."""
    for name, students in (("a.csv", first), ("b.csv", second)):
        (tmp_path / name).write_text("student,step,marks\n" + "".join(f"{one},A,1\n" for one in students.split()))
    code, out, err = called("compare", tmp_path / "a.csv", tmp_path / "b.csv", "--to", "json")
    data = json.loads(out)
    assert (code, err) == (int(not common), "") and (data["marks"], len(data["only_first"] + data["only_second"])) == (
        common,
        only,
    )
    page = " ".join(called("compare", tmp_path / "a.csv", tmp_path / "b.csv")[1].split())
    assert ("No step of any student is in both files" in page) == (not common)


@pytest.mark.parametrize("dropped", ["a.csv", "b.csv"])
@pytest.mark.parametrize("target", [".md", ".html", ".json"])
def test_files_list_all_students_with_the_zeros_of_their_numbers(tmp_path, dropped, target):
    students = [f"{k:05}" for k in range(1, 301)]
    for name, marks in (("a.csv", 1), ("b.csv", 2)):
        typed = [str(int(student)) if name == dropped else student for student in students]
        rows = [*(f"{student},A,{marks}\n" for student in typed), *(f"{name[0]}{k},A,1\n" for k in range(40))]
        (tmp_path / name).write_text("student,step,marks\n" + "".join(rows))
    files = [tmp_path / "a.csv", tmp_path / "b.csv"]
    assert called("compare", *files, "-o", tmp_path / f"out{target}")[0] == 0
    words = set(re.findall(r"\w+", (tmp_path / f"out{target}").read_text()))
    assert words >= {*students, *(f"{grader}{k}" for grader in "ab" for k in range(40))}
    shown = called("compare", *files)[1]
    assert "00200" in shown and "00201" not in shown and "and 100 more; to list all of them" in shown


@pytest.mark.parametrize("differing, said", [(0, "(100 %)"), (1, "(> 99 %)"), (399, "(< 1 %)"), (400, "(0 %)")])
def test_all_and_nothing_are_said_where_they_are_so_alone(tmp_path, differing, said):
    for name, marks in (("a.csv", 0), ("b.csv", 1)):
        rows = [f"s-{k},A,{k % 2 * 4 + marks * (k < differing)}\n" for k in range(400)]
        (tmp_path / name).write_text("student,step,marks\n" + "".join(rows))
    out = " ".join(called("compare", tmp_path / "a.csv", tmp_path / "b.csv")[1].split())
    assert f"{said}." in out and ("weighted kappa is 1.00." in out) == (differing == 0)


@pytest.mark.parametrize("text, said", [
    ("student,step,marks\ns,A,x\n", "a.csv:2:5: expected marks such as 2.5, found 'x'"),
    ("student,step,marks\n,A,1\n", "found no student"),
    ("student,step,marks\ns,A,1\ns,A,2\n", "are listed twice"),
    ("name,A\ns,1\n", "expected a column student"),
    ('student,"S[0,0]","S[0,1]"\ns,1,-2\nt,1,-2\n', "a.csv:1:10: expected marks, found answers (a column S[0,0])"),
    ("student,problem,q1,q2\ns,K7Q2,2,B\n", "a.csv:1:9: expected marks, found answers (a column problem)"),
    ("student,step,marks\n", "expected marks, found none"),
])  # fmt: skip
def test_files_that_are_no_marks(tmp_path, text, said):
    (tmp_path / "a.csv").write_text(text)
    (tmp_path / "b.csv").write_text("student,step,marks\ns,A,1\n")
    code, out, err = called("compare", tmp_path / "a.csv", tmp_path / "b.csv")
    assert (code, out) == (2, "") and said in err and "Traceback" not in err


@examples(20)
@given(denominators=st.lists(st.integers(min_value=1, max_value=999_999), min_size=1, max_size=60, unique=True))
@example(denominators=list(range(1, 200)))
@example(denominators=list(range(899_999, 999_999, 10)))  # its sums took minutes
def test_law_marks_are_compared_exactly_up_to_a_common_denominator_of_a_limit(tmp_path_factory, denominators):
    folder = tmp_path_factory.mktemp("compare")
    for name, marks in (("a.csv", 1), ("b.csv", 2)):
        rows = [f"s-{d},A,{marks}/{d}\n" for d in denominators]
        (folder / name).write_text("student,step,marks\n" + "".join(rows))
    code, out, err = called("compare", folder / "a.csv", folder / "b.csv", "--to", "json")
    commons = list(accumulate(denominators, lcm))
    common, line = commons[-1], 2 + sum(common < 10**100 for common in commons)
    if common < 10**100:
        bias = sum(common // d for d in denominators)
        assert (code, err) == (0, "")
        assert json.loads(out)["mean_difference"] == str(Fraction(bias, common * len(denominators)))
    else:
        message = (
            "the common denominator of a file's marks can have at most 100 digits; found more digits; round the marks"
        )
        assert (code, out) == (2, "") and f"a.csv:{line}:" in err and message in err


def test_a_class_of_four_is_told_nothing_of():
    rows = [row("K", 2, 1)] * 4
    found = figures(rows, ["q1.S"], "t")
    assert not found.bins and not found.variants and all(one.mean is None for one in found.questions)


@given(st.fractions(-1, 1))
def test_a_figure_near_zero_has_no_sign(x):
    assert number(x) != "−0.00" and abs(float(number(x).replace("−", "-")) - x) <= 0.005 + 1e-9


@for_each("few", [0, 1, 4, 5])
def test_ranges_of_points_that_are_joined_are_explained(few):
    """Five scripts in each tenth of the points, and `few` in the first one."""
    shares = [Fraction(2 * k + 1, 20) for k in range(10) for _ in range(5 if k else few)]
    document = class_document(ClassFigures("t", len(shares), 0, bins=histogram(shares)))
    said = [block.text for block in document.blocks if isinstance(block, Paragraph)]
    assert (JOINED in said) == (0 < few < LEAST)

"""`attncalc regrade`, and what it puts into a key: other formulas and values, conventions, points, rubrics, parts that
are dropped.
"""

import csv
import io
import json
import random
import re
from collections import Counter
from fractions import Fraction

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncalc import load
from attncalc.api import check
from attncalc.errors import AttncalcError
from attncalc.exam.sheet.sheet_reader import read_sheet
from attncalc.exam.sheet.sheet_schema import key_schema
from attncalc.exam.variant_drawing import draw_all, make_variants_distinct
from attncalc.marking.credit import Reason, because
from attncalc.marking.report import check as mark
from attncalc.problem.loader import read_problem
from attncalc.submissions.step_matching import Bound, Filled
from tests.gradebook.test_grade import RIGHT_ANSWERS, SWAPPED, UNSCALED
from tests.support.called import called
from tests.support.laws import examples
from tests.support.scripts import HABITS, Hand
from tests.support.scripts import script as simulated
from tests.support.sweeps import for_each

KEY = {"Q": [[1, 0], [0, 1]], "K": [[1, 1], [0, 1], [1, 0]], "V": [[1, 2], [3, 4], [5, 6]]}
HEAD = {
    "given": KEY, "rounding": {"digits": 2}, "asked": ["S", "A", "Z"], "points": {"S": 2, "A": 3, "Z": 2},
    "steps": {"S": "Q @ K.T", "S_scaled": "S / sqrt(cols(K))", "A": "softmax(S_scaled)", "Z": "A @ V"},
}  # fmt: skip
IN_ONE = """\
title: Midterm
parts:
  q1: {given: GIVEN, rounding: {digits: 2}, steps: {S: Q @ K.T, S_scaled: S / sqrt(2), A: softmax(S_scaled), Z: A @ V}, asked: [S, A, Z], points: 6}
  q2_one: {given: {B: [[2, 3]]}, steps: {C: B * 2}, points: 1}
  q2_two: {given: {B: [[2, 3]]}, steps: {C: B * 3}, points: 1}
""".replace("GIVEN", json.dumps(KEY).replace('"', ""))
WRITTEN = "problem: {code}\nstudent: {who}\nanswers:\n  q1: {q1}\n  q2_one: {{C: [[4, 6]]}}\n  q2_two: {{C: {two}}}\n"


# -- what a problem file may accept ------------------------------------------------------------------------------------


@for_each("accept, answers, marks", [
    ([{"A": "softmax(S)"}], UNSCALED, 7),
    ({"A": "softmax(S)"}, UNSCALED, 7),
    ([{"A": "softmax(S)"}, {"A": "sigmoid(S)"}], RIGHT_ANSWERS, 7),  # the problem's own formula stays right
    ([{"S": [[1, 0, 1], [1, 1, 7]]}], SWAPPED, 2 + 3),  # A and Z are still of the right S, which follows from no line
    ([{"S": "[[1, 0, 1], [1, 1, 7]]"}, {"A": "softmax(Q @ K.T / sqrt(2))"}], SWAPPED, 7),
    (["scale-forgotten"], UNSCALED, 7),
    ([], UNSCALED, 4),
])  # fmt: skip
def test_another_formula_or_value_is_right_as_well(accept, answers, marks):
    report = check(load(HEAD | {"accept": accept}), {"answers": answers})
    assert report.earned >= marks and (marks < 7 or report.first_wrong is None)


@given(st.lists(st.integers(-99, 99), min_size=6, max_size=6), st.integers(0, 5), st.integers(1, 9))
@examples(40)
def test_an_accepted_value_is_right_and_no_other(numbers, at, by):
    """A value of one's own is right when it is written, and wrong where one entry of it is another."""
    value = [numbers[:3], numbers[3:]]
    other = [list(row) for row in value]
    other[at // 3][at % 3] += by
    problem = load(HEAD | {"accept": [{"S": value}]})
    marks = [check(problem, {"answers": {"S": rows}}).steps[0].verdict for rows in (value, other)]
    assert marks[0] == "right" and (marks[1] == "wrong" or other == [[1, 0, 1], [1, 1, 0]])


OTHERWAYS = {
    "S_scaled": ["S / cols(K)", "S", "S * 2"],
    "A": ["softmax(S)", "softmax(2 * S_scaled)"],
    "Z": ["A @ V / 2", "A @ (V * 3)"],
}


@given(
    st.integers(0, 10**6),
    st.sampled_from(list(OTHERWAYS)),
    st.integers(0, 2),
    st.sets(st.sampled_from(["S", "S_scaled", "A"])),
)
@examples(150)
def test_honest_work_by_an_accepted_formula_is_never_refused(seed, step, which, left_out):
    """Whichever lines are left out, however they are rounded and carried."""
    rng = random.Random(seed)
    numbers = {name: [[rng.randint(-3, 3) for _ in range(2)] for _ in range(3)] for name in "QKV"}
    formula = OTHERWAYS[step][which % len(OTHERWAYS[step])]
    problem = load(HEAD | {"given": numbers, "points": 3, "accept": [{step: formula}]})
    (node,) = problem.parts[0].alternatives[step]
    hand = Hand(
        rng, 2, rng.choice(HABITS[:4]), rng.choice(("full", *HABITS[:4])), carry=rng.choice(("print", "full", "guard"))
    )
    bound = simulated(problem, hand, {step: node}, lambda one: one.name not in left_out)
    report = mark(problem, bound)
    assert not any(found.verdict == "wrong" for found in report.steps), [
        (found.step.name, found.verdict) for found in report.steps
    ]


OTHERS = {
    "S": ["Q @ K.T * 0", "Q @ K.T * 0 + 1", "K @ Q.T"], "S_scaled": ["S / cols(K)", "S", "S * 0"],
    "A": ["softmax(S)", "softmax(0 * S)", "identity(3)"], "Y": ["V * 0", "V * 0 + 1", "[[2, 2], [2, 2], [2, 2]]"],
    "Z": ["A @ V", "0 * A @ Y"],
}  # fmt: skip


@pytest.mark.sweep(quick=0)
@given(st.integers(0, 10**6), st.sampled_from(list(OTHERS)), st.integers(0, 2), st.integers(0, 3), st.booleans())
@examples(120)
def test_an_accepted_formula_earns_what_it_would_as_the_own_one(seed, step, which, digits, stated):
    """Also where its numbers are all equal: they are what was asked then, and make nothing that follows trivial."""
    rng = random.Random(seed)
    numbers = {name: [[rng.randint(-3, 3) for _ in range(2)] for _ in range(3)] for name in "QKV"}
    steps = {"S": "Q @ K.T", "S_scaled": "S / sqrt(cols(K))", "Y": "V * 2", "A": "softmax(S_scaled)", "Z": "A @ Y"}
    formula, asked = OTHERS[step][which % len(OTHERS[step])], {"given": numbers, "points": 5, "asked": list(steps)}
    asked |= {"rounding": {"digits": 2}} if stated else {}
    one, other = (
        load(asked | {"steps": steps, "accept": [{step: formula}]}),
        load(asked | {"steps": steps | {step: formula}}),
    )
    bound = simulated(other, Hand(rng, digits, "half_up"), {}, lambda _: True)
    own = {line.name: line for line in one.plan.steps()}
    same = Bound(bound.script, one, tuple(Filled(line.part, own[line.step.name], line.cells) for line in bound.steps))
    reports = mark(one, same), mark(other, bound)
    trivial = [
        {found.step.name for found in report.steps if found.mark.reasons == because(Reason.TRIVIAL)}
        for report in reports
    ]
    assert trivial[0] <= trivial[1]
    assert digits < 2 or reports[0].earned >= reports[1].earned


@given(st.integers(0, 10**6))
@examples(40)
def test_several_accepted_formulas_of_steps_left_out_are_right_together(seed):
    rng = random.Random(seed)
    numbers = {name: [[rng.randint(-3, 3) for _ in range(2)] for _ in range(3)] for name in "QKV"}
    accept = {step: rng.choice(formulas) for step, formulas in OTHERWAYS.items() if step != "Z"}
    problem = load(
        HEAD | {"given": numbers, "points": 3, "accept": [{step: formula} for step, formula in accept.items()]}
    )
    by = {step: problem.parts[0].alternatives[step][0] for step in accept}
    bound = simulated(problem, Hand(rng, 2, "half_up"), by, lambda step: step.name == "Z")
    assert [found.verdict for found in mark(problem, bound).steps if found.step.name == "Z"] == ["right"]


@for_each("accept, said", [
    ([{"SS": "S"}], "accept: no step is called 'SS'; did you mean S?"),
    ([{"A": "softmax(Z)"}], "accept: A: expected 2 × 3, found 2 × 2"),
    ([{"A": "A"}], "expected a formula with givens and steps before A, found the later step A"),
    ([{"S": "softmax("}], "its brackets do not match"),
    ([["S"]], "the code of a mistake, or a step with a different formula or value"),
    (["scale-forgoten"], "accept: expected the code of a mistake, found"),
])  # fmt: skip
def test_what_cannot_be_accepted(accept, said):
    with pytest.raises(AttncalcError) as caught:
        load(HEAD | {"accept": accept})
    assert said in str(caught.value)


@for_each("rubric, answers, marks", [
    ({"mistakes": {"scale-forgotten": "1/2"}}, UNSCALED, Fraction(11, 2)),
    # of two that fit, the milder
    ({"mistakes": {"scale-forgotten": "1/2", "softmax-of-unscaled": "0.75"}}, UNSCALED, Fraction(25, 4)),
    ({"mistakes": {"mask-forgotten": "1/2"}}, UNSCALED, 4),
    ({"method": 0}, RIGHT_ANSWERS, 7),
    ({"method": "1/3"}, RIGHT_ANSWERS | {"A": [["0.40", "0.21", "0.40"], ["0.40", "0.40", "0.20"]]}, 5),  # a last digit
])  # fmt: skip
def test_a_rubric_shares_the_points_out(rubric, answers, marks):
    assert check(load(HEAD | {"rubric": rubric}), {"answers": answers}).earned == marks


@pytest.mark.parametrize("asked", ["S, A, Z", "S, S_scaled, A, Z"])
@pytest.mark.parametrize("shares, named", [
    ({"scale-forgotten": "1/2"}, "scale-forgotten leaves 1/2 of the points"),
    ({"scale-forgotten": "1/2", "softmax-of-unscaled": "3/4"}, "leaves 3/4 of the points"),
])  # fmt: skip
def test_the_mistake_that_a_rubric_leaves_points_for_is_named(tmp_path, asked, shares, named):
    """ "This mistake leaves 1/2 of the points" did not say which; also where it comes from a step that was left out."""
    problem = HEAD | {"asked": asked.split(", "), "points": 8, "rubric": {"mistakes": shares}}
    (tmp_path / "p.json").write_text(json.dumps(problem))
    (tmp_path / "a.yaml").write_text(
        "student: s-1\nanswers:\n" + "".join(f"  {k}: {json.dumps(v)}\n" for k, v in UNSCALED.items())
    )
    out = called("grade", tmp_path / "p.json", tmp_path / "a.yaml", "--feedback", tmp_path / "fb")[1]
    page = (tmp_path / "fb" / "s-1.md").read_text()
    (row,) = csv.DictReader(io.StringIO(out))
    data = called("check", tmp_path / "p.json", tmp_path / "a.yaml", "--to", "json")[1]
    for text in (row["remarks"], page, data):
        assert named in text and "this mistake" not in text
    codes = [
        reason["code"] for part in json.loads(data)["parts"] for step in part["steps"] for reason in step["reasons"]
    ]
    assert "rubric" in codes
    code = re.search(r"([a-z-]+) leaves", row["remarks"])[1]
    assert code in shares and code in row["codes"]


@for_each("rubric, said", [
    ({"method": 2}, "method: expected a share from 0 to 1"),
    ({"method": "1e999999999"}, "method: expected a share from 0 to 1"),
    ({"mistakes": {"scale-forgoten": "1/2"}}, "rubric: expected the code of a mistake, found"),
    ({"mistaks": {}}, "did you mean mistakes?"),
    ("half", "rubric: expected a mapping"),
    *(({"round": step}, "round: expected a number above 0 and up to 100, such as 1/2") for step in (0, -1, 101, "x", [1])),
])  # fmt: skip
def test_a_rubric_that_is_none(rubric, said):
    with pytest.raises(AttncalcError) as caught:
        load(HEAD | {"rubric": rubric})
    assert said in str(caught.value)


def test_a_sheet_says_what_is_accepted_and_how_points_are_shared_out():
    sheet = read_sheet(b"accept: mask-forgotten\nrubric: {method: 1/2}\nseed: 1\nquestions:\n- {problem: "
                       b"look-ahead-mask, accept: [scale-forgotten]}\n"
                       b"- generate: self_attention\n  with: {tokens: 2, d_model: 2, d_k: 2}\n  accept: {Z: A @ X @ "
                       b"W_V}\n  rubric: {method: 1/4}\n", "s.yaml")  # fmt: skip
    (variant,) = make_variants_distinct(sheet, sheet.students, (draw_all(sheet, student) for student in sheet.students))
    problem = read_problem(variant.problem, "variant", "variant")
    first, second = problem.parts[0], problem.parts[-1]
    assert {"mask-forgotten", "scale-forgotten"} <= {*first.accept} and {*second.accept} == {"mask-forgotten"}
    assert list(second.alternatives) == ["Z"] and (first.rubric.method, second.rubric.method) == (
        Fraction(1, 2),
        Fraction(1, 4),
    )


# -- a class marked again ----------------------------------------------------------------------------------------------


@pytest.fixture
def exam(tmp_path):
    """A key of two variants, and scripts: one right, one without the scale, one wrong in q2_two."""
    variants = [
        {"code": code, "number": k, "student": None, "seed": str(k), "problem": IN_ONE}
        for k, code in enumerate(("K7Q2", "M3XX"), 1)
    ]
    (tmp_path / "key.json").write_text(
        json.dumps({"format": 1, "kind": "attncalc key", "title": "Midterm", "variants": variants})
    )
    scripts = tmp_path / "scripts"
    scripts.mkdir()
    for who, code, q1, two in (
        ("a", "K7Q2", RIGHT_ANSWERS, "[[6, 9]]"),
        ("b", "K7Q2", UNSCALED, "[[6, 9]]"),
        ("c", "M3XX", UNSCALED, "[[0, 1]]"),
    ):
        (scripts / f"{who}.yaml").write_text(WRITTEN.format(code=code, who=who, q1=json.dumps(q1), two=two))
    return tmp_path


def regrade(exam, changes, *more):
    (exam / "changes.yaml").write_text(changes)
    return called("regrade", exam / "key.json", exam / "changes.yaml", exam / "scripts", *more)


def told(exam, changes):
    code, out, err = regrade(exam, changes, "--to", "json")
    assert (code, err) == (0, "")
    found = {
        one["student"]: {s["step"]: (s["before"], s["after"], s["because"]) for s in one["steps"]}
        for one in json.loads(out)["changed"]
    }
    return {
        who: {step: (b and b["marks"], a and a["marks"], why) for step, (b, a, why) in steps.items()}
        for who, steps in found.items()
    }


@for_each("changes", [
    "accept: [scale-forgotten]",
    "questions: {q1: {accept: [{A: softmax(S)}, {Z: A @ V * 2}]}}",
    "questions: {q2_two: {accept: {C: [[0, 1]]}}, q1: {accept: [scale-without-root]}}",
    "accept: [scale-forgotten]\nquestions: {q1: {points: {A: 4}}}",
])  # fmt: skip
def test_a_script_that_is_right_would_be_marked_as_before(exam, monkeypatch, changes):
    table, new = ("--marks", exam / "new.csv", "--force"), exam / "new.csv"
    kept = regrade(exam, changes, *table), new.read_text()
    monkeypatch.setattr("attncalc.gradebook.regrade.regrade._is_full", lambda row: False)
    assert kept == (regrade(exam, changes, *table), new.read_text())


@pytest.mark.sweep(quick=2)
@pytest.mark.parametrize("changes, moved", [
    ("questions: {q1: {accept: [scale-forgotten], reason: the slides}}",
     {"b": {"q1.A": ("0", "2")}, "c": {"q1.A": ("0", "2")}}),
    ("accept: {q1.A: softmax(S)}", {"b": {"q1.A": ("0", "2")}, "c": {"q1.A": ("0", "2")}}),
    ("variants: {K7Q2: {questions: {q1: {accept: {A: softmax(S)}}}}}", {"b": {"q1.A": ("0", "2")}}),
    ("questions: {q2_two: {accept: {C: [[0, 1]]}}}", {"c": {"q2_two.C": ("0", "1")}}),
    ("drop: [q2]", {who: {"q2_one.C": ("1", None), "q2_two.C": (right, None)} for who,
     right in (("a", "1"), ("b", "1"), ("c", "0"))}),
    ("drop: [q1.A]", {who: {"q1.A": (right, None)} for who, right in (("a", "2"), ("b", "0"), ("c", "0"))}),
    ("questions: {q1: {rubric: {mistakes: {scale-forgotten: 1/2}}}}",
     {"b": {"q1.A": ("0", "1")}, "c": {"q1.A": ("0", "1")}}),
    ("questions: {q1: {points: {A: 4}}}", {"a": {"q1.A": ("2", "4")}, "b": {"q1.A": ("0", "0")},
     "c": {"q1.A": ("0", "0")}}),
    ("questions: {q2: {points: 4}}", {"a": {"q2_one.C": ("1", "2"), "q2_two.C": ("1", "2")},
                                      "b": {"q2_one.C": ("1", "2"), "q2_two.C": ("1", "2")},
                                      "c": {"q2_one.C": ("1", "2"), "q2_two.C": ("0", "0")}}),
    ("questions: {q2: {points: {two: 3}}}",
     {who: {"q2_two.C": ("1", "3")} for who in "ab"} | {"c": {"q2_two.C": ("0", "0")}}),
    ("questions:\n- {problem: x, points: {S: 2, A: 2, Z: 2}, accept: scale-forgotten}\n- {problem: y}",
     {"b": {"q1.A": ("0", "2")}, "c": {"q1.A": ("0", "2")}}),
    ("rubric: {round: 4}", {"b": {"all": ("6", "8")}, "c": {"all": ("5", "4")}}),
    ("round: 4\nquestions:\n- {problem: x}\n- {problem: y}", {"b": {"all": ("6", "8")}, "c": {"all": ("5", "4")}}),
])  # fmt: skip
def test_whose_marks_change_from_what_to_what(exam, changes, moved):
    found = told(exam, changes)
    assert {who: {step: marks[:2] for step, marks in steps.items()} for who, steps in found.items()} == moved
    assert all(marks[2] for steps in found.values() for marks in steps.values())  # each with its reason


def test_points_of_a_question_and_of_a_step_and_a_dropped_step_go_together(exam):
    regrade(
        exam, "questions: {q1: {points: {S: 1, A: 1}}}\ndrop: [q1.Z]\n", "--marks", exam / "m.csv", "-o", exam / "o.md"
    )
    rows = list(csv.DictReader(io.StringIO((exam / "m.csv").read_text())))
    assert "q1.Z" not in rows[0] and [(row["q1.S"], row["q1.A"], row["out_of"]) for row in rows] == [
        ("1", "1", "4"),
        ("1", "0", "4"),
        ("1", "0", "4"),
    ]


ONE_OF = """\
title: Midterm
parts:
  q1: {given: GIVEN, rounding: {digits: 2}, steps: {S: Q @ K.T, S_root: S / sqrt(2), W: softmax(S_root), Z: W @ V}, asked: [S, W, Z], points: 6}
""".replace("GIVEN", json.dumps(KEY).replace('"', ""))


@pytest.fixture
def one_of(exam):
    """The same exam, where the second paper's first question is another one, with a step W where the first has A."""
    data = json.loads((exam / "key.json").read_text())
    data["variants"][1]["problem"] = ONE_OF
    (exam / "key.json").write_text(json.dumps(data))
    right = {"W" if name == "A" else name: rows for name, rows in RIGHT_ANSWERS.items()}
    (exam / "scripts" / "c.yaml").write_text(f"problem: M3XX\nstudent: c\nanswers:\n  q1: {json.dumps(right)}\n")
    return exam


@pytest.mark.parametrize("points, moved", [
    ("{A: 4}", {"a": {"q1.A": ("2", "4")}, "b": {"q1.A": ("0", "0")}}),
    ("{A: 4, W: 3}", {"a": {"q1.A": ("2", "4")}, "b": {"q1.A": ("0", "0")}, "c": {"q1.W": ("2", "3")}}),
    ("{q1.W: 5}", {"c": {"q1.W": ("2", "5")}}),
])  # fmt: skip
def test_points_name_the_steps_that_a_paper_has(one_of, points, moved):
    found = told(one_of, f"questions: {{q1: {{points: {points}}}}}" if "q1" not in points else f"points: {points}")
    assert {who: {step: marks[:2] for step, marks in steps.items()} for who, steps in found.items()} == moved


def test_points_of_a_step_that_no_paper_has(one_of):
    code, _, err = regrade(one_of, "questions: {q1: {points: {A: 4, B: 1}}}")
    assert code == 2 and "no step is called 'B'" in err and "'A'" not in err


def test_marks_by_hand_for_a_dropped_step_are_left_out_and_told(exam):
    """By the old key they count, by the new one they do not, and the class is graded all the same."""
    (exam / "o.csv").write_text("student,step,marks\na,q1.A,1\nb,q2_two.C,0\n")
    assert regrade(exam, "drop: [q1.A, q2]", "--new-key", exam / "new.json", "--overrides", exam / "o.csv")[0] == 0
    code, out, err = called("grade", exam / "new.json", exam / "scripts", "--overrides", exam / "o.csv")
    assert (
        code == 0
        and "o.csv:2:3: q1.A has no points; the override is ignored" in err
        and "q2_two.C has no points" in err
    )
    rows = {row["student"]: row for row in csv.DictReader(io.StringIO(out))}
    assert (rows["a"]["marks"], rows["a"]["out_of"]) == ("4", "4") and "the step is worth no points" in rows["a"][
        "remarks"
    ]
    plain = csv.DictReader(io.StringIO(called("grade", exam / "new.json", exam / "scripts")[1]))
    assert {row["student"]: row["marks"] for row in plain} == {who: row["marks"] for who, row in rows.items()}


def tables_of(page):
    """The tables of a Markdown page by their headings, as rows of cells."""
    found, title = {}, ""
    for line in page.splitlines():
        title = line[3:] if line.startswith("## ") else title
        if line.startswith("|") and not line.startswith("|:") and not line.startswith("| -") and "---" not in line:
            found.setdefault(title, []).append([cell.strip() for cell in line.strip("|").split("|")])
    return {title: rows[1:] for title, rows in found.items()}


@pytest.mark.parametrize("changes", [
    "questions: {q1: {accept: [scale-forgotten], points: {A: 4}}}", "questions: {q1: {points: {A: 4}}}", "drop: [q2]",
    "questions: {q1: {accept: {A: softmax(S)}}}\ndrop: [q2_two.C]", "questions: {q2_two: {accept: {C: [[0, 1]]}}}",
])  # fmt: skip
def test_answers_marked_otherwise_stand_before_what_is_only_worth_other_points(exam, changes):
    """All rows of a class drowned the two whose answers were accepted. Each moved step is in one table alone."""
    _, page, _ = regrade(exam, changes, "--to", "markdown")
    data = json.loads(regrade(exam, changes, "--to", "json")[1])
    tables, otherwise, worth, alone = tables_of(page), set(), Counter(), set()
    for one in data["changed"]:
        shares = {}
        for step in one["steps"]:
            before, after = (
                (Fraction(x["marks"]), Fraction(x["out_of"])) if x else None for x in (step["before"], step["after"])
            )
            shares[step["step"]] = before and after and before[0] * after[1] != after[0] * before[1]
            worth[step["step"]] += (before and before[1]) != (after and after[1])
        otherwise |= {(one["student"], name) for name, moved in shares.items() if moved}
        alone |= {one["student"]} if not any(shares.values()) else set()
    assert {(row[0], row[1]) for row in tables.get("Changed points", []) if row[1] != "all"} == otherwise
    assert {row[0]: int(row[1]) for row in tables.get("Steps with changed points", [])} == {**+worth}
    assert {row[0] for row in tables.get("Scripts whose points change because of these steps", [])} == alone


MOVING = {
    "drop q1.S": ("drop", "q1.S", "q1.S is dropped"),
    "drop q1.A": ("drop", "q1.A", "q1.A is dropped"),
    "drop q1": ("drop", "q1", "q1 is dropped"),
    "A 6": ("points", {"A": 6}, "points of q1: {A: 6}"),
    "Z 1": ("points", {"Z": 1}, "points of q1: {Z: 1}"),
    "half": ("rubric", {"mistakes": {"scale-forgotten": "1/2"}}, 'rubric of q1: {mistakes: {"scale-forgotten": "1/2"}}'),
    "accept": ("accept", ["scale-forgotten"], "scale-forgotten is accepted in q1"),
    "q2": ("drop", "q2_one", "q2_one is dropped"),
}  # fmt: skip


def file_of(names):
    """A file with some of these changes."""
    q1 = {word: value for word, value, _ in (MOVING[name] for name in names) if word != "drop"}
    drop = [value for word, value, _ in (MOVING[name] for name in names) if word == "drop"]
    return json.dumps({"questions": {"q1": q1}} | ({"drop": drop} if drop else {}))


@pytest.mark.sweep(quick=2, ci=4)
@pytest.mark.parametrize("names", [
    ("A 6", "half"), ("drop q1.S", "A 6"), ("drop q1.A", "drop q1"), ("accept", "half", "q2"), ("drop q1.S", "Z 1", "half"),
    ("drop q1.A", "accept", "q2"),
])  # fmt: skip
def test_each_mark_names_the_changes_without_which_it_would_be_another(exam, names):
    """An answer that a rubric moves was told to move with the points of its step, and a step behind one that is dropped
    for no reason at all. Where each of several changes would do, all of them are named.
    """
    (exam / "scripts" / "d.yaml").write_text(
        WRITTEN.format(code="K7Q2", who="d", q1=json.dumps(SWAPPED), two="[[6, 9]]")
    )
    found = told(exam, file_of(names))
    without = {name: told(exam, file_of([one for one in names if one != name])) for name in names}
    alone = {name: told(exam, file_of([name])) for name in names}
    assert found
    for who, steps in found.items():
        for step, (before, after, why) in steps.items():
            now = {name: without[name].get(who, {}).get(step, (before, before)) for name in names}
            behind = [name for name in names if now[name][1] != after]
            behind = behind or [name for name in names if step in alone[name].get(who, {})]
            assert {*why} == {MOVING[name][2] for name in behind} != set(), (who, step)
    rows = tables_of(regrade(exam, file_of(names), "--to", "markdown")[1])
    assert all(row[-1] for title in ("Changed points", WORTH) for row in rows.get(title, []))


WORTH = "Steps with changed points"


@pytest.mark.parametrize("changes, listed", [
    ("questions: [{problem: x, points: {S: 2, A: 2, Z: 2}}, {problem: y, points: 2}]", []),
    ("questions: [{problem: x, points: {S: 2, A: 4, Z: 2}}, {problem: y, points: 2}]", ["points of q1: {A: 4}"]),
    ("questions: [{problem: x, points: {A: 2, Z: 3}}]", ["points of q1: {A: 2, Z: 3}"]),  # S counts no more
    ("questions: {q1: {points: {A: 2}}, q2_one: {points: 3}}", ["q2_one is worth 3 points"]),
    ("questions: [{problem: x, accept: [scale-forgotten]}, {problem: y, points: 2}]",
     ["scale-forgotten is accepted in q1"]),
])  # fmt: skip
def test_what_stays_as_it_was_is_not_listed(exam, changes, listed):
    """A sheet with one change in it says all of its points again."""
    code, out, _ = regrade(exam, changes, "--to", "json")
    assert code == 0 and json.loads(out)["changes"] == listed
    regrade(exam, changes, "--new-key", exam / "new.json")
    again = called("regrade", exam / "new.json", exam / "changes.yaml", exam / "scripts", "--to", "json")[1]
    assert json.loads(again)["changes"] == [] == json.loads(again)["changed"]


def test_every_fault_of_a_file_of_changes_is_told_at_once(exam):
    """The unknown key was told first, the questions that are none next, and the codes that are none last."""
    changes = "reasn: x\naccept: [scale-forgoten]\nquestions:\n  q9: {points: 3}\n  q1: {points: {B: 3}, accept: [x]}\n"
    code, _, err = regrade(
        exam, f"{changes}drop: [q7, {{}}]\nvariants: {{K7Q2: {{rubric: {{mistakes: {{y: 1/2}}}}}}}}\n"
    )
    places = ("1:1", "2:10", "4:16", "5:20", "5:33", "6:8", "6:12", "7:39")
    assert code == 2 and len(err.splitlines()) == len(places)
    for place, line in zip(places, err.splitlines(), strict=True):
        assert f"changes.yaml:{place}: " in line


def test_grades_by_a_scale_stand_beside_the_marks(exam):
    (exam / "scale.yaml").write_text("scale: {A: 90 %, B: 70 %, F: 0}")
    changes, scale = "accept: {q1.A: softmax(S)}", ("--scale", exam / "scale.yaml")
    out = regrade(exam, changes, *scale, "--marks", exam / "m.csv")[1]
    assert "6 of 8, B" in " ".join(out.split()) and "8 of 8, A" in " ".join(out.split())
    assert {row["student"]: row["grade"] for row in csv.DictReader(io.StringIO((exam / "m.csv").read_text()))} == {
        "a": "A",
        "b": "A",
        "c": "B",
    }
    changed = json.loads(regrade(exam, changes, *scale, "--to", "json")[1])["changed"]
    assert [(one["before"]["grade"], one["after"]["grade"]) for one in changed] == [("B", "A"), ("F", "B")]


def test_the_list_says_who_and_why_in_every_form(exam):
    changes = "reason: the slides divide by d_k\naccept: {q1.A: softmax(S)}\n"
    code, out, _ = regrade(exam, changes)
    assert code == 0 and "2 of 3 scripts have different points: 2 up." in " ".join(out.split())
    assert "q1.A may be softmax(S): the slides divide by d_k" in " ".join(out.split()) and "0 of 2" in out
    for ending in ("md", "html", "tex", "typ"):
        assert regrade(exam, changes, "-o", exam / f"list.{ending}")[0] == 0
        assert "0 of 2" in (exam / f"list.{ending}").read_text(encoding="utf-8")


def test_the_key_is_rewritten_only_on_request_and_then_grades_so(exam):
    before = (exam / "key.json").read_bytes()
    regrade(exam, "accept: {q1.A: softmax(S)}\nvariants: {M3XX: {drop: [q2]}}")
    assert (exam / "key.json").read_bytes() == before
    code, _, err = regrade(exam, "drop: [q2]", "--new-key", exam / "key.json")
    assert code == 2 and "--force to overwrite it" in err and (exam / "key.json").read_bytes() == before
    changes = "accept: {q1.A: softmax(S)}\nvariants: {M3XX: {drop: [q2]}}"
    code, _, err = regrade(exam, changes, "--marks", exam / "m.csv", "--new-key", exam / "key.json", "--force")
    assert (code, err) == (0, "")
    new = json.loads((exam / "key.json").read_bytes())
    assert [one | {"problem": ""} for one in new["variants"]] == [
        one | {"problem": ""} for one in json.loads(before)["variants"]
    ]
    assert called("grade", exam / "key.json", exam / "scripts")[1] == (exam / "m.csv").read_text()
    assert told(exam, "accept: {q1.A: softmax(S)}") == {}  # no mark moves any more


def with_own(exam):
    """The same key with a question in words (q3, 4 points) and one that is ticked (q4), and each script's words for
    them.
    """
    data = json.loads((exam / "key.json").read_text())
    for one in data["variants"]:
        one["own"] = [{"name": "q3", "kind": "free_text", "points": "4"},
                      {"name": "q4", "kind": "choices", "points": "2", "choices": [{"letter": "A"}, {"letter": "B"}],
                       "right": ["A"]}]  # fmt: skip
    (exam / "key.json").write_text(json.dumps(data))
    for path in sorted((exam / "scripts").iterdir()):
        path.write_text(path.read_text() + "  q4: A\n")
    (exam / "o.csv").write_text("student,step,marks\n" + "".join(f"{who},q3,3\n" for who in "abc"))
    return ["--overrides", exam / "o.csv"]


def test_questions_are_listed_in_the_order_of_the_paper(exam):
    """Those without steps stood behind all others."""
    with_own(exam)
    key = exam / "key.json"
    key.write_text(key.read_text().replace('"q3"', '"q10"'))
    assert "no question is called 'zzz'; there are q1, q2_one, q2_two, q4, q10" in regrade(exam, "drop: [zzz]")[2]


def test_questions_without_steps_have_other_points_or_are_dropped(exam):
    more = with_own(exam)
    changes = "questions: {q4: {points: 3, reason: hard}}\ndrop: [q3, q2]\n"
    _, out, err = regrade(exam, changes, *more, "--to", "json", "--new-key", exam / "new.json")
    assert "Traceback" not in err
    found = {
        step["step"]: (step["before"], step["after"])
        for one in json.loads(out)["changed"]
        if one["student"] == "a"
        for step in one["steps"]
    }
    assert found["q4"] == ({"marks": "2", "out_of": "2"}, {"marks": "3", "out_of": "3"}) and found["q3"][1] is None
    rows = list(csv.DictReader(io.StringIO(called("grade", exam / "new.json", exam / "scripts")[1])))
    assert [(row["out_of"], row["status"]) for row in rows] == [("9", "graded")] * 3 and "q3" not in rows[0]


@pytest.mark.parametrize("worth", ["1", "4", "6", "1/3", "2.5"])
def test_points_by_hand_keep_their_share(exam, worth):
    """In the column of a class table and in overrides, for questions and steps; the new key reads the same table so
    again.
    """
    with_own(exam)
    (exam / "class.csv").write_text("student,problem,q3,q4\na,K7Q2,4,A\nb,K7Q2,3,A\nc,M3XX,0,B\nd,M3XX,,A\n")
    (exam / "o.csv").write_text("student,step,marks\nd,q3,1\nd,q4,1\nd,q1.A,1\n")
    (exam / "changes.yaml").write_text(
        f"questions: {{q3: {{points: {worth}}}, q4: {{points: {worth}}}, q1: {{points: {{A: {worth}}}}}}}"
    )
    call = ["remark", exam / "key.json", exam / "changes.yaml", exam / "class.csv", "--overrides", exam / "o.csv"]
    code, out, err = called(*call, "--to", "json", "--new-key", exam / "new.json", "--marks", exam / "m.csv")
    assert (
        "Traceback" not in err
        and "left out" not in err
        and err.count("for the new key") == 3 - (worth == "4")
        and code == 0
    )
    found = {
        one["student"]: {s["step"]: (s["before"]["marks"], s["after"]["marks"]) for s in one["steps"]}
        for one in json.loads(out)["changed"]
    }
    moved = {(who, step): tuple(map(Fraction, marks)) for who, steps in found.items() for step, marks in steps.items()}
    for who, points in (("a", 4), ("b", 3), ("c", 0), ("d", 1)):
        assert worth == "4" or moved[who, "q3"] == (points, Fraction(points, 4) * Fraction(worth))
    assert moved["d", "q4"] == (1, Fraction(worth) / 2) and moved["d", "q1.A"] == (1, Fraction(worth) / 2)
    again = list(csv.DictReader(io.StringIO(called("grade", exam / "new.json", exam / "class.csv")[1])))
    marks = list(csv.DictReader(io.StringIO((exam / "m.csv").read_text())))
    assert [row["q3"] for row in again[:3]] == [row["q3"] for row in marks[:3]]
    jsonschema.validate(json.loads((exam / "new.json").read_text()), key_schema())


def test_an_override_above_what_the_step_is_worth_is_told(exam):
    """A mark set by hand that is left out, since another paper's step is worth more, stands on standard error."""
    data = json.loads((exam / "key.json").read_text())
    data["variants"][0]["problem"] = IN_ONE.replace("asked: [S, A, Z], points: 6", "asked: [S, A, Z], points: 3")
    (exam / "key.json").write_text(json.dumps(data))
    (exam / "o.csv").write_text("student,step,marks\nb,q1.A,2\n")
    code, _, err = called("grade", exam / "key.json", exam / "scripts", "--overrides", exam / "o.csv")
    assert code == 1 and "q1.A: the override at" in err and "is ignored: the step is worth 1 here" in err


def test_the_mean_is_told_in_percent_where_papers_are_worth_other_points(exam):
    assert "The mean was 6.33 points and is now 7.67." in " ".join(
        regrade(exam, "accept: {q1.A: softmax(S)}")[1].split()
    )
    assert "The mean was 79.2 % of the points and is now 77.8 %." in " ".join(regrade(exam, "drop: [q2]")[1].split())


def test_a_key_of_questions_without_steps_alone(exam):
    with_own(exam)
    data = json.loads((exam / "key.json").read_text())
    (exam / "key.json").write_text(json.dumps(data | {"variants": [one | {"problem": ""} for one in data["variants"]]}))
    for path in (exam / "scripts").iterdir():
        path.write_text(f"problem: K7Q2\nstudent: {path.stem}\nanswers: {{q4: A}}\n")
    out = regrade(exam, "drop: [q3]\nquestions: {q4: {points: 5}}", "--to", "json")[1]
    assert {
        step["after"] and step["after"]["marks"] for one in json.loads(out)["changed"] for step in one["steps"]
    } == {"5", None}


def test_a_question_without_steps_accepts_nothing_else(exam):
    with_own(exam)
    code, out, err = regrade(exam, "questions: {q3: {accept: [scale-forgotten]}}\ndrop: [q5]\n")
    assert (
        (code, out) == (2, "")
        and "expected points from 0 to 1,000,000, or drop" in err
        and "no question is called 'q5'" in err
    )


def test_marks_set_by_hand_stay(exam):
    (exam / "o.csv").write_text("student,step,marks,reason\nb,q1.A,1,half\n")
    code, out, _ = regrade(exam, "accept: {q1.A: softmax(S)}", "--overrides", exam / "o.csv", "--to", "json")
    assert code == 0 and [one["student"] for one in json.loads(out)["changed"]] == ["c"]


def test_every_change_that_fits_nothing_is_told_and_nothing_is_written(exam):
    changes = """\
accept: [scale-forgotten, {q1.AA: softmax(S)}]
questions: {q3: {points: 2}, q1: {accept: {A: "softmax("}, points: {T: 1}}, q2_one: {points: 1e999999999}}
drop: [q1.B]
variants: {XXXX: {drop: [q1]}}
"""
    code, out, err = regrade(exam, changes, "--marks", exam / "m.csv", "--new-key", exam / "new.json")
    assert (code, out) == (2, "") and not (exam / "m.csv").exists() and not (exam / "new.json").exists()
    assert "Traceback" not in err
    for said in ("1:35: no step is called 'AA'", "no question is called 'q3'; there are q1", "brackets do not match",
                 "no step is called 'T'",
                 "a number from 0 to 1,000,000", "no step is called 'B'",
                 "4:26: the key has no variant 'XXXX'"):  # fmt: skip
        assert said in err, said


@pytest.mark.parametrize("changes, said", [
    ("", "expected a mapping with accept:"),
    ("[1]", "expected a mapping with accept:"),
    ("title: x", "a file of changes has no key 'title'"),
    ("questions: {q1: 4}", "q1: expected a mapping such as {points: 4}, found"),
    ("drop: {q1: 2}", "drop: expected a list of questions and steps"),
    ("questions: [{one_of: [{points: 2}, {}]}]", "the key does not list the papers with this question"),
    ("reason: none", "found none of these keys"),
])  # fmt: skip
def test_files_that_are_no_changes(exam, changes, said):
    code, out, err = regrade(exam, changes)
    assert (code, out) == (2, "") and said in err and "Traceback" not in err


def test_a_file_of_changes_has_a_limit(tmp_path):
    """50,000 dropped steps took minutes, without a message."""
    (tmp_path / "p.yaml").write_text("given: {S: [[1, 2]]}\nsteps: {A: 2 * S}\n")
    (tmp_path / "a.yaml").write_text("answers: {A: [[2, 4]]}\n")
    (tmp_path / "c.yaml").write_text("drop: [" + "A, " * 201 + "]\n")
    code, out, err = called("regrade", *(tmp_path / name for name in ("p.yaml", "c.yaml", "a.yaml")))
    assert (code, out) == (2, "")
    assert "c.yaml:1:1: a file can contain at most 200 changes to a key; found 201; " in err

"""A class that answered other papers is told once, in a question; an honest class is not asked, however weak."""

import csv
import io
import json
import random

import pytest

import attncalc
from tests.support.called import called

SHEET = """\
title: {title}
seed: {seed}
rounding: {{digits: 2}}
students: [{students}]
questions:
  - {{generate: self_attention, with: {{tokens: 3, d_model: 3, d_k: 2, mask: causal}}, asked: [S, A, Z], points: 6}}
  - {{generate: cross_attention, with: {{asking: 2, tokens: 3, d_model: 3, d_k: 2}}, asked: [A, Z], points: 4}}
"""
STUDENTS = [f"s-{k}" for k in range(12)]
SAID = "is this the key of these papers?"


@pytest.fixture(scope="module")
def exams(tmp_path_factory):
    """Of the midterm and of its resit: the key's path, and of each student the right answers by step."""
    found = {}
    for title, seed in (("Midterm", 4), ("Resit", 5)):
        home = tmp_path_factory.mktemp(title)
        (home / "sheet.yaml").write_text(SHEET.format(title=title, seed=seed, students=", ".join(STUDENTS)))
        assert called("exam", home / "sheet.yaml", "-o", home / "out", "--to", "latex")[0] == 0
        papers = {}
        for paper in json.loads((home / "out" / "key.json").read_text())["variants"]:
            parts = attncalc.solve(attncalc.api.loads(paper["problem"])).parts
            papers[paper["student"]] = {step.step.key: step.decimals() for part in parts for step in part}
        found[title] = home / "out" / "key.json", papers
    return found


def graded(key, tmp_path, scripts, *more):
    """The exit code, the table's rows and what is told, of a table without the papers' codes."""
    names = [f"{step}[{i},{j}]" for step, n in WIDTHS.items() for i in range(n) for j in range(COLUMNS[step])]
    with open(tmp_path / "class.csv", "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["student", *names])
        for who, steps in scripts.items():
            cells = {
                f"{step}[{i},{j}]": x
                for step, rows in steps.items()
                for i, r in enumerate(rows)
                for j, x in enumerate(r)
            }
            table.writerow([who, *(cells.get(name, "") for name in names)])
    code, out, err = called("grade", key, tmp_path / "class.csv", *more)
    return code, list(csv.DictReader(io.StringIO(out))), err


WIDTHS = {"q1.S": 3, "q1.A": 3, "q1.Z": 3, "q2.A": 2, "q2.Z": 2}
COLUMNS = {"q1.S": 3, "q1.A": 3, "q1.Z": 2, "q2.A": 3, "q2.Z": 2}


@pytest.mark.sweep(quick=2, ci=2)
@pytest.mark.parametrize("left_out", [(), ("q1.S",), ("q1.S", "q1.A", "q2.A"), ("q2.A", "q2.Z")])
def test_the_key_of_another_exam_is_asked_about_once(exams, tmp_path, left_out):
    """The midterm's scripts earned points by the resit's key for what follows from their first lines."""
    (key, _), (_, papers) = exams["Resit"], exams["Midterm"]
    scripts = {who: {s: rows for s, rows in steps.items() if s not in left_out} for who, steps in papers.items()}
    code, rows, err = graded(key, tmp_path, scripts | {"s-3": {}})
    assert code == 1 and {row["student"]: row["status"] for row in rows} == dict.fromkeys(scripts, "graded") | {
        "s-3": "absent"
    }
    assert err.count(SAID) == 1 and "In 11 scripts, " in err and "start with wrong numbers" in err
    code, _, err = graded(exams["Midterm"][0], tmp_path, scripts)
    assert (code, err) == (0, "")


def test_answers_beside_the_wrong_students_are_asked_about(exams, tmp_path):
    """One column was sorted, and the others were not."""
    key, papers = exams["Midterm"]
    moved = dict(zip(STUDENTS, [papers[who] for who in STUDENTS[1:] + STUDENTS[:1]], strict=True))
    assert SAID in graded(key, tmp_path, moved)[2]


def slipped(steps, random_one, many):
    """Entries of the first lines that are wrong somehow, and what stands behind them as it was."""
    found = {step: [list(row) for row in rows] for step, rows in steps.items()}
    for step in ("q1.S", "q2.A"):
        rows = found[step]
        for _ in range(many):
            i, j = random_one.randrange(len(rows)), random_one.randrange(len(rows[0]))
            rows[i][j] = f"{float(rows[i][j].replace('−', '-')) + random_one.choice([-2, -1, 1, 3]):.2f}"
    return found


HONEST = {
    "one slip": lambda steps, one: slipped(steps, one, 1),
    "two slips": lambda steps, one: slipped(steps, one, 2),
    "division.": lambda steps, one: steps | {"q1.S": [*map(list, zip(*steps["q1.S"], strict=True))]},
    "negated": lambda steps, one: steps | {"q1.S": [[f"-{x}".replace("--", "") for x in row] for row in steps["q1.S"]]},
    "nothing": lambda steps, one: {},
    "one question right": lambda steps, one: {step: rows for step, rows in steps.items() if step[:2] == "q2"}
    | {"q1.S": [["7"] * 3] * 3},
}  # fmt: skip


@pytest.mark.parametrize("how", HONEST)
def test_an_honest_class_is_not_asked_however_weak(exams, tmp_path, how):
    key, papers = exams["Midterm"]
    one = random.Random(7)
    _, rows, err = graded(key, tmp_path, {who: HONEST[how](papers[who], one) for who in STUDENTS})
    assert len(rows) == len(STUDENTS) and SAID not in err


@pytest.mark.sweep(quick=2, ci=2)
@pytest.mark.parametrize("strangers", [10, 0, 6, 12, 11])
def test_some_who_answered_something_else_are_no_class(exams, tmp_path, strangers):
    (key, papers), (_, others) = exams["Midterm"], exams["Resit"]
    scripts = {who: (others if k < strangers else papers)[who] for k, who in enumerate(STUDENTS)}
    assert (SAID in graded(key, tmp_path, scripts)[2]) == (strangers >= 11)


def test_two_scripts_are_no_class(exams, tmp_path):
    (key, _), (_, papers) = exams["Resit"], exams["Midterm"]
    assert SAID not in graded(key, tmp_path, {who: papers[who] for who in STUDENTS[:2]})[2]


def test_rows_that_were_kept_say_the_same(exams, tmp_path):
    (key, _), (_, papers) = exams["Resit"], exams["Midterm"]
    for _ in range(2):
        assert SAID in graded(key, tmp_path, papers, "--resume", tmp_path / "kept.jsonl")[2]


def test_a_problem_that_was_not_the_one_answered(exams, tmp_path):
    """A key that is a problem alone has no codes to compare."""
    problem = {"given": {"Q": [[1, 2], [3, 4]], "K": [[5, 1], [2, 7]]}, "steps": {"S": "Q @ K.T"}}
    (tmp_path / "p.json").write_text(json.dumps(problem))
    rows = "".join(f"s-{k},{k},{k + 2},{3 * k},{5 - k}\n" for k in range(8))
    (tmp_path / "class.csv").write_text(f'student,"S[0,0]","S[0,1]","S[1,0]","S[1,1]"\n{rows}')
    err = called("grade", tmp_path / "p.json", tmp_path / "class.csv")[2]
    assert SAID in err and "check whether this is the problem" in err

"""Practice on paper: worked first steps, the last ones to fill in, and the solution."""

from __future__ import annotations

import re

import pytest
from click.testing import CliRunner

from attncalc import load, solve
from attncalc.cli import cli
from attncalc.explain.faded_examples import LEVELS, faded_document, level_of, steps_left
from attncalc.render import text

PROBLEM = """
title: Three words
given: {X: [[1, 0], [0, 1], [1, 1]], W_Q: [[1, 0], [0, 1]], W_K: [[1, 1], [0, 1]], W_V: [[1, 2], [3, 4]]}
rounding: {digits: 3}
self_attention: {mask: causal}
"""


@pytest.fixture(scope="module")
def solution():
    import yaml

    return solve(load(yaml.load(PROBLEM, Loader=yaml.BaseLoader)))


@pytest.mark.parametrize("level", range(1, LEVELS + 1))
def test_what_is_left_shows_no_number_before_the_solution(solution, level):
    page = text.write(faded_document(solution, solution.parts, level))
    exercise, _, answer = page.partition("Three words: solution")
    steps = [step for step in solution.parts[0].steps if not step.given]
    left = steps[len(steps) - steps_left(len(steps), level) :]
    for step in steps:
        there = re.search(rf"^ *{step.name} = .*?(?=^ *\w+ = |\Z)", exercise, re.S | re.M)[0]
        assert ("____" in there) == (step in left), step.name
        assert step not in left or there.count("____") >= step.step.node.size
        assert step.decimals(3)[1][1] in answer or step.decimals(3)[1][1].rstrip("0.") in answer
    assert "____" not in answer


@pytest.mark.parametrize("ending", ["", "md", "html", "tex", "typ"])
def test_a_students_sheet_has_no_names_of_options(tmp_path, ending):
    """As on papers: what `mask_at: scores` means, and not the name by which a file sets it."""
    made = "given: {Q: [[1, 0], [2, 1]], K: [[1, 1], [0, 2]], V: [[1, 2], [3, 5]]}\nattention: {mask: causal, mask_at: scores}"
    (tmp_path / "p.yaml").write_text(made)
    more = ["-o", str(tmp_path / f"p.{ending}")] if ending else []
    page = CliRunner().invoke(cli, ["solve", str(tmp_path / "p.yaml"), "--fade", "1", *more]).output
    page = (tmp_path / f"p.{ending}").read_text() if ending else page
    assert page.count("the mask is applied before scaling") == 2 and "(the mask is applied" not in page
    assert not re.search(r"mask\W{0,3}at\b", page)


def test_a_single_number_is_left_to_do_as_well(tmp_path):
    (tmp_path / "p.yaml").write_text("given: {a: 2, b: 3}\nsteps: {c: a * b, d: c + 1}\n")
    done = CliRunner().invoke(cli, ["solve", str(tmp_path / "p.yaml"), "--fade", "1"]).output
    assert (
        re.search(r"d = c \+ 1\n\s*d = ____", done.partition("solution")[0])
        and "= 7" in done
        and "= 7" not in done.partition("solution")[0]
    )


def test_another_name_for_a_matrix_is_not_what_is_left(tmp_path):
    (tmp_path / "p.yaml").write_text("given: {X: [[1, 3, 5], [2, 2, 8]]}\nlayer_norm: {}\nrounding: {digits: 2}\n")
    exercise = (
        CliRunner().invoke(cli, ["solve", str(tmp_path / "p.yaml"), "--fade", "1"]).output.partition("solution")[0]
    )
    assert exercise.count("____") >= 6 and "-1.22" not in exercise.replace("−", "-"), "normed is left, and Y = normed"


@pytest.mark.parametrize("more", [["--step", "A"], ["--to", "json"], ["--to", "svg"]])
def test_whole_parts_are_faded(tmp_path, more):
    (tmp_path / "p.yaml").write_text(PROBLEM)
    done = CliRunner().invoke(cli, ["solve", str(tmp_path / "p.yaml"), "--fade", "1", *more])
    assert done.exit_code and "--fade" in str(done.exception)


def test_more_is_left_from_question_to_question():
    assert [level_of(k, 4) for k in range(1, 5)] == [1, 2, 3, 4] and level_of(1, 1) == 1 and level_of(2, 2) == LEVELS


def test_an_exercise_sheet_shows_the_first_steps(tmp_path):
    sheet = (
        "title: Exercise\npractice: true\nrounding: {digits: 3}\nquestions: [{problem: p.yaml}, {problem: p.yaml}]\n"
    )
    (tmp_path / "p.yaml").write_text(PROBLEM)
    (tmp_path / "sheet.yaml").write_text(sheet)
    done = CliRunner().invoke(
        cli,
        ["exam", str(tmp_path / "sheet.yaml"), "-o", str(tmp_path / "out"), "--to", "latex"],
        catch_exceptions=False,
    )
    assert done.exit_code == 0
    paper, solved = ((tmp_path / "out" / next(f.name for f in (tmp_path / "out").iterdir() if word in f.name and f.suffix == ".tex")).read_text()
                     for word in ("paper", "solution"))  # fmt: skip
    assert paper.count("$0.284$") == 1 and "$3.008$" not in paper, (
        "weights are worked out in question 1 alone, Z in none"
    )
    assert solved.count("$0.284$") == 2 == solved.count("$3.008$")

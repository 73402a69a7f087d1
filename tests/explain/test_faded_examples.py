"""Practice on paper: worked first steps, the last ones to fill in, and the solution."""

from __future__ import annotations

import re

import pytest
from click.testing import CliRunner

from attncalc import check, load, solve
from attncalc.cli import cli
from attncalc.explain.document import Formula, Grid, Heading, Matrices, Section
from attncalc.explain.faded_examples import LEVELS, ROOM, faded_document, level_of, steps_left, steps_to_do
from attncalc.explain.report_document import report_document
from attncalc.explain.report_messages import NEXT
from attncalc.formula.syntax_tree import is_table, unparse
from attncalc.lessons.small_problems import CASES, problem
from attncalc.render import text
from tests.support.sweeps import for_each

PROBLEM = """
title: Three words
given: {X: [[1, 0], [0, 1], [1, 1]], W_Q: [[1, 0], [0, 1]], W_K: [[1, 1], [0, 1]], W_V: [[1, 2], [3, 4]]}
rounding: {digits: 3}
self_attention: {mask: causal}
"""

# Lessons with steps whose formulas list their results, or whose labels are results
LISTED = ("greedy_decode", "beam_search", "byte_pair_merges", "bleu", "ngram_perplexity", "t5_attention")


@pytest.fixture(scope="module")
def solution():
    import yaml

    return solve(load(yaml.load(PROBLEM, Loader=yaml.BaseLoader)))


@for_each("level", range(1, LEVELS + 1))
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


def walked(blocks, inside=""):
    """The blocks with the section in which they are."""
    for block in blocks:
        yield block, inside
        if isinstance(block, Section):
            yield from walked(block.blocks, block.title)


@for_each("lesson", [*LISTED, *(name for name in CASES if name not in LISTED)], quick=8)
def test_an_exercise_shows_no_result_as_a_number_a_formula_or_a_label(lesson):
    solution = solve(load(problem(lesson)))
    steps = [result.step for part in solution.parts for result in part.steps if not result.given]
    left = {step.name for step in steps_to_do(steps, LEVELS)}
    found = {labels for step in steps for labels in (step.rows, step.columns) if labels not in step.blank_labels}
    for block, inside in walked(faded_document(solution, solution.parts, LEVELS).blocks):
        match block:
            case Heading(title) if title.endswith(": solution"):
                break
            case Formula(name, stages) if {unparse(name), f"{inside}.{unparse(name)}"} & left:
                assert len(stages) <= 1 and not any(is_table(side.tree) for side in stages)
            case Matrices(items):
                for grid in items:
                    if isinstance(grid, Grid) and {unparse(grid.name), f"{inside}.{unparse(grid.name)}"} & left:
                        assert {cell.text for row in grid.cells for cell in row} == {ROOM}
                        assert not {grid.rows, grid.columns} & found


@for_each("lesson", LISTED)
def test_the_next_step_of_a_report_does_not_show_its_result(lesson):
    loaded = load(problem(lesson))
    solution = solve(loaded)
    results = [result for result in solution.parts[0].steps if not result.given]
    shown = []
    for result in [*results[:3], *results[-2:]]:
        report = check(loaded, {"answers": {result.name: result.decimals()}}, partial=True)
        blocks = walked(report_document(report, solution, hints=True).blocks)
        shown += [block for block, _ in blocks if isinstance(block, Formula) and block.doc == NEXT]
    assert shown and not any(is_table(side.tree) for block in shown for side in block.stages)

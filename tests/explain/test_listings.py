"""`attncalc lessons` and the sentences of lessons: each lesson shows itself, and each of its steps says
what it is for.
"""

import html
import json
import pkgutil
import re
from importlib import import_module
from pathlib import Path

import pytest
from click.testing import CliRunner

from attncalc import lessons, load, solve
from attncalc.cli import cli
from attncalc.explain.part_document import meaning
from attncalc.formula.functions import functions
from attncalc.generator.requirements import BETWEEN_VARIANTS, SINGLE_REQUIREMENTS
from attncalc.lessons import LESSONS
from attncalc.lessons.lesson import Lesson
from attncalc.lessons.small_problems import CASES, problem
from attncalc.mistakes.catalogue import catalogue
from attncalc.resources import problem_names

ROOT = Path(__file__).parents[2]


def run(*words):
    result = CliRunner().invoke(cli, words)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.sweep(quick=8, ci=True)
@pytest.mark.parametrize("name", LESSONS)
def test_every_lesson_shows_its_inputs_options_and_steps(name):
    lesson = LESSONS[name]
    told = " ".join(run("lessons", name).split())
    assert lesson.doc.split()[0] in told and lesson.steps
    for one in (*lesson.inputs, *lesson.options):
        assert re.search(rf"(?<!\w){re.escape(one.name)}(?!\w)", told) and one.doc
    (data,) = json.loads(run("lessons", name, "--to", "json"))
    assert [step["name"] for step in data["steps"]] == list(lesson.steps) and all(step["doc"] for step in data["steps"])


@pytest.mark.sweep(quick=6)
@pytest.mark.parametrize("name", LESSONS)
def test_every_lesson_solves_a_problem_of_its_own(name):
    assert name in CASES, f"attncalc/lessons/small_problems.py has no problem for {name}"
    for step in (step for part in solve(load(problem(name))).parts for step in part.steps):
        assert step.decimals() and (step.step.lesson is None or meaning(step.step)), step.name


def test_the_list_names_every_lesson():
    told = run("lessons")
    assert all(name in told for name in LESSONS)
    assert [lesson["name"] for lesson in json.loads(run("lessons", "--to", "json"))] == list(LESSONS)


LISTS = {
    "lessons": LESSONS,
    "lessons self_attention": [
        *(one.name for one in LESSONS["self_attention"].options),
        *LESSONS["self_attention"].steps,
    ],
    "problems": problem_names(),
    "mistakes": catalogue(),
    "functions": functions(),
}


def unescaped(page: str, medium: str) -> str:
    """The page's words: marks of HTML, LaTeX and Markdown gone, and what they escape as it was."""
    return html.unescape(re.sub(r"<[^>]*>", " ", page)) if medium == "html" else re.sub(r"\\(?=[_&#])", "", page)


@pytest.mark.sweep(quick=2)
@pytest.mark.parametrize("medium", ["terminal", "text", "markdown", "html", "latex", "typst"])
@pytest.mark.parametrize("words", LISTS)
def test_every_medium_shows_every_list(words, medium):
    told = unescaped(run(*words.split(), "--to", medium), medium)
    assert [name for name in LISTS[words] if not re.search(rf"(?<!\w){re.escape(name)}(?!\w)", told)] == []


def test_a_list_can_be_a_pdf(tmp_path):
    run("lessons", "self_attention", "-o", str(tmp_path / "lesson.pdf"))
    assert (tmp_path / "lesson.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.sweep(quick=12)
@pytest.mark.parametrize("problem", problem_names())
def test_every_step_of_a_lesson_says_what_it_is_for(problem):
    for step in load(problem).plan.steps():
        assert step.lesson is None or meaning(step), step.name


def test_contributing_and_architecture_name_files_that_are_there():
    named = re.findall(
        r"`((?:attncalc|tests|problems|templates|docs)/[\w./]*)`",
        (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"),
    )
    follows = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").partition("## A number")[2]
    named += [f"attncalc/{name}" for name in re.findall(r"`((?:\w+/)+\w+\.py)`", follows)]
    assert len(named) >= 50 and [name for name in named if not (ROOT / name).exists()] == []


def written_lessons() -> list[str]:
    """Every lesson of a module of attncalc/lessons."""
    modules = [import_module(f"attncalc.lessons.{module.name}") for module in pkgutil.iter_modules(lessons.__path__)]
    return sorted({one.name for module in modules for one in vars(module).values() if isinstance(one, Lesson)})


@pytest.mark.parametrize("name", written_lessons())
def test_every_lesson_that_is_written_is_listed(name):
    assert name in LESSONS, "its file in FILES of attncalc/lessons/__init__.py is required; nobody finds it otherwise"


def test_the_requirements_stand_in_the_docs_and_in_help():
    rows = [(one.code, one.says, one.reason) for one in SINGLE_REQUIREMENTS] + [
        (c, *w) for c, w in BETWEEN_VARIANTS.items()
    ]
    page = (ROOT / "docs" / "quality.md").read_text(encoding="utf-8")
    table = page.partition("| code | requirement | why |\n| --- | --- | --- |\n")[2].partition("\n\n")[0]
    assert table.splitlines() == [f"| `{code}` | {says} | {why} |" for code, says, why in rows]
    for command, count in (("generate", len(rows)), ("lint", len(SINGLE_REQUIREMENTS))):
        told = " ".join(run(command, "--help").split())
        assert [code for code, says, _ in rows if f" {code} {says}" in told] == [code for code, *_ in rows[:count]]

"""The bundled problems as a course: each stands there once, behind what is to be read before it."""

import json
import re
from importlib import import_module

import pytest

from attncalc import load, solve
from attncalc.explain.faded_examples import faded_document
from attncalc.explain.solution_document import solution_document
from attncalc.generator.numeric_view import NumericView
from attncalc.generator.workload import COST_OF_A_MINUTE, cost
from attncalc.lessons import LESSONS
from attncalc.problem.syllabus import chapters, syllabus
from attncalc.resources import problem_names
from tests.support.called import called

ENTRIES = syllabus()
PLACES = {entry.name: k for k, entry in enumerate(ENTRIES)}


@pytest.mark.parametrize("name", sorted({*problem_names(), *PLACES}))
def test_every_bundled_problem_stands_in_the_course_once(name):
    assert [entry.name for entry in ENTRIES].count(name) == 1, "a line in problems/syllabus.yml is required"


def test_chapters_are_told_one_after_the_other():
    chapters = [entry.chapter for entry in ENTRIES]
    assert all(
        chapters.index(one) + chapters.count(one) == max(k for k, other in enumerate(chapters) if other == one) + 1
        for one in chapters
    )


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_what_is_read_before_comes_before_and_what_comes_after_after(entry):
    assert (
        entry.teaches.endswith(".")
        and len(entry.teaches) > 30
        and entry.read
        and 5 <= entry.minutes <= 300
        and entry.minutes % 5 == 0
    )
    assert all(PLACES[name] < PLACES[entry.name] for name in entry.first) and all(
        PLACES[name] > PLACES[entry.name] for name in entry.then
    )
    assert entry.first or PLACES[entry.name] == 0, "only the first problem needs nothing before it"
    assert entry.then or entry is ENTRIES[-1] or entry.name == "translate-two-words"


@pytest.mark.sweep(quick=0)
def test_the_list_is_the_course_and_a_name_shows_one():
    listed = called("problems", "--to", "markdown")[1]
    places = [listed.index(f"| {name} |") for name in PLACES]
    assert places == sorted(places)
    code, told, _ = called("problems", "strict-mask")
    assert (
        code == 0 and "30 minutes" in told and "order-of-the-tokens" in told and "Use the mask that keeps j ≤ i" in told
    )
    data = json.loads(called("problems", "strict-mask", "--to", "json")[1])
    assert data[0]["minutes"] == 30 and data[0]["before"] == ["look-ahead-mask", "self-attention-numerical"]


def test_an_unknown_problem_is_told():
    code, out, err = called("problems", "strict-mas")
    assert code == 2 and not out and "did you mean strict-mask?" in err


@pytest.mark.sweep(quick=20, ci=True)
@pytest.mark.parametrize("name", PLACES)
def test_every_question_of_a_file_is_answered_in_words(name):
    problem = load(name)
    assert not [part.name for part in problem.parts if "?" in part.ask and not part.answer]


ANSWERED = {
    "title": "t",
    "given": {"X": [[1, 2]]},
    "ask": "What is Y?",
    "answer": "Twice *X*, #<b>.",
    "steps": {"Y": "2 * X", "Z": "Y + 1"},
}


@pytest.mark.parametrize("medium, told", [
    ("text", "Answer. Twice X, #<b>."), ("html", '<p class="answer" dir="auto"><strong>Answer.</strong> Twice '
        '<em>X</em>, #&lt;b&gt;.</p>'),
    ("markdown", "<strong>Answer.</strong> Twice <em>X</em>, \\#\\<b\\>."),
    ("latex", r"\textbf{Answer.} Twice \emph{X}, \#\textless{}b\textgreater{}."),
    ("typst", '#said(strong("Answer.") + " Twice " + emph("X") + ", #<b>.")'),
])  # fmt: skip
def test_an_answer_ends_the_solution(medium, told):
    solution = solve(load(ANSWERED))
    written = import_module(f"attncalc.render.{medium}").write
    assert told in written(solution_document(solution, solution.parts))
    assert "Answer" not in written(solution_document(solution, solution.parts, {"Y"}))


def test_an_exercise_with_steps_to_do_does_not_tell_the_answer():
    solution = solve(load(ANSWERED))
    exercise, _, solved = str(faded_document(solution, solution.parts, 1).blocks).partition("t: solution")
    assert "What is Y" in exercise and "Twice" not in exercise and "Twice" in solved


@pytest.mark.sweep(quick=0)
def test_the_names_of_problems_are_not_broken_at_80_columns():
    said = called("problems")[1]
    assert all(re.search(rf"^  {re.escape(name)} ", said, re.M) for name in problem_names())


CHAPTER_LESSONS = [name for chapter in chapters() for name in chapter.lessons]


@pytest.mark.parametrize("name", sorted({*LESSONS, *CHAPTER_LESSONS}))
def test_every_lesson_is_in_one_chapter(name):
    assert CHAPTER_LESSONS.count(name) == 1 and name in LESSONS, "problems/syllabus.yml names each lesson once"


def test_chapters_need_earlier_chapters():
    titles = [chapter.title for chapter in chapters()]
    assert all({*chapter.first} <= {*titles[:k]} for k, chapter in enumerate(chapters()))


@pytest.mark.sweep(quick=8)
@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_minutes_are_those_of_the_workload(entry):
    minutes = cost(NumericView(load(entry.name))).total / COST_OF_A_MINUTE
    assert (
        abs(minutes - entry.minutes) <= 15 or entry.name == "translate-two-words"
    )  # of which only some steps are asked

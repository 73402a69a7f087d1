"""The idea before an exercise: a question, formulas as mathematics, and an example that gives nothing away."""

from __future__ import annotations

import json
import re

import pytest

from attncalc.explain.faded_examples import LEVELS
from attncalc.explain.textbook_formulas import entry_formulas, is_defined
from attncalc.formula.syntax_tree import Call, walk
from attncalc.generator.lesson_recipes import RECIPES
from attncalc.practice.exercise_drawing import example_data
from attncalc.practice.exercise_list import complete_course, course_of, items_of
from attncalc.practice.operations import respond
from attncalc.practice.task import parse_task, task_of
from tests.support.sweeps import for_each

ALL = complete_course()
FIXED = {"masked-scores-je-vais-bien", "the-position-table-for-three-words"}  # exercises without other numbers
ITEMS = [*items_of(ALL)]
CODE = {"row_mean", "col_mean", "row_var", "col_var", "sinusoidal", "turn", "pick", "one_hot", "argmax_rows"}


def ask(do, course=ALL, **request):
    found = respond(course, json.loads(json.dumps({"do": do, **request})))
    assert "faults" not in found, found["faults"]
    return found


@pytest.mark.sweep(quick=1, ci=4)
@pytest.mark.parametrize("item", ITEMS)
def test_each_idea_has_a_question_formulas_and_an_example_with_other_numbers(item):
    idea, source = ask("idea", item=item), items_of(ALL)[item]["source"]
    assert re.search(r'<p class="ask"[^>]*>.*\?', idea["html"]), "a question"
    assert ("An example" in idea["html"]) == (item not in FIXED) and "The formulas" in idea["html"]
    assert not re.search(r"<style|<script|\sstyle=|\son\w+=", idea["html"]), "the page's policy forbids these"
    if item in FIXED:
        return
    first, example = parse_task(ask("new", item=item)["task"]), task_of(example_data(source), source.get("part"))
    assert numbers(first) != numbers(example), "the example gives nothing away"
    if source.get("generate") in RECIPES:
        sizes = {given.name: given.shape for given in first.problem.plan.givens}
        assert all(given.shape <= sizes[given.name] for given in example.problem.plan.givens if given.name in sizes)


def numbers(task):
    return [task.scope.shown(step.name).printed.texts for step in task.part.plan.steps if not step.given]


@for_each("item", ITEMS, quick=4, ci=10)
def test_every_formula_is_written_as_mathematics(item):
    """A variance, a table of positions and a product are defined by their entries on the exercise's own page."""
    request = ask("new", item=item, level=LEVELS)["task"]
    for stage in range(len(parse_task(request).stages)):
        task = {**request, "stage": stage}
        shown = {step["name"]: step for step in ask("show", task=task, level=LEVELS)["steps"]}
        for step in parse_task(task).steps:
            page = shown[step.name]
            called = {part.function for part in walk(step.tree) if isinstance(part, Call)}
            assert not called & CODE or is_defined(step), step.name
            assert len(page["definition"]) == len(entry_formulas(step)) and bool(page["formula"]) != (
                is_defined(step) or step.states_result
            )


def test_small_examples_are_of_two_tokens():
    items = items_of(ALL)
    for name in ("self-attention", "masked-self-attention", "cross-attention", "feed-forward-network"):
        givens = task_of(example_data(items[name]["source"]), None).problem.plan.givens
        assert all(max(given.shape) == 2 for given in givens), name


def test_a_path_of_ones_own_asks_its_own_question(tmp_path):
    path = 'path:\n- {generate: attention, question: "Who looks at whom?"}\n- {generate: layer_norm}\n'
    course = course_of(str(tmp_path / "path.yaml"), path)
    assert "Who looks at whom?" in ask("idea", course, item="attention")["html"]
    assert "How do you get" in ask("idea", course, item="layer-norm")["html"]

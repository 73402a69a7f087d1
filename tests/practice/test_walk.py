"""A walk through all exercises: whoever sees only the page, with its rounded numbers, solves each step."""

from __future__ import annotations

import json

import pytest

from attncalc import load, solve
from attncalc.errors import AttncalcError
from attncalc.explain.faded_examples import LEVELS
from attncalc.formula.syntax_tree import Name, names, substitute, unparse
from attncalc.practice.exercise_list import complete_course, items_of
from attncalc.practice.operations import respond
from attncalc.practice.questions import _lines, affected
from attncalc.practice.task import MOST_STEPS, parse_task
from tests.support.sweeps import for_each

ALL = complete_course()
ITEMS = [*items_of(ALL)]


def ask(do, **request):
    found = respond(ALL, json.loads(json.dumps({"do": do, **request})))
    assert "faults" not in found, found["faults"]
    return found


def stages(item):
    """The task and the page of each stage of an exercise, with everything left to do."""
    first = ask("new", item=item)
    for stage in range(len(first["stages"])):
        task = {**first["task"], "stage": stage}
        yield task, ask("show", task=task, level=LEVELS)


@for_each("item", ITEMS, quick=4, ci=14)
def test_all_steps_are_there_each_with_its_sources(item):
    shown = [page for _, page in stages(item)]
    practised = [step["name"] for page in shown for step in page["steps"]]
    task = parse_task(ask("new", item=item)["task"])
    assert practised == [step.name for step in task.part.plan.steps if not step.given], "all means all"
    for page in shown:
        assert 0 < len(page["steps"]) <= MOST_STEPS
        known = {entry["name"] for entry in page["givens"] if entry["cells"]}
        for step in page["steps"]:
            assert {*step["uses"]} <= known, (step["name"], step["uses"])
            known.add(step["name"])


@for_each("item", ITEMS, quick=4, ci=14)
def test_every_exercise_is_solved_from_what_its_page_shows(item):
    for task, page in stages(item):
        formulas = {step.name: step.tree for step in parse_task(task).steps}
        seen = {entry["name"]: entry.get("typed") or entry["cells"] for entry in page["givens"]}
        for step in page["steps"]:
            seen[step["name"]] = worked(formulas[step["name"]], seen, page["digits"])
        answers = {step["name"]: seen[step["name"]] for step in page["steps"]}
        found = ask("check", task=task, answers=answers)
        wrong = [(one["name"], one["label"], one["cause"]) for one in found["steps"]
                 if one["verdict"] not in ("right", "carried", "truncated")]  # fmt: skip
        assert found["done"], wrong
        assert not found["mistakes"], found["mistakes"]


def worked(tree, seen, digits):
    """The numbers of a formula from the matrices that stand on the page, as they stand there."""
    used = {name: f"known_{k}" for k, name in enumerate(sorted(names(tree) & {*seen}))}
    given = {known: seen[name] for name, known in used.items()}
    text = unparse(substitute(tree, {name: Name(known) for name, known in used.items()}))
    data = {"given": given, "steps": {"answer": text}, "rounding": {"digits": digits}}
    return solve(load(data))["answer"].decimals(digits)


@pytest.mark.sweep(quick=4, ci=14)
@pytest.mark.parametrize("item", ITEMS)
def test_questions_about_copies_are_true_of_the_numbers(item):
    """Whatever changes with a row or column of a source is among the entries that the right answer names."""
    for request, page in stages(item):
        task = parse_task(request)
        seen = {entry["name"]: entry.get("typed") or entry["cells"] for entry in (*page["givens"], *page["steps"])
                if entry.get("cells")}  # fmt: skip
        for step in task.steps:
            seen[step.name] = worked(step.tree, seen, 12)
            for name, axis, k in _lines(task, step):
                claimed = affected(task, step, name, axis, k)
                if claimed and name in names(step.tree):
                    other = {**seen, name: [[changed(text) if (i, j)[axis] == k else text for j, text in enumerate(row)]
                                            for i, row in enumerate(seen[name])]}  # fmt: skip
                    try:
                        after = worked(step.tree, other, 12)
                    except AttncalcError:
                        continue  # ids of words, or what must be positive
                    wrong = {(i, j) for i, row in enumerate(seen[step.name]) for j, text in enumerate(row)
                             if after[i][j] != text}  # fmt: skip
                    assert wrong <= claimed, (step.name, name, axis, k)


def changed(text):
    return text if "inf" in text else f"({text}) * 1.25 + 0.25"


@pytest.mark.slow
@pytest.mark.exhaustive
def test_nearly_all_steps_with_several_entries_have_a_question():
    steps = [step for item in ITEMS for _, page in stages(item) for step in page["steps"] if step["shape"] != (1, 1)]
    assert sum(step["question"] is not None for step in steps) > 0.9 * len(steps)

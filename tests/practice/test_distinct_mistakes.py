"""The numbers of each exercise of the path tell its mistakes from slips: each wrong answer gets a cause."""

import pytest

from attncalc.errors import AttncalcError
from attncalc.explain.faded_examples import LEVELS
from attncalc.mistakes.slip_catalogue import SLIPS
from attncalc.practice import messages
from attncalc.practice.answer_feedback import judge
from attncalc.practice.exercise_drawing import draw_data
from attncalc.practice.exercise_list import course_at, items_of
from attncalc.practice.learner_model import title
from attncalc.practice.task import task_of
from attncalc.practice.task_view import numbers

PATH = items_of(course_at("path"))
SLIP_TITLES = {title(code) for code in SLIPS}


def wrong_answers(task):
    """Yield each mistake that the numbers reveal, the stage, and the answers of a student who makes it and goes on."""
    for code in task.traps([step for stage in task.stages for step in stage]):
        made = task.mistaken_rows(code)
        if code in SLIPS or made is None:
            continue
        step, rows = made
        stage = task.at(next(k for k, steps in enumerate(task.stages) if step in steps))
        try:
            after = stage.with_values("pin", {step.name: rows})
            answers = {line.name: numbers(after, line)["cells"] for line in stage.steps}
        except AttncalcError:  # no later step has a value
            continue
        yield code, stage, step, answers | {step.name: rows}


@pytest.mark.sweep(quick=1, ci=3)
@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("name", PATH)
def test_a_mistake_looks_like_no_slip(name, number):
    source = PATH[name]["source"]
    task, tried = task_of(draw_data(source, "7", number), source.get("part")), 0
    for code, stage, step, answers in wrong_answers(task):
        found = judge(stage, LEVELS, answers, {})
        verdict = next(line for line in found["steps"] if line["name"] == step.name)
        cause = verdict["cause"]
        assert {*found["mistakes"]} <= {code}, "none is named falsely"
        tried += 1
        assert verdict["verdict"] == "wrong" and cause and cause != messages.SWAPPED, (code, step.name, cause)
        assert not any(slip.removesuffix(".") in cause for slip in SLIP_TITLES), (code, step.name, cause)
    assert tried >= 2


@pytest.mark.slow
@pytest.mark.exhaustive
def test_at_least_16_of_17_mistakes_are_named():
    """Two mistakes that give the same numbers, such as √n and √d_model if n = d_model, are not told apart."""
    tasks = [task_of(draw_data(source := item["source"], "7", 0), source.get("part")) for item in PATH.values()]
    named = [code in judge(stage, LEVELS, answers, {})["mistakes"]
             for task in tasks for code, stage, _, answers in wrong_answers(task)]  # fmt: skip
    assert 17 * sum(named) >= 16 * len(named) > 0

"""The lessons' formulas as patterns: what is kept of them says what the lessons say today."""

import json

import pytest

from attncalc import load
from attncalc.formula.parser import parse
from attncalc.formula.syntax_tree import unparse
from attncalc.lessons import LESSONS
from attncalc.mistakes.catalogue import catalogue
from tests.shapes import FILE, Pattern, beginnings, is_bare, numbered, put, written
from tests.support.lesson_cases import CASES, problem

TABLE = json.loads(FILE.read_text(encoding="utf-8"))


def test_what_is_kept_is_of_lessons_steps_and_mistakes_that_there_are():
    assert set(TABLE["mistakes"]) == set(TABLE["shapes"]) <= set(LESSONS)
    for lesson, steps in TABLE["mistakes"].items():
        assert set(steps) <= set(TABLE["shapes"][lesson])
        assert {code for codes in steps.values() for code in codes} <= set(catalogue())
    assert TABLE["beginnings"] == beginnings(TABLE["shapes"])
    assert FILE.read_text(encoding="utf-8") == written(TABLE)


@pytest.mark.sweep(quick=10, ci=True)
@pytest.mark.parametrize("lesson", sorted(set(TABLE["shapes"]) & set(CASES)))
def test_every_step_of_a_lesson_has_a_pattern_that_is_kept(lesson):
    """`python -m tests.shapes` draws the patterns anew where a lesson's formulas have changed."""
    (part,) = load(problem(lesson)).plan.parts
    names = {step.name: step for step in part.steps}
    for step in part.steps:
        pattern = numbered(Pattern(step, names).tree)
        if step.lesson in TABLE["shapes"] and not step.given and not is_bare(pattern):
            kept = [parse(text) for text in TABLE["shapes"][step.lesson].get(step.base, [])]
            before = list(map(unparse, kept))
            put(kept, pattern)
            assert len(kept) == len(before), (step.name, step.formula)

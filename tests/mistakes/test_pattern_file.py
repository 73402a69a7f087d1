"""The lessons' formulas as patterns: what is kept of them says what the lessons say today."""

import json
from collections import Counter
from pathlib import Path

import yaml

from attncalc import load
from attncalc.formula.parser import parse
from attncalc.formula.syntax_tree import unparse
from attncalc.lessons import LESSONS
from attncalc.lessons.small_problems import CASES, problem
from attncalc.mistakes.catalogue import catalogue
from attncalc.mistakes.recognition.pattern_file import (
    COMMAND,
    FILE,
    Pattern,
    beginnings,
    is_bare,
    missed_mistakes,
    numbered,
    put,
    written,
)  # fmt: skip
from attncalc.resources import mistake_examples
from tests.support.sweeps import for_each

TABLE = json.loads(FILE.read_text(encoding="utf-8"))


def test_what_is_kept_is_of_lessons_steps_and_mistakes_that_there_are():
    assert set(TABLE["mistakes"]) == set(TABLE["shapes"]) <= set(LESSONS)
    for lesson, steps in TABLE["mistakes"].items():
        assert set(steps) <= set(TABLE["shapes"][lesson])
        assert {code for codes in steps.values() for code in codes} <= set(catalogue())
    assert TABLE["beginnings"] == beginnings(TABLE["shapes"])
    assert FILE.read_text(encoding="utf-8") == written(TABLE)


@for_each("lesson", sorted(set(TABLE["shapes"]) & set(CASES)), quick=10, ci=True)
def test_every_step_of_a_lesson_has_a_pattern_that_is_kept(lesson):
    (part,) = load(problem(lesson)).plan.parts
    names = {step.name: step for step in part.steps}
    for step in part.steps:
        pattern = numbered(Pattern(step, names).tree)
        if step.lesson in TABLE["shapes"] and not step.given and not is_bare(pattern):
            kept = [parse(text) for text in TABLE["shapes"][step.lesson].get(step.base, [])]
            before = list(map(unparse, kept))
            put(kept, pattern)
            assert len(kept) == len(before), f"no pattern for {step.name} = {step.formula}; `{COMMAND}` writes them"


@for_each("path", mistake_examples(), ids=lambda path: Path(path).stem)
def test_the_file_has_each_mistake_that_the_grammar_misses(path):
    raw = yaml.load(Path(path).read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
    for lesson, step, code in missed_mistakes(raw, load(path).plan):
        codes = TABLE["mistakes"].get(lesson, {}).get(step, ())
        assert code in codes, f"{code} at {lesson}.{step} is not in {FILE.name}; `{COMMAND}` writes it"


def test_each_example_has_a_number_of_its_own():
    numbers = Counter(Path(path).name.partition("-")[0] for path in mistake_examples())
    repeated = {number for number, count in numbers.items() if count > 1}
    assert all(number.isdigit() for number in numbers) and not repeated, (
        f"attncalc/mistakes/examples/: {sorted(repeated)} begin more than one file; the next number is "
        f"{max(int(number) for number in numbers if number.isdigit()) + 1}"
    )

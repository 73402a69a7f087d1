"""The numbers of exercises: from a lesson, from a file with random numbers, or from any other problem."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from ..api import loads
from ..errors import AttncalcError
from ..formula.syntax_tree import Name
from ..generator.author_file_search import lesson_search, search_of
from ..generator.lesson_recipes import RECIPES
from ..generator.rejection_search import Search
from ..generator.request import RELAXED, Request, specification
from ..generator.requirements import findings
from ..mistakes.slip_catalogue import SLIPS
from ..plan import Given, Step
from ..problem.entry_distributions import plain
from ..problem.python_input import data_of
from ..problem.random_stream import Stream
from ..problem.yaml_file.nodes import Mapping
from ..problem.yaml_file.yaml_reader import read_yaml
from . import messages
from .answer_feedback import revealing_step
from .exercise_list import Source
from .task import Data, ExerciseTask, Rows, task_of, with_given

DRAWS, STEPS = 24, 200  # limits for new numbers of an author's problem: draws, and steps of all draws
ENTRIES = 200  # draws of a single matrix
ZEROS = {"0", "0.0", "0.00", "-0"}
SMALL_SIZES, EXAMPLES = (2, 3), 40  # sizes of a worked example, and draws for each size
TRAPS = 6  # variants that are tried to reveal a mistake
NOT_ASKED = ("work", "duplicates")  # criteria of exams that do not apply to practice
SHEET_OPTIONS = ("entries", "family", "relax", "margin")  # keys of `with:` that are neither sizes nor options
LOOSE = (*NOT_ASKED, "named", "weak")  # also without slow criteria, which an author's problem may not meet
UNCERTIFIED = (*LOOSE, "separation")  # also without the criterion that takes minutes for a layer and its gradients
DECIMAL = re.compile(r"-?[0-9]{1,9}(?:\.([0-9]{1,9}))?")


def draw_data(source: Source, seed: str, number: int) -> Data:
    """Return the data of an exercise with its numbers for `number`. A problem without random numbers is number 0."""
    if search := _search(json.dumps(source)):
        search.spec = replace(search.spec, seed=seed)
        variant = search.variant(number + 1)
        data: Data = search.document(variant.entries, variant.words)
    else:
        data = deepcopy(_parse_data(source["text"]))
    part, overrides = source.get("part"), source.get("own", {})
    home = data if part is None else data["parts"][part]
    home |= {key: value for key, value in source.get("usual", {}).items() if not {key} & {*home, *data}} | overrides
    return redraw(task_of(data, part), seed, number) if number and not search else data


@lru_cache(maxsize=8)
def _search(source: str) -> Search | None:
    """Return the calibrated generator of an exercise; None if its numbers are not random."""
    exercise: Source = json.loads(source)
    if "generate" not in exercise:
        asked = Request("", relax=UNCERTIFIED)
        return search_of(loads(exercise["text"]), asked) if "draw" in _parse_data(exercise["text"]) else None
    lesson, words = exercise["generate"], exercise["with"]
    recipe = RECIPES.get(lesson)
    digits = exercise.get("own", {}).get("rounding", {}).get("digits")
    sizes = {name: int(text) for name, text in words.items() if recipe and name in recipe.sizes}
    options = {name: text for name, text in words.items() if name not in (*sizes, *SHEET_OPTIONS)}
    relax = tuple(exercise.get("relax", NOT_ASKED)) if recipe else UNCERTIFIED
    asked = Request(lesson, sizes, options, words.get("entries", ""), digits and int(digits),
                  family=words.get("family", ""), relax=relax)  # fmt: skip
    return Search(specification(asked)) if recipe else lesson_search(asked)


@lru_cache(maxsize=64)
def _parse_data(text: str) -> Data:
    tree = read_yaml(text, "problem")
    assert isinstance(tree, Mapping), "the course has read it as a problem"
    return data_of(tree)


def with_trap(source: Source, seed: str, number: int, code: str) -> tuple[int, Data, Step | None]:
    """Return the first task from `number` on that reveals a mistake, and the step. Raises AttncalcError
    if none does.
    """
    for k in range(number, number + TRAPS):
        data = draw_data(source, seed, k)
        task = task_of(data, source.get("part"))
        if code in SLIPS:
            return k, data, None
        if step := revealing_step(task, code):
            return k, data, step
        if code not in task.applicable_mistakes:
            break  # no numbers reveal this mistake
    raise AttncalcError(messages.NO_TRAP)


def example_data(source: Source) -> Data | None:
    """Return the data of a worked example: of the smallest size that is not trivial, otherwise of the exercise's size.
    Return None if there are no other numbers.
    """
    lesson, words = source.get("generate", ""), source.get("with", {})
    for most in SMALL_SIZES if lesson in RECIPES else ():
        sizes = {name: str(most) for name, size in RECIPES[lesson].sizes.items() if size > most}
        small: Source = {**source, "with": words | sizes, "relax": RELAXED}
        for number in range(EXAMPLES):
            with suppress(AttncalcError):
                data = draw_data(small, "example", number)
                task = task_of(data, None)
                drawn = [given.texts for given in _changeable(task) if given.texts]
                steps = (step.name for step in task.steps if not isinstance(step.tree, Name))
                computed = [task.scope.shown(name).printed.texts for name in steps]
                is_copied = any(texts in computed[:k] for k, texts in enumerate(computed))
                if not (is_copied or any(map(_trivial_features, (*drawn, *computed))) or _faults(task)):
                    return data
    with suppress(AttncalcError):
        return draw_data(source, "example", 1)
    return None


# -- other numbers for a problem without random numbers ----------------------------------------------------------------


def redraw(task: ExerciseTask, seed: str, number: int) -> Data:
    """Return an author's problem with different numbers of the same kind. The best of several draws is used. It has at
    most as many faults as the original, and reveals all its mistakes. Raises AttncalcError if there are no other
    numbers.
    """
    draws: list[tuple[int, int, Data]] = []
    traps, most = {*task.traps(task.steps)}, _faults(task)
    for draw in range(min(DRAWS, max(4, STEPS // len(task.part.plan.steps)))):
        stream, new = Stream("practice", seed, number, draw), task.data
        for given in _changeable(task):
            new = with_given(new, given, _redraw_entries(given, stream))
        if new == task.data:
            continue
        with suppress(AttncalcError, ArithmeticError):
            other = task_of(new, task.part.name)
            lost = len(traps.difference(other.traps(other.steps)))
            draws.append((max(0, _faults(other) - most) + lost, draw, new))
            if not draws[-1][0]:
                break
    if not draws:
        raise AttncalcError(messages.NO_DRAW)
    return min(draws)[2]


def _faults(task: ExerciseTask) -> int:
    """Return the number of quality problems of an exercise. Raises AttncalcError if its digits cannot be proven."""
    for part in task.scope.solution.parts:
        for step in part.steps:
            step.printed()
    return len(findings(task.view, frozenset(LOOSE)))


def _changeable(task: ExerciseTask) -> Iterator[Given]:
    """Yield the givens whose numbers can change: matrices of decimals that the part uses and that are not masks."""
    plan = task.problem.plan
    used = {key for step in task.part.plan.steps for key in plan.ancestors(step.key)}
    for given in [*plan.givens, *(local_given for part in plan.parts for local_given in part.givens)]:
        numbers = {text for row in given.texts or () for text in row if DECIMAL.fullmatch(text)}
        is_drawn = given.key in used and "mask" not in given.name and numbers - {"0"}
        if given.texts and given.node.size > 1 and is_drawn:
            yield given


def _redraw_entries(given: Given, stream: Stream) -> Rows:
    """Return entries in the range of the given entries, with as many decimals. Entries that are not decimals do not
    change. A row or column is zero, or repeated, only if the given matrix has a zero or repeated row or column.
    """
    assert given.texts is not None
    matches = [match for row in given.texts for text in row if (match := DECIMAL.fullmatch(text))]
    unit = 10 ** max(len(match[1] or "") for match in matches)
    values = [int(Fraction(match[0]) * unit) for match in matches]
    wider = min(values) == max(values)
    low, high = min(values) - wider, max(values) + wider

    def entry(text: str) -> str:
        return plain(Fraction(low + stream.below(high - low + 1), unit)) if DECIMAL.fullmatch(text) else text

    candidates = ([[entry(text) for text in row] for row in given.texts] for _ in range(ENTRIES))
    shuffled = [[*row] for row in stream.shuffled(given.texts)]
    return next((rows for rows in candidates if _trivial_features(rows) <= _trivial_features(given.texts)), shuffled)


def _trivial_features(rows: Sequence[Sequence[str]]) -> set[str]:
    """Return the features of a matrix that make its calculation trivial."""
    sides = {"row": [*map(tuple, rows)], "column": [*zip(*rows, strict=True)]}
    long = {side: lines for side, lines in sides.items() if len(lines[0]) > 1}
    duplicates = {f"{side} again" for side, lines in long.items() if len({*lines}) < len(lines)}
    return duplicates | {f"{side} of zeros" for side, lines in long.items() if any({*line} <= ZEROS for line in lines)}

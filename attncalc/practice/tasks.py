"""A task: a problem as the mapping that its file would hold. Exercises are drawn into tasks, and givens of a task are
changed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

from ..api import load, solve
from ..errors import AttncalcError
from ..generator.certificate import certify
from ..generator.quality import findings
from ..generator.recipe import RECIPES
from ..generator.search import Search
from ..generator.specification import Asked, Specification, specification
from ..generator.view import View
from ..lessons import LESSONS
from ..plan import Given
from ..problem.model import Part, Problem
from ..problem.read import read_yaml
from ..problem.stream import Stream
from ..problem.text import Mapping, Scalar, Yaml
from ..solution import Solution
from . import texts

Data = dict[str, Any]

OF_A_SHEET = ("entries", "family", "digits", "relax", "margin")  # what a sheet says beside sizes and options
DRAWS = 12  # of the numbers of a problem that a person wrote; the best is taken
TRAPS = 24  # variants in which a mistake is looked for
NOT_ASKED = ("work", "duplicates")  # demands of an exam that practice does not make


@lru_cache(maxsize=64)
def _problem(text: str) -> Problem:
    return load(json.loads(text))


def problem_of(data: Data) -> Problem:
    """The checked problem of a task. Raises AttncalcError with every fault."""
    return _problem(json.dumps(data))


@lru_cache(maxsize=16)
def _solution(text: str) -> Solution:
    return solve(_problem(text))


def solution_of(data: Data) -> Solution:
    """A task's solution, worked out once."""
    return _solution(json.dumps(data))


def part_of(problem: Problem, name: str | None) -> Part:
    """The part that is practised: that of the name, else the first."""
    return next((part for part in problem.parts if part.name == name), problem.parts[0])


# -- exercises into tasks ----------------------------------------------------------------------------------------------


def drawn(source: Data, seed: str, number: int) -> Data:
    """The task of an exercise. Of a lesson each number has numbers of its own; a problem has its own numbers as number
    0.
    """
    own = {**source.get("usual", {}), **source.get("own", {})}
    if "generate" in source:
        digits = {"digits": own["rounding"]["digits"]} if "digits" in own.get("rounding", {}) else {}
        chosen = {name: text for name, text in source["with"].items() if isinstance(text, str)}
        search = _search(source["generate"], json.dumps(digits | chosen))
        return _variant(search, seed, number) | own
    data = deepcopy(_parsed(source["text"]))
    home = data["parts"][source["part"]] if source["part"] is not None else data
    home.update({key: value for key, value in own.items() if key in source["own"] or not {key} & {*home, *data}})
    return redrawn(data, source["part"], seed, number) if number else data


def specified(lesson: str, chosen: dict[str, str]) -> Specification:
    """What a generator is asked for, from the words of a sheet. Raises AttncalcError with every fault."""
    recipe = RECIPES.get(lesson)
    sizes = {name: text for name, text in chosen.items() if recipe and name in recipe.sizes}
    for name, text in [*sizes.items(), *((name, chosen[name]) for name in ("digits",) if name in chosen)]:
        if not (text.isascii() and text.isdigit() and len(text) < 3):
            raise AttncalcError(texts.EXPECTED.format(field=name, what="a small whole number"))
    digits = int(chosen["digits"]) if "digits" in chosen else None
    options = {name: text for name, text in chosen.items() if name not in (*sizes, *OF_A_SHEET)}
    whole: dict[str, int | None] = {name: int(text) for name, text in sizes.items()}
    entries, family = chosen.get("entries", ""), chosen.get("family", "")
    return specification(Asked(lesson, whole, options, entries, digits, relax=NOT_ASKED, family=family))


@lru_cache(maxsize=8)
def _search(lesson: str, choices: str) -> Search:
    """The generator of a lesson, calibrated once."""
    return Search(specified(lesson, json.loads(choices)))


def _variant(search: Search, seed: str, number: int) -> Data:
    search.spec = replace(search.spec, seed=seed)
    variant = search.variant(number + 1)
    return deepcopy(search.document(variant.entries, variant.words))


@lru_cache(maxsize=64)
def _parsed(text: str) -> Data:
    found = plain(read_yaml(text, "problem"))
    assert isinstance(found, dict)
    return found


def plain(tree: Yaml) -> Any:
    """A tree of texts as Python data."""
    if isinstance(tree, Scalar):
        return tree.text
    if isinstance(tree, Mapping):
        return {name: plain(value) for name, (_, value) in tree.pairs.items()}
    return [plain(item) for item in tree.items]


# -- other numbers -----------------------------------------------------------------------------------------------------


def redrawn(data: Data, part: str | None, seed: str, number: int) -> Data:
    """A problem that a person wrote with other numbers of the same kind: of some draws the one with the fewest faults
    as an exercise.
    """
    problem = problem_of(data)
    best: tuple[int, Data] | None = None
    for draw in range(DRAWS):
        stream, new = Stream("practice", seed, number, draw), deepcopy(data)
        for given in _givens(problem):
            new = with_given(new, given, _again(given, stream))
        try:
            found = len(list(findings(View(problem_of(new)), frozenset(NOT_ASKED), all_of_them=False)))
            _settled(new)
        except (AttncalcError, ArithmeticError):
            continue
        if best is None or found < best[0]:
            best = found, new
        if not found:
            break
    if best is None or best[1] == data:
        raise AttncalcError(texts.NO_DRAW)
    return best[1]


def _settled(data: Data) -> None:
    for part in solution_of(data).parts:
        for step in part.steps:
            step.printed()


def _givens(problem: Problem) -> Iterator[Given]:
    """The givens whose numbers may be others: matrices of plain numbers that are no masks."""
    for given in [*problem.plan.givens, *(one for part in problem.plan.parts for one in part.givens)]:
        numbers = {x for row in given.texts or () for x in row if _plain(x) is not None}
        if given.texts and given.node.size > 1 and "mask" not in given.name and numbers - {"0"}:
            yield given


def _again(given: Given, stream: Stream) -> list[list[str]]:
    """Entries between the smallest and the largest, with as many decimals; what is no plain number stays."""
    assert given.texts is not None
    known = [value for row in given.texts for text in row if (value := _plain(text)) is not None]
    places = max(len(text.partition(".")[2]) for row in given.texts for text in row if _plain(text) is not None)
    unit = 10**places
    low, high = int(min(known) * unit), int(max(known) * unit)
    if low == high:
        low, high = low - 1, high + 1

    def entry(text: str) -> str:
        if _plain(text) is None:
            return text
        n = low + stream.below(high - low + 1)
        whole, rest = divmod(abs(n), unit)
        return "-" * (n < 0) + (f"{whole}.{rest:0{places}}" if places else str(whole))

    return [[entry(text) for text in row] for row in given.texts]


def _plain(text: str) -> Fraction | None:
    digits = text.lstrip("-").replace(".", "", 1)
    return (
        Fraction(text)
        if digits.isascii() and digits.isdigit() and len(digits) < 12 and text[-1] != "." and text.lstrip("-")[0] != "."
        else None
    )


def with_given(data: Data, given: Given, rows: list[list[str]]) -> Data:
    """The task with other entries of a given, its labels kept."""
    new = deepcopy(data)
    home = new["parts"][given.part] if given.part is not None else new
    old = home["given"][given.name]
    home["given"][given.name] = {**old, "values": rows} if isinstance(old, dict) and "values" in old else rows
    return new


def find_given(problem: Problem, part: Part, name: str) -> Given | None:
    """The given of that name, None where there is none."""
    return next((one for one in [*part.plan.givens, *problem.plan.givens] if one.name == name), None)


def with_options(data: Data, part: str | None, options: dict[str, str]) -> Data:
    """The task with other options of its lesson."""
    new = deepcopy(data)
    home = new["parts"][part] if part is not None and "parts" in new else new
    for lesson in LESSONS:
        if lesson in home:
            home[lesson] = {**(home[lesson] or {}), **options}
    return new


def lesson_of(data: Data, part: str | None) -> str | None:
    """The lesson that a part of the task is of, None where it is formulas."""
    home = data["parts"][part] if part is not None and "parts" in data else data
    return next((lesson for lesson in LESSONS if lesson in home), None)


# -- what a task tells apart -------------------------------------------------------------------------------------------


def traps_of(data: Data) -> list[str]:
    """The mistakes that show in the task's numbers, by the certificate."""
    return _traps(json.dumps(data))


@lru_cache(maxsize=64)
def _traps(text: str) -> list[str]:
    return certify(View(_problem(text))).codes("separated")


def with_trap(source: Data, seed: str, number: int, code: str) -> tuple[int, Data]:
    """The first task from a number on whose numbers reveal a mistake."""
    for k in range(number, number + TRAPS):
        data = drawn(source, seed, k)
        if code in traps_of(data):
            return k, data
    raise AttncalcError(texts.NO_TRAP)

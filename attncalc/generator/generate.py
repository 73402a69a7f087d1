"""`attncalc.generate`: draw problems of a lesson until they meet the requirements. The variants are the same
and in order for any number of processes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from ..errors import AttncalcError, Diagnostic, Location, warn
from ..lessons import LESSONS
from ..named_files import ENDINGS, is_file
from ..problem.problem import Problem
from ..resources import problem_file
from ..worker_processes import worker_pool
from .author_file_search import author_file_search, lesson_search
from .lesson_recipes import drawn_lessons
from .problem_writer import render
from .rejection_search import Search, rebuild
from .request import MARGIN, Request, specification
from .search_result import DrawnVariant, Tally, canonical

WORTH_A_PROCESS = 50  # variants per process below which another process does not pay off
CHUNK = 4  # variants per task of a process

Renderer = Callable[[Search, DrawnVariant], str | bytes]


@dataclass(frozen=True, slots=True)
class Drawn:
    """One variant: its number, the problem, the text of its file, and the codes of the mistakes that it separates."""

    number: int
    problem: Problem
    text: str
    separated: tuple[str, ...]


class RenderedVariant(NamedTuple):
    """Result of a worker: a variant's text, its canonical key, and the tally of its draws."""

    text: str | bytes
    canonical_key: int
    failed: dict[str, int]
    redraws: dict[str, int]


def generate(
    lesson: str,
    *,
    seed: str | int = "1",
    count: int = 1,
    mask: str | None = None,
    options: Mapping[str, str] | None = None,
    entries: str = "",
    digits: int | None = None,
    family: str = "",
    relax: Sequence[str] = (),
    margin: float = MARGIN,
    **sizes: int,
) -> Iterator[Drawn]:
    """Yield `count` problems of a lesson, or of a file with `draw:`; equal seeds give equal problems on every machine.

    The arguments are those of `attncalc generate`, `options` those of the lesson, `sizes` such as tokens=4, d_k=2. Each
    variant is yielded as soon as it is drawn. Raises AttncalcError with every fault of the arguments, or where no draw
    meets the requirements.

    >>> next(generate("self_attention", seed=7, tokens=2)).separated[:2]
    ('query-key-swapped', 'key-value-swapped')
    """
    if count < 1:
        raise AttncalcError(f"count: expected a whole number of at least 1, found {count}")
    request = Request(lesson, sizes, options or {}, entries, digits, str(seed), tuple(relax), margin, family)
    search = make_search(request, mask)
    return (
        Drawn(v.number, rebuild(search, v), render(search, v), tuple(v.certificate.codes("separated")))
        for v in search.variants(count)
    )


def make_search(request: Request, mask: str | None = None) -> Search:
    """Return the search for a request. Raises AttncalcError, with each fault located at the option that caused it."""
    request = request._replace(options={**request.options, **({} if mask is None else {"mask": mask})})
    name = request.lesson
    is_lesson = name in LESSONS
    if is_file(name, f"the lesson {name}" if is_lesson else None) or not is_lesson and _is_problem(name):
        return author_file_search(request)
    if name in drawn_lessons():
        return lesson_search(request)
    spec = specification(request, request.command)
    try:
        search = Search(spec)
    except AttncalcError as error:
        raise AttncalcError(_at_options(error.faults, spec.options)) from None
    warn(_at_options(search.problem.warnings, spec.options))
    return search


def _is_problem(name: str) -> bool:
    """Return whether a name that is neither a file nor a lesson means a problem: standard input or a bundled one, or
    one that is missing.
    """
    return name == "-" or os.path.splitext(name)[1] in ENDINGS or problem_file(name) is not None


def _at_options(faults: list[Diagnostic], options: Mapping[str, str]) -> list[Diagnostic]:
    """Return the faults at the options that caused them."""
    return [Diagnostic(fault.message, _at_option(fault.place, options)) for fault in faults]


def _at_option(place: Location, options: Mapping[str, str]) -> Location:
    name = place.source.rpartition(".")[2]
    return Location(f"--set {name}={options[name]}") if name in options else Location()


def variant_texts(
    search: Search, request: Request, numbers: range, renderer: Renderer, jobs: int | None = None
) -> Iterator[str | bytes]:
    """Yield `renderer(search, variant)` of each number, in order. `jobs` is the number of processes, by default as many
    as pay off.

    A duplicate or a failed variant is drawn again in this process, so that the output equals that of a single process.
    """
    jobs = jobs or min(os.cpu_count() or 1, len(numbers) // WORTH_A_PROCESS)
    if jobs < 2 or request.lesson == "-":  # standard input is read once
        yield from (renderer(search, search.variant(number)) for number in numbers)
        return
    with worker_pool(jobs, partial(_start, request, renderer), CHUNK) as ordered_map:
        for number, variant in zip(numbers, ordered_map(_draw, numbers), strict=True):
            yield (
                renderer(search, search.variant(number))
                if variant is None or _is_repeated(search, variant)
                else _record(search, variant)
            )


def _is_repeated(search: Search, variant: RenderedVariant) -> bool:
    return variant.canonical_key in search.accepted_keys and "duplicates" not in search.spec.relaxed


def _record(search: Search, variant: RenderedVariant) -> str | bytes:
    """Return the text of a variant after adding its draws to the search's tally."""
    search.accepted_keys.add(variant.canonical_key)
    search.tally.accepted += 1
    search.tally.failed.update(variant.failed)
    search.tally.redraws.update(variant.redraws)
    return variant.text


def _start(request: Request, renderer: Renderer) -> tuple[Search, Renderer]:
    return make_search(request), renderer


def _draw(state: tuple[Search, Renderer], number: int) -> RenderedVariant | None:
    """Return a variant drawn without regard to the others, or None if no draw meets the requirements."""
    search, renderer = state
    search.accepted_keys.clear()
    search.tally = Tally()
    try:
        variant = search.variant(number)
    except AttncalcError:
        return None
    failed, redraws = dict(search.tally.failed), dict(search.tally.redraws)
    return RenderedVariant(renderer(search, variant), canonical(variant.entries), failed, redraws)

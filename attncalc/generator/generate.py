"""`attncalc.generate`: draw problems of a lesson until they meet the requirements."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..api import is_loadable
from ..errors import AttncalcError, Diagnostic, Location
from ..lessons import LESSONS
from ..problem.problem import Problem
from .author_file_search import author_file_search, lesson_search
from .lesson_recipes import drawn_lessons
from .problem_writer import render
from .rejection_search import Search, rebuild
from .request import MARGIN, Request, specification


@dataclass(frozen=True, slots=True)
class Drawn:
    """One variant: its number, the problem, the text of its file, and the codes of the mistakes that it separates."""

    number: int
    problem: Problem
    text: str
    separated: tuple[str, ...]


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
    request = Request(lesson, sizes, options or {}, entries, digits, str(seed), tuple(relax), margin, family)
    search = make_search(request, mask)
    return (
        Drawn(v.number, rebuild(search, v), render(search, v), tuple(v.certificate.codes("separated")))
        for v in search.variants(count)
    )


def make_search(request: Request, mask: str | None = None) -> Search:
    """Return the search for a request. Raises AttncalcError, with each fault located at the option that caused it."""
    request = request._replace(options={**request.options, **({} if mask is None else {"mask": mask})})
    is_file = is_loadable(request.lesson) and (request.lesson not in LESSONS or os.path.isfile(request.lesson))
    if is_file:
        return author_file_search(request)
    if request.lesson in drawn_lessons():
        return lesson_search(request)
    spec = specification(request, request.command)
    try:
        return Search(spec)
    except AttncalcError as error:
        placed = (Diagnostic(fault.message, _at_option(fault.place, spec.options)) for fault in error.faults)
        raise AttncalcError(placed) from None


def _at_option(place: Location, options: Mapping[str, str]) -> Location:
    name = place.source.rpartition(".")[2]
    return Location(f"--set {name}={options[name]}") if name in options else Location()

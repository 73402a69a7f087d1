"""Parallel generation: variants as texts, identical and in order for any number of processes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from ..errors import AttncalcError
from ..worker_processes import worker_pool
from .generate import make_search
from .literal_format import canonical
from .rejection_search import Search
from .request import Request
from .search_result import DrawnVariant, Tally

WORTH_A_PROCESS = 50  # variants per process below which another process does not pay off
CHUNK = 4  # variants per task of a process

Renderer = Callable[[Search, DrawnVariant], str | bytes]


class RenderedVariant(NamedTuple):
    """Result of a worker: a variant's text, its canonical key, and the tally of its draws."""

    text: str | bytes
    canonical_key: int
    failed: dict[str, int]
    redraws: dict[str, int]


def texts(
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

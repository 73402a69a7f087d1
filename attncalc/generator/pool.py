"""Variants as texts, by one process or several: the same texts in the same order, whoever draws them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ..errors import AttncalcError
from ..processes import deaf, orphans_end
from .drawn import DrawnVariant, Tally
from .generate import make_search
from .search import Search
from .specification import Request
from .texts import canonical

WORTH_A_PROCESS = 50  # variants below which another process costs more than it brings
CHUNK = 4  # variants that a process takes at a time

Renderer = Callable[[Search, DrawnVariant], str | bytes]


class RenderedVariant(NamedTuple):
    """What a process tells of a variant: its text, what is the same for variants that are alike, and how its draws
    ended.
    """

    text: str | bytes
    canonical_key: int
    failed: dict[str, int]
    redraws: dict[str, int]


_process: tuple[Search, Renderer] | None = None


def texts(
    search: Search, request: Request, numbers: range, renderer: Renderer, jobs: int | None = None
) -> Iterator[str | bytes]:
    """What is `made` of each variant, in their order. `jobs` is the number of processes, as many as are worth it
    without it.

    A variant that is like an earlier one, or that cannot be drawn, is drawn again here: as by one process alone.
    """
    jobs = jobs or min(os.cpu_count() or 1, len(numbers) // WORTH_A_PROCESS)
    drawn_count = 0
    if jobs > 1 and request.lesson != "-":  # standard input is read once
        for number, variant in zip(numbers, _by_processes(request, numbers, renderer, jobs), strict=False):
            drawn_count += 1
            yield (
                renderer(search, search.variant(number))
                if variant is None or _is_repeated(search, variant)
                else _record(search, variant)
            )
    for number in numbers[drawn_count:]:
        yield renderer(search, search.variant(number))


def _is_repeated(search: Search, variant: RenderedVariant) -> bool:
    return variant.canonical_key in search.seen and "duplicates" not in search.spec.relaxed


def _record(search: Search, variant: RenderedVariant) -> str | bytes:
    """The text of a variant, which the search counts as its own."""
    search.seen.add(variant.canonical_key)
    search.tally.accepted += 1
    search.tally.failed.update(variant.failed)
    search.tally.redraws.update(variant.redraws)
    return variant.text


def _by_processes(request: Request, numbers: range, renderer: Renderer, jobs: int) -> Iterator[RenderedVariant | None]:
    """Fewer than asked for where a process was ended from outside."""
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    pool = ProcessPoolExecutor(jobs, get_context("spawn"), _start_worker, (request, renderer))
    try:
        with deaf():
            variants = pool.map(_draw, numbers, chunksize=CHUNK)  # starts the processes
        yield from variants
    except BrokenProcessPool:
        return
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _start_worker(request: Request, renderer: Renderer) -> None:
    global _process
    orphans_end()
    _process = make_search(request), renderer


def _draw(number: int) -> RenderedVariant | None:
    """A variant as if it were alone; None where there is none."""
    assert _process is not None
    search, renderer = _process
    search.seen.clear()
    search.tally = Tally()
    try:
        variant = search.variant(number)
    except AttncalcError:
        return None
    return RenderedVariant(
        renderer(search, variant), canonical(variant.entries), dict(search.tally.failed), dict(search.tally.redraws)
    )

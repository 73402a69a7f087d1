"""Variants as texts, by one process or several: the same texts in the same order, whoever draws them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ..errors import AttncalcError
from ..processes import deaf, orphans_end
from .drawn import Generated, Tally
from .generate import searching
from .search import Search
from .specification import Asked
from .texts import canonical

WORTH_A_PROCESS = 50  # variants below which another process costs more than it brings
CHUNK = 4  # variants that a process takes at a time

Made = Callable[[Search, Generated], str | bytes]


class Found(NamedTuple):
    """What a process tells of a variant: its text, what is the same for variants that are alike, and how its draws
    ended.
    """

    text: str | bytes
    alike: int
    failed: dict[str, int]
    again: dict[str, int]


_process: tuple[Search, Made] | None = None


def texts(search: Search, asked: Asked, numbers: range, made: Made, jobs: int | None = None) -> Iterator[str | bytes]:
    """What is `made` of each variant, in their order. `jobs` is the number of processes, as many as are worth it
    without it.

    A variant that is like an earlier one, or that cannot be drawn, is drawn again here: as by one process alone.
    """
    jobs = jobs or min(os.cpu_count() or 1, len(numbers) // WORTH_A_PROCESS)
    done = 0
    if jobs > 1 and asked.lesson != "-":  # standard input is read once
        for number, found in zip(numbers, _by_processes(asked, numbers, made, jobs), strict=False):
            done += 1
            yield (
                made(search, search.variant(number))
                if found is None or _is_repeated(search, found)
                else _counted(search, found)
            )
    for number in numbers[done:]:
        yield made(search, search.variant(number))


def _is_repeated(search: Search, found: Found) -> bool:
    return found.alike in search.seen and "duplicates" not in search.spec.relaxed


def _counted(search: Search, found: Found) -> str | bytes:
    """The text of a variant, which the search counts as its own."""
    search.seen.add(found.alike)
    search.tally.kept += 1
    search.tally.failed.update(found.failed)
    search.tally.again.update(found.again)
    return found.text


def _by_processes(asked: Asked, numbers: range, made: Made, jobs: int) -> Iterator[Found | None]:
    """Fewer than asked for where a process was ended from outside."""
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    pool = ProcessPoolExecutor(jobs, get_context("spawn"), _begin, (asked, made))
    try:
        with deaf():
            found = pool.map(_draw, numbers, chunksize=CHUNK)  # starts the processes
        yield from found
    except BrokenProcessPool:
        return
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _begin(asked: Asked, made: Made) -> None:
    global _process
    orphans_end()
    _process = searching(asked), made


def _draw(number: int) -> Found | None:
    """A variant as if it were alone; None where there is none."""
    assert _process is not None
    search, made = _process
    search.seen.clear()
    search.tally = Tally()
    try:
        variant = search.variant(number)
    except AttncalcError:
        return None
    return Found(made(search, variant), canonical(variant.entries), dict(search.tally.failed), dict(search.tally.again))

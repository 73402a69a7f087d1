"""A progress bar on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")
FEWEST = 5  # no bar for fewer papers, because these are fast

Start = Callable[[int], Callable[[], None]]


@contextmanager
def progress(what: str = "papers", fewest: int = FEWEST) -> Iterator[Start]:
    """Yield a function that starts a bar with a total, and returns a function to advance it. Only in a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda total: lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress

    bar = Progress(console=Console(stderr=True), transient=True)

    def start(total: int) -> Callable[[], None]:
        if total < fewest:
            return lambda: None
        bar.start()
        task = bar.add_task(what, total=total)
        return lambda: bar.advance(task)

    try:
        yield start
    finally:
        bar.stop()


def track_progress(items: Iterable[T], count: int, what: str, fewest: int = FEWEST) -> Iterator[T]:
    with progress(what, fewest) as start:
        advance = start(count)
        for item in items:
            yield item
            advance()

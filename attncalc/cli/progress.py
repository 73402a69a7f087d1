"""A progress bar on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")
FEWEST = 5  # papers; below it nobody waits long

Start = Callable[[int], Callable[[], None]]


@contextmanager
def progress(what: str = "papers", fewest: int = FEWEST) -> Iterator[Start]:
    """Yield a function that begins a bar with a total and returns its advance; no bar outside a terminal."""
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

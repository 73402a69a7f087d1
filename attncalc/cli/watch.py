"""`attncalc check --watch`: the same work done again at every save, in the same terminal, until Ctrl-C."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator

import click

from ..errors import AttncalcError

INTERVAL = 0.1  # seconds between two looks at the files
LONG = 10  # looks after which a missing file is no editor's way of saving
RULE = 60  # signs of the line between two reports where the output is no terminal

FileStates = tuple[tuple[int, int, int] | None, ...]


def watch(paths: list[str], work: Callable[[], object]) -> None:
    """Does the work at once, and again whenever one of the files was saved; a fault is told and does not end it."""
    for _ in saves(
        paths, report_missing=lambda path: _print_status(f"{path} is gone. Waiting until it is there again.")
    ):
        if sys.stdout.isatty():
            click.clear()
        try:
            work()
        except AttncalcError as error:
            click.echo("\n".join(map(str, error.faults)))
        _print_status(
            f"\n{time.strftime('%H:%M:%S')}  Waiting for the next save of {' or '.join(reversed(paths))}. Ctrl-C ends."
        )


def _print_status(text: str) -> None:
    """What is said while it waits, above the line that parts it from the next report."""
    click.echo(text if sys.stdout.isatty() else f"{text}\n{'-' * RULE}")
    sys.stdout.flush()


def saves(
    paths: list[str],
    look: Callable[[str], tuple[int, int, int] | None] | None = None,
    pause: Callable[[float], None] = time.sleep,
    report_missing: Callable[[str], None] = lambda path: None,
) -> Iterator[None]:
    """Once at the start, then once for every change of the files.

    A change counts when two looks see the same: a file that is still being written is left alone until it rests. An
    editor that saves by renaming puts another file in the place of the first, which `look` sees by its number; a file
    that is gone is waited for, and `gone` is told of it once it has been missing for a while.
    """
    look = look or file_state
    done: FileStates | None = None
    missing = 0
    while True:
        now = tuple(map(look, paths))
        missing = missing + 1 if None in now else 0
        if missing == LONG and done is not None and None not in done:
            report_missing(paths[now.index(None)])
        if now != done and (done is None or None not in now):
            pause(INTERVAL)
            if tuple(map(look, paths)) != now:
                continue
            done = now
            yield
        pause(INTERVAL)


def file_state(path: str) -> tuple[int, int, int] | None:
    """What changes when a file is saved; None where there is no file."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size

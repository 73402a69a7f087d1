"""`attncalc check --watch`: repeat the work at every save, in one terminal, until Ctrl-C."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator

import click

from ..errors import AttncalcError

INTERVAL = 0.1  # seconds between two looks at the files
LONG = 10  # looks after which a missing file is reported, not taken for a save
RULE = 60  # characters of the line between two reports where the output is no terminal

FileStates = tuple[tuple[int, int, int] | None, ...]


def watch(paths: list[str], work: Callable[[], object]) -> None:
    """Do the work at once, and again after every save of one of the files; a fault is printed and does not end the
    loop.
    """
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
    """Print a status message above the separator before the next report."""
    click.echo(text if sys.stdout.isatty() else f"{text}\n{'-' * RULE}")
    sys.stdout.flush()


def saves(
    paths: list[str],
    look: Callable[[str], tuple[int, int, int] | None] | None = None,
    pause: Callable[[float], None] = time.sleep,
    report_missing: Callable[[str], None] = lambda path: None,
) -> Iterator[None]:
    """Yield once at the start, then once for every change of the files.

    A change counts when two looks agree, so that a file is not read while it is written. An editor may save by
    renaming another file, which `look` sees by its inode. If a file stays missing, `report_missing` is called.
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
    """Return inode, time and size, which change at a save; None if there is no file."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size

"""`attncalc check`"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import click

from ..errors import AttncalcError
from .document_options import Page, page_options
from .shared_options import problem_argument

if TYPE_CHECKING:
    from ..explain.document import Document
    from ..marking.report import Report

INTERVAL = 0.1  # seconds between two checks of the files
LONG = 10  # checks until a missing file is reported; before, it may be a save in progress
RULE = 60  # characters of the line between reports if the output is not a terminal

FileStates = tuple[tuple[int, int, int] | None, ...]


@click.command("check")
@problem_argument
@click.argument("answers")
@click.option(
    "--hints", is_flag=True, help="Show where the mistake is and what caused it, but not the correct numbers."
)
@click.option("--watch", is_flag=True, help="Mark again whenever a file is saved, until Ctrl-C.")
@page_options()
def command(problem: str, answers: str, hints: bool, watch: bool, page: Page) -> None:
    """Mark one student's ANSWERS to PROBLEM, and show the first wrong step, its cause, and the points.

    ANSWERS is a file, or - for standard input. The exit code is 0 if every step is answered and no step is wrong, 2 if
    something could not be read (the rest is marked), and otherwise 1.

    \b
    attncalc check transformers-transforming-our-lives answers.yaml
    attncalc check problem.yaml answers.md --hints
    attncalc check problem.yaml answers.yaml --hints --watch
    attncalc check problem.yaml answers.yaml -o report.pdf
    """
    if watch:
        _watch(problem, answers, hints, page)
    report = _report(problem, answers, hints, page)
    sys.exit(2 if report.bound.lost else 0 if report.passed else 1)


def _watch(problem: str, answers: str, hints: bool, page: Page) -> None:
    """Mark again at every save. An error in the problem is reported at once, and ends the command."""
    if page.output is not None or page.target != "terminal":
        raise AttncalcError("--watch shows the report in the terminal: leave out -o and --to")
    if "-" in (problem, answers):
        raise AttncalcError("--watch needs a file: expected a file, found - (standard input)")
    from ..api import load
    from ..named_files import find_problem

    load(problem)
    repeat_at_saves([find_problem(problem).path, answers], lambda: _report(problem, answers, hints, page))


def _report(problem: str, answers: str, hints: bool, page: Page) -> Report:
    from ..api import check, load

    report = check(load(problem), answers, partial=True)
    for answer in report.bound.unread:
        click.echo(str(answer.fault), err=True)

    def document() -> Document:
        from ..api import solve
        from ..explain.report_document import report_document

        return report_document(report, solve(report.problem), hints, counts=True)

    def data() -> str:
        from ..render.report_json import write

        return write(report, hints)

    page.write(document, data)
    return report


def repeat_at_saves(paths: list[str], work: Callable[[], object]) -> None:
    """Call `work` at once, and after every save of one of the files. Print errors and continue."""
    for _ in saves(
        paths, report_missing=lambda path: _print_status(f"{path} is gone. Waiting for the file to appear again.")
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
    """Print a status message before the next report."""
    click.echo(text if sys.stdout.isatty() else f"{text}\n{'-' * RULE}")
    sys.stdout.flush()


def saves(
    paths: list[str],
    look: Callable[[str], tuple[int, int, int] | None] | None = None,
    pause: Callable[[float], None] = time.sleep,
    report_missing: Callable[[str], None] = lambda path: None,
) -> Iterator[None]:
    """Yield once at the start, then once for every change of the files. A change counts when two checks agree, so that
    no file is read while it is written. Some editors rename a new file; then the inode changes. If a file stays
    missing, `report_missing` is called.
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
    """Return inode, time and size, which change when a file is saved; None if the file does not exist."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size

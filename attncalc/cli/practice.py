"""`attncalc practice`"""

from __future__ import annotations

import os
from functools import cache, partial
from typing import TYPE_CHECKING

import click

from .shared_options import WholeNumber, complete_problem, force_option, serve_page

if TYPE_CHECKING:
    from ..practice.exercise_list import Course


@click.command("practice")
@click.argument("exercises", required=False, shell_complete=complete_problem)
@click.option(
    "--port",
    type=WholeNumber(0, 65535),
    default=0,
    help="Port on 127.0.0.1 (default: the same port in every run, if it is free).",
)
@click.option("--no-browser", is_flag=True, help="Print the address, but do not open a browser.")
@click.option(
    "-o",
    "--output",
    metavar="FOLDER",
    help="Write the page and the program into this folder, for any web server, and do not start a local server.",
)
@click.option(
    "--pyodide",
    metavar="DIR",
    default="node_modules/pyodide",
    help="With -o: folder with Pyodide and python-flint (default: node_modules/pyodide).",
)
@force_option
def command(exercises: str | None, port: int, no_browser: bool, output: str | None, pyodide: str, force: bool) -> None:
    """Practise in the browser.

    EXERCISES is a lesson, a problem, an exam sheet, the word `path` (a guided course) or the word `lectures`
    (problems from lectures). By default, all exercises are offered. The page is served only on this machine, until
    Ctrl-C. Your progress stays on this machine. Practice gives no grades.

    \b
    attncalc practice
    attncalc practice self_attention
    attncalc practice look-ahead-mask
    attncalc practice midterm.yaml
    attncalc practice path
    attncalc practice path -o site/ --pyodide package
    """
    course = cache(partial(_course, exercises))
    if output is not None:
        _write(course(), output, pyodide, force)
        return
    if exercises is not None and not _is_lesson(exercises):
        course()  # reports errors before a browser opens
    from ..practice.server import serve

    serve_page(partial(serve, course), port, "Practise at", no_browser)


def _course(exercises: str | None) -> Course:
    from ..practice.exercise_list import course_at

    return course_at(exercises)


def _is_lesson(exercises: str) -> bool:
    from ..lessons import LESSONS

    return exercises in LESSONS and not os.path.isfile(exercises)


def _write(course: Course, output: str, pyodide: str, force: bool) -> None:
    from ..practice import messages
    from ..practice.static_site import compile_archives, site
    from ..safe_files import require_folder, write_folder

    require_folder(output)
    files = site(course, pyodide)
    bytecode = compile_archives(files)
    files |= bytecode or {}
    write_folder(output, files, force)
    size = sum(len(content) for content in files.values())
    click.echo(f"{output}: {len(files)} files, {size / 1e6:.1f} MB; any web server can serve them", err=True)
    if bytecode is None:
        click.echo(messages.NOT_COMPILED, err=True)

"""`attncalc answers`"""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

import click

from ..errors import AttncalcError, Location, did_you_mean, shorten
from .output_checks import Output, require_outputs
from .shared_options import WholeNumber, emit, force_option, part_option, problem_argument, select_parts, serve_page

if TYPE_CHECKING:
    from ..exam.sheet.model import Student

TABLES = (".csv", ".xlsx")
FORMS = (".yaml", ".yml")


@click.command("answers")
@problem_argument
@part_option
@click.option(
    "--students",
    metavar="FILE",
    help="Class list; the table gets one row per student. If the key.json already lists the students, the class list "
    "adds their names.",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write to this file instead of standard output: .yaml, or .xlsx or .csv for a class table.",
)
@click.option(
    "--page",
    is_flag=True,
    help="Type the answers in the browser, into a table that `attncalc grade` reads (default: -o class.csv).",
)
@click.option(
    "--scans",
    metavar="FOLDER",
    help="With --page: confirm the scanned answers in this folder, which `attncalc scan` wrote.",
)
@click.option(
    "--port",
    type=WholeNumber(0, 65535),
    default=0,
    help="With --page: port on 127.0.0.1 (default: the same port in every run, if it is free).",
)
@click.option("--no-browser", is_flag=True, help="With --page: print the address, but do not open a browser.")
@force_option
def command(
    problem: str,
    parts: tuple[str, ...],
    students: str | None,
    output: str | None,
    page: bool,
    scans: str | None,
    port: int,
    no_browser: bool,
    force: bool,
) -> None:
    """Write a blank answer file for PROBLEM, with the shape and the labels of every asked step.

    For the key.json of an exam, or with --students, write a class table instead, with one column per entry.
    It has one row per student, or one per paper if no students are listed. `attncalc grade` reads both kinds of files.

    \b
    attncalc answers transformers-transforming-our-lives -o answers.yaml
    attncalc answers key.json -o class.xlsx
    attncalc answers problem.yaml --students list.csv -o class.csv
    attncalc answers key.json --page -o class.csv
    attncalc answers key.json --page --scans class/ -o class.csv
    """
    ending = _ending(output)
    if scans is not None and not page:
        raise AttncalcError("--scans works only with --page")
    if page:
        _serve(problem, parts, students, output or "class.csv", scans, port, no_browser)
        return
    if ending not in TABLES and not _is_key(problem) and students is None:
        _single(problem, parts, output, force)
        return
    if ending in FORMS:
        message = (
            f"expected a table (.xlsx or .csv) for {'the key of an exam' if _is_key(problem) else 'a list of students'}"
        )
        raise AttncalcError(message, Location(output or ""))
    require_outputs([Output("-o", output)], force)
    from ..gradebook.answer_key import read_key
    from ..gradebook.entry_form import form_of
    from ..gradebook.entry_form_files import as_csv, as_workbook

    form = form_of(read_key(problem), _roster(students) if students else (), parts)
    emit(as_workbook(form) if ending == ".xlsx" else as_csv(form), output, force)


def _serve(
    problem: str,
    parts: tuple[str, ...],
    students: str | None,
    output: str,
    scans: str | None,
    port: int,
    no_browser: bool,
) -> None:
    """Serve the page for typing answers until Ctrl-C. An existing table is continued."""
    if _ending(output) != ".csv":
        raise AttncalcError("--page: expected a .csv file for the class table", Location(output))
    from ..data_entry.app import Desk, serve
    from ..gradebook.answer_key import read_key
    from ..gradebook.entry_form import form_of
    from ..gradebook.table_store import TypedTable

    key = read_key(problem)
    form = form_of(key, _roster(students) if students else (), parts)
    table = TypedTable(output, form)
    table.check()

    desk = Desk(key, form, table, frozenset(parts))
    if scans is not None:
        desk.add_scans(scans)
    serve_page(partial(serve, desk), port, f"The answers are saved in {output}. Type them at", no_browser)


def _single(problem: str, parts: tuple[str, ...], output: str | None, force: bool) -> None:
    from ..api import load
    from ..submissions.answer_file import blank

    loaded = load(problem)
    emit(blank(loaded, select_parts(loaded.parts, parts)).rstrip("\n"), output, force)


def _ending(output: str | None) -> str:
    """Return the ending of the file in lower case. Raises AttncalcError for other spreadsheet formats."""
    ending = os.path.splitext(output or "")[1].lower()
    if ending in (".ods", ".xls", ".xlsm", ".tsv"):
        near = did_you_mean(ending, list(TABLES)) or "; every spreadsheet program opens .xlsx"
        raise AttncalcError(
            f"expected a file that ends in .xlsx, .csv or .yaml, found {shorten(ending)}{near}", Location(output or "")
        )
    return ending


def _is_key(problem: str) -> bool:
    """Return whether the file may be the key of an exam. Every other file is read as a problem."""
    return problem.endswith(".json") and os.path.isfile(problem)


def _roster(name: str) -> list[Student]:
    from ..api import read_bytes
    from ..exam.roster import read_roster
    from ..exam.sheet.sheet_keys import MOST_VARIANTS

    return read_roster(read_bytes(name), name, MOST_VARIANTS)

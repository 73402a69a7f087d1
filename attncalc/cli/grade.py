"""`attncalc grade`"""

from __future__ import annotations

import os
import sys
from functools import partial
from typing import TYPE_CHECKING

import click

from ..errors import AttncalcError, Diagnostics, Location, counted, shorten
from ..files import write_folder
from .common import Whole, Word, emit, force_option
from .pages import chosen, write_document
from .progress import shown

if TYPE_CHECKING:
    from ..gradebook.statistics import ClassFigures

SYSTEMS = ("moodle", "canvas", "gradescope")
MOST_TOLD = 20  # lines on standard error about scripts; the table has them all


@click.command("grade")
@click.argument("key")
@click.argument("files", nargs=-1, required=True)
@click.option("--for", "system", type=Word(SYSTEMS), help="The columns that this course system imports, in place of ours.")
@click.option("--report", metavar="FILE", help="The class in figures: .html, .pdf, .md, .json ..., or - for the terminal.")
@click.option("--feedback", metavar="DIR", help="A page for each student (Markdown) in this folder.")
@click.option("--overrides", metavar="FILE", help="Marks set by hand: CSV or YAML with student, step, marks, reason.")
@click.option("--jobs", type=Whole(1, 256), help="Processes; as many as are worth it without it.")
@click.option("-o", "--output", metavar="FILE", help="Write the CSV to this file instead of standard output.")
@force_option
def command(
    key: str,
    files: tuple[str, ...],
    system: str | None,
    report: str | None,
    feedback: str | None,
    overrides: str | None,
    jobs: int | None,
    output: str | None,
    force: bool,
) -> None:
    """Mark a class: FILES are answer files, folders, patterns, or a CSV with a row a student; KEY is what they answer.

    KEY is an exam's key.json, a problem file or the name of a problem. Exit code 1 when a script could not be graded.

    \b
    attncalc grade problem.yaml answers/ -o marks.csv
    attncalc grade key.json answers/ -o marks.csv --report class.html --feedback feedback/
    attncalc grade problem.yaml class.csv --for moodle -o moodle.csv
    """
    _targets_are_free(output, report, feedback, force)
    from ..gradebook.grade import grade

    targets = [path for path in (output, report, feedback) if path]
    grades = grade(
        key, files, overrides=overrides, feedback=feedback is not None, jobs=jobs, apart=targets, watch=partial(shown, what="grading")
    )
    if feedback is not None:
        write_folder(feedback, grades.pages(), force=True)
    emit(grades.csv(system), output, force)
    if report is not None or output not in (None, "-"):
        _report(grades.figures(), report, force)
    tell(grades.told)
    failed, look = len(grades.failed), grades.to_look_at
    for count, said in ((failed, "could not be graded"), (look, "should be looked at: see status and remarks in the table")):
        if count:
            click.echo(f"{count} of {counted(len(grades.rows), 'script')} {said}", err=True)
    sys.exit(1 if failed or look else 0)


def _targets_are_free(output: str | None, report: str | None, feedback: str | None, force: bool) -> None:
    """All that can be known before the work is done: endings, and files that are there already."""
    faults = Diagnostics()
    try:
        chosen(None, report, asked_by="--report")
    except AttncalcError as error:
        faults.extend(error)
    if report == "-" and output in (None, "-"):
        faults.add("--report -: the table goes to standard output as well; add -o FILE")
    for path in (output, report):
        if path and path != "-" and os.path.isfile(path) and not force:
            faults.add("the file is there already; --force replaces it", Location(path))
    if feedback is not None:
        there = "nothing" if not feedback else "a file" if os.path.exists(feedback) and not os.path.isdir(feedback) else ""
        if there:
            faults.add(f"expected a folder, found {there}", Location(feedback or "--feedback"))
        elif os.path.isdir(feedback) and os.listdir(feedback) and not force:
            faults.add("the folder is not empty; --force replaces what has the same name", Location(feedback))
    faults.raise_any()


def _report(found: ClassFigures, path: str | None, force: bool) -> None:
    from ..gradebook.report import class_document, figures_as_json

    target, how = chosen(None, path)
    if target == "json":
        emit(figures_as_json(found), path, force)
    else:
        write_document(class_document(found), target, how, path, force)


def tell(lines: list[str]) -> None:
    """What could not be done, on standard error; the first of many."""
    for line in lines[:MOST_TOLD]:
        click.echo(shorten(line, 300), err=True)
    if len(lines) > MOST_TOLD:
        click.echo(f"... and {len(lines) - MOST_TOLD} more", err=True)

"""`attncalc grade`"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import click

from ..errors import AttncalcError, counted, listed, shorten
from ..safe_files import write_file
from .document_options import select_page
from .output_checks import CONTINUED, FILE, FOLDER, TABLE, Output, require_outputs, together
from .progress import track_progress
from .shared_options import JOBS, WholeNumber, WordChoice, emit, force_option

if TYPE_CHECKING:
    from ..gradebook.answer_key import Key
    from ..gradebook.grade import Grades
    from ..scan.scan_folder import ScanFolder

SYSTEMS = ("moodle", "canvas", "gradescope")
FORMS = ("markdown", "html", "pdf")
ENDINGS = {".md": "markdown", ".html": "html", ".pdf": "pdf"}
OVERRIDES = "Points set by hand: a table (.csv, .xlsx, .ods) or a YAML list with student, step, marks and reason."
SCALE = "Grading scale: a YAML file with scale: {A: 90 %, B: 75 %, F: 0}, such as the exam sheet."
MOST_LINES = 20  # lines about scripts on standard error; the table contains all


@click.command("grade")
@click.argument("key")
@click.argument("files", nargs=-1, required=True)
@click.option("--for", "system", type=WordChoice(SYSTEMS), help="Write the columns that this course system imports.")
@click.option(
    "--report", metavar="FILE", help="Write a report on the class: .html, .pdf, .md, .json ..., or - for the terminal."
)
@click.option(
    "--feedback",
    metavar="PATH",
    help="Write one feedback page per student into this folder, or all pages into one file (.md, .html or .pdf).",
)
@click.option(
    "--scans",
    metavar="FOLDER",
    help="With --feedback FOLDER: take the scanned pages from this folder, and write the verdicts onto them, as PDF.",
)
@click.option("--to", "form", type=WordChoice(FORMS), help="Format of the feedback pages (default: markdown).")
@click.option("--overrides", metavar="FILE", help=OVERRIDES)
@click.option("--scale", metavar="FILE", help=SCALE)
@click.option(
    "--absent",
    type=WordChoice(("left-out", "zero")),
    default="left-out",
    show_default=True,
    help="Points of a student whose row in a class table is empty: none (left-out) or 0 (zero).",
)
@click.option(
    "--with-look", is_flag=True, help="With --for, also export the points of scripts that a person should check."
)
@click.option("--jobs", type=WholeNumber(1, 256), help=JOBS)
@click.option("--resume", metavar="FILE", help="Save progress in this file, and continue from it in a later run.")
@click.option("-o", "--output", metavar="FILE", help="Write the table (CSV) to this file instead of standard output.")
@force_option
def command(
    key: str,
    files: tuple[str, ...],
    system: str | None,
    report: str | None,
    feedback: str | None,
    scans: str | None,
    form: str | None,
    overrides: str | None,
    scale: str | None,
    absent: str,
    with_look: bool,
    jobs: int | None,
    resume: str | None,
    output: str | None,
    force: bool,
) -> None:
    """Mark the scripts of a class.

    KEY is an exam's key.json, a problem file or the name of a problem. FILES are answer files,
    folders, patterns such as 'scripts/*.md', or a table with one row per student (.csv, .xlsx, .ods). The exit
    code is 1 if a person should check something: a script could not be graded or read completely, the table lacks
    columns, an override is for an unknown student, or the class does not fit the key. It is 2 if one of FILES does
    not exist; the others are still marked.

    \b
    attncalc grade problem.yaml answers/ -o marks.csv
    attncalc grade key.json answers/ -o marks.csv --report class.html --feedback feedback/ --to pdf
    attncalc grade key.json answers/ -o marks.csv --feedback all.pdf
    attncalc grade key.json class.csv -o marks.csv --scans class/ --feedback feedback/
    attncalc grade key.json answers/ -o marks.csv --resume graded.jsonl
    attncalc grade problem.yaml class.csv --for moodle -o moodle.csv
    """
    single_form = _form_of_single_file(feedback, form)
    if scans is not None and (feedback is None or single_form or form not in (None, "pdf") or resume is not None):
        raise AttncalcError("--scans works only with --feedback FOLDER and PDF pages, and without --resume")
    select_page(None, report, asked_by="--report")
    require_outputs(
        (
            Output("-o", "-" if output is None else output, TABLE),
            Output("--report", report),
            Output("--feedback", feedback, FILE if single_form else FOLDER),
            Output("--resume", resume, CONTINUED),
        ),
        force,
        files,
    )
    if resume is not None and single_form:
        raise AttncalcError(
            f"--resume: expected a folder for the pages, found one file for all pages ({shorten(feedback or '')})"
        )
    from ..gradebook.answer_key import read_key
    from ..gradebook.grade import grade_tasks, scripts
    from ..gradebook.script_discovery import ABSENT

    answers = read_key(key)
    other_files = [path for path in (key, overrides, scale, resume, output) if path and path != "-"]
    grade_class = partial(
        grade_tasks, answers, scripts(key, files, other_files), overrides=overrides, scale=scale, jobs=jobs,
        resume=resume, absent_zero=absent == "zero", watch=partial(track_progress, what="grading"),
    )  # fmt: skip
    folder = feedback if feedback is not None and not single_form else None
    unconfirmed: list[str] = []
    with together(output, report, feedback if single_form else None, folder=folder, force=force) as transaction:
        if folder is not None and scans is not None:
            scan_folder, open_entries = _scans_of_class(answers, files, scans)
            grades = grade_class(feedback="together", unconfirmed=open_entries)
            if open_entries:
                unconfirmed = [_unconfirmed_warning(open_entries, key, files[0], scans)]
            for name, content in track_progress(_scanned_pages(grades, scan_folder), grades.count, "feedback"):
                transaction.add(os.path.join(folder, name), content, force)
        elif folder is None:
            grades = grade_class(feedback="together" if single_form else False)
        else:

            def page(name: str, content: str | bytes) -> None:
                transaction.add(os.path.join(folder, name), content, force)

            grades = grade_class(feedback=form or "markdown", into=page)
        if feedback is not None and single_form:
            write_file(feedback, grades.page_for_all(single_form), force)
        if output not in (None, "-"):
            emit(grades.csv(system, with_look), output, force)
        if report not in (None, "-"):
            _report(grades, report, force)
        older = transaction.other_files(folder, [*other_files, report or ""]) if folder is not None else []
    if output in (None, "-"):
        emit(grades.csv(system, with_look), output, force)
    if report == "-" or report is None and output not in (None, "-"):
        _report(grades, report, force)
    print_lines(
        [
            *grades.messages_for(system, with_look),
            *grades.messages,
            *unconfirmed,
            *(
                [f"{folder}: this run did not write {listed(older, 3)}; delete pages that are not needed"]
                if older
                else []
            ),
            *(_codes(grades) if "pdf" in (form, single_form) else []),
        ]
    )
    failed, unclear = len(grades.failed), grades.to_look_at
    for count, complaint in (
        (failed, "could not be graded"),
        (unclear, "should be checked by a person; see the columns status and remarks in the table"),
    ):
        if count:
            click.echo(f"{count} of {counted(grades.count, 'script')} {complaint}", err=True)
    if any(task.missing == ABSENT for task in grades.tasks):
        sys.exit(2)
    sys.exit(1 if failed or unclear or unconfirmed or grades.tables or grades.unused or grades.other_papers else 0)


def _scans_of_class(key: Key, files: tuple[str, ...], folder: str) -> tuple[ScanFolder, Counter[str]]:
    """Return the scans of a class, and the number of entries of each paper that nobody has confirmed or typed."""
    from ..data_entry.app import unconfirmed_entries
    from ..scan.feedback import scans_of

    if len(files) == 1 and files[0].lower().endswith(".csv"):  # the page for confirming writes one table
        return unconfirmed_entries(key, files[0], folder)
    return scans_of(folder, key), Counter()


def _unconfirmed_warning(open_entries: Counter[str], key: str, table: str, folder: str) -> str:
    entries = f"{counted(open_entries.total(), 'scanned entry')} of {counted(len(open_entries), 'paper')}"
    command = f"attncalc answers {key} --page --scans {folder} -o {table}"
    return f"{folder}: nobody has confirmed {entries}, so they count as not answered; confirm them with `{command}`"


def _scanned_pages(grades: Grades, scans: ScanFolder) -> Iterator[tuple[str, bytes]]:
    """Yield the file name and the PDF of each student: the scanned pages with verdicts, and the report."""
    from ..explain.document import Document
    from ..gradebook.grade import feedback_file_names
    from ..scan.feedback import write

    names = feedback_file_names([row.student for row in grades.rows], "pdf")
    for name, row in zip(names, grades.rows, strict=True):
        assert isinstance(row.feedback, Document)
        yield name, write(scans, row, row.feedback)


def _form_of_single_file(feedback: str | None, form: str | None) -> str:
    if form is not None and feedback is None:
        raise AttncalcError("--to works only with --feedback")
    ending_form = (
        ENDINGS.get(os.path.splitext(feedback or "")[1].lower(), "") if not os.path.isdir(feedback or "") else ""
    )
    if ending_form and form not in (None, ending_form):
        raise AttncalcError(
            f"--to {form}: the file of --feedback has a different file extension; leave out --to, or name a folder"
        )
    return ending_form


def _report(grades: Grades, path: str | None, force: bool) -> None:
    """Write the report on the class. It contains scripts and drills only if the user asks for a report."""
    from ..gradebook.class_report import class_document, figures_as_json

    figures, drills = grades.figures(), grades.drills() if path is not None else []
    page = select_page(None, path, force)
    page.write(lambda: class_document(figures, drills), lambda: figures_as_json(figures, drills))


def _codes(grades: Grades) -> list[str]:
    """Return a warning if a PDF shows codes instead of characters in students' names."""
    from ..exam.missing_glyphs import missing_glyph_warning
    from ..render.pdf import missing_glyphs

    names = [row.student for row in grades.rows]
    signs = missing_glyphs("".join(dict.fromkeys("".join(names))))
    line = missing_glyph_warning([(name, "".join(c for c in name if c in signs)) for name in names], "the pages show")
    return [line] if line else []


def print_lines(lines: list[str]) -> None:
    """Print the first lines on standard error, and the number of the others."""
    for line in lines[:MOST_LINES]:
        click.echo(shorten(line, 300), err=True)
    if len(lines) > MOST_LINES:
        click.echo(f"... and {len(lines) - MOST_LINES} more", err=True)

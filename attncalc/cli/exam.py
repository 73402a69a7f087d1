"""`attncalc exam`"""

from __future__ import annotations

import click

from ..errors import AttncalcError, counted
from .progress import progress
from .shared_options import JOBS, WholeNumber, WordChoice

MOST_JOBS = 64


@click.command("exam")
@click.argument("sheet")
@click.option(
    "-o",
    "--output",
    metavar="FOLDER",
    help="Folder for the papers, the solutions and the key. Without this option, "
    "attncalc solves every variant, but writes no files.",
)
@click.option(
    "--to",
    "targets",
    type=WordChoice(("pdf", "latex")),
    multiple=True,
    default=("pdf",),
    help="Write PDF (the default) or LaTeX sources; for both, give this option twice.",
)
@click.option(
    "--only",
    multiple=True,
    metavar="VARIANT",
    help="Write only the variant with this code or student's number (repeatable).",
)
@click.option(
    "--practice",
    is_flag=True,
    help="Write practice papers: the same questions as in the exam, with different random numbers.",
)
@click.option(
    "--resit",
    is_flag=True,
    help="Write a resit: the same questions as in the exam, with random numbers that differ from those in the exam "
    "and the practice papers.",
)
@click.option(
    "--template",
    metavar="DIR",
    help="Folder with your own templates, instead of the sheet's; `attncalc templates exam -o DIR` copies the "
    "bundled ones.",
)
@click.option(
    "--secret",
    metavar="FILE",
    help="File with the random secret from which the papers are generated (default: the name of SHEET with the "
    "ending .secret). It is created if it does not exist.",
)
@click.option("--jobs", type=WholeNumber(1, MOST_JOBS), help=f"{JOBS} This number does not change the papers.")
@click.option("--force", is_flag=True, help="Overwrite files in the folder even if you changed them by hand.")
def command(
    sheet: str,
    output: str | None,
    targets: tuple[str, ...],
    only: tuple[str, ...],
    practice: bool,
    resit: bool,
    template: str | None,
    secret: str | None,
    jobs: int | None,
    force: bool,
) -> None:
    """Write the exam that SHEET describes: a paper and a solution for every variant, and one key for all.

    The command writes all files or none, and with the same sheet, a second run changes nothing. Without --force, files
    that attncalc did not write are not changed. The papers are generated from a random secret in a file next to the
    sheet: back this file up, and do not publish it.

    \b
    attncalc exam midterm.yaml                check the sheet and solve every variant
    attncalc exam midterm.yaml -o midterm/    write everything
    attncalc exam midterm.yaml --only K7Q2 -o again/
    attncalc exam midterm.yaml --resit -o resit/
    """
    from ..exam.paper_build import exam

    if practice and resit:
        raise AttncalcError("expected either --practice or --resit, found both; write them into two folders")
    purpose = "practice" if practice else "resit" if resit else ""
    with progress() as start:
        built_exam = exam(
            sheet, output, targets=tuple(dict.fromkeys(targets)), only=only, template=template, purpose=purpose,
            secret=secret or "", jobs=jobs, force=force,
            start=start, tell=lambda line: click.echo(line, err=True),
        )  # fmt: skip
    papers = counted(len(built_exam.variants), "paper" if built_exam.versions else "variant")
    if built_exam.versions:
        papers += f" in {counted(built_exam.versions, 'version')}"
    if output is None:
        click.echo(
            f"{counted(built_exam.questions, 'question')}, {papers}: all solved. Nothing is written; add -o FOLDER"
        )
        return
    written = f"{counted(built_exam.new, 'file')} written" if built_exam.new else "nothing to write"
    click.echo(f"{output}: {papers}, {written}{f', {built_exam.old} unchanged' if built_exam.old else ''}", err=True)

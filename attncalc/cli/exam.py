"""`attncalc exam`"""

from __future__ import annotations

import click

from ..errors import counted
from .common import Whole, Word
from .progress import progress

MOST_JOBS = 64


@click.command("exam")
@click.argument("sheet")
@click.option(
    "-o",
    "--output",
    metavar="FOLDER",
    help="The folder for papers, solutions and key; without it every variant is only worked out.",
)
@click.option(
    "--to",
    "targets",
    type=Word(("pdf", "latex")),
    multiple=True,
    default=("pdf",),
    help="PDF, or LaTeX sources; may be given twice.",
)
@click.option(
    "--only", multiple=True, metavar="CODE", help="Only the variant of this code, or of this student's number."
)
@click.option(
    "--practice",
    "purpose",
    flag_value="practice",
    help="A practice sheet: the same demands, other numbers than the exam.",
)
@click.option(
    "--resit",
    "purpose",
    flag_value="resit",
    help="A resit: the same demands, other numbers than the exam and the practice sheet.",
)
@click.option(
    "--template",
    metavar="DIR",
    help="Templates in place of ours and of the sheet's; `attncalc templates exam` copies ours.",
)
@click.option(
    "--jobs", type=Whole(1, MOST_JOBS), help="Processes; as many as are worth it without it. The papers are the same."
)
@click.option("--force", is_flag=True, help="Replace files in the folder that were changed by hand.")
def command(
    sheet: str,
    output: str | None,
    targets: tuple[str, ...],
    only: tuple[str, ...],
    purpose: str | None,
    template: str | None,
    jobs: int | None,
    force: bool,
) -> None:
    """Write the papers of SHEET: for every variant a paper, its solution and its key.

    The folder is written whole or not at all, and running again changes nothing. Files that attncalc did not write are
    left alone.

    \b
    attncalc exam midterm.yaml                check the sheet and work out every variant
    attncalc exam midterm.yaml -o midterm/    write everything
    attncalc exam midterm.yaml --only K7Q2 -o again/
    attncalc exam midterm.yaml --resit -o resit/
    """
    from ..exam.exam import exam

    with progress() as start:
        made = exam(
            sheet, output, targets=tuple(dict.fromkeys(targets)), only=only, template=template, purpose=purpose or "",
            jobs=jobs, force=force,
            start=start, tell=lambda line: click.echo(line, err=True),
        )  # fmt: skip
    variants = counted(len(made.variants), "variant")
    if output is None:
        click.echo(f"{counted(made.questions, 'question')}, {variants}, each worked out; -o FOLDER writes them")
        return
    written = f"{counted(made.new, 'file')} written" if made.new else "nothing to write"
    click.echo(f"{output}: {variants}, {written}{f', {made.old} as they were' if made.old else ''}", err=True)

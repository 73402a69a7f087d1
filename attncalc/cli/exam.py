"""`attncalc exam`"""

from __future__ import annotations

import sys
from collections.abc import Callable

import click

from ..errors import AttncalcError, Location, counted
from .common import Whole, Word

MOST_JOBS = 64


@click.command("exam")
@click.argument("sheet")
@click.option("-o", "--output", metavar="FOLDER", help="The folder for papers, solutions and key; without it every variant is only worked out.")
@click.option("--to", "targets", type=Word(("pdf", "latex")), multiple=True, default=("pdf",), help="PDF, or LaTeX sources; may stand twice.")
@click.option("--only", multiple=True, metavar="CODE", help="Only the variant of this code, or of this student's number.")
@click.option("--template", metavar="DIR", help="Templates in place of ours and of the sheet's; `attncalc templates exam` copies ours.")
@click.option("--jobs", type=Whole(1, MOST_JOBS), help="Processes; as many as are worth it without it. The papers are the same.")
@click.option("--force", is_flag=True, help="Replace files in the folder that were changed by hand.")
def command(
    sheet: str, output: str | None, targets: tuple[str, ...], only: tuple[str, ...], template: str | None, jobs: int | None, force: bool
) -> None:
    """Write the papers of SHEET: for every variant a paper, its solution and its key.

    The folder is written whole or not at all, and running again changes nothing. Files that attncalc did not write are left alone.

    \b
    attncalc exam midterm.yaml                check the sheet and work out every variant
    attncalc exam midterm.yaml -o midterm/    write everything
    attncalc exam midterm.yaml --only K7Q2 -o again/
    """
    from ..exam.beside import MEDIA
    from ..exam.build import Order, build, work_out
    from ..exam.sheet import sheet_data
    from ..resources import own_templates

    data, source = sheet_data(sheet)
    own = None if template is None else own_templates(template, MEDIA, Location(), "--template: ")
    if output == "":
        raise AttncalcError("--output: a folder is required, nothing stands there")
    order = Order(data, source, tuple(dict.fromkeys(targets)), jobs, only, own)
    if output is None:
        questions = counted(len(order.sheet().questions), "question")
        with progress() as start:
            variants = work_out(order, start)
        click.echo(f"{questions}, {counted(len(variants), 'variant')}, each worked out; -o FOLDER writes them")
        return
    with progress() as start:
        variants, new, old = build(order, output, force, start, lambda line: click.echo(line, err=True))
    written = f"{counted(new, 'file')} written" if new else "nothing to write"
    click.echo(f"{output}: {counted(len(variants), 'variant')}, {written}{f', {old} as they were' if old else ''}", err=True)


class progress:
    """A bar on standard error while a person waits."""

    def __init__(self) -> None:
        self.bar = None

    def __enter__(self) -> Callable[[int], Callable[[], None]]:
        return self.start

    def start(self, total: int) -> Callable[[], None]:
        if not sys.stderr.isatty() or total < 5:
            return lambda: None
        from rich.console import Console
        from rich.progress import Progress

        bar = self.bar = Progress(console=Console(stderr=True), transient=True)  # type: ignore[assignment]
        bar.start()
        task = bar.add_task("papers", total=total)
        return lambda: bar.advance(task)

    def __exit__(self, *told: object) -> None:
        if self.bar is not None:
            self.bar.stop()

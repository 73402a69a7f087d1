"""`attncalc stress`"""

from __future__ import annotations

import sys

import click

from ..files import as_json
from .common import Whole, Word, emit, force_option
from .pages import PAGES, chosen, write_document
from .progress import progress

MOST = 100_000
FORMATS = ("terminal", "json", *PAGES)


@click.command("stress")
@click.argument("sheet")
@click.option(
    "-n", "count", type=Whole(1, MOST), default=100, help="How many variants of every question; 100 without it."
)
@click.option(
    "--to", "target", type=Word(FORMATS), help="What to write; by default what the ending of -o says, else terminal."
)
@click.option("-o", "--output", metavar="FILE", help="Write to this file instead of standard output.")
@force_option
def command(sheet: str, count: int, target: str | None, output: str | None, force: bool) -> None:
    """Draw many variants of SHEET: their work, their numbers, disputes about rounding, hidden mistakes, how well
    choices are guessed.

    Exit code 0 when every step can be worked out and there are no rounding disputes and no hidden mistakes, else 1.

    \b
    attncalc stress midterm.yaml -n 1000
    """
    from ..exam.sheet import load_sheet
    from ..exam.stress import stress
    from ..exam.stress_report import as_data, document

    target, how = chosen(target, output, FORMATS)
    with progress() as start:
        found = stress(load_sheet(sheet), count, start)
    if target == "json":
        emit(as_json(as_data(found)), output, force)
    else:
        write_document(document(found), target, how, output, force)
    sys.exit(0 if found.sound else 1)

"""`attncalc stress`"""

from __future__ import annotations

import sys

import click

from ..safe_files import as_json
from .document_options import PAGES, TARGET, select_page
from .progress import progress
from .shared_options import OUTPUT, WholeNumber, WordChoice, force_option

MOST = 100_000
FORMATS = ("terminal", "json", *PAGES)


@click.command("stress")
@click.argument("sheet")
@click.option(
    "-n", "count", type=WholeNumber(1, MOST), default=100, help="Number of variants per question (default: 100)."
)
@click.option("--to", "target", type=WordChoice(FORMATS), help=TARGET)
@click.option("-o", "--output", metavar="FILE", help=OUTPUT)
@force_option
def command(sheet: str, count: int, target: str | None, output: str | None, force: bool) -> None:
    """Generate many variants of an exam SHEET and report on them: the work, the size of the numbers, rounding
    disputes, mistakes that do not change any printed number, and how easily multiple choice is guessed.

    The exit code is 0 if every step can be computed, no rounding is in dispute and every mistake changes a number;
    otherwise 1.

    \b
    attncalc stress midterm.yaml -n 1000
    """
    from ..exam.sheet.sheet_reader import load_sheet
    from ..exam.stress import as_data, document, stress

    page = select_page(target, output, force, FORMATS)
    with progress() as start:
        report = stress(load_sheet(sheet), count, start)
    page.write(lambda: document(report), lambda: as_json(as_data(report)))
    sys.exit(0 if report.sound else 1)

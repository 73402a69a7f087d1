"""`attncalc compare`"""

from __future__ import annotations

import sys

import click

from .document_options import Page, page_options


@click.command("compare")
@click.argument("first")
@click.argument("second")
@page_options()
def command(first: str, second: str, page: Page) -> None:
    """Compare two graders of the same scripts, and show where they differ and how well they agree beyond chance.

    FIRST and SECOND are files with the columns student, step and marks (CSV or YAML, as for `attncalc grade
    --overrides`). They can also be tables with one column per step, such as those that `attncalc grade` writes. The
    exit code is 1 if no step of any student is in both files.

    \b
    attncalc compare ada.csv bob.csv
    attncalc compare marks.csv by-hand.yaml -o graders.pdf
    """
    from ..gradebook.inter_rater_agreement import agreement_as_json, agreement_document, compare

    agreement = compare(first, second)
    page.write(lambda: agreement_document(agreement, page.target != "terminal"), lambda: agreement_as_json(agreement))
    sys.exit(0 if agreement.both else 1)

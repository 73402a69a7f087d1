"""`attncalc compare`"""

from __future__ import annotations

import sys
from typing import Unpack

import click

from .document_options import PageOptions, page_options, select_target, write_document
from .shared_options import emit


@click.command("compare")
@click.argument("first")
@click.argument("second")
@page_options()
def command(
    first: str, second: str, target: str | None, output: str | None, force: bool, **options: Unpack[PageOptions]
) -> None:
    """Compare two graders of the same scripts: where they differ, and how well they agree beyond chance.

    FIRST and SECOND are files with student, step and marks (CSV or YAML, as for `attncalc grade --overrides`),
    or tables with one column per step, as `attncalc grade` writes them. Exit code 1 if they have no student and
    step in common.

    \b
    attncalc compare ada.csv bob.csv
    attncalc compare marks.csv by-hand.yaml -o graders.pdf
    """
    from ..gradebook.inter_rater_agreement import agreement_as_json, agreement_document, compare

    target, settings = select_target(target, output, **options)
    agreement = compare(first, second)
    if target == "json":
        emit(agreement_as_json(agreement), output, force)
    else:
        write_document(agreement_document(agreement, target != "terminal"), target, settings, output, force)
    sys.exit(0 if agreement.both else 1)

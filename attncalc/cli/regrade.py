"""`attncalc regrade`"""

from __future__ import annotations

import sys
from functools import partial

import click

from ..errors import AttncalcError, Location
from .document_options import Page, page_options
from .grade import OVERRIDES, SCALE, print_lines
from .output_checks import TABLE, TEXT, Output, require_outputs, together
from .progress import track_progress
from .shared_options import JOBS, WholeNumber, emit


@click.command("regrade")
@click.argument("key")
@click.argument("changes")
@click.argument("files", nargs=-1, required=True)
@click.option("--marks", metavar="FILE", help="Write the new table of marks (CSV) to this file.")
@click.option(
    "--new-key", metavar="FILE", help="Write the changed key to this file; with --force, it can be KEY itself."
)
@click.option("--overrides", metavar="FILE", help=f"{OVERRIDES} They are scaled to the new points.")
@click.option("--scale", metavar="FILE", help=SCALE)
@click.option("--jobs", type=WholeNumber(1, 256), help=JOBS)
@page_options()
def command(
    key: str,
    changes: str,
    files: tuple[str, ...],
    marks: str | None,
    new_key: str | None,
    overrides: str | None,
    scale: str | None,
    jobs: int | None,
    page: Page,
) -> None:
    """Mark a class again with a changed key, and list whose points change, by how much and why.

    CHANGES is a YAML file. Write `accept:`, `points:` and `rubric:` at its top level for all questions, or under
    `questions:` for one question. Under `drop:`, list the questions and steps to leave out. CHANGES can also be the
    corrected exam sheet. KEY and FILES are the same as for `attncalc grade`. Only `--new-key KEY --force` changes KEY.
    The exit code is 1 if a person should check a script, or if an override is for an unknown student.

    \b
    attncalc regrade key.json changes.yaml answers/
    attncalc regrade key.json changes.yaml answers/ --marks new-marks.csv -o changed.html
    attncalc regrade key.json changes.yaml answers/ --new-key key.json --force
    """
    require_outputs(
        (
            Output("-o", "-" if page.output is None else page.output),
            Output("--marks", marks, TABLE),
            Output("--new-key", new_key, TEXT, replaces=key),
        ),
        page.force,
        files,
    )
    from ..gradebook.answer_key import raw_key
    from ..gradebook.regrade.key_rewriting import key_text
    from ..gradebook.regrade.regrade import regrade_as_json, regrade_class, regrade_document

    with together(page.output, marks, new_key):
        raw = raw_key(key) if new_key is not None else b""
        watch = partial(track_progress, what="grading")
        regrade = regrade_class(
            key, changes, files, overrides=overrides, scale=scale, jobs=jobs, apart=[marks or ""], watch=watch
        )
        page.write(lambda: regrade_document(regrade), lambda: regrade_as_json(regrade))
        if marks is not None:
            emit(regrade.after.csv(), marks, page.force)
        if new_key is not None:
            if raw_key(key) != raw:
                raise AttncalcError("another process changed this key; run the command again", Location(key))
            emit(key_text(regrade.key, raw), new_key, page.force)
    print_lines([*regrade.scaled, *regrade.after.messages])
    sys.exit(1 if regrade.after.failed or regrade.after.to_look_at or regrade.after.unused else 0)

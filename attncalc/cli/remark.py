"""`attncalc remark`"""

from __future__ import annotations

import os
import sys
from functools import partial
from typing import Any

import click

from ..errors import AttncalcError, Diagnostics, Location
from ..files import write_file
from .common import JOBS, Whole, emit
from .grade import OVERRIDES, SCALE, tell
from .pages import chosen, page_options, write_document
from .progress import shown


@click.command("remark")
@click.argument("key")
@click.argument("changes")
@click.argument("files", nargs=-1, required=True)
@click.option("--marks", metavar="FILE", help="Write the new table of marks (CSV) to this file.")
@click.option(
    "--new-key", metavar="FILE", help="Write the changed key to this file; with --force it may be KEY itself."
)
@click.option("--overrides", metavar="FILE", help=f"{OVERRIDES} They are scaled to the new points.")
@click.option("--scale", metavar="FILE", help=SCALE)
@click.option("--jobs", type=Whole(1, 256), help=JOBS)
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
    target: str | None,
    output: str | None,
    force: bool,
    **options: Any,
) -> None:
    """Mark a class again with a changed key, and list whose points change, from what to what and why.

    CHANGES is a YAML file: accept:, points: and rubric: for all questions, or for one of them under questions:; drop:
    lists questions and steps to leave out. Or it is the exam sheet as it should have been. KEY and FILES are those of
    `attncalc grade`; KEY stays as it is unless --new-key is given. Exit code 1 when a person should look at a script.

    \b
    attncalc remark key.json changes.yaml answers/
    attncalc remark key.json changes.yaml answers/ --marks new-marks.csv -o changed.html
    attncalc remark key.json changes.yaml answers/ --new-key key.json --force
    """
    target, how = chosen(target, output, **options)
    _targets_are_free((output, marks, new_key), (changes, overrides, scale, *files), force)
    from ..gradebook.remark import remark, remark_as_json, remark_document

    targets = [path for path in (output, marks, new_key) if path and path != "-"]
    found = remark(
        key,
        changes,
        files,
        overrides=overrides,
        scale=scale,
        jobs=jobs,
        apart=targets,
        watch=partial(shown, what="grading"),
    )
    if target == "json":
        emit(remark_as_json(found), output, force)
    else:
        write_document(remark_document(found), target, how, output, force)
    if marks is not None:
        write_file(marks, found.after.csv(), force)
    if new_key is not None:
        _write_key(key, new_key, found.rekeyed.key, force)
    tell([*found.scaled, *found.after.told])
    sys.exit(1 if found.after.failed or found.after.to_look_at else 0)


def _targets_are_free(targets: tuple[str | None, ...], read: tuple[str | None, ...], force: bool) -> None:
    """What would be refused after the work is refused before it."""
    from ..files import refuse_unwritable

    faults = Diagnostics()
    for path in targets:
        if path and path != "-":
            try:
                refuse_unwritable(path, force, tuple(one for one in read if one))
            except AttncalcError as error:
                faults.extend(error)
    named = [os.path.abspath(path) for path in targets if path and path != "-"]
    for twice in sorted({path for path in named if named.count(path) > 1}):
        faults.add(
            "expected a file of its own for each of -o, --marks and --new-key", Location(os.path.basename(twice))
        )
    faults.raise_any()


def _write_key(key: str, path: str, new: Any, force: bool) -> None:
    """The new key, whole or not at all."""
    from ..gradebook.key import raw_key
    from ..gradebook.rekey import key_text

    write_file(path, key_text(new, raw_key(key)), force)

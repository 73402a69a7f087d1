"""`attncalc templates`"""

from __future__ import annotations

import os

import click

from ..errors import AttncalcError, Diagnostic, Location, did_you_mean, shorten
from ..safe_files import write_folder


@click.command("templates")
@click.argument("medium", required=False)
@click.option(
    "-o",
    "--output",
    metavar="DIR",
    help="Copy the templates of MEDIUM into this folder; existing files are never overwritten.",
)
def command(medium: str | None, output: str | None) -> None:
    """List the template folders, one per MEDIUM (output format), or copy one to change it.

    \b
    attncalc templates
    attncalc templates latex -o mine
    attncalc solve problem.yaml --to latex --template mine
    attncalc templates exam -o papers; attncalc exam sheet.yaml --template papers -o out/
    """
    from ..resources import folder

    media = sorted(path.name for path in folder("templates").iterdir() if path.is_dir())
    if medium is not None and medium not in media:
        raise AttncalcError(
            f"MEDIUM: expected one of {', '.join(media)}, found {shorten(medium)!r}{did_you_mean(medium, media)}"
        )
    if output is not None:
        if medium is None:
            raise AttncalcError(
                f"MEDIUM: expected one of {', '.join(media)}, found none; -o copies the templates of one MEDIUM"
            )
        _copy(folder("templates") / medium, output)
        return
    for name in [medium] if medium else media:
        click.echo(f"{name:<10} {folder('templates') / name}")


def _copy(source: os.PathLike[str], target: str) -> None:
    """Copy all files or none. Existing files are never replaced."""
    files = sorted(os.listdir(source))
    existing = (
        [path for name in files if os.path.lexists(path := os.path.join(target, name))] if os.path.isdir(target) else []
    )
    if existing:
        raise AttncalcError(
            Diagnostic("this file already exists, and attncalc does not replace it", Location(path))
            for path in existing
        )
    contents = {}
    for name in files:
        with open(os.path.join(source, name), "rb") as file:
            contents[name] = file.read()
    write_folder(target, contents, force=False)

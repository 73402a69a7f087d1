"""`attncalc export`"""

from __future__ import annotations

import click

from ..errors import shorten
from .common import Word, emit, force_option

SYSTEMS = ("moodle", "canvas")


@click.command("export")
@click.argument("key")
@click.option("--to", "system", type=Word(SYSTEMS), required=True, help="moodle: Moodle XML. canvas: QTI 1.2 in a zip.")
@click.option("-o", "--output", metavar="FILE", help="Write to this file instead of standard output.")
@force_option
def command(key: str, system: str, output: str | None, force: bool) -> None:
    """Write a problem as a quiz for a course system, a blank for each cell; KEY may be an exam's key.json.

    What the system cannot carry is told on standard error, and in the file. Moodle: Question bank > Import > Moodle XML format. Canvas:
    Settings > Import course content > QTI .zip file.

    \b
    attncalc export problem.yaml --to moodle -o quiz.xml
    attncalc export key.json --to canvas -o quiz.zip
    """
    from ..courses.export import export

    content, lost = export(key, system)
    emit(content, output, force)
    for line in lost:
        click.echo(f"not carried: {shorten(line, 300)}", err=True)

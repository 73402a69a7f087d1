"""`attncalc export`"""

from __future__ import annotations

import click

from ..courses.systems import SYSTEMS
from ..errors import shorten
from .common import Word, emit, force_option


def _listed(ctx: click.Context, param: click.Parameter, wanted: bool) -> None:
    """The course systems: what each is given, where that is imported, and what it cannot carry."""
    if wanted and not ctx.resilient_parsing:
        for system in SYSTEMS.values():
            click.echo(f"{system.name}: {system.file} ({system.ending}); {system.way_in}")
            for line in system.cannot:
                click.echo(f"  not carried: {line}")
        ctx.exit()


@click.command("export")
@click.argument("key")
@click.option("--to", "system", type=Word(tuple(SYSTEMS)), required=True, help=" ".join(f"{one.name}: {one.file}." for one in SYSTEMS.values()))
@click.option("-o", "--output", metavar="FILE", help="Write to this file instead of standard output.")
@click.option("--list", is_flag=True, is_eager=True, expose_value=False, callback=_listed, help="Show the systems, and what each cannot carry.")
@force_option
def command(key: str, system: str, output: str | None, force: bool) -> None:
    """Write a problem as a quiz for a course system, a blank for each cell; KEY may be an exam's key.json.

    What the system cannot carry is told on standard error, and in the file. Moodle: Question bank > Import > Moodle XML format. Canvas:
    Settings > Import course content > QTI .zip file. --list says it of every system.

    \b
    attncalc export problem.yaml --to moodle -o quiz.xml
    attncalc export key.json --to canvas -o quiz.zip
    """
    from ..courses.export import export

    content, lost = export(key, system)
    emit(content, output, force)
    for line in lost:
        click.echo(f"not carried: {shorten(line, 300)}", err=True)

"""`attncalc export`"""

from __future__ import annotations

import click

from ..errors import AttncalcError, shorten
from ..lms.registry import SYSTEMS
from .shared_options import OUTPUT, WholeNumber, WordChoice, emit, force_option


def _list_systems(ctx: click.Context, param: click.Parameter, is_requested: bool) -> None:
    """Print the course systems: file, import, evidence and limitations."""
    if is_requested and not ctx.resilient_parsing:
        for system in SYSTEMS.values():
            click.echo(f"{system.name}: {system.file} ({system.ending}); {system.way_in}")
            click.echo(f"  {system.evidence}")
            for line in system.limitations:
                click.echo(f"  limitation: {line}")
        ctx.exit()


class _WithSystems(click.Command):
    """A command whose help ends with the list of course systems."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Course systems (--to)"):
            formatter.write_dl([(system.name, system.file) for system in SYSTEMS.values()])


@click.command("export", cls=_WithSystems)
@click.argument("keys", metavar="SOURCE...", nargs=-1, required=True)
@click.option(
    "--to", "system", type=WordChoice(tuple(SYSTEMS)), required=True, help="The course system, from the list below."
)
@click.option("-o", "--output", metavar="FILE", help=OUTPUT)
@click.option(
    "--list",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_list_systems,
    help="List the course systems, with their import commands and limitations.",
)
@click.option(
    "--split",
    "most",
    type=WholeNumber(1, 2000),
    metavar="NUMBER",
    help="Split a question into several questions if it has more answer fields than this number.",
)
@click.option(
    "--together",
    is_flag=True,
    help="Put all parts into one question, so that a student gets the same variant in all parts (Moodle).",
)
@click.option(
    "--solutions/--no-solutions",
    default=True,
    show_default=True,
    help="Give worked solutions as feedback (Moodle, Canvas).",
)
@click.option("--hints", is_flag=True, help="Show the formula of a step, even if the step has a description in words.")
@force_option
def command(
    keys: tuple[str, ...],
    system: str,
    output: str | None,
    most: int | None,
    together: bool,
    solutions: bool,
    hints: bool,
    force: bool,
) -> None:
    """Write problems as a quiz for a course system, with one answer field per entry.

    SOURCE is a problem, an exam's key.json, a file written by `attncalc generate`, or a folder of these. A file
    written with --choices gives multiple-choice questions. For Moodle and Canvas, several sources are written into
    one file. To import the file, use Question bank > Import > Moodle XML format in Moodle, or Settings > Import
    course content > QTI .zip file in Canvas. The limitations of the course system are listed on standard error and
    in the file; --list shows them for every system.

    \b
    attncalc export problem.yaml --to moodle -o quiz.xml
    attncalc export key.json --to canvas -o quiz.zip
    attncalc export variants/ --to moodle --together -o quiz.xml
    """
    from ..lms.quiz_export import export

    if together and most is not None:
        raise AttncalcError(
            "--split: expected either --split or --together, found both; --split makes questions smaller, "
            "and --together makes them larger"
        )
    content, limitations = export(keys, system, most, together, solutions, hints)
    emit(content, output, force)
    for line in limitations:
        click.echo(f"limitation: {shorten(line, 300)}", err=True)

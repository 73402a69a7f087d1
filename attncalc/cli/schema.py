"""`attncalc schema`"""

from __future__ import annotations

import click

from .common import emit, force_option


@click.command("schema")
@click.option("-o", "--output", metavar="FILE", help="Write to this file instead of standard output.")
@force_option
def command(output: str | None, force: bool) -> None:
    """Print the JSON Schema of problem files, with which editors complete and check them.

    \b
    attncalc schema -o attncalc.schema.json
    """
    import json

    from ..problem.schema import problem_schema

    emit(json.dumps(problem_schema(), ensure_ascii=False, indent=2), output, force)

"""`attncalc schema`"""

from __future__ import annotations

import click

from .common import Word, emit, force_option


@click.command("schema")
@click.option("--of", "kind", type=Word(("problem", "sheet")), default="problem", help="Of problem files, or of exam sheets.")
@click.option("-o", "--output", metavar="FILE", help="Write to this file instead of standard output.")
@force_option
def command(kind: str, output: str | None, force: bool) -> None:
    """Print the JSON Schema of problem files or of exam sheets, with which editors complete and check them.

    \b
    attncalc schema -o attncalc.schema.json
    attncalc schema --of sheet -o sheet.schema.json
    """
    import json

    if kind == "sheet":
        from ..exam.schema import sheet_schema as schema
    else:
        from ..problem.schema import problem_schema as schema

    emit(json.dumps(schema(), ensure_ascii=False, indent=2), output, force)

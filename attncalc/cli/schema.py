"""`attncalc schema`"""

from __future__ import annotations

import click

from .shared_options import OUTPUT, WordChoice, emit, force_option

# The module and the function that make each schema.
SCHEMAS = {
    "problem": ("problem.json_schema", "problem_schema"),
    "sheet": ("exam.sheet.sheet_schema", "sheet_schema"),
    "answers": ("submissions.answer_file", "answers_schema"),
    "key": ("exam.sheet.sheet_schema", "key_schema"),
}


@click.command("schema")
@click.option(
    "--of",
    "kind",
    type=WordChoice(tuple(SCHEMAS)),
    default="problem",
    help="Kind of file: problem files, exam sheets, answer files or exam keys.",
    show_default=True,
)
@click.option("-o", "--output", metavar="FILE", help=OUTPUT)
@force_option
def command(kind: str, output: str | None, force: bool) -> None:
    """Print the JSON Schema of a kind of file. Editors use it to complete and check files.

    \b
    attncalc schema -o attncalc.schema.json
    attncalc schema --of sheet -o sheet.schema.json
    """
    import json
    from importlib import import_module

    module, name = SCHEMAS[kind]
    schema = getattr(import_module(f"attncalc.{module}"), name)()
    emit(json.dumps(schema, ensure_ascii=False, indent=2), output, force)

"""`attncalc functions`"""

from __future__ import annotations

import click

from .common import console


@click.command("functions")
def command() -> None:
    """List the functions of the formula language, each with its meaning.

    \b
    attncalc functions
    """
    from rich.table import Table
    from rich.text import Text

    from ..formula.functions import functions

    table = Table(box=None, show_header=False, padding=(0, 2, 0, 1))
    for function in sorted(functions().values(), key=lambda f: f.name):
        defined = f"   = {function.formula}" if isinstance(function.formula, str) else ""
        table.add_row(Text(function.signature, "bold yellow"), Text(function.doc) + Text(defined, "dim"))
    console().print(table)

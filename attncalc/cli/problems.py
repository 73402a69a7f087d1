"""`attncalc problems`"""

from __future__ import annotations

import click

from ..files import as_json
from .common import Word, console, emit


@click.command("problems")
@click.option("--to", "target", type=Word(["terminal", "json"]), default="terminal", help="What to write.")
def command(target: str) -> None:
    """List the problems that come with attncalc; `attncalc solve NAME` finds them by name.

    \b
    attncalc problems
    """
    from ..api import load
    from ..resources import problem_names

    rows = [(name, load(name)) for name in problem_names()]
    if target == "json":
        data = [{"name": name, "title": p.title, "source": p.source, "parts": [part.name for part in p.parts]} for name, p in rows]
        emit(as_json(data), None, False)
        return
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=False, padding=(0, 2, 0, 1))
    for name, problem in rows:
        table.add_row(Text(name, "bold yellow"), Text(problem.title))
    console().print(table)

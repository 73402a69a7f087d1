"""`attncalc problems`"""

from __future__ import annotations

from typing import Any

import click

from ..files import as_json
from .common import emit
from .pages import chosen, page_options, write_document


@click.command("problems")
@page_options()
def command(target: str | None, output: str | None, force: bool, **options: Any) -> None:
    """List the problems that come with attncalc; `attncalc solve NAME` finds them by name.

    \b
    attncalc problems
    attncalc problems -o problems.html
    """
    target, how = chosen(target, output, **options)
    from ..api import load
    from ..explain.lists import problems_document
    from ..resources import problem_names

    rows = [(name, load(name)) for name in problem_names()]
    if target == "json":
        data = [{"name": name, "title": p.title, "source": p.source, "parts": [part.name for part in p.parts]} for name, p in rows]
        emit(as_json(data), output, force)
    else:
        write_document(problems_document((name, problem.title) for name, problem in rows), target, how, output, force)

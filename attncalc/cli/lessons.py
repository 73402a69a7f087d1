"""`attncalc lessons`"""

from __future__ import annotations

import click

from ..errors import AttncalcError, did_you_mean, shorten
from ..files import as_json
from .common import Word, console, emit


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    from ..lessons import LESSONS

    return [name for name in LESSONS if name.startswith(incomplete)]


@click.command("lessons")
@click.argument("name", required=False, shell_complete=_complete)
@click.option("--to", "target", type=Word(["terminal", "json"]), default="terminal", help="What to write.")
def command(name: str | None, target: str) -> None:
    """List the lessons, or show one with its inputs, options, defaults and steps.

    \b
    attncalc lessons
    attncalc lessons self_attention
    """
    from ..lessons import LESSONS

    if name is not None and name not in LESSONS:
        there = did_you_mean(name, list(LESSONS)) or f"; there are {', '.join(LESSONS)}"
        raise AttncalcError(f"no lesson is called {shorten(name)!r}{there}")
    chosen = [LESSONS[name]] if name else list(LESSONS.values())
    if target == "json":
        emit(as_json([_data(lesson) for lesson in chosen]), None, False)
        return
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    screen = console()
    if name is None:
        table = Table(box=None, show_header=False, padding=(0, 2, 0, 1))
        for lesson in chosen:
            table.add_row(Text(lesson.name, "bold yellow"), Text(lesson.doc))
        screen.print(table)
        return
    lesson = chosen[0]
    screen.print(Text(f"\n {lesson.name}", "bold"))
    screen.print(Padding(Text(lesson.doc), (0, 1, 1, 1)))
    inputs = [(i.name, "optional" if i.optional else "named" if i.named else "", i.doc) for i in lesson.inputs]
    options = [(o.name, o.default, o.doc + (f" ({', '.join(o.words)})" if o.words else "")) for o in lesson.options]
    steps = [(step, "", doc) for step, doc in lesson.steps.items()]
    for title, rows in (("inputs", inputs), ("options and defaults", options), ("steps", steps)):
        screen.print(Text(f" {title}", "bold cyan"))
        table = Table(box=None, show_header=False, padding=(0, 2, 0, 1))
        for first, second, doc in rows:
            table.add_row(Text(first, "bold yellow"), *([Text(second, "dim")] if title != "steps" else []), Text(doc))
        screen.print(table)
        screen.print()


def _data(lesson) -> dict[str, object]:  # type: ignore[no-untyped-def]
    return {
        "name": lesson.name,
        "doc": lesson.doc,
        "inputs": [{"name": i.name, "doc": i.doc, "optional": i.optional} for i in lesson.inputs],
        "options": [{"name": o.name, "default": o.default, "doc": o.doc, "words": list(o.words)} for o in lesson.options],
        "steps": [{"name": step, "doc": doc} for step, doc in lesson.steps.items()],
    }

"""`attncalc functions`"""

from __future__ import annotations

import click

from ..errors import AttncalcError, did_you_mean, shorten
from .common import console


@click.command("functions")
@click.argument("name", required=False)
def command(name: str | None) -> None:
    """List the functions of the formula language, each with its meaning, or show the one called NAME.

    \b
    attncalc functions
    attncalc functions softmax
    """
    from rich.table import Table
    from rich.text import Text

    from ..formula.functions import functions
    from ..formula.parse import ALIASES

    known = functions()
    name = ALIASES.get(name or "", name)
    if name is not None and name not in known:
        raise AttncalcError(f"no function is called {shorten(name)!r}{did_you_mean(name, [*known, *ALIASES])}; `attncalc functions` lists them")
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 1), pad_edge=False)
    for function in sorted([known[name]] if name else known.values(), key=lambda f: f.name):
        defined = f"   = {function.formula}" if isinstance(function.formula, str) else ""
        others = "".join(f"; also called {other}" for other, own in ALIASES.items() if own == function.name)
        table.add_row(Text(function.signature, "bold yellow"), Text(function.doc + others) + Text(defined, "dim"))
    screen = console()
    with screen.capture() as found:
        screen.print(table)
    screen.file.write("".join(line.rstrip(" ") + "\n" for line in found.get().splitlines()))

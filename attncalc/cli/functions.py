"""`attncalc functions`"""

from __future__ import annotations

import click

from ..errors import AttncalcError, shorten
from ..safe_files import as_json
from .document_options import Page, page_options


@click.command("functions")
@click.argument("name", required=False)
@page_options()
def command(name: str | None, page: Page) -> None:
    """List the functions of the formula language with their meanings, or show only the function NAME.

    \b
    attncalc functions
    attncalc functions softmax
    attncalc functions -o functions.html
    """
    from ..explain.listings import functions_document
    from ..formula.compat.foreign_functions import near_function
    from ..formula.compat.library_calls import ALIASES
    from ..formula.functions import functions

    known = functions()
    name = ALIASES.get(name or "", name)
    if name is not None and name not in known:
        raise AttncalcError(
            f"no function is called {shorten(name)!r}{near_function(name)}; `attncalc functions` lists them"
        )
    rows = []
    for function in sorted([known[name]] if name else known.values(), key=lambda f: f.name):
        aliases = [alias for alias, function_name in ALIASES.items() if function_name == function.name]
        others = f"; also called {', '.join(aliases)}" if aliases else ""
        rows.append(
            (function.signature, function.doc + others, function.formula if isinstance(function.formula, str) else "")
        )
    page.write(
        lambda: functions_document(rows),
        lambda: as_json([{"function": call, "doc": doc, "formula": formula or None} for call, doc, formula in rows]),
    )

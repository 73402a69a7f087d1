"""`attncalc functions`"""

from __future__ import annotations

from typing import Unpack

import click

from ..errors import AttncalcError, shorten
from ..safe_files import as_json
from .document_options import PageOptions, page_options, select_target, write_document
from .shared_options import emit


@click.command("functions")
@click.argument("name", required=False)
@page_options()
def command(
    name: str | None, target: str | None, output: str | None, force: bool, **options: Unpack[PageOptions]
) -> None:
    """List the functions of the formula language, each with its meaning, or show the one called NAME.

    \b
    attncalc functions
    attncalc functions softmax
    attncalc functions -o functions.html
    """
    target, settings = select_target(target, output, **options)
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
    if target == "json":
        emit(
            as_json(
                [{"function": signature, "doc": doc, "formula": formula or None} for signature, doc, formula in rows]
            ),
            output,
            force,
        )
    else:
        write_document(functions_document(rows), target, settings, output, force)

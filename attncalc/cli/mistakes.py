"""`attncalc mistakes`"""

from __future__ import annotations

import click

from ..errors import AttncalcError, did_you_mean, shorten
from .common import Word, console, emit


@click.command("mistakes")
@click.argument("code", required=False)
@click.option("--to", "target", type=Word(["text", "json"]), default="text", help="What to write.")
def command(code: str | None, target: str) -> None:
    """List the mistakes that `attncalc check` knows, or show the one called CODE with a worked example.

    \b
    attncalc mistakes
    attncalc mistakes scale-forgotten
    """
    from ..mistakes.catalogue import catalogue
    from ..mistakes.shown import as_data, listed

    known = catalogue()
    if code is not None and code not in known:
        raise AttncalcError(f"no mistake is called {shorten(code)!r}{did_you_mean(code, list(known))}; `attncalc mistakes` lists them")
    if target == "json":
        import json

        chosen = [known[code]] if code else list(known.values())
        emit(json.dumps([as_data(m) for m in chosen], ensure_ascii=False, indent=1), None, False)
        return
    if code is None:
        emit(listed(), None, False)
        return
    from ..explain.mistake import mistake_document
    from ..write.terminal import write

    write(mistake_document(known[code]), console())

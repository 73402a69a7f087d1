"""`attncalc mistakes`"""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

import click

from ..errors import AttncalcError, did_you_mean, shorten
from ..safe_files import as_json
from .document_options import PageOptions, page_options, select_target, write_document
from .shared_options import emit

if TYPE_CHECKING:
    from ..mistakes.mistake import Mistake


@click.command("mistakes")
@click.argument("code", required=False)
@page_options()
def command(
    code: str | None, target: str | None, output: str | None, force: bool, **options: Unpack[PageOptions]
) -> None:
    """List the mistakes that `attncalc check` knows, or show the one with this CODE, with a worked example.

    \b
    attncalc mistakes
    attncalc mistakes scale-forgotten
    attncalc mistakes -o mistakes.html
    """
    target, settings = select_target(target, output, **options)
    from ..mistakes.catalogue import catalogue

    known = catalogue()
    if code is not None and code not in known:
        raise AttncalcError(
            f"no mistake is called {shorten(code)!r}{did_you_mean(code, list(known))}; `attncalc mistakes` lists them"
        )
    if target == "json":
        mistakes = [known[code]] if code else list(known.values())
        emit(as_json([_json_data(m) for m in mistakes]), output, force)
    else:
        from ..explain.mistake_page import catalogue_document, mistake_document

        write_document(mistake_document(known[code]) if code else catalogue_document(), target, settings, output, force)


def _json_data(mistake: Mistake) -> dict[str, object]:
    return {
        "code": mistake.code,
        "group": mistake.group,
        "steps": list(mistake.steps),
        "done": mistake.done,
        "advice": mistake.advice,
        "unseen_when": mistake.same or None,
        "rewrites": [{"find": find, "put": put} for find, put in mistake.rewrites],
    }

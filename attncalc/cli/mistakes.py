"""`attncalc mistakes`"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..errors import AttncalcError, did_you_mean, shorten
from ..safe_files import as_json
from .document_options import Page, page_options

if TYPE_CHECKING:
    from ..explain.document import Document
    from ..mistakes.mistake import Mistake


@click.command("mistakes")
@click.argument("code", required=False)
@page_options()
def command(code: str | None, page: Page) -> None:
    """List the mistakes that `attncalc check` knows, or show the mistake CODE with a worked example.

    \b
    attncalc mistakes
    attncalc mistakes scale-forgotten
    attncalc mistakes -o mistakes.html
    """
    from ..mistakes.catalogue import catalogue

    known = catalogue()
    if code is not None and code not in known:
        raise AttncalcError(
            f"no mistake is called {shorten(code)!r}{did_you_mean(code, list(known))}; `attncalc mistakes` lists them"
        )

    def document() -> Document:
        from ..explain.mistake_page import catalogue_document, mistake_document

        return mistake_document(known[code]) if code else catalogue_document()

    page.write(document, lambda: as_json([_json_data(m) for m in ([known[code]] if code else known.values())]))


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

"""`attncalc problems`"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..errors import AttncalcError, did_you_mean, shorten
from ..safe_files import as_json
from .document_options import Page, page_options

if TYPE_CHECKING:
    from ..explain.document import Document
    from ..problem.problem import Problem
    from ..problem.syllabus import Entry


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    from ..resources import problem_names

    return [name for name in problem_names() if name.startswith(incomplete)]


@click.command("problems")
@click.argument("name", required=False, shell_complete=_complete)
@page_options()
def command(name: str | None, page: Page) -> None:
    """List the bundled problems as a course from easy to hard, or show the prerequisites and successors of one problem.

    \b
    attncalc problems
    attncalc problems look-ahead-mask
    attncalc problems -o problems.html
    """
    from ..api import load
    from ..explain.listings import problem_document, problems_document
    from ..problem.syllabus import syllabus

    entries = [entry for entry in syllabus() if name in (None, entry.name)]
    if not entries:
        known = [entry.name for entry in syllabus()]
        raise AttncalcError(f"no bundled problem is called {shorten(name or '')!r}{did_you_mean(name or '', known)}")
    rows = [(entry, load(entry.name)) for entry in entries]

    def document() -> Document:
        if not name:
            return problems_document((entry, problem.title) for entry, problem in rows)
        (entry, problem), *_ = rows
        asked = dict.fromkeys(filter(None, (problem.ask, *(part.ask for part in problem.parts))))
        return problem_document(entry, problem.title, asked)

    page.write(document, lambda: as_json([_data(entry, problem) for entry, problem in rows]))


def _data(entry: Entry, problem: Problem) -> dict[str, object]:
    return {
        "name": entry.name,
        "title": problem.title,
        "source": problem.source,
        "parts": [part.name for part in problem.parts],
        "chapter": entry.chapter,
        "teaches": entry.teaches,
        "minutes": entry.minutes,
        "before": list(entry.first),
        "after": list(entry.then),
        "read": entry.read,
    }

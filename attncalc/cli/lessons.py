"""`attncalc lessons`"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..errors import AttncalcError, did_you_mean, shorten
from ..safe_files import as_json
from .document_options import Page, page_options

if TYPE_CHECKING:
    from ..lessons.lesson import Lesson


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    from ..lessons import LESSONS

    return [name for name in LESSONS if name.startswith(incomplete)]


@click.command("lessons")
@click.argument("name", required=False, shell_complete=_complete)
@page_options()
def command(name: str | None, page: Page) -> None:
    """List the lessons, or show one with its inputs, options, defaults and steps.

    \b
    attncalc lessons
    attncalc lessons self_attention
    attncalc lessons self_attention -o lesson.html
    """
    from ..explain.listings import lesson_document, lessons_document
    from ..lessons import LESSONS

    if name is not None and name not in LESSONS:
        there = did_you_mean(name, list(LESSONS)) or f"; there are {', '.join(LESSONS)}"
        raise AttncalcError(f"no lesson is called {shorten(name)!r}{there}")
    lessons = [LESSONS[name]] if name else list(LESSONS.values())
    page.write(
        lambda: lesson_document(*lessons) if name else lessons_document(lessons),
        lambda: as_json([_data(lesson) for lesson in lessons]),
    )


def _data(lesson: Lesson) -> dict[str, object]:
    from ..explain.reasons import reason

    return {
        "name": lesson.name,
        "doc": lesson.doc,
        "source": lesson.source or None,
        "inputs": [{"name": i.name, "doc": i.doc, "optional": i.optional} for i in lesson.inputs],
        "options": [
            {"name": o.name, "default": o.default, "doc": o.doc, "words": list(o.words)} for o in lesson.options
        ],
        "steps": [
            {"name": step, "doc": doc, "reason": reason(lesson.name, step)} for step, doc in lesson.steps.items()
        ],
    }

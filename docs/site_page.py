"""A page of the site that attncalc itself writes: of a lesson, a mistake, or a problem in the gallery."""

from __future__ import annotations

from attncalc import load, solve
from attncalc.explain.listings import lesson_document
from attncalc.explain.mistake_page import mistake_document
from attncalc.explain.solution_document import solution_document
from attncalc.lessons import LESSONS
from attncalc.mistakes.catalogue import catalogue
from attncalc.render.html import write


def place(kind: str, name: str) -> str:
    return f"gallery/{name}.html" if kind == "gallery" else f"reference/{kind}/{name}.html"


def page(kind: str, name: str) -> str:
    """The page of one of them."""
    match kind:
        case "lessons":
            return write(lesson_document(LESSONS[name]))
        case "mistakes":
            return write(mistake_document(catalogue()[name]))
    solution = solve(load(name))
    return write(solution_document(solution, solution.parts))

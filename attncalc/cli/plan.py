"""`attncalc plan`"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from ..safe_files import as_json
from .document_options import Page, page_options
from .shared_options import emit, part_option, problem_argument, select_parts

if TYPE_CHECKING:
    from ..explain.document import Document
    from ..plan import Step
    from ..problem.problem import Part, Problem

LISTED = ("terminal", "text")  # in these formats, formulas have the syntax of problem files


@click.command("plan")
@problem_argument
@part_option
@page_options()
def command(problem: str, parts: tuple[str, ...], page: Page) -> None:
    """Print the formula and the shape of every step of PROBLEM.

    \b
    attncalc plan transformers-transforming-our-lives
    attncalc plan problem.yaml -o plan.md
    """
    from ..api import load

    loaded = load(problem)
    selected_parts = select_parts(loaded.parts, parts)
    if page.target in LISTED and "template" not in page.settings:
        emit("\n".join(line for part in selected_parts for line in _lines(loaded, part)), page.output, page.force)
        return

    def document() -> Document:
        from ..api import solve
        from ..explain.solution_document import plan_document

        solution = solve(loaded)
        return plan_document(solution, select_parts(solution.parts, parts))

    steps = [{"name": part.name, "steps": [_step(step) for step in part.plan.steps]} for part in selected_parts]
    page.write(document, lambda: as_json({"title": loaded.title, "parts": steps}))


def _step(step: Step) -> dict[str, object]:
    data: dict[str, object] = {"name": step.name, "formula": step.formula, "shape": list(step.shape)}
    data |= {"means": step.means} if step.means else {}
    return data | {"given": True} if step.given else data


def _lines(problem: Problem, part: Part) -> Iterator[str]:
    from ..errors import size

    if part.name:
        yield f"{part.name}:"
    givens = [*problem.plan.givens, *part.plan.givens]
    used = set().union(*(problem.plan.dependencies[s.key] for s in part.plan.steps))
    rows = [(g.name, size(g.shape), "given") for g in givens if g.key in used]
    rows += [(s.name, size(s.shape), f"{s.formula}{'   (given)' if s.given else ''}") for s in part.plan.steps]
    first, second = (max((len(row[k]) for row in rows), default=0) for k in (0, 1))
    for name, shape, formula in rows:
        yield f"  {name.ljust(first)}  {shape.rjust(second)}  {formula}"

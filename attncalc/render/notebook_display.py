"""The notebook display: the usual page for solutions and reports, and a formula with its matrix for a step."""

from __future__ import annotations

from ..api import solve
from ..explain.document import Cell, Document, EquationSide, Formula, Matrices
from ..explain.number_display import DisplayedNumbers, is_weights, step_grid
from ..explain.part_document import meaning
from ..explain.report_document import report_document
from ..explain.solution_document import solution_document
from ..formula.syntax_tree import Name
from ..marking.report import Report
from ..solution import Solution, StepResult
from . import html
from .math import tex


def show(shown: Solution | StepResult | Report) -> str:
    """Return a solution, a step or a report as HTML."""
    match shown:
        case Solution():
            return html.fragment(solution_document(shown, shown.parts))
        case Report():
            return html.fragment(report_document(shown, solve(shown.problem)))
    return html.fragment(_step(shown))


def _step(result: StepResult) -> Document:
    step = result.step
    grid = step_grid(Name(step.name), DisplayedNumbers(result), is_weights(step))
    sides = () if step.tree == Name(step.name) else (EquationSide(step.tree),)
    return Document([Formula(Name(step.name), sides, meaning(step)), Matrices((grid,))])


def step_latex(result: StepResult) -> str:
    """Return `$$A = … = \\begin{bmatrix} … \\end{bmatrix}$$`. The last sign is ≈ if a number is rounded."""
    step, shown = result.step, DisplayedNumbers(result)
    grid = step_grid(Name(step.name), shown, is_weights(step))
    rows = r" \\ ".join(" & ".join(map(_cell, row)) for row in grid.cells)
    exact = shown.terminates or all(
        shown.equals_print(i, j) for i in range(step.shape[0]) for j in range(step.shape[1])
    )
    left = " = ".join(map(tex.formula, dict.fromkeys((Name(step.name), step.tree))))
    almost = "=" if exact else r"\approx"
    return rf"$$\displaystyle {left} {almost} \begin{{bmatrix}} {rows} \end{{bmatrix}}$$"


def _cell(cell: Cell) -> str:
    return r"\cdot" if cell.mark == "masked" and cell.shade is not None else tex.number(cell.text)

"""`attncalc solve`"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, TypeVar

import click

from ..errors import AttncalcError, Diagnostics
from ..processor_limit import RunTime
from .document_options import FORMATS as PAGES
from .document_options import PICTURES, Page, page_options
from .output_checks import TEXT, Output, require_outputs, together
from .progress import track_progress
from .shared_options import (
    WholeNumber,
    WordChoice,
    complete_problem,
    compute_steps,
    emit,
    part_option,
    select_parts,
    select_steps,
    step_option,
)

if TYPE_CHECKING:
    from ..explain.document import Document
    from ..solution import PartSolution, Solution

    Selection = tuple[Solution, list[PartSolution], set[str] | None]

T = TypeVar("T")
LEVELS = ("brief", "steps", "full")
FORMATS = (*PAGES, *PICTURES)


@click.command("solve")
@click.argument("problems", nargs=-1, required=True, metavar="PROBLEM...", shell_complete=complete_problem)
@part_option
@step_option
@click.option(
    "--depth",
    type=WholeNumber(1, 99),
    help="Levels of nested lessons to expand; with 1, the solution shows only the results of nested lessons.",
)
@click.option(
    "--digits",
    type=WholeNumber(0, 1000),
    help="Decimals to print (default: the number under `rounding:` in the problem, otherwise 4).",
)
@click.option("--exact", is_flag=True, help="Print closed forms such as √2/2 instead of decimals, if they are short.")
@click.option(
    "--paper", is_flag=True, help="Round every step and continue with the rounded numbers, as when working by hand."
)
@click.option(
    "--explain",
    type=WordChoice(LEVELS),
    default="steps",
    help="Amount of detail: brief (formulas and matrices), steps (with the calculation of one entry of each step), "
    "full (with the calculation of every entry).",
    show_default=True,
)
@click.option(
    "--fade",
    type=WholeNumber(1, 4),
    help="Leave steps blank for the student (1: the last, 2: a third, 3: two thirds, 4: all); the solution follows.",
)
@click.option(
    "--certificate",
    metavar="FILE",
    help="Also write a certificate of the whole problem, which `attncalc verify` checks.",
)
@page_options(FORMATS)
def command(
    problems: tuple[str, ...],
    parts: tuple[str, ...],
    steps: tuple[str, ...],
    depth: int | None,
    digits: int | None,
    exact: bool,
    paper: bool,
    explain: str,
    fade: int | None,
    certificate: str | None,
    page: Page,
) -> None:
    """Solve every step of PROBLEM: a file, the name of a bundled problem, or - for standard input.

    Several problems are written into one document, each on its own page; in JSON, they are a list.

    \b
    attncalc solve transformers-transforming-our-lives
    attncalc solve problem.yaml --part masked --step A --digits 8
    attncalc solve problem.yaml --explain full -o solution.pdf
    attncalc solve monday.yaml tuesday.yaml -o week.pdf
    attncalc solve problem.yaml --to latex --fragment
    attncalc solve problem.yaml --fade 2 -o exercise.pdf
    attncalc solve problem.yaml --certificate c.json
    """
    if fade is not None and (steps or page.target in ("json", *PICTURES)):
        raise AttncalcError(
            "--fade prints whole parts; remove --step, and choose a format other than json, svg and png"
        )
    if certificate is not None:
        if len(problems) > 1 or parts or steps:
            raise AttncalcError("--certificate: expected a single PROBLEM, without --part or --step")
        require_outputs((Output("--certificate", certificate, TEXT), Output("-o", page.output)), page.force)
    run = RunTime()
    selections = _solve_problems(run, problems, parts, steps, digits=digits, paper=paper)
    if exact and any(solution.paper for solution, _, _ in selections):
        what = "--paper" if paper else "a problem with `carry: printed`"
        raise AttncalcError(f"--exact and {what} cannot be combined: closed forms need unrounded numbers")
    with together(certificate, page.output) if certificate is not None else nullcontext():
        if certificate is not None:
            from ..render.certificate import unverifiable
            from ..render.certificate import write as certify

            text = certify(selections[0][0])
            emit(text, certificate, page.force)
            if reason := unverifiable(text, selections[0][0]):
                click.echo(f"warning: `attncalc verify` rejects this certificate: {reason}", err=True)
            if certificate == "-" and page.output is None:
                return
        page.write(
            lambda: _document(_each(run, selections, "problems written"), exact, depth, explain, fade, page.target),
            lambda: _as_json(_each(run, selections, "problems written"), exact),
        )


def _as_json(selections: Iterable[Selection], exact: bool) -> str:
    from ..render.solution_json import write

    texts = [write(*selection, exact) for selection in selections]
    return texts[0] if len(texts) == 1 else "[\n" + ",\n".join(texts) + "\n]"


def _document(
    selections: Iterable[Selection], exact: bool, depth: int | None, explain: str, fade: int | None, target: str
) -> Document:
    """Return one document with all problems, solved or with gaps."""
    from ..explain.document import Document
    from ..explain.faded_examples import faded_document
    from ..explain.solution_document import solution_document

    document = Document([])
    for solution, parts, steps in selections:
        if fade is None:
            made = solution_document(solution, parts, steps, exact, depth, explain, target == "html")
        else:
            made = faded_document(solution, parts, fade, exact, explain)
        document.blocks += made.blocks
    return document


def _each(run: RunTime, problems: Sequence[T], what: str) -> Iterator[T]:
    """Yield the problems while the run has time. Show a progress bar if there are several."""
    return track_progress(run.within(problems), len(problems), what, fewest=2)


def _solve_problems(
    run: RunTime,
    problems: tuple[str, ...],
    parts: tuple[str, ...],
    steps: tuple[str, ...],
    digits: int | None,
    paper: bool,
) -> list[Selection]:
    """Return each problem's solution with the selected parts and steps. Raises AttncalcError with all errors."""
    from ..api import load, solve

    faults, selections = Diagnostics(), []
    for problem in _each(run, problems, "problems solved"):
        try:
            solution = solve(load(problem), digits=digits, paper=paper)
            selected_parts = select_parts(solution.parts, parts)
            selected_steps = select_steps(selected_parts, steps)
            if selected_steps is not None:
                selected_parts = [
                    part for part in selected_parts if not selected_steps.isdisjoint(step.name for step in part.steps)
                ]
            compute_steps(selected_parts, selected_steps)
            selections.append((solution, selected_parts, selected_steps))
        except AttncalcError as error:
            faults.extend(error)
    faults.raise_any()
    return selections

"""`attncalc solve`"""

from __future__ import annotations

from typing import Any

import click

from ..errors import AttncalcError, Faults
from .common import Whole, Word, chosen_parts, chosen_steps, complete_problem, emit, part_option, settle, step_option
from .pages import FORMATS as PAGES
from .pages import PICTURES, chosen, page_options, write_document

LEVELS = ("brief", "steps", "full")
FORMATS = (*PAGES, *PICTURES)


@click.command("solve")
@click.argument("problems", nargs=-1, required=True, metavar="PROBLEM...", shell_complete=complete_problem)
@part_option
@step_option
@click.option("--depth", type=Whole(1, 99), help="How deep to unfold lessons inside lessons; 1 shows each by its result alone.")
@click.option("--digits", type=Whole(0, 1000), help="Decimals to print; the problem's rounding, or 4, without it.")
@click.option("--exact", is_flag=True, help="Closed forms instead of decimals, where they fit.")
@click.option("--paper", is_flag=True, help="Round every step as the problem's rounding says and carry that on.")
@click.option("--explain", type=Word(LEVELS), default="steps", help="How much: formulas and matrices, an entry worked, all entries.")
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
    target: str | None,
    output: str | None,
    force: bool,
    **options: Any,
) -> None:
    """Work out every step of PROBLEM: a file, the name of a problem that comes with attncalc, or - for standard input.

    Several problems make one document, each on a page of its own; in JSON, a list.

    \b
    attncalc solve transformers-transforming-our-lives
    attncalc solve problem.yaml --part masked --step A --digits 8
    attncalc solve problem.yaml --explain full -o solution.pdf
    attncalc solve monday.yaml tuesday.yaml -o week.pdf
    attncalc solve problem.yaml --to latex --fragment
    """
    if exact and paper:
        raise AttncalcError("--exact and --paper: one of them is required, since what was rounded on paper has no closed form")
    target, how = chosen(target, output, FORMATS, **options)
    solved = _settled(problems, parts, steps, digits=digits, paper=paper)
    if target == "json":
        from ..write.json import write

        texts = [write(solution, shown, wanted, exact) for solution, shown, wanted in solved]
        emit(texts[0] if len(texts) == 1 else "[\n" + ",\n".join(texts) + "\n]", output, force)
        return
    from ..explain.document import Document
    from ..explain.solution import solution_document

    documents = [solution_document(solution, shown, wanted, exact, depth, explain) for solution, shown, wanted in solved]
    write_document(Document([block for document in documents for block in document.blocks]), target, how, output, force)


def _settled(problems: tuple[str, ...], parts: tuple[str, ...], steps: tuple[str, ...], **how: Any) -> list[tuple[Any, list[Any], set[str] | None]]:
    """Each problem solved, with the parts and steps that are chosen; the faults of all of them are told together."""
    from ..face import load, solve

    faults, solved = Faults(), []
    for problem in problems:
        try:
            solution = solve(load(problem), **how)
            shown = chosen_parts(solution.parts, parts)
            wanted = chosen_steps(shown, steps)
            settle(shown, wanted)
            solved.append((solution, shown, wanted))
        except AttncalcError as error:
            faults.extend(error)
    faults.raise_any()
    return solved

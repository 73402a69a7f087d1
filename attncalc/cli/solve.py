"""`attncalc solve`"""

from __future__ import annotations

from importlib import import_module

import click

from .common import (
    Whole,
    Word,
    chosen_parts,
    chosen_steps,
    console,
    emit,
    force_option,
    part_option,
    problem_argument,
    settle,
    step_option,
)

TEXTS = ("latex", "html")  # the modules of attncalc.write whose `write` sets a document as text
FORMATS = ("terminal", "json", *TEXTS)


@click.command("solve")
@problem_argument
@part_option
@step_option
@click.option("--depth", type=Whole(1, 99), help="How deep to unfold lessons inside lessons; 1 shows each by its result alone.")
@click.option("--digits", type=Whole(0, 1000), help="Decimals to print; the problem's rounding, or 4, without it.")
@click.option("--exact", is_flag=True, help="Closed forms instead of decimals, where they fit.")
@click.option("--paper", is_flag=True, help="Round every step as the problem's rounding says and carry that on.")
@click.option("--to", "target", type=Word(FORMATS), default="terminal", help="What to write.")
@click.option("-o", "--output", metavar="FILE", help="Write to this file instead of standard output.")
@force_option
def command(
    problem: str,
    parts: tuple[str, ...],
    steps: tuple[str, ...],
    depth: int | None,
    digits: int | None,
    exact: bool,
    paper: bool,
    target: str,
    output: str | None,
    force: bool,
) -> None:
    """Work out every step of PROBLEM: a file, the name of a problem that comes with attncalc, or - for standard input.

    \b
    attncalc solve transformers-transforming-our-lives
    attncalc solve problem.yaml --part masked --step A --digits 8
    attncalc solve problem.yaml --to json -o solution.json
    """
    from ..face import load, solve

    solution = solve(load(problem), digits=digits, paper=paper)
    chosen = chosen_parts(solution.parts, parts)
    wanted = chosen_steps(chosen, steps)
    settle(chosen, wanted)
    if target == "json":
        from ..write.json import write

        emit(write(solution, chosen, wanted, exact), output, force)
        return
    from ..explain.solution import solution_document

    document = solution_document(solution, chosen, wanted, exact, depth)
    if target in TEXTS:
        emit(import_module(f"attncalc.write.{target}").write(document), output, force)
        return
    from ..write.terminal import write as print_document

    screen = console(output)
    print_document(document, screen)
    if output is not None and output != "-":
        emit(screen.file.getvalue(), output, force)

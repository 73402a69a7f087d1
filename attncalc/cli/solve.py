"""`attncalc solve`"""

from __future__ import annotations

from importlib import import_module
from os.path import splitext
from typing import Any

import click

from ..errors import AttncalcError
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
    template_folder,
)

LEVELS = ("brief", "steps", "full")
ENGINES = ("typst", "latex")

PAGES = ("latex", "typst", "pdf", "html", "markdown", "text", "svg", "png")  # the modules of attncalc.write whose `write` sets a document
FORMATS = ("terminal", "json", *PAGES)
ENDINGS = {".json": "json", ".tex": "latex", ".typ": "typst", ".pdf": "pdf", ".html": "html", ".md": "markdown", ".svg": "svg", ".png": "png"}
# Options that say how one of the pages is set.
ONLY = {"fragment": ("latex",), "engine": ("pdf",), "template": PAGES}


@click.command("solve")
@problem_argument
@part_option
@step_option
@click.option("--depth", type=Whole(1, 99), help="How deep to unfold lessons inside lessons; 1 shows each by its result alone.")
@click.option("--digits", type=Whole(0, 1000), help="Decimals to print; the problem's rounding, or 4, without it.")
@click.option("--exact", is_flag=True, help="Closed forms instead of decimals, where they fit.")
@click.option("--paper", is_flag=True, help="Round every step as the problem's rounding says and carry that on.")
@click.option("--explain", type=Word(LEVELS), default="steps", help="How much: formulas and matrices, an entry worked, all entries.")
@click.option("--to", "target", type=Word(FORMATS), help="What to write; by default what the ending of -o says, else terminal.")
@click.option("--fragment", is_flag=True, default=None, help="LaTeX to paste into a document of one's own.")
@click.option("--engine", type=Word(ENGINES), help="What makes a PDF: typst, which comes along, or latex where it is installed.")
@click.option("--template", metavar="DIR", help="Templates in place of ours; `attncalc templates` copies those.")
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
    explain: str,
    target: str | None,
    fragment: bool | None,
    engine: str | None,
    template: str | None,
    output: str | None,
    force: bool,
) -> None:
    """Work out every step of PROBLEM: a file, the name of a problem that comes with attncalc, or - for standard input.

    \b
    attncalc solve transformers-transforming-our-lives
    attncalc solve problem.yaml --part masked --step A --digits 8
    attncalc solve problem.yaml --explain full -o solution.pdf
    attncalc solve problem.yaml --to latex --fragment
    """
    target = target or ENDINGS.get(splitext(output or "")[1].lower(), "terminal")
    how = _how(target, fragment=fragment, engine=engine, template=template)
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

    document = solution_document(solution, chosen, wanted, exact, depth, explain)
    if target in PAGES:
        emit(import_module(f"attncalc.write.{target}").write(document, **how), output, force)
        return
    from ..write.terminal import write as print_document

    screen = console(output)
    print_document(document, screen)
    if output is not None and output != "-":
        emit(screen.file.getvalue(), output, force)


def _how(target: str, **options: Any) -> dict[str, Any]:
    """The options that were given, where they are of use to what is written."""
    given = {name: value for name, value in options.items() if value is not None}
    for name in given:
        if target not in ONLY[name]:
            raise AttncalcError(f"--{name} is of use only with --to {' or '.join(ONLY[name])}; --to {target} stands there")
    if "template" in given:
        medium = {"pdf": given.get("engine", "typst"), "png": "svg"}.get(target, target)
        given["template"] = template_folder(given["template"], medium)
    return given

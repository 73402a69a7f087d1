"""`attncalc new`"""

from __future__ import annotations

import click

from .shared_options import OUTPUT, emit, force_option


@click.command("new")
@click.argument("lesson", default="")
@click.option(
    "--from",
    "pasted",
    metavar="FILE",
    help="Use the matrices in this file, in the notation of NumPy, PyTorch, LaTeX or Markdown (- for standard input).",
)
@click.option("-o", "--output", metavar="FILE", help=OUTPUT)
@force_option
def command(lesson: str, pasted: str | None, output: str | None, force: bool) -> None:
    """Write a commented problem file to edit: a blank form for LESSON, or pasted matrices with a lesson that fits them.

    \b
    attncalc new self_attention -o mine.yaml
    attncalc new --from pasted.txt -o mine.yaml
    attncalc new attention --from - -o mine.yaml
    """
    from ..generator.problem_template import new, read_pasted

    text, source = read_pasted(pasted) if pasted else ("", "")
    emit(new(lesson, text, source).rstrip("\n"), output, force)

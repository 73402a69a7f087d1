"""`attncalc new`"""

from __future__ import annotations

import click

from .common import emit, force_option


@click.command("new")
@click.argument("lesson", default="")
@click.option(
    "--from", "pasted", metavar="FILE", help="Matrices from NumPy, PyTorch, LaTeX or Markdown; - for standard input."
)
@click.option("-o", "--output", metavar="FILE", help="Write to this file instead of standard output.")
@force_option
def command(lesson: str, pasted: str | None, output: str | None, force: bool) -> None:
    """Begin a problem file: LESSON's blank form, or pasted matrices with the lesson that they are for.

    \b
    attncalc new self_attention -o mine.yaml
    attncalc new --from pasted.txt -o mine.yaml
    attncalc new attention --from - -o mine.yaml
    """
    from ..generator.new import new, read_pasted

    text, source = read_pasted(pasted) if pasted else ("", "")
    emit(new(lesson, text, source).rstrip("\n"), output, force)

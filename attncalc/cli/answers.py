"""`attncalc answers`"""

from __future__ import annotations

import click

from .common import chosen_parts, emit, force_option, part_option, problem_argument


@click.command("answers")
@problem_argument
@part_option
@click.option("-o", "--output", metavar="FILE", help="Write to this file instead of standard output.")
@force_option
def command(problem: str, parts: tuple[str, ...], output: str | None, force: bool) -> None:
    """Write a blank answers file for PROBLEM: every step that is asked, with its shape and labels.

    \b
    attncalc answers transformers-transforming-our-lives -o answers.yaml
    """
    from ..answers.blank import blank
    from ..api import load

    loaded = load(problem)
    emit(blank(loaded, chosen_parts(loaded.parts, parts)).rstrip("\n"), output, force)

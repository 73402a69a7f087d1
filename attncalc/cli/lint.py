"""`attncalc lint`"""

from __future__ import annotations

import sys

import click

from ..files import as_json
from .common import Word, emit, problem_argument


@click.command("lint")
@problem_argument
@click.option("--relax", multiple=True, metavar="DEMAND", help="Drop a requirement.")
@click.option("--to", "target", type=Word(["text", "json"]), default="text", help="What to write.")
def command(problem: str, relax: tuple[str, ...], target: str) -> None:
    """Say what makes PROBLEM hard to mark or unfair, and what to change. Exit code 1 when something is found.

    \b
    attncalc lint transformers-transforming-our-lives
    attncalc lint problem.yaml --to json
    """
    from ..api import load
    from ..generator.lint import as_data, lines, lint

    report = lint(load(problem), relax)
    if target == "json":
        emit(as_json(as_data(report)), None, False)
    else:
        emit("\n".join(lines(report)), None, False)
    sys.exit(1 if report.findings else 0)

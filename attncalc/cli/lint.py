"""`attncalc lint`"""

from __future__ import annotations

import sys

import click

from ..safe_files import as_json
from .shared_options import emit, problem_argument, text_or_json, write_requirements


class _WithRequirements(click.Command):
    """A command whose help ends with the requirements. They are loaded only for --help."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from ..generator.request import OF_A_PROBLEM

        write_requirements(formatter, OF_A_PROBLEM)


@click.command("lint", cls=_WithRequirements)
@problem_argument
@click.option("--relax", multiple=True, metavar="CODE", help="Drop one of the requirements below (repeatable).")
@text_or_json
def command(problem: str, relax: tuple[str, ...], target: str) -> None:
    """Report what makes PROBLEM hard to mark or unfair, and suggest changes. The exit code is 1 if a weakness
    is found.

    \b
    attncalc lint transformers-transforming-our-lives
    attncalc lint problem.yaml --to json
    """
    from ..api import load_without_warning
    from ..generator.lint import as_data, lines, lint

    report = lint(load_without_warning(problem, quiet=True), relax)  # the report has the warnings
    if target == "json":
        emit(as_json(as_data(report)), None, False)
    else:
        emit("\n".join(lines(report)), None, False)
    sys.exit(1 if report.findings else 0)

"""`attncalc check`"""

from __future__ import annotations

import sys
from typing import Any

import click

from .common import emit, problem_argument, with_warnings
from .pages import chosen, page_options, write_document


@click.command("check")
@problem_argument
@click.argument("answers")
@click.option("--hints", is_flag=True, help="Say where and why, and keep the right numbers back.")
@page_options()
def command(problem: str, answers: str, hints: bool, target: str | None, output: str | None, force: bool, **options: Any) -> None:
    """Mark ANSWERS (a file, or - for standard input) to PROBLEM: which step broke first, and why.

    Exit code 0 when no step is wrong, carried or missing, else 1.

    \b
    attncalc check transformers-transforming-our-lives answers.yaml
    attncalc check problem.yaml answers.md --hints
    attncalc check problem.yaml answers.yaml -o report.pdf
    """
    target, how = chosen(target, output, **options)
    from ..face import check, load

    report = check(with_warnings(load(problem)), answers)
    if target == "json":
        from ..write.report_json import write

        emit(write(report, hints), output, force)
    else:
        from ..explain.report import report_document
        from ..face import solve

        write_document(report_document(report, solve(report.problem), hints), target, how, output, force)
    sys.exit(0 if report.passed else 1)

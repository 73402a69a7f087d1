"""`attncalc check`"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from ..errors import AttncalcError
from .document_options import page_options, select_target, write_document
from .shared_options import emit, problem_argument

if TYPE_CHECKING:
    from ..marking.report import Report


@click.command("check")
@problem_argument
@click.argument("answers")
@click.option("--hints", is_flag=True, help="Say where the mistake is and why, without showing the right numbers.")
@click.option("--watch", is_flag=True, help="Mark again every time a file is saved, until Ctrl-C.")
@page_options()
def command(
    problem: str,
    answers: str,
    hints: bool,
    watch: bool,
    target: str | None,
    output: str | None,
    force: bool,
    **options: Any,
) -> None:
    """Mark one student's ANSWERS to PROBLEM: the first wrong step, its cause, and the points.

    ANSWERS is a file, or - for standard input. Exit code 0 when no step is wrong or unanswered, 1 when one is, 2 when
    something could not be read; the rest is marked.

    \b
    attncalc check transformers-transforming-our-lives answers.yaml
    attncalc check problem.yaml answers.md --hints
    attncalc check problem.yaml answers.yaml --hints --watch
    attncalc check problem.yaml answers.yaml -o report.pdf
    """
    if watch:
        _watch(problem, answers, hints, target, output)
    target, settings = select_target(target, output, **options)
    report = _report(problem, answers, hints, target, settings, output, force)
    sys.exit(2 if report.bound.unread else 0 if report.passed else 1)


def _watch(problem: str, answers: str, hints: bool, target: str | None, output: str | None) -> None:
    """Mark again at every save; a fault in the problem is reported at once and ends the command."""
    if output is not None or target not in (None, "terminal"):
        raise AttncalcError("--watch shows the report in the terminal: leave out -o and --to")
    if "-" in (problem, answers):
        raise AttncalcError("--watch looks at files: expected a file, found - (standard input)")
    from ..api import find_problem, load
    from .watch import watch

    load(problem)
    watch([find_problem(problem), answers], lambda: _report(problem, answers, hints, "terminal", {}, None, False))


def _report(
    problem: str, answers: str, hints: bool, target: str, settings: dict[str, Any], output: str | None, force: bool
) -> Report:
    """Write the report and return it."""
    from ..api import check, load

    report = check(load(problem), answers, partial=True)
    for answer in report.bound.unread:
        click.echo(str(answer.fault), err=True)
    if target == "json":
        from ..render.report_json import write

        emit(write(report, hints), output, force)
    else:
        from ..api import solve
        from ..explain.report_document import report_document

        write_document(
            report_document(report, solve(report.problem), hints, counts=True), target, settings, output, force
        )
    return report

"""`attncalc check`"""

from __future__ import annotations

import sys

import click

from .common import Word, console, emit, force_option, problem_argument

FORMATS = ("terminal", "json")


@click.command("check")
@problem_argument
@click.argument("answers")
@click.option("--hints", is_flag=True, help="Say where and why, and keep the right numbers back.")
@click.option("--to", "target", type=Word(FORMATS), default="terminal", help="What to write.")
@click.option("-o", "--output", metavar="FILE", help="Write to this file instead of standard output.")
@force_option
def command(problem: str, answers: str, hints: bool, target: str, output: str | None, force: bool) -> None:
    """Mark ANSWERS (a file, or - for standard input) to PROBLEM: which step broke first, and why.

    Exit code 0 when no step is wrong, carried or missing, else 1.

    \b
    attncalc check transformers-transforming-our-lives answers.yaml
    attncalc check problem.yaml answers.md --hints
    """
    from ..face import check, load

    report = check(load(problem), answers)
    if target == "json":
        from ..write.report_json import write

        emit(write(report), output, force)
    else:
        from ..explain.report import report_document
        from ..face import solve
        from ..write.terminal import write as print_document

        screen = console(output)
        print_document(report_document(report, solve(report.problem), hints), screen)
        if output is not None and output != "-":
            emit(screen.file.getvalue(), output, force)
    sys.exit(0 if report.passed else 1)

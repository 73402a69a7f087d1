"""`attncalc verify`"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from ..errors import AttncalcError, Location, counted
from ..safe_files import as_json
from .shared_options import WholeNumber, emit, text_or_json

if TYPE_CHECKING:
    from ..verify import Report

MOST_DIFFERENCES = 20  # differences that are listed


@click.command("verify")
@click.argument("certificate", metavar="CERTIFICATE", type=click.Path())
@click.argument("problem", metavar="[PROBLEM]", required=False)
@click.option("--paper", is_flag=True, help="Compare the certificate with PROBLEM solved by `solve --paper`.")
@click.option(
    "--digits",
    type=WholeNumber(0, 1000),
    help="Compare the certificate with PROBLEM solved by `solve --digits NUMBER`.",
)
@text_or_json
def command(certificate: str, problem: str | None, paper: bool, digits: int | None, target: str) -> int:
    """Check a CERTIFICATE that `attncalc solve PROBLEM --certificate FILE` wrote (- for standard input).

    `python verify.py CERTIFICATE` does the same. This one file needs only Python's standard library, and shares no
    code with the rest of attncalc. With PROBLEM, also check that the certificate belongs to this problem: it has the
    same givens, parts, steps, formulas, pins and rounding. Steps that cannot be verified are listed. The exit code is
    1 if a printed decimal or an enclosure is wrong, or if the certificate belongs to a different problem. Steps that
    cannot be verified do not change the exit code.

    \b
    attncalc solve problem.yaml --certificate c.json
    attncalc verify c.json
    attncalc verify c.json problem.yaml
    attncalc verify paper.json problem.yaml --paper
    attncalc verify c.json --to json
    """
    from ..verify import Bad, read, remove_control_characters, report_lines, verify

    if problem is None and (paper or digits is not None):
        raise AttncalcError("--paper and --digits need a PROBLEM")
    try:
        data = read(certificate)
        report = verify(data)
    except Bad as error:
        message = remove_control_characters(str(error))
        where = re.match(r"line (\d+), column (\d+): ", message)
        at = (int(where[1]), int(where[2])) if where else (0, 0)
        place = Location(remove_control_characters(certificate), *at)
        raise AttncalcError(message.removeprefix(where[0] if where else ""), place) from None
    deviations = []
    if problem is not None:
        from ..api import load, solve
        from ..render.certificate import differences

        deviations = differences(data, solve(load(problem), digits=digits, paper=paper))
    if target == "json":
        emit(as_json(_as_data(report, problem, deviations)), None, False)
    else:
        for line in (*report_lines(report), *_about_problem(problem, deviations, paper)):
            click.echo(remove_control_characters(line))
    return int(bool(deviations) or any(finding.verdict == "wrong" for finding in report.findings))


def _about_problem(problem: str | None, deviations: list[str], paper: bool) -> Iterator[str]:
    """Yield the first differences from the problem, or a line that the certificate belongs to it."""
    yield from (f"DIFFERS: {deviation}" for deviation in deviations[:MOST_DIFFERENCES])
    if len(deviations) > MOST_DIFFERENCES:
        yield f"DIFFERS: and in {counted(len(deviations) - MOST_DIFFERENCES, 'other position')}"
    if problem is not None and not deviations:
        yield f"This is the certificate of {problem}{', solved with rounded steps' if paper else ''}."


def _as_data(report: Report, problem: str | None, deviations: list[str]) -> dict[str, object]:
    return {
        "recomputed": report.stated,
        "steps": [{"name": name, "entries": entries, "proven": proven} for name, entries, proven in report.steps],
        "findings": [finding._asdict() for finding in report.findings],
    } | ({} if problem is None else {"problem": problem, "differences": deviations})

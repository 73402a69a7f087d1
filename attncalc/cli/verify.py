"""`attncalc verify`"""

from __future__ import annotations

from typing import Any

import click

from ..errors import AttncalcError
from .shared_options import WholeNumber

MOST_DIFFERENCES = 20  # that are listed


@click.command("verify")
@click.argument("certificate", metavar="CERTIFICATE", type=click.Path())
@click.argument("problem", metavar="[PROBLEM]", required=False)
@click.option("--paper", is_flag=True, help="Compare with PROBLEM as `solve --paper` solves it, with rounded steps.")
@click.option("--digits", type=WholeNumber(0, 1000), help="Compare with PROBLEM as `solve --digits` prints it.")
def command(certificate: str, problem: str | None, paper: bool, digits: int | None) -> int:
    """Check a CERTIFICATE that `attncalc solve PROBLEM --certificate FILE` wrote (- for standard input).

    The same as `python verify.py CERTIFICATE`: one file that needs only Python's standard library and shares no code
    with the rest of attncalc. With PROBLEM, also check that the certificate belongs to this problem: the same
    givens, parts, steps, formulas, pins and rounding. Steps that cannot be verified are listed. Exit code 1 if
    a printed decimal or an enclosure is wrong, or if the certificate belongs to a different problem. Steps that
    cannot be verified do not change the exit code.

    \b
    attncalc solve problem.yaml --certificate c.json
    attncalc verify c.json
    attncalc verify c.json problem.yaml
    attncalc verify paper.json problem.yaml --paper
    """
    from ..verify import Bad, read, remove_control_characters, report_lines, verify

    if problem is None and (paper or digits is not None):
        raise AttncalcError("--paper and --digits need a PROBLEM")
    try:
        data = read(certificate)
        report = verify(data)
    except Bad as error:
        raise AttncalcError(remove_control_characters(f"{certificate}: {error}")) from None
    lines = [*report_lines(report)]
    is_different = False
    if problem is not None:
        is_different = _add_differences(data, lines, problem, paper=paper, digits=digits)
    for line in lines:
        click.echo(remove_control_characters(line))
    return int(is_different or any(finding.verdict == "wrong" for finding in report.findings))


def _add_differences(data: dict[str, Any], lines: list[str], problem: str, **settings: Any) -> bool:
    """Append differences from the problem to `lines`; return True if there are any."""
    from ..api import load, solve
    from ..render.certificate import differences

    deviations = differences(data, solve(load(problem), **settings))
    lines += [f"DIFFERS: {deviation}" for deviation in deviations[:MOST_DIFFERENCES]]
    if len(deviations) > MOST_DIFFERENCES:
        lines.append(f"DIFFERS: and in {len(deviations) - MOST_DIFFERENCES:,} other positions")
    if not deviations:
        lines.append(f"It is the certificate of {problem}{', solved with rounded steps' if settings['paper'] else ''}.")
    return bool(deviations)

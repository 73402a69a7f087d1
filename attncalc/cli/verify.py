"""`attncalc verify`"""

from __future__ import annotations

from typing import Any

import click

from ..errors import AttncalcError
from .common import Whole

MOST_DIFFERENCES = 20  # that are listed


@click.command("verify")
@click.argument("certificate", metavar="CERTIFICATE", type=click.Path())
@click.argument("problem", metavar="[PROBLEM]", required=False)
@click.option("--paper", is_flag=True, help="Compare with PROBLEM as `solve --paper` works it, with rounded steps.")
@click.option("--digits", type=Whole(0, 1000), help="Compare with PROBLEM as `solve --digits` prints it.")
def command(certificate: str, problem: str | None, paper: bool, digits: int | None) -> int:
    """Check a CERTIFICATE that `attncalc solve PROBLEM --certificate FILE` wrote (- for standard input).

    The same as `python verify.py CERTIFICATE`: one file that needs only Python's standard library and shares no code
    with the rest of attncalc. With PROBLEM, also check that the certificate is the one of this problem: the same
    givens, parts, steps, formulas, pins and rounding. What cannot be verified is listed. Exit code 1 when a printed
    decimal or an enclosure is wrong, or when the certificate is of another problem; what cannot be verified leaves it
    at 0.

    \b
    attncalc solve problem.yaml --certificate c.json
    attncalc verify c.json
    attncalc verify c.json problem.yaml
    attncalc verify paper.json problem.yaml --paper
    """
    from ..verify import Bad, plain, read, told, verify

    if problem is None and (paper or digits is not None):
        raise AttncalcError("--paper and --digits say how PROBLEM is worked out: expected a PROBLEM")
    try:
        data = read(certificate)
        report = verify(data)
    except Bad as error:
        raise AttncalcError(plain(f"{certificate}: {error}")) from None
    lines = [*told(report)]
    different = False
    if problem is not None:
        different = _compared(data, lines, problem, paper=paper, digits=digits)
    for line in lines:
        click.echo(plain(line))
    return int(different or any(finding.verdict == "wrong" for finding in report.findings))


def _compared(data: dict[str, Any], lines: list[str], problem: str, **how: Any) -> bool:
    """Whether the certificate is of another problem; in what, is added to the lines."""
    from ..api import load, solve
    from ..write.certificate import differences

    found = differences(data, solve(load(problem), **how))
    lines += [f"DIFFERS: {one}" for one in found[:MOST_DIFFERENCES]]
    if len(found) > MOST_DIFFERENCES:
        lines.append(f"DIFFERS: and in {len(found) - MOST_DIFFERENCES:,} other places")
    if not found:
        lines.append(f"It is the certificate of {problem}{', worked with rounded steps' if how['paper'] else ''}.")
    return bool(found)

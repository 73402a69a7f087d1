"""`attncalc verify`"""

from __future__ import annotations

import click

from ..errors import AttncalcError


@click.command("verify")
@click.argument("certificate", metavar="CERTIFICATE", type=click.Path())
@click.argument("problem", metavar="[PROBLEM]", required=False)
def command(certificate: str, problem: str | None) -> int:
    """Check CERTIFICATE, a file that `attncalc solve PROBLEM --certificate FILE` wrote, or - for standard input.

    The same as `python verify.py CERTIFICATE`: one file of Python's standard library, which shares no code with
    attncalc. With a PROBLEM, its givens, formulas and roundings are compared with those of the certificate. Exit code
    1: a printed decimal or an enclosure is wrong, or the problem is another; what cannot be verified is listed.

    \b
    attncalc solve problem.yaml --certificate c.json
    attncalc verify c.json
    attncalc verify c.json problem.yaml
    """
    from ..verify import Bad, plain, read, told, verify

    try:
        data = read(certificate)
        report = verify(data)
    except Bad as error:
        raise AttncalcError(f"{certificate}: {error}") from None
    lines = [*told(report)]
    different = _compared(data, problem, lines) if problem is not None else False
    for line in lines:
        click.echo(plain(line))
    return int(different or any(finding.verdict == "wrong" for finding in report.findings))


def _compared(data: dict[str, object], problem: str, lines: list[str]) -> bool:
    """Whether the certificate is of another problem; in what, is added to the lines."""
    from ..api import load, solve
    from ..write.certificate import differences

    found = differences(data, solve(load(problem)))
    lines += [f"DIFFERS: {one}" for one in found] or [f"Its givens, formulas and roundings are those of {problem}."]
    return bool(found)

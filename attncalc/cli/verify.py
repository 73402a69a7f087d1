"""`attncalc verify`"""

from __future__ import annotations

import click

from ..errors import AttncalcError


@click.command("verify")
@click.argument("certificate", metavar="CERTIFICATE", type=click.Path())
@click.argument("problem", metavar="[PROBLEM]", required=False)
def command(certificate: str, problem: str | None) -> int:
    """Check a CERTIFICATE that `attncalc solve PROBLEM --certificate FILE` wrote (- for standard input).

    The same as `python verify.py CERTIFICATE`: one file that needs only Python's standard library and shares no code
    with the rest of attncalc. With PROBLEM, also check that the certificate has its givens, formulas and rounding.
    What cannot be verified is listed. Exit code 1 when a printed decimal or an enclosure is wrong, or when the
    certificate is of another problem; what cannot be verified leaves it at 0.

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

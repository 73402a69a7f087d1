"""`attncalc verify`"""

from __future__ import annotations

import click


@click.command("verify")
@click.argument("certificate", metavar="CERTIFICATE", type=click.Path())
@click.pass_context
def command(ctx: click.Context, certificate: str) -> int:
    """Check CERTIFICATE, a file that `attncalc solve PROBLEM --certificate FILE` wrote, or - for standard input.

    The same as `python verify.py CERTIFICATE`: one file of Python's standard library, which shares no code with attncalc.
    Exit code 1: a printed decimal or an enclosure is wrong; what cannot be verified is listed.

    \b
    attncalc solve problem.yaml --certificate c.json
    attncalc verify c.json
    """
    from ..verify import main

    return main([certificate])

"""`attncalc mcp`"""

from __future__ import annotations

import click

from ..errors import AttncalcError


@click.command("mcp")
def command() -> None:
    """Give an AI tutor access to solve, check, generate and explain.

    It speaks the Model Context Protocol over standard input and output.

    \b
    attncalc mcp
    """
    try:
        from ..mcp import run
    except ImportError:
        raise AttncalcError("the package mcp is not installed: pip install 'attncalc[mcp]'") from None
    run()

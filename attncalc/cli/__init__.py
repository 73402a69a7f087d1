"""The command line: one small file a command, each imported only when it is called."""

from __future__ import annotations

import sys
from importlib import import_module

import click

from ..errors import AttncalcError

COMMANDS = {
    "solve": "every step of a problem, each digit proven",
    "plan": "the formulas and shapes behind a problem's lessons",
    "lessons": "the lessons there are, with inputs, options and defaults",
    "functions": "the functions of the formula language",
    "problems": "the problems that come with attncalc",
    "schema": "the JSON Schema of problem files, for editors",
    "completion": "the script that completes attncalc's words in your shell",
}


class _Lazy(click.Group):
    """A group that knows its commands by name and imports one when it is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command: click.Command = import_module(f".{name}", __package__).command
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        from ..errors import did_you_mean

        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(f"there is no command {args[0]!r}{did_you_mean(args[0], list(COMMANDS))}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="attncalc", message="attncalc %(version)s")
def cli() -> None:
    """Exact worked numerics for Transformer attention.

    \b
    attncalc solve problem.yaml          every intermediate matrix
    attncalc solve problem.yaml --exact  closed forms instead of decimals
    attncalc plan problem.yaml           the formulas behind the lessons
    """


def main() -> None:
    """Runs the command line; bad input is told in lines `FILE:LINE:COLUMN: ...` and ends with exit code 2."""
    try:
        cli(standalone_mode=True)
    except AttncalcError as error:
        for fault in error.faults:
            click.echo(str(fault), err=True)
        sys.exit(2)
    except BrokenPipeError:
        # The reader of a pipe has gone: nothing is left to say, and Python must not say it at exit.
        sys.stdout = None  # type: ignore[assignment]
        sys.exit(0)
    except RecursionError:
        click.echo("the problem is nested too deeply", err=True)
        sys.exit(2)

"""The command line: one small module for each command, imported when the command is called."""

from __future__ import annotations

import codecs
import os
import sys
from contextlib import suppress
from importlib import import_module
from typing import TextIO

import click

from ..errors import LONGEST_LINE, AttncalcError, shorten
from ..safe_files import noting_inputs
from ..version import __version__
from ..worker_processes import exit_on_signals

COMMANDS = {
    "solve": "solve every step of a problem, with every digit proven",
    "verify": "check a certificate written by solve, with an independent program",
    "plan": "show the formula and the shape of every step of a problem",
    "check": "mark one student's answers, and show the first wrong step and its cause",
    "practice": "practise in the browser, with hints, new numbers and a playground",
    "grade": "mark a class, and write a table of marks, statistics and feedback pages",
    "scan": "read scanned papers: match each page with its paper, and cut out a picture of each field",
    "compare": "compare two graders of the same scripts, and show where they differ",
    "regrade": "mark a class again with a changed key, and list whose points change",
    "export": "write a problem as a quiz for a course system",
    "mistakes": "list the known mistakes",
    "generate": "generate random problems whose numbers reveal known mistakes",
    "exam": "write the papers, solutions and key of an exam, from one exam sheet",
    "stress": "generate many variants of an exam sheet, and report their quality",
    "lint": "report what makes a problem hard to mark or unfair, and suggest changes",
    "new": "start a problem file from a lesson or from pasted matrices",
    "answers": "write a blank answer file, or a class table, to fill in",
    "lessons": "list the lessons with their inputs, options and defaults",
    "functions": "list the functions of the formula language",
    "problems": "list the bundled problems",
    "templates": "list the template folders, or copy one to change it",
    "schema": "print the JSON Schema of problem files and other files, for editors",
    "mcp": "give AI tutors access to solve, check, generate and explain (MCP)",
    "demo": "show what attncalc does, on one small problem",
    "completion": "print the script for tab completion in your shell",
}
EARLIER_NAMES = {"remark": "regrade"}


ESCAPED = "attncalc-escaped"


def _escape(error: UnicodeError) -> tuple[str, int]:
    """Return characters that an encoding does not have as \\uXXXX, which JSON also accepts."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[k : k + 4]}" for k in range(0, len(units), 4)), error.end


codecs.register_error(ESCAPED, _escape)


class _Lazy(click.Group):
    """A group that imports a command when it is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command: click.Command = import_module(f".{name}", __package__).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        from ..errors import did_you_mean

        args = [*(EARLIER_NAMES.get(name, name) for name in args[:1]), *args[1:]]
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(f"there is no command {args[0]!r}{did_you_mean(args[0], list(COMMANDS))}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=_Lazy, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", message="attncalc %(version)s")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Worked Transformer attention problems, step by step, with every digit proven.

    \b
    attncalc solve problem.yaml          every intermediate matrix
    attncalc solve problem.yaml --exact  closed forms instead of decimals
    attncalc plan problem.yaml           the formulas of the lessons
    attncalc solve --help                what a command does, its options and examples
    """
    from ..errors import listen

    listen(lambda warning: click.echo(str(warning), err=True))
    ctx.with_resource(noting_inputs())
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main() -> None:
    """Run the command line. Errors in the input are printed as `FILE:LINE:COLUMN: ...`, with exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=ESCAPED)
    if "_ATTNCALC_COMPLETE" in os.environ:
        from . import completion  # noqa: F401 - registers PowerShell with click
    try:
        with exit_on_signals():
            code = cli(standalone_mode=False, prog_name="attncalc")
            if sys.stdout is not None:
                sys.stdout.flush()
    except BrokenPipeError:  # the reader of the pipe has ended; Python must not report an error at exit
        _redirect_to_null(sys.stdout)
        code = 0
    except (click.Abort, KeyboardInterrupt):
        code = 130
    except Exception as error:
        if "ATTNCALC_TRACEBACK" in os.environ:
            raise
        _print_faults(error)
        code = 2
    sys.exit(code)


def _print_faults(error: BaseException) -> None:
    match error:
        case AttncalcError():
            lines = [str(fault) for fault in error.faults]
        case click.BadParameter(param=click.Option() as option, message=message) if message:
            lines = [f"{option.opts[0]}: {message}"]
        case click.UsageError(ctx=click.Context() as ctx):
            usage_message = " ".join(error.format_message().split()).rstrip(".")
            lines = [f"{ctx.command_path}: {usage_message}; `{ctx.command_path} --help` says more"]
        case click.ClickException():
            lines = [error.format_message()]
        case OSError(filename=None):
            _redirect_to_null(sys.stdout)
            lines = [f"standard output cannot be written: {error.strerror or error}"]
        case RecursionError() | MemoryError():
            files = ", ".join(word for word in sys.argv[1:] if os.path.isfile(word))
            begin = f"{files}: " if files else ""
            lines = [f"{begin}attncalc cannot solve this problem, because it is too large or nested too deeply"]
        case _:
            what = f"{type(error).__name__}: {error}"
            lines = [
                (
                    f"attncalc has an internal error; please report it, and attach the file ({what}; "
                    f"ATTNCALC_TRACEBACK=1 shows where it occurred)"
                )
            ]
    with suppress(OSError):
        for line in lines:
            click.echo(shorten(line, LONGEST_LINE), err=True)


def _redirect_to_null(stream: TextIO | None) -> None:
    """Redirect a stream to the null device, because it cannot be written."""
    with suppress(OSError, ValueError, AttributeError):
        if stream is not None:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())

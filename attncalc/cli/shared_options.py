"""Options and functions that commands share: the problem argument, selected parts and steps, and output files."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar, TypeVar

import click

from .. import limits
from ..errors import AttncalcError, Diagnostics, did_you_mean, shorten

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem
    from rich.console import Console

    from ..problem.problem import Part
    from ..render.terminal import PlainConsole
    from ..solution import PartSolution

AnyPart = TypeVar("AnyPart", "Part", "PartSolution")
DIGITS_OF_AN_ENTRY = 30  # the cost of an entry in addition to its decimals
MOST_NAMED = 12  # names in a suggestion


def complete_problem(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return completions for a problem: names of bundled problems, and files."""
    from click.shell_completion import CompletionItem

    from ..resources import problem_names

    names = [CompletionItem(name) for name in problem_names() if name.startswith(incomplete)]
    return [*names, CompletionItem(incomplete, type="file")]


def _complete_names(kind: str) -> Callable[[click.Context, click.Parameter, str], list[str]]:
    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
        from ..api import load

        try:
            problem = load(ctx.params.get("problem") or ctx.params["problems"][0])
        except (AttncalcError, LookupError):
            return []
        parts = [part.name or "" for part in problem.parts]
        steps = [step.name for step in problem.plan.steps()]
        return [name for name in dict.fromkeys(parts if kind == "part" else steps) if name.startswith(incomplete)]

    return complete


problem_argument = click.argument("problem", shell_complete=complete_problem)


ANY = 10**8  # a bound for numbers whose limits are checked later


class _Number(click.ParamType):  # type: ignore[type-arg]
    """A parameter type: a number from `least` to `most`. The error has the expected range and the text."""

    name = "number"
    form: ClassVar[str]  # a regular expression
    called: ClassVar[str]
    kind: ClassVar[type[float]]

    def __init__(self, least: int, most: int):
        self.least, self.most = least, most

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number."""
        text, is_limited = str(value), self.most < ANY
        is_number = re.fullmatch(self.form, text)
        if not is_number or is_limited and not self.least <= self.kind(text) <= self.most:
            between = f" from {self.least} to {self.most}" if is_limited else ""
            self.fail(f"expected {self.called}{between}, found {shorten(text)!r}", param, ctx)
        return self.kind(text)


class WholeNumber(_Number):
    """A parameter type: a whole number from `least` to `most`."""

    form, called, kind = "[+-]?[0-9]{1,20}", "a whole number", int


class DecimalNumber(_Number):
    """A parameter type: a number in decimals from `least` to `most`."""

    form, called, kind = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?", "a number", float


class WordChoice(click.Choice):  # type: ignore[type-arg]
    """A parameter type: one of several words."""

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the word. The error has the allowed words and the most similar word."""
        words = [str(word) for word in self.choices]
        if str(value) not in words:
            self.fail(
                f"expected one of {', '.join(words)}, found {shorten(str(value))!r}{did_you_mean(str(value), words)}",
                param,
                ctx,
            )
        return str(value)


text_or_json = click.option(
    "--to", "target", type=WordChoice(["text", "json"]), default="text", show_default=True, help="Output format."
)
OUTPUT = "Write to this file instead of standard output."
JOBS = "Number of parallel processes (default: chosen automatically)."
part_option = click.option(
    "--part",
    "parts",
    multiple=True,
    metavar="NAME",
    help="Use only this part (repeatable).",
    shell_complete=_complete_names("part"),
)
step_option = click.option(
    "--step",
    "steps",
    multiple=True,
    metavar="NAME",
    help="Use only this step (repeatable).",
    shell_complete=_complete_names("step"),
)
force_option = click.option("--force", is_flag=True, help="Overwrite existing output.")


def write_requirements(formatter: click.HelpFormatter, codes: dict[str, str]) -> None:
    """Write the codes of --relax and their requirements at the end of a command's help."""
    with formatter.section("Requirements (--relax CODE drops one)"):
        formatter.write_dl(list(codes.items()))


def select_parts(available: Sequence[AnyPart], names: tuple[str, ...]) -> list[AnyPart]:
    """Return the parts with these names; all parts without names. Raises AttncalcError for an unknown name."""
    known = [part.name for part in available if part.name is not None]
    for name in names:
        if name not in known:
            there = f"; the parts are {', '.join(known)}" if known else "; the problem has one part, without a name"
            raise AttncalcError(f"--part: no part is called {shorten(name)!r}{did_you_mean(name, known) or there}")
    return [part for part in available if not names or part.name in names]


def select_steps(parts: Iterable[PartSolution], names: tuple[str, ...]) -> set[str] | None:
    """Return the steps with these names (`Z`, `masked.Z`, or `encoder.layer1` for all steps of a nested lesson). Return
    None for all steps. Raises AttncalcError for an unknown name.
    """
    if not names:
        return None
    from ..plan import step_called

    known: dict[str, set[str]] = {}
    for part in parts:
        for step in part.steps:
            words = step.name.split(".")
            for name in (".".join(words[:k]) for k in range(1, len(words) + 1)):
                known.setdefault(name, set()).add(step.name)
                if part.name:
                    known.setdefault(f"{part.name}.{name}", set()).add(step.name)
    chosen = [step_called(name, known) for name in names]
    for name in chosen:
        if name not in known:
            raise AttncalcError(
                f"--step: no step is called {shorten(name)!r}{did_you_mean(name, list(known)) or _hint_of_names(known)}"
            )
    return set().union(*(known[name] for name in chosen))


def _hint_of_names(known: Iterable[str]) -> str:
    """Return a suggestion with the first names that are not nested."""
    names = [name for name in known if "." not in name]
    return f"; the steps are {', '.join(names[:MOST_NAMED])}{' ...' if len(names) > MOST_NAMED else ''}"


def compute_steps(parts: Iterable[PartSolution], selected_steps: set[str] | None) -> None:
    """Compute the selected steps before anything is written. Raises AttncalcError with all errors."""
    results = [
        result for part in parts for result in part.steps if selected_steps is None or result.name in selected_steps
    ]
    characters = sum(result.step.node.size * (result.shown.digits + DIGITS_OF_AN_ENTRY) for result in results)
    if characters > limits.PAGE.most:
        entries = sum(result.step.node.size for result in results)
        raise AttncalcError(limits.PAGE.exceeded(f"{entries:,} entries with about {characters:,} digits"))
    faults = Diagnostics()
    for result in results:
        try:
            result.printed()
        except AttncalcError as error:
            faults.extend(error)
    faults.raise_any()


def emit(content: str | bytes, output: str | None, force: bool) -> None:
    """Write to the file or to standard output. A text gets a final line break; bytes do not change."""
    if output is not None and output != "-":
        from ..safe_files import write_file

        is_terminated = isinstance(content, bytes) or content.endswith("\n")
        write_file(output, content if is_terminated else f"{content!s}\n", force)
        return
    require_output()
    if isinstance(content, bytes) and sys.stdout.isatty():
        raise AttncalcError("a terminal cannot show this kind of file; add -o FILE")
    click.echo(content, nl=isinstance(content, str) and not content.endswith("\n"))


def require_output() -> None:
    if sys.stdout is None:
        raise AttncalcError("standard output is closed")


def serve_page(serve: Callable[[int, Callable[[str], None]], None], port: int, words: str, no_browser: bool) -> None:
    """Serve a page until Ctrl-C. Print `words` and the address, and open the page in a browser."""

    def started(address: str) -> None:
        click.echo(f"{words} {address}\nCtrl-C ends.")
        if not no_browser:
            import webbrowser

            webbrowser.open(address)

    try:
        serve(port, started)
    except OSError as error:
        raise AttncalcError(f"--port {port}: expected a free port on this machine ({error.strerror})") from None


def screen() -> PlainConsole | Console:
    """Return a console for the terminal, or a console for plain lines."""
    from ..render.terminal import PlainConsole, console_width, is_plain

    require_output()
    if is_plain(sys.stdout):
        return PlainConsole(sys.stdout, console_width())
    from rich.console import Console

    class Screen(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return Screen(highlight=False)

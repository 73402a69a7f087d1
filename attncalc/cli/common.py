"""What commands share: the problem argument, choosing parts and steps, writing a file whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from ..errors import AttncalcError, Fault, Place, did_you_mean, shorten


def _complete_problem(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from ..resources import problem_names

    names = [CompletionItem(name) for name in problem_names() if name.startswith(incomplete)]
    return [*names, CompletionItem(incomplete, type="file")]


def _complete_names(kind: str) -> Any:
    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
        from ..face import load

        try:
            problem = load(ctx.params["problem"])
        except (AttncalcError, KeyError):
            return []
        parts = [part.name or "" for part in problem.parts]
        steps = [step.name for step in problem.plan.steps()]
        return [name for name in dict.fromkeys(parts if kind == "part" else steps) if name.startswith(incomplete)]

    return complete


problem_argument = click.argument("problem", shell_complete=_complete_problem)
part_option = click.option("--part", "parts", multiple=True, metavar="NAME", help="Only this part.", shell_complete=_complete_names("part"))
step_option = click.option("--step", "steps", multiple=True, metavar="NAME", help="Only this step.", shell_complete=_complete_names("step"))
force_option = click.option("--force", is_flag=True, help="Replace the output file if it is there.")


def chosen_parts(available: list[Any], names: tuple[str, ...]) -> list[Any]:
    """The parts of those names, all where none is named."""
    known = [part.name for part in available if part.name is not None]
    for name in names:
        if name not in known:
            there = f"there are {', '.join(known)}" if known else "the problem has one part, without a name"
            raise AttncalcError(f"--part: no part is called {shorten(name)!r}{did_you_mean(name, known)}; {there}")
    return [part for part in available if not names or part.name in names]


def chosen_steps(parts: list[Any], names: tuple[str, ...]) -> set[str] | None:
    """The steps of those names (`Z` or `masked.Z`), None for all of them."""
    if not names:
        return None
    known: dict[str, str] = {}
    for part in parts:
        for step in part.steps:
            known[step.name] = step.name
            if part.name:
                known[f"{part.name}.{step.name}"] = step.name
    for name in names:
        if name not in known:
            raise AttncalcError(f"--step: no step is called {shorten(name)!r}{did_you_mean(name, list(known))}")
    return {known[name] for name in names}


def write_whole(path: str, text: str, force: bool) -> None:
    """Writes a file whole or not at all; what stands there is replaced only with `force`."""
    target = Path(path)
    if target.exists() and not force:
        raise AttncalcError(Fault("the file is there already; --force replaces it", Place(path)))
    temporary = None
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, target)
    except OSError as error:
        if temporary and os.path.exists(temporary):
            os.unlink(temporary)
        raise AttncalcError(Fault(f"the file cannot be written: {error.strerror}", Place(path))) from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def emit(text: str, output: str | None, force: bool) -> None:
    """To the file, or to standard output."""
    if output and output != "-":
        write_whole(output, text if text.endswith("\n") else text + "\n", force)
    else:
        stream = click.get_text_stream("stdout")
        if (stream.encoding or "").lower().replace("-", "") not in ("utf8", "utf16", "utf32"):
            text = text.encode(stream.encoding or "ascii", "backslashreplace").decode(stream.encoding or "ascii")
        click.echo(text)


def console(output: str | None) -> Any:
    """The terminal, or a recording of 100 columns without colour for a file."""
    from rich.console import Console

    if output and output != "-":
        import io

        return Console(file=io.StringIO(), width=100, color_system=None, legacy_windows=False)
    return Console(highlight=False)

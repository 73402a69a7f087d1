"""Options of commands that write a Document: target file, medium and settings."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from os.path import splitext
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, TypeVar, Unpack

import click

from ..errors import AttncalcError, Location, did_you_mean
from ..render.glyph_codes import glyph_code_warning
from .shared_options import OUTPUT, WholeNumber, WordChoice, emit, force_option, screen

if TYPE_CHECKING:
    from ..explain.document import Document

CommandFunction = TypeVar("CommandFunction", bound=Callable[..., object])

TARGET = "Output format (default: from the file extension of -o, else terminal)."
ENGINES = ("typst", "latex")
# The modules of attncalc.render whose `write` sets a document, each with the ending of its files; then those that set
# its matrices.
PAGES = {"latex": ".tex", "typst": ".typ", "pdf": ".pdf", "html": ".html", "markdown": ".md", "text": ".txt"}
PICTURES = {"svg": ".svg", "png": ".png"}
FORMATS = ("terminal", "json", *PAGES)
ENDINGS = {".json": "json"} | {ending: name for name, ending in (PAGES | PICTURES).items()} | {".txt": "terminal"}
# Settings of a page, with the formats that have them.
ONLY = {"fragment": ("latex",), "engine": ("pdf",), "template": (*PAGES, *PICTURES)}


template_option = click.option(
    "--template", metavar="DIR", help="Folder of your own templates; `attncalc templates` copies the bundled ones."
)


class PageOptions(TypedDict, total=False):
    """The options of a page, as a command gets them."""

    fragment: bool | None
    engine: str | None
    template: str | None


class PageSettings(TypedDict, total=False):
    """The settings of a page, for the `write` of its medium."""

    fragment: bool
    engine: str
    template: Path
    unset: Callable[[str], None]


def page_options(formats: tuple[str, ...] = FORMATS) -> Callable[[CommandFunction], CommandFunction]:
    """Return a decorator with `--to`, `-o`, `--force` and the settings of a page, for `select_target`."""
    options = (
        click.option("--to", "target", type=WordChoice(formats), help=TARGET),
        click.option(
            "--fragment",
            is_flag=True,
            default=None,
            help="With --to latex: only the body, to paste into your own document.",
        ),
        click.option(
            "--engine",
            type=WordChoice(ENGINES),
            help="PDF engine: typst (included, the default) or latex (must be installed).",
        ),
        template_option,
        click.option("-o", "--output", metavar="FILE", help=OUTPUT),
        force_option,
        click.option(
            "--index",
            type=WholeNumber(0, 1),
            expose_value=False,
            callback=_set_first_index,
            help="Number rows and columns without labels from 1 (the default) or 0. Files always count from 0.",
        ),
    )

    def add(command: CommandFunction) -> CommandFunction:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def _set_first_index(context: click.Context, _: click.Parameter, first: int | None) -> None:
    """Count rows and columns from `first` while the command runs."""
    if first is not None:
        from ..formula.index_base import counting_from

        context.with_resource(counting_from(first))


def select_target(
    target: str | None,
    output: str | None,
    formats: tuple[str, ...] = FORMATS,
    asked_by: str = "-o",
    **options: Unpack[PageOptions],
) -> tuple[str, PageSettings]:
    """Return format and page settings; `asked_by` names the file's option. Raises AttncalcError if they do not fit."""
    if target is None:
        ending = splitext(output or "")[1].lower()
        target = ENDINGS.get(ending, "" if ending else "terminal")
        if target not in formats:
            known = [suffix for suffix, what in ENDINGS.items() if what in formats]
            raise AttncalcError(
                f"{asked_by}: expected one of {', '.join(known)}, found {ending}{did_you_mean(ending, known)}"
            )
    for name in (name for name, value in options.items() if value is not None):
        if target not in ONLY[name]:
            formats_with_option = " or ".join(medium_name for medium_name in ONLY[name] if medium_name in formats)
            raise AttncalcError(f"--{name} works only with --to {formats_with_option}; found --to {target}")
    settings: PageSettings = {}
    if (fragment := options.get("fragment")) is not None:
        settings["fragment"] = fragment
    if (engine := options.get("engine")) is not None:
        settings["engine"] = engine
    if (template := options.get("template")) is not None:
        from ..resources import custom_templates

        medium = {"pdf": engine or "typst", "png": "svg"}.get(target, target)
        settings["template"] = custom_templates(template, (medium,), Location(template or "--template"))
    return target, settings


def write_document(document: Document, target: str, settings: PageSettings, output: str | None, force: bool) -> None:
    """Write the document in its medium to a file or to standard output."""
    if target == "terminal" and output in (None, "-"):
        from ..render.terminal import write

        write(document, screen())
    else:
        emit(render_document(document, target, **settings), output, force)


def render_document(document: Document, target: str, **settings: Unpack[PageSettings]) -> str | bytes:
    """Return the document in its medium; for the terminal, as plain text."""
    write = import_module(f"attncalc.render.{target}").write
    if target == "pdf":
        settings["unset"] = lambda signs: click.echo(
            glyph_code_warning("the page shows", signs, settings.get("engine", "typst")), err=True
        )
    if target != "terminal":
        page: str | bytes = write(document, **settings)
        return page
    from io import StringIO

    from ..render.terminal import PlainConsole

    lines = StringIO()
    write(document, PlainConsole(lines, 100))
    return lines.getvalue()

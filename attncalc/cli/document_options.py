"""Options of commands that write a Document: output file, format and settings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from importlib import import_module
from os.path import splitext
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..errors import AttncalcError, Location, did_you_mean
from ..render.glyph_codes import glyph_code_warning
from .shared_options import OUTPUT, WholeNumber, WordChoice, emit, force_option, screen

if TYPE_CHECKING:
    from ..explain.document import Document

CommandFunction = TypeVar("CommandFunction", bound=Callable[..., object])

TARGET = "Output format (default: by the file extension of -o; without -o, terminal)."
ENGINES = ("typst", "latex")
# The modules of attncalc.render that write a document, with the endings of their files; then the modules that write
# its matrices.
PAGES = {"latex": ".tex", "typst": ".typ", "pdf": ".pdf", "html": ".html", "markdown": ".md", "text": ".txt"}
PICTURES = {"svg": ".svg", "png": ".png"}
FORMATS = ("terminal", "json", *PAGES)
ENDINGS = {".json": "json"} | {ending: name for name, ending in (PAGES | PICTURES).items()} | {".txt": "terminal"}
# Settings of a page, and the formats for which they are allowed.
ONLY = {"fragment": ("latex",), "engine": ("pdf",), "template": (*PAGES, *PICTURES)}


template_option = click.option(
    "--template", metavar="DIR", help="Folder with your own templates; `attncalc templates` copies the bundled ones."
)


@dataclass(frozen=True, slots=True)
class Page:
    """The output of a command: its format, its file and its settings."""

    target: str
    output: str | None = None
    force: bool = False
    settings: dict[str, Any] = field(default_factory=dict)  # arguments of the format's `write`

    def write(self, document: Callable[[], Document], data: Callable[[], str]) -> None:
        """Write the document in its format, or write `data` as JSON. Only one of them is made."""
        if self.target == "json":
            emit(data(), self.output, self.force)
        elif self.target == "terminal" and self.output in (None, "-"):
            from ..render.terminal import write

            write(document(), screen())
        else:
            emit(self.render(document()), self.output, self.force)

    def render(self, document: Document) -> str | bytes:
        """Return the document in its format. For the terminal, return plain text."""
        write, settings = import_module(f"attncalc.render.{self.target}").write, dict(self.settings)
        if self.target == "terminal":
            from io import StringIO

            from ..render.terminal import PlainConsole

            lines = StringIO()
            write(document, PlainConsole(lines, 100))
            return lines.getvalue()
        if self.target == "pdf":
            settings["unset"] = lambda signs: click.echo(
                glyph_code_warning("the page shows", signs, settings.get("engine", "typst")), err=True
            )
        page: str | bytes = write(document, **settings)
        return page


def page_options(formats: tuple[str, ...] = FORMATS) -> Callable[[CommandFunction], Callable[..., object]]:
    """Return a decorator that adds `--to`, `-o`, `--force` and the settings of a page. The command gets a `Page`."""
    options = (
        click.option("--to", "target", type=WordChoice(formats), help=TARGET),
        click.option(
            "--fragment",
            is_flag=True,
            default=None,
            help="With --to latex: write only the body, for your own document.",
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
            help="Rows and columns without labels are numbered from 1 (the default) or 0. In files, they are always "
            "counted from 0.",
        ),
    )

    def add(command: CommandFunction) -> Callable[..., object]:
        @wraps(command)
        def with_page(target: str | None, output: str | None, force: bool, **others: Any) -> object:
            settings = {name: others.pop(name) for name in ONLY}
            page = select_page(target, output, force, formats, **settings)
            return command(page=page, **others)

        wrapped: Callable[..., object] = with_page
        for option in reversed(options):
            wrapped = option(wrapped)
        return wrapped

    return add


def _set_first_index(context: click.Context, _: click.Parameter, first: int | None) -> None:
    """Count rows and columns from `first` while the command runs."""
    if first is not None:
        from ..formula.index_base import counting_from

        context.with_resource(counting_from(first))


def select_page(
    target: str | None,
    output: str | None,
    force: bool = False,
    formats: tuple[str, ...] = FORMATS,
    asked_by: str = "-o",
    **options: Any,
) -> Page:
    """Return the page for these options. `asked_by` is the name of the file's option, and `options` are the settings in
    ONLY. Raises AttncalcError if the options do not fit together.
    """
    if target is None:
        ending = splitext(output or "")[1].lower()
        target = ENDINGS.get(ending, "" if ending else "terminal")
        if target not in formats:
            known = [suffix for suffix, what in ENDINGS.items() if what in formats]
            raise AttncalcError(
                f"{asked_by}: expected one of {', '.join(known)}, found {ending}{did_you_mean(ending, known)}"
            )
    settings = {name: value for name, value in options.items() if value is not None}
    for name in settings:
        if target not in ONLY[name]:
            formats_with_option = " or ".join(medium_name for medium_name in ONLY[name] if medium_name in formats)
            raise AttncalcError(f"--{name} works only with --to {formats_with_option}; found --to {target}")
    if "template" in settings:
        from ..resources import custom_templates

        medium = {"pdf": settings.get("engine", "typst"), "png": "svg"}.get(target, target)
        template = settings["template"]
        settings["template"] = custom_templates(template, (medium,), Location(template or "--template"))
    return Page(target, output, force, settings)

"""What the site shows beside the pages of docs/: the reference and the gallery, made from the code (a hook
of MkDocs).
"""

from __future__ import annotations

import html
import inspect
import posixpath
import re
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from importlib import import_module
from pathlib import Path

import click
from mkdocs.structure.files import File, Files

import attncalc
from attncalc import load
from attncalc.cli import COMMANDS, cli
from attncalc.cli.schema import SCHEMAS
from attncalc.formula.functions import functions
from attncalc.lessons import LESSONS
from attncalc.mistakes.catalogue import catalogue
from attncalc.resources import problem_names

sys.path.insert(0, str(Path(__file__).parent))  # the processes that write pages import theirs by its name
from site_page import page, place

PYTHON = ("load", "solve", "check", "generate", "grade")


def on_files(files: Files, config) -> Files:
    """All that is made: Markdown pages within the site, and pages of attncalc's own beside it."""
    for path, text in {**dict(pages()), **made()}.items():
        files.append(File.generated(config, path, content=text))
    return files


@cache  # `mkdocs serve` builds again at every save
def made() -> dict[str, str]:
    """A page for each lesson, mistake and problem, as `attncalc ... -o page.html` writes it."""
    jobs = (
        [("lessons", name) for name in LESSONS]
        + [("mistakes", code) for code in catalogue()]
        + [("gallery", name) for name in problem_names()]
    )
    with ProcessPoolExecutor() as pool:
        texts = pool.map(page, *zip(*jobs, strict=True), chunksize=8)
        return {place(kind, name): text for (kind, name), text in zip(jobs, texts, strict=True)}


def pages() -> Iterator[tuple[str, str]]:
    """The pages that list them."""
    yield "reference/commands.md", "# Commands\n\n" + "\n".join(_commands())
    lessons = {name: one.doc for name, one in LESSONS.items()}
    yield "reference/lessons.md", _listed("Lessons", "A problem file calls a lesson by its name.", "lessons", lessons)
    yield (
        "reference/functions.md",
        "# Functions of the formula language\n\n"
        + _table(
            ("function", "meaning"),
            ((f"`{one.signature}`", one.doc) for one in sorted(functions().values(), key=lambda one: one.name)),
        ),
    )
    yield (
        "reference/mistakes.md",
        _listed(
            "Mistakes", "What `attncalc check` names.", "mistakes", {c: one.done for c, one in catalogue().items()}
        ),
    )
    yield "reference/files.md", "# Files\n\n" + "\n".join(_files())
    yield "reference/python.md", "# Python\n\n" + "\n".join(_python())
    rows = ((f"[{name}](gallery/{name}.html)", load(name).title) for name in problem_names())
    yield "gallery.md", "# Gallery: every bundled problem, solved\n\n" + _table(("page", "problem"), rows)


def _listed(title: str, said: str, kind: str, of: dict[str, str]) -> str:
    return f"# {title}\n\n{said}\n\n" + _table(
        ("name", "what it is"), ((f"[{n}]({kind}/{n}.html)", doc) for n, doc in of.items())
    )


def _table(head, rows) -> str:
    lines = [
        head,
        ["---"] * len(head),
        *([html.escape(cell).replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows),
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _commands() -> Iterator[str]:
    """What `--help` says."""
    for name in COMMANDS:
        command = cli.get_command(click.Context(cli), name)
        context = click.Context(command, info_name=f"attncalc {name}", max_content_width=100)
        yield f"## {name}\n\n```text\n{command.get_help(context)}\n```\n"


def _files() -> Iterator[str]:
    """The keys of each kind of file."""
    for kind, (module, name) in SCHEMAS.items():
        data = getattr(import_module(f"attncalc.{module}"), name)()
        rows = ((f"`{key}`", value.get("description", "")) for key, value in data.get("properties", {}).items())
        yield (
            f"## {data.get('title', kind)}\n\n`attncalc schema --of {kind}` prints all of "
            f"it.\n\n{_table(('key', 'what it says'), rows)}"
        )


def _python() -> Iterator[str]:
    for name in PYTHON:
        function = getattr(attncalc, name)
        signature = re.sub(r"(?:\w+\.)+(\w+)", r"\1", str(inspect.signature(function)).replace("'", ""))
        yield f"## {name}\n\n```python\n{name}{signature}\n```\n\n{inspect.getdoc(function)}\n"


def on_page_markdown(markdown: str, page, **_) -> str:
    """Links out of docs/ lead nowhere on the site: their words stay."""
    here = posixpath.dirname(page.file.src_uri)

    def inside(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(here, link[2].partition("#")[0]))
        return link[0] if "://" in link[2] or not target.startswith("..") else link[1]

    return re.sub(r"(?<!!)\[([^\]]+)\]\(([^)\s]+)\)", inside, markdown)

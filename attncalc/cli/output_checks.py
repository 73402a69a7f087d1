"""Checks all outputs of a command before it writes one of them."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations

import click

from ..errors import AttncalcError, Diagnostics, Location
from ..safe_files import (
    Together,
    allow_replacing,
    is_inside,
    is_ordinary,
    is_same,
    note_input,
    refuse_other_format,
    refuse_unwritable,
    require_folder,
)

FILE, TEXT, FOLDER, CONTINUED = "file", "text", "folder", "continued"
INPUT_OPTIONS = ("overrides", "scale", "students")  # options that name an input file


@dataclass(frozen=True, slots=True)
class Output:
    """An output and the option that names it; `-` is standard output. The kind is FILE, TEXT (not a spreadsheet),
    FOLDER, or CONTINUED (may exist). `replaces` is an input that the output may overwrite.
    """

    option: str
    path: str | None
    kind: str = FILE
    replaces: str = ""

    @property
    def is_standard(self) -> bool:
        return self.path == "-" and self.kind in (FILE, TEXT)


def together(*paths: str | None, folder: str | None = None) -> Together:
    """Return a transaction for a folder, and for those outputs that are files."""
    files = [path for path in paths if path and path != "-" and is_ordinary(path)]
    return Together([*([f"{folder}/"] if folder is not None else []), *files])


def input_files() -> tuple[str, ...]:
    """Return the files that the command reads: its arguments, and the options in INPUT_OPTIONS."""
    context = click.get_current_context(silent=True)
    if context is None:
        return ()
    names = [parameter.name for parameter in context.command.params if isinstance(parameter, click.Argument)]
    values = [context.params.get(name) for name in (*names, *INPUT_OPTIONS) if name]
    arguments = [argument for value in values for argument in (value if isinstance(value, tuple) else [value])]
    return tuple(argument for argument in arguments if isinstance(argument, str))


def require_outputs(outputs: Iterable[Output], force: bool) -> None:
    """Raise AttncalcError with every output path that is used twice or cannot be written."""
    named_outputs = [output for output in outputs if output.path is not None]
    for name in input_files():
        note_input(name)
    for output in named_outputs:
        if output.replaces and is_same(output.path or "", output.replaces):
            allow_replacing(output.path or "")
    faults = Diagnostics()
    for first, second in combinations(named_outputs, 2):
        for clash in _clash(first, second):
            faults.add(clash)
    faults.raise_any()
    folders = [output.path for output in named_outputs if output.kind == FOLDER and output.path]
    for output in named_outputs:
        try:
            if not output.is_standard:
                _refuse(output, output.path or "", force, folders)
        except AttncalcError as error:
            faults.extend(error)
    faults.raise_any()


def _clash(first: Output, second: Output) -> Iterator[str]:
    options, path, other_path = f"{first.option} and {second.option}", first.path or "", second.path or ""
    if first.is_standard and second.is_standard:
        yield f"{options} both go to standard output; add -o FILE"
    elif (
        first.is_standard
        or second.is_standard
        or not path
        or not other_path
        or _is_device(path)
        or _is_device(other_path)
    ):
        return
    elif is_same(path, other_path):
        yield f"{options} name the same {_noun(first, second)}: {path}; give them different names"
    elif second.kind != FOLDER and is_inside(path, other_path):
        yield f"{options}: {path} cannot be in {other_path}, which is a file"
    elif first.kind != FOLDER and is_inside(other_path, path):
        yield f"{options}: {other_path} cannot be in {path}, which is a file"


def _noun(first: Output, second: Output) -> str:
    kinds = {first.kind == FOLDER, second.kind == FOLDER}
    return "place" if len(kinds) == 2 else "folder" if True in kinds else "file"


def _is_device(path: str) -> bool:
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)


def _refuse(output: Output, path: str, force: bool, folders: list[str]) -> None:
    if output.kind == FOLDER:
        require_folder(path, output.option)
        if os.path.isdir(path) and os.listdir(path) and not force:
            message = "the folder is not empty; use --force to replace files of the same name"
            raise AttncalcError(message, Location(path))
        return
    refuse_unwritable(path, force or output.kind == CONTINUED, output.option)
    if output.kind == TEXT:
        refuse_other_format(path)
        if not output.replaces and any(_holds(name, path) for name in input_files()) and _holds_answers(path):
            message = "this file is one of the scripts, not a table of marks; choose a different name"
            raise AttncalcError(message, Location(path))
    home = os.path.dirname(os.path.realpath(path))
    if not os.path.isdir(home) and not any(is_inside(home, folder) for folder in folders):
        raise AttncalcError("the file cannot be written: this folder does not exist", Location(path))


def _holds(name: str, path: str) -> bool:
    """Return whether a file is in a folder, or matches a pattern."""
    paths = glob.iglob(name, recursive=True) if glob.has_magic(name) and not os.path.lexists(name) else [name]
    return any(
        is_same(candidate, path) or os.path.isdir(candidate) and is_inside(path, candidate) for candidate in paths
    )


def _holds_answers(path: str) -> bool:
    """Return whether a file may contain a student's answers: any file except a table without columns of entries."""
    if not os.path.isfile(path):
        return False
    with suppress(OSError), open(path, encoding="utf-8", errors="replace") as file:
        head = file.readline(100_000)
        return not path.lower().endswith((".csv", ".tsv")) or "[" in head or "problem" in head.split(",")
    return True

"""What a command is about to write, checked before it writes any of it."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations

import click

from ..errors import AttncalcError, Diagnostic, Diagnostics, Location
from ..files import is_inside, is_same, refuse_other_format, refuse_unwritable, require_folder

FILE, TEXT, FOLDER, CONTINUED = "file", "text", "folder", "continued"
INPUT_OPTIONS = ("overrides", "scale", "students")  # options that name a file which is read


@dataclass(frozen=True, slots=True)
class Output:
    """An output and the option that names it; `-` is standard output. A text's name ends as no workbook's does, and a
    file that is continued may be there. `replaces` is an input in whose place it may be written.
    """

    option: str
    path: str | None
    kind: str = FILE
    replaces: str = ""

    @property
    def is_standard(self) -> bool:
        """Whether it goes to standard output."""
        return self.path == "-" and self.kind in (FILE, TEXT)


def read_from() -> tuple[str, ...]:
    """The files that the command reads: its arguments, and what some options name."""
    context = click.get_current_context(silent=True)
    if context is None:
        return ()
    names = [one.name for one in context.command.params if isinstance(one, click.Argument)]
    values = [context.params.get(name) for name in (*names, *INPUT_OPTIONS) if name]
    every = [one for value in values for one in (value if isinstance(value, tuple) else [value])]
    return tuple(one for one in every if isinstance(one, str))


def require_outputs(outputs: Iterable[Output], force: bool) -> None:
    """Refuses two outputs in one place, and what could not be written, all at once. Raises AttncalcError."""
    wanted = [one for one in outputs if one.path is not None]
    faults = Diagnostics()
    for first, second in combinations(wanted, 2):
        for said in _clash(first, second):
            faults.add(said)
    faults.raise_any()
    folders = [one.path for one in wanted if one.kind == FOLDER and one.path]
    for one in wanted:
        try:
            if not one.is_standard:
                _refuse(one, one.path or "", force, folders)
        except AttncalcError as error:
            faults.extend(error)
    faults.raise_any()


def _clash(first: Output, second: Output) -> Iterator[str]:
    both, one, other = f"{first.option} and {second.option}", first.path or "", second.path or ""
    if first.is_standard and second.is_standard:
        yield f"{both} both go to standard output; add -o FILE"
    elif first.is_standard or second.is_standard or not one or not other or _is_device(one) or _is_device(other):
        return
    elif is_same(one, other):
        yield f"{both} name the same {_noun(first, second)}: {one}; expected two"
    elif second.kind != FOLDER and is_inside(one, other):
        yield f"{both}: {one} cannot be in {other}, which is a file"
    elif first.kind != FOLDER and is_inside(other, one):
        yield f"{both}: {other} cannot be in {one}, which is a file"


def _noun(first: Output, second: Output) -> str:
    kinds = {first.kind == FOLDER, second.kind == FOLDER}
    return "place" if len(kinds) == 2 else "folder" if True in kinds else "file"


def _is_device(path: str) -> bool:
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)


def _refuse(one: Output, path: str, force: bool, folders: list[str]) -> None:
    if one.kind == FOLDER:
        require_folder(path, one.option)
        if os.path.isdir(path) and os.listdir(path) and not force:
            said = "the folder is not empty; --force replaces what has the same name"
            raise AttncalcError(Diagnostic(said, Location(path)))
        return
    read = tuple(name for name in read_from() if not one.replaces or not is_same(name, one.replaces))
    refuse_unwritable(path, force or one.kind == CONTINUED, read, one.option)
    if one.kind == TEXT:
        refuse_other_format(path)
        if not one.replaces and any(_holds(name, path) for name in read) and _is_work(path):
            said = "this file is among the scripts, and is no table of marks; name another one"
            raise AttncalcError(Diagnostic(said, Location(path)))
    home = os.path.dirname(os.path.realpath(path))
    if not os.path.isdir(home) and not any(is_inside(home, folder) for folder in folders):
        raise AttncalcError(Diagnostic("the file cannot be written: there is no such folder", Location(path)))


def _holds(name: str, path: str) -> bool:
    """Whether a file is in a folder, or is one that a pattern names."""
    found = glob.iglob(name, recursive=True) if glob.has_magic(name) and not os.path.lexists(name) else [name]
    return any(is_same(one, path) or os.path.isdir(one) and is_inside(path, one) for one in found)


def _is_work(path: str) -> bool:
    """Whether a file holds somebody's answers: anything but a table without columns of entries."""
    if not os.path.isfile(path):
        return False
    with suppress(OSError), open(path, encoding="utf-8", errors="replace") as file:
        head = file.readline(100_000)
        return not path.lower().endswith((".csv", ".tsv")) or "[" in head or "problem" in head.split(",")
    return True

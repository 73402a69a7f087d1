"""Checks all outputs of a command before it writes one of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
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
    refuse_used_folder,
    require_folder,
)

FILE, TEXT, TABLE, FOLDER, CONTINUED = "file", "text", "table", "folder", "continued"
INPUT_OPTIONS = ("overrides", "scale", "students")  # options that name an input file


@dataclass(frozen=True, slots=True)
class Output:
    """An output and the option that names it; `-` is standard output. The kind is FILE, TEXT (not a spreadsheet),
    TABLE (a text with marks), FOLDER, or CONTINUED (may exist). `replaces` is an input that the output may overwrite.
    """

    option: str
    path: str | None
    kind: str = FILE
    replaces: str = ""

    @property
    def is_standard(self) -> bool:
        return self.path == "-" and self.kind in (FILE, TEXT, TABLE)

    @property
    def is_replacing(self) -> bool:
        """Whether the path is the input that the output may overwrite."""
        return bool(self.replaces) and is_same(self.path or "", self.replaces)


def together(*paths: str | None, folder: str | None = None, force: bool = True) -> Together:
    """Return a transaction for a folder, and for those outputs that are files. Without `force`, the folder must have no
    files also at the end.
    """
    files = [path for path in paths if path and path != "-" and is_ordinary(path)]
    return Together([*([f"{folder}/"] if folder is not None else []), *files], None if force else folder)


def input_files() -> tuple[str, ...]:
    """Return the files that the command reads: its arguments, and the options in INPUT_OPTIONS."""
    context = click.get_current_context(silent=True)
    if context is None:
        return ()
    names = [parameter.name for parameter in context.command.params if isinstance(parameter, click.Argument)]
    values = [context.params.get(name) for name in (*names, *INPUT_OPTIONS) if name]
    arguments = [argument for value in values for argument in (value if isinstance(value, tuple) else [value])]
    return tuple(argument for argument in arguments if isinstance(argument, str))


def require_outputs(outputs: Iterable[Output], force: bool, scripts: Sequence[str] = ()) -> None:
    """Raise AttncalcError with every output path that is used twice or cannot be written, and with every path that is
    one of the scripts or among them.
    """
    named_outputs = [output for output in outputs if output.path is not None]
    for name in input_files():
        note_input(name)
    for output in named_outputs:
        if output.is_replacing:
            allow_replacing(output.path or "")
    faults = Diagnostics()
    for first, second in combinations(named_outputs, 2):
        for clash in _clash(first, second):
            faults.add(clash)
    faults.raise_any()
    if scripts:
        _refuse_among_scripts(named_outputs, scripts, faults)
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
        if os.path.isdir(path) and not force:
            refuse_used_folder(path)
        return
    refuse_unwritable(path, force or output.kind == CONTINUED, output.option)
    if output.kind in (TEXT, TABLE):
        refuse_other_format(path)
    home = os.path.dirname(os.path.realpath(path))
    if not os.path.isdir(home) and not any(is_inside(home, folder) for folder in folders):
        raise AttncalcError("the file cannot be written: this folder does not exist", Location(path))


def _refuse_among_scripts(outputs: Iterable[Output], names: Sequence[str], faults: Diagnostics) -> None:
    """Report each output that would replace a script, or that a later run would read as a script. Only a table of marks
    and saved progress may be in a folder of scripts. Record the scripts as inputs.
    """
    from ..gradebook.grade import is_own_table
    from ..gradebook.script_discovery import script_folders, script_paths

    paths, folders = script_paths(names), script_folders(names)
    homes = {home: path for path in paths for home in (os.path.dirname(os.path.realpath(path)), os.path.dirname(path))}
    for output in outputs:
        path = output.path or ""
        if output.is_standard or not path or output.is_replacing or _is_device(path):
            continue
        around = next((folder for folder in folders if is_inside(path, folder)), None)
        inside = next((script for home, script in homes.items() if is_inside(home or ".", path)), None)
        if output.kind in (TABLE, CONTINUED):
            is_script = os.path.isfile(path) and any(is_same(script, path) for script in paths)
            if is_script and is_own_table(path):
                paths = [script for script in paths if not is_same(script, path)]
            elif is_script and output.kind == TABLE:
                faults.add(
                    "this file is one of the scripts, not a table of marks; choose a different name", Location(path)
                )
            elif is_script:
                faults.add("this file is one of the scripts; choose a different name", Location(path))
        elif output.kind == FOLDER and inside is not None:
            faults.add(f"this folder contains the script {inside}; choose a different folder", Location(path))
        elif around is not None:
            message = f"this path is in {around}, a folder of scripts, and the next run would read it as a script"
            faults.add(f"{message}; choose a path outside this folder", Location(path))
    for path in paths:
        note_input(path)

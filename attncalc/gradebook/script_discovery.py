"""Discovery of scripts: files, folders, patterns and class tables become a list in a fixed order."""

from __future__ import annotations

import glob
import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from ..errors import AttncalcError, Diagnostic, Diagnostics, Location, warn
from ..processor_limit import Allowance
from ..safe_files import note_input
from .class_table_scripts import TABLES, rows_of

MOST_FILES = 20_000
ABSENT = "no such file or folder"
NO_SCRIPTS = (
    "found only files that attncalc wrote, but no answer file and no table with one row per student "
    "(`attncalc answers KEY -o class.xlsx` writes an empty table)"
)


@dataclass(slots=True)
class Task:
    """One script to grade: a file, or a student's rows in a class table. `name` is used if the student is unknown.
    `missing` says why nothing can be read there, and `spent` how many seconds a first look at the file took.
    """

    path: str
    row: int | None
    name: str
    missing: str = ""
    spent: float = 0.0

    def fault(self) -> Diagnostic:
        return Diagnostic(f"expected scripts; {self.missing}", Location(self.path))


def collect(names: Iterable[str], excluded: Iterable[str] = ()) -> list[Task]:
    """Return the scripts in files, folders and patterns without repetition, sorted within a folder, except `excluded`.
    A path without a script is a task that says so. Raises AttncalcError if no name has a script.
    """
    names, faults = list(names), Diagnostics()
    excluded_paths = {_real(path) for path in excluded}
    paths: dict[str, str] = {}
    for name in names:
        matches = list(islice(_paths(name), MOST_FILES + 1))
        if len(matches) > MOST_FILES:
            message = f"expected at most {MOST_FILES:,} scripts, found more; name the folder of one class"
            faults.add(message, Location(name))
            continue
        for path in matches or [name or "FILES"]:
            real = _real(path)
            if real not in excluded_paths and not any(real.startswith(folder + os.sep) for folder in excluded_paths):
                paths.setdefault(real, path)
    faults.raise_any()
    if not paths:
        raise AttncalcError([Diagnostic(NO_SCRIPTS, Location(name)) for name in names] or "FILES: expected scripts")
    for path in paths.values():
        note_input(path)
    stems = Counter(_stem(path) for path in paths.values())
    tasks = [task for path in paths.values() for task in _tasks(path, stems)]
    if all(task.missing for task in tasks):
        raise AttncalcError([task.fault() for task in tasks])
    return tasks


def script_paths(names: Iterable[str]) -> list[str]:
    """Return the files in files, folders and patterns, and folders without a file."""
    return [path for name in names for path in islice(_paths(name), MOST_FILES)]


def script_folders(names: Iterable[str]) -> list[str]:
    """Return the folders among names and the matches of patterns."""
    places = (
        place for name in names for place in ([name] if os.path.lexists(name) else glob.iglob(name, recursive=True))
    )
    return [place for place in places if os.path.isdir(place)]


def _paths(name: str) -> Iterable[str]:
    if os.path.isdir(name):
        for folder, subfolders, files in os.walk(name):
            subfolders[:] = sorted(name for name in subfolders if not name.startswith((".", "__MACOSX")))
            scripts = [os.path.join(folder, file) for file in sorted(files) if not file.startswith((".", "~$"))]
            yield from scripts or ([] if subfolders else [folder])  # an empty one may be what a student handed in
    elif os.path.lexists(name):
        yield name
    elif glob.has_magic(name):
        for path in sorted(glob.glob(name, recursive=True)):
            yield from _paths(path)


def _tasks(path: str, stems: Counter[str]) -> Iterable[Task]:
    allowance = Allowance(Location(path))
    missing = "the folder contains no files" if os.path.isdir(path) else "" if os.path.lexists(path) else ABSENT
    if not missing and path.lower().endswith(TABLES):
        try:
            with allowance.limited():
                rows = rows_of(path)
        except Exception:  # reported when it is graded, as this file's own row
            rows = []
        if rows:
            warn(rows[0].notes)
            many = len(rows) > 1
            names = (row.about("student") or ("" if many else _stem(path)) for row in rows)
            yield from (Task(path, k, name) for k, name in enumerate(names))
            return
    folder = os.path.basename(os.path.dirname(os.path.abspath(path)))
    name = _stem(path) if stems[_stem(path)] == 1 else f"{folder}/{_stem(path)}"
    yield Task(path, None, name, missing, allowance.spent)


def _real(path: str) -> str:
    """Return the path with links resolved, or the path itself if they cannot be read."""
    try:
        return os.path.realpath(path)
    except OSError:
        return os.path.abspath(path)


def _stem(path: str) -> str:
    return os.path.splitext(os.path.basename(path))[0]

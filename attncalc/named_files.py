"""Files by the names that people type.

A name such as `bleu` or `bleu.yaml` is the file with exactly this name, or else the bundled file. A name with a folder,
such as `./bleu`, is never bundled. If both a file and a bundled file have the name, a warning names the file that is
used.
"""

from __future__ import annotations

import os
from contextlib import suppress
from itertools import islice
from typing import NamedTuple

from .errors import AttncalcError, Diagnostic, Location, did_you_mean, warn
from .resources import bundled

MOST_SIBLINGS = 1_000  # files in the folder of a missing file, which a message may suggest
ENDINGS = (".yaml", ".yml")


class NamedFile(NamedTuple):
    """A file: its path, and its name in messages."""

    path: str
    source: str

    @property
    def stem(self) -> str:
        return os.path.splitext(os.path.basename(self.path))[0]


def named_file(name: str, where: str = "problems", path: str | None = None) -> NamedFile | None:
    """Return the file with a name: the file at `path` (by default the name), or else the bundled file in the folder
    `where`. Return None if there is neither.
    """
    path, known = name if path is None else path, bundled(where)
    if is_file(name, f"the bundled {name}" if name in known else None, path):
        return NamedFile(path, path)
    ours = known.get(name.removesuffix(ENDINGS[0]))
    return None if ours is None else NamedFile(ours, os.path.basename(ours))


def is_file(name: str, meaning: str | None, path: str | None = None) -> bool:
    """Return whether a name means the file at `path` (by default the name). If the name also has another
    meaning, such as a lesson, warn which of the two is used.
    """
    path = name if path is None else path
    if os.path.exists(path) and not os.path.isdir(path):
        if meaning:
            warn([Diagnostic(f"warning: this file is used, and not {meaning}", Location(path))])
        return True
    other = next((path + ending for ending in ENDINGS if meaning and os.path.isfile(path + ending)), None)
    if other is not None:
        typed = name + other.removeprefix(path)
        warn([Diagnostic(f"warning: {meaning} is used; to use the file {other}, write {typed}", Location(name))])
    return False


def resolve_file(name: str, where: str, what: str, unknown: str, hint: str = "") -> NamedFile:
    """Return the file with a name, which is bundled in the folder `where`. Raises AttncalcError if there is none."""
    if (file := named_file(name, where)) is not None:
        return file
    if os.path.isdir(name):
        raise AttncalcError(Diagnostic(f"expected {what}, found a folder", Location(name)))
    raise AttncalcError(Diagnostic(f"no such file, and {unknown}{_near(name, where, hint)}", Location(name)))


def _near(name: str, where: str, hint: str) -> str:
    """Return a suggestion for a name that no file has."""
    known = list(bundled(where))
    stem, ending = os.path.splitext(name)
    if ending in ENDINGS and stem in known:
        return f"; did you mean the bundled {stem}?"
    return did_you_mean(name, [*_sibling_files(name), *known]) or hint or f"; the bundled files are {', '.join(known)}"


def find_problem(name: str) -> NamedFile:
    """Return the file of a problem. `name` is a path or the name of a bundled file. Raises AttncalcError."""
    if not name:
        raise AttncalcError("expected a problem, found nothing")
    if name == "-":
        raise AttncalcError("this command does not read standard input; save the problem in a file, and name this file")
    hint = "; `attncalc problems` lists the bundled problems"
    return resolve_file(name, "problems", "a problem file", "no bundled problem with this name", hint)


def _sibling_files(name: str) -> list[str]:
    """Return up to MOST_SIBLINGS YAML files in the folder of a missing file."""
    home = os.path.dirname(name)
    with suppress(OSError, ValueError):
        names = (file for file in sorted(os.listdir(home or ".")) if file.endswith(ENDINGS))
        return [os.path.join(home, file) for file in islice(names, MOST_SIBLINGS)]
    return []

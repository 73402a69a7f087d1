"""The folders templates/ and problems/: next to the package in a checkout, inside the package after an installation."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path  # slow to import, and rarely needed

    from .errors import Location

_PACKAGE = os.path.dirname(os.path.realpath(__file__))
_ENDING = ".yaml"


def folder(name: str) -> Path:
    """Return the path of the folder `problems` or `templates`."""
    from pathlib import Path

    return Path(_folder(name))


def _folder(name: str) -> str:
    inside = os.path.join(_PACKAGE, name)
    return inside if os.path.isdir(inside) else os.path.join(os.path.dirname(_PACKAGE), name)


def custom_templates(path: str, media: Sequence[str], place: Location, what: str = "") -> Path:
    """Return the path of a user's template folder. Raises AttncalcError if no file has the name of a built-in template
    for `media`. The message mentions `attncalc templates` with the first medium.
    """
    from pathlib import Path

    from .errors import AttncalcError, Diagnostic, shorten
    from .safe_files import note_input

    if not os.path.isdir(path):
        kind = "a file" if os.path.exists(path) else "nothing"
        raise AttncalcError(Diagnostic(f"{what}expected a folder of templates, found {kind}", place))
    names = [sorted(file.name for file in (folder("templates") / medium).iterdir()) for medium in media]
    if not any(os.path.isfile(os.path.join(path, name)) for medium in names for name in medium):
        advice = f"`attncalc templates {media[0]} -o {shorten(path)}` copies the bundled templates"
        expected = f"expected a folder with at least one of {', '.join(names[0])}"
        raise AttncalcError(Diagnostic(f"{what}{expected}, found none of them; {advice}", place))
    for name in {name for medium in names for name in medium}:
        note_input(os.path.join(path, name))
    return Path(path)


def bundled(name: str) -> dict[str, str]:
    """Return the bundled YAML files of a folder, such as `problems/sheets`: paths by name without ending."""
    path = _folder(name)
    files = sorted(os.listdir(path))
    return {file.removesuffix(_ENDING): os.path.join(path, file) for file in files if file.endswith(_ENDING)}


def problem_names() -> list[str]:
    return list(bundled("problems"))


def mistake_examples() -> list[str]:
    """Return the paths of the problems that show the mistakes of the catalogue."""
    return list(bundled(os.path.join("mistakes", "examples")).values())


def problem_file(name: str) -> str | None:
    return bundled("problems").get(name)

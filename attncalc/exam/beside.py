"""Files that a sheet names. They stand in the sheet's folder or below it, so that a sheet from somebody else reads nothing more."""

from __future__ import annotations

import ntpath
import os
from typing import TYPE_CHECKING

from ..errors import AttncalcError, Diagnostic, Location, shorten
from ..files import is_inside
from ..resources import folder

if TYPE_CHECKING:
    from pathlib import Path

MEDIA = ("exam", "typst", "latex")  # whose templates a paper is made of


def beside(source: str, name: str, what: str, place: Location) -> str:
    """The path of a file that a sheet names. Raises AttncalcError for one outside the sheet's folder, also where a link leads there."""
    plain = ntpath.normpath(name)  # which knows both kinds of slash, and C:
    here = os.path.dirname(source)
    path = os.path.join(here, name)
    out = plain.startswith("\\") or ntpath.splitdrive(plain)[0] or plain.split("\\")[0] == ".."
    if out or not is_inside(path, here):
        said = f"{what}: a file in the sheet's folder, or in a folder in it, is required; {shorten(name)!r} leads out of it"
        raise AttncalcError(Diagnostic(said, place))
    return path


def own_templates(path: str, what: str, place: Location) -> Path:
    """A folder of somebody's own templates, of which one at least has the name of one of ours."""
    from pathlib import Path

    if not os.path.isdir(path):
        there = "a file" if os.path.exists(path) else "nothing"
        raise AttncalcError(Diagnostic(f"{what}: a folder of templates is required, {there} stands there", place))
    names = [file.name for medium in MEDIA for file in (folder("templates") / medium).iterdir()]
    if not any(os.path.isfile(os.path.join(path, name)) for name in names):
        ours = ", ".join(sorted(file.name for file in (folder("templates") / MEDIA[0]).iterdir()))
        raise AttncalcError(Diagnostic(f"{what}: none of {ours} is there; `attncalc templates exam -o {shorten(path)}` copies them", place))
    return Path(path)

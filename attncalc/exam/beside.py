"""Files that a sheet names. They stand in the sheet's folder or below it, so that a sheet from somebody else reads nothing more."""

from __future__ import annotations

import ntpath
import os

from ..errors import AttncalcError, Fault, Place, shorten


def beside(source: str, name: str, what: str, place: Place) -> str:
    """The path of a file that a sheet names. Raises AttncalcError for one that leads out of the sheet's folder; a link there may."""
    plain = ntpath.normpath(name)  # which knows both kinds of slash, and C:
    if plain.startswith("\\") or ntpath.splitdrive(plain)[0] or plain.split("\\")[0] == "..":
        said = f"{what}: a file in the sheet's folder, or in a folder in it, is required; {shorten(name)!r} leads out of it"
        raise AttncalcError(Fault(said, place))
    return os.path.join(os.path.dirname(source), name)

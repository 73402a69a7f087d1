"""Paths of files that a sheet names. A file must be in the sheet's folder or a subfolder, so that another person's
sheet cannot read other files.
"""

from __future__ import annotations

import ntpath
import os

from ..errors import AttncalcError, Location, shorten
from ..resources import folder
from ..safe_files import is_inside

SHEETS = "problems/sheets"  # the folder of bundled sheets
MEDIA = ("exam", "typst", "latex")  # folders of the templates of a paper


def is_bundled(source: str) -> bool:
    """Return whether the path of a sheet is in the folder of bundled sheets."""
    return os.path.dirname(source) == str(folder(SHEETS))


def short_name(source: str) -> str:
    """Return the name of a sheet in messages: its path, without the folder if it is bundled."""
    return os.path.basename(source) if is_bundled(source) else source


def resolve_sheet_file(source: str, name: str, what: str, place: Location) -> str:
    """Return the path of a file that a sheet names. Raises AttncalcError for a path, or a link, that leads out of
    the sheet's folder.
    """
    normal_path = ntpath.normpath(name)  # ntpath knows both kinds of slash, and C:
    home = os.path.dirname(source)
    path = os.path.join(home, name)
    is_outside = normal_path.startswith("\\") or ntpath.splitdrive(normal_path)[0] or normal_path.split("\\")[0] == ".."
    if is_outside or not is_inside(path, home):
        message = (
            f"{what}: expected a file in the folder of the sheet or in a subfolder; "
            f"{shorten(name)!r} is in a different folder"
        )
        raise AttncalcError(message, place)
    return path

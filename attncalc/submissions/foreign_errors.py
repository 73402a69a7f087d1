"""Words for the errors of other libraries, for a person who handed in a file."""

from __future__ import annotations

import json
import zipfile
import zlib
from xml.parsers import expat

from ..errors import shorten


class Malformed(ValueError):
    """A file is not what its name says; the text is for people."""


_REASONS: tuple[tuple[type[Exception], str], ...] = (
    (zipfile.BadZipFile, "a damaged archive"),
    (zlib.error, "a damaged archive"),
    (EOFError, "a truncated file"),
    (NotImplementedError, "an unknown compression"),
    (MemoryError, "more than memory holds"),
    (RecursionError, "brackets or elements inside too many others"),
    (RuntimeError, "a file with a password"),  # as zipfile reports it
    (UnicodeError, "bytes that are not text"),
    (KeyError, "a file with a missing part"),
)


def reason(error: Exception) -> str:
    """Return what was found in place of a sound file, by the error that a reader of its format raised."""
    if isinstance(error, Malformed):
        return shorten(str(error), 100)
    if isinstance(error, json.JSONDecodeError):
        return f"invalid JSON at line {error.lineno}, column {error.colno}"
    if isinstance(error, expat.ExpatError):
        return f"invalid XML at line {error.lineno}, column {error.offset + 1}"
    return next((words for kind, words in _REASONS if isinstance(error, kind)), "an invalid structure")

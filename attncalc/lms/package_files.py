"""Files of packages for course systems: XML that every program accepts, and zips that are always byte-identical."""

from __future__ import annotations

import hashlib
import io
import re
import zipfile
from xml.etree import ElementTree as ET

FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # the earliest time that a zip can represent


def zip_bytes(files: dict[str, str], limitations: list[str]) -> bytes:
    """Return a zip of the files and a README.txt with the limitations."""
    readme = "\n".join(["Limitations of this package:", *(f"* {line}" for line in limitations), ""])
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        for path, text in {**files, "README.txt": readme}.items():
            package.writestr(zipfile.ZipInfo(path, FIRST_DAY), text.encode("utf-8", "replace"), zipfile.ZIP_DEFLATED)
    return out.getvalue()


def ident_of(*words: str) -> str:
    """Return a reproducible identifier. Different words give different identifiers."""
    return "a" + hashlib.sha256("\0".join(words).encode("utf-8", "surrogatepass")).hexdigest()[:31]


_IMPOSSIBLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def clean(text: str) -> str:
    """Return the text with U+FFFD instead of characters that XML does not allow."""
    return _IMPOSSIBLE.sub("\N{REPLACEMENT CHARACTER}", text)


def as_text(root: ET.Element) -> str:
    """Return an indented XML file as text."""
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"

"""Packages: files in a zip, the same bytes every time."""

from __future__ import annotations

import hashlib
import io
import zipfile

FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # the earliest time that a zip can tell


def zip_bytes(files: dict[str, str], limitations: list[str]) -> bytes:
    """The files, and a README.txt that says what they could not carry."""
    readme = "\n".join(["What this package could not carry:", *(f"* {line}" for line in limitations), ""])
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        for path, text in {**files, "README.txt": readme}.items():
            package.writestr(zipfile.ZipInfo(path, FIRST_DAY), text.encode("utf-8", "replace"), zipfile.ZIP_DEFLATED)
    return out.getvalue()


def ident_of(*words: str) -> str:
    """An identifier that is the same every time, and other for other words."""
    return "a" + hashlib.sha256("\0".join(words).encode("utf-8", "surrogatepass")).hexdigest()[:31]

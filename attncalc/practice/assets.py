"""The page's own files, by their names in a table: a request names one of these or nothing."""

from __future__ import annotations

import json
import os
from typing import Any

from ..resources import folder

TYPES = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "json": "application/json",
    "woff2": "font/woff2",
    "txt": "text/plain; charset=utf-8",
}
PAGE = os.path.join(os.path.dirname(os.path.realpath(__file__)), "page")
FONT = "mathematics.woff2"


def page_files() -> dict[str, bytes]:
    """Every file of the page but index.html."""
    names = [name for name in sorted(os.listdir(PAGE)) if name.rpartition(".")[2] in ("js", "css")]
    found = {name: _read(os.path.join(PAGE, name)) for name in names}
    return found | {FONT: _read(str(folder("templates") / "html" / FONT)), "OFL.txt": _read(str(folder("templates") / "html" / "OFL.txt"))}


def page(nonce: str, settings: dict[str, Any]) -> str:
    """index.html with what the page is told: whether a server answers, or the page works alone."""
    text = _read(os.path.join(PAGE, "index.html")).decode()
    told = json.dumps(settings).replace("<", "\\u003c")
    return text.replace("NONCE", nonce).replace("SETTINGS", told.replace("&", "&amp;").replace('"', "&quot;"))


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()

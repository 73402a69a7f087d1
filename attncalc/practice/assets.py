"""The page's own files, by their names in a table: a request names one of these or nothing."""

from __future__ import annotations

import json
import os
from typing import Any

from ..resources import folder as resource

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


DESK = os.path.join(PAGE, "desk")  # the page to type a class's answers into, which shares some files
SHARED = ("style.css", "dom.js", "grid.js", "transport.js", "words.js")


def page_files(folder: str = PAGE) -> dict[str, bytes]:
    """Every file of a page but index.html."""
    own = {name: os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.rpartition(".")[2] in ("js", "css")}
    shared = {name: os.path.join(PAGE, name) for name in SHARED}
    found = {name: _read(path) for name, path in (shared | own).items()}
    return found | {FONT: _read(str(resource("templates") / "html" / FONT)), "OFL.txt": _read(str(resource("templates") / "html" / "OFL.txt"))}


def page(nonce: str, settings: dict[str, Any], folder: str = PAGE) -> str:
    """index.html with what the page is told: whether a server answers, or the page works alone."""
    text = _read(os.path.join(folder, "index.html")).decode()
    told = json.dumps(settings).replace("<", "\\u003c")
    return text.replace("NONCE", nonce).replace("SETTINGS", told.replace("&", "&amp;").replace('"', "&quot;"))


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()

"""The page's own files, by their names in a table: a request names one of these or nothing."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from html import escape
from string import Template

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
SHARED = ("style.css", "dom.js", "grid.js", "transport.js", "words.js")
LATE = ("worker.js", "boot.js")  # which the page itself does not import
STYLE = '<link rel="stylesheet" href="{}.css">'
PRACTICE = {"name": "main", "title": "attncalc practice", "skip": "Skip to the exercise",
            "styles": STYLE.format("style"),
            "header": '<nav aria-label="Screens" id="screens"></nav>\n'
            '<span id="python" role="status"></span>', "side": ""}  # fmt: skip
DESK = {"name": "desk", "title": "Answers of a class · attncalc", "skip": "Skip to the answers",
        "styles": f"{STYLE.format('style')}\n{STYLE.format('desk')}",
        "header": '<span id="title"></span>\n<span id="saved" role="status"></span>',
        "side": '<nav id="class" aria-label="Students"></nav>\n'}  # fmt: skip


def page_files(which: Mapping[str, str] = PRACTICE) -> dict[str, bytes]:
    """Every file of a page but index.html: those of the desk lie in a folder of its own, and it shares some of
    practice's.
    """
    return {name: _read(path) for name, path in _paths(which).items()} | {
        FONT: _read(str(resource("templates") / "html" / FONT)),
        "OFL.txt": _read(str(resource("templates") / "html" / "OFL.txt")),
    }


def page(nonce: str, settings: Mapping[str, bool], which: Mapping[str, str] = PRACTICE) -> str:
    """index.html with what one of the two pages has of its own, and what it is told: whether a server answers, or it
    works alone.
    """
    template = Template(_read(os.path.join(PAGE, "index.html")).decode())
    modules = (name for name in _paths(which) if name.endswith(".js") and name not in LATE)
    preload = "\n".join(f'<link rel="modulepreload" nonce="{nonce}" href="{name}">' for name in modules)
    return template.substitute(which, preload=preload, nonce=nonce, settings=escape(json.dumps(settings)))


def _paths(which: Mapping[str, str]) -> dict[str, str]:
    """Where the modules and styles of a page are."""
    folder = PAGE if which is PRACTICE else os.path.join(PAGE, which["name"])
    own = {name: os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith((".js", ".css"))}
    return {name: os.path.join(PAGE, name) for name in SHARED} | own


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()

"""A page's own files, by their names in a table: a request names one of these or nothing."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from html import escape
from string import Template
from typing import NamedTuple

from ..resources import folder as resource

TYPES = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "json": "application/json",
    "woff2": "font/woff2",
    "txt": "text/plain; charset=utf-8",
}
SHARED = os.path.join(os.path.dirname(os.path.realpath(__file__)), "page")
FONT = ("mathematics.woff2", "OFL.txt")


class Page(NamedTuple):
    """A page: its main module and style are called `name`; `late` are modules that it does not import at its start."""

    name: str
    folder: str
    title: str
    skip: str
    header: str
    side: str = ""
    late: tuple[str, ...] = ()


def folder_of(module: str) -> str:
    """The folder `page` beside a module."""
    return os.path.join(os.path.dirname(os.path.realpath(module)), "page")


def page_files(page: Page) -> dict[str, bytes]:
    """Every file of a page but index.html: its own, what pages share, and the font."""
    font = {name: str(resource("templates") / "html" / name) for name in FONT}
    return {name: _read(path) for name, path in (_paths(page) | font).items()}


def html_of(page: Page, nonce: str, settings: Mapping[str, bool]) -> str:
    """index.html with what a page has of its own, and what it is told: whether a server answers, or it works alone."""
    template = Template(_read(os.path.join(SHARED, "index.html")).decode())
    modules = (name for name in _paths(page) if name.endswith(".js") and name not in page.late)
    preload = "\n".join(f'<link rel="modulepreload" nonce="{nonce}" href="{name}">' for name in modules)
    return template.substitute(page._asdict(), preload=preload, nonce=nonce, settings=escape(json.dumps(settings)))


def _paths(page: Page) -> dict[str, str]:
    """Where the modules and styles of a page are."""
    return {
        name: os.path.join(folder, name)
        for folder in (SHARED, page.folder)
        for name in sorted(os.listdir(folder))
        if name.endswith((".js", ".css"))
    }


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()

"""A page's own files, by their names in a table: a request names one of these or nothing."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from string import Template
from typing import NamedTuple

from ..resources import folder

TYPES = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "json": "application/json",
    "woff2": "font/woff2",
    "txt": "text/plain; charset=utf-8",
}
SHARED = Path(__file__).resolve().parent / "page"
PAPER = ("brackets.css", "mathematics.woff2", "OFL.txt")  # what pages of solutions have as well: matrices, and the font


class Page(NamedTuple):
    """A page: its main module and style are called `name`; `late` are modules that it does not import at its start."""

    name: str
    folder: Path
    title: str
    skip: str
    header: str
    side: str = ""
    late: tuple[str, ...] = ()

    @property
    def paths(self) -> dict[str, Path]:
        """Where the modules and styles are: its own, and what pages share."""
        files = [file for home in (SHARED, self.folder) for file in sorted(home.iterdir())]
        return {file.name: file for file in files if file.suffix in (".js", ".css")}

    @property
    def files(self) -> dict[str, bytes]:
        """Every file of the page but index.html."""
        shared = {name: folder("templates") / "html" / name for name in PAPER}
        return {name: path.read_bytes() for name, path in (self.paths | shared).items()}

    def html(self, nonce: str, server: bool) -> str:
        """index.html with what the page has of its own; it is told whether a server answers, or it works alone."""
        modules = (name for name in self.paths if name.endswith(".js") and name not in self.late)
        preload = "\n".join(f'<link rel="modulepreload" nonce="{nonce}" href="{name}">' for name in modules)
        template = Template((SHARED / "index.html").read_text(encoding="utf-8"))
        settings = escape(json.dumps({"server": server}))
        return template.substitute(self._asdict(), preload=preload, nonce=nonce, settings=settings)


def policy(scripts: str, *more: str) -> str:
    """A page's content security policy: these scripts, no forms, and nothing from elsewhere."""
    resources = "style-src 'self'; font-src 'self'; connect-src 'self'; img-src 'self' data:"
    return "; ".join(
        ["default-src 'none'", f"script-src {scripts}", resources, "base-uri 'none'", "form-action 'none'", *more]
    )

"""The files of a page in a table, by name. Requests can name only these files."""

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
PAPER = ("brackets.css", "mathematics.woff2", "OFL.txt")  # files that pages of solutions use too


class Page(NamedTuple):
    """A page. Its main module is app.js, and its style is `name`.css. Modules in `late` are not loaded at the start."""

    name: str
    folder: Path
    title: str
    skip: str
    header: str
    side: str = ""
    late: tuple[str, ...] = ()

    @property
    def paths(self) -> dict[str, Path]:
        """The paths of the page's modules and styles, including shared files."""
        files = [file for home in (SHARED, self.folder) for file in sorted(home.iterdir())]
        return {file.name: file for file in files if file.suffix in (".js", ".css")}

    @property
    def files(self) -> dict[str, bytes]:
        """Every file of the page except index.html."""
        shared = {name: folder("templates") / "html" / name for name in PAPER}
        return {name: path.read_bytes() for name, path in (self.paths | shared).items()}

    def html(self, nonce: str, server: bool) -> str:
        """Return index.html for this page. `server` is False for a static website."""
        modules = (name for name in self.paths if name.endswith(".js") and name not in self.late)
        preload = "\n".join(f'<link rel="modulepreload" nonce="{nonce}" href="{name}">' for name in modules)
        template = Template((SHARED / "index.html").read_text(encoding="utf-8"))
        settings = escape(json.dumps({"server": server}))
        return template.substitute(self._asdict(), preload=preload, nonce=nonce, settings=settings)


def policy(scripts: str, *more: str) -> str:
    """Return a content security policy: only these scripts, no forms, and nothing from other hosts."""
    resources = "style-src 'self'; font-src 'self'; connect-src 'self'; img-src 'self' data:"
    return "; ".join(
        ["default-src 'none'", f"script-src {scripts}", resources, "base-uri 'none'", "form-action 'none'", *more]
    )

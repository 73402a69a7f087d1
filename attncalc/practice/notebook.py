"""The practice page in a frame of a notebook: `practice("self_attention")`."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from queue import SimpleQueue
from threading import Thread

from ..local_server.asgi_app import serve_app
from .exercise_list import course_at
from .server import App

# Hosts of notebooks
FRAMES = ("http://localhost:*", "http://127.0.0.1:*", "https://localhost:*", "https://127.0.0.1:*", "vscode-webview:")
HEIGHT = 760  # pixels


@dataclass(frozen=True, slots=True)
class Practice:
    """A page on this machine, served until the kernel ends. A notebook shows it in a frame."""

    address: str

    def _repr_html_(self) -> str:
        size = f'width="100%" height="{HEIGHT}" style="border: 0"'
        return f'<iframe src="{escape(self.address)}" title="attncalc practice" {size}></iframe>'


def practice(exercises: str | None = None, folder: str | None = None) -> Practice:
    """Return the practice page of a lesson, problem, exam sheet or path (default: everything), for a notebook on this
    machine. Progress is stored in `folder`, by default where `attncalc practice` stores it. Raises AttncalcError for
    unknown exercises.
    """
    course, addresses = course_at(exercises), SimpleQueue[str]()
    serving = (lambda host: App(lambda: course, host, folder, frames=FRAMES), 0, addresses.put)
    Thread(target=serve_app, args=serving, daemon=True).start()
    return Practice(addresses.get(timeout=10))

"""The page of practice in a frame of a notebook: `practice("self_attention")`, as `attncalc practice` has it."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from queue import SimpleQueue
from threading import Thread

from ..local.app import serve_app
from .course import course_at
from .server import App

# Where notebooks are
FRAMES = ("http://localhost:*", "http://127.0.0.1:*", "https://localhost:*", "https://127.0.0.1:*", "vscode-webview:")
HEIGHT = 760  # pixels


@dataclass(frozen=True, slots=True)
class Practice:
    """A page that is served on this machine until the kernel ends; a notebook shows it in a frame."""

    address: str

    def _repr_html_(self) -> str:
        size = f'width="100%" height="{HEIGHT}" style="border: 0"'
        return f'<iframe src="{escape(self.address)}" title="attncalc practice" {size}></iframe>'


def practice(exercises: str | None = None, folder: str | None = None) -> Practice:
    """Practice of a lesson, a problem, a sheet or a path (everything by default), for a notebook that runs on this
    machine.

    Progress is kept where `attncalc practice` keeps it, or in `folder`. Raises AttncalcError for exercises that there
    are not.
    """
    course, addresses = course_at(exercises), SimpleQueue[str]()
    serving = (lambda host: App(lambda: course, host, folder, frames=FRAMES), 0, addresses.put)
    Thread(target=serve_app, args=serving, daemon=True).start()
    return Practice(addresses.get(timeout=10))

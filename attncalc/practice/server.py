"""The practice page on 127.0.0.1 for one person: `attncalc practice`. For requests see `local_server/asgi_app.py`."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from ..errors import AttncalcError
from ..local_server.asgi_app import LocalApp, serve_app
from ..local_server.assets import Page
from ..local_server.json_requests import read
from ..safe_files import write_file
from . import messages

if TYPE_CHECKING:
    from .exercise_list import Course

Making = Callable[[], "Course"]

PROGRESS = "progress.json"
OFFLINE = "offline.js"
PAGE = Page("practice", Path(__file__).resolve().parent / "page", "attncalc practice", messages.SKIP,
            '<nav aria-label="Screens" id="screens"></nav>\n<span id="python" role="status"></span>',
            late=("worker.js", "boot.js", OFFLINE))  # fmt: skip


class App(LocalApp):
    """The practice application. Progress is stored in a folder, by default in the user's data folder."""

    def __init__(self, course: Making, host: str, folder: str | None = None, token: str | None = None,
                 frames: tuple[str, ...] = ()):  # fmt: skip
        super().__init__(host, PAGE, {"/respond": self.respond, "/progress": self.progress}, token, frames)
        self.course = course
        self.folder = data_folder() if folder is None else folder
        self.lock = Lock()

    def prepare(self) -> None:
        """Import the program, and fill its caches with the first exercise, before the first request of the page."""
        with self.lock:
            from .exercise_list import items_of
            from .operations import prepare_responses

            course = self.course()
            if len(items_of(course)) == 1:
                prepare_responses(course)

    def respond(self, body: bytes) -> str:
        with self.lock:
            from .operations import respond_text

            return respond_text(self.course(), body)

    def progress(self, body: bytes) -> str:
        """Store the progress of the request, if there is any, and return the stored progress of this user."""
        from .learner_model import clean

        path, sent = os.path.join(self.folder, PROGRESS), read(body)
        try:
            if isinstance(sent, dict) and "progress" in sent:
                os.makedirs(self.folder, mode=0o700, exist_ok=True)
                write_file(path, json.dumps(clean(sent["progress"]), indent=1) + "\n", force=True)
            kept = Path(path).read_bytes() if os.path.isfile(path) else b""
        except (OSError, AttncalcError) as error:
            why = error.strerror if isinstance(error, OSError) else str(error)
            return json.dumps({"faults": [messages.NOT_STORED.format(path=path, why=why)]})
        return json.dumps({"progress": clean(read(kept))})


def data_folder() -> str:
    """Return the folder in which the programs of this user store their data."""
    variable, usual = ("APPDATA", "~") if os.name == "nt" else ("XDG_DATA_HOME", "~/.local/share")
    return os.path.join(os.environ.get(variable) or os.path.expanduser(usual), "attncalc")


def serve(course: Making, port: int, started: Callable[[str], None]) -> None:
    """Serve a course until Ctrl-C. Call `started` with the address when the server accepts requests."""
    serve_app(lambda host: App(course, host), port, started, data_folder())

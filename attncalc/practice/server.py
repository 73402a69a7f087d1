"""The page and `respond` on 127.0.0.1, for one person: `attncalc practice`.

uvicorn (with h11) reads HTTP, since the standard library's server is not meant for what strangers can reach, and any page in the browser can
reach a local port; three routes need no framework. Every request must name this very host and port, requests that are not the page must come
from it (Origin), carry the token of this run, be JSON, and be small. No request names a file: what is sent is looked up in a table.
"""

from __future__ import annotations

import hmac
import json
import os
import secrets
import socket
from collections.abc import Awaitable, Callable
from typing import Any

from ..files import write_file
from . import texts
from .assets import TYPES, page, page_files

Headers = dict[str, str]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Receive = Callable[[], Awaitable[dict[str, Any]]]

PROGRESS = "progress.json"
LARGEST = 400_000  # bytes of a request


class App:
    """The ASGI application. `host` is `127.0.0.1:PORT`, exactly as the browser names it."""

    def __init__(self, course: dict[str, Any] | None, host: str, folder: str | None, token: str | None = None):
        self._course = course
        self.host = host
        self.folder = folder
        self.token = token or secrets.token_urlsafe(32)
        self.files = page_files()

    @property
    def address(self) -> str:
        """Where the page is. The token stands behind the #, which no browser sends or keeps in a log."""
        return f"http://{self.host}/#token={self.token}"

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        status, kind, body, more = await self.answer(scope["method"], scope["path"], headers, receive)
        fixed = {"content-type": kind, "cache-control": "no-store", "x-content-type-options": "nosniff", "referrer-policy": "no-referrer",
                 "x-frame-options": "DENY", "cross-origin-resource-policy": "same-origin", "content-length": str(len(body)), **more}  # fmt: skip
        start = {"type": "http.response.start", "status": status, "headers": [(k.encode(), v.encode()) for k, v in fixed.items()]}
        await send(start)
        await send({"type": "http.response.body", "body": body})

    async def answer(self, method: str, path: str, headers: Headers, receive: Receive) -> tuple[int, str, bytes, Headers]:
        """Status, media type, body and headers of the answer to a request."""
        if headers.get("host") != self.host:
            return _refused(403, texts.FORBIDDEN)
        if method == "GET" and path == "/":
            nonce = secrets.token_urlsafe(16)
            return 200, TYPES["html"], page(nonce, {"server": True}).encode(), {"content-security-policy": policy(nonce)}
        if method == "GET" and path.removeprefix("/") in self.files:
            name = path.removeprefix("/")
            return 200, TYPES[name.rpartition(".")[2]], self.files[name], {}
        if method != "POST" or path not in ("/respond", "/progress"):
            return _refused(404, texts.NOT_HERE)
        if headers.get("origin") != f"http://{self.host}" or not hmac.compare_digest(headers.get("x-token", "").encode(), self.token.encode()):
            return _refused(403, texts.FORBIDDEN)
        if headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            return _refused(415, texts.NOT_JSON)
        body = await _whole(receive)
        if body is None:
            return _refused(413, texts.TOO_LARGE.format(most=LARGEST))
        text = self.respond(body) if path == "/respond" else self.progress(body)
        return 200, TYPES["json"], text.encode(), {}

    def respond(self, body: bytes) -> str:
        """The answer to a question of the page, JSON."""
        from .course import whole_course  # while the browser starts, which takes longer
        from .respond import respond_text

        self._course = self._course or whole_course()
        return respond_text(self._course, body)

    def progress(self, body: bytes) -> str:
        """The stored progress, in one file of this user; after storing what came, where something came."""
        from .progress import cleaned

        try:
            sent = json.loads(body)
        except (ValueError, RecursionError):
            sent = None
        if isinstance(sent, dict) and "progress" in sent and self.folder:
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
            write_file(os.path.join(self.folder, PROGRESS), json.dumps(cleaned(sent["progress"]), indent=1) + "\n", force=True)
        try:
            with open(os.path.join(self.folder or "", PROGRESS), encoding="utf-8") as file:
                return json.dumps({"progress": cleaned(json.load(file))})
        except (OSError, ValueError, RecursionError):
            return json.dumps({"progress": cleaned(None)})


def policy(nonce: str) -> str:
    """Scripts of this server alone, started by the page's own tag; no frames, no forms, nothing from elsewhere."""
    return (
        f"default-src 'none'; script-src 'nonce-{nonce}' 'strict-dynamic'; style-src 'self'; style-src-attr 'none'; font-src 'self'; "
        "connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def _refused(status: int, why: str) -> tuple[int, str, bytes, Headers]:
    return status, TYPES["json"], json.dumps({"faults": [why]}).encode(), {}


async def _whole(receive: Receive) -> bytes | None:
    """The body; None where it is too large, without reading it to its end."""
    body = b""
    while True:
        message = await receive()
        body += bytes(message.get("body", b""))
        if len(body) > LARGEST:
            return None
        if not message.get("more_body"):
            return body


def data_folder() -> str:
    """Where this user's programs keep their data."""
    if os.name == "nt":
        home = os.environ.get("APPDATA") or os.path.expanduser("~")
    else:
        home = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    return os.path.join(home, "attncalc")


def serve(course: dict[str, Any] | None, port: int, started: Callable[[str], None], folder: str | None = None) -> None:
    """Serves a course, or the whole one, until Ctrl-C; `started` is told the address as soon as it answers. Port 0 is any that is free."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    app = App(course, f"127.0.0.1:{listener.getsockname()[1]}", data_folder() if folder is None else folder)
    listener.listen()  # whoever comes now waits until the server is ready
    started(app.address)
    import uvicorn  # while the browser starts

    config = uvicorn.Config(app, log_level="error", lifespan="off", ws="none", http="h11", loop="asyncio", server_header=False)  # type: ignore[arg-type]
    uvicorn.Server(config).run(sockets=[listener])

"""The web server on 127.0.0.1 for one person and one page: `attncalc practice`, and `attncalc answers --page`.

uvicorn (with h11) parses HTTP, because the standard library's server is not safe, and every page in the browser can
send requests to a local port. Every request must name this host and port. Requests other than for files must come from
the page (Origin), have the token of this run, be JSON, and be small. A path is a key of a table, never a file name.
"""

from __future__ import annotations

import hmac
import json
import os
import secrets
import socket
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from threading import Thread
from typing import TypedDict
from zlib import crc32

from .assets import TYPES, Page, policy
from .json_requests import LARGEST, NOT_JSON, TOO_LARGE

Headers = dict[str, str]


class Scope(TypedDict):
    """A connection in the format of ASGI, with HTTP's method, path and headers."""

    type: str
    method: str
    path: str
    headers: list[tuple[bytes, bytes]]


class Message(TypedDict, total=False):
    """A part of a request's body in the format of ASGI."""

    body: bytes
    more_body: bool


Send = Callable[[dict[str, object]], Awaitable[None]]
Receive = Callable[[], Awaitable[Message]]
Route = Callable[[bytes], str]
Answer = tuple[int, str, bytes, Headers]

FORBIDDEN = "this page belongs to another session of attncalc: open the address that the terminal shows"
NOT_HERE = "this page does not exist"
USUAL = range(20_000, 30_000)  # ports that operating systems do not assign automatically
ALWAYS = {
    "cache-control": "no-store", "x-content-type-options": "nosniff", "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin", "x-frame-options": "DENY",
}  # fmt: skip


class LocalApp:
    """The ASGI application. `host` is `127.0.0.1:PORT`. `routes` maps paths to functions from JSON to JSON. `frames`
    are the origins of pages that may contain this page in a frame.
    """

    def __init__(self, host: str, page: Page, routes: Mapping[str, Route], token: str | None = None,
                 frames: tuple[str, ...] = ()):  # fmt: skip
        self.host = host
        self.page = page
        self.files = page.files
        self.routes = routes
        self.token = token or secrets.token_urlsafe(32)
        self.frames = frames

    def prepare(self) -> None:
        """Prepare responses in a thread while the browser loads the page."""

    @property
    def address(self) -> str:
        """The address of the page. The token is after the #, so browsers neither send nor log it."""
        return f"http://{self.host}/#token={self.token}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        status, kind, body, more = await self.answer(scope["method"], scope["path"], headers, receive)
        response_headers = ALWAYS | {"content-type": TYPES[kind], "content-length": str(len(body))} | more
        if self.frames:
            del response_headers["x-frame-options"]  # this header cannot name origins; the content security policy does
        pairs = [(name.encode(), value.encode()) for name, value in response_headers.items()]
        await send({"type": "http.response.start", "status": status, "headers": pairs})
        await send({"type": "http.response.body", "body": body})

    async def answer(self, method: str, path: str, headers: Headers, receive: Receive) -> Answer:
        """Return status, type, body and further headers of the response to a request."""
        if headers.get("host") != self.host:
            return _refusal(403, FORBIDDEN)
        if method == "GET" and path == "/":
            return self.index(secrets.token_urlsafe(16))
        if method == "GET" and (name := path.removeprefix("/")) in self.files:
            return 200, name.rpartition(".")[2], self.files[name], {}
        if method != "POST" or path not in self.routes:
            return _refusal(404, NOT_HERE)
        token = headers.get("x-token", "").encode()
        if headers.get("origin") != f"http://{self.host}" or not hmac.compare_digest(token, self.token.encode()):
            return _refusal(403, FORBIDDEN)
        if headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            return _refusal(415, NOT_JSON)
        body = await _read_body(receive)
        if body is None:
            return _refusal(413, TOO_LARGE.format(most=LARGEST))
        return 200, "json", self.routes[path](body).encode("utf-8", "replace"), {}

    def index(self, nonce: str) -> Answer:
        """Return the page. Its policy allows only this server's scripts, its script tag, and frames of `frames`."""
        scripts, frames = f"'nonce-{nonce}' 'strict-dynamic'", " ".join(self.frames) or "'none'"
        content_policy = policy(scripts, "style-src-attr 'none'", f"frame-ancestors {frames}")
        return 200, "html", self.page.html(nonce, server=True).encode(), {"content-security-policy": content_policy}


def _refusal(status: int, why: str) -> Answer:
    return status, "json", json.dumps({"faults": [why]}).encode(), {}


async def _read_body(receive: Receive) -> bytes | None:
    """Return the body. If it is too large, stop reading and return None."""
    body, more = b"", True
    while more and len(body) <= LARGEST:
        message = await receive()
        body, more = body + message.get("body", b""), message.get("more_body", False)
    return body if len(body) <= LARGEST else None


def _bind(ports: list[int]) -> socket.socket:
    """Return a socket at the first free port of `ports`. Raises OSError if there is none."""
    listener = socket.socket(proto=socket.IPPROTO_TCP)  # with this protocol, asyncio sends small responses at once
    if os.name == "posix":  # on other systems two servers could share a port
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    for port in ports[:-1]:
        with suppress(OSError):
            listener.bind(("127.0.0.1", port))
            return listener
    listener.bind(("127.0.0.1", ports[-1]))
    return listener


def usual_port(app_name: str) -> int:
    """Return the port of an application. It is the same in every run."""
    return USUAL.start + crc32(app_name.encode()) % len(USUAL)


def serve_app(
    make_app: Callable[[str], LocalApp], port: int, announce: Callable[[str], None], app_name: str = ""
) -> None:
    """Serve the application until Ctrl-C. In a thread, serve it until the program ends. `make_app` returns it for a
    host. `announce` gets the address when the server accepts connections. If `port` is 0, the port depends on
    `app_name`, so that a page can reconnect after a restart. If this port is in use, another free port is used.
    """
    usual = [usual_port(app_name)] if app_name else []
    listener = _bind([port] if port else [*usual, 0])
    app = make_app(f"127.0.0.1:{listener.getsockname()[1]}")
    listener.listen()  # connections wait until the server is ready
    announce(app.address)
    import uvicorn  # imported here, while the browser starts

    Thread(target=app.prepare, daemon=True).start()
    config = uvicorn.Config(
        app, log_level="error", lifespan="off", ws="none", http="h11", loop="asyncio", server_header=False
    )
    uvicorn.Server(config).run(sockets=[listener])

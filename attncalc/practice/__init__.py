"""Practice: one function from request to response, both plain data, without HTTP and files; a server and a static site carry them."""

from __future__ import annotations

from .respond import respond, respond_text

__all__ = ["respond", "respond_text"]

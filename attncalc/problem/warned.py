"""Who is told what the author of a problem should know: nobody, until a program asks; the command line does, for all its commands."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ..errors import Fault

_listeners: list[Callable[[Fault], None]] = []


def listen(tell: Callable[[Fault], None]) -> None:
    """From now on `tell` hears each warning once, however often a problem is read, and nobody else does."""
    heard: set[str] = set()

    def once(warning: Fault) -> None:
        if warning.message not in heard:
            heard.add(warning.message)
            tell(warning)

    _listeners[:] = [once]


def warn(warnings: Iterable[Fault]) -> None:
    for warning in warnings:
        for tell in _listeners:
            tell(warning)

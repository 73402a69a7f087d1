"""Who is told what the author of a problem should know: nobody, until a program asks; the command line does, for all
its commands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ..errors import Diagnostic

_listeners: list[Callable[[Diagnostic], None]] = []


def listen(tell: Callable[[Diagnostic], None]) -> None:
    """From now on `tell` hears each warning once, however often a problem is read, and nobody else does."""
    heard: set[str] = set()

    def once(warning: Diagnostic) -> None:
        if warning.message not in heard:
            heard.add(warning.message)
            tell(warning)

    _listeners[:] = [once]


def warn(warnings: Iterable[Diagnostic]) -> None:
    """Tell warnings to everybody who listens."""
    for warning in warnings:
        for tell in _listeners:
            tell(warning)

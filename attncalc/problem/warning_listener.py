"""The receiver of warnings for authors of problems, which the command line sets. Otherwise warnings are dropped."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ..errors import Diagnostic

_listeners: list[Callable[[Diagnostic], None]] = []


def listen(tell: Callable[[Diagnostic], None]) -> None:
    """Send each warning at a place to `tell` once, even if a problem is read several times. `tell` replaces the
    previous receiver.
    """
    heard: set[str] = set()  # the warnings with their places

    def once(warning: Diagnostic) -> None:
        if str(warning) not in heard:
            heard.add(str(warning))
            tell(warning)

    _listeners[:] = [once]


def warn(warnings: Iterable[Diagnostic]) -> None:
    """Send warnings to the receiver."""
    for warning in warnings:
        for tell in _listeners:
            tell(warning)

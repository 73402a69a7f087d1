"""Signals in parallel work: Ctrl-C or SIGTERM stops the main process, and no worker outlives it."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

STOPPED = 128  # plus the signal's number: the exit code of a command that a signal ended


@contextmanager
def exit_on_signals() -> Iterator[None]:
    """Raise SystemExit on Ctrl-C and SIGTERM meanwhile, so that temporary files are removed; ignored signals stay
    ignored.
    """
    handlers = {}
    try:
        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
                handlers[number] = signal.signal(number, _exit)
    except ValueError:  # not the main thread
        pass
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _exit(number: int, frame: object) -> NoReturn:
    raise SystemExit(STOPPED + number)


@contextmanager
def ignore_interrupts() -> Iterator[None]:
    """Let processes started meanwhile ignore Ctrl-C, which a terminal sends to all of them."""
    try:
        handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    except ValueError:  # not the main thread
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)


def exit_with_parent() -> None:
    """Called in a worker process: end it at SIGTERM, and when its parent ends."""
    from threading import Thread  # here, since few commands start processes

    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    Thread(target=_end_with_the_parent, daemon=True).start()


def _end_with_the_parent() -> None:
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(STOPPED + signal.SIGTERM)

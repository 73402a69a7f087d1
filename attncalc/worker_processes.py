"""One pool of worker processes for all commands. Ctrl-C, SIGTERM or SIGHUP stops the main process and the workers."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, NoReturn, Protocol, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")
State = TypeVar("State")
State_co = TypeVar("State_co", covariant=True)


class OrderedMap(Protocol[State_co]):
    """A function that calls `work(state, item)` for each item, in order."""

    def __call__(self, work: Callable[[State_co, Item], Result], items: Iterable[Item]) -> Iterator[Result]: ...


# Ctrl-C, a request to end, and a closed terminal, which Windows does not have
STOPPING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
STOPPED = 128  # plus the signal's number: the exit code of a command that a signal stopped


@contextmanager
def exit_on_signals() -> Iterator[None]:
    """Raise SystemExit on the signals in STOPPING during the block, so that temporary files are removed. Ignored
    signals stay ignored.
    """
    handlers = {}
    try:
        for number in STOPPING:
            if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
                handlers[number] = signal.signal(number, _exit)
    except ValueError:  # this is not the main thread
        pass
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _exit(number: int, frame: object) -> NoReturn:
    raise SystemExit(STOPPED + number)


@contextmanager
def worker_pool(
    jobs: int,
    start: Callable[[], State],
    chunk: int,
    here: State | None = None,
    lost: Callable[[Any], Any] | None = None,
) -> Iterator[OrderedMap[State]]:
    """Yield a function that calls `work(state, item)` for each item, in order, in up to `jobs` processes.

    Each process calls `start` once for its state. `here` is the state of this process, if there is one. A process takes
    `chunk` items at a time. If a process is killed, this process does the remaining items. With `lost`, a separate
    process does each of them; if it is killed too, the result is `lost(item)`.
    """

    def in_this_process(work: Callable[[State, Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        state = start() if here is None else here
        return (work(state, item) for item in items)

    if jobs < 2:
        yield in_this_process
        return
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    def new_pool(size: int) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(size, get_context("spawn"), _start_worker, (start,))

    def one_by_one(work: Callable[[State, Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        assert lost is not None
        alone = new_pool(1)
        try:
            for item in items:
                try:
                    with _ignored_interrupts():
                        result = alone.submit(_work, work, item)
                    yield result.result()
                except BrokenProcessPool:
                    alone.shutdown()
                    alone = new_pool(1)
                    yield lost(item)
        finally:
            alone.shutdown(wait=True, cancel_futures=True)

    pool = new_pool(jobs)

    def ordered_map(work: Callable[[State, Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        waiting, done = list(items), 0
        try:
            with _ignored_interrupts():
                results = pool.map(partial(_work, work), waiting, chunksize=chunk)  # starts the processes
            for result in results:
                yield result
                done += 1
        except BrokenProcessPool:
            yield from (in_this_process if lost is None else one_by_one)(work, waiting[done:])

    try:
        yield ordered_map
    finally:
        pool.shutdown(wait=True, cancel_futures=True)  # no worker writes into a folder that the caller then removes


_state: object = None  # the state of this worker process


def _start_worker(start: Callable[[], object]) -> None:
    global _state
    _exit_with_parent()
    _state = start()


def _work(work: Callable[[Any, Item], Result], item: Item) -> Result:
    return work(_state, item)


@contextmanager
def _ignored_interrupts() -> Iterator[None]:
    """Let processes that start in the block ignore Ctrl-C, which a terminal sends to all of them."""
    try:
        handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    except ValueError:  # this is not the main thread
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)


def _exit_with_parent() -> None:
    """Let this worker process end at SIGTERM, and when the parent process ends."""
    from threading import Thread  # imported here, because few commands start processes

    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    Thread(target=_end_with_the_parent, daemon=True).start()


def _end_with_the_parent() -> None:
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(STOPPED + signal.SIGTERM)

"""Limits the processor time and the memory that one file takes."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from . import limits
from .errors import AttncalcError, Diagnostic, Location

T = TypeVar("T")
MOST_SECONDS = 10  # seconds of processor time; usual scripts take 0.1
MOST_MEMORY = 700_000_000  # bytes in addition to the memory at the start; the total stays below 1 GB
_LEAST = 1e-3  # seconds for a file without time left
_AGAIN = 1.0  # seconds until the limit is enforced again, if a library caught the error


class _OutOfTimeError(BaseException):
    """The error of a file whose time is used up. Readers do not catch it. If a library catches it, it is raised again
    later.
    """


class Purpose(NamedTuple):
    """The use of a file (`a file that is read`) and the remedy for its author, for messages about a limit."""

    words: str
    remedy: str


READ = Purpose("a file that can be read", "keep only the answers")
KEYS = Purpose("a key that can be read", "remove everything that attncalc did not write")
RENDERED = Purpose("a template that can be rendered", "make its loops and texts shorter")
DRAWN = Purpose("a picture that can be drawn", "use a simpler picture")


@dataclass(slots=True)
class Allowance:
    """The processor time that the readers of one file may use together, and the time that they have used."""

    place: Location
    purpose: Purpose = READ
    spent: float = 0.0

    @contextmanager
    def limited(self) -> Iterator[None]:
        """Raise AttncalcError if the block takes too much time or memory.

        The limit works only in the main thread, and on systems with signals and memory limits. A limit inside another
        limit has no effect.
        """
        limit, begin = "", time.process_time()
        try:
            with _limited_memory(), _limited_time(MOST_SECONDS - self.spent):
                yield
        except _OutOfTimeError:
            limit = TIME
        except MemoryError:
            limit = MEMORY
        except RecursionError:
            limit = "within the nesting limit, found one that is nested too deeply"
        finally:
            self.spent += time.process_time() - begin
        if limit:
            raise exceeded(limit, self.place, self.purpose)


def limited(place: Location, purpose: Purpose = READ) -> AbstractContextManager[None]:
    """Limit the reading of a file that is read only once. See `Allowance.limited`."""
    return Allowance(place, purpose).limited()


def exceeded(limit: str, place: Location, purpose: Purpose) -> AttncalcError:
    """Return the error for a limit. `limit` is TIME, MEMORY or a similar sentence."""
    limit = limit.format(seconds=MOST_SECONDS, megabytes=f"{MOST_MEMORY // 10**6:,}")
    return AttncalcError(Diagnostic(f"expected {purpose.words} {limit}; {purpose.remedy}", place))


TIME = "within {seconds} s of processor time, found one that takes longer"
MEMORY = "in {megabytes} MB of memory, found one that needs more"


class RunTime:
    """The processor time of a run that makes one result from several problems. The limit also bounds the memory,
    because a problem needs time to fill memory.
    """

    def __init__(self) -> None:
        self.began = time.process_time()

    def within(self, problems: Sequence[T]) -> Iterator[T]:
        """Yield the problems in order. Raises AttncalcError before a problem for which no time is left."""
        for index, problem in enumerate(problems):
            spent = time.process_time() - self.began
            if len(problems) > 1 and spent > limits.RUN.most:
                raise AttncalcError(
                    limits.RUN.exceeded(f"{spent:.1f} s used before problem {index + 1} of {len(problems)}")
                )
            yield problem


@contextmanager
def _limited_time(seconds: float) -> Iterator[None]:
    is_main = threading.current_thread() is threading.main_thread()
    if not hasattr(signal, "setitimer") or not is_main or signal.getitimer(signal.ITIMER_VIRTUAL)[0]:
        yield  # Windows and a browser have no timers
        return
    timer = signal.ITIMER_VIRTUAL
    is_over = False

    def stop(*_: object) -> None:
        nonlocal is_over
        is_over = True
        raise _OutOfTimeError

    handler = signal.signal(signal.SIGVTALRM, stop)
    try:
        signal.setitimer(timer, max(seconds, _LEAST), _AGAIN)
        yield
    finally:
        signal.setitimer(timer, 0)
        signal.signal(signal.SIGVTALRM, handler)
        if is_over:
            raise _OutOfTimeError


class _Memory:
    """The memory limit of this process. The first thread that needs the limit sets it, and the last removes it."""

    lock = threading.Lock()
    inside = 0
    before: tuple[int, int] | None = None


@contextmanager
def _limited_memory() -> Iterator[None]:
    """Limit the memory that the block takes in addition to the memory of the process."""
    with _Memory.lock:
        _Memory.inside += 1
        if _Memory.inside == 1:
            _Memory.before = _lower_memory_limit()
    try:
        yield
    finally:
        with _Memory.lock:
            _Memory.inside -= 1
            if _Memory.inside == 0 and _Memory.before is not None:
                import resource

                resource.setrlimit(resource.RLIMIT_AS, _Memory.before)


def _lower_memory_limit() -> tuple[int, int] | None:
    """Limit the memory of this process, and return the previous limits; None on systems without such limits."""
    before = None
    with suppress(ImportError, OSError, ValueError):
        import resource

        with open("/proc/self/statm", encoding="ascii") as file:
            most = int(file.read().split()[0]) * resource.getpagesize() + MOST_MEMORY
        before = resource.getrlimit(resource.RLIMIT_AS)
        if before[0] == resource.RLIM_INFINITY or before[0] > most:
            resource.setrlimit(resource.RLIMIT_AS, (most, before[1]))
    return before

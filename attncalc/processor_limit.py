"""The limit of the processor time and the memory that one file takes, whatever its content."""

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
MOST_SECONDS = 10  # of processor time; files that people hand in take a hundredth
MOST_MEMORY = 700_000_000  # bytes beyond what the program has, which then keeps within 1 GB
_LEAST = 1e-3  # seconds for a file whose time is spent
_AGAIN = 1.0  # seconds until a limit that was passed over is enforced again


class _OutOfTimeError(BaseException):
    """Readers do not catch it; where a library does, the limit raises it again at its end."""


class Purpose(NamedTuple):
    """The use of a file, for messages about a limit: `a file that is read`, and the remedy for its author."""

    words: str
    remedy: str


READ = Purpose("a file that is read", "keep only the answers")
KEYS = Purpose("a key that is read", "keep only what attncalc has written")
RENDERED = Purpose("a template that is rendered", "make its loops and its texts shorter")
DRAWN = Purpose("a picture that is drawn", "use a simpler picture")


@dataclass(slots=True)
class Allowance:
    """The processor time that the reading of one file may take, and how much is spent; readers of a file share it."""

    place: Location
    purpose: Purpose = READ
    spent: float = 0.0

    @contextmanager
    def limited(self) -> Iterator[None]:
        """Raise AttncalcError for a file that takes too long, or too much memory.

        Signals and limits of memory need the main thread of a process, and a system that has them. Elsewhere only the
        readers themselves limit what they do. A limit inside another one has no effect.
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
            limit = "without deep nesting, found pieces inside too many others"
        finally:
            self.spent += time.process_time() - begin
        if limit:
            raise exceeded(limit, self.place, self.purpose)


def limited(place: Location, purpose: Purpose = READ) -> AbstractContextManager[None]:
    """Limit the reading of a file that is read only once, as `Allowance.limited` does."""
    return Allowance(place, purpose).limited()


def exceeded(limit: str, place: Location, purpose: Purpose) -> AttncalcError:
    """Return the error about a limit, which is TIME or MEMORY or a sentence like them."""
    limit = limit.format(seconds=MOST_SECONDS, megabytes=f"{MOST_MEMORY // 10**6:,}")
    return AttncalcError(Diagnostic(f"expected {purpose.words} {limit}; {purpose.remedy}", place))


TIME = "within {seconds} s of processor time, found one that takes longer"
MEMORY = "in {megabytes} MB of memory, found one that takes more"


class RunTime:
    """The processor time of a run that makes one result of several problems. Their memory is limited by it as well,
    since a problem takes memory no faster than time.
    """

    def __init__(self) -> None:
        self.began = time.process_time()

    def within(self, problems: Sequence[T]) -> Iterator[T]:
        """Yield the problems in order. Raises AttncalcError before one of several that begins too late."""
        for index, problem in enumerate(problems):
            spent = time.process_time() - self.began
            if len(problems) > 1 and spent > limits.RUN.most:
                raise AttncalcError(limits.RUN.exceeded(f"{spent:.1f} s before problem {index + 1} of {len(problems)}"))
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
    """The limit of memory of this process, which all its threads share: the first to come sets it, and the last to
    leave lifts it.
    """

    lock = threading.Lock()
    inside = 0
    before: tuple[int, int] | None = None


@contextmanager
def _limited_memory() -> Iterator[None]:
    """Limit the memory that is taken beyond what the process has already."""
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
    """Limit the memory of this process, and return its limits before; None on systems without such limits."""
    before = None
    with suppress(ImportError, OSError, ValueError):
        import resource

        with open("/proc/self/statm", encoding="ascii") as file:
            most = int(file.read().split()[0]) * resource.getpagesize() + MOST_MEMORY
        before = resource.getrlimit(resource.RLIMIT_AS)
        if before[0] == resource.RLIM_INFINITY or before[0] > most:
            resource.setrlimit(resource.RLIMIT_AS, (most, before[1]))
    return before

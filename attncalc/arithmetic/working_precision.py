"""The precision of ball arithmetic, in bits.

python-flint keeps one precision for all threads of a process. Without a lock, two threads that set and restore it
leave each other's precision behind, so here one thread at a time computes.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock

from flint import ctx

_COMPUTING = RLock()


@contextmanager
def working_precision(bits: int) -> Iterator[None]:
    """Compute with this many bits in the block; other threads wait before they enter theirs."""
    with _COMPUTING, ctx.workprec(bits):
        yield

"""The precision of ball arithmetic, in bits.

python-flint has one precision for all threads of a process. A lock allows one thread at a time, because two threads
would otherwise change each other's precision.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock

from flint import ctx

_COMPUTING = RLock()


@contextmanager
def working_precision(bits: int) -> Iterator[None]:
    """Set the precision, in bits, inside the block. Other threads wait until the block ends."""
    with _COMPUTING, ctx.workprec(bits):
        yield

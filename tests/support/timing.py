"""The processor time of a piece of work, measured so that a busy machine does not fail a test."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time

MEASUREMENTS = 3


def takes_less_than(seconds: float, work: Callable[[], object]) -> bool:
    """Run the work until one run takes less than `seconds` of processor time, and at most three times.

    Other processes slow a run down, sometimes threefold, and never speed it up: one quick run shows that the work is
    quick.
    """
    for _ in range(MEASUREMENTS):
        begin = process_time()
        work()
        if process_time() - begin < seconds:
            return True
    return False

"""The fastest of interleaved repetitions: what other processes take of the machine can only make a
repetition slower.
"""

from __future__ import annotations

import resource
from collections.abc import Callable
from time import process_time

Side = Callable[[], object]
SHORTEST = 0.02  # seconds that one repetition lasts at least, so that the clock's own steps do not count
LONG = 1.0  # seconds of a first call, after which one call is a repetition


def race(sides: dict[str, Side], rounds: int = 15) -> dict[str, float]:
    """The fewest seconds of one call of each side, all sides taking turns."""
    loops = {name: _loops(side) for name, side in sides.items()}
    times: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(rounds):
        for name, side in sides.items():
            times[name].append(_time(side, loops[name]) / loops[name])
    return {name: min(found) for name, found in times.items()}


def _loops(side: Side) -> int:
    """How many calls fill a repetition; finding out also warms the side up."""
    if _time(side, 1) > LONG:
        return 1
    return max(1, round(SHORTEST / max(_time(side, 2) / 2, 1e-6)))


def _time(side: Side, loops: int) -> float:
    start = _now()
    for _ in range(loops):
        side()
    return _now() - start


def _now() -> float:
    """Seconds of processor time, those of processes started and ended included."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return process_time() + children.ru_utime + children.ru_stime

"""A pool maps work over items in order; an item that kills its process costs only itself."""

from __future__ import annotations

import os
import signal

import pytest

from attncalc.worker_processes import worker_pool

DEADLY = {3, 7}


def start():
    return "state"


def double(state, item):
    """The work of these tests: some items end the process that does them."""
    if item in DEADLY:
        os.kill(os.getpid(), signal.SIGKILL)
    return state, 2 * item


def lost(item):
    return "lost", item


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="POSIX")
@pytest.mark.parametrize("chunk", [1, 4])
def test_an_item_that_kills_its_process_is_lost_alone(chunk):
    with worker_pool(2, start, chunk, lost=lost) as ordered_map:
        results = list(ordered_map(double, range(10)))
    assert results == [lost(item) if item in DEADLY else ("state", 2 * item) for item in range(10)]


@pytest.mark.parametrize("jobs", [1, 2])
def test_results_come_in_the_order_of_the_items(jobs):
    items = [item for item in range(20) if item not in DEADLY]
    with worker_pool(jobs, start, 3) as ordered_map:
        assert list(ordered_map(double, items)) == [("state", 2 * item) for item in items]

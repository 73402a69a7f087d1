"""Grading in one or several processes; rows keep the order of the tasks."""

from __future__ import annotations

from collections.abc import Iterator

from ..worker_processes import exit_with_parent, ignore_interrupts
from .answer_key import Key, KeyVariant
from .graded_script import GradedScript
from .grading_scale import Scale
from .overrides import Override
from .script_discovery import Task
from .script_grader import Grader

CHUNK = 8  # scripts that a process takes at a time
WORTH_A_PROCESS = 60  # scripts below which another process costs more than it brings
_grader: Grader | None = None


def grade_all(
    key: Key, tasks: list[Task], overrides: list[Override], feedback: str, jobs: int, scale: Scale = ()
) -> Iterator[GradedScript]:
    """Yield a row for each task, in order, independent of the number of processes."""
    jobs = min(jobs, -(-len(tasks) // CHUNK))
    if jobs <= 1:
        yield from map(Grader(key, overrides, feedback, scale).grade, tasks)
        return
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    done = 0
    state = (key.source, key.title, key.variants, overrides, feedback, scale)
    try:
        with ProcessPoolExecutor(jobs, initializer=_start, initargs=state) as pool:
            with ignore_interrupts():
                rows = pool.map(_grade, tasks, chunksize=CHUNK)  # starts the processes
            try:
                for row in rows:
                    done += 1
                    yield row
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
    except BrokenProcessPool:  # a process was ended from outside: its scripts are graded here
        yield from map(Grader(key, overrides, feedback, scale).grade, tasks[done:])


def process_count(count: int, cores: int) -> int:
    """Return the number of processes for so many scripts."""
    return max(1, min(cores, count // WORTH_A_PROCESS))


def _start(
    source: str, title: str, variants: list[KeyVariant], overrides: list[Override], feedback: str, scale: Scale
) -> None:
    global _grader
    exit_with_parent()
    _grader = Grader(Key(source, title, variants), overrides, feedback, scale)


def _grade(task: Task) -> GradedScript:
    assert _grader is not None
    return _grader.grade(task)

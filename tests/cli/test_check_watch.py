"""`attncalc check --watch`: at every save once, whatever way an editor saves."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from itertools import islice

import pytest

from attncalc.cli.check import file_state, saves
from tests.support.sweeps import for_each

PROBLEM = "given: {Q: [[1, 2]], K: [[3, 4]]}\nsteps: {S: Q @ K.T}\n"


def marked(states, count):
    """How many pauses had gone by at each of the first so many yields, where each look sees the next state, and the
    last for ever.
    """
    pauses, found = [0], []

    def look(path):
        return states[min(pauses[0], len(states) - 1)]

    def pause(seconds):
        pauses[0] += 1
        assert pauses[0] < 50, "it waits for ever"

    for _ in islice(saves(["a"], look, pause), count):
        found.append(pauses[0])
    return found


A, B, C = (1, 10, 5), (1, 20, 7), (2, 20, 7)


@for_each(
    "states, count, when",
    [
        ([A], 1, [1]),  # at once
        ([A, A, A, B], 2, [1, 4]),  # a save
        ([A, A, B, C, (2, 30, 8)], 2, [1, 5]),  # half-saved three times: only what rests
        ([A, A, None, None, C], 2, [1, 5]),  # away and renamed into place
        ([None], 1, [1]),  # not there yet: said once ...
        ([None, None, None, A], 2, [1, 4]),  # ... and waited for
        ([A, A, B, B, B, A], 3, [1, 3, 6]),
    ],
)
def test_each_save_once_when_it_rests(states, count, when):
    assert marked(states, count) == when


@for_each(
    "states, said",
    [
        ([A, A, *[None] * 40], 1),  # once, however long it is away
        ([A, A, *[None] * 5, B], 0),  # between two steps of a save
        ([A, A, *[None] * 15, B, B, B, *[None] * 30], 2),
        ([None] * 40, 0),  # its report has said that it is missing
    ],
)
def test_a_file_that_is_gone_is_told_once(states, said):
    looks, told = iter(range(10_000)), []

    class Enough(Exception):
        pass

    def look(path):
        k = next(looks)
        if k > 45:
            raise Enough
        return states[min(k, len(states) - 1)]

    with pytest.raises(Enough):
        list(saves(["a"], look, lambda seconds: None, told.append))
    assert told == ["a"] * said


def test_a_file_that_is_renamed_into_place_is_another(tmp_path):
    file, other = tmp_path / "a", tmp_path / "b"
    file.write_text("x")
    other.write_text("x")
    os.utime(other, ns=(file.stat().st_atime_ns, file.stat().st_mtime_ns))
    before = file_state(str(file))
    other.replace(file)
    assert file_state(str(file)) != before and file_state(str(tmp_path / "c")) is None


@pytest.mark.sweep(quick=0)
def test_in_a_terminal_from_the_first_report_to_ctrl_c(tmp_path):
    problem, answers = tmp_path / "p.yaml", tmp_path / "a.yaml"
    problem.write_text(PROBLEM)
    answers.write_text("answers: {S: [[10]]}\n")
    command = [sys.executable, "-m", "attncalc", "check", str(problem), str(answers), "--watch", "--hints"]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    killed = threading.Timer(60, run.kill)
    killed.start()

    def until_waiting():
        lines = []
        while not lines or set(lines[-1].strip()) != {"-"}:
            lines.append(run.stdout.readline())
            assert lines[-1], lines
        return "".join(lines)

    try:
        first = until_waiting()
        assert "first error" in first
        assert "11" not in first.split("\n  S =")[-1].split("──")[0], "hints keep the right numbers back"
        assert f"Waiting for the next save of {answers} or {problem}" in first
        answers.write_text("answers: {S: [[11\n")  # half of it
        assert f"{answers}:1:15: the closing bracket is missing" in until_waiting()
        new = tmp_path / "new"
        new.write_text("answers: {S: [[11]]}\n")
        new.replace(answers)  # as vim saves
        assert "Everything is right" in until_waiting()
        answers.rename(new)
        assert f"{answers} is gone. Waiting for the file to appear again.\n---" in until_waiting()
        new.rename(answers)
        os.utime(answers)
        assert "Everything is right" in until_waiting(), "a line parts it from what was said before"
        run.send_signal(signal.SIGINT)
        assert run.wait(20) == 130 and "Traceback" not in run.stdout.read()
    finally:
        killed.cancel()
        run.kill()
        run.stdout.close()


@pytest.mark.parametrize("more", [["-o", "x.html"], ["--to", "json"]])
def test_it_is_for_the_terminal(tmp_path, more):
    (tmp_path / "p.yaml").write_text(PROBLEM)
    command = [sys.executable, "-m", "attncalc", "check", "p.yaml", "p.yaml", "--watch", *more]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert run.returncode == 2 and "--watch" in run.stderr and not (tmp_path / "x.html").exists()

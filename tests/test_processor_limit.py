"""Readers that do not end, or that take all memory, cost only their file."""

import sys
import time

import pytest

from attncalc import processor_limit
from attncalc.errors import AttncalcError, Location
from attncalc.gradebook import script_grader
from attncalc.processor_limit import limited
from attncalc.submissions import script_reader, step_matching
from attncalc.submissions.script_reader import read
from tests.support.called import called


@pytest.fixture
def endless(monkeypatch):
    """Readers that never end, for files that hold the word ENDLESS."""
    monkeypatch.setattr(processor_limit, "MOST_SECONDS", 0.3)
    format_of = script_reader._format

    def slow(data, source):
        while b"ENDLESS" in (data if isinstance(data, bytes) else data.encode()):
            try:
                time.time()
            except Exception:  # as readers of damaged files do
                continue
        return format_of(data, source)

    monkeypatch.setattr(script_reader, "_format", slow)


def test_a_reader_that_does_not_end_is_stopped_and_costs_one_row(endless, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AttncalcError, match=r"bad.md: expected a file that can be read within 0.3 s of processor time"):
        read(b"ENDLESS", "bad.md")
    folder = tmp_path / "scripts"
    folder.mkdir()
    (folder / "bad.md").write_text("ENDLESS")
    (folder / "class.csv").write_text("student,ENDLESS\nada,1\n")
    (folder / "good.md").write_text("S = 1")
    called("grade", "translate-two-words", "scripts", "-o", "marks.csv", "--jobs", "1")
    rows = (tmp_path / "marks.csv").read_text().splitlines()
    assert [("not graded" in row, "read within" in row) for row in rows[1:3]] == [(True, True)] * 2
    assert len(rows) >= 4 and all("scripts/" in row for row in rows[1:4])


@pytest.fixture
def slow_readings(monkeypatch):
    """Readers that take 0.4 s of a limit of 1 s, each time; the list has the time of every reading."""
    readings = []

    def slowed(function):
        def work(*arguments, **options):
            begin = time.process_time()
            try:
                while time.process_time() < begin + 0.4:
                    sum(range(10_000))
            finally:
                readings.append(time.process_time() - begin)
            return function(*arguments, **options)

        return work

    monkeypatch.setattr(processor_limit, "MOST_SECONDS", 1)
    for module, name in ((script_reader, "_format"), (step_matching, "bind"), (script_grader, "bind")):
        monkeypatch.setattr(module, name, slowed(getattr(module, name)))
    return readings


@pytest.mark.parametrize("name", ["a.md", "a.csv", "a.yaml"])
@pytest.mark.parametrize("command", [
    "check translate-two-words {}", "grade translate-two-words {} -o marks.csv --jobs 1",
])  # fmt: skip
def test_law_all_readings_of_a_file_share_its_limit(command, name, slow_readings, tmp_path, monkeypatch):
    """A file is looked at as a class table and as a script, strictly and leniently, and matched to the steps."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text({"a.md": "S = 1\nx", "a.csv": "S,1,2\n", "a.yaml": "answers: {S: [[1, x]]}"}[name])
    _, output, message = called(*command.format(name).split())
    assert sum(slow_readings) < 1.2, slow_readings
    table = tmp_path / "marks.csv"
    limit = "read within 1 s of processor time"
    assert len(slow_readings) < 3 or limit in output + message + (table.read_text() if table.exists() else "")


def test_a_reader_that_takes_all_memory_is_stopped(monkeypatch):
    monkeypatch.setattr(script_reader, "_format", lambda data, source: [bytes(10**8) for _ in range(100)])
    with pytest.raises(AttncalcError, match=r"bad.md: expected a file that can be read in 700 MB of memory"):
        read(b"S = 1", "bad.md")


def test_a_browser_reads_without_timers(monkeypatch):
    monkeypatch.delattr(processor_limit.signal, "setitimer")
    assert read("S = 1", "good.md").answers


@pytest.mark.parametrize("caught", [BaseException, processor_limit._OutOfTimeError])
@pytest.mark.parametrize("times", [1, 2])
def test_a_limit_that_a_library_caught_is_raised_again(caught, times, monkeypatch):
    """Some libraries go on after anything; at the latest the limit's end reports it."""
    monkeypatch.setattr(processor_limit, "MOST_SECONDS", 0.1)
    monkeypatch.setattr(processor_limit, "_AGAIN", 0.1)
    swallowed = []
    message = r"a\.md: expected a file that can be read within 0\.1 s of processor time"
    with pytest.raises(AttncalcError, match=message), limited(Location("a.md")):
        while len(swallowed) < times:
            try:
                while True:
                    time.time()
            except caught:
                swallowed.append(1)
    assert len(swallowed) == times
    with limited(Location("b.md")):  # nothing is left of it
        time.time()


@pytest.mark.skipif(sys.platform != "linux", reason="limits of a process")
@pytest.mark.parametrize("left_first", [0, 1, 2])
def test_threads_that_overlap_leave_the_process_without_a_limit(left_first):
    """A server reads several files at once; the second took the limit of the first for the one to go back to."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_AS)
    scopes = [limited(Location(f"{k}.md")) for k in range(3)]
    for scope in scopes:
        scope.__enter__()
    assert resource.getrlimit(resource.RLIMIT_AS) != before
    for scope in [scopes.pop(left_first), *scopes]:
        scope.__exit__(None, None, None)
    assert resource.getrlimit(resource.RLIMIT_AS) == before

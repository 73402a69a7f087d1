"""Readers that do not end, or that take all memory, cost only their file."""

import time

import pytest

from attncalc import processor_limit
from attncalc.errors import AttncalcError
from attncalc.submissions import script_reader
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
    with pytest.raises(AttncalcError, match=r"bad.md: expected a file that is read within 0.3 s of processor time"):
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


def test_a_reader_that_takes_all_memory_is_stopped(monkeypatch):
    monkeypatch.setattr(script_reader, "_format", lambda data, source: [bytes(10**8) for _ in range(100)])
    with pytest.raises(AttncalcError, match=r"bad.md: expected a file that is read in 700 MB of memory"):
        read(b"S = 1", "bad.md")


def test_a_browser_reads_without_timers(monkeypatch):
    monkeypatch.delattr(processor_limit.signal, "setitimer")
    assert read("S = 1", "good.md").answers

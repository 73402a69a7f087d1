"""What was confirmed is kept: several people type into one table, and a run that grades is ended or refused."""

import csv
import json
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import tempfile  # noqa: F401 - found by its name

import pytest
from hypothesis import given
from hypothesis import strategies as st
from laws import examples

from attncalc.cli import main
from attncalc.desk.desk import Desk
from attncalc.gradebook.form import form_of
from attncalc.gradebook.key import read_key
from attncalc.gradebook.typed import TypedTable

PAPER = "parts: {q1: {given: {X: [[1, 2, 3, 4, 5]]}, steps: {Y: 2 * X}}}\n"
CODES = {"ada": "K7Q2", "bob": "M3XX"}
COLUMNS = [f"q1.Y[0,{k}]" for k in range(5)]
RUN = [sys.executable, "-m", "attncalc"]


@pytest.fixture
def key(tmp_path):
    return key_in(tmp_path)


def key_in(folder):
    papers = [{"code": code, "number": k, "student": who, "problem": PAPER, "own": []}
              for k, (who, code) in enumerate(CODES.items(), 1)]  # fmt: skip
    path = folder / "key.json"
    path.write_text(json.dumps({"format": 1, "kind": "attncalc key", "title": "Quiz", "variants": papers}))
    return path


def desk_of(path):
    key = read_key(str(path))
    form = form_of(key)
    return Desk(key, form, TypedTable(str(path.parent / "class.csv"), form))


def save(desk, who, cells):
    sent = {"do": "save", "student": who, "code": CODES[who], "whose": who, "cells": cells}
    return json.loads(desk.respond(json.dumps(sent).encode()))


def table(path):
    with open(path, encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file))


# -- several people type -----------------------------------------------------------------------------------------------


def types(key, who, column, start, confirmed):
    """Somebody who types one entry again and again, and tells what was confirmed last."""
    desk, last = desk_of(key), ""
    start.wait()
    for number in range(12):
        if "faults" not in save(desk, who, {column: str(number)}):
            last = str(number)
    confirmed.put((who, column, last))


def test_every_confirmed_save_is_in_the_table(key):
    """Each cell is typed by a process of its own, all at once."""
    context = multiprocessing.get_context("fork")
    start, confirmed = context.Event(), context.Queue()
    places = [(who, column) for who in CODES for column in COLUMNS[:4]]
    processes = [context.Process(target=types, args=(key, *place, start, confirmed)) for place in places]
    for one in processes:
        one.start()
    start.set()
    found = [confirmed.get(timeout=60) for _ in processes]
    for one in processes:
        one.join()
    assert all(last == "11" for *_, last in found)
    head, *body = table(key.parent / "class.csv")
    rows = {row[0]: dict(zip(head, row)) for row in body}
    assert {(who, column): rows[who][column] for who, column in places} == {(w, c): last for w, c, last in found}
    assert sorted(os.listdir(key.parent)) == ["class.csv", "key.json"]


CELLS = st.sampled_from(["", "1", " 0.5 ", '"a ""b"""', "=1+1", "'x", '"1,5"', "é"])


@examples(60)
@given(
    cells=st.lists(CELLS, min_size=4, max_size=4),
    end=st.sampled_from(["\n", "\r\n"]),
    is_ended=st.booleans(),
    row=st.integers(0, 1),
)
def test_a_save_changes_only_what_was_typed(cells, end, is_ended, row, tmp_path_factory):
    """Every other byte of the table stays as somebody, or a spreadsheet, wrote it."""
    folder = tmp_path_factory.mktemp("table")
    path = key_in(folder)
    lines = ['student,"seen, by",problem,"q1.Y[0,0]","q1.Y[0,1]"', f"ada,{cells[0]},K7Q2,TYPED,{cells[1]}",
             f"bob,{cells[2]},M3XX,7,{cells[3]}"]  # fmt: skip
    text = end.join(lines + [""] * is_ended)
    (folder / "class.csv").write_bytes(text.replace("TYPED", "5").encode())
    who = ["ada", "bob"][row]
    assert "faults" not in save(desk_of(path), who, {"q1.Y[0,0]": "0,25"})
    typed = text.replace("TYPED", "5").replace(f"{CODES[who]},{'57'[row]}", f"{CODES[who]},0.25")
    assert (folder / "class.csv").read_bytes().decode("utf-8-sig") == typed


def test_a_second_page_on_a_table_names_the_address_of_the_first(key):
    words = [*RUN, "answers", "key.json", "--page", "--no-browser", "-o", "class.csv"]
    with subprocess.Popen(words, cwd=key.parent, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as first:
        try:
            address = re.search(r"http://\S+", first.stdout.readline())[0]
            second = subprocess.run(words, cwd=key.parent, capture_output=True, text=True, timeout=60)
        finally:
            first.send_signal(signal.SIGKILL)
    assert second.returncode == 2
    assert second.stderr == f"class.csv: another run of attncalc writes into this file: {address}\n"
    with subprocess.Popen(
        words, cwd=key.parent, stdout=subprocess.PIPE, text=True
    ) as third:  # the killed one's lock is gone
        assert "http://" in third.stdout.readline()
        third.send_signal(signal.SIGINT)


# -- a class is graded -------------------------------------------------------------------------------------------------

OUTPUTS = ["-o", "marks.csv", "--report", "class.md", "--feedback", "pages", "--force"]


@pytest.fixture
def graded(tmp_path, monkeypatch):
    """A folder with the outputs of an earlier run, and a class that has others."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.yaml").write_text(PAPER)
    (tmp_path / "scripts").mkdir()
    for who in CODES:
        (tmp_path / "scripts" / f"{who}.yaml").write_text("answers: {Y: [[2, 4, 6, 8, 11]]}\n")
    monkeypatch.setattr(sys, "argv", [])  # to be put back
    assert run() == 0
    (tmp_path / "scripts" / "bob.yaml").write_text("answers: {Y: [[2, 4, 6, 8, 10]]}\n")
    return tmp_path


def run(*outputs):
    sys.argv = ["attncalc", "grade", "p.yaml", "scripts", *(outputs or OUTPUTS)]
    with pytest.raises(SystemExit) as ended:
        main()
    return ended.value.code


def tree(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def change(monkeypatch, name, number, act):
    """The call of a function with this number acts otherwise. Answers how many calls came."""
    module, _, function = name.partition(".")
    real, calls = getattr(sys.modules[module], function), []

    def instead(*args, **named):
        calls.append(args)
        return act() if len(calls) == number else real(*args, **named)

    monkeypatch.setattr(sys.modules[module], function, instead)
    return calls


def full():
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("name", ["os.replace", "tempfile.mkstemp"])
def test_all_outputs_are_replaced_or_none(graded, name, monkeypatch, capsys):
    """Each call that writes fails in its turn, as on a full disk."""
    before, number, ended = tree(graded), 0, 2
    while ended == 2:
        number += 1
        with monkeypatch.context() as patched:
            calls = change(patched, name, number, full)
            ended = run()
        assert (ended == 2) == (tree(graded) == before) == (len(calls) >= number)
        assert ended == 0 or capsys.readouterr().err.endswith("cannot be written: No space left on device\n")
    after = tree(graded)
    assert number > 4 and after.keys() == before.keys()
    assert {one for one in after if after[one] != before[one]} >= {"marks.csv", "class.md", "pages/bob.md"}


def test_a_disk_without_links_keeps_what_was_there_as_a_copy(graded, monkeypatch):
    before = tree(graded)
    for number in (1, 3):
        with monkeypatch.context() as patched:
            change(patched, "os.link", 1, full)
            change(patched, "os.replace", number, full)
            assert run() == 2 and tree(graded) == before


@pytest.mark.parametrize(("name", "numbers"), [("os.replace", [1]), ("tempfile.mkstemp", [1, 4, 7])])
def test_a_run_that_is_killed_leaves_all_outputs_as_they_were(graded, name, numbers, monkeypatch):
    """Killed while it writes, and at the last moment before the first file gets its place."""
    before = tree(graded)
    for number in numbers:
        if (child := os.fork()) == 0:
            change(monkeypatch, name, number, lambda: os.kill(os.getpid(), signal.SIGKILL))
            run()
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
        after = tree(graded)
        assert {one: after[one] for one in before} == before
        assert all(os.path.basename(one).startswith(".") for one in after.keys() - before.keys())


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="a folder into which nobody can write, root neither")
@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--feedback", "/proc/pages"], "/proc/pages: the folder cannot be written: "),
        (["--feedback", "/proc/self/fdinfo", "--force"], "/proc/self/fdinfo: the folder cannot be written: "),
        (["-o", "/proc/marks.csv"], "/proc/marks.csv: the file cannot be written: "),
        (["--feedback", "/proc/pages.html"], "/proc/pages.html: the file cannot be written: "),
        (["--feedback", "marks.csv/pages", "--force"], "marks.csv/pages"),
    ],
)
def test_a_place_that_cannot_be_written_is_told_before_the_class_is_graded(graded, words, says, capsys):
    before = tree(graded)
    assert run(*words) == 2
    said = capsys.readouterr()
    assert said.err.startswith(says) and not said.out and tree(graded) == before

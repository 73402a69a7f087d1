"""What was confirmed is kept: several people type into one table, and a run that grades is ended or refused."""

import csv
import hashlib
import importlib
import itertools
import json
import multiprocessing
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile  # noqa: F401 - found by its name
import threading
import time
import zipfile
from contextlib import nullcontext, suppress
from functools import partial
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncalc.cli import main
from attncalc.data_entry.app import Desk
from attncalc.gradebook.answer_key import read_key
from attncalc.gradebook.entry_form import form_of
from attncalc.gradebook.table_store import TypedTable
from attncalc.output_journal import MARK
from attncalc.safe_files import Hold, Together, write_file
from tests.support.laws import examples

PAPER = "parts: {q1: {given: {X: [[1, 2, 3, 4, 5]]}, steps: {Y: 2 * X}}}\n"
CODES = {"ada": "K7Q2", "bob": "M3XX"}
COLUMNS = [f"q1.Y[0,{k}]" for k in range(5)]
RUN = [sys.executable, "-m", "attncalc"]


@pytest.fixture
def key(tmp_path):
    return key_in(tmp_path)


def key_in(folder, students=CODES):
    papers = [{"code": code, "number": k, "student": who, "problem": PAPER, "own": []}
              for k, (who, code) in enumerate(students.items(), 1)]  # fmt: skip
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


CELLS = st.sampled_from(
    ["", "1", " 0.5 ", '"a ""b"""', "=1+1", "'x", '"1,5"', "é", '"two\nlines"', '" "', '"a;\t,b"', '="0"']
)


@examples(120)
@given(
    cells=st.lists(CELLS, min_size=4, max_size=4),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    is_ended=st.booleans(),
    row=st.integers(0, 1),
    sign=st.sampled_from([",", ";", "\t"]),
    coding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16-le", "utf-16-be", "utf-32-be", "cp1252"]),
    has_mark=st.booleans(),
    above=st.sampled_from(["", "sep=SIGN\n", "\n\n"]),
    typed=st.sampled_from(["0,25", "-1", "1/3", "∞", "=2", '"', "a;b"]),
)
def test_a_save_changes_only_what_was_typed(
    cells, end, is_ended, row, sign, coding, has_mark, above, typed, tmp_path_factory
):
    """Every other sign of the table stays as somebody, or a spreadsheet, wrote it, and what was typed is read back. The
    table keeps its encoding, unless this lacks what was typed.
    """
    folder = tmp_path_factory.mktemp("table")
    path = key_in(folder)
    cells = [cell.replace(",", "") if cell[:1] != '"' else cell for cell in cells]
    lines = [["student", f'"seen{sign} by"', "problem", '"q1.Y[0,0]"', '"q1.Y[0,1]"'],
             ["ada", cells[0], "K7Q2", "TYPED", cells[1]], ["bob", cells[2], "M3XX", "7", cells[3]]]  # fmt: skip
    text = above.replace("SIGN", sign) + end.join([sign.join(line) for line in lines] + [""] * is_ended)
    mark = "\ufeff" if coding[4:6] == "32" or has_mark and coding[4:6] == "16" else ""
    (folder / "class.csv").write_bytes((mark + text.replace("TYPED", "5")).encode(coding))
    who = ["ada", "bob"][row]
    desk = desk_of(path)
    answer = save(desk, who, {"q1.Y[0,0]": typed})
    is_kept = coding != "cp1252" or typed != "∞"
    assert "faults" not in answer
    assert (
        is_kept
        or answer["notes"]
        == [f"{folder}/class.csv is now UTF-8, because its earlier encoding lacks a character of this save"]
        or "é" not in text
    )
    now = (folder / "class.csv").read_bytes().decode(coding if is_kept else "utf-8-sig")
    assert now.startswith(mark) or coding == "utf-8"
    now = now.removeprefix("\ufeff")
    before, after = text.replace("TYPED", "5").split(f"{CODES[who]}{sign}{'57'[row]}")
    assert now.startswith(f"{before}{CODES[who]}{sign}") and now.endswith(after)
    stored = now[len(before) + len(CODES[who]) + 1 : len(now) - len(after)]
    shown = desk.table.cells(who, CODES[who])["q1.Y[0,0]"]
    assert shown == typed.replace("0,25", "0.25") and (shown in stored or '"' in shown)
    if typed == "0,25":
        assert stored == "0.25"


def test_a_number_whose_zeros_a_spreadsheet_took_keeps_its_row(tmp_path):
    desk = desk_of(key_in(tmp_path, {"0041": "K7Q2", "0042": "M3XX"}))
    sent = {"do": "save", "student": "0041", "code": "K7Q2", "whose": "0041"}
    assert "faults" not in desk.respond(json.dumps(sent | {"cells": {"q1.Y[0,0]": "2"}}).encode())
    file = tmp_path / "class.csv"
    file.write_text(file.read_text().replace("0041", "41"))
    assert desk.table.cells("0041", "K7Q2") == {"q1.Y[0,0]": "2"}
    assert "faults" not in desk.respond(json.dumps(sent | {"cells": {"q1.Y[0,1]": "4"}}).encode())
    (head, row) = table(file)
    assert dict(zip(head, row)) | {"student": "0041", "q1.Y[0,0]": "2", "q1.Y[0,1]": "4"} == dict(zip(head, row))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('student,problem,note,"q1.Y[0,0]"\nada,K7Q2,' + "x" * 999_940 + ",1\n", "at most 1,000,000 bytes"),
        ('student,problem,"q1.Y[0,0]","q1.Y[0,0]"\nada,K7Q2,1,2\n', "found q1.Y[0,0] twice"),
        ('student,student,"q1.Y[0,0]"\nada,bob,1\n', "found student twice"),
    ],
)
def test_a_save_that_could_not_be_read_again_is_refused(key, text, says):
    (key.parent / "class.csv").write_text(text)
    (fault,) = save(desk_of(key), "bob", {"q1.Y[0,0]": "123456789"})["faults"]
    assert says in fault and (key.parent / "class.csv").read_text() == text


def test_a_second_page_on_a_table_names_the_address_of_the_first(key):
    words = [*RUN, "answers", "key.json", "--page", "--no-browser", "-o", "class.csv"]
    with subprocess.Popen(words, cwd=key.parent, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as first:
        try:
            address = re.search(r"http://\S+", first.stdout.readline())[0]
            second = subprocess.run(words, cwd=key.parent, capture_output=True, text=True, timeout=60)
        finally:
            first.send_signal(signal.SIGKILL)
    assert second.returncode == 2
    assert second.stderr == f"class.csv: another run of attncalc is writing to this file: {address}\n"
    with subprocess.Popen(
        words, cwd=key.parent, stdout=subprocess.PIPE, text=True
    ) as third:  # the killed one's lock is gone
        assert "http://" in third.stdout.readline()
        third.send_signal(signal.SIGINT)


WRITERS = [
    ["answers", "key.json", "-o", "class.csv", "--force"],
    ["answers", "key.json", "-o", "link.csv", "--force"],
    ["grade", "key.json", "ada.yaml", "-o", "class.csv", "--force"],
    ["grade", "key.json", "ada.yaml", "--resume", "class.csv", "-o", "marks.csv", "--force"],
    ["regrade", "key.json", "changes.yaml", "ada.yaml", "--marks", "class.csv", "--force"],
    ["solve", "p.yaml", "-o", "class.csv", "--to", "text", "--force"],
    ["solve", "p.yaml", "--certificate", "class.csv", "--force"],
    ["export", "p.yaml", "--to", "moodle", "-o", "class.csv", "--force"],
]


def test_no_command_writes_into_a_table_while_a_page_is_open(key):
    """It names the address instead, and confirmed entries stay."""
    folder = key.parent
    (folder / "p.yaml").write_text(PAPER)
    (folder / "ada.yaml").write_text("problem: K7Q2\nanswers: {Y: [[2, 4, 6, 8, 10]]}\n")
    (folder / "changes.yaml").write_text("drop: [q1]\n")
    desk = desk_of(key)
    assert "faults" not in save(desk, "ada", {"q1.Y[0,0]": "2"})
    (folder / "link.csv").symlink_to("class.csv")
    before = tree(folder)
    with desk.table.hold.for_process():
        desk.table.hold.note("http://127.0.0.1:1/#token=x")
        for words in WRITERS:
            found = subprocess.run([*RUN, *words], cwd=folder, capture_output=True, text=True, timeout=60)
            assert found.returncode == 2 and "is writing to this file: http://127.0.0.1:1/#token=x" in found.stderr, (
                found
            )
        assert "faults" not in save(desk, "ada", {"q1.Y[0,0]": "2"})  # the page goes on
        del before["class.csv"]
        now = tree(folder)
        assert {name: now[name] for name in before} == before
        assert now.keys() == before.keys() | {"class.csv", ".class.csv.lock"}


@examples(15)
@given(counts=st.lists(st.integers(1, 4), min_size=2, max_size=6), is_kept=st.booleans())
def test_threads_hold_a_file_one_after_the_other(counts, is_kept, tmp_path_factory):
    """Each as often as it likes, one within the other; at the end nothing is left of it."""
    path = str(tmp_path_factory.mktemp("held") / "class.csv")
    inside, most, total = [], [], [0]

    def work(count):
        def within(depth):
            with Hold(path):
                inside.append(threading.get_ident())
                most.append(len({*inside}))
                before = total[0]
                time.sleep(0.0002)
                total[0] = before + 1
                if depth > 1:
                    within(depth - 1)
                inside.pop()

        for _ in range(5):
            within(count)

    with Hold(path).for_process() if is_kept else nullcontext():
        threads = [threading.Thread(target=work, args=(count,)) for count in counts]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        assert os.path.exists(os.path.join(os.path.dirname(path), ".class.csv.lock")) == is_kept
    assert {*most} == {1} and total == [5 * sum(counts)]
    assert os.listdir(os.path.dirname(path)) == []


def test_threads_that_save_lose_nothing(key):
    """The same law as for processes: each cell is typed by a thread of its own, with a desk of its own."""
    places = [(who, column) for who in CODES for column in COLUMNS[:3]]

    def type_all(who, column):
        desk = desk_of(key)
        for number in range(6):
            assert "faults" not in save(desk, who, {column: str(number)})

    threads = [threading.Thread(target=type_all, args=place) for place in places]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    head, *body = table(key.parent / "class.csv")
    rows = {row[0]: dict(zip(head, row)) for row in body}
    assert all(rows[who][column] == "5" for who, column in places)


def test_a_save_and_a_run_that_grades_read_each_table_once(key, monkeypatch):
    """Also a table that is refused."""
    from attncalc.gradebook import class_table_scripts, table_store

    read, real = [], zipfile.ZipFile
    for module, reader in ((class_table_scripts, "content_of"), (table_store, "read_bytes")):
        monkeypatch.setattr(module, reader, partial(reading, read, getattr(module, reader)))
    monkeypatch.chdir(key.parent)
    assert "faults" not in save(desk_of(key), "ada", {"q1.Y[0,0]": "2"}) and read == []
    assert "faults" not in save(desk_of(key), "bob", {"q1.Y[0,0]": "2"}) and len(read) == 1
    monkeypatch.setattr(zipfile, "ZipFile", lambda *args: read.append(args) or real(*args))
    (key.parent / "class.xlsx").write_bytes(b"PK\3\4" + bytes(1_000))
    for name, count in ({"class.csv": 1, "class.xlsx": 2}).items():  # a file that is refused is taken apart once
        read.clear()
        sys.argv = ["attncalc", "grade", "key.json", name, "--jobs", "1"]
        with pytest.raises(SystemExit):
            main()
        assert len(read) == count


def reading(read, real, path, *args):
    read.append(path)
    return real(path, *args)


# -- a class is graded -------------------------------------------------------------------------------------------------

SOLVE = ["attncalc", "solve", "p.yaml"]
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


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_run_that_a_signal_ends_puts_all_back(graded, number, monkeypatch):
    """Also if the window of the terminal is closed."""
    before, start = seen(graded), tree(graded)
    assert run() == 0
    for at in (1, 3):
        back(graded, start)
        with monkeypatch.context() as patched:
            change(patched, "os.replace", at, lambda: os.kill(os.getpid(), number))
            assert run() == 128 + number and seen(graded) == before and hidden(graded) == []


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


MOMENTS = {  # functions that are called while the class is graded, and just before the first file gets its name
    "grading": "attncalc.gradebook.grade.mark_duplicates",
    "placing": "attncalc.output_journal._write",
}


def interfere(monkeypatch, moment, act):
    """Somebody acts once at this moment of a run."""
    module, _, function = MOMENTS[moment].rpartition(".")
    real, acts = getattr(importlib.import_module(module), function), [act]

    def instead(*args):
        while acts:
            acts.pop()()
        return real(*args)

    monkeypatch.setattr(sys.modules[module], function, instead)


NEW = ["-o", "new.csv", "--report", "new.md", "--feedback", "fresh"]


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("path", ["new.csv", "new.md", "fresh/ada.md", "fresh/bob.md", "fresh/notes.txt"])
def test_law_without_force_no_file_is_replaced_that_somebody_makes_meanwhile(graded, path, moment, monkeypatch, capsys):
    def make():
        (graded / path).parent.mkdir(exist_ok=True)
        (graded / path).write_text("mine")

    before = tree(graded)
    interfere(monkeypatch, moment, make)
    ended = run(*NEW)
    if path == "fresh/notes.txt" and moment == "placing":  # it disturbs no page
        assert ended == 0 and (graded / path).read_text() == "mine"
        return
    assert ended == 2 and tree(graded) == before | {path: b"mine"} and "use --force" in capsys.readouterr().err
    assert run(*NEW, "--force") == 0 and (path == "fresh/notes.txt" or (graded / path).read_text() != "mine")


def test_of_two_runs_into_one_folder_the_slower_one_is_refused(graded, monkeypatch, capsys):
    """It replaced the pages of the other one, whose table of marks then had other points."""
    (graded / "more").mkdir()
    (graded / "more" / "ada.yaml").write_text("answers: {Y: [[2, 4, 6, 8, 10]]}\n")
    other = [*RUN, "grade", "p.yaml", "more", "-o", "more.csv", "--feedback", "fresh"]
    after = {}

    def make():
        subprocess.run(other, cwd=graded, check=True, capture_output=True, timeout=60)
        after.update(seen(graded))

    interfere(monkeypatch, "grading", make)
    assert run(*NEW) == 2 and seen(graded) == after and "fresh: the folder is not empty" in capsys.readouterr().err


def test_a_disk_without_links_keeps_what_was_there_as_a_copy(graded, monkeypatch):
    before = tree(graded)
    for number in (1, 3):
        with monkeypatch.context() as patched:
            change(patched, "os.link", 1, full)
            change(patched, "os.replace", number, full)
            assert run() == 2 and tree(graded) == before


def is_killed(act, name, number, monkeypatch):
    """Whether a process that does this is killed at the call of a function with this number."""
    if (child := os.fork()) == 0:
        with open(os.devnull, "w") as nowhere:
            os.dup2(nowhere.fileno(), 1)
            os.dup2(nowhere.fileno(), 2)
        change(monkeypatch, name, number, lambda: os.kill(os.getpid(), signal.SIGKILL))
        with suppress(BaseException):
            act()
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


def seen(folder):
    return {name: content for name, content in tree(folder).items() if not os.path.basename(name).startswith(".")}


def hidden(folder):
    """What a killed run has left, as temporary files, journals and locks."""
    return [str(path.relative_to(folder)) for path in folder.rglob(".*")]


def answers(output):
    sys.argv = ["attncalc", "answers", "p.yaml", "-o", output]
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    os.unlink(output)


# What is found at least when a run has been killed at such a call
KINDS = {"tempfile.mkstemp": {"old"}, "os.open": {"old"}, "os.link": {"old"}, "os.replace": {"mixed", "old"}}
KINDS |= {"os.ftruncate": {"old"}, "os.unlink": {"new"}}


@pytest.mark.sweep(quick=5, ci=8)
@pytest.mark.parametrize("next_one", ["blank.yaml", "pages/blank.yaml"])
@pytest.mark.parametrize("name", KINDS)
def test_a_run_that_is_killed_leaves_all_outputs_as_they_were_or_as_they_will_be(
    graded, name, next_one, monkeypatch, capsys
):
    """Killed at each call that changes something. The next run, which may be killed as well, settles what is left."""
    before, start = seen(graded), tree(graded)
    assert run() == 0
    after, kinds = seen(graded), set()
    for number in range(1, 100):
        back(graded, start)
        if not is_killed(run, name, number, monkeypatch):
            break
        mixed = seen(graded)
        for again in (1, 2):
            is_killed(lambda: answers(next_one), "os.replace", again, monkeypatch)
        with suppress(FileNotFoundError):
            os.unlink(next_one)
        answers(next_one)
        assert seen(graded) in (before, after), number
        for output in ("blank.yaml", "pages/blank.yaml"):
            answers(output)
        assert all(name.endswith(".lock") for name in hidden(graded)), number  # of an output that this run has not
        kinds |= {"old" if seen(graded) == before else "new", "" if mixed in (before, after) else "mixed"}
    assert kinds > KINDS[name]


def back(folder, files):
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_file():
            path.unlink()
    for name, content in files.items():
        (folder / name).write_bytes(content)


@pytest.mark.sweep(quick=1)
@pytest.mark.parametrize("next_one", ["blank.yaml", "pages/blank.yaml"])
@pytest.mark.parametrize("how", ["moved", "copied"])
def test_law_a_folder_that_is_moved_after_a_run_was_killed_is_repaired(graded, how, next_one, monkeypatch, capsys):
    """All its files are the old ones or the new ones; and a copy and its original do not disturb each other."""
    before, start = seen(graded), tree(graded)
    assert run() == 0
    after, other = seen(graded), graded.parent / f"{graded.name}-elsewhere"
    for number in range(1, 100):
        back(graded, start)
        if not is_killed(run, "os.replace", number, monkeypatch):
            break
        (shutil.move if how == "moved" else partial(shutil.copytree, symlinks=True))(graded, other)
        for place in [other, *([graded] if how == "copied" else [])]:
            monkeypatch.chdir(place)
            answers(next_one)
            assert seen(place) in (before, after), number
            answers("blank.yaml")
            answers("pages/blank.yaml")
            assert all(name.endswith(".lock") for name in hidden(place)), number
        if how == "moved":
            shutil.move(other, graded)
        else:
            shutil.rmtree(other)
        monkeypatch.chdir(graded)
    assert number > 4


@pytest.mark.parametrize("number", [1, 2, 4])
def test_law_a_part_that_is_moved_after_a_run_was_killed_is_reported(graded, number, monkeypatch, capsys):
    """Only one part knows whether the moves are final. The other part stays as it is, and so does the message."""
    assert is_killed(run, "os.replace", number, monkeypatch)
    os.renames("pages", "deep/pages")
    codes = []
    for output in ("blank.yaml", "deep/pages/blank.yaml", "blank.yaml"):
        before = tree(graded)
        sys.argv = ["attncalc", "answers", "p.yaml", "-o", output]
        with pytest.raises(SystemExit) as ended:
            main()
        codes.append(ended.value.code or 0)
        err = capsys.readouterr().err
        if ended.value.code == 2:
            (mark,) = re.findall(
                "an interrupted run left .* and remove the hidden files with ([0-9a-f]+) in their", err
            )
            assert tree(graded) == before
        with suppress(FileNotFoundError):
            os.unlink(output)
    assert codes == [2, 0, 2]
    for name in hidden(graded):
        if mark in name:
            os.unlink(name)
    answers("blank.yaml")
    answers("deep/pages/blank.yaml")


def test_what_a_person_changes_after_a_run_was_killed_is_kept(graded, monkeypatch, capsys):
    before = seen(graded)
    assert is_killed(run, "os.replace", 4, monkeypatch)
    changed, *others = [name for name, content in seen(graded).items() if content != before[name]]
    (graded / changed).write_text("mine")
    answers("blank.yaml")
    assert seen(graded) == before | {changed: b"mine"} and others
    restored, left = re.search(
        "a run ended before it had written all its files; the earlier files have been restored: "
        "(.*); files changed since then were kept: (.*)\n",
        capsys.readouterr().err,
    ).groups()
    assert left == repr(os.path.basename(changed))
    assert {repr(os.path.basename(name)) for name in others} <= {*restored.split(", ")}


@pytest.mark.parametrize("name", KINDS)
def test_a_run_without_force_settles_first_what_a_killed_one_left(graded, name, monkeypatch, capsys):
    """Where nothing was there before, it writes its files; where all are in place, it is refused, and leaves no other
    file.
    """
    outputs = [word for word in OUTPUTS if word != "--force"]
    for output in ("marks.csv", "class.md", "pages/ada.md", "pages/bob.md"):
        (graded / output).unlink()
    (graded / "pages").rmdir()
    start, codes = tree(graded), set()
    assert run(*outputs) == 0
    after = seen(graded)
    for number in range(1, 100):
        back(graded, start)
        if (graded / "pages").exists():
            (graded / "pages").rmdir()
        if not is_killed(lambda: run(*outputs), name, number, monkeypatch):
            break
        codes.add(run(*outputs))
        assert seen(graded) == after and hidden(graded) == [], number
    assert codes <= {0, 2} and (name == "os.link" or codes)  # there was no file to link


def test_what_a_living_run_has_is_left_alone(graded, capsys):
    """Its journals and temporary files stay, while another run writes into the same folders."""
    with Together(["pages/", "new.md"]) as together:
        together.add("pages/ada.md", "new")
        write_file("new.md", "new", force=True)
        before = hidden(graded)
        for output in ("blank.yaml", "pages/blank.yaml"):
            subprocess.run([*RUN, "answers", "p.yaml", "-o", output], cwd=graded, check=True, timeout=60)
        assert len(before) == 4 and hidden(graded) == before
    assert (graded / "new.md").read_text() == (graded / "pages" / "ada.md").read_text() == "new"
    assert hidden(graded) == []


def writes(folder, name, failed):
    for number in range(40):
        try:
            write_file(str(folder / name), str(number), force=True)
        except BaseException as error:
            failed.put(repr(error))
    failed.put((folder / name).read_text())


def test_runs_that_begin_and_end_in_one_folder_do_not_disturb_each_other(tmp_path):
    """None takes the journal of another, which has just begun, for that of a killed one."""
    context = multiprocessing.get_context("fork")
    failed, names = context.Queue(), ["a.txt", "b.txt", "c.txt", "d.txt"]
    processes = [context.Process(target=writes, args=(tmp_path, name, failed)) for name in names]
    for one in processes:
        one.start()
    assert [failed.get(timeout=60) for _ in processes] == ["39"] * 4
    for one in processes:
        one.join()
    assert sorted(os.listdir(tmp_path)) == names


@pytest.mark.sweep(quick=2)
@pytest.mark.parametrize("seed", range(30))
def test_runs_that_are_killed_at_any_moment_leave_nothing(graded, seed):
    """The process and its workers get SIGKILL; the next run leaves its own files and no other."""
    random = Random(seed)
    words = [*RUN, "grade", "p.yaml", "scripts", *OUTPUTS, "--jobs", "1"]
    assert run() == 0
    after = seen(graded)
    for _ in range(3):
        with subprocess.Popen(words, cwd=graded, stderr=subprocess.DEVNULL) as process:
            time.sleep(random.uniform(0, 2))
            process.kill()
    assert run() == 0 and seen(graded) == after and hidden(graded) == []


@pytest.mark.parametrize("harm", ["../p.yaml", "p.yaml", "/etc/passwd", ".", "", "pages"])
def test_a_journal_that_somebody_else_made_moves_nothing_out_of_its_folder(graded, harm, capsys):
    """Nor any file that was not written under such a name."""
    before = tree(graded)
    digest = hashlib.sha256(PAPER.encode()).hexdigest()
    journal = str(graded / f"{MARK}{'0' * 16}")
    moves = [{harm: [temporary, f"{temporary}~", digest]} for temporary in ("p.yaml", "../p.yaml", ".x.1", "scripts")]
    lists = [[journal], [os.path.basename(journal)], [f"../{os.path.basename(journal)}"], [], {}, "x", None, [0]]
    for names, table in itertools.product(lists, [*moves, {}, [], "x", None]):
        (graded / journal).write_text(f" {json.dumps(names)}\n{json.dumps(table)}\n")
        answers("blank.yaml")
        assert {name: content for name, content in tree(graded).items() if MARK not in name} == before


@pytest.mark.sweep(quick=1, ci=2)
@pytest.mark.parametrize("name", ["os.replace", "os.ftruncate", "os.unlink"])
def test_an_exam_that_is_made_anew_is_the_old_one_or_the_new_one(tmp_path, name, monkeypatch, capsys):
    """Killed at each call that changes something; whoever reads its key next finds papers that belong to it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [])
    (tmp_path / "two.yaml").write_text(PAPER)
    (tmp_path / "ada.yaml").write_text("answers: {}\n")

    def exam(*words):
        sys.argv = ["attncalc", "exam", "s.yaml", "-o", "out", "--to", "latex", "--jobs", "1", *words]
        with pytest.raises(SystemExit) as ended:
            main()
        assert not ended.value.code

    sheet = "title: {}\nseed: 0x8f1b77d20c35e9a461\nstudents: [{}]\nquestions: [{{problem: two.yaml}}]\n"
    (tmp_path / "s.yaml").write_text(sheet.format("One", "ada, bob"))
    exam()
    before, start = papers(tmp_path), tree(tmp_path)
    (tmp_path / "s.yaml").write_text(sheet.format("Two", "ada, eve"))
    exam("--force")
    after, manifest, kinds = papers(tmp_path), seen(tmp_path)["out/manifest.json"], set()
    for number in range(1, 100):
        back(tmp_path, start)
        (tmp_path / "s.yaml").write_text(sheet.format("Two", "ada, eve"))
        if not is_killed(lambda: exam("--force"), name, number, monkeypatch):
            break
        mixed = papers(tmp_path)
        sys.argv = ["attncalc", "grade", "out/key.json", "ada.yaml"]
        with pytest.raises(SystemExit):
            main()
        assert is_one_of(papers(tmp_path), before, after), number
        kinds.add(is_one_of(mixed, before, after))
        exam("--force")
        assert seen(tmp_path)["out/manifest.json"] == manifest and hidden(tmp_path) == []
    assert number > 1 and (name != "os.replace" or kinds == {True, False})


def papers(folder):
    return {name: text for name, text in seen(folder).items() if name.startswith("out/") and "manifest" not in name}


def is_one_of(files, before, after):
    """Whether all papers of the key are there as they belong to it; papers of a former student may be there as well."""
    of = before if files["out/key.json"] == before["out/key.json"] else after
    return of.items() <= files.items() and files.keys() <= before.keys() | after.keys()


def test_a_key_that_is_changed_meanwhile_is_not_replaced(key, monkeypatch, capsys):
    """Two people mark again, and both put the new key in the place of the old one."""
    from attncalc.gradebook.regrade import regrade

    monkeypatch.chdir(key.parent)
    (key.parent / "ada.yaml").write_text("problem: K7Q2\nanswers: {Y: [[2, 4, 6, 8, 10]]}\n")
    (key.parent / "changes.yaml").write_text("points: {q1.Y: 3}\n")
    real = regrade.regrade_class

    def slowly(*args, **named):
        found = real(*args, **named)
        key.write_text(key.read_text().replace("Quiz", "Their quiz"))
        return found

    monkeypatch.setattr(regrade, "regrade_class", slowly)
    words = ["regrade", "key.json", "changes.yaml", "ada.yaml", "--marks", "m.csv", "--new-key", "key.json", "--force"]
    monkeypatch.setattr(sys, "argv", ["attncalc", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2 and "Their quiz" in key.read_text() and not (key.parent / "m.csv").exists()
    assert capsys.readouterr().err == "key.json: another process changed this key; run the command again\n"


@pytest.mark.parametrize("number", [1, 2])
def test_a_certificate_and_its_pages_are_replaced_together(tmp_path, number, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def solve():
        monkeypatch.setattr(sys, "argv", [*SOLVE, "--certificate", "c.json", "-o", "s.md", "--force"])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code or 0

    (tmp_path / "p.yaml").write_text(PAPER)
    assert solve() == 0
    before = tree(tmp_path)
    (tmp_path / "p.yaml").write_text(PAPER.replace("2 * X", "3 * X"))
    with monkeypatch.context() as patched:
        change(patched, "os.replace", number, full)
        assert solve() == 2
    assert tree(tmp_path) | {"p.yaml": before["p.yaml"]} == before
    assert solve() == 0 and all(tree(tmp_path)[name] != before[name] for name in ("c.json", "s.md"))


@pytest.mark.parametrize("name", ["ada.md", "bob.md"])
def test_a_page_replaces_a_link_and_not_what_it_leads_to(graded, name):
    (graded / "pages" / name).unlink()
    (graded / "pages" / name).symlink_to(graded / "p.yaml")
    assert run() == 0
    assert (graded / "p.yaml").read_text() == PAPER and not (graded / "pages" / name).is_symlink()


@pytest.mark.parametrize("name", ["pages/ada.md", "pages/bob.md"])
def test_a_folder_in_the_place_of_a_file_leaves_all_as_it_was(graded, name, capsys):
    (graded / name).unlink()
    (graded / name).mkdir()
    before = tree(graded)
    assert run() == 2 and tree(graded) == before
    assert capsys.readouterr().err.endswith("the file cannot be written: Is a directory\n")


def test_a_private_file_stays_private(graded, key):
    (graded / "marks.csv").chmod(0o600)
    assert run() == 0 and (graded / "marks.csv").stat().st_mode & 0o777 == 0o600
    desk = desk_of(key)
    for who in CODES:
        assert "faults" not in save(desk, who, {"q1.Y[0,0]": "1"})
        (graded / "class.csv").chmod(0o640)
    assert "faults" not in save(desk, "ada", {"q1.Y[0,0]": "2"})
    assert (graded / "class.csv").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("scripts", ["scripts", "scripts/*", "scripts/ada.*"])
@pytest.mark.parametrize(("name", "text"), [("ada.yaml", "answers: {}"), ("ada.csv", "student,problem,q1.Y[0,0]\n")])
def test_a_table_of_marks_takes_the_place_of_no_script(graded, scripts, name, text, monkeypatch, capsys):
    (graded / "scripts" / name).write_text(text)
    before = tree(graded)
    sys.argv = ["attncalc", "grade", "p.yaml", scripts, "-o", f"scripts/{name}", "--force"]
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2 and tree(graded) == before
    assert capsys.readouterr().err == (
        f"scripts/{name}: this file is one of the scripts, not a table of marks; choose a different name\n"
    )


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

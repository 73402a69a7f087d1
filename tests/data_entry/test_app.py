"""The page on which a class's answers are typed: what it asks, what it keeps, and that `grade` reads what was kept. In
Chromium at the end.
"""

from __future__ import annotations

import asyncio
import csv
import io
import json
import os
import socket
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

import attncalc
from attncalc.cli import main
from attncalc.data_entry.app import Desk, app_of
from attncalc.gradebook.answer_key import read_key
from attncalc.gradebook.entry_form import form_of
from attncalc.gradebook.grade import grade
from attncalc.gradebook.table_store import TypedTable
from attncalc.local_server.asgi_app import usual_port
from tests.support.audited import audited
from tests.support.browsing import chromium, page_of, server
from tests.support.laws import examples

PAPER = """\
title: A masked head
parts:
  q1:
    given: {{Q: {Q}, K: [[1, 1], [0, 1], [2, 0]], V: [[1, 2], [3, 4], [5, 7]]}}
    rounding: {{digits: 2}}
    attention: {{mask: causal}}
    asked: [S, A, Z]
"""
QUERIES = ["[[1, 0], [0, 1], [1, 1]]", "[[2, 1], [1, 0], [0, 2]]", "[[0, 1], [2, 2], [1, 3]]"]
STUDENTS = ["00417", "s-2", "=ada"]
CODES = ["K7Q2", "M3XX", "P9RA"]
HOST = "127.0.0.1:8000"


def key_file(folder, students=STUDENTS):
    own = [{"name": "q2", "kind": "free_text", "points": "2"},
            {"name": "q3", "kind": "choices", "points": "1", "right": ["B"],
            "choices": [{"letter": one, "text": one} for one in "ABC"]}]  # fmt: skip
    papers = [{"code": code, "number": k, "student": who, "problem": PAPER.format(Q=Q), "own": own}
              for k, (code, who, Q) in enumerate(zip(CODES, students, QUERIES), 1)]  # fmt: skip
    (folder / "key.json").write_text(
        json.dumps({"format": 1, "kind": "attncalc key", "title": "Midterm", "variants": papers})
    )
    return folder / "key.json"


@pytest.fixture(scope="module")
def right():
    """The right entries of each paper, by the names of their columns."""
    found = {}
    for code, Q in zip(CODES, QUERIES):
        (part,) = attncalc.solve(attncalc.api.loads(PAPER.format(Q=Q))).parts
        found[code] = {
            f"q1.{step.name}[{i},{j}]": text
            for step in part
            if step.name in "SAZ"
            for i, row in enumerate(step.decimals())
            for j, text in enumerate(row)
        }
    return found


@pytest.fixture
def desk(tmp_path):
    return desk_of(key_file(tmp_path))


def desk_of(path):
    key = read_key(str(path))
    form = form_of(key)
    return Desk(key, form, TypedTable(str(path.parent / "class.csv"), form))


def ask(desk, do, **request):
    return json.loads(desk.respond(json.dumps({"do": do, **request}).encode()))


def save(desk, k, cells, whose=None):
    return ask(desk, "save", student=STUDENTS[k], code=CODES[k], whose=whose or STUDENTS[k], cells=cells)


def marks(path, key):
    return {row.student: row for row in grade(str(key), [str(path)]).rows}


def test_what_is_pasted_is_read_as_answer_files_are(desk):
    latex = ask(
        desk,
        "paste",
        text="\\begin{bmatrix} 0,5 & -\\infty \\\\ 0.25 & 1/3 \\end{bmatrix}",
        shape=[2, 2],
        row=0,
        column=0,
    )
    assert latex["cells"] == [[0, 0, "0.5"], [0, 1, "-\\infty"], [1, 0, "0.25"], [1, 1, "1/3"]]
    unread = ask(
        desk, "paste", text="\\begin{bmatrix} 0,5 & 1 \\\\ a & 1/3 \\end{bmatrix}", shape=[2, 2], row=0, column=0
    )
    assert unread == {
        "faults": [
            "Nothing was pasted: expected a number, found 'a'; an answer cannot contain names; "
            "write a number such as 0.67, -2/3, 1.5e-3 or sqrt(2)/2, or _ for a blank"
        ]
    }, "no place of a text that is not seen"
    sheet = ask(desk, "paste", text="0,5\t\t\n0,25\t0,75\t\n", shape=[3, 3], row=0, column=0)
    typed = {(i, j): text for i, j, text in sheet["cells"] if text}
    assert typed == {(0, 0): "0.5", (1, 0): "0.25", (1, 1): "0.75"} and not sheet["message"]


# -- from request to response ------------------------------------------------------------------------------------------


def test_a_paper_says_what_is_asked_and_nothing_of_what_is_right(desk, right):
    form = ask(desk, "form")
    assert [(line["student"], line["code"], line["typed"], line["asked"]) for line in form["lines"]] == [
        (who, code, 0, 9 + 6 + 6 + 2) for who, code in zip(STUDENTS, CODES)
    ]
    found = ask(desk, "paper", student="s-2", code="M3XX")
    (matrices, words, letters) = found["questions"]
    assert [(one["name"], one["shape"], one["filled"], one["closed"]) for one in matrices["grids"]] == [
        ("S", [3, 3], [], []),
        ("A", [3, 3], [[0, 1], [0, 2], [1, 2]], []),
        ("Z", [3, 2], [], []),
    ]
    assert words["fields"] == [{"key": "q2", "about": "points, at most 2"}] and letters["fields"] == [
        {"key": "q3", "about": "letters, A to C"}
    ]
    assert {name: text for name, text in found["cells"].items() if text} == {
        f"q1.A[{i},{j}]": "0" for i, j in ((0, 1), (0, 2), (1, 2))
    }
    assert "marks" not in json.dumps([form, found]) and not any(
        text in json.dumps(found["cells"]) for text in right["M3XX"].values() if len(text) > 3
    )


@pytest.mark.sweep(quick=1)
@pytest.mark.parametrize(
    "typed", [str, lambda text: text.replace(".", ",").replace("-", "−")], ids=["points", "commas"]
)
def test_what_is_typed_is_graded(desk, right, typed, tmp_path):
    for k, code in enumerate(CODES):
        told = save(desk, k, {name: typed(text) for name, text in right[code].items()} | {"q2": "1,5", "q3": "b"})
        assert told["unread"] == [] and told["typed"] == 23 and told["student"] == STUDENTS[k]
    assert [line["typed"] for line in ask(desk, "form")["lines"]] == [23] * 3
    found = marks(tmp_path / "class.csv", tmp_path / "key.json")
    assert {who: (row.status, float(row.earned), row.variant) for who, row in found.items()} == {
        who: ("graded", 5.5, code) for who, code in zip(STUDENTS, CODES)
    }
    with open(tmp_path / "class.csv", newline="", encoding="utf-8-sig") as file:
        assert not any(cell.startswith(tuple("=+@")) for row in csv.reader(file) for cell in row)


def test_what_is_typed_is_found_again_after_a_restart(desk, right, tmp_path):
    cells = {"q1.S[0,0]": "0,5", "q1.S[0,1]": "what?", "q1.Z[0,0]": "-inf", "q2": "3"}
    told = save(desk, 1, cells)
    assert [one["key"] for one in told["unread"]] == ["q1.S[0,1]", "q2"] and "expected points from 0 to 2" in told[
        "unread"
    ][1]["message"]
    again = desk_of(tmp_path / "key.json")
    assert ask(again, "form")["lines"][1]["typed"] == 4
    found = ask(again, "paper", student="s-2", code="M3XX")["cells"]
    assert {name: found[name] for name in cells} == {
        "q1.S[0,0]": "0.5",
        "q1.S[0,1]": "what?",
        "q1.Z[0,0]": "−∞",
        "q2": "3",
    }
    row = marks(tmp_path / "class.csv", tmp_path / "key.json")["s-2"]
    assert row.status == "look" and "what?" in " ".join(row.remarks)


@pytest.mark.sweep(quick=0)
def test_what_others_put_into_the_table_stays(desk, tmp_path):
    """Another person's rows, a spreadsheet's signs and columns of one's own."""
    save(desk, 0, {"q1.S[0,0]": "1"})
    table = list(csv.reader(io.StringIO((tmp_path / "class.csv").read_text(encoding="utf-8-sig"))))
    table[0].append("seen by")
    table[1].append("K., later; Jörg")
    table.append(["s-2", "M3XX", "2,5", *[""] * (len(table[0]) - 4), "L."])
    with open(tmp_path / "class.csv", "w", newline="", encoding="cp1252") as file:
        csv.writer(file, delimiter=";").writerows([[cell.replace("−∞", "") for cell in row] for row in table])
    save(desk, 0, {"q1.S[0,1]": "2"})
    found = {
        row["student"]: row
        for row in csv.DictReader(io.StringIO((tmp_path / "class.csv").read_text(encoding="cp1252")), delimiter=";")
    }
    assert (
        found["00417"]["seen by"] == "K., later; Jörg"
        and found["00417"]["q1.S[0,0]"] == "1"
        and found["00417"]["q1.S[0,1]"] == "2"
    )
    assert found["s-2"]["q1.S[0,0]"] == "2,5" and found["s-2"]["seen by"] == "L."


def test_papers_that_are_anybody_s_are_given_to_students(tmp_path):
    desk = desk_of(key_file(tmp_path, [None] * 3))
    assert [line["student"] for line in ask(desk, "form")["lines"]] == [""] * 3
    first = ask(desk, "save", student="", code="M3XX", whose="s-1", cells={"q1.S[0,0]": "1"})
    assert (first["student"], first["more"]["code"]) == ("s-1", "M3XX")
    renamed = ask(desk, "save", student="s-1", code="M3XX", whose="s-10", cells={"q1.S[0,0]": "1"})
    assert renamed["student"] == "s-10"
    ask(desk, "save", student="", code="M3XX", whose="s-2", cells={"q1.S[0,0]": "2"})
    assert [line["student"] for line in ask(desk, "form")["lines"]] == ["s-10", "s-2", "", "", ""]
    assert ask(desk, "save", student="", code="M3XX", whose="S-2", cells={})["faults"] == [
        "the student 'S-2' already has a row in this table"
    ]
    assert "expected a student's number" in ask(desk, "save", student="", code="M3XX", whose=" ", cells={})["faults"][0]


@examples(60)
@given(
    cells=st.dictionaries(
        st.sampled_from(["q1.S[0,0]", "q1.Z[2,1]", "q3"]), st.text(st.characters(codec="utf-8"), max_size=30)
    )
)
def test_whatever_is_typed_is_kept_and_graded_or_told(cells, tmp_path_factory):
    folder = tmp_path_factory.mktemp("typed")
    desk = desk_of(key_file(folder))
    told = save(desk, 1, cells)
    assert "faults" not in told
    found = desk_of(folder / "key.json").table.cells("s-2", "M3XX")
    seen = {
        name: " ".join("".join(c if c.isprintable() else " " for c in text).split()) for name, text in cells.items()
    }
    for name, text in seen.items():
        assert (
            found.get(name, "").replace("−∞", "").replace(".", ",") in (text.replace(".", ","), "", text[1:])
            or "inf" in text.lower()
            or "\ufffd" in found[name]
        )
    row = marks(folder / "class.csv", folder / "key.json")["s-2"]
    unread = {one["key"] for one in told["unread"]}
    assert row.status != "graded" or not unread


ENTERED = st.sampled_from(
    ["0.5", "0,5", "3.012", "3,012", "1.234", "1/3", "-inf", "1 2", "1,2,3", "abc", "", "_", "B", "2.5"]
)
PRESENT = st.sampled_from(["", "3,012", "4.584", "0,5", "0.25", "1/2", "7", "x"])


@examples(60)
@given(
    rows=st.lists(st.lists(PRESENT, min_size=4, max_size=4), min_size=2, max_size=2),
    sign=st.sampled_from([",", ";", "\t"]),
    typed=st.lists(
        st.tuples(st.sampled_from(["q1.S[0,0]", "q1.S[0,1]", "q1.A[1,0]", "q1.Z[2,1]", "q2", "q3"]), ENTERED),
        min_size=1,
        max_size=3,
    ),
)
def test_the_page_reports_what_grade_cannot_read(rows, sign, typed, tmp_path_factory):
    """After each save, and in whatever way the table writes its numbers."""
    folder = tmp_path_factory.mktemp("typed")
    desk, table = desk_of(key_file(folder)), folder / "class.csv"
    head = ["student", "problem", *(f'"q1.{name}"' for name in ("S[0,0]", "S[0,1]", "A[1,0]", "Z[2,1]")), "q2", "q3"]
    lines = [
        head,
        *([who, code, *(f'"{text}"' for text in row), "", ""] for who, code, row in zip(STUDENTS, CODES, rows)),
    ]
    table.write_text("".join(f"{sign.join(line)}\n" for line in lines))
    for name, text in typed:
        reported = {entry["key"].partition("[")[0] for entry in save(desk, 1, {name: text})["unread"]}
        row = marks(table, folder / "key.json")["s-2"]
        unread = {step.partition("[")[0] for step in row.unreadable_steps}
        unread |= {name for name in ("q2", "q3") if any(f": {name}: " in line for line in row.unread)}
        assert reported == {f"q1.{step}" if step in "SAZ" else step for step in unread}


@pytest.mark.parametrize("content", [b"", b"student"])
def test_a_table_that_another_program_empties_is_written_again(content, desk, tmp_path):
    save(desk, 0, {"q1.S[0,0]": "1"})
    (tmp_path / "class.csv").write_bytes(content)
    answer = save(desk, 1, {"q1.S[0,0]": "2"})
    assert "faults" in answer if content else "was empty: it is written again" in answer["notes"][0]
    assert content or [line["typed"] for line in ask(desk, "form")["lines"]] == [1, 1, 0]


@pytest.mark.parametrize(("whose", "papers"), [("s-2", 1), ("S-2", 1), ("s-2", 3), ("S-2", 3), ("417", 3)])
def test_a_student_has_one_row(whose, papers, tmp_path):
    """On the table of a problem and on that of an exam; a second row is refused, and nothing is changed."""
    if papers == 1:
        (tmp_path / "one.yaml").write_text(PAPER.format(Q=QUERIES[0]))
    path = tmp_path / "one.yaml" if papers == 1 else key_file(tmp_path)
    desk, codes = desk_of(path), [""] * 3 if papers == 1 else CODES
    for who, code in zip(STUDENTS[:2], codes):
        known = who if papers > 1 else ""
        assert "faults" not in ask(desk, "save", student=known, code=code, whose=who, cells={"q1.S[0,0]": "1"})
    before = (tmp_path / "class.csv").read_bytes()
    refused = ask(desk, "save", student="", code=codes[2], whose=whose, cells={"q1.S[0,0]": "2"})
    assert "already has a row in this table" in refused["faults"][0]
    assert (tmp_path / "class.csv").read_bytes() == before


REFUSED = [
    ({}, "expected"), ({"do": "marks"}, "marks"),
    ({"do": "paper", "student": "s-2", "code": "ZZZZ"}, "the key has no paper 'ZZZZ'"),
    ({"do": "paper", "student": 1, "code": "M3XX"}, "student"),
    ({"do": "save", "student": "s-2", "code": "M3XX", "whose": "s-2", "cells": []}, "cells"),
    ({"do": "save", "student": "s-2", "code": "M3XX", "whose": "s-2", "cells": {"q9.X[0,0]": "1"}},
     "this paper has no entry 'q9.X[0,0]'"),
    ({"do": "save", "student": "s-2", "code": "M3XX", "whose": "x" * 201, "cells": {}}, "whose"),
    ({"do": "save", "student": "s-2", "code": "M3XX", "whose": "s\u202e2", "cells": {}}, "expected a student's number"),
]  # fmt: skip


@pytest.mark.parametrize(("request_", "says"), REFUSED, ids=range(len(REFUSED)))
def test_requests_that_are_none(desk, request_, says, tmp_path):
    (said,) = json.loads(desk.respond(json.dumps(request_).encode()))["faults"]
    assert says in said or says == "expected" and said
    assert not (tmp_path / "class.csv").exists()


def test_a_table_that_cannot_be_written_loses_nothing(desk, tmp_path, monkeypatch):
    save(desk, 0, {"q1.S[0,0]": "1"})
    before = (tmp_path / "class.csv").read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert "cannot be written" in save(desk, 0, {"q1.S[0,0]": "2"})["faults"][0]
    assert (tmp_path / "class.csv").read_bytes() == before


def test_a_table_that_is_gone_is_written_again_and_reported(desk, tmp_path):
    assert save(desk, 0, {"q1.S[0,0]": "1"})["notes"] == []
    (tmp_path / "class.csv").unlink()
    assert ask(desk, "form")["lines"][0]["typed"] == 1
    (note,) = save(desk, 1, {"q1.S[0,0]": "2"})["notes"]
    assert note == f"{tmp_path / 'class.csv'} was not there: it is written again with its earlier contents"
    assert [line["typed"] for line in ask(desk, "form")["lines"]] == [1, 1, 0]


@pytest.mark.parametrize("content", [b"a,b\n1,2\n", b"", b"PK\3\4", b"number\nJos\xe9\xff\xd0\xd1\xd2\xd3\n"])
def test_a_file_that_is_no_table_of_the_class_is_left_alone(content, tmp_path, monkeypatch, capsys):
    path, table = key_file(tmp_path), tmp_path / "class.csv"
    table.write_bytes(content)
    monkeypatch.setattr(sys, "argv", ["attncalc", "answers", str(path), "--page", "--no-browser", "-o", str(table)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2 and capsys.readouterr().err.startswith(str(table)) and table.read_bytes() == content


def test_a_table_has_one_port_where_the_browser_keeps_its_unsaved_entries(tmp_path, monkeypatch, capsys):
    path, table = key_file(tmp_path), tmp_path / "class.csv"
    monkeypatch.setattr(sys, "argv", ["attncalc", "answers", str(path), "--page", "--no-browser", "-o", str(table)])
    with socket.socket() as other:
        other.bind(("127.0.0.1", usual_port(str(table))))
        other.listen()
        with pytest.raises(SystemExit) as ended:
            main()
    message = capsys.readouterr().err
    assert ended.value.code == 2 and f"port {usual_port(str(table))} is in use" in message and "--port" in message
    assert not table.exists()


DOORS = [
    ({}, 200), ({"host": "localhost:8000"}, 403), ({"host": "127.0.0.1"}, 403),
    ({"origin": "http://evil.example"}, 403), ({"origin": None}, 403),
    ({"x-token": "guess"}, 403), ({"x-token": None}, 403), ({"content-type": "text/plain"}, 415),
]  # fmt: skip


@pytest.mark.parametrize(("headers", "status"), DOORS, ids=range(len(DOORS)))
def test_only_the_page_itself_may_ask(desk, headers, status):
    usual = {"host": HOST, "origin": f"http://{HOST}", "x-token": "secret", "content-type": "application/json"}
    given_ = {name: text for name, text in {**usual, **headers}.items() if text is not None}

    async def receive():
        return {"type": "http.request", "body": b'{"do": "form"}', "more_body": False}

    found = asyncio.run(app_of(desk, HOST, "secret").answer("POST", "/respond", given_, receive))
    assert found[0] == status and (status == 200) == (b"00417" in found[2])


# -- in the browser ----------------------------------------------------------------------------------------------------


@contextmanager
def served(folder, *arguments):
    """The page of a server of its own."""
    command = ["answers", "key.json", "--page", "--no-browser", "-o", "class.csv", *arguments]
    with chromium() as browser, server(folder, *command) as address, page_of(browser, address) as page:
        yield page


@pytest.mark.needs("chromium")
def test_a_class_is_typed_by_keyboard_alone(tmp_path, right):
    key = key_file(tmp_path)
    with served(tmp_path) as page:
        assert "token" not in page.url
        assert page.locator("h1").inner_text() == "00417 · K7Q2"
        began = time.monotonic()
        for k, code in enumerate(CODES):
            page.wait_for_function("code => document.querySelector('h1').textContent.includes(code)", arg=code)
            for name, text in right[code].items():
                if name not in ("q1.A[0,1]", "q1.A[0,2]", "q1.A[1,2]"):  # Enter passes what is filled in
                    page.keyboard.type(text.replace(".", ",") if k else text)
                    page.keyboard.press("Enter")
            page.keyboard.type("2")
            page.keyboard.press("Enter")
            page.keyboard.type("B")
            page.keyboard.press("Enter")  # the last entry: saved, and the next paper is opened
        page.wait_for_function("() => document.querySelector('#done').textContent === '3 of 3 typed'")
        assert (time.monotonic() - began) / 3 < 30, "the page waits for the person"
        assert {
            row.student: (row.status, float(row.earned)) for row in grade(str(key), [str(tmp_path / "class.csv")]).rows
        } == dict.fromkeys(STUDENTS, ("graded", 6.0))
        page.locator("#find").fill("m3")
        page.locator("#find").press("Enter")
        page.wait_for_function("() => document.querySelector('h1').textContent.includes('M3XX')")
        first = page.locator(".matrix input").first
        assert first.input_value() == right["M3XX"]["q1.S[0,0]"]
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Control+a")
        page.keyboard.type("0.6?")
        assert (
            "S, row 2, column 1: expected a number, found '0.6?'" in page.wait_for_selector(".unread li").inner_text()
        )
        assert page.locator("input.look").count() == 1
        audited(page, "desk")
        page.keyboard.press("Control+Enter")
        page.wait_for_function(
            "() => document.querySelector('#saved').textContent === 'The answers of every paper have been typed.'"
        )
    assert "0.6?" in (tmp_path / "class.csv").read_text(encoding="utf-8-sig")


@pytest.mark.needs("chromium")
def test_no_key_is_lost_between_two_papers(tmp_path, right):
    """Who types fast is ahead of the page: what is pressed while the next paper is on its way is for that paper."""
    key = key_file(tmp_path)
    with served(tmp_path) as page:
        page.wait_for_function("code => document.querySelector('h1').textContent.includes(code)", arg=CODES[0])
        page.route("**/respond", lambda route: (time.sleep(0.05), route.continue_()))  # a slow machine
        for code in CODES:
            named = (text for name, text in right[code].items() if name not in ("q1.A[0,1]", "q1.A[0,2]", "q1.A[1,2]"))
            for text in (*named, "2", "B"):
                page.keyboard.type(text)
                page.keyboard.press("Enter")
        page.wait_for_function("() => document.querySelector('#done').textContent === '3 of 3 typed'")
    assert {
        row.student: (row.status, float(row.earned)) for row in grade(str(key), [str(tmp_path / "class.csv")]).rows
    } == dict.fromkeys(STUDENTS, ("graded", 6.0))


@pytest.mark.needs("chromium")
def test_what_is_typed_while_another_paper_loads_is_saved(tmp_path):
    """The paper that is shown gets the keys, and is saved before the next one takes its place."""
    key_file(tmp_path)
    with served(tmp_path) as page:
        page.wait_for_function("code => document.querySelector('h1').textContent.includes(code)", arg=CODES[0])
        on_its_way: list = []
        page.route("**/respond", lambda route: route.continue_() if on_its_way else on_its_way.append(route))
        with page.expect_request("**/respond"):
            page.evaluate("document.querySelectorAll('#students button')[1].click()")
        page.locator(".matrix input").first.fill("0.31415")
        on_its_way[0].continue_()
        page.wait_for_function("code => document.querySelector('h1').textContent.includes(code)", arg=CODES[1])
    assert "0.31415" in (tmp_path / "class.csv").read_text(encoding="utf-8-sig")


@pytest.mark.needs("chromium")
def test_students_are_named_while_their_papers_are_typed(tmp_path):
    """A problem without a list of students: the number first, then the entries, then a place for the next one."""
    (tmp_path / "key.json").write_text(
        json.dumps({"title": "One", "given": {"a": 2, "b": 3}, "steps": {"c": "a + b", "d": "c * b"}})
    )
    with served(tmp_path) as page:
        for who, *entries in (["s-1", "5", "15"], ["s-2", "6", ""]):
            page.wait_for_function("() => document.activeElement.id === 'whose' && !document.activeElement.value")
            for text in (who, *entries):
                page.keyboard.type(text)
                page.keyboard.press("Enter")
        page.wait_for_function("() => document.querySelector('#done').textContent.startsWith('1 of 3')")
    with open(tmp_path / "class.csv", newline="", encoding="utf-8-sig") as file:
        assert list(csv.reader(file)) == [["student", "c[0,0]", "d[0,0]"], ["s-1", "5", "15"], ["s-2", "6", ""]]


PAGES = st.lists(
    st.tuples(st.integers(0, 1), st.sampled_from(["q1.S[0,0]", "q1.S[0,1]"]), st.sampled_from(["1", "2,5", "", "x"])),
    max_size=8,
)


@examples(100)
@given(steps=PAGES)
def test_law_what_somebody_else_typed_is_replaced_only_by_who_has_seen_it(steps, tmp_path_factory):
    desk = desk_of(key_file(tmp_path_factory.mktemp("pages")))
    seen: list[dict[str, str]] = [{}, {}]  # by page
    for page, name, text in steps:
        before = ask(desk, "paper", student="s-2", code="M3XX")["cells"][name]
        shown = {name: seen[page].get(name, "")}
        reply = ask(desk, "save", student="s-2", code="M3XX", whose="s-2", cells={name: text}, seen=shown)
        after = ask(desk, "paper", student="s-2", code="M3XX")["cells"]
        typed = text.replace(",", ".")
        assert after[name] == (before if reply["kept"] else typed) and reply["cells"] == after
        assert reply["kept"] == ({name: before} if before not in ("", shown[name], typed) else {})
        seen[page] = reply["cells"]


# -- several pages, and a server that ends -----------------------------------------------------------------------------


def says(page, text):
    page.wait_for_function("text => document.querySelector('#notes').textContent.includes(text)", arg=text)


def shows(page, text):
    page.wait_for_function("text => document.querySelector('#saved').textContent.startsWith(text)", arg=text)


def entry(page, k):
    return page.locator(".matrix input").nth(k)


@pytest.mark.needs("chromium")
def test_two_pages_do_not_replace_what_the_other_one_typed(tmp_path):
    key_file(tmp_path)
    table = tmp_path / "class.csv"

    def written():
        return next(csv.DictReader(io.StringIO(table.read_text(encoding="utf-8-sig"))))

    command = ["answers", "key.json", "--page", "--no-browser", "-o", "class.csv"]
    with chromium() as browser, server(tmp_path, *command) as address:
        context = browser.new_context()
        pages = [context.new_page(), context.new_page()]
        for page in pages:
            page.goto(address)
            page.wait_for_selector(".matrix input")
        first, second = pages
        entry(first, 0).fill("1.11")
        shows(first, "Saved")
        entry(second, 0).fill("9.99")
        says(second, "another person typed 1.11, and that entry was kept. You typed 9.99")
        assert written()["q1.S[0,0]"] == "1.11" and entry(second, 0).input_value() == "9.99"
        entry(second, 1).fill("2.22")
        shows(second, "Saved, 2 entries")
        assert (written()["q1.S[0,0]"], written()["q1.S[0,1]"]) == ("1.11", "2.22"), "only a new key replaces it"
        entry(second, 0).fill("9.9")
        entry(second, 0).fill("9.99")
        shows(second, "Saved, 2 entries")
        page.wait_for_timeout(1000)
        assert written()["q1.S[0,0]"] == "9.99"
        entry(first, 2).fill("3.33")
        shows(first, "Saved, 3 entries")
        assert [entry(first, k).input_value() for k in range(3)] == ["9.99", "2.22", "3.33"], "as the table has them"


@pytest.mark.needs("chromium")
def test_what_is_typed_after_the_server_has_ended_is_saved_by_the_next_one(tmp_path):
    key_file(tmp_path)
    command = [sys.executable, "-m", "attncalc", "answers", "key.json", "--page", "--no-browser", "-o", "class.csv"]

    @contextmanager
    def killed():
        run = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=tmp_path)
        try:
            yield run.stdout.readline().split()[-1]
        finally:
            run.kill()
            run.wait()
            run.stdout.close()

    with chromium() as browser:
        context = browser.new_context()
        page = context.new_page()
        with killed() as address:
            page.goto(address)
            page.wait_for_selector(".matrix input")
            entry(page, 0).fill("1.11")
            shows(page, "Saved")
            other = context.new_page()  # of the same student
            other.goto(address)
            other.wait_for_selector(".matrix input")
        entry(page, 1).fill("7.77")
        shows(page, "Not saved")
        entry(other, 4).fill("5.55")
        shows(other, "Not saved")
        with killed() as address:
            again = context.new_page()
            again.goto(address)
            again.wait_for_selector(".matrix input")
            says(again, "Saved, 1 entry (until now only in this browser)")
            assert [entry(again, k).input_value() for k in (0, 1, 4)] == ["1.11", "7.77", "5.55"]
            assert "1.11,7.77" in (tmp_path / "class.csv").read_text(encoding="utf-8-sig")
            entry(page, 2).fill("8.88")  # the first page goes on
            shows(page, "Saved, 4 entries")

"""Feedback on the scanned pages: every page of a student is there, with the points and the first error, and texts of a
hostile folder stay texts.
"""

from __future__ import annotations

import csv
import json
import sys

import pypdfium2
import pytest
from PIL import ImageDraw

from attncalc.cli import main
from attncalc.exam.paper_build import exam
from tests.data_entry.test_app import CODES, STUDENTS, ask, desk_of, key_file, right  # noqa: F401 (a fixture)
from tests.support.scanned import scan_folder


def run(*arguments, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["attncalc", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        main()
    return ended.value.code


def texts_of(path):
    document = pypdfium2.PdfDocument(path)
    return [" ".join(page.get_textpage().get_text_bounded().split()) for page in document]


@pytest.fixture
def graded(tmp_path, right, monkeypatch):  # noqa: F811
    """The texts of the pages of each student. The second one has a wrong entry, and the third one was not scanned."""
    answers = {code: dict(right[code]) for code in CODES}
    answers[CODES[1]]["q1.S[1,1]"] = "77"
    path = key_file(tmp_path)
    desk = desk_of(path)
    for code, student in zip(CODES, STUDENTS):
        ask(desk, "save", student=student, code=code, whose=student, cells=answers[code] | {"q2": "1", "q3": "B"})
    scan_folder(tmp_path / "scans", {code: answers[code] | {"q3": "B"} for code in CODES[:2]})
    monkeypatch.chdir(tmp_path)
    arguments = ["key.json", "class.csv", "-o", "marks.csv", "--scans", "scans", "--feedback", "out"]
    assert run("grade", *arguments, monkeypatch=monkeypatch) in (0, 1)
    return {path.stem: texts_of(path) for path in (tmp_path / "out").iterdir()}


def test_each_student_gets_the_pages_with_points_and_the_first_error(graded):
    assert set(graded) == {"00417", "s-2", "_ada"}
    for student, code in zip(("00417", "s-2"), CODES):
        first = graded[student][0]
        assert code in first and "S: " in first and "Z: " in first and "q3: 1 of 1" in first
        assert any("Reply slip" in text for text in graded[student])
    scanned, wrong, without = graded["00417"], graded["s-2"], graded["_ada"]
    assert "First error" in wrong[0] and "First error" not in scanned[0]
    assert scanned[0].count("✓") > wrong[0].count("✓") and wrong[0].count("✗") == 2, "the legend and the entry"
    assert "S: " not in without[0].split("Points")[0].replace("S: right", "") and "=ada" in without[0]


def test_scripts_with_entries_that_nobody_confirmed_are_looked_at(tmp_path, right, monkeypatch, capsys):  # noqa: F811
    """They were graded as not answered, without a word."""
    path = key_file(tmp_path)
    desk = desk_of(path)
    for code, student in zip(CODES, STUDENTS):
        cells = dict(right[code]) if code == CODES[0] else {"q2": "1"}
        ask(desk, "save", student=student, code=code, whose=student, cells=cells | {"q3": "B"})
    scan_folder(tmp_path / "scans", {code: right[code] | {"q3": "B"} for code in CODES[:2]})
    monkeypatch.chdir(tmp_path)
    arguments = ["key.json", "class.csv", "-o", "marks.csv", "--scans", "scans", "--feedback", "out"]
    assert run("grade", *arguments, monkeypatch=monkeypatch) == 1
    rows = {row["student"]: row for row in csv.DictReader((tmp_path / "marks.csv").open())}
    assert "confirmed" not in rows["00417"]["remarks"]
    typed = {row["student"]: row for row in csv.DictReader((tmp_path / "class.csv").open())}["s-2"]
    count = sum(not typed[column] for column in right[CODES[1]])
    assert rows["s-2"]["status"] == "look" and f"{count} scanned entries not confirmed" in rows["s-2"]["remarks"]
    assert f"nobody has confirmed {count} scanned entries of 1 paper, so they" in capsys.readouterr().err


def test_a_student_whose_scanned_entries_nobody_confirmed_is_not_absent(tmp_path, right, monkeypatch):  # noqa: F811
    path = key_file(tmp_path)
    desk = desk_of(path)
    for code, student in zip(CODES, STUDENTS):
        ask(desk, "save", student=student, code=code, whose=student, cells={"q3": "B"})
    ask(desk, "save", student=STUDENTS[1], code=CODES[1], whose=STUDENTS[1], cells={"q3": ""}, seen={"q3": "B"})
    scan_folder(tmp_path / "scans", {code: right[code] | {"q3": "B"} for code in CODES})
    monkeypatch.chdir(tmp_path)
    arguments = ["key.json", "class.csv", "-o", "marks.csv", "--scans", "scans", "--feedback", "out"]
    assert run("grade", *arguments, monkeypatch=monkeypatch) == 1
    rows = {row["student"]: row for row in csv.DictReader((tmp_path / "marks.csv").open())}
    assert rows["s-2"]["status"] == "look" and "scanned entries not confirmed" in rows["s-2"]["remarks"]
    assert "will look at this script again" in " ".join(texts_of(tmp_path / "out" / "00417.pdf"))


def test_the_expected_numbers_are_not_on_the_scanned_pages(graded, right):  # noqa: F811
    assert "correct" in graded["s-2"][1] and "77" not in graded["s-2"][0]


@pytest.mark.parametrize("more", [[], ["--feedback", "all.pdf"], ["--feedback", "out", "--to", "html"]])
def test_options_that_do_not_fit_are_refused(more, tmp_path, monkeypatch, capsys):
    key_file(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert run("grade", "key.json", "class.csv", "--scans", "scans", *more, monkeypatch=monkeypatch) == 2
    assert capsys.readouterr().err.startswith("--scans works only with --feedback")


def crossed(raw):
    """The picture with other data in its middle."""
    return raw[:60] + bytes(40) + raw[100:]


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda raw: raw[:60], "K7Q2-1.png: expected a complete PNG picture"),
        (crossed, "scans: paper K7Q2: Typst cannot"),
    ],
    ids=["truncated", "crossed"],
)
def test_a_damaged_page_is_named_and_nothing_is_written(damage, message, tmp_path, monkeypatch, capsys):
    key_file(tmp_path)
    data = scan_folder(tmp_path / "scans", {CODES[0]: {"q1.S[0,0]": "1"}})
    page = tmp_path / "scans" / data["papers"][CODES[0]]["pages"]["1"]
    page.write_bytes(damage(page.read_bytes()))
    (tmp_path / "class.csv").write_text('student,problem,"q1.S[0,0]"\n00417,K7Q2,1\n')
    monkeypatch.chdir(tmp_path)
    arguments = ["key.json", "class.csv", "-o", "marks.csv", "--scans", "scans", "--feedback", "out"]
    assert run("grade", *arguments, monkeypatch=monkeypatch) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "marks.csv").exists() and not (tmp_path / "out").exists()


def test_texts_of_a_key_stay_texts(tmp_path, monkeypatch):
    student = '#panic("x") <b>$'
    key_file(tmp_path, [student, *STUDENTS[1:]])
    scan_folder(tmp_path / "scans", {CODES[0]: {"q1.S[0,0]": "1"}})
    (tmp_path / "class.csv").write_text(
        f'student,problem,"q1.S[0,0]"\n"{student.replace(chr(34), chr(34) * 2)}",K7Q2,1\n'
    )
    monkeypatch.chdir(tmp_path)
    arguments = ["key.json", "class.csv", "-o", "marks.csv", "--scans", "scans", "--feedback", "out"]
    assert run("grade", *arguments, monkeypatch=monkeypatch) in (0, 1)
    (path,) = (tmp_path / "out").iterdir()
    assert '#panic("x") <b>$' in texts_of(path)[0]


def test_an_answer_that_nobody_has_marked_has_no_points(tmp_path, monkeypatch):
    key_file(tmp_path)
    data = scan_folder(tmp_path / "scans", {CODES[0]: {"q1.S[0,0]": "1"}})
    data["fields"].append(data["fields"][0] | {"column_name": "q2", "kind": "text", "box": [40, 300, 400, 90]})
    (tmp_path / "scans" / "scan.json").write_text(json.dumps(data))
    monkeypatch.chdir(tmp_path)
    for points, shown in (("", "q2 not yet marked"), ("0", "q2: 0 of 2")):
        (tmp_path / "class.csv").write_text(f'student,problem,"q1.S[0,0]",q2\n00417,K7Q2,1,{points}\n')
        arguments = ["key.json", "class.csv", "-o", "marks.csv", "--scans", "scans", "--feedback", "out", "--force"]
        assert run("grade", *arguments, monkeypatch=monkeypatch) in (0, 1)
        assert shown in texts_of(tmp_path / "out" / "00417.pdf")[0]


SHEET = """\
title: Quiz
seed: 5e81c70b3fa2964d5e81c70b3fa2964e
students: [s-1]
rounding: {digits: 2}
scan: true
questions:
  - {generate: attention, with: {tokens: 2, d_k: 2}, asked: [S, Z]}
  - {ask: Which?, choices: [{right: this}, {wrong: that}], points: 1}
"""


def test_a_scanned_paper_is_confirmed_and_given_back(tmp_path, monkeypatch):
    """With the real exam, the real scan and the real table: every field of the paper can be confirmed."""
    (tmp_path / "quiz.yaml").write_text(SHEET)
    exam(str(tmp_path / "quiz.yaml"), str(tmp_path / "out"), jobs=1)
    (paper,) = json.loads((tmp_path / "out" / "key.json").read_text())["scan"]["papers"].values()
    (code,) = json.loads((tmp_path / "out" / "key.json").read_text())["scan"]["papers"]
    (pdf,) = (tmp_path / "out").glob(f"paper-*{code}.pdf")
    page = pypdfium2.PdfDocument(pdf)[0].render(scale=200 / 72).to_pil().convert("L")
    x, y, width, height = (length * 200 / 25.4 for length in paper["fields"][-2]["box"])
    ImageDraw.Draw(page).line((x, y, x + width, y + height), fill=30, width=5)
    page.save(tmp_path / "page.png")
    monkeypatch.chdir(tmp_path)
    assert run("scan", "out/key.json", "page.png", "-o", "scans", monkeypatch=monkeypatch) in (0, 1)
    (tmp_path / "key.json").write_bytes((tmp_path / "out" / "key.json").read_bytes())
    desk = desk_of(tmp_path / "key.json")
    desk.add_scans("scans")
    while groups := ask(desk, "group", window="w")["groups"]:
        entries = [
            {name: entry[name] for name in ("paper", "column", "text")} for each in groups for entry in each["entries"]
        ]
        ask(desk, "confirm", entries=entries, out=[])
    while entry := ask(desk, "doubt", window="w")["entry"]:
        cells = {entry["column"]: entry["text"]}
        ask(desk, "save", student="s-1", code=code, whose="s-1", cells=cells, seen={entry["column"]: ""})
    columns = {each["column_name"] for each in paper["fields"]}
    assert ask(desk, "form")["counts"]["done"] == len(columns)
    assert desk.table.cells("s-1", code) == {"q2": paper["fields"][-2]["option"]}
    arguments = ["key.json", "class.csv", "-o", "marks.csv", "--scans", "scans", "--feedback", "pages"]
    assert run("grade", *arguments, monkeypatch=monkeypatch) in (0, 1)
    assert "q2: " in texts_of(tmp_path / "pages" / "s-1.pdf")[0]

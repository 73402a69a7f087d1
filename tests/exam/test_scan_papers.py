"""Papers that can be scanned: what is printed stands where the key says, and every field is a column of the class
table.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections import Counter
from pathlib import Path

import jsonschema
import numpy
import pypdfium2
import pytest
import zxingcpp

from attncalc import AttncalcError
from attncalc.exam.paper_build import exam
from attncalc.exam.scan_layout import CODE_TEXT, modules
from attncalc.exam.sheet.sheet_schema import key_schema
from attncalc.gradebook.answer_key import read_key
from attncalc.gradebook.entry_form import form_of

DPI = 150
SHEET = """\
title: Quiz
seed: 5e81c70b3fa2964d5e81c70b3fa2964e
students: [s-1, s-2]
large_print: [s-2]
rounding: {digits: 2}
scan: true
questions:
  - generate: self_attention
    with: {tokens: 3, d_model: 4, d_k: 3, mask: causal, entries: integers -2..2}
    asked: [S, "A[1]", Z]
  - {ask: Why?, free_text: "", points: 2}
  - {ask: Which?, choices: [{right: this}, {wrong: that}], points: 1}
  - {generate: attention, with: {tokens: 2, d_k: 2}, choices: 3, asked: [Z], points: 2}
  - {generate: layer_norm, with: {tokens: 2, d_model: 3}, asked: [Y], points: 4, blanks: false}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    home = tmp_path_factory.mktemp("exam")
    (home / "quiz.yaml").write_text(SHEET)
    exam(str(home / "quiz.yaml"), str(home / "out"), jobs=1)
    return home


@pytest.fixture(scope="module")
def key(folder) -> dict:
    return json.loads((folder / "out" / "key.json").read_text())


@pytest.fixture(scope="module")
def pages(folder, key) -> dict[tuple[str, int], numpy.ndarray]:
    """Every page of every paper in grey."""
    shown = {}
    for path in sorted((folder / "out").glob("paper-*.pdf")):
        document = pypdfium2.PdfDocument(str(path))
        for number, page in enumerate(document, 1):
            shown[path.stem[-4:], number] = page.render(scale=DPI / 72, grayscale=True).to_numpy()
    return shown


def pixels(*lengths: float) -> list[int]:
    return [round(length * DPI / 25.4) for length in lengths]


def test_every_field_is_one_column_of_the_class_table(folder, key):
    columns = form_of(read_key(str(folder / "out" / "key.json"))).tabs
    named = {entry.key: (tab.title, entry) for tab in columns for entry in tab.entries}
    jsonschema.validate(key, key_schema())
    for paper in key["scan"]["papers"].values():
        assert [field["page"] for field in paper["fields"]] == sorted(field["page"] for field in paper["fields"])
        entries = Counter(field["column_name"] for field in paper["fields"] if field["kind"] == "entry")
        assert entries == Counter(name for name, (_, entry) in named.items() if entry.is_number and "q5" not in name)
        for field in paper["fields"]:
            if field["column_name"] in named:
                title, entry = named[field["column_name"]]
                assert (field["question"], field["step"], field["row"], field["column"]) == (
                    title, entry.step, entry.row, entry.column
                )  # fmt: skip
                assert ("option" in field) == (field["kind"] == "tick") == bool(entry.letters)
            else:
                assert field["kind"] == "text" and any(
                    name.startswith(field["column_name"] + "[") and title == field["question"]
                    for name, (title, _) in named.items()
                )
        ticks = [(field["column_name"], field["option"]) for field in paper["fields"] if field["kind"] == "tick"]
        assert ticks == [("q3", letter) for letter in "AB"] + [("q4", letter) for letter in "ABC"]


def test_every_page_has_its_code_and_its_marks(key, pages):
    scan = key["scan"]
    assert {code: paper["pages"] for code, paper in scan["papers"].items()} == Counter(code for code, _ in pages)
    for (code, number), page in pages.items():
        (barcode,) = zxingcpp.read_barcodes(page, zxingcpp.BarcodeFormat.DataMatrix)
        assert barcode.text == scan["papers"][code]["codes"][number - 1]
        assert CODE_TEXT.fullmatch(barcode.text) and barcode.text.startswith(f"{code}{number:02}")
        for x, y in scan["marks"]:
            half = scan["mark"] / 2
            left, top, right, bottom = pixels(x - half, y - half, x + half, y + half)
            assert page[top + 1 : bottom - 1, left + 1 : right - 1].max() < 40
            around = page[top - 8 : bottom + 8, left - 8 : right + 8].astype(float)
            around[6:-6, 6:-6] = 255
            assert around.min() > 200


def test_every_box_is_empty_and_has_its_border_where_the_key_says(key, pages):
    large = []
    for code, paper in key["scan"]["papers"].items():
        for field in paper["fields"]:
            x, y, width, height = field["box"]
            page = pages[code, field["page"]]
            left, top, right, bottom = pixels(x, y, x + width, y + height)
            if field["kind"] == "text":
                assert width > 100 and height > 10
            else:
                inside = page[top + 3 : bottom - 2, left + 3 : right - 2]
                assert inside.min() > 240 and inside.size > 300
                edges = (page[top - 2 : top + 3, left:right].min(0), page[bottom - 2 : bottom + 3, left:right].min(0),
                         page[top:bottom, left - 2 : left + 3].min(1), page[top:bottom, right - 2 : right + 3].min(1))  # fmt: skip
                assert all(numpy.mean(edge < 230) > 0.8 for edge in edges)
            large += [height] if field["kind"] == "entry" else []
    assert {*large} == {8.0, 12.8}


def test_a_solution_has_no_code_and_the_same_pages(folder, key):
    for code, paper in key["scan"]["papers"].items():
        (path,) = (folder / "out").glob(f"solution-*{code}.pdf")
        document = pypdfium2.PdfDocument(str(path))
        assert len(document) == paper["pages"]
        assert not zxingcpp.read_barcodes(
            document[0].render(scale=DPI / 72).to_numpy(), zxingcpp.BarcodeFormat.DataMatrix
        )


def test_a_code_depends_on_the_paper_the_page_and_the_numbers(key):
    codes = [text for paper in key["scan"]["papers"].values() for text in paper["codes"]]
    assert len({text[:6] for text in codes}) == len({text[6:] for text in codes}) == len(codes)
    rows = modules(codes[0])
    assert rows == modules(codes[0]) != modules(codes[1]) and rows[-1] == 2 ** len(rows) - 1


def test_a_second_run_changes_nothing_and_moved_fields_are_refused(folder, tmp_path):
    home = tmp_path / "again"
    shutil.copytree(folder, home)
    assert exam(str(home / "quiz.yaml"), str(home / "out"), jobs=1).new == 0
    path = home / "out" / "key.json"
    data = json.loads(path.read_text())
    next(iter(data["scan"]["papers"].values()))["fields"][0]["box"][0] += 1
    path.write_text(json.dumps(data))
    with pytest.raises(AttncalcError, match="would have their fields in different positions"):
        exam(str(home / "quiz.yaml"), str(home / "out"), jobs=1)


REFUSED = [
    ("scan: maybe", {}, "7:7: scan: expected true or false, found 'maybe'"),
    ("scna: true", {}, "did you mean scan?"),
    ("scan: true", {"targets": ("pdf", "latex")}, "7:1: scan: works only with PDF"),
    ("scan: true", {"template": "templates/exam"}, "7:1: scan: works only with the templates of attncalc"),
]


@pytest.mark.parametrize(("line", "options", "message"), REFUSED)
def test_what_cannot_be_scanned_is_refused(tmp_path, line, options, message):
    sheet = tmp_path / "quiz.yaml"
    sheet.write_text(SHEET.replace("scan: true", f"course: C\n{line}"))
    with pytest.raises(AttncalcError) as caught:
        exam(str(sheet), str(tmp_path / "out"), **options)
    assert message in str(caught.value) and not (tmp_path / "out").exists()


def test_a_missing_package_is_named_with_its_command(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "zxingcpp", None)
    (tmp_path / "quiz.yaml").write_text(SHEET)
    with pytest.raises(AttncalcError, match=r"not installed: pip install 'attncalc\[scan\]'"):
        exam(str(tmp_path / "quiz.yaml"), str(tmp_path / "out"))


def test_more_pages_than_codes_are_refused(folder, tmp_path, monkeypatch):
    monkeypatch.setattr("attncalc.exam.scan_layout.MOST_PAGES", 1)
    with pytest.raises(AttncalcError, match="scan: expected at most 1 pages, found"):
        exam(str(folder / "quiz.yaml"), str(tmp_path / "out"), jobs=1)

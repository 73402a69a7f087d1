"""A workbook costs only itself, whatever is in it: a class with hostile ones stays small, and is graded."""

import csv
import io
import resource
import subprocess
import sys
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncalc.errors import AttncalcError
from attncalc.submissions.script_reader import read
from attncalc.submissions.tables.table_reader import sheets_of
from attncalc.submissions.tables.workbook import MOST_CELLS
from tests.properties.workbooks import archive, laughs, ods, ods_cell, ods_row, xlsx
from tests.support.laws import examples
from tests.support.sweeps import for_each

MEMORY, PROCESSOR = 1_000_000_000, 120  # bytes and seconds that a class may take
SPANS = "<text:span>" * 30_000 + "1" + "</text:span>" * 30_000
STRING = '<row><c t="s"><v>5</v></c></row>'
QUICK = {
    "nested.ods": (lambda: ods(ods_row(ods_cell("student") + ods_cell(SPANS))), "nested elements"),
    "columns.ods": (lambda: ods(ods_row(ods_cell("1", 999_999_999))), "columns"),
    "rows.ods": (lambda: ods(ods_row(ods_cell("1", 16_384), 999_999_999)), "300,000 cells"),
    "sheets.ods": (lambda: ods("</table:table><table:table>".join([ods_row(ods_cell("1"))] * 70_000)), "1,000 sheets"),
    "far.xlsx": (lambda: xlsx('<row><c r="XFD1"><v>1</v></c></row>' * 1_000), "300,000 cells"),
    "deep.xlsx": (lambda: xlsx(sheet="<a>" * 1_400_000), "nested elements"),
    "long.xlsx": (lambda: xlsx(STRING, strings=f"<sst><si><t>{'a' * 39_000_000}</t></si></sst>"), "characters in a cell"),
    "large.xlsx": (lambda: xlsx(sheet=" " * 41_000_000), "at most 40 MB when unpacked, found 41,024,576 bytes"),
    "tag.xlsx": (lambda: xlsx(sheet="<a " + "".join(f"a{k}='' " for k in range(300_000)) + "/>"), "a tag of at most"),
    "files.xlsx": (lambda: archive({f"xl/{k}": "" for k in range(10_001)}), "10,000 files"),
    "lzma.xlsx": (lambda: xlsx(STRING, zipfile.ZIP_LZMA), "an unknown compression"),
    "times.xlsx": (lambda: xlsx('<row><c t="s"><v>0</v></c></row>' * 200, strings=f"<sst><si><t>{'a' * 32_000}</t></si></sst>"), "5,000,000 characters"),
    "utf8.ods": (lambda: ods(ods_row(ods_cell("&i;")), *laughs("utf-8")), "a document type"),
    "utf16.ods": (lambda: ods(ods_row(ods_cell("&i;")), *laughs("utf-16")), "a document type"),
    "latin.ods": (lambda: ods(ods_row(ods_cell("&i;")), *laughs("iso-8859-1")), "a document type"),
    "entity.xlsx": (lambda: xlsx(sheet=f"{laughs('')[0]}<worksheet>&i;</worksheet>"), "a document type"),
    "entity16.xlsx": (lambda: xlsx(sheet=f"{laughs('')[0]}<worksheet>&i;</worksheet>".encode("utf-16")), "a document type"),
    "commas.csv": (lambda: b"student" + b"," * 900_000, "expected answers below the header"),
}  # fmt: skip
LARGE = {
    "strings.xlsx": (lambda: xlsx(STRING, strings=f"<sst>{'<si/>' * 7_000_000}</sst>"), "1,500,000 XML tags"),
    "blank.xlsx": (lambda: xlsx(f"<row>{'<c/>' * 100}</row>" * 79_000), "1,500,000 XML tags"),
    "format.xlsx": (lambda: xlsx(STRING, styles="<a><numFmts><numFmt formatCode='" + "[x" * 400_000 + "'/></numFmts></a>"), "expected answers below the header"),
    "cells.xlsx": (lambda: xlsx(f"<row>{'<c><v>1</v></c>' * 100}</row>" * 3_010), "300,000 cells"),
}  # fmt: skip
PROBLEM = "given: {S: [[1, 2]]}\nsteps: {A: 2 * S}\n"


def grade(folder, files):
    """The table and the messages for a class of which one student works well, and each of the others in such a file."""
    (folder / "scripts").mkdir()
    (folder / "p.yaml").write_text(PROBLEM)
    (folder / "scripts" / "ada.yaml").write_text("answers: {A: [[2, 4]]}\n")
    (folder / "scripts" / "zoe.csv").write_text('student,"A[0,0]","A[0,1]"\nzoe,2,4\n')
    for name, (content, _) in files.items():
        (folder / "scripts" / name).write_bytes(content())

    def limits():
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR, PROCESSOR))

    words = [sys.executable, "-m", "attncalc", "grade", "p.yaml", "scripts", "-o", "marks.csv"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, preexec_fn=limits)
    assert done.returncode == 1, done.stderr
    with open(folder / "marks.csv", encoding="utf-8-sig", newline="") as file:
        return {row["file"].partition("/")[2].partition(":")[0]: row for row in csv.DictReader(file)}, done.stderr


def only_the_hostile_are_lost(folder, files):
    rows, said = grade(folder, files)
    for name in ("ada.yaml", "zoe.csv"):
        assert (rows[name]["status"], rows[name]["marks"]) == ("graded", rows[name]["out_of"])
    for name, (_, why) in files.items():
        assert rows[name]["status"] == "not graded" and why in rows[name]["remarks"], rows[name]
        assert f"scripts/{name}:" in said and "Traceback" not in said


@pytest.mark.parametrize("files", [QUICK, pytest.param(LARGE, marks=pytest.mark.slow)])
def test_hostile_workbooks_cost_only_themselves(files, tmp_path):
    only_the_hostile_are_lost(tmp_path, files)


COUNTS = st.sampled_from([1, 2, 3, 100, 16_384, 2**20, 10**9, "1e9", -1, "0", "٣"])
CELLS = st.lists(st.tuples(st.sampled_from(["", "1", " ", "a<text:s text:c='99999999'/>"]), COUNTS), max_size=4)
ROWS = st.lists(st.tuples(CELLS, COUNTS), max_size=4)


@examples(60)
@given(ROWS)
def test_repeated_cells_are_counted_before_they_are_kept(rows):
    """As many cells as the limit at most, and each at the place that OpenDocument gives it."""
    data = ods("".join(ods_row("".join(ods_cell(*cell) for cell in cells), count) for cells, count in rows))
    try:
        found = [row for sheet in sheets_of(data, "a.ods") for row in sheet.rows]
    except AttncalcError as error:
        assert str(error).startswith("a.ods: expected a table of at most ")
        return
    assert sum(map(len, found)) <= MOST_CELLS
    assert all(row[-1].text.strip() and cell.place[1:3] == (row[0].place.line, k)
               for row in found for k, cell in enumerate(row, 1))  # fmt: skip


def merged(kind, i, j, down, right):
    """Return a workbook of one student with a step S of 3 × 3 whose cell at i, j covers others."""
    numbers = [[str(3 * a + b + 2) for b in range(3)] for a in range(3)]
    if kind == "ods":
        span = f'table:number-rows-spanned="{down}" table:number-columns-spanned="{right}" '
        rows = [
            "".join(
                ods_cell(x).replace("table:number-c", f"{span * ((a, b) == (i, j))}table:number-c")
                for b, x in enumerate(row)
            )
            for a, row in enumerate(numbers)
        ]
        return ods(ods_row(ods_cell("S")) + "".join(map(ods_row, rows)))
    cell = '<c r="{}{}" t="str"><v>{}</v></c>'.format
    rows = "".join(f'<row r="{a + 2}">{"".join(cell("ABC"[b], a + 2, x) for b, x in enumerate(row))}</row>'
                   for a, row in enumerate(numbers))  # fmt: skip
    ref = f"{'ABC'[j]}{i + 2}:{'ABCDEF'[j + right - 1]}{i + 1 + down}"
    title = '<row r="1"><c r="A1" t="str"><v>S</v></c></row>'
    return xlsx(sheet=f'<worksheet><sheetData>{title}{rows}</sheetData><mergeCells><mergeCell ref="A1:C1"/>'
                      f'<mergeCell ref="{ref}"/></mergeCells></worksheet>')  # fmt: skip


@pytest.mark.parametrize("kind", ["xlsx", "ods"])
@pytest.mark.parametrize(("down", "right"), [(1, 2), (2, 1), (2, 3)])
@examples(9)
@given(i=st.integers(0, 2), j=st.integers(0, 2))
def test_law_a_number_in_merged_cells_is_not_used_and_is_reported(i, j, down, right, kind):
    script = read(merged(kind, i, j, down, right), f"a.{kind}", lenient=True)
    (answer,) = script.answers
    assert [[cell is None for cell in row] for row in answer.rows] == [
        [(a, b) == (i, j) for b in range(3)] for a in range(3)
    ]
    (unread,) = script.unread
    assert "merged cells" in unread.fault.message and unread.step == "S"


@examples(100)
@given(st.binary(max_size=40), st.integers(0, 400), st.sampled_from(["xlsx", "ods"]))
def test_any_change_of_a_member_is_read_or_refused(change, at, kind):
    """What is inside, not the archive around it, is changed."""
    member = "xl/s.xml" if kind == "xlsx" else "content.xml"
    whole = xlsx('<row r="2"><c r="B2"><v>1</v></c></row>') if kind == "xlsx" else ods(ods_row(ods_cell("1"), 2))
    with zipfile.ZipFile(io.BytesIO(whole)) as there:
        parts = {name: there.read(name) for name in there.namelist()}
    parts[member] = parts[member][:at] + change + parts[member][at + len(change) :]
    try:
        sheets_of(archive(parts), "a.xlsx")
    except AttncalcError as error:
        assert all(str(fault).startswith("a.xlsx") for fault in error.faults)


STRIKE = {"line": 'style:text-line-through-style="solid"', "type": 'style:text-line-through-type="double"'}
STRUCK = {  # a row of two numbers, of which the first is crossed out wholly or in part
    "a cell": ('<table:table-cell table:style-name="k" {0}><text:p>{1}</text:p></table:table-cell>', ""),
    "a style that is based on another": (
        '<table:table-cell table:style-name="of k" {0}><text:p>{1}</text:p></table:table-cell>', "",
    ),
    "a part": ('<table:table-cell {0}><text:p><text:span text:style-name="t">{1}</text:span>{2}</text:p></table:table-cell>', "6.5"),
    "a paragraph": (
        '<table:table-cell {0}><text:p><text:span text:style-name="t">{1}</text:span></text:p><text:p>{2}</text:p></table:table-cell>', "6.5",
    ),
    "a column": ('<table:table-cell {0}><text:p>{1}</text:p></table:table-cell>', ""),
}  # fmt: skip


@for_each("how", STRIKE)
@for_each("where", STRUCK)
def test_what_is_crossed_out_in_a_sheet_is_no_answer_and_is_noted(where, how):
    form, rest = STRUCK[where]
    styles = "".join(
        f'<style:style style:name="{name}" style:family="{family}" style:parent-style-name="{parent}">'
        f"{f'<style:text-properties {STRIKE[how]}/>' * (name in 'kt')}</style:style>"
        for family, name, parent in (("table-cell", "k", ""), ("table-cell", "of k", "k"), ("text", "t", ""))
    )
    columns = '<table:table-column table:default-cell-style-name="k"/>' if where == "a column" else ""
    name = '<table:table-cell table:style-name="plain"><text:p>S</text:p></table:table-cell>'
    cell = form.format('office:value-type="float" office:value="2.5"', "2.5", rest)
    other = '<table:table-cell table:style-name="plain" office:value-type="float" office:value="1.75"><text:p>1.75</text:p></table:table-cell>'
    data = ods(columns + ods_row(name) + ods_row(cell + other), styles=styles)
    script = read(data, "a.ods", lenient=True)
    assert [[typed and typed.text for typed in row] for row in script.answers[0].rows] == [[rest or None, "1.75"]]
    assert "'2.5' is crossed out" in str(script.crossed[0]) and not script.unread

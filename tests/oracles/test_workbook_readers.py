"""Workbooks are read as openpyxl reads them: a reader that shares nothing with this one."""

import io
from datetime import date, datetime, time

import openpyxl
from hypothesis import given
from hypothesis import strategies as st

from attncalc.submissions.located_text import Stored
from attncalc.submissions.tables.table_reader import sheets_of
from attncalc.submissions.tables.xml_stream import as_shown
from tests.support.laws import examples

TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1, max_size=20)
VALUES = st.one_of(
    st.none(), TEXTS.filter(lambda text: not text.startswith("=") and "_x" not in text),
    st.integers(-(10**20), 10**20), st.floats(allow_nan=False, allow_infinity=False), st.booleans(),
    st.dates(date(1901, 1, 1), date(9000, 1, 1)), st.times().map(lambda one: one.replace(microsecond=0)),
    st.datetimes(datetime(1901, 1, 1), datetime(9000, 1, 1)).map(lambda one: one.replace(microsecond=0)),
)  # fmt: skip
FORMATS = st.sampled_from(["General", "0", "0.00", "#,##0.000", "00000", '0.0 "days"', "[Red]0.00"])


def as_text(value, style):
    """A value of openpyxl as the text that a person sees."""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, int | float):
        return as_shown(value, style)
    return str(value).removesuffix(" 00:00:00") if isinstance(value, date | time) else value or ""


@examples(150)
@given(st.lists(st.lists(st.tuples(VALUES, FORMATS), max_size=5), max_size=5), st.booleans())
def test_a_workbook_is_read_as_openpyxl_reads_it(rows, since_1904):
    book = openpyxl.Workbook()
    if since_1904:
        book.epoch = openpyxl.utils.datetime.CALENDAR_MAC_1904
    sheet = book.active
    for i, row in enumerate(rows, 2):
        for j, (value, style) in enumerate(row, 3):
            cell = sheet.cell(i, j, value)
            if isinstance(value, int | float):
                cell.number_format = style
    out = io.BytesIO()
    book.save(out)
    again = openpyxl.load_workbook(io.BytesIO(out.getvalue())).active
    expected = {}
    for row in again.iter_rows():
        for cell in row:
            if (text := as_text(cell.value, cell.number_format)).strip():
                is_number = isinstance(cell.value, int | float) and not isinstance(cell.value, bool)
                expected[cell.row, cell.column] = text, is_number
    found = {
        (cell.place.line, cell.place.column): (cell.text, isinstance(cell, Stored))
        for sheet in sheets_of(out.getvalue(), "a.xlsx")
        for row in sheet.rows
        for cell in row
        if cell.text.strip()
    }
    assert found == expected


def test_a_formula_without_a_value_stands_for_itself():
    book = openpyxl.Workbook()
    book.active.append(["=A2+1", 1])
    out = io.BytesIO()
    book.save(out)
    ((first, _),) = sheets_of(out.getvalue(), "a.xlsx")[0].rows
    assert first.text == "=A2+1" and not isinstance(first, Stored)

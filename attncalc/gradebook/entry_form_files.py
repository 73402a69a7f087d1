"""A form as a file: a workbook with a tab for each question, or CSV. `grade` reads both back, and the columns may be
moved and rows sorted.

Entries are cells of the format Text, so that a spreadsheet keeps what is typed: 0.50 with its zero, 1/3 as a fraction
and no date.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from itertools import groupby
from operator import attrgetter
from typing import Any

from .. import safe_files
from ..errors import shorten
from ..formula.index_base import counted_place
from .entry_form import Entry, Form, Line, Tab

ABOUT = (("student", "student"), ("name", "name"), ("code", "problem"))  # of a line, and the heads of their columns
HEADS = 5  # lines above the students: what to do, step, row, column, and the name by which the column is read
WIDTHS = {"student": 14, "name": 24, "problem": 9}
ENTRY_WIDTH = 8.5
INK, QUIET, RULE, WRONG = "FF1F2430", "FF6B7280", "FFB8BEC9", "FFFFC9C4"  # colours: opacity, red, green, blue
HEAD, GIVEN, CLOSED = "FFEAEDF3", "FFE3E6EB", "FFC9CED6"
NUMBERS = (
    "Type what the student wrote: 0.50 or 0,50, 1/3, −∞ or -inf. Leave blank entries empty. Grey: determined by a mask."
)
TICKS = "Type the letters that the student ticked: B, or A, C. If nothing is ticked, leave the cell empty."
BY_HAND = (
    "Type the points that you give, such as 1 or 0.5, at most {most}. "
    "If you have not marked an answer yet, leave its cell empty."
)
DARK = "Dark: not asked."
TITLE = "Please check this entry"
EXPECTED = "Expected a number, such as 0.67 (or 0,67), 1/3, 1.5e-3, -inf or sqrt(2)/2; for a blank, type _ or nothing."
POINTS_EXPECTED = "Expected points from 0 to {most}."
NOT_ASKED = "This paper does not ask for this entry."
# Whether a cell can be read, in the language of spreadsheets; %s is the cell. At most 255 signs.
READABLE = (
    'OR(ISNUMBER(_xlfn.NUMBERVALUE(SUBSTITUTE(SUBSTITUTE(SUBSTITUTE(%s,",","."),"/",""),"−","-"),".",";")),'
    'ISNUMBER(SEARCH("inf",%s)),ISNUMBER(SEARCH("∞",%s)),ISNUMBER(FIND("(",%s)),%s="_",%s="-",%s="x")'
)
_POINTS = '_xlfn.NUMBERVALUE(SUBSTITUTE(%s,",","."),".",";")'
POINTS = f"IFERROR(AND({_POINTS}>=0,{_POINTS}<=%m),FALSE)"
_NO_TITLE = re.compile(r"[\[\]:*?/\\']")
LONGEST_TITLE = 31


def as_csv(form: Form) -> str:
    """Return the form as CSV with a line for each student and a byte-order mark for spreadsheets."""
    about = _about(form)
    rows = [[*(head for _, head in about), *form.keys]]
    # a line for anybody, which must not look like none
    is_single = not any(line.student or line.code for line in form.lines)
    for line in form.lines:
        cells = (("_" if is_single else line.cells.get(key, "")) for key in form.keys)
        rows.append([*(getattr(line, name) for name, _ in about), *cells])
    return ("" if is_single else "\ufeff") + safe_files.as_csv(rows)


def _about(form: Form) -> list[tuple[str, str]]:
    shown = {"student": True, "name": form.has_names, "code": form.has_codes}
    return [(name, head) for name, head in ABOUT if shown[name]]


def as_workbook(form: Form) -> bytes:
    """Return the form as an .xlsx workbook: a tab for each question, frozen headings and validated cells."""
    from openpyxl import Workbook

    book = Workbook()
    book.remove(book.active)
    book.properties.title = shorten(form.title, 200)
    titles = _titles(form.tabs)
    for tab, title in zip(form.tabs, titles, strict=True):
        _Sheet(book.create_sheet(title), form, tab).write()
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _titles(tabs: list[Tab]) -> list[str]:
    """Return unique tab titles without the characters that spreadsheets reject."""
    titles: list[str] = []
    for tab in tabs:
        title = _NO_TITLE.sub("_", shorten(tab.title, LONGEST_TITLE)) or "Answers"
        again = (f"{title[: LONGEST_TITLE - 4]} {k}" for k in range(2, len(tabs) + 2))
        taken = {used.casefold() for used in titles}
        titles.append(
            title
            if title.casefold() not in taken
            else next(candidate for candidate in again if candidate.casefold() not in taken)
        )
    return titles


class _Sheet:
    """Writer of one tab."""

    def __init__(self, sheet: Any, form: Form, tab: Tab):
        from openpyxl.styles import Alignment, Border, Font, PatternFill, Side

        self.sheet, self.form, self.tab = sheet, form, tab
        self.about = _about(form)
        self.first = len(self.about) + 1  # the column of the first entry
        self.fills = {colour: PatternFill("solid", start_color=colour) for colour in (HEAD, GIVEN, CLOSED)}
        self.bold, self.quiet, self.ink = Font(bold=True, color=INK), Font(size=8, color=QUIET), Font(color=INK)
        self.grey = Font(color=QUIET)
        self.centre = Alignment(horizontal="center", vertical="center")
        self.right, self.left = Alignment(horizontal="right"), Alignment(horizontal="left", vertical="center")
        self.thin, self.thick = Side(style="hair", color=RULE), Side(style="thin", color=QUIET)
        self.border = Border

    def write(self) -> None:
        self.heads()
        for k, line in enumerate(self.form.lines, HEADS + 1):
            self.line(k, line)
        self.sheet.freeze_panes = self.sheet.cell(HEADS + 1, self.first)
        self.sheet.sheet_view.zoomScale = 110
        self.widths()
        self.add_validation()

    def put(self, row: int, column: int, text: str, **style: object) -> Any:
        """Write a text cell, which no spreadsheet converts to a formula, number or date."""
        cell = self.sheet.cell(row, column)
        if text:
            cell.value = text
            cell.data_type = "s"
        cell.number_format = "@"
        for name, value in style.items():
            setattr(cell, name, value)
        return cell

    # -- headings ------------------------------------------------------------------------------------------------------

    def heads(self) -> None:
        head = {"fill": self.fills[HEAD]}
        title = [f"{shorten(self.form.title, 100)}."] if self.form.title else []
        instructions = " ".join([*title, *dict.fromkeys(map(_what_to_type, self.tab.entries)), DARK])
        self.put(1, 1, instructions, font=self.ink, alignment=self.left)
        for k, (_, name) in enumerate(self.about, 1):
            for row in range(2, HEADS):
                self.put(row, k, "", **head)
            self.put(HEADS, k, name, font=self.bold, **head)
        for k, entry in enumerate(self.tab.entries, self.first):
            self.put(HEADS, k, entry.key, font=self.quiet, alignment=self.centre, border=self.edge(k), **head)
        self.band(2, lambda entry: (entry.step, entry.key.partition("[")[0]), _of_step)
        self.band(3, lambda entry: (entry.key.partition("[")[0], entry.row), _of_row)
        self.band(4, lambda entry: (entry.key,), _of_column)

    def band(self, row: int, group_key: Callable[[Entry], Any], describe: Callable[[Entry], str]) -> None:
        """Write one heading over each run of columns with the same group key."""
        at = self.first
        for _, run in groupby(self.tab.entries, key=group_key):
            entries = list(run)
            for k in range(at, at + len(entries)):
                self.put(row, k, "", fill=self.fills[HEAD], border=self.edge(k))
            self.put(row, at, describe(entries[0]), font=self.bold if row == 2 else self.ink, alignment=self.centre)
            if len(entries) > 1:
                self.sheet.merge_cells(start_row=row, start_column=at, end_row=row, end_column=at + len(entries) - 1)
            at += len(entries)

    def edge(self, column: int) -> Any:
        """Return the border of a column: thick at the first column of a step or row, else thin."""
        k = column - self.first
        entries = self.tab.entries
        begins = k == 0 or entries[k].key.partition("[")[0] != entries[k - 1].key.partition("[")[0]
        return self.border(
            left=self.thick if begins or entries[k].row != entries[k - 1].row else self.thin, bottom=self.thin
        )

    # -- lines ---------------------------------------------------------------------------------------------------------

    def line(self, row: int, line: Line) -> None:
        for k, (name, _) in enumerate(self.about, 1):
            self.put(row, k, getattr(line, name), font=self.ink)
        for k, entry in enumerate(self.tab.entries, self.first):
            text = line.cells.get(entry.key)
            style: dict[str, object] = (
                {} if text == "" else {"fill": self.fills[CLOSED if text is None else GIVEN], "font": self.grey}
            )
            self.put(row, k, text or "", alignment=self.right, border=self.edge(k), **style)

    def widths(self) -> None:
        from openpyxl.utils import get_column_letter

        for k, (_, head) in enumerate(self.about, 1):
            self.sheet.column_dimensions[get_column_letter(k)].width = WIDTHS[head]
        for k in range(self.first, self.first + len(self.tab.entries)):
            wide = not self.tab.entries[k - self.first].is_number
            self.sheet.column_dimensions[get_column_letter(k)].width = 2 * ENTRY_WIDTH if wide else ENTRY_WIDTH

    # -- what may be typed ---------------------------------------------------------------------------------------------

    def add_validation(self) -> None:
        """Add a warning for unreadable cells and a block for cells that the paper does not ask for."""
        rules = ((READABLE, EXPECTED, attrgetter("is_number")), (POINTS, POINTS_EXPECTED, attrgetter("most")))
        for formula, message, kind in rules:
            for most in sorted({entry.most for entry in self.tab.entries if kind(entry)}):
                asked = self.ranges(lambda entry, line: kind(entry) and entry.most == most and entry.key in line.cells)  # noqa: B023
                self.validate_cells(list(asked), formula.replace("%m", most), message.format(most=most), "warning")
        closed = self.ranges(lambda entry, line: entry.key not in line.cells)
        self.validate_cells(list(closed), "FALSE", NOT_ASKED, "stop")

    def validate_cells(self, places: list[str], formula: str, message: str, style: str) -> None:
        """Require that `formula` holds for some cells (%s is the cell); pasted cells that violate it turn red."""
        from openpyxl.formatting.rule import FormulaRule
        from openpyxl.styles import PatternFill
        from openpyxl.worksheet.datavalidation import DataValidation

        red = PatternFill("solid", start_color=WRONG, end_color=WRONG)
        for place in places:  # one block each: programs differ in which cell of several blocks a formula starts from
            asked = formula.replace("%s", place.partition(":")[0])
            self.sheet.add_data_validation(DataValidation(
                "custom", formula1=asked, allow_blank=True, errorStyle=style, errorTitle=TITLE, error=message,
                sqref=place, showErrorMessage=True,
            ))  # fmt: skip
            if style == "warning":
                self.sheet.conditional_formatting.add(
                    place, FormulaRule([f"AND(LEN({place.partition(':')[0]})>0,NOT({asked}))"], fill=red)
                )

    def ranges(self, wanted: Callable[[Entry, Line], bool]) -> Iterator[str]:
        """Yield cell ranges in which `wanted` holds, as blocks of consecutive lines and columns."""
        from openpyxl.utils import get_column_letter

        def runs(entry: Entry) -> tuple[tuple[int, int], ...]:
            rows = groupby(enumerate(self.form.lines, HEADS + 1), key=lambda numbered: wanted(entry, numbered[1]))
            listed = [(kept, list(run)) for kept, run in rows]
            return tuple((run[0][0], run[-1][0]) for kept, run in listed if kept)

        for same, columns in groupby(enumerate(self.tab.entries, self.first), key=lambda numbered: runs(numbered[1])):
            places = [k for k, _ in columns]
            for top, bottom in same:
                yield f"{get_column_letter(places[0])}{top}:{get_column_letter(places[-1])}{bottom}"


def _what_to_type(entry: Entry) -> str:
    """Return the instruction for a column: numbers, ticked letters, or points."""
    return NUMBERS if entry.is_number else TICKS if entry.letters else BY_HAND.format(most=entry.most)


def _of_step(entry: Entry) -> str:
    rows, columns = entry.shape
    part = entry.key.partition("[")[0]
    return part if entry.shape == (1, 1) else f"{part} ({rows} × {columns})"


def _of_row(entry: Entry) -> str:
    return "" if entry.shape[0] == 1 else shorten(entry.row_label, 30) or f"row {counted_place(entry.row)}"


def _of_column(entry: Entry) -> str:
    if not entry.is_number:
        return entry.limits
    return "" if entry.shape[1] == 1 else shorten(entry.column_label, 16) or f"column {counted_place(entry.column)}"

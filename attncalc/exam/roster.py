"""Reads class lists from a spreadsheet or a course system: a workbook, any kind of CSV, or one student per line."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..errors import AttncalcError, Diagnostic, Diagnostics, Location, counted, did_you_mean, shorten, warn
from ..submissions.column_names import (
    FIRST,
    ID,
    KNOWN,
    LANGUAGE,
    LAST,
    LOGIN,
    MAIL,
    NAME,
    NOBODY,
    NUMBER,
    OF_ONE_NAME,
    TRIAL,
    column,
    plain,
)
from ..submissions.located_text import Stored, Written
from ..submissions.tables.table_reader import Sheet, sheets_of
from .sheet.model import Student

SAMPLES = ("number, student number, matriculation number, Matrikelnummer, ID number or username for the numbers, "
           "name, first name, last name, Vorname or Nachname for the names")  # fmt: skip
LONGEST_NUMBER, LONGEST_NAME = 100, 200
HEADER_WITHIN = 12  # lines in which the header is sought, because a title may be above it
# A long number that a spreadsheet has shortened, such as 1.23457E+11
_TRUNCATED = re.compile(r"[0-9][.,][0-9]+E\+?[0-9]+", re.IGNORECASE)
# Signs with which a number keeps its zeros in a spreadsheet: '00417, #00417
_TEXT_SIGN = re.compile(r"'(?=[0-9=+@-])|#(?=[0-9])")
_WHO = re.compile(r"['#]?\w[\w.'’@+~-]*(?:,? [\w.'’-]+){0,4}|")  # a number, a login, an email address or a name
# Invisible characters, except the joiners of Persian and Hindi
_INVISIBLE = re.compile("[\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]")


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a class list: number, name, aliases (email addresses, logins) that replace a missing number, and the
    language of the paper.
    """

    number: Written
    name: str = ""
    aliases: tuple[str, ...] = ()
    language: str = ""

    @property
    def substitute(self) -> str:
        """The alias that replaces a missing number."""
        return self.aliases[0] if self.aliases else ""


def read_roster(data: bytes, source: str, most: int, known_languages: Sequence[str] = ()) -> list[Student]:
    """Return the students of a class list, each with a number and an optional name. Corrections and omissions are
    warnings.

    Raises AttncalcError with every fault and its place.
    """
    sheets = sheets_of(data, source, hidden=True)
    if not sheets:
        raise AttncalcError("expected students; the file is empty", Location(source, 1, 1))
    sheet = next((table for table in sheets if _header(table.rows) is not None), sheets[0])
    warn([sheet.note] if sheet.note else [])
    entries = list(_entries(sheet))
    if len(entries) > most:
        raise AttncalcError(f"expected at most {most:,} students, found {len(entries):,}", Location(source))
    return unique_students(entries, known_languages)


def _entries(sheet: Sheet) -> Iterator[Entry]:
    """Yield the lines with a student."""
    header_row = _header(sheet.rows)
    if header_row is None:
        return _without_header(sheet.rows)
    columns = _Columns(sheet.rows[header_row])
    body = [row for row in sheet.rows[header_row + 1 :] if not columns.is_header(row)]
    if not body:
        raise sheet.rows[header_row][0].fault("expected students below the header, found none")
    return _named_entries(columns, body)


def _header(rows: list[list[Written]]) -> int | None:
    """Return the index of the header: the first row with two known column names, otherwise the first row if it has one
    known name.
    """
    known_counts = [sum(plain(cell.text) in KNOWN for cell in row) for row in rows[:HEADER_WITHIN]]
    header_row = next((k for k, count in enumerate(known_counts) if count > 1), None)
    if header_row is not None or known_counts and known_counts[0]:
        return header_row or 0
    # below a title, a row may consist of one known name
    return next((k for k, count in enumerate(known_counts) if count and len(rows[k]) == 1 and k < 3), None)


class _Columns:
    """The columns of number and name. Raises AttncalcError if no column holds a number."""

    def __init__(self, header: list[Written]):
        self.heads = [plain(cell.text) for cell in header]
        number = column(self.heads, (*NUMBER, *ID[:1], *LOGIN, *ID[1:], *MAIL))
        if number is None:
            there = shorten(", ".join(self.heads), 100)
            raise header[0].fault(
                f"expected a column of the students' numbers, found {there}; the known names are {SAMPLES}"
            )
        self.number = number
        self.name_of = _names([*self.heads[:number], "", *self.heads[number + 1 :]])
        self.others = [k for names in (MAIL, LOGIN) if (k := column(self.heads, names)) is not None and k != number]

        self.language = column(self.heads, LANGUAGE)

    def is_header(self, row: list[Written]) -> bool:
        """Return whether a later row repeats the header."""
        words = [plain(cell.text) for cell in row if cell.text.strip()]
        return (
            words == self.heads
            if len(words) == 1
            else bool(words) and all(word in (*KNOWN, *LANGUAGE) for word in words)
        )

    def entry(self, row: list[Written]) -> Entry:
        name = " ".join(row[k].text.strip() for k in self.name_of if k < len(row)).strip()
        aliases = tuple(text for k in self.others if k < len(row) and (text := row[k].text.strip()))
        language = "" if self.language is None else _cell(row, self.language).text.casefold()
        return Entry(_cell(row, self.number), name, aliases, language)


def _names(heads: list[str]) -> list[int]:
    """Return the columns of the name, in order: the full name, or the first and the last name."""
    full, first, last = (column(heads, names) for names in (NAME, FIRST, LAST))
    if full is not None and heads[full] in OF_ONE_NAME and (first is None) != (last is None):
        first, last, full = (first, full, None) if last is None else (full, last, None)
    return [k for k in ([full] if full is not None else [first, last]) if k is not None]


def _named_entries(columns: _Columns, body: list[list[Written]]) -> Iterator[Entry]:
    """Yield the entry of each row with a student. An alias that replaces a missing number gives a warning."""
    entries = [entry for row in body if not _is_nobody(row, entry := columns.entry(row))]
    is_numbered = any(entry.number.text for entry in entries)
    if entries and not is_numbered and any(entry.substitute for entry in entries):
        _warn("this column is empty; the students' email addresses or logins are used instead", entries[0])
    for entry in entries:
        if not entry.number.text and entry.substitute and is_numbered:
            who = f"of {shorten(entry.name)!r} " if entry.name else ""
            _warn(f"the number {who}is missing; {shorten(entry.substitute)!r} is used instead", entry)
        yield entry


def _is_nobody(row: list[Written], entry: Entry) -> bool:
    """Return whether a row has no real student: a sum, an average, a test student of a course system, or a row without
    a name.
    """
    words = [plain(cell.text) for cell in row if cell.text.strip()]
    if words[:1] and words[0] in NOBODY:
        return True
    if plain(entry.name.replace(",", " ")) in TRIAL and not entry.number.text.isdigit():
        _warn(f"{shorten(entry.name)!r} is a test student of a course system and gets no paper", entry)
        return True
    if entry.name or entry.number.text or entry.substitute:
        return False
    _warn(f"this line names no student and is ignored: {shorten(', '.join(words))!r}", entry)
    return True


def _warn(message: str, entry: Entry) -> None:
    warn([Diagnostic(f"warning: {message}", entry.number.place)])


def _without_header(rows: list[list[Written]]) -> Iterator[Entry]:
    """Yield the entries of a list without a header, whose rows are a number, or a number and a name."""
    width, first = max(map(len, rows)), rows[0][0]
    if width > 2:
        there = f"found {counted(width, 'column')} with unknown names"
        raise first.fault(
            f"expected the names of the columns in the first line, {there}; the known names are {SAMPLES}"
        )
    odd = next((row[0] for row in rows if not _WHO.fullmatch(row[0].text.strip())), None)
    if odd is not None:
        raise odd.fault(f"expected a student in every line, such as 00417 or Ada Lovelace; found {shorten(odd.text)!r}")
    digits = [any(re.search(r"\d", cell.text) for cell in row) for row in rows]
    if not digits[0] and (width > 1 or len(rows) > 1 and all(digits[1:])):
        raise first.fault(
            f"expected names of columns, found {shorten(first.text.strip())!r}; the known names are {SAMPLES}"
        )
    return (Entry(row[0].trimmed(), row[1].text.strip() if len(row) > 1 else "") for row in rows)


def _cell(row: list[Written], k: int) -> Written:
    return row[k].trimmed() if k < len(row) else row[-1].part(len(row[-1].text), len(row[-1].text))


def unique_students(entries: Iterable[Entry], known_languages: Sequence[str] = ()) -> list[Student]:
    """Return every student once, each with a number. A repeated line is left out with a warning. Raises AttncalcError
    with every fault.
    """
    faults = Diagnostics()
    students: list[Student] = []
    first_lines: dict[str, tuple[int, str]] = {}
    for entry in entries:
        place = entry.number.place
        number, name = _strip_invisible(entry.number.text, "number", place), _strip_invisible(entry.name, "name", place)
        number = _TEXT_SIGN.sub("", number, count=1) if _TEXT_SIGN.match(number) else number
        number = number or _strip_invisible(entry.substitute, "number", place)
        if number and number.casefold() in first_lines:
            _report_duplicate(number, name, place, *first_lines[number.casefold()], faults)
            continue
        if fault := _fault(entry, number, name):
            faults.add(fault, place)
        first_lines.setdefault(number.casefold(), (place.line, name))
        if entry.language not in ("", *known_languages):
            known = f"; the known languages are {', '.join(known_languages)}"
            near = did_you_mean(entry.language, known_languages) or known
            message = (
                f"warning: the language {shorten(entry.language)!r} is unknown, "
                f"so the language of the exam sheet is used{near}"
            )
            warn([Diagnostic(message, place)])
        language = entry.language if entry.language in known_languages else ""
        students.append(Student(len(students) + 1, number, name, aliases=entry.aliases, language=language))
    faults.raise_any()
    return students


def _fault(entry: Entry, number: str, name: str) -> str:
    if not number:
        return f"expected a student's number{f' for {shorten(name)!r}' if name else ''}, found nothing"
    if len(number) > LONGEST_NUMBER or len(name) > LONGEST_NAME:
        most = f"of at most {LONGEST_NUMBER} and a name of at most {LONGEST_NAME} characters"
        return f"expected a student's number {most}"
    if _TRUNCATED.fullmatch(number) or isinstance(entry.number, Stored) and len(number) > 15:
        return (
            f"expected a student's number, found {number!r}, which a spreadsheet has shortened; "
            f"export the column as text"
        )
    return ""


def _report_duplicate(number: str, name: str, place: Location, line: int, first_name: str, faults: Diagnostics) -> None:
    """Report a second line with the same number. For the same name it is a warning, because the student gets one paper;
    otherwise it is a fault.
    """
    if name == first_name and name:
        who = f"{shorten(name)!r} ({shorten(number)})"
        warn([Diagnostic(f"warning: {who} is already listed in line {line} and gets only one paper", place)])
    else:
        faults.add(f"the student {shorten(number)!r} is listed twice; remove this line or line {line}", place)


def _strip_invisible(text: str, what: str, place: Location) -> str:
    """Return a text without invisible characters, such as marks of writing direction."""
    if not (invisible := _INVISIBLE.search(text)) and text.isprintable():
        return text
    if invisible:
        signs = f"invisible characters (U+{ord(invisible[0]):04X})"
        warn([Diagnostic(f"warning: the {what} {shorten(text)!r} contains {signs}; attncalc removes them", place)])
    visible = _INVISIBLE.sub("", text)
    spaced = (" " if unicodedata.category(c)[0] in "CZ" and c not in "\u200c\u200d" else c for c in visible)
    return " ".join("".join(spaced).split())

"""The web page for typing the answers of a class, and for confirming scanned answers.

A request is `{"do": "save", ...}`, and a response is `{...}` or `{"faults": [...]}`. The page shows which entries
cannot be read, and with scans the entries to confirm. It never computes points.

A scanned entry is open until the class table has a text for it, or a person has confirmed that it is blank. So only the
table decides which texts are confirmed. A file next to it names the blank entries, and those taken out of a group.
"""

from __future__ import annotations

import errno
import json
import os
import re
import time
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Annotated, NamedTuple

from ..api import read_bytes
from ..errors import AttncalcError, Location, did_you_mean, shorten
from ..exam.scan_layout import ENTRY, TICK
from ..formula.syntax_tree import Name
from ..gradebook.answer_key import Key, KeyVariant
from ..gradebook.class_table_scripts import ClassRows, without_absence
from ..gradebook.entry_form import Entry, Form, Line, Paper, Tab, form_of, paper_of
from ..gradebook.instructor_questions import question_fault
from ..gradebook.masked_prefill import MINUS_INFINITY
from ..gradebook.table_store import RowEdit, TypedTable
from ..local_server.asgi_app import LocalApp, serve_app, usual_port
from ..local_server.assets import Page
from ..local_server.json_requests import Json, RequestField, Text, dispatch, integer_field, read
from ..render.math import mathml
from ..safe_files import allow_replacing, as_json, write_file
from ..scan import HIGH_CONFIDENCE
from ..scan.scan_folder import MOST_PAGES, ScanField, ScanFolder, scans_of_papers
from ..submissions.class_table import StudentRows
from ..submissions.clipboard import paste
from ..submissions.step_matching import bind

SCREEN = 40  # pictures
FEW = 10  # pictures of a group that shares its screen with others
LEASE = 300  # seconds for which no other window shows the same entries
UNREADABLE = "unreadable"  # in the table; `grade` reports it, and a person reviews the script
VERSION = 1
LARGEST = 16_000_000
_PLAIN = re.compile(
    r"|-?(?:[0-9]{1,12}(?:\.[0-9]{0,12})?|\.[0-9]{1,12}|[0-9]{1,12}/[0-9]{1,12})|−∞|inf|[A-Z](?:, [A-Z])*"
)

Place = tuple[str, str]  # the code of a paper, and a column


class Item(NamedTuple):
    """One entry of a paper with its fields: several for options to tick, or for pages that were scanned twice."""

    place: Place
    fields: tuple[ScanField, ...]
    text: str  # in the table's notation
    is_twice: bool  # read from pages that were scanned twice
    is_certain: bool

    @property
    def kind(self) -> str:
        return self.fields[0].kind


def items_of(scans: ScanFolder, stored: Callable[[str], str]) -> dict[Place, Item]:
    """Return the entries to confirm. `stored` returns a text in the table's notation."""
    fields: dict[Place, list[ScanField]] = {}
    for scan_field in scans.fields:
        if scan_field.kind in (ENTRY, TICK):
            fields.setdefault((scan_field.paper, scan_field.column_name), []).append(scan_field)
    return {place: _item(place, tuple(some), scans, stored) for place, some in fields.items()}


def _item(place: Place, fields: tuple[ScanField, ...], scans: ScanFolder, stored: Callable[[str], str]) -> Item:
    is_tick = fields[0].kind == TICK
    ticked = sorted({each.option for each in fields if each.text})
    text = ", ".join(ticked) if is_tick else stored(fields[0].text)
    is_repeated = len({each.option for each in fields}) < len(fields)
    is_twice = is_repeated or any(each.page in scans.papers[each.paper].others for each in fields)
    is_single = not is_twice and len({each.kind for each in fields}) == 1
    is_sure = min(each.confidence for each in fields) >= HIGH_CONFIDENCE
    is_answered = not is_tick or bool(ticked)  # without a tick, the answer may be next to the boxes
    return Item(place, fields, text, is_twice, is_single and is_sure and is_answered and bool(_PLAIN.fullmatch(text)))


@dataclass(slots=True)
class Decisions:
    """The file of confirmed blanks, and of entries that were taken out of a group. It belongs to a class table."""

    path: str
    blank: set[Place] = field(default_factory=set)
    doubtful: set[Place] = field(default_factory=set)

    @classmethod
    def of_table(cls, table: str) -> Decisions:
        """Read the decisions about a table. Raises AttncalcError for a file of other content."""
        path = f"{os.path.splitext(table)[0]}.confirmed.json"
        allow_replacing(path)
        if not os.path.exists(path):
            return cls(path)
        try:
            data = json.loads(read_bytes(path, LARGEST))
            places = {
                name: {(code, column) for code, columns in data[name].items() for column in [*columns]}
                for name in ("blank", "doubtful")
            }
            if data["version"] != VERSION or not all(isinstance(x, str) for s in places.values() for p in s for x in p):
                raise ValueError
        except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
            message = (
                f"expected the decisions that this page has saved for {os.path.basename(table)}, found something "
                f"else; move this file to a different folder (the page then asks again which entries are blank)"
            )
            raise AttncalcError(message, Location(path)) from None
        return cls(path, **places)

    def save(self) -> None:
        """Write the file, with the columns of each paper."""
        listed = {
            name: {code: [column for _, column in group] for code, group in groupby(sorted(places), lambda p: p[0])}
            for name, places in (("blank", self.blank), ("doubtful", self.doubtful))
        }
        write_file(self.path, as_json({"version": VERSION} | listed), force=True)

    def note(self, texts: Mapping[Place, str]) -> None:
        """Note entries that a person has typed or confirmed."""
        self.blank |= {place for place, text in texts.items() if not text}
        self.blank -= {place for place, text in texts.items() if text}


@dataclass(slots=True)
class Leases:
    """A record of the entries that each window shows, so that two people at two windows do not get the same entries."""

    until: dict[Place, tuple[str, float]] = field(default_factory=dict)

    def free(self, items: Iterable[Item], window: str) -> list[Item]:
        """Return the items that no other window shows; all of them if the other windows show all."""
        now, listed = time.monotonic(), list(items)
        free = [item for item in listed if self._is_free(item.place, window, now)]
        return free or listed

    def _is_free(self, place: Place, window: str, now: float) -> bool:
        holder, until = self.until.get(place, ("", 0.0))
        return holder in ("", window) or until < now

    def take(self, items: Iterable[Item], window: str) -> None:
        """Note the items that a window shows now, instead of those that it showed before."""
        end = time.monotonic() + LEASE
        self.until = {place: lease for place, lease in self.until.items() if lease[0] != window}
        self.until |= {item.place: (window, end) for item in items}


def screen(items: Iterable[Item], most: int) -> list[list[Item]]:
    """Return the groups on the next screen: entries that were read as the same text. A large group has separate
    screens. Small groups share a screen, sorted by their numbers.
    """
    groups: dict[tuple[str, int, str], list[Item]] = {}
    for item in items:
        groups.setdefault((item.kind, len(item.fields), item.text), []).append(item)
    ordered = sorted(groups.items(), key=lambda pair: (-len(pair[1]) if len(pair[1]) >= FEW else 0, _value(pair[0])))
    shown: list[list[Item]] = []
    room = most
    for _, group in ordered:
        group.sort(key=_by_confidence)
        if shown and len(group) > room:
            break
        shown.append(group[:room])
        room -= len(shown[-1])
        if len(group) >= FEW:
            break
    return shown


def _by_confidence(item: Item) -> tuple[float, Place]:
    return min(each.confidence for each in item.fields), item.place


def _value(kind: tuple[str, int, str]) -> tuple[str, int, float, str]:
    name, count, text = kind
    over, _, under = text.partition("/")
    try:
        return name, count, float(over) / float(under or 1), text
    except (ValueError, ZeroDivisionError):
        return name, count, float("inf"), text


def without_prefill(paper: Paper, columns: Iterable[str]) -> Paper:
    """Return a paper without prefilled texts in the columns whose entries a scan shows."""
    return Paper(paper.entries, paper.cells | dict.fromkeys(columns, ""))


Entries = Annotated[list[dict[str, str]], RequestField("entries with paper, column and text", default=[])]
Window = Annotated[str, RequestField("the name of a window")]
Most = Annotated[int, integer_field(1, SCREEN, SCREEN)]
ScanNumber = Annotated[int, integer_field(1, MOST_PAGES, 1)]
PageNumber = Annotated[int, integer_field(1, MOST_PAGES)]
Optional = Annotated[str, RequestField("a text", default="")]
Skip = Annotated[int, integer_field(0, 1_000_000, 0)]
Choice = Annotated[bool, RequestField("true or false", default=False)]
READ_ANEW = "the entry {column} of the paper {paper} is now read as {text}; load this page again"


class Standing(NamedTuple):
    """The entries of each stage, and the papers whose student is not known yet."""

    certain: list[Item]
    doubtful: list[Item]
    unreadable: list[Item]
    done: int
    nobody: list[str]

    def counts(self) -> Json:
        return {
            "certain": len(self.certain), "doubtful": len(self.doubtful), "unreadable": len(self.unreadable),
            "done": self.done, "nobody": self.nobody,
        }  # fmt: skip


@dataclass(slots=True)
class ScanDesk:
    """The scans of a class, and the confirmed entries. `owners` are the students of the papers by code."""

    scans: ScanFolder
    items: dict[Place, Item]
    table: TypedTable
    decisions: Decisions
    paper: Callable[[str], Paper]
    owners: Mapping[str, str]
    leases: Leases = field(default_factory=Leases)

    def operations(self) -> dict[str, Callable[..., Json]]:
        return {
            "group": self._group, "confirm": self._confirm, "reopen": self._reopen, "doubt": self._doubt,
            "picture": self._picture,
        }  # fmt: skip

    # -- the progress --------------------------------------------------------------------------------------------------

    def standing(self) -> Standing:
        """Return the stage of each entry, by the table and the decisions."""
        rows = _Rows(self.table, self.owners)
        certain, doubtful, unreadable, done = list[Item](), list[Item](), list[Item](), 0
        nobody = [code for code in self.scans.papers if not rows.student(code)]
        for place, item in self.items.items():
            code, column = place
            if code in nobody:
                continue
            text = rows.cells(code).get(column, "")
            if text == UNREADABLE:
                unreadable.append(item)
            elif text or place in self.decisions.blank:
                done += 1
            elif item.is_certain and place not in self.decisions.doubtful:
                certain.append(item)
            else:
                doubtful.append(item)
        return Standing(certain, doubtful, unreadable, done, nobody)

    def scanned_columns(self, code: str) -> list[str]:
        """Return the columns of a paper whose entries have pictures."""
        return [column for paper, column in self.items if paper == code]

    def note(self, code: str, cells: Mapping[str, str]) -> None:
        """Note the entries of a paper that a person has typed."""
        if typed := {(code, column): text for column, text in cells.items() if (code, column) in self.items}:
            self.decisions.note(typed)
            self.decisions.save()

    # -- groups --------------------------------------------------------------------------------------------------------

    def _group(self, window: Window, most: Most) -> Json:
        """Return the next screen: groups of entries that were read as the same text."""
        standing = self.standing()
        groups = screen(self.leases.free(standing.certain, window), most)
        self.leases.take((item for group in groups for item in group), window)
        shown = [{"text": group[0].text, "entries": [self._entry(item) for item in group]} for group in groups]
        return {"groups": shown, "counts": standing.counts()}

    def _confirm(self, entries: Entries, out: Entries) -> Json:
        """Write the entries of a screen into the table. The entries in `out` were taken out of their group. Entries
        that somebody has typed meanwhile stay, and are returned in `kept`.
        """
        confirmed = {item.place: item for item in self._items(entries)}
        texts = {item.place: item.text for item in confirmed.values()}
        kept = self._write(texts, dict.fromkeys(texts, ""))
        self.decisions.note({place: text for place, text in texts.items() if place not in kept})
        self.decisions.doubtful |= {item.place for item in self._items(out)}
        self.decisions.save()
        return {"kept": [f"{code} {column}" for code, column in kept]}

    def _reopen(self, entries: Entries, out: Entries) -> Json:
        """Undo the confirmation of a screen."""
        shown = {item.place: item.text for item in self._items(entries)}
        kept = self._write(dict.fromkeys(shown, ""), shown)
        self.decisions.blank -= {*shown} - {*kept}
        self.decisions.doubtful -= {item.place for item in self._items(out)}
        self.decisions.save()
        return {}

    def _items(self, entries: Iterable[Mapping[str, str]]) -> Iterator[Item]:
        """Yield the entries of a request. Raises AttncalcError if the page has shown another text."""
        for entry in entries:
            paper, column, text = (entry.get(name, "") for name in ("paper", "column", "text"))
            item = self._item(paper, column)
            if text != item.text:
                raise AttncalcError(READ_ANEW.format(column=column, paper=paper, text=item.text or "a blank"))
            yield item

    def _item(self, paper: str, column: str) -> Item:
        if (paper, column) not in self.items:
            raise AttncalcError(f"the scans have no entry {shorten(column)!r} of the paper {shorten(paper)!r}")
        return self.items[paper, column]

    def _write(self, texts: Mapping[Place, str], seen: Mapping[Place, str]) -> list[Place]:
        """Write entries into the table, and return those that were not written."""
        rows = _Rows(self.table, self.owners)
        kept, edits = list[Place](), dict[str, RowEdit]()
        for code in dict.fromkeys(code for code, _ in texts):
            student, there = rows.student(code), rows.cells(code)
            mine = {column: text for (paper, column), text in texts.items() if paper == code}
            kept += [
                (code, column)
                for column in mine
                if not student or there.get(column, "") not in ("", seen[code, column])
            ]
            changed = {
                column: text for column, text in mine.items()
                if (code, column) not in kept and there.get(column, "") != text
            }  # fmt: skip
            if changed or student and not rows.has(code) and mine:
                names = (line.name for line in self.table.form.lines if line.student == student and line.code == code)
                blank = self.paper(code).cells
                edits[code] = RowEdit(
                    student,
                    next(names, ""),
                    code,
                    changed,
                    student,
                    blank,
                    {column: seen[code, column] for column in mine},
                )
        if edits:
            for code, saved in zip(edits, self.table.save_rows([*edits.values()]), strict=True):
                kept += [(code, column) for column in saved.kept]
        return kept

    # -- entries one by one --------------------------------------------------------------------------------------------

    def _doubt(self, window: Window, paper: Optional, column: Optional, unreadable: Choice, skip: Skip) -> Json:
        """Return the next doubtful entry, or an entry that nobody could read, or the named entry. The first `skip`
        entries are left for later.
        """
        standing = self.standing()
        listed = standing.unreadable if unreadable else self.leases.free(standing.doubtful, window)
        listed = [self._item(paper, column)] if column else listed[skip : skip + 1]
        self.leases.take(listed, window)
        return {"entry": self._whole(listed[0]) if listed else None, "counts": standing.counts()}

    def _whole(self, item: Item) -> Json:
        code, column = item.place
        rows = _Rows(self.table, self.owners)
        student = rows.student(code)
        names = (line.name for line in self.table.form.lines if line.student == student and line.code == code)
        title, entry = self.paper(code).entries[column]
        return {
            **self._entry(item), "student": student, "owner": next(names, ""), "question": title,
            "about": "" if entry.is_number else entry.limits, "scan": self.pages(code),
            "there": rows.cells(code).get(column, ""), "isTwice": item.is_twice,
        }  # fmt: skip

    def _entry(self, item: Item) -> Json:
        code, column = item.place
        _, entry = self.paper(code).entries[column]
        return {
            "paper": code, "column": column, "text": item.text, "name": entry.step, "at": _labels(entry),
            "pictures": [{"url": self._url(each.picture), "option": each.option} for each in item.fields],
        }  # fmt: skip

    # -- pictures ------------------------------------------------------------------------------------------------------

    def _picture(self, code: Text, page: PageNumber, scan: ScanNumber) -> Json:
        """Return the picture of a page; `scan` counts the scans of this page."""
        paper = self.scans.papers.get(code)
        pictures = [paper.pages[page], *paper.others.get(page, [])] if paper and page in paper.pages else []
        if scan > len(pictures):
            raise AttncalcError(f"the scans have no page {page} of a paper {shorten(code)!r}")
        return {"url": self._url(pictures[scan - 1])}

    def _url(self, name: str) -> str:
        return f"data:image/png;base64,{b64encode(self.scans.picture(name)).decode()}"

    def pages(self, code: str) -> Json | None:
        """Return the pages of a paper, and the position of each entry on these pages; None without a scan."""
        paper = self.scans.papers.get(code)
        if paper is None:
            return None
        boxes = {each.column_name: [each.page, *each.box] for each in reversed(self.scans.fields) if each.paper == code}
        # A step may have a single field
        columns = {column: column.partition("[")[0] for column in self.paper(code).entries}
        places = {
            column: boxes.get(column) or boxes[step] for column, step in columns.items() if {column, step} & {*boxes}
        }
        pages = [[page, scan] for page in paper.pages for scan in range(1, 2 + len(paper.others.get(page, [])))]
        return {"pages": pages, "missing": paper.missing, "repeated": sorted(paper.others), "places": places}


class _Rows:
    """The rows of the table by the codes of their papers."""

    def __init__(self, table: TypedTable, owners: Mapping[str, str]):
        self._rows = {(who.casefold(), code.casefold()): cells for (who, code), cells in table.entries().items()}
        typed: dict[str, list[str]] = {}
        for who, code in table.entries():
            typed.setdefault(code.casefold(), []).append(who)
        self._students = {code: students[0] for code, students in typed.items() if len(students) == 1}
        self._owners = owners

    def student(self, code: str) -> str:
        """Return the student of a paper; empty if nobody, or several students, have it."""
        return self._owners.get(code) or self._students.get(code.casefold(), "")

    def _row(self, code: str) -> dict[str, str] | None:
        student = self.student(code).casefold()
        return next((self._rows[key] for key in ((student, code.casefold()), (student, "")) if key in self._rows), None)

    def has(self, code: str) -> bool:
        return self._row(code) is not None

    def cells(self, code: str) -> dict[str, str]:
        return self._row(code) or {}


def _labels(entry: Entry) -> list[str]:
    """Return the labels of the row and the column of an entry. If the matrix has a single row or column, its label is
    empty.
    """
    rows, columns = entry.shape
    return [
        (entry.row_label or str(entry.row + 1)) if rows > 1 else "",
        (entry.column_label or str(entry.column + 1)) if columns > 1 else "",
    ]


PAGE = Page(
    "data-entry",
    Path(__file__).resolve().parent / "page",
    title="Answers of a class · attncalc",
    skip="Skip to the answers",
    header='<span id="title"></span>\n<nav id="stages" aria-label="Stages" hidden></nav>\n'
    '<span id="saved" role="status"></span>',
    side='<nav id="class" aria-label="Students"></nav>\n',
)
Cells = Annotated[dict[str, str], RequestField("a mapping from the names of entries to texts")]
Seen = Annotated[dict[str, str], RequestField("a mapping from the names of entries to texts", default={})]
_MINUS_INFINITY = re.compile(r"\s*[-−–]\s*(?:∞|inf|infinity)\s*", re.IGNORECASE)
_WHICH = re.compile(r"q[0-9]+(?:_|$)")  # the prefix of a question, which the page shows in a heading
_DECIMAL_COMMA = re.compile(r"(?<=[0-9]),(?=[0-9])")
ABSENCE = "This student is {}."
UNREADABLE_ROW = "{place}: `grade` cannot read this row: {reason}"


@dataclass(slots=True)
class Desk:
    """A form, its key, and the table for the typed entries."""

    key: Key
    form: Form
    table: TypedTable
    parts: frozenset[str] = frozenset()
    papers: dict[str, Paper] = field(default_factory=dict)
    scans: ScanDesk | None = None

    def add_scans(self, folder: str) -> None:
        """Let the page show the scans in a folder. Raises AttncalcError if they do not fit the key."""
        scans = scans_of_papers(folder, {variant.code: self._blank(variant.code) for variant in self.key.variants})
        owners = {variant.code: variant.student or "" for variant in self.key.variants}
        decisions = Decisions.of_table(self.table.path)
        self.scans = ScanDesk(scans, items_of(scans, _stored), self.table, decisions, self._blank, owners)
        for code, paper in self.papers.items():
            self.papers[code] = without_prefill(paper, self.scans.scanned_columns(code))

    def respond(self, body: bytes) -> str:
        """Return the JSON response to a JSON request. Errors are under `faults`."""
        operations: dict[str, Callable[..., Json]] = {
            "form": self._form, "paper": self._paper, "save": self._save, "paste": paste,
            **(self.scans.operations() if self.scans else {}),
        }  # fmt: skip
        return json.dumps(dispatch(read(body), operations, str), ensure_ascii=False)

    # -- operations ----------------------------------------------------------------------------------------------------

    def _form(self) -> Json:
        """Return the students of the class, and the number of typed entries of each paper."""
        typed = {
            (who.casefold(), code.casefold()): (who, code, count)
            for (who, code), count in self.table.typed().items()
            if who
        }
        lines = []
        for line in self.form.lines:
            _, _, count = typed.pop((line.student.casefold(), line.code.casefold()), ("", "", 0))
            lines.append(self._line(line, count))
        others = (Line(who, "", code, self._blank(code).cells) for who, code, _ in typed.values())
        lines += [self._line(line, count) for line, (_, _, count) in zip(others, typed.values(), strict=True)]
        lines.sort(key=lambda line: not line["student"])  # known students first, then a line for other students
        codes = [variant.code for variant in self.key.variants if variant.code]
        path = os.path.abspath(self.table.path)
        return {
            "title": self.form.title, "file": os.path.basename(path), "path": path, "lines": lines, "codes": codes,
            "counts": self.scans.standing().counts() if self.scans else None, "unreadable": UNREADABLE,
        }  # fmt: skip

    def _line(self, line: Line, typed: int) -> Json:
        asked = sum(not text for text in line.cells.values())
        return {"student": line.student, "name": line.name, "code": line.code, "typed": typed, "asked": asked}

    def _paper(self, student: Text, code: Text) -> Json:
        paper = self._blank(code)
        cells = dict(paper.cells)
        if student and (saved := self.table.cells(student, code)):
            cells |= {name: text for name, text in saved.items() if name in cells}
        scan = self.scans.pages(code) if self.scans else None
        return {"cells": cells, "questions": [_question(tab, paper) for tab in paper.tabs()], "scan": scan}

    def _save(self, student: Text, code: Text, whose: Text, cells: Cells, seen: Seen) -> Json:
        """Store the entries of a row. Unreadable entries are stored too, and reported. If another person has changed an
        entry since the page has `seen` it, the entry is not stored, but returned in `kept`.
        """
        paper, known, whose = self._blank(code), student, whose.strip()
        cells = {name: _stored(text) for name, text in cells.items()}
        if unknown := next((name for name in cells if name not in paper.cells), None):
            raise AttncalcError(f"cells: this paper has no entry {shorten(unknown)!r}")
        if not whose or not whose.isprintable():
            raise AttncalcError("whose: expected a student's number")
        names = (line.name for line in self.form.lines if known and (line.student, line.code) == (known, code))
        saved = self.table.save(whose, next(names, ""), code, cells, known, paper.cells, seen)
        if self.scans:
            self.scans.note(code, {name: text for name, text in cells.items() if name not in saved.kept})
        there = {name: text for name, text in saved.cells.items() if name in paper.cells}
        typed = sum(bool(text) and not paper.cells[name] for name, text in there.items())
        reading = read_row(self.key, self._variant(code), saved.row, paper.entries.keys())
        unread = [{"key": name, "message": fault} for name, fault in reading.faults.items()]
        more = None if known else self._line(Line("", "", code, self._blank(code).cells), 0)  # for another student
        return {
            "typed": typed, "student": whose, "unread": unread, "more": more, "notes": saved.notes + reading.notes,
            "cells": dict.fromkeys(paper.cells, "") | there, "kept": saved.kept,
        }  # fmt: skip

    def _blank(self, code: str) -> Paper:
        """Return the paper with this code. Raises AttncalcError for an unknown code."""
        if code not in self.papers:
            self.papers[code] = paper_of(self.key, self._variant(code), set(self.parts))
        return self.papers[code]

    def _variant(self, code: str) -> KeyVariant:
        variant = next((variant for variant in self.key.variants if variant.code == code), None)
        if variant is None:
            near = did_you_mean(code, [v.code for v in self.key.variants])
            raise AttncalcError(f"code: the key has no paper {shorten(code)!r}{near}")
        return variant


def _stored(text: str) -> str:
    """Return an entry in the table's notation: decimal point, −∞ without a hyphen, only printable characters."""
    seen = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return MINUS_INFINITY if _MINUS_INFINITY.fullmatch(seen) else _DECIMAL_COMMA.sub(".", seen, count=1)


# -- questions ---------------------------------------------------------------------------------------------------------


def _question(tab: Tab, paper: Paper) -> Json:
    steps: dict[str, list[Entry]] = {}
    for entry in tab.entries:
        steps.setdefault(entry.key.partition("[")[0], []).append(entry)
    grids = [_grid(step, entries, paper) for step, entries in steps.items() if entries[0].is_number]
    fields = [{"key": entry.key, "about": entry.limits} for entry in tab.entries if not entry.is_number]
    return {"title": tab.title, "grids": grids, "fields": fields}


def _grid(step: str, entries: list[Entry], paper: Paper) -> Json:
    """Return the matrix of a step with only the rows and columns that have asked entries."""
    rows, columns = (sorted({place[k] for place in ((entry.row, entry.column) for entry in entries)}) for k in (0, 1))
    names = {(entry.row, entry.column): entry for entry in entries}
    keys = [[names[i, j].key if (i, j) in names else None for j in columns] for i in rows]
    places = [(i, j, key) for i, row in enumerate(keys) for j, key in enumerate(row)]
    down = [next(entry.row_label for entry in entries if entry.row == i) or str(i + 1) for i in rows]
    part = "" if step == entries[0].step else _WHICH.sub("", step.removesuffix(f".{entries[0].step}"))
    across = [next(entry.column_label for entry in entries if entry.column == j) or str(j + 1) for j in columns]
    return {
        "name": f"{part} {entries[0].step}".strip(),
        "math": mathml.math(mathml.formula(Name(entries[0].step)))
        + (f" <small>{escape(part)}</small>" if part else ""),
        "shape": [len(rows), len(columns)],
        "rows": down if len(rows) > 1 else None,
        "columns": across if len(columns) > 1 else None,
        "keys": keys,
        "filled": [[i, j] for i, j, key in places if key and paper.cells[key]],
        "closed": [[i, j] for i, j, key in places if not key],
    }


# -- serving the page --------------------------------------------------------------------------------------------------


PORT_TAKEN = (
    "port {port} is in use by another program; end that program, or choose a different port with --port (the browser "
    "keeps unsaved entries separately for each port)"
)


def unconfirmed_entries(key: Key, table: str, folder: str) -> tuple[ScanFolder, Counter[str]]:
    """Return the scans in a folder, and how many entries of each paper nobody has confirmed or typed into a table, by
    the paper's code.
    """
    form = form_of(key, (), ())
    desk = Desk(key, form, TypedTable(table, form))
    desk.add_scans(folder)
    assert desk.scans is not None
    standing = desk.scans.standing()
    open_entries = Counter(item.place[0] for item in (*standing.certain, *standing.doubtful))
    return desk.scans.scans, open_entries


def app_of(desk: Desk, host: str, token: str | None = None) -> LocalApp:
    return LocalApp(host, PAGE, {"/respond": desk.respond}, token)


def serve(desk: Desk, port: int, started: Callable[[str], None]) -> None:
    """Serve the page for one table until Ctrl-C. Call `started` with its address. The table is locked until then.
    Raises AttncalcError if another page has locked the table. Also raises it if `port` is 0 and the table's usual port
    is in use, because the browser stores unsaved entries only for this port.
    """
    hold = desk.table.hold

    def announce(address: str) -> None:
        hold.note(address)
        started(address)

    with hold.for_process():
        usual = usual_port(os.path.abspath(desk.table.path))
        try:
            serve_app(lambda host: app_of(desk, host), port or usual, announce)
        except OSError as error:
            if port or error.errno != errno.EADDRINUSE:
                raise
            raise AttncalcError(PORT_TAKEN.format(port=usual)) from None


class Reading(NamedTuple):
    """The reasons why entries cannot be read, by column, and notes on the whole row."""

    faults: dict[str, str]
    notes: list[str]


def read_row(key: Key, variant: KeyVariant, row: StudentRows | None, names: Collection[str]) -> Reading:
    """Return the problems that `grade` would have with a row. `names` are the columns of the paper."""
    if row is None:
        return Reading({}, [])
    row, absence = without_absence(row)
    try:
        script = ClassRows(key).script_of(row, variant)
        bound = bind(replace(script, problem=None, student=None), key.problem(variant), lenient=True)
    except AttncalcError as error:
        fault = error.faults[0]
        return Reading({}, [UNREADABLE_ROW.format(place=fault.place, reason=fault.message)])
    faults: dict[str, str] = {}
    for unread in bound.unread:
        name = unread.step if unread.step in names else _column(row, unread.fault.place)
        faults.setdefault(name, unread.fault.message)
    for question in variant.questions:
        written = script.words.get(question.name)
        if fault_of_question := question_fault(question, written.text.strip() if written else ""):
            faults[question.name] = fault_of_question
    return Reading(faults, [ABSENCE.format(absence)] if absence else [])


def _column(row: StudentRows, place: Location) -> str:
    piece = row.pieces[0]
    cells = [(cell.place.line, cell.place.column, k) for k, cell in enumerate(piece.body[0][: len(piece.header)])]
    k = max((cell for cell in cells if cell[:2] <= (place.line, place.column)), default=(0, 0, 0))[2]
    return piece.header[k].text.strip()

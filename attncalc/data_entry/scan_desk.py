"""The requests of the page about scans: the next group, its confirmation, the next doubtful entry, and pictures."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, NamedTuple

from ..errors import AttncalcError, shorten
from ..gradebook.entry_form import Entry, Paper
from ..gradebook.table_store import RowEdit, TypedTable
from ..local_server.json_requests import Json, RequestField, Text, integer_field
from ..scan.scan_folder import MOST_PAGES, ScanFolder
from .confirming import SCREEN, UNREADABLE, Decisions, Item, Leases, Place, screen

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
    """The scans of a class, and what is confirmed of them. `owners` are the students of the papers by code."""

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
        """Write the entries of a screen into the table. Those in `out` were taken out of their group. Entries that
        somebody has typed meanwhile stay, and are returned in `kept`.
        """
        confirmed = {item.place: item for item in self._items(entries)}
        texts = {item.place: item.text for item in confirmed.values()}
        kept = self._write(texts, dict.fromkeys(texts, ""))
        self.decisions.note({place: text for place, text in texts.items() if place not in kept})
        self.decisions.doubtful |= {item.place for item in self._items(out)}
        self.decisions.save()
        return {"kept": [f"{code} {column}" for code, column in kept]}

    def _reopen(self, entries: Entries, out: Entries) -> Json:
        """Take the confirmation of a screen back."""
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
        """Return the next doubtful entry, or an entry that nobody could read, or the entry that is named. The first
        `skip` ones are left for later.
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
            "there": rows.cells(code).get(column, ""), "isTwice": self._is_twice(item),
        }  # fmt: skip

    def _is_twice(self, item: Item) -> bool:
        options = {each.option for each in item.fields}
        return len(options) < len(item.fields) or any(
            each.page in self.scans.papers[each.paper].others for each in item.fields
        )

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
        """Return the pages of a paper, and the place of each entry on them; None without a scan."""
        paper = self.scans.papers.get(code)
        if paper is None:
            return None
        boxes = {each.column_name: [each.page, *each.box] for each in reversed(self.scans.fields) if each.paper == code}
        columns = {column: column.partition("[")[0] for column in self.paper(code).entries}  # a step may have one room
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
    """Return the labels of the row and the column of an entry, without those of a matrix with one of them."""
    rows, columns = entry.shape
    return [
        (entry.row_label or str(entry.row + 1)) if rows > 1 else "",
        (entry.column_label or str(entry.column + 1)) if columns > 1 else "",
    ]

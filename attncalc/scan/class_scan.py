"""The scans of a class: every page finds its paper, or is reported with its picture."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from ..errors import AttncalcError, Diagnostic, Location
from ..exam.scan_layout import TICK
from ..input_files import note_input
from ..safe_files import Together, as_json
from ..worker_processes import worker_pool
from .ink import differ
from .page_images import close_files
from .page_reading import TOO_MUCH_FILE, FieldReading, PageReading, SheetReading, count_pages, lost_page, read_page
from .positions import Place, ScanKey
from .scan_folder import FILE, VERSION

MOST_FILES = 20_000
CHUNK = 2  # pages that a process takes at a time
ACROSS = "the writing in the entry {name} crosses the border of its box; a person should check it"
TWICE = (
    "page {page} of paper {code} was scanned again, with different writing; a person should choose the right scan "
    "({picture})"
)
INCOMPLETE = "paper {code} has no page {pages}"
_UNSAFE = re.compile(r"[^A-Za-z0-9_.]+")
Start = Callable[[int], Callable[[], None]]


class Scanned(NamedTuple):
    """Where a page was scanned, and its picture in the folder."""

    source: str
    number: int
    picture: str


@dataclass(slots=True)
class Repeated:
    """Another scan of a page: `differs` if its ink is different."""

    page: int
    scanned: Scanned
    differs: bool


@dataclass(slots=True)
class PaperScan:
    """The scanned pages of a paper."""

    code: str
    student: str
    count: int
    pages: dict[int, Scanned] = field(default_factory=dict)
    repeated: list[Repeated] = field(default_factory=list)

    @property
    def missing(self) -> list[int]:
        return [page for page in range(1, self.count + 1) if page not in self.pages]


@dataclass(slots=True)
class ClassScan:
    """The result of a run: papers, pages without a paper, and the lines that a person should read."""

    key: ScanKey
    papers: dict[str, PaperScan]
    fields: list[dict[str, Any]] = field(default_factory=list)
    unknown: list[tuple[Scanned, str]] = field(default_factory=list)
    problems: list[Diagnostic] = field(default_factory=list)
    pages: int = 0
    blank: int = 0

    @property
    def scanned(self) -> list[PaperScan]:
        """The papers of which a page was scanned."""
        return [paper for paper in self.papers.values() if paper.pages]

    @property
    def incomplete(self) -> list[PaperScan]:
        return [paper for paper in self.scanned if paper.missing]

    @property
    def unscanned(self) -> list[PaperScan]:
        return [paper for paper in self.papers.values() if not paper.pages]

    def data(self) -> dict[str, Any]:
        """Return the content of scan.json."""
        papers = {
            paper.code: {
                "student": paper.student,
                "pages": {str(page): scanned.picture for page, scanned in sorted(paper.pages.items())},
                "missing": paper.missing,
                "repeated": [again.page for again in paper.repeated],
                "again": [
                    {"page": again.page, "differs": again.differs} | _where(again.scanned) for again in paper.repeated
                ],
            }
            for paper in self.papers.values()
        }
        unknown = [_where(scanned) | {"reason": reason} for scanned, reason in self.unknown]
        return {
            "version": VERSION, "key": self.key.digest, "title": self.key.title, "papers": papers,
            "fields": self.fields, "unknown": unknown,
        }  # fmt: skip


def _where(scanned: Scanned) -> dict[str, object]:
    return {"source": scanned.source, "source_page": scanned.number, "picture": scanned.picture}


def scan(
    key: ScanKey, files: Iterable[str], staged: str, jobs: int = 2, start: Start = lambda n: lambda: None
) -> ClassScan:
    """Read scanned files in any order. The pictures go into the temporary folder `staged`, and `start` begins a
    progress bar. With one job, this process reads the files, and a damaged one may end it. Raises AttncalcError if no
    page of any file can be read.
    """
    names = list(dict.fromkeys(files))
    if len(names) > MOST_FILES:
        raise AttncalcError(f"expected at most {MOST_FILES:,} files, found {len(names):,}")
    result = ClassScan(key, {code: PaperScan(code, paper.student, paper.pages) for code, paper in key.papers.items()})
    if absent := [name for name in names if not os.path.lexists(name)]:
        raise AttncalcError(Diagnostic("expected a scan; there is no such file", Location(name)) for name in absent)
    for name in names:
        note_input(name)
    collected = _Collected(result, staged)
    with worker_pool(jobs, partial(_same, key), CHUNK, key if jobs < 2 else None, lost=_lost) as ordered_map:
        items: list[tuple[str, int]] = []
        for name, count in zip(names, ordered_map(count_pages, names), strict=True):
            if isinstance(count, int):
                items += [(name, page) for page in range(1, count + 1)]
            else:
                result.problems.append(Diagnostic(count, Location(name)))
        if not items:
            raise AttncalcError(result.problems or "expected scans of pages, found files without pages")
        advance = start(len(items))
        for reading in ordered_map(read_page, items):
            collected.add(reading)
            advance()
    close_files()
    collected.finish()
    return result


def _same(key: ScanKey) -> ScanKey:
    return key


def _lost(item: str | tuple[str, int]) -> str | PageReading:
    """Return the result of an item whose process has ended."""
    return TOO_MUCH_FILE if isinstance(item, str) else lost_page(item)


class _Collected:
    """Puts the readings of pages together."""

    def __init__(self, result: ClassScan, staged: str):
        self.result, self.staged = result, staged
        self.fields: dict[tuple[str, int], list[dict[str, Any]]] = {}
        self.counts: dict[tuple[str, int], int] = defaultdict(int)

    def add(self, reading: PageReading) -> None:
        self.result.pages += 1
        if reading.is_blank:
            self.result.blank += 1
            return
        for sheet in reading.sheets:
            self._add_sheet(sheet, reading.source, reading.number)
        if reading.reason:
            name = f"unknown/{len(self.result.unknown) + 1:03}.png" if reading.picture else ""
            if name:
                self._put(name, reading.picture)
            self.result.unknown.append((Scanned(reading.source, reading.number, name), reading.reason))
            self._report(reading.reason, reading.source, reading.number)

    def _path(self, name: str) -> str:
        return os.path.join(self.staged, *name.split("/"))

    def _put(self, name: str, content: bytes) -> None:
        os.makedirs(os.path.dirname(self._path(name)), exist_ok=True)
        with open(self._path(name), "wb") as file:
            file.write(content)

    def _report(self, message: str, source: str, number: int) -> None:
        self.result.problems.append(Diagnostic(message, Location(f"{source}: page {number}")))

    def _add_sheet(self, sheet: SheetReading, source: str, number: int) -> None:
        where, paper = (sheet.code, sheet.page), self.result.papers[sheet.code]
        self.counts[where] += 1
        again = f"-{self.counts[where]}" if self.counts[where] > 1 else ""
        picture = f"pages/{sheet.code}-{sheet.page}{again}.png"
        self._put(picture, sheet.picture)
        scanned = Scanned(source, number, picture)
        if not again:
            paper.pages[sheet.page] = scanned
            places = self.result.key.papers[sheet.code].fields
            self.fields[where] = [self._field(sheet.code, places[each.number], each, scanned) for each in sheet.fields]
            return
        boxes = [place.box for place in self.result.key.papers[sheet.code].fields if place.page == sheet.page]
        first = paper.pages[sheet.page]
        differs = differ(_grey(self._path(first.picture)), _grey(self._path(picture)), boxes)
        paper.repeated.append(Repeated(sheet.page, scanned, differs))
        if differs:
            message = TWICE.format(page=sheet.page, code=sheet.code, picture=f"{first.picture} and {picture}")
            self._report(message, source, number)

    def finish(self) -> None:
        """Add the fields in the order of the papers, and report incomplete papers."""
        for paper in self.result.papers.values():
            doubtful = {again.page for again in paper.repeated if again.differs}
            for page in sorted(paper.pages):
                unread = {"text": "", "confidence": 0.0} if page in doubtful else {}
                self.result.fields += [each | unread for each in self.fields[paper.code, page]]
            if paper.pages and paper.missing:
                pages = ", ".join(map(str, paper.missing))
                self.result.problems.append(Diagnostic(INCOMPLETE.format(code=paper.code, pages=pages)))

    def _field(self, code: str, place: Place, reading: FieldReading, scanned: Scanned) -> dict[str, Any]:
        """Return the record of a field, whose picture is stored."""
        name = place.column_name + (f"-{place.option}" if place.kind == TICK else "")
        picture = f"fields/{code}/{place.number:03}-{_UNSAFE.sub('-', name).strip('-')[:60]}.png"
        self._put(picture, reading.picture)
        if reading.is_crossed:
            self._report(ACROSS.format(name=place.column_name), scanned.source, scanned.number)
        return {
            "paper": code, "column_name": place.column_name, "question": place.question, "step": place.step,
            "row": place.row, "column": place.column, "option": place.option, "kind": place.kind, "page": place.page,
            "picture": picture, "box": list(reading.box), "text": reading.text, "confidence": reading.confidence,
            "ink": reading.ink,
        }  # fmt: skip


def _grey(path: str) -> Any:
    import cv2
    import numpy as np

    return cv2.imdecode(np.fromfile(path, np.uint8), cv2.IMREAD_GRAYSCALE)  # which reads every name on Windows


def write(result: ClassScan, staged: str, folder: str) -> None:
    """Move the staged pictures and scan.json into a folder, all or none."""
    names = sorted(
        os.path.relpath(os.path.join(home, name), staged) for home, _, files in os.walk(staged) for name in files
    )
    subfolders = sorted({os.path.dirname(name) for name in names} - {""})
    homes = sorted({part for name in subfolders for part in (name.split(os.sep)[0], name)})
    with Together([f"{folder}/", *(f"{os.path.join(folder, home)}/" for home in homes)]) as together:
        for name in names:
            with open(os.path.join(staged, name), "rb") as file:
                together.add(os.path.join(folder, name), file.read())
        together.add(os.path.join(folder, FILE), as_json(result.data()) + "\n")

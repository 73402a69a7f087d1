"""The scans of a class. A page is read and assigned to its paper, or reported with its picture."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from math import exp
from typing import Any, NamedTuple

import numpy as np

from ..errors import AttncalcError, Diagnostic, Location
from ..exam.scan_layout import ENTRY, TEXT, TICK
from ..explain.document import Block, Document, Paragraph, Table
from ..processor_limit import MOST_SECONDS, limited
from ..safe_files import Together, as_json, note_input
from ..worker_processes import worker_pool
from .page_images import SCANNED, Grey, close_files, page_count, page_image
from .positions import Box, Place, ScanKey
from .recogniser import read_entries
from .rectify import Code, evenly_lit, is_larger_than_a_page, pixels, projection, read_codes, straightened
from .scan_folder import FILE, VERSION

DARK = 165  # a darker pixel is certainly ink; paper is white on a straightened page
PALE = 240  # a darker pixel may be ink, such as a line of a hard pencil
GREY = 220  # a darker pixel is ink, if another scan does not even have pale ink there
BORDER = 0.6  # millimetres; the border of a box may be at this distance from its printed position
RING = (0.45, 1.0)  # millimetres from the border of a box: a ring in which nothing is printed
CROSSED = 0.006  # share of ink in the ring; with more ink, something is written across the border
TICKED, SPREAD = 0.035, 0.0071  # share of ink at which a tick has the probability 1/2, and the spread of this limit
CORNER = 1.0  # millimetres of each side that a round corner may cover
FRAMED = 0.8  # share of a side that must be visible
FULL = 0.55  # share of ink; with more ink, a box is blackened, which may be a cancelled tick
DOUBTFUL = 0.5  # highest confidence of the reading of an unusual field


def ink(page: Grey, box: Box, below: int = DARK) -> float:
    """Return the share of ink inside a box: of pixels darker than `below`."""
    inside = page[pixels(box, -BORDER)]
    return float(np.mean(inside < below)) if inside.size else 0.0


def is_framed(page: Grey, box: Box) -> bool:
    """Return whether the four sides of a box are at their printed positions, to within BORDER millimetres."""
    left, top, width, height = box
    across, down = width - 2 * CORNER, height - 2 * CORNER
    left_and_right = [page[pixels((left + x - BORDER, top + CORNER, 2 * BORDER, down))].T for x in (0, width)]
    above_and_below = [page[pixels((left + CORNER, top + y - BORDER, across, 2 * BORDER))] for y in (0, height)]
    return all(
        side.size and float(np.mean(side.min(axis=0) < PALE)) > FRAMED for side in (*left_and_right, *above_and_below)
    )


def is_crossed(page: Grey, box: Box) -> bool:
    """Return whether something is written across the border of a box."""
    near, far = (page[pixels(box, margin)] < DARK for margin in RING)
    ring = far.size - near.size
    return ring > 0 and float(far.sum() - near.sum()) / ring > CROSSED


def tick(share: float, pale: float) -> tuple[str, float]:
    """Return `x` or an empty text for the shares of dark and of pale ink in a box to tick, and the confidence. It is
    low if only the pale ink suggests a tick.
    """
    likely = _likely(pale)
    text, confidence = ("x", min(likely, _likely(share))) if likely >= 0.5 else ("", 1 - likely)
    return text, min(confidence, DOUBTFUL) if share > FULL else confidence


def _likely(share: float) -> float:
    return 1 / (1 + exp(-max(-40.0, min(40.0, (share - TICKED) / SPREAD))))


def differ(first: Grey, second: Grey, boxes: list[Box]) -> bool:
    """Return whether a box has ink in one picture of a page and not even pale ink in the other, in more pixels than
    noise has.
    """
    import cv2

    for box in boxes:
        places = [page[pixels(box, -BORDER)] for page in (first, second)]
        near = [cv2.dilate((place < PALE).astype(np.uint8), np.ones((5, 5), np.uint8)) for place in places]
        apart = max(int(((places[0] < GREY) > near[1]).sum()), int(((places[1] < GREY) > near[0]).sum()))
        if apart > max(8, 0.004 * places[0].size):
            return True
    return False


NO_CODE = "no paper code can be read on this page"
OTHER_EXAM = "this is a page of a different exam, or of this exam with earlier numbers"
NO_MARKS = "fewer than three of the marks in the corners are visible"
MOVED = (
    "only three marks in the corners are visible, and the boxes are not where they were printed; scan this page flat"
)
TOO_MUCH = "this page takes too much time or memory; scan it again with 150 to 300 dpi, in grey"
TOO_MUCH_FILE = "this file takes too much time or memory"
AROUND, WIDELY = 1.0, 3.0  # millimetres around a box in its picture, and around an unusual box
BLANK = 2e-4  # share of ink; with less ink, a page is blank
EDGE = 0.04  # share of the picture in which the edges of the paper may be visible


@dataclass(frozen=True, slots=True)
class FieldReading:
    """The content of a field. `number` is the number of the field in its paper, and `box` is in pixels of the page."""

    number: int
    picture: bytes
    box: tuple[int, int, int, int]
    text: str = ""
    confidence: float = 0.0
    ink: float = 0.0
    is_crossed: bool = False


@dataclass(frozen=True, slots=True)
class SheetReading:
    """A scanned page of a paper: its straightened picture and its fields."""

    code: str
    page: int
    picture: bytes
    fields: list[FieldReading]
    has_room: bool = False  # whether the same picture may contain another page


@dataclass(frozen=True, slots=True)
class PageReading:
    """A page of a scanned file: the pages of papers that it contains, or the reason why it contains none."""

    source: str
    number: int
    sheets: list[SheetReading] = field(default_factory=list)
    reason: str = ""
    picture: bytes = b""
    is_blank: bool = False


def count_pages(_: ScanKey, path: str) -> int | str:
    """Return the number of pages of a file, or the reason why it cannot be read."""
    try:
        _limit_process()
        with limited(Location(path), SCANNED):
            return page_count(path)
    except AttncalcError as error:
        return error.faults[0].message


def read_page(scan_key: ScanKey, page: tuple[str, int]) -> PageReading:
    """Read a page of a file, within limits of time and memory."""
    path, number = page
    try:
        _limit_process()
        with limited(Location(path), SCANNED):
            return _read(scan_key, path, number)
    except AttncalcError as error:
        return PageReading(path, number, reason=error.faults[0].message)
    except Exception as error:  # a library fails on a damaged page; other pages are still read
        return PageReading(path, number, reason=f"this page cannot be read ({type(error).__name__})")


def _limit_process() -> None:
    """Let the system end this worker process if a file takes too long in a library that signals do not interrupt."""
    import multiprocessing

    if multiprocessing.parent_process() is None:
        return
    with suppress(ImportError, OSError, ValueError):
        import resource

        usage = resource.getrusage(resource.RUSAGE_SELF)
        most = int(usage.ru_utime + usage.ru_stime) + MOST_SECONDS + 2
        resource.setrlimit(resource.RLIMIT_CPU, (most, resource.getrlimit(resource.RLIMIT_CPU)[1]))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _read(scan_key: ScanKey, path: str, number: int) -> PageReading:
    image = page_image(path, number)
    codes = read_codes(image)
    results = {code.text: _sheet(scan_key, image, code) for code in codes}
    if any(isinstance(result, SheetReading) and result.has_room for result in results.values()):
        others = (code for code in read_codes(image, thorough=True) if code.text not in results)
        results |= {code.text: _sheet(scan_key, image, code) for code in others}
    sheets = [result for result in results.values() if isinstance(result, SheetReading)]
    reason = next((result for result in results.values() if isinstance(result, str)), "" if sheets else NO_CODE)
    if not reason:
        return PageReading(path, number, sheets)
    picture = _png(evenly_lit(image))
    return PageReading(path, number, sheets, reason, picture, not codes and _is_blank(image))


def _sheet(scan_key: ScanKey, image: Grey, code: Code) -> SheetReading | str:
    """Return the page to which a code belongs, or the reason why it cannot be read."""
    where = scan_key.codes.get(code.text)
    if where is None:
        return f"{OTHER_EXAM}; its code is {code.text[:4]}, page {int(code.text[4:6])}"
    matrix = projection(image, code, scan_key.marks, scan_key.mark)
    if matrix is None:
        return f"{NO_MARKS}; the code is that of paper {where[0]}, page {where[1]}"
    page = straightened(image, matrix)
    places = [place for place in scan_key.papers[where[0]].fields if place.page == where[1]]
    if not matrix[2, :2].any():  # with three marks, the tilt of the page is unknown
        boxes = [place for place in places if place.kind != TEXT]
        if 2 * sum(is_framed(page, place.box) for place in boxes) < len(boxes):
            return f"{MOVED} (paper {where[0]}, page {where[1]})"
    return SheetReading(*where, _png(page), _fields(page, places), is_larger_than_a_page(image, matrix))


def _fields(page: Grey, places: list[Place]) -> list[FieldReading]:
    crossed = [place.kind == ENTRY and is_crossed(page, place.box) for place in places]
    entries = [place for place in places if place.kind == ENTRY]
    readings = read_entries([np.ascontiguousarray(page[pixels(place.box, AROUND)]) for place in entries])
    read = {place.number: reading for place, reading in zip(entries, readings, strict=True)}
    fields = []
    for place, across in zip(places, crossed, strict=True):
        rows, columns = pixels(place.box)
        box = (columns.start, rows.start, columns.stop - columns.start, rows.stop - rows.start)
        share, text, confidence = ink(page, place.box), "", 0.0
        is_odd = across or place.kind != TEXT and not is_framed(page, place.box)
        if place.kind == TICK:
            text, confidence = tick(share, ink(page, place.box, PALE))
        elif place.kind == ENTRY:
            text, confidence = read[place.number].text, read[place.number].confidence
        confidence = min(confidence, DOUBTFUL) if is_odd else confidence
        picture = _png(page[pixels(place.box, WIDELY if is_odd else AROUND)])
        fields.append(FieldReading(place.number, picture, box, text, round(confidence, 4), round(share, 4), across))
    return fields


def _is_blank(image: Grey) -> bool:
    height, width = image.shape
    down, across = round(height * EDGE), round(width * EDGE)
    return float(np.mean(evenly_lit(image)[down : height - down, across : width - across] < DARK)) < BLANK


def _png(image: Grey) -> bytes:
    import cv2

    is_written, data = cv2.imencode(".png", np.ascontiguousarray(image), [cv2.IMWRITE_PNG_COMPRESSION, 3])
    assert is_written
    return bytes(data)


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
    """The source of a scanned page, and its picture in the folder."""

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
    """The result of a run: papers, pages without a paper, and messages for a person."""

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
    """Read scanned files in any order. The pictures are written into the temporary folder `staged`. `start` begins a
    progress bar. With one job, this process reads the files, and a damaged file may end it. Raises AttncalcError if no
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
    """Return the result of a file or a page whose process has ended."""
    return TOO_MUCH_FILE if isinstance(item, str) else PageReading(*item, reason=TOO_MUCH)


class _Collected:
    """A collector of the readings of pages."""

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
        """Store the picture of a field, and return the record of the field."""
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

    # np.fromfile can read every file name on Windows
    return cv2.imdecode(np.fromfile(path, np.uint8), cv2.IMREAD_GRAYSCALE)


def write(result: ClassScan, staged: str, folder: str, force: bool = True) -> None:
    """Move the staged pictures and scan.json into a folder: all files or none. Without `force`, the folder must have no
    files.
    """
    names = sorted(
        os.path.relpath(os.path.join(home, name), staged) for home, _, files in os.walk(staged) for name in files
    )
    subfolders = sorted({os.path.dirname(name) for name in names} - {""})
    homes = sorted({part for name in subfolders for part in (name.split(os.sep)[0], name)})
    places = [f"{folder}/", *(f"{os.path.join(folder, home)}/" for home in homes)]
    with Together(places, None if force else folder) as together:
        for name in names:
            with open(os.path.join(staged, name), "rb") as file:
                together.add(os.path.join(folder, name), file.read())
        together.add(os.path.join(folder, FILE), as_json(result.data()) + "\n")


MOST_NAMED = 20  # papers without a scan that the report names


def document(result: ClassScan) -> Document:
    """Return the report for the terminal."""
    blocks: list[Block] = [Table(("", "count"), tuple(map(_row, counts(result).items())), frozenset({1}))]
    odd = [paper for paper in result.scanned if paper.missing or paper.repeated]
    if odd:
        heads = ("paper", "student", "scanned", "missing", "repeated")
        blocks.append(Table(heads, tuple(map(_paper_row, odd)), frozenset({2})))
    if unscanned := [paper.code for paper in result.unscanned]:
        named = ", ".join(unscanned[:MOST_NAMED]) + (" ..." if len(unscanned) > MOST_NAMED else "")
        blocks.append(Paragraph(f"No page of these papers was scanned: {named}."))
    return Document(blocks)


def as_data(result: ClassScan) -> str:
    """Return the report as JSON."""
    papers = [
        {"paper": paper.code, "student": paper.student, "scanned": len(paper.pages), "missing": paper.missing,
         "repeated": [again.page for again in paper.repeated]}
        for paper in result.papers.values()
    ]  # fmt: skip
    problems = list(map(str, result.problems))
    return as_json({"counts": counts(result), "papers": papers, "problems": problems})


def counts(result: ClassScan) -> dict[str, int]:
    return {
        "pages read": result.pages,
        "papers complete": len(result.scanned) - len(result.incomplete),
        "papers with missing pages": len(result.incomplete),
        "papers without a scan": len(result.unscanned),
        "pages that were scanned again": sum(len(paper.repeated) for paper in result.scanned),
        "pages without a paper": len(result.unknown),
        "blank pages": result.blank,
    }


def _row(count: tuple[str, int]) -> tuple[str, str]:
    return count[0], f"{count[1]:,}"


def _paper_row(paper: PaperScan) -> tuple[str, ...]:
    missing, again = (", ".join(map(str, pages)) for pages in (paper.missing, [each.page for each in paper.repeated]))
    return paper.code, paper.student, f"{len(paper.pages)} of {paper.count}", missing, again

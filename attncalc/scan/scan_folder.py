"""Reads the folder that `attncalc scan` writes: the pages of each paper, and the picture and the text of each field.

The folder may be from an untrusted source: pictures must be inside it, and their sizes are checked before a browser
decodes them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..api import read_bytes
from ..errors import AttncalcError, Diagnostics, Location, did_you_mean, shorten
from ..exam.scan_layout import ENTRY, TEXT, TICK
from ..gradebook.entry_form import Paper
from ..safe_files import is_inside

FILE = "scan.json"
VERSION = 1
KINDS = (ENTRY, TICK, TEXT)
LARGEST = 64_000_000  # bytes of scan.json
LARGEST_PICTURE = 20_000_000  # bytes
MOST_PIXELS = 40_000_000
MOST_PAGES = 1_000
LONGEST = 60  # characters of the text that was read in a field
SIDE = 30_000  # pixels of a page
_PNG, _END = b"\x89PNG\r\n\x1a\n", b"IEND\xaeB`\x82"
AGAIN = "create the folder again with `attncalc scan`"


@dataclass(frozen=True, slots=True)
class ScanField:
    """A field on a page. `text` is the text that was read. The box is in pixels of the page's picture."""

    paper: str
    column_name: str
    kind: str
    option: str
    page: int
    picture: str
    box: tuple[float, float, float, float]
    text: str
    confidence: float


class PaperPages(NamedTuple):
    """The pages of a paper: their pictures by number, the numbers of missing pages, and pictures of other scans of a
    page with different content.
    """

    student: str
    pages: dict[int, str]
    missing: list[int]
    others: dict[int, list[str]]


@dataclass(slots=True)
class ScanFolder:
    """The content of the scans of a class."""

    path: str
    papers: dict[str, PaperPages] = field(default_factory=dict)
    fields: list[ScanField] = field(default_factory=list)

    def picture(self, name: str) -> bytes:
        """Return a picture of the folder. Raises AttncalcError if it is not a PNG picture of a plausible size."""
        path = os.path.join(self.path, name)
        if not (os.path.isfile(path) and is_inside(path, self.path)):
            raise AttncalcError(f"this picture does not exist; {AGAIN}", Location(path))
        raw = read_bytes(path, LARGEST_PICTURE)
        width, height = picture_size(raw)
        if not 0 < width * height <= MOST_PIXELS:
            raise AttncalcError(
                f"expected a complete PNG picture of at most {MOST_PIXELS:,} pixels; {AGAIN}", Location(path)
            )
        return raw


def picture_size(raw: bytes) -> tuple[int, int]:
    """Return the width and height of a complete PNG picture; (0, 0) for other bytes."""
    if raw[:8] != _PNG or not raw.endswith(_END) or raw[12:16] != b"IHDR" or len(raw) < 24:
        return 0, 0
    return int.from_bytes(raw[16:20], "big"), int.from_bytes(raw[20:24], "big")


def scans_of_papers(folder: str, papers: Mapping[str, Paper]) -> ScanFolder:
    """Read the scans of papers, by their codes. Raises AttncalcError if they do not fit."""
    columns = {
        code: {name: entry.letters for name, (_, entry) in paper.entries.items()} for code, paper in papers.items()
    }
    return read_scans(folder, columns)


def read_scans(folder: str, columns: Mapping[str, Mapping[str, str]]) -> ScanFolder:
    """Read a folder of `attncalc scan`. `columns` has the columns of each paper of the key by its code, with the
    letters that can be ticked. Raises AttncalcError with every fault.
    """
    path = os.path.join(folder, FILE)
    if not os.path.isdir(folder):
        kind = "a file" if os.path.exists(folder) else "nothing"
        raise AttncalcError(f"expected a folder that `attncalc scan` wrote, found {kind}", Location(folder))
    if not os.path.isfile(path):
        raise AttncalcError(
            f"expected a folder that contains {FILE}, such as one that `attncalc scan` wrote", Location(folder)
        )
    return _Reader(folder, path, columns).scans(_json(path))


def _json(path: str) -> dict[str, Any]:
    try:
        data = json.loads(read_bytes(path, LARGEST))
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict) or data.get("version") != VERSION:
        raise AttncalcError(
            f"expected JSON with version: {VERSION}, as `attncalc scan` writes it; {AGAIN}", Location(path)
        )
    return data


class _Reader:
    def __init__(self, folder: str, path: str, columns: Mapping[str, Mapping[str, str]]):
        self.folder, self.path, self.columns = folder, path, columns
        self.listed: set[str] = set()  # the papers of the file, including faulty papers
        self.faults = Diagnostics()

    def scans(self, data: Mapping[str, Any]) -> ScanFolder:
        scans = ScanFolder(self.folder)
        papers, fields = data.get("papers"), data.get("fields")
        if not isinstance(papers, dict) or not isinstance(fields, list):
            raise AttncalcError(f"expected the keys papers: and fields: in this file; {AGAIN}", Location(self.path))
        self.listed = {*papers}
        for code, record in papers.items():
            place = Location(f"{self.path}: paper {shorten(code, 40)}")
            if code not in self.columns:
                near = did_you_mean(code, list(self.columns))
                self.faults.add(f"the key has no paper with this code{near}; is it the key of a different exam?", place)
            elif paper := self._guarded(self._paper, record, place):
                scans.papers[code] = paper
        for k, record in enumerate(fields, 1):
            if read := self._guarded(self._field, record, Location(f"{self.path}: field {k}"), scans):
                scans.fields.append(read)
        self.faults.raise_any()
        return scans

    def _guarded(self, read: Any, record: object, place: Location, *more: object) -> Any:
        """Return the result of `read` for a record. After a fault, store the fault and return None."""
        try:
            return read(record if isinstance(record, dict) else {}, place, *more)
        except AttncalcError as error:
            self.faults.extend(error)
            return None

    def _paper(self, record: Mapping[str, Any], place: Location) -> PaperPages:
        student, pages = record.get("student"), record.get("pages")
        if not (student is None or isinstance(student, str)) or not isinstance(pages, dict):
            raise AttncalcError("expected a student and pages", place)
        pictures = {
            _number(page, place): self._picture(name, place) for page, name in sorted(pages.items(), key=lambda p: p[0])
        }
        missing, again = sorted(_numbers(record.get("missing", []), place)), record.get("again", [])
        if not isinstance(again, list) or len(again) > MOST_PAGES or not all(isinstance(each, dict) for each in again):
            raise AttncalcError("again: expected a list of pages that were scanned again", place)
        others: dict[int, list[str]] = {}
        for each in again:
            if each.get("differs") is not False:
                others.setdefault(_number(each.get("page"), place), []).append(
                    self._picture(each.get("picture"), place)
                )
        return PaperPages(student or "", dict(sorted(pictures.items())), missing, others)

    def _field(self, record: Mapping[str, Any], place: Location, scans: ScanFolder) -> ScanField | None:
        code, name = _text(record, "paper", place), _text(record, "column_name", place)
        if code not in scans.papers:
            if code not in self.listed:
                raise AttncalcError(f"the paper {shorten(code)!r} is not listed under papers", place)
            return None  # the paper was reported
        kind = _text(record, "kind", place)
        if kind not in KINDS:
            near = did_you_mean(kind, KINDS)
            raise AttncalcError(f"kind: expected {', '.join(KINDS)}, found {shorten(kind)!r}{near}", place)
        columns, option = self.columns[code], _text(record, "option", place, "").upper()
        if kind != TEXT and name not in columns:
            raise AttncalcError(
                f"this paper has no entry {shorten(name)!r}{did_you_mean(name, list(columns))}; {AGAIN}", place
            )
        if kind == TICK and (len(option) != 1 or option not in columns[name]):
            raise AttncalcError(f"option: expected one of {columns[name]}, found {shorten(option)!r}", place)
        page = _number(record.get("page"), place)
        if page not in scans.papers[code].pages:
            raise AttncalcError(f"the paper {shorten(code)} has no page {page}", place)
        text = _text(record, "text", place, "")
        if len(text) > LONGEST or not text.isprintable():
            raise AttncalcError(f"text: expected at most {LONGEST} printable characters", place)
        confidence = record.get("confidence", 0.0)
        if not _is_number(confidence, 0, 1):
            raise AttncalcError("confidence: expected a number from 0 to 1", place)
        box = record.get("box")
        if not (isinstance(box, list) and len(box) == 4 and all(_is_number(x, 0, SIDE) for x in box)):
            raise AttncalcError(f"box: expected four numbers from 0 to {SIDE:,}", place)
        picture = self._picture(record.get("picture"), place)
        left, top, width, height = map(float, box)
        return ScanField(
            code, name, kind, option, page, picture, (left, top, width, height), text.strip(), float(confidence)
        )

    def _picture(self, name: object, place: Location) -> str:
        """Return the name of a picture inside the folder. Raises AttncalcError if it leads out of it, or is missing."""
        if not isinstance(name, str) or not name.isprintable() or not name.lower().endswith(".png"):
            raise AttncalcError("picture: expected the name of a .png file", place)
        path = os.path.join(self.folder, name)
        is_far = os.path.isabs(name) or "\\" in name or ".." in name.split("/") or len(name) > 400
        if is_far or not is_inside(path, self.folder):
            raise AttncalcError(f"picture: expected a file inside the folder, found {shorten(name)!r}", place)
        if not os.path.isfile(path):
            raise AttncalcError(f"the picture {shorten(name)!r} does not exist; {AGAIN}", place)
        return name


def _text(record: Mapping[str, Any], name: str, place: Location, default: str | None = None) -> str:
    text = record.get(name, default)
    if text is None and default is not None:
        return default
    if not isinstance(text, str):
        raise AttncalcError(f"{name}: expected a text", place)
    return text


def _is_number(value: object, least: float, most: float) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= most


def _number(page: object, place: Location) -> int:
    """Return the number of a page. If it is a key of a mapping, it is a text."""
    if isinstance(page, str) and page.isascii() and page.isdigit() and len(page) < 5:
        page = int(page)
    if not isinstance(page, int) or isinstance(page, bool) or not 0 < page <= MOST_PAGES:
        raise AttncalcError(f"page: expected a number from 1 to {MOST_PAGES:,}", place)
    return page


def _numbers(listed: object, place: Location) -> Iterator[int]:
    if not isinstance(listed, list) or len(listed) > MOST_PAGES:
        raise AttncalcError("expected a list of pages", place)
    for item in listed:
        yield _number(item, place)

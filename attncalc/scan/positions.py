"""The positions of the fields of each paper: the section `scan` of key.json."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from ..errors import AttncalcError, Location, shorten
from ..exam.scan_layout import CODE_TEXT, ENTRY, MOST_PAGES, PAGE, TEXT, TICK, VERSION
from ..gradebook.answer_key import Key, raw_key, read_key

MOST_FIELDS = 20_000  # fields of a paper
DAMAGED = "scan: expected the positions of fields that `attncalc exam` wrote; use the key.json of the printed papers"
_CODE = re.compile(r"[A-Za-z0-9]{1,20}")
_OUTSIDE = 1.0  # millimetres by which a box may exceed the page, because positions in a key are rounded
Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Place:
    """A field of a paper, in millimetres; `number` counts the fields of the paper from 0."""

    number: int
    question: str
    step: str
    row: int
    column: int
    column_name: str
    kind: str
    option: str
    page: int
    box: Box


@dataclass(frozen=True, slots=True)
class PaperPlaces:
    """A paper: its student (empty if any student can have it), its number of pages and its fields."""

    code: str
    student: str
    pages: int
    fields: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class ScanKey:
    """The papers of an exam that can be scanned. `codes` maps the text of a matrix code to a paper and a page."""

    digest: str
    title: str
    marks: tuple[tuple[float, float], ...]
    mark: float
    papers: dict[str, PaperPlaces]
    codes: dict[str, tuple[str, int]]


def read_positions(name: str) -> ScanKey:
    """Read the positions in a key. Raises AttncalcError for a key of papers that cannot be scanned."""
    key = read_key(name)
    raw = raw_key(name)
    data = json.loads(raw) if name.endswith(".json") else {}
    section = data.get("scan") if isinstance(data, dict) else None
    place = Location(name)
    if not isinstance(section, dict):
        message = "the papers of this key cannot be scanned; add `scan: true` to the exam sheet, and print them again"
        raise AttncalcError(message, place)
    if section.get("version") != VERSION:
        raise AttncalcError(f"scan: expected version: {VERSION}, found {shorten(repr(section.get('version')))}", place)
    try:
        return _scan_key(section, key, sha256(raw).hexdigest())
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
        raise AttncalcError(DAMAGED, place) from None


def _scan_key(section: Mapping[str, Any], key: Key, digest: str) -> ScanKey:
    if tuple(map(float, section["page"])) != PAGE:
        raise ValueError
    students = {variant.code: variant.student or "" for variant in key.variants}
    papers = {code: _paper(code, record, students) for code, record in section["papers"].items()}
    marks = tuple((_length(x), _length(y)) for x, y in section["marks"])
    if len(marks) != 4:
        raise ValueError
    codes = {
        text: (code, page)
        for code, record in section["papers"].items()
        for page, text in enumerate(record["codes"][: papers[code].pages], 1)
        if CODE_TEXT.fullmatch(text)
    }
    if len(codes) != sum(paper.pages for paper in papers.values()):
        raise ValueError
    return ScanKey(digest, key.title, marks, _length(section.get("mark", 4.0)), papers, codes)


def _paper(code: str, record: Mapping[str, Any], students: dict[str, str]) -> PaperPlaces:
    pages = int(record["pages"])
    if not _CODE.fullmatch(code) or code not in students or not 1 <= pages <= MOST_PAGES:
        raise ValueError
    if len(record["fields"]) > MOST_FIELDS:
        raise ValueError
    return PaperPlaces(code, students[code], pages, tuple(_places(record["fields"], pages)))


def _places(records: list[Mapping[str, Any]], pages: int) -> Iterator[Place]:
    for number, record in enumerate(records):
        left, top, width, height = map(_length, record["box"])
        page, kind = int(record["page"]), record["kind"]
        is_inside = left + width <= PAGE[0] + _OUTSIDE and top + height <= PAGE[1] + _OUTSIDE
        if kind not in (ENTRY, TICK, TEXT) or not 1 <= page <= pages or not is_inside or min(width, height) < 1:
            raise ValueError
        yield Place(
            number, str(record["question"]), str(record["step"]), int(record["row"]), int(record["column"]),
            str(record["column_name"]), kind, str(record.get("option") or ""), page, (left, top, width, height),
        )  # fmt: skip


def _length(value: object) -> float:
    if not isinstance(value, int | float) or not 0 <= value <= max(PAGE):
        raise ValueError
    return float(value)

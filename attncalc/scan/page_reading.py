"""Reads one scanned page: which page of which paper it is, and what is in its fields."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np

from ..errors import AttncalcError, Location
from ..exam.scan_layout import ENTRY, TEXT, TICK
from ..processor_limit import MOST_SECONDS, limited
from .ink import DARK, DOUBTFUL, PALE, ink, is_crossed, is_framed, tick
from .page_images import SCANNED, Grey, page_count, page_image
from .positions import Place, ScanKey
from .recogniser import read_entries
from .rectify import Code, evenly_lit, is_larger_than_a_page, pixels, projection, read_codes, straightened

NO_CODE = "no paper code can be read on this page"
OTHER_EXAM = "this is a page of a different exam, or of this exam with earlier numbers"
NO_MARKS = "fewer than three of the marks in the corners are visible"
MOVED = (
    "only three marks in the corners are visible, and the boxes are not where they were printed; scan this page flat"
)
TOO_MUCH = "this page takes too much time or memory; scan it again with 150 to 300 dpi, in grey"
TOO_MUCH_FILE = "this file takes too much time or memory"
AROUND, WIDELY = 1.0, 3.0  # millimetres around a box in its picture; and around one that is odd
BLANK = 2e-4  # the share of ink below which a page is blank
EDGE = 0.04  # of the picture, where the edges of the paper may be seen


@dataclass(frozen=True, slots=True)
class FieldReading:
    """What is in a field; `number` is that of its place, and `box` is in pixels of the page."""

    number: int
    picture: bytes
    box: tuple[int, int, int, int]
    text: str = ""
    confidence: float = 0.0
    ink: float = 0.0
    is_crossed: bool = False


@dataclass(frozen=True, slots=True)
class SheetReading:
    """A page of a paper: its straightened picture and its fields."""

    code: str
    page: int
    picture: bytes
    fields: list[FieldReading]
    has_room: bool = False  # for another page in the same picture


@dataclass(frozen=True, slots=True)
class PageReading:
    """A page of a scanned file: the pages of papers in it, or the reason why there is none."""

    source: str
    number: int
    sheets: list[SheetReading] = field(default_factory=list)
    reason: str = ""
    picture: bytes = b""
    is_blank: bool = False


def count_pages(_: ScanKey, path: str) -> int | str:
    """Return the number of pages of a file, or why it cannot be read."""
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
    except Exception as error:  # a library stumbles over a damaged page; the others are still read
        return PageReading(path, number, reason=f"this page cannot be read ({type(error).__name__})")


def lost_page(page: tuple[str, int]) -> PageReading:
    """Return the reading of a page whose process has ended."""
    return PageReading(*page, reason=TOO_MUCH)


def _limit_process() -> None:
    """End this process if the next file takes too long in a library that no signal interrupts."""
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
    """Return the page of a code, or why it cannot be read."""
    where = scan_key.codes.get(code.text)
    if where is None:
        return f"{OTHER_EXAM}; its code is {code.text[:4]}, page {int(code.text[4:6])}"
    matrix = projection(image, code, scan_key.marks, scan_key.mark)
    if matrix is None:
        return f"{NO_MARKS}; the code is that of paper {where[0]}, page {where[1]}"
    page = straightened(image, matrix)
    places = [place for place in scan_key.papers[where[0]].fields if place.page == where[1]]
    if not matrix[2, :2].any():  # three marks do not show how a page is tilted
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

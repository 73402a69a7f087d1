"""Papers that can be scanned: the marks and codes on each page, and the position of every field for key.json.

Lengths are millimetres from the top left corner of the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from ..errors import AttncalcError
from .secret import DIGITS, LETTERS
from .sheet.model import Sheet

if TYPE_CHECKING:
    from .paper import Paper, PartPaper

VERSION = 1
PAGE = (210.0, 297.0)
MARGIN = 20.0  # above and below the text
MARK = 4.0  # the side of a mark
MARKS = ((10.0, 10.0), (200.0, 10.0), (10.0, 287.0), (200.0, 287.0))  # centres
CODE = (179.5, 4.75, 10.5)  # the matrix code: its left edge, its upper edge, and its side
CODE_TEXT = re.compile(r"[A-Z0-9]{4}[0-9]{2}[A-Z0-9]{4}")  # the paper, the page and a check
MODULES = 14
MOST_PAGES = 60
MISSING = "the packages for scanned papers are not installed: pip install 'attncalc[scan]'"
ENTRY, TICK, TEXT = "entry", "tick", "text"
_SIGNS = LETTERS + DIGITS
ScanRecord = dict[str, Any]  # the positions of the fields of a paper
Corner = Sequence[float]  # page, distance from the left, distance from the top


@dataclass(frozen=True, slots=True)
class Field:
    """A field to write in. It has the name of its column in the class table."""

    kind: str
    question: str
    step: str
    column_name: str
    row: int = 0
    column: int = 0
    option: str = ""


def code_text(code: str, digest: str, page: int) -> str:
    """Return the text in the matrix code of a page. The check depends on the printed numbers (`digest`), so a paper of
    another exam with the same code is recognised.

    >>> code_text("K7Q2", "", 3)[:6], len(code_text("K7Q2", "", 3))
    ('K7Q203', 10)
    """
    text = f"{code}{page:02}"
    number = int.from_bytes(sha256(f"{digest}/{text}".encode()).digest()[:8], "big")
    return text + "".join(_SIGNS[number // len(_SIGNS) ** k % len(_SIGNS)] for k in range(4))


def require_scan(sheet: Sheet, targets: tuple[str, ...]) -> None:
    """Raise AttncalcError if papers of this sheet cannot be scanned, or the package for matrix codes is missing."""
    assert sheet.scan
    if "latex" in targets:
        raise AttncalcError("scan: works only with PDF; remove scan: or --to latex", sheet.scan)
    if sheet.template:
        message = "scan: works only with the templates of attncalc; remove `scan:` or `template:` and --template"
        raise AttncalcError(message, sheet.scan)
    try:
        import zxingcpp  # noqa: F401
    except ImportError:
        raise AttncalcError(f"scan: {MISSING}", sheet.scan) from None


def require_pages(pages: int, code: str, sheet: Sheet) -> int:
    """Return the number of pages of a paper. Raises AttncalcError if the codes on its pages have too few digits."""
    if pages > MOST_PAGES:
        message = f"scan: expected at most {MOST_PAGES} pages, found {pages} in the paper {code}; ask for fewer steps"
        raise AttncalcError(message, sheet.scan)
    return pages


def modules(text: str) -> list[int]:
    """Return the rows of the Data Matrix code of a text, each as a number whose bits are the dark modules."""
    import zxingcpp

    barcode = zxingcpp.create_barcode(text, zxingcpp.BarcodeFormat.DataMatrix)
    rows: Any = memoryview(barcode.to_image(scale=1, add_quiet_zones=False)).tolist()
    assert len(rows) == len(rows[0]) == MODULES
    return [sum(1 << k for k, value in enumerate(row) if value < 128) for row in rows]


def fields_of(paper: Paper) -> Iterator[Field]:
    """Yield the fields of a paper in the order of the template."""
    for question in paper.questions:
        for part in question.parts:
            title = f"Question {question.number}"
            yield from _response_fields(part, title, f"q{question.number}")
            for answer in (answer for answer in part.answers if not answer.is_shown):
                step = answer.step.partition(".")[2] or answer.step
                if not question.blanks:
                    yield Field(TEXT, title, step, answer.step)
                    continue
                for i in answer.rows:
                    for j in answer.columns:
                        yield Field(ENTRY, title, step, f"{answer.step}[{i},{j}]", i, j)


def _response_fields(part: PartPaper, title: str, name: str) -> Iterator[Field]:
    response = part.response
    if response is None:
        return
    if not response.options:
        yield Field(TEXT, title, name, name)
    for letter, *_ in response.options:
        yield Field(TICK, title, name, name, option=letter)


def paper_record(fields: Iterable[Field], corners: Sequence[Corner], codes: Sequence[str]) -> ScanRecord:
    """Return the record of a paper for the key. `corners` are the upper left and the lower right corner of
    each field.
    """
    records = []
    pairs = zip(corners[::2], corners[1::2], strict=True)
    for field, (first, last) in zip(fields, pairs, strict=True):
        (page, x, y), (_, right, bottom) = first, last
        record: dict[str, Any] = {
            "question": field.question, "step": field.step, "row": field.row, "column": field.column,
            "column_name": field.column_name, "kind": field.kind,
        }  # fmt: skip
        record |= {"option": field.option} if field.kind == TICK else {}
        box = [round(length, 2) for length in (x, y, right - x, bottom - y)]
        records.append(record | {"page": int(page), "box": box})
    return {"pages": len(codes), "codes": list(codes), "fields": records}


def key_record(papers: dict[str, ScanRecord]) -> dict[str, Any]:
    """Return the key's section `scan`."""
    return {
        "version": VERSION, "page": list(PAGE), "marks": [list(mark) for mark in MARKS], "mark": MARK, "papers": papers,
    }  # fmt: skip

"""Feedback on the scanned pages of a student. Each field has a sign, and the margin shows the points and the first
error. The report with the expected numbers and a reply slip follow.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TypedDict

from ..errors import AttncalcError, Location
from ..exam.scan_layout import TEXT, TICK
from ..explain import report_messages as texts
from ..explain.document import Document
from ..gradebook.answer_key import Key
from ..gradebook.entry_form import paper_of
from ..gradebook.graded_script import GradedScript
from ..processor_limit import Purpose
from ..render import template_renderer
from ..render.math.typst_formula import quoted
from ..render.pdf import by_typst
from ..render.typst import TypstMedium
from .scan_folder import ScanField, ScanFolder, picture_size, scans_of_papers

LEFT, TOP, WIDTH = 8.0, 24.0, 158.0  # millimetres: the left and upper edges of a page's picture, and its width
LINE, CHARACTERS = 3.6, 23  # height of a line in the margin in millimetres, and its length in characters
GAP = 2.0
SIGN = 3.5  # millimetres: the size of a sign
SIGNS = {
    "right": "right", "granted": "right", "carried": "carried", "last_digit": "nearly", "truncated": "nearly",
    "too_coarse": "nearly", "wrong": "wrong",
}  # fmt: skip
FIRST_ERROR = "First error"
WRITTEN = Purpose("a PDF with scanned pages", "scan with 150 dots per inch")


class _Mark(TypedDict):
    sign: str
    x: str
    y: str


class _Note(TypedDict):
    y: str
    head: str
    text: str
    first: bool


class _Page(TypedDict):
    file: str
    high: str
    alt: str
    marks: list[_Mark]
    notes: list[_Note]


def scans_of(folder: str, key: Key) -> ScanFolder:
    """Read the scans of a class. Raises AttncalcError if they do not fit the key."""
    return scans_of_papers(folder, {variant.code: paper_of(key, variant, set()) for variant in key.variants})


def write(scans: ScanFolder, row: GradedScript, document: Document) -> bytes:
    """Return the PDF of a student: the scanned pages with verdicts, and then the document of the report."""
    paper = scans.papers.get(row.variant)
    files: dict[str, bytes] = {}
    pages: list[_Page] = []
    for page, name in (paper.pages if paper else {}).items():
        file = f"page-{page}.png"
        files[file] = scans.picture(name)
        pages.append(_page(scans, row, page, file, picture_size(files[file])))
    values = template_renderer.page(TypstMedium(), document) | {
        "first_page": 1, "scans": pages, "student": quoted(row.student), "code": quoted(row.variant),
        "points": quoted(texts.score_in_points(row.earned, row.most)), "missing": paper.missing if paper else [],
        "left": f"{LEFT:g}", "top": f"{TOP:g}", "width": f"{WIDTH:g}", "margin": f"{LEFT + WIDTH + 3:g}",
    }  # fmt: skip
    source = template_renderer.render("typst", "scanned.typ", values, None, **template_renderer.SHARP)
    place = Location(f"{scans.path}: paper {row.variant}")
    try:
        return by_typst(source, files, limit=(place, WRITTEN))
    except AttncalcError as error:
        raise AttncalcError(error.faults[0].message, place) from None


def _page(scans: ScanFolder, row: GradedScript, page: int, file: str, size: tuple[int, int]) -> _Page:
    scale = WIDTH / size[0]
    fields = [each for each in scans.fields if each.paper == row.variant and each.page == page]
    marks = list[_Mark]()
    tops: dict[str, float] = {}
    firsts: dict[str, ScanField] = {}
    for each in fields:
        firsts.setdefault(each.column_name, each)
    for name, first in firsts.items():
        x, y, width, _ = (scale * length for length in first.box)
        step = name.partition("[")[0]
        tops[step] = min(y, tops.get(step, y))
        if sign := _sign(row, first, step):
            # The sign is left of a box to tick, so that it does not cover the option
            at = (x - SIGN - 0.8, y - SIGN - 1) if first.kind == TICK else (x + width - 1.2, y - 2.4)
            marks.append({"sign": sign, "x": f"{LEFT + at[0]:.2f}", "y": f"{TOP + at[1]:.2f}"})
    alt = f"Page {page} of the paper {row.variant}, as it was handed in"
    high = f"{size[1] * scale:.2f}"
    return {"file": file, "high": high, "alt": quoted(alt), "marks": marks, "notes": list(_notes(row, tops))}


def _sign(row: GradedScript, scan_field: ScanField, step: str) -> str:
    """Return the verdict on a field; empty if there is no verdict."""
    if step in row.question_states:
        is_full = row.marks.get(step, Fraction(0)) == row.out_of.get(step)
        return "" if scan_field.kind == TEXT else "right" if is_full else "wrong"
    verdict = row.verdicts.get(step, "")
    wrong = row.wrong_entries.get(step, [])
    if verdict == "wrong" and wrong and scan_field.column_name not in wrong and scan_field.kind != TEXT:
        return ""
    return SIGNS.get(verdict, "")


def _notes(row: GradedScript, tops: Mapping[str, float]) -> Iterator[_Note]:
    """Yield the notes in the margin from top to bottom. A note begins below the previous note."""
    below = 0.0
    for step, y in sorted(tops.items(), key=lambda pair: pair[1]):
        if step not in row.out_of and step not in row.verdicts:
            continue
        out_of = Fraction(0) if step in row.unmarked else row.out_of.get(step, Fraction(0))
        score = texts.score(row.marks.get(step, Fraction(0)), out_of)
        is_first = step == row.first_wrong
        verdict = texts.VERDICTS.get(row.verdicts.get(step, ""), "")
        text = row.first_error if is_first else row.question_states.get(step) or verdict
        below = max(y, below)
        name = step.rpartition(".")[2]
        head = f"{name}: {score}" if score else name
        yield {"y": f"{TOP + below:.2f}", "head": quoted(head), "text": quoted(text), "first": is_first}
        below += LINE * (1 + is_first - (-len(text) // CHARACTERS)) + GAP

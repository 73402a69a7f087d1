"""What a run of `attncalc scan` found: counts, and the papers of which something is missing or repeated."""

from __future__ import annotations

from ..explain.document import Block, Document, Paragraph, Table
from ..safe_files import as_json
from .class_scan import ClassScan, PaperScan

MOST_NAMED = 20  # papers without a scan


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

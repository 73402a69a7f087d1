"""A whole exam against Typst alone on the same pages, and a class that is graded, then marked again with a new key."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from attncalc.exam import typeset
from attncalc.exam.paper_build import build_paper
from attncalc.exam.sheet.sheet_reader import read_sheet, sheet_data
from attncalc.exam.variant_drawing import draw_all, make_variants_distinct

from . import grading
from .clock import Side
from .sides import run

SHEET = "attention-midterm"
COMMAND = "from attncalc.__main__ import main; main()"
COMPILE = """
import pathlib, sys, typst
for page in sorted(pathlib.Path(sys.argv[1]).glob("*.typ")):
    typst.compile(str(page), root=sys.argv[1], ignore_system_fonts=True, pdf_standards="ua-1")
"""
CHANGES = "accept: [scale-without-root]\nreason: the slides divide by d_k\n"


def sheet_with(variants: int) -> bytes:
    """Return the exam sheet with another number of variants."""
    return re.sub(rb"variants: \d+", b"variants: %d" % variants, sheet_data(SHEET)[0])


def exam(variants: int, folder: Path) -> dict[str, Side]:
    """`attncalc exam` from the sheet to the last file, on one core, and Typst alone on the sources of its papers and
    solutions.
    """
    data = sheet_with(variants)
    (folder / "sheet.yaml").write_bytes(data)
    sheet = read_sheet(data, sheet_data(SHEET)[1])
    draws = (draw_all(sheet, student) for student in sheet.students)
    for variant in make_variants_distinct(sheet, sheet.students, draws):
        paper = build_paper(sheet, variant)
        solution = typeset.typst([paper], True)
        with_rooms = typeset.typst([paper], False, rooms=typeset.rooms_of(solution, {}))
        for word, text in (("solution", solution), ("paper", with_rooms)):
            (folder / f"{word}-{variant.name}.typ").write_text(text, encoding="utf-8")
    made = folder / "exam"

    def write() -> None:
        shutil.rmtree(made, ignore_errors=True)
        run(COMMAND, "exam", str(folder / "sheet.yaml"), "-o", str(made), "--jobs", "1")

    return {"exam": write, "typst": lambda: run(COMPILE, str(folder))}


def marked_again(scripts: int, folder: Path) -> dict[str, Side]:
    """A class of as many variants graded, with pages for everybody, and marked again with a mistake accepted."""
    grading.write_class(folder, scripts, scripts)
    (folder / "changes.yaml").write_text(CHANGES, encoding="utf-8")
    key, changes, answers, table, page = (
        str(folder / name) for name in ("key.json", "changes.yaml", "scripts", "changed.csv", "changed.html")
    )
    arguments = ("regrade", key, changes, answers, "--jobs", "1", "--marks", table, "-o", page, "--force")
    return {"grade": lambda: grading.graded(folder), "regrade": lambda: run(COMMAND, *arguments)}

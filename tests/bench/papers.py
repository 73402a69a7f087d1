"""A whole exam: `python -m tests.bench.papers [--variants 100] [--sheet attention-midterm]`, as ratios within one run.

- Writing the papers and solutions of drawn variants as PDF, against Typst alone on the same sources: two files a
variant, one process each.
- `attncalc exam` from the sheet to the last file, drawing included, as many processes as there are cores, against
  pdflatex alone on the LaTeX that it writes for the same variants: one run a file.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from attncalc.exam import typeset
from attncalc.exam.paper_build import build_paper
from attncalc.exam.sheet.sheet_reader import read_sheet, sheet_data
from attncalc.exam.variant_drawing import draw_all, make_variants_distinct

PAPERS_GOAL, EXAM_GOAL = 2.0, 1.0
WRITE = """
import json, sys
from attncalc.exam import build, typeset
from attncalc.exam.draw import Variant
from attncalc.exam.model import Student
from attncalc.exam.sheet import read_sheet
folder = sys.argv[1]
sheet = read_sheet(open(f"{folder}/sheet.yaml", "rb").read(), f"{folder}/sheet.yaml")
for told in json.load(open(f"{folder}/drawn.json")):
    variant = Variant(told["code"], Student(told["index"]), "", told["problem"], told["name"], tuple(told["choices"]))
    build._write(sheet, (variant, f"{folder}/ours", ("pdf",)))
"""
COMPILE = """
import pathlib, sys
from attncalc.write.pdf import STANDARD
import typst
for page in sorted(pathlib.Path(sys.argv[1], "sources").glob("*.typ")):
    pathlib.Path(sys.argv[1], "theirs", page.stem + ".pdf").write_bytes(
        typst.compile(str(page), root=sys.argv[1], ignore_system_fonts=True, pdf_standards=STANDARD))
"""


def drawn(folder: Path, name: str, variants: int) -> None:
    """The sheet, its variants as drawn, and the Typst source of every paper and solution."""
    import json

    data, source = sheet_data(name)
    data = re.sub(rb"variants: \d+", b"variants: %d" % variants, data)
    (folder / "sheet.yaml").write_bytes(data)
    sheet = read_sheet(data, source)
    found = list(
        make_variants_distinct(sheet, sheet.students, (draw_all(sheet, student) for student in sheet.students))
    )
    told = [
        {"code": v.code, "index": v.student.index, "problem": v.problem, "name": v.name, "choices": v.choices}
        for v in found
    ]
    (folder / "drawn.json").write_text(json.dumps(told))
    for part in ("ours", "theirs", "sources"):
        (folder / part).mkdir()
    for variant in found:
        paper = build_paper(sheet, variant)
        for word, solved in (("paper", False), ("solution", True)):
            (folder / "sources" / f"{word}-{variant.name}.typ").write_text(
                typeset.typst([paper], solved), encoding="utf-8"
            )


def seconds(*command: str, **more) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **more)
    return time.perf_counter() - start


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--variants", type=int, default=100)
    options.add_argument("--sheet", default="attention-midterm")
    told = options.parse_args()
    missed = False
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        drawn(folder, told.sheet, told.variants)
        times = [
            (seconds(sys.executable, "-c", WRITE, temporary), seconds(sys.executable, "-c", COMPILE, temporary))
            for _ in range(3)
        ]
        ours, theirs = (min(one) for one in zip(*times, strict=True))
        missed |= ours > PAPERS_GOAL * theirs
        print(
            f"{told.variants} variants with solutions as PDF: {ours:.1f} s; Typst alone on the same pages {theirs:.1f} s: {ours / theirs:.2f} ×"
        )
        exam = (sys.executable, "-m", "attncalc", "exam", str(folder / "sheet.yaml"))
        whole = seconds(*exam, "-o", str(folder / "pdf"))
        print(f"attncalc exam, whole, {os.cpu_count()} cores: {whole:.1f} s, {whole / told.variants:.2f} s a variant")
        if shutil.which("pdflatex"):
            seconds(*exam, "-o", str(folder / "tex"), "--to", "latex")
            files = sorted(p.name for p in (folder / "tex").glob("*-*.tex") if not p.name.startswith("all-"))
            latex = sum(
                seconds(
                    "pdflatex",
                    "-interaction=batchmode",
                    name,
                    cwd=folder / "tex",
                    env={**os.environ, "max_print_line": "1000"},
                )
                for name in files
            )
            missed |= whole > EXAM_GOAL * latex
            print(
                f"pdflatex alone on its {len(files)} LaTeX files: {latex:.1f} s: attncalc exam takes {whole / latex:.2f} × as long"
            )
    sys.exit(missed)


if __name__ == "__main__":
    main()

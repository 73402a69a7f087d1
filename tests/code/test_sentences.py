"""What is said to people stands in a room's modules of sentences, so that it can be read in one sitting and translated.

Faults are told where they are found: what is raised, or added to a list of faults, is left alone.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

from tests.support.sweeps import for_each

ROOMS = Path(__file__).parents[2] / "attncalc"
SENTENCES = {
    "explain": {"solution_messages.py", "report_messages.py", "listings.py", "mistake_page.py", "quality_notices.py"},
    "marking": {"credit.py", "report.py"},
    "practice": {"messages.py"},
    "exam": {"sheet_keys.py", "stress.py"},
}
FAULTY = {
    "question.py",
    "roster.py",
    "instructor_question.py",
    "sheet_reader.py",
    "grading_scale.py",
    "problem_assembly.py",
    "variant_drawing.py",
    "sheet_files.py",
    "paper_folder.py",
    "missing_glyphs.py",
    "secret.py",
    "scan_layout.py",
}  # of exam: what may be wrong with a sheet, its scale, a roster or a folder
A_FAULT = {"Diagnostic", "AttncalcError", "FormulaError", "RequestField", "add"}
NO_PROSE = {"alpha beta gamma delta", "acb acb_mat acb_poly", "It looks as if "}  # names, and what a title leaves out
PROSE = re.compile(r"[a-z]+,? [a-z]+,? [a-z]+,? [a-z]+")


def prose(source):
    """Texts of four words and more in a row that are no docstrings and tell no fault, with their lines."""
    tree = ast.parse(source)
    aside = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr | ast.Raise | ast.Assert | ast.Subscript)
        or isinstance(node, ast.Call)
        and getattr(node.func, "attr", getattr(node.func, "id", "")) in A_FAULT
        for part in ([node.value] if isinstance(node, ast.Expr) else ast.walk(node))
    }
    for node in ast.walk(tree):
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in aside
        if is_text and PROSE.search(node.value) and not node.value.startswith(tuple(NO_PROSE)):
            yield node.lineno, node.value


@for_each("room", SENTENCES)
def test_sentences_stand_together(room):
    found = [
        (file.name, *one)
        for file in sorted((ROOMS / room).rglob("*.py"))
        if not {file.name, file.parent.name} & SENTENCES[room] and not (room == "exam" and file.name in FAULTY)
        for one in prose(file.read_text(encoding="utf-8"))
    ]
    assert not found


def test_prose_is_found():
    assert [*prose('"""A sentence of a docstring."""\nx = f"the rows of {y} sum to one, all of them"')]
    assert not [*prose('"""A sentence of a docstring."""\nraise AttncalcError("the file is not there")')]

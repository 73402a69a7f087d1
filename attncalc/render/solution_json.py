"""A solution as JSON, in the schema that `problem-format` documents."""

from __future__ import annotations

import re

from ..arithmetic.budget import Meter
from ..explain.closed_form_tree import closed_tree, compact_text
from ..explain.quality_notices import notices
from ..safe_files import as_json
from ..solution import PartSolution, Solution, StepResult

MOST_CLOSED_PARTS = 150_000  # numbers and functions of all closed forms, which take about 3 s; further entries are null


def write(solution: Solution, parts: list[PartSolution], steps: set[str] | None, exact: bool) -> str:
    """Return `{"title": ..., "parts": [{"name": ..., "steps": [...]}], "warnings": [...]}`."""
    parts_left = Meter(MOST_CLOSED_PARTS) if exact else None
    shown_notices = [n for n in notices(solution, parts) if steps is None or n.step in steps]
    data = {
        "title": solution.problem.title,
        "parts": [
            {"name": part.name, "steps": [_step(s, parts_left) for s in part.steps if steps is None or s.name in steps]}
            for part in parts
        ],
        "warnings": [{"part": n.part, "step": n.step, "code": n.code, "message": n.message} for n in shown_notices]
        + [
            {"part": None, "step": None, "code": fault.code, "message": fault.message.removeprefix("warning: ")}
            for fault in solution.problem.warnings
        ],
    }
    return compact(data)


def compact(data: object) -> str:
    """Return indented JSON with each innermost list on one line, so that matrices are legible."""
    text = as_json(data)
    return _INNERMOST.sub(lambda m: "[" + _BREAK.sub(" ", m[0][1:-1]).strip() + "]", text)


# JSON strings contain no line breaks, so those inside a list of scalars are only layout.
_INNERMOST = re.compile(r"\[\n[^\[\]{}]*\]")
_BREAK = re.compile(r"\n\s*")


def _step(result: StepResult, parts_left: Meter | None) -> dict[str, object]:
    printed = result.printed()
    data: dict[str, object] = {
        "name": result.name,
        "formula": result.formula,
        "shape": list(result.shape),
        "rows": list(result.rows) if result.rows else None,
        "columns": list(result.columns) if result.columns else None,
        "decimal": printed.texts,
        "exact": _closed(result, parts_left)
        if parts_left
        else [[None if x is None else x.str() for x in row] for row in result.rationals()],
        "nearly": printed.distances,
        "undecided": [list(cell) for cell in printed.undecided],
    }
    if result.given:
        data["given"] = True
    if result.step.means:
        data["means"] = result.step.means
    return data


def _closed(result: StepResult, parts_left: Meter) -> list[list[str | None]]:
    n, m = result.shape
    trees = [[closed_tree(result, i, j, in_all=parts_left) for j in range(m)] for i in range(n)]
    return [[None if tree is None else compact_text(tree) for tree in row] for row in trees]

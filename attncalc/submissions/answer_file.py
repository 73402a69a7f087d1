"""The answer file: its keys, in one table for the reader and for the JSON Schema, and a blank file to fill in."""

from __future__ import annotations

from collections.abc import Iterator

from .. import limits
from ..errors import AttncalcError, counted, shorten, size
from ..formula.typed_formula import Labels
from ..plan import Step
from ..problem.problem import Part, Problem
from ..problem.schema_keys import NUMBER, TEXT, VERSION, Key, Keys, Schema, document, mapping
from ..problem.yaml_file.nodes import Yaml
from ..problem.yaml_file.writer import scalar
from .located_text import Written

COMPUTED = ("float32", "float64")
_ROW: Schema = {"type": "array", "items": NUMBER | {"description": "a number as written, or _ for a blank"}}
_ANSWER: Schema = {"$ref": "#/$defs/answer"}
_LABELLED = {
    "rows": {"type": "array", "items": TEXT},
    "columns": {"type": "array", "items": TEXT},
    "values": _ANSWER,
    "note": TEXT,
}

KEYS = Keys((
    Key("problem", "header", "the problem that is answered: its name, its title, or the code of a variant"),
    Key("student", "header", "the student who wrote the answers"),
    Key("computed", "header", "the floating-point format of the program that computed the answers; its rounding "
        "errors are accepted",
        {"enum": list(COMPUTED)}),
    Key("source", "header", "the source of the answers"),
    Key("note", "header", "a remark, which attncalc ignores"),
    Key("format", "header", "the version of this format: 1", VERSION),
    Key("answers", "body", "the answers by step, or by part and step; a row such as Z[0] can replace a step",
        {"type": ["object", "null"], "additionalProperties": _ANSWER}),
))  # fmt: skip
HEADER = tuple(KEYS.at("header"))


def arithmetic(word: str | None, stated: Written | Yaml | None) -> str | None:
    """Return the floating-point format that a file states there. Raises AttncalcError for an unknown one."""
    if word is not None and word not in COMPUTED and stated is not None:
        message = f"computed: expected one of {', '.join(COMPUTED)}, found {shorten(word)!r}"
        raise AttncalcError(message, stated.place)
    return word


def answers_schema() -> Schema:
    """Return the JSON Schema (draft 2020-12) of an answer file. A matrix is rows, a row, a number, or a print."""
    kinds: list[Schema] = [
        NUMBER,
        _ROW,
        {"type": "array", "items": _ROW},
        mapping(_LABELLED, ["values"]),
        {"type": "null"},
    ]
    answer = {"anyOf": [*kinds, {"type": "object", "additionalProperties": _ANSWER}]}
    return document("answers", KEYS.properties("header") | KEYS.properties("body"), {"answer": answer}, ["answers"])


# -- a blank answer file -----------------------------------------------------------------------------------------------


_INTRODUCTION = """\
# {title}
# Write a number instead of each _ : 0.25, 1/3, sqrt(2)/2, 1.5e-3, -inf. Blanks count as not answered.
# You can also paste the matrix of a program or a spreadsheet: write | after the colon, and indent the rows below it.
problem: {name}
student: ""
answers:"""


def blank(problem: Problem, parts: list[Part] | None = None) -> str:
    """Return an answer file in YAML that `read` reads back as all blank. Raises AttncalcError if it is too large."""
    chosen = [(part, list(_cells(part))) for part in (problem.parts if parts is None else parts)]
    total = sum(len(rows) * len(columns) for _, cells in chosen for _, _, rows, columns in cells)
    if total > limits.FORM.most:
        raise AttncalcError(limits.FORM.exceeded(total))
    if not total:
        raise AttncalcError("nothing is asked in this problem; list the steps under `asked:`")
    lines = [_INTRODUCTION.format(title=shorten(problem.title, 100), name=scalar(problem.name, "-"))]
    for part, cells in chosen:
        if not cells:
            continue
        lines += [f"  # {line}" for line in _about(part)]
        lines += [f"  {part.name}:"] if part.name else []
        indent = "    " if part.name else "  "
        for text, step, rows, columns in cells:
            lines += [indent + line for line in _matrix(text, step, rows, columns)]
    return "\n".join(lines) + "\n"


def _about(part: Part) -> Iterator[str]:
    if part.ask:
        yield shorten(part.ask, 110)
    if part.rounding_stated:
        yield counted(part.rounding.digits, "decimal")


def _cells(part: Part) -> Iterator[tuple[str, Step, list[int], list[int]]]:
    seen: set[tuple[str, int, int]] = set()
    whole = {asked.step for asked in part.asked if asked.rows is None and asked.columns is None}
    for asked in part.asked:
        step = part.plan.step(asked.step)
        if step is None or (asked.step in whole and (asked.rows, asked.columns) != (None, None)):
            continue
        rows = list(range(step.shape[0]) if asked.rows is None else asked.rows)
        columns = list(range(step.shape[1]) if asked.columns is None else asked.columns)
        cells = {(step.name, i, j) for i in rows for j in columns}
        if not cells & seen:
            seen |= cells
            yield asked.text, step, rows, columns


def _matrix(text: str, step: Step, rows: list[int], columns: list[int]) -> Iterator[str]:
    shape = len(rows), len(columns)
    key = text if text.isidentifier() else scalar(text, "-")  # a step called Y needs no quotes here
    across = _labels(step.blank_labels[1], columns)
    about = [shorten(step.means, 80)] if step.means else []
    note = f"  # {', '.join([*about, size(shape)])}" + (f", columns: {', '.join(across)}" if across else "")
    if shape == (1, 1):
        yield f"{key}: _{''.join(f'  # {words}' for words in about)}"
        return
    line = f"[{', '.join('_' * len(columns))}]"
    down = _labels(step.blank_labels[0], rows)
    if len(rows) == 1:
        yield f"{key}: {line}{note}" + (f", row: {down[0]}" if down else "")
        return
    yield f"{key}:{note}"
    for k in range(len(rows)):
        yield f"  - {line}" + (f"  # {down[k]}" if down else "")


def _labels(labels: Labels, places: list[int]) -> list[str]:
    return [shorten(labels[k]) for k in places] if labels else []

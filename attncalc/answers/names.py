"""Which step an answer is for: `S`, `masked.S`, `Z["apple"]`, `S[0, 1]`."""

from __future__ import annotations

from ..errors import FormulaError, shorten
from ..formula.parse import parse
from ..formula.tree import Index, Name
from .written import Written

HEADER = ("problem", "student", "computed", "source", "note", "format")
COMPUTED = ("float32", "float64")


def step_name(written: Written) -> tuple[str, Index | None]:
    """The name that stands there, and the slice where it is one. Raises AttncalcError with the place."""
    written = written.trimmed()
    try:
        tree = parse(written.text)
    except FormulaError as error:
        raise written.fault(_required(written.text), error.at) from None
    match tree:
        case Name(name):
            return name, None
        case Index(Name(name)):
            return name, tree
    raise written.fault(_required(written.text))


def _required(text: str) -> str:
    return f'a step or a slice of one is required, such as Z or "Z[0]"; {shorten(text)!r} stands there'

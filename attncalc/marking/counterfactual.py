"""Counterfactual answers to single lines of a marked script."""

from __future__ import annotations

from collections.abc import Container
from math import inf

from ..arithmetic.intervals.scalar import Box
from ..formula.typed_formula import Node
from ..mistakes.mistake import Mistake
from ..submissions.step_matching import Filled
from .context import MarkingContext
from .diagnosis.cause import Cause
from .diagnosis.search import NAMED, Search, causes
from .judge import judge, read_line, with_unmasked_entries
from .line import Line

ENOUGH = 2.0  # bits to spare that rounded lines before a mistake seldom use up


def mark_counterfactual(
    context: MarkingContext, filled: Filled, tried: Container[str] | None = None
) -> tuple[Line, list[Cause]]:
    """Return one line of a marked script with a different answer, and the causes that would be named, among those
    `tried`.
    """
    line = judge(context, filled).line
    return line, causes(context, line, tried=tried) if line.verdict == "wrong" else []


def causes_of_wrong_counterfactual(context: MarkingContext, filled: Filled, tried: Container[str]) -> list[Cause]:
    """Return the causes of a line that is certainly refused, for instance one far from the right numbers after right
    lines.
    """
    line = _read(context, filled)
    is_read = line.reading is not None and bool(line.reading.values)  # longer numbers than a person types are not
    return causes(context, line, tried=tried) if is_read else []


def _read(context: MarkingContext, filled: Filled) -> Line:
    line = read_line(context, filled)
    line.readings = with_unmasked_entries(context, line)
    line.reading = line.readings[0]
    return line


def evidence_margin(context: MarkingContext, filled: Filled, mistake: Mistake, node: Node, box: Box) -> float:
    """Return the evidence, in bits, beyond what naming a mistake requires in a line of a marked script; negative if the
    mistake would not be named.

    The evidence is that of the entries that the mistake changes; other causes are ignored. `box` holds the line's
    numbers, sharper than the marker knows them. If the margin is small, it is calculated from the rounded lines.
    """
    line = _read(context, filled)
    site = context.site(filled.step)
    search = Search(context, line, context.likeliest, context.expected(line.step, context.likeliest))
    if all(map(search.may_be, search.reading.values)):
        return inf  # masked scores of −10 that do as −∞ does are no mistake
    asked = search.price(mistake, search.candidates([site])) + NAMED
    spare = search.evidence(box) - asked
    if not 0 <= spare < ENOUGH:
        return spare
    by_lines = search.explains(site, node)
    return -1.0 if by_lines is None else search.evidence(by_lines) - asked

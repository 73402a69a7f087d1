"""Counterfactual answers to single lines of a marked script."""

from __future__ import annotations

from collections.abc import Container, Mapping
from itertools import starmap
from math import inf

from ..arithmetic.intervals.scalar import Box, End
from ..arithmetic.matrix_types import is_infinite
from ..formula import operations as op
from ..formula.typed_formula import Node, Where
from ..mistakes.mistake import Mistake
from ..mistakes.step_analysis import StepAnalysis
from ..submissions.step_matching import Filled
from .context import MarkingContext
from .diagnosis.cause import Cause
from .diagnosis.search import NAMED, Search, causes
from .judge import judge, read_line, with_unmasked_entries
from .legality import provably_differ
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
    glance = _at_a_glance(context, line)
    search = glance or Search(context, line, context.likeliest, context.expected(line.step, context.likeliest))
    if glance is None and all(map(search.may_be, search.reading.values)):
        return inf  # masked scores of −10 that do as −∞ does are no mistake
    asked = search.price(mistake, search.candidates([site])) + NAMED
    spare = search.evidence(box) - asked
    if not 0 <= spare < ENOUGH or _least(search, site, node, box) >= asked:
        return spare
    by_lines = search.explains(site, node)
    return -1.0 if by_lines is None else search.evidence(by_lines) - asked


def _least(search: Search, site: StepAnalysis, node: Node, box: Box) -> float:
    """Return a lower bound of the bits of a mistake in a line after exact matches; 0 where there is no such bound.

    The bound uses a box that contains the marker's.
    """
    context, key = search.context, search.line.key
    if not context.lines[key].sure or not any(starmap(provably_differ, search.on_paper(site, node))):
        return 0.0
    wide = context.calculate(node, context.print_scenario)
    cells = [(at, wide[at[0]][at[1]], box[at[0]][at[1]]) for at in search.wrong]
    alike = all(x and y and search.is_saturated(at, x) == search.is_saturated(at, y) for at, x, y in cells)
    return search.evidence(wide) if alike else 0.0


def _at_a_glance(context: MarkingContext, line: Line) -> Search | None:
    """Return the search for the causes of a line after exact matches, by a box that contains the expected one.

    For weights, and for scores of which others are hidden, only the set of wrong entries counts; the box must show it.
    """
    right = context.lines[line.key]
    if not right.sure or line.reading is None:
        return None
    values, rights = line.reading.values, right.readings[0].values
    weights = isinstance(line.step.node, op.Softmax)
    if not weights and (line.reading.has_coarse_entries or not _are_hidden(values, rights)):
        return None
    known = right.accepted if not right.weak else None
    box = known.box if known else context.calculate(line.step.node, context.print_scenario)
    search = Search(context, line, context.likeliest, box)
    wrong = {at for at in values if not search.may_be(at)}
    plain = all(
        (typed >= 0 or not weights) and (at in wrong or rights.get(at) == typed) for at, typed in values.items()
    )
    return search if wrong and plain else None


def _are_hidden(values: Mapping[Where, End], rights: Mapping[Where, End]) -> bool:
    """Return whether all that differs from a right line is −∞ or +∞."""
    return all(is_infinite(typed) for at, typed in values.items() if rights.get(at) != typed)

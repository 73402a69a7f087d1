"""Slips that explain a wrong line: entries that went wrong one by one, or a line whose entries stand in another place.

Where at most every fourth entry is wrong, another method is out of the question: it is a slip or a blunder, one as
likely as the other, and the method stands. Elsewhere slips are rare.

A slip is undone within legal work (R1): the entries that went wrong are those of the way of working that refuses the
fewest, and a line in another order is legal in its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import comb, log2

from flint import fmpq

from ...arithmetic.intervals.intermediate_rounding import dot
from ...arithmetic.intervals.interval_evaluator import evaluate
from ...arithmetic.intervals.scalar import Box, Interval
from ...formula import operations as op
from ...formula.index_base import counted_place
from ...formula.typed_formula import Where
from ...mistakes.slip_catalogue import SLIPS, arrangements, entry_slips
from ..context import MarkingContext
from ..credit import Reason
from ..follow_through import legal_boxes
from ..legality import Refutation, may_print, nearest
from ..line import Line
from ..precision import HABITS
from .cause import Cause, slip_cause
from .evidence import Evidence

SLIP = 0.02  # how likely slips are among all explanations
SLIP_OF_FEW = 0.5  # and where few entries are wrong; the rest are blunders
RARE = 4  # at most every fourth entry is wrong
MOST_SLIPS = 3  # entries that went wrong one by one
FEW_WAYS = 4  # two digits exchanged, a decimal point moved, a neighbour copied
OF_PRODUCTS = ("term-missed", "term-sign", "wrong-row-or-column")
ORDERS = 6  # in which rows or columns may stand
KINDS = sum(slip.weight for slip in SLIPS.values())


def slips(search: Evidence) -> Iterator[Cause]:
    """Yield the slips that explain the line, with their evidence in bits: swapped or rotated entries, mistyped signs
    and digits.
    """
    line = search.line
    if line.is_index_valued:  # another choice, or ids in another order, are no slip of the pen
        return
    boxes = legal_boxes(search.context, search.scenario, line.step, search.reading)
    yield from _arranged(search, boxes)
    refutation = nearest(search.reading, boxes)
    wrong, count = refutation.cells, len(search.reading.values)
    if not 0 < len(wrong) <= MOST_SLIPS:
        return
    rare = len(wrong) * RARE <= count
    bits = -log2(1 / SLIP_OF_FEW) if rare else -log2(comb(count, len(wrong)) / SLIP)
    entry_slip_list = [slip for at in wrong if (slip := _best(search, refutation, at)) is not None]
    if len(entry_slip_list) < len(wrong):
        return
    if not rare and len({slip.code for slip in entry_slip_list}) > 1:  # if numbers are few, each has some slip
        bits -= sum(max(0.0, search.worth[at] - search.most_of_whole) for at in wrong)
    bits += sum(slip.bits for slip in entry_slip_list)
    for slip in entry_slip_list:
        other = next((each.code for each in entry_slip_list if each.code != slip.code), "")
        yield replace(slip, bits=bits, also=other, accuracy_reason=Reason.SLIP if rare else None)


def _arranged(search: Evidence, boxes: list[Box]) -> Iterator[Cause]:
    """Yield the line with its entries in another place; another row of a matrix is another choice."""
    if _is_another_row(search):
        return
    for code, box in (arrangement for right in boxes for arrangement in arrangements(right)):
        if search.reproduced(box):
            price = log2(KINDS / SLIPS[code].weight / SLIP) + log2(ORDERS)
            yield slip_cause(code, search.line.step, search.evidence(box) - price, box=box)
            return


def is_transposed(context: MarkingContext, line: Line) -> bool:
    """Return whether a line would be right if its rows were columns."""
    reading = line.reading
    transposed = [list(row) for row in zip(*context.expected(line.step, context.likeliest), strict=True)]
    if reading is None or len(transposed) != len(transposed[0]):
        return False
    return may_print(reading, [transposed])


def _is_another_row(search: Evidence) -> bool:
    """Return whether one row was to be taken from a matrix, and the line is another one of it."""
    node = search.line.step.node
    if not isinstance(node, op.Take) or node.shape[0] != 1 or node.shape[1] != node.args[0].shape[1]:
        return False
    return any(search.reproduced([row]) for row in evaluate(node.args[0], search.context.printed_values))


def _best(search: Evidence, refutation: Refutation, at: Where) -> Cause | None:
    """Return the likeliest slip in one entry."""
    step = search.line.step
    cell = refutation.box[at[0]][at[1]]
    options = list(_options(search, refutation, at))
    if not options:
        return None
    code, detail = max(options, key=lambda option: SLIPS[option[0]].weight)
    price = log2(KINDS / SLIPS[code].weight) + log2(_ways(search, code))
    bits = max(0.0, search.worth[at] - log2(1 + search.reading.left_open(at, cell)))
    return slip_cause(code, step, bits - price, f" in {step.entry(*at)}{detail}")


def _ways(search: Evidence, code: str) -> int:
    """Yield the ways in which a kind of slip can change an entry."""
    node = search.line.step.node
    if code in OF_PRODUCTS:
        return 1 + 2 * node.args[0].shape[1]
    return 1 if code == "sign" else FEW_WAYS


def _options(search: Evidence, refutation: Refutation, at: Where) -> Iterator[tuple[str, str]]:
    """Yield the slips that turn the expected number into the typed one: code and detail."""
    (i, j), typed, box = at, search.line.filled.cells, refutation.box
    texts = [cell.text for cell in typed.values()]
    neighbours = {
        search.line.step.entry(a, b): typed[a, b].text
        for a, b in ((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1))
        # wrong in the same way, or one filler for many: nothing was copied
        if (a, b) in typed and (a, b) not in refutation.cells and 2 * texts.count(typed[a, b].text) <= len(texts)
    }
    terms: list[Interval] = []
    others: dict[str, Interval] = {}
    node = search.line.step.node
    if isinstance(node, op.MatMul) and not any(isinstance(part, op.OneHot) for part in node.args):  # no lookup
        left, right = (evaluate(argument, search.context.printed_values) for argument in node.args)
        terms = [dot([x], [row[j]]) for x, row in zip(left[i], right, strict=True)]
        others |= {f"row {counted_place(a)}": row[j] for a, row in enumerate(box) if a != i}
        others |= {f"column {counted_place(b)}": cell for b, cell in enumerate(box[i]) if b != j}
    expected = box[i][j]
    yield from entry_slips(
        typed[at].text,
        expected,
        neighbours,
        terms,
        others,
        _like(search, at),
        lambda other: _like(search, at, other)(expected),
    )


def _like(search: Evidence, at: Where, typed: fmpq | None = None) -> Callable[[Interval], bool]:
    """Return the test whether an entry, or `typed` in its place, may be the print of a value."""
    reading = search.reading if typed is None else replace(search.reading, values=search.reading.values | {at: typed})
    return lambda cell: cell is not None and any(not reading.preimage(at, habit).refuses(cell) for habit in HABITS)

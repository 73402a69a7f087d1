"""A learning rate over its steps as a table and a curve of certified decimals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from flint import arb, ctx, fmpq

from ...arithmetic import rounding
from ...arithmetic.matrix_types import entries
from ...formula.syntax_tree import Binary, Call, Name, Number, Tree, names, rewrite, unparse
from ...plan import Step
from ...solution import StepResult
from ..document import Block, Curve, Table
from ..messages import solution as solution_messages
from ..number_display import DisplayedNumbers
from ..part_scope import FAILURES, Scope

FEWEST, MOST_ROWS = 3, 24  # least points of a curve, and most rows of a table
FIGURES = 4
DRAWN = 240  # points at which a curve is computed, for its picture only
NEAR = 0.02  # of the largest rate: how far a printed rate may be from a curve that runs through it
COLUMNS = ("decay", "rise")


def schedule(scope: Scope, result: StepResult) -> Iterator[Block]:
    """Yield the table and the curve of a learning rate at several steps; nothing for other steps."""
    if result.step.base != "lr" or min(result.shape) > 1 or max(result.shape) < FEWEST:
        return
    rates = _line(scope.shown(result.name))
    across = _across(scope, result)
    if result.step.lesson == "learning_rate":
        yield _table(scope, result, across)
    yield from _curve(scope, result, across, rates)


def _curve(scope: Scope, result: StepResult, across: Sequence[str], rates: Sequence[str]) -> Iterator[Curve]:
    """Yield the curve over the distinct steps in increasing order; labels that are words keep their order."""
    points = list(zip(across, rates, strict=True))
    try:
        stated = {point: Fraction(point[0]) for point in points}
    except (ValueError, ZeroDivisionError):  # labels that are words
        yield Curve(Name(result.name), tuple(across), tuple(rates))
        return
    points = sorted(stated, key=lambda point: stated[point])
    if len(points) >= FEWEST:
        labels, heights = zip(*points, strict=True)
        steps_matrix = _steps_matrix(scope, result)
        along = (
            solution_messages.STEPS
            if result.step.lesson == "learning_rate"
            else unparse(steps_matrix)
            if steps_matrix
            else ""
        )
        yield Curve(
            Name(result.name),
            labels,
            heights,
            _between(scope, result, [stated[point] for point in points], heights),
            along,
        )


def _between(
    scope: Scope, result: StepResult, stated: Sequence[Fraction], heights: Sequence[str]
) -> tuple[tuple[float, float], ...]:
    """Return the rate at many steps between the first and the last, by its formula; empty if the formula does not give
    it.
    """
    steps = _steps_formula(scope, result)
    if steps is None or len(set(stated)) < len(stated):
        return ()
    first, last = stated[0], stated[-1]
    across = sorted({*stated, *(first + (last - first) * Fraction(k, DRAWN) for k in range(1, DRAWN))})
    drawn = Call("hstack" if result.shape[0] == 1 else "vstack", tuple(Number(str(x)) for x in across))

    def inside(part: Tree) -> Tree | None:
        if part == steps:
            return drawn
        entry = scope.entries.get(part.name) if isinstance(part, Name) else None
        return (
            rewrite(entry.tree, inside)
            if isinstance(entry, Step) and not entry.given and entry.shape == result.shape
            else None
        )

    try:
        at = [float(x) for x in across]
        worked = [x for row in scope.rows(rewrite(result.step.tree, inside)) for x in row]
        # Python-flint 0.7 has no float(fmpq)
        rates = [float(x.mid()) if isinstance(x, arb) else int(x.p) / int(x.q) for x in worked]
    except (*FAILURES, AttributeError, OverflowError):
        return ()
    if len(rates) != len(across):
        return ()
    line = dict(zip(across, rates, strict=True))
    room = NEAR * max(map(abs, rates)) + 10.0**-scope.rounding.digits
    if any(abs(line[x] - float(text)) > room for x, text in zip(stated, heights, strict=True)):
        return ()  # a formula in which steps depend on each other
    return tuple(zip(at, line.values(), strict=True))


def _line(shown: DisplayedNumbers) -> list[str]:
    return [text for row in shown.printed.texts for text in row]


def _across(scope: Scope, result: StepResult) -> tuple[str, ...]:
    """Return the names of the steps: their labels, the numbers given to the lesson, or the counted positions."""
    labels = result.columns or result.rows
    if labels:
        return labels
    tree = _steps_formula(scope, result)
    try:
        numbers = [x for row in scope.rows(tree) for x in row] if tree is not None else []
    except FAILURES:
        numbers = []
    exact = len(numbers) == max(result.shape) and all(isinstance(x, fmpq) for x in numbers)
    return tuple(map(str, numbers if exact else range(max(result.shape))))


def _sibling(scope: Scope, result: StepResult, base: str) -> StepResult | None:
    before = result.name.rpartition(".")[0]
    name = f"{before}.{base}" if before else base
    return next((other for other in scope.part.steps if other.name == name), None)


def _steps_formula(scope: Scope, result: StepResult) -> Tree | None:
    return _steps(scope, result) if result.step.lesson == "learning_rate" else _steps_matrix(scope, result)


def _steps(scope: Scope, result: StepResult) -> Tree | None:
    """Return the formula of the steps as given, before step 0 is renumbered."""
    for base in ("count", "decay"):
        sibling = _sibling(scope, result, base)
        match sibling.step.tree if sibling else None:
            case Call("maximum", (steps, _)) | Binary(_, steps, _):
                return steps
    return None


def _steps_matrix(scope: Scope, result: StepResult) -> Tree | None:
    """Return the only matrix of an author's formula that has the shape of its rates; None if there is not exactly
    one.
    """
    candidates = [
        name
        for name in sorted(names(result.step.tree))
        if name in scope.entries and scope.entries[name].shape == result.shape
    ]
    return Name(candidates[0]) if len(candidates) == 1 else None


def _table(scope: Scope, result: StepResult, across: Sequence[str]) -> Table:
    """Return a row for each step: the rates after and during the warm-up, the rate, and its leading digits if few are
    printed.
    """
    siblings = {base: _sibling(scope, result, base) for base in COLUMNS}
    columns = {base: _line(scope.shown(other.name)) for base, other in siblings.items() if other is not None}
    rates = _line(scope.shown(result.name))
    figures = _figures(result, scope.shown(result.name))
    heads = [
        solution_messages.STEPS,
        *columns,
        result.name.rpartition(".")[2],
        *([solution_messages.FIGURES] if any(figures) else []),
    ]
    rows = []
    for k in _some(rates):
        numbers = [column[k] for column in columns.values()] + [rates[k]]
        rows.append(
            (
                across[k],
                *((Number(text),) for text in numbers),
                *([(Number(figures[k]),) if figures[k] else ""] if any(figures) else []),
            )
        )
    return Table(tuple(heads), tuple(rows), frozenset(range(1, len(heads))))


def _figures(result: StepResult, shown: DisplayedNumbers) -> list[str]:
    """Return the leading digits of each rate whose decimals show fewer, each proven; empty for the others."""
    return [
        "" if _shows_enough_figures(shown, i, j) else _significant(result, i, j)
        for i, row in enumerate(shown.rows)
        for j in range(len(row))
    ]


def _shows_enough_figures(shown: DisplayedNumbers, i: int, j: int) -> bool:
    seen = shown.text(i, j).replace(".", "").replace("-", "").lstrip("0")
    return len(seen) >= FIGURES or shown.equals_print(i, j)


def _significant(result: StepResult, i: int, j: int) -> str:
    for bits in (128, 512, 2048):
        with ctx.workprec(bits):
            decimal = rounding.scientific_text(entries(result.enclosure(bits))[i][j], FIGURES)
        if decimal:
            return decimal
    return ""


def _some(rates: Sequence[str]) -> list[int]:
    """Return the indices of the table's rows: all, or evenly spaced ones with the largest rate and the last."""
    n = len(rates)
    if n <= MOST_ROWS:
        return list(range(n))
    largest = max(range(n), key=lambda k: Fraction(rates[k]))
    return sorted({*(round(k * (n - 1) / (MOST_ROWS - 2)) for k in range(MOST_ROWS - 1)), largest, n - 1})

"""The pictures of steps: bars, attention, trees of beam searches, curves of learning rates, and flow diagrams."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction

from flint import arb, fmpq

from ..arithmetic import rounding
from ..arithmetic.matrix_types import entries, is_infinite
from ..arithmetic.working_precision import working_precision
from ..formula import operations as op
from ..formula.operations import needs
from ..formula.syntax_tree import Binary, Call, Name, Number, Tree, names, rewrite, unparse
from ..formula.typed_formula import shortened
from ..plan import Given, Step
from ..solution import StepResult
from . import solution_messages as messages
from .document import Arcs, Bars, Beam, Block, Box, Curve, Flow, Table, Twig
from .number_display import DisplayedNumbers, is_weights
from .outline import Group, Outline
from .part_scope import FAILURES, Scope

FEWEST_WORDS, MOST_WORDS = 3, 16  # words in a bar chart


def bars(scope: Scope, result: StepResult) -> Iterator[Bars]:
    """Yield the bar chart of a softmax over a vocabulary (a single row with column labels); nothing for other steps."""
    n, m = result.shape
    if isinstance(result.step.node, op.Softmax) and n == 1 and FEWEST_WORDS <= m <= MOST_WORDS and result.columns:
        yield Bars(Name(result.name), result.columns, tuple(scope.shown(result.name).printed.texts[0]))


FEWEST_TOKENS, MOST_TOKENS = 2, 12  # queries or keys in a picture of attention
WEIGHTS = ("A", "A_masked")


def arcs(scope: Scope, result: StepResult) -> Iterator[Arcs]:
    """Yield the picture of an attention step whose queries and keys have labels; nothing for other steps."""
    queries, keys = (result.columns, result.rows) if scope.columns else (result.rows, result.columns)
    if result.step.base not in WEIGHTS or not is_weights(result.step) or not queries or not keys:
        return
    printed = scope.shown(result.name).printed
    if all(FEWEST_TOKENS <= len(words) <= MOST_TOKENS for words in (queries, keys)) and not printed.undecided:
        texts = zip(*printed.texts, strict=True) if scope.columns else printed.texts
        yield Arcs(tuple(queries), tuple(keys), tuple(map(tuple, texts)))


LONGEST_BEAM, WIDEST_BEAM = 10, 14  # most time steps in a tree, and most words in one time step

Place = tuple[int, int]  # the row of a kept prefix, and the index of the next word


def beam(scope: Scope, result: StepResult) -> Iterator[Beam]:
    """Yield the tree of a beam search at the step with its result; nothing for other steps and for trees that are too
    large. If the tree is too wide, it contains only the kept continuations.
    """
    if result.step.lesson != "beam_search" or result.step.base != "ids":
        return
    search = _Search(scope, result.name.removesuffix("ids"))
    if 1 < search.times <= LONGEST_BEAM:
        for dropped in (True, False):
            levels = search.levels(dropped)
            if max(map(len, levels)) <= WIDEST_BEAM:
                yield Beam(search.start, levels)
                return


class _Search:
    """The steps of one beam search: scores of continuations, and the kept continuations."""

    def __init__(self, scope: Scope, name_prefix: str):
        self.scope = scope
        self.name_prefix = name_prefix
        self.times = next(t for t in range(1, 99) if f"{name_prefix}word_{t + 1}" not in scope.entries)
        first = scope.entries[f"{name_prefix}P_1"]
        self.words = tuple(map(shortened, first.columns)) if first.columns else None
        self.start = shortened(first.rows[0]) if first.rows else messages.START
        self.kept = [self._places(t) for t in range(1, self.times + 1)]
        self.best = self._best()

    def levels(self, dropped: bool) -> tuple[tuple[Twig, ...], ...]:
        """Return the words of each time step, ordered by the previous word. `dropped` includes words that were not
        kept.
        """
        levels: list[tuple[Twig, ...]] = []
        parents = [0]  # the position of each kept prefix in the previous level
        for t, kept in enumerate(self.kept, 1):
            shown = self.scope.shown(f"{self.name_prefix}scores_{t}")
            n, m = shown.result.shape
            possible = {
                (i, j)
                for i in range(n)
                for j in range(m)
                if dropped and not (is_infinite(shown.rows[i][j]) or shown.is_zero(i, j))
            }
            places = sorted({*possible, *kept}, key=lambda place: (parents[place[0]], place[1]))
            levels.append(tuple(
                Twig(self._word(j), shown.text(i, j), parents[i], (i, j) in kept, (i, j) == self.best[t - 1]) for i,
                j in places
            ))  # fmt: skip
            parents = [places.index(place) for place in kept]
        return tuple(levels)

    def _word(self, j: int) -> str:
        return self.words[j] if self.words else str(j)

    def _places(self, t: int) -> list[Place]:
        """Return the kept continuations of time step t, best first."""
        words = self._column(f"word_{t}")
        return list(zip(self._column(f"from_{t}") if t > 1 else [0] * len(words), words, strict=True))

    def _best(self) -> list[Place]:
        """Return the position of each word of the best sentence, including end tokens."""
        at = self._column("chosen")[0] if f"{self.name_prefix}chosen" in self.scope.entries else 0
        places = []
        for kept in reversed(self.kept):
            places.append(kept[at])
            at = kept[at][0]
        return places[::-1]

    def _column(self, name: str) -> Sequence[int]:
        return [int(row[0].numerator) for row in entries(self.scope.shown(self.name_prefix + name).result.enclosure())]


FEWEST_RATES, MOST_ROWS = 3, 24  # fewest points of a curve, and most rows of a table
FIGURES = 4
DRAWN = 240  # number of points for the picture of a curve
NEAR = 0.02  # of the largest rate: the largest distance of a printed rate from the curve
COLUMNS = ("decay", "rise")


def schedule(scope: Scope, result: StepResult) -> Iterator[Block]:
    """Yield the table and the curve of a learning rate over several steps; nothing for other steps."""
    if result.step.base != "lr" or min(result.shape) > 1 or max(result.shape) < FEWEST_RATES:
        return
    rates = _line(scope.shown(result.name))
    across = _across(scope, result)
    if result.step.lesson == "learning_rate":
        yield _table(scope, result, across)
    yield from _curve(scope, result, across, rates)


def _curve(scope: Scope, result: StepResult, across: Sequence[str], rates: Sequence[str]) -> Iterator[Curve]:
    """Yield the curve, sorted by the numbers of the steps. Labels that are words keep their order."""
    points = list(zip(across, rates, strict=True))
    try:
        stated = {point: Fraction(point[0]) for point in points}
    except (ValueError, ZeroDivisionError):  # labels that are words
        yield Curve(Name(result.name), tuple(across), tuple(rates))
        return
    points = sorted(stated, key=lambda point: stated[point])
    if len(points) >= FEWEST_RATES:
        labels, heights = zip(*points, strict=True)
        steps_matrix = _steps_matrix(scope, result)
        along = (
            messages.STEPS if result.step.lesson == "learning_rate" else unparse(steps_matrix) if steps_matrix else ""
        )
        between = _between(scope, result, [stated[point] for point in points], heights)
        yield Curve(Name(result.name), labels, heights, between, along)


def _between(
    scope: Scope, result: StepResult, stated: Sequence[Fraction], heights: Sequence[str]
) -> tuple[tuple[float, float], ...]:
    """Return the rate at many steps between the first and the last; empty if the formula does not give it."""
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
        if isinstance(entry, Step) and not entry.given and entry.shape == result.shape:
            return rewrite(entry.tree, inside)
        return None

    try:
        at = [float(x) for x in across]
        worked = [x for row in scope.rows(rewrite(result.step.tree, inside)) for x in row]
        # python-flint 0.7 has no float(fmpq)
        rates = [float(x.mid()) if isinstance(x, arb) else int(x.p) / int(x.q) for x in worked]
    except (*FAILURES, AttributeError, OverflowError):
        return ()
    if len(rates) != len(across):
        return ()
    line = dict(zip(across, rates, strict=True))
    room = NEAR * max(map(abs, rates)) + 10.0**-scope.rounding.digits
    if any(abs(line[x] - float(text)) > room for x, text in zip(stated, heights, strict=True)):
        return ()  # in this formula, steps depend on each other
    return tuple(zip(at, line.values(), strict=True))


def _line(shown: DisplayedNumbers) -> list[str]:
    return [text for row in shown.printed.texts for text in row]


def _across(scope: Scope, result: StepResult) -> tuple[str, ...]:
    """Return the labels of the steps, the step numbers that the lesson uses, or the positions."""
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
    """Return the formula for the numbers of the steps, before step 0 is changed."""
    for base in ("count", "decay"):
        sibling = _sibling(scope, result, base)
        match sibling.step.tree if sibling else None:
            case Call("maximum", (steps, _)) | Binary(_, steps, _):
                return steps
    return None


def _steps_matrix(scope: Scope, result: StepResult) -> Tree | None:
    """Return the only matrix in an author's formula with the same shape as the rates; otherwise None."""
    candidates = [
        name
        for name in sorted(names(result.step.tree))
        if name in scope.entries and scope.entries[name].shape == result.shape
    ]
    return Name(candidates[0]) if len(candidates) == 1 else None


def _table(scope: Scope, result: StepResult, across: Sequence[str]) -> Table:
    """Return a table with a row for each step: decay, warm-up, the rate, and its leading digits if few are printed."""
    siblings = {base: _sibling(scope, result, base) for base in COLUMNS}
    columns = {base: _line(scope.shown(other.name)) for base, other in siblings.items() if other is not None}
    rates = _line(scope.shown(result.name))
    figures = _figures(result, scope.shown(result.name))
    heads = [messages.STEPS, *columns, result.name.rpartition(".")[2], *([messages.FIGURES] if any(figures) else [])]
    rows = []
    for k in _some(rates):
        numbers = [column[k] for column in columns.values()] + [rates[k]]
        significant = [(Number(figures[k]),) if figures[k] else ""] if any(figures) else []
        rows.append((across[k], *((Number(text),) for text in numbers), *significant))
    return Table(tuple(heads), tuple(rows), frozenset(range(1, len(heads))))


def _figures(result: StepResult, shown: DisplayedNumbers) -> list[str]:
    """Return the proven leading digits of each rate whose decimals show too few; empty texts for the other rates."""
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
        with working_precision(bits):
            decimal = rounding.scientific_text(entries(result.enclosure(bits))[i][j], FIGURES)
        if decimal:
            return decimal
    return ""


def _some(rates: Sequence[str]) -> list[int]:
    """Return the indices of the table's rows: all rows, or evenly spaced rows with the largest and the last rate."""
    n = len(rates)
    if n <= MOST_ROWS:
        return list(range(n))
    largest = max(range(n), key=lambda k: Fraction(rates[k]))
    return sorted({*(round(k * (n - 1) / (MOST_ROWS - 2)) for k in range(MOST_ROWS - 1)), largest, n - 1})


# Fewest and most boxes of a diagram, most columns, and most boxes in a column
FEWEST_BOXES, MOST_BOXES, MOST_COLUMNS, HIGHEST = 5, 40, 12, 7
# Givens without a box, such as W_Q: X → Q implies W_Q
_PARAMETER = re.compile(r"(.*_)?(W|b|gamma|beta|mask|ahead)(_|\d|$)")


def flow(scope: Scope, outline: Outline) -> Iterator[Flow]:
    """Yield a flow diagram with a box for each step, each nested lesson, and each given that is not a parameter."""
    plan, owner, boxes = scope.solution.problem.plan, dict[str, int](), list[Box]()
    for item in outline:
        steps = item.steps if isinstance(item, Group) else [item]
        needed = needs([result.step.node for result in steps]) - {result.step.key for result in steps}
        used = sorted(needed, key=plan.order.__getitem__)
        for key in used:
            entry = plan.entries[key]
            inside = scope.entries.get(entry.name) is entry
            if (
                key not in owner
                and inside
                and entry.shape != (1, 1)
                and not (isinstance(entry, Given) and _PARAMETER.match(entry.name))
            ):
                owner[key] = len(boxes)
                boxes.append(Box(Name(entry.name), entry.shape))
        name = item.name if isinstance(item, StepResult) or item.folded else item.inner
        uses = tuple(dict.fromkeys(owner[key] for key in used if key in owner))
        owner |= {result.step.key: len(boxes) for result in steps}
        boxes.append(Box(Name(name), steps[-1].shape, uses, isinstance(item, Group)))
    diagram = Flow(tuple(boxes))
    numbers = sum(box.shape == (1, 1) for box in boxes)
    if FEWEST_BOXES <= len(boxes) <= MOST_BOXES and 2 * numbers < len(boxes):
        levels = diagram.levels
        if 2 < len(levels) <= MOST_COLUMNS and max(map(len, levels)) <= HIGHEST:
            yield diagram

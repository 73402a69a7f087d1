"""The calculation of an entry: formula, formula with numbers, and value. `=` is only between exact numbers."""

from __future__ import annotations

from collections.abc import Iterator

from ...arithmetic.intervals.scalar import approximate
from ...arithmetic.matrix_types import Entry, is_infinite
from ...formula.syntax_tree import Binary, Call, Name, Number, Tree, rewrite, unparse
from ...solution import StepResult
from .. import solution_messages as messages
from ..document import EquationSide, Formula, Paragraph, Worked
from ..number_display import DisplayedNumbers, is_weights, is_zero_text
from ..part_scope import FAILURES, Scope, is_leaf
from .calculation_line import CalculationLine
from .calculation_line import substitute_to as put_in
from .entry_formula import EntryWriter, NoWorking, sum_of, terms_of

MOST_ENTRIES = 64  # worked entries of one matrix
SEARCHED = 4  # rows and columns that are searched for an example
NOTHING = 1e-9  # smaller factors count as 0
LARGEST_READ = 16  # rows of a matrix that a reader can look through


def worked_example(scope: Scope, result: StepResult) -> Worked | None:
    """Return the calculation of the most instructive entry; None if there is none."""
    at = example_place(scope, result)
    return work_entry(scope, result, *at) if at else None


def example_place(scope: Scope, result: StepResult) -> tuple[int, int] | None:
    try:
        return choose_example(scope, result, scope.shown(result.name))
    except (NoWorking, *FAILURES):
        return None


def work_entry(scope: Scope, result: StepResult, i: int, j: int) -> Worked | None:
    """Return the calculation of entry (i, j); None if its formula needs none."""
    try:
        tree = EntryWriter(scope).entry(result.step.tree, i, j)
        return None if is_leaf(tree) else _worked(result, i, j, _stages(scope, tree, scope.shown(result.name), i, j))
    except (NoWorking, *FAILURES):
        return None


def _worked(result: StepResult, i: int, j: int, stages: tuple[EquationSide, ...]) -> Worked:
    return Worked(Name(result.name), result.step.entry_place(i, j), stages)


def substitute_entry(scope: Scope, tree: Tree, i: int, j: int, typed: str) -> EquationSide | None:
    """Return an entry of any formula of the part with numbers; None if the numbers do not give `typed`."""
    try:
        return put_in(scope, EntryWriter(scope).entry(tree, i, j), typed)
    except (NoWorking, *FAILURES):
        return None


def work_all_entries(scope: Scope, result: StepResult) -> Iterator[Worked | Paragraph]:
    """Yield the calculation of every unmasked entry, with its closed form if it fits in a line."""
    shown, name, (n, m) = scope.shown(result.name), Name(result.name), result.shape
    lines, without = [], False
    for i, j in [(i, j) for i in range(n) for j in range(m) if not scope.is_hidden(name, i, j)][:MOST_ENTRIES]:
        try:
            tree = EntryWriter(scope).entry(result.step.tree, i, j)
            if is_leaf(tree):
                return
            closed = _closed(scope, result.name, i, j)
            lines.append(_worked(result, i, j, _insert_closed_form(closed, _stages(scope, tree, shown, i, j))))
            without = without or (not closed and not shown.number(i, j)[1])
        except (NoWorking, *FAILURES):
            continue
    yield from lines
    if lines and n * m > MOST_ENTRIES:
        yield Paragraph(messages.MORE_ENTRIES.format(count=n * m - MOST_ENTRIES), "fine")
    if lines and without:
        yield Paragraph(messages.NO_CLOSED_FORM, "fine")


def _closed(scope: Scope, name: str, i: int, j: int) -> list[EquationSide]:
    """Return the closed form of an entry, if it fits in a line and is not a number."""
    shown = scope.in_closed_form.shown(name)
    tree = shown.tree(i, j) if shown.closed else None
    return [] if tree is None or isinstance(tree, Number) else [EquationSide(tree)]


def _insert_closed_form(closed: list[EquationSide], stages: tuple[EquationSide, ...]) -> tuple[EquationSide, ...]:
    """Insert the closed form after exact sides and before rounded sides."""
    if any(_in_order(form.tree) == _in_order(stage.tree) for form in closed for stage in stages):
        return stages
    first = int(stages[0].exact)
    return (*stages[:first], *closed, *stages[first:])


def _in_order(tree: Tree) -> str:
    """Return the text of a formula with the terms of its sums sorted, so that b + a and a + b are equal."""

    def change(part: Tree) -> Tree | None:
        if not isinstance(part, Binary) or part.operator != "+":
            return None
        return sum_of(sorted((rewrite(term, change) for term in terms_of(part)), key=unparse))

    return unparse(rewrite(tree, change))


def scalar_formula(
    scope: Scope, result: StepResult, formula: Tree, doc: str, aside: str, full: bool = False
) -> Formula:
    """Return a 1 × 1 step in one line: its formula, the formula with numbers, and its value."""
    shown = scope.shown(result.name)
    stages = [EquationSide(formula), *(_closed(scope, result.name, 0, 0) if full else ())]
    first = [EquationSide(Number(text), False)] if (text := shown.first_figures(0, 0)) else []
    try:
        tree = EntryWriter(scope).entry(result.step.tree, 0, 0)
        line_stages = CalculationLine(scope, tree, first + _result(scope, tree, shown, 0, 0)).stages()
        stages += [
            stage for stage in line_stages if unparse(stage.tree) not in {unparse(before.tree) for before in stages}
        ]
    except (NoWorking, *FAILURES):
        ends = first + _result(scope, None, shown, 0, 0)
        stages += [stage for stage in ends if stage.tree != formula]
    return Formula(Name(result.name), tuple(stages), doc, aside)


def _stages(scope: Scope, tree: Tree, shown: DisplayedNumbers, i: int, j: int) -> tuple[EquationSide, ...]:
    """Return the sides of a calculation: with numbers, with the values of the outermost operands, and the result."""
    return CalculationLine(scope, tree, _result(scope, tree, shown, i, j)).stages()


def _result(scope: Scope, tree: Tree | None, shown: DisplayedNumbers, i: int, j: int) -> list[EquationSide]:
    """Return the value of an entry: its closed form if it is wanted, and its decimals."""
    value, exact = shown.number(i, j)
    stages = [EquationSide(value, True)] if exact and shown.closed else []
    if stages and not isinstance(value, Number):
        return [*stages, EquationSide(Number(shown.figures(i, j)), False)]
    if tree is not None and exact:
        exact = _is_exact(scope, tree, unparse(value))
    return [EquationSide(value, exact)]


def _is_exact(scope: Scope, tree: Tree, text: str) -> bool:
    """Return whether the formula equals the printed number, which is the step's value in work on paper."""
    if not _is_number(text):
        return True
    x = scope.rows(tree)[0][0]
    return not is_infinite(x) and scope.is_exactly(x, text, tree)


def _is_number(text: str) -> bool:
    return text.lstrip("-")[:1].isdigit() and "/" not in text


# -- which entry -------------------------------------------------------------------------------------------------------


def choose_example(scope: Scope, result: StepResult, shown: DisplayedNumbers) -> tuple[int, int]:
    """Return the position of an example: a weight that is not printed as a round number, or an entry of many terms."""
    if is_weights(result.step):
        return _telling_weight(shown)
    n, m = result.shape
    tree = result.step.tree
    finite = [
        (i, j) for i in range(min(n, SEARCHED)) for j in range(min(m, SEARCHED)) if not is_infinite(shown.rows[i][j])
    ]
    if not finite or (isinstance(tree, Call) and tree.function == "keep"):
        raise NoWorking
    if isinstance(tree, Call) and tree.function == "sinusoidal" and n > 1:
        return 1, min(m - 1, 2)
    if result.step.lesson == "greedy_decode" and result.step.base == "logits":
        sizes = [_size(x) for x in shown.rows[n - 1]]
        return n - 1, sizes.index(max(sizes))  # the next word
    # S[0, 1] shows its row and its column better than S[0, 0].
    finite.sort(key=lambda place: (is_zero_text(shown.text(*place)), place[0], place[1] != 1))
    if isinstance(tree, Binary) and tree.operator == "@":
        left, right = (
            [[abs(_size(x)) > NOTHING for x in row] for row in scope.rows(side)] for side in (tree.left, tree.right)
        )
        return max(
            finite, key=lambda place: sum(x and row[place[1]] for x, row in zip(left[place[0]], right, strict=True))
        )
    return finite[0]


def _telling_weight(shown: DisplayedNumbers) -> tuple[int, int]:
    """Return the position of the largest weight in the last row that is neither saturated nor uniform. If there is no
    such row, use the last readable row.
    """
    sizes = [[_size(x) for x in row] for row in shown.rows]
    largest = [row.index(max(row)) for row in sizes]

    def is_instructive(i: int) -> bool:
        seen = [x for x in sizes[i] if x > 0]
        return shown.printed.distances[i][largest[i]] is None and max(seen, default=0) > min(seen, default=0)

    readable = range(len(sizes)) if len(sizes) <= LARGEST_READ else range(SEARCHED)
    i = max((i for i in readable if is_instructive(i)), default=readable[-1])
    return i, largest[i]


def _size(x: Entry) -> float:
    if is_infinite(x):
        return -1.0
    return approximate(x)

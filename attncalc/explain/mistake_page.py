"""A mistake of the catalogue as a Document: description, advice and an example."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..api import load, solve
from ..arithmetic.intervals.decimals import interval_decimals
from ..arithmetic.intervals.interval_evaluator import evaluate
from ..arithmetic.intervals.scalar import from_matrix
from ..arithmetic.working_precision import working_precision
from ..formula.syntax_tree import Name, Tree, names
from ..formula.typed_formula import Node
from ..marking.expected_values import right_texts
from ..mistakes.catalogue import catalogue
from ..mistakes.mistake import HIGH, MEDIUM, Mistake
from ..mistakes.slip_catalogue import SLIPS
from ..mistakes.step_analysis import StepAnalysis
from ..plan import Step
from ..problem.problem import Problem
from ..resources import mistake_examples
from ..step_values import Values
from .document import Block, Cell, Document, EquationSide, Formula, Grid, Heading, Matrices, Paragraph, Sign, Table
from .number_display import is_weights, step_grid
from .part_document import local_name
from .part_scope import Scope, readable_formula
from .reasons import reason
from .solution_messages import GIVEN

DIGITS, MODE, BITS = 2, "half_up", 128
OFTEN = {
    HIGH: "A common mistake: several public sources report it.",
    MEDIUM: "An occasional mistake: few public sources report it.",
}
HEADS = ("code", "the probable mistake")


@dataclass(frozen=True, slots=True)
class Example:
    """A problem in which a mistake changes the result: the step, the mistaken formula, and both results."""

    problem: Problem
    step: Step
    node: Node
    right: list[list[str]]
    wrong: list[list[str]]


def mistake_document(mistake: Mistake) -> Document:
    """Return the page of a mistake: description, advice, and an example calculated correctly and with the mistake."""
    blocks: list[Block] = [Heading(mistake.code, 1), Paragraph(f"{mistake.done} {mistake.advice}", "ask")]
    notes = [
        OFTEN.get(mistake.weight, ""),
        f"This mistake does not change the numbers if {mistake.same}." if mistake.same else "",
    ]
    blocks += [Paragraph(note, "note") for note in notes if note]
    example = next(examples(mistake), None)
    if example is not None:
        blocks += _worked(example)
    return Document(blocks)


def catalogue_document() -> Document:
    """Return the list of mistakes by group, with codes and descriptions."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for mistake in catalogue().values():
        groups.setdefault(mistake.group, []).append((mistake.code, mistake.done))
    groups["slips (sign, copying, digits), in any step"] = [
        (slip.code, slip.done.replace("{detail}", "")) for slip in SLIPS.values()
    ]
    document = Document([Heading("Mistakes with a name", 1)])
    for group, rows in groups.items():
        document.blocks += [Heading(group, 2), Table(HEADS, tuple(rows), typed=frozenset({0}))]
    return document


def _worked(example: Example) -> Iterator[Block]:
    step = example.step
    solution = solve(example.problem)
    scope = Scope(solution, next(part for part in solution.parts if part.name == step.part))
    yield Heading(example.problem.title, 2)
    tree = example.node.tree or Name(example.node.name)
    yield from _inputs(scope, step, tree)
    yield Formula(Name(step.name), (EquationSide(readable_formula(scope, step.tree)),), "the right formula")
    yield Formula(Name(step.name), (EquationSide(readable_formula(scope, tree)),), "with the mistake")
    shown = step_grid(Name("right"), scope.shown(step.name), is_weights(step)).cells
    hidden = [[cell.mark == "masked" and cell.shade is not None for cell in row] for row in shown]
    right = [_cells(row, row, dots) for row, dots in zip(example.right, hidden, strict=True)]
    marked = [_cells(*rows) for rows in zip(example.wrong, example.right, hidden, strict=True)]
    grids = [
        Grid(Name(name), tuple(cells), step.rows, step.columns)
        for name, cells in (("right", right), ("mistaken", marked))
    ]
    yield Matrices((grids[0], Sign(""), grids[1]))
    if why := reason(step.lesson or "", local_name(step), example.problem.columns):
        yield Paragraph(f"Purpose of this step: {why}", "note")
    if step.lesson:
        yield Paragraph(f"All steps of its lesson: attncalc lessons {step.lesson}", "note")


def _inputs(scope: Scope, step: Step, tree: Tree) -> Iterator[Matrices]:
    used = sorted(
        name
        for name in names(readable_formula(scope, step.tree)) | names(readable_formula(scope, tree))
        if name in scope.entries and name != step.name
    )
    items: list[Grid | Sign] = []
    for name in used:
        items += [Sign("" if items else GIVEN), step_grid(Name(name), scope.shown(name), False)]
    if items:
        yield Matrices(tuple(items))


def _cells(texts: Sequence[str], others: Sequence[str], hidden: Sequence[bool]) -> tuple[Cell, ...]:
    """Return a row of cells. Entries that differ from the other row are wrong, and `hidden` entries are masked."""
    return tuple(
        Cell(text, None, "wrong") if text != other else Cell(text, 0.0, "masked") if dot else Cell(text)
        for text, other, dot in zip(texts, others, hidden, strict=True)
    )


def examples(mistake: Mistake) -> Iterator[Example]:
    """Yield the problems in which the mistake changes the printed numbers."""
    for problem in _problems():
        values = Values(problem.plan)
        for step in problem.plan.steps():
            for node in mistake.nodes(StepAnalysis(problem.plan, step, problem.columns)):
                with working_precision(BITS):
                    box = evaluate(node, lambda key: from_matrix(values.enclosure(key, BITS)))  # noqa: B023
                wrong = interval_decimals(box, DIGITS, MODE)
                right = right_texts(values, step, DIGITS, MODE)
                if wrong != right and "?" not in str(wrong):
                    yield Example(problem, step, node, right, wrong)


def _problems() -> Iterator[Problem]:
    for path in mistake_examples():
        yield load(path)

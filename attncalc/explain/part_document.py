"""A part of a solution as blocks: its question, conventions and givens, then its steps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..formula.operations import taken
from ..formula.parser import parse
from ..formula.syntax_tree import Binary, Call, Index, Name, Transpose, Tree, names, unparse
from ..plan import Given, Step
from ..solution import PartSolution, Solution, StepResult
from . import solution_messages as messages
from .document import Block, Choices, EquationSide, Formula, Grid, Heading, Matrices, Paragraph, Reason, Sign, Worked
from .number_display import given_grid, is_weights, step_grid
from .outline import first_folded, group_steps, visible
from .part_scope import Scope, readable_formula
from .sections import Sections, purpose
from .stated_conventions import abbreviate, choices, scale_names, without_program_names
from .step_notes import checks, legends
from .step_pictures import arcs, bars
from .worked.calculation_line import notes
from .worked.entry import example_place, scalar_formula, work_all_entries, work_entry
from .worked.entry_provenance import Location, sources, tint


def part_blocks(
    solution: Solution,
    part: PartSolution,
    only: set[str] | None,
    exact: bool,
    known: set[str],
    depth: int | None,
    explain: str,
    stated: dict[str, Choices] | None = None,
    folding: bool = True,
) -> Iterator[Block]:
    """Yield the blocks of one part. `only` names the steps to show. `known` holds the givens and reasons that the page
    already has. `stated` holds the conventions of earlier parts. Without `folding`, folded reasons are omitted.
    """
    scope = Scope(solution, part, exact)
    yield from _question(part)
    yield without_program_names(
        abbreviate(choices(solution, scope), part.part.title or part.name or "", {} if stated is None else stated)
    )
    if solution.paper:
        yield Paragraph(messages.on_paper(scope.rounding.digits, scope.rounding.mode), "note")
    chosen = [result for result in part.steps if only is None or result.name in only]
    outline = group_steps(chosen, depth)
    shown = list(visible(outline))
    fold = only is None and explain != "full"
    steps = _Steps(scope, explain, known, fold, folding or not fold)
    yield from steps.loose_givens(chosen, shown, known)
    if folded := first_folded(outline):
        yield Paragraph(messages.unfold_advice(len(chosen) - len(shown), len(chosen), *folded), "advice")
    yield from Sections(scope, outline, steps.step, steps.result, only is None and explain != "brief").blocks()
    if part.part.answer and only is None:
        yield Paragraph(messages.ANSWER_LINE.format(words=part.part.answer), "answer", True)


def _question(solved: PartSolution) -> Iterator[Block]:
    part = solved.part
    if solved.name is not None or part.total_points is not None:
        yield Heading(part.title or (solved.name or "").replace("_", " "), 2, messages.points(part.total_points))
    for text, role in ((part.ask, "ask"), (part.source, "source"), (part.note, "note")):
        if text:
            yield Paragraph(text, role, role != "source")
    if part.asked_stated and part.asked:
        yield Paragraph(messages.ASKED, formulas=tuple(parse(asked.text) for asked in part.asked))


def step_blocks(
    scope: Scope, results: Iterable[StepResult], explain: str = "steps"
) -> Iterator[tuple[StepResult, list[Block]]]:
    """Yield the blocks of each step, for pages that change the order."""
    steps = _Steps(scope, explain, set())
    for result in results:
        yield result, list(steps.step(result))


class _Steps:
    """Writes the steps of one part. Matrices that were shown before may be printed as names."""

    def __init__(self, scope: Scope, explain: str, known: set[str], folded: bool = True, reasons: bool = True):
        self.scope = scope
        self.known = known
        self.folded = folded
        self.reasons = reasons
        self.brief, self.full = explain == "brief", explain == "full"
        self.operands = Operands(scope)
        self.legend_texts: set[str] = set()

    def loose_givens(self, chosen: list[StepResult], shown: list[StepResult], known: set[str]) -> Iterator[Block]:
        """Yield the givens of the chosen steps that are not shown as operands. Single numbers are in one sentence."""
        formulas = [self.with_numbers(result.step) for result in chosen if not result.step.is_pinned]
        used = {name: None for tree in formulas for name in sorted(names(tree)) if self.scope.given(name)}
        for result in shown:
            for item in self.operand_matrices(result):
                for name in names(item.name) if isinstance(item, Grid) else ():
                    used.pop(name, None)
        givens = [given for name in used if (given := self.scope.given(name)) and given.key not in known]
        known |= {given.key for given in givens}
        grids = [given_grid(given, self.scope.shown(given.name)) for given in givens]
        known_names = scale_names(self.scope)
        numbers = [
            (name, g.cells[0][0].text)
            for g in grids
            if g.shape == (1, 1) and (name := unparse(g.name)) not in known_names
        ]
        if numbers:
            yield Paragraph(messages.given_numbers(numbers), "note")
        items: list[Grid | Sign] = []
        for grid in grids:
            if grid.shape != (1, 1):
                items += [Sign("" if items else messages.GIVEN), grid]
        if items:
            self.operands.remember(items)
            yield Matrices(tuple(items))

    def step(self, result: StepResult) -> Iterator[Block]:
        step = result.step
        if self.is_another_name(step):
            yield Formula(
                Name(step.name), (EquationSide(self.with_numbers(step)),), another_name(step), self.aside(step)
            )
            return
        formula, doc, aside = self.with_numbers(step), meaning(step), self.aside(step)
        operands = self.operand_matrices(result)
        if step.shape == (1, 1) and not operands and not step.given:
            line = scalar_formula(self.scope, result, formula, doc, aside, self.full)
            yield line
            yield from self.line_notes([line.stages[1:]])
        else:
            stages = () if step.given and step.tree == Name(step.name) else (EquationSide(formula),)
            yield Formula(Name(step.name), stages, doc, aside)
            yield from self.origin_note(step)
            at = None if self.brief or self.full or step.given else example_place(self.scope, result)
            example = work_entry(self.scope, result, *at) if at else None
            yield self.matrices(result, operands, at if example else None)
            yield from self.entries(result, example)
        for note in legends(self.scope, result, self.brief):
            if note.text not in self.legend_texts:
                yield note
            self.legend_texts.add(note.text)
        yield from checks(self.scope, result, self.brief)
        if not self.brief:
            if self.reasons:
                yield from self.step_reason(step)
            yield from self.pictures(result)

    def pictures(self, result: StepResult) -> Iterator[Block]:
        """Yield the pictures of a step. Rarely needed modules are imported here."""
        if result.step.base == "lr":
            from .step_pictures import schedule

            yield from schedule(self.scope, result)
        yield from arcs(self.scope, result)
        yield from bars(self.scope, result)
        if result.step.lesson == "beam_search":
            from .step_pictures import beam

            yield from beam(self.scope, result)

    def is_another_name(self, step: Step) -> bool:
        """Return whether a step only renames a matrix that is already on the page: Y = normed."""
        same = isinstance(step.tree, Name) and not step.given and step.shape != (1, 1)
        return same and unparse(step.tree) in self.operands.shown

    def step_reason(self, step: Step) -> Iterator[Reason]:
        """Yield the reason for a step, unless the page already has the same text."""
        from .reasons import reason  # imported here, because it reads files, and few media show reasons

        text = "" if step.given else reason(step.lesson or "", local_name(step), self.scope.columns)
        if fill(step) and "−∞" in text:  # the reason is not about this value
            return
        if text and text not in self.known:
            self.known.add(text)
            yield Reason(text, self.folded)

    def operand_matrices(self, result: StepResult) -> list[Grid | Sign]:
        """Return the operands of a step with the signs between them."""
        return [] if self.brief else self.operands.of(result)

    def entries(self, result: StepResult, line: Worked | None) -> Iterator[Block]:
        """Yield the worked example, or all worked entries."""
        if self.brief or result.step.given:
            return
        blocks = list(work_all_entries(self.scope, result)) if self.full else [line] if line else []
        yield from blocks
        yield from self.line_notes([block.stages for block in blocks if isinstance(block, Worked)])

    def line_notes(self, lines: list[tuple[EquationSide, ...]]) -> Iterator[Paragraph]:
        """Yield the notes on the numbers of calculations, each once on a page."""
        for text in notes(self.scope, filter(None, lines)):
            if text not in self.known:
                self.known.add(text)
                yield Paragraph(text, "fine")

    def result(self, result: StepResult) -> Iterator[Block]:
        yield self.matrices(result, [])

    def matrices(self, result: StepResult, operands: list[Grid | Sign], at: Location | None = None) -> Matrices:
        """Return the matrix of a step after its operands, with tints for the entry at `at` and its sources."""
        step, scope = result.step, self.scope
        grid = step_grid(Name(step.name), scope.shown(step.name), is_weights(step))
        if not step.given:
            grid = grid._replace(explained=lambda i, j: work_entry(scope, result, i, j))
        items: list[Grid | Sign] = [*operands, Sign("="), grid] if operands else [grid]
        self.operands.remember(items)
        return Matrices(
            tuple(tint(scope, items, sources(scope, result, *at), at) if at and grid.shape != (1, 1) else items)
        )

    def origin_note(self, step: Step) -> Iterator[Paragraph]:
        if step.given:
            yield Paragraph(messages.PINNED if step.is_pinned else messages.SUPPLIED, "fine")

    def with_numbers(self, step: Step) -> Tree:
        return readable_formula(self.scope, step.tree)

    def aside(self, step: Step) -> str:
        points = self.scope.part.part.points
        return messages.points(points.get(step.name)) if isinstance(points, dict) else ""


def meaning(step: Step) -> str:
    """Return the author's description of a step, or its purpose in its lesson. If the step divides by another number
    than a square root, the divisor is called the scale. A description of masked scores has their value.
    """
    if step.means:
        return step.means
    purpose_text = purpose(step.lesson or "", local_name(step))
    if filling := fill(step):
        return purpose_text.replace("−∞", filling)
    match step.tree:
        case Binary("/", _, Call("sqrt")):
            return purpose_text
        case Binary("/"):
            return purpose_text.replace(*messages.OWN_SCALE)
    return purpose_text


def fill(step: Step) -> str:
    """Return the value of masked entries if it is not −∞; an empty string for other steps."""
    options = dict(step.tree.options) if isinstance(step.tree, Call) and step.tree.function == "keep" else {}
    value = unparse(options["fill"]) if "fill" in options else ""
    return "" if value == "-inf" else value


def another_name(step: Step) -> str:
    """Return the reason why a step only renames a matrix."""
    return messages.ANOTHER_NAME.get(f"{step.lesson} {local_name(step)}", messages.SAME_NUMBERS)


def local_name(step: Step) -> str:
    """Return the name of a step in its lesson: `A_1` for `head.A_1`."""
    return step.name.rsplit(".", 1)[-1]


Items = list[Grid | Sign]

MOST_OPERANDS = 4
LARGE = 8  # matrices with more rows or columns are shown only once
_SIGNS = {"@": "·", "+": "+", "-": "−", "*": "∘", "/": "/"}


class Operands:
    """Finds the operands of steps, and records the matrices that a part has shown."""

    def __init__(self, scope: Scope):
        self.scope = scope
        self.shown: set[str] = set()
        self._grids: dict[str, Grid] = {}

    def of(self, result: StepResult) -> Items:
        """Return the operands of a step with the signs between them; empty if the formula alone is enough."""
        tree = result.step.tree
        if result.step.given:
            return []
        if isinstance(tree, Call) and tree.function in ("hstack", "vstack"):
            return self._side_by_side(tree)
        items = self._chain(tree) or []
        shapes = [item.shape for item in items if isinstance(item, Grid)]
        return items if 2 <= len(shapes) <= MOST_OPERANDS and max(shapes) != (1, 1) else []

    def remember(self, items: Items) -> None:
        """Record matrices as shown."""
        self.shown |= {unparse(item.name) for item in items if isinstance(item, Grid)}

    def _side_by_side(self, tree: Call) -> Items:
        grids = [self._grid(a) for a in tree.arguments]
        if len(grids) > MOST_OPERANDS or any(g is None for g in grids):
            return []
        sign = Sign("|" if tree.function == "hstack" else ";")
        return [item for grid in grids if grid is not None for item in (sign, grid)][1:]

    def _chain(self, tree: Tree) -> Items | None:
        if not isinstance(tree, Binary) or tree.operator not in _SIGNS:
            grid = self._grid(tree)
            return None if grid is None else [grid]
        left, right = self._chain(tree.left), self._chain(tree.right)
        if left is None or right is None or _needs_brackets(tree):
            return None
        with_number = tree.operator == "*" and (1, 1) in (self.scope.shape(tree.left), self.scope.shape(tree.right))
        return [*left, Sign("·" if with_number else _SIGNS[tree.operator]), *right]

    def _grid(self, tree: Tree) -> Grid | None:
        """Return a named matrix, its transpose, or a block of rows and columns; None for other formulas."""
        inside = tree.operand if isinstance(tree, Transpose | Index) else tree
        if not isinstance(inside, Name) or inside.name not in self.scope.entries:
            return None
        grid = self._named(inside)
        if isinstance(tree, Transpose):
            transposed = tuple(zip(*grid.cells, strict=True))
            return Grid(
                tree, transposed, grid.columns, grid.rows, self._seen(tree) or (max(grid.shape) > LARGE and grid.seen)
            )
        if isinstance(tree, Index):
            node = self.scope.node(tree)
            rows, columns = taken(node)
            kept = [grid.cells[i] for i in rows] if rows else list(grid.cells)
            cells = tuple(tuple(row[j] for j in columns) if columns else row for row in kept)
            name = readable_formula(self.scope, tree)
            return Grid(name, cells, node.rows, node.columns, self._seen(name))
        return grid

    def _named(self, name: Name) -> Grid:
        if name.name not in self._grids:
            entry, shown = self.scope.entries[name.name], self.scope.shown(name.name)
            weights = isinstance(entry, Step) and is_weights(entry)
            self._grids[name.name] = (
                given_grid(entry, shown) if isinstance(entry, Given) else step_grid(name, shown, weights)
            )
        return self._grids[name.name]._replace(seen=self._seen(name))

    def _seen(self, tree: Tree) -> bool:
        return unparse(tree) in self.shown


def _needs_brackets(tree: Binary) -> bool:
    """Return whether a row of operands without brackets would mean another formula."""
    right_is_chain = isinstance(tree.right, Binary) and tree.operator != "+"
    left_is_sum = isinstance(tree.left, Binary) and tree.operator in "@*/" and tree.left.operator != tree.operator
    return right_is_chain or left_is_sum

"""A Solution as a Document: for each part the question, then each step with its formula, matrices, one worked entry and checks."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from flint import arb, ctx, fmpq

from ..arithmetic import rounding
from ..arithmetic.certified import NeedsPrecision, entries, is_infinite
from ..errors import AttncalcError, FormulaError
from ..formula.node import Node
from ..formula.tree import Binary, Call, Index, Name, Negate, Number, Transpose, Tree, names, rewrite
from ..lessons import LESSONS
from ..plan import Given, Step
from ..solve import PartSolution, Solution, StepResult
from .document import Choices, Document, Formula, Grid, Heading, Matrices, Paragraph, Sign, Worked
from .notices import notices
from .shown import Shown, given_grid, is_weights, step_grid
from .worked import NoWorking, Worker, depth, is_leaf

MOST_OPERANDS = 4
_SIGNS = {"@": "·", "+": "+", "-": "−", "*": "∘"}


def solution_document(solution: Solution, parts: list[PartSolution], steps: set[str] | None = None, exact: bool = False) -> Document:
    """The whole solution, or some parts and steps of it."""
    document = Document()
    problem = solution.problem
    document.blocks.append(Heading(problem.title, 1))
    if problem.source:
        document.blocks.append(Paragraph(problem.source, "source"))
    if problem.ask:
        document.blocks.append(Paragraph(problem.ask, "ask"))
    if problem.note:
        document.blocks.append(Paragraph(problem.note, "note"))
    if problem.rounded_givens:
        document.blocks.append(Paragraph("The given decimals are themselves rounded; this is what the printed numbers give.", "note"))
    for part in parts:
        _Explainer(solution, part, document, exact).explain(steps)
    told: dict[str, list[str]] = {}
    for notice in notices(solution, parts):
        if steps is None or notice.step in steps:
            told.setdefault(notice.message, []).extend([notice.part] if notice.part else [])
    for message, where in told.items():
        document.blocks.append(Paragraph(f"{', '.join(where)}: {message}" if where else message, "warning"))
    return document


class _Explainer:
    """Writes one part into a document."""

    def __init__(self, solution: Solution, part: PartSolution, document: Document, exact: bool):
        self.solution = solution
        self.part = part
        self.blocks = document.blocks
        self.exact = exact
        self.entries: dict[str, Given | Step] = self._scope()
        self.worker = Worker(solution.values, self._resolve)
        self.shown: dict[str, Shown] = {}

    def _scope(self) -> dict[str, Given | Step]:
        """What a formula of this part sees, by name."""
        plan = self.solution.problem.plan
        scope: dict[str, Given | Step] = {f"{s.part}.{s.name}": s for s in plan.steps() if s.part}
        scope |= {g.name: g for g in plan.givens}
        scope |= {g.name: g for g in self.part.part.plan.givens}
        own = {s.name: s for s in self.part.part.plan.steps}
        # A step supplied by a given of its own name shows as the given.
        return scope | own

    def _resolve(self, name: str, at: int) -> Node:
        found = self.entries[name]
        return Node("ref", (), found.shape, found.rows, found.columns, (found.key,), found.node.static, found.node.bits, name, at)

    def show(self, name: str) -> Shown:
        found = self.entries[name]
        if found.key not in self.shown:
            rounding = self.part.steps[0].shown if self.part.steps else None
            step = found if isinstance(found, Step) else _as_step(found)
            shown = next((s.shown for s in self.part.steps if s.step is found), rounding)
            self.shown[found.key] = Shown(StepResult(step, self.solution.values, shown), self.exact and isinstance(found, Step))  # type: ignore[arg-type]
        return self.shown[found.key]

    # -- the part --------------------------------------------------------------------------------------------------------

    def explain(self, only: set[str] | None) -> None:
        part = self.part.part
        if self.part.name is not None:
            self.blocks.append(Heading(part.title or self.part.name, 2, _points(part.total_points)))
        elif part.total_points is not None:
            self.blocks.append(Heading("", 2, _points(part.total_points)))
        for text, role in ((part.ask, "ask"), (part.source, "source"), (part.note, "note")):
            if text:
                self.blocks.append(Paragraph(text, role))
        chosen = [s for s in self.part.steps if only is None or s.name in only]
        self.blocks.append(self.choices())
        self.loose_givens(chosen)
        for result in chosen:
            self.step(result)

    def choices(self) -> Choices:
        part = self.part.part
        pairs = [(c.option, c.value, c.is_default) for c in dict.fromkeys(part.plan.conventions)]
        if self.solution.problem.columns:
            pairs.append(("vectors", "columns", False))
        how = part.rounding
        words = {"half_up": "half up", "half_even": "half to even", "truncate": "cut"}[how.mode]
        digits = self.part.steps[0].shown.digits if self.part.steps else how.digits
        pairs.append(("decimals", f"{digits}, {words}", not part.rounding_stated))
        if self.solution.paper:
            pairs.append(("carried on", "every step as printed", False))
        return Choices(tuple(pairs))

    def loose_givens(self, chosen: list[StepResult]) -> None:
        """The givens that no product or sum of these steps shows, small ones in one row."""
        used: dict[str, None] = {}
        for result in chosen:
            for name in sorted(names(result.step.tree)):
                if isinstance(self.entries.get(name), Given):
                    used[name] = None
        for result in chosen:
            for item in self.operands(result):
                if isinstance(item, Grid):
                    used.pop(_base_name(item.name), None)
        grids = [given_grid(g, self.show(name)) for name in used if isinstance(g := self.entries[name], Given)]
        numbers = [f"{_base_name(g.name)} = {g.cells[0][0].text}" for g in grids if len(g.cells) == len(g.cells[0]) == 1]
        if numbers:
            self.blocks.append(Paragraph("given " + ", ".join(numbers), "note"))
        items: list[Grid | Sign] = []
        for grid in grids:
            if len(grid.cells) > 1 or len(grid.cells[0]) > 1:
                items += [Sign("given") if not items else Sign(""), grid]
        if items:
            self.blocks.append(Matrices(tuple(items)))

    # -- one step --------------------------------------------------------------------------------------------------------

    def step(self, result: StepResult) -> None:
        step = result.step
        shown = self.show(step.name)
        self.blocks.append(Formula(Name(step.name), self.with_numbers(step.tree), _meaning(step), step.given))
        weights = is_weights(step)
        grid = step_grid(Name(step.name), shown, weights)
        items = [] if step.given else self.operands(result)
        self.blocks.append(Matrices((*items, Sign("="), grid) if items else (grid,)))
        if not step.given and not self.exact:
            worked = self.worked(result, shown)
            if worked:
                self.blocks.append(worked)
        for text in self.hidden(result, shown):
            self.blocks.append(Paragraph(text, "fine"))
        if weights:
            self.blocks.append(Paragraph(*self.sums(result, shown)))

    def with_numbers(self, tree: Tree) -> Tree:
        """cols(K) as the number that it is."""

        def number(part: Tree) -> Tree | None:
            if isinstance(part, Call) and part.function in ("rows", "cols"):
                return Number(str(self.worker.node(part).static))
            return None

        return rewrite(tree, number)

    def operands(self, result: StepResult) -> list[Grid | Sign]:
        """The matrices that a product, a sum or a joining starts from, with the signs between; nothing for other formulas."""
        tree = result.step.tree
        if result.step.given:
            return []
        if isinstance(tree, Call) and tree.function in ("hstack", "vstack"):
            grids = [self.operand(a) for a in tree.arguments]
            if len(grids) > MOST_OPERANDS or any(g is None for g in grids):
                return []
            joined: list[Grid | Sign] = []
            for grid in grids:
                joined += [Sign("|")] if joined else []
                joined.append(grid)  # type: ignore[arg-type]
            return joined
        items = self.flatten(tree)
        grids_only = [i for i in items or [] if isinstance(i, Grid)]
        return items or [] if 2 <= len(grids_only) <= MOST_OPERANDS else []

    def flatten(self, tree: Tree) -> list[Grid | Sign] | None:
        if isinstance(tree, Binary) and tree.operator in _SIGNS:
            left, right = self.flatten(tree.left), self.flatten(tree.right)
            if left is None or right is None or (isinstance(tree.right, Binary) and tree.operator != "+"):
                return None
            if tree.operator == "@" and isinstance(tree.left, Binary) and tree.left.operator != "@":
                return None
            return [*left, Sign(_SIGNS[tree.operator]), *right]
        grid = self.operand(tree)
        return None if grid is None else [grid]

    def operand(self, tree: Tree) -> Grid | None:
        """A named matrix, its transpose or a block of it, as it stands in a product."""
        inside = tree.operand if isinstance(tree, (Transpose, Index)) else tree
        if not isinstance(inside, Name) or inside.name not in self.entries:
            return None
        found = self.entries[inside.name]
        shown = self.show(inside.name)
        if isinstance(found, Given):
            grid = given_grid(found, shown)
        else:
            grid = step_grid(inside, shown, is_weights(found))
        if isinstance(tree, Transpose):
            return Grid(tree, tuple(zip(*grid.cells, strict=True)), grid.columns, grid.rows)
        if isinstance(tree, Index):
            node = self.worker.node(tree)
            rows, columns = node.params
            kept = [grid.cells[i] for i in rows] if rows else list(grid.cells)
            cells = tuple(tuple(row[j] for j in columns) if columns else row for row in kept)
            return Grid(tree, cells, node.rows, node.columns)
        return grid

    # -- one entry in full -----------------------------------------------------------------------------------------------

    def worked(self, result: StepResult, shown: Shown) -> Worked | None:
        try:
            i, j = self.telling_entry(result, shown)
            tree = self.worker.entry(result.step.tree, i, j)
            if is_leaf(tree):
                return None
            first, exact = self.numbers(tree)
            stages = [first]
            if isinstance(tree, Binary) and tree.operator == "/" and depth(tree) > 1:
                second = self.halves(tree)
                if second is not None and second != first:
                    stages.append(second)
                    exact = exact and shown.terminates
        except (NoWorking, FormulaError, AttncalcError, NeedsPrecision):
            return None
        text = shown.printed.texts[i][j]
        nearly = shown.printed.nearly[i][j]
        if nearly and text.strip("-0.") == "":
            text = shown.number(i, j)[0]
        return Worked(entry_name(result, i, j), tuple(stages), text, not (exact and shown.terminates))

    def telling_entry(self, result: StepResult, shown: Shown) -> tuple[int, int]:
        """The entry to work out: for weights the largest of the last row, elsewhere one with the most terms that are not 0."""
        n, m = result.shape
        if is_weights(result.step):
            row = [cell.shade or 0.0 for cell in step_grid(Name("A"), shown, True).cells[n - 1]]
            return n - 1, row.index(max(row))
        tree = result.step.tree
        candidates = [(i, j) for i in range(min(n, 4)) for j in range(min(m, 4)) if not is_infinite(shown.rows[i][j])]
        if not candidates:
            raise NoWorking
        if m > 1:
            candidates.sort(key=lambda c: (c[0], c[1] != 1))
        if isinstance(tree, Binary) and tree.operator == "@":
            inner = range(min(self.worker.shape(tree.left)[1], 8))
            return max(
                candidates,
                key=lambda c: sum(
                    not self.worker.zero(tree.left, c[0], k) and not self.worker.zero(tree.right, k, c[1]) for k in inner
                ),
            )
        if isinstance(tree, Call) and tree.function == "keep":
            raise NoWorking
        if isinstance(tree, Call) and tree.function == "sinusoidal" and n > 1:
            return 1, m - 1 if m < 3 else 2
        return candidates[0]

    def numbers(self, tree: Tree) -> tuple[Tree, bool]:
        """The tree with its entries as numbers, and whether every number is shown exactly."""
        exact = True

        def number(part: Tree) -> Tree | None:
            nonlocal exact
            if isinstance(part, Index) and isinstance(part.operand, Name) and isinstance(part.rows, Number):
                i, j = int(part.rows.text), int(part.columns.text)  # type: ignore[union-attr]
                name = part.operand.name
                found = self.entries[name]
                if isinstance(found, Given) and found.texts is not None:
                    return _given_number(found.texts[i][j], self.show(name), i, j)
                text, is_exact = self.show(name).number(i, j)
                exact = exact and is_exact
                return Number(text)
            return None

        return rewrite(tree, number), exact

    def halves(self, tree: Binary) -> Tree | None:
        """The two sides of the outermost operation as numbers: 2.0281 / 5.0562."""
        digits = self.part.steps[0].shown.digits

        def side(part: Tree) -> Tree | None:
            if is_leaf(part) or isinstance(part, Number):
                return self.numbers(part)[0]
            if any(isinstance(name, str) and name.startswith("…") for name in names(part)):
                return None
            text = self.decimal(part, digits)
            return None if text is None else Number(text)

        left, right = side(tree.left), side(tree.right)
        return None if left is None or right is None else Binary(tree.operator, left, right)

    def decimal(self, tree: Tree, digits: int) -> str | None:
        """A tree over entries as a certified decimal (or five figures where it is very large or small)."""
        node = self.worker.node(tree)
        for bits in (128, 512, 2048):
            x = entries(self.worker.evaluate(node, bits))[0][0]
            with ctx.workprec(bits):
                if isinstance(x, arb) and not x.is_finite():
                    return None
                large = abs(x) > 10**7 if isinstance(x, arb) else abs(x) > fmpq(10) ** 7
                tiny = (abs(x) < arb(10) ** -digits) if isinstance(x, arb) else 0 < abs(x) < fmpq(1, 10**digits)
                if large or tiny:
                    figures = rounding.significant(x, 5)
                    if figures:
                        return ("-" if x < 0 else "") + figures
                    continue
                n = rounding.of_rational(x, digits, "half_up") if isinstance(x, fmpq) else rounding.of_ball(x, digits, "half_up")
            if n is not None:
                text = rounding.decimal_text(n, digits)
                return text.rstrip("0").rstrip(".") if isinstance(x, fmpq) and "." in text else text
        return None

    # -- what the print hides, and checks --------------------------------------------------------------------------------

    def hidden(self, result: StepResult, shown: Shown) -> Iterable[str]:
        """Lines on entries that print as round numbers without being them, and on digits that stay undecided."""
        groups: dict[str, list[tuple[str, str, tuple[int, int]]]] = {}
        for i, row in enumerate(shown.printed.nearly):
            for j, gap in enumerate(row):
                text = shown.printed.texts[i][j]
                if gap is not None and (i, j) not in shown.printed.undecided and not self.exact:
                    whole = text if is_weights(result.step) or text.strip("-0.") == "" else "other"
                    groups.setdefault(whole, []).append((text, gap, (i, j)))
        for _, gaps in sorted(groups.items()):
            yield _hidden_line(result, gaps)
        for i, j in shown.printed.undecided[:4]:
            yield f"{entry_name(result, i, j)}: no rule decides the last digit; {shown.printed.texts[i][j]} is one of two neighbours."

    def sums(self, result: StepResult, shown: Shown) -> tuple[str, str]:
        """Whether rows (or columns, or everything) sum to 1, as certified and as printed."""
        value = result.enclosure()
        rows = entries(value)
        lines = {"row": rows, "column": [list(c) for c in zip(*rows, strict=True)]}
        for word, line in lines.items():
            if all(_is_one(sum(x[1:], x[0])) for x in line):
                printed = _printed_sums(shown, word)
                off = [f"{word} {i} to {float(total):.{shown.digits}f}" for i, total in enumerate(printed) if total != 1]
                also = f"; as printed, {', '.join(off[:3])}{' …' if len(off) > 3 else ''}" if off and not self.exact else ""
                return f"every {word} sums to 1{also}", "check"
        if all(_is_one(sum(x[1:], x[0])) for x in [[x for row in rows for x in row]]):
            return "all weights together sum to 1", "check"
        return "not every row sums to 1", "fine"


def _is_one(total: object) -> bool:
    return total == 1 if isinstance(total, fmpq) else bool(isinstance(total, arb) and total.contains(1))


def _printed_sums(shown: Shown, word: str) -> list[Fraction]:
    texts = shown.printed.texts
    lines = texts if word == "row" else [list(c) for c in zip(*texts, strict=True)]
    return [sum((Fraction(t) for t in line), Fraction(0)) for line in lines]


def _hidden_line(result: StepResult, gaps: list[tuple[str, str, tuple[int, int]]]) -> str:
    """`0.0000 stands for 6 numbers that are not 0 but 1.3e-198 to 7.9e-32`"""
    sizes = sorted((gap for _, gap, _ in gaps), key=_size)
    spread = sizes[0] if sizes[0] == sizes[-1] else f"{sizes[0]} to {sizes[-1]}"
    texts = {text for text, _, _ in gaps}
    one = entry_name(result, *gaps[0][2]) if len(gaps) == 1 else ""
    if len(texts) > 1:
        return f"{len(gaps)} entries print as round numbers, which they miss by {spread}"
    text = texts.pop()
    if text.strip("-0.") == "":
        return f"{text} in {one} is not 0 but {spread}" if one else f"{text} stands for {len(gaps)} numbers that are not 0 but {spread}"
    return f"{text} in {one} is off by {spread}" if one else f"{text} stands for {len(gaps)} numbers that miss it by {spread}"


def _size(gap: str) -> tuple[int, float]:
    """Orders `7.9e-32` and `<1e-4000` without turning them into floats that underflow."""
    mantissa, _, exponent = gap.lstrip("<").partition("e")
    return int(exponent), float(mantissa)


def entry_name(result: StepResult, i: int, j: int) -> str:
    """`S[our, lives]`, by labels where there are any, by numbers elsewhere."""
    step = result.step
    if step.shape == (1, 1):
        return step.name
    row = step.rows[i] if step.rows and step.rows.count(step.rows[i]) == 1 else str(i)
    column = step.columns[j] if step.columns and step.columns.count(step.columns[j]) == 1 else str(j)
    if step.shape[0] == 1 and not step.rows:
        return f"{step.name}[{column}]"
    return f"{step.name}[{row}, {column}]"


def _meaning(step: Step) -> str:
    """What the step is for, from its lesson's table."""
    lesson = LESSONS.get(step.lesson or "")
    if lesson is None:
        return ""
    local = step.name.rsplit(".", 1)[-1]
    for name in (local, f"{step.base}_1", step.base):
        if name in lesson.steps:
            return lesson.steps[name]
    return ""


def _points(points: Fraction | None) -> str:
    if points is None:
        return ""
    return "1 point" if points == 1 else f"{points} points"


def _given_number(text: str, shown: Shown, i: int, j: int) -> Tree:
    clean = text.strip().replace("−", "-")
    try:
        Fraction(clean)
    except ValueError:
        return Number(shown.number(i, j)[0])
    return Number(clean)


def _base_name(tree: Tree) -> str:
    while isinstance(tree, (Transpose, Index, Negate)):
        tree = tree.operand
    return tree.name if isinstance(tree, Name) else ""


def _as_step(given: Given) -> Step:
    """A given with a step's face, so that its numbers are shown the same way."""
    return Step(given.key, given.name, given.part, Name(given.name), given.name, given.node, True)

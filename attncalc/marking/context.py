"""The context in which the lines of a script are marked, and the only caches of marking.

A line may be calculated from the student's own lines, from the right ones, or from the numbers on paper.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial, reduce
from typing import Any

from flint import fmpq

from ..arithmetic.intervals.intermediate_rounding import FULL, IntermediateRounding
from ..arithmetic.intervals.interval_evaluator import evaluate
from ..arithmetic.intervals.scalar import Box, Interval, from_matrix, least, most
from ..arithmetic.rounding import power_of_ten
from ..formula import operations as op
from ..formula.operations import needed, needs
from ..formula.typed_formula import Node, Where
from ..mistakes.equivalent_formulas import formulas_through_lines
from ..mistakes.step_analysis import StepAnalysis, step_analysis
from ..plan import Given, Plan, Step
from ..problem.problem import Problem
from ..solution import rounding_on_paper
from ..step_values import Values
from ..submissions.step_matching import Bound
from .formula_properties import has
from .legality import Carried, box_hull, carried, kept_of
from .line import CarryScenario, FormulaChoices, Judgement, Line, Source
from .line_enclosures import LineEnclosures
from .masked_entries import with_masked_cells

PRECISION = 128
MOST_SCENARIOS = 8  # choices of boxes before a line
MOST_BOXES = 3  # of one line
NEAR = 2  # steps before a logarithm, whose entries may stand in it as they are
LEFT_OPEN = -1  # a choice left open: the hull of all boxes


@dataclass(slots=True)
class Memory:
    """The right values, judged lines and causes that the scripts of one problem share, and the choices among what it
    accepts; the key is a line and all lines before it, each with what is accepted in its part.
    """

    judgements: dict[tuple[object, ...], Judgement] = field(default_factory=dict)
    causes: dict[tuple[object, ...], list[Any]] = field(default_factory=dict)
    true: Values | None = None

    def values(self, plan: Plan) -> Values:
        """Return the right values of the problem."""
        if self.true is None or self.true.plan is not plan:  # the problem was read again
            self.true = Values(plan)
        return self.true

    @property
    def size(self) -> int:
        return len(self.judgements)


class MarkingContext:
    """The lines of a script that are known so far.

    `carried[key]`: candidate enclosures, one of which contains the carried value. `likeliest`: the scenario that
    carries the first candidate of each line. `lines`: the marked lines.
    """

    def __init__(
        self, problem: Problem, bound: Bound, sites: dict[str, StepAnalysis] | None = None, memory: Memory | None = None
    ):
        self.problem = problem
        self.memory = memory
        self.plan = problem.plan
        self.true = Values(self.plan) if memory is None else memory.values(self.plan)
        self.bound = with_masked_cells(bound, self.true, PRECISION)
        self.typed = {filled.step.key: filled for filled in self.bound.steps}
        cells = (cell for filled in self.bound.steps for cell in filled.cells.values())
        self.most_decimals = max((cell.decimals or 0 for cell in cells), default=0)
        self.parts = {step.key: part for part in problem.parts for step in part.plan.steps}
        rounded = rounding_on_paper(lambda step: self.parts[step.key].rounding)
        self.solution = Values(self.plan, rounded) if problem.carries_rounded else self.true
        self.carried: dict[str, Sequence[Box]] = {}
        self.likeliest = CarryScenario()
        self.scenarios: dict[tuple[tuple[str, int], ...], CarryScenario] = {(): self.likeliest}
        self.lines: dict[str, Line] = {}
        self.right_lines: set[str] = set()  # the lines with the right numbers
        self.groundless: set[str] = set()  # the lines that show no work (`informativeness.py`)
        self.rights: dict[str, Box] = {}
        # With rounded givens, by the key, the working, and whether the line is marked
        self.uncertain_rights: dict[tuple[str, IntermediateRounding, bool], Box] = {}
        self.paper: dict[str, Box] = {}
        self.literals: dict[str, Box] = {}  # the givens that are numbers
        self.sites = sites  # None: those of the plan
        self.known_through: dict[str, list[Node]] = {}
        self.known_behind: dict[str, frozenset[str]] = {}
        self.by_prints: dict[str, Box] = {}
        # Of lines with a mistake's formula, by scenario, the formula and the line's key
        self.mistaken_lines: dict[tuple[CarryScenario, Node, str], LineEnclosures] = {}
        self.formulas: dict[str, list[Node]] = {}  # of a line, by its equal orders
        self.omitted_orders: dict[str, list[FormulaChoices]] = {}
        self.unwritten_steps: dict[tuple[str, type[Node] | None], frozenset[str]] = {}

    def release(self) -> None:
        """Break reference cycles so that memory is freed without the cyclic collector."""
        vars(self).clear()

    @cached_property
    def line_texts(self) -> dict[str, tuple[object, ...]]:
        """The texts of each line, and the formulas that the problem accepts in the parts of the steps before it."""
        accepted = {
            part.name: (
                frozenset((*self.problem.accept, *part.accept)),
                tuple((step, *nodes) for step, nodes in part.alternatives.items() if nodes),
            )
            for part in self.problem.parts
            if self.problem.accept or part.accept or any(part.alternatives.values())
        }
        return {
            key: (
                key,
                self._accepted_before(key, accepted) if accepted else frozenset(),
                f.computed,
                *((at, c.text) for at, c in f.cells.items()),
            )
            for key, f in self.typed.items()
        }

    def _accepted_before(self, key: str, accepted: dict[str | None, Any]) -> frozenset[Any]:
        """Return the parts of `accepted` in which a line, or a step before it, is."""
        parts = {self.parts[k].name for k in self.behind(key) if k in self.parts}
        return frozenset(accepted[name] for name in parts & accepted.keys())

    @cached_property
    def has_alternatives(self) -> bool:
        """Return whether the problem file accepts another formula of any step."""
        return any(part.alternatives for part in self.problem.parts)

    @cached_property
    def last_steps(self) -> set[str]:
        """The last step of each part, if no other part uses it: no line follows from what it carries forward."""
        used = set().union(*self.plan.dependencies.values())
        return {part.steps[-1].key for part in self.plan.parts if part.steps} - used

    @cached_property
    def behind_logarithms(self) -> set[str]:
        """The steps that a logarithm leads to, where −∞ is the logarithm of 0."""
        steps: set[str] = set()
        for step in self.plan.steps():
            if has(step.node, op.Log) or not steps.isdisjoint(self.plan.dependencies[step.key]):
                steps.add(step.key)
        return steps

    @cached_property
    def in_logarithms(self) -> set[str]:
        """The steps whose entries may stand in a logarithm."""
        near = {key for step in self.plan.steps() for logarithm in _logarithms(step.node) for key in needs([logarithm])}
        keys = set(near)
        for _ in range(NEAR - 1):
            near = set().union(*(self.plan.dependencies[key] for key in near))
            keys |= near
        return keys

    def record(self, key: str, judgement: Judgement) -> None:
        """Add a judged line, for the lines after it."""
        self.lines[key] = judgement.line
        if judgement.carried is not None:
            self.keep(key, judgement.carried)

    def keep(self, key: str, boxes: Sequence[Box]) -> None:
        """Set the enclosures of what a line may carry on, the likeliest first."""
        self.carried[key] = boxes
        for scenario in self.scenarios.values():
            scenario.values[key] = boxes[0]
            scenario.expected.clear()

    def keep_mistaken(self, line: Line, boxes: list[Box]) -> None:
        """Let a wrong line whose mistakes are named also carry on what a legal line of it does."""
        weights = isinstance(line.step.node, op.Softmax)
        kept = [
            alternative for reading in line.readings if (alternative := carried(reading, boxes, weights)) is not None
        ]
        if kept and line.key not in self.last_steps:
            self.keep(line.key, [*self.carried[line.key], *reduce(Carried.with_other, kept).boxes()])

    def scenarios_of(self, key: str) -> list[CarryScenario]:
        """Return a scenario for each choice among the enclosures of the lines right before one; if there are many
        choices, the earlier lines carry their hulls.
        """
        choices: list[tuple[tuple[str, int], ...]] = [()]
        for near in sorted(self.adjacent_written_lines(key), key=self.plan.order.__getitem__, reverse=True):
            count = len(self.carried[near])
            if count > 1:
                options = range(count) if len(choices) * count <= MOST_SCENARIOS else (LEFT_OPEN,)
                choices = [(*chosen, (near, option)) for chosen in choices for option in options]
        return [self.scenario(choice) for choice in choices]

    def scenario(self, choice: tuple[tuple[str, int], ...]) -> CarryScenario:
        """Return the scenario in which some lines carry the chosen enclosures. Cached."""
        if choice not in self.scenarios:
            boxes = {
                key: reduce(box_hull, self.carried[key]) if option == LEFT_OPEN else self.carried[key][option]
                for key, option in choice
            }
            self.scenarios[choice] = CarryScenario(self.likeliest.values | boxes)
        return self.scenarios[choice]

    def adjacent_written_lines(self, key: str) -> set[str]:
        """Return the written lines right before a line: no other written line is between."""
        lines: set[str] = set()
        seen: set[str] = set()
        stack = [key]
        while stack:
            direct = self.uses_of(stack.pop()) - seen
            seen |= direct
            lines |= direct & self.carried.keys()
            stack.extend(direct - self.carried.keys())
        return lines

    def formulas_through_written_lines(self, step: Step) -> list[Node]:
        """Return the formulas of a written step through written lines that its own formula does not name."""
        if step.key not in self.known_through:
            self.known_through[step.key] = (
                formulas_through_lines(self.site(step), self.typed) if step.key in self.typed else []
            )
        return self.known_through[step.key]

    def uses_of(self, key: str) -> frozenset[str]:
        """Return the names in a step's formula, and the written lines that the student may have used instead."""
        entry = self.plan.entries[key]
        through = self.formulas_through_written_lines(entry) if isinstance(entry, Step) else []
        return self.plan.dependencies[key].union(*map(needed, through))

    @cached_property
    def nearest(self) -> dict[str, set[str]]:
        """For each step, the typed lines that it uses, directly or through steps that were not typed."""
        nearest: dict[str, set[str]] = {}
        for key in self.plan.order:
            uses = self.uses_of(key)
            lines = {used for used in uses if used in self.typed}
            nearest[key] = lines.union(*(nearest.get(other, ()) for other in uses - lines))
        return nearest

    @cached_property
    def upstream(self) -> dict[str, set[str]]:
        """For each step, every typed line that it depends on."""
        upstream: dict[str, set[str]] = {}
        for key in self.plan.order:
            upstream[key] = self.nearest[key].union(*(upstream[line] for line in self.nearest[key]))
        return upstream

    def is_broken_before(self, key: str) -> bool:
        """Return whether a line that this one depends on is wrong, or follows from a wrong one."""
        return any(self.lines[line].verdict in ("wrong", "carried") for line in self.back_to_right_lines(key))

    def has_ground(self, key: str) -> bool:
        """Return whether all lines that this one depends on show work."""
        return self.groundless.isdisjoint(self.back_to_right_lines(key))

    def back_to_right_lines(self, key: str) -> set[str]:
        """Return the judged lines that a step depends on. Lines before one with the right numbers do not matter."""
        lines: set[str] = set()
        stack = [key]
        while stack:
            nearer = (self.nearest[stack.pop()] & self.lines.keys()) - lines
            stack.extend(nearer - self.right_lines)
            lines |= nearer
        return lines

    def site(self, step: Step) -> StepAnalysis:
        """Return the analysis of a step that mistakes are applied to."""
        if self.sites is None:
            return step_analysis(self.plan, step, self.problem.columns)
        if step.key not in self.sites:
            self.sites[step.key] = StepAnalysis(self.plan, step, self.problem.columns)
        return self.sites[step.key]

    def step(self, site: StepAnalysis) -> Step | None:
        """Return the script's own step of a site; the site may belong to a plan with other numbers."""
        return self.parts[site.step.key].plan.step(site.step.name)

    def behind(self, key: str) -> frozenset[str]:
        """Return a key and all that it depends on. Cached."""
        if key not in self.known_behind:
            self.known_behind[key] = frozenset(self.plan.ancestors(key))
        return self.known_behind[key]

    def worked(
        self,
        key: str,
        boxes: Source,
        working: IntermediateRounding,
        nodes: tuple[Node, ...] = (),
        positive: frozenset[tuple[str, Where]] = frozenset(),
    ) -> Box:
        """Calculate a given or an unwritten step; where there are `nodes`, by these formulas instead of its own."""
        entry = self.plan.entries[key]
        if isinstance(entry, Given):
            given_box = self.given(entry, lambda k: boxes(k, working))
            return given_box if working.program is None else working.program.store(given_box)
        working = self.working_of(key, working)
        box = self.hull_of_orders(entry, nodes, lambda k: boxes(k, working), working)
        if entry.given or isinstance(entry.node, op.Ref) or working.habit == "full":
            return box
        return [
            [rounded_on_scratch_paper(cell, working, (key, (i, j)) in positive) for j, cell in enumerate(row)]
            for i, row in enumerate(box)
        ]

    def working_of(self, key: str, working: IntermediateRounding) -> IntermediateRounding:
        """Return how a step is worked out; a written line, worked out again, is kept to its own digits."""
        if key not in self.lines:
            return working
        return working._replace(digits=self.lines[key].reading.working)  # type: ignore[union-attr]

    def hull_of_orders(
        self, step: Step, nodes: tuple[Node, ...], values: Callable[[str], Box], working: IntermediateRounding
    ) -> Box:
        """Return the hull of the results of equal orders of a step; orders with an unbounded result are left out."""
        boxes = [evaluate(node, values, working) for node in nodes if node is not step.node]
        bounded = [box for box in boxes if all(cell is not None for row in box for cell in row)]
        default_boxes = [evaluate(step.node, values, working)] if step.node in nodes or not bounded else []
        return reduce(box_hull, default_boxes + bounded)

    def given(self, entry: Given, boxes: Callable[[str], Box]) -> Box:
        """Calculate a given; its formula may use earlier givens, and steps of earlier parts."""
        if isinstance(entry.node, op.Literal):
            if entry.key not in self.literals:
                self.literals[entry.key] = from_matrix(self.plan.literals.matrix(entry.node))
            box = self.literals[entry.key]
        else:
            box = evaluate(entry.node, boxes)
        if not self.problem.rounded_givens or entry.texts is None:
            return box
        return [
            [_widened(cell, text) for cell, text in zip(row, texts, strict=True)]
            for row, texts in zip(box, entry.texts, strict=True)
        ]

    def right(self, key: str, working: IntermediateRounding = FULL) -> Box:
        """Return a right line in full."""
        entry = self.plan.entries[key]
        if isinstance(entry, Given):
            return self.worked(key, self.right, working)
        if self.problem.rounded_givens:
            return self.uncertain_right(key, working)
        if key not in self.rights:
            self.rights[key] = from_matrix(self.true.enclosure(key, PRECISION))
        return self.rights[key]

    def uncertain_right(self, key: str, working: IntermediateRounding) -> Box:
        """Return a right line by givens that are rounded, after all that it needs, in the order of the plan."""
        missing: dict[tuple[str, IntermediateRounding, bool], None] = {}
        stack = [(key, working)]
        while stack:
            near, near_working = stack.pop()
            tag = (near, near_working, near in self.lines)
            if tag not in self.uncertain_rights and tag not in missing:
                missing[tag] = None
                before_working = self.working_of(near, near_working)
                stack += [(before, before_working) for before in self.plan.dependencies[near]]
        for tag in sorted(missing, key=lambda tag: self.plan.order[tag[0]]):
            self.uncertain_rights[tag] = self.worked(tag[0], self.right, tag[1])
        return self.uncertain_rights[key, working, key in self.lines]

    def printed_values(self, key: str) -> Box:
        """Return a line as printed on paper; a step that was not written down is calculated from these
        numbers in full.
        """
        if key not in self.paper:
            for before in self.plan.unknown_before(key, self.paper.__contains__):
                self.printed_values(before)
            entry, line = self.plan.entries[key], self.lines.get(key)
            box = self.given(entry, self.printed_values) if isinstance(entry, Given) else self.on_paper(entry)
            typed = line.reading.values if line and line.reading else {}
            self.paper[key] = [
                [(typed[i, j],) * 2 if (i, j) in typed else cell for j, cell in enumerate(row)]
                for i, row in enumerate(box)
            ]
        return self.paper[key]

    def recalculated(self, base: Callable[[str], Box], changed: dict[str, Box], fixed: Container[str], key: str) -> Box:
        """Return a step in full after other steps were `changed`; it is added to these.

        Steps that are `fixed` or do not depend on a changed one have the values of `base`.
        """
        if key not in changed:

            def is_known(k: str) -> bool:
                return k in changed or k in fixed or changed.keys().isdisjoint(self.behind(k))

            if is_known(key):
                return base(key)
            for before in self.plan.unknown_before(key, is_known):
                self.recalculated(base, changed, fixed, before)
            changed[key] = evaluate(self.plan.entries[key].node, partial(self.recalculated, base, changed, fixed))
        return changed[key]

    def expected(self, step: Step, scenario: CarryScenario) -> Box:
        """Calculate a line from the student's lines in a scenario."""
        if step.key not in scenario.expected:
            scenario.expected[step.key] = self.calculate(step.node, scenario)
        return scenario.expected[step.key]

    def calculate(self, node: Node, scenario: CarryScenario) -> Box:
        """Return a formula in full, calculated from the student's lines in a scenario."""
        student_source = StudentValues(self, scenario)
        return evaluate(node, lambda key: student_source(key, FULL))

    def on_paper(self, step: Step) -> Box:
        """Calculate a line from the numbers on paper."""
        if step.key not in self.by_prints:
            self.by_prints[step.key] = evaluate(step.node, self.printed_values)
        return self.by_prints[step.key]

    def point_expectations(self, step: Step) -> tuple[Box, Box]:
        """Return what a line should be by the numbers on the paper, and by the right ones."""
        return self.on_paper(step), self.right(step.key)


class StudentValues:
    """The boxes of the student's lines in a scenario, and of steps that were not written down, memoised by working.

    Lines in `again` are calculated anew. `equal_orders` holds equal formulas of steps that were not written
    down, `other_formulas` those that come to other values. A class rather than a recursive closure, which would form a
    reference cycle.
    """

    def __init__(
        self,
        context: MarkingContext,
        scenario: CarryScenario,
        again: frozenset[str] = frozenset(),
        equal_orders: FormulaChoices = (),
        other_formulas: FormulaChoices = (),
    ):
        self.context = context
        self.scenario = scenario
        self.again = again
        self.equal_orders = equal_orders
        self.other_formulas = other_formulas

    def __call__(self, key: str, working: IntermediateRounding) -> Box:
        context, values, unwritten = self.context, self.scenario.values, self.scenario.unwritten
        if self.is_carried(key):
            return values[key] if working.program is None else self.as_stored_by_program(key, values[key], working)
        tag, nodes = self.tag_and_formulas(key, working)
        if tag not in unwritten:
            self.settle_before(key, working)
            unwritten[tag] = context.worked(key, self, working, nodes, self.scenario.positive)
        return unwritten[tag]

    def is_carried(self, key: str) -> bool:
        return key in self.scenario.values and key not in self.again

    def is_known(self, key: str, working: IntermediateRounding) -> bool:
        """Return whether a value needs no other steps."""
        if self.is_carried(key):
            stored = ("stored", (), key, working) in self.scenario.unwritten
            return stored or working.program is None or not self.was_read_by_hand(key)
        return self.tag_and_formulas(key, working)[0] in self.scenario.unwritten

    def settle_before(self, key: str, working: IntermediateRounding) -> None:
        """Calculate the steps that a step needs, in the order of the plan, so that none needs a deep recursion."""

        def uses(k: str) -> frozenset[str]:
            return self.uses(k, working)

        for before in self.context.plan.unknown_before(key, lambda k: self.is_known(k, working), uses):
            self(before, working)

    def uses(self, key: str, working: IntermediateRounding) -> frozenset[str]:
        """Return the keys that a step's formula uses, or those that the formulas use by which it is worked out."""
        nodes = self.tag_and_formulas(key, working)[1]
        return frozenset().union(*map(needed, nodes)) if nodes else self.context.plan.dependencies[key]

    def was_read_by_hand(self, key: str) -> bool:
        """Return whether an accepted line was read as one that a person wrote."""
        line = self.context.lines.get(key)
        return line is not None and line.accepted is not None and line.accepted.reading.program is None

    def tag_and_formulas(
        self, key: str, working: IntermediateRounding
    ) -> tuple[tuple[str, FormulaChoices, str, IntermediateRounding], tuple[Node, ...]]:
        """Return under what a value is kept, and the formulas that it is worked out by instead of its own."""
        context = self.context
        anew = ",".join(sorted(self.again & (context.upstream[key] | {key}))) if self.again else ""
        others = self.other_formulas if working is FULL else (*self.equal_orders, *self.other_formulas)
        changed = tuple(choice for choice in others if choice[0] in context.behind(key))
        return (anew, changed, key, working), dict(changed).get(key, ())

    def as_stored_by_program(self, key: str, box: Box, working: IntermediateRounding) -> Box:
        """Return the value that a program carries of a line printed in few digits: −0.09999999999999999 for −0.1."""
        tag, unwritten = ("stored", (), key, working), self.scenario.unwritten
        if not self.was_read_by_hand(key):
            return box
        if tag not in unwritten:
            self.settle_before(key, working)
            enclosure = evaluate(self.context.lines[key].step.node, lambda k: self(k, working), working)
            bounded = all(cell is not None for row in enclosure for cell in row)
            unwritten[tag] = box_hull(box, enclosure) if bounded else box
        return unwritten[tag]


def _logarithms(node: Node) -> list[Node]:
    logarithms = [logarithm for part in node.args for logarithm in _logarithms(part)]
    return [node, *logarithms] if isinstance(node, op.Log) else logarithms


def rounded_on_scratch_paper(cell: Interval, working: IntermediateRounding, positive: bool) -> Interval:
    """Return an entry of an omitted step with the decimals of scratch paper; a `positive` one is not kept as 0."""
    rounded = working.keep(cell, as_line=True)
    if not positive or rounded is None or cell is None or not cell[0] > 0:
        return rounded
    low, high = kept_of(cell)
    return most((rounded[0], low)), least((rounded[1], high))


def _widened(cell: Interval, text: str) -> Interval:
    """Return the enclosure of a given that was rounded when it was printed: half a unit of its last digit either way.

    Whole numbers are exact.
    """
    places = len(text.partition(".")[2]) if "." in text and text.replace(".", "").lstrip("+-").isdigit() else 0
    if not places or cell is None:
        return cell
    half = 1 / fmpq(2 * power_of_ten(places))
    return cell[0] - half, cell[1] + half

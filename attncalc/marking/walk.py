"""A script line by line, in the plan's order: what each line was worked out from, and whether it follows.

Rule R7: a line is held against the student's own lines, the right lines, and the student's lines with the line before
worked out again; any one suffices. The first line that follows from none of them is where the work broke.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from flint import ctx, fmpq

from ..arithmetic.intervals.intermediate_rounding import FULL, IntermediateRounding
from ..arithmetic.intervals.interval_evaluator import evaluate
from ..arithmetic.intervals.scalar import Box, has_decimals, provably_differ
from ..formula.typed_formula import Where
from ..mistakes.catalogue import applicable_mistakes, catalogue
from ..mistakes.mistake import Pairs
from ..mistakes.step_analysis import StepAnalysis
from ..plan import Step
from ..problem.problem import Problem
from ..submissions.step_matching import Bound, Filled
from .informativeness import selects_rows_or_columns
from .legality import LegalDerivation, Refutation, enclosure_after_wrong_line, entry_is_compatible, line_is_compatible
from .line import CarryScenario, Line, Source
from .precision import HABITS, Reading, as_exact, at_working_precision, readings, zeros
from .sources import PRECISION
from .sure import Sure
from .unseen import is_softmax, softmax_axes, unmasked_cells
from .uses import is_index_valued

FEW = 4  # at most every fourth entry may be one unit off


@dataclass(slots=True)
class Memory:
    """What the scripts of one problem have in common: lines and their causes, by what they and all lines before them
    say.
    """

    lines: dict[tuple[object, ...], tuple[Line, Sequence[Box], Sequence[Box] | None]] = field(default_factory=dict)
    causes: dict[tuple[object, ...], list[Any]] = field(default_factory=dict)
    choices: dict[int, Memory] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """How many lines are remembered."""
        return len(self.lines) + sum(memory.size for memory in self.choices.values())

    def of_choice(self, number: int) -> Memory:
        """That of one choice of what the problem accepts."""
        return self.choices.setdefault(number, Memory())


class ScriptMarker(Sure):
    """Marker of a script: all its lines, each with its verdict."""

    def __init__(
        self, problem: Problem, bound: Bound, sites: dict[str, StepAnalysis] | None = None, memory: Memory | None = None
    ):
        super().__init__(problem, bound, sites)
        self.memory = memory
        self.unexplained = 0  # wrong lines for which no cause was found

    def run(self) -> None:
        """Goes through all lines, in the order of the plan."""
        with ctx.workprec(PRECISION):
            for key in self.plan.order:
                if key in self.typed:
                    self.lines[key] = self.remembered(key)

    def release(self) -> None:
        """Break reference cycles so that memory is freed without the cyclic collector."""
        vars(self).clear()

    def remembered(self, key: str) -> Line:
        """A line, as in an earlier script of the class that is the same up to it."""
        if self.memory is None:
            return self.line(self.typed[key])
        if (tag := self.memo_key(key)) not in self.memory.lines:
            self.memory.lines[tag] = self.line(self.typed[key]), self.carried[key], self.around(key)
        line, boxes, around = self.memory.lines[tag]
        self.hold(key, boxes, around)
        return replace(line, filled=self.typed[key])

    def memo_key(self, key: str) -> tuple[object, ...]:
        """Return the texts of a line and of all lines that it depends on."""
        return (self.bound.script.computed, *(self.line_texts[k] for k in (key, *sorted(self.before(key)))))

    @cached_property
    def line_texts(self) -> dict[str, tuple[object, ...]]:
        """The texts of each typed line."""
        return {key: (key, f.computed, *((at, c.text) for at, c in f.cells.items())) for key, f in self.typed.items()}

    def softmax_axes_of_users(self, step: Step) -> tuple[str, ...]:
        """Return the axes of a step along which weights are taken: rows, columns, or none that is known."""
        users = (user_step.node for user_step in self.plan.steps() if step.key in self.plan.dependencies[user_step.key])
        return tuple(sorted({axis for node in users for axis in softmax_axes(node, step.key)}))

    def ways(self, line: Line) -> list[Reading]:
        """The ways to read a line."""
        filled, step, rounding = line.filled, line.step, line.part.rounding
        ways = readings(
            filled.cells,
            rounding.digits if line.part.rounding_stated else None,
            filled.computed or self.bound.script.computed,
        )
        if line.is_index_valued:
            ways = [as_exact(ways[0])]  # R1b: another one is wrong, however near its number
        options: dict[str, Any] = {}
        if step.key not in self.logarithms:
            options["scores"] = self.softmax_axes_of_users(step) or (
                "rows",
                "columns",
            )  # where −∞ stands, it hides a score
        if is_softmax(step):
            options["weights"] = True
        return [replace(reading, **options) for reading in ways] if options else ways

    def with_unmasked_cells(self, line: Line, ways: list[Reading]) -> list[Reading]:
        """Return the readings of a line with the masked entries that hold their own score."""
        if not line.filled.cells or line.step.node.operation not in ("keep", "add"):
            return ways
        return [
            replace(reading, shown=unmasked_cells(line.step.node, reading, self.printed_values)) for reading in ways
        ]

    def line(self, filled: Filled) -> Line:
        """The verdict on one line."""
        step, part = filled.step, self.parts[filled.step.key]
        line = Line(step, part, filled, is_index_valued=is_index_valued(step.node, self.plan))
        ways = self.ways(line)
        line.reading, line.readings = ways[0], ways
        if filled.cells and self.accept_if_exact_match(line, ways):
            return line
        ways = self.with_unmasked_cells(line, ways)
        line.reading, line.readings = ways[0], ways
        if not filled.cells:
            line.verdict = "missing"
            return line
        worlds = self.worlds_of(line)
        tried = [self.accepted_in(world, line, ways) for world in worlds]
        legal = [
            (world, derivation)
            for world, derivation in zip(worlds, tried, strict=True)
            if isinstance(derivation, LegalDerivation)
        ]
        broken = self.is_broken_before(step.key)
        if legal:
            with self.within(legal[0][0]):
                self.record_acceptance(line, legal[0][1], self.judged(line, ways, legal[0][1], broken))
            self.keep(step.key, self.kept(line, ways, [self.student_sources(world, line.step) for world, _ in legal]))
            return line
        if self.is_by_convention(line, ways, worlds):
            return line
        nearest = min(zip(worlds, tried, strict=True), key=lambda attempt: len(attempt[1].cells))  # type: ignore[union-attr]
        with self.within(nearest[0]):
            return self.refused(line, ways, broken, nearest[1])  # type: ignore[arg-type]

    def is_by_convention(self, line: Line, ways: list[Reading], worlds: list[CarryScenario]) -> bool:
        """Whether a line follows where a step that was left out went as the problem file accepts it; it is written down
        then.
        """
        for world in worlds:
            with self.within(world):
                for source in self.conventions(line.step):
                    derivation = self.accept(line, ways, source)
                    if isinstance(derivation, LegalDerivation):
                        broken = self.is_broken_before(line.key)
                        self.record_acceptance(line, derivation, self.judged(line, ways, derivation, broken))
                        self.keep(line.key, self.kept(line, ways, [[source]]))
                        return True
        return False

    def record_acceptance(self, line: Line, derivation: LegalDerivation, verdict: str) -> None:
        """Record an accepted line, and whether it is uninformative."""
        line.accepted, line.reading, line.verdict = derivation, derivation.reading, verdict
        coarse, splits = (
            derivation.reading.digits < derivation.reading.working,
            derivation.reading.has_coarse_entries,
        )  # in every entry, in some
        unfounded = self.follows_no_answer(line)
        if (coarse or splits or unfounded) and (derivation.weak or not self.is_complete(line)):
            empty = unfounded or splits and zeros(derivation.reading)
            alike = splits and (
                coarse and selects_rows_or_columns(derivation.reading) or self.is_ambiguous_with_mistake(line)
            )
            line.is_uninformative = empty or coarse and derivation.weak or alike
            if line.is_uninformative:
                line.verdict = "missing" if empty else "too_coarse"  # zeros for what is not 0 are no answer at all

    def is_complete(self, line: Line) -> bool:
        """Whether a coarse line is right to the working decimals too: only zeros were left out behind its numbers."""
        fine = at_working_precision(line.reading)  # type: ignore[arg-type]
        paper, right = self.point_expectations(line)
        accepted: Box = line.accepted.box  # type: ignore[union-attr]
        boxes = [right] if self.follows_no_answer(line) else [paper, right, accepted]
        return any(line_is_compatible(fine, habit, box) for box in boxes for habit in fine.habits)

    def is_so_on_paper(self, line: Line, complete: Reading) -> bool:
        """Whether a line without more decimals is what follows from the numbers on the paper, or right."""
        return any(
            line_is_compatible(complete, habit, box)
            for box in self.point_expectations(line)
            for habit in complete.habits
        )

    def follows_no_answer(self, line: Line) -> bool:
        """Whether a line of zeros follows from zeros that are wrong or count as not answered."""
        behind = (self.lines[k] for k in self.upstream[line.key] if k in self.lines)
        return zeros(line.reading) and any(
            earlier.verdict in ("missing", "wrong", "carried") and zeros(earlier.reading) for earlier in behind
        )

    def refused(self, line: Line, ways: list[Reading], broken: bool, tried: Refutation) -> Line:
        """A line that does not follow from the lines as typed."""
        outcome, verdict, sources = self.try_follow_through(line, ways, broken, tried)
        if isinstance(outcome, LegalDerivation):
            self.record_acceptance(line, outcome, verdict)
            self.keep(line.key, self.kept(line, ways, [sources]))
            return line
        line.refused, line.reading, line.cells, line.verdict = outcome, outcome.reading, outcome.cells, verdict
        otherwise = self.expected(line.step)
        exact = all(has_decimals(cell, outcome.reading.digits) for row in otherwise for cell in row)
        self.keep(line.key, [enclosure_after_wrong_line(outcome.reading, otherwise, verdict == "wrong" and not exact)])
        return line

    def is_ambiguous_with_mistake(self, line: Line) -> bool:
        """Whether a mistake of the catalogue, worked out from the numbers on the paper, would print the same coarse
        line (R1c).
        """
        reading, site = line.reading, self.site(line.step)
        assert reading is not None
        rights = [self.on_paper(line.step), *(evaluate(node, self.printed_values) for node in self.allowed(line.step))]
        for mistake in applicable_mistakes(site):
            for node in mistake.nodes(site):
                box = evaluate(node, self.printed_values)
                if any(line_is_compatible(reading, habit, box) for habit in reading.habits) and all(
                    any(map(provably_differ, box, right)) for right in rights
                ):
                    return True
        return False

    def pairs(self, site: StepAnalysis) -> Pairs:
        """Two mistakes within a step."""
        if site.pairs is None:
            site.pairs = Pairs(site, list(catalogue().values()))
        pairs: Pairs = site.pairs
        return pairs

    def judged(self, line: Line, ways: list[Reading], accepted: LegalDerivation, broken: bool) -> str:
        """The verdict on a line that was accepted; where it follows from wrong ones (`broken`), it is carried unless
        its value is right all the same, and its digits are judged as any other's.
        """
        line.digit_verdict = self.digit_verdict(line, accepted)
        if broken and any(reading.coarse for reading in ways) and not self.is_so_on_paper(line, ways[0]):
            line.digit_verdict = "too_coarse"  # a coarse line that is wrong leaves room for any digits behind it
        return "carried" if broken and not self.near_right(line, ways) else line.digit_verdict

    def near_right(self, line: Line, ways: list[Reading]) -> bool:
        """Whether a line that follows from wrong ones is right in value all the same, within a unit of its
        last digit.
        """
        tried = self.accept(line, ways, self.source("right"))
        near = isinstance(tried, LegalDerivation) or (
            not (tried.reading.has_coarse_entries and zeros(tried.reading))
            and all(self.within_a_unit(tried, at) for at in tried.reading.values)
        )  # zeros for 0.9 are no near miss
        return near or isinstance(self.accept(line, ways, self.source("printed")), LegalDerivation)

    def within_a_unit(self, refused: Refutation, at: Where) -> bool:
        """Whether an entry is at most one unit of its last digit off; where there is nothing to round, not even
        that. Of a coarse line a unit is much: some habit must print its entry.
        """
        reading = refused.reading
        if reading.has_coarse_entries:
            return any(entry_is_compatible(reading, habit, refused.box, at) for habit in HABITS)
        slack = fmpq(0) if has_decimals(refused.box[at[0]][at[1]], reading.digits) else fmpq(1)
        return entry_is_compatible(reading, "round", refused.box, at, slack)

    def try_follow_through(
        self, line: Line, ways: list[Reading], broken: bool, tried: Refutation
    ) -> tuple[LegalDerivation | Refutation, str, list[Source]]:
        """Return the outcome, verdict and sources of a line that does not follow from the lines as typed: from the
        right lines, or from the lines before, calculated again.
        """
        if right := self.from_right(line, ways):
            return right[0], self.digit_verdict(line, right[0]), right[1]
        direct = frozenset(k for k in self.plan.dependencies[line.step.key] if k in self.carried_values)
        if broken or any(self.lines[k].verdict == "last_digit" for k in direct):
            source = self.source("own", direct)
            if again := self.follows(line, ways, source):
                return again, self.judged(line, ways, again, broken), [source]
        box = self.with_typed_maximum(line.step, line.step.node, self.expected(line.step), self.source("own"), FULL)
        if all(
            entry_is_compatible(tried.reading, "round", box, at) or entry_is_compatible(tried.reading, "cut", box, at)
            for at in tried.reading.values
        ):
            # Some cut, others rounded
            line.digit_verdict = "truncated"
            if tried.reading.coarse:  # each entry may then be either of two whole numbers
                line.digit_verdict, line.is_uninformative = "too_coarse", True
                return tried, "too_coarse", [self.source("own")]
            follows = broken and not self.near_right(line, ways)
            return tried, "carried" if follows else "truncated", [self.source("own")]
        is_informative = not tried.reading.has_coarse_entries and any(
            tried.reading.units.values()
        )  # else a unit is everything
        # Else there is nothing to round
        rounded = is_informative and not any(has_decimals(box[i][j], tried.reading.digits) for i, j in tried.cells)
        if not (rounded and self.one_unit_off(line, tried)):
            return tried, "wrong", [self.source("own")]
        return tried, "last_digit" if not broken or self.near_right(line, ways) else "carried", [self.source("own")]

    def one_unit_off(self, line: Line, refused: Refutation) -> bool:
        """Few entries fail, each by no more than one unit of its last digit against the numbers on the paper or the
        right ones.
        """
        count = len(refused.reading.values)
        if len(refused.cells) > max(1, min(count - 1, max(2, count // FEW))):
            return False
        paper, right = self.point_expectations(line)
        # Not some entries by one and some by the other
        ways = (paper, refused.cells), (right, list(refused.reading.values))
        return any(
            all(entry_is_compatible(refused.reading, "round", box, at, fmpq(1)) for at in cells) for box, cells in ways
        )

    def digit_verdict(self, line: Line, accepted: LegalDerivation) -> str:
        """Return right, truncated (cut although rounding is asked) or too_coarse."""
        if accepted.reading.coarse:
            return "too_coarse"
        if accepted.habit == "round" or line.part.rounding.mode == "truncate":
            return "right"
        reading = accepted.reading
        cut = (
            all(
                entry_is_compatible(reading, "round", box, at) or entry_is_compatible(reading, accepted.habit, box, at)
                for at in reading.values
            )
            for box in self.point_expectations(line)
        )
        if not any(cut) or self.is_rounded(line, reading):
            return "right"  # something on the way was cut or rounded, not the line
        return "truncated"

    def is_rounded(self, line: Line, reading: Reading) -> bool:
        """Whether the line comes of rounding alone: of constants and of what is not written down, by a certain hand
        that starts from the numbers on the paper, or of steps that were left out, each rounded as a line is.
        """
        kept = reading.working
        hands = IntermediateRounding(kept, constants=kept), IntermediateRounding(kept, "round", exactly=True)
        paper = self.routes(line.step, lambda key, working: self.printed_values(key))
        if any(line_is_compatible(reading, "round", box) for working in hands for box in paper.boxes(working)):
            return True
        enclosures = self.routes(line.step, self.source("own"))
        left_out = self.unwritten_behind(line.key)
        return bool(left_out) and any(
            line_is_compatible(reading, "round", box) for box in enclosures.boxes(IntermediateRounding(kept, "round"))
        )

    def point_expectations(self, line: Line) -> tuple[Box, Box]:
        """Return what a line should be by the numbers on the paper, and by the right ones."""
        return self.on_paper(line.step), self.right(line.key, FULL, False)

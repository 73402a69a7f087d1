"""Accepted answers of each answer field: the right number, the stepwise rounded number, an inexact last digit, and
recognisable mistakes.

With u the unit of the last required digit, a field accepts, in this order: the right number R within u/2, the number P
of stepwise rounding within u/2, and R within u for the method's share. Then follow the numbers of mistakes within u/2,
if they differ from R and P by more than u. The first range that contains a number counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache

from flint import ctx

from ..api import solve
from ..arithmetic.intervals.decimals import prints, texts
from ..arithmetic.intervals.evaluator import evaluate
from ..arithmetic.intervals.scalar import Box
from ..certified_decimals import Printer
from ..errors import AttncalcError, counted
from ..formula.typed_formula import Node
from ..generator.numeric_view import BITS, NumericView
from ..marking.credit import points_of
from ..mistakes.catalogue import catalogue, nodes_of
from ..mistakes.mistake import Mistake
from ..plan import Step
from ..problem.problem import METHOD, Part, Problem
from ..step_values import Values
from .quiz import AcceptedAnswer, Blank

MOST_BLANKS = 2_000
MOST_MISTAKES = 6  # per answer field
MOST_ALIKE = 2  # mistakes that share a number and are still reported
INFINITE = ("-inf", "inf")
LAST_DIGIT = "The method is right, the last digit is not."
ONE_OF = "One of these: "


class AcceptedAnswers:
    """The answer fields of a problem's steps, with their accepted answers."""

    def __init__(self, problem: Problem):
        self.problem = problem
        self.view = NumericView(problem)
        self.values = Values(problem.plan)
        self.paper_parts = {solved.name: solved for solved in solve(problem, paper=True).parts}
        self.count = 0

    def of(self, part: Part, step: Step) -> tuple[Blank, ...]:
        """Return the answer fields of a step, which share its points equally. Raises AttncalcError if a quiz has too
        many.
        """
        cells = _cells(part, step)
        worth = points_of(part).get(step.name, Fraction(0))
        if not cells or not worth:
            return ()
        self.count += len(cells)
        if self.count > MOST_BLANKS:
            raise AttncalcError(
                f"{counted(self.count, 'answer field')} and more are too many for a quiz; name the steps that you "
                "want under asked:"
            )
        rounding = part.rounding
        right = [
            Printer(self.values, step, rounding.digits, mode).decimals().texts
            for mode in dict.fromkeys((rounding.mode, "half_up"))
        ]
        wrong = self.mistake_tables(part, step)
        tables = [*right, self.stepwise_values(part, step), *self.convention_values(part, step)]
        return tuple(self.blank(part, (i, j), worth / len(cells), [t[i][j] for t in tables], wrong) for i, j in cells)

    def blank(
        self, part: Part, at: tuple[int, int], points: Fraction, right: list[str], wrong: list[MistakeTable]
    ) -> Blank:
        """Return the field of one entry; `right` are the numbers with full points, the first rounded as the
        sheet asks.
        """
        if right[0] in INFINITE:
            return Blank(*at, points, word=right[0])
        unit = Fraction(1, 10**part.rounding.digits)
        by_value: dict[Fraction, str] = {}
        for text in filter(_is_number, right):
            by_value.setdefault(Fraction(text), text)
        answers = [AcceptedAnswer(text, unit / 2, Fraction(1)) for text in by_value.values()]
        answers.append(AcceptedAnswer(answers[0].text, unit, METHOD, LAST_DIGIT))
        answers += _recognisable_mistakes(at, wrong, list(by_value), unit)
        return Blank(*at, points, tuple(answers))

    def stepwise_values(self, part: Part, step: Step) -> list[list[str]]:
        """Return the step's numbers if every earlier step was rounded too; `?` for those that are undecided."""
        try:
            return self.paper_parts[part.name][step.name].printed(part.rounding.digits).texts
        except AttncalcError:
            return [["?"] * step.shape[1]] * step.shape[0]

    def convention_values(self, part: Part, step: Step) -> list[list[list[str]]]:
        """Return a table of the step's numbers for each convention that `accept` allows, one convention at a time."""
        tables = []
        for key in self.problem.plan.ancestors(step.key):
            entry = self.problem.plan.entries[key]
            if isinstance(entry, Step) and not entry.given:
                nodes = nodes_of(self.accepted_codes(part), self.view.site(entry))
                tables += [
                    prints(self.enclosure_with_mistake(step, entry, node), self.view.digits(step)) for node in nodes
                ]
        return tables

    def accepted_codes(self, part: Part) -> dict[str, None]:
        """Return the codes of mistakes that count as conventions in a part, in order."""
        return dict.fromkeys((*self.problem.accept, *part.accept))

    def mistake_tables(self, part: Part, step: Step) -> list[MistakeTable]:
        """Return the step's numbers for each mistake in this step, or in an earlier step that the student does not hand
        in.
        """
        asked = {f"{part.name}.{request.step}" if part.name else request.step for request in part.asked}
        tables = []
        for key in self.problem.plan.ancestors(step.key):
            entry = self.problem.plan.entries[key]
            if (
                isinstance(entry, Step)
                and not entry.given
                and (key == step.key or not self.is_reported_earlier(key, step.key, asked))
            ):
                site = self.view.site(entry)
                for mistake in catalogue().values():
                    if mistake.code not in self.accepted_codes(part):
                        tables += [(mistake, self.printed_values(step, entry, node)) for node in mistake.nodes(site)]
        return tables

    def printed_values(self, step: Step, entry: Step, node: Node) -> list[list[str]]:
        """Return the step's printed numbers if `entry` has the mistaken formula `node`; `?` for those that are
        undecided.
        """
        box, digits = self.enclosure_with_mistake(step, entry, node), self.view.digits(step)
        return texts(self.view.decide_units(node, box, digits), digits) if entry is step else prints(box, digits)

    def is_reported_earlier(self, key: str, target: str, asked: set[str]) -> bool:
        """Return whether every path from `key` to `target` contains an asked step, which reports the mistake."""
        plan = self.problem.plan

        @cache
        def reaches_unasked(name: str) -> bool:
            return name == key or any(
                reaches_unasked(source) for source in plan.dependencies[name] if source not in asked
            )

        return key in asked or not reaches_unasked(target)

    def enclosure_with_mistake(self, step: Step, site: Step, node: Node) -> Box:
        """Return the enclosure of a step if the step `site` has the mistaken formula `node`."""
        plan, enclosures = self.problem.plan, {}

        def enclosure(key: str) -> Box:
            if key not in enclosures:
                is_affected = site.key in plan.ancestors(key)
                formula = node if key == site.key else plan.entries[key].node
                enclosures[key] = (
                    evaluate(formula, self.view.full if key == site.key else enclosure)
                    if is_affected
                    else self.view.full(key)
                )
            return enclosures[key]

        with ctx.workprec(BITS):
            return enclosure(step.key)


MistakeTable = tuple[Mistake, list[list[str]]]


def _cells(part: Part, step: Step) -> list[tuple[int, int]]:
    """Return the asked entries of a step as (row, column), without duplicates."""
    cells: dict[tuple[int, int], None] = {}
    for request in part.asked:
        if request.step == step.name:
            rows = range(step.shape[0]) if request.rows is None else request.rows
            columns = range(step.shape[1]) if request.columns is None else request.columns
            cells |= dict.fromkeys((i, j) for i in rows for j in columns)
    return sorted(cells)


def _recognisable_mistakes(
    at: tuple[int, int], wrong: list[MistakeTable], right_values: list[Fraction], unit: Fraction
) -> Iterator[AcceptedAnswer]:
    """Yield an answer for each number of this entry that at most MOST_ALIKE mistakes produce, the most common first."""
    by_text: dict[str, dict[str, Mistake]] = {}
    for mistake, table in wrong:
        text = table[at[0]][at[1]]
        if _is_number(text) and all(abs(Fraction(text) - value) > unit for value in right_values):
            by_text.setdefault(text, {})[mistake.code] = mistake
    candidates = [(text, list(known.values())) for text, known in by_text.items() if len(known) <= MOST_ALIKE]
    candidates.sort(key=lambda item: (-sum(m.weight for m in item[1]), item[0]))
    for text, mistakes in candidates[:MOST_MISTAKES]:
        feedback = " / ".join(f"{m.done} {m.advice} ({m.code})" for m in mistakes)
        yield AcceptedAnswer(text, unit / 2, Fraction(0), feedback if len(mistakes) == 1 else ONE_OF + feedback)


def _is_number(text: str) -> bool:
    return text not in ("?", *INFINITE)

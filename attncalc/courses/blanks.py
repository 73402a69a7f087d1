"""What each blank accepts: the right number, the one that rounding step by step gives, the last digit, and mistakes by
their numbers.

With u the unit of the last digit that is asked for: the right number R within u/2 (what is typed more exactly passes
too), the number P of working with rounded steps within u/2, R within u for the method's share, then each number that a
mistake gives, more than u away from R and P, within u/2. So the ranges of different shares overlap in nothing but what
an earlier one has taken already.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache

from flint import ctx

from ..api import solve
from ..arithmetic.cells import Box
from ..arithmetic.interval import evaluate
from ..arithmetic.prints import prints, texts
from ..decimals import Printer
from ..errors import AttncalcError, counted
from ..formula.node import Node
from ..generator.view import BITS, View
from ..mark.marks import points_of
from ..mistakes.catalogue import catalogue, nodes_of
from ..mistakes.model import Mistake
from ..plan import Step
from ..problem.model import METHOD, Part, Problem
from ..values import Values
from .model import Accepted, Blank

MOST_BLANKS = 2_000
MOST_MISTAKES = 6  # of one blank
MOST_ALIKE = 2  # mistakes that one number may stand for and still be told
INFINITE = ("-inf", "inf")
LAST_DIGIT = "The method is right, the last digit is not."
ONE_OF = "One of these: "


class Blanks:
    """The blanks of a problem's steps."""

    def __init__(self, problem: Problem):
        self.problem = problem
        self.view = View(problem)
        self.values = Values(problem.plan)
        self.on_paper = {solved.name: solved for solved in solve(problem, paper=True).parts}
        self.count = 0

    def of(self, part: Part, step: Step) -> tuple[Blank, ...]:
        """The asked cells of a step, each with its share of the points. Raises AttncalcError where there
        are too many.
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
        how = part.rounding
        right = [
            Printer(self.values, step, how.digits, mode).decimals().texts
            for mode in dict.fromkeys((how.mode, "half_up"))
        ]
        wrong = self.mistaken(part, step)
        tables = [*right, self.paper(part, step), *self.conventions(part, step)]
        return tuple(self.blank(part, (i, j), worth / len(cells), [t[i][j] for t in tables], wrong) for i, j in cells)

    def blank(self, part: Part, at: tuple[int, int], points: Fraction, right: list[str], wrong: list[Wrong]) -> Blank:
        """`right` are the numbers that earn all, the first of them as the sheet rounds."""
        if right[0] in INFINITE:
            return Blank(*at, points, word=right[0])
        unit = Fraction(1, 10**part.rounding.digits)
        full: dict[Fraction, str] = {}
        for text in filter(_is_number, right):
            full.setdefault(Fraction(text), text)
        answers = [Accepted(text, unit / 2, Fraction(1)) for text in full.values()]
        answers.append(Accepted(answers[0].text, unit, METHOD, LAST_DIGIT))
        answers += _told(at, wrong, list(full), unit)
        return Blank(*at, points, tuple(answers))

    def paper(self, part: Part, step: Step) -> list[list[str]]:
        """The step where every step before it was rounded too; `?` where that is not decided."""
        try:
            return self.on_paper[part.name][step.name].printed(part.rounding.digits).texts
        except AttncalcError:
            return [["?"] * step.shape[1]] * step.shape[0]

    def conventions(self, part: Part, step: Step) -> list[list[list[str]]]:
        """What the step is by each convention that `accept` allows in place of the sheet's, one at a time."""
        found = []
        for key in self.problem.plan.behind(step.key):
            entry = self.problem.plan.entries[key]
            if isinstance(entry, Step) and not entry.given:
                nodes = nodes_of(self.allowed(part), self.view.site(entry))
                found += [prints(self.with_mistake(step, entry, node), self.view.digits(step)) for node in nodes]
        return found

    def allowed(self, part: Part) -> dict[str, None]:
        """The codes of mistakes that count as conventions in a part, in order."""
        return dict.fromkeys((*self.problem.accept, *part.accept))

    def mistaken(self, part: Part, step: Step) -> list[Wrong]:
        """What the mistakes in this step print, and those in steps before it that the student does not hand in."""
        asked = {f"{part.name}.{one.step}" if part.name else one.step for one in part.asked}
        found = []
        for key in self.problem.plan.behind(step.key):
            entry = self.problem.plan.entries[key]
            if (
                isinstance(entry, Step)
                and not entry.given
                and (key == step.key or not self.told_before(key, step.key, asked))
            ):
                site = self.view.site(entry)
                for mistake in catalogue().values():
                    if mistake.code not in self.allowed(part):
                        found += [(mistake, self.printed(step, entry, node)) for node in mistake.nodes(site)]
        return found

    def printed(self, step: Step, entry: Step, node: Node) -> list[list[str]]:
        """The step's values where another step's formula, or its own, is the mistaken one; `?` where they are open."""
        box, digits = self.with_mistake(step, entry, node), self.view.digits(step)
        return texts(self.view.decided(node, box, digits), digits) if entry is step else prints(box, digits)

    def told_before(self, key: str, target: str, asked: set[str]) -> bool:
        """Whether a step that is asked stands on every way from this one to the target, so that the mistake is told
        there.
        """
        plan = self.problem.plan

        @cache
        def free(one: str) -> bool:
            return one == key or any(free(near) for near in plan.uses[one] if near not in asked)

        return key in asked or not free(target)

    def with_mistake(self, step: Step, site: Step, node: Node) -> Box:
        """The step's values where another step's formula is the mistaken one."""
        plan, held = self.problem.plan, {}

        def boxes(key: str) -> Box:
            if key not in held:
                touched = site.key in plan.behind(key)
                formula = node if key == site.key else plan.entries[key].node
                held[key] = (
                    evaluate(formula, self.view.full if key == site.key else boxes) if touched else self.view.full(key)
                )
            return held[key]

        with ctx.workprec(BITS):
            return boxes(step.key)


Wrong = tuple[Mistake, list[list[str]]]


def _cells(part: Part, step: Step) -> list[tuple[int, int]]:
    """The cells of a step that are asked, each once."""
    found: dict[tuple[int, int], None] = {}
    for one in part.asked:
        if one.step == step.name:
            rows = range(step.shape[0]) if one.rows is None else one.rows
            columns = range(step.shape[1]) if one.columns is None else one.columns
            found |= dict.fromkeys((i, j) for i in rows for j in columns)
    return sorted(found)


def _told(at: tuple[int, int], wrong: list[Wrong], taken: list[Fraction], unit: Fraction) -> Iterator[Accepted]:
    """The mistakes that this cell alone tells apart, the commonest first."""
    by_text: dict[str, dict[str, Mistake]] = {}
    for mistake, printed in wrong:
        text = printed[at[0]][at[1]]
        if _is_number(text) and all(abs(Fraction(text) - value) > unit for value in taken):
            by_text.setdefault(text, {})[mistake.code] = mistake
    few = [(text, list(known.values())) for text, known in by_text.items() if len(known) <= MOST_ALIKE]
    few.sort(key=lambda item: (-sum(m.weight for m in item[1]), item[0]))
    for text, mistakes in few[:MOST_MISTAKES]:
        said = " / ".join(f"{m.done} {m.advice} ({m.code})" for m in mistakes)
        yield Accepted(text, unit / 2, Fraction(0), said if len(mistakes) == 1 else ONE_OF + said)


def _is_number(text: str) -> bool:
    return text not in ("?", *INFINITE)

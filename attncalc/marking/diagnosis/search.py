"""The search for the cause of a wrong line: the acceptance test with each mistake's formula, then the evidence.

Rule R10. The price of an explanation in bits is −log₂ of its share among all explanations: the catalogue, the slips,
and `something else`. The shares sum to 1. The evidence is log₂(range/width) bits for every wrong entry that it
reproduces: how unlikely a chance hit was. Masked and saturated entries count little, and one entry of a row that sums
to 1 adds nothing. A mistake is named if its evidence is more than its price, with all explanations within `MARGIN` bits
of the best. Otherwise the report gives only the place.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from dataclasses import replace
from functools import cache, cached_property, partial
from itertools import product, starmap
from math import log2
from operator import attrgetter

from flint import fmpq

from ...arithmetic.intervals.intermediate_rounding import FULL, IntermediateRounding
from ...arithmetic.intervals.interval_evaluator import evaluate
from ...arithmetic.intervals.scalar import Box, Interval, hull
from ...formula import operations as op
from ...formula.operations import entry_of
from ...formula.typed_formula import Node, Where
from ...mistakes.catalogue import applicable_mistakes, mistake_pairs
from ...mistakes.mistake import Mistake
from ...mistakes.step_analysis import StepAnalysis
from ...plan import Step
from ..alternatives import exponentials_and_products, unwritten_behind
from ..context import MarkingContext, StudentValues
from ..credit import Reason
from ..formula_properties import has_constants
from ..informativeness import has_no_value
from ..legality import SHARP, LegalDerivation, accept, line_is_compatible, provably_differ, widest_rounding
from ..line import Line, Source
from ..line_enclosures import LineEnclosures
from ..precision import at_working_precision, zeros
from ..zeros_under_logarithms import scenarios_before
from .cause import Cause, slip_cause
from .evidence import Evidence
from .premature_rounding import inaccuracies
from .slips import SLIP, slips

NAMED = 0.0  # bits above its price at which a mistake is named
ONE_NUMBER = fmpq(1, 10**20)  # between two numbers that are worked out from one print, and are the same
FAR = fmpq(3)  # units that rounding on the way hardly moves an entry by
MARGIN = 3.0  # bits within which explanations are told together
DEPTH = 2  # steps before a line in which a mistake that shows in it is looked for
TRUNCATION_PRIOR_BITS = 3.3  # bits: one student in ten truncates
ACCURACY_REASONS = {"infinity-kept": Reason.SLIP}
SHARES = {"catalogue": 0.5, "slips": SLIP, "pairs": 0.05}  # the rest is something else


Candidate = tuple[Mistake, StepAnalysis, Node]  # a mistake at a step, and the formula that it makes there


def causes(
    context: MarkingContext, line: Line, in_pairs: bool = True, tried: Container[str] | None = None
) -> list[Cause]:
    """Return the explanations that reproduce the line, all within the margin of the best; none where the evidence is
    thin.

    `in_pairs` also tries two mistakes within the step, which takes the longest. `tried`: the codes of the single
    mistakes to try; None for all.
    """
    explanations: list[Cause] = []
    for variants in as_read(line):
        for scenario, variant in product(scenarios_before(context, line), variants):
            search = Search(context, variant, scenario, context.expected(line.step, scenario))
            explanations += search.causes(in_pairs, tried)
        if explanations:
            break
    if any(cause.node is not None and not cause.seldom for cause in explanations):
        explanations = [
            replace(cause, bits=cause.bits - TRUNCATION_PRIOR_BITS * cause.seldom) for cause in explanations
        ]
    explanations.sort(key=lambda cause: -cause.bits)
    if not explanations or explanations[0].bits < NAMED:
        search = Search(context, line, context.likeliest, context.expected(line.step, context.likeliest))
        mistakes = [cause for cause in explanations if cause.node is not None and not cause.seldom]
        code, is_coarse = next(inaccuracies(search), ("", False))
        if not (is_coarse and mistakes):
            reason = ACCURACY_REASONS.get(code, Reason.INACCURATE)
            return [slip_cause(code, line.step, accuracy_reason=reason)] if code else []
        explanations = mistakes  # they give the numbers without rounding on the way
    named: list[Cause] = []
    for cause in explanations:
        if cause.bits >= explanations[0].bits - MARGIN and cause.code not in {c.code for c in named}:
            named.append(cause)
    copied = any(cause.copies for cause in named)
    return sorted(named, key=lambda cause: copied and cause.at is not line.step)


def mistaken_boxes(context: MarkingContext, line: Line, cause: Cause) -> list[Box]:
    """Return the values of a line by the formula of a mistake: those that explain the line, and the unrounded values
    for each choice of the values that the lines before carry on.
    """
    if cause.node is None or cause.box is None or cause.at is None:
        return []
    is_own = cause.at.key == line.key
    target, others = (cause.node, ()) if is_own else (line.step.node, ((cause.at.key, (cause.node,)),))
    sources = (StudentValues(context, scenario, other_formulas=others) for scenario in scenarios_before(context, line))
    return [cause.box, *(evaluate(target, partial(source, working=FULL)) for source in sources)]


def different(causes: list[Cause], step: Step) -> list[Cause]:
    """Return the causes that are different acts.

    Weights of unmasked scores are an omitted mask, where the masked scores are not written.
    """
    before = [cause for cause in causes if cause.at not in (None, step)]
    return [cause for cause in causes if cause.at is not step or not any(map(cause.is_like, before))]


def as_read(line: Line) -> Iterator[list[Line]]:
    """Yield the readings of a line: by a hand and by a program, and as complete and as rounded; then all others.

    Zeros alone are complete, since they show no work.
    """
    reading = line.reading
    assert reading is not None
    if reading.program is None and zeros(reading):
        yield [replace(line, reading=at_working_precision(reading))]
        return
    kind = attrgetter("program", "coarse")
    others = [other for other in line.readings if other is not reading]
    yield [line, *(replace(line, reading=other) for other in others if kind(other) != kind(reading))]
    yield [replace(line, reading=other) for other in others if kind(other) == kind(reading)]


class Search(Evidence):
    """Everything that may have happened to one line."""

    def causes(self, in_pairs: bool, tried: Container[str] | None = None) -> list[Cause]:
        """Return the mistakes of the catalogue if one can be named, else also slips; if nothing single explains the
        line, two mistakes within the step.
        """
        mistakes = list(self.mistakes(tried))
        if any(cause.bits >= NAMED for cause in mistakes):
            return mistakes
        return [*mistakes, *slips(self)] or (list(self.pairs()) if in_pairs else [])

    # -- mistakes of the catalogue -------------------------------------------------------------------------------------

    def sites(self) -> list[StepAnalysis]:
        """Return the line's own step, then the unwritten steps before it, to depth two.

        Masking adds no depth, since it leaves the numbers as they are.
        """
        steps, near = [self.line.step], [self.line.step]
        for _ in range(DEPTH):
            near = [before for step in near for before in self.left_out_before(step)]
            steps += near
        return [self.context.site(step) for step in dict.fromkeys(steps)]

    def left_out_before(self, step: Step) -> Iterator[Step]:
        """Yield the unwritten steps right before a step, and those before the steps among them that mask."""
        plan = self.context.plan
        for key in sorted(plan.dependencies[step.key], key=plan.order.__getitem__, reverse=True):
            entry = plan.entries[key]
            if isinstance(entry, Step) and not entry.given and key not in self.context.typed:
                yield entry
                if isinstance(entry.node, op.Keep):
                    yield from self.left_out_before(entry)

    def mistakes(self, tried: Container[str] | None = None) -> Iterator[Cause]:
        """Yield the catalogue's mistakes that explain the line, each with its evidence in bits less its price."""
        candidates = self.candidates(self.sites())
        asked = [candidate for candidate in candidates if tried is None or candidate[0].code in tried]
        explained = [(candidate, box) for candidate in asked if (box := self.explains(*candidate[1:])) is not None]
        codes = {mistake.code for (mistake, *_), _ in explained}
        others = [candidate for candidate in asked if explained and candidate[0].code not in codes]
        for candidate in [*(candidate for candidate, _ in explained), *others]:
            alike = [
                (box, other[2]) for other, box in explained if other is candidate or self.is_same(candidate, other)
            ]
            if alike:
                bits, (box, node) = max(
                    ((self.evidence(box), (box, node)) for box, node in alike), key=lambda it: it[0]
                )
                explanation = self.cause(*candidate[:2], box, bits - self.price(candidate[0], candidates), candidate[2])
                yield replace(explanation, seldom=len(explained) > 1 and self.is_by_cutting(node))

    def is_by_cutting(self, node: Node) -> bool:
        """Return whether a formula leads to the line of a hand only where something was cut."""
        routes = self.context.mistaken_lines[self.scenario, node, self.line.key]
        kept = self.reading.working
        ways = (
            FULL,
            IntermediateRounding(kept, constants=kept),
            IntermediateRounding(kept, "round"),
            IntermediateRounding(kept, "round", shifted=True),
        )
        by_hand = self.reading.program is None
        return by_hand and not any(line_is_compatible(self.reading, "round", routes.box(way, 0)) for way in ways)

    def is_same(self, candidate: Candidate, other: Candidate) -> bool:
        """Return whether two mistakes in the line's own step differ only by rounding, from the numbers on paper."""
        if not candidate[1].step.key == other[1].step.key == self.line.key:
            return False
        wrong = set(self.wrong)
        places = [*self.wrong, *(at for at in self.reading.values if at not in wrong)]
        cells = ([self.paper_entry(node, at) for node in (candidate[2], other[2])] for at in places)
        return all((both := hull(x, y)) is not None and both[1] - both[0] < ONE_NUMBER for x, y in cells)

    @cached_property
    def paper_entry(self) -> Callable[[Node, Where], Interval]:
        """One entry of a formula, worked out from the numbers on the paper; each once."""
        prints = self.context.printed_values
        return cache(lambda node, at: evaluate(entry_of(node, *at), prints)[0][0])

    def candidates(self, sites: list[StepAnalysis]) -> list[Candidate]:
        """Yield each mistake that fits one of some sites, with the formula that it makes there."""
        return [(m, site, node) for site in sites for m in applicable_mistakes(site) for node in m.nodes(site)]

    def price(self, mistake: Mistake, candidates: list[Candidate]) -> float:
        """Return the price of a mistake in bits, among all that may have happened."""
        total = sum({(m.code, site.step.key): m.weight for m, site, _ in candidates}.values())
        return log2(total / (SHARES["catalogue"] * mistake.weight))

    def cause(self, mistake: Mistake, site: StepAnalysis, box: Box, bits: float, node: Node) -> Cause:
        """Return a mistake as a cause, with its evidence in bits."""
        paper = tuple(entry for entry, _ in self.on_paper(site, node))
        copies = site.step.key == self.line.key and isinstance(node, op.Ref) and node.key in self.context.typed
        step = self.context.step(site)
        return Cause(mistake.code, *mistake.feedback(site.columns), bits, box, node, step, paper, copies=copies)

    def explains(self, site: StepAnalysis, node: Node, is_pair: bool = False) -> Box | None:
        """Return the line's enclosure with this formula in the place of the site's, if it reproduces every entry. A
        pair of mistakes must do so without rounding on the way, or with one kind of it.
        """
        source = self.source(site, node)
        is_line_step = site.step.key == self.line.key
        target = node if is_line_step else self.line.step.node

        held = (self.scenario, node, self.line.key)
        if held not in self.context.mistaken_lines:
            self.context.mistaken_lines[held] = LineEnclosures([target], [source])
        routes = self.context.mistaken_lines[held]
        by_hand, kept = self.reading.program is None, self.reading.working
        rounded = IntermediateRounding(kept, constants=kept)
        if by_hand and routes.is_far(self.reading, FULL, FAR) and self.is_far_rounded(routes, target, rounded):
            return None  # at a glance: rounding on the way hardly moves an entry so far
        exponentials, products = exponentials_and_products(self.context, self.line.step, target)
        if not any(map(self.reproduced, routes.possible(self.reading, widest_rounding(self.reading, products)))):
            return None  # not even the fattest way of working comes to the line
        pairs = list(self.on_paper(site, node))
        if not any(starmap(provably_differ, pairs)):
            return None  # the right formula by another name, which only rounds more on the way
        accepted = accept([self.reading], routes, exponentials, products)
        if not isinstance(accepted, LegalDerivation):
            return None
        if is_pair and by_hand:
            certain = (FULL, rounded, IntermediateRounding(kept, "round", exactly=True))
            boxes, habits = [routes.box(working, 0) for working in certain], ("round", accepted.habit)
            if not any(line_is_compatible(self.reading, habit, box, SHARP) for box in boxes for habit in habits):
                return None
        if zeros(self.reading) and not self.reproduced(routes.box(FULL, 0)):
            return None  # rounding on the way makes zeros of any small numbers
        if any(accepted.box[i][j] is None and typed != 0 for (i, j), typed in self.reading.values.items()):
            return None  # the mistake gives no number here, such as a quotient by 0
        # zeros of a masked row have no value by many mistakes, but are not what a mistake must explain
        is_empty = has_no_value(self.reading, accepted.box) and has_no_value(self.reading, accepted.box, self.wrong)
        return None if is_empty else accepted.box

    def is_far_rounded(self, routes: LineEnclosures, target: Node, rounded: IntermediateRounding) -> bool:
        """Return whether what is far off in full is so with rounded constants as well, where there are any."""
        behind = (self.context.plan.entries[key].node for key in unwritten_behind(self.context, self.line.key))
        return not any(map(has_constants, (target, *behind))) or routes.is_far(self.reading, rounded, SHARP)

    def on_paper(self, site: StepAnalysis, node: Node) -> Iterator[tuple[Interval, Interval]]:
        """Return the wrong entries by this formula and by the right one, both from the numbers on paper."""
        prints = self.context.printed_values
        if site.step.key == self.line.key:
            box = evaluate(node, prints)
        else:
            changed = {site.step.key: evaluate(node, prints)}
            after = partial(self.context.recalculated, prints, changed, self.context.typed)
            box = evaluate(self.line.step.node, after)
        right = self.context.on_paper(self.line.step)
        for i, j in self.wrong:
            yield box[i][j], right[i][j]

    def source(self, site: StepAnalysis, node: Node) -> Source:
        """Return the values of the names in a mistaken formula: the student's own lines, with the mistake where it came
        earlier.
        """
        other_formulas = () if site.step.key == self.line.key else ((site.step.key, (node,)),)
        return StudentValues(self.context, self.scenario, other_formulas=other_formulas)

    def pairs(self) -> Iterator[Cause]:
        """Yield two mistakes within the step; none where all entries are one number, which very many pairs give."""
        first, *others = self.reading.values.values()
        if others and all(bool(x == first) for x in others):
            return
        site = self.context.site(self.line.step)
        pairs, share = mistake_pairs(site), log2(SHARES["pairs"])
        most = sum(self.worth[at] for at in self.wrong)  # no evidence is more
        if most - pairs.min_bits + share < NAMED:
            return
        known: dict[Node, Box | None] = {}
        for pair in pairs.pairs:
            price = pair.bits - share
            if most - price < NAMED:
                continue  # it would not be named
            if pair.node not in known:  # other two make the same formula
                known[pair.node] = self.explains(site, pair.node, is_pair=True)
            if (box := known[pair.node]) is not None:
                bits = self.evidence(box) - price
                for mistake, other in ((pair.first, pair.second), (pair.second, pair.first)):
                    yield replace(self.cause(mistake, site, box, bits, pair.node), also=other.code)

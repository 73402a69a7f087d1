"""From the first wrong line to its cause: the same acceptance test on every mistake, and evidence before a name is
given.

Rule R10. Each explanation has a price in bits, minus the logarithm of its share among all explanations (catalogue,
slips and `something else`, which sum to 1). What it explains is worth log₂(range/width) bits for every wrong entry: how
unlikely it was to be hit by chance. Masked and saturated entries count nothing, and of a row that sums to 1 one entry
is no news. A mistake is named when it is worth more than it costs; all that come within `MARGIN` bits of the best are a
set; otherwise only the place is told.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from math import log2

from flint import fmpq

from ..answers.bind import Filled
from ..arithmetic.cells import Box, End, Interval, approximate
from ..arithmetic.interval import evaluate
from ..arithmetic.matrices import is_infinite
from ..arithmetic.rounding import power_of_ten
from ..arithmetic.working import FULL, Working
from ..formula.node import Node, Where
from ..formula.tree import Name, Tree
from ..mistakes.catalogue import catalogue, usual
from ..mistakes.model import Mistake
from ..mistakes.site import Site
from ..mistakes.slips import SLIPS
from ..plan import Step
from .accept import SHARP, Accepted, accept, apart, fattest, fits, passes
from .inaccurate import inaccuracies
from .reading import HABITS, Reading, readings
from .routes import Routes
from .slipped import SLIP, Slipped, slips
from .sources import Line, Source
from .uses import has
from .walk import Walk

NAMED = 0.0  # bits above its price at which a mistake is named
MARGIN = 3.0  # bits within which explanations are told together
SATURATED_BITS = 1.7  # an entry that prints as 0 or 1
SHARES = {"catalogue": 0.5, "slips": SLIP, "pairs": 0.05}  # the rest is something else
MOST_BITS = 20.0  # of one entry
FAR = fmpq(3)  # units that rounding on the way hardly moves an entry by
HIDDEN_BITS = 6.0  # an entry that was hidden and should not be


@dataclass(frozen=True, slots=True)
class Cause:
    """One explanation of a wrong line: code, what was probably done, what to do, where, and how sure that is."""

    code: str
    done: str
    advice: str
    bits: float
    box: Box | None = None
    tree: Tree | None = None
    at: Step | None = None
    method_stands: str = ""  # why only the accuracy is lost (R6): `inaccurate`, or a `slip` in few entries


def causes(walk: Walk, line: Line, in_pairs: bool = True) -> list[Cause]:
    """The explanations that reproduce the line where the best is worth naming, all within the margin of it; empty where
    the evidence is thin.

    `in_pairs` tries two mistakes within the step as well, which takes the longest.
    """
    found: list[Cause] = []
    for world in walk.worlds(line.key):
        with walk.within(world):
            for one in as_read(line):
                found += Search(walk, one, walk.expected(line.step)).causes(in_pairs)
    found.sort(key=lambda cause: -cause.bits)
    if not found or found[0].bits < NAMED:
        if any(cause.code in catalogue() for cause in found):
            # a mistake explains the line, on evidence too thin to name it: then rounding is not singled out either
            return []
        return [
            _inaccuracy(code, line.step)
            for code in islice(inaccuracies(Search(walk, line, walk.expected(line.step))), 1)
        ]
    named: list[Cause] = []
    for cause in found:
        if cause.bits >= found[0].bits - MARGIN and cause.code not in {c.code for c in named}:
            named.append(cause)
    return named


def as_read(line: Line) -> Iterator[Line]:
    """A line by its reading; one of seven digits or more, which need not be a program's, by that of a hand and by that
    of a program; one of fewer digits than the sheet asks as complete, and as rounded.
    """
    yield line
    by_hand = line.reading is not None and line.reading.program is not None
    other = next((one for one in line.ways if (one.program is None) == by_hand), None)
    if other is None and not by_hand:
        other = next((one for one in line.ways if line.reading is not None and one.coarse != line.reading.coarse), None)
    if other is not None:
        yield replace(line, reading=other)


def supposed(walk: Walk, filled: Filled) -> tuple[Line, list[Cause]]:
    """One line of a walk that has run, had it been answered so instead: its verdict, and the causes that would be
    named.
    """
    held = walk.carried[filled.step.key]
    try:
        line = walk.line(filled)
        return line, causes(walk, line) if line.verdict == "wrong" else []
    finally:
        walk.keep(filled.step.key, held)


def is_worth(walk: Walk, filled: Filled, mistake: Mistake, box: Box) -> bool:
    """Whether the entries that a mistake changes in a line of a walk that has run are evidence enough to name it."""
    line = Line(filled.step, walk.parts[filled.step.key], filled, reading=readings(filled.cells, None)[0])
    search = Search(walk, line, walk.expected(line.step))
    return search.evidence(box) - search.price(mistake, search.candidates([walk.site(filled.step)])) >= NAMED


def _inaccuracy(code: str, step: Step) -> Cause:
    slip = SLIPS[code]
    return Cause(code, slip.done, slip.advice, 0.0, at=step, method_stands="inaccurate")


class Search:
    """Everything that may have happened to one line. `right` is what it should be, from the student's own lines."""

    def __init__(self, walk: Walk, line: Line, right: Box):
        self.walk = walk
        self.line = line
        self.right = right
        self.reading: Reading = line.reading  # type: ignore[assignment]
        self.wrong = [
            at for at in self.reading.values if not any(fits(self.reading, habit, right, at) for habit in HABITS)
        ] or self.otherwise
        self.worth = {at: self.bits_of(at) for at in self.reading.values}

    def causes(self, in_pairs: bool) -> list[Cause]:
        """Every single explanation; where there is none, those of two mistakes within the step."""
        mistakes = list(self.mistakes())
        found = [*mistakes, *(self.slipped(slip) for slip in slips(self) if not (mistakes and self.is_turned(slip)))]
        return found or (list(self.pairs()) if in_pairs else [])

    def is_turned(self, slip: Slipped) -> bool:
        """Whether a slip says of every entry but zeros that its sign is wrong, which is no slip of the pen where a
        mistake explains it.
        """
        zeros = (at for at, typed in self.reading.values.items() if typed == 0)
        return slip.code == "sign" and len(self.wrong) + sum(at not in self.wrong for at in zeros) == len(
            self.reading.values
        )

    def slipped(self, slip: Slipped) -> Cause:
        """A slip of the pen as a cause."""
        kind = SLIPS[slip.code]
        done = kind.done.format(detail=slip.detail)
        return Cause(slip.code, done, kind.advice, slip.bits, slip.box, None, self.line.step, slip.method_stands)

    # -- evidence ------------------------------------------------------------------------------------------------------

    def bits_of(self, at: Where) -> float:
        """What hitting this entry by chance would be worth."""
        typed, cell = self.reading.values[at], self.right[at[0]][at[1]]
        if is_infinite(typed):
            return HIDDEN_BITS if cell is not None and cell[0] != typed else 0.0
        return min(MOST_BITS, self.range_of(at))

    def range_of(self, at: Where) -> float:
        """The logarithm of how many numbers might stand there, in units of the last digit; a weight lies
        from 0 to 1.
        """
        typed, unit = self.reading.values[at], self.reading.units[at]
        finest = approximate(max(unit, fmpq(1, 10**6)))
        if self.line.step.node.operation == "softmax" and -unit <= typed <= 1 + unit:
            return log2(max(1.0, 1 / finest)) * (1 - 1 / max(2, self.line.step.shape[1]))
        return log2(max(1.0, 2 * self.spread / finest))

    def is_complete(self, box: Box) -> bool:
        """Whether a line coarser than it should be holds the very numbers of the explanation: nothing of them was
        rounded away.
        """
        return self.reading.splits and all(_is_point(box[i][j], typed) for (i, j), typed in self.reading.values.items())

    @cached_property
    def otherwise(self) -> list[Where]:
        """The entries that are not right to the working decimals."""
        least = 1 / fmpq(power_of_ten(self.reading.working))
        finer = replace(self.reading, units={at: min(unit, least) for at, unit in self.reading.units.items()})
        return [at for at in finer.values if not any(fits(finer, habit, self.right, at) for habit in HABITS)]

    @cached_property
    def spread(self) -> float:
        """How large an entry of the line may be."""
        sizes = [abs(approximate(v)) for v in self.reading.values.values() if not is_infinite(v)]
        sizes += [abs(approximate(c[0])) for row in self.right for c in row if c is not None and not is_infinite(c[0])]
        return max(sizes, default=1.0) or 1.0

    def evidence(self, box: Box) -> float:
        """The bits of the wrong entries that the explanation reproduces, less where its own enclosure is wide."""
        total = 0.0
        for i, j in self.otherwise if self.is_complete(box) else self.wrong:
            cell, unit = box[i][j], self.reading.units[i, j]
            if cell is None:
                continue
            if is_infinite(cell[0]):
                total += self.worth[i, j]
                continue
            if self.line.step.node.operation == "softmax" and (
                self.reading.values[i, j] in (0, 1) or _saturated(cell, unit)
            ):
                total += min(SATURATED_BITS, self.worth[i, j])
                continue
            # Its errors are few
            width = approximate(cell[1] - cell[0]) / approximate(unit) if unit and self.reading.program is None else 0.0
            total += max(0.0, min(MOST_BITS, self.range_of((i, j)) - log2(1 + width)))
        return total

    # -- mistakes of the catalogue -------------------------------------------------------------------------------------

    def sites(self) -> list[Site]:
        """The line's own step, then the steps before it that were not written down, to depth two."""
        found, near = [self.walk.site(self.line.step)], [self.line.step]
        for _ in range(2):
            nearer = []
            for step in near:
                for key in sorted(self.walk.plan.uses[step.key], key=self.walk.plan.order.__getitem__, reverse=True):
                    entry = self.walk.plan.entries[key]
                    if isinstance(entry, Step) and not entry.given and key not in self.walk.typed:
                        nearer.append(entry)
                        found.append(self.walk.site(entry))
            near = nearer
        return found

    def mistakes(self) -> Iterator[Cause]:
        """The mistakes of the catalogue that explain the line, each with its evidence in bits less what the choice
        costs.
        """
        candidates = self.candidates(self.sites())
        for mistake, site, node in candidates:
            box = self.explains(site, node)
            if box is not None:
                yield self.cause(mistake, site, box, self.evidence(box) - self.price(mistake, candidates), node)

    def candidates(self, sites: list[Site]) -> list[tuple[Mistake, Site, Node]]:
        """Every mistake that fits one of some sites, with the formula it makes there."""
        return [(m, site, node) for site in sites for m in usual(site) for node in m.nodes(site)]

    def price(self, mistake: Mistake, candidates: list[tuple[Mistake, Site, Node]]) -> float:
        """The bits that a mistake costs among all that may have happened."""
        total = sum({(m.code, site.step.key): m.weight for m, site, _ in candidates}.values())
        return log2(total / (SHARES["catalogue"] * mistake.weight))

    def cause(self, mistake: Mistake, site: Site, box: Box, bits: float, node: Node) -> Cause:
        """A mistake as a cause, with its evidence in bits."""
        return Cause(
            mistake.code, mistake.done, mistake.advice, bits, box, node.tree or Name(node.name), self.walk.step(site)
        )

    def explains(self, site: Site, node: Node) -> Box | None:
        """The line's enclosure with this formula in the place of the site's, where that reproduces every entry."""
        source = self.source(site, node)
        own = site.step.key == self.line.key
        target = node if own else self.line.step.node

        held = (id(node), self.line.key)
        if held not in self.walk.supposed:
            self.walk.supposed[held] = Routes([target], [source])
        routes: Routes = self.walk.supposed[held]
        exponentials, products = (
            self.walk.uses(self.line.step, word) or has(target, word) for word in ("softmax", "matmul")
        )
        by_hand, kept = self.reading.program is None, self.reading.working
        rounded = Working(kept, constants=kept)
        if by_hand and routes.is_far(self.reading, FULL, FAR) and routes.is_far(self.reading, rounded, SHARP):
            return None  # as below, at a glance
        if not any(map(self.reproduced, routes.possible(self.reading, fattest(self.reading, products)))):
            return None  # not even the fattest way of working comes to the line
        if not any(apart(x, y) for x, y in self.on_paper(site, node)):
            return None  # the right formula by another name, which only rounds more on the way
        accepted = accept([self.reading], routes, exponentials, products)
        if not isinstance(accepted, Accepted):
            return None
        certain = (FULL, rounded, Working(kept, "round", exactly=True))
        boxes = (routes.box(working, 0) for working in certain)
        if by_hand and not any(
            passes(self.reading, habit, box, SHARP) for box in boxes for habit in ("round", accepted.habit)
        ):
            return None  # only rounding of another kind on the way could have led from this mistake to these numbers
        return accepted.box

    def on_paper(self, site: Site, node: Node) -> Iterator[tuple[Interval, Interval]]:
        """The wrong entries by this formula and by the right one, both from the numbers on the paper."""
        prints = self.walk.prints
        if site.step.key == self.line.key:
            box = evaluate(node, prints)
        else:
            changed = {site.step.key: evaluate(node, prints)}

            def after(key: str) -> Box:
                if key not in changed:
                    own = key in self.walk.typed or site.step.key not in self.walk.plan.behind(key)
                    changed[key] = prints(key) if own else evaluate(self.walk.plan.entries[key].node, after)
                return changed[key]

            box = evaluate(self.line.step.node, after)
        right = self.walk.on_paper(self.line.step)
        for i, j in self.wrong:
            yield box[i][j], right[i][j]

    def source(self, site: Site, node: Node) -> Source:
        """What the names in a mistaken formula stand for: the student's own lines, worked on with the mistake where it
        came earlier.
        """
        own = self.walk.source("own")
        if site.step.key == self.line.key:
            return own
        held: dict[tuple[str, Working], Box] = {}

        def boxes(key: str, working: Working) -> Box:
            if key in self.walk.own or site.step.key not in self.walk.plan.behind(key):
                return own(key, working)
            if (key, working) not in held:
                formula = node if key == site.step.key else self.walk.plan.entries[key].node
                box = evaluate(formula, lambda k: boxes(k, working), working)
                held[key, working] = [[working.kept(cell, as_line=True) for cell in row] for row in box]
            return held[key, working]

        return boxes

    def reproduced(self, box: Box) -> bool:
        """Whether a box holds every number of the line, kept by one of the habits."""
        return any(all(fits(self.reading, habit, box, at) for at in self.reading.values) for habit in HABITS)

    def pairs(self) -> Iterator[Cause]:
        """Two mistakes within the step."""
        site = self.walk.site(self.line.step)
        pairs, share = self.walk.pairs(site), log2(SHARES["pairs"])
        most = sum(self.worth[at] for at in self.wrong)  # no evidence is more
        if most - pairs.least + share < NAMED:
            return
        known: dict[int, Box | None] = {}
        for pair in pairs.found:
            price = pair.bits - share
            if most - price < NAMED:
                continue  # it would not be named
            if id(pair.node) not in known:  # other two make the same formula
                known[id(pair.node)] = self.explains(site, pair.node)
            if (box := known[id(pair.node)]) is not None:
                bits = self.evidence(box) - price
                for one in (pair.first, pair.second):
                    yield self.cause(one, site, box, bits, pair.node)


def _is_point(cell: Interval, x: End) -> bool:
    """Whether an entry is this number alone, or hidden as it is."""
    return cell is not None and bool(cell[0] == x and cell[1] == x)


def _saturated(cell: Interval, unit: fmpq) -> bool:
    """Whether an entry prints as 0 or as 1; what is far below or above is no weight, and says much."""
    assert cell is not None
    return bool(-unit <= cell[0] and cell[1] <= unit or 1 - unit <= cell[0] and cell[1] <= 1 + unit)

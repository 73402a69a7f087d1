"""What a script says of the steps that were left out.

A right line implies the steps that it needs, and so does a wrong one whose mistake is named, as far as the mistaken
formula needs them. A wrong line whose mistake was made in a step that was left out earns what it would earn if that
step had been written down with its mistake: where the step has points, the mistake is charged there and nowhere else,
and what stands between the two is implied.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from ..arithmetic.interval import evaluate
from ..formula.node import needed
from ..plan import Step
from .accept import Accepted, passes
from .cause import Cause, different
from .lines import Line
from .marks import DIGITS, REASONS, Mark, answered, by_rubric, points_of
from .reading import finer, zeros
from .walk import Walk
from .work import is_free

IMPLYING = ("right", "truncated", "last_digit", "carried")
NOTHING_ELSE: Mapping[str, frozenset[str]] = {}


@dataclass(frozen=True, slots=True)
class Origin:
    """The step that was left out in which the mistake of a wrong line was made, and that line with its causes."""

    step: Step
    line: Line
    causes: list[Cause]

    @property
    def is_complete(self) -> bool:
        """Whether the line has the decimals that it should have."""
        reading, boxes = self.line.reading, [one.box for one in self.causes if one.box]
        if reading is None or not boxes:
            return reading is None or not reading.splits
        fine = finer(reading)
        return any(passes(fine, habit, box) for box in boxes for habit in fine.habits)


class LeftOut:
    """What the lines of a script say of its steps; `named` are the causes of the wrong ones, `nothing` the lines that
    show no work or follow from such. A script that answers everything is not asked for what its lines imply.
    """

    def __init__(self, walk: Walk, named: Mapping[str, list[Cause]], nothing: set[str]):
        self.walk = walk
        self.nothing = nothing
        self.named = named
        self.made = {key: one for key, causes in named.items() if (one := _origin(walk, walk.lines[key], causes))}

    @cached_property
    def rightly(self) -> set[str]:
        """The steps that right lines imply."""
        right = (one for one in self.walk.lines.values() if one.verdict in IMPLYING and one.digits != "too_coarse")
        return _behind(self.walk, right, self.nothing)

    @cached_property
    def all_origins(self) -> dict[str, Origin]:
        """Where the mistakes of wrong lines were made, by the lines' keys."""
        return {key: one for key, one in self.made.items() if one.step.key not in self.rightly}

    @cached_property
    def origins(self) -> dict[str, Origin]:
        """Those of the lines that show work."""
        return {key: one for key, one in self.all_origins.items() if key not in self.nothing}

    @cached_property
    def mistakenly(self) -> set[str]:
        """The steps that only mistaken lines imply, of a mistake in the line itself those that its formula needs."""
        origins = self.all_origins.values()
        lines = [one.line for one in origins if one.is_complete]
        here = {key: uses for key, causes in self.named.items() if (uses := _uses(self.walk, key, causes))}
        lines += [self.walk.lines[key] for key in here]
        before = {one.step.key: _needs(different(one.causes, one.line.step), one.step) for one in origins}
        return _behind(self.walk, lines, self.nothing, before | here) - before.keys()

    def implies(self, key: str) -> bool:
        """Whether a later line implies the step."""
        return key in self.rightly or key in self.mistakenly

    def made_in(self, step: Step) -> Step | None:
        """The step that was left out in which the mistake of a wrong line was made."""
        return self.origins[step.key].step if step.key in self.origins else None

    def charged(self, given: Mark, step: Step) -> Mark:
        """The points of a step, once each mistake is charged where it was made."""
        if (origin := self.made_in(step)) is not None:
            said = REASONS["made_before"].format(step=origin.name)
            return _but_for_digits(given.out_of, said, self.origins[step.key])
        here = next((one for one in self.origins.values() if one.step.key == step.key), None)
        if here is not None:
            nothing = Mark(Fraction(0), given.out_of, REASONS["made_here"].format(line=here.line.step.name))
            return by_rubric(nothing, here.line, (cause.code for cause in here.causes))
        if given.reason == REASONS["implied"] and step.key in self.mistakenly and step.key not in self.rightly:
            return Mark(given.earned, given.out_of, REASONS["implied_mistaken"])
        return given


def _but_for_digits(points: Fraction, reason: str, origin: Origin) -> Mark:
    """All the points of a line that is right but for an earlier mistake; the share for the method where it has fewer
    decimals than it should.
    """
    if origin.is_complete:
        return Mark(points, points, reason)
    return Mark(points * origin.line.part.rubric.method, points, f"{reason}; {DIGITS['too_coarse']}")


def _origin(walk: Walk, line: Line, causes: list[Cause]) -> Origin | None:
    """Where the one mistake of a wrong line was made, if that is a step with points that was left out."""
    at = {cause.at.key: cause.at for cause in different(causes, line.step) if cause.at is not None}
    step = next(iter(at.values()), line.step)
    asked = step.part == line.step.part and step.name in points_of(line.part)  # be it for no points, or dropped
    is_origin = len(at) == 1 and step.key not in walk.lines and asked and answered(line) == 1
    return Origin(step, line, causes) if is_origin and not _is_free(walk, causes) else None


def _uses(walk: Walk, key: str, causes: list[Cause]) -> frozenset[str]:
    """What a wrong line whose mistake was made in itself needs; nothing where it tells too little."""
    line = walk.lines[key]
    if not Origin(line.step, line, causes).is_complete or _is_free(walk, causes):
        return frozenset()
    return _needs(different(causes, line.step), line.step)


def _needs(causes: list[Cause], step: Step) -> frozenset[str]:
    """What each formula needs by which a mistaken step may have been worked out: its own where the method stands, else
    those of the mistakes that are named; nothing where another step was mistaken, or nothing is known.
    """
    nodes = [step.node if one.method_stands else one.node for one in causes if one.at is step]
    if not nodes or len(nodes) < len(causes) or None in nodes:
        return frozenset()
    return frozenset.intersection(*map(needed, nodes))  # type: ignore[arg-type]


def _is_free(walk: Walk, causes: list[Cause]) -> bool:
    """Whether the mistaken step is zeros, or picks rows of what it is multiplied with: what follows then shows no
    work.
    """
    return any(cause.node is not None and is_free(evaluate(cause.node, walk.prints)) for cause in causes)


def _behind(
    walk: Walk, lines: Iterable[Line], nothing: set[str], mistaken: Mapping[str, frozenset[str]] = NOTHING_ELSE
) -> set[str]:
    """The steps that some of these lines needs, one that is complete, shows work (zeros alone do not) and says how it
    came about (`tells`); `mistaken` are wrong steps, each with what its mistaken formula needs.

    All behind it must be right for that, but for what stands behind a wrong line, which says nothing of it.
    """
    telling = (one for one in lines if one.key not in nothing and not zeros(one.reading))
    stack = [(line.key, line) for line in telling if answered(line) == 1 and walk.tells(line)]
    seen: set[str] = set()
    while stack:
        key, later = stack.pop()
        later = walk.lines.get(key, later)
        needs = mistaken.get(key, walk.plan.uses[key])
        nearer = {near for near in needs - seen if _shows(walk, later, near)}
        seen |= nearer
        stack.extend((k, later) for k in nearer if k not in walk.lines or walk.lines[k].verdict != "wrong")
    return seen


def _shows(walk: Walk, later: Line, near: str) -> bool:
    """Whether a later line shows how one that tells too little came about: it follows from its full values, not from
    its prints alone.
    """
    line = walk.lines.get(near)
    if line is None or later.reading is None or not line.untold or len(walk.carried[near]) == 1:
        return True
    world = walk.chosen(((near, len(walk.carried[near]) - 1),))
    return isinstance(walk.accepted_in(world, later, [later.reading]), Accepted)

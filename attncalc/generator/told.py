"""Whether `check` would name each visible mistake of a problem: the marker itself is asked, where a name could be in
doubt.

A mistake is in doubt where its numbers are near the right ones or near another mistake's, or where few entries tell
anything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, combinations
from math import inf

from flint import ctx

from ..answers.bind import Bound, Filled
from ..answers.entry import entry
from ..answers.model import Script, Typed
from ..answers.written import Written
from ..arithmetic.prints import Units
from ..errors import Location
from ..mark.sources import PRECISION
from ..mark.supposed import spare_evidence, supposed, supposed_wrong
from ..mark.walk import Walk
from ..mistakes.catalogue import catalogue
from ..mistakes.slips import SLIPS
from ..plan import Step
from .certificate import Verdict, certify, same
from .view import View

NEAR = 3  # units of the last digit by which honest work may move an entry, and a little more
FAR = 2 * NEAR  # units that lie between mistakes of which neither explains the other
Flat = tuple[int | str, ...]  # units, row after row
FEW = 3  # entries that tell something, from which on no doubt is left; what is hidden or shown counts twice


@dataclass(frozen=True, slots=True)
class Doubt:
    """A mistake that is not named alone: accepted, told without a name, or told together with others."""

    verdict: Verdict
    accepted: bool
    named: tuple[str, ...]


def filled(step: Step, printed: Sequence[Sequence[str]]) -> Filled:
    """A whole step answered with these texts; `?` is left out."""
    texts = {(i, j): text for i, row in enumerate(printed) for j, text in enumerate(row) if text != "?"}
    cells = {at: typed for at, text in texts.items() if (typed := _typed(text))}
    return Filled(step.part, step, cells)


@lru_cache(maxsize=4096)  # most are a few small numbers
def _typed(text: str) -> Typed | None:
    return entry(Written(text, lambda k: Location()))


def right_script(view: View) -> Bound:
    """The right answers as they print."""
    steps = [filled(step, view.printed(step)) for step in view.steps]
    return Bound(Script(None, None, None, (), ""), view.problem, tuple(steps))


@lru_cache(maxsize=1)  # several demands ask for it
def walked(view: View) -> Walk:
    """The right answers, marked."""
    walk = Walk(view.problem, right_script(view), view.sites)
    walk.rights.update({("right", step.key): view.full(step.key) for step in view.steps})
    walk.run()
    return walk


def doubts(view: View) -> Iterator[Doubt]:
    """The visible mistakes that `check` does not name alone. Those that give the same numbers, whatever the digits, are
    one.
    """
    visible = _visible(view)
    crowded: set[Verdict] = set()
    for verdicts in visible.values():
        for verdict in verdicts:
            if others := _twins(verdict, verdicts):
                crowded.add(verdict)
                yield Doubt(verdict, False, (verdict.code, *others))
    asked: list[tuple[int, Step, Verdict, list[Verdict]]] = []
    for step in view.steps:
        verdicts, right = visible.get(step.key, []), view.units(step)
        near = _near_ones(verdicts, right)
        for verdict in verdicts:
            if verdict in crowded:
                continue
            if verdict in near:
                asked.append((near[verdict], step, verdict, verdicts))
            elif _spare(view, step, verdict, right) < 0 and (verdict.code, verdict.step) not in view.nameless():
                yield Doubt(verdict, False, ())
    # Last what takes long, and of it the likeliest first, since a draw with one doubt is thrown away
    for _, step, verdict, verdicts in sorted(asked, key=lambda one: -one[0]):
        yield from _asked(view, step, verdict, verdicts)


def evidence(view: View) -> Iterator[tuple[tuple[str, str], bool]]:
    """Each visible mistake with its step, and whether the entries that it changes are enough for a name."""
    visible = _visible(view)
    for step in view.steps:
        for verdict in visible.get(step.key, []):
            yield (verdict.code, verdict.step), _spare(view, step, verdict, view.units(step)) >= 0


def _visible(view: View) -> dict[str, list[Verdict]]:
    visible: dict[str, list[Verdict]] = {}
    for verdict in certify(view).verdicts:
        if verdict.kind == "separated":
            visible.setdefault(verdict.step, []).append(verdict)
    return visible


def _twins(verdict: Verdict, verdicts: list[Verdict]) -> list[str]:
    """The mistakes of the step that print the same without being the same."""
    return [
        v.code for v in verdicts if v.units == verdict.units and v.code != verdict.code and not same(v.box, verdict.box)
    ]


def _near_ones(verdicts: list[Verdict], right: Units) -> Counter[Verdict]:
    """The mistakes of a step whose numbers are near the right ones or near another mistake's, and how many they are
    near to.
    """
    wanted, shown = _flat(right), [(one, _flat(one.units)) for one in verdicts]
    near = Counter(one for one, flat in shown if _near(flat, wanted))
    for (one, flat), (other, another) in combinations(shown, 2):
        if _near(flat, another) and one.code != other.code:
            near.update((one, other))
    return near


def _flat(units: Units) -> Flat:
    return tuple(chain(*units))


def _spare(view: View, step: Step, verdict: Verdict, right: Units) -> float:
    """How many bits more than enough for a name the entries tell that differ; below 0 they are too few."""
    if _telling(verdict, step, right) >= FEW:
        return inf
    with ctx.workprec(PRECISION):
        mistake, line = catalogue()[verdict.code], filled(step, verdict.printed)
        return spare_evidence(walked(view), line, mistake, verdict.node or step.node, verdict.box)


def _telling(verdict: Verdict, step: Step, right: Units) -> int:
    """How many entries tell something, at most FEW: rounding on the way seldom moves one by more than a unit."""
    saturated = (0, 10**verdict.digits) if step.node.operation == "softmax" else ()
    telling = 0
    for shown, wanted in zip(chain(*verdict.units), chain(*right), strict=True):
        if shown != wanted and shown not in saturated:
            if isinstance(shown, str) or isinstance(wanted, str):
                telling += 2
            elif abs(shown - wanted) > 1:
                telling += 1
            if telling >= FEW:
                break
    return telling


def _asked(view: View, step: Step, verdict: Verdict, others: list[Verdict]) -> Iterator[Doubt]:
    tried = {one.code for one in certify(view).verdicts if one.step == step.key and not _is_far(one, verdict)}
    typed, accepted = filled(step, verdict.printed), False
    with ctx.workprec(PRECISION):
        if _near(_flat(verdict.units), _flat(view.units(step)), FAR):
            line, causes = supposed(walked(view), typed, tried)
            accepted = line.verdict != "wrong"
        else:
            causes = supposed_wrong(walked(view), typed, tried)
    named = tuple(cause.code for cause in causes)
    alike = {v.code for v in others if v.units == verdict.units and same(v.box, verdict.box)}
    # a slip may be told beside it
    if accepted or not named or named[0] not in alike or not set(named) - set(SLIPS) <= alike:
        yield Doubt(verdict, accepted, named)


def _is_far(one: Verdict, other: Verdict) -> bool:
    """Whether the numbers of two mistakes in a step are so far apart that neither explains the other's."""
    return one.kind == "separated" and not _near(_flat(one.units), _flat(other.units), FAR)


def _near(one: Flat, other: Flat, most: int = NEAR) -> bool:
    """Whether no entry is further off than so many units of its last digit."""
    for a, b in zip(one, other, strict=True):
        if a != b and (isinstance(a, str) or isinstance(b, str) or abs(a - b) > most):
            return False
    return True

"""A grading scale: thresholds in points or in percent, with grades that are letters or numbers such as 1.0 to 5.0."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from ...api import read_bytes
from ...errors import AttncalcError, Diagnostic, Diagnostics, Location, did_you_mean, shorten
from ...explain.point_format import points
from ...problem.yaml_file.nodes import Mapping, Scalar, Yaml, kind
from ...problem.yaml_file.yaml_reader import read_yaml

_THRESHOLD = re.compile(r"(?P<number>[0-9]{1,6}(?:[.,][0-9]{1,6})?)\s*(?P<unit>%|points?)?")
LONGEST = 20  # characters of a grade
MOST = 60


@dataclass(frozen=True, slots=True)
class Threshold:
    """The least points, or percentage of the points, for a grade."""

    grade: str
    least: Fraction
    percent: bool
    place: Location = Location()

    def is_reached(self, earned: Fraction, most: Fraction) -> bool:
        """Return whether `earned` of `most` points reach the threshold, in exact arithmetic."""
        return earned >= (self.least * most / 100 if self.percent else self.least)


Scale = tuple[Threshold, ...]


def read_scale(path: str) -> Scale:
    """Read the scale under `scale:` of a YAML file, such as the exam sheet: `scale: {A: 90 %, B: 75 %, F: 0}`. The best
    grade is first. A number without % means points. Raises AttncalcError with every fault.
    """
    faults = Diagnostics()
    tree = read_yaml(read_bytes(path), path, faults)
    node = tree.get("scale") if isinstance(tree, Mapping) else None
    if node is None and isinstance(tree, Mapping):
        near = next((near for key, _ in tree.items() if (near := did_you_mean(key.text, ["scale"]))), "")
        raise AttncalcError(f"expected scale: with grades and thresholds, found none{near}", tree.place)
    thresholds = thresholds_of(node or tree, faults)
    faults.raise_any()
    return thresholds


def thresholds_of(node: Yaml, faults: Diagnostics) -> Scale:
    """Return the thresholds under `scale:`, and add their faults."""
    if not isinstance(node, Mapping) or not node.pairs:
        expected = "expected grades with their thresholds, such as {A: 90 %, F: 0}"
        faults.add(f"scale: {expected}, found {kind(node)}", node.place)
        return ()
    return tuple(_thresholds(node, faults))


def _thresholds(node: Mapping, faults: Diagnostics) -> Iterator[Threshold]:
    units: set[bool] = set()
    before: Threshold | None = None
    for key, value in list(node.items())[:MOST]:
        match = _THRESHOLD.fullmatch(value.text.strip()) if isinstance(value, Scalar) else None
        if match is None or not key.text or len(key.text) > LONGEST:
            expected = f"expected a threshold such as 90 % or 45 points, found {kind(value)}"
            faults.add(f"scale: {shorten(key.text)}: {expected}", value.place)
            continue
        least = Fraction(match["number"].replace(",", "."))
        threshold = Threshold(key.text, least, match["unit"] == "%", value.place)
        units |= {threshold.percent} if least else set()
        if len(units) > 1:
            faults.add("scale: expected percent for all grades or points for all, found both", value.place)
            return
        if before is None and match["unit"] is None and 0 < least < 1:
            suggestion = f"did you mean {points(100 * least)} %? (for points, write {points(least)} points)"
            expected = f"expected percent or points, found {kind(value)}; {suggestion}"
            faults.add(f"scale: {shorten(key.text)}: {expected}", value.place)
        if threshold.percent and least > 100 or before is not None and least >= before.least:
            most = "100 %" if before is None else value_of(before)
            expected = f"expected less than {most}, because the best grade comes first, found {kind(value)}"
            faults.add(f"scale: {shorten(key.text)}: {expected}", value.place)
        before = threshold
        yield threshold
    if before is not None and before.least and not faults.faults:
        faults.add(
            f"scale: expected a last grade with the threshold 0, found none below {value_of(before)}", node.place
        )


def unreachable_grade(scale: Scale, totals: Iterable[Fraction]) -> Diagnostic | None:
    """Return a fault if the best grade needs more points than each of `totals`. Return None if it is in percent or
    reachable.
    """
    best = next(iter(scale), None)
    if best is None or best.percent:
        return None
    most = Fraction(0)
    for total in totals:  # a large total ends the loop, so that not all papers of a large key are read
        most = max(most, total)
        if best.least <= most:
            return None
    suggestion = f"; did you mean {value_of(replace(best, percent=True))}?" if 50 <= best.least <= 100 else ""
    expected = f"expected at most {points(most)} points, because no paper has more, found {value_of(best)}{suggestion}"
    return Diagnostic(f"scale: {shorten(best.grade)}: {expected}", best.place)


def value_of(threshold: Threshold) -> str:
    """Return a threshold as text: `90 %` or `45 points`."""
    number = points(threshold.least)
    return f"{number} %" if threshold.percent else f"{number} points"


def grade_of(scale: Scale, earned: Fraction, most: Fraction) -> str:
    """Return the best grade whose threshold is reached; empty without a scale, or if no points are possible."""
    return next((threshold.grade for threshold in scale if most and threshold.is_reached(earned, most)), "")

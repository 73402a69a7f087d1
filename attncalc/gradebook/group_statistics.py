"""Statistics by question and by variant, and the histogram of marks, exact until they are printed. Groups of fewer
than five scripts are not shown.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from math import isqrt, lcm

from .graded_script import GradedScript, NamedMistakes

DIGITS = 30  # of a root that is no fraction; truncated, so that half of the last printed digit stays on its side


def mean(xs: list[Fraction]) -> Fraction:
    return sum(xs, Fraction(0)) / len(xs)


def deviation(xs: list[Fraction]) -> Fraction:
    """Return the standard deviation of a sample."""
    integers, scale = _as_integers(xs)
    return _root(Fraction(_scatter(integers, integers), len(xs) * (len(xs) - 1) * scale**2))


def correlation(xs: list[Fraction], ys: list[Fraction]) -> Fraction | None:
    """Return Pearson's r; None if one variable is constant."""
    (integers_x, _), (integers_y, _) = _as_integers(xs), _as_integers(ys)
    covariance = _scatter(integers_x, integers_y)
    variance_x, variance_y = _scatter(integers_x, integers_x), _scatter(integers_y, integers_y)
    if not variance_x or not variance_y:
        return None
    r = _root(Fraction(covariance**2, variance_x * variance_y))
    return -r if covariance < 0 else r


def _as_integers(xs: list[Fraction]) -> tuple[list[int], int]:
    """Return the numbers times a common denominator, and that denominator."""
    scale = lcm(*{x.denominator for x in xs})
    return [x.numerator * (scale // x.denominator) for x in xs], scale


def _scatter(xs: list[int], ys: list[int]) -> int:
    """Return n Σ xy − Σ x Σ y."""
    return len(xs) * sum(x * y for x, y in zip(xs, ys, strict=True)) - sum(xs) * sum(ys)


def _root(x: Fraction) -> Fraction:
    return Fraction(isqrt(x.numerator * 10 ** (2 * DIGITS) // x.denominator), 10**DIGITS)


LEAST = 5
BINS = 10
MOST_MISTAKES = 3
_QUESTION = re.compile(r"q[0-9]+(?=_|$)")


@dataclass(slots=True)
class GroupFigures:
    """Statistics of one question or variant; None for groups of fewer than five scripts."""

    name: str
    scripts: int
    out_of: Fraction
    mean: Fraction | None = None  # share of the points: the facility of a question
    spread: Fraction | None = None  # the standard deviation of these shares
    discrimination: Fraction | None = None
    mistakes: list[tuple[NamedMistakes, int]] = field(
        default_factory=list
    )  # the most frequent ones, at least five times


@dataclass(frozen=True, slots=True)
class Bin:
    """The number of scripts with a share of the points in [low, high), in the last bin [low, high]."""

    low: Fraction
    high: Fraction
    count: int


def question_of(step: str) -> str:
    """Return the question of a step: q3 for `q3_masked.S`, masked for `masked.S`, empty for `S`."""
    part = step.rpartition(".")[0] or (step if _QUESTION.fullmatch(step) else "")
    match = _QUESTION.match(part)
    return match[0] if match else part


def by_question(rows: list[GradedScript]) -> list[GroupFigures]:
    """Return the statistics of each question over the scripts that have it; empty for a single question."""
    names = list(dict.fromkeys(question_of(step) for row in rows for step in row.out_of))
    return [_question(name, rows) for name in names] if len(names) > 1 else []


def _question(name: str, rows: list[GradedScript]) -> GroupFigures:
    pairs = [(row, *_points_of_question(row, name)) for row in rows]
    having = [(row, earned, most) for row, earned, most in pairs if most]
    worth = max(
        (row.out_of[step] for row in rows for step in row.unmarked if question_of(step) == name), default=Fraction(0)
    )
    figures = GroupFigures(name, len(having), max((most for _, _, most in having), default=worth))
    if len(having) >= LEAST:
        totals = [(row.earned, row.marked, earned, most) for row, earned, most in having]
        shares, figures.discrimination = shares_and_discrimination(totals)
        figures.mean, figures.spread = mean(shares), deviation(shares)
        figures.mistakes = frequent([entry for entry in row.codes if question_of(entry[0]) == name] for row in rows)
    return figures


def shares_and_discrimination(
    totals: list[tuple[Fraction, Fraction, Fraction, Fraction]],
) -> tuple[list[Fraction], Fraction | None]:
    """Return the shares of the points that some steps earn, and their correlation with the rest of the paper. Of each
    script `totals` holds what the paper earns, of how much, and what these steps earn, of how much.
    """
    shares = [mine / most for _, _, mine, most in totals]
    rest = [
        (earned - mine) / (marked - most) if marked != most else Fraction(0) for earned, marked, mine, most in totals
    ]
    return shares, correlation(shares, rest)


def _points_of_question(row: GradedScript, question: str) -> tuple[Fraction, Fraction]:
    steps = [step for step in row.out_of if question_of(step) == question and step not in row.unmarked]
    earned = sum((row.marks.get(step, Fraction(0)) for step in steps), Fraction(0))
    return earned, sum((row.out_of[step] for step in steps), Fraction(0))


def by_variant(rows: list[GradedScript]) -> list[GroupFigures]:
    """Return the statistics of each version, else each variant, with at least five scripts; empty for a single one."""
    groups: dict[str, list[GradedScript]] = {}
    for row in rows:
        groups.setdefault(row.version or row.variant, []).append(row)
    large = sorted((name, members) for name, members in groups.items() if len(members) >= LEAST)
    return [_variant(name, members) for name, members in large] if len(groups) > 1 else []


def _variant(name: str, rows: list[GradedScript]) -> GroupFigures:
    shares = [row.earned / row.marked for row in rows if row.marked]
    figures = GroupFigures(name, len(rows), max(row.most for row in rows))
    if len(shares) >= LEAST:
        figures.mean, figures.spread = mean(shares), deviation(shares)
        figures.mistakes = frequent(row.codes for row in rows)
    return figures


def frequent(codes: Iterable[list[tuple[str, NamedMistakes]]]) -> list[tuple[NamedMistakes, int]]:
    """Return the most frequent mistakes that occur in at least five scripts, with their numbers of scripts."""
    frequent = ((name, count) for name, count in counted_mistakes(codes).items() if count >= LEAST)
    return sorted(frequent, key=lambda entry: (-entry[1], entry[0]))[:MOST_MISTAKES]


def counted_mistakes(codes: Iterable[list[tuple[str, NamedMistakes]]]) -> Counter[NamedMistakes]:
    """Return the number of scripts with each mistake, or set of indistinguishable mistakes."""
    return Counter(name for row in codes for name in {named for _, named in row})


def histogram(shares: list[Fraction]) -> list[Bin]:
    """Return the histogram of shares in tenths; a bin with 1 to 4 scripts is merged with its smaller neighbour."""
    if len(shares) < LEAST:
        return []
    counts = Counter(min(BINS - 1, int(share * BINS)) for share in shares)
    bins = [Bin(Fraction(k, BINS), Fraction(k + 1, BINS), counts[k]) for k in range(BINS)]
    while (small := next((k for k, interval in enumerate(bins) if 0 < interval.count < LEAST), None)) is not None:
        neighbours = [k for k in (small - 1, small + 1) if 0 <= k < len(bins)]
        other = min(neighbours, key=lambda k: (bins[k].count == 0, bins[k].count))
        first, second = sorted((small, other))
        bins[first : second + 1] = [Bin(bins[first].low, bins[second].high, bins[first].count + bins[second].count)]
    return bins

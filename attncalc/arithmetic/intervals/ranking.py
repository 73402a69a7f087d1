"""Choices among entries that are intervals: which may be the largest, which surely are, in what order they
may stand.
"""

from __future__ import annotations

from .scalar import ONE, ZERO, End, Interval, least, most, point


def argmax_candidates(row: list[Interval]) -> list[int]:
    """The columns that may hold a row's largest entry."""
    return [j for j in range(len(row)) if top_k_indicator(row, j, 1, in_order=False) != point(ZERO)]


def top_k_indicator(row: list[Interval], j: int, k: int, in_order: bool = True) -> Interval:
    """1 where entry j is surely among the k largest, 0 where it surely is not; of equals the first comes first, or
    not `in_order` any of them.
    """
    entry = row[j]
    if entry is None or None in row:
        return ZERO, ONE
    others = [(i, c) for i, c in enumerate(row) if c and i != j]
    above = sum(1 for i, c in others if c[0] > entry[1] or in_order and i < j and _equal(c, entry))
    candidates = sum(1 for i, c in others if not (c[1] < entry[0] or in_order and i > j and _equal(c, entry)))
    return point(ZERO) if above >= k else point(ONE) if candidates < k else (ZERO, ONE)


def _equal(x: tuple[End, End], y: tuple[End, End]) -> bool:
    return x[0] is x[1] and y[0] is y[1] and bool(x[0] == y[0])


def top_p_indicator(row: list[Interval], j: int, p: Interval) -> Interval:
    """1 where the larger entries before j surely stay below p, 0 where they surely reach it."""
    entry = row[j]
    if entry is None or p is None or None in row:
        return ZERO, ONE
    others = [(i, c) for i, c in enumerate(row) if c and i != j]
    certain = sum((c[0] for i, c in others if c[0] > entry[1] or i < j and _equal(c, entry)), ZERO)
    candidates = sum(
        (most((ZERO, c[1])) for i, c in others if not (c[1] < entry[0] or i > j and _equal(c, entry))), ZERO
    )
    return point(ZERO) if certain >= p[1] else point(ONE) if candidates < p[0] else (ZERO, ONE)


def sort_descending(ends: list[End]) -> list[End]:
    """The ends from the largest down, by exchanges of neighbours: each place is a maximum or minimum, which balls
    enclose.
    """
    ordered: list[End] = []
    for end in ends:
        for k, place_value in enumerate(ordered):
            ordered[k], end = most((place_value, end)), least((place_value, end))
        ordered.append(end)
    return ordered

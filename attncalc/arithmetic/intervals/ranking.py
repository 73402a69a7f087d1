"""Rank entries that are intervals: the entries that may be largest, those that certainly are, and their
possible order.
"""

from __future__ import annotations

from .scalar import ONE, ZERO, End, Interval, least, most, point


def argmax_candidates(row: list[Interval]) -> list[int]:
    """Return the columns that may hold a row's largest entry."""
    return [j for j in range(len(row)) if top_k_indicator(row, j, 1, in_order=False) != point(ZERO)]


def top_k_indicator(row: list[Interval], j: int, k: int, in_order: bool = True) -> Interval:
    """Return 1 if entry j is certainly among the k largest, 0 if it certainly is not, otherwise [0, 1].

    Of equal entries the first ranks higher; without `in_order` any of them may.
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
    """Return 1 if the entries that rank before j certainly sum to less than p, 0 if they certainly reach p, otherwise
    [0, 1].
    """
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
    """Sort ends from the largest down by exchanging neighbours, with maxima and minima of overlapping balls as
    enclosures.
    """
    ordered: list[End] = []
    for end in ends:
        for k, place_value in enumerate(ordered):
            ordered[k], end = most((place_value, end)), least((place_value, end))
        ordered.append(end)
    return ordered

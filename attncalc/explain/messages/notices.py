"""The sentences of quality notices, for `lint` and JSON."""

from __future__ import annotations

from collections.abc import Sequence


def scale_is_one(step: str) -> str:
    """A scale of 1 hides a missing scale."""
    return f"{step}: the scale is 1, so forgetting to scale would not show"


def constant_step(step: str) -> str:
    """A step is equal in every variant."""
    return f"{step}: does not depend on the givens, so it is the same in every variant"


def saturated(step: str) -> str:
    """All weights of a softmax print as 0 or 1."""
    return f"{step}: every weight prints as 0 or 1, since one large score takes it all (a saturated softmax)"


def uniform_rows(step: str, rows: Sequence[str]) -> str:
    """The weights of some rows are all equal."""
    which = f"row {rows[0]} has" if len(rows) == 1 else f"rows {', '.join(rows)} have"
    return f"{step}: {which} equal weights"

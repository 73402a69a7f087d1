"""The formulas that a message proposes, apart from their shapes."""

from __future__ import annotations

import re

SHAPE = r" \(\d+ × \d+\)"


def proposals(message: str) -> list[str]:
    """The formulas between "did you mean" and the question mark that ends a message; none where it proposes nothing."""
    found = re.search(r"did you mean (.*)\?$", message)
    if found is None:
        return []
    return [one for one in re.split(f"{SHAPE}(?: or |$)", found[1]) if one]


def shapes(message: str) -> list[tuple[int, int]]:
    """The shapes beside what a message proposes."""
    return [(int(n), int(m)) for n, m in re.findall(r" \((\d+) × (\d+)\)(?= or |\?$)", message)]

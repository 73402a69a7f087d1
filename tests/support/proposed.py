"""The formulas that a message proposes, apart from their shapes."""

from __future__ import annotations

import re

SHAPE = r" \(\d+ × \d+\)"


def proposals(message: str) -> list[str]:
    """The formulas between "did you mean" and the question mark that ends a message, apart from warnings after it; none
    where it proposes nothing.
    """
    return [one for one in re.split(f"{SHAPE}(?: or |$)", proposed(message)) if one]


def shapes(message: str) -> list[tuple[int, int]]:
    """The shapes beside what a message proposes."""
    return [(int(n), int(m)) for n, m in re.findall(r" \((\d+) × (\d+)\)(?= or |$)", proposed(message))]


def proposed(message: str) -> str:
    errors = "\n".join(line for line in message.splitlines() if "warning: " not in line)
    found = re.search(r"did you mean (.*)\?$", errors or message)
    return found[1] if found else ""

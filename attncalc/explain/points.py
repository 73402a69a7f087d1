"""Points as every table and page prints them: a student finds the same number on the page and in the course system."""

from __future__ import annotations

from fractions import Fraction

PLACES = 4  # decimals of marks such as 1/3


def points(x: Fraction) -> str:
    """`7`, `2.5`, `0.3333`: rounded half up."""
    whole = (2 * abs(x) * 10**PLACES + 1) // 2
    text = f"{whole // 10**PLACES}.{whole % 10**PLACES:0{PLACES}}".rstrip("0").rstrip(".")
    return f"-{text}" if x < 0 and whole else text

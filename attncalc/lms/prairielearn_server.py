"""A question of PrairieLearn: draws a variant and marks each cell in exact fractions. Written by attncalc."""

import re
from fractions import Fraction
from typing import Any

# Each variant: its code, the texts that differ, and its cells. A cell has a weight, the spellings of −∞ if that is
# right, and answers (number, tolerance, share, feedback), of which the first that fits counts.
VARIANTS: list[dict[str, Any]] = []

LONGEST = 60  # characters of an answer
DECIMAL = r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?"
NUMBER = re.compile(rf"([+-]?{DECIMAL})(?:/({DECIMAL}))?", re.ASCII)
WANTED = "Enter a number, such as -1.73 or 2/3 (-inf for minus infinity)."
INFINITE = re.compile(r"([+-]|minus |plus )?(inf|infinity|infty|oo|∞)")


def generate(data: dict[str, Any]) -> None:
    """Choose the variant by the seed."""
    number = int(data["variant_seed"]) % len(VARIANTS)
    variant = VARIANTS[number]
    data["params"].update({"number": number, "code": variant["code"], "text": variant["text"]})
    for name, cell in variant["cells"].items():
        data["correct_answers"][name] = cell["right"]


def parse(data: dict[str, Any]) -> None:
    """Report answers that cannot be read; an empty cell is allowed."""
    for name in VARIANTS[data["params"]["number"]]["cells"]:
        typed = tidy(data["submitted_answers"].get(name))
        if typed and number(typed) is None and not INFINITE.fullmatch(typed):
            data["format_errors"][name] = WANTED


def grade(data: dict[str, Any]) -> None:
    """Set the partial scores, the score, and the feedback to known mistakes."""
    cells = VARIANTS[data["params"]["number"]]["cells"]
    earned = Fraction(0)
    feedback: dict[str, None] = {}
    for name, cell in cells.items():
        share, words = mark(cell, tidy(data["submitted_answers"].get(name)))
        data["partial_scores"][name] = {"score": float(share), "weight": cell["weight"], "feedback": words}
        earned += share * cell["weight"]
        if words:
            feedback[words] = None
    total = sum(cell["weight"] for cell in cells.values())
    if total:  # choices and essays have no cells
        data["score"] = float(earned / total)
        data["feedback"]["said"] = list(feedback)


def mark(cell: dict[str, Any], typed: str) -> tuple[Fraction, str]:
    """Return the share that an answer earns, and its feedback."""
    if cell["words"]:
        return Fraction(typed in cell["words"]), ""
    value = number(typed)
    if value is not None:
        for text, tolerance, share, words in cell["answers"]:
            if abs(value - Fraction(text)) <= Fraction(tolerance):
                return Fraction(share), words
    return Fraction(0), ""


def tidy(typed: object) -> str:
    """Return an answer with one kind of minus sign, and spaces only between words."""
    return re.sub(r"([+-]) ", r"\1", " ".join(str(typed or "").replace("\u2212", "-").lower().split()))


def number(typed: str) -> Fraction | None:
    """Return a decimal or a fraction exactly; None for other texts."""
    match = NUMBER.fullmatch(typed) if len(typed) <= LONGEST else None
    if match is None or (match[2] and not Fraction(match[2])):
        return None
    return Fraction(match[1]) / Fraction(match[2] or 1)

"""The keys of a problem file, with their meaning: what the reader accepts and what the JSON Schema says."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Key:
    """A key, where it may stand (`problem`, `part`) and what it means."""

    name: str
    where: str
    doc: str


KEYS = (
    Key("format", "problem", "the version of this format: 1"),
    Key("title", "problem part", "text for people"),
    Key("source", "problem part", "where the exercise comes from"),
    Key("note", "problem part", "text for people"),
    Key("ask", "problem part", "what the student is asked to do"),
    Key("tags", "problem part", "words to find the problem by"),
    Key("license", "problem", "the licence of the exercise"),
    Key("given", "problem part", "the givens by name: matrices, numbers, formulas over earlier givens"),
    Key("givens", "problem", "`rounded`: given numbers with a decimal point are themselves rounded to their last digit"),
    Key("vectors", "problem", "whether tokens are the rows of X (Q = X W) or its columns (Q = W X)"),
    Key("rounding", "problem part", "digits and mode of what is printed, and whether rounded steps are carried on"),
    Key("accept", "problem part", "conventions that are right as well, by the codes of the catalogue of mistakes"),
    Key("parts", "problem", "the parts by name, in order; a problem with one part may put its keys at the top"),
    Key("steps", "part", "further steps by name: formulas, or a lesson under a name of its own"),
    Key("pin", "part", "steps whose value is given instead of computed"),
    Key("asked", "part", "the steps, or slices of them, that the student must answer; all by default"),
    Key("points", "part", "marks for the part, or for each step"),
)


def keys_at(where: str) -> list[str]:
    return [key.name for key in KEYS if where in key.where.split()]

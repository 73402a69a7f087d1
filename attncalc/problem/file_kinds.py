"""Recognise files of another kind than a problem, a sheet or answers, and name the command that takes them."""

from __future__ import annotations

from ..errors import AttncalcError, Location
from .yaml_file.nodes import LARGEST_FILE, Mapping, Scalar

# Kinds of files and the commands that take them, by `kind:` or otherwise by the file's keys.
STATED = {
    "attncalc key": (
        "key",
        "the key of an exam",
        "use it in `attncalc grade`; each file variant-....yaml is a problem",
    ),
    "attncalc exam": ("manifest", "the manifest of an exam's folder", "it is not an input of any command"),
    "attncalc stress": ("stress", "a report of `attncalc stress`", "it is not an input of any command"),
}
KNOWN = (
    (
        "sheet",
        {"questions"},
        "an exam sheet",
        "use it in `attncalc exam`, which writes the key.json for `grade` and `answers`",
    ),
    ("answers", {"answers"}, "an answer file", "use it in `attncalc check PROBLEM ANSWERS`"),
    (
        "problem",
        {"given", "parts", "steps"},
        "a problem",
        "solve it with `attncalc solve`, or use it in a sheet (problem: FILE)",
    ),
)
EXPECTED = {"problem": "a problem", "sheet": "an exam sheet", "answers": "answers"}


def refuse_others(tree: Mapping, required: str) -> None:
    """Raise AttncalcError if the file is clearly of another kind than `problem`, `sheet` or `answers`."""
    stated = tree.get("kind")
    file_kind = STATED.get(stated.text) if isinstance(stated, Scalar) else None
    if file_kind is None:
        fitting = [(name, what, takes) for name, keys, what, takes in KNOWN if keys & tree.pairs.keys()]
        if not fitting or required in (name for name, _, _ in fitting):
            return
        file_kind = fitting[0]
    _, what, takes = file_kind
    raise AttncalcError(f"expected {EXPECTED[required]}, found {what}; {takes}", tree.place)


def refuse_large(data: bytes | str, required: str, source: str) -> None:
    """Raise AttncalcError for the key of a large class, which is larger than a problem may be."""
    start = data[:1_000]
    if len(data) > LARGEST_FILE and (
        b'"attncalc key"' in start if isinstance(start, bytes) else '"attncalc key"' in start
    ):
        _, what, takes = STATED["attncalc key"]
        raise AttncalcError(f"expected {EXPECTED[required]}, found {what}; {takes}", Location(source))

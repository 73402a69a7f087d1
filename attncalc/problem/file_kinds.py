"""Recognises files of the wrong kind. The kinds are problem, sheet and answers. The error names the right command."""

from __future__ import annotations

from ..errors import AttncalcError, Location
from .yaml_file.nodes import LARGEST_FILE, Mapping, Scalar

# The kinds of files and their commands: by the value of `kind:` (STATED), or by the keys of the file (KNOWN).
STATED = {
    "attncalc key": (
        "key",
        "the key of an exam",
        "grade scripts with `attncalc grade KEY SCRIPTS`; the problems are in the files variant-....yaml",
    ),
    "attncalc exam": ("manifest", "the manifest of an exam's folder", "no command reads this file"),
    "attncalc stress": ("stress", "a report of `attncalc stress`", "no command reads this file"),
}
KNOWN = (
    ("sheet", {"questions"}, "an exam sheet", "write the papers with `attncalc exam SHEET`"),
    ("answers", {"answers"}, "an answer file", "check the answers with `attncalc check PROBLEM ANSWERS`"),
    (
        "problem",
        {"given", "parts", "steps"},
        "a problem",
        "solve the problem with `attncalc solve FILE`, or name the file in an exam sheet (problem: FILE)",
    ),
)
EXPECTED = {"problem": "a problem", "sheet": "an exam sheet", "answers": "answers"}


def refuse_others(tree: Mapping, required: str) -> None:
    """Raise AttncalcError if the file is clearly of another kind than `required`: problem, sheet or answers."""
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
    """Raise AttncalcError if a file above the size limit is the answer key of a class, not a problem."""
    start = data[:1_000]
    if len(data) > LARGEST_FILE and (
        b'"attncalc key"' in start if isinstance(start, bytes) else '"attncalc key"' in start
    ):
        _, what, takes = STATED["attncalc key"]
        raise AttncalcError(f"expected {EXPECTED[required]}, found {what}; {takes}", Location(source))

"""What a sheet says of marking: `accept:` and `rubric:` of all its questions, and of one."""

from __future__ import annotations

from ..problem.text import Mapping, Scalar, Sequence, Yaml

Pairs = dict[str, tuple[Scalar, Yaml]]


def marking(item: Mapping, sheet: Mapping) -> dict[str, Yaml]:
    """What is accepted in a question: what the sheet accepts everywhere and what the question adds; its rubric, else
    the sheet's.
    """
    accepted = joined(sheet.get("accept"), item.get("accept"))
    rubric = item.get("rubric") or sheet.get("rubric")
    return {word: node for word, node in (("accept", accepted), ("rubric", rubric)) if node is not None}


def joined(*nodes: Yaml | None) -> Yaml | None:
    """Several `accept:` as one; None where there is none."""
    there = [node for node in nodes if node is not None]
    if len(there) < 2:
        return there[0] if there else None
    return Sequence(
        [item for node in there for item in (node.items if isinstance(node, Sequence) else [node])], there[0].place
    )


def of_part(node: Yaml, part: str, names: list[str]) -> Yaml:
    """What of `accept:` is meant for one part of a problem: a step is called `masked.Z` there, or `Z` in every part."""
    if isinstance(node, Sequence):
        return Sequence([kept for item in node.items if (kept := of_part(item, part, names)) is not None], node.place)
    if not isinstance(node, Mapping):
        return node
    found: Pairs = {}
    for key, value in node.pairs.values():
        home, dot, step = key.text.partition(".")
        if not (dot and home in names):
            found[key.text] = key, value
        elif home == part:
            found[step] = Scalar(step, key.place), value
    return Mapping(found, node.place)

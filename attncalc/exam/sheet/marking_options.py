"""The marking keys `accept:`, `rubric:` and `round:`, of a sheet and of its questions."""

from __future__ import annotations

from ...problem.yaml_file.nodes import Mapping, Scalar, Sequence, Yaml

Pairs = dict[str, tuple[Scalar, Yaml]]


def marking(item: Mapping, sheet: Mapping) -> dict[str, Yaml]:
    """Return the `accept` items of the sheet and of the question together, and the rubric of the question or else of
    the sheet. The rounding of points is always from the sheet.
    """
    accepted = merge_accept(sheet.get("accept"), item.get("accept"))
    rubric = _with_rounding(item.get("rubric") or sheet.get("rubric"), sheet)
    return {word: node for word, node in (("accept", accepted), ("rubric", rubric)) if node is not None}


def _with_rounding(rubric: Yaml | None, sheet: Mapping) -> Yaml | None:
    """Return the rubric of a question with the sheet's rounding of points."""
    of_sheet = sheet.get("rubric")
    stated = sheet.pairs.get("round") or (of_sheet.pairs.get("round") if isinstance(of_sheet, Mapping) else None)
    if stated is None or not isinstance(rubric, Mapping | None):
        return rubric
    pairs = rubric.pairs if isinstance(rubric, Mapping) else {}
    place = rubric.place if isinstance(rubric, Mapping) else stated[1].place
    return Mapping(pairs | {"round": stated}, place)


def merge_accept(*nodes: Yaml | None) -> Yaml | None:
    """Return the union of several `accept:` values; None if all are absent."""
    stated = [node for node in nodes if node is not None]
    if len(stated) < 2:
        return stated[0] if stated else None
    items = [item for node in stated for item in (node.items if isinstance(node, Sequence) else [node])]
    return Sequence(items, stated[0].place)


def accept_of_part(node: Yaml, part: str, names: list[str]) -> Yaml:
    """Return the items of `accept:` for one part of a problem. `masked.Z` names a step of one part, and `Z` names a
    step of every part.
    """
    if isinstance(node, Sequence):
        return Sequence([accept_of_part(item, part, names) for item in node.items], node.place)
    if not isinstance(node, Mapping):
        return node
    pairs: Pairs = {}
    for key, value in node.pairs.values():
        home, dot, step = key.text.partition(".")
        if not (dot and home in names):
            pairs[key.text] = key, value
        elif home == part:
            pairs[step] = Scalar(step, key.place), value
    return Mapping(pairs, node.place)

"""A map of matrices in one line of text, and what a matrix is in attention."""

from __future__ import annotations

from ..explain.document import Flow

ROLES = {"Q": "query", "K": "key", "V": "value"}
PRINTED = {"query": "0072B2", "key": "B84C00", "value": "007A5A"}  # their colours on white paper, as in flow.svg


def role(name: str) -> str:
    """What a matrix is in attention, by its name: Q, Q_1, head.Q and dQ are of the queries."""
    word = name.rpartition(".")[2].removeprefix("d").partition("_")
    return ROLES.get(word[0], "") if not word[2] or word[2].isdecimal() else ""


def flow_columns(flow: Flow, by: str = "×") -> list[list[tuple[str, str]]]:
    """The columns of a map, each box with its shape where the next one has another."""
    columns: list[list[tuple[str, str]]] = []
    for level in flow.levels:
        sizes = [f"{flow.boxes[k].shape[0]}{by}{flow.boxes[k].shape[1]}" for k in level]
        after = [*sizes[1:], ""]
        columns.append(
            [
                (flow.boxes[k].name.name, size if size != next_ else "")
                for k, size, next_ in zip(level, sizes, after, strict=True)
            ]
        )
    return columns

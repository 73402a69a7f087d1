"""A flow diagram in one line of text, and the roles of matrices in attention."""

from __future__ import annotations

from ...explain.document import Flow

ROLES = {"Q": "query", "K": "key", "V": "value"}
PRINTED = {"query": "0072B2", "key": "B84C00", "value": "007A5A"}  # colours on white paper, as in flow.svg


def role(name: str) -> str:
    """Return the role of a matrix in attention by its name: Q, Q_1, head.Q and dQ are queries."""
    word = name.rpartition(".")[2].removeprefix("d").partition("_")
    return ROLES.get(word[0], "") if not word[2] or word[2].isdecimal() else ""


def flow_columns(flow: Flow, by: str = "×") -> list[list[tuple[str, str]]]:
    """Return the columns of a flow diagram as (name, size); the size is empty if the next box has an equal one."""
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

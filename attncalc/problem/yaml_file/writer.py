"""Writes YAML. Its reader gives the same tree, because every ambiguous text is in quotes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from collections.abc import Mapping as MappingType
from collections.abc import Sequence as SequenceType
from typing import TypeAlias

from ...errors import meant
from ...safe_files import escape
from .nodes import Mapping, Scalar, Sequence, Yaml

_WORDS = {"on", "off", "yes", "no", "true", "false", "null", "y", "n", "inf", "nan"}
WIDEST = 80  # the largest number of characters of a mapping on one line
LONGEST_FORM = 200  # the largest number of characters of a suggestion

Data: TypeAlias = "Yaml | MappingType[str, Data] | SequenceType[Data] | float"


def yaml_text(tree: Mapping) -> str:
    """Return the text of a file: a line for each key. Wide mappings are split into several lines."""
    return "\n".join(_lines(tree, "")) + "\n"


def _lines(tree: Mapping, indent: str) -> Iterator[str]:
    for key, value in tree.items():
        if isinstance(value, Mapping) and value.pairs and len(flow(value)) > WIDEST:
            yield f"{indent}{scalar(key.text)}:"
            yield from _lines(value, indent + "  ")
        else:
            yield f"{indent}{scalar(key.text)}: {flow(value)}".rstrip()


def flow(tree: Data, also: str = "") -> str:
    """Return a tree on one line: `[[1, 2], [3, 4]]`, `{mask: causal}`. For `also`, see `scalar`.

    >>> flow({"mask": "band(1)", "points": ["1", "2/3"]})
    '{mask: "band(1)", points: [1, "2/3"]}'
    """
    match tree:
        case Scalar(words):
            return scalar(words, also)
        case Sequence(items) | list(items):
            return f"[{', '.join(flow(item, also) for item in items)}]"
        case Mapping():
            return flow({key.text: value for key, value in tree.items()}, also)
        case dict():
            return f"{{{', '.join(f'{scalar(key, also)}: {flow(value, also)}' for key, value in tree.items())}}}"
    return scalar(str(tree), also)


def as_values(table: Mapping) -> str:
    """Return `; did you mean {values: [2, 1], columns: [the, cat]}?` for a mapping from labels to numbers or rows.
    Return an empty string for other mappings.
    """
    values = [value for _, value in table.items()]
    axes: dict[type, str] = {Scalar: "columns", Sequence: "rows"}
    axis = axes.get(type(values[0])) if len(set(map(type, values))) == 1 else None
    is_empty = any(isinstance(value, Scalar) and not value.text for value in values)  # a set such as {1, 2}
    if axis is None or is_empty or any(isinstance(row, Sequence) and not _is_flat(row) for row in values):
        return ""
    proposal = flow({"values": values, axis: list(table.pairs)})
    return meant(proposal) if len(proposal) <= LONGEST_FORM else ""


def _is_flat(row: Sequence) -> bool:
    return all(isinstance(item, Scalar) for item in row.items)


def scalar(words: str, also: str = "") -> str:
    """Return a text, in quotes if YAML would read it differently. Characters in `also` need no quotes.

    >>> scalar("causal"), scalar("-0.5"), scalar("no"), scalar("Q @ K.T"), scalar("look-ahead", also="-")
    ('causal', '-0.5', '"no"', '"Q @ K.T"', 'look-ahead')
    """
    plain = re.fullmatch(rf"[A-Za-z_][A-Za-z0-9_.{re.escape(also)}]*|-?\d+(\.\d+)?", words)
    if plain and words.casefold() not in _WORDS and words == words.strip():
        return words
    return escape(json.dumps(words, ensure_ascii=False)).replace("\xa0", "\\u00a0")

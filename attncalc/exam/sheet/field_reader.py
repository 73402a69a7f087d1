"""Readers of plain values in a mapping: switches, numbers and texts. After a fault, they return a default."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from ...errors import AttncalcError, Diagnostics
from ...problem.yaml_file.nodes import Mapping, Scalar, Sequence, Yaml, kind, text_at

Result = TypeVar("Result")
NULLS = ("null", "Null", "NULL", "~")  # words of YAML for a key without a value
FLAGS = {"true": True, "yes": True, "false": False, "no": False}


def without_nulls(tree: Mapping) -> Mapping:
    """Return a mapping in which an unquoted null is the same as no value."""
    pairs = dict(tree.pairs)
    for key, (name, node) in tree.pairs.items():
        if isinstance(node, Scalar) and node.style == "plain" and node.text in NULLS:
            pairs[key] = name, node._replace(text="")
    return tree._replace(pairs=pairs)


class Fields:
    """Reader of values in an exam sheet, whose mapping is `tree`. It collects faults in `faults`, and then returns a
    default.
    """

    def __init__(self, tree: Mapping, source: str, faults: Diagnostics):
        self.tree, self.source, self.faults = tree, source, faults

    def attempt(self, action: Callable[..., Result], *arguments: object) -> Result | None:
        """Return the result of the action, or None after collecting its faults."""
        try:
            return action(*arguments)
        except AttncalcError as error:
            self.faults.extend(error)
            return None

    def flag(self, tree: Mapping, key: str, default: bool) -> bool:
        """Return the value of a key, which is true or false."""
        node = tree.get(key)
        if node is None:
            return default
        word = node.text.casefold() if isinstance(node, Scalar) else ""
        if word not in FLAGS:
            self.faults.add(f"{key}: expected true or false, found {kind(node)}", node.place)
        return FLAGS.get(word, default)

    def whole(self, node: Yaml | None, what: str, least: int, most: int, default: int) -> int:
        """Return a whole number from `least` to `most`. Messages call it `what`."""
        if node is None:
            return default
        words = node.text if isinstance(node, Scalar) else ""
        if not re.fullmatch("[0-9]{1,9}", words) or not least <= int(words) <= most:
            self.faults.add(f"{what}: expected a whole number from {least} to {most:,}, found {kind(node)}", node.place)
            return default
        return int(words)

    def number(self, node: Yaml | None, what: str, least: int, most: int, default: float) -> float:
        """Return a decimal number from `least` to `most`."""
        if node is None:
            return default
        words = node.text if isinstance(node, Scalar) else ""
        if not re.fullmatch(r"[0-9]{1,4}(\.[0-9]{1,4})?", words) or not least <= float(words) <= most:
            self.faults.add(f"{what}: expected a number from {least} to {most}, found {kind(node)}", node.place)
            return default
        return float(words)

    def text(self, tree: Mapping, key: str) -> str:
        """Return the text of a key; empty if there is no text."""
        return text_at(tree, key, self.faults)

    def texts(self, tree: Mapping, key: str) -> list[str]:
        """Return the text of a key, or its list of texts, as a list."""
        node = tree.get(key)
        if node is None:
            return []
        items = node.items if isinstance(node, Sequence) else [node]
        for item in items:
            if not isinstance(item, Scalar):
                self.faults.add(f"{key}: expected a text or a list of texts, found {kind(item)}", item.place)
        return [item.text.strip() for item in items if isinstance(item, Scalar) and item.text.strip()]

    def centimetres(self, node: Yaml | None, what: str, most: int, default: float) -> float:
        """Return a length in centimetres, written `3cm`, `3 cm` or `3`."""
        if isinstance(node, Scalar):
            node = Scalar(re.sub(r"\s*cm$", "", node.text), node.place)
        return self.number(node, what, 0, most, default)

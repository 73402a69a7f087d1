"""Drawn words in the options of lessons that name them."""

from __future__ import annotations

from ..lessons import FILES
from .yaml_file.nodes import Mapping, Scalar, Yaml


def with_words(tree: Mapping, drawn: dict[str, list[str]]) -> Mapping:
    """A problem file, or a part, in which the options of lessons have drawn words where they name them."""

    def told(node: Yaml) -> Yaml:
        match node:
            case Scalar(text, place):
                return Scalar(" ".join(" ".join(drawn.get(word, [word])) for word in text.split()), place)
            case Mapping(pairs, place):
                return Mapping({key: (name, told(value)) for key, (name, value) in pairs.items()}, place)
        return node

    def inside(key: str, node: Yaml) -> Yaml:
        if key == "parts" and isinstance(node, Mapping):
            parts = {
                name: (one, with_words(part, drawn) if isinstance(part, Mapping) else part)
                for name, (one, part) in node.pairs.items()
            }
            return Mapping(parts, node.place)
        return told(node) if key in FILES else node

    return (
        Mapping({key: (name, inside(key, node)) for key, (name, node) in tree.pairs.items()}, tree.place)
        if drawn
        else tree
    )

"""A tree of texts as YAML that reads back as the same tree: every text that could be something else stands in quotes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from ..problem.text import Mapping, Scalar, Sequence, Yaml

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_.]*|-?\d+(\.\d+)?")
_WORDS = {"on", "off", "yes", "no", "true", "false", "null", "y", "n", "inf", "nan"}
_ODD = re.compile("[\x7f-\xa0\u2028\u2029\ufeff]")


def yaml_text(tree: Mapping) -> str:
    return "\n".join(_lines(tree, "")) + "\n"


def _lines(tree: Mapping, indent: str) -> Iterator[str]:
    for key, value in tree.items():
        if isinstance(value, Mapping) and value.pairs and len(_flow(value)) > 80:
            yield f"{indent}{scalar(key.text)}:"
            yield from _lines(value, indent + "  ")
        else:
            yield f"{indent}{scalar(key.text)}: {_flow(value)}".rstrip()


def _flow(tree: Yaml) -> str:
    match tree:
        case Scalar(words):
            return scalar(words)
        case Sequence(items):
            return f"[{', '.join(map(_flow, items))}]"
        case Mapping():
            return f"{{{', '.join(f'{scalar(key.text)}: {_flow(value)}' for key, value in tree.items())}}}"


def scalar(words: str) -> str:
    if _PLAIN.fullmatch(words) and words.casefold() not in _WORDS:
        return words
    return _ODD.sub(lambda m: f"\\u{ord(m[0]):04x}", json.dumps(words, ensure_ascii=False))

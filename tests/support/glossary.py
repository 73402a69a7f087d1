"""The glossary as data: the words that sentences use, and the names that identifiers do not have."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import yaml

FILE = Path(__file__).parents[1] / "data" / "glossary.yaml"


@cache
def glossary() -> dict[str, Any]:
    """Return the glossary: `words` for sentences, and the names that `identifiers` do not have."""
    return yaml.safe_load(FILE.read_text(encoding="utf-8"))


def table() -> str:
    """Return the words as the table of CONTRIBUTING.md."""
    rows = [f"| {word['say']} | {word['for']} | {word['not']} |" for word in glossary()["words"]]
    return "\n".join(["| say | for | not |", "| --- | --- | --- |", *rows])


def _definitions(tree: ast.Module) -> Iterator[tuple[int, str, bool]]:
    """Yield the line and the name of each definition, and whether it is a variable."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield node.lineno, name, False
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield node.lineno, name, True
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)) | ast.ExceptHandler(name=str(name)):
                yield node.lineno, name, True


@cache
def banned_identifiers(text: str) -> list[tuple[int, str]]:
    """Return the line and the name of each definition with a banned name."""
    banned = glossary()["identifiers"]
    everywhere, of_variables = set(banned["nowhere"]), {*banned["nowhere"], *banned["no variable"]}
    return sorted(
        (line, name)
        for line, name, is_variable in _definitions(ast.parse(text))
        if (name.strip("_") in of_variables if is_variable else name.strip("_").lower() in everywhere)
    )

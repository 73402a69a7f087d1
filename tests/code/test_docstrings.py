"""Modules, public classes and public functions of more than one statement have a docstring."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache

from tests.support.source import texts

FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef


def public(tree: ast.AST, before: str) -> Iterator[tuple[str, ast.AST]]:
    """Yield the public classes, and the functions and methods of more than one statement, with their names."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef | FUNCTION) and not node.name.startswith("_"):
            if isinstance(node, ast.ClassDef) or len(node.body) > 1:
                yield f"{before}.{node.name}", node
            if isinstance(node, ast.ClassDef):
                yield from public(node, f"{before}.{node.name}")


@cache
def without_a_docstring() -> list[str]:
    found = []
    for name, text in texts().items():
        tree = ast.parse(text)
        own = [(name, tree)] if tree.body else []
        found += [name for name, node in [*own, *public(tree, name)] if not ast.get_docstring(node, clean=False)]
    return found


def test_what_is_public_says_what_it_is_for():
    assert not without_a_docstring()

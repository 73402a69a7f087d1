"""Public modules, classes and functions say what they are for; how many still do not may only become fewer."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache

import pytest
from source import texts

FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef
WITHOUT = 71


def public(tree: ast.AST, before: str) -> Iterator[tuple[str, ast.AST]]:
    """A module's public classes and functions, and the methods of these classes, by name."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef | FUNCTION) and not node.name.startswith("_"):
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


@pytest.mark.slow
def test_what_is_public_says_what_it_is_for():
    found = without_a_docstring()
    assert len(found) <= WITHOUT, f"{len(found)} have no docstring, {WITHOUT} are known; the last: {found[-5:]}"


def test_modules_and_the_interface_are_documented_without_exception():
    assert not {
        name for name in without_a_docstring() if name in texts() or name.startswith(("attncalc.api", "attncalc.modes"))
    }

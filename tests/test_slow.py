"""The table of what takes long names tests that exist, and leaves some cases of every sweep in the quick run."""

import ast
from functools import cache
from pathlib import Path

import pytest
from slow import ALL_IN_CI, NOT_IN_CI, ONCE_IN_CI, QUICK_CASES, few


@cache
def functions_in(file):
    tree = ast.parse((Path(__file__).parent / file).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("test", sorted({*QUICK_CASES, *ALL_IN_CI, *NOT_IN_CI, *ONCE_IN_CI}))
def test_what_takes_long_exists(test):
    file, name = test.split("::")
    assert name in functions_in(file)


def test_a_few_are_spread_evenly():
    assert few(range(10), 4) == [0, 3, 6, 9]
    assert few(range(3), 5) == [0, 1, 2]
    assert few(range(9), 1) == [0]
    assert few(range(9), 0) == []

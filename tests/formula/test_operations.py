"""Each operation has a rule in every interpreter, and its class states its parameters and traits."""

from __future__ import annotations

import subprocess
import sys
from collections import defaultdict
from importlib import import_module
from pathlib import Path

import pytest

from attncalc.formula import operations as op
from attncalc.formula.typed_formula import OPERATIONS, Node
from tests.arithmetic.cases import BUILD
from tests.arithmetic.oracle import MEANING

ROOT = Path(__file__).parents[2]
LACKING = """
from attncalc.formula import operations as op
from attncalc.formula.typed_formula import Node

class Lacking(op.Rules[int]):
    def _every(self, node: Node, *operands: int) -> int:
        return 0

    {names} = _every

Lacking()
"""


def test_rules_have_a_line_for_each_operation():
    lines = {f"_{word}": f"Rule[{operation.__name__}, V]" for word, operation in OPERATIONS.items()}
    assert op.Rules.__annotations__ == lines
    assert BUILD.keys() == OPERATIONS.keys() == MEANING.keys() | {"ref"}


@pytest.mark.parametrize("lacking", ["softmax", ""])
def test_mypy_reports_an_interpreter_that_lacks_an_operation(tmp_path, lacking):
    names = " = ".join(f"_{word}" for word in OPERATIONS if word != lacking)
    (tmp_path / "lacking.py").write_text(LACKING.format(names=names))
    command = [sys.executable, "-m", "mypy", "--follow-imports=silent", "--cache-dir", ".mypy_cache"]
    result = subprocess.run([*command, str(tmp_path / "lacking.py")], capture_output=True, text=True, cwd=ROOT)
    assert ('abstract class "Lacking" with abstract attribute "_softmax"' in result.stdout) == bool(lacking), result
    assert result.returncode == bool(lacking)


INTERPRETERS = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for path in sorted((ROOT / "attncalc").rglob("*.py"))
    if "_RULES = op.rules(" in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_a_table_has_a_row_for_each_operation_whose_rule_reads_it(interpreter):
    """mypy sees that an operation has a rule, but not that the table of its rule has a row for it."""
    rules = import_module(interpreter)._RULES
    readers = defaultdict(set)
    for operation, rule in rules.items():
        for name in rule.__code__.co_names:
            table = rule.__globals__.get(name)
            if isinstance(table, dict) and all(isinstance(key, type) and issubclass(key, Node) for key in table):
                readers[name].add((operation, operation in table))
    assert rules.keys() == set(OPERATIONS.values())
    assert [(name, each) for name, pairs in readers.items() for each, has_row in pairs if not has_row] == []


@pytest.mark.parametrize("word", OPERATIONS)
def test_a_copy_differs_in_what_is_stated_only(word):
    """A copy of a node has its class, its parameters and its attributes."""
    operation = OPERATIONS[word]
    arguments = {"literal": (((1,),),), "ref": ("S", (1, 1)), "take": ((0,), None), "round": (1, "half_up")}
    arguments |= {"softmax": ("rows", "zeros"), "one_hot": (2, None), "top_k": (1,), "order_rows": (1, "columns", 1)}
    operand = op.Ref("x", (1, 1))
    node = operation(*arguments.get(word, ()), *(() if word in ("literal", "ref") else ((operand,), (1, 1))))
    copy = node.but(name="y")
    assert type(copy) is operation
    assert copy.parameters == node.parameters
    held = [name for name in Node.__slots__ if name != "name"]
    assert [getattr(copy, name) for name in held] == [getattr(node, name) for name in held]
    assert (node.name, copy.name) == ("", "y")
    for name in node.parameters:
        assert getattr(node.but(**{name: "other"}), name) == "other"

"""What a lecture writes for every entry gives the numbers of the step, in floats and loops that share nothing with
attncalc's arithmetic.
"""

from __future__ import annotations

import operator
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from attncalc import load, solve
from attncalc.explain.textbook_formulas import textbook_formulas
from attncalc.formula.syntax_tree import Binary, Call, Index, Name, Negate, Number, Slice, Transpose, names, walk
from attncalc.lessons.small_problems import needed, problem
from tests.lessons.test_options import REFUSED, VALUES
from tests.support.sweeps import for_each

OPERATORS = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "@": operator.matmul,
    "**": operator.pow,
}  # fmt: skip
FUNCTIONS = {
    "exp": np.exp, "log": np.log, "sqrt": np.sqrt, "sin": np.sin, "cos": np.cos, "maximum": np.maximum,
    "minimum": np.minimum, "multiple": operator.mul, "arange": np.arange,
}  # fmt: skip


def worth(tree, known):
    """The value of a formula: a number, or a matrix where a name stands for one."""
    match tree:
        case Number():
            return float(tree.value)
        case Name(name):
            return known[name]
        case Negate(part):
            return -worth(part, known)
        case Transpose(part):
            return worth(part, known).T
        case Binary(sign, left, right):
            return OPERATORS[sign](worth(left, known), worth(right, known))
        case Index(part, rows, None) if not isinstance(rows, Slice):
            matrix, row = np.atleast_2d(worth(part, known)), place(rows, known)
            return matrix.flatten()[row] if 1 in matrix.shape else matrix[row]
        case Index(part, rows, columns) if not isinstance(rows, Slice) and not isinstance(columns, Slice):
            return np.atleast_2d(worth(part, known))[place(rows, known), place(columns, known)]
        case Call("sum_i" | "sum_j" | "sum_k", (part,)):
            counter = tree.function[-1]
            return sum(worth(part, known | {counter: k}) for k in range(side(part, counter, known)))
        case Call("argmax", (Index(part, rows, None),)):
            return np.argmax(np.atleast_2d(worth(part, known))[place(rows, known)])
        case Call(function, arguments):
            return FUNCTIONS[function](*(worth(one, known) for one in arguments))
    raise AssertionError(tree)


def place(tree, known):
    return round(float(np.squeeze(worth(tree, known))))


def side(tree, counter, known):
    """How many terms a sum has: as many as the matrix along which its counter goes."""
    for part in walk(tree):
        if isinstance(part, Index) and Name(counter) in (part.rows, part.columns):
            matrix = np.atleast_2d(worth(part.operand, known | {counter: 0}))
            return matrix.size if part.columns is None else matrix.shape[part.columns == Name(counter)]
    raise AssertionError(tree)


def numbers(value):
    return np.array([[float(Fraction(x)) for x in row] for row in np.atleast_2d(np.array(value, object))])


@for_each(("lesson", "option", "value"), [one for one in VALUES if one not in REFUSED], quick=8)
def test_a_line_of_entries_gives_the_numbers_of_its_step(lesson, option, value):
    told = problem(lesson, {option: value} | needed(lesson, option, value))
    steps = solve(load(told)).parts[0].steps
    givens = {name: numbers(value) for name, value in told["given"].items()}
    known = givens | {step.name: step.numpy() for step in steps} | {"pi": np.pi, "e": np.e}
    for step in steps:
        inside = step.name.rpartition(".")[0] + "."
        local = {name.removeprefix(inside): value for name, value in known.items() if name.startswith(inside)}
        tokens = givens.get("X", givens.get("E", step.numpy()))
        lines = [line for line in textbook_formulas(step.step) if isinstance(line.name, Index)]
        assert not lines or held(lines, known | local, tokens.shape[1]) > 0


def held(lines, known, features):
    """Compares every entry with the first line that tells it; the number of heads."""
    told = set()
    for line in lines:
        step, counters = known[line.name.operand.name], sorted(names(line.name) - {*known, "d"})
        used = [known[name] for name in names(line.stages[0].tree) if np.ndim(known.get(name, 0)) == 2]
        rows, columns = (max((one.shape[k] for one in used), default=0) for k in (0, 1))
        if "pos" in counters:  # of a table, or of what is rotated, which may be a head
            features = step.shape[1] if line.name.operand.name.endswith("PE") else 2 * known["cos"].shape[1]
        counts = {"d": features, "n": rows, "words": columns}
        for found in product(range(max(step.shape)), repeat=len(counters)):
            at = known | counts | dict(zip(counters, found, strict=True))
            if "pos" in at and at["i"] >= features // 2:
                continue  # i counts pairs of columns
            try:
                entry = [place(one, at) for one in (line.name.rows, line.name.columns) if one is not None]
                wanted = worth(line.name, at)
            except IndexError:
                continue
            if tuple(entry) not in told:
                assert worth(line.stages[0].tree, at) == pytest.approx(wanted, 1e-9, 1e-12), (line, found)
                told.add(tuple(entry))
    return len(told)

"""What a formula costs before it is refused or worked out: no function makes a matrix, labels or a formula of a shape
that the limits exclude, whatever its arguments.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from functools import cache
from itertools import islice, product
from time import process_time

import pytest

from attncalc import limits
from attncalc.arithmetic.budget import MOST_SECONDS, USUAL_BITS, Meter, work
from attncalc.errors import FormulaError
from attncalc.formula.elaboration import check
from attncalc.formula.functions import Function, functions
from attncalc.formula.operations import literal
from attncalc.formula.parser import parse
from attncalc.formula.typed_formula import Node

SHAPES = {"S": (512, 512), "L": (4096, 64), "W": (64, 4096), "c": (4096, 1), "r": (1, 4096), "x": (1, 1)}
WHOLES = (1, 4096, 5_000, 10**9, -(10**9))
MOST_BYTES, MOST_TIME = 45_000_000, 8.0  # measured: 33 MB, 1.5 s
MOST_CALLS = 60  # for a function


@cache
def matrix(name: str) -> Node:
    n, m = SHAPES[name]
    one = Fraction(1, 3)
    labels = [tuple(f"token {k}" for k in range(count)) for count in (n, m)]
    node = literal(((one,) * m,) * n, *labels)
    node.name = name
    return node


def calls(function: Function) -> Iterator[str]:
    """Calls with arguments of every size, the largest first."""
    if function.variadic:
        yield from (f"{function.name}({', '.join([name] * count)})" for count in (2, 1_300) for name in SHAPES)
        yield f"{function.name}({', '.join(['zeros(512, 512)'] * 200)})"
        return
    choices = {
        "whole": [str(number) for number in WHOLES],
        "scalar": ["x"], "positive": ["1/2"], "text": ['"0-1"', '"0"'],
    }  # fmt: skip
    values = [
        [f'"{word}"' for word in p.words] if p.kind == "word" else choices.get(p.kind, [*SHAPES])
        for p in function.parameters
    ]
    for chosen in islice(product(*values), 10_000):
        yield f"{function.name}({', '.join(chosen)})"


FORMS = [
    "c @ r", "c + r", "r * c", "S @ S", "S @ S @ S", "L @ W", "W @ L", "S[[0, 1], :]", "S[::-1, ::2]", "L.T @ L", "S ** S",
    f"S[[{', '.join(['0'] * 1_000)}], :]", f"r[:, [{', '.join(['4095'] * 700)}]]", "hstack(S.T, S)[::2]", "S % 2", "S // c.T",
    "[[1, 2], [3, 4]]",
]  # fmt: skip
TABLE = {
    "forms": FORMS,
    **{
        name: [call for k, call in enumerate(every) if k % max(1, len(every) // MOST_CALLS) == 0]
        for name, function in functions().items()
        if (every := list(calls(function)))
    },
}


@pytest.mark.sweep(quick=5, ci=12)
@pytest.mark.parametrize("name", TABLE)
def test_law_every_shape_is_priced_before_it_is_made(name):
    """A call is refused, or has a shape within the limits; either costs little, since numbers are worked out later."""
    for call in TABLE[name]:
        begin = process_time()
        checked(call)
        assert process_time() - begin < MOST_TIME, call[:80]
        tracemalloc.start()
        checked(call)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < MOST_BYTES, call[:80]


def checked(call: str) -> None:
    budget = Meter(MOST_SECONDS)

    def spend(node: Node) -> None:
        if not budget.take(work(node).seconds(USUAL_BITS)):
            raise FormulaError("too much work")

    with suppress(FormulaError):
        node = check(parse(call), lambda name, at: matrix(name), spend)
        assert max(node.shape) <= limits.SIDE.most and node.size <= limits.ENTRIES.most, call[:80]

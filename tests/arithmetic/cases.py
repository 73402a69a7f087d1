"""Drawn operations: for each operation of the language a node over named operands, and the numbers that the operands
hold.

Drawn from a seeded `random.Random`, which is much faster than a strategy for every number, so that a law sees more
cases.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

from flint import arb, fmpq

from attncalc.arithmetic.exact import exact_evaluator, quotient_form
from attncalc.arithmetic.matrix_types import MINUS_INFINITY, PLUS_INFINITY
from attncalc.formula import operations as op
from attncalc.formula import shape_rules as do
from attncalc.formula.operations import literal
from attncalc.formula.typed_formula import OPERATIONS, Node
from tests.arithmetic import oracle


@dataclass(frozen=True)
class Number:
    """A number with its three readings: a rational `of`, or √, exp or ln of one, or an infinity.

    A `hidden` one is a rational of which flint knows a ball alone; only the formal number tells that it is rational.
    """

    kind: str  # rational, sqrt, exp, log, infinite, hidden
    of: Any
    radius: float = 0.0

    @property
    def value(self) -> Any:
        """For the oracle."""
        if self.kind in ("rational", "infinite", "hidden"):
            return self.of
        return getattr(oracle.mp, self.kind)(oracle.real(self.of))

    @property
    def flint(self) -> Any:
        """At flint's working precision: a fraction, a ball or the symbol of an infinity."""
        if self.kind == "infinite":
            return PLUS_INFINITY if self.of > 0 else MINUS_INFINITY
        q = fmpq(self.of.numerator, self.of.denominator)
        if self.kind == "hidden":
            return arb(q, self.radius)
        return q if self.kind == "rational" else getattr(arb(q), self.kind)()

    @property
    def formal(self) -> Any:
        if self.kind == "infinite":
            return "inf" if self.of > 0 else "-inf"
        q = quotient_form.number(fmpq(self.of.numerator, self.of.denominator))
        made = {
            "rational": lambda x: x,
            "hidden": lambda x: x,
            "sqrt": exact_evaluator.square_root,
            "exp": exact_evaluator.exponential,
            "log": exact_evaluator.logarithm,
        }
        return made[self.kind](q)


Numbers = list[list[Number]]


@dataclass(frozen=True)
class Case:
    node: Node
    operands: dict[str, Numbers]

    def expected(self) -> oracle.Values:
        """What the oracle makes of it; Undefined or Unclear otherwise."""
        return oracle.evaluate(
            self.node, {name: [[x.value for x in row] for row in m] for name, m in self.operands.items()}
        )

    @property
    def rational(self) -> bool:
        return all(x.kind == "rational" for m in self.operands.values() for row in m for x in row)


def rational(q: Fraction | int) -> Number:
    return Number("rational", Fraction(q))


MINUS_INF, PLUS_INF = Number("infinite", -math.inf), Number("infinite", math.inf)

Draw = Callable[[Random], Number]


def small(r: Random) -> Fraction:
    """Between −6 and 6, often whole, often 0 or ±1."""
    return (
        Fraction(r.choice((-4, -3, -2, -1, -1, 0, 0, 0, 1, 1, 2, 3)))
        if r.random() < 0.5
        else Fraction(r.randint(-48, 48), r.randint(1, 8)) / 8
    )


def positive(r: Random) -> Fraction:
    return Fraction(r.randint(1, 9)) if r.random() < 0.5 else Fraction(r.randint(1, 144), r.randint(1, 16)) / 16


def one_of(*draws: Draw) -> Draw:
    return lambda r: r.choice(draws)(r)


def always(*numbers: Number) -> Draw:
    return lambda r: r.choice(numbers)


def rationals(of: Callable[[Random], Fraction]) -> Draw:
    return lambda r: rational(of(r))


def root(r: Random) -> Number:
    return Number("sqrt", positive(r))


def power_of_e(r: Random) -> Number:
    return Number("exp", small(r) / 2)


def log(r: Random) -> Number:
    return Number("log", positive(r))


def whole(low: int, high: int) -> Draw:
    return lambda r: rational(r.randint(low, high))


ANY = one_of(rationals(small), rationals(small), rationals(small), root, power_of_e, log)
NOT_NEGATIVE = one_of(rationals(positive), rationals(positive), root, power_of_e, whole(0, 1))
SCORES = one_of(ANY, ANY, ANY, always(MINUS_INF))
EXTENDED = one_of(ANY, ANY, ANY, ANY, always(MINUS_INF, PLUS_INF))
SHARES = rationals(lambda r: positive(r) / 10)
MASKS = one_of(whole(0, 1), whole(0, 1), ANY)
POWERS = one_of(whole(-5, 5), rationals(lambda r: Fraction(r.randint(-9, 9), r.randint(1, 6))))
RANKED = one_of(ANY, whole(0, 2), whole(0, 2), SCORES)


class Maker:
    """Draws the operands of one case, each under a name of its own."""

    def __init__(self, random: Random):
        self.random = random
        self.operands: dict[str, Numbers] = {}

    def __call__(self, shape: tuple[int, int], entries: Draw) -> Node:
        """A name that stands for a drawn matrix."""
        n, m = shape
        name = f"x{len(self.operands)}"
        self.operands[name] = [[entries(self.random) for _ in range(m)] for _ in range(n)]
        return op.Ref(name, shape, name=name, bits=40)

    def side(self) -> int:
        return self.random.choice((1, 1, 2, 2, 3))

    def shape(self) -> tuple[int, int]:
        return self.side(), self.side()

    def part(self, shape: tuple[int, int]) -> tuple[int, int]:
        """The shape itself, or one that is stretched to it."""
        n, m = shape
        return self.random.choice((shape, shape, (1, m), (n, 1), (1, 1)))


Build = Callable[[Maker, Random], Node]


def _unary(operation: str, entries: Draw) -> Build:
    return lambda new, r: do.unary(OPERATIONS[operation], new(new.shape(), entries))


def _pairs(operation: str, left: Draw, right: Draw) -> Build:
    def build(new: Maker, r: Random) -> Node:
        shape = new.shape()
        shapes = [shape, new.part(shape)]
        if r.random() < 0.5:
            shapes.reverse()
        return do.entrywise(OPERATIONS[operation], new(shapes[0], left), new(shapes[1], right))

    return build


def _rows(operation: str, entries: Draw) -> Build:
    return lambda new, r: do.reduce_rows(OPERATIONS[operation], new(new.shape(), entries))


def _matmul(new: Maker, r: Random) -> Node:
    n, k, m = new.side(), new.side(), new.side()
    if r.random() < 0.2:  # rows of a table, looked up by their numbers
        return do.matmul(do.one_hot(new((n, 1), whole(0, k)), k, ignore=k), new((k, m), SCORES))
    entries = r.choice((ANY, ANY, ANY, SCORES))
    return do.matmul(new((n, k), entries), new((k, m), ANY if r.random() < 0.8 else entries))


def _take(new: Maker, r: Random) -> Node:
    shape = new.shape()
    picks = [r.choice((None, [r.randrange(side) for _ in range(r.randint(1, 3))])) for side in shape]
    return do.take(new(shape, SCORES), *picks)


def _round(new: Maker, r: Random) -> Node:
    digits, mode = r.randint(0, 3), r.choice(("half_up", "half_even", "truncate"))
    ties = rationals(lambda r: Fraction(r.randint(-40, 40), 2 * 10**digits))
    return do.round_to(new(new.shape(), one_of(ANY, ties, SCORES)), digits, mode)


def _softmax(new: Maker, r: Random) -> Node:
    axis, empty = r.choice(("rows", "all")), r.choice(("error", "zeros", "uniform"))
    far = one_of(whole(-3_000, 3_000), always(MINUS_INF))  # exponentials that cannot be proven with
    entries = r.choice((SCORES, SCORES, ANY, always(MINUS_INF), always(rational(3), MINUS_INF), far))
    return do.softmax(new(new.shape(), entries), axis, empty)


def _keep(new: Maker, r: Random) -> Node:
    shape = new.shape()
    return do.keep(new(shape, SCORES), new(new.part(shape), MASKS), new((1, 1), one_of(always(MINUS_INF), ANY)))


def _stack(operation: str) -> Build:
    def build(new: Maker, r: Random) -> Node:
        side, others = new.side(), [new.side() for _ in range(r.randint(1, 3))]
        return do.stack(
            OPERATIONS[operation], [new((side, k) if operation == "hstack" else (k, side), SCORES) for k in others]
        )

    return build


def _matrix(new: Maker, r: Random) -> Node:
    n, m = new.shape()
    return do.from_entries([[new((1, 1), SCORES) for _ in range(m)] for _ in range(n)], None, None)


def _one_hot(new: Maker, r: Random) -> Node:
    classes, ignore, n = r.randint(1, 4), r.choice((None, -1, 0, 1, 2)), new.side()
    ids = one_of(whole(-1, 4), whole(0, classes - 1), whole(0, classes - 1))
    return do.one_hot(new(r.choice(((n, 1), (1, n))), ids), classes, ignore=ignore)


def _top_k(new: Maker, r: Random) -> Node:
    n, m = new.shape()
    return do.top_k(new((n, m), RANKED), r.randint(1, m))


def _order_rows(new: Maker, r: Random) -> Node:
    n, m = new.shape()
    way = r.choice(("row", "rows", "columns"))
    if way == "row":
        return do.order_rows(new((n, m), RANKED), r.randint(1, m))
    return do.order_rows(new((1, n * m), RANKED), r.randint(1, n * m)).but(counts=way, width=m)


def _literal(new: Maker, r: Random) -> Node:
    n, m = new.shape()
    return literal(tuple(tuple(EXTENDED(r).of if r.random() < 0.2 else small(r) for _ in range(m)) for _ in range(n)))


BUILD: dict[str, Build] = {
    "literal": _literal, "pi": lambda new, r: op.Pi((), (1, 1)), "matrix": _matrix,
    "ref": lambda new, r: new(new.shape(), EXTENDED), "neg": lambda new, r: do.negate(new(new.shape(), EXTENDED)),
    "add": _pairs("add", SCORES, EXTENDED), "sub": _pairs("sub", SCORES, EXTENDED),
    "mul": _pairs("mul", SCORES, EXTENDED),
    "div": _pairs("div", EXTENDED, ANY), "pow": lambda new,
    r: r.choice((_pairs("pow", ANY, POWERS), _pairs("pow", NOT_NEGATIVE, ANY)))(new, r),
    "maximum": _pairs("maximum", SCORES, EXTENDED),
    "matmul": _matmul, "transpose": lambda new, r: do.transpose(new(new.shape(), SCORES)), "take": _take,
    "exp": _unary("exp", SCORES), "log": _unary("log", one_of(NOT_NEGATIVE, NOT_NEGATIVE, ANY)),
    "sqrt": _unary("sqrt", one_of(NOT_NEGATIVE, NOT_NEGATIVE, ANY)),
    "sin": _unary("sin", ANY), "cos": _unary("cos", ANY), "tanh": _unary("tanh", EXTENDED),
    "erf": _unary("erf", EXTENDED),
    "abs": _unary("abs", EXTENDED), "floor": _unary("floor", ANY), "round": _round,
    "row_sum": _rows("row_sum", EXTENDED), "row_max": _rows("row_max", EXTENDED), "softmax": _softmax, "keep": _keep,
    "hstack": _stack("hstack"), "vstack": _stack("vstack"), "one_hot": _one_hot, "top_k": _top_k,
    "top_p": lambda new, r: do.top_p(new(new.shape(), r.choice((SHARES, RANKED))), new((1, 1), SHARES)),
    "argmax_rows": _rows("argmax_rows", RANKED), "order_rows": _order_rows,
    "sort_rows": lambda new, r: do.sort_rows(new(new.shape(), RANKED)),
}  # fmt: skip


def draw_case(operation: str, r: Random) -> Case:
    """A case of the operation; an operation that has no entry here has no law and fails every test of `OPERATIONS`."""
    new = Maker(r)
    return Case(BUILD[operation](new, r), new.operands)

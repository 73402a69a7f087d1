"""A program's arithmetic: whatever numpy computes, and whatever any rounding of each operation leads to, lies in the
enclosure.

Each operation is off by at most one relative error of its type, a library's function by four, and a sum of n terms by n
of the sum of sizes.
"""

from __future__ import annotations

import itertools
from fractions import Fraction
from random import Random

import numpy as np
import pytest
from flint import arb, ctx, fmpq
from hypothesis import given
from hypothesis import strategies as st

from attncalc.arithmetic.intervals import interval_evaluator
from attncalc.arithmetic.intervals.intermediate_rounding import FLOATS, IntermediateRounding
from attncalc.arithmetic.intervals.scalar import point
from attncalc.arithmetic.matrix_types import MINUS_INFINITY
from attncalc.formula import operations as op
from attncalc.formula import shape_rules as do
from attncalc.formula.elaboration import check
from attncalc.formula.parser import parse
from attncalc.formula.typed_formula import OPERATIONS, Node
from tests.arithmetic import oracle
from tests.arithmetic.ends import ends, holds, width
from tests.support.laws import each_case

TYPES = {"float32": np.float32, "float64": np.float64}
RELATIVE = {name: Fraction(float(np.finfo(kind).eps)) for name, kind in TYPES.items()}
LEAST = {name: Fraction(float(np.finfo(kind).tiny)) for name, kind in TYPES.items()}
ALMOST = 1 - Fraction(1, 100)  # so much of a permitted error, that errors of errors have room
STRUCTURE = {"ref", "literal", "neg", "transpose"}
LIBRARY = {"exp", "log", "sin", "cos", "tanh", "erf", "pow"}
FORMULAS = (
    "A + B", "A - B", "A * B", "A / (abs(B) + 1)", "A @ B.T", "row_sum(A)", "exp(A)", "tanh(A) + 1", "log(abs(A) + 1)",
    "sqrt(abs(A))", "softmax(A)", "softmax(A @ B.T / sqrt(2)) @ B", "(A - row_mean(A)) / sqrt(row_var(A) + 1)",
    "row_max(A)", "A * pi", "1/3 * A",
)  # fmt: skip
name_of = st.sampled_from(sorted(TYPES))


def flint(q: Fraction) -> fmpq:
    return fmpq(q.numerator, q.denominator)


def some(r: Random) -> Fraction:
    """A number of few decimals, sometimes one that a program keeps as it is."""
    return Fraction(r.randint(-400, 400), r.choice((1, 4, 100, 100, 1_000)))


def parsed(formula: str, m: int) -> Node:
    return check(parse(formula), lambda name, at: op.Ref(name, (2, m), name=name))


@pytest.mark.parametrize("name", sorted(TYPES))
def test_the_numbers_of_a_type(name):
    program = FLOATS[name]
    assert (program.relative, program.least) == (flint(RELATIVE[name]), flint(LEAST[name]))


@given(r=st.randoms(use_true_random=True), name=name_of)
def test_what_a_program_stores(r, name):
    """The nearest number of the type lies in the cell; what a type has as it is stays a point."""
    x = some(r) * Fraction(2) ** r.randint(-30, 30) * r.choice((1, 1, 3**14))
    ((cell,),) = FLOATS[name].store([[point(flint(x))]])
    kept = Fraction(float(TYPES[name](x.numerator / x.denominator)))
    assert holds(cell, kept)
    if FLOATS[name].holds(flint(x)):
        assert kept == x and cell == point(flint(x))
    else:
        assert holds(cell, x * (1 + RELATIVE[name] * ALMOST)) and holds(cell, x * (1 - RELATIVE[name] * ALMOST))
        assert width(cell) <= 2 * (RELATIVE[name] * abs(x) + LEAST[name])
    assert not FLOATS[name].holds(arb(flint(x)))


@pytest.mark.parametrize("name", sorted(TYPES))
def test_what_is_stored_as_it_is(name):
    holds_, bits = FLOATS[name].holds, {"float32": 23, "float64": 52}[name]
    assert holds_(fmpq(0)) and holds_(fmpq(-3, 4)) and holds_(fmpq(2) ** bits) and holds_(fmpq(1, 2**bits))
    assert not holds_(fmpq(1, 3)) and not holds_(fmpq(1, 10)) and not holds_(fmpq(2) ** bits + fmpq(1, 2))
    ((uncertain, unbounded),) = FLOATS[name].store([[(fmpq(1), fmpq(2)), None]])
    assert unbounded is None and uncertain[0] < 1 and uncertain[1] > 2


@given(r=st.randoms(use_true_random=True), name=name_of, times=st.integers(1, 9))
def test_an_error_of_so_many_roundings(r, name, times):
    low = some(r)
    high = low + abs(some(r)) * r.choice((0, 1))
    cell = (flint(low), flint(high))
    largest = max(abs(low), abs(high))
    found, sized = FLOATS[name].with_error(cell, fmpq(times)), FLOATS[name].with_error(cell, fmpq(times), fmpq(1_000))
    for got, size in ((found, largest), (sized, Fraction(1_000))):
        error = RELATIVE[name] * times * size + LEAST[name]
        assert ends(got[0])[0] == low - error and ends(got[1])[1] == high + error
    assert FLOATS[name].with_error(None) is None
    for open_ in (point(MINUS_INFINITY), (MINUS_INFINITY, fmpq(1)), (fmpq(1), -MINUS_INFINITY)):
        assert FLOATS[name].with_error(open_) == open_


# -- whole formulas ----------------------------------------------------------------------------------------------------


class Diagnostics:
    """Relative errors within what a type permits: always up, always down, or any."""

    def __init__(self, r: Random, name: str):
        self.r, self.error, self.way, self.program = r, RELATIVE[name] * ALMOST, r.choice((1, -1, 0)), FLOATS[name]

    def stored(self, rows):
        """Numbers as the type keeps them."""
        return [[x if self.holds(x) else self(x) for x in row] for row in rows]

    def holds(self, x) -> bool:
        return isinstance(x, Fraction) and self.program.holds(flint(x))

    def __call__(self, x, times: int = 1, way: int | None = None):
        if oracle.infinite(x):
            return x
        sign = (self.way if way is None else way) or self.r.choice((-1, 1, 0))
        q = x if isinstance(x, Fraction) else oracle.exactly(x)
        return q * (1 + sign * times * self.error)


def added(terms, fault: Diagnostics):
    """A sum from the left, each addition off by one error."""
    return list(itertools.accumulate(terms, lambda x, y: fault(x + y)))[-1]


def weights(row, fault: Diagnostics, own: int):
    """e^(x − max)/Σ, the exponential at `own` off to one side and all the others to the other, if the errors have a
    side at all.
    """
    top = max(row)
    parts = []
    for j, x in enumerate(row):
        way = fault.way if j == own else -fault.way
        gap = fault(x - top, way=-way)  # a gap is negative: less of it is more
        parts.append(fault(oracle.exponential(gap), times=4, way=way))
    return fault(parts[own] / added(parts, fault))


def by_program(node: Node, values, fault: Diagnostics):
    """The formula as a program comes to it, every operation off by its error."""
    if node.word == "ref":
        return values[node.key]
    if node.word in ("literal", "pi"):
        return fault.stored(oracle.MEANING[node.word](node))
    arguments = [by_program(a, values, fault) for a in node.args]
    match node.word:
        case "matmul":
            columns = list(zip(*arguments[1], strict=True))
            return [
                [added([fault(x * y) for x, y in zip(row, column, strict=True)], fault) for column in columns]
                for row in arguments[0]
            ]
        case "row_sum":
            return [[added(row, fault)] for row in arguments[0]]
        case "softmax":
            return [[weights(row, fault, j) for j in range(len(row))] for row in arguments[0]]
    found = oracle.MEANING[node.word](node, *arguments)
    if node.word in STRUCTURE | {"row_max", "abs"}:
        return found
    if node.word in ("add", "sub", "mul") and all(fault.holds(x) for rows in arguments for row in rows for x in row):
        return fault.stored(found)  # what the type has is no rounding off
    return [[fault(x, times=4 if node.word in LIBRARY else 1) for x in row] for row in found]


@pytest.mark.parametrize("formula", FORMULAS)
@each_case()
@given(r=st.randoms(use_true_random=True), name=name_of)
def test_every_rounding_of_every_operation_is_held(formula, r, name):
    m = r.randint(1, 3)
    values = {key: [[some(r) / 80 for _ in range(m)] for _ in range(2)] for key in ("A", "B")}
    program = FLOATS[name]
    box = {key: program.store([[point(flint(x)) for x in row] for row in rows]) for key, rows in values.items()}
    fault = Diagnostics(r, name)
    kept = {key: fault.stored(rows) for key, rows in values.items()}
    node = parsed(formula, m)
    found = interval_evaluator.evaluate(node, box.__getitem__, IntermediateRounding(program=program))
    for cell, value in zip(itertools.chain(*found), itertools.chain(*by_program(node, kept, fault)), strict=True):
        assert holds(cell, value), (values, found)


def in_numpy(node: Node, values, kind):
    """The formula in numpy's own arithmetic."""
    if node.word == "ref":
        return values[node.key]
    if node.word == "literal":
        return np.array([[kind(x.numerator) / kind(x.denominator) for x in row] for row in node.entries])
    a = [in_numpy(x, values, kind) for x in node.args]
    functions = {
        "pi": lambda: np.array([[kind(np.pi)]]), "neg": np.negative, "add": np.add, "sub": np.subtract,
        "mul": np.multiply, "div": np.divide, "pow": np.power, "matmul": np.matmul, "transpose": np.transpose,
        "exp": np.exp, "log": np.log, "sqrt": np.sqrt, "tanh": np.tanh,
        "abs": np.abs, "row_sum": lambda x: x.sum(1, keepdims=True), "row_max": lambda x: x.max(1, keepdims=True),
        "softmax": lambda x: (lambda e: e / e.sum(1, keepdims=True))(np.exp(x - x.max(1, keepdims=True))),
    }  # fmt: skip
    return functions[node.word](*a).astype(kind)


@pytest.mark.parametrize("formula", FORMULAS)
@each_case()
@given(r=st.randoms(use_true_random=True), name=name_of)
def test_what_numpy_computes_is_held(formula, r, name):
    m, kind = r.randint(1, 6), TYPES[name]
    values = {key: [[some(r) / 80 for _ in range(m)] for _ in range(2)] for key in ("A", "B")}
    box = {key: FLOATS[name].store([[point(flint(x)) for x in row] for row in rows]) for key, rows in values.items()}
    node = parsed(formula, m)
    found = interval_evaluator.evaluate(node, box.__getitem__, IntermediateRounding(program=FLOATS[name]))
    arrays = {
        key: np.array([[kind(x.numerator / x.denominator) for x in row] for row in rows], dtype=kind)
        for key, rows in values.items()
    }
    for cell, value in zip(itertools.chain(*found), in_numpy(node, arrays, kind).ravel(), strict=True):
        assert holds(cell, Fraction(float(value))), (values, found)


NEARLY = Fraction(1, 10**6)  # of a width: what is worked out in balls is off by less


def opened(name: str, node: Node, box) -> list:
    """What one operation makes of boxes by a program, in one row."""
    with ctx.workprec(256):
        return list(
            itertools.chain(
                *interval_evaluator.evaluate(node, box.__getitem__, IntermediateRounding(program=FLOATS[name]))
            )
        )


def is_as_wide(cell, error: Fraction, name: str) -> bool:
    """Whether a cell is open to both sides by an error in units of the type and by the least number."""
    expected = 2 * (RELATIVE[name] * error + LEAST[name])
    return abs(width(cell) - expected) <= NEARLY * expected


def exact(x) -> Fraction:
    return x if isinstance(x, Fraction) else oracle.exactly(x)


@given(r=st.randoms(use_true_random=True), name=name_of)
def test_one_operation_opens_its_result_by_its_own_error(r, name):
    """On numbers that are kept as they are: one error of the result, four of a function, n of a sum's sizes, none of an
    arrangement.
    """
    m = r.randint(1, 4)
    values = {
        key: [[Fraction(r.randint(1, 16) * r.choice((1, -1)), 4) for _ in range(m)] for _ in range(2)] for key in "AB"
    }
    box = {key: [[point(flint(x)) for x in row] for row in rows] for key, rows in values.items()}
    a, b = (op.Ref(key, (2, m), name=key) for key in "AB")
    square = do.entrywise(op.Mul, b, b)

    def sizes(rows, columns):
        return [[m * sum(abs(x * y) for x, y in zip(row, column, strict=True)) for column in columns] for row in rows]

    def each(times: int, node: Node):
        return [[times * abs(exact(x)) for x in row] for row in oracle.evaluate(node, values)]

    cases = [(node, each(1, node)) for node in (do.entrywise(op.Div, a, b), do.unary(op.Sqrt, square))]
    cases += [
        (do.unary(OPERATIONS[word], a), each(4, do.unary(OPERATIONS[word], a)))
        for word in ("exp", "sin", "cos", "tanh", "erf")
    ]
    cases += [
        (do.matmul(a, do.transpose(b)), sizes(values["A"], values["B"])),
        (do.reduce_rows(op.RowSum, a), sizes(values["A"], [[1] * m])),
    ]
    cases += [
        (node, [[0] * node.shape[1]] * node.shape[0])
        for node in (do.negate(a), do.reduce_rows(op.RowMax, a), do.sort_rows(a), do.transpose(a))
    ]
    for node, errors in cases:
        for cell, error in zip(opened(name, node, box), itertools.chain(*errors), strict=True):
            assert is_as_wide(cell, error, name) if error else width(cell) == 0, (node.word, values, cell)


@pytest.mark.parametrize("operation", ["add", "sub", "mul"])
@pytest.mark.parametrize("kind", ["short", "long", "third", "none", "wide"])
@each_case()
@given(r=st.randoms(use_true_random=True), name=name_of)
def test_what_a_program_keeps_of_two_numbers_that_it_has_it_keeps_as_it_is(operation, kind, r, name):
    """1 − mask is 0 and 1; where it does not keep the result, or has not kept every number, that is one error off."""
    long = 1 + 2 * RELATIVE[name]  # has no more bits to spare
    values = {key: [[r.choice((Fraction(3, 4), Fraction(2))) for _ in range(2)] for _ in range(2)] for key in "AB"}
    values["A"][0][0] = {"long": long, "third": Fraction(1, 3)}.get(kind, Fraction(2))
    box = {key: [[point(flint(x)) for x in row] for row in rows] for key, rows in values.items()}
    if kind in ("none", "wide"):
        box["A"][0][0] = None if kind == "none" else (fmpq(2), fmpq(2) + flint(RELATIVE[name]))
    node = do.entrywise(OPERATIONS[operation], *(op.Ref(key, (2, 2), name=key) for key in "AB"))
    for k, (cell, x) in enumerate(
        zip(opened(name, node, box), itertools.chain(*oracle.evaluate(node, values)), strict=True)
    ):
        if k == 0 and kind in ("none", "wide"):
            assert cell is None if kind == "none" else width(cell) > 2 * RELATIVE[name] * abs(x)
        elif kind in ("short", "long") and FLOATS[name].holds(flint(x)):
            assert width(cell) == 0
        else:
            assert is_as_wide(cell, abs(x), name), (values, cell)


LOW = {"float32": -95, "float64": -735}  # of such scores the exponentials are nearly the least number


@pytest.mark.parametrize("axis", ["rows", "all"])
@pytest.mark.parametrize("far", ["near", "low", "lower", "high"])
@each_case()
@given(r=st.randoms(use_true_random=True), name=name_of, gone=st.sampled_from(["nothing", "one", "row"]))
def test_weights_are_off_by_the_scores_and_by_exponentials_that_are_nearly_0(axis, far, r, name, gone):
    """Twice four roundings and twice the largest score of all, an addition for each entry, and a quotient; where all of a
    row is below 0, the least number of the type for each exponential, as often as it is in the largest.
    """
    n, m = r.randint(1, 2), r.randint(2, 3)
    moved = {"near": 0, "low": LOW[name], "lower": 3 * LOW[name], "high": 40}[far]
    values = {"A": [[Fraction(r.randint(-40, 40), 4) + moved * (i == 0) for _ in range(m)] for i in range(n)]}
    for j in range({"nothing": 0, "one": 1, "row": m}[gone]):
        values["A"][-1][j] = float("-inf")
    box = {"A": [[point(MINUS_INFINITY if oracle.infinite(x) else flint(x)) for x in row] for row in values["A"]]}
    node = do.softmax(op.Ref("A", (n, m), name="A"), axis, "zeros")
    lines = [[x for x in row if not oracle.infinite(x)] for row in values["A"]]
    seen = [x for line in lines for x in line]
    times = 2 * (4 + 2 * max(map(abs, seen), default=0)) + n * m + 1
    least = Fraction(1, 2 ** {"float32": 149, "float64": 1074}[name])
    for k, (cell, x) in enumerate(
        zip(opened(name, node, box), itertools.chain(*oracle.evaluate(node, values)), strict=True)
    ):
        line = seen if axis == "all" else lines[k // m]
        lost = (
            min(2 * len(line) * least * exact(oracle.exponential(-max(line, default=0))), 1)
            if max(line, default=0) < 0
            else 0
        )
        expected = 2 * (RELATIVE[name] * times * exact(x) + LEAST[name] + lost)
        assert abs(width(cell) - expected) <= 4 * NEARLY * expected, (values, cell)


@pytest.mark.parametrize("name", sorted(TYPES))
def test_an_open_score_loses_as_much_as_its_lower_end_and_one_without_end_nothing(name):
    node = do.softmax(op.Ref("A", (1, 1), name="A"), "rows", "error")
    low, least = Fraction(LOW[name] - 5), {"float32": 149, "float64": 1074}[name]
    (cell,) = opened(name, node, {"A": [[(flint(low), flint(low + 5))]]})
    error = RELATIVE[name] * (2 * (4 - 2 * low) + 2) + LEAST[name]
    error += min(2 * exact(oracle.exponential(-low)) / 2**least, 1)
    assert abs(width(cell) - 2 * error) <= NEARLY
    (cell,) = opened(name, node, {"A": [[(MINUS_INFINITY, fmpq(-1))]]})
    assert cell is None or 1 <= width(cell) < 1 + NEARLY * 10**3


@pytest.mark.parametrize("name", sorted(TYPES))
def test_a_sum_is_off_by_the_largest_that_its_terms_may_be(name):
    a = op.Ref("A", (1, 2), name="A")
    box = {"A": [[(fmpq(-3), fmpq(1)), (fmpq(1, 2), fmpq(2))]]}
    for node, size, low, high in (
        (do.reduce_rows(op.RowSum, a), 5, Fraction(-5, 2), 3), (do.matmul(a, do.transpose(a)), 13, Fraction(-11, 4), 13),
    ):  # fmt: skip
        ((cell),) = opened(name, node, box)
        error = 2 * size * RELATIVE[name] + LEAST[name]
        assert ends(cell[0])[0] == low - error and ends(cell[1])[1] == high + error


@pytest.mark.parametrize("name", sorted(TYPES))
def test_what_has_no_bound_or_no_end_stays_so_by_a_program(name):
    a, b = (op.Ref(key, (1, 2), name=key) for key in "AB")
    box = {"A": [[None, point(fmpq(1))]], "B": [[point(MINUS_INFINITY), point(fmpq(1, 3))]]}
    assert opened(name, do.reduce_rows(op.RowSum, a), box) == [None]
    assert opened(name, do.matmul(b, do.transpose(a)), box) == [None]
    assert opened(name, do.entrywise(op.Add, a, b), box)[0] is None
    assert opened(name, do.entrywise(op.Add, b, b), box)[0] == point(MINUS_INFINITY)
    assert all(holds(cell, Fraction(1, 2)) for cell in opened(name, do.softmax(a, "rows", "error"), box))
    hidden = {"A": [[point(MINUS_INFINITY)] * 2]}
    assert opened(name, do.softmax(a, "rows", "error"), hidden) == [None, None]
    assert all(width(cell) <= 4 * LEAST[name] for cell in opened(name, do.softmax(a, "rows", "zeros"), hidden))


def test_a_number_that_one_hot_picks_is_not_rounded_on_the_way():
    """A product with one_hot arranges numbers; any other product makes new ones, which a hand keeps to so many digits."""
    ids, x = (op.Ref(key, shape, name=key) for key, shape in (("I", (1, 1)), ("X", (1, 3))))
    box = {"I": [[point(fmpq(1))]], "X": [[point(fmpq(k, 7)) for k in (1, 2, 3)]]}
    one_hot = do.one_hot(ids, 3, ignore=None)
    for pair, picked in (((one_hot, x), True), ((x, one_hot), True), ((x, x), False)):
        node = do.reduce_rows(op.RowSum, do.entrywise(op.Mul, *pair))
        ((cell,),) = interval_evaluator.evaluate(node, box.__getitem__, IntermediateRounding(1, "round"))
        assert (cell == point(fmpq(2, 7))) == picked and (width(cell) > 0) != picked

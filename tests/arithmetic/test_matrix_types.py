"""What arithmetic works on: which kind of matrix holds which entries, and how long an exact number may become."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random

from flint import arb, arb_mat, ctx, fmpq, fmpq_mat, fmpz
from hypothesis import given
from hypothesis import strategies as st

from attncalc.arithmetic import matrix_types
from attncalc.arithmetic.matrix_types import (
    LONGEST_EXACT,
    LONGEST_IN_PRODUCTS,
    MINUS_INFINITY,
    MOST_EXACT_BITS,
    PLUS_INFINITY,
    Literals,
    Mixed,
)
from attncalc.formula import operations as op
from attncalc.formula import shape_rules as do
from attncalc.formula.operations import literal
from attncalc.formula.typed_formula import Node
from tests.arithmetic.ends import ends
from tests.support.sweeps import for_each

ANYTHING = arb(0, math.inf)
BALL = arb(1, 0.25)


def of(shape: tuple[int, int]) -> Node:
    return op.Ref("x", shape, name="x")


@for_each("entries, kind", [
    ([fmpq(1), fmpq(1, 3)], fmpq_mat), ([fmpq(1), BALL], arb_mat), ([BALL, BALL], arb_mat), ([BALL, ANYTHING], arb_mat),
    ([fmpq(1), ANYTHING], arb_mat),
    ([fmpq(1), PLUS_INFINITY], Mixed), ([BALL, MINUS_INFINITY], Mixed), ([MINUS_INFINITY, MINUS_INFINITY], Mixed),
    ([ANYTHING, PLUS_INFINITY], Mixed),
])  # fmt: skip
def test_a_matrix_is_of_the_narrowest_kind(entries, kind):
    """A ball of every number is no infinity."""
    packed = matrix_types.pack([entries])
    assert type(packed) is kind and matrix_types.is_exact(packed) == all(
        isinstance(x, fmpq) or x in (PLUS_INFINITY, MINUS_INFINITY) for x in entries
    )
    for x, y in zip(entries, matrix_types.entries(packed)[0], strict=True):
        assert ends(x) == ends(y)


def test_infinity_and_a_ball_is_infinity_itself():
    row = matrix_types.pack([[PLUS_INFINITY + BALL, MINUS_INFINITY + BALL, BALL]]).rows[0]
    assert row[0] is PLUS_INFINITY and row[1] is MINUS_INFINITY and row[2] is BALL


@given(st.integers(-(2**70), 2**70), st.integers(-90, 90))
def test_a_ball_without_a_radius_is_its_fraction(mantissa, exponent):
    with ctx.workprec(100):
        x, want = arb(fmpz(mantissa)) * arb(2) ** exponent, fmpq(mantissa) * fmpq(2) ** exponent
    assert matrix_types.exact_value(x) == want and matrix_types.exact_value(arb(x, 1)) is None
    assert matrix_types.is_zero(x) == matrix_types.is_zero(want) == (mantissa == 0)


def test_which_numbers_are_exact_fractions_and_0():
    two = arb(2)
    assert [matrix_types.exact_value(x) is None for x in (two**LONGEST_EXACT, two**-LONGEST_EXACT, two ** (LONGEST_EXACT + 1),
        two ** -(LONGEST_EXACT + 1))] == [
        False, False, True, True]  # fmt: skip
    assert (
        matrix_types.exact_value(two**LONGEST_EXACT) == fmpq(2) ** LONGEST_EXACT
        and matrix_types.exact_value(two**-LONGEST_EXACT) == fmpq(2) ** -LONGEST_EXACT
    )
    assert [matrix_types.exact_value(x) for x in (BALL, PLUS_INFINITY, arb("nan"))] == [None] * 3
    assert not any(map(matrix_types.is_zero, (arb(0, 1), PLUS_INFINITY, arb("nan"), BALL, fmpq(1))))


def test_a_value_is_a_number_where_it_is_one_fraction():
    two = fmpq(2)
    assert matrix_types.is_number(fmpq_mat(1, 1, [two]), two) and not matrix_types.is_number(fmpq_mat(1, 1, [3]), two)
    assert not any(matrix_types.is_number(fmpq_mat(n, m, [2] * n * m), two) for n, m in ((1, 2), (2, 1), (2, 2)))
    assert not matrix_types.is_number(arb_mat(1, 1, [2]), two)


@given(st.integers(1, 60), st.integers(1, 60), st.integers(1, 60), st.booleans())
def test_all_products_of_an_operation_are_bounded(n, k, m, products):
    node = do.matmul(of((n, k)), of((k, m))) if products else do.entrywise(op.Add, of((n, m)), of((n, m)))
    count = n * m * k if products else n * m
    longest = matrix_types.longest_exact(node)
    assert LONGEST_IN_PRODUCTS <= longest <= LONGEST_EXACT
    if longest > LONGEST_IN_PRODUCTS:
        assert count * longest <= MOST_EXACT_BITS
    if longest < LONGEST_EXACT:
        assert count * (longest + 1) > MOST_EXACT_BITS


def bits(n: int) -> int:
    return len(f"{n:b}")


@given(st.lists(st.tuples(st.integers(-(10**6), 10**6), st.integers(1, 40)), min_size=1, max_size=4), st.booleans())
def test_exact_entries_are_shortened_where_they_are_longer_than_allowed(pairs, infinite):
    """Counted over one denominator: as many bits as it has, and the longest numerator."""
    row = [fmpq(a, b) for a, b in pairs]
    length = bits(math.lcm(*(int(x.denominator) for x in row))) + max(
        bits(abs(int(x.numerator))) if x else 0 for x in row
    )
    value = matrix_types.pack([row + [MINUS_INFINITY] * infinite])
    if length > 1:
        assert matrix_types.shorten(value, length) is value and matrix_types.shorten(value, 10 * length) is value
    short = matrix_types.entries(matrix_types.shorten(value, length - 1))[0]
    assert type(matrix_types.shorten(value, length - 1)) is (Mixed if infinite else arb_mat)
    assert all(type(x) is arb for x in short) and all(y.contains(x) for x, y in zip(row, short, strict=False))
    assert not infinite or short[-1] is MINUS_INFINITY


def test_what_is_not_exact_stays_as_it_is():
    for value in (arb_mat(1, 1, [BALL]), matrix_types.pack([[PLUS_INFINITY, MINUS_INFINITY]])):
        assert matrix_types.shorten(value, 2) is value


# -- what is kept of given numbers -------------------------------------------------------------------------------------

FRACTIONS = st.builds(fmpq, st.integers(-99, 99), st.integers(1, 12))


def fractions(n: int, m: int):
    return st.lists(FRACTIONS, min_size=n * m, max_size=n * m).map(lambda flat: fmpq_mat(n, m, flat))


def literal_of(a: fmpq_mat) -> Node:
    return literal(tuple(tuple(Fraction(int(x.numerator), int(x.denominator)) for x in row) for row in a.tolist()))


@given(st.integers(1, 4), st.integers(1, 12), st.integers(1, 4), st.data())
def test_products_of_givens_are_those_of_their_numbers(n, k, m, data):
    a, b = literal_of(data.draw(fractions(n, k))), literal_of(data.draw(fractions(k, m)))
    numbers, product = Literals(), do.matmul(a, b)
    one, other = numbers.matrix(a), numbers.matrix(b)
    for _ in range(2):
        assert numbers.product(one, other, product) == one * other
        balls = numbers.product(arb_mat(one), other, product)
        assert balls.contains(one * other)


def test_what_is_kept_of_givens_answers_for_no_other_matrix():
    """Other numbers come into the same formula, and what they come to may lie where the old ones lay in memory."""
    numbers = Literals()
    weights = of((2, 4))
    head = do.take(weights, None, [0, 2])
    draw = Random(1)
    for _ in range(200):
        given = numbers.matrix(literal_of(fmpq_mat(2, 4, [draw.randint(0, 1) for _ in range(8)])))
        part = numbers.part(head, given, range(2), [0, 2])
        assert part.tolist() == [[row[0], row[2]] for row in given.tolist()]
        for one in (part, *(fmpq_mat(2, 2, [draw.randint(0, 1) for _ in range(4)]) for _ in range(8))):
            assert numbers.forms_of(one).mask_entries() == [[x != 0 for x in row] for row in one.tolist()]
            assert numbers.forms_of(one).integer_form() == one.numer_denom()

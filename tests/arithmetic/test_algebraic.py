"""Nested roots and cosines: a sum that is 0 is proven to be, and one that is not never is, however near to 0 it comes."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

import mpmath
import pytest
from flint import fmpq
from hypothesis import assume, given
from hypothesis import strategies as st
from laws import examples

from attncalc import load, solve
from attncalc.arithmetic import formal

mpmath.mp.dps = 400
WHOLE = st.integers(1, 40)
SHARES = st.fractions(-9, 9, max_denominator=30)
IDENTITIES = """
sqrt(3 + 2*sqrt(2)) - 1 - sqrt(2)                       cos(pi/5) - cos(2*pi/5) - 1/2
sqrt(5 + 2*sqrt(6)) - sqrt(2) - sqrt(3)                 cos(pi/9) * cos(2*pi/9) * cos(4*pi/9) - 1/8
sqrt(2 + sqrt(3)) - (sqrt(6) + sqrt(2)) / 2             cos(pi/12) - (sqrt(6) + sqrt(2)) / 4
sqrt(4 - sqrt(7)) - sqrt(7/2) + sqrt(1/2)               4 * cos(pi/5)**2 - 2 * cos(pi/5) - 1
sqrt(2 + sqrt(2 + sqrt(2))) - 2 * cos(pi/16)            sin(pi/10) - (sqrt(5) - 1) / 4
2**(4/3) - 2 * 2**(1/3)                                 16**(1/3) * 4**(1/3) - 4
sqrt(sqrt(2) + 1) * sqrt(sqrt(2) - 1) - 1               1 / sqrt(3 + 2*sqrt(2)) - sqrt(2) + 1
exp(sqrt(2)) * (sqrt(3 + 2*sqrt(2)) - 1 - sqrt(2))      log(3) * sqrt(3 + 2*sqrt(2)) - log(3) - log(3) * sqrt(2)
abs(sqrt(3 + 2*sqrt(2)) - 1 - sqrt(2))                  floor(sqrt(3 + 2*sqrt(2)) - sqrt(2)) - 1
maximum(sqrt(3 + 2*sqrt(2)), 1 + sqrt(2)) - 1 - sqrt(2)  round(sqrt(3 + 2*sqrt(2)) - sqrt(2) + 1/2, 0) - 2
"""
ZEROS = [text.strip() for line in IDENTITIES.strip().split("\n") for text in line.split("  ") if text.strip()]


def entry(formula: str, **how):
    return solve(load({"given": {"one": 1}, "steps": {"Y": f"one * ({formula})"}} | how))["Y"]


@pytest.mark.parametrize("formula", ZEROS)
def test_what_is_0_is_proven_to_be(formula):
    assert entry(formula).fractions() == [[Fraction(0)]]
    tie = entry(f"{formula} + 1/2", rounding={"digits": 0, "mode": "half_even"}).printed()
    assert (tie.texts, tie.undecided) == ([["0"]], [])
    assert entry(f"{formula} + 1/3").fractions() == [[Fraction(1, 3)]]


@pytest.mark.parametrize("formula", ZEROS)
def test_what_is_nearly_0_is_not(formula):
    for places in (30, 300, 999):
        assert entry(f"{formula} + 1e-{places}").fractions() != [[Fraction(0)]]


def test_ties_and_orders_beside_such_numbers():
    problem = {"given": {"x": [["sqrt(3 + 2*sqrt(2))", "1 + sqrt(2)", "2"]]}, "steps": {"o": "order_rows(x, 3)", "k": "top_k(x, 1)", "m": "argmax_rows(x)"}}
    solution = solve(load(problem))
    assert [solution[name].decimals(0) for name in "okm"] == [[["0", "1", "2"]], [["1", "0", "0"]], [["0"]]]


def exact(q: Fraction) -> formal.Exact:
    return formal.number(fmpq(q.numerator, q.denominator))


def root(q: Fraction) -> formal.Exact:
    return formal.square_root(exact(q))


@examples(60)
@given(a=SHARES, b=SHARES, m=WHOLE, n=WHOLE, near=st.integers(20, 200))
def test_squares_of_sums_of_roots_have_the_roots_that_they_have(a, b, m, n, near):
    """√((a√m + b√n)²) = |a√m + b√n|, the square multiplied out; with a little more under the root it is not."""
    assume(a and b)
    formal.METER.left = 10**7
    value = a * mpmath.sqrt(m) + b * mpmath.sqrt(n)
    side = formal.add(formal.multiply(exact(a), root(Fraction(m))), formal.multiply(exact(b), root(Fraction(n))))
    square = formal.add(exact(a * a * m + b * b * n), formal.multiply(exact(2 * a * b), root(Fraction(m * n))))
    side = side if value >= 0 else formal.negative(side)
    assume(side.top)
    assert formal.vanishes(formal.add(formal.square_root(square), formal.negative(side)))
    assume(not square.rational)  # a fraction with so many digits under a root is beyond the bounds
    more = formal.square_root(formal.add(square, exact(Fraction(1, 10**near))))
    assert not formal.vanishes(formal.add(more, formal.negative(side)))


@examples(30)
@given(n=st.integers(1, 12), sign=st.sampled_from([1, -1]))
def test_cosines_of_odd_angles_sum_to_a_half(n, sign):
    """Σ cos((2k − 1)π/(2n + 1)) = 1/2 for k = 1, ..., n."""
    formal.METER.left = 10**7
    total = exact(Fraction(-sign, 2))
    for k in range(1, n + 1):
        total = formal.add(total, formal.cosine(formal.multiply(exact(Fraction(2 * k - 1, 2 * n + 1)), formal.atom("pi"))))
    assert formal.vanishes(total) == (sign > 0)


@examples(60)
@given(st.lists(st.tuples(st.integers(-4, 4), st.sampled_from(["1", "sqrt(2)", "sqrt(3)", "cos(pi/5)", "cos(pi/7)", "sqrt(2+sqrt(2))", "2**(1/3)"])), max_size=5))
def test_what_vanishes_is_0_to_400_digits(terms):
    text = " + ".join(f"({q}) * {atom}" for q, atom in terms) or "0"
    names = {"sqrt": mpmath.sqrt, "cos": mpmath.cos, "pi": mpmath.pi}
    truth = eval(text.replace("1/3", "mpf(1)/3"), {"__builtins__": {}}, names | {"mpf": mpmath.mpf})
    assert (entry(text).fractions() == [[Fraction(0)]]) == (abs(truth) < mpmath.mpf(10) ** -380)


def test_a_fraction_of_many_figures_is_no_root():
    """1/10³⁰⁰ off √2 + √3, which mere precision would take for it."""
    formal.METER.left = 10**7
    near = Fraction(isqrt(5 * 10**600 + 2 * isqrt(6 * 10**1200)), 10**300)
    assert not formal.vanishes(formal.add(formal.square_root(formal.add(exact(Fraction(5)), formal.multiply(exact(Fraction(2)), root(Fraction(6))))), exact(-near)))

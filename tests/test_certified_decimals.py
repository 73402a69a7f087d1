"""Printed decimals against 200 digits of mpmath: digits, how nearly an entry is round, and what is said to be
undecided.
"""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from attncalc import load, solve
from attncalc.errors import AttncalcError
from tests.arithmetic import oracle
from tests.support.laws import each_case

whole = st.integers(-12, 12)
FORMULAS = (
    "exp(A)",
    "A / 7",
    "sqrt(A * A + 1)",
    "softmax(A)",
    "sin(A) + A",
    "tanh(A / 4)",
    "A ** 2 / 8",
    "log(A * A + 2) * 1000",
    "exp(A * 9)",
    "A * 0",
)


def value(formula, row):
    """The row of a formula, by mpmath."""
    mp = oracle.mp
    x = [mp.mpf(a.numerator) / a.denominator for a in row]
    total = mp.fsum(map(mp.exp, x))
    one = {
        "exp(A)": mp.exp, "A / 7": lambda a: a / 7, "sqrt(A * A + 1)": lambda a: mp.sqrt(a * a + 1),
        "softmax(A)": lambda a: mp.exp(a) / total,
        "sin(A) + A": lambda a: mp.sin(a) + a, "tanh(A / 4)": lambda a: mp.tanh(a / 4),
        "A ** 2 / 8": lambda a: a * a / 8,
        "log(A * A + 2) * 1000": lambda a: mp.log(a * a + 2) * 1000, "exp(A * 9)": lambda a: mp.exp(a * 9),
        "A * 0": lambda a: a * 0,
    }[formula]  # fmt: skip
    return [one(a) for a in x]


@pytest.mark.parametrize("formula", FORMULAS)
@each_case()
@given(row=st.lists(st.builds(Fraction, whole, st.sampled_from([1, 2, 4, 5, 3])), min_size=1, max_size=3),
       digits=st.integers(0, 60),
       mode=st.sampled_from(["half_up", "half_even", "truncate"]))  # fmt: skip
def test_every_digit_agrees_with_mpmath(formula, row, digits, mode):
    problem = {
        "given": {"A": [[str(x) for x in row]]},
        "steps": {"Y": formula},
        "rounding": {"digits": digits, "mode": mode},
    }
    shown = solve(load(problem))["Y"].printed()
    assert shown.undecided == []
    unit = oracle.mp.mpf(10) ** -digits
    for text, near, exact in zip(shown.texts[0], shown.distances[0], value(formula, row), strict=True):
        gap = abs(oracle.mp.mpf(text) - exact)
        assert len(text.partition(".")[2]) == digits and gap <= unit * (1 if mode == "truncate" else 0.5) * (
            1 + oracle.mp.mpf(10) ** -150
        )
        if mode == "truncate":
            assert abs(oracle.mp.mpf(text)) <= abs(exact) * (1 + oracle.mp.mpf(10) ** -150)
        if near is not None:  # how far it is from the round number that stands there
            assert abs(oracle.mp.mpf(near) / gap - 1) < 0.06 and gap > 0
        elif digits and text[-1] == "0" or text == "0":
            assert (
                gap * 100 * 10**digits >= 1 - oracle.mp.mpf(10) ** -100
                or gap < oracle.mp.mpf(10) ** -190
                or Fraction(text).denominator > 1
                or digits == 0
                and text != "0"
            )


@given(st.integers(1, 60), st.integers(2, 30))
def test_a_gap_beyond_the_digits_is_told(power, digits):
    problem = {"given": {"A": f"1e-{power}"}, "steps": {"Y": "exp(A) - A"}, "rounding": {"digits": digits}}
    shown = solve(load(problem))["Y"].printed()
    gap = oracle.mp.exp(oracle.mp.mpf(10) ** -power) - oracle.mp.mpf(10) ** -power - 1
    assume(gap * 100 * 10**digits < 1)
    assert abs(oracle.mp.mpf(shown.distances[0][0]) / gap - 1) < 0.06


def test_numbers_too_long_to_print_are_refused():
    for formula in ("A ** 4 * 10 + sqrt(2)", "-(A ** 4) * 10 - sqrt(2)", "A ** 4 * 10"):
        with pytest.raises(AttncalcError, match="at most 4,000 digits before the decimal point"):
            solve(load({"given": {"A": "1e1000"}, "steps": {"Y": formula}}))["Y"].printed()
    for digits, formula in ((4, "A ** 4 + sqrt(2)"), (0, "A ** 4 + 1")):
        shown = solve(load({"given": {"A": "1e999"}, "steps": {"Y": formula}, "rounding": {"digits": digits}}))[
            "Y"
        ].printed()
        assert shown.texts[0][0] == "1" + "0" * 3995 + ("1.4142" if digits else "1")

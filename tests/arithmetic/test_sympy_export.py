"""Closed forms: SymPy's value of an expression, and attncalc's of its text, are the number's own, in 60 digits."""

from __future__ import annotations

from fractions import Fraction

import sympy
from flint import ctx, fmpq
from hypothesis import given
from hypothesis import strategies as st

from attncalc.arithmetic.exact import exponential_sums, quotient_form, sympy_export
from attncalc.explain import closed_form_tree as as_tree
from attncalc.formula.parser import parse
from attncalc.submissions.closed_form_numbers import thin_ball
from tests.arithmetic import oracle
from tests.arithmetic.ends import is_value
from tests.arithmetic.test_exponential_sums import PI, Both, GiveUp, effort, exp, log, mixed, q, rational, root, sin  # noqa: F401
from tests.support.sweeps import for_each

DIGITS = 60


def text_of(x: quotient_form.Exact) -> str:
    """As the page writes it."""
    return as_tree.compact_text(as_tree._quotient(x))


def evaluates_to(x: Both, found) -> None:
    value = oracle.mp.mpf(str(sympy.N(found, DIGITS + 20)))
    assert abs(value - x.value) <= oracle.mp.mpf(10) ** -DIGITS * max(1, abs(x.value)), (found, x.value)


@given(r=st.randoms(use_true_random=True))
def test_an_expression_and_its_text_are_the_number(r):
    try:
        x = mixed(r)
    except GiveUp:
        return
    found = sympy_export.expression(x.form)
    if found is None:
        assert len(x.form.top) > sympy_export.MOST_TERMS or len(x.form.bottom) > sympy_export.MOST_TERMS
        return
    evaluates_to(x, found)
    with ctx.workprec(400):
        assert is_value(thin_ball(parse(text_of(x.form))), x.value), text_of(x.form)


@for_each(
    ("x", "text"),
    [
        (q(Fraction(-2, 3)), "-2/3"), (root(q(12)), "2*sqrt(3)"), (exp(q(1)), "e"),
        (exp(q(1)) / (exp(q(1)) + exp(q(2))), "e/(e + exp(2))"),
        (log(q(12)), "log(3) + 2*log(2)"), (PI * q(2), "2*pi"), (sin(q(-1)), "-sin(1)"),
        (root(q(1) + root(q(2))), "sqrt(1 + sqrt(2))"),
        (exp(root(q(2)) / q(3)), "exp(sqrt(2)/3)"), (q(0), "0"), (PI * PI * q(3), "3*pi**2"),
        (q(2) / (PI * PI), "2/pi**2"),
        (exp(q(1) / (q(1) + root(q(2)) * PI)), "exp(1/(1 + sqrt(2)*pi))"),
    ],
)  # fmt: skip
def test_forms_as_they_are_written(x, text):
    evaluates_to(x, sympy_export.expression(x.form))
    assert text_of(x.form) == text


def test_infinities_and_what_has_no_closed_form():
    assert sympy_export.expression("inf") == sympy.oo and sympy_export.expression("-inf") == -sympy.oo
    assert sympy_export.expression(None) is None
    assert sympy_export.expression(quotient_form.atom(quotient_form.OPAQUE, ("x", 0, 0))) is None


def test_forms_too_long_to_read():
    terms = {(1, (), ((("ln", p), 1),)): fmpq(1) for p in sympy.primerange(2, 200)}
    longest = dict(list(terms.items())[: sympy_export.MOST_TERMS])
    longer = dict(list(terms.items())[: sympy_export.MOST_TERMS + 1])
    assert (
        sympy_export.expression(quotient_form.Exact(longest)) is not None
        and sympy_export.expression(quotient_form.Exact(longer)) is None
    )
    assert sympy_export.expression(quotient_form.Exact({exponential_sums.ONE_TERM: fmpq(1)}, longest)) is not None
    assert sympy_export.expression(quotient_form.Exact({exponential_sums.ONE_TERM: fmpq(1)}, longer)) is None
    assert sympy_export.expression(rational(2 ** (sympy_export.LONGEST - 1))) == 2 ** (sympy_export.LONGEST - 1)
    assert (
        sympy_export.expression(rational(2**sympy_export.LONGEST)) is None
        and sympy_export.expression(rational(Fraction(1, 2**sympy_export.LONGEST))) is None
    )


@for_each(("power", "there"), [(499, True), (500, True), (501, False), (-499, True), (-501, False)])
def test_powers_that_sympy_would_multiply_out(power, there):
    """2 has 2 bits; e^(q ln 2) with |q| above the half of LONGEST is left alone."""
    alpha = (((1, (), ((("ln", 2), 1),)), fmpq(power)),)
    assert (sympy_export.expression(quotient_form.Exact({(1, alpha, ()): fmpq(1)})) is not None) == there

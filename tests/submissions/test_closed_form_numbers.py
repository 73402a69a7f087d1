"""Closed forms of every size are read as their value or refused: no answer agrees with a number that it is not."""

from __future__ import annotations

import re

import mpmath
from hypothesis import given
from hypothesis import strategies as st

from attncalc import AttncalcError, check, load
from attncalc.formula.parser import parse
from attncalc.submissions.closed_form_numbers import NotConstant, thin_ball
from tests.support.laws import examples

WHOLE = st.integers(1, 12).map(str)
EXPONENTS = st.one_of(st.integers(-6_000, 6_000), st.sampled_from([10**8, -(10**8), 10**30, -(10**30)])).map(str)


def _joined(parts):
    powers = st.tuples(parts, EXPONENTS).map(lambda pair: f"({pair[0]})**({pair[1]})")
    pairs = st.tuples(parts, st.sampled_from("+-*/"), parts).map(lambda three: f"({three[0]}){three[1]}({three[2]})")
    calls = st.tuples(st.sampled_from(["sqrt", "exp", "ln"]), parts).map(lambda pair: f"{pair[0]}({pair[1]})")
    return st.one_of(powers, pairs, calls)


CONSTANTS = st.recursive(WHOLE, _joined, max_leaves=5)


def _precise(text):
    """Return the value at 12,000 bits, None if mpmath has none."""
    names = {"sqrt": mpmath.sqrt, "exp": mpmath.exp, "ln": mpmath.log}
    numbers = "".join(f"mpf({part})" if part.isdigit() else part for part in re.split(r"(\d+)", text))
    try:
        return eval(numbers, {"mpf": mpmath.mpf, **names})  # texts of this file alone
    except (ZeroDivisionError, OverflowError, ValueError, MemoryError):
        return None


def _exact(end):
    digits, exponent = end.man_exp()
    return mpmath.ldexp(int(digits), int(exponent))


@given(CONSTANTS)
@examples(300)
def test_a_thin_ball_holds_the_value(text):
    try:
        ball = thin_ball(parse(text))
    except NotConstant:
        return
    with mpmath.workprec(12_000):
        value = _precise(text)
        middle, radius = (_exact(part) for part in (ball.mid(), ball.rad()))
        assert value is None or abs(value - middle) <= radius + abs(value) * mpmath.mpf(10) ** -3000
        assert radius <= max(1, abs(middle)) * mpmath.mpf(10) ** -39


STEPS = {"c": "sum(u) / 7", "d": "sqrt(2) / 3", "z": "softmax(u)[0]"}
WRONG = [
    "10^-1001", "2^-5000", "1^5000", "2^1001 / 2^1001", "(-1)^5001", "(5/7)^1001", "sqrt(2)^4000", "pi^(-1001)", "e^(-99999999)",
    "7*(1/13)^(99999999)", "(sqrt(2)*sqrt(3)-sqrt(6))*10^60", "(sqrt(10^60+1)-10^30)*10^30", "(e^(ln(2))-2)*10^60",
    "(exp(10^-300)-1)*10^300", "ln(1+10^-900)*10^900", "(sqrt(2)^2-2)*10^900", "(1/3)^5000", "sqrt(2^-4000)",
]  # fmt: skip


def test_no_wrong_constant_is_right():
    problem = load({"given": {"u": [1, 4]}, "steps": STEPS})
    accepted = []
    for text in WRONG:
        for step in STEPS:
            try:
                report = check(problem, {step: text})
            except AttncalcError:
                continue
            accepted += [(step, text) for line in report.steps if line.step.name == step and line.verdict != "wrong"]
    assert not accepted

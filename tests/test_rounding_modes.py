"""Modes of rounding: each is a row of one table, and whatever rounds, reads or tells takes it from there."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from flint import arb, fmpq

from attncalc import load, solve, verify
from attncalc.arithmetic.rounding import round_ball, round_rational
from attncalc.explain.solution_document import solution_document
from attncalc.problem.json_schema import rounding
from attncalc.rounding_modes import MODES, Mode
from tests.support.decimal_modes import DECIMAL_MODES

EIGHTHS = {
    "given": {"A": [["1/8", "3/8", "0.126", "-1/8"]]},
    "rounding": {"digits": 2, "carry": "printed"},
    "steps": {"B": "A * 1"},
}


def printed(mode, **how):
    return solve(load(EIGHTHS | {"rounding": EIGHTHS["rounding"] | {"mode": mode}}), **how)


@pytest.mark.parametrize("mode", MODES)
def test_a_row_is_complete(mode):
    row = MODES[mode]
    assert 0 <= row.shift <= 1 and row.words and row.done and row.verb
    assert all(row.tie(n) in (n - 1, n) for n in range(6))
    assert mode in rounding()["properties"]["mode"]["enum"]


@pytest.mark.parametrize("mode", MODES)
def test_no_rounded_number_is_further_off_than_the_table_says(mode):
    for k in range(-40, 41):
        x, n = Fraction(k, 16), Fraction(int(round_rational(fmpq(k, 16), 0, mode)))
        assert abs(x - n) <= MODES[mode].largest_error and abs(n) <= abs(x) + MODES[mode].shift
        assert round_ball(arb(k) / 16, 0, mode) == n.numerator


def test_the_separate_verifier_and_the_oracle_know_the_same_modes():
    assert set(verify.MODES) == set(MODES), "attncalc/verify.py has modes of its own: MODES"
    assert set(DECIMAL_MODES) == set(MODES), "tests/support/decimal_modes.py: the mode as Python's decimal has it"


@pytest.mark.parametrize("mode", MODES)
def test_the_separate_verifier_rounds_as_the_oracle_does(mode):
    for k in range(-40, 41):
        expected = (Decimal(k) / 16).quantize(Decimal("0.1"), rounding=DECIMAL_MODES[mode])
        assert verify.whole(Fraction(k, 16), 1, mode) == int(round_rational(fmpq(k, 16), 1, mode)) == 10 * expected


def test_a_new_mode_needs_its_row_and_nothing_else(monkeypatch):
    row = Mode(Fraction(1, 2), lambda n: n - 1, "half down", "rounded half down", "rounds to")
    monkeypatch.setitem(MODES, "half_down", row)
    solution = printed("half_down")
    assert solution["B"].decimals() == [["0.12", "0.37", "0.13", "-0.12"]]
    document = solution_document(printed("half_down", paper=True), solution.parts, None)
    assert any("half down" in block.text for block in document.flat() if hasattr(block, "text"))

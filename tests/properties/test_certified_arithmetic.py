"""The certified arithmetic: laws, ties that only a proof can settle, and independent numbers from mpmath
and float64.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from attncalc import load, solve
from tests.support.decimal_modes import DECIMAL_MODES
from tests.support.laws import examples
from tests.support.sweeps import for_each


def only(formula: str, digits: int = 4, mode: str = "half_up", **givens: object):
    """The one step of a problem that holds one formula."""
    problem = {"given": givens, "steps": {"result": formula}, "rounding": {"digits": digits, "mode": mode}}
    return solve(load(problem))["result"]


# formula, digits, mode, printed: each an exact tie or an exact whole step, which no precision alone decides
SETTLED = [
    ("hstack(1/8, -1/8)", 2, "half_up", ["0.13", "-0.13"]),
    ("hstack(1/8, 3/8)", 2, "half_even", ["0.12", "0.38"]),
    ("hstack(-0.004, 0.0049)", 2, "half_up", ["0.00", "0.00"]),
    ("softmax(hstack(ln(3), ln(5)))", 2, "half_up", ["0.38", "0.63"]),
    ("softmax(hstack(ln(3), ln(5)))", 2, "half_even", ["0.38", "0.62"]),
    ("softmax(hstack(ln(3), ln(5)))", 3, "truncate", ["0.375", "0.625"]),
    ("softmax(hstack(sqrt(2), sqrt(2)))", 0, "half_up", ["1", "1"]),
    ("softmax(hstack(sqrt(2), sqrt(2)))", 0, "half_even", ["0", "0"]),
    ("softmax(hstack(sqrt(3), sqrt(3), sqrt(3), sqrt(3)))", 1, "half_up", ["0.3", "0.3", "0.3", "0.3"]),
    ("softmax(hstack(1/3, 1/3, 5, 5)) @ vstack(1, 1, 2, 2) * 0 + 0.5", 0, "half_up", ["1"]),
    ("softmax(hstack(sqrt(2), 1, 7)) @ vstack(0.125, 0.125, 0.125)", 2, "half_up", ["0.13"]),
    ("sqrt(2) * sqrt(8) / 8", 0, "half_up", ["1"]),
    ("sqrt(1/64)", 2, "half_up", ["0.13"]),
    ("(sqrt(2) + sqrt(3)) * (sqrt(3) - sqrt(2)) / 8", 2, "half_up", ["0.13"]),
    ("10000 ** (3/4) / 8000", 2, "half_up", ["0.13"]),
    ("exp(2) * exp(-2) / 8", 2, "half_up", ["0.13"]),
    ("exp(ln(2) / 2) ** 2 / 16", 2, "half_up", ["0.13"]),
    ("log2(8) / 8", 2, "half_up", ["0.38"]),
    ("log10(0.001)", 0, "truncate", ["-3"]),
    ("sin(pi / 6)", 0, "half_up", ["1"]),
    ("cos(hstack(pi / 3, 2 * pi / 3, pi, 100 * pi)) / 4", 2, "half_up", ["0.13", "-0.13", "-0.25", "0.25"]),
    ("cos(pi / 4) ** 2", 0, "half_even", ["0"]),
    ("layer_norm(hstack(sqrt(2), 5), eps=0)", 2, "truncate", ["-1.00", "1.00"]),
    ("layer_norm(hstack(exp(1), 1/3), eps=0)", 0, "truncate", ["1", "-1"]),
    ("tanh(ln(3) / 2)", 0, "half_up", ["1"]),
    ("sigmoid(ln(3)) * 10", 0, "half_up", ["8"]),
    ("relu(hstack(-sqrt(2), 0.5))", 0, "half_up", ["0", "1"]),
    ("abs(-sqrt(2)) - sqrt(2) + 0.5", 0, "half_up", ["1"]),
    ("floor(sqrt(2) * sqrt(2))", 0, "truncate", ["2"]),
    ("argmax_rows(hstack(sqrt(2), 2 / sqrt(2), 1))", 0, "half_up", ["0"]),
    ("top_k(hstack(1, exp(ln(2)), 2), 1)", 0, "half_up", ["0", "1", "0"]),
    ("2 ** hstack(1/2, 3/2) @ vstack(2 ** (1/2), 0) / 4", 0, "half_up", ["1"]),
    ("log(2 + sqrt(3)) + log(2 - sqrt(3)) + 0.5", 0, "half_even", ["0"]),
    ("log2(sqrt(2) + 1) / log2(3 + 2 * sqrt(2))", 0, "half_even", ["0"]),
    ("log(softmax(hstack(1, 2))) @ vstack(1, -1)", 0, "truncate", ["-1"]),
    ("top_k(log(hstack(1 + 1e-40, 1 + 2e-40, 1 + 1e-40)), 2)", 0, "half_up", ["1", "1", "0"]),
    ("cumsum_rows(softmax(hstack(1e12, 0, -1e9)))", 1, "truncate", ["0.9", "0.9", "1.0"]),
    ("softmax(hstack(1e12, 1e12, 0))", 0, "half_up", ["0", "0", "0"]),
    ("hstack(sigmoid(1e10), tanh(1e12), tanh(-1e12))", 2, "truncate", ["0.99", "0.99", "-0.99"]),
    ('gelu(300, form="tanh")', 2, "truncate", ["299.99"]),
    ("hstack(gelu(4000), gelu(1000 * sqrt(2)), erf(-1e9))", 1, "truncate", ["3999.9", "1414.2", "-0.9"]),
    ("softmax(keep(hstack(7/9, 7/9, 1), hstack(1, 1, 0)), base=2)", 2, "truncate", ["0.50", "0.50", "0.00"]),
    ("softmax(2 * keep(hstack(sqrt(2), sqrt(2), 1), hstack(1, 1, 0)) - 1/3)", 2, "truncate", ["0.50", "0.50", "0.00"]),
    ("softmax(-(keep(hstack(pi, pi, 1), hstack(1, 1, 0), fill=inf)) - 1)", 2, "truncate", ["0.50", "0.50", "0.00"]),
    ('normalize(hstack(exp(1), sqrt(2)) * hstack(1, 0), empty="zeros")', 1, "truncate", ["1.0", "0.0"]),
    ('normalize(softmax(hstack(1, 2, 2)) * hstack(0, 1, 1), empty="zeros")', 1, "truncate", ["0.0", "0.5", "0.5"]),
    ("1 / (1 - sigmoid(-1e10)) + 0.5", 0, "half_even", ["2"]),
]


@for_each(("formula", "digits", "mode", "printed"), SETTLED)
def test_ties_and_whole_steps_are_proven(formula, digits, mode, printed):
    shown = only(formula, digits, mode).printed()
    assert shown.texts == [printed]
    assert shown.undecided == []


def test_what_no_rule_decides_is_said():
    # ln(2 − √3) is −ln(2 + √3), but no rule finds that in a product: the digit is a tie, and is called undecided
    shown = only("log(2 + sqrt(3)) * log(2 - sqrt(3)) + log(2 + sqrt(3)) ** 2 + 0.5", 0).printed()
    assert shown.undecided == [(0, 0)]
    assert shown.texts[0][0] in ("0", "1")


# formula, digits, printed, how far the print is from the truth
NEARLY = [
    ("softmax(hstack(0, 71.61))", 4, [("0.0000", "7.9e-32"), ("1.0000", "7.9e-32")]),
    ("softmax(hstack(0, 5000))", 4, [("0.0000", "3.4e-2172"), ("1.0000", "3.4e-2172")]),
    ("softmax(hstack(0, 20000))", 4, [("0.0000", "1.3e-8686"), ("1.0000", "1.3e-8686")]),
    ("softmax(hstack(1, 1))", 4, [("0.5000", None), ("0.5000", None)]),
    ("hstack(1/2, 1/3, 0, 2)", 4, [("0.5000", None), ("0.3333", None), ("0.0000", None), ("2.0000", None)]),
    ("hstack(0.99999, 0.00001, 3.99996)", 4, [("1.0000", "1.0e-05"), ("0.0000", "1.0e-05"), ("4.0000", "4.0e-05")]),
    ("softmax(hstack(0, 100)) @ vstack(1, 13.8)", 4, [("13.8000", "4.8e-43")]),
    (
        "softmax(keep(hstack(1, 2, 800), hstack(1, 0, 1)))",
        2,
        [("0.00", "1.0e-347"), ("0.00", None), ("1.00", "1.0e-347")],
    ),
]


@for_each(("formula", "digits", "expected"), NEARLY)
def test_entries_that_only_print_as_round_numbers(formula, digits, expected):
    shown = only(formula, digits).printed()
    assert list(zip(shown.texts[0], shown.distances[0], strict=True)) == expected


def test_a_gap_beyond_every_precision_gets_a_bound():
    shown = only("softmax(hstack(0, 10000000))").printed()
    assert shown.texts == [["0.0000", "1.0000"]]
    assert shown.distances[0][0] == "1.5e-4342945"
    assert shown.distances[0][1].startswith("<1e-")


def test_a_masked_weight_is_exactly_zero_and_a_tiny_one_is_not():
    weights = only("softmax(keep(hstack(1, 2, 300), hstack(1, 0, 1)))")
    assert weights.fractions() == [[None, Fraction(0), None]]
    assert weights.printed().distances[0][1] is None


@given(st.fractions(-(10**6), 10**6, max_denominator=10**6), st.integers(0, 8), st.sampled_from(sorted(DECIMAL_MODES)))
def test_rounding_agrees_with_decimal(x, digits, mode):
    with localcontext(prec=60):
        exact = Decimal(x.numerator) / Decimal(x.denominator)
    if Fraction(exact) != x:
        return  # no finite decimal, which the decimal module would round before it is asked to
    expected = exact.quantize(Decimal(1).scaleb(-digits), rounding=DECIMAL_MODES[mode])
    assert only("x", digits, mode, x=str(x)).decimals() == [[f"{expected or abs(expected):f}"]]


small = st.integers(-9, 9).map(lambda n: Fraction(n, 2))


@st.composite
def attention_problems(draw):
    n, d, dk = draw(st.integers(1, 4)), draw(st.integers(1, 3)), draw(st.integers(1, 3))

    def matrix(rows, columns):
        return [[str(draw(small)) for _ in range(columns)] for _ in range(rows)]

    mask = draw(st.sampled_from(["none", "causal", "band(1)"]))
    givens = {"X": matrix(n, d), "W_Q": matrix(d, dk), "W_K": matrix(d, dk), "W_V": matrix(d, dk)}
    return {"given": givens, "self_attention": {"mask": mask}}


@pytest.mark.sweep(quick=1)
@examples(60)
@given(attention_problems())
def test_float64_agrees_and_weights_sum_to_one(problem):
    certified, floating = solve(load(problem)), solve(load(problem), arithmetic="floating")
    for step in certified.parts[0].steps:
        np.testing.assert_allclose(step.numpy(), floating[step.name].numpy(), rtol=1e-9, atol=1e-12)
    texts = certified["A"].decimals(20)
    assert all(abs(sum(Fraction(t) for t in row) - 1) < Fraction(1, 10**18) for row in texts)


@examples(30)
@given(attention_problems(), st.integers(1, 25))
def test_more_digits_refine_fewer(problem, digits):
    z = solve(load(problem))["Z"]
    for short, long in zip(z.decimals(digits), z.decimals(digits + 12), strict=True):
        for a, b in zip(short, long, strict=True):
            assert abs(Fraction(a) - Fraction(b)) <= Fraction(1, 2 * 10**digits)


@examples(30)
@given(attention_problems())
def test_more_bits_give_a_ball_inside(problem):
    from flint import ctx

    a = solve(load(problem))["A"]
    with ctx.workprec(400):
        for wide, narrow in zip(a.enclosure(64).entries(), a.enclosure(256).entries(), strict=True):
            assert wide == narrow or wide.contains(narrow) and narrow.rad() < wide.rad() / 2**100


@examples(25)
@given(attention_problems())
def test_mpmath_prints_the_same_forty_digits(problem):
    mpmath.mp.dps = 70
    given_matrices = {k: mpmath.matrix([[mpmath.mpf(Fraction(x).numerator) / Fraction(x).denominator for x in row] for row in m])
                      for k, m in problem["given"].items()}  # fmt: skip
    x = given_matrices["X"]
    q, k, v = (x * given_matrices[name] for name in ("W_Q", "W_K", "W_V"))
    s = q * k.T / mpmath.sqrt(k.cols)
    kind = problem["self_attention"]["mask"]
    seen = {"none": lambda i, j: True, "causal": lambda i, j: j <= i, "band(1)": lambda i, j: abs(i - j) <= 1}[kind]
    result = solve(load(problem))["Z"].decimals(40)
    for i in range(x.rows):
        weights = [mpmath.exp(s[i, j]) if seen(i, j) else mpmath.mpf(0) for j in range(x.rows)]
        for c in range(v.cols):
            z = sum(w * v[j, c] for j, w in enumerate(weights)) / sum(weights)
            assert abs(mpmath.mpf(result[i][c]) - z) <= mpmath.mpf(10) ** -40 * 0.5000001


def test_every_step_is_rounded_on_paper():
    # By hand: S/√3 = 1.15, 0.58; e^1.15 = 3.158, e^0.58 = 1.786; 3.158/4.944 = 0.6387 -> 0.64; Z = 0.64·3 + 0.36·5 =
    # 3.72
    problem = {
        "given": {"S": [2, 1], "V": [[3], [5]]},
        "steps": {"S_scaled": "S / sqrt(3)", "A": "softmax(S_scaled)", "Z": "A @ V"},
        "rounding": {"digits": 2},
    }
    paper = solve(load(problem), paper=True)
    assert paper["S_scaled"].decimals() == [["1.15", "0.58"]]
    assert paper["A"].decimals() == [["0.64", "0.36"]]
    assert paper["Z"].decimals() == [["3.72"]]
    assert paper["Z"].fractions() == [[Fraction(372, 100)]]
    assert solve(load(problem))["Z"].decimals() == [["3.72"]]
    cut = solve(load(problem | {"rounding": {"digits": 1, "mode": "truncate"}}), paper=True)
    assert cut["S_scaled"].decimals() == [["1.1", "0.5"]]


CLOSED = [
    ("softmax(hstack(2, 4) / sqrt(3))", ["exp(2*sqrt(3)/3)/(exp(2*sqrt(3)/3) + exp(4*sqrt(3)/3))", None]),
    ("hstack(1/3, sqrt(8), sqrt(1/2))", ["1/3", "2*sqrt(2)", "sqrt(2)/2"]),
    ("sin(hstack(pi / 3, pi / 4, 1))", ["sqrt(3)/2", "sqrt(2)/2", "sin(1)"]),
    ("softmax(hstack(1, 1, 1))", ["1/3", "1/3", "1/3"]),
]


@for_each(("formula", "expected"), CLOSED)
def test_closed_forms_are_as_worked(formula, expected):
    closed = only(formula).closed()[0]
    for form, text in zip(closed, expected, strict=True):
        assert text is None or str(form) == text


@pytest.mark.sweep(quick=0)
@examples(15)
@given(attention_problems())
def test_closed_forms_equal_the_certified_values(problem):
    solution = solve(load(problem))
    for name in ("S_scaled", "A", "Z"):
        step = solution[name]
        for row, texts in zip(step.closed(), step.decimals(25), strict=True):
            for form, text in zip(row, texts, strict=True):
                if form is not None and text != "-inf":
                    assert abs(form.evalf(40) - sympy.Float(text, 40)) < 1e-24


@pytest.mark.parametrize(("n", "m"), [(5, 3), (3, 5), (33, 34)])
def test_rows_divided_by_numbers_of_their_own_and_weighted_are_those_of_mpmath(n, m):
    A = [[Fraction((7 * i + 5 * j) % 41 - 20, 10) for j in range(m)] for i in range(n)]
    W = [[Fraction((3 * i) % 11 - 5, 12)] for i in range(m)]
    texts = [[[str(x) for x in row] for row in matrix] for matrix in (A, W)]
    result = only("((pi * A) / sqrt(row_sum(A * A) + 1/7)) @ W", 30, A=texts[0], W=texts[1]).decimals()
    with mpmath.workdps(50):
        for row, (text,) in zip(A, result, strict=True):
            below = mpmath.sqrt(mpmath.fsum(_real(x) ** 2 for x in row) + _real(Fraction(1, 7)))
            exact = mpmath.pi * mpmath.fsum(_real(x) * _real(w) for x, (w,) in zip(row, W, strict=True)) / below
            assert abs(mpmath.mpf(text) - exact) <= mpmath.mpf(10) ** -30 * 0.5000001


def _real(x: Fraction) -> mpmath.mpf:
    return mpmath.mpf(x.numerator) / x.denominator


def test_sympy_and_numpy_faces():
    solution = solve(load({"given": {"S": [[0, 1], ["ln(2)", 0]]}, "steps": {"A": "softmax(S)"}}))
    assert str(solution["A"].sympy()[1, 0]) == "2/3"
    assert solution["A"].numpy().dtype == np.float64
    np.testing.assert_allclose(np.asarray(solution["A"])[1], [2 / 3, 1 / 3])
    assert "softmax" in str(solution["A"])

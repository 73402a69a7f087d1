"""Digits against independent evaluators: decimal, mpmath and fractions agree with what is printed, in every mode of
rounding.
"""

from __future__ import annotations

import warnings
from decimal import Decimal, localcontext
from fractions import Fraction

import mpmath
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from attncalc import AttncalcError, load, solve
from attncalc.arithmetic.rounding import Rounding, round_ball, round_rational
from attncalc.rounding_modes import MODES
from attncalc.solution import StepResult
from attncalc.step_values import Values
from tests.bench import samples
from tests.support.decimal_modes import DECIMAL_MODES
from tests.support.laws import examples
from tests.support.sweeps import for_each

FUNCTIONS = {
    name: getattr(mpmath, name) for name in ("sqrt", "exp", "log", "sin", "cos", "tanh", "erf", "log10", "pi", "e")
} | {"abs": abs}


def step(formula: str, paper: bool = False, rounding: dict[str, object] | None = None, **given: object):
    problem = {"title": "t", "given": given or {"one": 1}, "steps": {"a": formula}, "rounding": rounding or {}}
    return solve(load(problem), paper=paper)["a"]


# -- rounding ----------------------------------------------------------------------------------------------------------

rationals = st.builds(lambda n, k: Fraction(n, 10**k), st.integers(-4_000, 4_000), st.integers(0, 4))
ties = st.builds(lambda n, k: Fraction(2 * n + 1, 2 * 10**k), st.integers(-300, 300), st.integers(0, 4))
numbers = st.one_of(rationals, ties, st.builds(Fraction, st.integers(-200, 200), st.integers(1, 64)))
roots = st.sampled_from([2, 3, 5, 7, 10, 101]).map(lambda n: f"sqrt({n})")
mixed_rows = st.lists(st.one_of(numbers, roots), min_size=1, max_size=4).map(lambda row: [*row, "sqrt(2)"])


def exactly(entry: Fraction | str) -> Decimal:
    """An entry to 200 figures, by decimal alone."""
    if isinstance(entry, str):
        return Decimal(entry[5:-1]).sqrt()
    return Decimal(entry.numerator) / Decimal(entry.denominator)


def by_decimal(x: Decimal, digits: int, mode: str) -> Decimal:
    return x.quantize(Decimal(1).scaleb(-digits), rounding=DECIMAL_MODES[mode])


FORMULAS = {
    "1*X": lambda x: x,
    "X": lambda x: x,
    "-X": lambda x: -x,
    "X + 0.5": lambda x: x + Decimal("0.5"),
    "X/2": lambda x: x / 2,
    "X*X": lambda x: x * x,
    "sqrt(X*X)": abs,
    "log(exp(X))": lambda x: x,
}


@given(mixed_rows, st.sampled_from(sorted(FORMULAS)), st.integers(0, 4), st.sampled_from(list(MODES)), st.booleans())
@examples(150)
def test_rounding_of_rationals_beside_roots_agrees_with_decimal(row, formula, digits, mode, paper):
    result = step(formula, paper, {"digits": digits, "mode": mode}, X=[[str(x) for x in row]])
    with localcontext() as context:
        context.prec = 200
        for text, entry in zip(result.decimals()[0], row, strict=True):
            true = FORMULAS[formula](exactly(entry))
            near = by_decimal(true, 150, "half_even")  # the 200th figure of a root's square is not yet 0
            assert Decimal(text) == by_decimal(near, digits, mode)
    assert result.printed().undecided == []
    assert not any(gap and gap.startswith("<") for gap in result.printed().distances[0])


@for_each(
    ("formula", "gap"),
    [
        ("1e-7*X/8", "1.3e-08"),
        ("X/80000", "1.3e-05"),
        ("softmax(hstack(ln(3), ln(5)))/100000", "3.8e-06"),
        ("X*sqrt(2)*sqrt(2)/16e9", "1.3e-10"),
    ],
)
def test_a_distance_halfway_between_two_figures_is_told(formula, gap):
    """1.25e-8 to two figures is 1.3e-8, which no precision tells without a proof where the matrix holds a
    root as well.
    """
    assert step(formula, X=[[1, "sqrt(3)"]]).printed(4).distances[0][0] == gap


@given(rationals, st.integers(0, 4), st.sampled_from(list(MODES)))
@examples(100)
def test_a_ball_without_a_radius_rounds_as_the_number_that_it_is(x, digits, mode):
    from flint import arb, fmpq

    exact = fmpq(x.numerator, 1) / 2**5
    assert round_ball(arb(exact), digits, mode) == round_rational(exact, digits, mode)


def test_a_rate_that_is_a_tie_is_rounded_to_even():
    problem = {
        "title": "t", "given": {"step": [[1, 2, 3, 4, 16]]}, "learning_rate": {"d_model": 16, "warmup": 4},
        "rounding": {"digits": 4, "mode": "half_even"},
    }  # fmt: skip
    for paper in (False, True):
        assert solve(load(problem), paper=paper)["lr"].decimals() == [
            ["0.0312", "0.0625", "0.0938", "0.1250", "0.0625"]
        ]


UNKNOWN = ["", "half-up", "HALF_UP", "sideways", None, 4, ["half_up"]]


@for_each("mode", UNKNOWN)
def test_an_unknown_mode_of_rounding_is_refused_at_every_door(mode):
    from flint import arb, fmpq

    from attncalc.certified_decimals import Printer

    solved = step("1/3")
    doors = [
        lambda: Rounding(2, mode),
        lambda: round_rational(fmpq(1, 3), 2, mode),
        lambda: round_ball(arb(1) / 3, 2, mode),
        lambda: Printer(solved.values, solved.step, 2, mode),
        lambda: load({"title": "t", "given": {"x": 1}, "steps": {"a": "x"}, "rounding": {"mode": mode}}),
    ]
    if mode is not None:  # which asks for the problem's own
        doors += [lambda: solved.decimals(2, mode), lambda: solved.printed(2, mode)]
    for door in doors:
        with pytest.raises(AttncalcError, match="mode"):
            door()


# -- closed forms, float64 and SymPy -----------------------------------------------------------------------------------

leaves = st.sampled_from(
    [
        "2",
        "3",
        "1/2",
        "0.1",
        "sqrt(2)",
        "sqrt(2) - 1",
        "1 - sqrt(3)",
        "sqrt(1 + sqrt(2))",
        "log(2)",
        "log(1/3)",
        "pi",
        "exp(1)",
        "exp(-1/3)",
    ]
)


def grown(inner):
    one = st.tuples(st.sampled_from(["sqrt(({0})**2)", "log(abs({0}) + 1)", "exp(-abs({0}))", "sin({0})", "cos({0})",
                                     "({0})**2", "-({0})",
                                     "sqrt(log(abs({0}) + 1/3)**2)", "sqrt(sin({0})*sin({0}))",
                                     "sqrt(abs({0}) + sqrt(2))", "sqrt(exp({0}) + 1)*sqrt(1 + exp({0}))", "tanh({0})",
                                     "abs({0})"]), inner)  # fmt: skip
    two = st.tuples(
        st.sampled_from(["({0}) + ({1})", "({0}) - ({1})", "({0}) * ({1})", "({0}) / (1 + ({1})**2)"]), inner, inner
    )
    return st.one_of(one, two).map(lambda found: found[0].format(*found[1:]))


formulas = st.recursive(leaves, grown, max_leaves=5)


def by_mpmath(formula: str, figures: int = 120) -> mpmath.mpf:
    """The value of a formula to so many figures; its decimals and quotients are read as exact numbers."""
    import re

    mpmath.mp.dps = figures
    read = re.sub(r"(?<![\w.])(\d+(?:\.\d+)?(?:e[-+]?\d+)?)(?![\w.])", r"mpf('\1')", formula)
    return mpmath.mpf(eval(read, {"__builtins__": {}}, FUNCTIONS | {"mpf": mpmath.mpf}))


@given(formulas)
@examples(150)
def test_closed_forms_agree_with_an_evaluator_of_their_own(formula):
    result = step(formula, one=1)
    true = by_mpmath(formula)
    assert abs(by_mpmath(result.decimals(40)[0][0]) - true) <= mpmath.mpf(10) ** -40 * 0.6
    closed = result.closed()[0][0]
    if closed is not None:
        assert abs(mpmath.mpf(str(sympy.N(closed, 120))) - true) < mpmath.mpf(10) ** -80 * (1 + abs(true))


def nearest_float(x: mpmath.mpf) -> float:
    return float(Fraction(*map(int, _ratio(x))))


def _ratio(x: mpmath.mpf) -> tuple[int, int]:
    sign, mantissa, exponent, _ = x._mpf_
    mantissa = -int(mantissa) if sign else int(mantissa)
    return (mantissa << exponent, 1) if exponent >= 0 else (mantissa, 1 << -exponent)


SMALL = ["exp(1e-30) - 1", "exp(1e-30) - 1 - 1e-30", "sin(1e-20) - 1e-20", "exp(-300)*sqrt(2)", "exp(-730)", "exp(700)",
         "cos(1e-12) - 1", "tanh(1e-9) - 1e-9", "1 - erf(5)", "sqrt(2)*1e-160*1e-150"]  # fmt: skip


@given(st.one_of(formulas, st.sampled_from(SMALL)))
@examples(150)
def test_numpy_has_the_float64_nearest_to_the_value(formula):
    true = by_mpmath(formula, 700)
    if abs(true) > mpmath.mpf(10) ** -600:  # what is 0, mpmath does not know to be 0
        assert step(formula).numpy()[0, 0] == nearest_float(true)
    else:
        assert step(formula).numpy()[0, 0] == 0.0


@for_each(
    ("formula", "value"),
    [
        ("sin(pi)", 0.0),
        ("sqrt(2)*sqrt(2) + 2**-52", 2.0),  # halfway between two floats: to the even one
        ("sqrt(2)*sqrt(2) + 3*2**-52", 2.0 + 2**-50),
        ("sqrt(2)*sqrt(2)*2**-1075", 5e-324),
        ("exp(-10000)", 0.0),
        ("exp(1e5)", float("inf")),
        ("-pi*1e309", float("-inf")),
        ("log(0)", float("-inf")),
        ("1e309", float("inf")),
    ],
)
def test_the_ends_of_float64(formula, value):
    assert step(formula).numpy()[0, 0] == value


@for_each(
    "formula", ["erf(sqrt(1 + sqrt(2)))*1e-40", "sqrt(1 + sqrt(2))*1e30", "tanh(erf(1))/1e60", "sqrt(1 + sqrt(2))"]
)
def test_a_sympy_float_has_the_figures_that_it_claims(formula):
    import sympy

    found = step(formula).sympy()[0, 0]
    true = by_mpmath(formula)
    value = by_mpmath(str(found)) if isinstance(found, sympy.Float) else true
    assert abs(value / true - 1) < mpmath.mpf(10) ** -49
    assert not isinstance(found, sympy.Float) or found._prec >= 166


# -- what was undecided or refused -------------------------------------------------------------------------------------


@for_each("s", ["sqrt(1 + sqrt(2))", "exp(x)*sin(exp(2))", "erf(x)/3", "1/(exp(x) + exp(exp(x)))", "log(x + pi)"])
@for_each(("formula", "value"), [("s - s", "0"), ("s/s", "1"), ("(s + 1) - s", "1"), ("2*s - s - s", "0")])
def test_a_step_less_itself_is_0(s, formula, value):
    solved = solve(load({"title": "t", "given": {"x": "1.3"}, "steps": {"s": s, "d": formula}}))
    assert solved["d"].printed(4).texts == [[f"{value}.0000"]]
    assert solved["d"].printed(4).undecided == []
    assert solved["d"].printed(4).distances == [[None]]


@for_each(
    ("formula", "value"),
    [
        ("sqrt(1 + sqrt(2)) - sqrt(sqrt(2) + 1)", "0.00"),
        ("sqrt(1 + sqrt(2))*sqrt(1 + sqrt(2)) - sqrt(2)", "1.00"),
        ("sqrt(exp(1) + 1)/sqrt(1 + exp(1))/8", "0.12"),
        ("(sqrt(pi + 1)**3 - sqrt(1 + pi))/sqrt(pi + 1)/pi/8", "0.12"),
        ("top_k(sqrt(hstack(x, 1, x) + sqrt(2)), 2)[0, 2]", "1.00"),
    ],
)
def test_roots_of_sums_are_known_by_what_stands_under_them(formula, value):
    assert step(formula, rounding={"digits": 2, "mode": "half_even"}, x="sqrt(3)").decimals() == [[value]]
    assert step(formula, x="sqrt(3)").printed().distances == [[None]]


@pytest.mark.parametrize("mode", MODES)
def test_a_root_times_itself_can_be_rounded_on_paper(mode):
    X = [["sqrt(2)", 1], ["sqrt(3)", 2]]
    assert step("X*X", True, {"digits": 2, "mode": mode}, X=X).decimals() == [["2.00", "1.00"], ["3.00", "4.00"]]
    assert step("x*x", True, {"digits": 2, "mode": mode}, x="sqrt(2)").decimals() == [["2.00"]]


@for_each(
    ("logits", "options", "kept", "next_word"),
    [
        (["ln(3)", "ln(15)", "ln(2)", 0], {"top_k": 3, "top_p": 1}, ["1", "1", "1", "0"], "1"),
        ([1, 2, "0.3", 0], {"top_k": 3, "top_p": 1}, ["1", "1", "1", "0"], "1"),
        (["ln(2)", "ln(2)", "ln(3)", 0], {"top_k": 3, "top_p": "0.9"}, ["1", "1", "1", "0"], "2"),
        (["ln(2)", "ln(2)", 0], {"top_p": "0.4"}, ["1", "0", "0"], "0"),
        (["ln(2)", "ln(2)", 0], {"top_p": "0.8"}, ["1", "1", "0"], "0"),
        (["ln(2)", "ln(2)", 0], {"top_p": "0.81"}, ["1", "1", "1"], "0"),
        (["1/3", "pi", "pi", 0], {"top_k": 2, "top_p": 1}, ["0", "1", "1", "0"], "1"),
    ],
)
def test_words_whose_probabilities_reach_p_exactly(logits, options, kept, next_word):
    solved = solve(load({"title": "t", "given": {"logits": [logits]}, "next_word": options}))
    assert solved["nucleus"].decimals(0) == [kept]
    assert solved["next"].decimals(0) == [[next_word]]


@for_each("scores", ["log", "product"])
@for_each("length", ["words", "gnmt"])
def test_a_beam_may_hold_what_cannot_be(scores, length):
    """Beginnings of probability 0 stay in a wide beam, with the score −∞."""
    table = {
        "rows": ["<s>", "a", "b"],
        "columns": ["a", "b", "</s>"],
        "values": [[1, 0, 0], [0, 0, 1], ["0.3", "0.3", "0.4"]],
    }
    options = {"width": 2, "alpha": "0.7", "most": 3, "end_token": "</s>", "scores": scores, "length": length}
    solved = solve(load({"title": "t", "given": {"P": table}, "beam_search": options}))
    assert solved["probability"].decimals(4) == [["1.0000"]]
    assert solved["ids"].decimals(0) == [["0", "2"]]


@for_each("formula", ["cos(pi/5) - cos(2*pi/5)", "(sqrt(3 + 2*sqrt(2)) - sqrt(2)) / 2", "1 / 2", "sqrt(2) / 2"])
@for_each("digits", [0, 1])
def test_a_program_is_warned_of_a_digit_that_is_not_proven(formula, digits):
    step = solve({"given": {"x": formula}, "steps": {"y": "1 * x"}})["y"]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        step.decimals(digits)
    undecided = step.printed(digits).undecided
    assert [one.category.__name__ for one in told] == ["UndecidedDigits"] * bool(undecided)
    assert all("y[0, 0]" in str(one.message) for one in told)


@for_each("digits", [2, 4, 8, 16, 30])
@for_each("problem", [samples.attention(4, 3), samples.encoder(4, 8, 2, 16), samples.encoder(4, 8, 2, 16, 3)])
def test_usual_numbers_are_worked_out_once(problem, digits):
    """The precision that is required first is enough, and every step of a layer asks for the same one."""
    plan = load(problem).plan
    values = Values(plan)
    result = StepResult(plan.parts[0].steps[-1], values, Rounding(digits))
    assert not result.printed().undecided
    assert len(values.levels) == 1

"""0 · log 0, what paper rounds to 0, what is exactly 0 beside a rounded number, and what messages say of them."""

from __future__ import annotations

import json

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncalc import AttncalcError, load, solve, verify
from attncalc.explain.part_scope import Scope
from attncalc.explain.solution_document import solution_document
from attncalc.explain.worked.calculation_line import numbers
from attncalc.formula.functions import internal_functions
from attncalc.formula.parser import parse
from attncalc.formula.syntax_tree import Index, Name, Number, rewrite
from attncalc.render.certificate import write
from attncalc.render.text import write as as_text
from tests.support.laws import examples
from tests.support.sweeps import for_each

SHARES = st.lists(st.sampled_from(["0", "0", "0.25", "0.5", "1", "1/3", "sqrt(2)/2"]), min_size=3, max_size=3)


@examples(40)
@given(P=st.lists(SHARES, min_size=2, max_size=2), Q=st.lists(SHARES, min_size=2, max_size=2))
def test_0_log_0_is_0_in_every_arithmetic(P, Q):
    """Entry by entry: p·log q is 0 where p is 0, and else what it is."""
    problem = load({"given": {"P": P, "Q": Q}, "steps": {"L": "P * log(Q)", "entropy": "-row_sum(Q * log(Q))"}})
    solution, floating = solve(problem), solve(problem, arithmetic="floating")
    p, q = (numpy.array([[float(eval(x, {"sqrt": lambda n: n**0.5})) for x in row] for row in rows]) for rows in (P, Q))
    with numpy.errstate(all="ignore"):
        expected = numpy.where(p == 0, 0.0, p * numpy.log(q))
    for found in (solution["L"].numpy(), floating["L"].numpy()):
        assert numpy.allclose(found, expected, equal_nan=False)
    assert numpy.isfinite(solution["entropy"].numpy()).all()
    report = verify.verify(json.loads(write(solution)))
    assert not report.findings


@examples(30)
@given(
    st.lists(st.lists(st.integers(-40, 40), min_size=3, max_size=3), min_size=2, max_size=2),
    st.integers(0, 4),
    st.sampled_from([{}, {"ignore": 9}, {"smoothing": "0.1"}]),
)
def test_a_loss_has_a_value_on_paper_where_it_has_one(logits, digits, options):
    """A weight that paper rounds to 0 costs nothing where it is not wanted, and ∞ where it is; nothing else can go
    wrong in a loss.
    """
    problem = {
        "given": {"logits": logits, "targets": [[0, 2]]},
        "rounding": {"digits": str(digits)},
        "cross_entropy": options,
    }
    solution = solve(load(problem), paper=True)
    P, loss = solution["P"].numpy(), solution["loss"].decimals()[0][0]
    if "smoothing" not in options:
        assert (loss == "inf") == bool(P[0, 0] == 0 or P[1, 2] == 0)


def test_what_paper_rounds_to_0_and_is_divided_by_is_told_with_a_way_out():
    given = {"X": [[1, 0], [0, 1]], "W_Q": [[-9, 0], [0, -9]], "W_K": [[1, 1], [1, 1]], "W_V": [[1, 0], [0, 1]]}
    problem = {"given": given, "rounding": {"digits": 2}, "self_attention": {"softmax_steps": "true"}}
    with pytest.raises(
        AttncalcError, match=r"row 1 of E_sum is 0; rounding can turn a small number into 0; keep more digits"
    ):
        solve(load(problem), paper=True)["A"].decimals()
    assert solve(load(problem), paper=True, digits=4)["A"].decimals(1) == solve(load(problem))["A"].decimals(1)
    with pytest.raises(AttncalcError) as told:
        solve(load({"given": {"x": 0}, "steps": {"y": "1 / x"}}))["y"].decimals()
    assert "rounding can turn" not in str(told.value)


@for_each("formula, sign", [
    ("0 * log(x)", "="), ("-(0 * log(x) + 0 * x)", "="), ("1 + log(x) * 0 * x", "="), ("1 * x", "≈"),
    ("0 * x + 3 * x", "≈"),
])  # fmt: skip
def test_0_times_a_rounded_number_is_0_and_not_about_0(formula, sign):
    """A rounded number stands behind ≈, but not where it is multiplied by 0."""
    solution = solve(load({"given": {"s": "1/7"}, "steps": {"x": "s * 1", "y": formula}}))
    stage = numbers(Scope(solution, solution.parts[0]), entry_tree(parse(formula)))
    assert ("=" if stage.exact else "≈") == sign


def entry_tree(tree):
    """The formula of its only entry."""
    return rewrite(tree, lambda part: Index(part, Number("0"), Number("0")) if isinstance(part, Name) else None)


def test_a_line_of_a_bundled_problem():
    solution = solve(load("cross-entropy-loss"))
    (part,) = [part for part in solution.parts if part.name == "padding"]
    page = as_text(solution_document(solution, [part], explain="full"))
    assert "losses[third] = −(0 · ln(0.3333) + 0 · ln(0.3333) + 0 · ln(0.3333)) = 0" in page and "≈ 0\n" not in page


# -- messages ----------------------------------------------------------------------------------------------------------

SAID = {
    "0 ** -1": "division by zero: 0 has no negative power",
    "Z ** -1": "row 1, column 1 of Z is 0, which has no negative power",
    "sin(log(Z))": "log(Z) has an infinite entry, which has no sine",
    "turn(X, X @ X, Y.T)": "in turn: X * hstack(-1, 1) is 2 × 2 and Y.T is 3 × 2; * needs two matrices of "
                           "equal size, or one of them must be a row, a column or a single number that fits",
}  # fmt: skip
HOSTILE = [
    "rope(log(Z))", "turn(log(Z), X, X)", "turn(Y, X, X)", "turn(X, Y.T, X)", 'turn(X, X @ X, Y.T, layout="halves")',
    "softmax(log(Z) * 0)",
    'softmax(log(0 * X), axis="columns")', "sinusoidal(2, 4, base=Z[0, 0])",
    'sinusoidal(2, 4, base=Z[0, 0], exponent="j/d")', "log(softmax(-X) - 1)",
    'rope(X, start=inf)', 'softmax(X, axis="columns") @ Y.T', "alibi_slopes(3) @ X", "gelu(log(Z))",
    'sqrt(turn(-X, X, X, layout="halves"))',
]  # fmt: skip


def told(formula: str) -> str:
    given = {"X": [[1, 2], [3, 4]], "Y": [[1, 2, 3]], "Z": [[0, 0], [0, 1]]}
    with pytest.raises(AttncalcError) as error:
        solve(load({"given": given, "steps": {"a": formula}}))["a"].decimals()
    return str(error.value)


@for_each("formula", SAID)
def test_messages_read_well(formula):
    assert told(formula).endswith(SAID[formula])


@for_each("formula", HOSTILE)
def test_no_message_names_what_is_no_part_of_the_language(formula):
    assert not any(name in told(formula) for name in internal_functions())

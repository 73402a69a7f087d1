"""A formula with an error and a suggestion has the warnings about its other meanings that it would have without the
error.
"""

from __future__ import annotations

import pytest

from attncalc import AttncalcError, load

GIVEN = {
    "A": [[2, 1, 0], [1, 3, -1], [0.5, -2, 4]],
    "B": [[1, -1, 2], [0, 2, 1], [3, 1, -2]],
    "Q": [[1, 2], [0, -1], [2, 1]],
    "K": [[1, 1], [2, 0], [0, 1]],
    "V": [[1, 0], [0, 1], [1, 2]],
    "c": [[1], [2], [3]],
    "x": [1, -2, 3],
}
# Formulas with two meanings, and the words of the warning about the second one.
AMBIGUOUS = {
    "x.std()": "std(x, ddof=1)", "A.std(1)": "row_std(A, ddof=1)", "A.var(0)": "col_var(A, ddof=1)", "A · B": "A @ B",
    "relu(A · B)": "A @ B", "A × B": "A @ B", "softmax(A, axis=0)": 'softmax(A, axis="rows")',
    "softmax(Q @ K.T, dim=0)": 'softmax(Q @ K.T, axis="rows")', "exp(A) / exp(A).sum(0)": "exp(A) / row_sum(exp(A))",
}  # fmt: skip


def told(formula: str) -> str:
    try:
        return "\n".join(one.message for one in load({"given": GIVEN, "steps": {"R": formula}}).warnings)
    except AttncalcError as error:
        return str(error)


@pytest.mark.parametrize("formula", AMBIGUOUS)
@pytest.mark.parametrize("refused", ["{}", "{} + x[1]", "relu({}) * x[2]", "{} + Q K^T", "\\sqrt{{2}} ({})"])
def test_law_a_formula_with_an_error_keeps_the_warnings_about_other_meanings(formula, refused):
    told_of = told(refused.format(formula))
    assert "did you mean" in told_of or refused == "{}" or "expected a formula" in told_of
    if "did you mean" in told_of or refused == "{}":
        assert AMBIGUOUS[formula] in told_of


@pytest.mark.parametrize(("formula", "product"), [
    ("A · B · c", "A @ B @ c (3 × 1)"), ("A · B · B", "A @ B @ B (3 × 3)"), ("2 · A · B", "2 * A @ B (3 × 3)"),
    ("A · (B · c)", "A @ (B @ c) (3 × 1)"), ("softmax(Q · K.T) · V", ""), ("A · c · 2", "A @ c * 2 (3 × 1)"),
])  # fmt: skip
def test_law_the_matrix_product_of_a_chain_has_no_product_entry_by_entry(formula, product):
    said = [line.partition("write ")[2] for line in told(formula).splitlines() if "entry by entry" in line]
    assert not product or product in said
    assert all(" * " not in each.replace("2 * ", "").replace(" * 2", "") for each in said)


@pytest.mark.parametrize(
    "formula", ["exp({0}) / exp({0}).sum(0)", "exp({0}) / col_sum(exp({0}))", "softmax({0}, axis=0)"]
)
@pytest.mark.parametrize(("scores", "warned"), [("A", True), ("Q @ K.T", True), ("A.T", False), ("K @ Q.T", False)])
def test_law_a_softmax_of_columns_is_warned_of_if_its_rows_are_tokens(formula, scores, warned):
    assert ("for a result per token" in told(formula.format(scores))) == warned

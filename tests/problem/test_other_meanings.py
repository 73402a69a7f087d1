"""A formula with an error and a suggestion has the warnings about its other meanings that it would have without the
error.
"""

from __future__ import annotations

import re
import time

import numpy as np
import pytest

from attncalc import AttncalcError, load, solve
from tests.support.proposed import proposals
from tests.support.sweeps import for_each

GIVEN = {
    "A": [[2, 1, 0], [1, 3, -1], [0.5, -2, 4]],
    "B": [[1, -1, 2], [0, 2, 1], [3, 1, -2]],
    "Q": [[1, 2], [0, -1], [2, 1]],
    "K": [[1, 1], [2, 0], [0, 1]],
    "V": [[1, 0], [0, 1], [1, 2]],
    "c": [[1], [2], [3]],
    "x": [1, -2, 3],
    "M": [[1, 0, 0], [1, 1, 0], [1, 1, 1]],
}
# Formulas with two meanings, and the words of the warning about the second one.
AMBIGUOUS = {
    "x.std()": "std(x, ddof=1)", "A.std(1)": "row_std(A, ddof=1)", "A.var(0)": "col_var(A, ddof=1)", "A · B": "A @ B",
    "relu(A · B)": "A @ B", "A × B": "A @ B", "softmax(A, axis=0)": 'softmax(A, axis="rows")',
    "softmax(Q @ K.T, dim=0)": 'softmax(Q @ K.T, axis="rows")', "exp(A) / exp(A).sum(0)": "softmax(A)",
    "x.std(ddof=0) + x.var()": "var(x, ddof=1)", "nn.LayerNorm(2)(A)": "expects rows with 2 entries",
    "log_softmax(A, 0)": 'softmax(A, axis="rows")', "sum(A, 1)": "write col_sum(A)", "[A, B]": "write vstack(A, B)",
}  # fmt: skip


def told(formula: str) -> str:
    try:
        return "\n".join(one.message for one in load({"given": GIVEN, "steps": {"R": formula}}).warnings)
    except AttncalcError as error:
        return str(error)


@for_each("formula", AMBIGUOUS)
@for_each("refused", ["{}", "{} + x[1]", "relu({}) * x[2]", "{} + Q K^T", "\\sqrt{{2}} ({})", "(x^T x + 1) * ({})"])
def test_law_a_formula_with_an_error_keeps_the_warnings_about_other_meanings(formula, refused):
    told_of = told(refused.format(formula))
    refusals = ("did you mean", "expected a formula", "can be read in 4 ways")
    assert refused == "{}" or any(words in told_of for words in refusals)
    if "did you mean" in told_of or refused == "{}":
        assert AMBIGUOUS[formula] in told_of


@for_each("method", ["max", "min"])
@for_each("axis", [0, 1])
@for_each("index", [0, 1, -1, -2])
@for_each("refused", ["{}", "{} + x[1]", "{} x^T x"])
def test_law_an_index_after_max_has_the_values_or_the_indices_of_pytorch(method, axis, index, refused):
    A = np.array(GIVEN["A"], float)
    meant = getattr(np, method if index in (0, -2) else f"arg{method}")(A, axis=axis)
    told_of = told(refused.format(f"A.{method}({axis})[{index}]"))
    named = re.search(r"in PyTorch, index \[(-?\d)\] selects .*, which are (.*)", told_of)
    assert int(named[1]) == index
    found = solve(load({"given": GIVEN, "steps": {"R": named[2]}}))["R"].numpy()
    assert found.ravel().tolist() == meant.tolist()


@for_each(("steps", "warned"), [
    ({"R": "softmax((A @ x)[:, None] * B, axis=0)"}, 'softmax(A @ flat(x).T * B, axis="rows")'),
    ({"R": "(x[1] * A · B).std()"}, "for the matrix product, write x[0, 1] * A @ B"),
    ({"R": {"repeat": 2, "steps": {"z": "x[1] / x.std()"}}}, "std(x, ddof=1)"),
    ({"R": [["x[1] / x.std()", 1]]}, "std(x, ddof=1)"), ({"R": "x^T x / x.std()"}, "std(x, ddof=1)"),
    ({"R": "[x -c.T] + x[1]"}, "x -c.T is a subtraction"),
    ({"R": "len(x) x"}, "write cols(x)"),
    ({"R": {"attention": {"Q": "\\frac{Q}{Q.std()}", "K": "K", "V": "V"}}}, "std(Q, ddof=1)"),
])  # fmt: skip
def test_law_a_suggestion_keeps_the_warnings_wherever_the_formula_is(steps, warned):
    with pytest.raises(AttncalcError) as error:
        load({"given": GIVEN, "steps": steps})
    assert warned in str(error.value)


@for_each("formula", ["({})^T", "{} + Q K^T", "\\frac{{{}}}{{2}}", "relu({}) x[2]"])
def test_law_a_dot_between_matrices_has_the_two_readings_that_it_has_without_an_error(formula):
    shown = proposals(told(formula.format("A · B")))
    assert [sign for sign in ("A @ B", "A * B") if any(sign in each for each in shown)] == ["A @ B", "A * B"]


@for_each("form", ["({}) c", "relu({}) c", "c^T ({})", "({}) B", "B ({})"])
def test_law_a_dot_in_brackets_next_to_a_factor_has_two_readings(form):
    shown = told(form.format("A · B"))
    assert "A @ B" in shown and "A * B" in shown


@for_each("formula", ["A · B^2", "A^2 · B", "B^2 · A^3"])
def test_law_dots_and_powers_are_both_of_matrices_or_both_of_entries(formula):
    shown = proposals(told(formula))
    assert len(shown) == 2 and ["**" in each for each in shown] == ["*" in each.replace("**", "") for each in shown]


ENTRIES = ("x -c.T", "x +c.T", "1 +2", "1 -2", "A[0] -x", "(x) -(x)", "2 -x[0, 1]")


@for_each("form", ["[{}]", "[{}, x]", "[x, {}]", "[[{}], [x]]", "np.array([{}, x])", "softmax([{}])"])
@for_each("entry", ENTRIES)
def test_law_a_space_before_a_sign_in_a_list_has_a_warning(form, entry):
    assert f"is {'an addition' if '+' in entry else 'a subtraction'}; if you mean two entries" in told(
        form.format(entry)
    )


@for_each("entry", ["(x -c.T)", "x - c.T", "x + c.T", "x+c.T", "(x +c.T)", "x-c.T", "-x", "sum(x -c.T)", "2 * -x"])
def test_law_a_sign_between_two_terms_has_no_warning(entry):
    assert "if you mean two entries" not in told(f"[{entry}, x]")


@for_each(
    "form",
    ["A * ({})", "A / ({})", "({}) * A", "A + {}", "A - {}", "({}) @ A", "maximum(A, {})", "where(A > 0, {}, A)"],
)
def test_law_a_number_from_two_vectors_beside_a_matrix_of_their_product_shows_the_matrix(form):
    assert "for a matrix, write x.T @ y (3 × 3)" in told_of_steps({"R": form.format("x @ y.T")})
    assert "for a matrix, write x.T @ y (3 × 3)" in told_of_steps({"h": "x @ y.T", "R": form.format("h")})
    assert "for a matrix" not in told_of_steps({"h": "x @ y.T", "R": "Q * h"})  # 3 × 2


def told_of_steps(steps: dict[str, str]) -> str:
    try:
        return "\n".join(one.message for one in load({"given": GIVEN | {"y": [0.5, 4, -1]}, "steps": steps}).warnings)
    except AttncalcError as error:
        return str(error)


@for_each("form", ["{}", "Q.T @ {}", "softmax({})", "x[1] + {}"])
def test_law_a_transpose_of_both_libraries_shows_both_readings(form):
    shown = told(form.format("A.transpose(0, 1)"))
    assert "as in PyTorch: A.T; for the meaning of NumPy, write A" in shown
    for one in ("A.transpose(1, 0)", "A.transpose(-2, -1)", "torch.transpose(A, 0, 1)", "np.transpose(A, (0, 1))"):
        assert "NumPy" not in told(form.format(one))


@for_each("mask", ["causal + r", "r + causal", "causal(3, 3) + r"])
@for_each("lesson", ["attention", "self_attention", "multi_head_attention"])
def test_law_a_sum_of_masks_has_a_warning_with_the_product(lesson, mask):
    square = [[1, 0], [0, 1]]
    given = dict.fromkeys("X" if lesson == "self_attention" else "XQKV", GIVEN["Q"]) | {
        f"W_{m}": square for m in "QKVO"
    }
    r = [[1, 1, 0], [1, 1, 1], [0, 1, 1]]

    def warnings(mask: str) -> list[str]:
        options = {"mask": mask} | ({"heads": 1} if lesson == "multi_head_attention" else {})
        found = load({"given": given | {"r": r}, lesson: options}).warnings
        return [one.message for one in found if "uses the given" not in one.message]

    (said,) = warnings(mask)
    assert "that both keep" in said and not warnings(said.rpartition("write ")[2])
    assert any("entries other than 0 and 1, which count as 1" in each for each in warnings("2 * r"))


@for_each("vectors", ["rows", "columns"])
@for_each("function", ["softmax", "normalize", "layer_norm", "log_softmax"])
@for_each("axis", ["axis=0", "axis=1", "axis=-1"])
def test_law_a_suggestion_keeps_the_axis_that_the_author_wrote(function, axis, vectors):
    def values(formula: str) -> list[list[str]]:
        return solve(load({"vectors": vectors, "given": GIVEN, "steps": {"R": formula}}))["R"].decimals(9)

    with pytest.raises(AttncalcError) as error:
        load({"vectors": vectors, "given": GIVEN, "steps": {"R": f"{function}(A, {axis})^T"}})
    (suggested,) = proposals(str(error.value))
    assert values(suggested) == values(f"{function}(A, {axis}).T")


def test_law_a_warning_of_a_suggestion_is_about_signs_that_the_author_wrote():
    for formula in ("A ⊙ B · A + x[1]", "A * B + x[1] · x[2]", "(A * B)^T · x[1]"):
        assert "entry by entry" not in told(formula), formula


@for_each(("formula", "product"), [
    ("A · B · c", "A @ B @ c (3 × 1)"), ("A · B · B", "A @ B @ B (3 × 3)"), ("2 · A · B", "2 * A @ B (3 × 3)"),
    ("A · (B · c)", "A @ (B @ c) (3 × 1)"), ("softmax(Q · K.T) · V", ""), ("A · c · 2", "A @ c * 2 (3 × 1)"),
])  # fmt: skip
def test_law_the_matrix_product_of_a_chain_has_no_product_entry_by_entry(formula, product):
    said = [line.partition("write ")[2] for line in told(formula).splitlines() if "entry by entry" in line]
    assert not product or product in said
    assert all(" * " not in each.replace("2 * ", "").replace(" * 2", "") for each in said)


@for_each("formula", ["exp({0}) / exp({0}).sum(0)", "exp({0}) / col_sum(exp({0}))", "softmax({0}, axis=0)"])
@for_each(("scores", "warned"), [("A", True), ("Q @ K.T", True), ("A.T", False), ("K @ Q.T", False)])
def test_law_a_softmax_of_columns_is_warned_of_if_its_rows_are_tokens(formula, scores, warned):
    assert ("for a result per token" in told(formula.format(scores))) == warned


@for_each("total", ["E.sum(0)", "col_sum(E)", "np.sum(E, axis=0, keepdims=True)"])
@for_each(("scores", "warned"), [("A", True), ("Q @ K.T", True), ("A.T", False), ("K @ Q.T", False)])
def test_law_a_softmax_of_columns_in_several_steps_is_warned_of(total, scores, warned):
    said = told_of_steps({"E": f"exp({scores})", "D": total, "P": "E / D"})
    assert ("for a result per token" in said) == warned


@for_each("call", [
    "F.normalize({})", "torch.topk({}, 2)", "torch.topk({}, k=2)", "torch.gather({}, 1, x)", "({}).gather(1, x)", "({}).repeat(2)",
    "({}).repeat(2, 1)", "nn.Softplus(2)({})", "torch.sort({})", "tf.linalg.normalize({})", "nn.LayerNorm((3, 2))({})",
])  # fmt: skip
@for_each("matrix", ["Q", "Q @ K.T", "2 * B"])
def test_law_advice_about_a_call_names_the_matrix_of_the_call(call, matrix):
    """A file often has a matrix A or P, so that advice about A would silently give other numbers."""
    with pytest.raises(AttncalcError) as error:
        load({"given": GIVEN, "steps": {"R": call.format(matrix)}})
    advice = str(error.value).partition("write ")[2]
    assert matrix in advice and not re.search(r"\b[AP]\b", advice)


@for_each("matrix", ["A", "K.T", "x", "(A @ B)", "A[0:1]", "c"])
@for_each("index", ["[:2]", "[0:2]", "[:3]", "[0:3]", "[::-1]", "[0:1]"])
def test_law_advice_about_a_slice_is_a_valid_formula(matrix, index):
    """A slice of all rows is the matrix in NumPy. The columns are advised only if the slice selects some of them."""
    said = told(f"{matrix}{index}").partition("; did you mean")[0]
    for formula in re.findall(r"write ([^;\n]+)", said):
        assert "did you mean" not in told(formula) and "R: R:" not in told(formula), formula


SLICED = {"W": [[1, 2, 3], [4, 5, 6]], "x": [1, -2, 3], "p": [7, 8], "A": GIVEN["A"]}


@for_each("name", SLICED)
@for_each("part", [":1", ":2", ":3", "0:1", "0:2", "::1", "-2:", "-3:", ":5"])
def test_law_the_message_about_a_slice_names_numpys_part_and_only_valid_formulas(name, part):
    meant = eval(f"np.array({SLICED[name]})[{part}]")  # NumPy's result is the truth

    def value(formula: str) -> list[list[float]]:
        return solve(load({"given": SLICED, "steps": {"R": formula}}))["R"].numpy().tolist()

    try:
        shown = [value(f"{name}[{part}]")]
    except AttncalcError as error:
        shown = [value(each) for each in re.findall(r"(?:write|for columns,) (\w+(?:\[.*?\])?)", str(error))]
        assert shown or "is too large" in str(error), error
    assert not shown or np.atleast_2d(meant).tolist() in shown


@for_each(("brackets", "rounded"), [
    ("⌊{}⌋", np.floor), ("⌈{}⌉", np.ceil), ("⌊{}⌉", lambda x: np.floor(x + 0.5)), ("⌈{}⌋", lambda x: np.floor(x + 0.5)),
    ("\\left\\lfloor {} \\right\\rceil", lambda x: np.floor(x + 0.5)), ("\\lceil {} \\rceil", np.ceil),
    ("2⌊⌊{}⌋ + 0.6⌉", lambda x: 2 * np.floor(x) + 2),
])  # fmt: skip
def test_law_brackets_of_integers_are_read_in_pairs(brackets, rounded):
    with pytest.raises(AttncalcError) as error:
        load({"given": {"y": [0.5, 4, -1.7, 2.2]}, "steps": {"R": brackets.format("y")}})
    (suggested,) = proposals(str(error.value))
    found = solve(load({"given": {"y": [0.5, 4, -1.7, 2.2]}, "steps": {"R": suggested}}))["R"].numpy()
    assert found.ravel().tolist() == rounded(np.array([0.5, 4, -1.7, 2.2])).tolist()


@for_each("chain", ["x > 0 == x > 1", "0 == x > 1", "x != 1 < 2", "1 < x == x"])
def test_law_a_chain_of_comparisons_with_an_equals_sign_needs_brackets(chain):
    assert "put brackets around each comparison" in told(chain)
    assert "brackets" not in told("0 < x <= 2") + told("x == x == x")


@pytest.mark.parametrize(("text", "said"), [
    ("M^M.T", "for XOR, write M != M.T"), ("0.(3)", "calls of formulas"), ("A * 0.5(3)", "calls of formulas"),
])  # fmt: skip
def test_a_sign_with_two_meanings_is_not_decided_silently(text, said):
    message = told(text)
    assert said in message and (not proposals(message) or "XOR" in message)


def test_the_setting_of_a_layer_may_have_no_name():
    layer, function = (
        solve(load({"given": GIVEN, "steps": {"R": formula}}))["R"].decimals(9)
        for formula in ('nn.GELU("tanh")(Q)', 'gelu(Q, form="tanh")')
    )
    assert layer == function


def test_a_long_sum_of_numbers_is_read_soon():
    begin = time.process_time()
    load({"given": {"s": 2}, "steps": {"R": " + ".join(["s"] * 150)}})
    assert time.process_time() - begin < 10

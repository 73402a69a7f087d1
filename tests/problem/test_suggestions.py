"""Formulas as lecturers type them: what is understood, and what is answered with a formula that fits the file and can
be pasted.
"""

from __future__ import annotations

import json
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncalc import AttncalcError, load, solve
from attncalc.api import loads
from attncalc.formula.compat.library_syntax import MODULES
from attncalc.problem.loader import read_problem
from tests.support.laws import examples
from tests.support.proposed import proposals
from tests.support.sweeps import for_each

GIVENS = {
    "X": [[1, 2], [3, 4]], "Q": [[1, 0], [0, 1], [1, 1]], "K": [[1, 1], [0, 1], [2, 1]], "q": [1, 2, 3],
    "θ": [[1], ["1/100"]], "p": ["1/2", "1/3", "1/6"],
    "λ": "0.5", "m": 5, "Δ": -1, "idx": [[0, 1], [2, 0]],
}  # fmt: skip


def numbers(formula: str) -> np.ndarray:
    return np.array(
        [[float(x) for x in row] for row in solve(load({"given": GIVENS, "steps": {"A": formula}}))["A"].decimals(12)]
    )


def told(formula: str) -> str:
    with pytest.raises(AttncalcError) as error:
        load({"given": GIVENS, "steps": {"A": formula}})
    return str(error.value)


# -- what is understood ------------------------------------------------------------------------------------------------

x, q, s = np.array([[1.0, 2], [3, 4]]), np.array([[1.0, 2, 3]]), np.exp([[1.0, 2], [3, 4]])
UNDERSTOOD = {
    "X.sum()": x.sum(), "X.sum(axis=0)": x.sum(0), "X.sum(-1, keepdim=True)": x.sum(1, keepdims=True),
    "X.mean(dim=1, keepdims=True)": [[1.5], [3.5]],
    "X.max(1)": [[2], [4]], "np.max(X, 0)": [3, 4], "max(X, 1)": x, "sum(X, 0)": [4, 6], "X.std()": x.std(),
    "X.t() @ X": x.T @ x,
    "X.transpose(-2, -1)": x.T, "torch.transpose(X, 0, 1)": x.T, "(X @ X).relu().T": (x @ x).T,
    "X.softmax(dim=-1)": s / s.sum(1, keepdims=True),
    "softmax(X, -1)": s / s.sum(1, keepdims=True), "F.softmax(X, dim=0)": s / s.sum(0), "X.exp().sum()": s.sum(),
    "q.reshape(-1, 1) @ q": q.T @ q,
    "X.reshape(1, -1)": [1, 2, 3, 4], "X.flatten()": [1, 2, 3, 4], "X.clip(2, 3)": [[2, 2], [3, 3]],
    "X.masked_fill(X == 1, float('-inf')).softmax(-1)":
    [[0, 1], [1 / (1 + np.e), np.e / (1 + np.e)]], "np.where(X > 1, X, -np.inf).max()": 4, "np.exp(-math.inf)": 0,
    "np.pi": np.pi, "np.e * λ": np.e / 2,
    "σ(Δ)": 1 / (1 + np.e), "ReLU(X - 2)": [[0, 0], [1, 2]], "round(X / 4)": [[0, 1], [1, 1]],
    "np.round(X / 4)": [[0, 0], [1, 1]],
    "np.round(X / 8, decimals=2)": [[0.12, 0.25], [0.38, 0.5]], "(X / 4).round()": [[0, 0], [1, 1]],
    "np.einsum('ij,kj->ik', Q, K)": np.array([[1, 0, 2], [1, 1, 1], [2, 1, 3]]), "torch.einsum('ij->ji', X)": x.T,
    "RMSNorm(X)[0]": x[0] / np.sqrt(2.5),
}  # fmt: skip


@for_each(("formula", "value"), UNDERSTOOD.items())
def test_what_is_typed_in_numpy_and_pytorch_is_understood(formula, value):
    assert np.allclose(numbers(formula), np.atleast_2d(value), atol=1e-11)


# One axis, two or three: what a library makes of each is worked out by NumPy itself.
OPERANDS = {
    "X": x, "q": q[0], "X.T": x.T, "X[0]": x[0], "X[:, 0]": x[:, 0], "[X, X.T]": [x, x.T], "(X, 2 * X)": [x, 2 * x],
    "[q, p]": [q[0], [1 / 2, 1 / 3, 1 / 6]], "[m, λ]": [5, 0.5], "[X[0], X[1]]": [x[0], x[1]], "[1, 2, 4]": [1, 2, 4],
    "[[m, 1], [λ, 2]]": [[5, 1], [0.5, 2]],
}  # fmt: skip
OF_NUMPY = (
    *("sum", "mean", "max", "min", "std", "var", "argmax", "cumsum", "linalg.norm", "exp", "abs", "transpose", "array"),
    *("ravel", "size", "round"),
)
JOINED = ("concatenate", "stack", "vstack", "hstack", "column_stack")
AXES = ("", ", axis=0", ", axis=1", ", axis=-1", ", 0", ", 1", ", keepdims=True")


@examples(400)
@given(st.one_of(
    st.tuples(st.sampled_from(OF_NUMPY), st.sampled_from(list(OPERANDS))),
    st.tuples(st.sampled_from(JOINED), st.sampled_from([name for name in OPERANDS if name[0] in "(["])),
), st.sampled_from(AXES))  # fmt: skip
def test_a_function_of_numpy_is_numpys_or_refused_or_warned_of(call, axis):
    function, operand = call
    formula = f"np.{function}({operand}{axis})"
    try:
        value = np.asarray(eval(f"np.{function}(operand{axis})", {"np": np, "operand": OPERANDS[operand]}), float)
        problem = load({"given": GIVENS, "steps": {"A": formula}})
    except (AttncalcError, TypeError, ValueError):  # refused by us or by NumPy
        return
    if not any(one.message.startswith("warning: A:") for one in problem.warnings):
        ours = np.array([[float(entry) for entry in row] for row in solve(problem)["A"].decimals(12)])
        if value.ndim == 1 and ours.shape[1] == 1:  # a result by rows stands upright here
            value = value[:, None]
        assert value.ndim <= 2 and ours.shape == np.atleast_2d(value).shape, formula
        assert np.allclose(ours, np.atleast_2d(value), atol=1e-11), formula


@for_each(("formula", "said"), [
    ("X.reshape(4, 1)", "reshape(-1, 1) for a column"), ("X.item()", "no methods"), ("X.__class__()", "no methods"),
    ("X.sum(axis=2)", "axis"),
    ("float('x')", "there is no function float"), ("np.nan", "only the functions of attncalc,"),
    ("torch.topk(X, 1)", "keep(X, top_k(X, 1))"), ("np.einsum('bij,bjk->bik', X, X)", "at most two letters"),
    ("F.scaled_dot_product_attention(Q, K, K, is_causal=True)", "{attention: {Q: Q, K: K, V: K, mask: causal}}"),
    ("2 * layer_norms(X)", "there is no function"), ("self_attention(X)", "self_attention: ..."),
    ("X.sum(1).sum", "the only attribute is .T"),
])  # fmt: skip
def test_what_is_not_understood_is_refused(formula, said):
    assert said in told(formula)


REFUSED = {  # a refused call, the formula in the message with the author's names, and the value in the library
    "np.stack([q, p], axis=1)": ("hstack(q.T, p.T)", np.stack([q[0], [1 / 2, 1 / 3, 1 / 6]], axis=1)),
    "torch.argmax(X)": ("argmax(flat(X))", np.argmax(x)),
    "np.cumsum(X)": ("cumsum(flat(X))", np.cumsum(x)),
    "F.normalize(X, p=1, dim=1)": ("X / row_sum(abs(X))", x / x.sum(axis=1, keepdims=True)),
    "torch.topk(X, 1, dim=1)[0]": ("sort_rows(X)[:, :1]", x[:, 1:]),
}


@for_each("call", REFUSED)
def test_law_the_formula_for_a_refused_call_has_the_numbers_of_the_library(call):
    formula, value = REFUSED[call]
    assert formula in told(call)
    assert np.allclose(numbers(formula), np.atleast_2d(value))


@for_each("axis", ["", ", dim=0", ", dim=1", ", dim=-1", ", dim=-2"])
@for_each("call", ["F.normalize({0}{1})", "F.normalize({0}, p=1{1})", "F.normalize({0}, p=3{1})", "torch.sort({0}{1})[0]",
                   "torch.sort({0}{1}, descending=True)[0]", "torch.topk({0}, 2{1})[0]", "torch.topk({0}, 2{1})[1]",
                   "torch.topk({0}, 1, largest=False{1})[0]", "torch.sort({0}, 0, True)"])  # fmt: skip
def test_law_the_advice_about_a_call_is_for_its_axis_and_its_order(call, axis):
    """Advice for another axis, order or p would be a wrong formula that can be pasted."""
    rows = [[1, 5, 2], [6, 4, 3], [7, 9, 8]]
    message = told(call.format("[[1, 5, 2], [6, 4, 3], [7, 9, 8]]", axis))
    a = np.array(rows, float)
    matters = (
        axis in ("", ", dim=1", ", dim=-1") and "p=3" not in call and "largest" not in call and "0, True" not in call
    )
    formulas = re.findall(r"write (.*?)(?= or |;|$)", message, re.MULTILINE)
    formulas = [one for one in formulas if not one.startswith("keep")]
    assert bool(formulas) == matters
    falling = -np.sort(-a)
    values = [np.sort(a) if "sort" in call and "True" not in call else falling, falling[:, :2]]
    values += [np.argsort(-a)[:, :2], a / np.abs(a).sum(1, keepdims=True), a / np.linalg.norm(a, axis=1, keepdims=True)]
    values = {"p=1": values[3:4], "norm": values[4:], "sort": values[:1], "topk": values[1:3]}
    wanted = next(found for word, found in values.items() if word in call)
    assert all(
        any(each.shape == numbers(one).shape and np.allclose(each, numbers(one)) for each in wanted) for one in formulas
    )


CALLS = {  # PyTorch's call, and what it computes from the scores
    "F.scaled_dot_product_attention(Q, K, X3, scale=0.5)": lambda s, m: s * 0.5,
    "F.scaled_dot_product_attention(Q, K, X3, scale=1 / m)": lambda s, m: s / 5,
    "F.scaled_dot_product_attention(Q, K, X3)": lambda s, m: s / np.sqrt(2),
    "F.scaled_dot_product_attention(Q, K, X3, attn_mask=M)": lambda s, m: np.where(m, s / np.sqrt(2), -np.inf),
    "F.scaled_dot_product_attention(Q, K, X3, attn_mask=B)": lambda s, m: s / np.sqrt(2) - 1e9 * (1 - m),
    "F.scaled_dot_product_attention(Q, K, X3, attn_mask=None, dropout_p=0.0)": lambda s, m: s / np.sqrt(2),
    "F.scaled_dot_product_attention(Q, K, X3, is_causal=True)": lambda s, m: np.where(np.tri(3), s / np.sqrt(2), -np.inf),
    "F.scaled_dot_product_attention(Q, K, X3, is_causal=False)": lambda s, m: s / np.sqrt(2),
}  # fmt: skip
OTHER_CALLS = ["F.dropout(Q, 0.5)", "F.scaled_dot_product_attention(Q, K, X3, dropout_p=0.1)",
               "F.scaled_dot_product_attention(Q, K, X3, enable_gqa=True)"]  # fmt: skip


@for_each("call", [*CALLS, *OTHER_CALLS])
def test_law_a_lesson_proposed_for_a_call_has_its_numbers(call):
    mask = np.array([[1, 0, 1], [1, 1, 0], [0, 1, 1]])
    added = [["0" if x else "-1e9" for x in row] for row in mask]
    given = GIVENS | {"X3": [[1, 2], [3, 4], [0, 1]], "M": mask.tolist(), "B": added}
    with pytest.raises(AttncalcError) as error:
        load({"given": given, "steps": {"A": call}})
    found = []
    for lesson in re.findall(r"\{attention: \{[^{}]*\}\}", str(error.value)):
        try:
            problem = read_problem(f"given: {json.dumps(given)}\nsteps: {{Z: {lesson}}}", "p.yaml", "p")
        except AttncalcError as refused:
            assert "mask: expected 1 where" in str(refused)
        else:
            found.append(solve(problem)["Z.Z"].numpy())
    if call in OTHER_CALLS:
        assert not found
        return
    q, k, v = (np.array(given[name], float) for name in ("Q", "K", "X3"))
    scores = np.exp(CALLS[call](q @ k.T, mask))
    assert any(np.allclose(ours, scores / scores.sum(axis=1, keepdims=True) @ v) for ours in found)


@for_each("call", ["attention({0})", "F.scaled_dot_product_attention({0})", "self_attention(X, W, W, W)", "rotary(X)"])
@for_each("form", ["X + {}", "{} + X", "2 * {}", "-{}", "{}.T", "{}[0]", "{} @ W", "{}.sum(0)", "relu({}) @ W", "X - {}",
                   "F.layer_norm(X + {}, (2,))", "torch.cat([{}, X], dim=-1)", "{0} - {0}", "attention(X, {}, X)"])  # fmt: skip
def test_law_a_lesson_called_inside_a_formula_has_no_proposal_that_loses_the_rest(call, form):
    formula = form.format(call.format("X, X, X"))
    with pytest.raises(AttncalcError) as error:
        load({"given": {"X": [[1, 0], [2, -1]], "W": [[1, 2], [0, 1]]}, "steps": {"A": formula}})
    assert "is a lesson, not a function; write a step with" in str(error.value)
    assert not proposals(str(error.value))


def values(problem: dict, formula: str) -> list[np.ndarray]:
    """The numbers of each formula that is proposed, in their order."""
    with pytest.raises(AttncalcError) as error:
        load(problem | {"steps": {"A": formula}})
    return [solve(load(problem | {"steps": {"A": one}}))["A"].numpy() for one in proposals(str(error.value))]


@for_each("count", [2, 3, 4])
@for_each("number", range(6))
@for_each("formula", ["x_{}", "2 * x_{}", "x_{} + x_{}", "c_{}", "2 c_{}", "B_{{1{}}}", "x_{} \\log x_{}"])
def test_law_an_index_counts_from_1_first_and_exists(formula, number, count):
    x = np.arange(2, count + 2)
    given = {"x": x.tolist(), "c": [[n] for n in x.tolist()], "B": (x + 10 * x[:, None]).tolist()}
    of = {
        "2 * x_{}": lambda n: 2 * x[n], "x_{} + x_{}": lambda n: 2 * x[n], "2 c_{}": lambda n: 2 * x[n],
        "x_{} \\log x_{}": lambda n: x[n] * np.log(x[n]),
    }.get(formula, lambda n: x[n])  # fmt: skip
    places = [place for place in (number - 1, number) if 0 <= place < count]
    meant = [of(n) for n in places]
    if formula.startswith("B"):
        meant = [x[n] + 10 * x[row] for row, n in zip((0, 1), (number - 1, number), strict=True) if 0 <= n < count]
    try:
        found = values({"given": given}, formula.format(number, number))
    except AssertionError:
        found = []
    if number:
        assert np.allclose([value.item() for value in found], meant), found


TERMS = ["p_i", "q_i", "p_i q_i", "p_i^2", "p_i \\log q_i", "2 q_i", "m"]
IN_NUMPY = {"p_i q_i": "p * q", "p_i^2": "p ** 2", "p_i \\log q_i": "p * np.log(q)", "2 q_i": "2 * q"}


@examples(80)
@given(st.lists(st.sampled_from(TERMS), min_size=1, max_size=3), st.sampled_from("+-"), st.sampled_from(TERMS[:-1]))
def test_law_a_sum_goes_on_as_far_as_its_index(terms, sign, last):
    p, q, m = np.array([0.2, 0.3, 0.5]), np.array([0.5, 0.25, 0.25]), 2
    inside = f" {sign} ".join([TERMS[0], *terms, last])
    numpy = f" {sign} ".join(IN_NUMPY.get(term, term.replace("_i", "")) for term in [TERMS[0], *terms, last])
    problem = {"given": {"p": ["0.2", "0.3", "0.5"], "q": ["0.5", "0.25", "0.25"], "m": 2}}
    first, *_ = values(problem, rf"\sum_i {inside}")
    assert np.allclose(first, np.sum(eval(numpy, {"np": np, "p": p, "q": q, "m": m}))), inside
    ends, *others = values(problem, rf"\sum_i {last} {sign} m")  # a term without the index is not in the sum
    assert ends.shape == (1, 1) and not others


@for_each("name", ["t", "tr", "len", "inv", "eye"])
def test_law_a_function_of_another_notation_that_the_file_has_as_a_name_is_warned_of(name):
    given = {name: 3, "C": [[1, 2], [0, 1]], "D": [[2, 0], [1, 1]]}
    try:
        warned = [one.message for one in load({"given": given, "steps": {"A": f"{name}(C - 1)"}}).warnings]
    except AttncalcError as error:
        assert name not in proposals(str(error))
    else:
        assert any(
            f"calls a function, and the {name} of this file is not used; for a product, write {name} * (...)" in message
            for message in warned
        )
    first, *_ = values({"given": given}, f"{name}(C D)")
    assert np.allclose(first, 3 * np.array([[4, 2], [1, 1]]))


CONCAT = {"given": {"H": [[1, 0], [2, 1], [0, 1]], "G": [[1, 0], [0, 1], [1, 1]], "W": [[1, 0, 2, 1, 2, 1], [0, 1, 1, 1, 0, 1]],
                    "h": [[1, 2]], "g": [[3, 1]], "U": [[1, 2], [0, 3]]}, "vectors": "columns"}  # fmt: skip


@for_each(("formula", "meant"), [
    (r"W \mathrm{Concat}(H, G)", "W @ vstack(H, G)"), ("W @ concat(H, G)", "W @ vstack(H, G)"),
    (r"\mathrm{Concat}(H, G)", "vstack(H, G)"), (r"U \mathrm{Concat}(h, g)", "U @ vstack(h, g)"),
])  # fmt: skip
def test_concat_joins_features_where_tokens_are_columns(formula, meant):
    with pytest.raises(AttncalcError) as error:
        load(CONCAT | {"steps": {"A": formula}})
    assert proposals(str(error.value))[0] == meant
    for call in ("concat(H, G)", "Concat(H, G)", "U @ concat(h, g)"):
        try:
            messages = [one.message for one in load(CONCAT | {"steps": {"A": call}}).warnings]
        except AttncalcError as refused:
            messages = [str(refused)]
        assert any("vstack(" in message for message in messages), call


@for_each("formula", ["W @ X + {}", "{} * X", "X - {}", "relu(W @ X + {}) / 2", "X / {}"])
@for_each("tokens", [2, 3])
def test_law_a_flat_list_beside_columns_of_tokens_is_one_of_features(formula, tokens):
    x = [[1, 0, 2][:tokens], [0, 1, 1][:tokens], [2, 1, 1][:tokens]]
    given = {"X": x, "W": [[1, 0, 1], [2, 1, 0], [0, 1, 1]], "b": [1, 2, 4]}
    problem = {"given": given, "vectors": "columns", "steps": {"A": formula.format("b.T")}}
    assert not [one for one in load(problem).warnings if one.message.startswith("warning: A: ")]
    literal = problem | {"steps": {"A": formula.format("b")}}
    if tokens == 3:
        assert any("for one entry per feature, write b.T" in one.message for one in load(literal).warnings)
    else:
        with pytest.raises(AttncalcError) as error:
            load(literal)
        assert formula.format("b.T") in proposals(str(error.value))


@for_each("tokens", [2, 3])
@for_each("call", [
    "layer_norm({X}, {g}, {b}{axis})", "layer_norm({X}, gamma={g}{axis})", "layer_norm({X}, {g}{axis})", "rms_norm({X}, {g}{axis})",
    "layer_norm({X}, beta={b}{axis})", "2 * layer_norm({X}, {g}, {b}{axis}) + {X}",
])  # fmt: skip
def test_law_a_flat_gain_of_a_norm_of_columns_of_tokens_is_one_of_features(call, tokens):
    """The norm of a file whose tokens are rows is transposed in the proposals; a gain of each token is warned of."""
    x = [[1, 0, 2], [0, 1, 1], [2, 1, 4]][:tokens]
    gains = {"g": [1, 2, 4], "b": [3, 0, -1]}
    rows = {"given": {"X": x} | gains, "steps": {"A": call.format(X="X", g="g", b="b", axis="")}}
    columns = {"given": {"X": [list(row) for row in zip(*x, strict=True)]} | gains, "vectors": "columns"}

    def messages(formula):
        try:
            return [one.message for one in load(columns | {"steps": {"A": formula}}).warnings if ": A: " in one.message]
        except AttncalcError as error:
            return [str(error)]

    def numbers(problem):
        return np.array(solve(load(problem))["A"].decimals(9), float)

    literal = {"X": "X", "g": "g", "b": "b", "axis": ""}
    proposed = {text for message in messages(call.format(**literal)) for text in proposals(message)}
    assert len(proposed) == 1
    (right,) = proposed
    assert not messages(right)
    assert np.allclose(numbers(columns | {"steps": {"A": right}}), numbers(rows).T)
    axis = ', axis="columns"'
    if tokens == 3:
        assert any(
            "for one entry per feature, write" in message
            for message in messages(call.format(**literal | {"axis": axis}))
        )
    stood = call.format(X="X", g="g.T", b="b.T", axis=axis)
    assert not messages(stood)


@for_each("width", ["C.shape", "C.size()", "d", "3", "C.shape[0] + 1"])
@for_each("call", ["nn.LayerNorm({})(C)", "nn.RMSNorm({})(C)", "F.layer_norm(C, {})", "F.rms_norm(C, {})"])
def test_law_a_norm_that_is_not_one_of_each_row_is_warned_of(call, width):
    given = {"C": [[1, 2], [3, 5]]}
    for stated, is_right in ((width, False), ("2", True), ("C.shape[-1]", True), ("cols(C)", True)):
        problem = load({"given": given, "steps": {"A": call.format(stated)}})
        assert any("PyTorch's" in one.message for one in problem.warnings) != is_right


@for_each("scores", ["K.T @ Q", "X.T @ W @ X", "(W @ X).T @ (W @ X)", "K.T @ Q / sqrt(3)"])
def test_law_a_causal_mask_has_a_column_for_each_query_where_tokens_are_columns(scores):
    square = [[1, 0, 2], [2, 1, 1], [0, 1, 1]]
    problem = {"given": dict.fromkeys("KQXW", square), "vectors": "columns"}
    formula = f'softmax(keep({scores}, causal(3, 3)), axis="columns")'
    messages = [one.message for one in load(problem | {"steps": {"A": formula}}).warnings]
    meant = formula.replace("3))", "3).T)").replace("3)), axis", "3).T), axis")
    assert [proposals(message) for message in messages if "did you mean" in message] == [[meant]]
    assert not any("query" in one.message for one in load(problem | {"steps": {"A": meant}}).warnings)


DOTTED = {
    "p": ["1/5", "4/5"],
    "y": ["1/2", "1/10"],
    "X": [[1, 2, 3], [4, 5, 6]],
    "B": [[1, 2], [3, 5]],
    "g": [1, 2, 3],
    "W_Q": [[1, 0], [0, 1], [1, 1]],
    "gamma": [1, 2, -1],
    "S": [[1, 0, 2], [2, 1, 1], [0, 1, 3]],
    "a": 2,
}
PAPER = {  # every reading that papers have, in NumPy
    r"\frac{p \cdot y}{|p||y|}": ["p @ y / (norm(p) * norm(y))"], "|p - y|^2": ["norm(p - y) ** 2", "abs(p - y) ** 2"],
    r"\sum_i |p_i - y_i|": ["abs(p - y).sum()"], "|p|": ["abs(p)", "norm(p)"], "Σ |p - y|": ["abs(p - y).sum()"],
    r"p \cdot \sigma(p)": ["p * σ(p)", "p @ σ(p)"], r"p \cdot \sigma(a p)": ["p * σ(a * p)", "p @ σ(a * p)"],
    r"p \cdot 1[y > 0.2]": ["p * (y > 0.2)"], r"X \cdot \sigma(X)": ["X * σ(X)"], r"B \cdot \sigma(B)": ["B * σ(B)", "B @ σ(B)"],
    r"0.5 \cdot p \cdot (1 + \tanh(p))": ["0.5 * p * (1 + np.tanh(p))"],
    r"\sigma(p) \cdot (1 - \sigma(p))": ["σ(p) * (1 - σ(p))"],
    r"p \cdot \frac{y - mean(y)}{\sqrt{var(y) + 1}} + y": ["p * (y - y.mean()) / np.sqrt(y.var() + 1) + y"],
    "max(X, [], 2)": ["X.max(1)"], "exp(X - max(abs(X), [], 1))": ["np.exp(X - abs(X).max(0))"], "X W^Q": ["X @ W_Q"],
    "X W^{Q} + 1": ["X @ W_Q + 1"],
    r"p \cdot y": ["p @ y"], "g X": ["g * X"], r"\frac{g (X - 1)}{2}": ["g * (X - 1) / 2"], "p X": ["p @ X"], "X g": ["X @ g"],
    r"\gamma S": ["γ * S", "γ @ S"], r"\gamma \frac{S - 1}{2} + g": ["γ * (S - 1) / 2 + g", "γ @ (S - 1) / 2 + g"],
    "S S^T": ["S @ S.T"], r"\frac{S (S + 1)^T}{2}": ["S @ (S + 1).T / 2"],
}  # fmt: skip


@for_each("formula", PAPER)
def test_law_readings_of_paper_are_all_shown(formula):
    numpy = {name: np.array([[float(Fraction(x)) for x in row] for row in rows]).squeeze() if isinstance(rows[0], list)
             else np.array([float(Fraction(x)) for x in rows]) for name, rows in DOTTED.items() if name != "a"}  # fmt: skip
    known = numpy | {"a": 2, "np": np, "γ": numpy["gamma"], "norm": np.linalg.norm, "σ": lambda x: 1 / (1 + np.exp(-x))}
    found = [value.squeeze() for value in values({"given": DOTTED}, formula)]
    for reading in PAPER[formula]:
        meant = np.asarray(eval(reading, known))
        assert any(ours.shape == meant.shape and np.allclose(ours, meant) for ours in found), reading


@for_each("shape", [(2, 3), (3, 3), (3, 2)])
@for_each("columns", [False, True])
@for_each("formula", [r"\gamma X", r"\gamma (X - 1) + X", r"\gamma \odot X"])
def test_law_a_gain_of_each_feature_is_shown(formula, columns, shape):
    x = np.arange(1, 1 + shape[0] * shape[1]).reshape(shape)
    gamma = np.arange(2, 2 + shape[not columns])
    gain = gamma[:, None] if columns else gamma
    meant = {r"\gamma (X - 1) + X": gain * (x - 1) + x}.get(formula, gain * x)
    given = {"given": {"X": x.tolist(), "gamma": gamma.tolist()}, "vectors": "columns" if columns else "rows"}
    shown = values(given, formula)
    assert any(value.shape == meant.shape and np.allclose(value, meant) for value in shown)


# Formulas of a number and of a matrix, whose letter is also a function or the sign of a sum
NUMBER = [r"\mu + {} z", r"\mu + {}(z - 1)", r"\frac{{z}}{{{}(z + 1)}}", r"{} (z)", r"\frac{{z - \mu}}{{{}}}", r"{}^2",
          r"\frac{{1}}{{{0}\sqrt{{2\pi}}}} \exp(-\frac{{(z - \mu)^2}}{{2{0}^2}})", r"{0}(z) + {0} z", r"z {}", r"2{} z", r"{}\sqrt{{z}}", r"{} + z", r"{} - z", r"{}^2 + \mu^2", r"\exp(-\frac{{z^2}}{{2{}^2}})"]  # fmt: skip
MATRIX = [r"{} z", r"z^T {} z", r"{}^{{-1}} z", r"{}_{{ij}} z_j", r"B {} B^T", r"{}^2", r"B + {}", r"{} + B", "2 {}"]


@for_each(
    ("letter", "plain", "value", "formula"),
    [("sigma", "tau", 2, formula) for formula in NUMBER]
    + [("Sigma", "Omega", [[2, 1], [0, 1]], formula) for formula in MATRIX],
)
def test_law_a_letter_that_the_file_has_is_read_first_as_the_files(letter, plain, value, formula):
    others = {"mu": 1, "z": [1, 2], "B": [[1, 2], [3, 5]]}

    def shown(name):
        with pytest.raises(AttncalcError) as error:
            load({"given": others | {name: value}, "steps": {"Y": formula.format(f"\\{name}")}})
        return proposals(str(error.value))

    meant = [text.replace(plain, letter) for text in shown(plain)]
    assert meant
    assert shown(letter)[: len(meant)] == meant


SCORES = [[0.5, 1, 2], [1, 0, 1], [2, 1, 0]]


@for_each(
    ("e", "formula", "meant"),
    [
        (SCORES, r"\frac{e^{e_{ij}}}{\sum_k e^{e_{ik}}}", ["{e} / row_sum({e})", "e"]),
        (SCORES, r"e^{e_{ij}} + 1", ["{e} + 1", "e"]),
        (SCORES, "e^x", ["{x}"]),
        (SCORES[0], r"\frac{e^{e_i}}{\sum_j e^{e_j}}", ["{e} / sum({e})", "e"]),
        (SCORES[0], r"\frac{1}{1 + e^{-z}}", ["1 / (1 + {-z})", "e"]),
        (SCORES[0], r"e^{x + e_i}", ["{x + e}", "e"]),
        (2, "e^x", ["{x}", "before"]),
        (2, r"\frac{1}{1 + e^{-z}}", ["1 / (1 + {-z})", "before"]),
        (2, "e^{e}", ["{e}", "e"]),
        (-2, r"\log(1 + e^{z})", ["log(1 + {z})"]),
    ],
)
def test_law_a_power_shows_eulers_number_and_the_files_e(e, formula, meant):
    with pytest.raises(AttncalcError) as error:
        load({"given": {"e": e, "z": [1, 2, 3], "x": 2}, "steps": {"Y": formula}})
    euler = re.sub(r"{(.*?)}", r"exp(\1)", meant[0])
    files = re.sub(r"{(\w|-\w)}", r"e ** \1", meant[0])
    files = re.sub(r"{(.*?)}", r"e ** (\1)", files)
    order = {"e": [euler, files], "before": [files, euler]}
    assert proposals(str(error.value)) == order.get(meant[-1], [euler])


@pytest.mark.parametrize("length", [2, 3])
def test_law_a_given_called_t_leaves_the_transpose_of_a_matrix(length):
    square = [[1, 2, 3], [0, 1, 1], [2, 1, 1]]
    for formula, meant in {r"\frac{QK^T}{2}": "Q @ K.T / 2", "K^T": "K.T", "Q K^{T} + 1": "Q @ K.T + 1"}.items():
        with pytest.raises(AttncalcError) as error:
            load({"given": {"T": length, "Q": square, "K": square}, "steps": {"Y": formula}})
        assert proposals(str(error.value)) == [meant]


def test_law_the_sign_of_a_sum_stays_a_sum_beside_a_given_of_the_letter():
    covariance = {"Sigma": [[2, 1], [0, 1]], "z": [1, 2]}
    for formula, meant in {r"\sum z": "sum(z)", r"\frac{z}{\sum_i z_i}": "z / sum(z)"}.items():
        with pytest.raises(AttncalcError) as error:
            load({"given": covariance, "steps": {"Y": formula}})
        assert proposals(str(error.value)) == [meant]


@for_each("call", ["jax.nn.normalize(X)", "jnp.normalize(X)", "torch.entropy(p)", "np.normalize(X)", "tf.entropy(X)"])
def test_law_a_function_with_another_meaning_in_a_library_is_not_proposed(call):
    assert not proposals(told(call))
    assert proposals(told("np.softmax(X)")) == ["softmax(X)"]


@for_each(("name", "size"), [("d_k", "cols(W_K)"), ("d_head", "cols(W_K)"), ("d_v", "cols(W_V)"), ("d_q", "cols(W_Q)")])
def test_law_names_of_sizes_mean_sizes(name, size):
    weights = {
        "W_Q": [[1, 1, 2], [0, 1, 1]],
        "W_K": [[1, 2, 1], [3, 1, 0]],
        "W_V": [[1, 2], [0, 1]],
        "X": [[1, 2], [2, 1]],
    }
    for vectors, meant in (("rows", size), ("columns", size.replace("cols", "rows"))):
        with pytest.raises(AttncalcError) as error:
            load({"given": weights, "vectors": vectors, "steps": {"S": f"X / sqrt({name})"}})
        assert proposals(str(error.value)) == [f"X / sqrt({meant})"]
    with pytest.raises(AttncalcError) as error:
        load({"given": {"X": [[1, 2]], "W_E": [[1]]}, "steps": {"S": f"X / sqrt({name})"}})
    assert "W_" not in "".join(proposals(str(error.value)))


# Functions of MATLAB that work along the columns of a matrix
OF_MATLAB = {
    "sum(A)": lambda a, b: a.sum(0), "mean(A)": lambda a, b: a.mean(0), "max(A)": lambda a, b: a.max(0),
    "min(A)": lambda a, b: a.min(0), "prod(A)": lambda a, b: a.prod(0), "std(A)": lambda a, b: a.std(0, ddof=1),
    "var(A)": lambda a, b: a.var(0, ddof=1), "dot(A, B)": lambda a, b: (a * b).sum(0),
    "softmax(A)": lambda a, b: np.exp(a) / np.exp(a).sum(0),
    "normalize(A)": lambda a, b: (a - a.mean(0)) / a.std(0, ddof=1),
}  # fmt: skip


@for_each("call", OF_MATLAB)
@for_each("operand", ["{}'", "{}.^2"])
def test_law_a_function_of_matlab_works_along_columns(call, operand):
    a, b = np.array([[1.0, 2, -1], [0, 1, 2], [3, 1, 0.5]]), np.array([[1.0, -1, 2], [2, 1, 1], [0.5, 1, 1]])
    given = {"P": a.tolist(), "R": b.tolist()}
    formula = call.replace("A", operand.format("P")).replace("B", operand.format("R"))
    first = values({"given": given}, formula)[0]
    meant = OF_MATLAB[call](*((a.T, b.T) if "'" in operand else (a**2, b**2)))
    assert np.allclose(first, np.atleast_2d(meant))
    plain = {"Y": call.replace("A", "P").replace("B", "R")}  # no sign of MATLAB in this formula
    for steps in ({"Z": "P .* R"} | plain, plain | {"Z": "P .* R"}):
        with pytest.raises(AttncalcError) as error:
            load({"given": given, "steps": steps})
        assert "to calculate it as in MATLAB, write" in str(error.value)
    with pytest.raises(AttncalcError) as error:
        load({"given": given, "parts": {"a": {"steps": plain}, "b": {"steps": {"Z": "P .* R"}}}})
    assert "to calculate it as in MATLAB, write" in str(error.value)


@for_each("first", ["Q*K'", "Q.*K", "Q.^2", "Q/2 - K'", "(Q.*K)*K'"])
def test_law_a_star_beside_formulas_of_matlab_is_warned_of(first):
    square = {name: [[1, 2], [0, 1]] for name in "QKV"}
    for steps in ({"S": first, "Z": "Q*V", "Y": "2*V"}, {"Y": "2*V", "Z": "Q*V", "S": first}):
        with pytest.raises(AttncalcError) as error:
            load({"given": square, "steps": steps})
        warned = [line for line in str(error.value).splitlines() if "multiplies entry by entry" in line]
        assert len(warned) == 1 and warned[0].endswith("for the matrix product, write Q @ V")
    assert not load({"given": square, "steps": {"S": "Q @ K.T", "Z": "Q*V"}}).warnings


OF_PRODUCTS = {"inverse(X)": np.linalg.inv, "diag(x)": np.diag, "diag(X)": np.diag, "identity(3)": lambda a: np.eye(3)}


@for_each("other", ["X", "x", "c", "2"])
@for_each("call", OF_PRODUCTS)
def test_law_a_star_beside_a_factor_of_products_is_warned_of_with_the_product(call, other):
    given = {"X": [[1, 2, 0], [0, 1, 1], [1, 1, 1]], "x": [1, 2, 3], "c": [[1], [0], [2]]}
    matrix = OF_PRODUCTS[call](np.array(given.get(call[-2], 0)))
    problem = load({"given": given, "steps": {"A": f"{call} * {other}"}})
    warned = [one.message for one in problem.warnings if "for the matrix product, write" in one.message]
    assert len(warned) == (matrix.ndim == 2 and other != "2")
    for product in (message.partition("for the matrix product, write ")[2].rpartition(" (")[0] for message in warned):
        shown = solve(load({"given": given, "steps": {"A": product}}))["A"].numpy()
        factor = np.array(given[other])
        assert np.allclose(shown.squeeze(), (matrix @ factor).squeeze())


@for_each("steps", [
    {"Q'": "2 * Q", "S": "Q' @ K", "Z": "Q * V"},
    {"S": "Q * K['a', 'b']", "Z": "Q * V"},
    {"S": {"formula": "Q @ K", "means": "Q' is K' .* V'"}, "Z": "Q * V"},
    {"S": "Q * 1. / K[0, 0]", "Z": "Q * V"},
    {"B": {"bleu": {"candidate": "it's K's .* V", "reference": "it's K's .* V", "longest": 1}}, "S": "Q @ K", "Z": "Q * V"},
])  # fmt: skip
def test_law_primes_of_names_quotes_and_texts_are_no_signs_of_matlab(steps):
    table = {"rows": ["a", "c"], "columns": ["b", "d"], "values": [[1, 2], [0, 1]]}
    given = {name: [[1, 2], [0, 1]] for name in "QV"} | {"K": table}
    assert not [one for one in load({"given": given, "steps": steps}).warnings if "matrix product" in one.message]


# -- what is proposed fits the file ------------------------------------------------------------------------------------

PROPOSED = {
    "λ @ X": "λ * X", "X - λ X": "X - λ * X", "λ(X + 1)": "λ * (X + 1)", "X(X + 1)": "X @ (X + 1) or X * (X + 1)", "QK.T": "Q @ K.T",
    "QK^T": "Q @ K.T", "softmax(QK^T / √2)K": "softmax(Q @ K.T / sqrt(2)) @ K", "cos(m θ_0)": "cos(m * θ[0])",
    "cos mθ_1": "cos(m * θ[0]) or cos(m * θ[1])", "q_2 * λ": "q[0, 1] * λ or q[0, 2] * λ", "q[1] + q[0]": "q[0, 1] + q[0, 0]",
    "q[0] cos(m) - q[1] sin(m)": "q[0, 0] * cos(m) - q[0, 1] * sin(m)", "-log σ(Δ)": "-log(sigmoid(Δ))",
    "q[:, None] @ q[None, :]": "flat(q).T @ q", "q[:, np.newaxis] - q": "flat(q).T - q", "-Σ log2 p": "-sum(log2(p))",
    "log p": "log(p)", "Σ p log p": "sum(p * log(p))", "Σ min(p, q)": "sum(minimum(p, q))", "∑(p * q)": "sum(p * q)",
    "Q[q - 1]": "lookup(Q, q - 1)", "exp(-λ m)": "exp(-λ * m)", "√λ X": "sqrt(λ) * X", "2λX": "2 * λ * X",
    "X² λ": "X @ X * λ or X ** 2 * λ", "diag(p) - p p^T": "diag(p) - p.T @ p", "diag(p) - p^T p": "diag(p) - p.T @ p",
    "identity(3) + 2 q q^T": "identity(3) + (2 * q).T @ q", "-Σ p_i log p_i": "-sum(p * log(p))", "QK^T / √d_k": "Q @ K.T / sqrt(cols(K))",
}  # fmt: skip


@for_each(("formula", "meant"), PROPOSED.items())
def test_a_proposal_fits_the_shapes_of_the_file(formula, meant):
    assert proposals(message := told(formula)) == meant.split(" or "), message
    for one in meant.split(" or "):
        numbers(one)


def test_names_that_nothing_has_are_told_beside_other_faults():
    with pytest.raises(AttncalcError) as error:
        load({"given": GIVENS, "steps": {"S": "QK^T + B", "A": "softmax(S + M)", "Z": "A @ rowsum(Q) + S + Y"}})
    told = "\n".join(str(fault) for fault in error.value.faults)
    assert all(f"{name} is not defined" in told for name in "BMY") and "Q @ K.T + B" in told


def test_one_number_beside_a_matrix_is_warned_of():
    problem = load({"given": GIVENS, "steps": {"J": "diag(p) - p @ p.T", "J_right": "diag(p) - outer(p, p)"}})
    told = [one.message for one in problem.warnings if "J" in one.message]
    assert len(told) == 1 and "for a matrix, write outer(p, p)" in told[0]


def test_labels_as_keys_are_answered_with_the_form_for_labels():
    labelled = {"E": {"the": [1, 0], "cat": [0.5, 1]}, "z": {"the": 2, "cat": -1}, "y": {"a, b": "1/2"}}
    with pytest.raises(AttncalcError) as error:
        load({"given": labelled, "steps": {"Z": "E"}, "mask": "causal"})
    told = str(error.value)
    assert "{values: [[1, 0], [0.5, 1]], rows: [the, cat]}" in told and "{values: [2, -1], columns: [the, cat]}" in told
    assert "self_attention: {mask: ...}" in told and '{values: ["1/2"], columns: ["a, b"]}' in told


def test_a_proposal_may_stand_in_a_given_in_a_lesson_and_in_a_matrix():
    with pytest.raises(AttncalcError, match=re.escape("did you mean λ * X (2 × 2)?")):
        load({"given": {"λ": 2, "X": [[1, 2], [3, 4]], "Y": "λ X"}, "steps": {"A": "X"}})
    with pytest.raises(AttncalcError, match=re.escape("did you mean λ * X (1 × 2)?")):
        load({"given": {"λ": 2, "X": [[1, 2]]}, "layer_norm": {"X": "λ X"}})
    with pytest.raises(AttncalcError, match=re.escape("did you mean cos(λ * θ[0, 0])")):
        load({"given": {"λ": 2, "θ": [1, 2]}, "steps": {"R": [["cos(λ θ_1)", 1]]}})


@for_each(("name", "near"), [("ŷ", "y_hat"), ("Â", "A_hat"), ("x̄", "x_bar"), ("h̃", "h_tilde"), ("dL/dΔ", "dL_dΔ")])
def test_a_name_with_a_hat_gets_a_name_that_can_be_one(name, near):
    with pytest.raises(AttncalcError, match=f"you can use {near}"):
        load({"given": {"x": 1}, "steps": {name: "x"}})
    if "/" not in name:
        with pytest.raises(AttncalcError, match=re.escape(f"did you mean x - log({near})")):
            load({"given": {"x": 1}, "steps": {near: "x + 1", "L": f"x - log({name})"}})


def test_the_first_entry_of_a_row_is_not_taken_for_the_row_in_silence():
    warned = load({"given": {"q": [1, 2]}, "steps": {"A": "q[0] * 3", "B": "A[0, 0]"}}).warnings
    assert [str(one.message) for one in warned] == [
        "warning: A: q[0] is the whole row q (1 × 2); for the first entry, write q[0, 0]"
    ]
    assert not load(
        {"given": {"X": [[1, 2], [3, 4]], "x": 1}, "steps": {"A": "X[0]", "B": "A[0, 1]", "C": "x[0]"}}
    ).warnings


def test_words_are_sent_to_a_lesson_that_takes_them():
    with pytest.raises(AttncalcError) as error:
        load({"given": {"candidate": "the cat sat", "poem": "roses are red", "X": [[1]]}, "steps": {"A": "X"}})
    assert "as in bleu: {candidate: the cat sat}" in str(
        error.value
    ) and "as in byte_pair_merges: {words: roses are red}" in str(error.value)


@pytest.mark.parametrize(("text", "said"), [
    ("given: {X: [[1]]}\nsteps:\n  A: |X - 1|\n", "2:1: put quotes around a value that begins with |; for absolute values of a matrix, write abs(A)"),
    ("bleu: {candidate: a b, reference: a c, max_n: 2}", "did you mean longest?"),
    ("bleu: {zzz: 1}", "attncalc lessons bleu lists them"),
])  # fmt: skip
def test_other_faults_of_a_first_file(text, said):
    from attncalc.problem.loader import read_problem

    with pytest.raises(AttncalcError) as error:
        read_problem(text, "p.yaml", "p")
    assert said.partition(": ")[2] in str(error.value) if said[0].isdigit() else said in str(error.value)


@examples(150)
@given(
    st.lists(
        st.sampled_from(
            [
                "Q",
                "K",
                "X",
                "λ",
                "q",
                "θ_0",
                "QK",
                "idx",
                "(",
                ")",
                ".T",
                "[0]",
                "[1]",
                "cos(",
                "2",
                " + ",
                " @ ",
                " * ",
            ]
        ),
        max_size=9,
    )
)
def test_a_formula_proposed_in_place_of_one_that_does_not_fit_fits(tokens):
    """What a formula of right grammar gets proposed loads as it stands."""
    from attncalc.formula.parser import parse

    try:
        parse(formula := "".join(tokens))
        load({"given": GIVENS, "steps": {"A": formula}})
    except AttncalcError as error:
        for meant in proposals(str(error)):
            if re.search(r"[ (\[.]", meant):
                load({"given": GIVENS, "steps": {"A": meant}})
    except Exception as error:
        assert type(error).__name__ == "FormulaError"


# -- exercises of lectures, as typed, with what each message proposes put in its place ---------------------------------


def differential() -> np.ndarray:
    x, u, v = (
        np.array(m, float)
        for m in ([[1, 0, 2], [0, 1, 1], [1, 1, 0]], [[1, 0], [0, 1], [1, 1]], [[0, 1], [1, 0], [1, -1]])
    )
    s, t = (np.array(m, float) for m in ([[1, 1], [0, 1], [1, 0]], [[1, 0], [1, 1], [0, 1]]))
    first, second = (
        e / e.sum(1, keepdims=True) for e in (np.exp(x @ a @ (x @ b).T / np.sqrt(2)) for a, b in ((u, s), (v, t)))
    )
    y = (first - 0.8 * second) @ x
    return y / np.sqrt((y**2).mean(1, keepdims=True))


LECTURES = {
    "differential attention": ({
        "X": [[1, 0, 2], [0, 1, 1], [1, 1, 0]], "W_Q1": [[1, 0], [0, 1], [1, 1]], "W_Q2": [[0, 1], [1, 0], [1, -1]],
        "W_K1": [[1, 1], [0, 1], [1, 0]],
        "W_K2": [[1, 0], [1, 1], [0, 1]], "λ": 0.8,
    }, {"A_1": "softmax((X @ W_Q1)(X @ W_K1)^T / √2)", "A_2": "softmax((X W_Q2)(X W_K2)^T / sqrt(2))",
    "Y": "RMSNorm((A_1 - λ A_2) X)"},
        differential()),
    "preference loss": ({"β": 0.1, "logπ_w": -12.5, "logπ_l": -14, "logπ_ref_w": -13, "logπ_ref_l": -13.2},
        {"r_w": "β (logπ_w - logπ_ref_w)", "r_l": "β(logπ_l - logπ_ref_l)", "Δ": "r_w - r_l", "L": "-log σ(Δ)"},
        [[np.log1p(np.exp(-0.13))]]),
    "rotary at position 5": ({"q": [1, 2, 3, 4], "m": 5, "d": 4}, {
        "θ": "10000 ** (-2 * np.arange(0, d/2) / d)",
        "y": "[q[0] cos(mθ_0) - q[1] sin(mθ_0), q[0] sin(m θ_0) + q[1] cos(m θ_0)]",
    }, [[np.cos(5) - 2 * np.sin(5), np.sin(5) + 2 * np.cos(5)]]),
    "window and sink": ({"S": [[1, 2, 3, 4]] * 4}, {
        "i": "np.arange(4).reshape(-1, 1)", "j": "np.arange(4)", "M": "(j <= i) & ((i - j < 2) | (j == 0))",
        "A": "softmax(np.where(M, S, -np.inf))", "l": "A.max(axis=1).T",
    }, [[1, 1 / (1 + np.exp(-1)), *(1 / (1 + np.exp(-1) + np.exp(-k)) for k in (2, 3))]]),
    "group-relative advantages": ({"r": [1, 0, 0.5, 1], "ρ": [1.2, 0.8, 1, 1.5], "ε": 0.2}, {
        "A_hat": "(r - r.mean()) / r.std()", "J": "mean(min(ρ * Â, clip(ρ, 1 - ε, 1 + ε) * Â))",
    }, [[np.mean(np.minimum(np.array([1.2, 0.8, 1,
                            1.5]) * (a := (np.array([1, 0, 0.5, 1]) - 0.625) / np.std([1, 0, 0.5, 1])),
                            np.array([1.2, 0.8, 1, 1.2]) * a))]]),
}  # fmt: skip


def put_right(steps: dict[str, str], error: AttncalcError) -> None:
    for line in str(error).splitlines():
        if ": warning: " in line:
            continue
        found = re.match(r"\S+: (\S+): ", line)
        assert found and proposals(line), line
        steps[found[1]] = proposals(line)[0]


@for_each("topic", LECTURES)
def test_an_exercise_of_a_lecture_solves_at_the_second_try(topic):
    givens, steps, value = LECTURES[topic]
    steps = dict(steps)
    try:
        problem = load({"given": givens, "steps": steps})
    except AttncalcError as error:
        put_right(steps, error)
        problem = load({"given": givens, "steps": steps})
    last = solve(problem)[list(steps)[-1]].decimals(12)
    assert np.allclose([[float(entry) for entry in row] for row in last], value, atol=1e-5)


@pytest.mark.parametrize("call", ["np.inner({}, {})", "torch.inner({}, {})", "inner({}, {})"])
def test_law_an_inner_product_has_numpys_numbers_or_is_refused_or_warned_of(call):
    given = {"r": 2, "C": [[1], [2], [3]], "x": [1, 2, 3], "A": [[1, 2], [3, 4]], "B": [[1, 0], [0, 1], [2, 2]]}
    for a in [*given, "3", "sum(x)"]:
        for b in [*given, "3", "sum(x)"]:
            text = call.format(a, b)
            try:
                read = load({"given": given, "steps": {"Y": text}})
            except AttncalcError:
                continue
            known = {name: np.array(entries) for name, entries in given.items()} | {"sum": np.sum}
            there = np.atleast_2d(np.inner(eval(a, known), eval(b, known)))
            here = np.array(solve(read)["Y"].decimals(6), dtype=float)
            warned = [one.message for one in read.warnings if "warning: Y:" in one.message]
            assert warned or here.shape == there.shape and np.allclose(here, there), text


@for_each("scores", ["Z @ {}", "Z - {}", 'softmax(Z, axis="columns") - {}', "{}"])
def test_law_a_one_hot_matrix_by_lookup_is_warned_of_as_one_hot_is(scores):
    given = {"Z": [[1, 2, -1], [0, 1, 2], [3, 1, 0.5]], "ids": [1, 2, 0], "n": 3}
    for turned in ("", ".T"):
        shown = []
        for table in ("one_hot(ids, n)", "lookup(identity(n), ids)"):
            problem = {"vectors": "columns", "given": given, "steps": {"Y": scores.format(table + turned)}}
            shown.append([one.message.replace(table, "table") for one in load(problem).warnings if "Y:" in one.message])
        assert shown[0] == shown[1] and bool(shown[0]) == (not turned)


LOWER = ["tril(ones(3, 3))", "np.tril(np.ones_like(Z))", "tril(ones(3, 3), 0)", "1 - triu(ones(3, 3), 1)", "M"]
UPPER = ["triu(ones(3, 3))", "tril(ones(3, 3)).T", "1 - tril(ones(3, 3), -1)", "M.T"]
ADDED = [
    "triu(-inf * ones(3, 3), 1)",
    "np.triu(np.full((3, 3), -np.inf), k=1)",
    "where(tril(ones(3, 3)) == 0, -inf, 0)",
]


@for_each(
    ("mask", "kept"),
    [(mask, True) for mask in LOWER + UPPER] + [(mask, False) for mask in [*ADDED, "triu(-inf * ones(3, 3), 1).T",
     "tril(-inf * ones(3, 3), -1)"]],
)  # fmt: skip
def test_law_a_triangular_mask_is_warned_of_if_the_first_column_attends_to_all(mask, kept):
    scores, steps = [[1, 2, -1], [0, 1, 2], [3, 1, 0.5]], {"M": "tril(ones(3, 3))"} if mask[0] == "M" else {}
    formula = f"keep(Z, {mask})" if kept else f"Z + {mask}"
    problem = {"vectors": "columns", "given": {"Z": scores}}
    read = load(problem | {"steps": steps | {"A": f'softmax({formula}, axis="columns")'}})
    warned = [one.message for one in read.warnings if "but these scores have one column per query" in one.message]
    attends_to_all = all(float(row[0]) for row in solve(read)["A"].decimals(6))
    assert bool(warned) == attends_to_all
    for (meant,) in map(proposals, warned):
        rows = solve(load(problem | {"steps": steps | {"A": meant}}))["A"].decimals(6)
        assert not any(float(rows[i][j]) for j in range(3) for i in range(j + 1, 3))
    for one in load(problem | {"steps": steps | {"A": f"softmax({formula})"}}).warnings:
        assert all('axis="columns"' in meant for meant in proposals(one.message))


@pytest.mark.parametrize(("formula", "meant"), [
    ("softmax(keep(K.T @ Q, causal(3, 3)))", 'softmax(keep(K.T @ Q, causal(3, 3).T), axis="columns")'),
    ("K.T @ Q + where(causal(3, 3) == 0, -inf, 0)", "K.T @ Q + where(causal(3, 3).T == 0, -inf, 0)"),
    ("keep(K.T @ Q, band(3, 3, 1, right=0))", "keep(K.T @ Q, band(3, 3, 1, right=0).T)"),
])  # fmt: skip
def test_a_mask_by_query_is_turned_beside_scores_by_key(formula, meant):
    def warned(one: str) -> list[str]:
        given = {"Q": [[1, 2, 3], [0, 1, 1]], "K": [[1, 0, 2], [2, 1, 1]]}
        problem = load({"vectors": "columns", "given": given, "steps": {"A": one}})
        return [str(warning.message) for warning in problem.warnings]

    (message,) = warned(formula)
    assert f"did you mean {meant} (3 × 3)?" in message and not warned(meant)
    assert not warned("keep(K.T @ Q, band(3, 3, 1))") and not warned("keep(Q.T @ K, causal(3, 3))")


@for_each(
    ("text", "meant"),
    [
        (r"\frac{1}{n} \sum_j A_{ij}", ["1 / cols(A) * row_sum(A)", "1 / rows(A) * row_sum(A)"]),
        (r"\sum_j A_{ij}/n", ["row_sum(A) / cols(A)", "row_sum(A) / rows(A)"]),
        (r"A_{i,j} - \frac{1}{n}\sum_j A_{i,j}", ["A - 1 / cols(A) * row_sum(A)", "A - 1 / rows(A) * row_sum(A)"]),
        (r"\frac{1}{n} \sum_i A_{ij}", ["1 / rows(A) * col_sum(A)"]),
    ],
)
def test_n_next_to_a_sum_without_limits_is_first_its_number_of_terms(text, meant):
    """A mean of each row divides by the number of columns, whatever n usually counts."""
    with pytest.raises(AttncalcError) as refused:
        loads(f"given: {{A: [[1, 2, 4], [3, 1, 2]]}}\nsteps:\n  m: '{text}'\n")
    assert proposals(str(refused.value)) == meant


@for_each("name", sorted(MODULES))
@for_each("call", ["sum(1)", "mean(0)", "max(0)", "softmax(1)", "argmax(1)", "reshape(-1)", "tril(1)"])
def test_a_matrix_with_the_name_of_a_module_has_methods(name, call):
    """A step F is no torch.nn.functional: its methods have the numbers of a matrix with any other name."""

    def result(matrix):
        return solve(load({"given": {matrix: [[1, 2], [3, 4]]}, "steps": {"y": f"{matrix}.{call}"}}))["y"].decimals(6)

    assert result(name) == result("M")


@pytest.mark.parametrize("columns", [False, True])
@pytest.mark.parametrize("tokens", [2, 3, 4])
@pytest.mark.parametrize("formula", ["γ X", "γ X + β", "γ X − β", "2 (γ X + β)"])
def test_law_a_gain_beside_a_matrix_has_an_entry_for_each_feature(formula, tokens, columns):
    X = [[1, 2, 5], [3, 4, -1], [0, 2, 2], [1, 1, 7]][:tokens]
    given = {"X": [list(row) for row in zip(*X, strict=True)] if columns else X, "γ": [1, 2, 3], "β": [3, 0, 1]}
    with pytest.raises(AttncalcError) as refused:
        load({"given": given, "steps": {"Y": formula}, "vectors": "columns" if columns else "rows"})
    entrywise = formula.replace("γ X", "γ.T * X" if columns else "γ * X").replace("β", "β.T" if columns else "β")
    entrywise = entrywise.replace("−", "-").replace("2 (", "2 * (")
    assert f"{entrywise} ({f'3 × {tokens}' if columns else f'{tokens} × 3'})" in str(refused.value)
